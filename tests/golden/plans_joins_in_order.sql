-- The first rows of a join in an order that an index of one of its tables gives: joins keep it.
--@ source: reasoned
CREATE TABLE dbo.o(id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, cid int NOT NULL, d int NULL, v int NULL, INDEX id_ (d, id), INDEX ic (cid));
CREATE TABLE dbo.c(id int NOT NULL CONSTRAINT pk_c PRIMARY KEY, r int NULL, n varchar(10) NULL);
CREATE TABLE dbo.r(id int NOT NULL, n varchar(10) NULL);
INSERT dbo.o SELECT value, value % 200, (value * 7919) % 1000, value FROM GENERATE_SERIES(1, 5000);
INSERT dbo.c SELECT value, value % 5, CONCAT('c', value) FROM GENERATE_SERIES(0, 198);
INSERT dbo.r SELECT value, CONCAT('r', value) FROM GENERATE_SERIES(0, 3);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- No sort: inner joins by loops and by hash, an outer one, three tables, a derived table, a variable, FETCH, and the order that is there under FORCE ORDER.
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.id'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.c JOIN dbo.o ON c.id = o.cid ORDER BY o.id DESC'
EXEC dbo.tree N'SELECT TOP 3 o.id, r.n FROM dbo.o JOIN dbo.c ON c.id = o.cid JOIN dbo.r ON r.id = c.r ORDER BY o.id'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o LEFT JOIN dbo.c ON c.id = o.cid ORDER BY o.id'
EXEC dbo.tree N'SELECT o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.id OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.c JOIN dbo.o ON c.id = o.cid ORDER BY o.id OPTION (FORCE ORDER)'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.id OPTION (HASH JOIN)'
GO
--@ source: reasoned
-- A sort: without a row goal, in an order of both tables, of the side that may be missing, of a full join, where few rows are left to sort.
EXEC dbo.tree N'SELECT o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.d'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.d, c.n'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.c LEFT JOIN dbo.o ON c.id = o.cid ORDER BY o.id'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o FULL JOIN dbo.c ON c.id = o.cid ORDER BY o.id'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid WHERE c.id = 7 ORDER BY o.id'
EXEC dbo.tree N'SELECT TOP 10 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.v'
GO
--@ source: reasoned
-- The rows are the same.
SELECT TOP 5 o.id, c.n FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.id
SELECT TOP 5 o.id, c.n FROM dbo.c JOIN dbo.o ON c.id = o.cid ORDER BY o.id DESC
SELECT TOP 5 o.id, c.n FROM dbo.o LEFT JOIN dbo.c ON c.id = o.cid WHERE o.id > 197 ORDER BY o.id
SELECT TOP 5 o.id, r.n FROM dbo.o JOIN dbo.c ON c.id = o.cid JOIN dbo.r ON r.id = c.r ORDER BY o.d DESC, o.id DESC
SELECT TOP 5 o.id, r.n FROM dbo.o JOIN dbo.c ON c.id = o.cid JOIN dbo.r ON r.id = c.r ORDER BY o.d DESC, o.id DESC OPTION (HASH JOIN, FORCE ORDER)
SELECT TOP 2 WITH TIES o.d, o.id FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.d
SELECT COUNT(*) AS n FROM (SELECT TOP 4999 o.id FROM dbo.o JOIN dbo.c ON c.id = o.cid ORDER BY o.d, o.id) AS x
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.o, dbo.c, dbo.r
GO
