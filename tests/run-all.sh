#!/usr/bin/env bash
# `make test`: every test, cheapest first. Stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

step "format, lints, house rules"
cargo fmt --all --check
cargo xtask tidy
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

step "clients"
TAFFRAIL_CLIENTS=$(./tests/clients/setup.sh)
export TAFFRAIL_CLIENTS

step "unit, golden, property and simulated-crash tests"
cargo test --workspace --locked --quiet --exclude taffrail-tests --exclude taffrail-fuzz

step "every reader on any bytes"
cargo test --locked --quiet -p taffrail-fuzz

step "the release build under stock clients and in the crash loop"
cargo build --release --locked --quiet -p taffrail-cli
TAFFRAIL_BINARY=$(cargo metadata --format-version 1 --no-deps --offline | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/taffrail
export TAFFRAIL_BINARY
cargo test --locked -p taffrail-tests -- --test-threads=1
step "all passed"
