-- Rows as text and text as rows: FOR XML PATH, CAST to xml, STRING_SPLIT, GENERATE_SERIES; ORDER BY in special places.
SET NOCOUNT ON
GO
SELECT STUFF((SELECT ',' + name FROM sys.databases WHERE database_id < 5 ORDER BY name FOR XML PATH('')), 1, 1, '') AS l
GO
SELECT name, database_id, CAST('2024-02-29T13:14:15.123' AS datetime) AS at FROM sys.databases WHERE database_id < 3 FOR XML PATH('db'), ROOT('all')
GO
SELECT d.name, (SELECT f.name + '<&>' + CHAR(13) FROM sys.master_files f WHERE f.database_id = d.database_id ORDER BY f.file_id FOR XML PATH('')) AS files FROM sys.databases d WHERE database_id < 3
GO
SELECT (SELECT name FROM sys.databases WHERE 1 = 0 FOR XML PATH('')) AS n, (SELECT NULL AS a, 1 AS [b c] FOR XML RAW('r'), ELEMENTS) AS x
GO
SELECT name FROM sys.databases WHERE database_id < 3 ORDER BY name FOR XML AUTO
GO
SELECT (SELECT name FROM sys.databases WHERE database_id < 3 FOR XML PATH(''), TYPE)
GO
SELECT name AS [@a] FROM sys.databases WHERE database_id < 3 FOR XML PATH('x')
GO
SELECT value FROM STRING_SPLIT('a,b,c', ',')
GO
SELECT value FROM GENERATE_SERIES(1, 5) WHERE value % 2 = 1
GO
SELECT s.value, d.name FROM sys.databases d CROSS APPLY STRING_SPLIT(d.name, 'm') s WHERE d.database_id < 3
GO
SELECT * FROM STRING_SPLIT('a', 'bb')
GO
SELECT value FROM GENERATE_SERIES(1, 5, 0)
GO
SELECT TOP (1) WITH TIES name FROM sys.databases WHERE database_id < 5 ORDER BY CASE WHEN database_id < 3 THEN 0 ELSE 1 END
GO
DECLARE @a int, @b sysname; SELECT TOP 1 @a = compatibility_level, @b = name FROM sys.databases WHERE database_id < 5 ORDER BY name DESC, database_id ASC; SELECT @a, @b
GO
SELECT * FROM sys.query_store_plan
GO
SELECT * FROM sys.fn_get_audit_file(N'x', NULL, NULL)
GO
SELECT * FROM sys.dm_hadr_cluster
GO
SELECT * FROM sys.nothing
GO
SELECT * FROM dbo.dm_nothing
GO
SELECT CAST('https://www.sqlskills.com/help/waits/' + 'WRITELOG' AS xml) AS url, CAST(N'<a b="1">t</a>' AS xml) AS x
GO
SELECT CAST('<a>' AS xml)
GO
SELECT CAST('<a></b>' AS xml)
GO
SELECT CAST(1 AS xml)
GO
DECLARE @x xml
GO
SELECT sys.fn_varbintohexstr(0x00AB) AS a, master.dbo.fn_varbintohexstr(NULL) AS b
SELECT STRING_AGG(CAST(n AS varchar(5)), '+') WITHIN GROUP (ORDER BY n DESC) AS down, STRING_AGG(n, ',') AS plain FROM (VALUES (1), (NULL), (3), (2)) AS v(n)
GO
-- PIVOT: one row for each combination of the columns that it does not name.
SELECT * FROM (SELECT type_desc, database_id, CASE WHEN size > 0 THEN 1 END AS n FROM sys.master_files WHERE database_id <= 3) AS s PIVOT (SUM(n) FOR type_desc IN ([ROWS], [LOG], [OTHER])) AS p ORDER BY database_id
SELECT instance_name, CASE WHEN [Log File(s) Size (KB)] > 0 THEN 'yes' END AS log_size, CASE WHEN [Percent Log Used] >= 0 THEN 'yes' END AS used
FROM (SELECT RTRIM(counter_name) AS counter_name, RTRIM(instance_name) AS instance_name, cntr_value FROM sys.dm_os_performance_counters WHERE instance_name IN ('master', 'tempdb')) AS src
PIVOT (MAX(cntr_value) FOR counter_name IN ([Log File(s) Size (KB)], [Percent Log Used])) AS pvt ORDER BY instance_name
SELECT [1], [2], p.[3] FROM (VALUES (1, 10), (1, 20), (3, 5)) AS v(k, x) PIVOT (COUNT(x) FOR k IN ([1], [2], [3])) AS p
GO
SELECT * FROM (VALUES (1, 10, 2)) AS v(k, x, [2]) PIVOT (SUM(x) FOR k IN ([1], [2])) AS p
GO
SELECT * FROM (VALUES (1, 10)) AS v(k, x) PIVOT (nothing(x) FOR k IN ([1])) AS p
GO
-- Rows made of arguments.
SELECT value FROM GENERATE_SERIES(1, 3); SELECT value FROM GENERATE_SERIES(5, 1, -2); SELECT COUNT(*) FROM GENERATE_SERIES(1, 1000000)
GO
SELECT value FROM GENERATE_SERIES(1, 3, 0)
GO
SELECT value FROM GENERATE_SERIES(1.0, 3.0, 0.5)
GO
SELECT value FROM GENERATE_SERIES('1', '3')
GO
SELECT value, ordinal FROM STRING_SPLIT('a,b,,c', ',', 1) ORDER BY ordinal DESC
GO
SELECT * FROM STRING_SPLIT(N'x y', ' ', 0); SELECT * FROM STRING_SPLIT(CAST(NULL AS varchar(5)), ',')
GO
SELECT COUNT(*) AS parts, MAX(LEN(value)) AS longest FROM STRING_SPLIT(REPLICATE(CAST('x' AS varchar(max)), 9000) + ',y', ',')
GO
SELECT ordinal FROM STRING_SPLIT('a', ',')
GO
SELECT value FROM STRING_SPLIT('a', ',', 2)
GO
-- STRING_AGG: what it refuses.
SELECT STRING_AGG(v, v) FROM (VALUES ('a'), ('b')) AS t(v)
GO
SELECT STRING_AGG(DISTINCT v, ',') FROM (VALUES ('a'), ('b')) AS t(v)
GO
SELECT STRING_AGG(v, ',') OVER () FROM (VALUES ('a'), ('b')) AS t(v)
GO
SELECT STRING_AGG(v, CHAR(13) + CHAR(10)) FROM (VALUES ('a'), ('b')) AS t(v)
GO
SELECT STRING_AGG(REPLICATE('x', 100), ',') FROM GENERATE_SERIES(1, 100)
GO
SELECT LEN(STRING_AGG(CAST(REPLICATE('x', 100) AS varchar(max)), ',')) FROM GENERATE_SERIES(1, 100)
GO
SELECT CAST(1.5 AS money) AS m FOR XML PATH('r')
GO
SELECT 'a' + CHAR(1) AS m FOR XML PATH('r')
GO
-- The old form of a key's fill factor.
CREATE TABLE #f (a int PRIMARY KEY WITH FILLFACTOR = 77, b int, CONSTRAINT u UNIQUE (b) WITH FILLFACTOR = 66)
SELECT fill_factor FROM tempdb.sys.indexes WHERE object_id = OBJECT_ID('tempdb..#f') ORDER BY index_id
GO
