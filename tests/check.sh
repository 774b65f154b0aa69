#!/usr/bin/env bash
# `make check`: what is worth running before each commit: format, house rules, lints, and the tests of what has changed since
# the last commit (BASE=revision: since that one; a clean tree: in the last commit). `make test` runs everything.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/steps.sh

base=${BASE:-HEAD}
changed() { { git diff --name-only "$1"; git ls-files --others --exclude-standard; } | sort -u; }
files=$(changed "$base")
[ -n "$files" ] || files=$(changed HEAD~1)

step "format, house rules"
cargo fmt --all --check
cargo xtask tidy

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

crates=$(sed -n 's|^crates/\([^/]*\)/.*|\1|p' <<<"$files" | sort -u | grep -v '^fuzz$' || true)
if [ -n "$crates" ]; then
    step "unit tests of" $crates
    # shellcheck disable=SC2046
    cargo test --locked --quiet $(printf -- '-p taffrail-%s ' $crates)
fi

if grep -qE '^(crates/|tests/)' <<<"$files"; then
    step "golden scripts and kept directories"
    cargo build --locked --quiet -p taffrail-cli
    cargo test --locked --quiet -p taffrail-tests -- golden kept
fi
