#!/usr/bin/env bash
# exporters.sh BINARY: the SQL Server collectors of sql_exporter, as they come in its module, against a server of that binary.
# SQL_EXPORTER=FOLDER names its sources where the module cannot be fetched; without either this fails and says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "$1")
VERSION=v0.18.3

say() { printf 'exporters: %s\n' "$*" >&2; }
clients=$("$here/clients/setup.sh")
sources=${SQL_EXPORTER:-}
if [ -z "$sources" ]; then
    module=github.com/burningalchemist/sql_exporter
    (cd "$clients" && go mod download "$module@$VERSION") >&2 || { say "$module@$VERSION cannot be had: ITS COLLECTORS ARE NOT TESTED"; exit 1; }
    sources=$(go env GOMODCACHE)/$module@$VERSION
fi
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$work"' EXIT
export TAFFRAIL_SA_PASSWORD=Exporters-1
"$binary" serve --data "$work/data" --listen 127.0.0.1:0 --console off >"$work/ready" 2>"$work/log" &
server=$!
for _ in $(seq 300); do
    port=$(sed -n 's/.*tds=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/ready")
    [ -n "$port" ] && break
    sleep 0.1
done
[ -n "$port" ] || { say "the server does not start: $(tail -3 "$work/log")"; exit 1; }
"$clients/python/bin/python" -B "$here/clients/exporter_statements.py" 127.0.0.1 "$port" "$TAFFRAIL_SA_PASSWORD" "$sources"
