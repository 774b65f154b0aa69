-- Views of the machine, as tools ask them.
--@ source: documentation sys.dm_os_schedulers
SELECT CASE WHEN COUNT(*) = (SELECT cpu_count FROM sys.dm_os_sys_info) THEN 1 END AS one_each, MIN(status) AS status, CASE WHEN SUM(current_tasks_count) > 0 THEN 1 END AS tasks,
    CASE WHEN SUM(total_cpu_usage_ms) > 0 THEN 1 END AS cpu, MAX(parent_node_id) AS node FROM sys.dm_os_schedulers WHERE scheduler_id < 255
GO
--@ source: documentation sys.dm_os_tasks
-- A request, its task, its worker, its thread and its scheduler.
SELECT t.task_state, t.session_id - @@SPID AS me, w.is_preemptive, CASE WHEN th.os_thread_id > 0 AND th.usermode_time >= 0 THEN 1 END AS thread,
    CASE WHEN s.scheduler_id = r.scheduler_id THEN 1 WHEN r.scheduler_id IS NOT NULL THEN 1 END AS scheduler, r.command
FROM sys.dm_exec_requests r JOIN sys.dm_os_tasks t ON t.task_address = r.task_address JOIN sys.dm_os_workers w ON w.worker_address = t.worker_address
    JOIN sys.dm_os_threads th ON th.thread_address = w.thread_address JOIN sys.dm_os_schedulers s ON s.scheduler_address = w.scheduler_address WHERE r.session_id = @@SPID
SELECT CASE WHEN COUNT(*) > 3 THEN 'several' END AS threads_of_the_server FROM sys.dm_os_tasks WHERE session_id <= 50
SELECT node_state_desc, memory_node_id FROM sys.dm_os_nodes
SELECT CASE WHEN pages_kb > 0 AND target_kb > 0 THEN 1 END AS memory FROM sys.dm_os_memory_nodes
GO
--@ source: documentation sys.dm_os_memory_clerks
SELECT [type], name, CASE WHEN pages_kb >= 0 THEN 1 END AS pages FROM sys.dm_os_memory_clerks ORDER BY [type]
GO
--@ source: documentation sys.dm_os_buffer_descriptors
CREATE DATABASE in_memory
GO
--@ source: reasoned
USE in_memory
CREATE TABLE t (i int NOT NULL PRIMARY KEY, pad char(4000) NOT NULL)
INSERT t VALUES (1, 'a'), (2, 'b'), (3, 'c')
GO
--@ source: documentation sys.dm_os_buffer_descriptors
SELECT b.page_type, COUNT(*) AS pages, SUM(CAST(b.is_modified AS int)) AS modified, SUM(b.row_count) AS row_count, MAX(b.page_level) AS page_level
FROM sys.dm_os_buffer_descriptors b JOIN sys.allocation_units a ON a.allocation_unit_id = b.allocation_unit_id JOIN sys.partitions p ON p.hobt_id = a.container_id
WHERE b.database_id = DB_ID() AND p.object_id = OBJECT_ID('t') AND b.page_type IN ('DATA_PAGE', 'INDEX_PAGE') GROUP BY b.page_type ORDER BY 1
CHECKPOINT
SELECT COUNT(*) AS modified FROM sys.dm_os_buffer_descriptors WHERE database_id = DB_ID() AND is_modified = 1 AND page_type = 'DATA_PAGE'
USE master
DROP DATABASE in_memory
GO
--@ source: documentation sys.dm_db_session_space_usage
CREATE TABLE #t (i int, pad char(8000))
INSERT #t SELECT TOP (16) 1, 'x' FROM sys.all_columns
SELECT database_id, CASE WHEN user_objects_alloc_page_count >= 16 THEN 1 END AS allocated, user_objects_dealloc_page_count, internal_objects_alloc_page_count
    FROM sys.dm_db_task_space_usage WHERE session_id = @@SPID
GO
--@ source: documentation sys.dm_db_session_space_usage
DECLARE @before bigint = (SELECT user_objects_alloc_page_count FROM sys.dm_db_session_space_usage WHERE session_id = @@SPID)
DROP TABLE #t
SELECT CASE WHEN @before >= 16 THEN 1 END AS allocated_before, CASE WHEN user_objects_dealloc_page_count >= 16 THEN 1 END AS freed FROM sys.dm_db_task_space_usage WHERE session_id = @@SPID
GO
--@ source: message 8134
SELECT 1 / 0
GO
--@ source: reasoned
SELECT ring_buffer_type, CASE WHEN record LIKE '<Record id="%" type="RING[_]BUFFER[_]EXCEPTION" time="%"><Exception><Task address="0x%"/><Error>8134</Error><Severity>16</Severity><State>1</State><UserDefined>0</UserDefined><Origin>0</Origin></Exception></Record>' THEN 1 END AS record
    FROM (SELECT TOP (1) * FROM sys.dm_os_ring_buffers WHERE ring_buffer_type = 'RING_BUFFER_EXCEPTION' ORDER BY timestamp DESC) r
WAITFOR DELAY '00:00:01.2'
SELECT CASE WHEN COUNT(*) > 0 AND MIN(CASE WHEN record LIKE '%<SystemHealth><ProcessUtilization>%</ProcessUtilization><SystemIdle>%</SystemIdle>%' THEN 1 ELSE 0 END) = 1 THEN 1 END AS monitor
    FROM sys.dm_os_ring_buffers WHERE ring_buffer_type = N'RING_BUFFER_SCHEDULER_MONITOR'
GO
--@ source: documentation sys.dm_os_latch_stats
SELECT COUNT(*) AS classes, MIN(CASE WHEN waiting_requests_count >= 0 THEN 0 ELSE 1 END) AS wrong FROM sys.dm_os_latch_stats
SELECT latch_class FROM sys.dm_os_latch_stats WHERE latch_class IN ('BUFFER', 'LOG_MANAGER', 'FGCB_ADD_REMOVE') ORDER BY 1
SELECT COUNT(*) AS spinlocks, SUM(spins) AS spins FROM sys.dm_os_spinlock_stats
GO
--@ source: documentation sys.dm_io_pending_io_requests
SELECT CASE WHEN COUNT(*) < 200 THEN 1 END AS pending FROM sys.dm_io_pending_io_requests r LEFT JOIN sys.dm_io_virtual_file_stats(NULL, NULL) f ON f.file_handle = r.io_handle
GO
--@ source: documentation sys.dm_tran_persistent_version_store_stats
SELECT (SELECT COUNT(*) FROM sys.dm_tran_persistent_version_store_stats) + (SELECT COUNT(*) FROM sys.dm_tran_version_store_space_usage WHERE database_id = 3 AND reserved_page_count > 0) + (SELECT COUNT(*) FROM sys.dm_tran_commit_table) AS versions
GO
--@ source: documentation sp_user_counter1
EXEC sp_user_counter3 42
SELECT RTRIM(object_name) AS object_name, RTRIM(counter_name) AS counter_name, RTRIM(instance_name) AS instance_name, cntr_value, cntr_type FROM sys.dm_os_performance_counters
    WHERE object_name = 'SQLServer:User Settable' AND instance_name IN ('User counter 3', 'User counter 10') ORDER BY 3
EXEC sp_user_counter3 0
GO
--@ source: message 214
EXEC sp_user_counter3 'many'
GO
--@ source: reasoned
-- Errors, as exporters ask for them: by instance of SQL Errors.
DECLARE @user bigint = (SELECT cntr_value FROM sys.dm_os_performance_counters WITH (NOLOCK) WHERE counter_name = 'Errors/sec' AND instance_name = 'User Errors')
DECLARE @info bigint = (SELECT cntr_value FROM sys.dm_os_performance_counters WITH (NOLOCK) WHERE counter_name = 'Errors/sec' AND instance_name = 'Info Errors')
BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH END CATCH
RAISERROR ('told', 10, 1)
EXEC ('RAISERROR (''wrong'', 16, 1)')
SELECT RTRIM(instance_name) AS instance_name, CASE WHEN cntr_value > CASE RTRIM(instance_name) WHEN 'User Errors' THEN @user WHEN 'Info Errors' THEN @info ELSE -1 END THEN 'counted' END AS value
    FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:SQL Errors' ORDER BY 1
GO
--@ source: reasoned
-- Tools look for names first.
SELECT name, type_desc FROM sys.all_objects WHERE name IN ('dm_os_schedulers', 'dm_os_tasks', 'dm_os_workers', 'dm_os_threads', 'dm_os_memory_clerks', 'dm_os_ring_buffers',
    'dm_os_buffer_descriptors', 'dm_io_pending_io_requests', 'dm_db_session_space_usage', 'dm_db_task_space_usage', 'dm_os_latch_stats', 'dm_os_spinlock_stats', 'traces', 'fn_trace_gettable') ORDER BY 1
SELECT COUNT(*) AS columns FROM sys.all_columns WHERE object_id = OBJECT_ID('sys.dm_os_workers')
SELECT TOP 0 * FROM sys.dm_io_pending_io_requests
GO
--@ source: documentation sys.dm_os_performance_counters
-- Each counter once, and the bases beside their ratios.
SELECT COUNT(*) - COUNT(DISTINCT RTRIM(object_name) + '|' + RTRIM(counter_name) + '|' + RTRIM(instance_name)) AS twice FROM sys.dm_os_performance_counters
SELECT RTRIM(object_name) AS object_name, COUNT(DISTINCT counter_name) AS counters FROM sys.dm_os_performance_counters GROUP BY object_name ORDER BY 1
GO
--@ source: documentation sys.dm_server_registry
SELECT RIGHT(registry_key, CHARINDEX('\', REVERSE(registry_key)) - 1) AS registry_key, value_name, CASE WHEN value_name = 'TcpPort' THEN CASE WHEN CAST(value_data AS int) > 0 THEN 'a port' END
    WHEN value_name LIKE 'SQLArg_' THEN LEFT(CAST(value_data AS nvarchar(260)), 2) + RIGHT(CAST(value_data AS nvarchar(260)), 8) ELSE CAST(value_data AS nvarchar(260)) END AS value_data
    FROM sys.dm_server_registry ORDER BY 1, 2
GO
--@ source: documentation Windows Collation Name
-- The older binary collation: equality as BIN2 has it, the order of nvarchar by the bytes behind the first character.
SELECT CASE WHEN N'a' = N'A' COLLATE Latin1_General_BIN THEN 1 ELSE 0 END AS same, CASE WHEN N'a' = N'a ' COLLATE Latin1_General_BIN THEN 1 ELSE 0 END AS padded
SELECT v FROM (VALUES (N'a' + NCHAR(0x0141)), (N'aB'), (N'b'), (N'B')) t(v) ORDER BY v COLLATE Latin1_General_BIN
SELECT v FROM (VALUES (N'a' + NCHAR(0x0141)), (N'aB'), (N'b'), (N'B')) t(v) ORDER BY v COLLATE Latin1_General_BIN2
GO
