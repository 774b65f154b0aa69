-- A column that nobody reads is not computed, wherever the query stands that has it: it raises no error.
--@ source: reasoned
CREATE TABLE u (id int NOT NULL PRIMARY KEY, txt varchar(10) NOT NULL, d int NOT NULL)
INSERT u VALUES (1, '10', 1), (2, 'two', 0), (3, '30', 3)
GO
--@ source: documentation t-sql/statements/create-view-transact-sql
CREATE VIEW uv AS SELECT id, CAST(txt AS int) AS n, 6 / d AS q FROM u
GO
--@ source: documentation t-sql/statements/create-view-transact-sql
SELECT COUNT(*) AS n FROM uv
SELECT id FROM uv ORDER BY id
GO
--@ source: documentation t-sql/statements/create-view-transact-sql
SELECT id, q FROM uv WHERE id <> 2 ORDER BY id
IF EXISTS (SELECT * FROM uv) PRINT 'there are'
SELECT id FROM u WHERE id IN (SELECT id FROM uv) AND EXISTS (SELECT n FROM uv WHERE uv.id = u.id) ORDER BY id
SELECT TOP (2) id FROM uv ORDER BY id DESC
GO
--@ source: message 245
SELECT MAX(n) AS n FROM uv
GO
--@ source: message 8134
SELECT id, q FROM uv
GO
-- Derived tables, common table expressions, APPLY, sets, groups, windows, VALUES.
--@ source: documentation t-sql/queries/from-transact-sql
SELECT COUNT(*) AS n FROM (SELECT CAST(txt AS int) AS n FROM u) AS t;
WITH c AS (SELECT id, CAST(txt AS int) AS n FROM u), e AS (SELECT id, n + 1 AS m FROM c) SELECT id FROM e ORDER BY id
SELECT u.id FROM u CROSS APPLY (SELECT CAST(txt AS int) AS n, 6 / d AS q) AS a ORDER BY id
SELECT u.id, a.s FROM u OUTER APPLY (SELECT txt + '!' AS s, 6 / d AS q) AS a ORDER BY id
SELECT s FROM (SELECT id AS s, CAST(txt AS int) AS n FROM u UNION ALL SELECT id + 10, 6 / d FROM u) AS t ORDER BY s
SELECT g FROM (SELECT id % 2 AS g, SUM(6 / d) AS q FROM u GROUP BY id % 2) AS t ORDER BY g
SELECT id FROM (SELECT id, SUM(6 / d) OVER (ORDER BY id) AS q FROM u) AS t ORDER BY id
SELECT a FROM (VALUES (1, 1 / 1), (2, 1 / 0)) AS v (a, b)
SELECT (SELECT COUNT(*) FROM (SELECT 6 / d AS q FROM u AS i WHERE i.id <= u.id) AS t) AS n FROM u ORDER BY id
GO
-- What decides which rows there are is computed all the same.
--@ source: message 8134
SELECT COUNT(*) AS n FROM (SELECT DISTINCT 6 / d AS q FROM u) AS t
GO
--@ source: message 8134
SELECT id FROM (SELECT id, 6 / d AS q FROM u UNION SELECT id, 1 FROM u) AS t
GO
--@ source: message 8134
SELECT COUNT(*) AS n FROM (SELECT TOP (2) id FROM u ORDER BY 6 / d) AS t
GO
--@ source: message 245
SELECT COUNT(*) AS n FROM uv WHERE n > 0
GO
-- Changes whose FROM has such a query.
--@ source: documentation t-sql/queries/update-transact-sql
UPDATE u SET d = 9 FROM u JOIN uv ON uv.id = u.id WHERE u.id = 3
UPDATE uv SET id = 4 WHERE id = 3
DELETE u FROM u JOIN (SELECT id, CAST(txt AS int) AS n FROM u) AS t ON t.id = u.id WHERE t.id = 4
INSERT u (id, txt, d) SELECT id + 10, 'x', 1 FROM uv
MERGE u USING uv AS s ON u.id = s.id + 10 WHEN MATCHED THEN UPDATE SET txt = 'merged';
SELECT id, txt, d FROM u ORDER BY id
GO
--@ source: reasoned
DROP VIEW uv
DROP TABLE u
GO
