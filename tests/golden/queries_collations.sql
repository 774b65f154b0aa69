-- Collations in comparisons, joins, groups, sorts and set operations; conflicts.
--@ source: reasoned
CREATE TABLE dbo.ql_t (id int NOT NULL PRIMARY KEY, ci varchar(10) NULL, bin varchar(10) COLLATE Latin1_General_BIN2 NULL, n nvarchar(10) NULL)
INSERT dbo.ql_t VALUES (1, 'abc', 'abc', N'abc'), (2, 'ABC', 'ABC', N'ABC'), (3, 'abc ', 'abc ', N'abc '), (4, 'b', 'b', N'b'), (5, '', '', N''), (6, NULL, NULL, NULL)
GO
--@ source: documentation COLLATE
SELECT id FROM dbo.ql_t WHERE ci = 'aBc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin = 'abc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin = 'aBc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE ci COLLATE Latin1_General_BIN2 = 'abc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin COLLATE SQL_Latin1_General_CP1_CI_AS = 'aBc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE ci = 'ABC' COLLATE Latin1_General_BIN2 ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin = ci COLLATE DATABASE_DEFAULT ORDER BY id
GO
--@ source: documentation Collation precedence
SELECT id FROM dbo.ql_t WHERE bin IN ('ABC', 'x') ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin LIKE 'A%' ORDER BY id
SELECT id FROM dbo.ql_t WHERE ci LIKE 'A%' ORDER BY id
SELECT id FROM dbo.ql_t WHERE bin BETWEEN 'A' AND 'Z' ORDER BY id
SELECT id, CASE bin WHEN 'ABC' THEN 1 ELSE 0 END AS c, CHARINDEX('B', bin) AS b, CHARINDEX('B', ci) AS i, REPLACE(bin, 'B', '-') AS r, REPLACE(ci, 'B', '-') AS s, NULLIF(bin, 'abc') AS n FROM dbo.ql_t ORDER BY id
DECLARE @v varchar(10) = 'aBC'
SELECT id FROM dbo.ql_t WHERE bin = @v
SELECT id FROM dbo.ql_t WHERE ci = @v ORDER BY id
GO
--@ source: message 448
SELECT ci COLLATE nope FROM dbo.ql_t
GO
--@ source: message 447
SELECT id COLLATE Latin1_General_BIN2 FROM dbo.ql_t
GO
--@ source: documentation Collation precedence
SELECT COUNT(*) AS n FROM dbo.ql_t a JOIN dbo.ql_t b ON a.ci = b.bin COLLATE DATABASE_DEFAULT
SELECT COUNT(*) AS n FROM dbo.ql_t a JOIN dbo.ql_t b ON a.ci COLLATE Latin1_General_BIN2 = b.bin
SELECT COUNT(*) AS n FROM (SELECT ci COLLATE Latin1_General_BIN2 AS x FROM dbo.ql_t UNION SELECT bin FROM dbo.ql_t) AS q
SELECT COUNT(*) AS n FROM (SELECT ci FROM dbo.ql_t UNION SELECT bin COLLATE DATABASE_DEFAULT FROM dbo.ql_t) AS q
GO
--@ source: documentation COLLATE
SELECT COUNT(DISTINCT ci) AS ci, COUNT(DISTINCT bin) AS bin, COUNT(DISTINCT n) AS n FROM dbo.ql_t WHERE id < 6
SELECT COUNT(*) AS k FROM dbo.ql_t GROUP BY ci ORDER BY ci
SELECT bin, COUNT(*) AS k FROM dbo.ql_t GROUP BY bin ORDER BY bin
SELECT id FROM dbo.ql_t WHERE id IN (1, 2, 4) ORDER BY bin
SELECT id FROM dbo.ql_t WHERE id IN (1, 2, 4) ORDER BY bin DESC
SELECT MIN(bin) AS lo, MAX(bin) AS hi FROM dbo.ql_t WHERE bin > ''
SELECT id, DENSE_RANK() OVER (ORDER BY ci) AS ci, DENSE_RANK() OVER (ORDER BY bin) AS bin FROM dbo.ql_t ORDER BY id
GO
--@ source: documentation LEN
-- Blanks at the end do not count in comparisons, but in LIKE.
SELECT id FROM dbo.ql_t WHERE bin = 'b    '
SELECT id FROM dbo.ql_t WHERE ci LIKE 'abc' ORDER BY id
SELECT id FROM dbo.ql_t WHERE ci LIKE 'abc ' ORDER BY id
SELECT id FROM dbo.ql_t WHERE ci = '  '
SELECT CASE WHEN N'a' = N'a  ' THEN 1 ELSE 0 END AS n, CASE WHEN 'a' COLLATE Latin1_General_BIN2 = 'a  ' THEN 1 ELSE 0 END AS b
GO
--@ source: documentation COLLATE
SELECT ci COLLATE Latin1_General_BIN2 AS x INTO dbo.ql_made FROM dbo.ql_t
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('dbo.ql_made')
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('dbo.ql_t') AND name IN ('ci', 'bin', 'n') ORDER BY column_id
DROP TABLE dbo.ql_made
GO
--@ source: reasoned
DROP TABLE dbo.ql_t
GO
