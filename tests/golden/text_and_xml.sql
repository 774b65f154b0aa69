-- xml, text, ntext and image keep their types, and are converted by the rules of all others.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: reasoned
CREATE TABLE s (id int, t text, nt ntext, im image, x xml)
CREATE TABLE d (i int, m money, dt datetime, g uniqueidentifier, v varchar(20), n nvarchar(20), b varbinary(20), t text, im image, x xml)
INSERT s VALUES (1, '12', N'12', 0x41, '<a/>')
GO
--@ source: documentation SELECT INTO
SELECT t, im, nt, x INTO s5 FROM s
SELECT CAST('a' AS text) AS t, CAST(N'a' AS ntext) AS n, CAST('abc' AS image) AS i, CAST('<a/>' AS xml) AS x,
    ISNULL(t, 'x') AS t2, COALESCE(im, 0x00) AS i2, CASE WHEN 1 = 1 THEN nt ELSE t END AS n2, IIF(1 = 0, 'a', t) AS t3,
    (SELECT t FROM s) AS t4, LAG(t) OVER (ORDER BY id) AS t5 INTO s6 FROM s
SELECT OBJECT_NAME(object_id), name, TYPE_NAME(system_type_id), max_length FROM sys.columns
WHERE object_id IN (OBJECT_ID('s5'), OBJECT_ID('s6')) ORDER BY OBJECT_NAME(object_id), column_id
SELECT * FROM s6
GO
--@ source: reasoned
CREATE VIEW vt AS SELECT t, nt, im, x FROM s UNION ALL SELECT t, nt, im, x FROM s
GO
--@ source: reasoned
WITH c AS (SELECT t, nt, x FROM (SELECT * FROM vt) AS q) SELECT * INTO s7 FROM c
SELECT OBJECT_NAME(object_id), name, TYPE_NAME(system_type_id) FROM sys.columns
WHERE object_id IN (OBJECT_ID('vt'), OBJECT_ID('s7')) ORDER BY OBJECT_NAME(object_id), column_id
EXEC sp_refreshview 'vt'
SELECT name, TYPE_NAME(system_type_id) FROM sys.columns WHERE object_id = OBJECT_ID('vt') ORDER BY column_id
GO
--@ source: reasoned
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS int) AS a, CAST(''a'' AS text) AS b, ISNULL(im, 0x00) AS c, (SELECT x FROM s) AS d FROM s', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT t, nt, im, x FROM vt UNION ALL SELECT CAST(''a'' AS varchar(9)), N''a'', 0x00, ''<a/>''', NULL, 0)
GO
--@ source: reasoned
CREATE PROCEDURE pt @t text, @n ntext, @x xml AS SELECT @t AS t, @n AS n, DATALENGTH(@n) AS l, @x AS x
GO
--@ source: reasoned
EXEC pt 'abc', N'abc', '<a></a>'
EXEC pt @t = 'abc', @n = 'abc', @x = 0x3C612F3E
GO
--@ source: message 206
EXEC pt 5, N'a', NULL
GO
--@ source: message 8116
EXEC sp_executesql N'SELECT LEN(@t)', N'@t ntext', N'abc'
GO
--@ source: reasoned
WITH r AS (SELECT 1 AS n, CAST('a' AS text) AS t UNION ALL SELECT n + 1, t FROM r WHERE n < 3) SELECT n, t FROM r
GO
--@ source: documentation CAST and CONVERT
INSERT d (i) SELECT t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (m) SELECT nt FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (i) SELECT im FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (dt) SELECT t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (g) SELECT im FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (im) SELECT t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (t) SELECT im FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (im) SELECT nt FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (b) SELECT nt FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (v) SELECT im FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (n) SELECT t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (v) SELECT nt FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (x) SELECT t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (x) SELECT im FROM s
GO
--@ source: documentation CAST and CONVERT
UPDATE d SET i = s.t FROM s
GO
--@ source: documentation CAST and CONVERT
MERGE d USING s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (m) VALUES (s.im);
GO
--@ source: documentation CAST and CONVERT
DECLARE @t TABLE (g uniqueidentifier)
INSERT @t SELECT nt FROM s
GO
--@ source: documentation CAST and CONVERT
DECLARE @i int
SELECT @i = t FROM s
GO
--@ source: documentation CAST and CONVERT
INSERT d (v, n, t) SELECT t, nt, nt FROM s
INSERT d (im, b) SELECT 'ab', im FROM s
SELECT v, n, t, im, b FROM d
DELETE d
GO
--@ source: documentation CAST and CONVERT
INSERT d (x) EXEC('SELECT GETDATE()')
GO
--@ source: documentation CAST and CONVERT
INSERT d (t) EXEC('SELECT 5')
GO
--@ source: documentation CAST and CONVERT
INSERT d (t) EXEC('SELECT 1.5e0')
GO
--@ source: documentation CAST and CONVERT
INSERT d (im) EXEC('SELECT $1')
GO
--@ source: documentation CAST and CONVERT
INSERT d (im) EXEC('SELECT N''a''')
GO
--@ source: documentation CAST and CONVERT
INSERT d (x) EXEC('SELECT NEWID()')
GO
--@ source: documentation CAST and CONVERT
INSERT d (v) EXEC('SELECT x FROM s')
GO
--@ source: documentation CAST and CONVERT
INSERT d (n) EXEC('SELECT t FROM s')
GO
--@ source: documentation CAST and CONVERT
INSERT d (v) EXEC('SELECT im FROM s')
GO
--@ source: documentation CAST and CONVERT
INSERT d (i) EXEC('SELECT nt FROM s WHERE 1 = 0')
GO
--@ source: documentation CAST and CONVERT
INSERT d (im) EXEC('SELECT ''ab''')
INSERT d (x) EXEC('SELECT ''<b></b>''')
INSERT d (x) EXEC('SELECT x FROM s')
INSERT d (v) EXEC('SELECT t FROM s')
INSERT d (t, b) EXEC('SELECT nt, im FROM s')
SELECT v, t, im, b, x FROM d
DELETE d
GO
--@ source: message 9400
INSERT d (x) EXEC('SELECT ''<b>''')
GO
--@ source: documentation CAST and CONVERT
INSERT d (x) VALUES (0x3C612F3E)
INSERT d (x) SELECT CAST(0x3C622F3E AS varbinary(max))
INSERT d (x) EXEC('SELECT 0x3C632F3E')
DECLARE @x xml = 0x3C642F3E
INSERT d (x) VALUES (@x)
SET @x = CAST(0x3C652F3E AS binary(4))
SELECT @x
SELECT x FROM d
UPDATE d SET x = 0xFFFE3C0066002F003E00
SELECT TOP (1) x FROM d
DELETE d
GO
--@ source: message 529
SELECT CAST(1 AS text)
GO
--@ source: message 529
SELECT CAST(1.5 AS ntext)
GO
--@ source: message 529
SELECT CAST(GETDATE() AS text)
GO
--@ source: message 529
SELECT CAST(0x41 AS text)
GO
--@ source: message 529
SELECT CAST(NEWID() AS ntext)
GO
--@ source: message 529
SELECT CAST(CAST(1 AS bit) AS text)
GO
--@ source: message 529
SELECT CAST(GETDATE() AS image)
GO
--@ source: message 529
SELECT CAST(N'a' AS image)
GO
--@ source: message 529
SELECT CAST(1.5 AS image)
GO
--@ source: message 529
SELECT CAST(CAST('5' AS text) AS int)
GO
--@ source: message 529
SELECT CAST(CAST('5' AS text) AS datetime)
GO
--@ source: message 529
SELECT CAST(CAST('5' AS ntext) AS money)
GO
--@ source: message 529
SELECT CAST(CAST(1 AS image) AS int)
GO
--@ source: message 529
SELECT CAST(CAST('a' AS image) AS varchar(9))
GO
--@ source: message 529
SELECT CAST(CAST('<a/>' AS xml) AS text)
GO
--@ source: message 529
SELECT CAST(CAST('<a/>' AS xml) AS int)
GO
--@ source: message 529
SELECT TRY_CAST(1 AS text), TRY_CONVERT(int, CAST('5' AS text))
GO
--@ source: documentation CAST and CONVERT
SELECT CAST(CAST(CAST('5' AS text) AS varchar(9)) AS int), CAST(CAST('a' AS text) AS ntext), CAST(NULL AS text), CAST(CAST(0x41 AS image) AS binary(2)), CAST(5 AS image)
GO
--@ source: message 16922
DECLARE c CURSOR FOR SELECT t FROM s
DECLARE @i int
OPEN c
FETCH c INTO @i
GO
--@ source: reasoned
DECLARE @v varchar(10), @x xml
DEALLOCATE c
DECLARE c CURSOR FOR SELECT t, x FROM s
OPEN c
FETCH c INTO @v, @x
SELECT @v, @x
DEALLOCATE c
GO
--@ source: message 8170
CREATE TABLE v2 (v varchar(2), n nchar(4))
INSERT v2 VALUES (NEWID(), NULL)
GO
--@ source: message 8170
INSERT v2 VALUES ('a', 'b')
UPDATE v2 SET n = NEWID()
GO
--@ source: message 8170
INSERT v2 (v) SELECT NEWID()
GO
--@ source: message 8170
DECLARE @v varchar(2) = NEWID()
GO
--@ source: reasoned
DROP VIEW vt
DROP PROCEDURE pt
DROP TABLE s, d, s5, s6, s7, v2
