-- Procedures of the catalogue without what they need, types as they number them, names that are no patterns; sp_recompile and its like.
--@ source: reasoned
CREATE DATABASE asked
GO
--@ source: reasoned
USE asked
SET NOCOUNT ON
CREATE TABLE dbo.asked_of (a bigint NOT NULL, b bigint NULL, c int NOT NULL, d int NULL, e bit NOT NULL, f bit NULL, g money NOT NULL, h money NULL, i smallmoney NULL, j float NOT NULL, k float NULL, l real NOT NULL,
    m real NULL, n datetime NOT NULL, o datetime NULL, p smalldatetime NOT NULL, q decimal(9, 2) NOT NULL, r decimal(9, 2) NULL, s numeric(9, 2) NOT NULL, t numeric(9, 2) NULL, u char(3) NOT NULL, v char(3) NULL,
    w nvarchar(max) NULL, x xml NULL, y binary(2) NOT NULL, z varbinary(2) NOT NULL, aa date NULL, ab datetime2 NOT NULL, ac text NULL, ad image NULL, ae uniqueidentifier NOT NULL, af sql_variant NULL, ag tinyint NULL, ah smallint NOT NULL)
CREATE TABLE dbo.askedXof (a int NULL)
GO
--@ source: message 201
EXEC sp_columns
GO
--@ source: message 201
EXEC sp_columns_100 @table_owner = 'dbo'
GO
--@ source: message 201
EXEC sp_columns_90 DEFAULT
GO
--@ source: message 201
EXEC sp_pkeys
GO
--@ source: message 201
EXEC sp_special_columns
GO
--@ source: message 201
EXEC sp_statistics
GO
--@ source: message 201
EXEC sp_table_privileges
GO
--@ source: message 201
EXEC sp_column_privileges
GO
--@ source: message 201
EXEC sp_columns_ex
GO
--@ source: message 201
EXEC sp_tablecollations_100
GO
--@ source: message 201
EXEC sp_procedure_params_rowset
GO
--@ source: message 201
EXEC sp_helpindex
GO
--@ source: message 201
EXEC sp_helptext
GO
--@ source: message 201
EXEC sp_helpconstraint
GO
--@ source: message 201
EXEC sp_refreshview
GO
--@ source: message 201
EXEC sp_recompile
GO
--@ source: message 201
EXEC sp_rename 'asked_of'
GO
--@ source: message 201
EXEC sp_describe_first_result_set
GO
--@ source: message 201
EXEC sp_describe_undeclared_parameters @params = N''
GO
--@ source: message 201
EXEC sp_getapplock 'name'
GO
--@ source: message 201
EXEC sp_releaseapplock
GO
--@ source: message 201
EXEC sp_set_session_context N'k'
GO
--@ source: message 201
EXEC sp_addextendedproperty
GO
--@ source: message 201
EXEC sp_user_counter3
GO
--@ source: message 15252
EXEC sp_fkeys
GO
--@ source: message 15009
EXEC sp_helpindex NULL
GO
--@ source: documentation sp_columns
-- SS_DATA_TYPE tells how a value is sent: most types that may be NULL have a number of their own.
CREATE TABLE #shown (qualifier sysname NULL, owner sysname NULL, name sysname NULL, col sysname NULL, data_type smallint NULL, type_name sysname NULL, prec int NULL, len int NULL, scale smallint NULL, radix smallint NULL, nullable smallint NULL,
    remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint NULL, sub smallint NULL, octets int NULL, ordinal int NULL, is_nullable varchar(254) NULL, ss tinyint NULL)
INSERT #shown EXEC sp_columns 'asked_of'
SELECT col, type_name, nullable, ss FROM #shown WHERE name = 'asked_of' ORDER BY ordinal
SELECT COUNT(*) AS different FROM #shown AS s JOIN syscolumns AS c ON c.id = OBJECT_ID(s.name) AND c.name = s.col AND c.type <> s.ss
SELECT name, xtype, xusertype, type, usertype, prec, scale, isnullable, status FROM syscolumns WHERE id = OBJECT_ID('asked_of') AND name IN ('a', 'd', 'h', 'u', 'w', 'ae', 'ac') ORDER BY colid
SELECT name, type, usertype, prec, scale, allownulls FROM systypes WHERE name IN ('int', 'sysname', 'date', 'xml', 'numeric', 'uniqueidentifier', 'text') ORDER BY name
GO
--@ source: documentation sp_columns
-- The underscore is a wildcard, unless @fUsePattern is 0.
TRUNCATE TABLE #shown
INSERT #shown EXEC sp_columns 'asked_of', @column_name = 'a'
SELECT name FROM #shown ORDER BY name
TRUNCATE TABLE #shown
INSERT #shown EXEC sp_columns 'asked_of', @column_name = 'a', @fUsePattern = 0
SELECT name FROM #shown ORDER BY name
-- The system's views have columns, too.
TRUNCATE TABLE #shown
INSERT #shown EXEC sp_columns 'schemas', 'sys'
SELECT owner, name, col, nullable, ss FROM #shown ORDER BY ordinal
EXEC sp_tables 'asked_of', @fUsePattern = 0
EXEC sp_tableswc 'asked_of', @fUsePattern = 0, @fTableCreated = 1
DROP TABLE #shown
GO
--@ source: reasoned
CREATE PROCEDURE dbo.asked_p @a int, @b money AS RETURN 1
GO
--@ source: documentation sp_sproc_columns
CREATE TABLE #params (qualifier sysname NULL, owner sysname NULL, name nvarchar(134) NULL, col sysname NULL, kind smallint NULL, data_type smallint NULL, type_name sysname NULL, prec int NULL, len int NULL, scale smallint NULL, radix smallint NULL,
    nullable smallint NULL, remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint NULL, sub smallint NULL, octets int NULL, ordinal int NULL, is_nullable varchar(254) NULL, ss tinyint NULL)
INSERT #params EXEC sp_sproc_columns 'asked_p'
SELECT col, type_name, ss FROM #params ORDER BY ordinal
SELECT name, number, isoutparam, isnullable, type FROM syscolumns WHERE id = OBJECT_ID('asked_p') ORDER BY colid
DROP TABLE #params
GO
--@ source: documentation sp_recompile
EXEC sp_recompile 'dbo.asked_p'
EXEC sp_recompile N'asked_of'
EXEC sp_removedbreplication
EXEC sp_removedbreplication 'asked', 'merge'
GO
--@ source: message 15165
EXEC sp_recompile 'nothing_there'
GO
--@ source: message 15600
EXEC sp_removedbreplication 'asked', 'other'
GO
--@ source: documentation sp_addrole
EXEC sp_addrole 'old'
GO
--@ source: documentation sp_executesql
-- A parameter that is declared with a default need not be given.
EXEC sp_executesql N'SELECT @a AS a, @b AS b', N'@a int = 5, @b varchar(10) = ''x''', @b = 'y'
EXEC sp_executesql N'SELECT @a AS a', N'@a int = 5', DEFAULT
EXEC sp_executesql N'SELECT @s AS s', N'@s sysname = @@SERVICENAME'
GO
--@ source: message 8178
EXEC sp_executesql N'SELECT @a', N'@a int, @b int = 1'
GO
--@ source: reasoned
SELECT msdb.dbo.agent_datetime(20240506, 70809) AS at, msdb.dbo.agent_datetime(NULL, 0) AS none
GO
--@ source: message 242
SELECT msdb.dbo.agent_datetime(20241350, 0)
GO
--@ source: message 195
SELECT agent_datetime(20240506, 0)
GO
--@ source: message 4121
SELECT dbo.agent_datetime(20240506, 0)
GO
--@ source: reasoned
USE master
DROP DATABASE asked
GO
