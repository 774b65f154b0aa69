-- An aggregate whose only column is an outer query's is that query's.
--@ source: reasoned
CREATE TABLE t (id int NOT NULL PRIMARY KEY, g int NULL, s varchar(10) NULL)
CREATE TABLE u (tid int NULL, y int NULL)
INSERT t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, NULL)
INSERT u VALUES (1, 10), (1, 20), (2, 30), (3, 40)
GO
--@ source: reasoned
SELECT g, (SELECT COUNT(*) FROM t i WHERE i.id > MAX(o.id)) AS bigger FROM t o GROUP BY g
GO
--@ source: reasoned
SELECT g, (SELECT MAX(o.id)) AS m, (SELECT MAX(o.id) + COUNT(*) FROM t) AS p FROM t o GROUP BY g ORDER BY g
GO
--@ source: reasoned
SELECT (SELECT SUM(o.id) FROM t i WHERE i.id = 1) AS s FROM t o
GO
--@ source: reasoned
SELECT (SELECT SUM(o.id + i.id) FROM t i) AS s FROM t o ORDER BY o.id
GO
--@ source: reasoned
SELECT (SELECT COUNT(o.id) FROM t i) AS s FROM t o
GO
--@ source: reasoned
SELECT o.g, (SELECT COUNT(o.id)) AS c FROM t o GROUP BY o.g ORDER BY o.g
GO
--@ source: reasoned
SELECT id FROM t o WHERE (SELECT SUM(o.id)) > 2
GO
--@ source: reasoned
SELECT id FROM t o WHERE 2 < (SELECT MAX(i.id + o.id) FROM t i WHERE i.g = o.g) ORDER BY id
GO
--@ source: message 147
-- The text of 147 says where it may stand: in a subquery of a select list or of HAVING.
SELECT o.g, (SELECT MAX(u.y) FROM u WHERE u.tid = MIN(o.id)) AS y FROM t o GROUP BY o.g ORDER BY o.g
SELECT o.g FROM t o GROUP BY o.g HAVING EXISTS (SELECT 1 FROM u WHERE u.tid = MAX(o.id)) ORDER BY o.g
SELECT o.g FROM t o GROUP BY o.g ORDER BY (SELECT MAX(o.id) + COUNT(*) FROM u WHERE u.tid < 2) DESC
GO
--@ source: reasoned
-- Two levels up, in a derived table, in CASE, beside one of its own.
SELECT o.g, (SELECT (SELECT SUM(o.id) + SUM(i.id)) FROM t i) AS s FROM t o GROUP BY o.g ORDER BY o.g
SELECT o.g, (SELECT q.m FROM (SELECT MAX(o.s) AS m) AS q) AS m FROM t o GROUP BY o.g ORDER BY o.g
SELECT CASE WHEN (SELECT COUNT(o.id) WHERE 1 = 1) = 4 THEN 'four' ELSE 'other' END AS c, COUNT(*) AS n FROM t o
SELECT o.g, (SELECT STRING_AGG(o.s, '-') WITHIN GROUP (ORDER BY o.s)) AS l, (SELECT COUNT(DISTINCT o.id)) AS n FROM t o WHERE o.g = 1 GROUP BY o.g
GO
--@ source: message 8124
SELECT (SELECT MAX(o.id + o.g) FROM u) FROM t o
GO
--@ source: message 8120
SELECT o.id, (SELECT SUM(o.id) FROM u) AS s FROM t o
GO
--@ source: message 4101
SELECT o.id, a.s FROM t o CROSS APPLY (SELECT SUM(o.id) AS s FROM u) AS a
GO
--@ source: documentation FROM clause
SELECT o.id, a.s FROM t o CROSS APPLY (SELECT SUM(x.v) AS s FROM (VALUES (o.id), (o.g)) AS x (v)) AS a ORDER BY o.id
GO
--@ source: message 1015
SELECT o.id FROM t o JOIN u ON u.tid = (SELECT MAX(o.id))
GO
--@ source: message 1015
SELECT o.id FROM t o JOIN u ON u.tid = MAX(o.id)
GO
--@ source: message 144
SELECT COUNT(*) FROM t o GROUP BY (SELECT MAX(o.id))
GO
--@ source: message 157
UPDATE t SET g = (SELECT MAX(t.id) FROM u)
GO
--@ source: message 147
DELETE t WHERE id = (SELECT MAX(t.id) FROM u)
GO
--@ source: message 130
SELECT (SELECT SUM(MAX(o.id)) FROM u) FROM t o
GO
--@ source: reasoned
DROP TABLE t, u
GO
