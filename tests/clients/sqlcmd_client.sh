#!/usr/bin/env bash
# go-sqlcmd against a running server: HOST PORT PASSWORD WORKLOADS, with SQLCMD naming the program.
set -uo pipefail
host=$1 port=$2 workloads=$4
export SQLCMDPASSWORD=$3
run() { "$SQLCMD" -S "$host,$port" -U sa -C "$@"; }
check() { # name, got, expected
    if [ "$2" != "$3" ]; then printf 'FAILED %s:\n--- got\n%s\n--- expected\n%s\n' "$1" "$2" "$3"; exit 1; fi
    echo "ok $1"
}
plain() { run -h -1 -W -s '|' "$@" 2>&1 | grep -v -e '^$' -e 'rows\? affected' -e '^Changed database context'; }

check 'select 1' "$(plain -Q 'SET NOCOUNT ON SELECT 1')" 1
check 'encrypted' "$(plain -N true -Q 'SET NOCOUNT ON SELECT 2')" 2
check 'not encrypted' "$(plain -N disable -Q 'SET NOCOUNT ON SELECT 3')" 3
check 'messages in order with rows' "$(plain -Q "PRINT 'before' SELECT 1 PRINT 'after'")" $'before\n1\nafter'
check 'rows affected' "$(run -h -1 -W -Q 'SELECT 1 UNION ALL SELECT 2' 2>&1 | tail -1)" '(2 rows affected)'
check 'syntax error' "$(run -Q $'SELECT 1\nSELEC 2 FROM' 2>&1 | head -1 | sed 's/Server [^,]*, //')" \
    'Msg 102, Level 15, State 1, Line 2'
run -b -Q 'SELECT 1/0' >/dev/null 2>&1 && { echo 'FAILED exit code with -b'; exit 1; }
case $(run -d nowhere -Q 'SELECT 1' 2>&1) in
    *'Cannot open database "nowhere" that was requested by the login. Using the user default database "master" instead.'*) echo 'ok unknown database' ;;
    *) echo 'FAILED unknown database'; exit 1 ;;
esac

# The driver's queue holds 15 messages: behind a result a longer run must not stop it.
plain -Q "CREATE PROCEDURE dbo.says AS DECLARE @i int = 0 WHILE @i < 40 BEGIN PRINT 'said' SET @i += 1 END" >/dev/null
for batch in 'SELECT 1; EXEC dbo.says' 'SET NOCOUNT ON; SELECT 1; EXEC dbo.says; SELECT 2' 'SELECT 1; DBCC CHECKDB (master)'; do
    case $(timeout 60 "$SQLCMD" -S "$host,$port" -U sa -C -h -1 -W -Q "$batch" 2>&1 || echo ended with $?) in
        *'ended with'*) echo "FAILED $batch"; exit 1 ;;
        *) echo "ok $batch" ;;
    esac
done
plain -Q 'DROP PROCEDURE dbo.says' >/dev/null

got=$(plain -v rows=1000 -i "$workloads/while-loop.sql")
check 'while loop' "$got" '1000|1|1000
1000
1|Num:1000|1000 bottles of beer on the wall
2|Num:999|999 bottles of beer on the wall
3|Num:998|998 bottles of beer on the wall
WRITELOG|one per row
Log Flush Wait Time
Log Flush Waits/sec
Log Flush Write Time (ms)
Log Flushes/sec'
check 'delayed durability' "$(plain -i "$workloads/delayed-durability.sql" | tail -4)" '1100|1|1100
1|0
100|99
1100|999'
case $(plain -i "$workloads/delayed-durability.sql") in
    *'BACKUP DATABASE successfully processed'*) echo 'ok backup message' ;;
    *) echo 'FAILED backup message'; exit 1 ;;
esac
check 'customer' "$(plain -v rows=3000 -i "$workloads/customer.sql" | grep -v '^customer|')" '3000
3000
data of a customer, with capitals.
0'
case $(plain -i "$workloads/wait-statistics.sql") in
    *'dbVLF|yes'*) echo 'ok wait statistics' ;;
    *) echo 'FAILED wait statistics'; exit 1 ;;
esac
