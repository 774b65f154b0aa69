#!/usr/bin/env bash
# `make check`: what is worth running before each commit: format, house rules, lints, and the tests of what has changed since
# the last commit (BASE=revision: since that one; a clean tree: in the last commit). `make test` runs everything.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/steps.sh
STEP_BOUND='bound on two idle cores: 120 after a change in one view'

base=${BASE:-HEAD}
changed() { { git diff --name-only "$1"; git ls-files --others --exclude-standard; } | sort -u; }
files=$(changed "$base")
[ -n "$files" ] || files=$(changed HEAD~1)

step "format, house rules"
cargo fmt --all --check
cargo xtask tidy

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

if grep -qE '^(crates/|tests/|Cargo)' <<<"$files"; then
    step "build"
    nextest=$(./tests/nextest.sh)
    cargo build --workspace --all-targets --locked --quiet

    # The tests of the crates that have changed, the unit tests of those that use them, golden scripts and kept directories.
    tests='(binary(e2e) & test(/^(golden|kept)::/))'
    for crate in $(sed -n 's|^crates/\([^/]*\)/.*|\1|p' <<<"$files" | sort -u); do
        [ "$crate" = fuzz ] && continue
        tests="$tests | package(taffrail-$crate) | (rdeps(taffrail-$crate) & kind(lib))"
        # The integration tests of these crates stand with the engine's.
        case $crate in exec|features|watching) tests="$tests | package(taffrail-engine)" ;; esac
    done
    step "tests of what has changed, golden scripts, kept directories"
    "$nextest" nextest run --workspace --locked --cargo-quiet -E "$tests"
fi
