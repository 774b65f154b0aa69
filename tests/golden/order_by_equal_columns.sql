-- Columns of a derived table that are the same value are two columns all the same.
--@ source: reasoned
CREATE TABLE t (g int, a int)
INSERT t VALUES (1, 2), (1, 4), (2, 1)
GO
--@ source: peer PostgreSQL
SELECT d.p, d.q FROM (SELECT MAX(a) AS p, MAX(a) AS q, g FROM t GROUP BY g) AS d ORDER BY d.p DESC, d.q, d.g
SELECT d.g FROM (SELECT MAX(a) AS p, MAX(a) AS q, g FROM t GROUP BY g) AS d ORDER BY d.q, d.p DESC
SELECT TOP (1) WITH TIES d.p FROM (SELECT a AS p, a AS q FROM t) AS d ORDER BY p, q
;WITH c AS (SELECT g, g AS h FROM t) SELECT x.h FROM c AS x JOIN c AS y ON x.g = y.h ORDER BY x.g, x.h, y.g, y.h
GO
--@ source: message 169
SELECT d.p FROM (SELECT MAX(a) AS p, MAX(a) AS q FROM t GROUP BY g) AS d ORDER BY d.p, p
GO
--@ source: message 169
SELECT a AS b FROM t ORDER BY a, b
GO
--@ source: message 169
SELECT a FROM t ORDER BY g, t.g
GO
--@ source: reasoned
DROP TABLE t
GO
