#!/usr/bin/env bash
# `make release`: everything that people install, into OUT (default: dist), each package installed into an empty environment and
# used there, and checksums. TESTS=no: built only. A part that cannot be built, run or passed on this machine stops no other; all of
# them are named at the end, and then the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-dist}")
target=$(./tests/target.sh)
rm -rf "$out"
mkdir -p "$out"
missing=()
begin() { printf '\n== %s\n' "$*"; }
part() { # what, command…: exit code 3 is of one that cannot run here, and has said why
    local code=0 began=$SECONDS what=$1
    shift
    begin "$what"
    "$@" || code=$?
    case $code in
        0) echo "   ($((SECONDS - began)) s)" ;;
        3) missing+=("NOT RUN: $what") ;;
        *) missing+=("FAILED: $what") ;;
    esac
    return 0
}
there() { # program, its Debian packages: installed where that can be done
    command -v "$1" > /dev/null && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}"; } > /dev/null 2>&1 || true
    fi
    command -v "$1" > /dev/null || { echo "there is no $1 (Debian: ${*:2})"; return 1; }
}
tests() { [ "${TESTS:-yes}" = yes ]; }

packages() { # binary
    local kind failed=0
    # Some 28 MB: a binary of 100 MB has a debugger's sections.
    [ "$(stat -c %s "$1")" -le $((48 << 20)) ] || { echo "$1 is larger than 48 MiB: is it stripped?"; failed=1; }
    for kind in archive deb npm; do "packaging/$kind.sh" "$1" "$out" || failed=1; done
    packaging/wheel.py "$1" "$(. packaging/common.sh && version_of_workspace)" "$out" || failed=1
    return $failed
}

image() { # binary, architecture: twice, which makes the same bytes
    local again=$target/image-again end
    cargo xtask image --binary "$1" --out "$target/image" --arch "$2" || return 1
    rm -rf "$again"
    mkdir -p "$again/packages-$2"
    cp -r "$target/image/packages-$2/debs" "$again/packages-$2/" || return 1
    cargo xtask image --binary "$1" --out "$again" --arch "$2" > /dev/null || return 1
    for end in docker.tar oci.tar spdx.json; do
        cmp "$target/image/taffrail-$2.$end" "$again/taffrail-$2.$end" || return 1
        cp "$target/image/taffrail-$2.$end" "$out" || return 1
    done
    rm -rf "$again"
    echo "ok reproducible: built twice, the same bytes"
}

machine=$(uname -m)
case $machine in
    x86_64) deb=amd64 cpu=x64 ;;
    aarch64) deb=arm64 cpu=arm64 ;;
    *) echo "$machine is not one of x86_64, aarch64"; exit 1 ;;
esac
begin "$machine: the binary"
cargo build --profile dist --locked --quiet -p taffrail-cli
binary=$target/dist/taffrail
part "$machine: packages" packages "$binary"
part "$machine: the image" image "$binary" "$deb"

linker=aarch64-linux-gnu-gcc
arm=aarch64-unknown-linux-gnu
aarch64() {
    there "$linker" gcc-aarch64-linux-gnu libc6-dev-arm64-cross || return 3
    rustup target add "$arm" || { echo "the target's standard library cannot be had"; return 3; }
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$linker CC_aarch64_unknown_linux_gnu=$linker \
        cargo build --profile dist --locked --quiet -p taffrail-cli --target "$arm"
}
emulated() { # name, the emulator's program, its words
    there "$2" qemu-user-static || return 3
    packaging/tests/emulated.sh "$1" "$binary" "${@:2}"
}
image_emulated() { # the arm64 image's own files, nothing of this machine's
    local root=$target/image/root-arm64
    rm -rf "$root"
    mkdir -p "$root"
    tar -xOf "$out/taffrail-arm64.docker.tar" --wildcards '*/layer.tar' | tar -xf - -C "$root" || return 1
    emulated "the arm64 image" qemu-aarch64-static -L "$root" "$root/opt/taffrail/bin/taffrail"
}
arm_binary=$target/$arm/dist/taffrail
# x86_64 makes those of the other machine, too.
[ "$machine" != x86_64 ] || part "aarch64: the binary" aarch64
if [ "$machine" = x86_64 ] && [[ " ${missing[*]} " != *"aarch64: the binary"* ]]; then
    part "aarch64: packages" packages "$arm_binary"
    part "aarch64: the image" image "$arm_binary" arm64
    if tests; then
        part "aarch64: the image's files, on a kernel without pwritev2 (qemu's user mode)" image_emulated
        part "aarch64: a machine (qemu-system-aarch64)" packaging/tests/arm64.sh "$arm_binary" "$binary"
    fi
fi

begin "checksums"
(cd "$out" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)

if tests; then
    # The machine's own packages can be used here; those of the other were only built.
    [ "$machine" != x86_64 ] || part "x86_64: a processor without SSE4.2, AVX and AES" emulated x86_64 qemu-x86_64-static -cpu qemu64 "$binary"
    part "the archive" packaging/tests/archive.sh "$out"/taffrail-*-"$machine"-linux.tar.gz
    part "the wheel" packaging/tests/wheel.sh "$out"/*_"$machine".whl
    part "the npm package" packaging/tests/npm.sh "$out"/taffrail-*-linux-$cpu.tgz
    part "the Debian package" packaging/tests/deb.sh "$out"/taffrail_*_$deb.deb
    part "the image" tests/image.sh "$out/taffrail-$deb.docker.tar" "$out/taffrail-$deb.oci.tar"
    part "the guide's commands" packaging/tests/guide.sh "$out"
    part "the image under Testcontainers" examples/testcontainers/run.sh "$out/taffrail-$deb.docker.tar"
fi
echo
for what in "${missing[@]}"; do echo "$what"; done
[ ${#missing[@]} = 0 ]
