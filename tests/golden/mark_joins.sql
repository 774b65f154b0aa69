-- NOT IN, and IN and EXISTS below OR, in CASE and in the select list, as joins that answer with three values.
--@ source: reasoned
CREATE TABLE dbo.o(id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, x int NULL, g int NULL);
CREATE TABLE dbo.i(id int NOT NULL CONSTRAINT pk_i PRIMARY KEY, y int NULL, g int NULL, z int NOT NULL);
INSERT dbo.o VALUES (1, 1, 1), (2, 2, 1), (3, NULL, 1), (4, 1, 2), (5, 2, 2), (6, NULL, 2), (7, 1, 3), (8, NULL, 3), (9, 1, NULL), (10, NULL, NULL);
INSERT dbo.i VALUES (1, 1, 1, 1), (2, 3, 1, 3), (3, 1, 2, 1), (4, NULL, 2, 5), (5, 7, NULL, 7);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.shown @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- NOT IN: for each group of its own list. Group 1 has 1 and 3, group 2 has 1 and NULL, group 3 and NULL have nothing.
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g)'
SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) ORDER BY id
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i)'
SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i) ORDER BY id
SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE y IS NOT NULL) ORDER BY id
SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE 1 = 0) ORDER BY id
SELECT id FROM dbo.o WHERE 2 NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) ORDER BY id
GO
--@ source: reasoned
-- Where neither side can be NULL it is NOT EXISTS.
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE id NOT IN (SELECT z FROM dbo.i)'
SELECT id FROM dbo.o WHERE id NOT IN (SELECT z FROM dbo.i) ORDER BY id
SELECT o.id FROM dbo.o LEFT JOIN dbo.i AS k ON k.id = o.id AND k.id < 3 WHERE k.z NOT IN (SELECT z FROM dbo.i WHERE z > 1) ORDER BY o.id
GO
--@ source: reasoned
-- Below OR and NOT.
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g)'
SELECT id FROM dbo.o WHERE id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g) ORDER BY id
SELECT id FROM dbo.o WHERE NOT (id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g)) ORDER BY id
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE x = 2 OR NOT EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g)'
SELECT id FROM dbo.o WHERE x = 2 OR NOT EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g) ORDER BY id
SELECT id FROM dbo.o WHERE x = 2 OR NOT (x IN (SELECT y FROM dbo.i WHERE i.g = o.g) OR EXISTS (SELECT * FROM dbo.i WHERE i.y = o.id)) ORDER BY id
GO
--@ source: reasoned
-- In the select list and in CASE: true, false and unknown.
EXEC dbo.shown N'SELECT id, CASE WHEN x IN (SELECT y FROM dbo.i WHERE i.g = o.g) THEN 1 ELSE 0 END FROM dbo.o'
SELECT id, CASE WHEN x IN (SELECT y FROM dbo.i WHERE i.g = o.g) THEN 'in' WHEN x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) THEN 'not in' ELSE 'unknown' END AS is_in,
       CASE WHEN EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g) THEN 'exists' ELSE 'does not' END AS is_there
FROM dbo.o ORDER BY id
SELECT COUNT(*) AS n FROM dbo.o WHERE CASE WHEN EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g) THEN x ELSE 5 END > 1
SELECT d.there, COUNT(*) AS n FROM (SELECT IIF(EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g AND i.y = o.x), 1, 0) AS there FROM dbo.o) AS d GROUP BY d.there ORDER BY d.there
GO
--@ source: reasoned
-- What may fail for a row that nobody asks for is no join; neither is what few rows ask, nor what a statement that sets variables asks.
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE id = 8 OR x IN (SELECT 10 / y FROM dbo.i WHERE i.g = o.g)'
EXEC dbo.shown N'SELECT TOP 1 id FROM dbo.o WHERE id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g)'
EXEC dbo.shown N'DECLARE @n int; SELECT @n = id FROM dbo.o WHERE id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g)'
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) OPTION (LOOP JOIN)'
EXEC dbo.shown N'SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) OPTION (MERGE JOIN)'
SELECT id FROM dbo.o WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g) ORDER BY id OPTION (LOOP JOIN)
SELECT id FROM dbo.o WHERE id = 8 OR x IN (SELECT y FROM dbo.i WHERE i.g = o.g) ORDER BY id OPTION (LOOP JOIN)
GO
--@ source: reasoned
-- Changes.
BEGIN TRANSACTION
DELETE dbo.o OUTPUT deleted.id WHERE x NOT IN (SELECT y FROM dbo.i WHERE i.g = o.g)
UPDATE dbo.o SET x = CASE WHEN x IN (SELECT y FROM dbo.i WHERE i.g = o.g) THEN 100 ELSE -1 END OUTPUT inserted.id, inserted.x WHERE id = 9 OR EXISTS (SELECT * FROM dbo.i WHERE i.g = o.g)
ROLLBACK
GO
--@ source: reasoned
DROP PROCEDURE dbo.shown
DROP TABLE dbo.o, dbo.i
GO
