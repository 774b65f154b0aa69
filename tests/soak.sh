#!/usr/bin/env bash
# `make soak HOURS=n`: what `make test` does a little of, with seeds that have not been tried, until the time is over.
# It goes on with what is left of a round, then stops; the first failure ends it, and says how to have it again.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/steps.sh

hours=${HOURS:-1}
end=$(($(date +%s) + $(awk -v h="$hours" 'BEGIN { printf "%d", h * 3600 }')))
rounds=0 seeds=0 kills=0 cuts=0

summary() {
    echo "$rounds rounds: $seeds simulated seeds, $kills kills and $cuts losses of power of the real binary, histories, variants of questions and every reader in each"
}
# The table first: it says by the status of the script whether all has passed.
trap 'step_table; summary' EXIT

step "building"
nextest=$(./tests/nextest.sh)
cargo build --workspace --all-targets --locked --quiet
cargo build --profile dist --locked --quiet -p taffrail-cli
target=$(./tests/target.sh)
export TAFFRAIL_BINARY=$target/dist/taffrail

# Runs a command that takes its seed from the environment, which a failure shows.
run() {
    "$@" > "$target/soak.log" 2>&1 || {
        tail -100 "$target/soak.log"
        echo "again: $*"
        exit 1
    }
}

while [ "$(date +%s)" -lt "$end" ]; do
    seed=$(($(date +%s) * 1000))
    rounds=$((rounds + 1))
    step "round $rounds, from seed $seed"
    run env TAFFRAIL_SIM_FIRST="$seed" TAFFRAIL_SIM_RUNS=1000 "$nextest" nextest run --profile soak --workspace --locked -E "package(taffrail-storage) & test(/^simulation::nothing_acknowledged/)"
    seeds=$((seeds + 1000))
    # Recorded histories restored to random moments, in the simulation and on this disk, and restores cut off at every step.
    run env TAFFRAIL_SIM_FIRST="$seed" TAFFRAIL_SIM_RUNS=1250 TAFFRAIL_DISK_RUNS=25 TAFFRAIL_CUT_STRIDE=1 "$nextest" nextest run --profile soak --workspace --locked -E "package(taffrail-engine) & test(/^(restore_stops::a_database_(is|on)|backup_crash::)/)"
    run "$nextest" nextest run --profile soak --workspace --locked -E "binary(histories)"
    run env TAFFRAIL_KILLS=100 TAFFRAIL_CUTS=100 "$nextest" nextest run --profile soak --workspace --locked -E "binary(e2e) & test(/^crash_loop::/)"
    kills=$((kills + 100)) cuts=$((cuts + 100))
    run env TAFFRAIL_VARIANTS_SEED="$seed" TAFFRAIL_VARIANTS_SECONDS=300 "$nextest" nextest run --profile soak --workspace --locked -E "binary(e2e) & test(/^variants::/)"
    run env TAFFRAIL_FUZZ_SEED="$seed" "$nextest" nextest run --profile soak --workspace --locked -E "package(taffrail-fuzz)"
done
