-- The bound trees of UNION, EXCEPT and INTERSECT, of common table expressions and views.
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
EXEC dbo.tree N'SELECT id FROM dbo.a UNION ALL SELECT y FROM dbo.b'
EXEC dbo.tree N'SELECT id FROM dbo.a UNION SELECT aid FROM dbo.b UNION SELECT id FROM dbo.c ORDER BY id'
EXEC dbo.tree N'SELECT t FROM dbo.a EXCEPT SELECT n FROM dbo.b'
EXEC dbo.tree N'SELECT id, x FROM dbo.a INTERSECT SELECT id, aid FROM dbo.b'
EXEC dbo.tree N'(SELECT id FROM dbo.a EXCEPT SELECT id FROM dbo.b) UNION ALL SELECT NULL'
EXEC dbo.tree N'SELECT u.k FROM (SELECT id AS k FROM dbo.a UNION ALL SELECT id FROM dbo.b) AS u WHERE u.k = 5'
GO
--@ source: reasoned
-- Each mention of an expression is one of its own.
EXEC dbo.tree N'WITH q AS (SELECT id, x FROM dbo.a WHERE x > 0) SELECT id FROM q WHERE x < 9'
EXEC dbo.tree N'WITH q AS (SELECT NEWID() AS g FROM dbo.a) SELECT l.g, r.g FROM q AS l, q AS r'
EXEC dbo.tree N'WITH p AS (SELECT id FROM dbo.a), q AS (SELECT id FROM p) SELECT q.id FROM q JOIN p ON p.id = q.id'
EXEC dbo.tree N'WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT n FROM r OPTION (MAXRECURSION 20)'
EXEC dbo.tree N'WITH r AS (SELECT id, x FROM dbo.a WHERE x IS NULL UNION ALL SELECT a.id, a.x FROM dbo.a JOIN r ON a.x = r.id) SELECT id FROM r'
GO
--@ source: reasoned
CREATE VIEW dbo.positive AS SELECT id, x * 2 AS twice FROM dbo.a WHERE x > 0
GO
--@ source: reasoned
CREATE VIEW dbo.counted AS SELECT x, COUNT(*) AS n FROM dbo.a GROUP BY x
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id FROM dbo.positive WHERE twice = 10'
EXEC dbo.tree N'SELECT p.id, c.n FROM dbo.positive AS p JOIN dbo.counted AS c ON c.x = p.twice'
GO
--@ source: reasoned
DROP VIEW dbo.positive, dbo.counted
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
