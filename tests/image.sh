#!/usr/bin/env bash
# The image under podman and runc: IMAGE.docker.tar [IMAGE.oci.tar]. What set-ups of SQL Server's image do with theirs, and how long it
# takes. Needs root and an engine (packaging/tests/engine.sh, which installs Debian's); exit code 3: there is none.
set -euo pipefail
archive=$(realpath "$1")
oci=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."
. packaging/tests/engine.sh
why=$(engine_there) || { echo "NOT RUN: the image ($why)"; exit 3; }
here=$(mktemp -d /tmp/taffrail-image.XXXXXX)
engine_begin "$here"
trap engine_end EXIT
export SQLCMDPASSWORD='Image-tests-1!'

ok() { echo "ok $1"; }
fail() { echo "FAILED $1"; pod logs one 2>&1 | tail -20; pod logs two 2>&1 | tail -20; exit 1; }
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
now() { date +%s%N; }
since() { echo "$((($(now) - $1) / 1000000)) ms"; }
megabytes() { awk -v n="$1" 'BEGIN { printf "%.1f MB", n / 1048576 }'; }
said() { [[ $(pod logs "$1" 2>&1) == *"$2"* ]]; } # container, text
ready() { # container
    for _ in $(seq 300); do said "$1" 'Recovery is complete' && return 0; sleep 0.05; done
    fail "$1 does not start"
}
sqlcmd() { # container, words of sqlcmd
    local container=$1
    shift
    pod exec -e SQLCMDPASSWORD "$container" /opt/mssql-tools18/bin/sqlcmd -C -b -U sa "$@"
}
query() { sqlcmd "$1" -h -1 -W -Q "SET NOCOUNT ON $2"; } # container, query
is() { [ "$(query "$1" "$2")" = "$3" ] || fail "$4: $(query "$1" "$2")"; } # container, query, value, what
setting() { echo "SELECT CAST(value_in_use AS int) FROM sys.configurations WHERE name = 'max server memory (MB)'"; }
# A network of its own each; no port is published but where it says so.
start() { # container, words of podman run
    local name=$1
    shift
    pod run -d --name "$name" -e "MSSQL_SA_PASSWORD=$SQLCMDPASSWORD" "$@" > /dev/null
}
ended() { # container; how it ended
    for _ in $(seq 300); do [ "$(pod inspect "$1" --format '{{.State.Running}}')" = false ] && break; sleep 0.1; done
    pod inspect "$1" --format '{{.State.ExitCode}}'
}
gone() { pod rm -f -t 0 "$@" > /dev/null; }

# --- The archives
image=$(pod load -q -i "$archive" | sed 's/^Loaded image: //')
ok "load the Docker archive: $image, $(megabytes "$(stat -c %s "$archive")")"
pod inspect "$image" --format '{{.HealthCheck.Test}} {{.User}} {{.Config.Volumes}} {{.Config.ExposedPorts}}' \
    | grep -qF '[CMD /opt/taffrail/bin/taffrail health] 10001 map[/var/opt/mssql:{}] map[1433/tcp:{}]' || fail 'health check, user, volume and port'
if [ -n "$oci" ]; then
    size=$(stat -c %s "$oci")
    [ "$size" -le $((25 << 20)) ] || fail "the OCI layout has $size bytes"
    layer=$(pod inspect "$image" --format '{{.RootFS.Layers}}')
    other=$(pod pull -q "oci-archive:$oci")
    [ "$(pod inspect "$other" --format '{{.RootFS.Layers}}')" = "$layer" ] || fail 'both archives hold the same files'
    ok "load the OCI layout: the same files, $(megabytes "$size") compressed"
    pod load -q -i "$archive" > /dev/null
fi

# --- The first start, and what it can be told
mkdir "$here/init"
echo "CREATE DATABASE made" > "$here/init/1.sql"
echo "echo \"2.sh \$(id -u)\"; sqlcmd -b -C -Q 'SELECT 1/(SELECT COUNT(*) FROM sys.databases WHERE name = N'\\''made'\\'')'" > "$here/init/2.sh"
echo "USE made; CREATE TABLE dbo.t (a int); INSERT dbo.t VALUES (1); PRINT 'from 3.sql'" > "$here/init/3.sql"
port=$(free)
began=$(now)
start one -p "127.0.0.1:$port:1433" -e ACCEPT_EULA=Y -e MSSQL_PID=Developer -e TZ=Asia/Tokyo -e MSSQL_DB=shop -e MSSQL_MEMORY_LIMIT_MB=500 \
    -e MSSQL_COLLATION=Klingon_CI_AS -e MSSQL_NO_SUCH_THING=1 -e TAFFRAIL_NOR_THIS=1 -e MSSQL_BACKUP_DIR=/var/opt/mssql/bak \
    -v "$here/init:/docker-entrypoint-initdb.d:ro" -v kept:/var/opt/mssql "$image"
ready one
ok "the first start, with three scripts and a database: $(since "$began")"
# Whoever waits for a line of the log on standard output can connect.
python3 - "$port" "$here" <<'PY' || fail 'the port listens when the lines are said'
import socket, subprocess, sys, time
follow = subprocess.Popen(["podman", "--log-level=fatal", "logs", "-f", "one"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
lines = []
for line in follow.stdout:
    lines.append(line)
    if "Recovery is complete." in line:
        break
follow.kill()
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5).close()
at = lambda text: max(n for n, line in enumerate(lines) if text in line)
listens, language, complete = at("Server is listening on"), at("The default language (LCID 0) has been set for engine and full-text services."), at("Recovery is complete.")
assert listens < language and listens < complete, lines
assert sum("Recovery is complete." in line for line in lines) == 1, lines
PY
ok 'Recovery is complete, The default language: once the port listens'
order=$(pod logs one 2>&1 | grep -oE '2\.sh 10001|from 3\.sql|Recovery is complete' | tr '\n' ' ')
[ "$order" = '2.sh 10001 from 3.sql Recovery is complete ' ] || fail "scripts in order: $order"
is one 'SELECT COUNT(*) FROM made.dbo.t' 1 'the first start runs scripts'
is one "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop'" 1 MSSQL_DB
ok 'scripts in order of their names, their output in the log; MSSQL_DB'
said one "MSSQL_COLLATION: 'Klingon_CI_AS' is not a collation of this server" || fail 'a collation that is not there'
is one "SELECT CAST(SERVERPROPERTY('Collation') AS sysname)" SQL_Latin1_General_CP1_CI_AS 'the default collation'
[ "$(pod logs one 2>&1 | grep -c 'MSSQL_NO_SUCH_THING')" = 1 ] && said one 'MSSQL_NO_SUCH_THING, TAFFRAIL_NOR_THIS' || fail 'unknown variables are named once'
is one "$(setting)" 500 MSSQL_MEMORY_LIMIT_MB
is one 'SELECT DATEDIFF(hour, SYSUTCDATETIME(), SYSDATETIME())' 9 TZ
ok 'variables: memory, collation, TZ; unknown ones are named once'
query one "CREATE DATABASE kept; BACKUP DATABASE kept TO DISK = 'kept.bak'" > /dev/null
pod exec one find /var/opt/mssql/data/kept.mdf /var/opt/mssql/data/kept_log.ldf /var/opt/mssql/bak/kept.bak > /dev/null || fail 'files lie where SQL Server has them'
query one "BACKUP DATABASE kept TO DISK = '/var/opt/mssql/data/here.bak'; RESTORE VERIFYONLY FROM DISK = '/var/opt/mssql/data/here.bak'" > /dev/null
ok 'files lie where SQL Server has them, and where MSSQL_BACKUP_DIR says'
pod exec one sh -c 'cat /var/opt/mssql/log/errorlog' | cut -c 1-60 | sed -n 1,12p > "$here/errorlog"
pod logs one 2>&1 | cut -c 1-60 > "$here/out"
while read -r line; do grep -qF -- "$line" "$here/out" || fail "standard output and the error log differ: $line"; done < "$here/errorlog"
ok 'standard output says what the error log says'

# --- What is in it
pod exec one sh -c 'ls -i /opt/mssql-tools18/bin/sqlcmd /opt/mssql-tools/bin/sqlcmd /opt/taffrail/bin/taffrail' | awk '{ print $1 }' | sort -u | wc -l | grep -qx 1 \
    || fail 'sqlcmd is a hard link of the binary'
[ "$(pod exec one find /opt/mssql-tools18/bin/sqlcmd /opt/mssql-tools/bin/sqlcmd -type f | wc -l)" = 2 ] || fail 'sqlcmd is a regular file'
ok 'sqlcmd, twice, is a regular file: hard links'
pod exec one cat /usr/share/doc/taffrail/taffrail.spdx.json > "$here/spdx"
python3 - "$here/spdx" <<'PY' || fail 'the bill of materials'
import json, sys
bill = json.load(open(sys.argv[1]))
related = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in bill["relationships"]}
assert bill["spdxVersion"] == "SPDX-2.3" and ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image") in related
parts = [p for p in bill["packages"] if p["SPDXID"] != "SPDXRef-image"]
assert all(("SPDXRef-image", "CONTAINS", p["SPDXID"]) in related and p["versionInfo"] for p in parts)
assert {"taffrail-engine", "rustls", "libc6", "busybox-static"} <= {p["name"] for p in parts}
print(f"ok its bill of materials (SPDX 2.3): {len(parts)} packages")
PY
[ "$(pod exec one id -u)" = 10001 ] || fail 'the user is 10001'
[ "$(pod exec one sh -c 'cat /proc/1/comm')" = taffrail ] || fail 'the server is PID 1'
said one 'console=off' || fail 'the console is off'
ok 'PID 1, user 10001, no console'
pod healthcheck run one > /dev/null || fail 'the health check'
pod exec one /opt/taffrail/bin/taffrail health > /dev/null || fail health
pod exec -e SQLCMDPASSWORD=wrong one /opt/taffrail/bin/taffrail health > /dev/null 2>&1 && fail 'health with a wrong password'
ok 'HEALTHCHECK'

# --- Testcontainers for .NET, as its source does it: nothing of NuGet can be had everywhere
tool=$(pod exec one /bin/sh -c 'find /opt/mssql-tools*/bin/sqlcmd -type f -print -quit')
[ "$(echo "$tool" | wc -l)" = 1 ] || fail "find says '$tool'"
pod exec -e SQLCMDUSER=sa -e SQLCMDDBNAME=master -e SQLCMDPASSWORD one "$tool" -C -Q 'SELECT 1;' > /dev/null || fail '.NET: SELECT 1'
folder=$here/tmp/$(python3 -c 'import uuid; print(uuid.uuid4())')
mkdir -p "$folder"
printf 'CREATE TABLE made.dbo.net (a int);\nGO\nINSERT made.dbo.net VALUES (1), (2);\nGO\n' > "$folder/script.sql"
pod cp "$here/tmp/." one:/tmp
script=/tmp/$(basename "$folder")/script.sql
pod exec one "$tool" -C -b -r 1 -U sa -P "$SQLCMDPASSWORD" -i "$script" > /dev/null || fail '.NET: a script'
is one 'SELECT COUNT(*) FROM made.dbo.net' 2 '.NET: a script'
pod exec one "$tool" -C -b -r 1 -U sa -P "$SQLCMDPASSWORD" -i "$script" > "$here/out" 2> "$here/err" && fail '.NET: a script that fails'
grep -q "There is already an object named 'net'" "$here/err" || fail '.NET: its error is on standard error'
# Its releases before sqlcmd 18.
pod exec one /opt/mssql-tools/bin/sqlcmd -b -r 1 -U sa -P "$SQLCMDPASSWORD" -Q 'SELECT 1' > /dev/null || fail '.NET: without -C'
ok "Testcontainers for .NET, its steps: $tool, SELECT 1, a script, one that fails"

# --- A kill, and another container on the volume
query one "USE kept; CREATE TABLE t (a int IDENTITY PRIMARY KEY, b char(500) NOT NULL); INSERT t (b) SELECT TOP (20000) 'x' FROM sys.all_columns a, sys.all_columns b" > /dev/null
pod kill one > /dev/null
[ "$(ended one)" = 137 ] || fail 'it is killed'
began=$(now)
pod start one > /dev/null
until query one 'SELECT 1' > /dev/null 2>&1; do [ $((($(now) - began) / 1000000000)) -lt 60 ] || fail 'it starts after a kill'; sleep 0.05; done
took=$(since "$began")
is one 'SELECT COUNT(*) FROM kept.dbo.t' 20000 'a kill loses nothing'
ok "a kill loses nothing; the restart answers after $took"
began=$(now)
pod stop -t 30 one > /dev/null
[ "$(ended one)" = 0 ] || fail 'SIGTERM ends it in order'
said one 'waiting for running requests, 5 s at most' || fail 'the grace is said'
ok "SIGTERM ends it in order: $(since "$began"), exit code 0"
gone one
start one -e TAFFRAIL_STOP_GRACE_S=1 "$image"
ready one
pod exec -d -e SQLCMDPASSWORD one sqlcmd -C -U sa -Q "WAITFOR DELAY '00:01:00'" > /dev/null
until [ "$(query one "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE command = 'WAITFOR'")" = 1 ]; do sleep 0.1; done
pod exec one sh -c '(sleep 0.2 &)'
sleep 1
[[ $(pod exec one ps) != *'[sleep]'* ]] || fail 'PID 1 buries orphans'
began=$(now)
pod stop -t 30 one > /dev/null
took=$((($(now) - began) / 1000000))
[ "$(ended one)" = 0 ] && [ $took -lt 10000 ] && said one '1 s at most' || fail "a request that goes on is waited for 1 s: $took ms"
gone one
mkfifo "$here/init/never"
start one -e TAFFRAIL_SA_PASSWORD_FILE=/docker-entrypoint-initdb.d/never -v "$here/init:/docker-entrypoint-initdb.d:ro" "$image"
sleep 1
began=$(now)
pod stop -t 30 one > /dev/null
[ $((($(now) - began) / 1000000)) -lt 10000 ] && [ "$(ended one)" = 143 ] || fail "SIGTERM ends a start: $(since "$began")"
rm "$here/init/never"
gone one
ok "as PID 1: a grace of 1 s took $took ms, a start that hangs is ended, orphans are buried"
began=$(now)
start one -e TAFFRAIL_MAX_SERVER_MEMORY_MB=600 -e MSSQL_MEMORY_LIMIT_MB=500 -v kept:/var/opt/mssql "$image"
ready one
is one 'SELECT COUNT(*) FROM kept.dbo.t' 20000 'another container on the volume'
query one 'DBCC CHECKDB (kept) WITH NO_INFOMSGS' > /dev/null
said one 'First start' && fail 'scripts run once'
ok "another container on the volume: ready after $(since "$began")"
is one "$(setting)" 600 'TAFFRAIL_ goes before MSSQL_'
gone one
start one -e TAFFRAIL_MAX_SERVER_MEMORY_MB=600 -e MSSQL_DATA_DIR=/var/opt/mssql/elsewhere "$image" /opt/taffrail/bin/taffrail serve --max-server-memory-mb 700
ready one
is one "$(setting)" 700 'a flag goes before TAFFRAIL_'
query one 'CREATE DATABASE placed' > /dev/null
pod exec one find /var/opt/mssql/elsewhere/placed.mdf /var/opt/mssql/data/placed_log.ldf > /dev/null || fail 'MSSQL_ goes before the settings file'
ok 'a flag goes before TAFFRAIL_*, that before MSSQL_*, that before the settings file'
gone one

# --- Starts that fail
mkdir "$here/wrong"
echo 'SELECT FROM' > "$here/wrong/1.sql"
start one -v "$here/wrong:/docker-entrypoint-initdb.d:ro" "$image"
[ "$(ended one)" != 0 ] || fail 'a script that fails ends the container'
said one '1.sql' && said one 'Incorrect syntax near' || fail 'its error is said'
said one 'Recovery is complete' && fail 'it does not serve after a script that fails'
gone one
printf 'echo so far\nexit 9\n' > "$here/wrong/1.sh"
rm "$here/wrong/1.sql"
start one -v "$here/wrong:/docker-entrypoint-initdb.d:ro" "$image"
[ "$(ended one)" != 0 ] && said one 'so far' && said one '1.sh' || fail 'a shell script that fails ends the container'
gone one
ok 'a script that fails ends the container with its error'
start one -e MSSQL_USER=me -e MSSQL_PASSWORD=Mine-1234 "$image"
[ "$(ended one)" != 0 ] && said one 'MSSQL_USER: logins other than sa' || fail 'MSSQL_USER is refused'
gone one
ok 'MSSQL_USER is refused in words'

# --- Little
start two --read-only --user 4321:4321 --cap-drop=all --security-opt=no-new-privileges -m 256m --memory-swap 256m "$image"
ready two
is two 'SELECT 1' 1 'any user, a read-only root, 256 MB'
pod exec two sh -c 'echo x > /x' 2> /dev/null && fail 'the root is read-only'
query two "CREATE TABLE t (a int IDENTITY PRIMARY KEY, b char(4000) NOT NULL)
    INSERT t (b) SELECT TOP (50000) CONVERT(varchar(36), NEWID()) FROM sys.all_columns a, sys.all_columns b" > /dev/null || fail '200 MB of rows'
is two 'SELECT COUNT(DISTINCT a), MIN(LEN(b)) FROM t' '50000 36' 'they are read'
is two 'SELECT COUNT(*) FROM (SELECT a FROM t ORDER BY b DESC, a OFFSET 49999 ROWS) s' 1 'a sort of 200 MB'
query two "SELECT COUNT(DISTINCT b) FROM t" > "$here/out" 2>&1 && fail '200 MB of values'
grep -q 'Msg 701' "$here/out" || fail "200 MB of values: $(cat "$here/out")"
is two 'SELECT COUNT(*) FROM t' 50000 'it lives'
limit=$(pod exec two sh -c 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2> /dev/null; true' | head -1)
[ "$limit" = 268435456 ] || fail "the limit is $limit"
rss=$(pod exec two sh -c 'cat /proc/1/status' | awk '/^VmHWM/ { print $2 * 1024 }')
ok "any user, a read-only root, no capabilities, 256 MB: 200 MB of rows are sorted; $(megabytes "$rss") at most"
gone two
