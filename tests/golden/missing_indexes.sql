-- Indexes that plans would have used: sys.dm_db_missing_index_details and its relatives.
--@ source: reasoned
CREATE TABLE dbo.ordered (id int NOT NULL PRIMARY KEY, customer int NOT NULL, day date NOT NULL, total money NOT NULL, remark varchar(max) NULL)
INSERT dbo.ordered SELECT value, value % 50, DATEADD(day, value % 300, '2026-01-01'), value, NULL FROM GENERATE_SERIES(1, 2000)
GO
--@ source: reasoned
CREATE PROCEDURE dbo.asked @customer int AS SELECT total FROM dbo.ordered WHERE customer = @customer AND day > '2026-06-01'
GO
-- Each execution counts, and another statement with the same columns is another compilation.
--@ source: documentation sys.dm_db_missing_index_group_stats
SET NOCOUNT ON
DECLARE @n int = 0
WHILE @n < 3 BEGIN
  DECLARE @rows int
  CREATE TABLE #got (total money)
  INSERT #got EXEC dbo.asked @n
  DROP TABLE #got
  SET @n += 1
END
SELECT COUNT(*) AS n FROM (SELECT total FROM dbo.ordered WHERE day > '2026-07-01' AND 7 = customer) AS d
GO
-- What an index leads to asks for none, nor does what compares nothing, a value that no key has, or a temporary table.
--@ source: reasoned
SET NOCOUNT ON
SELECT total FROM dbo.ordered WHERE id = 7
SELECT COUNT(*) AS n FROM dbo.ordered
SELECT COUNT(*) AS n FROM dbo.ordered WHERE remark = 'x'
SELECT * INTO #copy FROM dbo.ordered
SELECT COUNT(*) AS n FROM #copy WHERE customer = 7
DROP TABLE #copy
GO
--@ source: documentation sys.dm_db_missing_index_details
SELECT d.equality_columns, d.inequality_columns, d.included_columns, d.statement, s.unique_compiles, s.user_seeks, s.user_scans,
  CASE WHEN s.avg_user_impact > 90 THEN 'much' END AS impact, CASE WHEN s.avg_total_user_cost > 0 THEN 'some' END AS cost,
  CASE WHEN s.last_user_seek BETWEEN DATEADD(minute, -10, GETDATE()) AND GETDATE() THEN 'now' END AS last, s.system_seeks
FROM sys.dm_db_missing_index_details AS d JOIN sys.dm_db_missing_index_groups AS g ON g.index_handle = d.index_handle
JOIN sys.dm_db_missing_index_group_stats AS s ON s.group_handle = g.index_group_handle
WHERE d.object_id = OBJECT_ID('dbo.ordered') AND d.database_id = DB_ID() ORDER BY d.index_handle
GO
--@ source: documentation sys.dm_db_missing_index_columns
SELECT c.column_id, c.column_name, c.column_usage FROM sys.dm_db_missing_index_details AS d
CROSS APPLY sys.dm_db_missing_index_columns(d.index_handle) AS c WHERE d.object_id = OBJECT_ID('dbo.ordered') AND d.database_id = DB_ID()
ORDER BY c.column_usage, c.column_id
SELECT COUNT(*) AS nothing FROM sys.dm_db_missing_index_columns(-1)
GO
-- The plan says it too.
--@ source: documentation sys.dm_exec_query_plan
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
SELECT p.query_plan.value('(//MissingIndex/@Table)[1]', 'nvarchar(60)') AS [table], p.query_plan.value('(//ColumnGroup/@Usage)[1]', 'nvarchar(60)') AS usage,
  p.query_plan.value('(//ColumnGroup/Column/@Name)[1]', 'nvarchar(60)') AS name, p.query_plan.value('count(//ColumnGroup)', 'int') AS groups
FROM sys.dm_exec_procedure_stats AS s CROSS APPLY sys.dm_exec_query_plan(s.plan_handle) AS p
WHERE s.object_id = OBJECT_ID('dbo.asked') AND s.database_id = DB_ID()
GO
-- With the index nothing is missing any more.
--@ source: documentation sys.dm_db_missing_index_details
CREATE INDEX by_customer ON dbo.ordered (customer, day) INCLUDE (total)
EXEC dbo.asked 100
SELECT COUNT(*) AS missing FROM sys.dm_db_missing_index_details WHERE object_id = OBJECT_ID('dbo.ordered') AND database_id = DB_ID()
GO
--@ source: reasoned
DROP PROCEDURE dbo.asked
DROP TABLE dbo.ordered
GO
