#!/usr/bin/env bash
# What the build needs: a C compiler to link with (and for the TLS library), and the Rust of rust-toolchain.toml.
set -euo pipefail
install() { # Debian package
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
    fi
}
command -v cc >/dev/null || install gcc libc6-dev
command -v cc >/dev/null || { echo "'cc' is missing: install a C compiler (Debian: gcc libc6-dev)" >&2; exit 1; }
if ! command -v cargo >/dev/null; then
    install rustup && rustup toolchain install --profile minimal -c rustfmt -c clippy >&2 || true
fi
command -v cargo >/dev/null || {
    echo "'cargo' is missing: install Rust with rustup (https://rustup.rs); rust-toolchain.toml names the version" >&2; exit 1; }
have=$(rustc --version | cut -d' ' -f2)
[ "$(printf '%s\n' 1.95.0 "$have" | sort -V | head -n1)" = 1.95.0 ] || {
    echo "rustc $have is too old: 1.95 or newer is needed" >&2; exit 1; }
