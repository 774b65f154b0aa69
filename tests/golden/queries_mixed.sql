-- Queries of several parts at once: subqueries beside joins, groups and windows.
--@ source: reasoned
CREATE DATABASE qm
GO
--@ source: reasoned
USE qm
CREATE TABLE a (id int NOT NULL PRIMARY KEY, x int NULL, s varchar(10) NULL)
CREATE TABLE b (aid int NULL, y int NULL)
INSERT a VALUES (1, 10, 'a'), (2, 20, 'b'), (3, NULL, 'c'), (4, 40, NULL)
INSERT b VALUES (1, 10), (1, 11), (2, NULL), (NULL, 40)
GO
--@ source: reasoned
SELECT a.id FROM a WHERE 1 = (SELECT COUNT(*) FROM b WHERE aid = a.id) OR EXISTS (SELECT 1 FROM b WHERE y = a.x) ORDER BY 1
GO
--@ source: reasoned
SELECT a.id, x.c FROM a CROSS APPLY (SELECT COUNT(*) AS c FROM b WHERE b.aid = a.id AND b.y > (SELECT MIN(x) FROM a)) AS x ORDER BY 1
GO
--@ source: reasoned
SELECT MAX(a.x) - MIN(b.y) AS d, COUNT(DISTINCT a.id) AS n FROM a FULL JOIN b ON a.id = b.aid
GO
--@ source: reasoned
SELECT a.id FROM a LEFT JOIN b ON a.id = b.aid AND b.y IN (SELECT x FROM a) WHERE b.aid IS NULL ORDER BY a.id
GO
--@ source: reasoned
SELECT s, COUNT(*) FROM (SELECT s FROM a UNION ALL SELECT NULL) q GROUP BY s HAVING s IS NULL
GO
--@ source: reasoned
SELECT q.id, q.n FROM (SELECT a.id, (SELECT COUNT(*) FROM b WHERE b.aid = a.id) AS n FROM a) q WHERE q.n > 0 ORDER BY q.n, q.id
GO
--@ source: reasoned
SELECT TOP 2 a.id, b.y FROM a LEFT JOIN b ON a.id = b.aid ORDER BY b.y DESC, a.id DESC
GO
--@ source: reasoned
SELECT DISTINCT TOP 2 x FROM a ORDER BY x DESC
GO
--@ source: reasoned
SELECT COUNT(*) FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE b.aid = a.id AND b.y <> ALL (SELECT x FROM a WHERE x IS NOT NULL))
GO
--@ source: reasoned
SELECT a.id, CASE WHEN a.x > ALL (SELECT y FROM b WHERE aid = a.id) THEN 1 WHEN a.x > ANY (SELECT y FROM b) THEN 2 ELSE 3 END AS c FROM a ORDER BY a.id
GO
--@ source: reasoned
SELECT (SELECT COUNT(*) FROM b WHERE b.aid = a.id HAVING COUNT(*) > 0) AS h FROM a ORDER BY a.id
GO
--@ source: reasoned
SELECT (SELECT SUM(y) FROM b WHERE b.aid = a.id GROUP BY aid) AS h FROM a ORDER BY a.id
GO
--@ source: reasoned
SELECT id FROM a WHERE (SELECT COUNT(*) FROM b WHERE b.aid = a.id) = (SELECT COUNT(*) FROM b WHERE b.y = a.x) ORDER BY id
GO
--@ source: reasoned
SELECT id, x FROM a WHERE x IS NULL OR x IN (SELECT y FROM b) ORDER BY x, id
GO
--@ source: reasoned
SELECT COUNT(*) AS n, COUNT(q.y) AS m FROM a OUTER APPLY (SELECT TOP (1) y FROM b WHERE b.aid = a.id ORDER BY y) AS q
GO
--@ source: reasoned
SELECT a.id FROM a JOIN b ON a.id = b.aid JOIN a AS c ON c.x = b.y OR c.id = a.id + 3 ORDER BY a.id
GO
--@ source: reasoned
SELECT id FROM a WHERE x = 10 AND 1/0 = 1
GO
--@ source: reasoned
SELECT id FROM a WHERE id = 99 AND 1/(id-99) = 1
GO
--@ source: reasoned
SELECT id FROM a WHERE x BETWEEN 40 AND 10
GO
--@ source: reasoned
SELECT id FROM a WHERE s IN ('a', NULL, 'c') ORDER BY id
GO
--@ source: reasoned
SELECT id FROM a WHERE NOT s IN ('a') ORDER BY id
GO
--@ source: reasoned
SELECT id FROM a WHERE x IN (10, '20', 40.0) ORDER BY id
GO
--@ source: reasoned
SELECT x FROM a GROUP BY x HAVING COUNT(*) = 1 ORDER BY COUNT(*), x DESC
GO
--@ source: reasoned
SELECT COUNT(*) FROM a, b, a AS c WHERE a.id = c.id
GO
--@ source: reasoned
SELECT y, COUNT(*) OVER (PARTITION BY aid) AS k FROM b ORDER BY k DESC, y
GO
--@ source: reasoned
SELECT MAX(CASE WHEN aid = 1 THEN y END) AS m1, MIN(CASE aid WHEN 2 THEN y ELSE 99 END) AS m2 FROM b
GO
--@ source: reasoned
SELECT SUM(x) FROM a WHERE id IN (SELECT aid FROM b GROUP BY aid HAVING COUNT(*) > 1)
GO
--@ source: reasoned
SELECT id, (SELECT STRING_AGG(y, ',') WITHIN GROUP (ORDER BY y DESC) FROM b WHERE b.aid = a.id AND y IS NOT NULL) AS l FROM a ORDER BY id
GO
--@ source: reasoned
SELECT a.id, b.y FROM a INNER JOIN b ON a.id = b.aid AND a.id = 1 OR b.y = 40 ORDER BY a.id, b.y
GO
--@ source: reasoned
SELECT a.* FROM a WHERE EXISTS (SELECT * FROM (SELECT aid, MAX(y) AS m FROM b GROUP BY aid) AS g WHERE g.aid = a.id AND g.m > a.x)
GO
--@ source: reasoned
SELECT * FROM (SELECT * FROM a) AS q, (SELECT COUNT(*) AS n FROM b) AS r WHERE q.id = r.n
GO
--@ source: reasoned
UPDATE a SET x = (SELECT COUNT(*) FROM b WHERE b.aid = a.id) WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id)
SELECT id, x FROM a
GO
--@ source: reasoned
USE master
DROP DATABASE qm
GO
