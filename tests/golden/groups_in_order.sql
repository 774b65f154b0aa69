-- Groups and different rows of an input that comes in their order are what they are by hash.
--@ source: reasoned
CREATE TABLE dbo.g(a int NULL, t varchar(10) NULL, id int NOT NULL, v int NULL, f float NULL, INDEX ix CLUSTERED (a, t, id));
INSERT dbo.g VALUES (NULL, NULL, 1, 5, 1), (NULL, 'x', 2, NULL, 2), (1, 'a', 3, 7, 3), (1, 'A ', 4, 1, 4), (1, 'ae', 5, 2, 5), (1, 'æ', 6, 2, NULL),
 (2, '', 7, NULL, 7), (2, ' ', 8, NULL, 8), (2, NULL, 9, 3, 9), (7, 'é', 10, 10, 10);
CREATE TABLE dbo.o(id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, v int NULL);
CREATE TABLE dbo.d(o int NOT NULL, line int NOT NULL, q int NULL, CONSTRAINT pk_d PRIMARY KEY (o, line));
CREATE TABLE dbo.names(n varchar(10) NOT NULL CONSTRAINT pk_names PRIMARY KEY);
INSERT dbo.o SELECT value, value % 7 FROM GENERATE_SERIES(1, 1500);
INSERT dbo.d SELECT value / 2 + 1, value % 2, value % 11 FROM GENERATE_SERIES(0, 2999);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT a, COUNT(*) AS n FROM dbo.g GROUP BY a';
SELECT a, COUNT(*) AS n, SUM(v) AS s, COUNT(v) AS c, COUNT(DISTINCT v) AS d, MIN(t) AS lo, MAX(f) AS hi FROM dbo.g GROUP BY a;
SELECT a + 0 AS a, COUNT(*) AS n, SUM(v) AS s, COUNT(v) AS c, COUNT(DISTINCT v) AS d, MIN(t) AS lo, MAX(f) AS hi FROM dbo.g GROUP BY a + 0;
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT t, a, SUM(id) AS s FROM dbo.g GROUP BY t, a';
SELECT t, a, SUM(id) AS s, SUM(a) AS same FROM dbo.g GROUP BY t, a;
SELECT a, STRING_AGG(t, ',') AS joined, STRING_AGG(CAST(v AS varchar(10)), '+') WITHIN GROUP (ORDER BY id DESC) AS back FROM dbo.g GROUP BY a HAVING COUNT(*) > 1 ORDER BY a;
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT DISTINCT a FROM dbo.g';
SELECT DISTINCT a FROM dbo.g;
SELECT DISTINCT a, t FROM dbo.g ORDER BY a, t;
SELECT DISTINCT t FROM dbo.g WHERE a = 1;
SELECT TOP 2 a, MAX(id) AS m FROM dbo.g GROUP BY a ORDER BY a;
GO
--@ source: reasoned
-- Nothing: no group. Opened again for each row; the row of the next group, which a join below is on, is not lost.
SELECT a, COUNT(*) AS n FROM dbo.g WHERE id > 100 GROUP BY a;
SELECT o.id, p.t, p.n FROM dbo.g AS o CROSS APPLY (SELECT t, COUNT(*) AS n FROM dbo.g AS i WHERE i.a = o.a GROUP BY t) AS p WHERE o.id IN (3, 7) ORDER BY o.id, p.n, p.t;
SELECT l.a, COUNT(*) AS n, SUM(l.id) AS ls, SUM(r.id) AS rs FROM dbo.g AS l LEFT LOOP JOIN dbo.g AS r ON r.v >= l.v GROUP BY l.a OPTION (FORCE ORDER);
SELECT l.a + 0 AS a, COUNT(*) AS n, SUM(l.id) AS ls, SUM(r.id) AS rs FROM dbo.g AS l LEFT LOOP JOIN dbo.g AS r ON r.v >= l.v GROUP BY l.a + 0 OPTION (FORCE ORDER);
GO
--@ source: reasoned
-- Groups and different rows follow each other in the order of an index, above a merge join and below one; not where the groups are of other columns, or of more than those.
EXEC dbo.tree N'SELECT o.id, COUNT(*) AS n, SUM(d.q) AS s FROM dbo.o JOIN dbo.d ON d.o = o.id GROUP BY o.id ORDER BY o.id'
EXEC dbo.tree N'SELECT DISTINCT o.id, d.line FROM dbo.o JOIN dbo.d ON d.o = o.id'
EXEC dbo.tree N'SELECT o.v, g.n FROM dbo.o JOIN (SELECT o, COUNT(*) AS n FROM dbo.d GROUP BY o) AS g ON g.o = o.id'
EXEC dbo.tree N'SELECT line, o, MAX(q) AS m FROM dbo.d GROUP BY line, o'
EXEC dbo.tree N'SELECT line, MAX(q) AS m FROM dbo.d WHERE o = 7 GROUP BY line'
EXEC dbo.tree N'SELECT n, COUNT(*) AS c FROM dbo.names GROUP BY n'
EXEC dbo.tree N'SELECT line, COUNT(*) AS n FROM dbo.d GROUP BY line'
EXEC dbo.tree N'SELECT o, q, COUNT(*) AS n FROM dbo.d GROUP BY o, q'
EXEC dbo.tree N'SELECT d.o, COUNT(*) AS n FROM dbo.o LEFT JOIN dbo.d ON d.o = o.id GROUP BY d.o'
EXEC dbo.tree N'SELECT n COLLATE Latin1_General_BIN2 AS n, COUNT(*) AS c FROM dbo.names GROUP BY n COLLATE Latin1_General_BIN2'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.g, dbo.o, dbo.d, dbo.names
GO
