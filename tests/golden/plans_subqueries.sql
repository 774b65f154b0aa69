-- The bound trees of subqueries: what they read from outside stands behind 'for each'.
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
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE EXISTS (SELECT 1 / 0 FROM dbo.b WHERE b.aid = a.id)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE NOT EXISTS (SELECT * FROM dbo.b WHERE b.aid = a.id AND b.y > a.x)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x IN (SELECT aid FROM dbo.b)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x NOT IN (SELECT y FROM dbo.b WHERE b.n = a.t)'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x > ALL (SELECT y FROM dbo.b) OR x = ANY (SELECT id FROM dbo.c)'
EXEC dbo.tree N'SELECT id, (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.id) AS n FROM dbo.a'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x = (SELECT MAX(y) FROM dbo.b)'
EXEC dbo.tree N'SELECT CASE WHEN x = 0 THEN 0 ELSE (SELECT TOP 1 y FROM dbo.b WHERE b.aid = a.id) END AS c FROM dbo.a'
GO
--@ source: reasoned
-- One in the other; in a derived table; in ORDER BY and in a condition of a join; outside of any query.
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.aid = a.id AND EXISTS (SELECT 1 FROM dbo.c WHERE c.id = b.id AND c.v > a.x))'
EXEC dbo.tree N'SELECT d.m FROM (SELECT (SELECT MAX(v) FROM dbo.c) AS m FROM dbo.a) AS d'
EXEC dbo.tree N'SELECT id FROM dbo.a ORDER BY (SELECT COUNT(*) FROM dbo.b WHERE b.aid = a.id)'
EXEC dbo.tree N'SELECT a.id FROM dbo.a JOIN dbo.b ON b.aid = a.id AND b.y IN (SELECT id FROM dbo.c)'
EXEC dbo.tree N'DECLARE @n int = (SELECT COUNT(*) FROM dbo.a); IF EXISTS (SELECT 1 FROM dbo.a WHERE id = @n) SELECT @n; SET @n = (SELECT MIN(id) FROM dbo.b)'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
