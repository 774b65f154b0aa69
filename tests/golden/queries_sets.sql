-- UNION, EXCEPT and INTERSECT: precedence, duplicates, NULLs, ORDER BY, and what type a column of several queries has.
--@ source: reasoned
CREATE TABLE dbo.qu_a (i int NULL, s varchar(5) NULL)
CREATE TABLE dbo.qu_b (i int NULL, s nvarchar(8) NULL)
INSERT dbo.qu_a VALUES (1, 'a'), (1, 'a'), (2, 'B'), (NULL, NULL), (NULL, NULL), (3, 'c ')
INSERT dbo.qu_b VALUES (1, N'A'), (2, N'b'), (2, N'b'), (NULL, NULL), (4, N'd')
GO
--@ source: documentation UNION
SELECT i FROM dbo.qu_a UNION SELECT i FROM dbo.qu_b ORDER BY i
SELECT i FROM dbo.qu_a UNION ALL SELECT i FROM dbo.qu_b ORDER BY i DESC
SELECT COUNT(*) AS n FROM (SELECT i FROM dbo.qu_a UNION ALL SELECT i FROM dbo.qu_b UNION SELECT 9) AS q
SELECT COUNT(*) AS n FROM (SELECT i FROM dbo.qu_a UNION SELECT i FROM dbo.qu_b UNION ALL SELECT 1) AS q
GO
--@ source: documentation EXCEPT and INTERSECT
SELECT i FROM dbo.qu_a EXCEPT SELECT i FROM dbo.qu_b ORDER BY i
SELECT i FROM dbo.qu_b EXCEPT SELECT i FROM dbo.qu_a ORDER BY i
SELECT i FROM dbo.qu_a INTERSECT SELECT i FROM dbo.qu_b ORDER BY i
SELECT i, s FROM dbo.qu_b EXCEPT SELECT i, s FROM dbo.qu_a ORDER BY i
SELECT COUNT(*) AS n FROM (SELECT i, s FROM dbo.qu_a INTERSECT SELECT i, s FROM dbo.qu_b) AS q
SELECT i FROM dbo.qu_a EXCEPT SELECT i FROM dbo.qu_a
GO
--@ source: documentation EXCEPT and INTERSECT
-- INTERSECT binds closer than UNION and EXCEPT, which go from left to right.
SELECT 1 AS n UNION SELECT 2 INTERSECT SELECT 3
SELECT n FROM ((SELECT 1 AS n UNION SELECT 2) INTERSECT SELECT 2) AS q
SELECT 1 AS n UNION ALL SELECT 2 EXCEPT SELECT 1 ORDER BY n
SELECT 1 AS n UNION ALL (SELECT 2 EXCEPT SELECT 1) ORDER BY n
SELECT 1 AS n EXCEPT SELECT 1 UNION ALL SELECT 1
SELECT 1 AS n EXCEPT (SELECT 1 UNION ALL SELECT 1)
SELECT 5 AS n EXCEPT SELECT 5 INTERSECT SELECT 6
SELECT 1 AS n UNION ALL SELECT 1 UNION SELECT 1 UNION ALL SELECT 1
GO
--@ source: documentation UNION
-- The names are the first query's, and ORDER BY is the whole's.
SELECT i AS first, s FROM dbo.qu_a WHERE i = 3 UNION ALL SELECT i AS second, s FROM dbo.qu_b WHERE i = 4 ORDER BY first DESC, 2
SELECT i FROM dbo.qu_a WHERE i = 3 UNION ALL SELECT 0 ORDER BY 1
SELECT 'x' UNION ALL SELECT 'y' ORDER BY 1 DESC
(SELECT 2 AS a) UNION ALL (SELECT 1) ORDER BY a
GO
--@ source: message 156
SELECT i FROM dbo.qu_a ORDER BY i UNION SELECT i FROM dbo.qu_b
GO
--@ source: message 205
SELECT i, s FROM dbo.qu_a UNION SELECT i FROM dbo.qu_b
GO
--@ source: message 205
SELECT 1 INTERSECT SELECT 1, 2
GO
--@ source: message 205
SELECT * FROM dbo.qu_a EXCEPT SELECT i, s, i FROM dbo.qu_b
GO
--@ source: message 196
SELECT i FROM dbo.qu_a UNION SELECT i INTO #u FROM dbo.qu_b
GO
--@ source: documentation UNION
SELECT i, s INTO dbo.qu_made FROM dbo.qu_a UNION SELECT i, s FROM dbo.qu_b
SELECT c.name, t.name AS type, c.max_length, c.is_nullable FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.qu_made') ORDER BY c.column_id
SELECT COUNT(*) AS n FROM dbo.qu_made
DROP TABLE dbo.qu_made
GO
--@ source: message 156
SELECT 1 UNION DISTINCT SELECT 1
GO
--@ source: documentation Data type precedence
SELECT SQL_VARIANT_PROPERTY(x, 'BaseType') AS t, SQL_VARIANT_PROPERTY(x, 'Precision') AS p, SQL_VARIANT_PROPERTY(x, 'Scale') AS s, SQL_VARIANT_PROPERTY(x, 'MaxLength') AS l FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS tinyint) AS x UNION ALL SELECT CAST(2 AS smallint)) AS q WHERE q.x = 1) AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS int) AS x UNION ALL SELECT CAST(2 AS decimal(5,2))) AS q WHERE q.x = 1) AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS decimal(10,4)) AS x UNION ALL SELECT CAST(2 AS decimal(8,6))) AS q WHERE q.x = 1) AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST('a' AS char(3)) AS x UNION ALL SELECT CAST('b' AS varchar(5))) AS q WHERE q.x = 'a') AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST('2024-01-01' AS date) AS x UNION ALL SELECT CAST('2024-01-02' AS datetime2(3))) AS q WHERE q.x = '2024-01-01') AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS money) AS x UNION ALL SELECT CAST(2 AS int)) AS q WHERE q.x = 1) AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS real) AS x UNION ALL SELECT CAST(2 AS decimal(5,1))) AS q WHERE q.x = 1) AS w
UNION ALL SELECT SQL_VARIANT_PROPERTY(x, 'BaseType'), SQL_VARIANT_PROPERTY(x, 'Precision'), SQL_VARIANT_PROPERTY(x, 'Scale'), SQL_VARIANT_PROPERTY(x, 'MaxLength') FROM (SELECT CAST(q.x AS sql_variant) AS x FROM (SELECT CAST(1 AS bit) AS x UNION ALL SELECT CAST(0 AS bit)) AS q WHERE q.x = 1) AS w
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS money) AS a, CAST(1 AS int) AS b, ''abc'' AS d, NULL AS e, GETDATE() AS f, 0x01 AS g UNION ALL SELECT CAST(1 AS decimal(19,2)), CAST(1 AS bigint), N''abcdef'', 7, CAST(GETDATE() AS date), 0x010203', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS smallmoney) AS a, CAST(1 AS real) AS b, CAST(''a'' AS char(5)) AS c, CAST(''00:00'' AS time(3)) AS e, CAST(1 AS bit) AS f, NULL AS g UNION ALL SELECT CAST(1 AS int), CAST(1 AS float), CAST(''a'' AS nvarchar(3)), CAST(''00:00'' AS time(0)), 2, NULL', NULL, 0)
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
-- The same of CASE, COALESCE, ISNULL, IIF, NULLIF, CHOOSE.
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'DECLARE @i int SELECT CASE @i WHEN 1 THEN ''a'' WHEN 2 THEN N''bcd'' END AS b, COALESCE(@i, CAST(1 AS bigint)) AS c, ISNULL(CAST(NULL AS varchar(2)), ''abcdef'') AS d, IIF(@i = 1, CAST(1 AS money), 1) AS e, NULLIF(CAST(1 AS tinyint), 1000) AS f, CHOOSE(@i, 1, 2.5, CAST(3 AS float)) AS g, CASE WHEN 1 = 1 THEN NULL ELSE CAST(GETDATE() AS smalldatetime) END AS h, COALESCE(''a'', CAST(''b'' AS char(5))) AS k, ISNULL(NULL, CAST(1 AS smallint)) AS l', NULL, 0)
GO
--@ source: message 245
SELECT i, s FROM dbo.qu_a UNION ALL SELECT s, i FROM dbo.qu_b
GO
--@ source: reasoned
SELECT '7' AS x UNION ALL SELECT 1 ORDER BY x
SELECT 1 AS x UNION SELECT 1.00 UNION SELECT '1'
SELECT COUNT(*) AS n FROM (SELECT CAST(0.1 AS float) AS x UNION SELECT 0.1) AS q
GO
--@ source: message 206
SELECT CAST('20240101' AS date) AS x UNION ALL SELECT 1
GO
--@ source: message 206
SELECT NEWID() AS x UNION ALL SELECT 1
GO
--@ source: message 245
SELECT CASE WHEN i = 1 THEN i ELSE 'none' END AS x FROM dbo.qu_a
GO
--@ source: message 8133
SELECT CASE WHEN 1 = 1 THEN NULL ELSE NULL END
GO
--@ source: message 4127
SELECT COALESCE(NULL, NULL)
GO
--@ source: message 206
SELECT CASE WHEN 1 = 1 THEN 1 ELSE CAST('20240101' AS date) END
GO
--@ source: documentation UNION
-- TOP is each query's own, and its ORDER BY must be in a derived table.
SELECT TOP (1) i FROM dbo.qu_b UNION ALL SELECT TOP (1) 0 FROM dbo.qu_b ORDER BY i DESC
SELECT i FROM (SELECT TOP (1) i FROM dbo.qu_a ORDER BY i DESC) AS x UNION ALL SELECT i FROM (SELECT TOP (1) i FROM dbo.qu_b ORDER BY i DESC) AS y ORDER BY i
SELECT i FROM dbo.qu_a UNION SELECT i FROM dbo.qu_b ORDER BY i OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT i FROM dbo.qu_a GROUP BY i HAVING COUNT(*) > 1 UNION SELECT i FROM dbo.qu_b GROUP BY i HAVING COUNT(*) > 1 ORDER BY i
GO
--@ source: reasoned
INSERT dbo.qu_a (i) SELECT 77 UNION ALL SELECT 78 EXCEPT SELECT 77
SELECT i FROM dbo.qu_a WHERE i > 70
DELETE dbo.qu_a WHERE i IN (SELECT 77 UNION SELECT 78)
SELECT COUNT(*) AS n FROM dbo.qu_a WHERE EXISTS (SELECT i INTERSECT SELECT NULL)
SELECT (SELECT MAX(i) FROM (SELECT i FROM dbo.qu_a UNION ALL SELECT i FROM dbo.qu_b) AS q) AS m, (SELECT 1 UNION SELECT 1) AS one
GO
--@ source: message 512
SELECT (SELECT 1 UNION ALL SELECT 1) AS one
GO
--@ source: reasoned
DROP TABLE dbo.qu_a, dbo.qu_b
GO
