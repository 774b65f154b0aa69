-- Indexes, views, procedures, schemas, databases: CREATE, ALTER, DROP, rename, help, and the catalogue after each.
--@ source: reasoned
CREATE DATABASE types_objects
GO
--@ source: reasoned
USE types_objects
SET NOCOUNT ON
CREATE TABLE dbo.t (a int NOT NULL, b varchar(20), c varchar(max), d int)
INSERT t VALUES (1, 'x', 'long', 1), (2, 'x', NULL, NULL)
GO
--@ source: documentation CREATE INDEX
CREATE INDEX i1 ON t (b, a DESC) INCLUDE (d) WITH (FILLFACTOR = 80, PAD_INDEX = ON)
CREATE UNIQUE CLUSTERED INDEX i2 ON dbo.t (a)
CREATE NONCLUSTERED INDEX i3 ON t (d) WHERE d IS NOT NULL
SELECT name, index_id, type_desc, is_unique, fill_factor, is_padded, has_filter, filter_definition FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id
SELECT i.name, c.index_column_id AS ic, COL_NAME(c.object_id, c.column_id) AS col, c.key_ordinal AS k, c.is_descending_key AS d, c.is_included_column AS inc FROM sys.index_columns AS c JOIN sys.indexes AS i ON i.object_id = c.object_id AND i.index_id = c.index_id WHERE c.object_id = OBJECT_ID('t') ORDER BY i.index_id, c.index_column_id
GO
--@ source: documentation sp_helpindex
EXEC sp_helpindex 't'
GO
--@ source: message 1913
CREATE INDEX i1 ON t (a)
PRINT 'behind'
GO
--@ source: message 1902
CREATE CLUSTERED INDEX i9 ON t (b)
GO
--@ source: message 1505
CREATE UNIQUE INDEX i9 ON t (b)
GO
--@ source: message 1911
CREATE INDEX i9 ON t (none)
GO
--@ source: message 1909
CREATE INDEX i9 ON t (a, a)
GO
--@ source: message 1909
CREATE INDEX i9 ON t (a) INCLUDE (a)
GO
--@ source: message 1919
CREATE INDEX i9 ON t (c)
GO
--@ source: message 1088
CREATE INDEX i9 ON none (a)
GO
--@ source: message 129
CREATE INDEX i9 ON t (a) WITH (FILLFACTOR = 101)
GO
--@ source: message 3701
DROP INDEX none ON t
PRINT 'behind'
GO
--@ source: message 3701
DROP INDEX t.none
GO
--@ source: documentation DROP INDEX
DROP INDEX IF EXISTS none ON t
DROP INDEX i1 ON t, i3 ON t
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('t')
DROP INDEX t.i2
SELECT name, type_desc, index_id FROM sys.indexes WHERE object_id = OBJECT_ID('t')
GO
--@ source: documentation CREATE VIEW
CREATE VIEW v AS SELECT a, b AS bee, NULL AS n, 'x' AS lit FROM t
GO
--@ source: documentation sys.views
SELECT name, type, with_check_option, is_replicated FROM sys.views
SELECT name, TYPE_NAME(system_type_id) AS t, max_length, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('v') ORDER BY column_id
SELECT TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION, IS_UPDATABLE FROM INFORMATION_SCHEMA.VIEWS
SELECT OBJECTPROPERTY(OBJECT_ID('v'), 'IsView') AS a, OBJECTPROPERTY(OBJECT_ID('v'), 'ExecIsQuotedIdentOn') AS c, OBJECTPROPERTY(OBJECT_ID('v'), 'ExecIsAnsiNullsOn') AS d
GO
--@ source: documentation sp_helptext
EXEC sp_helptext 'v'
GO
--@ source: message 15009
EXEC sp_helptext 'none'
GO
--@ source: message 15197
EXEC sp_helptext 't'
GO
--@ source: message 4511
CREATE VIEW w AS SELECT a + 1 FROM t
GO
--@ source: message 4506
CREATE VIEW w AS SELECT a, b AS a FROM t
GO
--@ source: message 1033
CREATE VIEW w AS SELECT a FROM t ORDER BY a
GO
--@ source: message 8158
CREATE VIEW w (x) AS SELECT a, b FROM t
GO
--@ source: message 8159
CREATE VIEW w (x, y, z) AS SELECT a, b FROM t
GO
--@ source: message 208
CREATE VIEW w AS SELECT a FROM none
GO
--@ source: message 207
CREATE VIEW w AS SELECT none FROM t
GO
--@ source: message 2714
CREATE VIEW t AS SELECT 1 AS a
GO
--@ source: message 111
SELECT 1 AS a
CREATE VIEW w AS SELECT 1 AS a
GO
--@ source: message 166
CREATE VIEW types_objects.dbo.w AS SELECT 1 AS a
GO
--@ source: message 4508
CREATE VIEW w AS SELECT a FROM #none
GO
--@ source: documentation ALTER VIEW
ALTER VIEW v AS SELECT a FROM t WITH CHECK OPTION
GO
--@ source: reasoned
SELECT * FROM v
DROP VIEW v
PRINT 'dropped'
GO
--@ source: message 3701
DROP VIEW v
PRINT 'behind'
GO
--@ source: documentation DROP VIEW
DROP VIEW IF EXISTS v, v2
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE p @a int, @b varchar(10) = 'dflt', @c decimal(9, 2) = NULL OUTPUT AS SET @c = @a RETURN 7
GO
--@ source: documentation sys.parameters
SELECT name, parameter_id, TYPE_NAME(system_type_id) AS t, max_length, precision, scale, is_output, has_default_value, default_value FROM sys.parameters WHERE object_id = OBJECT_ID('p') ORDER BY parameter_id
SELECT name, type, type_desc, is_auto_executed FROM sys.procedures
SELECT definition, uses_ansi_nulls, uses_quoted_identifier, is_schema_bound, is_recompiled, null_on_null_input, execute_as_principal_id FROM sys.sql_modules WHERE object_id = OBJECT_ID('p')
SELECT SPECIFIC_NAME, ROUTINE_TYPE, DATA_TYPE, ROUTINE_BODY, SQL_DATA_ACCESS, IS_DETERMINISTIC FROM INFORMATION_SCHEMA.ROUTINES
SELECT PARAMETER_NAME, ORDINAL_POSITION, PARAMETER_MODE, IS_RESULT, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE FROM INFORMATION_SCHEMA.PARAMETERS ORDER BY ORDINAL_POSITION
SELECT OBJECTPROPERTY(OBJECT_ID('p'), 'IsProcedure') AS a, OBJECTPROPERTY(OBJECT_ID('p'), 'IsTable') AS c
GO
--@ source: documentation EXECUTE
DECLARE @c decimal(9, 2), @r int
EXEC @r = p 5, @c = @c OUTPUT
SELECT @c AS c, @r AS r
EXEC p @a = 1, @b = DEFAULT
GO
--@ source: message 201
EXEC p
PRINT 'behind'
GO
--@ source: message 8145
EXEC p 1, @z = 2
GO
--@ source: message 8144
EXEC p 1, 'b', 3, 4
GO
--@ source: message 8143
EXEC p 1, @a = 2
GO
--@ source: message 8114
EXEC p 'abc'
GO
--@ source: message 119
EXEC p @a = 1, 2
GO
--@ source: message 2812
EXEC none
PRINT 'behind'
GO
--@ source: message 2714
CREATE PROCEDURE p AS SELECT 1
GO
--@ source: message 134
CREATE PROCEDURE q @a int, @a int AS SELECT 1
GO
--@ source: message 111
SELECT 1 AS a
CREATE PROCEDURE q AS SELECT 1
GO
--@ source: message 3701
DROP PROCEDURE none
PRINT 'behind'
GO
--@ source: documentation DROP PROCEDURE
DROP PROC IF EXISTS none
DROP PROCEDURE p
SELECT OBJECT_ID('p') AS p
GO
--@ source: documentation CREATE SCHEMA
CREATE SCHEMA s
GO
--@ source: documentation sys.schemas
CREATE TABLE s.t (a int)
SELECT name, USER_NAME(principal_id) AS p FROM sys.schemas WHERE name IN ('s', 'dbo', 'sys', 'INFORMATION_SCHEMA', 'guest') ORDER BY name
SELECT SCHEMA_NAME, SCHEMA_OWNER, DEFAULT_CHARACTER_SET_NAME FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME IN ('s', 'dbo', 'db_owner') ORDER BY SCHEMA_NAME
SELECT OBJECT_SCHEMA_NAME(OBJECT_ID('s.t')) AS a, SCHEMA_NAME(SCHEMA_ID('s')) AS b, OBJECT_NAME(OBJECT_ID('s.t')) AS c
GO
--@ source: message 2714
CREATE SCHEMA s
GO
--@ source: message 111
SELECT 1 AS a
CREATE SCHEMA s2
GO
--@ source: message 3729
DROP SCHEMA s
PRINT 'behind'
GO
--@ source: message 15151
DROP SCHEMA none
GO
--@ source: documentation DROP SCHEMA
DROP TABLE s.t
DROP SCHEMA IF EXISTS none
DROP SCHEMA s
SELECT SCHEMA_ID('s') AS s
GO
--@ source: message 15150
DROP SCHEMA dbo
GO
--@ source: message 2760
CREATE TABLE s.t (a int)
GO
--@ source: documentation sp_rename
CREATE TABLE dbo.old (a int CONSTRAINT old_pk PRIMARY KEY, b int CONSTRAINT old_d DEFAULT (1))
CREATE INDEX old_i ON old (b)
EXEC sp_rename 'old', 'new'
EXEC sp_rename 'dbo.new.a', 'a2', 'COLUMN'
EXEC sp_rename 'new.old_i', 'new_i', 'INDEX'
EXEC sp_rename 'old_pk', 'new_pk', 'OBJECT'
EXEC sp_rename 'dbo.old_d', 'new_d'
SELECT name FROM sys.objects WHERE name LIKE 'new%' ORDER BY name
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('new') ORDER BY column_id
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('new') ORDER BY index_id
GO
--@ source: message 15009
EXEC sp_help 'none'
GO
--@ source: documentation sp_helpconstraint
EXEC sp_helpconstraint 'new'
GO
--@ source: documentation sp_columns
EXEC sp_columns 'new'
EXEC sp_pkeys 'new'
EXEC sp_tables 'new'
GO
--@ source: documentation DBCC CHECKIDENT
CREATE TABLE idt (i int IDENTITY(5, 3), x int)
INSERT idt VALUES (1), (2)
DBCC CHECKIDENT ('idt', NORESEED)
DBCC CHECKIDENT ('idt', RESEED, 100)
INSERT idt VALUES (3)
SELECT * FROM idt
SELECT IDENT_CURRENT('idt') AS c, IDENT_SEED('idt') AS s, IDENT_INCR('idt') AS n, @@IDENTITY AS i, SCOPE_IDENTITY() AS sc
GO
--@ source: message 2501
DBCC CHECKIDENT ('none')
GO
--@ source: message 7997
DBCC CHECKIDENT ('t')
GO
--@ source: message 2526
DBCC NONSENSE
GO
--@ source: message 544
INSERT idt (i, x) VALUES (1, 1)
GO
--@ source: documentation SET IDENTITY_INSERT
SET IDENTITY_INSERT idt ON
INSERT idt (i, x) VALUES (1000, 1)
SET IDENTITY_INSERT idt OFF
INSERT idt VALUES (9)
SELECT MAX(i) AS m FROM idt
GO
--@ source: message 8106
SET IDENTITY_INSERT t ON
GO
--@ source: message 545
SET IDENTITY_INSERT idt ON
INSERT idt (x) VALUES (1)
GO
--@ source: message 8107
CREATE TABLE idt2 (i int IDENTITY)
SET IDENTITY_INSERT idt2 ON
GO
--@ source: message 8102
SET IDENTITY_INSERT idt OFF
UPDATE idt SET i = 1
GO
--@ source: message 911
USE nowhere
PRINT 'behind'
GO
--@ source: message 1801
CREATE DATABASE types_objects
GO
--@ source: message 3701
DROP DATABASE nowhere
PRINT 'behind'
GO
--@ source: documentation DROP DATABASE
DROP DATABASE IF EXISTS nowhere
PRINT 'nothing said'
GO
--@ source: message 3702
DROP DATABASE types_objects
GO
--@ source: message 5011
ALTER DATABASE nowhere SET RECOVERY SIMPLE
GO
--@ source: message 226
BEGIN TRAN
CREATE DATABASE inside
GO
--@ source: reasoned
IF @@TRANCOUNT > 0 ROLLBACK
USE master
DROP DATABASE types_objects
GO
