-- What triggers of databases and of the server are refused for, and what the catalogue tells of them.
--@ source: reasoned
CREATE DATABASE DdlRefusals
GO
--@ source: reasoned
USE DdlRefusals
CREATE LOGIN ddl_reader WITH PASSWORD = 'Str0ng!Pass'
CREATE USER ddl_reader
GO
--@ source: message 1084
CREATE TRIGGER t ON DATABASE FOR CREATE_TABEL AS RETURN
GO
--@ source: message 1098
CREATE TRIGGER t ON DATABASE FOR INSERT AS RETURN
GO
--@ source: message 1098
CREATE TRIGGER t ON DATABASE FOR CREATE_LOGIN AS RETURN
GO
--@ source: message 1098
CREATE TRIGGER t ON DATABASE FOR LOGON AS RETURN
GO
--@ source: message 1095
CREATE TRIGGER t ON DATABASE FOR CREATE_TABLE, create_table AS RETURN
GO
--@ source: message 1094
CREATE TRIGGER dbo.t ON DATABASE FOR CREATE_TABLE AS RETURN
GO
--@ source: message 1083
CREATE TRIGGER t ON DATABASE WITH EXECUTE AS OWNER FOR CREATE_TABLE AS RETURN
GO
--@ source: message 1083
CREATE TRIGGER t ON ALL SERVER WITH EXECUTE AS OWNER FOR CREATE_TABLE AS RETURN
GO
--@ source: message 15151
CREATE TRIGGER t ON ALL SERVER WITH EXECUTE AS 'nobody' FOR CREATE_TABLE AS RETURN
GO
--@ source: message 1097
CREATE TRIGGER t ON DATABASE FOR CREATE_TABLE AS IF UPDATE(a) RETURN
GO
--@ source: message 208
ALTER TRIGGER t ON DATABASE FOR CREATE_TABLE AS RETURN
GO
--@ source: message 3701
DROP TRIGGER t ON DATABASE
GO
--@ source: message 3701
DROP TRIGGER IF EXISTS t ON DATABASE
DROP TRIGGER t ON ALL SERVER
GO
--@ source: message 1088
DISABLE TRIGGER t ON DATABASE
GO
--@ source: reasoned
CREATE TRIGGER t ON ALL SERVER FOR LOGON AS RETURN
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER t ON DATABASE FOR CREATE_TABLE, DDL_VIEW_EVENTS AS PRINT 'made'
GO
--@ source: message 2714
CREATE TRIGGER T ON DATABASE FOR CREATE_TABLE AS RETURN
GO
--@ source: documentation sys.triggers
CREATE TABLE dbo.t (a int)
SELECT name, parent_class, parent_class_desc, parent_id, type, type_desc, is_disabled, is_not_for_replication, is_instead_of_trigger FROM sys.triggers
SELECT COUNT(*) AS objects FROM sys.objects WHERE type = 'TR'
SELECT OBJECT_ID('t', 'TR') AS id, OBJECT_NAME((SELECT object_id FROM sys.triggers WHERE name = 't')) AS name
GO
--@ source: documentation sys.trigger_events
SELECT TE.type, TE.type_desc, TE.is_first, TE.is_last, TE.event_group_type, TE.event_group_type_desc, TE.is_trigger_event
FROM sys.trigger_events AS TE JOIN sys.triggers AS T ON T.object_id = TE.object_id WHERE T.parent_class = 0 AND T.name = 't' ORDER BY TE.type
GO
--@ source: documentation sys.sql_modules
SELECT m.definition, m.uses_ansi_nulls, m.uses_quoted_identifier, m.execute_as_principal_id, OBJECT_DEFINITION(t.object_id) AS of_function
FROM sys.sql_modules AS m JOIN sys.triggers AS t ON t.object_id = m.object_id
GO
--@ source: documentation CREATE TRIGGER
CREATE OR ALTER TRIGGER t ON DATABASE WITH ENCRYPTION, EXECUTE AS 'ddl_reader' FOR CREATE_PROCEDURE AS PRINT CURRENT_USER
GO
--@ source: documentation CREATE TRIGGER
SELECT m.definition, USER_NAME(m.execute_as_principal_id) AS [as] FROM sys.sql_modules AS m
GO
--@ source: documentation CREATE TRIGGER
CREATE PROCEDURE dbo.p AS RETURN
GO
--@ source: documentation sys.trigger_event_types
SELECT COUNT(*) AS types FROM sys.trigger_event_types
SELECT type, type_name, parent_type FROM sys.trigger_event_types WHERE type IN (21, 296, 10001, 10016, 10018) ORDER BY type;
WITH below AS (SELECT type, type_name FROM sys.trigger_event_types WHERE type_name = 'DDL_TABLE_VIEW_EVENTS'
    UNION ALL SELECT e.type, e.type_name FROM sys.trigger_event_types AS e JOIN below AS b ON e.parent_type = b.type)
SELECT type, type_name FROM below ORDER BY type
GO
--@ source: documentation CREATE TRIGGER
EXECUTE AS USER = 'ddl_reader'
SELECT COUNT(*) AS seen FROM sys.triggers
REVERT
GO
--@ source: message 2104
EXECUTE AS USER = 'ddl_reader'
GO
--@ source: message 2104
CREATE TRIGGER own ON DATABASE FOR CREATE_TABLE AS RETURN
GO
--@ source: message 3701
DROP TRIGGER t ON DATABASE
GO
--@ source: message 2104
CREATE TRIGGER own ON ALL SERVER FOR CREATE_TABLE AS RETURN
GO
--@ source: documentation CREATE TRIGGER
REVERT
GRANT ALTER ANY DATABASE DDL TRIGGER TO ddl_reader
EXECUTE AS USER = 'ddl_reader'
SELECT COUNT(*) AS seen FROM sys.triggers;
DISABLE TRIGGER t ON DATABASE
DROP TRIGGER t ON DATABASE
REVERT
GO
--@ source: reasoned
DBCC CHECKCATALOG WITH NO_INFOMSGS
USE master
DROP DATABASE DdlRefusals
DROP LOGIN ddl_reader
GO
