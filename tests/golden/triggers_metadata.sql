-- What the catalogue tells of triggers.
--@ source: reasoned
CREATE DATABASE TriggersMetadata
GO
--@ source: reasoned
USE TriggersMetadata
CREATE TABLE dbo.t (id int PRIMARY KEY, a int)
GO
--@ source: reasoned
CREATE SCHEMA s
GO
--@ source: reasoned
CREATE TABLE s.t (id int)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_after ON dbo.t AFTER INSERT, UPDATE NOT FOR REPLICATION AS PRINT 'after'
GO
--@ source: documentation CREATE TRIGGER
CREATE OR ALTER TRIGGER dbo.t_instead ON dbo.t WITH EXECUTE AS OWNER INSTEAD OF DELETE AS PRINT 'instead'
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER t_in_s ON s.t FOR DELETE AS PRINT 's'
GO
--@ source: documentation sys.triggers
SELECT name, parent_class, parent_class_desc, OBJECT_NAME(parent_id) AS parent, type, type_desc, is_ms_shipped, is_disabled, is_not_for_replication,
    is_instead_of_trigger FROM sys.triggers ORDER BY name
SELECT o.name, SCHEMA_NAME(o.schema_id) AS [schema], o.type, o.type_desc, OBJECT_NAME(o.parent_object_id) AS parent
FROM sys.objects AS o WHERE o.type = 'TR' ORDER BY o.name
GO
--@ source: documentation sys.trigger_events
EXEC sp_settriggerorder @triggername = 'dbo.t_after', @order = 'first', @stmttype = 'UPDATE'
SELECT OBJECT_NAME(object_id) AS name, type, type_desc, is_first, is_last, event_group_type, is_trigger_event FROM sys.trigger_events ORDER BY 1, 2
GO
--@ source: documentation sys.sql_modules
SELECT OBJECT_NAME(object_id) AS name, definition, uses_ansi_nulls, uses_quoted_identifier, execute_as_principal_id FROM sys.sql_modules ORDER BY 1
SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.t_after', 'TR')) AS definition, OBJECT_ID('dbo.t_after', 'P') AS no_procedure, OBJECT_ID('s.t_in_s') - OBJECT_ID('s.t_in_s', 'TR') AS same
EXEC sp_helptext 'dbo.t_after'
EXEC sp_helptrigger 'dbo.t'
EXEC sp_helptrigger 'dbo.t', 'DELETE'
GO
--@ source: documentation OBJECTPROPERTY
SELECT p AS property, OBJECTPROPERTY(OBJECT_ID('dbo.t_after'), p) AS t_after, OBJECTPROPERTY(OBJECT_ID('dbo.t_instead'), p) AS t_instead,
    OBJECTPROPERTY(OBJECT_ID('dbo.t'), p) AS t, OBJECTPROPERTY(OBJECT_ID('s.t'), p) AS s_t
FROM (VALUES ('IsTrigger'), ('ExecIsAfterTrigger'), ('ExecIsInsteadOfTrigger'), ('ExecIsInsertTrigger'), ('ExecIsUpdateTrigger'), ('ExecIsDeleteTrigger'),
    ('ExecIsFirstUpdateTrigger'), ('ExecIsFirstInsertTrigger'), ('ExecIsLastUpdateTrigger'), ('ExecIsTriggerDisabled'), ('ExecIsTriggerNotForRepl'),
    ('HasAfterTrigger'), ('HasInsteadOfTrigger'), ('HasInsertTrigger'), ('HasUpdateTrigger'), ('HasDeleteTrigger'), ('TableHasDeleteTrigger'),
    ('TableInsertTriggerCount'), ('TableDeleteTriggerCount'), ('ExecIsAnsiNullsOn')) AS v (p)
SELECT CASE WHEN OBJECTPROPERTY(OBJECT_ID('dbo.t'), 'TableUpdateTrigger') = OBJECT_ID('dbo.t_after') THEN 'its id' END AS first
GO
--@ source: documentation sp_settriggerorder
CREATE TRIGGER dbo.t_second ON dbo.t AFTER UPDATE AS PRINT 'second'
GO
--@ source: message 15130
EXEC sp_settriggerorder 'dbo.t_second', 'First', 'UPDATE'
GO
--@ source: message 15125
EXEC sp_settriggerorder 'dbo.t_second', 'First', 'INSERT'
GO
--@ source: message 15133
EXEC sp_settriggerorder 'dbo.t_instead', 'First', 'DELETE'
GO
--@ source: message 15165
EXEC sp_settriggerorder 'dbo.nothing', 'First', 'DELETE'
GO
--@ source: message 15600
EXEC sp_settriggerorder 'dbo.t_second', 'Middle', 'UPDATE'
GO
-- Disabled, renamed, altered.
--@ source: documentation sp_rename
DISABLE TRIGGER ALL ON dbo.t
EXEC sp_rename 'dbo.t_second', 't_renamed'
SELECT name, is_disabled FROM sys.triggers WHERE parent_id = OBJECT_ID('dbo.t') ORDER BY name
ENABLE TRIGGER ALL ON dbo.t
UPDATE dbo.t SET a = 1
GO
--@ source: message 2111
CREATE TRIGGER dbo.t_another ON dbo.t INSTEAD OF UPDATE, DELETE AS PRINT 'x'
GO
--@ source: message 2113
CREATE TABLE dbo.c (id int REFERENCES dbo.t ON DELETE CASCADE)
GO
--@ source: message 2113
CREATE TRIGGER dbo.c_instead ON dbo.c INSTEAD OF DELETE AS PRINT 'x'
GO
--@ source: message 1787
CREATE TABLE dbo.d (id int)
GO
--@ source: message 1787
CREATE TRIGGER dbo.d_instead ON dbo.d INSTEAD OF DELETE AS PRINT 'x'
GO
--@ source: message 1787
ALTER TABLE dbo.d ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES dbo.t ON DELETE CASCADE
GO
-- A table that goes takes its triggers along; so does the end of the transaction that made one.
--@ source: documentation DROP TABLE
DROP TABLE dbo.c, dbo.d
DROP TABLE dbo.t
SELECT name FROM sys.triggers
BEGIN TRANSACTION
DROP TRIGGER s.t_in_s
SELECT COUNT(*) AS none FROM sys.triggers
DELETE s.t
ROLLBACK
DELETE s.t
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersMetadata
