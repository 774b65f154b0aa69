-- What triggers name, sequences in defaults, and sp_refreshsqlmodule of a trigger.
--@ source: reasoned
CREATE DATABASE TriggersDependencies
GO
--@ source: reasoned
USE TriggersDependencies
CREATE SEQUENCE dbo.s AS int START WITH 1
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT id_of_t DEFAULT NEXT VALUE FOR dbo.s, a int NULL)
CREATE TABLE dbo.audit (id int, what varchar(10))
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tell AS RETURN
GO
--@ source: documentation sys.sql_expression_dependencies
CREATE TRIGGER dbo.t_put ON dbo.t AFTER INSERT, UPDATE AS
INSERT dbo.audit (id, what) SELECT id, 'put' FROM inserted
IF EXISTS (SELECT * FROM deleted) EXEC dbo.tell
UPDATE dbo.nowhere SET a = 1
GO
--@ source: documentation sys.sql_expression_dependencies
SELECT OBJECT_NAME(referencing_id) AS referencing, referencing_class_desc, referenced_schema_name AS [schema], referenced_entity_name AS entity,
    OBJECT_NAME(referenced_id) AS found, is_schema_bound_reference AS bound
FROM sys.sql_expression_dependencies ORDER BY 1, 4
GO
--@ source: documentation sys.dm_sql_referencing_entities
SELECT referencing_entity_name FROM sys.dm_sql_referencing_entities('dbo.audit', 'OBJECT')
SELECT referencing_entity_name FROM sys.dm_sql_referencing_entities('dbo.s', 'OBJECT')
GO
--@ source: documentation sp_depends
EXEC sp_depends N'dbo.audit'
GO
-- The sequence is kept by the default.
--@ source: message 3729
DROP SEQUENCE dbo.s
GO
--@ source: reasoned
ALTER TRIGGER dbo.t_put ON dbo.t AFTER INSERT AS
INSERT dbo.audit (id, what) SELECT id, 'put' FROM inserted
GO
--@ source: documentation sys.dm_sql_referenced_entities
SELECT referenced_entity_name AS entity, referenced_minor_name AS [column], is_selected, is_updated, is_insert_all FROM sys.dm_sql_referenced_entities('dbo.t_put', 'OBJECT')
GO
-- A trigger stays as it was: enabled or not, first or not.
--@ source: documentation sp_refreshsqlmodule
EXEC sp_settriggerorder N'dbo.t_put', N'First', N'INSERT'
DISABLE TRIGGER dbo.t_put ON dbo.t
EXEC sp_refreshsqlmodule N'dbo.t_put'
SELECT is_disabled FROM sys.triggers WHERE name = 't_put'
SELECT is_first FROM sys.trigger_events WHERE object_id = OBJECT_ID('dbo.t_put')
GO
--@ source: documentation sp_refreshsqlmodule
EXEC sp_rename 'dbo.audit.what', 'other', 'COLUMN'
EXEC sp_refreshsqlmodule N'dbo.t_put'
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersDependencies
GO
