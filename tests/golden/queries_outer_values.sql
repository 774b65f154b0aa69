-- Values of an outer join's inner side: constants, expressions, groups and windows are NULL where no row matches.
--@ source: reasoned
CREATE DATABASE qov
GO
--@ source: reasoned
USE qov
CREATE TABLE d (id int NOT NULL PRIMARY KEY, b int NULL)
CREATE TABLE e (id int NOT NULL PRIMARY KEY, d int NULL, p int NULL)
INSERT d VALUES (1, 11), (2, NULL), (3, NULL)
INSERT e VALUES (11, 1, 100), (12, 1, 50), (13, 2, NULL), (14, NULL, 70)
GO
--@ source: reasoned
CREATE VIEW ve AS SELECT id, d, ISNULL(p, 0) AS p0, 'x' AS k, 1 AS one, CASE WHEN p > 60 THEN 'big' ELSE 'small' END AS size FROM e
GO
--@ source: reasoned
SELECT d.id, v.id AS e, v.p0, v.k, v.one, v.size FROM d LEFT JOIN ve AS v ON v.d = d.id ORDER BY d.id, v.id
GO
--@ source: reasoned
SELECT d.id, v.p0, v.k, v.one, v.size, ISNULL(v.one, 0) AS o, COALESCE(v.k, 'none') AS c FROM d LEFT JOIN (SELECT d, ISNULL(p, 0) AS p0, 'x' AS k, 1 AS one, CASE WHEN p > 60 THEN 'big' ELSE 'small' END AS size FROM e WHERE p > 60) AS v ON v.d = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id FROM d LEFT JOIN ve v ON v.d = d.id WHERE v.one IS NULL
GO
--@ source: reasoned
SELECT d.id FROM d LEFT JOIN ve v ON v.d = d.id WHERE v.k IS NULL OR v.size = 'big' ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id FROM d LEFT JOIN ve v ON v.d = d.id WHERE ISNULL(v.one, 0) = 0
GO
--@ source: reasoned
SELECT COUNT(v.one) AS n, COUNT(v.k) AS k, COUNT(*) AS a, SUM(v.one) AS s FROM d LEFT JOIN ve v ON v.d = d.id
GO
--@ source: reasoned
SELECT v.k, COUNT(*) AS n FROM d LEFT JOIN ve v ON v.d = d.id GROUP BY v.k ORDER BY v.k
GO
--@ source: reasoned
SELECT d.id, v.one, v.id FROM ve v RIGHT JOIN d ON v.d = d.id AND v.one = 1 ORDER BY d.id, v.id
GO
--@ source: reasoned
SELECT d.id, v.one FROM d LEFT JOIN ve v ON v.d = d.id AND v.one = 2 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, d.b, v.one, v.k FROM d FULL JOIN ve v ON v.d = d.id ORDER BY d.id, v.id
GO
--@ source: reasoned
SELECT q.one, v.one FROM (SELECT id, 1 AS one FROM d) q FULL JOIN ve v ON v.d = q.id ORDER BY q.id, v.id
GO
--@ source: reasoned
SELECT d.id, a.one, a.k FROM d OUTER APPLY (SELECT 1 AS one, 'k' AS k FROM e WHERE e.d = d.id AND e.p > 60) AS a ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, a.n FROM d OUTER APPLY (SELECT ISNULL(MAX(p), -1) AS n FROM e WHERE e.d = d.id) AS a ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, a.n FROM d OUTER APPLY (SELECT ISNULL(MAX(p), -1) AS n FROM e WHERE e.d = d.id GROUP BY e.d) AS a ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, x.one, y.two FROM d LEFT JOIN (SELECT d AS k, 1 AS one FROM e WHERE p = 100) x ON x.k = d.id LEFT JOIN (SELECT d AS k, 2 AS two FROM e WHERE p = 50) y ON y.k = d.id AND x.one = 1 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, x.one, y.two FROM d LEFT JOIN ((SELECT d AS k, 1 AS one FROM e WHERE id = 13) x JOIN (SELECT id AS k, 2 AS two FROM d) y ON y.k = x.k) ON x.k = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, (SELECT v.one FROM ve v WHERE v.d = d.id AND v.p0 = 100) AS s FROM d ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.r FROM d LEFT JOIN (SELECT d, ROW_NUMBER() OVER (PARTITION BY d ORDER BY id) AS r FROM e) q ON q.d = d.id AND q.r = 2 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.r FROM d LEFT JOIN (SELECT d, ROW_NUMBER() OVER (ORDER BY id) AS r FROM e WHERE p > 60) q ON q.d = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.n FROM d LEFT JOIN (SELECT d, COUNT(*) AS n FROM e GROUP BY d) q ON q.d = d.id WHERE q.n > 1 OR q.n IS NULL ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.n + 1 AS n1, -q.n AS neg, q.n * 0 AS z FROM d LEFT JOIN (SELECT d, COUNT(*) AS n FROM e GROUP BY d) q ON q.d = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.t FROM d LEFT JOIN (SELECT TOP (1) d, 'top' AS t FROM e ORDER BY p DESC) q ON q.d = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.t FROM d LEFT JOIN (SELECT 1 AS k, 'u' AS t UNION ALL SELECT 3, 'v') q ON q.k = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.t FROM d LEFT JOIN (VALUES (1, 'u'), (3, 'v')) q (k, t) ON q.k = d.id ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.t FROM d LEFT JOIN (SELECT 'only' AS t) q ON d.id = 2 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.t FROM d LEFT JOIN (SELECT 'never' AS t WHERE 1 = 0) q ON 1 = 1 ORDER BY d.id
GO
--@ source: reasoned
SELECT d.id, q.c FROM d LEFT JOIN (SELECT d, COALESCE(p, 7) AS c FROM e) q ON q.d = d.id AND q.c > 60 WHERE q.c IS NULL ORDER BY d.id
GO
--@ source: reasoned
SELECT a.id, b.x, c.y FROM d a LEFT JOIN (SELECT d, 1 AS x FROM e) b ON b.d = a.id LEFT JOIN (SELECT d, 2 AS y FROM e) c ON c.d = b.d AND b.x = 1 WHERE a.id > 1 ORDER BY a.id
GO
--@ source: reasoned
SELECT DISTINCT v.one FROM d LEFT JOIN ve v ON v.d = d.id ORDER BY v.one
GO
--@ source: reasoned
SELECT d.id, v.one FROM d LEFT JOIN ve v ON v.d = d.id WHERE v.one = 1 OR d.id = 3 ORDER BY d.id, v.id
GO
--@ source: reasoned
SELECT d.id FROM d WHERE NOT EXISTS (SELECT v.one FROM ve v WHERE v.d = d.id) ORDER BY d.id
GO
--@ source: reasoned
SELECT MAX(ISNULL(v.p0, 5)) AS m, MIN(ISNULL(v.one, 5)) AS i FROM d LEFT JOIN ve v ON v.d = d.id AND d.id > 2
GO
--@ source: reasoned
UPDATE d SET b = v.one FROM d LEFT JOIN ve v ON v.d = d.id AND v.p0 = 100
SELECT * FROM d ORDER BY id
GO
--@ source: reasoned
USE master
DROP DATABASE qov
GO
