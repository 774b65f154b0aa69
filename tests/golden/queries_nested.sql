-- Subqueries within joins, groups and APPLY; one column under several names.
--@ source: reasoned
CREATE DATABASE qne
GO
--@ source: reasoned
USE qne
CREATE TABLE e (id int NOT NULL PRIMARY KEY, d int NULL, p int NULL)
INSERT e VALUES (11, 1, 100), (12, 1, 50), (13, 2, NULL), (14, NULL, 70)
GO
--@ source: reasoned
WITH r AS (SELECT id AS a, id AS b, 0 AS n FROM e WHERE id < 13 UNION ALL SELECT r.a, r.a, r.n + 1 FROM r WHERE r.n < 1) SELECT a, b, n FROM r ORDER BY a, n
GO
--@ source: reasoned
WITH r AS (SELECT 1 AS a, 2 AS b UNION ALL SELECT r.b, r.a + 2 FROM r WHERE r.a < 5) SELECT a, b FROM r ORDER BY a
GO
--@ source: reasoned
SELECT q.a, q.b, ROW_NUMBER() OVER (PARTITION BY q.a ORDER BY q.b) AS r, LAG(q.a) OVER (ORDER BY q.b) AS l FROM (SELECT id AS a, id AS b FROM e) q ORDER BY q.a
GO
--@ source: reasoned
SELECT id, id AS x, p, p AS y FROM e ORDER BY y, x
GO
--@ source: reasoned
SELECT q.x, q.y FROM (SELECT p AS x, p AS y FROM e WHERE p > 60 UNION SELECT d, id FROM e) q ORDER BY 1, 2
GO
--@ source: reasoned
SELECT a, b FROM (SELECT d AS a, d AS b FROM e INTERSECT SELECT d, d FROM e WHERE id < 13) q ORDER BY 1
GO
--@ source: reasoned
SELECT x.id, x.v, y.v AS w FROM (SELECT id, p AS v FROM e) x JOIN (SELECT id, p AS v FROM e) y ON x.id = y.id + 1 ORDER BY x.id
GO
--@ source: reasoned
SELECT e.id, (SELECT MAX(v) FROM (VALUES (e.id), (e.p), (e.d)) AS q (v)) AS m FROM e ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, q.v FROM e CROSS APPLY (SELECT MAX(v) AS v FROM (VALUES (e.id), (e.p)) AS i (v)) AS q ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, i.id AS j, i.x FROM e CROSS APPLY (SELECT i.id, i.p AS x FROM e i WHERE i.id = e.id + 1) AS i ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, i.k FROM e CROSS APPLY (SELECT COUNT(*) AS k FROM e i WHERE i.id > e.id AND EXISTS (SELECT 1 FROM e j WHERE j.id = i.id AND j.d = e.d)) AS i ORDER BY e.id
GO
--@ source: reasoned
SELECT o.id, q.s FROM e o CROSS APPLY (SELECT STRING_AGG(i.id, ',') WITHIN GROUP (ORDER BY i.id) AS s FROM e i WHERE i.d = o.d) q ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id, q.c FROM e o CROSS APPLY (SELECT COUNT(*) AS c FROM (SELECT i.d FROM e i WHERE i.id <= o.id GROUP BY i.d) g) q ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id, q.c FROM e o CROSS APPLY (SELECT TOP (1) i.p AS c FROM e i LEFT JOIN e j ON j.id = i.id + 1 AND j.d = o.d WHERE j.id IS NOT NULL ORDER BY i.id) q ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id FROM e o WHERE o.p > (SELECT AVG(i.p) FROM e i WHERE i.p IS NOT NULL AND (i.d = o.d OR o.d IS NULL)) ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id, CASE WHEN EXISTS (SELECT 1 FROM e i WHERE i.d = o.d AND i.id <> o.id) THEN (SELECT MIN(i.id) FROM e i WHERE i.d = o.d AND i.id <> o.id) ELSE o.id END AS twin FROM e o ORDER BY o.id
GO
--@ source: reasoned
SELECT SUM(q.n) AS s FROM (SELECT (SELECT COUNT(*) FROM e i WHERE i.id < o.id) AS n FROM e o) q
GO
--@ source: reasoned
SELECT q.n, COUNT(*) AS k FROM (SELECT (SELECT COUNT(*) FROM e i WHERE i.d = o.d) AS n FROM e o) q GROUP BY q.n ORDER BY q.n
GO
--@ source: reasoned
SELECT DISTINCT (SELECT COUNT(*) FROM e i WHERE i.d = o.d) AS n FROM e o ORDER BY n
GO
--@ source: reasoned
SELECT o.id, ROW_NUMBER() OVER (ORDER BY (SELECT COUNT(*) FROM e i WHERE i.d = o.d), o.id) AS r FROM e o ORDER BY o.id
GO
--@ source: reasoned
SELECT TOP (1) WITH TIES o.id FROM e o ORDER BY (SELECT COUNT(*) FROM e i WHERE i.d = o.d) DESC
GO
--@ source: reasoned
SELECT o.d, MAX((SELECT 1)) FROM e o GROUP BY o.d
GO
--@ source: reasoned
SELECT o.id, (SELECT COUNT(*) FROM e i WHERE i.id IN (SELECT j.id FROM e j WHERE j.p > o.p)) AS k FROM e o ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id FROM e o LEFT JOIN e i ON i.id = o.id + 1 WHERE NOT EXISTS (SELECT 1 FROM e j WHERE j.p > i.p) ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id, i.id AS j FROM e o LEFT JOIN e i ON i.id = (SELECT MIN(k.id) FROM e k WHERE k.id > o.id) ORDER BY o.id
GO
--@ source: reasoned
SELECT o.id, i.id AS j FROM e o FULL JOIN e i ON i.id = o.id + 2 AND EXISTS (SELECT 1 FROM e k WHERE k.p > o.p) ORDER BY o.id, i.id
GO
--@ source: reasoned
SELECT o.id, i.id AS j FROM e o LEFT JOIN e i ON i.d = o.d AND i.id > o.id AND o.p > 60 ORDER BY o.id, i.id
GO
--@ source: reasoned
SELECT o.id, i.id AS j FROM e o RIGHT JOIN e i ON i.d = o.d AND i.id > o.id AND i.p < 60 ORDER BY i.id, o.id
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM e a LEFT JOIN e b ON a.id = b.id LEFT JOIN e c ON b.d = c.d AND c.p = (SELECT MAX(p) FROM e) WHERE c.id IS NULL OR c.id = 11
GO
--@ source: reasoned
SELECT a.id, b.id AS b, c.id AS c FROM e a JOIN e b ON a.d = b.d LEFT JOIN e c ON c.id = b.id + 1 AND c.d = a.d ORDER BY a.id, b.id
GO
--@ source: reasoned
SELECT a.id, x.id AS x FROM e a LEFT JOIN (e b JOIN e x ON x.d = b.d AND x.id <> b.id) ON b.id = a.id ORDER BY a.id
GO
--@ source: reasoned
USE master
DROP DATABASE qne
GO
