-- WITH ENCRYPTION and WITH RECOMPILE: nobody is shown the text, and it runs all the same.
--@ source: reasoned
CREATE TABLE dbo.e (a int)
INSERT dbo.e VALUES (1)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.enc @a int = 2 WITH ENCRYPTION, RECOMPILE AS SELECT @a + a AS s FROM dbo.e
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.enc_view WITH ENCRYPTION, VIEW_METADATA AS SELECT a FROM dbo.e
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.enc_scalar (@a int) RETURNS int WITH ENCRYPTION AS BEGIN RETURN @a * 2 END
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.enc_inline (@a int) RETURNS TABLE WITH SCHEMABINDING, ENCRYPTION AS RETURN SELECT a FROM dbo.e WHERE a = @a
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.enc_table () RETURNS @t TABLE (x int) WITH ENCRYPTION AS BEGIN INSERT @t VALUES (7) RETURN END
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.enc_trigger ON dbo.e WITH ENCRYPTION AFTER INSERT AS SELECT COUNT(*) AS fired FROM inserted
GO
--@ source: documentation CREATE PROCEDURE
EXEC dbo.enc
SELECT a, dbo.enc_scalar(a) AS f FROM dbo.enc_view
SELECT * FROM dbo.enc_inline(1) CROSS JOIN dbo.enc_table()
INSERT dbo.e VALUES (5)
GO
--@ source: documentation sys.sql_modules
SELECT OBJECT_NAME(object_id) AS name, definition, is_recompiled, is_schema_bound FROM sys.sql_modules WHERE OBJECT_NAME(object_id) LIKE 'enc%' ORDER BY 1
SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.enc')) AS definition, OBJECTPROPERTY(OBJECT_ID('dbo.enc'), 'IsEncrypted') AS p,
    OBJECTPROPERTY(OBJECT_ID('dbo.enc_trigger'), 'IsEncrypted') AS t, OBJECTPROPERTY(OBJECT_ID('dbo.e'), 'IsEncrypted') AS e
SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME LIKE 'enc%' ORDER BY 1
SELECT TABLE_NAME, VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS WHERE TABLE_NAME LIKE 'enc%'
SELECT OBJECT_NAME(id) AS name, encrypted, text FROM sys.syscomments WHERE OBJECT_NAME(id) = 'enc'
SELECT name, has_opaque_metadata FROM sys.views WHERE name = 'enc_view'
GO
--@ source: message 15471
EXEC sp_helptext N'dbo.enc'
EXEC sp_helptext N'dbo.enc_view'
GO
-- Options that are not repeated are gone.
--@ source: documentation ALTER PROCEDURE
ALTER PROCEDURE dbo.enc AS SELECT 1 AS one
GO
--@ source: documentation ALTER PROCEDURE
SELECT definition, is_recompiled FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.enc')
GO
--@ source: documentation sp_refreshsqlmodule
EXEC sp_refreshsqlmodule N'dbo.enc_scalar'
EXEC sp_refreshview N'dbo.enc_view'
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.enc_scalar'), 'IsEncrypted') AS f, OBJECTPROPERTY(OBJECT_ID('dbo.enc_view'), 'IsEncrypted') AS v
GO
--@ source: message 1039
CREATE PROCEDURE dbo.x WITH RECOMPILE, RECOMPILE AS RETURN
GO
--@ source: message 195
CREATE PROCEDURE dbo.x WITH SPEED AS RETURN
GO
--@ source: message 487
CREATE VIEW dbo.x WITH RECOMPILE AS SELECT 1 AS a
GO
--@ source: message 10796
CREATE PROCEDURE dbo.x WITH SCHEMABINDING AS RETURN
GO
--@ source: message 10796
CREATE TRIGGER dbo.x ON dbo.e WITH SCHEMABINDING AFTER INSERT AS RETURN
GO
--@ source: reasoned
DROP FUNCTION dbo.enc_inline, dbo.enc_scalar, dbo.enc_table
DROP VIEW dbo.enc_view
DROP PROCEDURE dbo.enc
DROP TABLE dbo.e
GO
