-- The statement that runs, as monitors find it: of the module, with its offsets.
--@ source: reasoned
CREATE PROCEDURE dbo.inner_one AS
SELECT 1 AS one
SELECT SUBSTRING(t.text, r.statement_start_offset / 2 + 1, 40) AS running, DB_NAME(t.dbid) AS [database], OBJECT_NAME(t.objectid) AS object,
    CAST(SUBSTRING(r.sql_handle, 1, 1) AS int) AS kind
FROM sys.dm_exec_requests AS r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id = @@SPID
GO
--@ source: reasoned
CREATE PROCEDURE dbo.outer_one AS
EXEC dbo.inner_one
SELECT N'ä' AS a
SELECT SUBSTRING(t.text, r.statement_start_offset / 2 + 1, 40) AS running, OBJECT_NAME(t.objectid) AS object
FROM sys.dm_exec_requests AS r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id = @@SPID
GO
--@ source: documentation sys.dm_exec_requests
EXEC dbo.outer_one
SELECT SUBSTRING(t.text, r.statement_start_offset / 2 + 1, (r.statement_end_offset - r.statement_start_offset) / 2 + 1) AS running, t.objectid
FROM sys.dm_exec_requests AS r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id = @@SPID
SELECT 2 AS last
GO
--@ source: documentation sys.dm_exec_sql_text
EXEC sp_executesql N'SELECT t.text, r.statement_start_offset FROM sys.dm_exec_requests AS r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id = @@SPID AND @x = 1', N'@x int', 1
GO
--@ source: documentation sys.dm_exec_sessions
SELECT contained_availability_group_id FROM sys.dm_exec_sessions WHERE session_id = @@SPID
SELECT event_type, event_info FROM sys.dm_exec_input_buffer(@@SPID, NULL)
GO
--@ source: reasoned
DROP PROCEDURE dbo.outer_one, dbo.inner_one
GO
