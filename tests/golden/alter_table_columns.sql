-- Columns that come to rows, and properties of columns that come and go.
--@ source: reasoned
CREATE DATABASE Columns
GO
-- A default is computed once for the rows that are there, NEWID for each of them; an identity column counts them.
--@ source: documentation ALTER TABLE
USE Columns
CREATE TABLE t (a int NOT NULL CONSTRAINT t_pk PRIMARY KEY)
INSERT t VALUES (30), (10), (20)
ALTER TABLE t ADD g uniqueidentifier NOT NULL DEFAULT NEWID(), d datetime2 NOT NULL DEFAULT SYSDATETIME(), n int NULL DEFAULT 7, w int NULL DEFAULT ABS(-3) WITH VALUES, u varchar(20) NOT NULL DEFAULT UPPER('abc')
SELECT COUNT(DISTINCT g) AS g, COUNT(DISTINCT d) AS d, COUNT(n) AS n, MIN(w) AS w, MIN(u) AS u FROM t
ALTER TABLE t ADD id int IDENTITY (5, 10) NOT NULL, extra varchar(5) NOT NULL DEFAULT 'x'
SELECT a, id, extra FROM t ORDER BY a
INSERT t (a) VALUES (40)
SELECT a, id, extra FROM t ORDER BY a
SELECT IDENT_CURRENT('t') AS last
DBCC CHECKTABLE ('t') WITH NO_INFOMSGS
GO
--@ source: message 8115
CREATE TABLE small (a int)
INSERT small VALUES (1), (2), (3)
ALTER TABLE small ADD id tinyint IDENTITY (254, 1)
GO
--@ source: documentation ALTER TABLE
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('small')
ALTER TABLE small ADD id tinyint IDENTITY (1, 1) CONSTRAINT small_pk PRIMARY KEY
GO
--@ source: documentation ALTER TABLE
SELECT a, id FROM small ORDER BY id
GO
-- PERSISTED comes and goes; the number of the column stays.
--@ source: documentation ALTER TABLE
CREATE TABLE c (a int NOT NULL, s AS a + 1, r AS RAND(), b varchar(5) NULL)
INSERT c (a, b) VALUES (1, 'x'), (2, 'y')
ALTER TABLE c ALTER COLUMN s ADD PERSISTED
ALTER TABLE c ALTER COLUMN s ADD PERSISTED
SELECT column_id, is_persisted, definition FROM sys.computed_columns WHERE object_id = OBJECT_ID('c') AND name = 's'
SELECT a, s, b FROM c ORDER BY a
UPDATE c SET a = a + 10
SELECT a, s FROM c ORDER BY s
ALTER TABLE c ADD CONSTRAINT c_s CHECK (s > 0)
GO
--@ source: message 5074
ALTER TABLE c ALTER COLUMN s DROP PERSISTED
GO
--@ source: documentation ALTER TABLE
ALTER TABLE c DROP CONSTRAINT c_s
ALTER TABLE c ALTER COLUMN s DROP PERSISTED
SELECT is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('c') AND name = 's'
CREATE INDEX c_i ON c (b) INCLUDE (s)
ALTER TABLE c ALTER COLUMN s ADD PERSISTED
ALTER TABLE c ALTER COLUMN s DROP PERSISTED
GO
--@ source: documentation ALTER TABLE
SELECT a, s FROM c WITH (INDEX (c_i)) WHERE b > '' ORDER BY a
DBCC CHECKTABLE ('c') WITH NO_INFOMSGS
GO
--@ source: message 4919
ALTER TABLE c ALTER COLUMN a ADD PERSISTED
GO
--@ source: message 4936
ALTER TABLE c ALTER COLUMN r ADD PERSISTED
GO
--@ source: message 4924
ALTER TABLE c ALTER COLUMN nothing ADD PERSISTED
GO
--@ source: message 8134
CREATE TABLE z (a int NOT NULL, q AS 10 / a)
INSERT z VALUES (1), (0)
ALTER TABLE z ALTER COLUMN q ADD PERSISTED
GO
--@ source: reasoned
SELECT is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('z')
SELECT a FROM z ORDER BY a
GO
-- ROWGUIDCOL, $ROWGUID and $IDENTITY.
--@ source: documentation SELECT clause
CREATE TABLE g (id int IDENTITY, g uniqueidentifier ROWGUIDCOL NOT NULL, h uniqueidentifier NULL)
INSERT g (g) VALUES ('00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000002')
SELECT $IDENTITY, $ROWGUID FROM g ORDER BY $IDENTITY
SELECT x.$IDENTITY, IDENTITYCOL AS other FROM g AS x WHERE x.$ROWGUID > '00000000-0000-0000-0000-000000000001'
UPDATE g SET h = ROWGUIDCOL WHERE IDENTITYCOL = 1
SELECT COUNT(*) AS n FROM g WHERE h = g
ALTER TABLE g ALTER COLUMN g DROP ROWGUIDCOL
ALTER TABLE g ALTER COLUMN h ADD ROWGUIDCOL
SELECT name, is_rowguidcol FROM sys.columns WHERE object_id = OBJECT_ID('g') ORDER BY column_id
GO
--@ source: message 207
SELECT $ROWGUID FROM t
GO
--@ source: message 4925
ALTER TABLE g ALTER COLUMN g ADD ROWGUIDCOL
GO
--@ source: message 4926
ALTER TABLE g ALTER COLUMN g DROP ROWGUIDCOL
GO
--@ source: message 2761
CREATE TABLE bad (a int ROWGUIDCOL)
GO
--@ source: message 8196
CREATE TABLE bad (a uniqueidentifier ROWGUIDCOL, b uniqueidentifier ROWGUIDCOL)
GO
-- Sparse columns are stored as others are.
--@ source: documentation Use sparse columns
CREATE TABLE s (id int PRIMARY KEY, a int SPARSE NULL, b varchar(10) SPARSE)
INSERT s VALUES (1, NULL, 'x'), (2, 5, NULL)
SELECT name, is_sparse, COLUMNPROPERTY(object_id, name, 'IsSparse') AS p FROM sys.columns WHERE object_id = OBJECT_ID('s') ORDER BY column_id
ALTER TABLE s ALTER COLUMN a DROP SPARSE
ALTER TABLE s ADD c int SPARSE NULL
SELECT name, is_sparse FROM sys.columns WHERE object_id = OBJECT_ID('s') ORDER BY column_id
SELECT * INTO copied FROM s
SELECT COUNT(*) AS sparse FROM sys.columns WHERE object_id = OBJECT_ID('copied') AND is_sparse = 1
GO
--@ source: message 1731
CREATE TABLE bad (a int SPARSE NOT NULL)
GO
--@ source: message 1791
CREATE TABLE bad (a int SPARSE NULL DEFAULT 1)
GO
--@ source: message 11410
ALTER TABLE t ALTER COLUMN n ADD SPARSE
GO
-- A clustered columnstore index: the rows stay a heap.
--@ source: documentation CREATE COLUMNSTORE INDEX
CREATE TABLE cs (a int, b int)
INSERT cs VALUES (1, 2)
CREATE CLUSTERED COLUMNSTORE INDEX cs_cci ON cs WITH (DATA_COMPRESSION = COLUMNSTORE, MAXDOP = 1)
SELECT index_id, name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('cs')
INSERT cs VALUES (3, 4)
SELECT a, b FROM cs ORDER BY a
CREATE TABLE cs2 (a int, INDEX cs2_cci CLUSTERED COLUMNSTORE)
DROP INDEX cs2_cci ON cs2
GO
--@ source: message 35339
CREATE CLUSTERED COLUMNSTORE INDEX cs_other ON cs
GO
--@ source: message 1902
CREATE CLUSTERED INDEX cs_c ON cs (a)
GO
--@ source: documentation DROP INDEX
DROP INDEX IF EXISTS cs_cci ON cs
DROP INDEX IF EXISTS cs_cci ON cs
CREATE CLUSTERED INDEX cs_c ON cs (a)
GO
--@ source: message 35372
CREATE CLUSTERED COLUMNSTORE INDEX cs_cci ON cs
GO
-- Objects and types come to other schemas.
--@ source: documentation ALTER SCHEMA
CREATE SCHEMA other
GO
--@ source: documentation ALTER SCHEMA
CREATE TABLE dbo.moved (a int NOT NULL CONSTRAINT moved_pk PRIMARY KEY, b int CONSTRAINT moved_df DEFAULT 3, CONSTRAINT moved_ck CHECK (b > 0))
EXEC ('CREATE TRIGGER dbo.moved_t ON dbo.moved AFTER INSERT AS SELECT a FROM inserted')
CREATE TYPE dbo.small FROM varchar(5) NOT NULL
CREATE TYPE dbo.rows AS TABLE (a int PRIMARY KEY)
INSERT dbo.moved (a) VALUES (1)
DECLARE @id int = OBJECT_ID('dbo.moved')
ALTER SCHEMA other TRANSFER dbo.moved
ALTER SCHEMA other TRANSFER OBJECT::other.moved
ALTER SCHEMA other TRANSFER TYPE::dbo.small
ALTER SCHEMA other TRANSFER TYPE::dbo.rows
SELECT CASE WHEN OBJECT_ID('other.moved') = @id THEN 'same' END AS id, OBJECT_ID('dbo.moved') AS gone
SELECT name, SCHEMA_NAME(schema_id) AS s FROM sys.objects WHERE name LIKE 'moved%' ORDER BY name
SELECT name, SCHEMA_NAME(schema_id) AS s FROM sys.types WHERE name IN ('small', 'rows') ORDER BY name
GO
--@ source: documentation ALTER SCHEMA
INSERT other.moved (a) VALUES (2)
DECLARE @r other.rows
INSERT @r VALUES (1)
GO
--@ source: message 15151
ALTER SCHEMA nowhere TRANSFER other.moved
GO
--@ source: message 15151
ALTER SCHEMA other TRANSFER dbo.nothing
GO
--@ source: message 15347
ALTER SCHEMA dbo TRANSFER other.moved_pk
GO
--@ source: message 15530
CREATE TABLE dbo.moved (a int)
ALTER SCHEMA dbo TRANSFER other.moved
GO
--@ source: documentation ALTER SCHEMA
CREATE VIEW dbo.bound WITH SCHEMABINDING AS SELECT a FROM other.moved
GO
--@ source: message 15348
DROP TABLE dbo.moved
ALTER SCHEMA dbo TRANSFER other.moved
GO
--@ source: documentation ALTER SCHEMA
BEGIN TRAN
ALTER SCHEMA other TRANSFER dbo.bound
GO
--@ source: documentation ALTER SCHEMA
SELECT a FROM other.bound ORDER BY a
ROLLBACK
SELECT a FROM dbo.bound ORDER BY a
GO
-- Filtered statistics, and what computed columns and filters depend on.
--@ source: documentation CREATE STATISTICS
CREATE TABLE f (a int NOT NULL, b int NULL, c AS a + b)
CREATE STATISTICS f_s ON f (a) WHERE b > 5
CREATE INDEX f_i ON f (b) WHERE a > 1
SELECT name, has_filter, filter_definition FROM sys.stats WHERE object_id = OBJECT_ID('f') ORDER BY stats_id
SELECT referencing_class_desc, referencing_minor_id, COL_NAME(referenced_id, referenced_minor_id) AS col, is_schema_bound_reference FROM sys.sql_expression_dependencies WHERE referencing_id = OBJECT_ID('f') ORDER BY referencing_class, referencing_minor_id, referenced_minor_id
GO
--@ source: message 10735
CREATE STATISTICS f_t ON f (a) WHERE b > a
GO
--@ source: message 5074
CREATE TABLE f2 (a int NOT NULL, b int NULL)
CREATE STATISTICS f2_s ON f2 (a) WHERE b > 5
ALTER TABLE f2 DROP COLUMN b
GO
-- Rows that are locked as a table: ALLOW_ROW_LOCKS, LOCK_ESCALATION.
--@ source: documentation CREATE INDEX
CREATE TABLE r (a int NOT NULL CONSTRAINT r_pk PRIMARY KEY WITH (ALLOW_ROW_LOCKS = OFF, ALLOW_PAGE_LOCKS = OFF), b int)
INSERT r VALUES (1, 1), (2, 2)
SELECT allow_row_locks, allow_page_locks, INDEXPROPERTY(object_id, name, 'IsRowLockDisallowed') AS p FROM sys.indexes WHERE name = 'r_pk'
BEGIN TRAN
UPDATE r SET b = 3 WHERE a = 1
SELECT resource_type, request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('OBJECT', 'KEY') AND resource_associated_entity_id IN (SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('r') UNION ALL SELECT OBJECT_ID('r')) ORDER BY 1, 2
ROLLBACK
ALTER INDEX r_pk ON r SET (ALLOW_ROW_LOCKS = ON)
BEGIN TRAN
UPDATE r SET b = 3 WHERE a = 1
SELECT resource_type, request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('OBJECT', 'KEY') AND resource_associated_entity_id IN (SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('r') UNION ALL SELECT OBJECT_ID('r')) ORDER BY 1, 2
ROLLBACK
GO
--@ source: documentation ALTER TABLE
CREATE TABLE many (a int NOT NULL PRIMARY KEY)
INSERT many SELECT value FROM GENERATE_SERIES(1, 7000)
BEGIN TRAN
UPDATE many SET a = a + 10000 WHERE a <= 7000
SELECT resource_type, request_mode, CASE WHEN COUNT(*) > 5000 THEN 'many' ELSE 'few' END AS n FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('OBJECT', 'KEY') AND resource_associated_entity_id IN (SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('many') UNION ALL SELECT OBJECT_ID('many')) GROUP BY resource_type, request_mode ORDER BY 1, 2
ROLLBACK
ALTER TABLE many SET (LOCK_ESCALATION = DISABLE)
BEGIN TRAN
UPDATE many SET a = a + 10000 WHERE a <= 7000
SELECT resource_type, request_mode, CASE WHEN COUNT(*) > 5000 THEN 'many' ELSE 'few' END AS n FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('OBJECT', 'KEY') AND resource_associated_entity_id IN (SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('many') UNION ALL SELECT OBJECT_ID('many')) GROUP BY resource_type, request_mode ORDER BY 1, 2
ROLLBACK
GO
-- An index of a computed column, and a filtered one, need SET options of those who change rows.
--@ source: message 1934
CREATE TABLE o (a int NOT NULL, c AS a * 2)
CREATE INDEX o_c ON o (c)
GO
--@ source: message 1934
SET QUOTED_IDENTIFIER OFF
INSERT o VALUES (1)
GO
--@ source: message 1934
UPDATE o SET a = 2
GO
--@ source: message 1934
DELETE o
GO
--@ source: message 1934
MERGE o USING (VALUES (1)) AS s (a) ON o.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);
GO
--@ source: message 1934
INSERT f (a) VALUES (1)
GO
--@ source: reasoned
SELECT a FROM o
SET QUOTED_IDENTIFIER ON
GO
--@ source: reasoned
USE master
DROP DATABASE Columns
GO
