-- The limit of 256 table sources is one of a query: each part of a set operation and each subquery is a query of its own.
--@ source: documentation t-sql/queries/from-transact-sql
CREATE TABLE ts (a int NOT NULL)
INSERT ts VALUES (1)
DECLARE @parts nvarchar(max) = N'SELECT a FROM ts' + REPLICATE(CAST(N' UNION ALL SELECT a FROM ts' AS nvarchar(max)), 299)
DECLARE @count nvarchar(max) = N'SELECT COUNT(*) AS n FROM (' + @parts + N') AS t'
EXEC (@count)
DECLARE @subqueries nvarchar(max) = N'SELECT 0' + REPLICATE(CAST(N' + (SELECT a FROM ts)' AS nvarchar(max)), 300) + N' AS n'
EXEC (@subqueries)
GO
--@ source: message 106
DECLARE @joins nvarchar(max) = N'SELECT COUNT(*) AS n FROM ts', @i int = 0
WHILE @i < 256 SELECT @joins += CONCAT(N', (SELECT a FROM ts) AS t', @i), @i += 1
EXEC (@joins)
GO
-- Common table expressions that double with every link are no way around it.
--@ source: message 8623
WITH c0 AS (SELECT a FROM ts), c1 AS (SELECT a FROM c0 UNION ALL SELECT a FROM c0), c2 AS (SELECT a FROM c1 UNION ALL SELECT a FROM c1), c3 AS (SELECT a FROM c2 UNION ALL SELECT a FROM c2),
c4 AS (SELECT a FROM c3 UNION ALL SELECT a FROM c3), c5 AS (SELECT a FROM c4 UNION ALL SELECT a FROM c4), c6 AS (SELECT a FROM c5 UNION ALL SELECT a FROM c5), c7 AS (SELECT a FROM c6 UNION ALL SELECT a FROM c6),
c8 AS (SELECT a FROM c7 UNION ALL SELECT a FROM c7), c9 AS (SELECT a FROM c8 UNION ALL SELECT a FROM c8), c10 AS (SELECT a FROM c9 UNION ALL SELECT a FROM c9), c11 AS (SELECT a FROM c10 UNION ALL SELECT a FROM c10),
c12 AS (SELECT a FROM c11 UNION ALL SELECT a FROM c11), c13 AS (SELECT a FROM c12 UNION ALL SELECT a FROM c12), c14 AS (SELECT a FROM c13 UNION ALL SELECT a FROM c13), c15 AS (SELECT a FROM c14 UNION ALL SELECT a FROM c14)
SELECT COUNT(*) AS n FROM c15
GO
--@ source: reasoned
DROP TABLE ts
GO
