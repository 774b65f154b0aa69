-- The bound trees of GROUP BY, DISTINCT and windows.
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
EXEC dbo.tree N'SELECT COUNT(*) FROM dbo.a'
EXEC dbo.tree N'SELECT x, COUNT(*) AS n, SUM(id) AS s FROM dbo.a GROUP BY x'
EXEC dbo.tree N'SELECT x, AVG(id) FROM dbo.a WHERE t LIKE ''a%'' GROUP BY x HAVING COUNT(*) > 1 ORDER BY x'
EXEC dbo.tree N'SELECT x + 1 AS k, MAX(t) FROM dbo.a GROUP BY x + 1'
EXEC dbo.tree N'SELECT x FROM dbo.a GROUP BY x'
EXEC dbo.tree N'SELECT COUNT(DISTINCT x), COUNT(t), COUNT_BIG(*) FROM dbo.a'
EXEC dbo.tree N'SELECT YEAR(d), SUM(v) / COUNT(*) FROM dbo.c GROUP BY YEAR(d)'
EXEC dbo.tree N'SELECT STRING_AGG(t, '','') WITHIN GROUP (ORDER BY id DESC) FROM dbo.a'
EXEC dbo.tree N'SELECT DISTINCT x, t FROM dbo.a'
EXEC dbo.tree N'SELECT DISTINCT x + 1 AS k FROM dbo.a ORDER BY k'
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id, ROW_NUMBER() OVER (ORDER BY x DESC) AS rn FROM dbo.a'
EXEC dbo.tree N'SELECT id, RANK() OVER (PARTITION BY t ORDER BY x), SUM(x) OVER (PARTITION BY t) FROM dbo.a'
EXEC dbo.tree N'SELECT id, SUM(x) OVER (ORDER BY id), AVG(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM dbo.a'
EXEC dbo.tree N'SELECT id, LAG(x, 2, 0) OVER (ORDER BY id), LAST_VALUE(x) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), NTILE(4) OVER (ORDER BY id) FROM dbo.a'
EXEC dbo.tree N'SELECT x, SUM(COUNT(*)) OVER (ORDER BY x) FROM dbo.a GROUP BY x'
EXEC dbo.tree N'SELECT p.k FROM (SELECT id AS k, ROW_NUMBER() OVER (PARTITION BY x ORDER BY id) AS rn FROM dbo.a) AS p WHERE p.rn = 1'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
