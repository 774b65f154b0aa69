-- What an event session cannot have.
--@ source: message 25623
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.no_such_event
GO
--@ source: message 25623
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (ACTION (sqlserver.no_such_action))
GO
--@ source: message 25623
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed ADD TARGET package0.no_such_target
GO
--@ source: message 25629
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (SET collect_nothing = 1)
GO
--@ source: message 25629
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed ADD TARGET package0.ring_buffer (SET max_size = 1)
GO
--@ source: message 25706
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (WHERE no_field = 1)
GO
--@ source: message 25706
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (WHERE sqlserver.no_source = 1)
GO
--@ source: message 25713
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlos.wait_info (WHERE wait_type = 'NO_SUCH_WAIT')
GO
--@ source: message 25630
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (WHERE duration = N'long')
GO
--@ source: message 25636
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (WHERE package0.equal_uint64(batch_text, 1))
GO
--@ source: message 25626
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed, ADD EVENT sqlserver.sql_batch_completed
GO
--@ source: message 25641
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed
    ADD TARGET package0.histogram (SET source_type = 0, source = N'no_field')
GO
--@ source: message 25642
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed ADD TARGET package0.histogram
GO
--@ source: message 25642
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed ADD TARGET package0.pair_matching
GO
--@ source: message 25650
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (SET collect_batch_text = 1, collect_batch_text = 0)
GO
--@ source: message 25651
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (SET collect_batch_text = 'maybe')
GO
--@ source: message 25701
CREATE EVENT SESSION #bad ON SERVER ADD EVENT sqlserver.sql_batch_completed
GO
--@ source: message 25702
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed WITH (STARTUP_STATE = ON, STARTUP_STATE = ON)
GO
--@ source: message 25703
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed WITH (EVENT_RETENTION_MODE = KEEP_ALL)
GO
--@ source: message 25640
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed WITH (MAX_MEMORY = 4 MB, MAX_EVENT_SIZE = 1 MB)
GO
--@ source: message 574
BEGIN TRANSACTION
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed
GO
--@ source: reasoned
IF @@TRANCOUNT > 0 ROLLBACK
-- Known to SQL Server, and not built here.
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.plan_guide_successful
GO
--@ source: reasoned
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed (ACTION (sqlserver.query_hash))
GO
--@ source: message 25703
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed WITH (MAX_DURATION = 5 WEEKS)
GO
--@ source: reasoned
CREATE EVENT SESSION bad ON DATABASE ADD EVENT sqlserver.sql_batch_completed
GO
--@ source: message 343
CREATE EVENT SESSION bad ON SERVER ADD EVENT sqlserver.sql_batch_completed DROP EVENT sqlserver.checkpoint_end
GO
--@ source: documentation sys.server_event_sessions
SELECT COUNT(*) AS bad FROM sys.server_event_sessions WHERE name LIKE '%bad'
GO
--@ source: documentation CREATE EVENT SESSION
CREATE EVENT SESSION twice ON SERVER ADD EVENT sqlserver.checkpoint_end
GO
--@ source: message 25625
ALTER EVENT SESSION twice ON SERVER ADD EVENT sqlserver.checkpoint_end
GO
--@ source: message 25653
ALTER EVENT SESSION twice ON SERVER DROP EVENT sqlserver.checkpoint_begin
GO
--@ source: documentation DROP EVENT SESSION
DROP EVENT SESSION twice ON SERVER
GO
--@ source: documentation sys.dm_xe_objects
SELECT p.name AS package, o.object_type, COUNT(*) AS objects FROM sys.dm_xe_objects o
    JOIN sys.dm_xe_packages p ON p.guid = o.package_guid WHERE o.object_type IN ('event', 'target') GROUP BY p.name, o.object_type
    ORDER BY 1, 2
SELECT c.column_id, c.name, c.type_name, c.column_type, c.column_value FROM sys.dm_xe_object_columns c
    WHERE c.object_name = 'sql_batch_completed' ORDER BY c.column_type DESC, c.column_id
SELECT c.name, c.capabilities_desc FROM sys.dm_xe_object_columns c WHERE c.object_name = 'histogram' ORDER BY c.column_id
SELECT map_key, map_value FROM sys.dm_xe_map_values WHERE name = 'lock_mode' AND map_key < 4 ORDER BY 1
SELECT COUNT(*) AS waits FROM sys.dm_xe_map_values WHERE name = 'wait_types' AND map_value IN ('WRITELOG', 'LCK_M_X')
GO
