-- How many rows a seek finds for each row of a join: as many as each key of the other table has of them.
--@ source: reasoned
CREATE TABLE dbo.p(id int NOT NULL CONSTRAINT pk_p PRIMARY KEY, brand int NOT NULL);
CREATE TABLE dbo.l(o int NOT NULL, n int NOT NULL, p int NOT NULL, q int NOT NULL, CONSTRAINT pk_l PRIMARY KEY (o, n), INDEX l_p (p));
INSERT dbo.p SELECT value, value % 20 FROM GENERATE_SERIES(1, 100);
INSERT dbo.l SELECT (value - 1) / 4 + 1, value % 4, value * 7 % 100 + 1, value % 50 FROM GENERATE_SERIES(1, 2000);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- A few keys: their rows are sought, whatever else is asked of them.
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.p JOIN dbo.l ON l.p = p.id WHERE p.brand = 3'
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.l JOIN dbo.p ON l.p = p.id WHERE p.brand = 3 AND l.q < 7'
GO
--@ source: reasoned
-- All keys, or most: the table is read once. A hint has its way.
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.p JOIN dbo.l ON l.p = p.id'
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.p JOIN dbo.l ON l.p = p.id WHERE p.brand <> 3'
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.p JOIN dbo.l ON l.p = p.id WHERE p.brand = 3 OPTION (HASH JOIN)'
GO
--@ source: reasoned
-- The rows are the same.
SELECT SUM(l.q) AS s, COUNT(*) AS n FROM dbo.p JOIN dbo.l ON l.p = p.id WHERE p.brand = 3
SELECT SUM(l.q) AS s, COUNT(*) AS n FROM dbo.p JOIN dbo.l ON l.p = p.id WHERE p.brand = 3 OPTION (HASH JOIN)
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.l, dbo.p
GO
