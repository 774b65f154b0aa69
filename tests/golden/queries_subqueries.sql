-- Subqueries: scalar, EXISTS, IN, ANY and ALL, wherever an expression may stand.
--@ source: reasoned
CREATE TABLE dbo.qs_a (id int NOT NULL PRIMARY KEY, x int NULL, s varchar(10) NULL)
CREATE TABLE dbo.qs_b (aid int NULL, y int NULL)
CREATE TABLE dbo.qs_none (z int NOT NULL)
INSERT dbo.qs_a VALUES (1, 10, 'a'), (2, 20, 'b'), (3, NULL, 'c'), (4, 40, NULL)
INSERT dbo.qs_b VALUES (1, 10), (1, 11), (2, NULL), (NULL, 40)
GO
--@ source: documentation Subqueries
SELECT id, (SELECT COUNT(*) FROM dbo.qs_b WHERE aid = qs_a.id) AS n, (SELECT MAX(y) FROM dbo.qs_b WHERE aid = id) AS m FROM dbo.qs_a ORDER BY id
SELECT (SELECT z FROM dbo.qs_none) AS none, (SELECT COUNT(*) FROM dbo.qs_none) AS zero, (SELECT SUM(z) FROM dbo.qs_none) AS s, ISNULL((SELECT z FROM dbo.qs_none), -1) AS i
SELECT id + (SELECT MIN(y) FROM dbo.qs_b) AS plus, -(SELECT MAX(y) FROM dbo.qs_b) AS minus FROM dbo.qs_a WHERE id = 1
GO
--@ source: message 512
SELECT id, (SELECT y FROM dbo.qs_b WHERE aid = id) AS y FROM dbo.qs_a
SELECT 'reached' AS x
GO
--@ source: message 512
SELECT id FROM dbo.qs_a WHERE x = (SELECT y FROM dbo.qs_b)
SELECT @@ERROR AS e
GO
--@ source: message 512
BEGIN TRANSACTION
UPDATE dbo.qs_a SET x = (SELECT y FROM dbo.qs_b)
SELECT @@TRANCOUNT AS open_still, XACT_STATE() AS state
ROLLBACK
BEGIN TRY SELECT (SELECT id FROM dbo.qs_a) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS sev, ERROR_STATE() AS st END CATCH
GO
--@ source: message 116
SELECT (SELECT 1, 2)
GO
--@ source: message 116
SELECT (SELECT * FROM dbo.qs_b) AS x
GO
--@ source: message 116
SELECT 1 WHERE 1 = ANY (SELECT 1, 2)
GO
--@ source: message 1033
SELECT (SELECT id FROM dbo.qs_a ORDER BY id)
GO
--@ source: documentation Subqueries
SELECT (SELECT TOP (1) id FROM dbo.qs_a ORDER BY id DESC) AS top_one, (SELECT id FROM dbo.qs_a ORDER BY id OFFSET 1 ROW FETCH NEXT 1 ROW ONLY) AS second
SELECT id FROM dbo.qs_a WHERE x = (SELECT DISTINCT y FROM dbo.qs_b WHERE aid = qs_a.id AND y = 10)
GO
--@ source: documentation IN
SELECT id FROM dbo.qs_a WHERE id IN (SELECT aid FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE id NOT IN (SELECT aid FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE id NOT IN (SELECT aid FROM dbo.qs_b WHERE aid IS NOT NULL) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x NOT IN (SELECT z FROM dbo.qs_none) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x IN (SELECT z FROM dbo.qs_none) ORDER BY id
SELECT id FROM dbo.qs_a WHERE NULL NOT IN (SELECT z FROM dbo.qs_none) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x NOT IN (10, NULL) ORDER BY id
SELECT id FROM dbo.qs_a WHERE NOT (x IN (10, NULL) AND 1 = 1) ORDER BY id
GO
--@ source: documentation SOME | ANY
SELECT id FROM dbo.qs_a WHERE x = ANY (SELECT y FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x <> SOME (SELECT y FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x > ANY (SELECT y FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x < ANY (SELECT z FROM dbo.qs_none) ORDER BY id
GO
--@ source: documentation ALL
SELECT id FROM dbo.qs_a WHERE x >= ALL (SELECT y FROM dbo.qs_b WHERE y IS NOT NULL) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x >= ALL (SELECT y FROM dbo.qs_b) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x >= ALL (SELECT z FROM dbo.qs_none) ORDER BY id
SELECT id FROM dbo.qs_a WHERE x <> ALL (SELECT y FROM dbo.qs_b WHERE y IS NOT NULL) ORDER BY id
SELECT id FROM dbo.qs_a WHERE NOT (x < ALL (SELECT y FROM dbo.qs_b)) ORDER BY id
SELECT id FROM dbo.qs_a WHERE NOT x = ALL (SELECT y FROM dbo.qs_b WHERE aid = id) ORDER BY id
GO
--@ source: documentation ALL
-- The example of the documentation: IF with ALL.
IF 3 < SOME (SELECT id FROM dbo.qs_a) PRINT 'TRUE' ELSE PRINT 'FALSE'
IF 3 < ALL (SELECT id FROM dbo.qs_a) PRINT 'TRUE' ELSE PRINT 'FALSE'
IF 0 < ALL (SELECT id FROM dbo.qs_a) PRINT 'TRUE' ELSE PRINT 'FALSE'
IF 1 < ALL (SELECT x FROM dbo.qs_a) PRINT 'TRUE' ELSE PRINT 'UNKNOWN'
IF NOT 1 < ALL (SELECT x FROM dbo.qs_a) PRINT 'TRUE' ELSE PRINT 'UNKNOWN'
GO
--@ source: documentation EXISTS
SELECT id FROM dbo.qs_a a WHERE EXISTS (SELECT NULL FROM dbo.qs_b WHERE aid = a.id) ORDER BY id
SELECT id FROM dbo.qs_a a WHERE NOT EXISTS (SELECT 1 FROM dbo.qs_b WHERE aid = a.id) ORDER BY id
SELECT COUNT(*) AS n FROM dbo.qs_a WHERE EXISTS (SELECT NULL)
SELECT COUNT(*) AS n FROM dbo.qs_a WHERE EXISTS (SELECT MAX(z) FROM dbo.qs_none)
SELECT COUNT(*) AS n FROM dbo.qs_a WHERE EXISTS (SELECT z FROM dbo.qs_none GROUP BY z)
SELECT COUNT(*) AS n FROM dbo.qs_a a WHERE EXISTS (SELECT x EXCEPT SELECT 10)
GO
--@ source: reasoned
-- In CASE, in functions, in ORDER BY, in GROUP BY's HAVING, in VALUES, in TOP, in a join's ON.
SELECT id, CASE WHEN EXISTS (SELECT 1 FROM dbo.qs_b WHERE aid = id) THEN 'has' WHEN x IN (SELECT y FROM dbo.qs_b) THEN 'is' ELSE 'no' END AS c FROM dbo.qs_a ORDER BY id
SELECT id, CASE (SELECT COUNT(*) FROM dbo.qs_b WHERE aid = id) WHEN 0 THEN 'none' WHEN 1 THEN 'one' ELSE 'many' END AS c FROM dbo.qs_a ORDER BY id
SELECT id FROM dbo.qs_a ORDER BY (SELECT COUNT(*) FROM dbo.qs_b WHERE aid = id) DESC, id DESC
SELECT aid, COUNT(*) AS n FROM dbo.qs_b GROUP BY aid HAVING COUNT(*) >= (SELECT MAX(k) FROM (SELECT COUNT(*) AS k FROM dbo.qs_b GROUP BY aid) AS q)
SELECT v.a, v.b FROM (VALUES ((SELECT MIN(id) FROM dbo.qs_a), 1), (2, (SELECT COUNT(*) FROM dbo.qs_b))) AS v (a, b) ORDER BY v.a
SELECT COALESCE((SELECT z FROM dbo.qs_none), (SELECT MAX(id) FROM dbo.qs_a)) AS c, NULLIF((SELECT 1), 1) AS n, IIF(EXISTS (SELECT 1), 1, 0) AS i
SELECT a.id FROM dbo.qs_a a JOIN dbo.qs_b b ON b.aid = a.id AND b.y = (SELECT MAX(y) FROM dbo.qs_b i WHERE i.aid = a.id AND i.y IS NOT NULL) ORDER BY a.id
SELECT id FROM dbo.qs_a WHERE id BETWEEN (SELECT 2) AND (SELECT MAX(id) FROM dbo.qs_a) AND s LIKE (SELECT '[bc]%') ORDER BY id
GO
--@ source: reasoned
INSERT dbo.qs_none VALUES ((SELECT MAX(id) FROM dbo.qs_a)), ((SELECT COUNT(*) FROM dbo.qs_b) * 10)
SELECT z FROM dbo.qs_none ORDER BY z
DELETE dbo.qs_none WHERE z > ALL (SELECT id FROM dbo.qs_a)
SELECT z FROM dbo.qs_none
DELETE dbo.qs_none
DECLARE @v int = (SELECT MAX(id) FROM dbo.qs_a), @n int = (SELECT z FROM dbo.qs_none)
SET @v = @v + (SELECT 1)
SELECT @v AS v, @n AS n
GO
--@ source: message 515
INSERT dbo.qs_none VALUES ((SELECT MAX(z) FROM dbo.qs_none))
GO
--@ source: reasoned
-- An unqualified name that the inner table lacks is the outer one's: the famous IN that finds everything.
SELECT id FROM dbo.qs_a WHERE id IN (SELECT id FROM dbo.qs_b) ORDER BY id
SELECT aid FROM dbo.qs_b WHERE aid IN (SELECT aid FROM dbo.qs_a) ORDER BY aid
GO
--@ source: message 207
SELECT id FROM dbo.qs_a WHERE id IN (SELECT nope FROM dbo.qs_b)
GO
--@ source: message 4104
SELECT y FROM dbo.qs_b WHERE aid IN (SELECT c.id FROM dbo.qs_a)
GO
--@ source: message 4104
-- What is inside is not seen outside.
SELECT i.id FROM dbo.qs_b WHERE EXISTS (SELECT 1 FROM dbo.qs_a i)
GO
--@ source: message 8155
SELECT q.c FROM (SELECT id + 1 FROM dbo.qs_a) AS q (c) WHERE q.c > 4
SELECT * FROM (SELECT id + 1 FROM dbo.qs_a) AS q
GO
--@ source: message 8156
SELECT * FROM (SELECT a.id, b.id FROM dbo.qs_a a CROSS JOIN dbo.qs_a b) AS q
GO
--@ source: message 8158
SELECT * FROM (SELECT id, x FROM dbo.qs_a) AS q (a)
GO
--@ source: message 8159
SELECT * FROM (SELECT id, x FROM dbo.qs_a) AS q (a, b, c)
GO
--@ source: message 1033
SELECT * FROM (SELECT id FROM dbo.qs_a ORDER BY id) AS q
GO
--@ source: documentation FROM clause
SELECT q.c, q.d FROM (SELECT id, x * 2 FROM dbo.qs_a WHERE x IS NOT NULL) AS q (c, d) ORDER BY q.d DESC
SELECT o.n FROM (SELECT COUNT(*) AS n FROM (SELECT DISTINCT aid FROM dbo.qs_b) AS i) AS o
SELECT q.id FROM (SELECT TOP (2) id FROM dbo.qs_a ORDER BY id DESC) AS q ORDER BY q.id
GO
--@ source: message 130
SELECT SUM((SELECT MAX(y) FROM dbo.qs_b WHERE aid = id)) FROM dbo.qs_a
GO
--@ source: message 144
SELECT 1 FROM dbo.qs_a GROUP BY (SELECT MAX(y) FROM dbo.qs_b)
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM dbo.qs_a a HAVING COUNT(*) > (SELECT COUNT(*) FROM dbo.qs_none)
GO
--@ source: message 8120
SELECT s, (SELECT MAX(y) FROM dbo.qs_b WHERE aid = a.id) AS m FROM dbo.qs_a a GROUP BY s
GO
--@ source: message 147
SELECT id FROM dbo.qs_a WHERE x = (SELECT 1 FROM dbo.qs_b WHERE MAX(y) = 1)
GO
--@ source: message 102
SELECT 1 WHERE 1 = ALL (1, 2)
GO
--@ source: message 156
SELECT 1 WHERE EXISTS SELECT 1
GO
--@ source: message 102
SELECT 1 WHERE 1 IN ()
GO
--@ source: message 156
SELECT 1 WHERE 1 = SELECT 1
GO
--@ source: reasoned
-- Levels: the innermost reads the outermost row.
SELECT a.id FROM dbo.qs_a a WHERE EXISTS (SELECT 1 FROM dbo.qs_b b WHERE b.aid IN (SELECT c.id FROM dbo.qs_a c WHERE c.id = a.id AND c.x = b.y)) ORDER BY a.id
SELECT a.id, (SELECT (SELECT a.x + b.y) FROM (SELECT MAX(y) AS y FROM dbo.qs_b WHERE aid = a.id) AS b) AS s FROM dbo.qs_a a ORDER BY a.id
SELECT a.id, (SELECT SUM(q.t) FROM (SELECT b.y * 2 AS t FROM dbo.qs_b b WHERE b.aid = a.id UNION ALL SELECT a.x) AS q) AS s FROM dbo.qs_a a ORDER BY a.id
GO
--@ source: message 156
EXEC ('SELECT 1 WHERE EXISTS (SELECT 1 INTO #x)')
GO
--@ source: message 156
EXEC ('SELECT * FROM (SELECT 1 AS a INTO #x) AS q')
GO
--@ source: message 156
EXEC ('WITH c AS (SELECT 1 AS a INTO #x) SELECT * FROM c')
GO
--@ source: message 156
EXEC ('DECLARE @x int = (SELECT 1 INTO #y)')
GO
--@ source: reasoned
DROP TABLE dbo.qs_a, dbo.qs_b, dbo.qs_none
GO
