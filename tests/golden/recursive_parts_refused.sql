-- What the recursive part must not do is refused in its derived tables and subqueries too, whatever rows they are of.
--@ source: documentation t-sql/queries/with-common-table-expression-transact-sql
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT MAX(i) FROM (VALUES (3)) AS m (i))) SELECT x FROM t
GO
--@ source: message 467
WITH t AS (SELECT 1 AS x UNION ALL SELECT t.x + 1 FROM t JOIN (SELECT i FROM (VALUES (1)) AS m (i) GROUP BY i) AS d ON d.i = t.x) SELECT x FROM t
GO
--@ source: message 467
WITH t AS (SELECT 1 AS x UNION ALL SELECT t.x + 1 FROM t WHERE EXISTS (SELECT 1 FROM (VALUES (1)) AS m (i) HAVING 1 = 1)) SELECT x FROM t
GO
--@ source: message 467
WITH t AS (SELECT 1 AS x UNION ALL SELECT t.x + 1 FROM t CROSS APPLY (SELECT COUNT(*) AS n FROM (VALUES (1)) AS m (i) WHERE m.i = t.x) AS d WHERE d.n = 1) SELECT x FROM t
GO
--@ source: message 461
WITH t AS (SELECT 1 AS x UNION ALL SELECT d.i FROM t CROSS APPLY (SELECT TOP (1) i FROM (VALUES (1), (2), (3)) AS m (i) WHERE m.i > t.x ORDER BY i) AS d) SELECT x FROM t
GO
--@ source: message 461
WITH t AS (SELECT 1 AS x UNION ALL SELECT (SELECT TOP 1 2) FROM t WHERE x < 2) SELECT x FROM t
GO
--@ source: message 461
WITH t AS (SELECT 1 AS x UNION ALL SELECT d.i FROM t JOIN (SELECT i FROM (VALUES (1), (2)) AS m (i) ORDER BY i OFFSET 1 ROW) AS d ON d.i > t.x) SELECT x FROM t
GO
--@ source: message 460
WITH t AS (SELECT 1 AS x UNION ALL SELECT d.i FROM t JOIN (SELECT DISTINCT i FROM (VALUES (2), (2)) AS m (i)) AS d ON d.i > t.x) SELECT x FROM t
GO
--@ source: message 460
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x IN (SELECT DISTINCT i FROM (VALUES (1), (1)) AS m (i))) SELECT x FROM t
GO
-- The second recursive part; a part without the expression's name is told as such first.
--@ source: message 460
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < 3 UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT DISTINCT 2)) SELECT x FROM t
GO
--@ source: message 247
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < 3 UNION ALL SELECT TOP (1) 5) SELECT x FROM t
GO
-- Anchors may do it.
--@ source: reasoned
WITH t AS (SELECT DISTINCT MAX(i) AS x FROM (VALUES (1), (1)) AS m (i) GROUP BY i UNION ALL SELECT x + 1 FROM t WHERE x < 3) SELECT x FROM t
GO
-- So may other expressions, views, the parts of a set operation, and aggregates over windows.
--@ source: reasoned
CREATE VIEW largest AS SELECT TOP (1) MAX(i) AS i FROM (VALUES (3), (2)) AS m (i) GROUP BY i ORDER BY 1 DESC
GO
--@ source: reasoned
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t JOIN largest AS l ON x < l.i) SELECT x FROM t
GO
--@ source: reasoned
WITH m AS (SELECT DISTINCT MAX(i) AS i FROM (VALUES (3), (2)) AS m (i) GROUP BY i), t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < ANY (SELECT i FROM m)) SELECT x FROM t
GO
--@ source: reasoned
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t JOIN (SELECT MAX(i) AS i FROM (VALUES (3), (2)) AS m (i) UNION ALL SELECT 0 WHERE 1 = 0) AS d ON x < d.i) SELECT x FROM t
GO
--@ source: documentation t-sql/queries/with-common-table-expression-transact-sql
WITH t AS (SELECT 1 AS x, 0 AS n UNION ALL SELECT x + 1, COUNT(*) OVER () FROM t WHERE x < 3) SELECT x, n FROM t
GO
-- Wherever the expression stands.
--@ source: reasoned
CREATE TABLE r (x int)
GO
--@ source: message 461
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT TOP (1) 3)) INSERT r SELECT x FROM t
GO
--@ source: message 467
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT MAX(x) FROM r)) UPDATE r SET x = 0 FROM r JOIN t ON r.x = t.x
GO
--@ source: message 460
CREATE VIEW v AS WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT DISTINCT 3)) SELECT x FROM t
GO
--@ source: message 467
CREATE PROCEDURE p AS WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < (SELECT COUNT(*) FROM r)) SELECT x FROM t
GO
--@ source: reasoned
DROP VIEW largest
DROP TABLE r
GO
