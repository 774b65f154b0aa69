-- Common table expressions: several, nested in one another, recursive, in front of changes, and what is wrong about them.
--@ source: reasoned
CREATE TABLE dbo.qc_t (id int NOT NULL PRIMARY KEY, parent int NULL, v int NULL, name varchar(10) NOT NULL)
CREATE TABLE dbo.qc_log (id int NULL, what varchar(10) NULL)
INSERT dbo.qc_t VALUES (1, NULL, 5, 'root'), (2, 1, 7, 'left'), (3, 1, NULL, 'right'), (4, 2, 1, 'leaf'), (5, 4, 2, 'end')
GO
--@ source: documentation WITH common_table_expression
WITH c (k, n) AS (SELECT parent, COUNT(*) FROM dbo.qc_t GROUP BY parent) SELECT k, n FROM c ORDER BY k
;WITH a AS (SELECT id FROM dbo.qc_t WHERE id < 4), b AS (SELECT id FROM a WHERE id > 1), c AS (SELECT a.id AS x, b.id AS y FROM a LEFT JOIN b ON a.id = b.id) SELECT * FROM c ORDER BY x
GO
--@ source: documentation WITH common_table_expression
-- The same expression twice; a table's name hidden by an expression's; the same name in a column.
WITH qc_t AS (SELECT id * 10 AS id FROM dbo.qc_t) SELECT id FROM qc_t ORDER BY id;
WITH c AS (SELECT id AS c FROM dbo.qc_t) SELECT x.c, y.c AS d FROM c AS x JOIN c AS y ON y.c = x.c + 1 WHERE x.c > (SELECT AVG(c) FROM c) ORDER BY x.c;
WITH c AS (SELECT 1 AS a) SELECT * FROM c, dbo.qc_log RIGHT JOIN dbo.qc_t AS t ON t.id = qc_log.id WHERE t.id = 5
GO
--@ source: documentation WITH common_table_expression
WITH t AS (SELECT id, parent, 0 AS lvl, CAST(name AS varchar(60)) AS path FROM dbo.qc_t WHERE parent IS NULL UNION ALL SELECT c.id, c.parent, t.lvl + 1, CAST(t.path + '/' + c.name AS varchar(60)) FROM dbo.qc_t c JOIN t ON c.parent = t.id)
SELECT id, lvl, path FROM t ORDER BY path;
WITH up AS (SELECT id, parent FROM dbo.qc_t WHERE id = 5 UNION ALL SELECT p.id, p.parent FROM dbo.qc_t p JOIN up ON p.id = up.parent) SELECT id FROM up ORDER BY id DESC;
GO
--@ source: reasoned
-- Recursion sees the rows of the step before, not all of them.
WITH r AS (SELECT 1 AS n, 1 AS cnt UNION ALL SELECT r.n + 1, CAST(COUNT(*) OVER () AS int) FROM r CROSS JOIN (VALUES (0), (0)) AS two (z) WHERE r.n < 3) SELECT n, cnt, COUNT(*) AS k FROM r GROUP BY n, cnt ORDER BY n, cnt
GO
--@ source: message 530
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT n FROM r OPTION (MAXRECURSION 3)
SELECT @@ERROR AS e
GO
--@ source: message 530
-- Exactly as many steps as are allowed.
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT MAX(n) AS m FROM r OPTION (MAXRECURSION 3);
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 101) SELECT MAX(n) AS m FROM r;
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 102) SELECT MAX(n) AS m FROM r;
GO
--@ source: message 310
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT n FROM r OPTION (MAXRECURSION 32768)
GO
--@ source: documentation WITH common_table_expression
-- In front of INSERT, UPDATE, DELETE and MERGE.
WITH c AS (SELECT id, name FROM dbo.qc_t WHERE v > 4) INSERT INTO dbo.qc_log (id, what) SELECT id, name FROM c;
WITH c AS (SELECT id FROM dbo.qc_t WHERE name = 'left') UPDATE l SET what = 'was ' + what FROM dbo.qc_log l JOIN c ON c.id = l.id;
SELECT id, what FROM dbo.qc_log ORDER BY id;
WITH c AS (SELECT id, what FROM dbo.qc_log WHERE id = 1) UPDATE c SET what = 'one';
WITH c AS (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM dbo.qc_log) DELETE c WHERE rn = 1;
SELECT id, what FROM dbo.qc_log ORDER BY id;
WITH s AS (SELECT id, name FROM dbo.qc_t) MERGE dbo.qc_log AS l USING s ON s.id = l.id WHEN MATCHED THEN UPDATE SET what = s.name WHEN NOT MATCHED AND s.id > 3 THEN INSERT VALUES (s.id, s.name);
SELECT id, what FROM dbo.qc_log ORDER BY id;
DELETE dbo.qc_log
GO
--@ source: documentation WITH common_table_expression
WITH c AS (SELECT TOP (2) id, what FROM (VALUES (3, 'c'), (1, 'a'), (2, 'b')) AS v (id, what) ORDER BY id DESC) SELECT * FROM c ORDER BY id;
WITH c AS (SELECT id FROM dbo.qc_t ORDER BY id OFFSET 1 ROWS FETCH FIRST 2 ROWS ONLY) SELECT id FROM c ORDER BY id;
WITH c AS (SELECT id FROM dbo.qc_t UNION ALL SELECT parent FROM dbo.qc_t EXCEPT SELECT 1) SELECT * FROM c ORDER BY id;
WITH c AS (SELECT * FROM dbo.qc_t) SELECT name INTO dbo.qc_made FROM c WHERE id > 3;
SELECT name FROM dbo.qc_made ORDER BY name
DROP TABLE dbo.qc_made
GO
--@ source: message 319
SELECT 1 AS a WITH c AS (SELECT 1 AS a) SELECT a FROM c
GO
--@ source: message 252
WITH c AS (SELECT 1 AS a UNION SELECT a + 1 FROM c WHERE a < 3) SELECT a FROM c
GO
--@ source: message 253
WITH c AS (SELECT a + 1 AS a FROM c) SELECT a FROM c
GO
--@ source: message 1033
WITH c AS (SELECT id FROM dbo.qc_t ORDER BY id) SELECT id FROM c
GO
--@ source: message 8155
WITH c AS (SELECT id + 1 FROM dbo.qc_t) SELECT * FROM c
GO
--@ source: message 8156
WITH c AS (SELECT id, id FROM dbo.qc_t) SELECT * FROM c
GO
--@ source: message 8158
WITH c (a) AS (SELECT id, v FROM dbo.qc_t) SELECT * FROM c
GO
--@ source: message 8159
WITH c (a, b, d) AS (SELECT id, v FROM dbo.qc_t) SELECT * FROM c
GO
--@ source: message 8156
WITH c (a, a) AS (SELECT id, v FROM dbo.qc_t) SELECT * FROM c
GO
--@ source: message 239
WITH c AS (SELECT 1 AS a), C AS (SELECT 2 AS a) SELECT * FROM c
GO
--@ source: message 208
-- An expression does not see those behind it, and is gone with its statement.
WITH a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT x FROM a
GO
--@ source: message 208
WITH c AS (SELECT 1 AS a) SELECT a FROM c;
SELECT a FROM c
GO
--@ source: message 208
WITH c AS (SELECT 1 AS a) SELECT a FROM dbo.c
GO
--@ source: message 102
WITH c AS (SELECT 1 AS a)
GO
--@ source: message 102
WITH c AS SELECT 1 AS a SELECT a FROM c
GO
--@ source: message 102
WITH c AS (SELECT 1 AS a), SELECT a FROM c
GO
--@ source: message 240
WITH r AS (SELECT 1 AS n, 'a' AS s UNION ALL SELECT n + 1, s + 'b' FROM r WHERE n < 3) SELECT * FROM r
GO
--@ source: message 240
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + CAST(1 AS bigint) FROM r WHERE n < 3) SELECT * FROM r
GO
--@ source: message 240
WITH r AS (SELECT CAST(1 AS decimal(5,2)) AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r
GO
--@ source: message 205
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1, 2 FROM r WHERE n < 3) SELECT * FROM r
GO
--@ source: message 460
WITH r AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n + 1 FROM r WHERE n < 3) SELECT n FROM r
GO
--@ source: message 467
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3 GROUP BY n) SELECT n FROM r
GO
--@ source: message 462
WITH r AS (SELECT 1 AS n UNION ALL SELECT v.i FROM (VALUES (1)) AS v (i) LEFT JOIN r ON r.n = v.i) SELECT n FROM r
GO
--@ source: message 4406
WITH c AS (SELECT id + 1 AS plus FROM dbo.qc_t) UPDATE c SET plus = 0
GO
--@ source: message 4403
WITH c AS (SELECT parent, COUNT(*) AS n FROM dbo.qc_t GROUP BY parent) DELETE c
GO
--@ source: documentation OPTION clause
WITH c AS (SELECT 1 AS a) SELECT a FROM c OPTION (RECOMPILE, MAXDOP 1);
SELECT id FROM dbo.qc_t ORDER BY id OPTION (FAST 1, HASH GROUP, OPTIMIZE FOR UNKNOWN)
SELECT parent, COUNT(*) AS n FROM dbo.qc_t GROUP BY parent ORDER BY parent OPTION (ORDER GROUP)
GO
--@ source: message 102
SELECT id FROM dbo.qc_t OPTION (NONSENSE)
GO
--@ source: message 156
SELECT id FROM dbo.qc_t OPTION (FAST 1) ORDER BY id
GO
--@ source: message 1042
SELECT id FROM dbo.qc_t OPTION (HASH GROUP, ORDER GROUP)
GO
--@ source: documentation WITH common_table_expression
-- Several anchors and several recursive members.
WITH r AS (SELECT 1 AS n, 'a' AS how UNION SELECT 2, 'b' UNION ALL SELECT n * 2, 'x' FROM r WHERE n < 4 UNION ALL SELECT n * 3, 'y' FROM r WHERE n < 4) SELECT n, how FROM r ORDER BY n, how
GO
--@ source: message 247
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3 UNION ALL SELECT 100) SELECT n FROM r
GO
--@ source: documentation WITH common_table_expression
WITH r AS (SELECT 1 AS n UNION SELECT 2 UNION ALL SELECT n + 2 FROM r WHERE n < 3) SELECT n FROM r ORDER BY n
GO
--@ source: documentation WITH common_table_expression
WITH r AS (SELECT 1 AS n UNION ALL SELECT 2 EXCEPT SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT n FROM r ORDER BY n
GO
--@ source: message 252
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3 UNION SELECT n FROM r) SELECT n FROM r
GO
--@ source: reasoned
DROP TABLE dbo.qc_t, dbo.qc_log
GO
