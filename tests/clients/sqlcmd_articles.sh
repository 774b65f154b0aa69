#!/usr/bin/env bash
# Scripts as DBAs write them run unchanged through go-sqlcmd, and say what they say on SQL Server: the workloads of
# crates/lab/workloads (many VLFs, log growth, checkpoints), the top waits, the VLFs of every database.
# HOST PORT PASSWORD WORKLOADS, with SQLCMD naming the program. Every result is checked.
set -uo pipefail
host=$1 port=$2 workloads=$4
export SQLCMDPASSWORD=$3
run() { "$SQLCMD" -S "$host,$port" -U sa -C "$@"; }
check() { # name, got, expected
    if [ "$2" != "$3" ]; then printf 'FAILED %s:\n--- got\n%s\n--- expected\n%s\n' "$1" "$2" "$3"; exit 1; fi
    echo "ok $1"
}
plain() { run -h -1 -W -s '|' "$@" 2>&1 | grep -v -e '^$' -e 'rows\? affected' -e '^Changed database context'; }
rows() { # only rows: no messages of BACKUP, DBCC and the like
    plain "$@" | grep -v -e '^Processed ' -e '^BACKUP ' -e '^DBCC execution'
}

# A large number of VLFs. The last row of DBCC LOGINFO and SHRINKFILE vary with the place of the log's end: left out.
got=$(rows -v mb=6 -i "$workloads/many-vlfs.sql" | grep -v -e '^[0-9]*|2|' -e '^0|2|' -e '^Cannot shrink')
check 'log of 6 MB in steps of 512 KB' "$(sed -n 1p <<<"$got")" 6
case $(sed -n 2p <<<"$got") in
    2[2-4]'|253952|'*) echo 'ok two VLFs a growth' ;;
    *) printf 'FAILED two VLFs a growth: %s\n' "$(sed -n 2p <<<"$got")"; exit 1 ;;
esac
check 'DBCC LOGINFO and dm_db_log_info agree' "$(sed -n 3p <<<"$got")" 0
check 'the other database has few' "$(sed -n 4p <<<"$got" | cut -d'|' -f1,2)" 'dbVLF_small|5'
check 'shrunk and regrown' "$(sed -n 6p <<<"$got")" few
check 'tempdb, by the names of its files' "$(sed -n 7p <<<"$got")" 16

# Log growth by 64 MB and by 1 GB: the article's table, then what must hold anywhere. A growth of 1 GB is waited for
# unless it is made ahead; one of 64 MB is not, from 2022 on.
for init in zero sql2022; do
    got=$(rows -v rounds=12 init=$init -i "$workloads/log-growth.sql")
    case $(sed -n 1p <<<"$got") in
        'Grow1GB|'*'|1056') echo "ok growth by 1 GB, $init" ;;
        *) printf 'FAILED growth by 1 GB, %s:\n%s\n' "$init" "$got"; exit 1 ;;
    esac
    [ $init = zero ] && small=waited || small='no wait'
    check "growth in both steps, $init" "$(sed -n '3,4p' <<<"$got")" "Grow1GB|measured|waited|0|every growth counted
Grow64MB|measured|$small|0|every growth counted"
done

# Manual checkpoints.
got=$(rows -v rows=800 -i "$workloads/checkpoints.sql")
check 'checkpoints: rows' "$(sed -n '1,2p' <<<"$got")" '800|800
800|800'
check 'checkpoints: four figures' "$(sed -n '3,6p' <<<"$got" | cut -d'|' -f1,2)" '1|data
1|log
2|data
2|log'
check 'checkpoints: fewer writes' "$(sed -n 7p <<<"$got")" 'fewer writes of data with automatic checkpoints'

# The top waits right after the statistics were cleared, in one batch.
got=$(plain -Q "DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR);
WITH Waits AS (SELECT wait_type, wait_time_ms / 1000. AS wait_time_s,
100. * wait_time_ms / SUM(wait_time_ms) OVER() AS pct, ROW_NUMBER() OVER(ORDER BY wait_time_ms DESC) AS rn
FROM sys.dm_os_wait_stats WHERE wait_type NOT IN('SLEEP_TASK', 'BROKER_TASK_STOP', 'SQLTRACE_BUFFER_FLUSH',
'CLR_AUTO_EVENT', 'CLR_MANUAL_EVENT', 'LAZYWRITER_SLEEP'))
SELECT W1.wait_type, CAST(SUM(W2.pct) AS DECIMAL(12, 2)) AS running_pct
FROM Waits AS W1 INNER JOIN Waits AS W2 ON W2.rn <= W1.rn GROUP BY W1.rn, W1.wait_type, W1.wait_time_s, W1.pct
HAVING SUM(W2.pct) - W1.pct < 95" | grep -c '^Msg')
check 'top waits of cleared statistics' "$got" 0
check 'the wait for new log' "$(plain -Q "SET NOCOUNT ON SELECT COUNT(*) FROM sys.dm_os_wait_stats
WHERE wait_type = N'PREEMPTIVE_OS_WRITEFILEGATHER'")" 1
check 'log records, called the old way' "$(plain -Q "SET NOCOUNT ON SELECT CASE WHEN COUNT(*) > 0 THEN 'some' END
FROM ::fn_dblog(NULL, NULL)")" some
check 'a name that was not declared' "$(run -Q $'DECLARE @Iterations int = 5\nDECLARE @Counter int = @Iteration' 2>&1 |
    sed 's/Server [^,]*, //')" $'Msg 137, Level 15, State 2, Line 2\nMust declare the scalar variable "@Iteration".'

# VLFs of every database: the script for SQL Server 2008 meets the column that came in 2012, as it does there.
check 'seven columns for eight' "$(run -Q "CREATE TABLE #VLFS (fileid int, filesize bigint, startoffset bigint, fseqno bigint,
status int, parity int, createlsn varchar(1000)) INSERT #VLFS EXEC('DBCC LOGINFO WITH TABLERESULTS')" 2>&1 | tail -1)" \
    'Column name or number of supplied values does not match table definition.'
got=$(plain -Q "SET NOCOUNT ON
DECLARE @name sysname, @sql nvarchar(200)
CREATE TABLE #c (name sysname, vlfs int)
DECLARE c CURSOR FAST_FORWARD FOR SELECT name FROM sys.databases WHERE database_id <= 4 ORDER BY database_id
OPEN c
FETCH NEXT FROM c INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @sql = N'USE ' + QUOTENAME(@name) + N'; SELECT DB_NAME(), COUNT(*) FROM sys.dm_db_log_info(DB_ID())'
    INSERT #c EXEC sp_executesql @sql
    FETCH NEXT FROM c INTO @name
END
CLOSE c
DEALLOCATE c
SELECT name FROM #c WHERE vlfs > 1")
check 'a cursor over all databases' "$got" $'master\ntempdb\nmodel\nmsdb'
