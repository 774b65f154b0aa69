-- Recursive common table expressions: depth first, with a limit, checked against their anchor.
SET NOCOUNT ON
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT COUNT(*), MAX(i) FROM n OPTION (MAXRECURSION 0)
GO
CREATE TABLE #e (id int, boss int, name varchar(10)); INSERT #e VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 1, 'c'), (4, 2, 'd'), (5, 4, 'e');
WITH t (id, name, lvl, path) AS (SELECT id, name, 0, CAST(name AS varchar(100)) FROM #e WHERE boss IS NULL UNION ALL SELECT e.id, e.name, t.lvl + 1, CAST(t.path + '/' + e.name AS varchar(100)) FROM #e e JOIN t ON e.boss = t.id) SELECT * FROM t
GO
WITH t AS (SELECT 'a' AS x UNION ALL SELECT x + 'b' FROM t) SELECT * FROM t
GO
WITH t AS (SELECT x FROM t) SELECT * FROM t
GO
WITH t AS (SELECT 1 AS x UNION ALL SELECT TOP 1 x FROM t) SELECT * FROM t
GO
WITH t AS (SELECT 1 AS x UNION ALL SELECT MAX(x) FROM t GROUP BY x) SELECT * FROM t
GO
WITH t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t WHERE x < 3 UNION ALL SELECT x + 10 FROM t WHERE x < 3) SELECT x FROM t ORDER BY x
GO
WITH t AS (SELECT 1 x UNION SELECT x FROM t) SELECT * FROM t
GO
WITH a AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM a WHERE i < 3), b AS (SELECT i FROM a) SELECT x.i, y.i FROM b x CROSS JOIN b y WHERE x.i <= y.i ORDER BY 1, 2
GO
WITH d AS (SELECT CAST('20240101' AS date) AS d UNION ALL SELECT DATEADD(day, 1, d) FROM d WHERE d < '20240105') INSERT #e SELECT DAY(d), NULL, 'x' FROM d; SELECT COUNT(*) FROM #e
GO
WITH d AS (SELECT id FROM #e) DELETE FROM d
GO
