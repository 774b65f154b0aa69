-- The collation of a value that is put into sql_variant, and that of a procedure's parameters.
--@ source: reasoned
CREATE DATABASE exact COLLATE Latin1_General_CS_AS
GO
--@ source: reasoned
USE exact
GO
--@ source: documentation t-sql/functions/sql-variant-property-transact-sql
DECLARE @n nvarchar(5) = N'x'
SELECT SQL_VARIANT_PROPERTY('a', 'Collation') AS literal, SQL_VARIANT_PROPERTY(1, 'Collation') AS number, SQL_VARIANT_PROPERTY(@n, 'Collation') AS variable,
    SQL_VARIANT_PROPERTY('a' COLLATE French_CI_AI, 'Collation') AS written
SELECT SQL_VARIANT_PROPERTY(c, 'Collation') AS of_column FROM (SELECT 'x' COLLATE Latin1_General_BIN2 AS c) t
GO
--@ source: reasoned
CREATE PROCEDURE dbo.with_text @p varchar(5), @n int AS RETURN
GO
--@ source: documentation relational-databases/system-stored-procedures/sp-help-transact-sql
--@ mask created_datetime
EXEC sp_help with_text
GO
--@ source: reasoned
USE master
SELECT SQL_VARIANT_PROPERTY('a', 'Collation') AS literal
GO
--@ source: reasoned
DROP DATABASE exact
GO
