#!/usr/bin/env bash
# Installs the stock clients that the tests use, each at a fixed version, into a cache folder outside the checkout.
# Prints the folder. A client that cannot be installed fails the run: nothing is skipped. `setup.sh examples` installs the mappers of the
# example projects as well.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${TAFFRAIL_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/taffrail/clients}
mkdir -p "$cache"
exec 9>"$cache/lock"; flock 9

PYMSSQL=2.4.6
MSSQL_PYTHON=1.16.0
PYTEST=9.0.2
SQLALCHEMY=2.0.45
ALEMBIC=1.20.1
DJANGO=5.2.19
MSSQL_DJANGO=2.0.0
PYODBC=5.5.0
MOTO=5.2.1
TEDIOUS=19.2.2
KNEX=3.3.0
TYPEORM=1.1.1
NODE_MSSQL=12.7.0
MSSQL_JDBC=13.6.0.jre11
TELEGRAF="v1.24.0 v1.37.2"

say() { printf 'clients: %s\n' "$*" >&2; }
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
    command -v "$1" >/dev/null || { say "'$1' is missing ($3): install the package $2"; exit 1; }
}

need_libraries() { # what for, Debian packages
    local library what=$1
    shift
    for library; do
        dpkg -s "$library" >/dev/null 2>&1 && continue
        [ "$(id -u)" = 0 ] || { say "$library is missing ($what)"; exit 1; }
        say "installing $library ($what)"
        { retried apt-get update -qq && retried env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$library"; } >&2
    done
}

need_go() { # what for
    need go golang-go "$1"
    # From 1.21 on it fetches the version that go.mod asks for by itself.
    local found minor
    found=$(GOTOOLCHAIN=local go env GOVERSION)
    minor=${found#go1.}; minor=${minor%%[!0-9]*}
    [ "${minor:-0}" -ge 21 ] || { say "Go 1.21 or newer is needed ($1), this is $found: see https://go.dev/dl"; exit 1; }
}

# The statements of telegraf's sqlserver input: of now, and of the last version that had those of its first two generations.
# They are read, not built.
for version in $TELEGRAF; do
    [ ! -e "$cache/telegraf/$version/.done" ] || continue
    need_go "fetches telegraf's statements"
    say "the statements of telegraf $version"
    (cd "$cache" && retried go mod download "github.com/influxdata/telegraf@$version") >&2
    mkdir -p "$cache/telegraf/$version"
    cp -f "$(go env GOMODCACHE)/github.com/influxdata/telegraf@$version"/plugins/inputs/sqlserver/sql*queries*.go "$cache/telegraf/$version"
    touch "$cache/telegraf/$version/.done"
done
if [ ! -x "$cache/sqlcmd" ]; then
    need_go "builds sqlcmd"
    say "sqlcmd (the version of sqlcmd/go.mod)"
    (cd "$here/sqlcmd" && retried go build -mod=readonly -o "$cache/sqlcmd" github.com/microsoft/go-sqlcmd/cmd/modern) >&2
fi
if [ ! -e "$cache/python/.pymssql-$PYMSSQL" ]; then
    need python3 python3-venv "runs pymssql"
    say "pymssql $PYMSSQL"
    python3 -m venv "$cache/python" || { need ensurepip python3-venv "runs pymssql"; python3 -m venv "$cache/python"; }
    retried "$cache/python/bin/pip" install -q --disable-pip-version-check "pymssql==$PYMSSQL" >&2
    touch "$cache/python/.pymssql-$PYMSSQL"
fi
if [ ! -e "$cache/python/.mssql-python-$MSSQL_PYTHON" ]; then
    # Its wheel carries Microsoft's ODBC driver, which loads these.
    need_libraries "Microsoft's ODBC driver" libltdl7 libkrb5-3 libgssapi-krb5-2
    say "mssql-python $MSSQL_PYTHON"
    retried "$cache/python/bin/pip" install -q --disable-pip-version-check "mssql-python==$MSSQL_PYTHON" >&2
    touch "$cache/python/.mssql-python-$MSSQL_PYTHON"
fi
if [ ! -e "$cache/python/.examples-$PYTEST-$SQLALCHEMY" ]; then
    say "pytest $PYTEST, SQLAlchemy $SQLALCHEMY (examples)"
    retried "$cache/python/bin/pip" install -q --disable-pip-version-check "pytest==$PYTEST" "SQLAlchemy==$SQLALCHEMY" >&2
    touch "$cache/python/.examples-$PYTEST-$SQLALCHEMY"
fi
if [ ! -e "$cache/python/.moto-$MOTO" ]; then
    say "moto $MOTO (an object store)"
    retried "$cache/python/bin/pip" install -q --disable-pip-version-check "moto[s3,server]==$MOTO" >&2
    touch "$cache/python/.moto-$MOTO"
fi
if [ "${1:-}" = examples ] && [ ! -e "$cache/python/.examples-$ALEMBIC-$DJANGO-$MSSQL_DJANGO" ]; then
    # mssql-django loads pyodbc whatever driver it is told to use.
    need_libraries pyodbc libodbc2
    say "Alembic $ALEMBIC, Django $DJANGO, mssql-django $MSSQL_DJANGO (examples)"
    retried "$cache/python/bin/pip" install -q --disable-pip-version-check "alembic==$ALEMBIC" "Django==$DJANGO" \
        "mssql-django==$MSSQL_DJANGO" "pyodbc==$PYODBC" "mssql-python==$MSSQL_PYTHON" "SQLAlchemy==$SQLALCHEMY" >&2
    touch "$cache/python/.examples-$ALEMBIC-$DJANGO-$MSSQL_DJANGO"
fi
if [ ! -e "$cache/node/.tedious-$TEDIOUS" ]; then
    need node nodejs "runs tedious"
    need npm npm "installs tedious"
    say "tedious $TEDIOUS"
    mkdir -p "$cache/node"
    printf '{"private":true}\n' > "$cache/node/package.json"
    (cd "$cache/node" && retried npm install --silent --no-audit --no-fund --no-save "tedious@$TEDIOUS") >&2
    touch "$cache/node/.tedious-$TEDIOUS"
fi
if [ "${1:-}" = examples ] && [ ! -e "$cache/node/.examples-$KNEX-$TYPEORM-$NODE_MSSQL-$TEDIOUS" ]; then
    say "Knex $KNEX, TypeORM $TYPEORM with mssql $NODE_MSSQL (examples)"
    # All in one call: npm removes what it was not told of.
    (cd "$cache/node" && retried npm install --silent --no-audit --no-fund --no-save "tedious@$TEDIOUS" "knex@$KNEX" \
        "typeorm@$TYPEORM" "mssql@$NODE_MSSQL") >&2
    touch "$cache/node/.examples-$KNEX-$TYPEORM-$NODE_MSSQL-$TEDIOUS"
fi
if [ ! -s "$cache/java/mssql-jdbc-$MSSQL_JDBC.jar" ]; then
    need javac default-jdk-headless "runs mssql-jdbc"
    need mvn maven "fetches mssql-jdbc"
    say "mssql-jdbc $MSSQL_JDBC"
    mkdir -p "$cache/java"
    retried mvn -q -B dependency:copy "-Dartifact=com.microsoft.sqlserver:mssql-jdbc:$MSSQL_JDBC" \
        "-DoutputDirectory=$cache/java" -Dmdep.useBaseVersion=true >&2
fi
for program in JdbcClient JdbcBulk JdbcCursors; do
    if [ "$here/$program.java" -nt "$cache/java/$program.class" ]; then
        javac -cp "$cache/java/mssql-jdbc-$MSSQL_JDBC.jar" -d "$cache/java" "$here/$program.java" >&2
        touch "$cache/java/$program.class"
    fi
done
if [ ! -x "$cache/prometheus-sql-exporter" ]; then
    # Its package wants a PostgreSQL beside it; the program does not.
    say "prometheus-sql-exporter (Debian's)"
    need dpkg-deb dpkg "unpacks prometheus-sql-exporter"
    rm -rf "$cache/exporter" && mkdir -p "$cache/exporter"
    (cd "$cache/exporter" && { apt-get download -qq prometheus-sql-exporter ||
        { retried apt-get update -qq && retried apt-get download -qq prometheus-sql-exporter; } && dpkg-deb -x ./*.deb .; }) >&2
    cp -f "$cache/exporter/usr/bin/prometheus-sql-exporter" "$cache/prometheus-sql-exporter"
    rm -rf "$cache/exporter"
fi
need freebcp freetds-bin "copies files in bulk"
if [ "$here/gobulk/main.go" -nt "$cache/gobulk" ]; then
    need_go "builds the bulk copy of go-mssqldb"
    say "go-mssqldb (the version of gobulk/go.mod)"
    (cd "$here/gobulk" && retried go build -mod=readonly -o "$cache/gobulk" .) >&2
    touch "$cache/gobulk"
fi
ln -sf "mssql-jdbc-$MSSQL_JDBC.jar" "$cache/java/mssql-jdbc.jar"
echo "$cache"
