-- UNPIVOT: columns become rows, one for each column that is not NULL.
--@ source: reasoned
CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int NULL, b int NULL, [c d] int NULL, note varchar(10))
INSERT t VALUES (1, 10, NULL, 12, 'one'), (2, NULL, NULL, NULL, 'two'), (3, 30, 31, 32, NULL)
GO
--@ source: documentation from-transact-sql#unpivot
SELECT id, note, what, much FROM t UNPIVOT (much FOR what IN (a, b, [c d])) AS u ORDER BY id, what
GO
-- What it does not name comes first, then the values, then the names.
--@ source: documentation from-transact-sql#unpivot
SELECT * FROM t UNPIVOT (much FOR what IN (A, [C D])) u ORDER BY id, what
GO
-- The column of names is nvarchar(128), whatever the columns are called.
--@ source: documentation from-transact-sql#unpivot
SELECT TOP (1) SQL_VARIANT_PROPERTY(u.what, 'BaseType') AS base, SQL_VARIANT_PROPERTY(u.what, 'MaxLength') AS length FROM t UNPIVOT (much FOR what IN (a)) u
GO
-- Conditions, aggregates and joins above it; a derived table and a table expression below.
--@ source: reasoned
SELECT what, SUM(much) AS total, COUNT(*) AS n FROM t UNPIVOT (much FOR what IN (a, b, [c d])) u WHERE much > 10 GROUP BY what ORDER BY what
SELECT u.id, v.x, u.much FROM (SELECT id, a, b FROM t WHERE id > 1) AS s UNPIVOT (much FOR what IN (a, b)) AS u JOIN (VALUES (N'a', 1), (N'b', 2)) v(w, x) ON v.w = u.what ORDER BY v.x;
WITH s AS (SELECT 1 AS x, CAST(NULL AS int) AS y, 3 AS z) SELECT n, v FROM s UNPIVOT (v FOR n IN (x, y, z)) u ORDER BY n DESC
GO
-- One behind the other, and a PIVOT of what an UNPIVOT gives.
--@ source: reasoned
SELECT a.what, a.much, b.k, b.v FROM (SELECT 1 AS a, 2 AS b, 5 AS p, 6 AS q) s UNPIVOT (much FOR what IN (a, b)) a CROSS JOIN (SELECT 7 AS k1, 8 AS k2) r UNPIVOT (v FOR k IN (k1, k2)) b ORDER BY 1, 3
SELECT id, [a], [b] FROM t UNPIVOT (much FOR what IN (a, b)) u PIVOT (MAX(much) FOR what IN ([a], [b])) p ORDER BY id
GO
-- Behind APPLY it sees the row on the left.
--@ source: reasoned
SELECT t.id, u.k, u.v FROM t CROSS APPLY (SELECT t.a AS a, t.b AS b) s UNPIVOT (v FOR k IN (a, b)) u ORDER BY 1, 2
SELECT t.id, (SELECT COUNT(*) FROM (SELECT t.a AS a, t.b AS b) s UNPIVOT (v FOR k IN (a, b)) u) AS there FROM t ORDER BY id
GO
-- Where rows are taken for a change.
--@ source: reasoned
CREATE TABLE long (id int, k nvarchar(128), v int)
INSERT long SELECT id, k, v FROM (SELECT id, a, b FROM t) s UNPIVOT (v FOR k IN (a, b)) u
SELECT * FROM long ORDER BY id, k
UPDATE l SET v = u.v * 2 FROM long l JOIN (SELECT id, a, b FROM t) s UNPIVOT (v FOR k IN (a, b)) u ON u.id = l.id AND u.k = l.k WHERE l.id = 3
SELECT * FROM long ORDER BY id, k
SELECT * INTO wide FROM (SELECT id, a, b FROM t) s UNPIVOT (v FOR k IN (a, b)) u
SELECT name, TYPE_NAME(system_type_id) AS type, max_length FROM sys.columns WHERE object_id = OBJECT_ID('wide') ORDER BY column_id
GO
--@ source: reasoned
CREATE VIEW all_of_it AS SELECT id, k, v FROM (SELECT id, a, b FROM t) s UNPIVOT (v FOR k IN (a, b)) u
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM all_of_it
DECLARE @t TABLE (x int, y int)
INSERT @t VALUES (1, 2), (3, NULL)
SELECT k, v FROM @t UNPIVOT (v FOR k IN (x, y)) u ORDER BY k, v
GO
-- The types agree, lengths too.
--@ source: message 8167
SELECT * FROM (SELECT 1 AS a, CAST(2 AS bigint) AS b) s UNPIVOT (v FOR k IN (a, b)) u
GO
--@ source: message 8167
SELECT * FROM (SELECT CAST('x' AS varchar(10)) AS a, CAST('y' AS varchar(20)) AS b) s UNPIVOT (v FOR k IN (a, b)) u
GO
--@ source: message 277
SELECT * FROM t UNPIVOT (v FOR k IN (a, b, A)) u
GO
--@ source: message 207
SELECT * FROM t UNPIVOT (v FOR k IN (a, nothing)) u
GO
--@ source: message 265
SELECT * FROM t UNPIVOT (note FOR k IN (a, b)) u
GO
--@ source: message 265
SELECT * FROM t UNPIVOT (v FOR ID IN (a, b)) u
GO
--@ source: message 8156
SELECT * FROM t UNPIVOT (v FOR v IN (a, b)) u
GO
--@ source: message 102
SELECT * FROM t UNPIVOT (v FOR k IN (a, b))
GO
--@ source: message 102
SELECT * FROM t UNPIVOT (v FOR k IN ()) u
GO
--@ source: message 4104
SELECT t.id FROM t UNPIVOT (v FOR k IN (a, b)) u
GO
--@ source: reasoned
DROP VIEW all_of_it
DROP TABLE t, long, wide
GO
