-- Groups, aliases and subqueries side by side; views of set operations and of common table expressions.
--@ source: reasoned
CREATE DATABASE qgm
GO
--@ source: reasoned
USE qgm
CREATE TABLE t (id int NOT NULL PRIMARY KEY, g int NULL, s varchar(10) NULL)
INSERT t (id, g, s) VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, NULL)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW v AS SELECT id, g FROM t WHERE g = 1 UNION ALL SELECT id * 10, g FROM t WHERE g = 2
GO
--@ source: reasoned
SELECT * FROM v ORDER BY id
SELECT v.g, COUNT(*) AS n FROM v JOIN t ON t.g = v.g GROUP BY v.g ORDER BY v.g
GO
--@ source: documentation CREATE VIEW
CREATE VIEW w AS SELECT id FROM t ORDER BY id
GO
--@ source: documentation CREATE VIEW
CREATE VIEW w AS SELECT id + 1 FROM t
GO
--@ source: documentation CREATE VIEW
CREATE VIEW w (a, b) AS SELECT id FROM t
GO
--@ source: documentation CREATE VIEW
CREATE VIEW w AS WITH c AS (SELECT g, COUNT(*) AS n FROM t GROUP BY g) SELECT c.g, c.n, ROW_NUMBER() OVER (ORDER BY c.n DESC, c.g) AS r FROM c
GO
--@ source: reasoned
SELECT * FROM w WHERE r < 3 ORDER BY r
GO
--@ source: reasoned
DROP VIEW v, w
GO
--@ source: reasoned
SELECT t.id, q.total FROM t JOIN (SELECT g, SUM(id) AS total FROM t GROUP BY g) AS q ON q.g = t.g OR (q.g IS NULL AND t.g IS NULL) ORDER BY t.id
GO
--@ source: reasoned
SELECT g, MAX(s) AS m, (SELECT TOP 1 s FROM t i WHERE i.g = o.g ORDER BY id DESC) AS last FROM t o GROUP BY g ORDER BY g
GO
--@ source: reasoned
SELECT g, (SELECT COUNT(*) FROM t i WHERE i.g > o.g) AS bigger FROM t o GROUP BY g ORDER BY g
GO
--@ source: reasoned
SELECT g, (SELECT COUNT(*) FROM t i WHERE i.id > o.id) AS bigger FROM t o GROUP BY g
GO
--@ source: reasoned
SELECT g FROM t GROUP BY g ORDER BY (SELECT COUNT(*) FROM t i WHERE i.g = t.g) DESC, g
GO
--@ source: reasoned
SELECT id FROM t ORDER BY (SELECT s FROM t i WHERE i.id = t.id) DESC
GO
--@ source: reasoned
SELECT id AS x FROM t ORDER BY (SELECT -x)
GO
--@ source: reasoned
SELECT DISTINCT g FROM t ORDER BY (SELECT 1)
GO
--@ source: reasoned
SELECT g FROM t GROUP BY g, id % 2 ORDER BY g, id % 2
GO
--@ source: reasoned
SELECT g, id % 2 AS o, COUNT(*) FROM t GROUP BY g, id % 2 HAVING id % 2 = 1 ORDER BY g
GO
--@ source: reasoned
SELECT COUNT(*) FROM t GROUP BY g HAVING g IS NOT NULL AND MAX(id) > (SELECT AVG(id) FROM t)
GO
--@ source: reasoned
SELECT g + 1 FROM t GROUP BY g HAVING g + 1 > 2
GO
--@ source: reasoned
SELECT UPPER(s), LEN(UPPER(s)) FROM t GROUP BY UPPER(s) ORDER BY 1
GO
--@ source: reasoned
SELECT s + 'x' FROM t GROUP BY s + 'x' ORDER BY s + 'x'
GO
--@ source: reasoned
SELECT s FROM t GROUP BY s + 'x'
GO
--@ source: reasoned
SELECT CAST(id AS varchar(5)) + s FROM t GROUP BY CAST(id AS varchar(5)), s ORDER BY CAST(id AS varchar(5))
GO
--@ source: reasoned
SELECT g, COUNT(*) FROM t GROUP BY t.g ORDER BY 1
GO
--@ source: reasoned
SELECT t.g, COUNT(*) FROM t GROUP BY g ORDER BY 1
GO
--@ source: reasoned
SELECT x.g FROM t x GROUP BY t.g
GO
--@ source: reasoned
SELECT TOP 1 g, COUNT(*) AS n FROM t GROUP BY g ORDER BY n DESC
GO
--@ source: reasoned
SELECT g AS id, COUNT(*) AS n FROM t GROUP BY g ORDER BY id
GO
--@ source: reasoned
SELECT COUNT(*) AS g FROM t GROUP BY g ORDER BY g
GO
--@ source: reasoned
SELECT MAX(g) AS g FROM t GROUP BY s ORDER BY g DESC
GO
--@ source: reasoned
SELECT SUM(id) s FROM t HAVING SUM(id) > 5 ORDER BY s
GO
--@ source: reasoned
SELECT 1 AS x FROM t ORDER BY COUNT(*)
GO
--@ source: reasoned
SELECT id FROM t ORDER BY COUNT(*)
GO
--@ source: reasoned
SELECT COUNT(*) OVER (), COUNT(*) FROM t
GO
--@ source: reasoned
SELECT DISTINCT id FROM t GROUP BY id, g ORDER BY g
GO
--@ source: reasoned
SELECT DISTINCT MAX(id) AS m FROM t GROUP BY g ORDER BY MAX(id)
GO
--@ source: reasoned
USE master
DROP DATABASE qgm
GO
