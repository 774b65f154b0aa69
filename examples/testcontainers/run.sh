#!/usr/bin/env bash
# run.sh IMAGE.docker.tar [python|node|go|java …]: the projects of this folder, with that image in place of Microsoft's, and how long each
# took. They run under podman and runc (packaging/tests/engine.sh), as root; exit code 3: there is no engine.
set -euo pipefail
archive=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- java go python node
cd "$(dirname "$0")"
. ../../packaging/tests/engine.sh
why=$(engine_there) || { echo "NOT RUN: Testcontainers ($why)"; exit 3; }
here=$(mktemp -d /tmp/taffrail-testcontainers.XXXXXX)
engine_begin "$here"
trap engine_end EXIT
cache=${TAFFRAIL_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/taffrail/clients}/testcontainers
mkdir -p "$cache"

# What each needs, in the cache, outside the checkout.
installed_python() {
    cmp -s python/requirements.txt "$cache/python/.installed" && return 0
    python3 -m venv "$cache/python"
    "$cache/python/bin/pip" install -q --disable-pip-version-check -r python/requirements.txt
    cp python/requirements.txt "$cache/python/.installed"
}
installed_node() {
    cmp -s node/package.json "$cache/node/package.json" && return 0
    mkdir -p "$cache/node"
    cp node/package.json "$cache/node/package.json.new"
    (cd "$cache/node" && mv package.json.new package.json && npm install --silent --no-audit --no-fund) || { rm -f "$cache/node/package.json"; return 1; }
}
installed_go() { (cd go && go mod download); }
installed_java() { (cd java && mvn -q -B -Dstyle.color=never -Dmdep.outputFile=/dev/null test-compile); }

# Each prints `ready after SECONDS s`, and what its runner says at the end.
run_python() { (cd python && "$cache/python/bin/python" -B -m pytest -q -s -p no:cacheprovider); }
run_node() { (cd node && NODE_PATH=$cache/node/node_modules node --test --test-reporter=tap); }
run_go() { (cd go && go test -count=1 -v .); }
run_java() { (cd java && mvn -B -Dstyle.color=never surefire:test); }
passed_python() { sed -n 's/^\([0-9]* passed\) in .*/\1/p' "$1"; }
passed_node() { sed -n 's/^# pass \([0-9]*\)$/\1 passed/p' "$1"; }
passed_go() { echo "$(grep -c '^--- PASS' "$1") passed"; }
passed_java() { sed -n 's/.*Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: 0$/\1 passed/p' "$1" | tail -1; }

MSSQL_IMAGE=$(pod load -q -i "$archive" | sed 's/^Loaded image: //')
export MSSQL_IMAGE
engine_serve
failed=0
for what in "$@"; do
    "installed_$what" > "$here/$what.log" 2>&1 || { tail -20 "$here/$what.log"; echo "FAILED $what: its packages"; failed=1; continue; }
    began=$(date +%s.%N)
    if "run_$what" > "$here/$what.log" 2>&1 && passed=$("passed_$what" "$here/$what.log") && [ -n "$passed" ]; then
        ready=$(sed -n 's/.*\(ready after [0-9.]* s\).*/\1/p' "$here/$what.log" | head -1)
        awk -v a="$began" -v b="$(date +%s.%N)" -v what="$what" -v passed="$passed" -v ready="$ready" \
            'BEGIN { printf "ok Testcontainers for %s: container %s, %s, %.1f s in all\n", what, ready, passed, b - a }'
    else
        tail -60 "$here/$what.log"
        echo "FAILED Testcontainers for $what"
        failed=1
    fi
done
exit $failed
