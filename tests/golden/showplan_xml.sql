-- SET SHOWPLAN_XML and the plans of the cache as XML; SET STATISTICS PROFILE.
--@ source: reasoned
CREATE TABLE dbo.s(id int NOT NULL CONSTRAINT pk_s PRIMARY KEY, v int NULL, w varchar(10) NULL);
CREATE INDEX ix_v ON dbo.s (v);
INSERT dbo.s VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c');
GO
--@ source: reasoned
CREATE PROCEDURE dbo.shown @id int AS IF @id > 0 SELECT v FROM dbo.s WHERE id = @id ELSE DELETE dbo.s
GO
--@ source: documentation SET SHOWPLAN_XML
SET SHOWPLAN_XML ON
GO
--@ source: documentation SET SHOWPLAN_XML
-- One document for the batch.
SELECT v FROM dbo.s WHERE id = 2
PRINT 'a<b & "c"'
GO
--@ source: documentation SET SHOWPLAN_XML
IF EXISTS (SELECT 1 FROM dbo.s WHERE w = 'x') UPDATE dbo.s SET v = 0 WHERE v = 10 ELSE USE tempdb
GO
--@ source: reasoned
EXEC dbo.shown 1
GO
--@ source: documentation SET SHOWPLAN_XML
-- A table that would only now be made is not there, and the batch has no document.
CREATE TABLE dbo.not_made (id int)
SELECT id FROM dbo.not_made
GO
--@ source: documentation SET SHOWPLAN_XML
SET SHOWPLAN_XML OFF
GO
--@ source: reasoned
SELECT COUNT(*) AS rows_left, DB_NAME() AS still, OBJECT_ID('dbo.not_made') AS made FROM dbo.s
GO
--@ source: message 1067
SET SHOWPLAN_XML ON
SELECT 1
GO
--@ source: message 1067
CREATE PROCEDURE dbo.shows AS SET SHOWPLAN_XML ON
GO
--@ source: message 1067
EXEC ('SET SHOWPLAN_XML ON')
GO
--@ source: reasoned
EXEC dbo.shown 2
GO
--@ source: documentation sys.dm_exec_query_plan
-- Both branches are planned before the first statement runs.
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
SELECT p.encrypted, p.number, p.query_plan.value('count(//StmtCond)', 'int') AS conditions,
  p.query_plan.value('(//StmtSimple/@StatementText)[1]', 'nvarchar(100)') AS first_text,
  p.query_plan.value('(//RelOp/@PhysicalOp)[1]', 'nvarchar(60)') AS operator,
  p.query_plan.value('(//Object/@Index)[1]', 'nvarchar(60)') AS [index],
  p.query_plan.value('(//Prefix/@ScanType)[1]', 'nvarchar(10)') AS seek,
  p.query_plan.value('(//ParameterList/ColumnReference/@Column)[1]', 'nvarchar(60)') AS parameter,
  p.query_plan.value('count(//QueryPlan)', 'int') AS plans
FROM sys.dm_exec_procedure_stats AS s CROSS APPLY sys.dm_exec_query_plan(s.plan_handle) AS p
WHERE s.object_id = OBJECT_ID('dbo.shown') AND s.database_id = DB_ID()
GO
--@ source: documentation sys.dm_exec_text_query_plan
SELECT LEFT(p.query_plan, 96) AS begins, CAST(p.query_plan AS xml).value('count(//*:StmtSimple)', 'int') AS statements
FROM sys.dm_exec_procedure_stats AS s CROSS APPLY sys.dm_exec_text_query_plan(s.plan_handle, DEFAULT, DEFAULT) AS p
WHERE s.object_id = OBJECT_ID('dbo.shown') AND s.database_id = DB_ID()
GO
--@ source: documentation sys.dm_exec_text_query_plan
SELECT COUNT(*) AS nothing FROM sys.dm_exec_text_query_plan(0x06, 0, -1)
SELECT COUNT(*) AS nothing FROM sys.dm_exec_query_plan(NULL)
GO
--@ source: message 313
SELECT * FROM sys.dm_exec_query_plan()
GO
--@ source: documentation sys.dm_exec_query_plan
SELECT name, TYPE_NAME(system_type_id) AS type, is_nullable FROM sys.all_columns WHERE object_id = OBJECT_ID('sys.dm_exec_query_plan')
ORDER BY column_id
GO
--@ source: documentation SET STATISTICS PROFILE
SET STATISTICS PROFILE ON
GO
--@ source: documentation SET STATISTICS PROFILE
SELECT w FROM dbo.s WHERE id >= 2 ORDER BY w DESC
GO
--@ source: documentation SET STATISTICS PROFILE
-- Neither has a plan.
DECLARE @n int = 1
PRINT @n
GO
--@ source: documentation SET STATISTICS PROFILE
-- The statement of the procedure tells its own.
EXEC dbo.shown 3
SET STATISTICS PROFILE OFF
SELECT 'quiet' AS now
GO
--@ source: reasoned
CREATE USER nobody_there WITHOUT LOGIN
GRANT SELECT ON dbo.s TO nobody_there
GO
--@ source: message 262
EXECUTE AS USER = 'nobody_there'
GO
--@ source: message 262
SET SHOWPLAN_XML ON
GO
--@ source: documentation SET STATISTICS XML
-- Without the permission the statement does not run; a SET needs none.
SET STATISTICS XML ON
SELECT v FROM dbo.s WHERE id = 1
SET STATISTICS XML OFF
SELECT v FROM dbo.s WHERE id = 1
GO
--@ source: reasoned
REVERT
DROP USER nobody_there
DROP PROCEDURE dbo.shown
DROP TABLE dbo.s
GO
