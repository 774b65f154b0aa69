-- Forty rows, with an index, NULLs and ties: what each query finds was computed by SQLite or by hand.
--@ source: reasoned
CREATE DATABASE qor
GO
--@ source: reasoned
USE qor
CREATE TABLE t (id int NOT NULL PRIMARY KEY, g int NULL, v int NULL)
INSERT t SELECT value, value % 5, NULLIF(value % 7, 0) FROM GENERATE_SERIES(1, 40)
CREATE INDEX ig ON t (g, v)
GO
--@ source: peer SQLite
SELECT g, COUNT(*) AS n, COUNT(v) AS nv, COUNT(DISTINCT v) AS dv, SUM(v) AS s, SUM(DISTINCT v) AS sd, MIN(v) AS lo, MAX(v) AS hi, AVG(v * 1.0) AS a FROM t GROUP BY g ORDER BY g
GO
--@ source: peer SQLite
SELECT TOP (3) g, v FROM t ORDER BY g DESC, v
GO
--@ source: peer SQLite
SELECT id, g, v FROM t ORDER BY g, v DESC, id OFFSET 17 ROWS FETCH NEXT 4 ROWS ONLY
GO
--@ source: reasoned
SELECT TOP (2) WITH TIES v FROM t WHERE g = 3 ORDER BY v
GO
--@ source: peer SQLite
SELECT g, v, SUM(v) OVER (PARTITION BY g ORDER BY v, id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s3, COUNT(v) OVER (PARTITION BY g ORDER BY v) AS c, FIRST_VALUE(id) OVER (PARTITION BY g ORDER BY v, id) AS f, LAG(v, 2, -1) OVER (PARTITION BY g ORDER BY v, id) AS l FROM t WHERE g IN (1, 2) ORDER BY g, v, id
GO
--@ source: peer SQLite
SELECT a.g, b.v, COUNT(*) AS n FROM t a JOIN t b ON a.v = b.g WHERE a.id < 10 GROUP BY a.g, b.v HAVING COUNT(*) > 2 ORDER BY a.g, b.v
GO
--@ source: peer SQLite
SELECT g FROM t GROUP BY g HAVING MIN(v) IS NOT NULL AND MAX(id) - MIN(id) > 34 ORDER BY g DESC
GO
--@ source: peer SQLite
SELECT id FROM t WHERE v = (SELECT MAX(v) FROM t i WHERE i.g = t.g) ORDER BY id
GO
--@ source: reasoned
SELECT id FROM t WHERE v > ALL (SELECT v FROM t i WHERE i.g = t.g AND i.id < t.id) ORDER BY id
GO
--@ source: peer SQLite
SELECT g, v FROM t WHERE g < 2 EXCEPT SELECT v, g FROM t WHERE v < 3 ORDER BY g, v
GO
--@ source: peer SQLite
SELECT g, v FROM t INTERSECT SELECT v, g FROM t ORDER BY g, v
GO
--@ source: peer SQLite
SELECT x.g, x.v FROM (SELECT g, v, DENSE_RANK() OVER (PARTITION BY g ORDER BY v DESC) AS r FROM t) x WHERE x.r = 2 GROUP BY x.g, x.v ORDER BY x.g
GO
--@ source: reasoned
SELECT t.id, n.id AS next FROM t OUTER APPLY (SELECT TOP (1) i.id FROM t i WHERE i.g = t.g AND i.v = t.v AND i.id > t.id ORDER BY i.id) AS n WHERE t.id < 8 ORDER BY t.id
GO
--@ source: peer SQLite
SELECT COUNT(*) FROM t a LEFT JOIN t b ON a.g = b.v AND a.v = b.g WHERE b.id IS NULL
GO
--@ source: peer SQLite
SELECT COUNT(*) FROM t a FULL JOIN (SELECT * FROM t WHERE v = 3) b ON a.g = b.g AND a.id = b.id + 1 WHERE a.id IS NULL OR b.id IS NULL
GO
--@ source: peer SQLite
SELECT COUNT(*), SUM(a.id), SUM(b.id) FROM t a JOIN t b ON a.id < b.id AND a.g = b.g AND b.v BETWEEN a.v AND a.v + 2
GO
--@ source: reasoned
SELECT g, STRING_AGG(id, ',') WITHIN GROUP (ORDER BY v DESC, id) FROM t WHERE id < 16 GROUP BY g ORDER BY g
GO
--@ source: peer SQLite
WITH r AS (SELECT id, g, v, 1 AS lvl FROM t WHERE id = 1 UNION ALL SELECT t.id, t.g, t.v, r.lvl + 1 FROM t JOIN r ON t.id = r.id * 2 + r.lvl) SELECT * FROM r ORDER BY lvl
GO
--@ source: peer SQLite
SELECT id, NTILE(4) OVER (PARTITION BY g ORDER BY id DESC) AS n, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v, id) - RANK() OVER (PARTITION BY g ORDER BY v) AS d FROM t WHERE g = 4 ORDER BY id
GO
--@ source: reasoned
SELECT p.g, p.[1], p.[2], p.[6] FROM (SELECT g, v, id FROM t) s PIVOT (COUNT(id) FOR v IN ([1], [2], [6])) p ORDER BY p.g
GO
--@ source: peer SQLite
SELECT MAX(v) FROM t WHERE g = 9
GO
--@ source: peer SQLite
SELECT SUM(CASE WHEN v IS NULL THEN 1 ELSE 0 END) AS nulls, SUM(IIF(g = 0, id, 0)) AS zero FROM t
GO
--@ source: peer SQLite
SELECT DISTINCT g, v FROM t WHERE g IN (SELECT v FROM t WHERE v > 3) ORDER BY v DESC, g
GO
--@ source: peer SQLite
SELECT id FROM t WHERE (g = 1 OR v = 1) AND NOT (g = 1 AND v = 1) ORDER BY id
GO
--@ source: peer SQLite
SELECT id FROM t WHERE g = 1 AND (v IS NULL OR v > 4) OR id IN (40, 41) ORDER BY id
GO
--@ source: peer SQLite
SELECT COUNT(*) FROM t WHERE v NOT IN (1, 2) 
GO
--@ source: peer SQLite
SELECT COUNT(*) FROM t WHERE NOT (v > 2 AND g < 3)
GO
--@ source: peer SQLite
SELECT g FROM t WHERE v < 3 GROUP BY g HAVING COUNT(*) = (SELECT MAX(k) FROM (SELECT COUNT(*) AS k FROM t WHERE v < 3 GROUP BY g) q) ORDER BY g
GO
--@ source: reasoned
USE master
DROP DATABASE qor
GO
