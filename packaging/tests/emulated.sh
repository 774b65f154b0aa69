#!/usr/bin/env bash
# arm64.sh BINARY: the aarch64 binary under qemu's user mode (Debian: qemu-user-static, libc6-dev-arm64-cross): start, statements, a kill,
# a restart on the same files. qemu has x86's memory order, and no pwritev2: it says nothing about the one, and takes the way of
# older kernels for the other.
set -euo pipefail
binary=$(realpath "$1")
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-arm64.XXXXXX")
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; wait; rm -rf "$here"' EXIT
fail() { echo "FAILED $1"; tail -5 "$here/err"; exit 1; }
arm() { qemu-aarch64-static -L /usr/aarch64-linux-gnu "$binary" "$@"; }
start() {
    : > "$here/out"
    TAFFRAIL_SA_PASSWORD=Arm-test-1! qemu-aarch64-static -L /usr/aarch64-linux-gnu "$binary" serve --data "$here/data" \
        --listen 127.0.0.1:0 --admin-listen off --console off > "$here/out" 2> "$here/err" &
    server=$!
    for _ in $(seq 1200); do grep -q '^taffrail ready' "$here/out" && break; kill -0 "$server" || fail start; sleep 0.1; done
    port=$(sed -n 's/^taffrail ready: tds=127.0.0.1:\([0-9]*\) .*/\1/p' "$here/out")
}
query() { SQLCMDPASSWORD=Arm-test-1! arm sql -S "127.0.0.1,$port" -U sa -C -b -l 60 -h -1 -W -Q "SET NOCOUNT ON $1"; }

arm --version
start
query "CREATE DATABASE kept; ALTER DATABASE kept SET RECOVERY FULL"
query "CREATE TABLE kept.dbo.t (a int IDENTITY PRIMARY KEY, b nvarchar(200), c decimal(18, 4), d datetime2)"
query "DECLARE @n int = 0; WHILE @n < 300 BEGIN INSERT kept.dbo.t VALUES (REPLICATE(N'ä', @n % 200), @n / 7.0, SYSUTCDATETIME()); SET @n += 1 END"
query "BACKUP DATABASE kept TO DISK = 'kept.bak' WITH CHECKSUM, COMPRESSION" > "$here/backup"
query "INSERT kept.dbo.t SELECT b, c, d FROM kept.dbo.t"
kill -9 "$server"
wait "$server" || true
echo 'ok statements'
start
[ "$(query 'SELECT COUNT(*) FROM kept.dbo.t')" = 600 ] || fail 'rows after a kill'
query "DBCC CHECKDB (kept) WITH NO_INFOMSGS"
query "RESTORE DATABASE again FROM DISK = 'kept.bak' WITH MOVE 'kept' TO 'again.mdf', MOVE 'kept_log' TO 'again_log.ldf'" > "$here/restore"
[ "$(query 'SELECT COUNT(*) FROM again.dbo.t')" = 300 ] || fail 'rows of the backup'
kill "$server"
wait "$server" || fail 'it ends in order'
server=
echo 'ok a kill, a restart, a restore'
