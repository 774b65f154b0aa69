#!/usr/bin/env bash
# run.sh BINARY [arguments of run.py]: random statements on that binary, PostgreSQL and SQLite; installs the peers where they are missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../install-peers.sh" >&2
python=$("$here/../clients/setup.sh")/python/bin/python
exec "$python" -B "$here/run.py" "$@"
