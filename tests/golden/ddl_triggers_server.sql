-- Triggers of the server.
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER ddl_trig_database ON ALL SERVER FOR CREATE_DATABASE
AS
    PRINT 'Database Created.'
    SELECT EVENTDATA().value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]','nvarchar(max)')
GO
--@ source: documentation CREATE TRIGGER
CREATE DATABASE DdlOfServer
GO
--@ source: reasoned
ALTER TRIGGER ddl_trig_database ON ALL SERVER FOR CREATE_DATABASE, DROP_DATABASE
AS
    PRINT EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(max)') + ' of ' + EVENTDATA().value('(/EVENT_INSTANCE/DatabaseName)[1]', 'nvarchar(max)')
    ROLLBACK
GO
--@ source: message 3609
CREATE DATABASE DdlRefused
GO
--@ source: message 3609
DROP DATABASE DdlOfServer
GO
--@ source: reasoned
SELECT name FROM sys.databases WHERE name IN ('DdlRefused', 'DdlOfServer')
DROP TRIGGER ddl_trig_database ON ALL SERVER
GO
--@ source: documentation ddl-event-groups
CREATE TRIGGER of_security ON ALL SERVER FOR DDL_SERVER_SECURITY_EVENTS
AS
SELECT EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)') AS event, EVENTDATA().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') AS [object],
    EVENTDATA().value('(/EVENT_INSTANCE/ObjectType)[1]', 'nvarchar(64)') AS [type], EVENTDATA().value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)') AS command
GO
--@ source: documentation EVENTDATA
CREATE LOGIN ddl_login WITH PASSWORD = 'Str0ng!Pass'
ALTER LOGIN ddl_login WITH DEFAULT_DATABASE = tempdb
CREATE SERVER ROLE ddl_role
ALTER SERVER ROLE ddl_role ADD MEMBER ddl_login
GRANT VIEW SERVER STATE TO ddl_login
ALTER SERVER ROLE ddl_role DROP MEMBER ddl_login
DROP SERVER ROLE ddl_role
GO
--@ source: documentation DROP TRIGGER
DROP TRIGGER of_security ON ALL SERVER
GO
--@ source: documentation sp_settriggerorder
CREATE TRIGGER everywhere ON ALL SERVER FOR DDL_TABLE_EVENTS AS PRINT 'server ' + DB_NAME() + ' ' + EVENTDATA().value('(/EVENT_INSTANCE/DatabaseName)[1]', 'sysname')
GO
--@ source: documentation sp_settriggerorder
CREATE TRIGGER second ON ALL SERVER FOR CREATE_TABLE AS PRINT 'server, first'
GO
--@ source: documentation sp_settriggerorder
USE DdlOfServer
EXEC sp_settriggerorder @triggername = 'second', @order = 'First', @stmttype = 'CREATE_TABLE', @namespace = 'SERVER'
GO
--@ source: documentation sp_settriggerorder
CREATE TRIGGER here ON DATABASE FOR CREATE_TABLE AS PRINT 'database, last'
GO
--@ source: documentation sp_settriggerorder
CREATE TRIGGER here_too ON DATABASE FOR CREATE_TABLE AS PRINT 'database, first'
GO
--@ source: documentation sp_settriggerorder
EXEC sp_settriggerorder 'here', 'Last', 'CREATE_TABLE', 'DATABASE'
EXEC sp_settriggerorder 'here_too', 'First', 'CREATE_TABLE', 'DATABASE'
CREATE TABLE dbo.t (a int)
GO
--@ source: message 15130
EXEC sp_settriggerorder 'here', 'First', 'CREATE_TABLE', 'DATABASE'
GO
--@ source: message 15125
EXEC sp_settriggerorder 'here', 'First', 'DROP_TABLE', 'DATABASE'
GO
--@ source: message 15165
EXEC sp_settriggerorder 'here', 'First', 'CREATE_TABLE', 'SERVER'
GO
--@ source: documentation sys.server_trigger_events
SELECT t.name, e.type, e.type_desc, e.event_group_type, e.event_group_type_desc, e.is_first, e.is_last
FROM sys.server_triggers AS t JOIN sys.server_trigger_events AS e ON e.object_id = t.object_id ORDER BY t.name, e.type
GO
--@ source: documentation sys.server_triggers
SELECT name, parent_class, parent_class_desc, parent_id, type, type_desc, is_ms_shipped, is_disabled FROM sys.server_triggers ORDER BY name
SELECT m.definition, m.uses_ansi_nulls, m.uses_quoted_identifier, m.execute_as_principal_id
FROM sys.server_triggers AS t JOIN sys.server_sql_modules AS m ON m.object_id = t.object_id ORDER BY t.name
SELECT COUNT(*) AS in_the_database FROM sys.triggers WHERE name IN ('everywhere', 'second')
GO
--@ source: documentation DISABLE TRIGGER
DISABLE TRIGGER ALL ON ALL SERVER
DISABLE TRIGGER here, here_too ON DATABASE
CREATE TABLE dbo.u (a int)
SELECT name, is_disabled FROM sys.server_triggers ORDER BY name
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
ENABLE TRIGGER second ON ALL SERVER
CREATE TABLE dbo.w (a int)
GO
--@ source: documentation EXECUTE AS Clause
CREATE TRIGGER as_login ON ALL SERVER WITH EXECUTE AS 'ddl_login' FOR CREATE_VIEW AS PRINT SUSER_SNAME() + ' for ' + ORIGINAL_LOGIN()
GO
--@ source: documentation EXECUTE AS Clause
CREATE VIEW dbo.v AS SELECT 1 AS one
GO
--@ source: reasoned
USE master
DROP TRIGGER everywhere, second, as_login ON ALL SERVER
DROP LOGIN ddl_login
DROP DATABASE DdlOfServer
SELECT COUNT(*) AS triggers FROM sys.server_triggers
GO
