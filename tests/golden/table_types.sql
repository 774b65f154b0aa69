-- Table types: CREATE TYPE … AS TABLE, variables and parameters of them, what the catalogue tells.
--@ source: reasoned
CREATE DATABASE TableTypes
GO
--@ source: reasoned
USE TableTypes
GO
--@ source: documentation CREATE TYPE
CREATE TYPE dbo.Code FROM varchar(5) NOT NULL
CREATE TYPE dbo.Rows AS TABLE (
    id int IDENTITY(10, 5) PRIMARY KEY,
    code Code UNIQUE,
    n int NOT NULL DEFAULT (7) CHECK (n > 0),
    note nvarchar(20),
    INDEX ix (note))
CREATE TYPE dbo.Ints AS TABLE (v int)
SELECT name, system_type_id, max_length, is_nullable, is_user_defined, is_table_type FROM sys.types WHERE is_table_type = 1 ORDER BY name
SELECT t.name, o.type, o.type_desc, SCHEMA_NAME(o.schema_id) AS [schema], LEFT(o.name, 8) AS named, t.is_memory_optimized
FROM sys.table_types AS t JOIN sys.objects AS o ON o.object_id = t.type_table_object_id ORDER BY t.name
SELECT c.name, TYPE_NAME(c.user_type_id) AS type, c.is_nullable, c.is_identity
FROM sys.table_types AS t JOIN sys.columns AS c ON c.object_id = t.type_table_object_id WHERE t.name = 'Rows' ORDER BY c.column_id
SELECT i.type_desc, i.is_primary_key, i.is_unique FROM sys.table_types AS t JOIN sys.indexes AS i ON i.object_id = t.type_table_object_id
WHERE t.name = 'Rows' ORDER BY i.index_id
SELECT COUNT(*) AS tables FROM sys.tables
GO
-- Neither names of constraints nor foreign keys.
--@ source: message 156
CREATE TYPE dbo.x AS TABLE (a int CONSTRAINT k PRIMARY KEY)
GO
--@ source: message 156
CREATE TYPE dbo.x AS TABLE (a int REFERENCES dbo.t (a))
GO
--@ source: message 219
CREATE TYPE dbo.Code AS TABLE (a int)
GO
--@ source: message 2715
CREATE TABLE dbo.x (a dbo.Ints)
GO
-- A variable of the type is a table variable.
--@ source: documentation Use table-valued parameters
DECLARE @r dbo.Rows, @i dbo.Ints
INSERT @r (code, note) VALUES ('a', N'first'), ('b', NULL)
INSERT @r (code, n) VALUES ('c', 1)
UPDATE @r SET note = N'second' WHERE code = 'b'
DELETE @r WHERE code = 'c'
INSERT @i SELECT id FROM @r
SELECT id, code, n, note FROM @r ORDER BY id
SELECT v FROM @i ORDER BY v
GO
--@ source: message 547
DECLARE @r dbo.Rows
BEGIN TRY
    INSERT @r (code, n) VALUES ('a', 0)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
GO
--@ source: message 515
DECLARE @r dbo.Rows
INSERT @r (code) VALUES (NULL)
GO
--@ source: message 206
DECLARE @i dbo.Ints = 5
GO
-- Parameters: READONLY, which nothing else is.
--@ source: message 352
CREATE PROCEDURE dbo.x @r dbo.Rows AS SELECT 1
GO
--@ source: message 346
CREATE PROCEDURE dbo.x @i int READONLY AS SELECT 1
GO
--@ source: message 347
CREATE PROCEDURE dbo.x @r dbo.Rows OUTPUT READONLY AS SELECT 1
GO
--@ source: message 10700
CREATE PROCEDURE dbo.x @i dbo.Ints READONLY AS INSERT @i VALUES (1)
GO
--@ source: message 10700
CREATE PROCEDURE dbo.x @i dbo.Ints READONLY AS UPDATE @i SET v = 1
GO
--@ source: message 10700
CREATE PROCEDURE dbo.x @i dbo.Ints READONLY AS DELETE x FROM @i AS x
GO
--@ source: reasoned
SELECT OBJECT_ID('dbo.x') AS none
GO
--@ source: documentation Use table-valued parameters
CREATE PROCEDURE dbo.total @f int, @i dbo.Ints READONLY, @g int = 1 AS
SELECT COUNT(*) AS n, SUM(v) * @f * @g AS total FROM @i
GO
--@ source: documentation Use table-valued parameters
CREATE PROCEDURE dbo.outer_total @i dbo.Ints READONLY AS
DECLARE @own TABLE (v int)
INSERT @own SELECT v + 1 FROM @i
EXEC dbo.total 10, @i
SELECT v FROM @own ORDER BY v
GO
--@ source: documentation Use table-valued parameters
DECLARE @i dbo.Ints, @r dbo.Rows
INSERT @i VALUES (1), (2), (3)
EXEC dbo.total 1, @i
EXEC dbo.total @i = @i, @f = 2, @g = 2
EXEC dbo.outer_total @i
EXEC dbo.total 1
EXEC dbo.total 1, DEFAULT
EXEC sp_executesql N'SELECT SUM(v) AS s FROM @t WHERE v > @n', N'@t dbo.Ints READONLY, @n int', @i, 1
SELECT COUNT(*) AS still FROM @i
GO
--@ source: message 206
DECLARE @r dbo.Rows
EXEC dbo.total 1, @r
GO
--@ source: message 206
EXEC dbo.total 1, 5
GO
--@ source: message 206
DECLARE @i dbo.Ints
EXEC dbo.total @i
GO
-- A table variable of no type is no argument.
--@ source: message 137
DECLARE @i TABLE (v int)
EXEC dbo.total 1, @i
GO
--@ source: documentation INSERT
CREATE TABLE dbo.kept (n int, total int)
DECLARE @i dbo.Ints
INSERT @i VALUES (4), (5)
INSERT dbo.kept EXEC dbo.total 1, @i
SELECT n, total FROM dbo.kept
MERGE dbo.kept AS k USING @i AS i ON i.v = k.total WHEN NOT MATCHED THEN INSERT VALUES (i.v, i.v);
SELECT n, total FROM dbo.kept ORDER BY n, total
GO
-- No ROLLBACK reaches the rows of a variable.
--@ source: documentation DECLARE @local_variable
DECLARE @i dbo.Ints
BEGIN TRAN
INSERT @i VALUES (1)
ROLLBACK
EXEC dbo.total 1, @i
GO
--@ source: documentation sys.parameters
SELECT name, TYPE_NAME(user_type_id) AS type, system_type_id, max_length, is_readonly FROM sys.parameters
WHERE object_id = OBJECT_ID('dbo.total') ORDER BY parameter_id
SELECT DOMAIN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.DOMAINS ORDER BY DOMAIN_NAME
SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES ORDER BY TABLE_NAME
GO
-- What uses a type holds it.
--@ source: message 3732
DROP TYPE dbo.Ints
GO
--@ source: reasoned
DROP PROCEDURE dbo.outer_total
DROP PROCEDURE dbo.total
DROP TYPE dbo.Ints
GO
-- A column of the table type holds the alias, and so does nothing when the table type is gone.
--@ source: reasoned
DROP TYPE dbo.Rows
DROP TYPE dbo.Code
SELECT COUNT(*) AS types FROM sys.types WHERE is_user_defined = 1
SELECT COUNT(*) AS objects FROM sys.objects WHERE type = 'TT'
GO
--@ source: reasoned
USE master
DROP DATABASE TableTypes
GO
