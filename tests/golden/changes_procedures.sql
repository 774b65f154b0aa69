-- Procedures: parameters by place and by name, defaults, OUTPUT, return status, nesting, EXEC of text, sp_executesql.
--@ source: reasoned
CREATE DATABASE ChangesProc
GO
--@ source: reasoned
USE ChangesProc
CREATE TABLE t (a int, b varchar(10))
INSERT t VALUES (1, 'one'), (2, 'two')
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.p @a int, @b varchar(10) = 'dflt', @c int = NULL OUTPUT AS
SELECT @a AS a, @b AS b, @c AS c
SET @c = @a * 10
RETURN @a
GO
--@ source: documentation EXECUTE
DECLARE @out int = 3, @r int
EXEC p 1
EXEC p 1, 'x'
EXEC @r = p 2, DEFAULT, @out OUTPUT
SELECT @r AS r, @out AS o
EXEC dbo.p @c = @out OUT, @a = 4
SELECT @out AS o
EXEC p 5, @c = @out
SELECT @out AS o
GO
--@ source: message 201
EXEC p
PRINT 'goes on'
EXEC p @b = 'x'
GO
--@ source: message 8144
EXEC p 1, 'x', 3, 4
GO
--@ source: message 8145
EXEC p @a = 1, @nowhere = 2
GO
--@ source: message 119
EXEC p @a = 1, 'x'
GO
--@ source: message 8143
EXEC p 1, @a = 2
GO
--@ source: message 8143
EXEC p @a = 1, @a = 2
GO
--@ source: message 179
EXEC p 1, 'x', 5 OUTPUT
GO
--@ source: message 8162
DECLARE @x int = 7
EXEC p @x OUTPUT
GO
--@ source: message 8114
EXEC p 'x'
GO
--@ source: documentation EXECUTE
EXEC p '7', 123
EXEC p 1.9
EXEC p NULL, NULL
GO
--@ source: documentation EXECUTE
EXEC p -5, bare
EXEC p @@TRANCOUNT
EXEC [dbo].[p] 0x10
EXEC ChangesProc.dbo.p 1
EXEC ChangesProc..p 2
GO
--@ source: message 102
EXEC p 1 + 1
GO
--@ source: documentation EXECUTE
p 6
GO
--@ source: documentation EXECUTE
DECLARE @name nvarchar(50) = N'dbo.p', @r int
EXEC @r = @name 3, @b = 'named'
SELECT @r AS r
SET @name = N'nowhere'
EXEC @name
GO
--@ source: message 2812
EXEC nowhere 1
PRINT 'goes on'
EXEC dbo.nowhere
SELECT @@ERROR AS e
GO
-- Return status: what RETURN takes.
--@ source: documentation RETURN
CREATE PROCEDURE r @n int AS
IF @n = 1 RETURN
IF @n = 2 RETURN NULL
IF @n = 3 RETURN -2147483648
IF @n = 4 RETURN (SELECT COUNT(*) FROM t) + 40
IF @n = 5 RETURN '77'
IF @n = 6 RETURN 3.9
SELECT 'end' AS reached
GO
--@ source: documentation RETURN
DECLARE @r int
EXEC @r = r 1 SELECT @r AS r
EXEC @r = r 2 SELECT @r AS r
EXEC @r = r 3 SELECT @r AS r
EXEC @r = r 4 SELECT @r AS r
EXEC @r = r 5 SELECT @r AS r
EXEC @r = r 6 SELECT @r AS r
EXEC @r = r 7 SELECT @r AS r
GO
--@ source: message 178
RETURN 1
GO
--@ source: documentation RETURN
PRINT 'before'
RETURN
PRINT 'never'
GO
-- Nesting.
--@ source: documentation @@NESTLEVEL
CREATE PROCEDURE nest @n int AS
IF @n > 0 BEGIN SET @n -= 1 EXEC nest @n END
ELSE SELECT @@NESTLEVEL AS level
GO
--@ source: documentation @@NESTLEVEL
EXEC nest 0
EXEC nest 3
SELECT @@NESTLEVEL AS level
EXEC ('SELECT @@NESTLEVEL AS level')
GO
--@ source: message 217
CREATE PROCEDURE forever @n int OUTPUT AS
SET @n += 1
EXEC forever @n OUTPUT
GO
--@ source: message 217
DECLARE @n int = 0
EXEC forever @n OUTPUT
GO
--@ source: documentation EXECUTE
DECLARE @tab varchar(20) = 't', @v varchar(10) = 'two'
EXEC ('SELECT a FROM ' + @tab + ' WHERE b = ''' + @v + '''')
EXECUTE (N'SELECT ' + '1' + N' AS one; SELECT 2 AS two')
EXEC ('')
DECLARE @null nvarchar(10)
EXEC (@null)
GO
--@ source: documentation sp_executesql
DECLARE @IntVariable int = 2, @SQLString nvarchar(500) = N'SELECT a, b FROM t WHERE a = @id', @ParmDefinition nvarchar(500) = N'@id tinyint'
EXECUTE sp_executesql @SQLString, @ParmDefinition, @id = @IntVariable
SET @IntVariable = 1
EXECUTE sp_executesql @SQLString, @ParmDefinition, @IntVariable
GO
--@ source: documentation sp_executesql
DECLARE @max varchar(30), @n int = 5, @r int
EXEC @r = sp_executesql N'SELECT @max_OUT = MAX(b), @n = @n + 1 FROM t WHERE a <= @level', N'@level tinyint, @max_OUT varchar(30) OUTPUT, @n int OUTPUT', @level = 1, @max_OUT = @max OUTPUT, @n = @n OUTPUT
SELECT @max AS m, @n AS n, @r AS r
EXEC sp_executesql N'SET @n = 99', N'@n int OUTPUT', @n
SELECT @n AS n
GO
--@ source: message 8178
EXEC sp_executesql N'SELECT @a', N'@a int'
GO
--@ source: message 8144
EXEC sp_executesql N'SELECT 1', N'@a int', 1, 2
GO
--@ source: message 8145
EXEC sp_executesql N'SELECT 1', N'@a int', @nowhere = 1
GO
--@ source: message 137
EXEC sp_executesql N'SELECT @b', N'@a int', 1
GO
--@ source: message 8162
DECLARE @o int
EXEC sp_executesql N'SET @a = 1', N'@a int', @a = @o OUTPUT
GO
--@ source: message 134
EXEC sp_executesql N'SELECT 1', N'@a int, @A int', 1, 2
GO
--@ source: message 2714
CREATE PROCEDURE p AS RETURN
GO
--@ source: message 134
CREATE PROCEDURE q @a int, @A int AS RETURN
GO
--@ source: message 208
ALTER PROCEDURE nowhere AS RETURN
GO
--@ source: message 3701
DROP PROCEDURE nowhere
DROP PROCEDURE IF EXISTS nowhere
DROP PROC IF EXISTS r, nest
SELECT OBJECT_ID('r') AS r
GO
--@ source: message 3705
DROP PROCEDURE t
GO
--@ source: message 3701
DROP TABLE p
GO
--@ source: documentation CREATE PROCEDURE
CREATE OR ALTER PROC p @x int = 5, @y varchar(max) = 'long' WITH RECOMPILE AS BEGIN SELECT @x AS x, LEN(@y) AS y END
GO
--@ source: documentation CREATE PROCEDURE
EXEC p WITH RECOMPILE
EXEC p @y = NULL, @x = DEFAULT
GO
-- SET options and locals end with the procedure; NOCOUNT too.
--@ source: documentation SET Statements
CREATE PROCEDURE sets AS
SET NOCOUNT ON
SET DATEFORMAT dmy
SET DATEFIRST 1
SET LOCK_TIMEOUT 77
SELECT @@OPTIONS & 512 AS nocount, @@DATEFIRST AS df, @@LOCK_TIMEOUT AS lt, CAST('02/01/2020' AS date) AS d
GO
--@ source: documentation SET Statements
EXEC sets
SELECT @@OPTIONS & 512 AS nocount, @@DATEFIRST AS df, @@LOCK_TIMEOUT AS lt, CAST('02/01/2020' AS date) AS d
GO
-- Output parameters and an error.
--@ source: documentation EXECUTE
CREATE PROCEDURE halfway @o int OUTPUT AS
SET @o = 5
SELECT 1 / 0 AS never
SET @o = 6
GO
--@ source: documentation EXECUTE
DECLARE @o int = 1, @r int
EXEC @r = halfway @o OUTPUT
SELECT @o AS o, @r AS r
SET @o = 1
BEGIN TRY
    EXEC halfway @o OUTPUT
END TRY
BEGIN CATCH
    SELECT @o AS o
END CATCH
GO
--@ source: reasoned
CREATE PROCEDURE converts @v varchar(3) OUTPUT, @d decimal(4, 1) = 12.34 AS
SELECT @v AS v, @d AS d
SET @v = '12'
GO
--@ source: reasoned
DECLARE @i int = 1234567, @s varchar(20) = 'abcdef'
EXEC converts @s OUTPUT
SELECT @s AS s
EXEC converts 'toolong', 99.99
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesProc
GO
