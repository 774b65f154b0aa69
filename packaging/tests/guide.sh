#!/usr/bin/env bash
# guide.sh DIST: the commands of README.md and docs/guide that `make test` leaves out, as they stand, each page in an empty folder with
# the packages of DIST: those of packages (```sh network), and those of the image (```sh container) where there is an engine (exit code
# 3: there is none). tests/deb.sh runs those of the service (```sh root).
set -euo pipefail
dist=$(realpath "$1")
tests=$(cd "$(dirname "$0")" && pwd)
root=$tests/../..
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-guide.XXXXXX")
end() {
    [ -z "${ENGINE:-}" ] || engine_end
    rm -rf "$here"
}
trap end EXIT
unset TAFFRAIL_BINARY PYTHONPATH NODE_PATH

pages() { # kind: the pages that have such a block
    (cd "$root" && grep -lxF "\`\`\`$1" README.md docs/guide/*.md) || { echo "FAILED no page has a block of '$1'"; exit 1; }
}
script() { # kind, page: its commands, for bash
    echo 'set -euo pipefail'
    "$tests/blocks.py" "$1" "$root/$2"
}

for page in $(pages 'sh network'); do
    folder=$here/${page//\//-}
    mkdir "$folder"
    ln -s "$dist"/* "$folder"
    python3 -m venv "$folder/env"
    # What the page has brought can be used: the command, both packages.
    { script 'sh network' "$page"; echo 'taffrail --version && python3 -c "import taffrail" && node -e "require(\"taffrail\")"'; } > "$folder/script"
    (cd "$folder" && PATH=$folder/env/bin:$PATH bash script) > "$folder/out" 2>&1 || { cat "$folder/out"; echo "FAILED $page"; exit 1; }
    grep -q '^taffrail [0-9]' "$folder/out" || { cat "$folder/out"; echo "FAILED $page: the command"; exit 1; }
    echo "ok the packages, as $page has it"
done

. "$tests/engine.sh"
why=$(engine_there) || { echo "NOT RUN: the commands of containers ($why)"; exit 3; }
engine_begin "$here"
export MSSQL_SA_PASSWORD=Guide-tests-1!
for page in $(pages 'sh container'); do
    folder=$here/containers-${page//\//-}
    mkdir -p "$folder/target"
    ln -s "$dist"/* "$folder"
    # Where `cargo xtask image` puts it.
    ln -s "$dist" "$folder/target/image"
    script 'sh container' "$page" > "$folder/script"
    (cd "$folder" && timeout 300 bash script) > "$folder/out" 2>&1 || { cat "$folder/out"; pod logs -l 2>&1 | tail -20; echo "FAILED $page"; exit 1; }
    pod rm -f -t 5 --all > /dev/null 2>&1
    pod volume rm --all --force > /dev/null 2>&1
    echo "ok the image, as $page has it"
done
