-- What a trigger of a database undoes, who it runs as, and how deep it goes.
--@ source: reasoned
CREATE DATABASE DdlUndone
GO
--@ source: reasoned
USE DdlUndone
CREATE TABLE dbo.told (event nvarchar(64), who sysname)
CREATE TABLE dbo.t (a int)
CREATE LOGIN ddl_plain WITH PASSWORD = 'Str0ng!Pass'
CREATE USER ddl_plain
ALTER ROLE db_ddladmin ADD MEMBER ddl_plain
GRANT INSERT ON dbo.told TO ddl_plain
GO
--@ source: documentation EXECUTE AS Clause
CREATE TRIGGER tells ON DATABASE FOR DDL_TABLE_EVENTS, DDL_TRIGGER_EVENTS AS SET NOCOUNT ON INSERT dbo.told VALUES (EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)'), USER_NAME())
GO
--@ source: documentation EXECUTE AS Clause
EXECUTE AS USER = 'ddl_plain'
CREATE TABLE dbo.of_plain (a int)
REVERT
SELECT event, who FROM dbo.told
GO
--@ source: reasoned
ALTER TRIGGER tells ON DATABASE FOR DDL_TABLE_EVENTS, DDL_TRIGGER_EVENTS AS SET NOCOUNT ON INSERT dbo.told VALUES ('anew: ' + EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)'), USER_NAME())
GO
--@ source: reasoned
SELECT event, who FROM dbo.told
DROP TRIGGER tells ON DATABASE
SELECT COUNT(*) AS told FROM dbo.told
GO
--@ source: documentation ddl-events
CREATE TRIGGER refuses ON DATABASE FOR RENAME, GRANT_DATABASE, CREATE_SCHEMA, CREATE_PROCEDURE, CREATE_USER, CREATE_INDEX, DROP_TRIGGER, CREATE_TYPE
AS ROLLBACK
GO
--@ source: message 3609
EXEC sp_rename 'dbo.t', 'other'
GO
--@ source: message 3609
GRANT SELECT ON dbo.t TO ddl_plain
GO
--@ source: message 3609
CREATE SCHEMA s CREATE TABLE within (a int)
GO
--@ source: message 3609
CREATE PROCEDURE dbo.p AS RETURN
GO
--@ source: message 3609
CREATE USER u WITHOUT LOGIN
GO
--@ source: message 3609
CREATE INDEX i ON dbo.t (a)
GO
--@ source: message 3609
CREATE TYPE dbo.ty FROM int
GO
--@ source: reasoned
CREATE TRIGGER beside ON DATABASE FOR DROP_VIEW AS RETURN
GO
--@ source: message 3609
DROP TRIGGER beside ON DATABASE
GO
--@ source: reasoned
SELECT OBJECT_ID('dbo.other') AS other, OBJECT_ID('dbo.p') AS p, SCHEMA_ID('s') AS s, OBJECT_ID('s.within') AS within, USER_ID('u') AS u, TYPE_ID('dbo.ty') AS ty,
    INDEXPROPERTY(OBJECT_ID('dbo.t'), 'i', 'IndexID') AS i, (SELECT COUNT(*) FROM sys.database_permissions WHERE major_id = OBJECT_ID('dbo.t')) AS granted
SELECT name FROM sys.triggers ORDER BY name;
DISABLE TRIGGER ALL ON DATABASE
GO
--@ source: reasoned
DROP TRIGGER refuses, beside ON DATABASE
GO
--@ source: documentation TRIGGER_NESTLEVEL
CREATE TRIGGER of_tables ON DATABASE FOR CREATE_TABLE AS PRINT CONCAT('table at level ', TRIGGER_NESTLEVEL()) IF OBJECT_ID('dbo.v') IS NULL EXEC ('CREATE VIEW dbo.v AS SELECT 1 AS one')
GO
--@ source: documentation TRIGGER_NESTLEVEL
CREATE TRIGGER of_views ON DATABASE FOR CREATE_VIEW AS PRINT CONCAT('view at level ', TRIGGER_NESTLEVEL()) CREATE TABLE dbo.deep (a int)
GO
--@ source: documentation TRIGGER_NESTLEVEL
CREATE TABLE dbo.begins (a int)
GO
--@ source: reasoned
SELECT name FROM sys.tables WHERE name IN ('begins', 'deep') ORDER BY name
DROP TRIGGER of_views ON DATABASE
GO
--@ source: documentation CREATE TRIGGER
ALTER DATABASE DdlUndone SET RECURSIVE_TRIGGERS ON
GO
--@ source: documentation CREATE TRIGGER
ALTER TRIGGER of_tables ON DATABASE FOR CREATE_TABLE AS DECLARE @n varchar(10) = TRIGGER_NESTLEVEL() IF @n < 3 EXEC ('CREATE TABLE dbo.level' + @n + ' (a int)')
GO
--@ source: documentation CREATE TRIGGER
CREATE TABLE dbo.recursive (a int)
GO
--@ source: documentation CREATE TRIGGER
SELECT name FROM sys.tables WHERE name LIKE 'level%' ORDER BY name
DROP TRIGGER of_tables ON DATABASE
GO
--@ source: reasoned
CREATE TRIGGER commits ON DATABASE FOR DROP_TABLE AS COMMIT
GO
--@ source: message 3609
DROP TABLE dbo.begins
GO
--@ source: reasoned
SELECT OBJECT_ID('dbo.begins') AS gone
DROP TRIGGER commits ON DATABASE
GO
--@ source: reasoned
CREATE TRIGGER goes_on ON DATABASE FOR CREATE_SYNONYM AS ROLLBACK INSERT dbo.told VALUES ('after the rollback', USER_NAME())
GO
--@ source: message 3609
CREATE SYNONYM dbo.sy FOR dbo.t
GO
--@ source: reasoned
SELECT event FROM dbo.told WHERE event LIKE 'after%'
SELECT COUNT(*) AS synonyms FROM sys.synonyms
GO
--@ source: reasoned
USE master
CREATE TABLE master.dbo.ddl_told (event nvarchar(64))
GO
--@ source: reasoned
CREATE TRIGGER ddl_in_master ON ALL SERVER FOR CREATE_TABLE, CREATE_LOGIN AS SET NOCOUNT ON INSERT dbo.ddl_told VALUES (EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)'))
GO
--@ source: reasoned
CREATE LOGIN ddl_told WITH PASSWORD = 'Str0ng!Pass'
SELECT event FROM dbo.ddl_told
GO
--@ source: message 40510
CREATE TABLE DdlUndone.dbo.elsewhere (a int)
GO
--@ source: reasoned
DROP TRIGGER ddl_in_master ON ALL SERVER
DROP LOGIN ddl_told
DROP TABLE dbo.ddl_told
DROP DATABASE DdlUndone
DROP LOGIN ddl_plain
GO
