-- FULL OUTER JOIN by any condition, and by an equality beside others.
--@ source: reasoned
CREATE TABLE dbo.jf_a (id int NOT NULL CONSTRAINT pk_jf_a PRIMARY KEY, v int NULL, t varchar(5) NULL)
CREATE TABLE dbo.jf_b (id int NOT NULL CONSTRAINT pk_jf_b PRIMARY KEY, v int NULL, t varchar(5) NULL)
CREATE TABLE dbo.jf_none (id int NOT NULL, v int NULL)
INSERT dbo.jf_a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, NULL)
INSERT dbo.jf_b VALUES (1, 15, 'x'), (2, 5, 'z'), (3, NULL, 'y'), (4, 99, NULL)
GO
--@ source: documentation FROM
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON 1 = 0 ORDER BY a.id, b.id
SELECT COUNT(*) AS n, COUNT(a.id) AS a, COUNT(b.id) AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON 1 = 1
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id OR a.t = b.t ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v BETWEEN b.v - 6 AND b.v + 6 ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v IS NULL AND b.v IS NULL ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = 2 ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON b.id IN (1, 4) ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON NOT a.v > b.v ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id <> b.id AND a.t LIKE b.t + '%' ORDER BY a.id, b.id
GO
--@ source: documentation FROM
-- One side or both without rows.
SELECT a.id AS a, n.id AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_none AS n ON a.v < n.v ORDER BY a.id
SELECT a.id AS a, n.id AS n FROM dbo.jf_none AS n FULL JOIN dbo.jf_a AS a ON 1 = 1 ORDER BY a.id
SELECT n.id, m.id AS m FROM dbo.jf_none AS n FULL JOIN dbo.jf_none AS m ON n.v > m.v
SELECT a.id AS a, b.id AS b FROM (SELECT id FROM dbo.jf_a WHERE id > 9) AS a FULL JOIN (SELECT id FROM dbo.jf_b WHERE id > 3) AS b ON a.id > b.id
GO
--@ source: documentation FROM
-- An equality beside other conditions: rows that these keep apart stay, each by itself.
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id AND a.v > b.v ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id AND a.id > 1 AND b.t = 'z' ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.t = b.t AND 1 = 0 ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v = b.v ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id AND EXISTS (SELECT 1 FROM dbo.jf_b AS c WHERE c.v > a.v + b.v) ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON EXISTS (SELECT 1 FROM dbo.jf_b AS c WHERE c.id = a.id + b.id) ORDER BY a.id, b.id
GO
--@ source: documentation FROM
-- Beside WHERE, other joins, APPLY and groups.
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v WHERE a.id IS NULL OR b.id IS NULL ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v WHERE b.id > 1 ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b, c.id AS c FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v FULL JOIN dbo.jf_a AS c ON c.id > b.id + 1 ORDER BY a.id, b.id, c.id
SELECT a.id AS a, b.id AS b, c.id AS c FROM dbo.jf_a AS a JOIN dbo.jf_a AS c ON c.id = a.id FULL JOIN dbo.jf_b AS b ON a.v < b.v AND c.v < 20 ORDER BY a.id, b.id
SELECT a.id AS a, b.id AS b, c.id AS c FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v < b.v LEFT JOIN dbo.jf_b AS c ON c.id = a.id WHERE COALESCE(a.id, b.id) < 3 ORDER BY a.id, b.id
SELECT c.id AS c, a.id AS a, b.id AS b FROM dbo.jf_b AS c LEFT JOIN (dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v) ON c.id = a.id OR c.id = b.id ORDER BY c.id, a.id, b.id
SELECT COALESCE(a.t, b.t) AS t, COUNT(*) AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id < b.id GROUP BY ROLLUP (COALESCE(a.t, b.t)) ORDER BY GROUPING(COALESCE(a.t, b.t)), t
SELECT x.id, y.a, y.b FROM dbo.jf_a AS x CROSS APPLY (SELECT a.id AS a, b.id AS b FROM (SELECT id FROM dbo.jf_a WHERE id = x.id) AS a FULL JOIN (SELECT id FROM dbo.jf_b WHERE id > x.id + 1) AS b ON a.id > b.id) AS y ORDER BY x.id, y.a, y.b
SELECT a.id, (SELECT COUNT(*) FROM dbo.jf_b AS b FULL JOIN dbo.jf_a AS c ON b.v > c.v + a.id) AS n FROM dbo.jf_a AS a ORDER BY a.id
SELECT COUNT(*) AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_a AS b ON a.id <> b.id FULL JOIN dbo.jf_b AS c ON c.v <> a.v
SELECT v.x, s.name FROM (VALUES (1), (7)) AS v (x) FULL JOIN sys.schemas AS s ON s.schema_id > v.x AND s.name = 'sys' WHERE s.name IN ('dbo', 'sys') OR s.name IS NULL ORDER BY v.x, s.name
GO
--@ source: documentation INSERT
CREATE TABLE dbo.jf_kept (a int NULL, b int NULL)
INSERT dbo.jf_kept SELECT a.id, b.id FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v
SELECT COUNT(*) AS n, COUNT(a) AS a, COUNT(b) AS b FROM dbo.jf_kept
UPDATE k SET a = -1 FROM dbo.jf_kept AS k FULL JOIN dbo.jf_a AS a ON a.id > k.a WHERE k.a IS NOT NULL AND a.id IS NULL
SELECT a, b FROM dbo.jf_kept ORDER BY a, b
DELETE k FROM dbo.jf_kept AS k FULL JOIN dbo.jf_a AS a ON a.id < k.b WHERE a.id IS NULL
SELECT a, b FROM dbo.jf_kept ORDER BY a, b
GO
--@ source: documentation Hints (Query)
SELECT COUNT(*) AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v OPTION (LOOP JOIN)
SELECT COUNT(*) AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id OPTION (LOOP JOIN)
GO
--@ source: message 8622
SELECT COUNT(*) AS n FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v OPTION (HASH JOIN)
GO
--@ source: documentation SET SHOWPLAN_TEXT
SET SHOWPLAN_TEXT ON
GO
--@ source: reasoned
SELECT a.id, b.id FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.v > b.v
SELECT a.id, b.id FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON 1 = 1
SELECT a.id, b.id FROM dbo.jf_a AS a FULL JOIN dbo.jf_b AS b ON a.id = b.id AND a.v > b.v
SELECT v, COUNT(*) AS n, GROUPING(v) AS g FROM dbo.jf_a GROUP BY ROLLUP (v, t)
GO
--@ source: documentation SET SHOWPLAN_TEXT
SET SHOWPLAN_TEXT OFF
GO
