-- Pairs, histograms of actions, and predicates that count.
--@ source: message 156
CREATE EVENT SESSION pairs ON SERVER
    ADD EVENT sqlserver.sql_statement_starting (WHERE statement LIKE 'SELECT 1 AS a%')
    ADD TARGET package0.ring_buffer
GO
--@ source: documentation CREATE EVENT SESSION
CREATE EVENT SESSION pairs ON SERVER
    ADD EVENT sqlserver.sql_statement_starting (ACTION (sqlserver.session_id) WHERE sqlserver.like_i_sql_unicode_string(statement, N'SELECT 1 AS a%')),
    ADD EVENT sqlserver.sql_statement_completed (ACTION (sqlserver.session_id) WHERE sqlserver.like_i_sql_unicode_string(statement, N'SELECT 1 AS a%')
        AND NOT (sqlserver.like_i_sql_unicode_string(statement, N'%never%'))),
    ADD EVENT sqlserver.sql_batch_starting (ACTION (sqlserver.session_server_principal_name) WHERE batch_text <> N'' AND package0.counter <= 2)
    ADD TARGET package0.pair_matching (SET begin_event = N'sqlserver.sql_statement_starting', begin_matching_columns = N'line_number',
        begin_matching_actions = N'sqlserver.session_id', end_event = N'sqlserver.sql_statement_completed', end_matching_columns = N'line_number',
        end_matching_actions = N'sqlserver.session_id'),
    ADD TARGET package0.histogram (SET filtering_event_name = N'sqlserver.sql_batch_starting', source_type = 1,
        source = N'sqlserver.session_server_principal_name')
ALTER EVENT SESSION pairs ON SERVER STATE = START
GO
--@ source: reasoned
SELECT 1 AS a
SELECT 1 AS a, 'never' AS b
GO
--@ source: reasoned
SELECT t.target_name, LEFT(t.target_data, 92) AS data FROM sys.dm_xe_session_targets t JOIN sys.dm_xe_sessions s ON s.address = t.event_session_address
    WHERE s.name = 'pairs' ORDER BY 1
GO
--@ source: documentation DROP EVENT SESSION
DROP EVENT SESSION pairs ON SERVER
GO
