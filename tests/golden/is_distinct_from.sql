-- IS [NOT] DISTINCT FROM: a comparison for which NULL is a value as any other; each side is computed once.
--@ source: documentation t-sql/queries/is-distinct-from-transact-sql
CREATE TABLE a (id int NOT NULL PRIMARY KEY, x int NULL, t varchar(10) COLLATE Latin1_General_CI_AS NULL, d decimal(6, 2) NULL)
CREATE TABLE b (id int NOT NULL PRIMARY KEY, y bigint NULL, n nvarchar(10) COLLATE Latin1_General_CI_AS NULL)
INSERT a VALUES (1, 1, 'a', 1), (2, NULL, NULL, NULL), (3, 3, 'C', 3.5), (4, NULL, 'd ', NULL)
INSERT b VALUES (1, 1, N'A'), (2, NULL, NULL), (3, 4, N'c'), (4, 5, N'D')
SELECT id FROM a WHERE x IS DISTINCT FROM 1 ORDER BY id
SELECT id FROM a WHERE x IS NOT DISTINCT FROM 1
SELECT id FROM a WHERE x IS DISTINCT FROM NULL ORDER BY id
SELECT id FROM a WHERE NULL IS NOT DISTINCT FROM x ORDER BY id
SELECT id FROM a WHERE NOT (x IS DISTINCT FROM 3) OR NOT (t IS NOT DISTINCT FROM 'A') ORDER BY id
SELECT a.id, b.id AS other FROM a JOIN b ON a.x IS NOT DISTINCT FROM b.y ORDER BY 1, 2
SELECT a.id, b.id AS other FROM a JOIN b ON a.t IS NOT DISTINCT FROM b.n ORDER BY 1, 2
SELECT a.id FROM a JOIN b ON a.id = b.id WHERE a.x IS DISTINCT FROM b.y OR a.t IS DISTINCT FROM b.n
SELECT CASE WHEN NULL IS DISTINCT FROM NULL THEN 1 ELSE 0 END AS nulls, IIF(1 IS DISTINCT FROM NULL, 1, 0) AS one, IIF(1.0 IS NOT DISTINCT FROM 1, 1, 0) AS types
GO
-- It is one comparison in the plan; a subquery in it is one.
--@ source: reasoned
CREATE PROCEDURE tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.logical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC tree N'SELECT id FROM a WHERE x IS DISTINCT FROM id + 1 AND t IS NOT DISTINCT FROM N''x'''
EXEC tree N'SELECT id FROM a WHERE d IS NOT DISTINCT FROM NULL OR x IS DISTINCT FROM NULL'
EXEC tree N'SELECT id FROM a WHERE CHECKSUM(NEWID()) IS DISTINCT FROM x AND (SELECT MAX(y) FROM b) IS NOT DISTINCT FROM x'
EXEC tree N'SELECT x, COUNT(*) AS n FROM a GROUP BY x HAVING MAX(t) IS DISTINCT FROM MIN(t)'
GO
-- Where else a condition may stand.
--@ source: documentation t-sql/queries/is-distinct-from-transact-sql
DECLARE @v int, @w int = 3
IF @v IS NOT DISTINCT FROM NULL AND @v IS DISTINCT FROM @w PRINT 'unlike'
SELECT id FROM a WHERE x IS NOT DISTINCT FROM @v ORDER BY id
SELECT id FROM a WHERE x IS NOT DISTINCT FROM @w
SELECT id FROM a WHERE x IS DISTINCT FROM (SELECT y FROM b WHERE b.id = a.id) ORDER BY id
EXEC sp_executesql N'SELECT id FROM a WHERE x IS NOT DISTINCT FROM @p ORDER BY id', N'@p int', NULL
EXEC sp_executesql N'SELECT id FROM a WHERE x IS NOT DISTINCT FROM @p ORDER BY id', N'@p int', 1
SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.y IS NOT DISTINCT FROM a.x) ORDER BY id
UPDATE a SET d = 9 WHERE d IS NOT DISTINCT FROM NULL
DELETE a WHERE x IS NOT DISTINCT FROM @v AND t IS DISTINCT FROM NULL
MERGE a USING b ON a.id = b.id AND a.x IS NOT DISTINCT FROM b.y WHEN MATCHED AND a.t IS NOT DISTINCT FROM b.n THEN UPDATE SET x = 10 OUTPUT inserted.id;
SELECT COUNT(*) AS n FROM a GROUP BY d HAVING d IS NOT DISTINCT FROM 9
GO
-- SET ANSI_NULLS does not change it.
--@ source: reasoned
SET ANSI_NULLS OFF
SELECT id FROM a WHERE x IS DISTINCT FROM NULL ORDER BY id
DECLARE @v int
SELECT id FROM b WHERE y IS NOT DISTINCT FROM @v
SET ANSI_NULLS ON
SELECT id FROM b WHERE y IS NOT DISTINCT FROM @v
GO
--@ source: message 547
CREATE TABLE k (a int NULL, b int NULL, CONSTRAINT ck CHECK (a IS DISTINCT FROM b))
INSERT k VALUES (1, NULL), (NULL, 2), (1, 2)
INSERT k VALUES (NULL, NULL)
GO
--@ source: message 547
INSERT k VALUES (1, 1)
GO
--@ source: reasoned
CREATE VIEW v AS SELECT a, b FROM k WHERE a IS NOT DISTINCT FROM 1
GO
--@ source: reasoned
UPDATE v SET b = 3 WHERE b IS NOT DISTINCT FROM NULL
SELECT a, b FROM v ORDER BY b
GO
-- An index is sought by it, NULL included; so it is by = under SET ANSI_NULLS OFF.
--@ source: reasoned
CREATE TABLE s (id int NOT NULL CONSTRAINT pk_s PRIMARY KEY, x int NULL, y int NULL, t varchar(10) NULL)
CREATE INDEX ix ON s (x, y) INCLUDE (t)
CREATE UNIQUE INDEX ux ON s (t) WHERE t IS NOT NULL
INSERT s SELECT value, NULLIF(value % 100, 0), NULLIF(value % 7, 0), NULLIF(CONVERT(varchar(10), value), '5') FROM GENERATE_SERIES(1, 1000)
GO
--@ source: reasoned
CREATE PROCEDURE ways @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC ways N'DECLARE @v int SELECT id FROM s WHERE x IS NOT DISTINCT FROM @v AND y IS NOT DISTINCT FROM 3'
EXEC ways N'DECLARE @v int SELECT id FROM s WHERE x IS DISTINCT FROM @v'
EXEC ways N'DECLARE @v varchar(10) SELECT t FROM s WHERE t IS NOT DISTINCT FROM @v'
EXEC ways N'SELECT b.id FROM s JOIN s AS b ON b.x IS NOT DISTINCT FROM s.y WHERE s.id = 7'
GO
--@ source: reasoned
DECLARE @null int, @three int = 3, @big bigint = 3000000000, @text varchar(10)
SELECT COUNT(*) AS n FROM s WHERE x IS NOT DISTINCT FROM @null
SELECT COUNT(*) AS n FROM s WHERE x = @null
SELECT COUNT(*) AS n FROM s WHERE x IS NOT DISTINCT FROM @three AND y IS NOT DISTINCT FROM @null
SELECT id FROM s WHERE x IS NOT DISTINCT FROM @null AND y IS NOT DISTINCT FROM @null
SELECT id FROM s WHERE x IS NOT DISTINCT FROM @null AND y > 5 ORDER BY id
SELECT COUNT(*) AS n FROM s WHERE x IS NOT DISTINCT FROM @big
SELECT id, t FROM s WHERE t IS NOT DISTINCT FROM @text
SELECT id FROM s WHERE t IS NOT DISTINCT FROM '6'
SELECT COUNT(*) AS n FROM s WHERE x IS NOT DISTINCT FROM @null OR x IS NOT DISTINCT FROM @three
SELECT COUNT(*) AS n FROM s WHERE id IS NOT DISTINCT FROM @null
SELECT MIN(id) AS least, MAX(id) AS most FROM s WHERE x IS NOT DISTINCT FROM @null
SELECT TOP 2 id, y FROM s WHERE x IS NOT DISTINCT FROM @null ORDER BY y
SELECT s.id, COUNT(*) AS n FROM s JOIN s AS b ON b.x IS NOT DISTINCT FROM s.y WHERE s.id IN (7, 8) GROUP BY s.id ORDER BY s.id
SELECT s.id, b.id AS other FROM s LEFT JOIN s AS b ON b.x IS NOT DISTINCT FROM s.y AND b.id < 101 WHERE s.id IN (7, 8) ORDER BY 1
UPDATE s SET t = 'none' WHERE x IS NOT DISTINCT FROM @null AND id = 100
DELETE s WHERE x IS NOT DISTINCT FROM @null AND y IS NOT DISTINCT FROM @null
SELECT COUNT(*) AS n FROM s WHERE x IS NULL
GO
--@ source: documentation t-sql/statements/set-ansi-nulls-transact-sql
SET ANSI_NULLS OFF
GO
--@ source: documentation t-sql/statements/set-ansi-nulls-transact-sql
DECLARE @null int, @text varchar(10)
SELECT COUNT(*) AS n FROM s WHERE x = @null
SELECT COUNT(*) AS n FROM s WHERE x = NULL
SELECT id, t FROM s WHERE t = @text
SELECT COUNT(*) AS n FROM s WHERE x = @null AND y = 3
SELECT COUNT(*) AS n FROM s WHERE x IN (@null, 3)
SELECT COUNT(*) AS n FROM s WHERE NOT x <> @null
EXEC ways N'DECLARE @v int SELECT id FROM s WHERE x = @v'
GO
--@ source: documentation t-sql/statements/set-ansi-nulls-transact-sql
SET ANSI_NULLS ON
GO
--@ source: documentation t-sql/statements/set-ansi-nulls-transact-sql
DECLARE @null int
SELECT COUNT(*) AS n FROM s WHERE x = @null
DROP TABLE s
DROP PROCEDURE ways
GO
--@ source: reasoned
DROP VIEW v
DROP TABLE a, b, k
DROP PROCEDURE tree
GO
