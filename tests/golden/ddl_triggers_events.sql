-- The events that statements and procedures raise.
--@ source: reasoned
CREATE DATABASE DdlEvents
GO
--@ source: reasoned
USE DdlEvents
CREATE TABLE dbo.seen (n int IDENTITY PRIMARY KEY, event nvarchar(64), [schema] sysname NULL, [object] sysname NULL, [type] nvarchar(64) NULL, target sysname NULL)
GO
--@ source: documentation ddl-events
CREATE TRIGGER sees ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS
AS
SET NOCOUNT ON
DECLARE @e xml = EVENTDATA()
INSERT dbo.seen SELECT @e.value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)'), @e.value('(/EVENT_INSTANCE/SchemaName)[1]', 'sysname'),
    @e.value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname'), @e.value('(/EVENT_INSTANCE/ObjectType)[1]', 'nvarchar(64)'),
    @e.value('(/EVENT_INSTANCE/TargetObjectName)[1]', 'sysname')
GO
--@ source: documentation ddl-events
CREATE TABLE dbo.a (id int NOT NULL PRIMARY KEY, b int)
ALTER TABLE dbo.a ADD c int
CREATE INDEX ib ON dbo.a (b)
ALTER INDEX ib ON dbo.a REBUILD
CREATE STATISTICS st ON dbo.a (c)
UPDATE STATISTICS dbo.a
DROP STATISTICS dbo.a.st
DROP INDEX ib ON dbo.a
GO
--@ source: documentation ddl-events
CREATE VIEW dbo.v AS SELECT id FROM dbo.a
GO
--@ source: documentation ddl-events
ALTER VIEW dbo.v AS SELECT b FROM dbo.a
GO
--@ source: documentation ddl-events
CREATE OR ALTER PROCEDURE dbo.p AS RETURN
GO
--@ source: documentation ddl-events
CREATE OR ALTER PROCEDURE dbo.p AS RETURN 1
GO
--@ source: documentation ddl-events
CREATE FUNCTION dbo.f (@a int) RETURNS int AS BEGIN RETURN @a END
GO
--@ source: documentation ddl-events
CREATE TRIGGER dbo.of_a ON dbo.a FOR INSERT AS RETURN
GO
--@ source: documentation ddl-events
ALTER TRIGGER dbo.of_a ON dbo.a FOR INSERT AS RETURN
GO
--@ source: documentation ddl-events
CREATE SCHEMA s CREATE TABLE within (a int)
GO
--@ source: documentation ddl-events
EXEC sp_settriggerorder 'dbo.of_a', 'First', 'INSERT'
DROP TRIGGER dbo.of_a
ALTER SCHEMA s TRANSFER dbo.v
DROP VIEW s.v
DROP PROCEDURE dbo.p
DROP FUNCTION dbo.f
DROP TABLE s.within
DROP SCHEMA s
CREATE TYPE dbo.ty FROM int
EXEC sp_addtype 'old', 'int'
DROP TYPE dbo.ty
CREATE SEQUENCE dbo.q
ALTER SEQUENCE dbo.q INCREMENT BY 2
DROP SEQUENCE dbo.q
CREATE SYNONYM dbo.sy FOR dbo.a
DROP SYNONYM dbo.sy
CREATE USER u WITHOUT LOGIN
ALTER USER u WITH DEFAULT_SCHEMA = dbo
CREATE ROLE r
ALTER ROLE r ADD MEMBER u
EXEC sp_droprolemember 'r', 'u'
ALTER ROLE r WITH NAME = r2
GRANT SELECT ON dbo.a TO r2
DENY UPDATE ON dbo.a TO r2
REVOKE SELECT ON dbo.a FROM r2
GRANT CREATE TABLE TO r2
ALTER AUTHORIZATION ON dbo.a TO r2
DROP ROLE IF EXISTS nobody
ALTER AUTHORIZATION ON dbo.a TO SCHEMA OWNER
DROP ROLE r2
DROP USER u
CREATE APPLICATION ROLE ar WITH PASSWORD = 'Str0ng!Pass'
DROP APPLICATION ROLE ar
EXEC sp_rename 'dbo.a.b', 'b2', 'COLUMN'
EXEC sp_rename 'dbo.a', 'a2'
EXEC sp_addextendedproperty 'note', 'text', 'SCHEMA', 'dbo', 'TABLE', 'a2', 'COLUMN', 'b2'
EXEC sp_updateextendedproperty 'note', 'other', 'SCHEMA', 'dbo', 'TABLE', 'a2', 'COLUMN', 'b2'
EXEC sp_dropextendedproperty 'note', 'SCHEMA', 'dbo', 'TABLE', 'a2', 'COLUMN', 'b2'
CREATE TABLE dbo.x (a int) CREATE TABLE dbo.y (a int)
DROP TABLE dbo.x, dbo.y
GO
--@ source: documentation ddl-events
SELECT event, [schema], [object], [type], target FROM dbo.seen ORDER BY n
GO
--@ source: documentation ddl-event-groups
CREATE TRIGGER of_groups ON DATABASE FOR DDL_INDEX_EVENTS, DDL_USER_EVENTS, DROP_INDEX
AS
PRINT EVENTDATA().value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)')
GO
--@ source: documentation ddl-event-groups
CREATE TABLE dbo.t (a int)
-- before
CREATE INDEX i ON dbo.t (a) ;
DROP INDEX i ON dbo.t; -- behind
CREATE USER w WITHOUT LOGIN ; -- up to the next one
DROP USER w
GO
--@ source: reasoned
EXEC sp_rename 'dbo.t', 'u'
SELECT TOP 1 event, [object] FROM dbo.seen ORDER BY n DESC
GO
--@ source: reasoned
USE master
DROP DATABASE DdlEvents
GO
