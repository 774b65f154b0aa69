-- Rows as text and text as rows: FOR XML PATH, CAST to xml, STRING_SPLIT, GENERATE_SERIES; ORDER BY in special places.
SET NOCOUNT ON
GO
SELECT STUFF((SELECT ',' + name FROM sys.databases WHERE database_id < 5 ORDER BY name FOR XML PATH('')), 1, 1, '') AS l
GO
SELECT name, database_id, CAST('2024-02-29T13:14:15.123' AS datetime) AS at FROM sys.databases WHERE database_id < 3 FOR XML PATH('db'), ROOT('all')
GO
SELECT d.name, (SELECT f.name + '<&>' + CHAR(13) FROM sys.master_files f WHERE f.database_id = d.database_id ORDER BY f.file_id FOR XML PATH('')) AS files FROM sys.databases d WHERE database_id < 3
GO
SELECT (SELECT name FROM sys.databases WHERE 1 = 0 FOR XML PATH('')) AS n, (SELECT NULL AS a, 1 AS [b c] FOR XML PATH('r')) AS x
GO
SELECT name FROM sys.databases FOR XML AUTO
GO
SELECT (SELECT name FROM sys.databases FOR XML PATH(''), TYPE)
GO
SELECT name AS [@a] FROM sys.databases FOR XML PATH('x')
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
DECLARE @a int, @b sysname; SELECT TOP 1 @a = database_id, @b = name FROM sys.databases ORDER BY name DESC, database_id ASC; SELECT @a, @b
GO
SELECT * FROM sys.traces
GO
SELECT * FROM sys.fn_trace_gettable(NULL, DEFAULT)
GO
SELECT * FROM sys.dm_xe_sessions
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
