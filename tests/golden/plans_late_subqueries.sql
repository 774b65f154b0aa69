-- A subquery that is run for each row is run where the rows are the fewest: behind the joins that leave fewer of them.
--@ source: reasoned
CREATE TABLE dbo.s(id int NOT NULL CONSTRAINT pk_s PRIMARY KEY, nation int NOT NULL);
CREATE TABLE dbo.o(id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, status char(1) NOT NULL);
CREATE TABLE dbo.l(o int NOT NULL, n int NOT NULL, s int NOT NULL, CONSTRAINT pk_l PRIMARY KEY (o, n));
INSERT dbo.s SELECT value, value % 5 FROM GENERATE_SERIES(1, 50);
INSERT dbo.o SELECT value, CASE value % 3 WHEN 0 THEN 'F' ELSE 'O' END FROM GENERATE_SERIES(1, 500);
INSERT dbo.l SELECT (value - 1) / 4 + 1, value % 4, value * 7 % 50 + 1 FROM GENERATE_SERIES(1, 2000);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- Late: by joins that take rows away, of one table and of two.
EXEC dbo.tree N'SELECT s.id FROM dbo.s JOIN dbo.l ON l.s = s.id JOIN dbo.o ON o.id = l.o WHERE o.status = ''F'' AND s.nation = 3 AND EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s) AND NOT EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s AND k.n = 1)'
EXEC dbo.tree N'SELECT l.n FROM dbo.l JOIN dbo.o ON o.id = l.o WHERE o.status = ''F'' AND l.n < (SELECT MAX(k.n) FROM dbo.l AS k WHERE k.o = l.o)'
GO
--@ source: reasoned
-- At once: where a join takes none away, where the subquery reads nothing of the row, where one table is all.
EXEC dbo.tree N'SELECT l.n FROM dbo.l JOIN dbo.s ON s.id = l.s WHERE l.o = 7 AND l.n < (SELECT MAX(k.n) FROM dbo.l AS k WHERE k.o = l.o)'
EXEC dbo.tree N'SELECT l.n FROM dbo.l JOIN dbo.o ON o.id = l.o WHERE o.status = ''F'' AND l.n < (SELECT MAX(k.n) FROM dbo.l AS k)'
EXEC dbo.tree N'SELECT l.n FROM dbo.l WHERE l.n < (SELECT MAX(k.n) FROM dbo.l AS k WHERE k.o = l.o)'
GO
--@ source: reasoned
-- The rows are the same.
SELECT COUNT(*) AS n, SUM(s.id) AS s FROM dbo.s JOIN dbo.l ON l.s = s.id JOIN dbo.o ON o.id = l.o WHERE o.status = 'F' AND s.nation = 3 AND EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s) AND NOT EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s AND k.n = 1)
SELECT COUNT(*) AS n, SUM(s.id) AS s FROM dbo.s JOIN dbo.l ON l.s = s.id JOIN dbo.o ON o.id = l.o WHERE o.status = 'F' AND s.nation = 3 AND EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s) AND NOT EXISTS (SELECT * FROM dbo.l AS k WHERE k.o = l.o AND k.s <> l.s AND k.n = 1) OPTION (FORCE ORDER)
SELECT COUNT(*) AS n, SUM(l.s) AS s FROM dbo.l JOIN dbo.o ON o.id = l.o WHERE o.status = 'F' AND l.n < (SELECT MAX(k.n) FROM dbo.l AS k WHERE k.o = l.o)
SELECT COUNT(*) AS n, SUM(l.s) AS s FROM dbo.l JOIN dbo.o ON o.id = l.o WHERE o.status = 'F' AND l.n < (SELECT MAX(k.n) FROM dbo.l AS k WHERE k.o = l.o) OPTION (FORCE ORDER)
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.l, dbo.o, dbo.s
GO
