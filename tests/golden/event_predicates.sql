-- Predicates as the views show them: as text, and as XML.
--@ source: documentation sys.server_event_session_events
CREATE EVENT SESSION choosy ON SERVER
    ADD EVENT sqlserver.sql_batch_completed (WHERE duration > 15 AND (sqlserver.database_name = N'a<b' OR NOT package0.equal_uint64(cpu_time, 3)) AND package0.counter <= 100),
    ADD EVENT sqlserver.error_reported (WHERE error_number = 208),
    ADD EVENT sqlos.wait_info (WHERE wait_type = 'WRITELOG' AND sqlserver.is_system = 0),
    ADD EVENT sqlserver.checkpoint_end
    ADD TARGET package0.event_counter
GO
--@ source: reasoned
SELECT e.name, e.predicate, e.predicate_xml FROM sys.server_event_session_events e JOIN sys.server_event_sessions s ON s.event_session_id = e.event_session_id WHERE s.name = 'choosy' ORDER BY e.event_id
GO
--@ source: documentation sys.dm_xe_session_events
ALTER EVENT SESSION choosy ON SERVER STATE = START
SELECT e.event_name, CAST(e.event_predicate AS xml).value('count(//leaf)', 'int') AS leaves, CAST(e.event_predicate AS xml).value('(//leaf/comparator/@name)[1]', 'sysname') AS comparator,
    CAST(e.event_predicate AS xml).value('(//leaf/event/@field)[1]', 'sysname') AS field, CAST(e.event_predicate AS xml).value('(//leaf/global/@name)[1]', 'sysname') AS source
FROM sys.dm_xe_session_events e JOIN sys.dm_xe_sessions s ON s.address = e.event_session_address WHERE s.name = 'choosy'
GO
--@ source: documentation sys.dm_xe_objects
-- Each comparator is one that there is.
SELECT COUNT(*) AS unknown FROM sys.server_event_session_events e CROSS APPLY (SELECT CAST(e.predicate_xml AS xml) AS x) p CROSS APPLY x.nodes('//comparator') AS n(c)
WHERE NOT EXISTS (SELECT * FROM sys.dm_xe_objects o JOIN sys.dm_xe_packages k ON k.guid = o.package_guid WHERE o.object_type = 'pred_compare' AND o.name = c.value('@name', 'sysname') AND k.name = c.value('@package', 'sysname'))
DROP EVENT SESSION choosy ON SERVER
GO
