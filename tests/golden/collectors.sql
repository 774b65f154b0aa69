-- Queries in the style of the collectors that people run beside SQL Server.
--@ source: peer sql_exporter
SELECT CASE WHEN DATEDIFF(second, '19700101', GETUTCDATE()) > 1700000000 THEN 1 END AS unix_time
SELECT CASE WHEN COUNT(*) >= 1 THEN 1 END AS connections FROM (SELECT DB_NAME(sp.dbid) AS db, COUNT(sp.spid) AS count FROM sys.sysprocesses sp GROUP BY DB_NAME(sp.dbid)) c WHERE db = 'master'
SELECT COUNT(cntr_value) AS deadlocks FROM sys.dm_os_performance_counters WITH (NOLOCK) WHERE counter_name = 'Number of Deadlocks/sec' AND instance_name = '_Total'
SELECT RTRIM(instance_name) AS of_errors, CASE WHEN cntr_value >= 0 THEN 1 END AS value FROM sys.dm_os_performance_counters WITH (NOLOCK)
    WHERE counter_name = 'Errors/sec' AND instance_name IN ('User Errors', 'Kill Connection Errors') ORDER BY 1
SELECT TOP (1) CASE WHEN cntr_value >= 0 THEN 1 END AS life FROM sys.dm_os_performance_counters WITH (NOLOCK) WHERE counter_name = 'Page life expectancy'
SELECT CAST(DB_NAME(a.database_id) AS varchar(30)) AS db, CASE WHEN SUM(io_stall_read_ms) / 1000.0 >= 0 THEN 1 END AS [read], CASE WHEN SUM(io_stall_write_ms) / 1000.0 > 0 THEN 1 END AS [write],
    SUM(io_stall_queued_read_ms) AS queued_read, SUM(io_stall_queued_write_ms) AS queued_write
    FROM sys.dm_io_virtual_file_stats(NULL, NULL) a INNER JOIN sys.master_files b ON a.database_id = b.database_id AND a.file_id = b.file_id WHERE a.database_id = 1 GROUP BY a.database_id
SELECT CASE WHEN physical_memory_in_use_kb > 0 AND page_fault_count > 0 THEN 1 END AS process FROM sys.dm_os_process_memory
GO
--@ source: peer telegraf
-- Numerators find their bases by name.
SELECT RTRIM(n.object_name) AS object_name, RTRIM(n.counter_name) AS counter_name, COUNT(*) AS instances, COUNT(b.cntr_value) AS bases
FROM sys.dm_os_performance_counters n LEFT JOIN sys.dm_os_performance_counters b ON b.object_name = n.object_name AND b.instance_name = n.instance_name AND b.cntr_type = 1073939712
    AND (REPLACE(LOWER(RTRIM(b.counter_name)), ' base', '') = LOWER(RTRIM(n.counter_name)) OR REPLACE(LOWER(RTRIM(b.counter_name)), ' base', ' (ms)') = LOWER(RTRIM(n.counter_name))
        OR REPLACE(LOWER(RTRIM(b.counter_name)), ' base', ' ratio') = LOWER(RTRIM(n.counter_name)))
WHERE n.cntr_type IN (537003264, 1073874176) AND n.object_name NOT IN ('SQLServer:Databases', 'SQLServer:Catalog Metadata') GROUP BY n.object_name, n.counter_name ORDER BY 1, 2
GO
--@ source: peer telegraf
-- The processor's history, out of XML.
WAITFOR DELAY '00:00:01.2'
SELECT CASE WHEN COUNT(*) > 0 AND MIN(cpu) >= 0 AND MAX(cpu + idle) <= 200 THEN 1 END AS cpu FROM (
    SELECT record.value('(./Record/SchedulerMonitorEvent/SystemHealth/ProcessUtilization)[1]', 'int') AS cpu, record.value('(./Record/SchedulerMonitorEvent/SystemHealth/SystemIdle)[1]', 'int') AS idle
    FROM (SELECT timestamp, CONVERT(xml, record) AS record FROM sys.dm_os_ring_buffers WHERE ring_buffer_type = N'RING_BUFFER_SCHEDULER_MONITOR' AND record LIKE '%<SystemHealth>%') AS x) AS y
GO
--@ source: peer telegraf
SELECT CASE WHEN SUM(pages_kb) > 0 THEN 1 END AS clerks FROM sys.dm_os_memory_clerks mc WITH (NOLOCK)
SELECT COUNT(*) AS statuses FROM sys.dm_exec_sessions s LEFT JOIN sys.dm_exec_requests r ON s.session_id = r.session_id WHERE s.session_id = @@SPID AND r.status COLLATE Latin1_General_BIN NOT IN ('background', 'sleeping')
GO
