-- What FROM means: the bound trees of joins, APPLY and table functions.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL, t varchar(10) NULL);
CREATE TABLE dbo.b(id int NOT NULL, aid int NULL, y bigint NULL, n nvarchar(10) NULL, CONSTRAINT pk_b PRIMARY KEY (id));
CREATE TABLE dbo.c(id int NULL, d date NULL, v decimal(10, 2) NULL);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.logical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT a.id, b.y FROM dbo.a JOIN dbo.b ON b.aid = a.id'
EXEC dbo.tree N'SELECT a.id FROM dbo.a, dbo.b, dbo.c WHERE b.aid = a.id AND c.id = b.id'
EXEC dbo.tree N'SELECT * FROM dbo.a CROSS JOIN dbo.c'
EXEC dbo.tree N'SELECT a.id, b.id FROM dbo.a LEFT JOIN dbo.b ON b.aid = a.id AND b.y > 5 WHERE a.x = 1'
EXEC dbo.tree N'SELECT a.id, b.id FROM dbo.a RIGHT JOIN dbo.b ON b.aid = a.id'
EXEC dbo.tree N'SELECT a.id, b.id FROM dbo.a FULL JOIN dbo.b ON b.aid = a.id'
EXEC dbo.tree N'SELECT l.id, r.id FROM dbo.a AS l JOIN dbo.a AS r ON r.x = l.id'
EXEC dbo.tree N'SELECT a.id, c.v FROM dbo.a LEFT JOIN (dbo.b JOIN dbo.c ON c.id = b.id) ON b.aid = a.id'
GO
--@ source: reasoned
-- APPLY, derived tables, rows that are written, functions and views of the server.
EXEC dbo.tree N'SELECT a.id, d.y FROM dbo.a CROSS APPLY (SELECT TOP 1 b.y FROM dbo.b WHERE b.aid = a.id ORDER BY b.y DESC) AS d'
EXEC dbo.tree N'SELECT a.id, d.m FROM dbo.a OUTER APPLY (SELECT MAX(b.y) AS m FROM dbo.b WHERE b.aid = a.id) AS d'
EXEC dbo.tree N'SELECT d.s FROM (SELECT id + x AS s FROM dbo.a WHERE x > 0) AS d WHERE d.s > 10'
EXEC dbo.tree N'SELECT v.n, a.t FROM (VALUES (1, ''x''), (2, ''y''), (3, NULL)) AS v(n, s) JOIN dbo.a ON a.id = v.n'
EXEC dbo.tree N'SELECT a.id, s.value FROM dbo.a CROSS APPLY STRING_SPLIT(a.t, '','') AS s'
EXEC dbo.tree N'SELECT o.name, s.name FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id'
EXEC dbo.tree N'SELECT 1 AS one, GETDATE() AS now'
GO
--@ source: reasoned
-- Hints of tables; the same alias twice; names that need brackets.
EXEC dbo.tree N'SELECT id FROM dbo.a WITH (NOLOCK) WHERE x = 1; SELECT id FROM dbo.a WITH (UPDLOCK, HOLDLOCK, READPAST) WHERE x = 1'
EXEC dbo.tree N'SELECT [the a].id AS [an id] FROM dbo.a AS [the a] ORDER BY [an id]'
EXEC dbo.tree N'DECLARE @t TABLE (k int); CREATE TABLE dbo.not_made (i int); SELECT t.k FROM @t AS t JOIN dbo.a ON a.id = t.k'
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
