-- What functions, constraints and filtered indexes name, and who names an object.
--@ source: reasoned
CREATE DATABASE FunctionsDepend
GO
--@ source: reasoned
USE FunctionsDepend
CREATE TABLE dbo.base (id int NOT NULL PRIMARY KEY, a int NULL, b varchar(10) NULL, c int NULL)
CREATE TABLE dbo.target (id int NOT NULL, a int NULL)
GO
--@ source: reasoned
CREATE FUNCTION dbo.scalar (@x int) RETURNS int AS BEGIN RETURN (SELECT MAX(a) FROM dbo.base WHERE id = @x) END
GO
--@ source: reasoned
CREATE FUNCTION dbo.pure (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @x + 1 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.inlined (@x int) RETURNS TABLE AS RETURN SELECT id, a FROM base WHERE c = @x
GO
--@ source: reasoned
CREATE FUNCTION dbo.several (@x int) RETURNS @r TABLE (id int) AS BEGIN INSERT @r SELECT i.id FROM dbo.inlined(@x) AS i JOIN dbo.target AS t ON t.id = i.id RETURN END
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT i.id, b.b FROM dbo.inlined(1) AS i JOIN dbo.base AS b ON b.id = i.id
GO
--@ source: reasoned
CREATE PROCEDURE dbo.p AS
SELECT * FROM dbo.v
INSERT dbo.target SELECT id, dbo.scalar(a) FROM dbo.base
UPDATE dbo.target SET a = 1 WHERE id IN (SELECT id FROM dbo.several(2))
EXEC q
EXEC dbo.missing
GO
--@ source: reasoned
CREATE TABLE dbo.guarded (id int NOT NULL, a int NULL CONSTRAINT df_a DEFAULT dbo.pure(1), b int NULL, CONSTRAINT ck_a CHECK (a > 0 AND dbo.pure(b) > 0))
CREATE INDEX ix_a ON dbo.guarded (id) WHERE a IS NOT NULL
GO
--@ source: documentation sys.sql_expression_dependencies
SELECT OBJECT_NAME(d.referencing_id) AS referencing, d.referencing_minor_id AS minor, d.referencing_class_desc AS class, d.is_schema_bound_reference AS bound, d.referenced_schema_name AS s, d.referenced_entity_name AS entity, OBJECT_NAME(d.referenced_id) AS found, COL_NAME(d.referenced_id, d.referenced_minor_id) AS col, d.is_caller_dependent AS caller, d.is_ambiguous AS ambiguous FROM sys.sql_expression_dependencies AS d ORDER BY 1, 2, 6, 8
GO
--@ source: documentation sys.dm_sql_referenced_entities
SELECT referenced_schema_name AS s, referenced_entity_name AS entity, referenced_minor_name AS minor, is_selected AS selected, is_updated AS updated, is_select_all AS select_all, is_insert_all AS insert_all, is_all_columns_found AS all_found FROM sys.dm_sql_referenced_entities('dbo.v', 'OBJECT') ORDER BY 2, 3
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor, is_selected AS selected, is_updated AS updated, is_select_all AS select_all, is_insert_all AS insert_all, is_caller_dependent AS caller FROM sys.dm_sql_referenced_entities('dbo.p', 'OBJECT') ORDER BY 1, 2
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor FROM sys.dm_sql_referenced_entities('dbo.several', 'OBJECT') ORDER BY 1, 2
SELECT COUNT(*) AS n FROM sys.dm_sql_referenced_entities('several', 'OBJECT')
SELECT COUNT(*) AS n FROM sys.dm_sql_referenced_entities('dbo.none', 'OBJECT')
GO
--@ source: documentation sys.dm_sql_referencing_entities
SELECT referencing_schema_name AS s, referencing_entity_name AS entity, referencing_class_desc AS class, is_caller_dependent AS caller FROM sys.dm_sql_referencing_entities('dbo.inlined', 'OBJECT')
SELECT referencing_entity_name AS entity FROM sys.dm_sql_referencing_entities('dbo.base', 'OBJECT')
SELECT referencing_entity_name AS entity FROM sys.dm_sql_referencing_entities('dbo.pure', 'OBJECT')
GO
--@ source: documentation sp_depends
EXEC sp_depends 'dbo.inlined'
EXEC sp_depends 'dbo.guarded'
GO
-- Of what has gone the name stays.
--@ source: reasoned
DROP FUNCTION dbo.inlined
GO
--@ source: reasoned
SELECT OBJECT_NAME(referencing_id) AS referencing, referenced_entity_name AS entity, referenced_id AS found FROM sys.sql_expression_dependencies WHERE referenced_entity_name = 'inlined' ORDER BY 1
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor, is_all_columns_found AS all_found FROM sys.dm_sql_referenced_entities('dbo.v', 'OBJECT') ORDER BY 1, 2
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsDepend
GO
