#!/usr/bin/env bash
# The image under podman and runc: IMAGE.docker.tar. What set-ups of SQL Server's image do with theirs. Needs podman, runc, conmon
# (Debian: apt-get install podman runc conmon) and root; uses storage of its own, which it removes.
set -euo pipefail
archive=$1
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-image.XXXXXX")
export SQLCMDPASSWORD='Image-tests-1!'
cat > "$here/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/graph"\n' "$here" "$here" > "$here/storage.conf"
export CONTAINERS_CONF=$here/containers.conf CONTAINERS_STORAGE_CONF=$here/storage.conf
pod() { podman --log-level=fatal "$@"; }
end() { pod rm -f one two >/dev/null 2>&1 || true; pod unshare rm -rf "$here" 2>/dev/null || rm -rf "$here"; }
trap end EXIT
ok() { echo "ok $1"; }
fail() { echo "FAILED $1"; pod logs one 2>&1 | tail -20; pod logs two 2>&1 | tail -20; exit 1; }
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
ready() { # container
    for _ in $(seq 100); do pod logs "$1" 2>&1 | grep -q 'Recovery is complete' && return 0; sleep 0.2; done
    fail "$1 does not start"
}
query() { # container, port, query
    pod exec -e SQLCMDPASSWORD "$1" /opt/mssql-tools18/bin/sqlcmd -C -b -S "localhost,$2" -U sa -h -1 -W -Q "SET NOCOUNT ON $3"
}
image=$(pod load -q -i "$archive" | sed 's/^Loaded image: //')
ok "load $image"

mkdir "$here/init"
echo 'CREATE DATABASE made' > "$here/init/1.sql"
port=$(free)
start=(--network host -e ACCEPT_EULA=Y -e "MSSQL_SA_PASSWORD=$SQLCMDPASSWORD" -e "MSSQL_TCP_PORT=$port" -e TAFFRAIL_ADMIN_LISTEN=off)
pod run -d --name one "${start[@]}" -e TZ=Asia/Tokyo -v "$here/init:/docker-entrypoint-initdb.d:ro" "$image" >/dev/null
ready one
[ "$(pod exec one find /opt/mssql-tools18/bin/sqlcmd /opt/mssql-tools/bin/sqlcmd -type f | wc -l)" = 2 ] || fail 'sqlcmd is a regular file'
ok 'sqlcmd is a regular file'
[ "$(query one "$port" "SELECT name FROM sys.databases WHERE name = 'made'")" = made ] || fail 'the first start runs scripts'
ok 'the first start runs scripts'
[ "$(query one "$port" 'SELECT DATEDIFF(hour, SYSUTCDATETIME(), SYSDATETIME())')" = 9 ] || fail TZ
ok TZ
query one "$port" "CREATE DATABASE kept; BACKUP DATABASE kept TO DISK = '/var/opt/mssql/backup/kept.bak'" >/dev/null
pod exec one find /var/opt/mssql/data/kept.mdf /var/opt/mssql/backup/kept.bak >/dev/null || fail 'files lie where SQL Server has them'
ok 'files lie where SQL Server has them'
[ "$(pod exec one id -u)" = 10001 ] || fail 'the user is 10001'
ok 'the user is 10001'
pod exec one /opt/taffrail/bin/taffrail health >/dev/null || fail health
pod exec -e SQLCMDPASSWORD=wrong one /opt/taffrail/bin/taffrail health >/dev/null 2>&1 && fail 'health with a wrong password'
ok health
query one "$port" "CREATE TABLE kept.dbo.t (a int); INSERT kept.dbo.t VALUES (1), (2)" >/dev/null
pod kill one >/dev/null
pod start one >/dev/null
for _ in $(seq 100); do query one "$port" 'SELECT 1' >/dev/null 2>&1 && break; sleep 0.2; done
[ "$(query one "$port" 'SELECT COUNT(*) FROM kept.dbo.t')" = 2 ] || fail 'a kill loses nothing'
ok 'a kill loses nothing'
pod stop -t 9 one >/dev/null
[ "$(pod inspect one --format '{{.State.ExitCode}}')" = 0 ] || fail 'SIGTERM ends it in order'
ok 'SIGTERM ends it in order'

port=$(free)
start=(--network host -e "SA_PASSWORD=$SQLCMDPASSWORD" -e "MSSQL_TCP_PORT=$port" -e TAFFRAIL_ADMIN_LISTEN=off)
pod run -d --name two --read-only --user 4321:4321 -m 256m "${start[@]}" "$image" >/dev/null
ready two
[ "$(query two "$port" 'SELECT 1')" = 1 ] || fail 'any user, a read-only root, 256 MB'
ok 'any user, a read-only root, 256 MB'
