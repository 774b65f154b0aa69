-- What Respawn sends to empty a database between two tests.
--@ source: reasoned
CREATE DATABASE Reset
GO
--@ source: reasoned
USE Reset
EXEC ('CREATE SCHEMA sales')
CREATE TABLE dbo.customer (id int IDENTITY PRIMARY KEY, name nvarchar(50))
CREATE TABLE sales.orders (id int IDENTITY(100, 10) PRIMARY KEY, customer int NOT NULL CONSTRAINT fk_customer REFERENCES dbo.customer (id))
CREATE TABLE sales.tree (id int PRIMARY KEY, parent int NULL CONSTRAINT fk_parent REFERENCES sales.tree (id))
CREATE TABLE dbo.SchemaVersions (id int)
INSERT dbo.customer VALUES (N'a'), (N'b')
INSERT sales.orders VALUES (1), (2)
INSERT sales.tree VALUES (1, NULL), (2, 1)
INSERT dbo.SchemaVersions VALUES (1)
GO
--@ source: reasoned
SELECT compatibility_level FROM sys.databases WHERE name = N'Reset';
GO
--@ source: reasoned
select s.name, t.name, t.temporal_type
from sys.tables t
INNER JOIN sys.schemas s ON t.schema_id = s.schema_id
WHERE t.temporal_type = 2
GO
--@ source: reasoned
select s.name, t.name
from sys.tables t
INNER JOIN sys.schemas s ON t.schema_id = s.schema_id
WHERE 1=1 AND t.temporal_type <> 1 AND OBJECT_SCHEMA_NAME(t.object_id) + '.' + t.name NOT IN (N'dbo.SchemaVersions')
AND s.name NOT IN (N'guest') ORDER BY t.object_id
GO
--@ source: reasoned
select
   fk_schema.name, so_fk.name,
   pk_schema.name, so_pk.name,
   sfk.name
from
sys.foreign_keys sfk
	inner join sys.objects so_pk on sfk.referenced_object_id = so_pk.object_id
	inner join sys.schemas pk_schema on so_pk.schema_id = pk_schema.schema_id
	inner join sys.objects so_fk on sfk.parent_object_id = so_fk.object_id
	inner join sys.schemas fk_schema on so_fk.schema_id = fk_schema.schema_id
where 1=1
AND OBJECT_SCHEMA_NAME(so_pk.object_id) + '.' + so_pk.name NOT IN (N'dbo.SchemaVersions') ORDER BY sfk.name
GO
--@ source: documentation ALTER TABLE
ALTER TABLE [sales].[tree] NOCHECK CONSTRAINT ALL;
DELETE [sales].[orders];
DELETE [sales].[tree];
DELETE [dbo].[customer];
ALTER TABLE [sales].[tree] WITH CHECK CHECK CONSTRAINT ALL;
GO
--@ source: documentation DBCC CHECKIDENT
DECLARE @Schema sysname = N''
DECLARE @TableName sysname = N''
DECLARE IdentityTables CURSOR FAST_FORWARD FOR
SELECT OBJECT_SCHEMA_NAME(tables.object_id, db_id()) AS schemaName, tables.name As tableName
FROM sys.tables tables JOIN sys.identity_columns columns ON tables.object_id = columns.object_id
WHERE (OBJECT_SCHEMA_NAME(tables.object_id, db_id()) = N'dbo' AND tables.name IN (N'customer'))
OR (OBJECT_SCHEMA_NAME(tables.object_id, db_id()) = N'sales' AND tables.name IN (N'orders', N'tree'))
OPEN IdentityTables
FETCH NEXT FROM IdentityTables INTO @Schema, @TableName
WHILE @@FETCH_STATUS = 0
BEGIN
    DECLARE @ident bigint = IDENT_SEED(QUOTENAME(@Schema) + '.' + QUOTENAME(@TableName))
    DECLARE @qualified nvarchar(300) = QUOTENAME(@Schema) + '.' + QUOTENAME(@TableName)
    SET @ident = @ident - IDENT_INCR(@qualified)
    DBCC CHECKIDENT (@qualified, RESEED, @ident)
    FETCH NEXT FROM IdentityTables INTO @Schema, @TableName
END
DEALLOCATE IdentityTables
GO
--@ source: documentation DBCC CHECKIDENT
INSERT dbo.customer OUTPUT inserted.id VALUES (N'c')
INSERT sales.orders OUTPUT inserted.id SELECT id FROM dbo.customer
SELECT name, is_disabled, is_not_trusted FROM sys.foreign_keys ORDER BY name
SELECT COUNT(*) AS kept FROM dbo.SchemaVersions
GO
--@ source: reasoned
USE master
DROP DATABASE Reset
GO
