#!/usr/bin/env bash
# `make test`: every test, cheapest first. Stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/steps.sh

step "format, house rules"
cargo fmt --all --check
cargo xtask tidy

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

step "clients"
TAFFRAIL_CLIENTS=$(./tests/clients/setup.sh)
export TAFFRAIL_CLIENTS

step "unit tests: building"
cargo test --workspace --locked --quiet --exclude taffrail-tests --exclude taffrail-fuzz --no-run

step "unit, property and simulated-crash tests"
cargo test --workspace --locked --quiet --exclude taffrail-tests --exclude taffrail-fuzz

step "two faults put in on purpose, each caught by its test"
python3 tests/mutants/run.py --turn 2

step "every reader on any bytes"
cargo test --locked --quiet -p taffrail-fuzz

step "the release build"
cargo build --release --locked --quiet -p taffrail-cli
TAFFRAIL_BINARY=$(cargo metadata --format-version 1 --no-deps --offline | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/taffrail
export TAFFRAIL_BINARY

step "golden scripts, stock clients, kept directories and the crash loop on it"
cargo test --locked -p taffrail-tests -- --test-threads=1

step "the console in a browser"
./tests/console.sh short "$TAFFRAIL_BINARY"
