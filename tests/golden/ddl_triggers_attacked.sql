-- Triggers of DDL and those who would use them: principals that go and come, chains of owners, databases that are dropped meanwhile.
--@ source: reasoned
CREATE DATABASE DdlAttacked
GO
--@ source: reasoned
USE DdlAttacked
GO
-- Whoever a trigger runs as stays.
--@ source: message 15136
CREATE USER ddl_as WITHOUT LOGIN
GO
--@ source: message 15136
CREATE TRIGGER runs_as ON DATABASE WITH EXECUTE AS 'ddl_as' FOR CREATE_TABLE AS RETURN
GO
--@ source: message 15136
DROP USER ddl_as
GO
--@ source: message 15136
DROP TRIGGER runs_as ON DATABASE
DROP USER ddl_as
SELECT USER_ID('ddl_as') AS gone
GO
--@ source: message 15186
CREATE LOGIN ddl_as WITH PASSWORD = 'Str0ng!Pass'
GO
--@ source: message 15186
CREATE TRIGGER runs_as ON ALL SERVER WITH EXECUTE AS 'ddl_as' FOR CREATE_TABLE AS RETURN
GO
--@ source: message 15186
DROP LOGIN ddl_as
GO
--@ source: message 15186
DROP TRIGGER runs_as ON ALL SERVER
DROP LOGIN ddl_as
SELECT SUSER_ID('ddl_as') AS gone
GO
-- A trigger is in no schema, and so in no chain of owners: it reads as whoever fires it.
--@ source: reasoned
CREATE TABLE dbo.secret (s int)
INSERT dbo.secret VALUES (42)
GO
--@ source: reasoned
CREATE USER low WITHOUT LOGIN
GRANT CREATE TABLE, ALTER ANY DATABASE DDL TRIGGER TO low
GO
--@ source: reasoned
CREATE SCHEMA lows AUTHORIZATION low
GO
--@ source: reasoned
EXECUTE AS USER = 'low'
GO
--@ source: reasoned
CREATE TRIGGER steal ON DATABASE FOR CREATE_TABLE AS SELECT s FROM dbo.secret
GO
--@ source: message 229
CREATE TABLE lows.bait (a int)
GO
--@ source: reasoned
WHILE @@TRANCOUNT > 0 ROLLBACK
REVERT
CREATE TABLE dbo.bait (a int)
DROP TRIGGER steal ON DATABASE
GO
-- The levels of a trigger of DDL are counted as such.
--@ source: documentation TRIGGER_NESTLEVEL
CREATE TRIGGER levels ON DATABASE FOR CREATE_TABLE AS
SELECT TRIGGER_NESTLEVEL(@@PROCID, 'AFTER', 'DDL') AS own, TRIGGER_NESTLEVEL(0, 'AFTER', 'DDL') AS ddl, TRIGGER_NESTLEVEL(0, 'AFTER', 'DML') AS dml,
    TRIGGER_NESTLEVEL(0, 'IOT', 'DDL') AS iot, TRIGGER_NESTLEVEL((SELECT object_id FROM sys.triggers WHERE name = 'levels'), 'AFTER', 'DDL') AS named
GO
--@ source: documentation TRIGGER_NESTLEVEL
CREATE TABLE dbo.of_level (a int)
GO
--@ source: documentation TRIGGER_NESTLEVEL
DROP TRIGGER levels ON DATABASE
GO
-- The owner of a database changes in that database, wherever it is said.
--@ source: reasoned
CREATE TRIGGER owners ON DATABASE FOR ALTER_AUTHORIZATION_DATABASE AS
PRINT EVENTDATA().value('(/EVENT_INSTANCE/DatabaseName)[1]', 'sysname')
GO
--@ source: reasoned
USE master
ALTER AUTHORIZATION ON DATABASE::DdlAttacked TO sa
GO
-- A database that its trigger has written to is in use.
--@ source: reasoned
CREATE TRIGGER writes ON ALL SERVER FOR DROP_DATABASE AS INSERT DdlAttacked.dbo.secret VALUES (1)
GO
--@ source: message 3702
DROP DATABASE DdlAttacked
GO
--@ source: message 3702
DROP TRIGGER writes ON ALL SERVER
SELECT COUNT(*) AS [rows] FROM DdlAttacked.dbo.secret
GO
-- Credentials have events, before they change.
--@ source: documentation DDL Events
CREATE TRIGGER credentials ON ALL SERVER FOR DDL_CREDENTIAL_EVENTS AS
PRINT EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'sysname') + ' ' + EVENTDATA().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname')
PRINT EVENTDATA().value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)')
IF EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'sysname') = 'DROP_CREDENTIAL' ROLLBACK
GO
--@ source: documentation DDL Events
CREATE CREDENTIAL of_events WITH IDENTITY = 'S3 Access Key', SECRET = 'key:secret'
GO
--@ source: documentation DDL Events
SET QUOTED_IDENTIFIER OFF
GO
--@ source: documentation DDL Events
ALTER CREDENTIAL of_events WITH IDENTITY = "S3 Access Key", SECRET /* a /* nested */ one */ = "key:secret"
GO
--@ source: documentation DDL Events
SET QUOTED_IDENTIFIER ON
GO
--@ source: documentation DDL Events
DROP CREDENTIAL of_events
GO
--@ source: documentation DDL Events
SELECT name FROM sys.credentials WHERE name = 'of_events'
DROP TRIGGER credentials ON ALL SERVER
DROP CREDENTIAL of_events
DROP DATABASE DdlAttacked
GO
