-- Conditions that constants decide: what stands beside them is not computed, and no row is read.
--@ source: documentation relational-databases/query-processing-architecture-guide (constant folding)
CREATE TABLE f (id int NOT NULL CONSTRAINT pk_f PRIMARY KEY, a int NULL, t varchar(10) COLLATE Latin1_General_CI_AS NULL)
CREATE TABLE g (id int NOT NULL CONSTRAINT pk_g PRIMARY KEY, a int NULL)
INSERT f VALUES (1, 1, 'a'), (2, NULL, NULL), (3, 0, 'c')
INSERT g VALUES (1, 1), (2, 2)
SELECT id FROM f WHERE 1/0 = 1 AND 1 = 0
SELECT id FROM f WHERE 1 = 0 AND 1/a = 1
SELECT id FROM f WHERE 1/a = 1 AND 1 = 0
SELECT id FROM f WHERE 1/a = 1 OR 1 = 1 ORDER BY id
SELECT id FROM f WHERE NOT (1/a = 1 AND 2 < 1) ORDER BY id
SELECT id FROM f WHERE 1/a = 1 AND (id = 1 AND 'a' <> 'A ' COLLATE Latin1_General_CI_AS)
SELECT id FROM f WHERE CAST(t AS int) = 1 AND a IN (NULL)
SELECT id FROM f WHERE a IN (NULL)
SELECT id FROM f WHERE NOT (a IN (NULL))
SELECT id FROM f WHERE a NOT IN (NULL, 7)
SELECT id FROM f WHERE a IN (1, NULL) OR t IN (NULL, 'C') ORDER BY id
SELECT id FROM f WHERE 3 IN (1, 2, 3) AND NULL IS NULL AND 5 IS NOT NULL ORDER BY id
SELECT id FROM f WHERE 3 IN (1, 2) OR 3 NOT IN (1, NULL) OR id = 2
SELECT id FROM f WHERE 5 BETWEEN 1 AND 3 AND 1/a = 1
SELECT id FROM f WHERE NOT (NULL = 1) OR id = 3
SELECT id FROM f WHERE 1 IS DISTINCT FROM 1 AND 1/a = 1
SELECT id FROM f WHERE 'x' IS DISTINCT FROM NULL AND 2 IS NOT DISTINCT FROM 2.0 ORDER BY id
GO
-- HAVING, a grouped query without rows, TOP, EXISTS, sets.
--@ source: documentation relational-databases/query-processing-architecture-guide (constant folding)
SELECT a, SUM(1/a) AS s FROM f GROUP BY a HAVING 1 = 0
SELECT COUNT(*) AS n FROM f HAVING 1 = 0
SELECT COUNT(*) AS n, SUM(1/a) AS s, MIN(id) AS least FROM f WHERE 1 = 0
SELECT a, COUNT(*) AS n FROM f GROUP BY a HAVING COUNT(*) > 0 AND 1 = 1 ORDER BY a
SELECT TOP 1 id FROM f WHERE 1 = 0 ORDER BY 1/a
SELECT id FROM f WHERE EXISTS (SELECT 1 FROM g WHERE 1/g.a > f.a AND 1 = 0) OR id = 1
SELECT id FROM f WHERE id NOT IN (SELECT 1/a FROM f AS x WHERE 1 = 0) ORDER BY id
SELECT id, (SELECT MAX(1/a) FROM f AS x WHERE 1 = 0) AS m FROM f ORDER BY id
SELECT id FROM f WHERE 1 = 0 UNION ALL SELECT id FROM g WHERE 1 = 1 ORDER BY id
SELECT id FROM g EXCEPT SELECT id FROM f WHERE 1/a = 1 AND 1 = 0
;WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1/(n - 1) FROM r WHERE 1 = 0) SELECT n FROM r
SELECT id, ROW_NUMBER() OVER (ORDER BY 1/a) AS n FROM f WHERE 1 = 0
SELECT id FROM f WHERE 1 = 0 FOR XML PATH
GO
-- Joins: a side without partners is read only where it is kept.
--@ source: reasoned
SELECT f.id, g.id AS other FROM f JOIN g ON 1/f.a = g.a AND 1 = 0
SELECT f.id, g.id AS other FROM f LEFT JOIN g ON 1/f.a = g.a AND 1 = 0 ORDER BY f.id
SELECT f.id, g.id AS other FROM f LEFT JOIN g ON f.id = g.id AND 1 = 1 ORDER BY f.id
SELECT f.id, d.x FROM f LEFT JOIN (SELECT id, 1/(a - 1) AS x FROM g) AS d ON d.x = f.id AND 1 = 0 ORDER BY f.id
SELECT f.id, g.id AS other FROM g RIGHT JOIN f ON 1/f.a = g.a AND 1 = 0 WHERE g.id IS NULL ORDER BY f.id
SELECT f.id, g.id AS other FROM f FULL JOIN g ON f.id = g.id AND 1 = 0 ORDER BY f.id, g.id
SELECT f.id, x.n FROM f OUTER APPLY (SELECT TOP 1 1/a AS n FROM f AS i WHERE i.id = f.id AND 1 = 0) AS x ORDER BY f.id
SELECT f.id, x.n FROM f CROSS APPLY (SELECT 1/f.a AS n WHERE 1 = 0) AS x
SELECT f.id FROM f LEFT JOIN g ON 1 = 0 AND g.id = f.id JOIN g AS h ON h.id = f.id ORDER BY f.id
GO
-- What decides nothing stays, with its errors.
--@ source: message 8134
SELECT id FROM f WHERE 1/0 = 1 AND 1 = 1
GO
--@ source: message 8134
SELECT id FROM f WHERE 1/0 = 1 OR 1 = 0
GO
--@ source: message 8134
SELECT f.id FROM f FULL JOIN (SELECT 1/(a - 1) AS x FROM g) AS d ON d.x = f.id AND 1 = 0
GO
-- Changes.
--@ source: reasoned
UPDATE f SET a = 1/a WHERE 1 = 0
DELETE f WHERE 1/a = 1 AND 1 = 0
INSERT f SELECT id + 10, 1/a, t FROM f WHERE 0 = 1
MERGE f USING (SELECT id FROM g WHERE 1 = 0) AS s ON f.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (9, 9, 'x');
SELECT id, a FROM f ORDER BY id
GO
-- The same in plans.
--@ source: reasoned
CREATE PROCEDURE tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC tree N'SELECT id FROM f WHERE 1/a = 1 AND 1 = 0'
EXEC tree N'SELECT id FROM f WHERE id = 3 AND 2 > 1'
EXEC tree N'SELECT id FROM f WHERE id IN (1, NULL)'
EXEC tree N'SELECT id FROM f WHERE id IN (1, NULL) OR 1 = 0'
EXEC tree N'SELECT a, COUNT(*) AS n FROM f GROUP BY a HAVING 1 = 0'
EXEC tree N'SELECT f.id, g.id FROM f LEFT JOIN g ON f.id = g.id AND 1 = 0'
EXEC tree N'SELECT f.id FROM f JOIN g ON 1 = 0'
EXEC tree N'DELETE f WHERE 1 = 0'
GO
--@ source: reasoned
DROP PROCEDURE tree
DROP TABLE f, g
GO
