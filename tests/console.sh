#!/usr/bin/env bash
# console.sh short BINARY: the console's sources give its dist; each page is opened once in Chromium, before a server of that binary
# at work, and compared with the views; so are the lab's reports, whose records the end-to-end tests leave in lab-reports beside the binary
# (what is not there is run first). console.sh full BINARY FOLDER: also the tours, pictures of each page in both themes and
# widths (into FOLDER), what twenty viewers cost, and the Grafana dashboard in a Prometheus.
# Installs what a fresh machine lacks. Where Chromium cannot be had, `short` says so in capitals and checks the sources only; `full` fails.
set -euo pipefail
how=$1
TAFFRAIL_BINARY=$(realpath "$2")
export TAFFRAIL_BINARY PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
folder=${3:+$(realpath -m "$3")}
cd "$(dirname "$0")/../console"

say() { printf 'console: %s\n' "$*" >&2; }
retried() { # command and its arguments; downloads fail now and then
    local attempt
    for attempt in 1 2 3 4; do
        "$@" && return 0
        say "attempt $attempt failed: $*"
        sleep $((attempt * 5))
    done
    "$@"
}
need() { # command, Debian package, what for
    command -v "$1" >/dev/null && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing $2 ($3)"
        { retried apt-get update -qq && retried env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"; } >&2
    fi
    command -v "$1" >/dev/null || { say "'$1' is missing ($3): install the package $2. The console is NOT TESTED."; exit 1; }
}

need node nodejs "builds and tests the console"
need npm npm "installs what that uses"
browser=yes
[ -n "${CHROMIUM:-}" ] || (need chromium chromium "opens the console's pages") || browser=no
[ "$browser" = yes ] || [ "$how" = short ] || exit 1
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    retried npm ci --silent --no-audit --no-fund >&2
    touch node_modules/.package-lock.json
fi
npm run --silent check
case "$how" in
short)
    if [ "$browser" = no ]; then
        say "CHROMIUM CANNOT BE HAD: NO PAGE WAS OPENED"
        exit 0
    fi
    # A page that is slow once, on a machine that does other things, is asked again; what is wrong stays wrong.
    node tests/browser.mjs short || { say "once more"; node tests/browser.mjs short; }
    ;;
full)
    [ -n "$folder" ] || { say "full BINARY FOLDER: the pictures go there"; exit 2; }
    need prometheus prometheus "asks the dashboard's questions"
    node tests/browser.mjs full "$folder"
    node tests/dashboard.mjs
    ;;
*) say "short or full?"; exit 2 ;;
esac
