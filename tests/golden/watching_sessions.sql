-- Queries in the style of Activity Monitor and of the scripts that people keep: processes, waits, files, logs.
--@ source: reasoned
-- Processes: sessions with their tasks, the longest wait of each, who blocks them, and their group.
SELECT s.session_id - @@SPID AS session, CONVERT(char(1), s.is_user_process) AS is_user, s.login_name, ISNULL(DB_NAME(p.dbid), N'') AS db, ISNULL(t.task_state, N'') AS task_state,
    ISNULL(r.command, N'') AS command, ISNULL(w.wait_duration_ms, 0) AS wait_ms, ISNULL(w.wait_type, N'') AS wait_type, ISNULL(w.resource_description, N'') AS wait_resource,
    ISNULL(CONVERT(varchar(10), w.blocking_session_id), '') AS blocked_by,
    CASE WHEN r2.session_id IS NOT NULL AND (r.blocking_session_id = 0 OR r.session_id IS NULL) THEN '1' ELSE '' END AS head_blocker,
    ISNULL(r.open_transaction_count, 0) AS open_transactions, ISNULL(c.client_net_address, N'') AS net_address, ISNULL(t.exec_context_id, 0) AS context, ISNULL(g.name, N'') AS workload_group
FROM sys.dm_exec_sessions s LEFT OUTER JOIN sys.dm_exec_connections c ON (s.session_id = c.session_id)
LEFT OUTER JOIN sys.dm_exec_requests r ON (s.session_id = r.session_id)
LEFT OUTER JOIN sys.dm_os_tasks t ON (r.session_id = t.session_id AND r.request_id = t.request_id)
LEFT OUTER JOIN (SELECT *, ROW_NUMBER() OVER (PARTITION BY waiting_task_address ORDER BY wait_duration_ms DESC) AS row_num FROM sys.dm_os_waiting_tasks) w ON (t.task_address = w.waiting_task_address) AND w.row_num = 1
LEFT OUTER JOIN sys.dm_exec_requests r2 ON (s.session_id = r2.blocking_session_id)
LEFT OUTER JOIN sys.dm_resource_governor_workload_groups g ON (g.group_id = s.group_id)
LEFT OUTER JOIN sys.sysprocesses p ON (s.session_id = p.spid)
WHERE s.session_id = @@SPID ORDER BY s.session_id
GO
--@ source: reasoned
-- The waits that matter, with their share; the idle ones are named and left out.
WITH waits AS (SELECT wait_type, wait_time_ms / 1000.0 AS wait_s, (wait_time_ms - signal_wait_time_ms) / 1000.0 AS resource_s, signal_wait_time_ms / 1000.0 AS signal_s, waiting_tasks_count AS wait_count,
    100.0 * wait_time_ms / NULLIF(SUM(wait_time_ms) OVER (), 0) AS percentage, ROW_NUMBER() OVER (ORDER BY wait_time_ms DESC) AS row_num
    FROM sys.dm_os_wait_stats WHERE wait_type NOT IN (N'BROKER_TO_FLUSH', N'CHECKPOINT_QUEUE', N'CHKPT', N'DIRTY_PAGE_POLL', N'DISPATCHER_QUEUE_SEMAPHORE', N'LAZYWRITER_SLEEP', N'LOGMGR_QUEUE',
        N'REQUEST_FOR_DEADLOCK_SEARCH', N'SLEEP_TASK', N'SP_SERVER_DIAGNOSTICS_SLEEP', N'SQLTRACE_BUFFER_FLUSH', N'WAITFOR', N'XE_DISPATCHER_WAIT', N'XE_TIMER_EVENT') AND waiting_tasks_count > 0)
SELECT CASE WHEN COUNT(*) >= 0 AND ISNULL(SUM(percentage), 100) <= 100.01 AND MIN(share) >= 0 THEN 1 END AS sound FROM (
    SELECT w1.percentage, MAX(w1.wait_s) / NULLIF(MAX(w1.wait_count), 0) AS share FROM waits AS w1 INNER JOIN waits AS w2 ON w2.row_num <= w1.row_num
    GROUP BY w1.row_num, w1.percentage HAVING SUM(w2.percentage) - MAX(w1.percentage) < 95) a
GO
--@ source: reasoned
-- Latency of each file: Δstall by Δcount.
SELECT DB_NAME(v.database_id) AS db, f.type_desc, CASE WHEN v.num_of_reads = 0 OR v.io_stall_read_ms / v.num_of_reads >= 0 THEN 1 END AS read_latency,
    CASE WHEN v.num_of_writes > 0 AND v.num_of_bytes_written / v.num_of_writes >= 512 THEN 1 END AS bytes_per_write, LEFT(f.physical_name, 1) AS drive
FROM sys.dm_io_virtual_file_stats(NULL, NULL) AS v JOIN sys.master_files AS f ON v.database_id = f.database_id AND v.file_id = f.file_id WHERE v.database_id = 1 ORDER BY f.file_id
GO
--@ source: reasoned
-- How many VLFs there are: each database by the view, one by DBCC into a table.
SELECT s.name, CASE WHEN COUNT(l.database_id) >= 2 AND SUM(CONVERT(int, l.vlf_active)) >= 1 THEN 1 END AS vlfs FROM sys.databases s CROSS APPLY sys.dm_db_log_info(s.database_id) l
    WHERE s.database_id <= 4 GROUP BY s.name ORDER BY s.name
SET NOCOUNT ON
CREATE TABLE #vlfs (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo bigint, Status bigint, Parity bigint, CreateLSN numeric(38))
INSERT #vlfs EXEC ('DBCC LOGINFO WITH NO_INFOMSGS')
SELECT CASE WHEN COUNT(*) >= 2 AND MAX(Status) = 2 THEN 1 END AS vlfs FROM #vlfs
DROP TABLE #vlfs
SET NOCOUNT OFF
GO
--@ source: reasoned
-- Log space of all databases, into a table.
CREATE TABLE #space (db sysname, size_mb float, used_percent float, status bit)
SET NOCOUNT ON
INSERT #space EXEC ('DBCC SQLPERF (LOGSPACE) WITH NO_INFOMSGS')
SET NOCOUNT OFF
SELECT db, CASE WHEN size_mb > 0 AND used_percent BETWEEN 0 AND 100 THEN 1 END AS sound, status FROM #space WHERE db IN ('master', 'model', 'msdb', 'tempdb') ORDER BY db
DROP TABLE #space
GO
