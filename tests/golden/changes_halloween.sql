-- A change does not meet its own rows again, whichever way it finds them: each way is forced, and what comes out is compared with what
-- a query makes of a copy that nobody changes.
--@ source: reasoned
USE tempdb
CREATE TABLE dbo.h0(id int NOT NULL PRIMARY KEY, a int NULL, b int NOT NULL, c varchar(40) NULL);
CREATE TABLE dbo.h(id int NOT NULL CONSTRAINT pk_h PRIMARY KEY, a int NULL, b int NOT NULL, c varchar(40) NULL, INDEX h_a (a), INDEX h_ab (a, b), INDEX h_b (b));
INSERT dbo.h0 SELECT value * 2, NULLIF(value * 7919 % 1000, 13), value % 10, REPLICATE('x', value % 40) FROM GENERATE_SERIES(1, 400);
CREATE TABLE dbo.ways(hint varchar(40) NOT NULL);
INSERT dbo.ways VALUES ('INDEX(0)'), ('INDEX(pk_h)'), ('INDEX(h_a)'), ('INDEX(h_ab)'), ('INDEX(h_b)'), ('FORCESEEK'), ('FORCESCAN');
CREATE TABLE dbo.found(statement int, hint varchar(40), missing int, more int, n int, wanted int);
GO
--@ source: reasoned
-- `change` by each way, of the table as it was, beside what `wanted` says of the copy.
CREATE PROCEDURE dbo.by_each_way @statement int, @change varchar(max), @wanted varchar(max) AS
DECLARE @hint varchar(40), @sql nvarchar(max);
DECLARE w CURSOR LOCAL STATIC FOR SELECT hint FROM dbo.ways;
OPEN w;
FETCH w INTO @hint;
WHILE @@FETCH_STATUS = 0
BEGIN
  DELETE dbo.h;
  INSERT dbo.h SELECT * FROM dbo.h0;
  SET @sql = REPLACE(@change, '{way}', CONCAT('WITH (', @hint, ')'));
  EXEC sp_executesql @sql;
  SET @sql = REPLACE('INSERT dbo.found SELECT {s}, ''{h}'', (SELECT COUNT(*) FROM (SELECT * FROM ({w}) AS w EXCEPT SELECT * FROM dbo.h) AS x), (SELECT COUNT(*) FROM (SELECT * FROM dbo.h EXCEPT SELECT * FROM ({w}) AS w) AS x), (SELECT COUNT(*) FROM dbo.h), (SELECT COUNT(*) FROM ({w}) AS x)', '{w}', @wanted);
  SET @sql = REPLACE(REPLACE(@sql, '{s}', @statement), '{h}', @hint);
  EXEC sp_executesql @sql;
  FETCH w INTO @hint;
END
GO
--@ source: reasoned
SET NOCOUNT ON
-- A column that one of the ways goes along; with a change of the row's length; the key, which moves the row; both.
EXEC dbo.by_each_way 1, 'UPDATE x SET a = a + 7 FROM dbo.h AS x {way} WHERE x.a > 100 AND x.b < 9', 'SELECT id, CASE WHEN a > 100 AND b < 9 THEN a + 7 ELSE a END AS a, b, c FROM dbo.h0'
EXEC dbo.by_each_way 2, 'UPDATE x SET a = a + 7, c = REPLICATE(''y'', 40) FROM dbo.h AS x {way} WHERE x.a > 100', 'SELECT id, CASE WHEN a > 100 THEN a + 7 ELSE a END AS a, b, CASE WHEN a > 100 THEN REPLICATE(''y'', 40) ELSE c END AS c FROM dbo.h0'
EXEC dbo.by_each_way 3, 'UPDATE x SET id = id + 5000 FROM dbo.h AS x {way} WHERE x.a > 100', 'SELECT CASE WHEN a > 100 THEN id + 5000 ELSE id END AS id, a, b, c FROM dbo.h0'
EXEC dbo.by_each_way 4, 'UPDATE x SET id = id + 2, a = a - 1 FROM dbo.h AS x {way} WHERE x.a >= 0 OR x.a IS NULL', 'SELECT id + 2 AS id, a - 1 AS a, b, c FROM dbo.h0'
EXEC dbo.by_each_way 5, 'UPDATE x SET b = 9 - b FROM dbo.h AS x {way} WHERE x.a > 100 AND x.b <> 4', 'SELECT id, a, CASE WHEN a > 100 AND b <> 4 THEN 9 - b ELSE b END AS b, c FROM dbo.h0'
GO
--@ source: reasoned
SET NOCOUNT ON
-- Rows that come from the table itself: inserted, by a subquery of SET, of WHERE, by a join, by MERGE.
EXEC dbo.by_each_way 11, 'INSERT dbo.h SELECT id + 1, a + 7, b, c FROM dbo.h {way} WHERE a > 100', 'SELECT * FROM dbo.h0 UNION ALL SELECT id + 1, a + 7, b, c FROM dbo.h0 WHERE a > 100'
EXEC dbo.by_each_way 12, 'UPDATE x SET a = (SELECT MAX(COALESCE(y.a, 0)) + 1 FROM dbo.h AS y WHERE y.b = x.b) FROM dbo.h AS x {way} WHERE x.a > 100', 'SELECT id, CASE WHEN a > 100 THEN (SELECT MAX(COALESCE(y.a, 0)) + 1 FROM dbo.h0 AS y WHERE y.b = x.b) ELSE a END AS a, b, c FROM dbo.h0 AS x'
EXEC dbo.by_each_way 13, 'UPDATE x SET a = a + 1 FROM dbo.h AS x {way} WHERE x.a > 100 AND NOT EXISTS (SELECT 1 FROM dbo.h AS y WHERE y.a = x.a + 1)', 'SELECT id, CASE WHEN a > 100 AND NOT EXISTS (SELECT 1 FROM dbo.h0 AS y WHERE y.a = x.a + 1) THEN a + 1 ELSE a END AS a, b, c FROM dbo.h0 AS x'
EXEC dbo.by_each_way 14, 'DELETE x FROM dbo.h AS x {way} WHERE x.a > 100 AND EXISTS (SELECT 1 FROM dbo.h AS y WHERE y.a = x.a - 1)', 'SELECT * FROM dbo.h0 AS x WHERE a IS NULL OR a <= 100 OR NOT EXISTS (SELECT 1 FROM dbo.h0 AS y WHERE y.a = x.a - 1)'
EXEC dbo.by_each_way 15, 'UPDATE x SET a = y.a + 1 FROM dbo.h AS x JOIN dbo.h AS y {way} ON y.id = x.id + 2 WHERE y.a > 100', 'SELECT x.id, CASE WHEN y.a > 100 THEN y.a + 1 ELSE x.a END AS a, x.b, x.c FROM dbo.h0 AS x LEFT JOIN dbo.h0 AS y ON y.id = x.id + 2'
EXEC dbo.by_each_way 16, 'MERGE dbo.h AS x USING (SELECT * FROM dbo.h {way} WHERE a > 100) AS s ON x.id = s.id + 2 WHEN MATCHED THEN UPDATE SET a = s.a + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id + 2, s.a, s.b, s.c);', 'SELECT COALESCE(x.id, s.id + 2) AS id, CASE WHEN x.id IS NULL THEN s.a WHEN s.id IS NULL THEN x.a ELSE s.a + 1 END AS a, COALESCE(x.b, s.b) AS b, CASE WHEN x.id IS NULL THEN s.c ELSE x.c END AS c FROM dbo.h0 AS x FULL JOIN (SELECT * FROM dbo.h0 WHERE a > 100) AS s ON x.id = s.id + 2'
GO
--@ source: reasoned
-- Nothing is missing, nothing is there that should not be.
SELECT statement, COUNT(*) AS ways, SUM(missing) AS missing, SUM(more) AS more, SUM(CASE WHEN n = wanted THEN 1 ELSE 0 END) AS as_many, MIN(wanted) AS wanted FROM dbo.found GROUP BY statement ORDER BY statement
GO
--@ source: reasoned
DROP PROCEDURE dbo.by_each_way
DROP TABLE dbo.h0, dbo.h, dbo.ways, dbo.found
USE master
