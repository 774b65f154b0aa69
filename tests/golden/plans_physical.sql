-- Operators in the text form of SQL Server's plans. Statements are few: these trees change with every rule of the planner.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL, t varchar(10) NULL, INDEX ix_x (x));
CREATE TABLE dbo.b(id int NOT NULL, aid int NULL, y bigint NULL);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT y FROM dbo.b WHERE aid = 5'
EXEC dbo.tree N'SELECT t FROM dbo.a AS q WHERE q.id = 5'
EXEC dbo.tree N'SELECT t FROM dbo.a WHERE id > 5 AND id <= 9 AND t = ''x'''
EXEC dbo.tree N'SELECT id, x FROM dbo.a WHERE x = 3'
EXEC dbo.tree N'SELECT t FROM dbo.a WHERE x = 3'
EXEC dbo.tree N'SELECT t FROM dbo.a WHERE id IN (5, 7)'
EXEC dbo.tree N'SELECT TOP 10 id FROM dbo.a ORDER BY id DESC'
EXEC dbo.tree N'SELECT a.t, b.y FROM dbo.a JOIN dbo.b ON b.aid = a.id'
EXEC dbo.tree N'SELECT l.y, r.y FROM dbo.b AS l LEFT JOIN dbo.b AS r ON r.id = l.aid AND r.y > 5'
EXEC dbo.tree N'SELECT l.y FROM dbo.b AS l FULL JOIN dbo.b AS r ON r.id = l.aid'
EXEC dbo.tree N'SELECT l.y, r.y FROM dbo.b AS l JOIN dbo.b AS r ON r.id > l.id'
EXEC dbo.tree N'SELECT y FROM dbo.b WHERE NOT EXISTS (SELECT 1 FROM dbo.b AS o WHERE o.id = b.aid)'
EXEC dbo.tree N'SELECT y, (SELECT MAX(id) FROM dbo.a WHERE a.x = b.aid) AS m FROM dbo.b'
EXEC dbo.tree N'SELECT aid, COUNT(*) AS n, SUM(y) FROM dbo.b GROUP BY aid HAVING COUNT(*) > 1 ORDER BY n DESC'
EXEC dbo.tree N'SELECT SUM(y) FROM dbo.b'
EXEC dbo.tree N'SELECT DISTINCT aid FROM dbo.b'
EXEC dbo.tree N'SELECT id, ROW_NUMBER() OVER (PARTITION BY aid ORDER BY y) AS rn FROM dbo.b'
EXEC dbo.tree N'SELECT y FROM dbo.b ORDER BY y OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY'
EXEC dbo.tree N'SELECT id FROM dbo.a UNION ALL SELECT id FROM dbo.b'
EXEC dbo.tree N'SELECT id FROM dbo.b EXCEPT SELECT aid FROM dbo.b'
EXEC dbo.tree N'WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT n FROM r'
EXEC dbo.tree N'SELECT b.id, s.value FROM dbo.b CROSS APPLY STRING_SPLIT(CAST(b.y AS varchar(9)), '','') AS s'
GO
--@ source: reasoned
EXEC dbo.tree N'INSERT dbo.a (id, x) VALUES (1, 2)'
EXEC dbo.tree N'INSERT dbo.b (id, y) SELECT id, y FROM dbo.b'
EXEC dbo.tree N'UPDATE dbo.a SET x = x + 1 WHERE id = 5'
EXEC dbo.tree N'DELETE dbo.b WHERE y < 0'
EXEC dbo.tree N'MERGE dbo.a AS t USING dbo.b AS s ON s.id = t.id WHEN MATCHED THEN UPDATE SET x = s.aid WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b
GO
