#!/usr/bin/env bash
# `make test`: every test, cheapest first. Stops at the first step that fails. The table at the end has the seconds of each step.
# Everything is compiled once, by one selection of packages and one profile: another selection has other features, and compiles anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/steps.sh
STEP_BOUND='bounds on two idle cores: 1800 with nothing compiled (what is downloaded is there), 600 after a line of the engine has changed'

step "format, house rules"
cargo fmt --all --check
cargo xtask tidy

step "clients, the test runner"
TAFFRAIL_CLIENTS=$(./tests/clients/setup.sh)
export TAFFRAIL_CLIENTS
nextest=$(./tests/nextest.sh)

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

step "what is shipped compiles, without what only debug builds have"
cargo check --release --locked --quiet -p taffrail-cli

step "build"
cargo build --workspace --all-targets --locked --quiet

step "tests: unit, property, simulated crashes, any bytes, golden scripts, clients, kept directories, crash loop, histories"
"$nextest" nextest run --workspace --locked --cargo-quiet

step "examples in the documentation of code, the console in a browser; beside both, two faults put in on purpose, each caught by its test"
faults=$(mktemp)
python3 tests/mutants/run.py --turn 2 >"$faults" 2>&1 &
turn=$!
# A job in the background hears no Ctrl+C. Asked to end, it takes its patch back first.
turn_ends() {
    kill "$turn" 2>/dev/null || :
    wait "$turn" || :
    cat "$faults"
    rm "$faults"
}
trap 'turn_ends; exit 143' TERM
trap 'turn_ends; exit 130' INT
cargo test --workspace --doc --locked --quiet || { turn_ends; exit 1; }
./tests/console.sh short "$(./tests/target.sh)/debug/taffrail" || { turn_ends; exit 1; }
wait "$turn" || { cat "$faults"; exit 1; }
trap 'exit 143' TERM
trap 'exit 130' INT
cat "$faults"
rm "$faults"
