-- The bound trees of ORDER BY, TOP, OFFSET and FETCH.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL, t varchar(10) NULL);
CREATE TABLE dbo.b(id int NOT NULL, aid int NULL, y bigint NULL, n nvarchar(10) NULL, CONSTRAINT pk_b PRIMARY KEY (id));
CREATE TABLE dbo.c(id int NULL, d date NULL, v decimal(10, 2) NULL);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.logical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY x DESC, id'
EXEC dbo.tree N'SELECT id + x AS s FROM dbo.a ORDER BY s'
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY t COLLATE Latin1_General_BIN2'
EXEC dbo.tree N'SELECT TOP 5 id FROM dbo.a'
EXEC dbo.tree N'DECLARE @n int; SELECT TOP (@n) id FROM dbo.a ORDER BY x'
EXEC dbo.tree N'SELECT TOP 10 PERCENT id FROM dbo.a ORDER BY id'
EXEC dbo.tree N'SELECT TOP 3 WITH TIES id FROM dbo.a ORDER BY x'
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY id OFFSET 20 ROWS'
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY id OFFSET 20 ROWS FETCH NEXT 10 ROWS ONLY'
EXEC dbo.tree N'SELECT d.id FROM (SELECT TOP 5 id FROM dbo.a ORDER BY x) AS d ORDER BY d.id'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
