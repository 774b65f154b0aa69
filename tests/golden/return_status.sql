-- What a procedure returns, and what its parameters are when they are not given.
--@ source: reasoned
CREATE DATABASE Returned
GO
--@ source: reasoned
USE Returned
CREATE TABLE t (a int CONSTRAINT pk PRIMARY KEY)
INSERT t VALUES (1)
GO
--@ source: reasoned
CREATE PROCEDURE twice AS INSERT t VALUES (1)
GO
--@ source: peer knowledge base Q96237
DECLARE @r int
EXEC @r = twice
SELECT @r AS r
GO
--@ source: peer knowledge base Q96237
CREATE PROCEDURE divides AS SELECT 1/0 AS never INSERT t VALUES (1)
GO
--@ source: peer knowledge base Q96237
DECLARE @r int
EXEC @r = divides
SELECT @r AS r
GO
-- A caught error counts, and RAISERROR.
--@ source: peer knowledge base Q96237
CREATE PROCEDURE catches AS BEGIN TRY INSERT t VALUES (1) END TRY BEGIN CATCH PRINT 'caught' END CATCH
GO
--@ source: peer knowledge base Q96237
CREATE PROCEDURE raises AS RAISERROR('said', 12, 1)
GO
--@ source: peer knowledge base Q96237
DECLARE @r int
EXEC @r = catches
SELECT @r AS caught
EXEC @r = raises
SELECT @r AS raised
GO
-- RETURN n says it; a procedure that is called is no error of its caller's.
--@ source: documentation RETURN
CREATE PROCEDURE says AS SELECT 1/0 AS never RETURN 7
GO
--@ source: documentation RETURN
CREATE PROCEDURE calls AS EXEC twice
GO
--@ source: documentation RETURN
CREATE PROCEDURE informs AS RAISERROR('told', 10, 1)
GO
--@ source: documentation RETURN
DECLARE @r int
EXEC @r = says
SELECT @r AS said
EXEC @r = informs
SELECT @r AS informed
GO
-- sp_executesql returns @@ERROR.
--@ source: documentation sp_executesql
DECLARE @r int
EXEC @r = sp_executesql N'SELECT 1/0 AS never'
SELECT @r AS r
EXEC @r = sp_executesql N'SELECT 1 AS one'
SELECT @r AS r
GO
-- Who ends by a name that is missing returns nothing.
--@ source: message 208
CREATE PROCEDURE misses AS SELECT a FROM nowhere
GO
--@ source: message 208
DECLARE @r int = 42
EXEC @r = misses
SELECT @r AS r, @@ERROR AS error
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE defaults @s nvarchar(128) = @@SERVERNAME, @n int = -5, @w varchar(10) = abc, @d datetime = '2020-01-01',
    @b bit = 1, @x varbinary(4) = 0x01, @m money = $5, @z int = NULL, @l int = @@NESTLEVEL AS
SELECT CASE WHEN @s = @@SERVERNAME THEN 'the server' ELSE @s END AS s, @n AS n, @w AS w, @d AS d, @b AS b, @x AS x, @m AS m, @z AS z,
    @l AS l
GO
--@ source: documentation CREATE PROCEDURE
EXEC defaults
EXEC defaults @s = N'given', @l = DEFAULT
GO
--@ source: reasoned
USE master
DROP DATABASE Returned
GO
