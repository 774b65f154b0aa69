-- xml, text, ntext and image are not compared, sorted, grouped, added or aggregated.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: reasoned
CREATE TABLE s (id int, t text, nt ntext, im image, x xml)
CREATE TABLE d (i int, m money, dt datetime, g uniqueidentifier, v varchar(20), n nvarchar(20), b varbinary(20), t text, im image, x xml)
INSERT s VALUES (1, '12', N'12', 0x41, '<a/>')
GO
--@ source: message 421
SELECT DISTINCT x FROM s
GO
--@ source: message 421
SELECT DISTINCT CAST(id AS int), CAST(nt AS ntext) FROM s
GO
--@ source: message 305
SELECT id FROM s ORDER BY x
GO
--@ source: message 306
SELECT id, t FROM s ORDER BY 2
GO
--@ source: message 306
SELECT t AS a FROM s UNION ALL SELECT t FROM s ORDER BY a
GO
--@ source: message 305
SELECT COUNT(*) FROM s GROUP BY x
GO
--@ source: message 306
SELECT COUNT(*) FROM s GROUP BY im
GO
--@ source: message 305
SELECT ROW_NUMBER() OVER (PARTITION BY x ORDER BY id) FROM s
GO
--@ source: message 306
SELECT ROW_NUMBER() OVER (ORDER BY t) FROM s
GO
--@ source: message 305
SELECT id FROM s WHERE x = x
GO
--@ source: message 402
SELECT id FROM s WHERE x = '<a/>'
GO
--@ source: message 402
SELECT id FROM s WHERE 'a' <> CAST('<a/>' AS xml)
GO
--@ source: message 206
SELECT id FROM s WHERE x > 1
GO
--@ source: message 305
SELECT IIF(x = x, 1, 0) FROM s
GO
--@ source: message 305
SELECT NULLIF(x, x) FROM s
GO
--@ source: message 305
SELECT a.id FROM s AS a JOIN s AS b ON a.x = b.x
GO
--@ source: message 402
SELECT id FROM s WHERE t = '12'
GO
--@ source: message 402
SELECT id FROM s WHERE nt = N'12'
GO
--@ source: message 402
SELECT id FROM s WHERE im = 0x41
GO
--@ source: message 402
SELECT id FROM s WHERE t = t
GO
--@ source: message 206
SELECT id FROM s WHERE t = 12
GO
--@ source: message 206
SELECT id FROM s WHERE im = t
GO
--@ source: message 402
SELECT id FROM s WHERE t IN ('12')
GO
--@ source: message 402
SELECT id FROM s WHERE '12' IN (SELECT nt FROM s)
GO
--@ source: message 402
SELECT id FROM s WHERE t > ALL (SELECT 'a')
GO
--@ source: message 402
SELECT id FROM s WHERE t BETWEEN 'a' AND 'b'
GO
--@ source: message 402
SELECT id FROM s WHERE t IS DISTINCT FROM 'a'
GO
--@ source: message 402
SELECT NULLIF(t, 'a') FROM s
GO
--@ source: message 402
SELECT CASE t WHEN 'a' THEN 1 END FROM s
GO
--@ source: message 402
SELECT a.id FROM s AS a JOIN s AS b ON a.t = b.t
GO
--@ source: message 402
UPDATE s SET id = 2 WHERE t = '12'
GO
--@ source: message 402
DELETE s WHERE nt = N'12'
GO
--@ source: message 402
IF EXISTS (SELECT * FROM s WHERE t = '12') PRINT 'there'
GO
--@ source: message 402
MERGE s USING (SELECT '12' AS k) AS q ON s.t = q.k WHEN MATCHED THEN DELETE;
GO
--@ source: message 5335
SELECT im FROM s UNION SELECT im FROM s
GO
--@ source: message 5335
SELECT x FROM s EXCEPT SELECT x FROM s
GO
--@ source: message 5335
SELECT t FROM s INTERSECT SELECT 'a'
GO
--@ source: message 402
SELECT t + 'b' FROM s
GO
--@ source: message 402
SELECT t + nt FROM s
GO
--@ source: message 402
SELECT x + 'a' FROM s
GO
--@ source: message 402
UPDATE s SET t += 'a'
GO
--@ source: message 8117
SELECT -t FROM s
GO
--@ source: message 8117
SELECT MAX(t) FROM s
GO
--@ source: message 8117
SELECT MIN(im) FROM s WHERE 1 = 0
GO
--@ source: message 8117
SELECT MAX(x) FROM s
GO
--@ source: message 8117
SELECT COUNT(t) FROM s
GO
--@ source: message 8117
SELECT COUNT(DISTINCT x) FROM s
GO
--@ source: message 8117
SELECT COUNT(DISTINCT t) FROM s
GO
--@ source: message 8117
SELECT MAX(nt) OVER (PARTITION BY id) FROM s
GO
--@ source: message 8117
SELECT AVG(x) FROM s
GO
--@ source: message 8116
SELECT STRING_AGG(x, ',') FROM s
GO
--@ source: message 8116
SELECT STRING_AGG(t, ',') FROM s
GO
--@ source: message 488
SELECT * FROM (SELECT id, t FROM s) AS q PIVOT (MAX(id) FOR id IN ([1])) AS p
GO
--@ source: message 8116
SELECT id FROM s WHERE x LIKE '%a%'
GO
--@ source: message 8116
SELECT id FROM s WHERE 'a' LIKE x
GO
--@ source: message 447
SELECT x COLLATE Latin1_General_BIN FROM s
GO
--@ source: message 447
SELECT im COLLATE Latin1_General_BIN FROM s
GO
--@ source: documentation ntext, text, and image
SELECT id, COUNT(*) FROM s WHERE t LIKE '1%' AND nt LIKE N'1%' AND t IS NOT NULL AND x IS NOT NULL GROUP BY id
SELECT COUNT(x), COUNT(*) FROM s
SELECT t FROM s UNION ALL SELECT 'a'
GO
--@ source: message 8116
SELECT LEN(t) FROM s
GO
--@ source: message 8116
SELECT UPPER(nt) FROM s
GO
--@ source: message 8116
SELECT LTRIM(im) FROM s
GO
--@ source: message 8116
SELECT REPLACE(t, '1', '2') FROM s
GO
--@ source: message 8116
SELECT LEFT(nt, 1) FROM s
GO
--@ source: message 8116
SELECT REVERSE(t) FROM s
GO
--@ source: message 8116
SELECT STUFF('abc', 1, 1, t) FROM s
GO
--@ source: message 8116
SELECT ISNUMERIC(t) FROM s
GO
--@ source: message 8116
SELECT HASHBYTES('MD5', t) FROM s
GO
--@ source: message 8116
SELECT CHECKSUM(id, t) FROM s
GO
--@ source: message 8116
SELECT GREATEST(t, t) FROM s
GO
--@ source: message 8116
SELECT LEN(CAST('a' AS text)) FROM s
GO
--@ source: message 8116
SELECT UPPER(ISNULL(t, 'a')) FROM s
GO
--@ source: message 8116
SELECT LEN(x) FROM s
GO
--@ source: message 8116
SELECT * FROM s CROSS APPLY STRING_SPLIT(CAST(t AS text), ',')
GO
--@ source: reasoned
SELECT CHARINDEX('A', im) FROM s
GO
--@ source: documentation SUBSTRING
SELECT BINARY_CHECKSUM(id, t) AS b, SUBSTRING(t, 1, 1) AS s1, SUBSTRING(nt, id, id) AS s2, SUBSTRING(im, 1, 4) AS s3 INTO parts FROM s
SELECT c.name, TYPE_NAME(c.system_type_id), c.max_length FROM sys.columns AS c WHERE object_id = OBJECT_ID('parts') ORDER BY c.column_id
SELECT * FROM parts
SELECT CHARINDEX('2', t), PATINDEX('%2%', nt), DATALENGTH(nt), DATALENGTH(im), CONCAT(t, nt), QUOTENAME(t) FROM s
SELECT CAST(t AS varchar(10)) + 'x', CAST(im AS varbinary(1)), CONVERT(nvarchar(max), nt), CAST(x AS nvarchar(20)) FROM s
GO
--@ source: reasoned
DROP TABLE s, d, parts
