#!/usr/bin/env bash
# Installs the engines that `make bench-peers` measures beside Taffrail, from Debian's packages.
set -euo pipefail
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && command -v mariadbd >/dev/null && [ -e /usr/include/sqlite3.h ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql mariadb-server libsqlite3-dev util-linux
else
    echo "install PostgreSQL, MariaDB and SQLite's headers first (Debian: postgresql mariadb-server libsqlite3-dev), or run as root" >&2
    exit 1
fi
