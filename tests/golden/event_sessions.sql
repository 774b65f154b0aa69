-- Sessions of extended events: made, started, read, altered, dropped.
--@ source: documentation sys.server_event_sessions
SELECT event_session_id, name, event_retention_mode, event_retention_mode_desc, max_dispatch_latency, max_memory, max_event_size,
    memory_partition_mode_desc, track_causality, startup_state FROM sys.server_event_sessions
SELECT name FROM sys.dm_xe_sessions
GO
--@ source: documentation CREATE EVENT SESSION
CREATE EVENT SESSION [batches] ON SERVER
ADD EVENT sqlserver.sql_batch_completed (
    SET collect_batch_text = (1)
    ACTION (sqlserver.session_id, sqlserver.database_name, package0.event_sequence)
    WHERE (([sqlserver].[database_name] <> N'nowhere') AND [batch_text] <> N'nothing' AND duration >= 0)),
ADD EVENT sqlserver.error_reported (WHERE [severity] > (10) AND package0.equal_int64(error_number, 8134)),
ADD EVENT sqlserver.sql_statement_completed (WHERE sqlserver.like_i_sql_unicode_string(statement, N'%sys.objects%'))
ADD TARGET package0.ring_buffer (SET max_events_limit = (100), max_memory = 1024),
ADD TARGET package0.event_counter
WITH (MAX_MEMORY = 4 MB, EVENT_RETENTION_MODE = ALLOW_SINGLE_EVENT_LOSS, MAX_DISPATCH_LATENCY = 5 SECONDS, STARTUP_STATE = OFF)
GO
--@ source: documentation sys.server_event_session_events
SELECT s.name, e.event_id, e.package, e.name, e.predicate FROM sys.server_event_sessions s
    JOIN sys.server_event_session_events e ON e.event_session_id = s.event_session_id WHERE s.name = 'batches' ORDER BY event_id
SELECT a.event_id, a.package, a.name FROM sys.server_event_session_actions a
    JOIN sys.server_event_sessions s ON s.event_session_id = a.event_session_id WHERE s.name = 'batches'
SELECT t.target_id, t.package, t.name, f.name AS field, CAST(f.value AS int) AS value FROM sys.server_event_session_targets t
    JOIN sys.server_event_sessions s ON s.event_session_id = t.event_session_id
    LEFT JOIN sys.server_event_session_fields f ON f.event_session_id = t.event_session_id AND f.object_id = t.target_id
    WHERE s.name = 'batches' ORDER BY 1, 4
GO
--@ source: message 25631
CREATE EVENT SESSION batches ON SERVER ADD EVENT sqlserver.checkpoint_begin
GO
--@ source: documentation ALTER EVENT SESSION
ALTER EVENT SESSION batches ON SERVER STATE = START
GO
--@ source: message 25705
ALTER EVENT SESSION batches ON SERVER STATE = START
GO
--@ source: reasoned
SELECT COUNT(*) AS objects FROM sys.objects WHERE object_id = 0
GO
--@ source: message 8134
SELECT 1 / 0
GO
--@ source: reasoned
BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
GO
--@ source: documentation sys.dm_xe_session_targets
SELECT t.target_name, t.execution_count, CAST(t.target_data AS nvarchar(400)) AS data FROM sys.dm_xe_sessions s
    JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address
    WHERE s.name = 'batches' AND t.target_name = 'event_counter'
GO
--@ source: reasoned
DECLARE @data nvarchar(max) = (SELECT t.target_data FROM sys.dm_xe_sessions s
    JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address
    WHERE s.name = 'batches' AND t.target_name = 'ring_buffer')
SELECT LEFT(@data, 59) AS head, RIGHT(@data, 27) AS tail
DECLARE @at int = CHARINDEX('<event name="error_reported"', @data)
SET @data = SUBSTRING(@data, @at, 4000)
SELECT LEFT(@data, 60) + '…' + SUBSTRING(@data, 85, CHARINDEX('</event>', @data) - 77) AS error
GO
--@ source: reasoned
DECLARE @data nvarchar(max) = (SELECT t.target_data FROM sys.dm_xe_sessions s
    JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address
    WHERE s.name = 'batches' AND t.target_name = 'ring_buffer')
-- One statement matched; its text and place.
DECLARE @at int = CHARINDEX('<data name="line_number">', @data)
SELECT SUBSTRING(@data, @at, CHARINDEX('<data name="parameterized_plan_handle">', @data) - @at) AS statement
GO
--@ source: documentation ALTER EVENT SESSION
ALTER EVENT SESSION batches ON SERVER DROP EVENT sqlserver.sql_statement_completed, DROP TARGET package0.ring_buffer
ALTER EVENT SESSION batches ON SERVER ADD EVENT sqlos.wait_info (WHERE wait_type = N'WRITELOG' AND duration > 1000), ADD TARGET package0.histogram
    (SET filtering_event_name = N'sqlserver.error_reported', source_type = 0, source = N'error_number')
SELECT e.name, e.predicate FROM sys.server_event_sessions s
    JOIN sys.server_event_session_events e ON e.event_session_id = s.event_session_id WHERE s.name = 'batches' ORDER BY event_id
SELECT event_name FROM sys.dm_xe_session_events e JOIN sys.dm_xe_sessions s ON s.address = e.event_session_address
    WHERE s.name = 'batches'
GO
--@ source: message 25707
ALTER EVENT SESSION batches ON SERVER WITH (MAX_MEMORY = 8 MB)
GO
--@ source: reasoned
ALTER EVENT SESSION batches ON SERVER WITH (STARTUP_STATE = ON)
SELECT startup_state FROM sys.server_event_sessions WHERE name = 'batches'
GO
--@ source: message 8134
SELECT 1 / 0
GO
--@ source: reasoned
SELECT t.target_name, t.target_data FROM sys.dm_xe_sessions s
    JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address WHERE s.name = 'batches' AND t.target_name = 'histogram'
GO
--@ source: documentation ALTER EVENT SESSION
ALTER EVENT SESSION batches ON SERVER STATE = STOP
SELECT COUNT(*) AS running FROM sys.dm_xe_sessions WHERE name = 'batches'
GO
--@ source: message 25704
ALTER EVENT SESSION batches ON SERVER STATE = STOP
GO
--@ source: documentation DROP EVENT SESSION
DROP EVENT SESSION batches ON SERVER
SELECT COUNT(*) AS stored FROM sys.server_event_sessions WHERE name = 'batches'
GO
--@ source: message 15151
DROP EVENT SESSION batches ON SERVER
GO
--@ source: message 15151
ALTER EVENT SESSION batches ON SERVER STATE = START
GO
