-- What procedures return when something is wrong.
--@ source: reasoned
CREATE DATABASE Statuses
GO
--@ source: reasoned
USE Statuses
GO
--@ source: documentation RETURN
CREATE PROCEDURE nothing AS RETURN NULL
GO
--@ source: documentation RETURN
CREATE PROCEDURE given @x int AS
IF 1 = 1 RETURN @x
GO
--@ source: documentation RETURN
DECLARE @r int
EXEC @r = nothing
SELECT @r AS r
EXEC @r = given NULL
SELECT @r AS r
EXEC @r = given 7
SELECT @r AS r
GO
--@ source: documentation sp_rename
DECLARE @r int
EXEC @r = sp_rename 'nowhere', 'x'
SELECT @r AS r
GO
--@ source: documentation sp_executesql
DECLARE @r int = -1
EXEC @r = sp_executesql N'SELECT * FROM nowhere'
SELECT @r AS r
GO
--@ source: documentation sp_executesql
DECLARE @r int = -1
EXEC @r = sp_executesql N'SELECT FROM'
SELECT @r AS r
GO
--@ source: documentation TRY...CATCH
DECLARE @r int = -1
BEGIN TRY
    EXEC @r = sp_rename 'nowhere', 'x'
END TRY
BEGIN CATCH
    SELECT @r AS r, ERROR_NUMBER() AS number
END CATCH
GO
--@ source: reasoned
USE master
DROP DATABASE Statuses
GO
