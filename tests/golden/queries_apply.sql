-- APPLY beside joins, sets, groups, windows and table-valued functions.
--@ source: reasoned
CREATE DATABASE qap
GO
--@ source: reasoned
USE qap
CREATE TABLE d (id int NOT NULL PRIMARY KEY, b int NULL)
CREATE TABLE e (id int NOT NULL PRIMARY KEY, d int NULL, p int NULL)
INSERT d VALUES (1, 11), (2, NULL), (3, NULL)
INSERT e VALUES (11, 1, 100), (12, 1, 50), (13, 2, NULL), (14, NULL, 70)
GO
--@ source: reasoned
SELECT d.id, a.x, b.y FROM d OUTER APPLY (SELECT TOP 1 e.id AS x FROM e WHERE e.d = d.id ORDER BY e.id) AS a OUTER APPLY (SELECT COUNT(*) AS y FROM e WHERE e.id < a.x) AS b ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, a.x, b.y FROM d OUTER APPLY (SELECT TOP 1 e.id AS x FROM e WHERE e.d = d.id ORDER BY e.id) AS a CROSS APPLY (SELECT a.x + 1 AS y) AS b ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, a.x, e.p FROM d OUTER APPLY (SELECT TOP 1 e.id AS x FROM e WHERE e.d = d.id ORDER BY e.id) AS a LEFT JOIN e ON e.id = a.x + 1 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, a.x, e.p FROM d OUTER APPLY (SELECT TOP 1 e.id AS x FROM e WHERE e.d = d.id ORDER BY e.id) AS a JOIN e ON e.id = a.x ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, e.id AS e, a.x FROM d LEFT JOIN e ON e.d = d.id OUTER APPLY (SELECT MAX(i.p) AS x FROM e i WHERE i.d = e.d) AS a ORDER BY d.id, e.id
GO
--@ source: reasoned
SELECT d.id, e.id AS e, a.x FROM d LEFT JOIN e ON e.d = d.id CROSS APPLY (SELECT e.p + d.id AS x) AS a ORDER BY d.id, e.id
GO
--@ source: reasoned
SELECT d.id, q.n FROM d LEFT JOIN (SELECT e.d, x.n FROM e CROSS APPLY (SELECT e.p * 2 AS n) AS x) AS q ON q.d = d.id ORDER BY d.id, q.n
GO
--@ source: reasoned
SELECT d.id, q.n FROM d LEFT JOIN (e CROSS APPLY (SELECT e.p * 2 AS n) AS q) ON e.d = d.id ORDER BY d.id, q.n
GO
--@ source: reasoned
SELECT d.id, x.n FROM d, e CROSS APPLY (SELECT d.id * e.id AS n) AS x WHERE e.id = 11 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, x.n FROM d CROSS JOIN e OUTER APPLY (SELECT d.id * e.id AS n WHERE d.id > 1) AS x WHERE e.id = 11 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, x.v FROM d OUTER APPLY (SELECT v FROM (VALUES (d.id), (d.b)) AS q (v) WHERE v > 1) AS x ORDER BY d.id, x.v
GO
--@ source: reasoned
SELECT d.id, x.v, y.w FROM d OUTER APPLY (SELECT v FROM (VALUES (d.id), (d.b)) AS q (v) WHERE v > 1) AS x OUTER APPLY (SELECT COUNT(*) AS w FROM e WHERE e.id > x.v) AS y ORDER BY d.id, x.v
GO
--@ source: reasoned
SELECT d.id, x.value FROM d OUTER APPLY STRING_SPLIT(CAST(d.b AS varchar(10)), '1') AS x ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, x.value FROM d CROSS APPLY GENERATE_SERIES(1, d.id) AS x ORDER BY d.id, x.value
GO
--@ source: reasoned
SELECT d.id, g.n FROM d OUTER APPLY (SELECT d, COUNT(*) AS n FROM e WHERE e.d = d.id GROUP BY d) AS g ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, (SELECT MAX(x.v) FROM (VALUES (d.id), (d.b)) AS x (v)) AS m FROM d ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id FROM d WHERE EXISTS (SELECT 1 FROM (SELECT TOP 1 e.p FROM e WHERE e.d = d.id ORDER BY e.p DESC) AS q WHERE q.p = 100)
GO
--@ source: reasoned
SELECT d.id, u.k FROM d OUTER APPLY (SELECT e.id AS k FROM e WHERE e.d = d.id UNION ALL SELECT d.b) AS u ORDER BY d.id, u.k
GO
--@ source: reasoned
SELECT d.id, w.r FROM d CROSS APPLY (SELECT ROW_NUMBER() OVER (ORDER BY e.p) AS r, e.id AS eid FROM e WHERE e.d = d.id) AS w ORDER BY d.id, w.r
GO
--@ source: reasoned
SELECT d.id, o.id AS oid FROM d CROSS APPLY (SELECT e.id FROM e WHERE e.d = d.id ORDER BY e.id OFFSET 1 ROWS) AS o
GO
--@ source: reasoned
SELECT d.id, r.n FROM d CROSS APPLY (SELECT n FROM (SELECT e.id AS n, e.d FROM e) AS q WHERE q.d = d.id) AS r ORDER BY 1, 2
GO
--@ source: reasoned
WITH c AS (SELECT d.id, x.n FROM d CROSS APPLY (SELECT COUNT(*) AS n FROM e WHERE e.d = d.id) AS x) SELECT c.id, c.n, y.m FROM c OUTER APPLY (SELECT MAX(e.p) AS m FROM e WHERE e.d = c.id AND c.n > 1) AS y ORDER BY c.id
GO
--@ source: reasoned
USE master
DROP DATABASE qap
GO
