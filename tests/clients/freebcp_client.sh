#!/usr/bin/env bash
# freebcp (FreeTDS) against a running server: HOST PORT PASSWORD WORKLOADS. SQLCMD names the sqlcmd that looks at the result.
set -euo pipefail
host=$1 port=$2 password=$3
export TDSVER=7.4
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
ask() { SQLCMDPASSWORD=$password "$SQLCMD" -S "$host,$port" -U sa -C -b -h -1 -W -d "${DB:-FreebcpTest}" -Q "SET NOCOUNT ON SET ANSI_WARNINGS OFF $1"; }
check() { # name, got, expected
    if [ "$2" != "$3" ]; then printf 'FAILED %s: got %s, expected %s\n' "$1" "$2" "$3" >&2; exit 1; fi
    echo "ok $1"
}
bcp() { # table, direction, file, more
    local table=$1 direction=$2 file=$3; shift 3
    freebcp "FreebcpTest.dbo.$table" "$direction" "$file" -S "$host:$port" -U sa -P "$password" -c -t '|' "$@"
}
DB=master ask "CREATE DATABASE FreebcpTest"
ask "CREATE TABLE t (i int NOT NULL, b bit, si smallint, bi bigint, de decimal(12,4), f float, m money, vc varchar(20), ch char(5), dt datetime, vmax varchar(max))"
for i in $(seq 0 3999); do
    if [ $((i % 7)) = 3 ]; then echo "$i||||||||||"; else
    echo "$i|$((i % 2))|$((i % 30000))|${i}000000000|$i.2500|$i.5|1.25|text $i|abcde|2026-11-21 12:34:56.000|long text $i"; fi
done > "$dir/t.txt"
bcp t in "$dir/t.txt" -b 1500 > "$dir/out" 2>&1 || { cat "$dir/out"; exit 1; }
check "rows copied" "$(grep -c '4000 rows copied' "$dir/out")" 1
check "rows there" "$(ask 'SELECT COUNT(*), SUM(i), COUNT(b), SUM(bi), SUM(de), COUNT(dt) FROM t')" "4000 7998000 3429 6857142000000000 6857999.2500 3429"
check "a row" "$(ask 'SELECT i, b, si, bi, de, f, vc, ch, vmax FROM t WHERE i = 3998')" "3998 0 3998 3998000000000 3998.2500 3998.5 text 3998 abcde long text 3998"
check "a row of NULLs" "$(ask 'SELECT COUNT(*) FROM t WHERE i = 10 AND b IS NULL AND vc IS NULL AND dt IS NULL AND vmax IS NULL')" 1
bcp t out "$dir/out.txt" > "$dir/log" 2>&1
check "copied out again" "$(wc -l < "$dir/out.txt")" 4000
ask "TRUNCATE TABLE t"
bcp t in "$dir/out.txt" -h TABLOCK > "$dir/log" 2>&1
check "and in again, with TABLOCK" "$(ask 'SELECT COUNT(*), SUM(de) FROM t')" "4000 6857999.2500"
ask "CREATE TABLE k (id int IDENTITY(5,5) PRIMARY KEY, v varchar(10) DEFAULT 'none')"
printf '7|a\n8|\n' > "$dir/k.txt"
bcp k in "$dir/k.txt" > "$dir/log" 2>&1
check "identities and defaults are the server's" "$(ask 'SELECT * FROM k ORDER BY id')" "$(printf '5 a\n10 none')"
bcp k in "$dir/k.txt" -E > "$dir/log" 2>&1
check "-E keeps identities" "$(ask 'SELECT * FROM k WHERE id IN (7, 8) ORDER BY id')" "$(printf '7 a\n8 none')"
bcp k in "$dir/k.txt" -E > "$dir/log" 2>&1 || true
check "a duplicate key is 2627" "$(grep -c 2627 "$dir/log")" 1
check "and leaves nothing" "$(ask 'SELECT COUNT(*) FROM k')" 4
