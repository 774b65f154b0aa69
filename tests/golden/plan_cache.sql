-- What the plan cache tells: executions of statements and modules, handles, and what makes plans go.
--@ source: reasoned
CREATE TABLE dbo.counted (id int NOT NULL PRIMARY KEY, v int NULL)
INSERT dbo.counted VALUES (1, 10), (2, 20), (3, NULL)
CREATE TABLE dbo.counted_log (id int NOT NULL)
GO
--@ source: reasoned
CREATE PROCEDURE dbo.counts @from int AS
SELECT id, v FROM dbo.counted WHERE id >= @from
IF EXISTS (SELECT * FROM dbo.counted WHERE v IS NULL) PRINT 'one'
UPDATE dbo.counted SET v = v + 1 WHERE id >= @from
GO
--@ source: reasoned
CREATE TRIGGER dbo.counted_changes ON dbo.counted AFTER UPDATE AS INSERT dbo.counted_log SELECT id FROM inserted
GO
--@ source: reasoned
CREATE FUNCTION dbo.doubled (@v int) RETURNS int AS BEGIN DECLARE @r int = 0, @i int = 0 WHILE @i < 2 BEGIN SET @r += @v SET @i += 1 END RETURN @r END
GO
--@ source: reasoned
EXEC dbo.counts 1
EXEC dbo.counts 2
EXEC dbo.counts 3
SELECT dbo.doubled(v) FROM dbo.counted
GO
--@ source: documentation sys.dm_exec_query_stats
SELECT execution_count, plan_generation_num, total_rows, last_rows, min_rows, max_rows, total_dop, total_clr_time,
    CASE WHEN total_elapsed_time >= max_elapsed_time AND max_elapsed_time >= last_elapsed_time AND last_elapsed_time >= min_elapsed_time THEN 1 ELSE 0 END AS elapsed,
    CASE WHEN total_elapsed_time >= total_worker_time AND total_worker_time > 0 THEN 1 ELSE 0 END AS worked,
    RTRIM(REPLACE(SUBSTRING(t.text, s.statement_start_offset / 2 + 1, (CASE s.statement_end_offset WHEN -1 THEN DATALENGTH(t.text) ELSE s.statement_end_offset END - s.statement_start_offset) / 2 + 1), CHAR(10), '')) AS statement
FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t
WHERE t.objectid IN (OBJECT_ID('dbo.counts'), OBJECT_ID('dbo.counted_changes')) AND t.dbid = DB_ID() ORDER BY OBJECT_NAME(t.objectid, t.dbid), s.statement_start_offset
GO
--@ source: documentation sys.dm_exec_procedure_stats
SELECT OBJECT_NAME(object_id, database_id) AS name, type, type_desc, execution_count, CASE WHEN total_elapsed_time >= total_worker_time THEN 1 ELSE 0 END AS worked
FROM sys.dm_exec_procedure_stats WHERE database_id = DB_ID() AND object_id = OBJECT_ID('dbo.counts')
SELECT OBJECT_NAME(object_id, database_id) AS name, type, type_desc, execution_count FROM sys.dm_exec_trigger_stats WHERE object_id = OBJECT_ID('dbo.counted_changes')
SELECT OBJECT_NAME(object_id, database_id) AS name, type, type_desc, execution_count FROM sys.dm_exec_function_stats WHERE object_id = OBJECT_ID('dbo.doubled')
GO
--@ source: documentation sys.dm_exec_cached_plans
SELECT p.objtype, p.cacheobjtype, p.usecounts, CASE WHEN p.size_in_bytes > 0 AND p.refcounts > 0 THEN 1 ELSE 0 END AS held, OBJECT_NAME(t.objectid, t.dbid) AS name
FROM sys.dm_exec_cached_plans AS p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) AS t
WHERE t.dbid = DB_ID() AND t.objectid IN (OBJECT_ID('dbo.counts'), OBJECT_ID('dbo.counted_changes'), OBJECT_ID('dbo.doubled')) ORDER BY name
GO
--@ source: documentation sys.dm_exec_plan_attributes
SELECT a.attribute, CAST(a.value AS int) AS value, a.is_cache_key FROM sys.dm_exec_procedure_stats AS s CROSS APPLY sys.dm_exec_plan_attributes(s.plan_handle) AS a
WHERE s.object_id = OBJECT_ID('dbo.counts') AND a.attribute IN ('set_options', 'dbid_execute', 'user_id', 'language_id', 'date_format', 'date_first', 'compat_level')
SELECT CASE WHEN a.value = OBJECT_ID('dbo.counts') THEN 1 ELSE 0 END AS own FROM sys.dm_exec_procedure_stats AS s CROSS APPLY sys.dm_exec_plan_attributes(s.plan_handle) AS a
WHERE s.object_id = OBJECT_ID('dbo.counts') AND a.attribute = 'objectid'
SELECT COUNT(*) FROM sys.dm_exec_plan_attributes(0x05)
SELECT COUNT(*) FROM sys.dm_exec_sql_text(0x0600)
GO
--@ source: reasoned
SELECT v FROM dbo.counted WHERE id = 1
GO
--@ source: reasoned
SELECT v  FROM dbo.COUNTED WHERE id = 2 -- two
GO
--@ source: reasoned
EXEC sp_executesql N'SELECT v AS prepared FROM dbo.counted WHERE id = @id', N'@id int', 3
EXEC sp_executesql N'SELECT v AS prepared FROM dbo.counted WHERE id = @id', N'@id int', 1
GO
-- Constants and spaces make no difference to the hash of a query, and its plan is the same.
--@ source: documentation sys.dm_exec_query_stats
SELECT COUNT(*) AS statements, SUM(s.execution_count) AS executions, COUNT(DISTINCT s.query_hash) AS hashes, COUNT(DISTINCT s.query_plan_hash) AS plan_hashes, COUNT(DISTINCT s.sql_handle) AS texts
FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.plan_handle) AS t WHERE t.text LIKE '%SELECT v %FROM dbo.counted WHERE id = [12]%' AND t.text NOT LIKE '%query_stats%'
SELECT p.objtype, p.usecounts, s.execution_count, t.text FROM sys.dm_exec_cached_plans AS p JOIN sys.dm_exec_query_stats AS s ON s.plan_handle = p.plan_handle
CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) AS t WHERE t.text LIKE '(@id int)SELECT v AS prepared%'
GO
-- Variables, the schema dbo and words that may be left out make no difference either; another column does. The last character of a statement is its end.
--@ source: reasoned
DECLARE @h int = -1
SELECT v AS hashed FROM dbo.counted WHERE id = @h ORDER BY v ASC;
SELECT v hashed FROM counted WHERE id = 5 ORDER BY v;
SELECT id hashed FROM counted WHERE id = 5 ORDER BY v;
GO
--@ source: documentation sys.dm_exec_query_stats
SELECT SUBSTRING(t.text, s.statement_start_offset / 2 + 1, (s.statement_end_offset - s.statement_start_offset) / 2 + 1) AS statement,
  COUNT(*) OVER (PARTITION BY s.query_hash) AS alike
FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t
WHERE t.text LIKE '%@h int = -1%' AND t.text NOT LIKE '%query_stats%' AND s.statement_end_offset > 0 ORDER BY s.statement_start_offset
GO
-- A request has the handles of what it runs.
--@ source: documentation sys.dm_exec_requests
SELECT COUNT(*) AS own FROM sys.dm_exec_requests AS r CROSS APPLY sys.dm_exec_sql_text(r.plan_handle) AS t CROSS APPLY sys.dm_exec_plan_attributes(r.plan_handle) AS a
WHERE r.session_id = @@SPID AND a.attribute = 'sql_handle' AND CAST(a.value AS varbinary(64)) = r.sql_handle AND t.text LIKE '%SELECT COUNT(*) AS own%'
GO
-- A failure counts, and so does each FETCH of a cursor that reads as it goes.
--@ source: message 8134
SELECT 1 / v AS failing FROM dbo.counted
UPDATE dbo.counted SET v = 0 WHERE id = 3
SELECT 1 / v AS failing FROM dbo.counted
GO
--@ source: reasoned
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT id FROM dbo.counted WHERE id < 3
DECLARE @id int
OPEN c
FETCH NEXT FROM c INTO @id
WHILE @@FETCH_STATUS = 0 FETCH NEXT FROM c INTO @id
GO
--@ source: reasoned
SELECT s.execution_count, s.total_rows FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t WHERE t.text LIKE '%AS failing%' AND t.text NOT LIKE '%query_stats%' ORDER BY s.statement_start_offset
SELECT s.execution_count, s.total_rows, s.max_rows FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t WHERE t.text LIKE '%FAST_FORWARD FOR SELECT id FROM dbo.counted%' AND t.text NOT LIKE '%query_stats%'
GO
-- A plan that is made anew begins anew.
--@ source: documentation sys.dm_exec_query_stats
ALTER TABLE dbo.counted ADD w int NULL
EXEC dbo.counts 3
SELECT s.execution_count, s.plan_generation_num FROM sys.dm_exec_query_stats AS s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS t WHERE t.objectid = OBJECT_ID('dbo.counts') AND t.dbid = DB_ID() ORDER BY s.statement_start_offset
SELECT execution_count FROM sys.dm_exec_procedure_stats WHERE object_id = OBJECT_ID('dbo.counts') AND database_id = DB_ID()
GO
--@ source: documentation sp_recompile
EXEC sp_recompile 'dbo.counts'
SELECT COUNT(*) AS plans FROM sys.dm_exec_procedure_stats WHERE object_id = OBJECT_ID('dbo.counts') AND database_id = DB_ID()
SELECT COUNT(*) AS plans FROM sys.dm_exec_trigger_stats WHERE object_id = OBJECT_ID('dbo.counted_changes')
EXEC sp_recompile 'dbo.counted_log'
SELECT COUNT(*) AS plans FROM sys.dm_exec_trigger_stats WHERE object_id = OBJECT_ID('dbo.counted_changes')
GO
--@ source: documentation DBCC FREEPROCCACHE
DECLARE @handle varbinary(64) = (SELECT plan_handle FROM sys.dm_exec_function_stats WHERE object_id = OBJECT_ID('dbo.doubled') AND database_id = DB_ID())
DBCC FREEPROCCACHE (@handle) WITH NO_INFOMSGS
SELECT COUNT(*) AS plans FROM sys.dm_exec_function_stats WHERE object_id = OBJECT_ID('dbo.doubled') AND database_id = DB_ID()
SELECT COUNT(*) AS plans FROM sys.dm_exec_sql_text(@handle)
DBCC FREEPROCCACHE (0x0102) WITH NO_INFOMSGS
GO
--@ source: message 2560
DBCC FREEPROCCACHE (nowhere)
GO
--@ source: reasoned
DROP TABLE dbo.counted, dbo.counted_log
DROP PROCEDURE dbo.counts
DROP FUNCTION dbo.doubled
