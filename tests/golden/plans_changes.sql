-- The bound trees of INSERT, UPDATE, DELETE and MERGE.
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
CREATE TABLE dbo.e(id int NOT NULL IDENTITY PRIMARY KEY, v int NOT NULL CONSTRAINT df_e DEFAULT 7, w varchar(5) NULL, CONSTRAINT ck_e CHECK (v > 0))
GO
--@ source: reasoned
EXEC dbo.tree N'INSERT dbo.c VALUES (1, ''20240229'', 1.5)'
EXEC dbo.tree N'INSERT dbo.e (w) VALUES (''a''), (''b'')'
EXEC dbo.tree N'INSERT dbo.e (v, w) VALUES (1, DEFAULT), (DEFAULT, NULL)'
EXEC dbo.tree N'INSERT dbo.e DEFAULT VALUES'
EXEC dbo.tree N'INSERT dbo.e (v, w) OUTPUT inserted.id, inserted.v + 1 AS next SELECT x, t FROM dbo.a ORDER BY id'
EXEC dbo.tree N'INSERT TOP (3) dbo.c (id) SELECT id FROM dbo.c'
EXEC dbo.tree N'SELECT id, x INTO dbo.made FROM dbo.a'
GO
--@ source: reasoned
EXEC dbo.tree N'UPDATE dbo.a SET x = x + 1 WHERE id = 5'
EXEC dbo.tree N'UPDATE dbo.e SET v = 2, w = DEFAULT OUTPUT deleted.v, inserted.v WHERE w = N''q'''
EXEC dbo.tree N'UPDATE t SET x = b.y FROM dbo.a AS t JOIN dbo.b ON b.aid = t.id'
EXEC dbo.tree N'UPDATE dbo.a SET x = (SELECT MAX(y) FROM dbo.b WHERE b.aid = a.id)'
EXEC dbo.tree N'DECLARE @v int; UPDATE TOP (1) dbo.a SET @v = x = x + 1'
EXEC dbo.tree N'WITH q AS (SELECT TOP 2 x FROM dbo.a ORDER BY id) UPDATE q SET x = 0'
EXEC dbo.tree N'DECLARE @v int; SELECT @v = @v + x FROM dbo.a ORDER BY id'
GO
--@ source: reasoned
EXEC dbo.tree N'DELETE dbo.a WHERE id IN (5, 7)'
EXEC dbo.tree N'DELETE t FROM dbo.a AS t WHERE NOT EXISTS (SELECT 1 FROM dbo.b WHERE b.aid = t.id)'
EXEC dbo.tree N'DECLARE @gone TABLE (id int); DELETE dbo.c OUTPUT deleted.id INTO @gone WHERE v < 0'
GO
--@ source: reasoned
EXEC dbo.tree N'MERGE dbo.a AS t USING dbo.b AS s ON s.id = t.id WHEN MATCHED AND s.y > 0 THEN UPDATE SET x = s.aid WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.aid);'
EXEC dbo.tree N'MERGE dbo.a AS t USING (VALUES (1, 2)) AS s(i, j) ON s.i = t.id WHEN MATCHED THEN UPDATE SET x = j WHEN NOT MATCHED BY SOURCE THEN DELETE OUTPUT $action, inserted.id, deleted.x;'
GO
--@ source: reasoned
DROP TABLE dbo.e
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
