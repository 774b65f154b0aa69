# Sourced by run-all.sh and check.sh: `step NAME` begins a step; the seconds of each are printed at the end, however it ends,
# beside STEP_BOUND, where the script says what the sum may be.
STEP_NAMES=() STEP_BEGAN=()
step() {
    STEP_NAMES+=("$*") STEP_BEGAN+=("$SECONDS")
    printf '\n== %s (%ss)\n' "$*" "$SECONDS"
}
step_table() {
    local status=$? i end
    printf '\nseconds  step\n'
    for i in "${!STEP_NAMES[@]}"; do
        end=${STEP_BEGAN[i + 1]:-$SECONDS}
        printf '%7d  %s\n' $((end - STEP_BEGAN[i])) "${STEP_NAMES[i]}"
    done
    printf '%7d  in all, %s\n' "$SECONDS" "$([ "$status" = 0 ] && echo 'all passed' || echo "the last step FAILED")"
    [ -z "${STEP_BOUND:-}" ] || printf '         %s\n' "$STEP_BOUND"
}
trap step_table EXIT
# Ended from outside, the table does not say that all passed.
trap 'exit 143' TERM
trap 'exit 130' INT
