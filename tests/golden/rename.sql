-- sp_rename: tables, columns, indexes, constraints, procedures, databases.
SET NOCOUNT ON
CREATE TABLE t1 (id int CONSTRAINT pk_t1 PRIMARY KEY, b varchar(10), c int CONSTRAINT ck CHECK (c > 0), d int CONSTRAINT df DEFAULT 7)
CREATE INDEX i1 ON t1 (b)
INSERT t1 (id, b, c) VALUES (1, 'one', 1)
GO
EXEC sp_rename 't1', 't2'
GO
SELECT * FROM t1
GO
SELECT * FROM t2
GO
EXEC sp_rename 't2.b', 'bb', 'COLUMN'
EXEC sp_rename 'dbo.t2.i1', 'i2', 'INDEX'
EXEC sp_rename 'pk_t1', 'pk_t2'
EXEC sp_rename N'dbo.t2.pk_t2', N'pk_t3', N'INDEX'
EXEC sp_rename 'df', 'df2', 'OBJECT'
GO
INSERT t2 (id, bb, c) VALUES (2, 'two', 2)
SELECT id, bb, c, d FROM t2 WHERE bb = 'two'
SELECT name, is_primary_key FROM sys.indexes WHERE object_id = OBJECT_ID('t2') ORDER BY index_id
SELECT name FROM sys.objects WHERE parent_object_id = OBJECT_ID('t2') ORDER BY name
GO
INSERT t2 (id, c) VALUES (2, 1)
GO
CREATE PROCEDURE p1 AS SELECT COUNT(*) AS n FROM t2
GO
EXEC sp_rename 'p1', 'p2'
GO
EXEC p2
GO
BEGIN TRAN
EXEC sp_rename 't2', 't3'
SELECT COUNT(*) AS n FROM t3
ROLLBACK
SELECT COUNT(*) AS n FROM t2
GO
CREATE TABLE other (a int)
GO
EXEC sp_rename 't2', 'other'
GO
EXEC sp_rename 't2.bb', 'c', 'COLUMN'
GO
EXEC sp_rename 't2.c', 'cc', 'COLUMN'
GO
EXEC sp_rename 'nothing', 'x'
GO
EXEC sp_rename 't2.nothing', 'x', 'COLUMN'
GO
EXEC sp_rename 't2', 'x', 'THING'
GO
CREATE DATABASE first_name
GO
EXEC sp_rename 'first_name', 'second_name', 'DATABASE'
GO
SELECT name FROM sys.databases WHERE name LIKE '%[_]name'
DROP DATABASE second_name
DROP PROCEDURE p2
DROP TABLE t2
DROP TABLE other
GO
