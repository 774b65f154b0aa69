#!/usr/bin/env bash
# `make release`: everything that people install, into OUT (default: dist), each package installed into an empty environment and
# used there, and checksums. TESTS=no: built only. What cannot be built on this machine is said at the end, and the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-dist}")
target=$(cargo metadata --format-version 1 --no-deps --offline | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
rm -rf "$out"
mkdir -p "$out"
missing=()
begin() { printf '\n== %s\n' "$*"; }

package() { # binary
    for kind in archive deb npm; do "packaging/$kind.sh" "$1" "$out"; done
    packaging/wheel.py "$1" "$(. packaging/common.sh && version_of_workspace)" "$out"
}

begin "x86_64: the binary"
cargo build --release --locked --quiet -p taffrail-cli
begin "x86_64: packages"
package "$target/release/taffrail"
cargo xtask image --binary "$target/release/taffrail" --out "$target/image"
cp "$target/image/taffrail-amd64".{docker.tar,oci.tar,spdx.json} "$out"

begin "aarch64: the binary and its packages"
linker=aarch64-linux-gnu-gcc
arm=aarch64-unknown-linux-gnu
if ! command -v "$linker" > /dev/null; then
    missing+=("aarch64: there is no $linker (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)")
elif ! rustup target add "$arm"; then
    missing+=("aarch64: the target's standard library cannot be had")
elif CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$linker CC_aarch64_unknown_linux_gnu=$linker \
    cargo build --release --locked --quiet -p taffrail-cli --target "$arm"; then
    package "$target/$arm/release/taffrail"
    if cargo xtask image --binary "$target/$arm/release/taffrail" --out "$target/image" --arch arm64; then
        cp "$target/image/taffrail-arm64".{docker.tar,oci.tar,spdx.json} "$out"
    else
        missing+=("aarch64: the image")
    fi
    if [ "${TESTS:-yes}" = yes ]; then
        if command -v qemu-aarch64-static > /dev/null; then
            packaging/tests/arm64.sh "$target/$arm/release/taffrail"
        else
            echo "NOT RUN: the aarch64 binary (needs qemu-user-static and libc6-dev-arm64-cross)"
        fi
    fi
else
    missing+=("aarch64: the build")
fi

begin "checksums"
(cd "$out" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)

if [ "${TESTS:-yes}" = yes ]; then
    # The machine's own packages can be used here; those of the other were only built.
    machine=$(uname -m)
    case $machine in
        x86_64) deb=amd64 cpu=x64 ;;
        aarch64) deb=arm64 cpu=arm64 ;;
    esac
    begin "the archive"
    packaging/tests/archive.sh "$out"/taffrail-*-"$machine"-linux.tar.gz
    begin "the wheel"
    packaging/tests/wheel.sh "$out"/*_"$machine".whl
    begin "the npm package"
    packaging/tests/npm.sh "$out"/taffrail-*-linux-$cpu.tgz
    begin "the Debian package"
    packaging/tests/deb.sh "$out"/taffrail_*_$deb.deb
    begin "the image"
    if command -v podman > /dev/null && command -v runc > /dev/null && [ "$(id -u)" = 0 ]; then
        tests/image.sh "$out/taffrail-$deb.docker.tar"
    else
        echo "NOT RUN: the image (needs root, podman and runc)"
    fi
fi
for what in "${missing[@]}"; do echo "NOT BUILT: $what"; done
[ ${#missing[@]} = 0 ]
