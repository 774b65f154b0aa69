-- Numbers made by cross joins: ORDER BY of one value sorts nothing, functions that look back keep nothing, and TOP ends the reading.
--@ source: documentation t-sql/functions/row-number-transact-sql
WITH L0 AS (SELECT 1 AS c UNION ALL SELECT 1), L1 AS (SELECT 1 AS c FROM L0 AS a CROSS JOIN L0 AS b), L2 AS (SELECT 1 AS c FROM L1 AS a CROSS JOIN L1 AS b),
L3 AS (SELECT 1 AS c FROM L2 AS a CROSS JOIN L2 AS b), L4 AS (SELECT 1 AS c FROM L3 AS a CROSS JOIN L3 AS b), L5 AS (SELECT 1 AS c FROM L4 AS a CROSS JOIN L4 AS b),
Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM L5)
SELECT TOP (5) n FROM Nums ORDER BY n;
WITH L0 AS (SELECT 1 AS c UNION ALL SELECT 1), L1 AS (SELECT 1 AS c FROM L0 AS a CROSS JOIN L0 AS b), L2 AS (SELECT 1 AS c FROM L1 AS a CROSS JOIN L1 AS b),
L3 AS (SELECT 1 AS c FROM L2 AS a CROSS JOIN L2 AS b), L4 AS (SELECT 1 AS c FROM L3 AS a CROSS JOIN L3 AS b), L5 AS (SELECT 1 AS c FROM L4 AS a, L4 AS b),
Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT 1)) AS n FROM L5)
SELECT COUNT(*) AS rows, MIN(n) AS first, MAX(n) AS last, SUM(n) AS sum FROM (SELECT TOP (100000) n FROM Nums) AS t;
GO
-- No row behind the last one that can pass is made.
--@ source: documentation t-sql/functions/row-number-transact-sql
DECLARE @last int = 4;
WITH L0 AS (SELECT c FROM (VALUES (1), (1), (1), (1), (1), (1), (1), (1), (1), (1)) AS v (c)), L1 AS (SELECT 1 AS c FROM L0 AS a, L0 AS b, L0 AS d, L0 AS e),
L2 AS (SELECT 1 AS c FROM L1 AS a, L1 AS b, L1 AS d), Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM L2)
SELECT n FROM Nums WHERE n <= @last ORDER BY n;
WITH L0 AS (SELECT c FROM (VALUES (1), (1), (1), (1), (1), (1), (1), (1), (1), (1)) AS v (c)), L1 AS (SELECT 1 AS c FROM L0 AS a, L0 AS b, L0 AS d, L0 AS e),
L2 AS (SELECT 1 AS c FROM L1 AS a, L1 AS b, L1 AS d), Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM L2)
SELECT (SELECT COUNT(*) FROM Nums WHERE n BETWEEN 10 AND 20) AS between_two, (SELECT COUNT(*) FROM Nums WHERE n < NULLIF(1, 1)) AS less_than_null, (SELECT n FROM Nums WHERE 7 = n) AS seven
GO
-- The fourth row would end in an error: it is not read.
--@ source: documentation t-sql/queries/top-transact-sql
CREATE TABLE numbered (id int NOT NULL PRIMARY KEY, d int NOT NULL)
INSERT numbered VALUES (1, 5), (2, 4), (3, 4), (4, 0), (5, 1)
SELECT TOP (3) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n, RANK() OVER (ORDER BY (SELECT NULL)) AS r, 20 / v.d AS q FROM (VALUES (5), (4), (4), (0), (1)) AS v (d)
SELECT TOP (3) id, ROW_NUMBER() OVER (ORDER BY id) AS n, SUM(20 / d) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS s FROM numbered ORDER BY id
SELECT TOP (3) id, SUM(20 / d) OVER (ORDER BY id) AS s, COUNT(*) OVER (ORDER BY id) AS c, MAX(d) OVER (ORDER BY id) AS m FROM numbered ORDER BY id
SELECT id, n FROM (SELECT id, 20 / d AS q, ROW_NUMBER() OVER (ORDER BY id) AS n FROM numbered) AS t WHERE n <= 3 AND q > 0 ORDER BY n
GO
--@ source: message 8134
SELECT TOP (4) id, SUM(20 / d) OVER (ORDER BY id) AS s FROM numbered ORDER BY id
GO
-- Partitions, peers, other orders: the same numbers as by sorting.
--@ source: documentation t-sql/functions/rank-transact-sql
CREATE TABLE ranked (g int NOT NULL, v int NOT NULL, x int NOT NULL, INDEX i (g, v) INCLUDE (x))
INSERT ranked VALUES (1, 1, 1), (1, 1, 2), (1, 2, 3), (2, 1, 4), (2, 1, 5), (2, 3, 6), (2, 3, 7)
SELECT g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v) AS n, RANK() OVER (PARTITION BY g ORDER BY v) AS r, DENSE_RANK() OVER (PARTITION BY g ORDER BY v) AS d FROM ranked ORDER BY g, n
SELECT g, v, RANK() OVER (ORDER BY g DESC, v DESC) AS r, DENSE_RANK() OVER (ORDER BY g DESC, v DESC) AS d FROM ranked ORDER BY r
SELECT DISTINCT g, v, SUM(x) OVER (ORDER BY g, v) AS s, COUNT(*) OVER (PARTITION BY g) AS c, SUM(x) OVER (PARTITION BY (SELECT 1)) AS t FROM ranked ORDER BY g, v
SELECT g, MAX(n) AS n FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY g ORDER BY (SELECT NULL)) AS n FROM ranked) AS t WHERE n <= 3 GROUP BY g ORDER BY g
SELECT SUM(x) OVER (ORDER BY (SELECT NULL)) AS s, SUM(x) OVER (ORDER BY (SELECT NULL) ROWS UNBOUNDED PRECEDING) - x AS before FROM ranked WHERE g = 1 AND v = 2
GO
-- A query without a table's order: ORDER BY of a subquery that reads no row.
--@ source: documentation t-sql/queries/select-order-by-clause-transact-sql
SELECT v FROM (VALUES (3), (1), (2)) AS t (v) ORDER BY (SELECT NULL)
SELECT v FROM (VALUES (3), (1), (2)) AS t (v) ORDER BY (SELECT NULL), v
SELECT v FROM (VALUES (3), (1), (2)) AS t (v) ORDER BY (SELECT NULL) OFFSET 1 ROW FETCH NEXT 1 ROW ONLY
SELECT TOP (2) WITH TIES v FROM (VALUES (3), (1), (2)) AS t (v) ORDER BY (SELECT 1)
GO
--@ source: reasoned
DROP TABLE numbered, ranked
GO
