-- APPLY that hands up a column of the outer row.
--@ source: reasoned
CREATE DATABASE qap
GO
--@ source: reasoned
USE qap
CREATE TABLE e (id int NOT NULL PRIMARY KEY, d int NULL, p int NULL)
INSERT e VALUES (11, 1, 100), (12, 1, 50), (13, 2, NULL), (14, NULL, 70)
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT e.p AS x) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT e.p AS x, i.id AS k FROM e i) AS a WHERE a.k = 11 ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x, a.k FROM e CROSS APPLY (SELECT e.p AS x, i.id AS k FROM e i WHERE i.d = e.d) AS a ORDER BY e.id, a.k
GO
--@ source: reasoned
SELECT e.id, a.x, a.n FROM e CROSS APPLY (SELECT e.p AS x, COUNT(*) AS n FROM e i WHERE i.p < e.p GROUP BY i.d) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT e.p AS x FROM e i GROUP BY i.d) AS a ORDER BY e.id, a.x
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT e.p AS x UNION ALL SELECT e.id) AS a ORDER BY e.id, a.x
GO
--@ source: reasoned
SELECT e.id, a.x FROM e OUTER APPLY (SELECT e.p AS x WHERE e.id > 12) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e OUTER APPLY (SELECT e.p AS x, e.id AS y WHERE e.p > 60) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e OUTER APPLY (SELECT e.p + 0 AS x WHERE e.p > 60) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x, a.r FROM e CROSS APPLY (SELECT e.p AS x, ROW_NUMBER() OVER (ORDER BY i.id) AS r FROM e i) AS a WHERE a.r = 2 ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT TOP (1) e.p AS x, i.id FROM e i ORDER BY i.id) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, a.x FROM e CROSS APPLY (SELECT q.x FROM (SELECT e.p AS x) AS q WHERE q.x > 60) AS a ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, e2.x FROM e CROSS APPLY (SELECT e.p AS x WHERE e.p IS NOT NULL) AS e2 CROSS APPLY (SELECT e2.x AS y WHERE e2.x > 60) AS z ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id FROM e WHERE EXISTS (SELECT e.p INTERSECT SELECT i.p FROM e i WHERE i.id <> e.id) ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, (SELECT SUM(q.x) FROM e i CROSS APPLY (SELECT i.p AS x) q WHERE i.id <= e.id) AS n FROM e ORDER BY e.id
GO
--@ source: reasoned
SELECT e.id, u.v FROM e CROSS APPLY (SELECT s.v FROM (VALUES (1)) o (k) CROSS JOIN (SELECT e.d AS v) s) u ORDER BY e.id
GO
--@ source: reasoned
WITH c AS (SELECT e.id, q.x FROM e CROSS APPLY (SELECT e.p AS x) q) SELECT c.id, c.x FROM c WHERE c.x > 60 ORDER BY c.id
GO
--@ source: reasoned
USE master
DROP DATABASE qap
GO
