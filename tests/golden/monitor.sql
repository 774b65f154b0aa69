-- What the server counts of itself: variables, sp_monitor's sources, groups and pools, and what can be cleared.
--@ source: documentation system-statistical-functions-transact-sql
SELECT CASE WHEN @@PACK_RECEIVED > 0 THEN 'some' END AS received, CASE WHEN @@PACK_SENT > 0 THEN 'some' END AS sent,
    CASE WHEN @@PACKET_ERRORS >= 0 THEN 'counted' END AS packet_errors, @@TOTAL_ERRORS AS total_errors
GO
--@ source: reasoned
CREATE TABLE #before (received int, sent int)
INSERT #before VALUES (@@PACK_RECEIVED, @@PACK_SENT)
GO
-- A batch and its answer are a packet each at least.
--@ source: reasoned
SELECT CASE WHEN @@PACK_RECEIVED > received THEN 1 END AS received, CASE WHEN @@PACK_SENT > sent THEN 1 END AS sent FROM #before
GO
--@ source: documentation sys-dm-resource-governor-workload-groups-transact-sql
SELECT g.group_id, g.name, p.name AS pool, g.importance, g.request_max_memory_grant_percent, p.max_cpu_percent, p.max_memory_percent,
    CASE WHEN g.total_request_count > 0 THEN 1 ELSE 0 END AS has_requests, CASE WHEN g.active_request_count > 0 THEN 1 ELSE 0 END AS is_active,
    CASE WHEN p.read_io_completed_total > 0 THEN 1 ELSE 0 END AS has_read
FROM sys.dm_resource_governor_workload_groups g JOIN sys.dm_resource_governor_resource_pools p ON p.pool_id = g.pool_id ORDER BY g.group_id
GO
-- Sessions are of the group.
--@ source: reasoned
SELECT g.name FROM sys.dm_exec_sessions s JOIN sys.dm_resource_governor_workload_groups g ON g.group_id = s.group_id WHERE s.session_id = @@SPID
GO
--@ source: documentation dbcc-sqlperf-transact-sql
DBCC SQLPERF('sys.dm_os_latch_stats', CLEAR)
DBCC SQLPERF ("sys.dm_os_spinlock_stats", CLEAR) WITH NO_INFOMSGS
DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR) WITH NO_INFOMSGS
GO
--@ source: message 2526
DBCC SQLPERF('sys.dm_os_nothing', CLEAR)
GO
--@ source: message 2526
DBCC SQLPERF('sys.dm_os_latch_stats')
GO
