-- Scripts of the kind that administrators keep: what is asked most, as they ask it. Only what is the same each time is shown.
--@ source: reasoned
CREATE DATABASE watched
GO
--@ source: reasoned
USE watched
CREATE TABLE t (i int NOT NULL PRIMARY KEY, v varchar(200))
INSERT t SELECT value, REPLICATE('x', 100) FROM GENERATE_SERIES(1, 500)
GO
-- What was waited for most: all types that make up 95 percent.
--@ source: documentation sys.dm_os_wait_stats
WITH waits AS (
    SELECT wait_type, wait_time_ms / 1000.0 AS wait_s, (wait_time_ms - signal_wait_time_ms) / 1000.0 AS resource_s, signal_wait_time_ms / 1000.0 AS signal_s,
        waiting_tasks_count AS wait_count, 100.0 * wait_time_ms / SUM(wait_time_ms) OVER () AS percentage, ROW_NUMBER() OVER (ORDER BY wait_time_ms DESC) AS row_num
    FROM sys.dm_os_wait_stats WHERE waiting_tasks_count > 0 AND wait_type NOT IN (N'CHECKPOINT_QUEUE', N'DIRTY_PAGE_POLL', N'LAZYWRITER_SLEEP', N'LOGMGR_QUEUE',
        N'REQUEST_FOR_DEADLOCK_SEARCH', N'SLEEP_TASK', N'SP_SERVER_DIAGNOSTICS_SLEEP', N'WAITFOR', N'XE_DISPATCHER_WAIT', N'XE_TIMER_EVENT'))
SELECT CASE WHEN COUNT(*) > 0 THEN 'some' END AS waits, CASE WHEN MIN(wait_s) >= 0 AND MIN(resource_s) >= 0 THEN 'not negative' END AS times, MAX(CASE WHEN link IS NOT NULL THEN 1 END) AS links
FROM (SELECT MAX(a.wait_type) AS wait_type, CAST(MAX(a.wait_s) AS decimal(16, 2)) AS wait_s, CAST(MAX(a.resource_s) AS decimal(16, 2)) AS resource_s, MAX(a.wait_count) AS wait_count,
        CAST(MAX(a.percentage) AS decimal(5, 2)) AS percentage, CAST(MAX(a.wait_s) / MAX(a.wait_count) AS decimal(16, 4)) AS avg_s,
        CAST('https://waits.example/' + MAX(a.wait_type) AS xml) AS link
    FROM waits a JOIN waits b ON b.row_num <= a.row_num GROUP BY a.row_num HAVING SUM(b.percentage) - MAX(a.percentage) < 95) x
OPTION (RECOMPILE)
GO
-- The same between two moments, by subtraction.
--@ source: reasoned
SET NOCOUNT ON
SELECT wait_type, waiting_tasks_count, wait_time_ms INTO #first FROM sys.dm_os_wait_stats
WAITFOR DELAY '00:00:00.050'
SELECT TOP (1) s.wait_type, s.waiting_tasks_count - f.waiting_tasks_count AS waits, CASE WHEN s.wait_time_ms - f.wait_time_ms BETWEEN 40 AND 5000 THEN 'as long' END AS ms
FROM sys.dm_os_wait_stats s JOIN #first f ON f.wait_type = s.wait_type WHERE s.wait_type = 'WAITFOR' AND s.waiting_tasks_count > f.waiting_tasks_count
DROP TABLE #first
SET NOCOUNT OFF
GO
-- Virtual log files of every database, the old way and the new.
--@ source: documentation dbcc-loginfo
SET NOCOUNT ON
CREATE TABLE #vlf (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo bigint, [Status] bigint, Parity bigint, CreateLSN numeric(38))
CREATE TABLE #counts (name sysname, vlfs int)
EXEC sp_MSforeachdb N'IF ''?'' IN (''watched'', ''master'', ''msdb'') BEGIN USE [?]; INSERT INTO #vlf EXEC sp_executesql N''DBCC LOGINFO([?]) WITH NO_INFOMSGS''; INSERT INTO #counts SELECT DB_NAME(), COUNT(*) FROM #vlf; TRUNCATE TABLE #vlf END'
SELECT c.name, CASE WHEN c.vlfs = l.vlfs THEN 'the same' END AS counts FROM #counts c
    CROSS APPLY (SELECT COUNT(*) AS vlfs FROM sys.dm_db_log_info(DB_ID(c.name))) l ORDER BY c.name
DROP TABLE #vlf, #counts
SET NOCOUNT OFF
SELECT d.name, CASE WHEN s.total_vlf_count > 0 THEN 1 END AS vlfs, CASE WHEN s.active_vlf_count >= 1 THEN 1 END AS active, s.log_truncation_holdup_reason
    FROM sys.databases d CROSS APPLY sys.dm_db_log_stats(d.database_id) s WHERE d.name = 'watched'
GO
-- Latency of files.
--@ source: documentation sys.dm_io_virtual_file_stats
SELECT DB_NAME(v.database_id) AS db, f.type_desc, CASE WHEN v.num_of_writes = 0 THEN 0 ELSE SIGN(v.num_of_writes) END AS written,
    CASE WHEN CASE WHEN v.num_of_writes = 0 THEN 0 ELSE v.io_stall_write_ms / v.num_of_writes END >= 0 THEN 'known' END AS write_latency,
    CASE WHEN CASE WHEN v.num_of_reads = 0 AND v.num_of_writes = 0 THEN 0 ELSE v.io_stall / (v.num_of_reads + v.num_of_writes) END >= 0 THEN 'known' END AS latency,
    CASE WHEN CASE WHEN v.num_of_writes = 0 THEN 0 ELSE v.num_of_bytes_written / v.num_of_writes END >= 512 THEN 'at least a sector' END AS bytes_a_write
FROM sys.dm_io_virtual_file_stats(NULL, NULL) v JOIN sys.master_files f ON f.database_id = v.database_id AND f.file_id = v.file_id WHERE v.database_id = DB_ID() ORDER BY f.file_id
GO
-- Log space, three ways.
--@ source: documentation dbcc-sqlperf
SET NOCOUNT ON
CREATE TABLE #space ([Database Name] sysname, [Log Size (MB)] real, [Log Space Used (%)] real, [Status] int)
INSERT #space EXEC ('DBCC SQLPERF(LOGSPACE) WITH NO_INFOMSGS')
SELECT d.name, CASE WHEN ABS(s.[Log Size (MB)] - ls.cntr_value / 1024.0) < 0.1 THEN 'the same' END AS size, CASE WHEN u.used_log_space_in_percent BETWEEN 0.01 AND 100 THEN 'known' END AS used
FROM sys.databases d JOIN #space s ON s.[Database Name] = d.name CROSS JOIN sys.dm_db_log_space_usage u
    JOIN sys.dm_os_performance_counters ls WITH (NOLOCK) ON ls.instance_name = d.name AND ls.counter_name LIKE N'Log File(s) Size (KB)%'
    JOIN sys.dm_os_performance_counters lu WITH (NOLOCK) ON lu.instance_name = d.name AND lu.counter_name LIKE N'Log File(s) Used Size (KB)%' AND ls.cntr_value > 0
WHERE d.name = 'watched' OPTION (RECOMPILE)
DROP TABLE #space
SET NOCOUNT OFF
GO
-- Who is active: what each session runs just now, and who holds it up.
--@ source: reasoned
SELECT s.login_name, DB_NAME(COALESCE(r.database_id, s.database_id)) AS db, COALESCE(r.status, s.status) AS status, r.command, COALESCE(NULLIF(r.blocking_session_id, 0), 0) AS blocked_by,
    CASE WHEN CONVERT(varchar(20), DATEADD(ms, r.total_elapsed_time, 0), 114) LIKE '00:0%' THEN 'short' END AS elapsed, s.open_transaction_count,
    LEFT(SUBSTRING(t.text, r.statement_start_offset / 2 + 1, (CASE r.statement_end_offset WHEN -1 THEN DATALENGTH(t.text) ELSE r.statement_end_offset END - r.statement_start_offset) / 2 + 1), 19) AS statement,
    CASE WHEN CAST((SELECT t.text AS [processing-instruction(query)] FOR XML PATH(''), TYPE) AS nvarchar(max)) LIKE '<?query %' THEN 'as xml' END AS sql_text,
    ib.event_type, mg.granted_memory_kb, CASE WHEN tsu.session_id IS NOT NULL THEN 'known' END AS tempdb
FROM sys.dm_exec_sessions s LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id
    OUTER APPLY sys.dm_exec_sql_text(COALESCE(r.sql_handle, c.most_recent_sql_handle)) t OUTER APPLY sys.dm_exec_input_buffer(s.session_id, r.request_id) ib
    LEFT JOIN sys.dm_exec_query_memory_grants mg ON mg.session_id = s.session_id LEFT JOIN sys.dm_db_task_space_usage tsu ON tsu.session_id = s.session_id
WHERE s.is_user_process = 1 AND s.session_id = @@SPID
GO
-- What it holds locks on.
--@ source: documentation sys.dm_tran_locks
BEGIN TRANSACTION
UPDATE t SET v = 'y' WHERE i = 1
SELECT COALESCE(OBJECT_NAME(p.object_id), CASE l.resource_type WHEN 'OBJECT' THEN OBJECT_NAME(l.resource_associated_entity_id) END, l.resource_type) AS what, l.resource_type, l.request_mode, l.request_status, COUNT(*) AS locks
FROM sys.dm_tran_locks l LEFT JOIN sys.partitions p ON p.hobt_id = l.resource_associated_entity_id WHERE l.request_session_id = @@SPID AND l.resource_type IN ('KEY', 'OBJECT')
GROUP BY COALESCE(OBJECT_NAME(p.object_id), CASE l.resource_type WHEN 'OBJECT' THEN OBJECT_NAME(l.resource_associated_entity_id) END, l.resource_type), l.resource_type, l.request_mode, l.request_status
ORDER BY l.resource_type
SELECT dt.database_transaction_log_record_count AS records, CASE WHEN dt.database_transaction_log_bytes_used > 0 THEN 'some' END AS log_bytes, at.name
FROM sys.dm_tran_session_transactions st JOIN sys.dm_tran_database_transactions dt ON dt.transaction_id = st.transaction_id JOIN sys.dm_tran_active_transactions at ON at.transaction_id = st.transaction_id
WHERE st.session_id = @@SPID AND dt.database_id = DB_ID()
COMMIT
GO
-- How busy the processors were, minute by minute.
--@ source: documentation sys.dm_os_ring_buffers
WAITFOR DELAY '00:00:01.2'
DECLARE @now bigint = (SELECT cpu_ticks / (cpu_ticks / ms_ticks) FROM sys.dm_os_sys_info WITH (NOLOCK))
SELECT TOP (1) CASE WHEN process + idle <= 100 AND DATEDIFF(minute, DATEADD(ms, -1 * (@now - [timestamp]), GETDATE()), GETDATE()) < 10 THEN 'known' END AS processors
FROM (SELECT record.value('(./Record/@id)[1]', 'int') AS id, record.value('(./Record/SchedulerMonitorEvent/SystemHealth/SystemIdle)[1]', 'int') AS idle,
        record.value('(./Record/SchedulerMonitorEvent/SystemHealth/ProcessUtilization)[1]', 'int') AS process, [timestamp]
    FROM (SELECT [timestamp], CONVERT(xml, record) AS record FROM sys.dm_os_ring_buffers WITH (NOLOCK)
        WHERE ring_buffer_type = N'RING_BUFFER_SCHEDULER_MONITOR' AND record LIKE N'%<SystemHealth>%') x) y ORDER BY id DESC OPTION (RECOMPILE)
GO
-- Memory by database, schedulers, volumes, configuration.
--@ source: reasoned
SELECT TOP (1) CASE WHEN CAST(COUNT(*) * 8 / 1024.0 AS decimal(10, 2)) > 0 THEN 'some' END AS cached_mb FROM sys.dm_os_buffer_descriptors WITH (NOLOCK) WHERE database_id <> 32767 AND database_id = DB_ID() GROUP BY DB_NAME(database_id) OPTION (RECOMPILE)
SELECT CASE WHEN AVG(current_tasks_count) >= 0 THEN 'known' END AS tasks, AVG(work_queue_count) AS queue FROM sys.dm_os_schedulers WITH (NOLOCK) WHERE scheduler_id < 255 OPTION (RECOMPILE)
SELECT COUNT(DISTINCT f.file_id) AS files, CASE WHEN MIN(CONVERT(decimal(18, 2), vs.available_bytes * 1. / vs.total_bytes * 100.)) > 0 THEN 'some' END AS free_percent
    FROM sys.master_files f WITH (NOLOCK) CROSS APPLY sys.dm_os_volume_stats(f.database_id, f.[file_id]) vs WHERE f.database_id = DB_ID() OPTION (RECOMPILE)
SELECT name, value, value_in_use FROM sys.configurations WITH (NOLOCK) WHERE name IN (N'max degree of parallelism', N'cost threshold for parallelism') ORDER BY name
GO
-- Growths out of the default trace, deadlocks out of system_health.
--@ source: documentation sys.fn_trace_gettable
SELECT CASE WHEN COUNT(*) >= 0 THEN 'asked' END AS growths FROM sys.traces t CROSS APPLY sys.fn_trace_gettable(t.path, DEFAULT) g
    JOIN sys.trace_events te ON te.trace_event_id = g.EventClass WHERE t.is_default = 1 AND g.EventClass IN (92, 93, 94, 95)
SELECT CASE WHEN COUNT(*) = 1 THEN 'one ring' END AS rings FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_session_targets t JOIN sys.dm_xe_sessions s ON s.address = t.event_session_address
    WHERE s.name = 'system_health' AND t.target_name = 'ring_buffer') r WHERE data.exist('/RingBufferTarget') = 1
GO
-- What a health check looks for in every database and table.
--@ source: reasoned
SELECT name, recovery_model_desc, page_verify_option_desc, is_auto_shrink_on, is_auto_close_on, is_encrypted, is_read_committed_snapshot_on, target_recovery_time_in_seconds, delayed_durability_desc
    FROM sys.databases WHERE name = 'watched'
SELECT OBJECT_NAME(p.object_id) AS name, i.type_desc, p.used_page_count, p.row_count, CASE WHEN ps.avg_fragmentation_in_percent >= 0 THEN 'known' END AS fragmentation
    FROM sys.dm_db_partition_stats p JOIN sys.indexes i ON i.object_id = p.object_id AND i.index_id = p.index_id
    CROSS APPLY sys.dm_db_index_physical_stats(DB_ID(), p.object_id, p.index_id, NULL, 'LIMITED') ps WHERE p.object_id = OBJECT_ID('t')
SELECT COUNT(*) AS bad_pages FROM msdb.dbo.suspect_pages WHERE database_id = DB_ID()
SELECT COUNT(*) AS backups FROM msdb.dbo.backupset WHERE database_name = 'watched'
GO
--@ source: reasoned
USE master
DROP DATABASE watched
GO
