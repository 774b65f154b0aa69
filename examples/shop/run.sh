#!/usr/bin/env bash
# run.sh BINARY [CLIENTS]: a server of that binary, the shop on it, days, checks, and the books closed. With the folder that
# tests/clients/setup.sh prints, a day is also driven by Python, Node.js and Java at once.
set -euo pipefail
binary=$(realpath "$1") clients=${2:+$(realpath "$2")}
cd "$(dirname "$0")"
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-shop.XXXXXX")
export SQLCMDPASSWORD=Example-only-1! AppPassword=Example-only-2!
TAFFRAIL_SA_PASSWORD=$SQLCMDPASSWORD "$binary" serve --data "$here/data" --listen 127.0.0.1:0 > "$here/out" 2> "$here/err" &
server=$!
trap 'kill $server 2> /dev/null || :; wait $server 2> /dev/null || :; rm -rf "$here"' EXIT
for _ in $(seq 300); do grep -q 'tds=' "$here/out" && break; sleep 0.1; done
port=$(sed -n 's/.*tds=[^ ]*:\([0-9]*\).*/\1/p' "$here/out" | head -1)
sql() { "$binary" sql -S "127.0.0.1,$port" -U sa -b -W "$@" > "$here/said" 2>&1 || { cat "$here/said"; exit 1; }; }
said() { grep -v -e '^Changed database context' -e '^Warning: Null value' "$here/said" || :; }
ran() { echo "ok $1"; }

sql -i install.sql -v Products=40 Customers=30 AppPassword="$AppPassword"
ran install
for day in 20260302 20260303 20260304 20260305 20260306; do sql -i day/day.sql -v Day=$day Orders=12; done
ran 'a week'
sql -i checks/rules.sql -v Day=20260309
ran 'what must be refused'
sql -i checks/answers.sql -v Day=20260309
ran 'what is answered'
if [ -n "$clients" ]; then
    mkdir "$here/java"
    javac -cp "$clients/java/mssql-jdbc.jar" -d "$here/java" clients/Day.java
    login=(127.0.0.1 "$port" shop_app "$AppPassword" 8)
    "$clients/python/bin/python" clients/day.py "${login[@]}" & python=$!
    NODE_PATH=$clients/node/node_modules node clients/day.js "${login[@]}" & node=$!
    java -cp "$clients/java/mssql-jdbc.jar:$here/java" Day "${login[@]}" & java=$!
    wait $python && wait $node && wait $java
    ran 'a day of three tills'
fi
# Whatever of the day is not done yet.
sql -i day/day.sql -v Day=20260309 Orders=12
sql -i day/day.sql -v Day=20260331 Orders=5
said
sql -i day/close-months.sql -v Period=202603
sql -i day/close-year.sql -v Year=2026
ran 'the books are closed'
