-- sp_help of types, sp_helptext of a temporary procedure, alias types in RESULT SETS.
--@ source: documentation sp_help
CREATE TYPE dbo.th_code FROM varchar(11) NOT NULL
CREATE TYPE dbo.th_money FROM decimal(9, 2) NULL
CREATE TYPE dbo.th_rows AS TABLE (a int)
GO
--@ source: documentation sp_help
EXEC sp_help 'dbo.th_code'
EXEC sp_help 'th_money'
EXEC sp_help 'dbo.th_rows'
EXEC sp_help 'int'
EXEC sp_help 'nvarchar'
GO
--@ source: message 15009
EXEC sp_help 'dbo.th_none'
GO
--@ source: documentation EXECUTE
CREATE PROCEDURE dbo.th_two AS SELECT 'abc', 1.239
GO
--@ source: documentation EXECUTE
EXEC dbo.th_two WITH RESULT SETS ((code dbo.th_code, amount th_money NULL))
GO
--@ source: message 2715
EXEC dbo.th_two WITH RESULT SETS ((code dbo.th_none, amount int))
GO
--@ source: message 2715
EXEC dbo.th_two WITH RESULT SETS ((code dbo.th_rows, amount int))
GO
--@ source: documentation sp_helptext
CREATE PROCEDURE #th_own @a int AS
SELECT @a
GO
--@ source: documentation sp_helptext
EXEC sp_helptext '#th_own'
EXEC tempdb..sp_helptext '#th_own'
GO
--@ source: message 15009
EXEC sp_helptext '#th_none'
GO
--@ source: reasoned
DROP PROCEDURE dbo.th_two, #th_own
DROP TYPE dbo.th_code
DROP TYPE dbo.th_money
DROP TYPE dbo.th_rows
GO
