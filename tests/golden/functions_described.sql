-- Functions that give rows, as the catalogue describes them.
--@ source: reasoned
CREATE DATABASE FunctionsDescribed
GO
--@ source: reasoned
USE FunctionsDescribed
CREATE TABLE dbo.t (id int NOT NULL, name nvarchar(20) NULL, x xml NULL)
GO
--@ source: reasoned
CREATE FUNCTION dbo.inlined (@a int, @b varchar(8) = 'x', @x xml) RETURNS TABLE AS RETURN SELECT id, name, @b AS b, x FROM dbo.t WHERE id = @a
GO
--@ source: reasoned
CREATE FUNCTION dbo.several (@d decimal(9, 2)) RETURNS @r TABLE (id int IDENTITY NOT NULL, name nvarchar(20) NULL DEFAULT 'n', at datetime2(3) NULL) AS BEGIN RETURN END
GO
--@ source: reasoned
CREATE FUNCTION dbo.plain () RETURNS TABLE AS RETURN SELECT 1 AS one
GO
--@ source: reasoned
CREATE PROCEDURE dbo.p @o int OUTPUT AS RETURN
GO
--@ source: documentation sys.parameters
SELECT OBJECT_NAME(object_id) AS module, name, parameter_id AS id, TYPE_NAME(user_type_id) AS type, max_length, precision, scale, is_output, has_default_value AS has_default FROM sys.parameters ORDER BY 1, 3
GO
--@ source: documentation ROUTINES
SELECT ROUTINE_NAME AS name, ROUTINE_TYPE AS type, DATA_TYPE AS data_type, SQL_DATA_ACCESS AS access, IS_NULL_CALL AS null_call, MAX_DYNAMIC_RESULT_SETS AS sets, IS_DETERMINISTIC AS deterministic FROM INFORMATION_SCHEMA.ROUTINES ORDER BY 1
SELECT SPECIFIC_NAME AS name, ORDINAL_POSITION AS place, PARAMETER_MODE AS mode, IS_RESULT AS result, PARAMETER_NAME AS parameter, DATA_TYPE AS type, CHARACTER_MAXIMUM_LENGTH AS length FROM INFORMATION_SCHEMA.PARAMETERS ORDER BY 1, 2
GO
--@ source: documentation ROUTINE_COLUMNS
SELECT TABLE_SCHEMA AS s, TABLE_NAME AS name, COLUMN_NAME AS col, ORDINAL_POSITION AS place, IS_NULLABLE AS nullable, DATA_TYPE AS type, CHARACTER_MAXIMUM_LENGTH AS length, DATETIME_PRECISION AS fraction FROM INFORMATION_SCHEMA.ROUTINE_COLUMNS ORDER BY 2, 4
SELECT DISTINCT TABLE_NAME AS name FROM INFORMATION_SCHEMA.COLUMNS
GO
--@ source: documentation OBJECTPROPERTYEX
SELECT name, OBJECTPROPERTY(object_id, 'IsInlineFunction') AS inlined, OBJECTPROPERTY(object_id, 'IsTableFunction') AS several, OBJECTPROPERTY(object_id, 'IsScalarFunction') AS scalar, OBJECTPROPERTY(object_id, 'IsDeterministic') AS deterministic, OBJECTPROPERTYEX(object_id, 'UserDataAccess') AS reads, OBJECTPROPERTY(object_id, 'IsSchemaBound') AS bound, OBJECTPROPERTYEX(object_id, 'BaseType') AS type FROM sys.objects WHERE type IN ('IF', 'TF', 'P') ORDER BY name
SELECT COL_NAME(OBJECT_ID('dbo.several'), 3) AS col, COLUMNPROPERTY(OBJECT_ID('dbo.several'), 'id', 'IsIdentity') AS is_identity, COLUMNPROPERTY(OBJECT_ID('dbo.inlined'), 'name', 'AllowsNull') AS nullable, COLUMNPROPERTY(OBJECT_ID('dbo.several'), '@d', 'Precision') AS precision
GO
--@ source: documentation sp_columns
EXEC sp_columns @table_name = 'inlined'
GO
-- The columns that an inline function was made with are renewed.
--@ source: documentation sp_refreshsqlmodule
CREATE FUNCTION dbo.wide () RETURNS TABLE AS RETURN SELECT * FROM dbo.t
GO
--@ source: documentation sp_refreshsqlmodule
ALTER TABLE dbo.t ADD more int NULL
GO
--@ source: documentation sp_refreshsqlmodule
SELECT COUNT(*) AS before FROM sys.columns WHERE object_id = OBJECT_ID('dbo.wide')
EXEC sp_refreshsqlmodule 'dbo.wide'
EXEC sp_refreshsqlmodule @name = N'dbo.several', @namespace = N'OBJECT'
EXEC sp_refreshsqlmodule 'dbo.p'
SELECT COUNT(*) AS after FROM sys.columns WHERE object_id = OBJECT_ID('dbo.wide')
GO
--@ source: reasoned
SELECT more FROM dbo.wide()
GO
--@ source: message 15165
EXEC sp_refreshsqlmodule 'dbo.none'
GO
--@ source: message 207
ALTER TABLE dbo.t DROP COLUMN name
EXEC sp_refreshsqlmodule 'dbo.inlined'
GO
-- A text that is refreshed stays as it is: of CREATE OR ALTER, and with words in it that begin as ALTER does.
--@ source: reasoned
CREATE OR ALTER FUNCTION dbo.either () RETURNS TABLE AS RETURN SELECT 1 AS alternative
GO
--@ source: reasoned
/* altered */ CREATE PROCEDURE dbo.asks AS SELECT alternative FROM dbo.either()
GO
--@ source: reasoned
EXEC sp_refreshsqlmodule 'dbo.either'
EXEC sp_refreshsqlmodule 'dbo.asks'
SELECT CASE WHEN OBJECT_DEFINITION(OBJECT_ID('dbo.either')) LIKE '%CREATE OR ALTER FUNCTION dbo.either%' THEN 1 END AS either,
    CASE WHEN OBJECT_DEFINITION(OBJECT_ID('dbo.asks')) LIKE '%CREATE PROCEDURE dbo.asks AS SELECT alternative FROM%' THEN 1 END AS asks
EXEC dbo.asks
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsDescribed
GO
