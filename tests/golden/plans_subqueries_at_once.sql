-- Subqueries that stay subqueries, in the select list, below OR, in CASE: found for all outer rows at once where these see no more
-- of each other than equalities.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL, t varchar(10) NULL);
CREATE TABLE dbo.b(id int NOT NULL, aid int NULL, y int NULL, n nvarchar(10) NULL);
CREATE TABLE dbo.k(id int NOT NULL CONSTRAINT pk_k PRIMARY KEY, aid int NULL, y int NULL, INDEX ik (aid));
INSERT dbo.a VALUES (1, 1, 'a'), (2, 1, 'A'), (3, NULL, NULL), (4, 9, 'b'), (5, 5, 'c'), (6, 6, 'd');
INSERT dbo.b VALUES (1, 1, 10, N'a'), (2, 1, NULL, N'a '), (3, 2, 20, N'b'), (4, NULL, 30, NULL), (5, 5, NULL, N'C'), (6, 6, 2147483647, N'x'), (7, 6, 1, N'x');
INSERT dbo.k SELECT value, value % 7, value FROM GENERATE_SERIES(1, 50);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- At once: aggregates, their expressions, EXISTS, IN and NOT IN, a single value, by two equalities and by a conversion.
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x < (SELECT 2 * AVG(y) FROM dbo.b WHERE b.aid = a.id AND b.id > 1)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x = 9 OR EXISTS (SELECT * FROM dbo.b WHERE b.aid = a.id AND b.n = a.t)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x NOT IN (SELECT y FROM dbo.b WHERE b.aid = a.id)'
EXEC dbo.tree N'SELECT CASE WHEN x IN (SELECT y FROM dbo.b WHERE b.aid = a.id) THEN 1 ELSE 0 END AS c FROM dbo.a'
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY (SELECT y FROM dbo.b WHERE b.id = a.id)'
EXEC dbo.tree N'UPDATE dbo.a SET x = (SELECT MAX(y) FROM dbo.b WHERE b.aid = a.id)'
GO
--@ source: reasoned
-- One by one: where an index leads to the rows, by other comparisons, with TOP, what is new in each call, locks that stay, hints.
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.k WHERE k.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WHERE b.aid > a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT TOP 1 y FROM dbo.b WHERE b.aid = a.id ORDER BY b.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT MIN(NEWID()) FROM dbo.b WHERE b.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WITH (UPDLOCK) WHERE b.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WITH (READPAST) WHERE b.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.id) AS n FROM dbo.a OPTION (LOOP JOIN)'
EXEC dbo.tree N'DECLARE @s int = 0; SELECT @s = @s + (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.id AND b.id > @s) FROM dbo.a'
GO
--@ source: reasoned
-- COUNT of nothing is 0, and what is made of no row is made of it.
SELECT id, (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.x) AS n, (SELECT COUNT(y) + 100 FROM dbo.b WHERE b.aid = a.x) AS m, (SELECT ISNULL(MAX(y), -1) FROM dbo.b WHERE b.aid = a.x AND b.id < 6) AS t FROM dbo.a ORDER BY id
GO
--@ source: documentation IN (Transact-SQL)
-- Three values: a NULL among the values, a NULL that is looked for, and no row at all.
SELECT id, CASE WHEN x IN (SELECT y FROM dbo.b WHERE b.aid = a.x) THEN 'in' WHEN x NOT IN (SELECT y FROM dbo.b WHERE b.aid = a.x) THEN 'not in' ELSE 'unknown' END AS i,
 CASE WHEN id IN (SELECT y FROM dbo.b WHERE b.aid = a.id) THEN 'in' WHEN id NOT IN (SELECT y FROM dbo.b WHERE b.aid = a.id) THEN 'not in' ELSE 'unknown' END AS j,
 CASE WHEN t = N'a' OR EXISTS (SELECT * FROM dbo.b WHERE b.n = a.t) THEN 1 ELSE 0 END AS e FROM dbo.a ORDER BY id
SELECT id FROM dbo.a WHERE x NOT IN (SELECT y FROM dbo.b WHERE b.aid = a.id) ORDER BY id
SELECT id FROM dbo.a WHERE x NOT IN (SELECT y FROM dbo.b WHERE b.aid = a.id AND b.y IS NOT NULL) ORDER BY id
GO
--@ source: message 512
-- Several values are an error where they are asked for, and only there.
SELECT id, CASE WHEN id IN (1, 6) THEN 0 ELSE (SELECT y FROM dbo.b WHERE b.aid = a.id) END AS v FROM dbo.a ORDER BY id
SELECT id, CASE WHEN id = 6 THEN 0 ELSE (SELECT y FROM dbo.b WHERE b.aid = a.id) END AS v FROM dbo.a WHERE id > 3 ORDER BY id
SELECT id, (SELECT y FROM dbo.b WHERE b.aid = a.id) AS v FROM dbo.a WHERE id > 3 ORDER BY id DESC
GO
--@ source: message 8115
-- A sum that is too great is one where it is asked for, too.
SELECT id, (SELECT SUM(y) FROM dbo.b WHERE b.aid = a.id) AS s FROM dbo.a WHERE id <> 6 ORDER BY id
SELECT id, (SELECT SUM(y) FROM dbo.b WHERE b.aid = a.id) AS s FROM dbo.a ORDER BY id
GO
--@ source: reasoned
-- What the statement changes it does not see.
BEGIN TRAN
UPDATE dbo.b SET y = (SELECT COUNT(*) FROM dbo.b AS o WHERE o.aid = b.aid AND o.y IS NOT NULL) OUTPUT inserted.id, inserted.y
DELETE b OUTPUT deleted.id FROM dbo.b WHERE (SELECT COUNT(*) FROM dbo.b AS o WHERE o.aid = b.aid) > 1
INSERT dbo.b SELECT id + 10, aid, (SELECT COUNT(*) FROM dbo.b AS o WHERE o.id = b.id), n FROM dbo.b
SELECT id, aid, y FROM dbo.b ORDER BY id
ROLLBACK
GO
--@ source: documentation Table hints (FORCESEEK)
-- A hint that wants a seek is obeyed, however many rows ask.
CREATE TABLE dbo.m(id int NOT NULL PRIMARY KEY, x int NULL)
INSERT dbo.m SELECT value, value % 100 FROM GENERATE_SERIES(1, 2000)
SELECT COUNT(*) AS n FROM dbo.m WHERE EXISTS (SELECT * FROM dbo.k WITH (FORCESEEK) WHERE k.id = m.x)
SELECT COUNT(*) AS n FROM dbo.m WHERE x IN (SELECT k.id FROM dbo.k WITH (FORCESEEK) WHERE k.aid = m.x % 7 AND k.id = m.x)
SELECT SUM(s) AS s, SUM(n) AS n FROM (SELECT (SELECT y FROM dbo.k WHERE k.id = m.x) AS s, (SELECT COUNT(*) FROM dbo.k WHERE k.aid = m.x) AS n FROM dbo.m) AS d
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.k, dbo.m
GO
