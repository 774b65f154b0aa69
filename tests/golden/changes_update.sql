-- UPDATE and DELETE: documentation's examples, joins, expressions of several columns, variables, common table expressions, .WRITE.
--@ source: reasoned
CREATE DATABASE ChangesUpdate
GO
--@ source: documentation UPDATE
USE ChangesUpdate
CREATE TABLE p (id int CONSTRAINT pk_p PRIMARY KEY, name varchar(20), color varchar(10) NULL, price money NOT NULL DEFAULT 9, qty int)
INSERT p VALUES (1, 'bolt', 'red', 10, 5), (2, 'nut', NULL, 20, 0), (3, 'screw', 'red', 30, NULL), (4, 'washer', 'blue', 40, 7)
UPDATE p SET price = price * 2, color = 'metallic' WHERE color = N'red'
SELECT id, color, price FROM p ORDER BY id
GO
--@ source: documentation UPDATE
UPDATE p SET price = DEFAULT, color = DEFAULT WHERE id = 4
SELECT color, price FROM p WHERE id = 4
UPDATE p SET name = NULL, qty = (SELECT MAX(x.qty) FROM p AS x) WHERE id = 4
SELECT name, qty FROM p WHERE id = 4
GO
-- All columns are taken as they were.
--@ source: documentation UPDATE
CREATE TABLE sw (a int, b int)
INSERT sw VALUES (1, 2), (3, 4)
UPDATE sw SET a = b, b = a
SELECT a, b FROM sw ORDER BY a
GO
-- A variable takes the value before, or that of the column after.
--@ source: documentation UPDATE
DECLARE @before int, @after int, @n int = 100
UPDATE sw SET @before = a, @after = a = a + 10 WHERE b = 1
SELECT @before AS before_it, @after AS after_it
UPDATE sw SET @n = a = @n + 1
SELECT @n AS n
SELECT a FROM sw ORDER BY a
UPDATE sw SET @n += 5, b -= 1 WHERE 1 = 0
SELECT @n AS n, @@ROWCOUNT AS r
GO
--@ source: documentation UPDATE
DECLARE @x int = 1
UPDATE sw SET @x += b
SELECT @x AS x
UPDATE sw SET a += b, b *= 2
SELECT a, b FROM sw ORDER BY a
GO
--@ source: documentation UPDATE
CREATE TABLE vals (i int, c varchar(20))
INSERT vals VALUES (7, 'x')
UPDATE vals SET i -= 2, c += 'y'
UPDATE vals SET i *= 3
UPDATE vals SET i /= 4
UPDATE vals SET i %= 2, c = c + c
SELECT i, c FROM vals
UPDATE vals SET i |= 6
UPDATE vals SET i &= 3
UPDATE vals SET i ^= 15
SELECT i FROM vals
GO
--@ source: message 264
UPDATE sw SET a = 1, a = 2
GO
--@ source: message 264
DECLARE @v int
UPDATE sw SET a = 1, @v = a = 2
GO
--@ source: message 207
UPDATE sw SET nowhere = 1
GO
--@ source: message 207
UPDATE sw SET a = 1 WHERE nowhere = 1
GO
--@ source: message 208
UPDATE nowhere SET a = 1
GO
--@ source: message 157
UPDATE sw SET a = COUNT(*)
GO
--@ source: message 8102
CREATE TABLE ident (i int IDENTITY, a int)
UPDATE ident SET i = 5
GO
--@ source: message 515
UPDATE p SET price = NULL
SELECT @@ROWCOUNT AS n, @@ERROR AS e
GO
--@ source: documentation UPDATE
CREATE TABLE Table1 (ColA int NOT NULL, ColB decimal(10,3) NOT NULL)
CREATE TABLE Table2 (ColA int PRIMARY KEY NOT NULL, ColB decimal(10,3) NOT NULL)
INSERT INTO Table1 VALUES (1, 10.0), (1, 20.0)
INSERT INTO Table2 VALUES (1, 0.0)
UPDATE Table2 SET Table2.ColB = Table2.ColB + Table1.ColB FROM Table2 INNER JOIN Table1 ON (Table2.ColA = Table1.ColA)
SELECT @@ROWCOUNT AS n
SELECT ColA, CASE WHEN ColB IN (10, 20) THEN 'one of them' END AS ColB FROM Table2
GO
--@ source: documentation UPDATE
UPDATE t2 SET ColB = t1.s FROM Table2 AS t2 JOIN (SELECT ColA, SUM(ColB) AS s FROM Table1 GROUP BY ColA) AS t1 ON t1.ColA = t2.ColA
SELECT ColB FROM Table2
UPDATE Table2 SET ColB = (SELECT AVG(ColB) FROM Table1 WHERE Table1.ColA = Table2.ColA)
SELECT ColB FROM Table2
UPDATE Table2 SET ColB = (SELECT ColB FROM Table1 WHERE 1 = 0)
GO
--@ source: message 512
UPDATE Table2 SET ColB = (SELECT ColB FROM Table1)
SELECT @@ROWCOUNT AS n
GO
-- The table is named as in FROM, by its alias, or by its name where it stands there once.
--@ source: documentation UPDATE
UPDATE sw SET a = 0 FROM sw AS s WHERE s.b < 0
SELECT @@ROWCOUNT AS n
UPDATE s SET s.a = 50 FROM sw AS s CROSS JOIN (VALUES (1), (2)) AS v(x) WHERE s.b = 2
SELECT @@ROWCOUNT AS n
UPDATE dbo.sw SET a = 51 FROM dbo.sw WHERE a = 50
SELECT @@ROWCOUNT AS n
GO
--@ source: message 8154
UPDATE sw SET a = 1 FROM sw AS x JOIN sw AS y ON x.a = y.a
GO
--@ source: message 4104
UPDATE sw SET a = 1 WHERE other.a = 1
GO
-- A table of FROM that the target is not in: each row, or none.
--@ source: reasoned
UPDATE sw SET b = 9 FROM p WHERE p.id = 2
SELECT @@ROWCOUNT AS n
UPDATE sw SET b = 9 FROM p WHERE p.id = 200
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation UPDATE
UPDATE TOP (2) p SET qty = -1
SELECT @@ROWCOUNT AS n, (SELECT COUNT(*) FROM p WHERE qty = -1) AS changed
UPDATE TOP (1) PERCENT p SET qty = -2
SELECT @@ROWCOUNT AS n
UPDATE p SET qty = 77 FROM (SELECT TOP (2) id FROM p ORDER BY id DESC) AS th WHERE p.id = th.id
SELECT id, qty FROM p WHERE qty = 77 ORDER BY id
GO
--@ source: documentation UPDATE
WITH Parts (id, name, lvl) AS (SELECT id, name, 0 FROM p WHERE id = 1 UNION ALL SELECT p.id, p.name, lvl + 1 FROM p JOIN Parts ON p.id = Parts.id + 1)
UPDATE p SET qty = c.lvl * 10 FROM p JOIN Parts AS c ON p.id = c.id WHERE c.lvl < 3
SELECT id, qty FROM p ORDER BY id
GO
--@ source: documentation UPDATE
CREATE TABLE x (ID int, Value int)
CREATE TABLE y (ID int, Value int)
INSERT x VALUES (1, 10), (2, 20)
INSERT y VALUES (1, 100), (2, 200);
WITH cte AS (SELECT * FROM x)
UPDATE cx SET Value = y.Value FROM cte AS cx JOIN y ON y.ID = cx.ID
SELECT ID, Value FROM x ORDER BY ID
GO
--@ source: documentation UPDATE
DECLARE @x TABLE (ID int, Value int), @y TABLE (ID int, Value int)
INSERT @x VALUES (1, 10), (2, 20)
INSERT @y VALUES (1, 100), (2, 200);
WITH cte AS (SELECT * FROM @x)
UPDATE cte SET Value = y.Value FROM cte INNER JOIN @y AS y ON y.ID = cte.ID
SELECT ID, Value FROM @x ORDER BY ID
UPDATE @x SET Value = Value + 1 WHERE ID = 2
UPDATE z SET Value = 0 FROM @x AS z WHERE z.ID = 1
SELECT ID, Value FROM @x ORDER BY ID
GO
-- What is updated to what it was counts.
--@ source: reasoned
UPDATE p SET id = id
SELECT @@ROWCOUNT AS n
UPDATE p SET id = id + 1
SELECT @@ROWCOUNT AS n
SELECT id FROM p ORDER BY id
GO
--@ source: message 2627
UPDATE p SET id = 3 WHERE id = 4
SELECT @@ROWCOUNT AS n, @@ERROR AS e
UPDATE p SET id = 9
SELECT COUNT(*) AS n FROM p WHERE id = 9
GO
--@ source: reasoned
UPDATE p SET qty = 1 / (id - 3)
SELECT @@ROWCOUNT AS n, @@ERROR AS e
SELECT id, qty FROM p ORDER BY id
GO
--@ source: message 8115
UPDATE p SET qty = 2147483647 + id WHERE id = 2
GO
--@ source: message 220
DECLARE @t TABLE (a smallint, b bit, c varchar(3))
INSERT @t VALUES (1, 5, 'a')
UPDATE @t SET a = 40000
UPDATE @t SET b = 'TRUE', c = 123
SELECT a, b, c FROM @t
GO
--@ source: documentation UPDATE
UPDATE p SET qty = CASE WHEN qty IS NULL THEN 0 ELSE qty + 1 END, name = UPPER(name) OUTPUT inserted.id, deleted.qty AS was, inserted.qty AS now, inserted.name, deleted.name AS old WHERE id IN (2, 3)
GO
--@ source: reasoned
UPDATE p SET p.qty = 5 WHERE p.id = 2
UPDATE dbo.p SET dbo.p.qty = 6 WHERE dbo.p.id = 2
UPDATE ChangesUpdate.dbo.p SET qty = 7 WHERE id = 2
SELECT qty FROM p WHERE id = 2
GO
--@ source: reasoned
CREATE TABLE sw (a int, b int)
CREATE TABLE p (id int)
INSERT sw VALUES (1, 1)
INSERT p VALUES (1)
GO
--@ source: documentation UPDATE
UPDATE sw SET other.a = 1 FROM sw JOIN p AS other ON other.id = sw.a
GO
--@ source: documentation UPDATE
UPDATE sw SET dbo.sw.a = 2 FROM sw
UPDATE x SET x.a = x.a + 1 FROM sw AS x
SELECT a FROM sw
GO
--@ source: message 4104
UPDATE sw SET nowhere.sw.a = 1
GO
--@ source: reasoned
DROP TABLE sw, p
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesUpdate
GO
