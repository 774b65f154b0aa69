-- CREATE, ALTER and DROP TABLE with the catalogue after each, and forms that are refused.
--@ source: reasoned
CREATE DATABASE types_ddl
GO
--@ source: reasoned
USE types_ddl
SET NOCOUNT ON
GO
--@ source: documentation sys.columns
CREATE TABLE dbo.every (c01 bit, c02 tinyint NOT NULL, c03 smallint NULL, c04 int, c05 bigint, c06 decimal, c07 decimal(5), c08 numeric(38, 10), c09 money, c10 smallmoney, c11 real, c12 float, c13 float(24), c14 float(53), c15 date, c16 time, c17 time(3), c18 datetime, c19 smalldatetime, c20 datetime2, c21 datetime2(0), c22 datetimeoffset, c23 char, c24 char(10), c25 varchar, c26 varchar(10), c27 varchar(max), c28 nchar(3), c29 nvarchar(4000), c30 nvarchar(max), c31 binary, c32 binary(7), c33 varbinary(8000), c34 varbinary(max), c35 uniqueidentifier, c38 text, c39 ntext, c40 image, c42 integer, c43 double precision, c44 character varying(9), c45 national text, c46 dec(9, 2), c47 national char varying(5))
SELECT name, TYPE_NAME(system_type_id) AS t, TYPE_NAME(user_type_id) AS u, max_length AS l, precision AS p, scale AS s, is_nullable AS n, collation_name AS c FROM sys.columns WHERE object_id = OBJECT_ID('every') ORDER BY column_id
GO
--@ source: documentation INFORMATION_SCHEMA.COLUMNS
SELECT COLUMN_NAME, ORDINAL_POSITION AS o, IS_NULLABLE AS n, DATA_TYPE AS t, CHARACTER_MAXIMUM_LENGTH AS ch, CHARACTER_OCTET_LENGTH AS oc, NUMERIC_PRECISION AS p, NUMERIC_PRECISION_RADIX AS r, NUMERIC_SCALE AS s, DATETIME_PRECISION AS d, CHARACTER_SET_NAME AS cs, COLLATION_NAME AS co, DOMAIN_NAME AS dn FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'every' ORDER BY ORDINAL_POSITION
GO
--@ source: documentation COLUMNPROPERTY
SELECT name, COLUMNPROPERTY(object_id, name, 'Precision') AS p, COLUMNPROPERTY(object_id, name, 'AllowsNull') AS n, COL_LENGTH('every', name) AS l FROM sys.columns WHERE object_id = OBJECT_ID('every') AND TYPE_NAME(system_type_id) NOT IN ('binary', 'varbinary', 'uniqueidentifier', 'text', 'ntext', 'image') ORDER BY column_id
DROP TABLE every
GO
--@ source: documentation CREATE TABLE
CREATE TABLE dbo.t (a int NOT NULL CONSTRAINT t_pk PRIMARY KEY, b varchar(10) CONSTRAINT t_df DEFAULT ('x') CONSTRAINT t_ck CHECK (LEN(b) > 0), c int CONSTRAINT t_uq UNIQUE, d int CONSTRAINT t_fk REFERENCES dbo.t (a))
SELECT name, type, type_desc, OBJECT_NAME(parent_object_id) AS parent, is_ms_shipped AS m, is_published AS p, SCHEMA_NAME(schema_id) AS s, principal_id FROM sys.objects WHERE parent_object_id = OBJECT_ID('t') OR object_id = OBJECT_ID('t') ORDER BY name
SELECT name, type, type_desc, unique_index_id AS u, is_system_named AS s FROM sys.key_constraints ORDER BY name
SELECT name, parent_column_id AS c, definition, is_system_named AS s FROM sys.default_constraints
SELECT name, parent_column_id AS c, definition, is_disabled AS d, is_not_trusted AS n, is_not_for_replication AS r, uses_database_collation AS u, is_system_named AS s FROM sys.check_constraints
SELECT name, key_index_id AS k, is_disabled AS d, is_not_trusted AS n, delete_referential_action_desc AS da, update_referential_action AS ua, is_system_named AS s FROM sys.foreign_keys
SELECT constraint_column_id AS i, parent_column_id AS p, referenced_column_id AS r FROM sys.foreign_key_columns
SELECT name, index_id, type, type_desc, is_unique AS u, is_primary_key AS pk, is_unique_constraint AS uc, fill_factor AS f, is_padded AS pd, is_disabled AS d, is_hypothetical AS h, allow_row_locks AS r, allow_page_locks AS pl, has_filter AS hf FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id
SELECT index_id, index_column_id AS ic, column_id AS c, key_ordinal AS k, partition_ordinal AS p, is_descending_key AS d, is_included_column AS i FROM sys.index_columns WHERE object_id = OBJECT_ID('t') ORDER BY 1, 2
GO
--@ source: documentation INFORMATION_SCHEMA.TABLE_CONSTRAINTS
SELECT TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES
SELECT CONSTRAINT_NAME, TABLE_NAME, CONSTRAINT_TYPE, IS_DEFERRABLE, INITIALLY_DEFERRED FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS ORDER BY CONSTRAINT_NAME
SELECT CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE ORDER BY CONSTRAINT_NAME
SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS
SELECT CONSTRAINT_NAME, UNIQUE_CONSTRAINT_NAME, MATCH_OPTION, UPDATE_RULE, DELETE_RULE FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS
SELECT TABLE_NAME, COLUMN_NAME, CONSTRAINT_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE ORDER BY CONSTRAINT_NAME
SELECT TABLE_NAME, CONSTRAINT_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE ORDER BY CONSTRAINT_NAME
GO
--@ source: documentation OBJECTPROPERTY
SELECT OBJECTPROPERTY(OBJECT_ID('t'), 'IsTable') AS a, OBJECTPROPERTY(OBJECT_ID('t'), 'IsUserTable') AS b, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasPrimaryKey') AS c, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasIdentity') AS d, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasForeignKey') AS e, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasForeignRef') AS f, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasCheckCnst') AS g, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasDefaultCnst') AS h, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasUniqueCnst') AS i, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasClustIndex') AS j, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasNonclustIndex') AS k, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasIndex') AS l, OBJECTPROPERTY(OBJECT_ID('t'), 'OwnerId') AS m, OBJECTPROPERTY(OBJECT_ID('t'), 'IsMSShipped') AS n, OBJECTPROPERTY(OBJECT_ID('t_pk'), 'IsPrimaryKey') AS o, OBJECTPROPERTY(OBJECT_ID('t_ck'), 'IsCheckCnst') AS p, OBJECTPROPERTY(OBJECT_ID('t_df'), 'IsDefaultCnst') AS q, OBJECTPROPERTY(OBJECT_ID('t_fk'), 'IsForeignKey') AS r, OBJECTPROPERTY(OBJECT_ID('t_uq'), 'IsUniqueCnst') AS s, OBJECTPROPERTY(OBJECT_ID('t_uq'), 'IsConstraint') AS t, OBJECTPROPERTY(OBJECT_ID('t'), 'nothing') AS u, OBJECTPROPERTY(1, 'IsTable') AS v, OBJECTPROPERTY(OBJECT_ID('t'), 'IsView') AS y, OBJECTPROPERTY(OBJECT_ID('t'), 'SchemaId') AS z
GO
--@ source: documentation INDEXPROPERTY
SELECT INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsClustered') AS a, INDEXPROPERTY(OBJECT_ID('t'), 't_uq', 'IsClustered') AS b, INDEXPROPERTY(OBJECT_ID('t'), 't_uq', 'IsUnique') AS c, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IndexID') AS d, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IndexFillFactor') AS e, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsPadIndex') AS f, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsDisabled') AS g, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsStatistics') AS h, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsHypothetical') AS i, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'IsRowLockDisallowed') AS j, INDEXPROPERTY(OBJECT_ID('t'), 'none', 'IsUnique') AS k, INDEXPROPERTY(OBJECT_ID('t'), 't_pk', 'none') AS l, INDEXKEY_PROPERTY(OBJECT_ID('t'), 1, 1, 'ColumnId') AS m, INDEXKEY_PROPERTY(OBJECT_ID('t'), 1, 1, 'IsDescending') AS n, INDEX_COL('t', 1, 1) AS o, INDEX_COL('t', 1, 2) AS p
GO
--@ source: documentation TYPEPROPERTY
SELECT TYPEPROPERTY('int', 'Precision') AS a, TYPEPROPERTY('int', 'Scale') AS b, TYPEPROPERTY('int', 'AllowsNull') AS c, TYPEPROPERTY('varchar', 'Precision') AS d, TYPEPROPERTY('varchar', 'Scale') AS e, TYPEPROPERTY('decimal', 'Precision') AS f, TYPEPROPERTY('decimal', 'Scale') AS g, TYPEPROPERTY('sysname', 'AllowsNull') AS h, TYPEPROPERTY('sysname', 'Precision') AS i, TYPEPROPERTY('nothing', 'Precision') AS j, TYPEPROPERTY('int', 'nothing') AS k, TYPEPROPERTY('datetime', 'Precision') AS l, TYPEPROPERTY('datetime', 'Scale') AS m, TYPEPROPERTY('tinyint', 'UsesAnsiTrim') AS n, TYPEPROPERTY('varchar', 'UsesAnsiTrim') AS o, TYPEPROPERTY('money', 'Precision') AS q, TYPEPROPERTY('money', 'Scale') AS r, TYPEPROPERTY('float', 'Precision') AS s
SELECT TYPE_ID('int') AS a, TYPE_NAME(56) AS b, TYPE_ID('nothing') AS c, TYPE_NAME(NULL) AS d, TYPE_ID('sysname') AS e, TYPE_NAME(256) AS f, TYPE_ID('INT') AS i
SELECT name, system_type_id AS s, user_type_id AS u, schema_id AS sc, max_length AS l, precision AS p, scale, collation_name AS c, is_nullable AS n, is_user_defined AS ud, is_assembly_type AS a, is_table_type AS tt FROM sys.types ORDER BY user_type_id
GO
--@ source: documentation OBJECT_ID
SELECT CASE WHEN OBJECT_ID('t') = OBJECT_ID('dbo.t') THEN 1 END AS a, CASE WHEN OBJECT_ID('types_ddl..t') = OBJECT_ID('[dbo].[t]', 'U') THEN 1 END AS b, OBJECT_ID('t', 'V') AS c, OBJECT_ID('none') AS d, OBJECT_ID(NULL) AS e, OBJECT_ID('none.t') AS f, OBJECT_ID('nodb.dbo.t') AS g, OBJECT_NAME(OBJECT_ID('t')) AS h, OBJECT_NAME(OBJECT_ID('t'), DB_ID('types_ddl')) AS i, OBJECT_SCHEMA_NAME(OBJECT_ID('t')) AS j, OBJECT_NAME(NULL) AS k, OBJECT_NAME(-1) AS l, COL_NAME(OBJECT_ID('t'), 2) AS m, COL_NAME(OBJECT_ID('t'), 9) AS n, COL_LENGTH('dbo.t', 'b') AS o, COL_LENGTH('t', 'none') AS p, COL_LENGTH('none', 'a') AS q, OBJECT_DEFINITION(OBJECT_ID('t_ck')) AS r, OBJECT_DEFINITION(OBJECT_ID('t_df')) AS s, OBJECT_DEFINITION(OBJECT_ID('t')) AS t, CASE WHEN OBJECT_ID('t_pk', 'PK') IS NOT NULL THEN 1 END AS u, SCHEMA_ID() AS v, SCHEMA_ID('none') AS w, SCHEMA_NAME(4) AS x, SCHEMA_NAME(NULL) AS y, DB_ID('none') AS z
GO
--@ source: message 2714
CREATE TABLE t (a int)
PRINT 'behind'
GO
--@ source: message 2714
CREATE TABLE t_pk (a int)
GO
--@ source: message 2705
CREATE TABLE u (a int, A int)
GO
--@ source: message 2715
CREATE TABLE u (a nothing)
GO
--@ source: message 2716
CREATE TABLE u (a int(4))
GO
--@ source: message 2760
CREATE TABLE nowhere.u (a int)
GO
--@ source: message 2750
CREATE TABLE u (a decimal(39))
GO
--@ source: message 183
CREATE TABLE u (a decimal(5, 6))
GO
--@ source: message 131
CREATE TABLE u (a varchar(8001))
GO
--@ source: message 2717
CREATE TABLE u (a nvarchar(4001))
GO
--@ source: message 2744
CREATE TABLE u (a int IDENTITY, b int IDENTITY)
GO
--@ source: message 2749
CREATE TABLE u (a varchar(5) IDENTITY)
GO
--@ source: message 2749
CREATE TABLE u (a decimal(5, 2) IDENTITY)
GO
--@ source: message 8147
CREATE TABLE u (a int NULL IDENTITY)
GO
--@ source: message 1754
CREATE TABLE u (a int IDENTITY DEFAULT (1))
GO
--@ source: message 8111
CREATE TABLE u (a int NULL PRIMARY KEY)
GO
--@ source: documentation CREATE TABLE
CREATE TABLE u (a int CONSTRAINT u_pk PRIMARY KEY, b int CONSTRAINT u_uq UNIQUE CLUSTERED)
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('u') ORDER BY index_id
DROP TABLE u
GO
--@ source: message 8112
CREATE TABLE u (a int PRIMARY KEY CLUSTERED, b int UNIQUE CLUSTERED)
GO
--@ source: message 8141
CREATE TABLE u (a int CHECK (b > 0), b int)
GO
--@ source: message 207
CREATE TABLE u (a int, CHECK (nothing > 0))
GO
--@ source: message 128
CREATE TABLE u (a int DEFAULT (b), b int)
GO
--@ source: message 1046
CREATE TABLE u (a int CHECK (a IN (SELECT a FROM t)))
GO
--@ source: message 1767
CREATE TABLE u (a int CONSTRAINT u_fk REFERENCES none (a))
GO
--@ source: message 1770
CREATE TABLE u (a int CONSTRAINT u_fk REFERENCES t (none))
GO
--@ source: message 1776
CREATE TABLE u (a int CONSTRAINT u_fk REFERENCES t (d))
GO
--@ source: message 1778
CREATE TABLE u (a varchar(5) CONSTRAINT u_fk REFERENCES t (a))
GO
--@ source: message 8139
CREATE TABLE u (a int, b int, FOREIGN KEY (a, b) REFERENCES t (a))
GO
--@ source: message 102
CREATE TABLE u ()
GO
--@ source: message 102
CREATE TABLE u (a int b int)
GO
--@ source: message 1701
CREATE TABLE u (a char(8000), b char(100))
GO
--@ source: message 3701
DROP TABLE none
PRINT 'behind'
GO
--@ source: documentation DROP TABLE
DROP TABLE IF EXISTS none, none2
PRINT 'nothing said'
GO
--@ source: message 3705
CREATE TABLE dropme (a int)
GO
--@ source: message 3705
DROP VIEW dropme
GO
--@ source: message 3705
DROP PROCEDURE dropme
GO
--@ source: documentation DROP TABLE
CREATE TABLE child (a int REFERENCES t (a))
GO
--@ source: message 3726
DROP TABLE t
PRINT 'behind'
GO
--@ source: message 4701
TRUNCATE TABLE none
GO
--@ source: reasoned
DROP TABLE child
DROP TABLE t
SELECT COUNT(*) AS n FROM sys.objects WHERE is_ms_shipped = 0
GO
--@ source: reasoned
USE master
DROP DATABASE types_ddl
GO
