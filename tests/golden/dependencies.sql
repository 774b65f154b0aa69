-- What views and procedures name.
--@ source: reasoned
CREATE DATABASE Depend
GO
--@ source: reasoned
USE Depend
CREATE TABLE base (a int)
CREATE TABLE other (b int)
GO
--@ source: reasoned
CREATE SCHEMA s1
GO
--@ source: reasoned
CREATE TABLE s1.base (a int)
GO
--@ source: reasoned
CREATE VIEW v AS SELECT a FROM dbo.base WHERE a IN (SELECT b FROM other)
GO
--@ source: reasoned
CREATE VIEW vv AS SELECT v.a, name FROM v JOIN sys.objects ON object_id = a
GO
--@ source: reasoned
CREATE VIEW s1.w AS SELECT a FROM base
GO
--@ source: reasoned
CREATE PROCEDURE q AS RETURN 1
GO
--@ source: reasoned
CREATE PROCEDURE p @x int AS
DECLARE @t TABLE (a int)
IF EXISTS (SELECT * FROM vv) INSERT other SELECT a FROM base
WHILE @x < (SELECT COUNT(*) FROM s1.base) SET @x += 1
SELECT * FROM not_there
SELECT * INTO #t FROM master.dbo.spt_values
EXEC q
EXEC dbo.q
EXEC sp_executesql N'SELECT 1'
GO
--@ source: documentation sys.sql_expression_dependencies
SELECT OBJECT_NAME(referencing_id) AS referencing, referenced_database_name AS db, referenced_schema_name AS sch, referenced_entity_name AS entity, OBJECT_SCHEMA_NAME(referenced_id) + '.' + OBJECT_NAME(referenced_id) AS found, is_caller_dependent AS caller FROM sys.sql_expression_dependencies ORDER BY 1, 4, 3
SELECT DISTINCT referencing_class_desc, referenced_class_desc, is_schema_bound_reference, is_ambiguous FROM sys.sql_expression_dependencies
GO
--@ source: documentation VIEW_TABLE_USAGE
SELECT VIEW_SCHEMA, VIEW_NAME, TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.VIEW_TABLE_USAGE ORDER BY 1, 2, 3, 4
GO
-- A view that cannot be used any more names what it names.
--@ source: reasoned
DROP TABLE other
SELECT VIEW_SCHEMA, VIEW_NAME, TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.VIEW_TABLE_USAGE ORDER BY 1, 2, 3, 4
SELECT referenced_entity_name, CASE WHEN referenced_id IS NULL THEN 'gone' END AS there FROM sys.sql_expression_dependencies WHERE OBJECT_NAME(referencing_id) = 'v' ORDER BY 1
GO
--@ source: reasoned
USE master
DROP DATABASE Depend
GO
