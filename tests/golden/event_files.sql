-- Files of events.
--@ source: documentation sys.fn_xe_file_target_read_file
CREATE EVENT SESSION kept ON SERVER ADD EVENT sqlserver.error_reported (ACTION (sqlserver.database_name) WHERE error_number = 8134)
    ADD TARGET package0.event_file (SET filename = N'golden_kept.xel', max_file_size = (1), max_rollover_files = (2))
    WITH (MAX_DISPATCH_LATENCY = 1 SECONDS)
ALTER EVENT SESSION kept ON SERVER STATE = START
GO
--@ source: message 8134
SELECT 1 / 0
GO
--@ source: reasoned
SELECT object_name, LEFT(event_data, 60) + SUBSTRING(event_data, 85, 4000) AS data, CASE WHEN file_name LIKE '%golden[_]kept[_]0[_]%.xel' THEN 1 END AS named,
    file_offset, CASE WHEN ABS(DATEDIFF(minute, timestamp_utc, SYSUTCDATETIME())) < 5 THEN 1 END AS now
    FROM sys.fn_xe_file_target_read_file(N'golden_kept*.xel', NULL, NULL, NULL)
GO
--@ source: reasoned
SELECT t.target_name, CASE WHEN t.target_data LIKE '<EventFileTarget truncated="0"><Buffers logged="1" dropped="0"/><File name="%golden[_]kept[_]0[_]%.xel"/></EventFileTarget>'
    THEN 'as expected' ELSE t.target_data END AS data FROM sys.dm_xe_session_targets t
    JOIN sys.dm_xe_sessions s ON s.address = t.event_session_address WHERE t.target_name = 'event_file' AND s.name = 'kept'
GO
--@ source: documentation sys.fn_xe_file_target_read_file
-- What stands behind the block that is named.
BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
DECLARE @file nvarchar(260), @at bigint
SELECT TOP 1 @file = file_name, @at = file_offset FROM sys.fn_xe_file_target_read_file(N'golden_kept*', NULL, NULL, NULL)
SELECT COUNT(*) AS events, MIN(CASE WHEN event_data LIKE '%<data name="is_intercepted"><value>true</value></data>%' THEN 1 ELSE 0 END) AS intercepted
    FROM sys.fn_xe_file_target_read_file(N'golden_kept*', NULL, @file, @at)
GO
--@ source: message 25718
SELECT * FROM sys.fn_xe_file_target_read_file(N'no_such_file*.xel', NULL, NULL, NULL)
GO
--@ source: message 25719
SELECT * FROM sys.fn_xe_file_target_read_file(N'golden_kept*.xel', NULL, N'x', NULL)
GO
--@ source: message 25642
CREATE EVENT SESSION nameless ON SERVER ADD EVENT sqlserver.checkpoint_end ADD TARGET package0.event_file
GO
--@ source: documentation CREATE EVENT SESSION
CREATE EVENT SESSION lossless ON SERVER ADD EVENT sqlserver.checkpoint_end ADD TARGET package0.event_file (SET filename = N'lossless')
    WITH (EVENT_RETENTION_MODE = NO_EVENT_LOSS)
SELECT event_retention_mode_desc FROM sys.server_event_sessions WHERE name = 'lossless'
DROP EVENT SESSION lossless ON SERVER
GO
--@ source: documentation DROP EVENT SESSION
DROP EVENT SESSION kept ON SERVER
SELECT COUNT(*) AS events FROM sys.fn_xe_file_target_read_file(N'golden_kept*.xel', NULL, NULL, NULL)
GO
