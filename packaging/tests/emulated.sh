#!/usr/bin/env bash
# emulated.sh NAME NATIVE COMMAND…: the server that the command runs, qemu's user mode and a binary (Debian: qemu-user-static): start,
# statements, a kill, a restart on the same files, a restore; then NATIVE, a binary of this machine, opens what another kill has left.
# qemu has x86's memory order, and no pwritev2: it says nothing about the one, and takes the way of older kernels for the other.
set -euo pipefail
name=$1
native=$(realpath "$2")
shift 2
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-emulated.XXXXXX")
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; wait; rm -rf "$here"' EXIT
fail() { echo "FAILED $name: $1"; tail -5 "$here/err"; exit 1; }
seconds() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f s", b - a }'; }
export TAFFRAIL_SA_PASSWORD=Emulated-test-1! SQLCMDPASSWORD=Emulated-test-1!
start() { # the command
    : > "$here/out"
    "$@" serve --data "$here/data" --listen 127.0.0.1:0 --admin-listen off --console off > "$here/out" 2> "$here/err" &
    server=$!
    for _ in $(seq 1200); do grep -q '^taffrail ready' "$here/out" && break; kill -0 "$server" || fail start; sleep 0.1; done
    port=$(sed -n 's/^taffrail ready: tds=127.0.0.1:\([0-9]*\) .*/\1/p' "$here/out")
}
killed() { kill -9 "$server"; wait "$server" 2> /dev/null || true; }
query() { "$native" sql -S "127.0.0.1,$port" -U sa -C -b -l 60 -h -1 -W -Q "SET NOCOUNT ON $1"; }
sums() { query 'SELECT COUNT(*), CHECKSUM_AGG(CHECKSUM(a, b, c, d)) FROM kept.dbo.t'; }

began=$(date +%s.%N)
start "$@"
echo "ok $name: it starts, $(seconds "$began")"
# Its own sqlcmd, too: TLS and the client are the emulated binary's.
"$@" sql -S "127.0.0.1,$port" -U sa -C -b -l 60 -Q "CREATE DATABASE kept; ALTER DATABASE kept SET RECOVERY FULL"
query "CREATE TABLE kept.dbo.t (a int IDENTITY PRIMARY KEY, b nvarchar(200), c decimal(18, 4), d datetime2)"
query "DECLARE @n int = 0; WHILE @n < 300 BEGIN INSERT kept.dbo.t VALUES (REPLICATE(N'ä', @n % 200), @n / 7.0, SYSUTCDATETIME()); SET @n += 1 END"
query "BACKUP DATABASE kept TO DISK = 'kept.bak' WITH CHECKSUM, COMPRESSION" > "$here/backup"
query "INSERT kept.dbo.t SELECT b, c, d FROM kept.dbo.t"
rows=$(sums)
killed
echo "ok $name: statements, a backup"
start "$@"
[ "$(sums)" = "$rows" ] || fail 'rows after a kill'
query "DBCC CHECKDB (kept) WITH NO_INFOMSGS"
query "RESTORE DATABASE again FROM DISK = 'kept.bak' WITH MOVE 'kept' TO 'again.mdf', MOVE 'kept_log' TO 'again_log.ldf'" > "$here/restore"
[ "$(query 'SELECT COUNT(*) FROM again.dbo.t')" = 300 ] || fail 'rows of the backup'
kill "$server"
wait "$server" || fail 'it ends in order'
start "$@"
query "UPDATE kept.dbo.t SET c = c + 1 WHERE a % 3 = 0"
rows=$(sums)
killed
echo "ok $name: a kill, a restart, CHECKDB, a restore, a stop"
start "$native"
[ "$(sums)" = "$rows" ] || fail "this machine's binary reads other rows"
query "DBCC CHECKDB (kept) WITH NO_INFOMSGS; DBCC CHECKDB (again) WITH NO_INFOMSGS; RESTORE VERIFYONLY FROM DISK = 'kept.bak' WITH CHECKSUM" > "$here/restore"
kill "$server"
wait "$server" || fail "this machine's binary ends in order"
server=
echo "ok $name: this machine's binary recovers and reads its files; $(seconds "$began") in all"
