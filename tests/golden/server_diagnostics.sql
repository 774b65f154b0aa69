-- How the server is, in five components, and what it is made of.
--@ source: documentation sp_server_diagnostics
CREATE TABLE #d (create_time datetime, component_type sysname, component_name sysname, state int, state_desc sysname, data varchar(max))
INSERT #d EXEC sp_server_diagnostics
SELECT component_type, component_name, CASE WHEN state_desc IN ('clean', 'warning') THEN 'looked at' ELSE state_desc END AS state, CASE WHEN CAST(data AS xml) IS NOT NULL THEN 'xml' END AS data,
    CASE WHEN ABS(DATEDIFF(second, create_time, GETDATE())) < 60 THEN 'now' END AS create_time FROM #d
GO
--@ source: reasoned
-- What was measured is there.
SELECT CASE WHEN d.value('(/resource/memoryReport[@name="Memory Manager"]/entry[@description="VM Committed"]/@value)[1]', 'bigint') > 1000 THEN 'some' END AS committed_kb,
    d.value('count(/resource/memoryReport)', 'int') AS reports, d.value('(/resource/@outOfMemoryExceptions)[1]', 'int') AS out_of_memory
    FROM (SELECT CAST(data AS xml) AS d FROM #d WHERE component_name = 'resource') r
SELECT CASE WHEN d.value('(/queryProcessing/@workersCreated)[1]', 'int') > 3 THEN 'some' END AS workers, CASE WHEN d.value('(/queryProcessing/@tasksCompleted)[1]', 'int') > 0 THEN 'some' END AS tasks,
    CASE WHEN d.value('count(/queryProcessing/topWaits/nonPreemptive/byCount/wait)', 'int') > 0 THEN 'some' END AS waits
    FROM (SELECT CAST(data AS xml) AS d FROM #d WHERE component_name = 'query_processing') r
SELECT d.value('(/ioSubsystem/@intervalLongIos)[1]', 'int') AS long_ios FROM (SELECT CAST(data AS xml) AS d FROM #d WHERE component_name = 'io_subsystem') r
SELECT d.value('(/events/session/@name)[1]', 'sysname') AS session, d.value('count(/events/session/RingBufferTarget)', 'int') AS rings FROM (SELECT CAST(data AS xml) AS d FROM #d WHERE component_name = 'events') r
DROP TABLE #d
GO
--@ source: reasoned
EXEC sp_server_diagnostics @repeat_interval = 3
GO
--@ source: documentation system-health
-- The event tells the same to whoever wants it; that of the server itself is the system's.
CREATE EVENT SESSION told_how ON SERVER ADD EVENT sqlserver.sp_server_diagnostics_component_result (SET collect_data = (1) WHERE component <> 4 AND sqlserver.is_system = 0) ADD TARGET package0.ring_buffer
ALTER EVENT SESSION told_how ON SERVER STATE = START
GO
--@ source: reasoned
CREATE TABLE #d (create_time datetime, component_type sysname, component_name sysname, state int, state_desc sysname, data varchar(max))
INSERT #d EXEC sp_server_diagnostics 0
SELECT DISTINCT e.value('(data[@name="component"]/value)[1]', 'int') AS component, e.value('(data[@name="component"]/text)[1]', 'sysname') AS name,
    CASE WHEN e.value('(data[@name="state"]/text)[1]', 'sysname') IN ('CLEAN', 'WARNING') THEN 'told' END AS state, e.value('local-name((data[@name="data"]/value/*)[1])', 'sysname') AS element
    FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address WHERE s.name = 'told_how') d
    CROSS APPLY data.nodes('/RingBufferTarget/event') AS n(e) ORDER BY 1
DROP EVENT SESSION told_how ON SERVER
DROP TABLE #d
GO
--@ source: documentation sys.dm_os_hosts
SELECT name, CASE WHEN active_tasks_count >= 1 THEN 1 END AS active, CASE WHEN completed_ios_in_bytes > 0 THEN 1 END AS bytes FROM sys.dm_os_hosts
SELECT h.name, c.[type] FROM sys.dm_os_hosts h JOIN sys.dm_os_memory_clerks c ON c.memory_clerk_address = h.default_memory_clerk_address
SELECT [type], dispatcher_ideal_count, queue_length FROM sys.dm_os_dispatcher_pools
SELECT CASE WHEN COUNT(*) >= 1 THEN 'some' END AS modules, SUM(CASE WHEN description = 'Taffrail' THEN 1 ELSE 0 END) AS own FROM sys.dm_os_loaded_modules
SELECT name, [type], CASE WHEN entries_count >= 0 THEN 1 END AS entries FROM sys.dm_os_memory_cache_counters ORDER BY name
SELECT CASE WHEN COUNT(*) = (SELECT COUNT(*) FROM sys.dm_os_memory_clerks) THEN 1 END AS as_many, CASE WHEN SUM(pages_in_bytes) > 1000000 THEN 1 END AS bytes FROM sys.dm_os_memory_objects
GO
--@ source: documentation sys.dm_tcp_listener_states
SELECT TOP (1) listener_id, is_ipv4, CASE WHEN port > 0 THEN 1 END AS port, type_desc, state, state_desc FROM sys.dm_tcp_listener_states ORDER BY listener_id
SELECT CASE WHEN CAST(r.value_data AS nvarchar(10)) = CAST(l.port AS nvarchar(10)) THEN 'the same' END AS port FROM sys.dm_tcp_listener_states l
    CROSS JOIN sys.dm_server_registry r WHERE l.listener_id = 1 AND r.value_name = N'TcpPort'
GO
--@ source: documentation sp_validatelogins
EXEC sp_validatelogins
GO
