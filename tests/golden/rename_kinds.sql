-- sp_rename: what a name means with a type and without one, by each kind of object.
--@ source: reasoned
CREATE DATABASE Renamed
GO
--@ source: reasoned
USE Renamed
EXEC ('CREATE SCHEMA s')
CREATE TABLE s.t (id int NOT NULL CONSTRAINT t_pk PRIMARY KEY, u int CONSTRAINT t_uq UNIQUE, a int CONSTRAINT t_df DEFAULT 1 CONSTRAINT t_ck CHECK (a > 0), r int CONSTRAINT t_fk REFERENCES s.t (id), c int)
CREATE INDEX t_ix ON s.t (c)
CREATE STATISTICS t_st ON s.t (c, a)
EXEC ('CREATE VIEW s.v AS SELECT 1 AS one')
EXEC ('CREATE PROCEDURE s.p AS RETURN')
GO
-- Without a type: an index, a column and statistics behind their table, with its schema and the database before them.
--@ source: documentation sp_rename
EXEC sp_rename 's.t.t_ix', 'ix1'
EXEC sp_rename 'Renamed.s.t.ix1', 'ix2'
EXEC sp_rename '[Renamed].[s].[t].[c]', 'd'
EXEC sp_rename 's.t.t_st', 'st1'
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('s.t') AND index_id > 1 ORDER BY index_id
SELECT name FROM sys.stats WHERE object_id = OBJECT_ID('s.t') AND user_created = 1
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('s.t') AND column_id = 5
GO
-- Constraints: by their schema, by the database too, and a key by its table as its index. Key and index have one name.
--@ source: documentation sp_rename
EXEC sp_rename 's.t_ck', 'ck1'
EXEC sp_rename 'Renamed.s.t_df', 'df1'
EXEC sp_rename 's.t_fk', 'fk1', 'OBJECT'
EXEC sp_rename 'Renamed.s.t.t_pk', 'pk1'
EXEC sp_rename 's.t_uq', 'uq1'
SELECT name, type FROM sys.objects WHERE parent_object_id = OBJECT_ID('s.t') ORDER BY name
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('s.t') AND is_unique = 1 ORDER BY index_id
GO
-- Views, procedures, tables, with three parts.
--@ source: documentation sp_rename
EXEC sp_rename 'Renamed.s.v', 'v1'
EXEC sp_rename 's.p', 'p1', 'object'
EXEC sp_rename 'Renamed.s.t', 't1', 'OBJECT'
SELECT name, type FROM sys.objects WHERE schema_id = SCHEMA_ID('s') AND parent_object_id = 0 ORDER BY name
GO
-- Statistics by their type; those of an index are the index.
--@ source: documentation sp_rename
EXEC sp_rename 's.t1.st1', 'st2', 'STATISTICS'
EXEC sp_rename 's.t1.ix2', 'ix3', 'STATISTICS'
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('s.t1') AND index_id > 2 ORDER BY index_id
SELECT name FROM sys.stats WHERE object_id = OBJECT_ID('s.t1') AND user_created = 1
GO
-- Names that are taken: an index, statistics, an object, a column.
--@ source: message 15335
EXEC sp_rename 's.t1.ix3', 'pk1', 'INDEX'
GO
--@ source: message 15335
EXEC sp_rename 's.t1.ix3', 'st2'
GO
--@ source: message 15335
EXEC sp_rename 's.pk1', 'ix3'
GO
--@ source: message 15335
EXEC sp_rename 's.t1.pk1', 'ck1', 'INDEX'
GO
--@ source: message 15335
EXEC sp_rename 's.t1.d', 'a'
GO
-- A name that means two things, and one that means nothing.
--@ source: message 15248
CREATE INDEX d ON s.t1 (d)
EXEC sp_rename 's.t1.d', 'e'
GO
--@ source: documentation sp_rename
EXEC sp_rename 's.t1.d', 'd_ix', 'INDEX'
EXEC sp_rename 's.t1.d', 'e'
GO
--@ source: message 15225
EXEC sp_rename 's.t1.nothing', 'x'
GO
--@ source: message 15225
EXEC sp_rename 's.nothing', 'x', 'OBJECT'
GO
--@ source: message 15248
EXEC sp_rename 's.t1.nothing', 'x', 'STATISTICS'
GO
--@ source: message 15253
EXEC sp_rename 'a.b.c.d.e', 'x'
GO
--@ source: message 15253
EXEC sp_rename 's.t1.', 'x'
GO
-- Another database than the current one.
--@ source: message 15333
EXEC sp_rename 'master.dbo.t', 'x'
GO
--@ source: message 15333
EXEC sp_rename 'master.s.t1.ix3', 'x', 'INDEX'
GO
--@ source: message 15225
EXEC sp_rename 'nowhere.s.t1.ix3', 'x'
GO
-- Parameters that are NULL or missing.
--@ source: message 15223
EXEC sp_rename NULL, 'x'
GO
--@ source: message 15223
EXEC sp_rename 's.t1', NULL
GO
--@ source: message 201
EXEC sp_rename 's.t1'
GO
--@ source: reasoned
USE master
DROP DATABASE Renamed
GO
