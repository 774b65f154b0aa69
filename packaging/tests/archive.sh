#!/usr/bin/env bash
# archive.sh ARCHIVE: unpacked into an empty folder, and run from there with an empty environment.
set -euo pipefail
archive=$(realpath "$1")
tests=$(cd "$(dirname "$0")" && pwd)
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-archive.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; wait; rm -rf "$here"' EXIT
cd "$here"
tar -xzf "$archive" --strip-components 1
for file in taffrail sqlcmd LICENSE README.md CHANGELOG.md docs/reference/settings.md systemd/taffrail.service; do
    [ -e "$file" ] || { echo "FAILED $file is missing"; exit 1; }
done
python3 "$tests/../pages.py" "$here" --check
env -i PATH=/usr/bin:/bin TAFFRAIL_SA_PASSWORD=Archive-test-1! ./taffrail serve --listen 127.0.0.1:0 --console off > out 2> err &
server=$!
for _ in $(seq 300); do grep -q '^taffrail ready' out && break; kill -0 "$server" || { cat err; exit 1; }; sleep 0.1; done
port=$(sed -n 's/^taffrail ready: tds=127.0.0.1:\([0-9]*\) .*/\1/p' out)
said=$(env -i SQLCMDPASSWORD=Archive-test-1! ./sqlcmd -S "127.0.0.1,$port" -U sa -C -b -h -1 -W -Q 'SET NOCOUNT ON SELECT 6 * 7')
[ "$said" = 42 ] || { echo "FAILED sqlcmd: $said"; exit 1; }
env -i SQLCMDPASSWORD=Archive-test-1! ./taffrail health -S "127.0.0.1,$port" > /dev/null
kill "$server"
wait "$server"
server=
[ -s data/master.mdf ]
echo 'ok unpacked and run'
