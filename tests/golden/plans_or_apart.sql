-- What an OR over several tables says of each of them is asked where the table is read, and functions of constants are computed once.
--@ source: reasoned
CREATE TABLE dbo.p(id int NOT NULL CONSTRAINT pk_p PRIMARY KEY, brand char(3) NOT NULL, size int NULL);
CREATE TABLE dbo.l(o int NOT NULL CONSTRAINT pk_l PRIMARY KEY, p int NOT NULL, q int NULL, d date NOT NULL, INDEX l_p (p));
INSERT dbo.p SELECT value, CONCAT('b', value % 20), NULLIF(value % 7, 0) FROM GENERATE_SERIES(1, 300);
INSERT dbo.l SELECT value, value * 7 % 300 + 1, NULLIF(value % 50, 0), DATEADD(day, value % 900, '19940101') FROM GENERATE_SERIES(1, 3000);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- Each branch says something of p: p is read under that, and l is sought. Of l, too, where each branch says something of it.
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.l, dbo.p WHERE p.id = l.p AND (p.brand = ''b3'' AND l.q BETWEEN 1 AND 9 OR p.brand = ''b4'' AND p.size > 3 AND l.q < 5)'
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.p AS a, dbo.p AS b WHERE a.size = b.size AND (a.brand = ''b1'' AND b.brand = ''b2'' OR a.brand = ''b2'' AND b.brand = ''b1'')'
GO
--@ source: reasoned
-- It says nothing of p: one branch is about l alone. What may fail is not asked of rows that the text would not ask. Nothing of what is
-- new in each call.
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.l, dbo.p WHERE p.id = l.p AND (p.brand = ''b3'' AND l.q = 1 OR l.q = 2)'
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.l, dbo.p WHERE p.id = l.p AND (1 / p.size = 1 AND l.q = 1 OR 2 / p.size = 1 AND l.q = 2)'
EXEC dbo.tree N'SELECT SUM(l.q) FROM dbo.l, dbo.p WHERE p.id = l.p AND (p.size = CHECKSUM(NEWID()) AND l.q = 1 OR p.size = 1 AND l.q = 2)'
GO
--@ source: reasoned
-- The table that an outer join may leave out: the condition of WHERE is asked above it.
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.l LEFT JOIN dbo.p ON p.id = l.p WHERE (p.brand = ''b3'' AND l.q = 1 OR p.size IS NULL AND l.q BETWEEN 2 AND 20)'
GO
--@ source: reasoned
-- The rows are the same, whichever table comes first.
SELECT SUM(l.q) AS s, COUNT(*) AS n FROM dbo.l, dbo.p WHERE p.id = l.p AND (p.brand = 'b3' AND l.q BETWEEN 1 AND 9 OR p.brand = 'b4' AND p.size > 3 AND l.q < 5)
SELECT SUM(l.q) AS s, COUNT(*) AS n FROM dbo.l, dbo.p WHERE p.id = l.p AND CASE WHEN p.brand = 'b3' AND l.q BETWEEN 1 AND 9 OR p.brand = 'b4' AND p.size > 3 AND l.q < 5 THEN 1 END = 1
SELECT COUNT(*) AS n FROM dbo.p AS a, dbo.p AS b WHERE a.size = b.size AND (a.brand = 'b1' AND b.brand = 'b2' OR a.brand = 'b2' AND b.brand = 'b1')
SELECT COUNT(*) AS n FROM dbo.p AS a, dbo.p AS b WHERE a.size = b.size AND (a.brand = 'b1' AND b.brand = 'b2' OR a.brand = 'b2' AND b.brand = 'b1') OPTION (LOOP JOIN, FORCE ORDER)
SELECT COUNT(*) AS n FROM dbo.l LEFT JOIN dbo.p ON p.id = l.p WHERE (p.brand = 'b3' AND l.q = 1 OR p.size IS NULL AND l.q BETWEEN 2 AND 20)
GO
--@ source: reasoned
-- Functions of dates and whole numbers are computed when the statement is planned; one that fails, where a row asks for it; others, and
-- those of variables, for each row.
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.l WHERE d >= DATEADD(month, 3, CAST(''19940101'' AS date)) AND d < DATEADD(year, YEAR(CAST(''00020101'' AS date)), CAST(''19940101'' AS date))'
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.l WHERE d < DATEADD(year, 9999, CAST(''19940101'' AS date))'
EXEC dbo.tree N'DECLARE @n int = 1; SELECT COUNT(*) FROM dbo.l WHERE d < DATEADD(day, @n, CAST(''19940101'' AS date))'
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.l WHERE q = LEN(''abc'')'
SELECT COUNT(*) AS n FROM dbo.l WHERE d >= DATEADD(month, 3, CAST('19940101' AS date)) AND d < DATEADD(month, 4, CAST('19940101' AS date))
SELECT COUNT(*) AS n FROM dbo.l WHERE o < 0 AND d < DATEADD(year, 9999, CAST('19940101' AS date))
SELECT COUNT(*) AS n FROM dbo.l WHERE d < DATEADD(year, 9999, CAST('19940101' AS date))
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.l, dbo.p
