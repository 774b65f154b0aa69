-- Where texts of two collations meet, and what says so.
--@ source: reasoned
CREATE TABLE t (id int NOT NULL PRIMARY KEY, ci varchar(10), bin varchar(10) COLLATE Latin1_General_BIN2, nci nvarchar(10), nbin nvarchar(10) COLLATE Latin1_General_BIN2)
INSERT t VALUES (1, 'a', 'a', N'a', N'a'), (2, 'B', 'b', N'B', N'b')
GO
--@ source: message 468
SELECT id FROM t WHERE ci = bin
GO
--@ source: message 468
SELECT id FROM t WHERE UPPER(ci) = bin
GO
--@ source: message 468
SELECT id FROM t WHERE ci IN (bin, 'a')
GO
--@ source: message 468
SELECT a.id FROM t a JOIN t b ON a.ci < b.bin
GO
--@ source: message 468
SELECT id FROM t WHERE ci LIKE bin
GO
--@ source: message 468
SELECT id FROM t WHERE ci IN (SELECT bin FROM t)
GO
--@ source: message 468
SELECT 1 WHERE 'a' COLLATE Latin1_General_BIN2 = 'A' COLLATE SQL_Latin1_General_CP1_CI_AS
GO
--@ source: message 468
SELECT ci FROM t UNION SELECT bin FROM t
GO
--@ source: message 468
SELECT ci FROM t INTERSECT SELECT bin FROM t
GO
--@ source: message 468
SELECT ci FROM t EXCEPT SELECT bin FROM t
GO
--@ source: message 468
SELECT id FROM t WHERE EXISTS (SELECT ci INTERSECT SELECT bin)
GO
--@ source: message 457
SELECT ci FROM t UNION ALL SELECT bin FROM t
GO
--@ source: message 457
SELECT ci + bin AS x FROM t ORDER BY x
GO
--@ source: message 457
SELECT CASE WHEN id = 1 THEN ci ELSE bin END FROM t
GO
--@ source: message 457
SELECT IIF(id = 1, ci, bin) FROM t
GO
--@ source: message 457
SELECT COALESCE(ci, bin) FROM t
GO
--@ source: message 457
INSERT t (id, ci) SELECT id + 10, ci + bin FROM t
GO
--@ source: message 451
SELECT id, nci + nbin FROM t
GO
--@ source: message 451
SELECT CASE WHEN id = 1 THEN nci ELSE nbin END FROM t
GO
--@ source: message 451
SELECT nci FROM t UNION ALL SELECT nbin FROM t
GO
--@ source: message 451
SELECT id FROM t ORDER BY nci + nbin
GO
--@ source: message 451
SELECT CONCAT(ci, bin) FROM t
GO
--@ source: message 4191
SELECT id FROM t WHERE LEN(nci + nbin) = 2
GO
--@ source: message 4191
SELECT id FROM t WHERE nci + nbin = N'aa'
GO
--@ source: message 4191
SELECT MAX(nci + nbin) FROM t
GO
--@ source: message 446
SELECT CAST(nci + nbin AS varchar(20)) FROM t
GO
--@ source: message 468
SELECT CHARINDEX(ci, bin) FROM t
GO
--@ source: documentation Collation precedence
-- What is written wins, a literal or a variable gives way, and COLLATE settles a conflict.
DECLARE @v varchar(5) = 'B'
SELECT id FROM t WHERE bin = 'B' OR bin = @v
SELECT id FROM t WHERE ci = 'b' AND ci = LOWER(@v)
SELECT id, (nci + nbin) COLLATE Latin1_General_BIN2 AS x FROM t ORDER BY x
SELECT id FROM t WHERE ci = bin COLLATE DATABASE_DEFAULT ORDER BY id
SELECT id FROM t WHERE LEN(ci) = LEN(bin) AND DATALENGTH(nci + nbin) = 4 ORDER BY id
SELECT x FROM (SELECT 'B' AS x UNION SELECT bin FROM t) AS q ORDER BY x
SELECT ISNULL(ci, bin) AS i, COALESCE('x', bin) AS c, IIF(id = 1, bin, 'lit') AS f FROM t ORDER BY id
SELECT COUNT(*) AS n FROM (SELECT nci + nbin AS x FROM t) AS q
SELECT COUNT(*) AS n FROM t WHERE bin = (SELECT MAX(bin) FROM t) AND bin > (SELECT 'A')
GO
--@ source: reasoned
DROP TABLE t
GO
