-- How deep a text runs, and parameters that their values do not fit.
--@ source: reasoned
CREATE PROCEDURE p @a int AS SELECT @a AS a
GO
--@ source: message 8114
EXEC p 99999999999
GO
--@ source: documentation @@NESTLEVEL
EXECUTE ('SELECT @@NESTLEVEL AS OneGreater')
EXECUTE sp_executesql N'SELECT @@NESTLEVEL AS TwoGreater'
GO
--@ source: message 8114
CREATE PROCEDURE small @t tinyint, @i int = NULL, @d decimal(3, 1) = NULL AS SELECT @t AS t
GO
--@ source: reasoned
DECLARE @i int = 256, @b bigint = 99999999999
EXEC small @i
EXEC small 1, @b
EXEC small 1, 1, 100
DROP PROCEDURE small
GO
--@ source: reasoned
DROP PROCEDURE p
GO
