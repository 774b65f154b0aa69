-- TRY and CATCH, THROW, RAISERROR, the ERROR_ functions, @@ERROR.
--@ source: reasoned
CREATE DATABASE ChangesErrors
GO
--@ source: documentation TRY...CATCH
USE ChangesErrors
CREATE TABLE t (a int NOT NULL CONSTRAINT pk_t PRIMARY KEY, b tinyint)
INSERT t VALUES (1, 1)
BEGIN TRY
    SELECT 1 / 0
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS ErrorNumber, ERROR_SEVERITY() AS ErrorSeverity, ERROR_STATE() AS ErrorState, ERROR_PROCEDURE() AS ErrorProcedure, ERROR_LINE() AS ErrorLine, ERROR_MESSAGE() AS ErrorMessage
END CATCH
SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m, ERROR_LINE() AS l, ERROR_STATE() AS s, ERROR_SEVERITY() AS v
GO
--@ source: documentation TRY...CATCH
CREATE PROCEDURE usp_GetErrorInfo AS
SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS v, ERROR_STATE() AS s, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, ERROR_MESSAGE() AS m
GO
--@ source: documentation TRY...CATCH
CREATE PROCEDURE fails @a int = 1 AS

INSERT t VALUES (@a, 1)
PRINT 'behind it'
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
    EXEC fails
    PRINT 'never'
END TRY
BEGIN CATCH
    EXEC usp_GetErrorInfo
END CATCH
EXEC fails
SELECT @@ERROR AS e
GO
-- Each kind of error, as CATCH sees it.
--@ source: documentation TRY...CATCH
BEGIN TRY INSERT t VALUES (NULL, 1) END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY INSERT t VALUES (2, 256) END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY SELECT CAST('x' AS int) AS a END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY SELECT CAST('20209999' AS date) AS a END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY RAISERROR('%s and %d', 14, 7, 'text', 5) END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY THROW 51000, 'The record does not exist.', 3 END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY EXEC nowhere END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY EXEC ('SELECT * FROM') END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY DECLARE @a int = 2147483647; SET @a += 1 END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY COMMIT END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY DROP TABLE nowhere END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
BEGIN TRY SELECT (SELECT 1 UNION SELECT 2) AS a END TRY BEGIN CATCH EXEC usp_GetErrorInfo END CATCH
GO
-- Warnings and information are passed on; level 10 and below does not catch.
--@ source: documentation TRY...CATCH
BEGIN TRY
    RAISERROR('only told', 10, 1)
    PRINT 'printed'
    RAISERROR('eleven', 11, 1)
    PRINT 'never'
END TRY
BEGIN CATCH
    PRINT 'caught ' + ERROR_MESSAGE()
END CATCH
GO
-- Within CATCH the innermost counts, and behind it the outer again.
--@ source: documentation ERROR_MESSAGE
BEGIN TRY
    SELECT 1 / 0 AS a
END TRY
BEGIN CATCH
    BEGIN TRY
        RAISERROR('inner', 16, 9)
    END TRY
    BEGIN CATCH
        SELECT ERROR_MESSAGE() AS m, ERROR_STATE() AS s
    END CATCH
    SELECT ERROR_MESSAGE() AS m, ERROR_STATE() AS s
END CATCH
GO
-- An error in CATCH goes to the client, or one TRY up, and the rest of CATCH runs.
--@ source: documentation TRY...CATCH
BEGIN TRY
    BEGIN TRY
        SELECT 1 / 0 AS a
    END TRY
    BEGIN CATCH
        RAISERROR('from catch', 16, 1)
        PRINT 'never'
    END CATCH
    PRINT 'never'
END TRY
BEGIN CATCH
    PRINT 'outer: ' + ERROR_MESSAGE()
END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
    SELECT 1 / 0 AS a
END TRY
BEGIN CATCH
    INSERT t VALUES (1, 1)
    PRINT 'goes on'
END CATCH
PRINT 'after'
GO
--@ source: documentation @@ERROR
BEGIN TRY
    INSERT t VALUES (1, 1)
END TRY
BEGIN CATCH
    SELECT @@ERROR AS e, @@ROWCOUNT AS n
    SELECT @@ERROR AS e, @@ROWCOUNT AS n
END CATCH
GO
-- GOTO leaves TRY and CATCH, and does not enter them.
--@ source: documentation TRY...CATCH
BEGIN TRY
    GOTO done
END TRY
BEGIN CATCH
    PRINT 'never'
END CATCH
PRINT 'never'
done: PRINT 'done'
GO
--@ source: documentation RETURN
CREATE PROCEDURE returns AS
BEGIN TRY
    RAISERROR('x', 16, 1)
END TRY
BEGIN CATCH
    RETURN 5
END CATCH
RETURN 6
GO
--@ source: documentation RETURN
DECLARE @r int
EXEC @r = returns
SELECT @r AS r
GO
--@ source: message 102
BEGIN TRY
    SELECT 1
END TRY
GO
--@ source: documentation THROW
THROW 51000, 'The record does not exist.', 1
PRINT 'never'
GO
--@ source: documentation THROW
DECLARE @n int = 60000, @m nvarchar(50) = N'said by %s', @s tinyint = 255;
THROW @n, @m, @s
GO
--@ source: message 35100
THROW 49999, 'x', 1
GO
--@ source: documentation THROW
BEGIN TRAN
BEGIN TRY
    THROW 50001, 'x', 1
END TRY
BEGIN CATCH
    SELECT XACT_STATE() AS s, @@TRANCOUNT AS n;
    ROLLBACK;
    THROW
END CATCH
PRINT 'never'
GO
--@ source: documentation THROW
CREATE TABLE TestRethrow (ID int CONSTRAINT pk_rethrow PRIMARY KEY)
BEGIN TRY
    INSERT TestRethrow VALUES (1)
    INSERT TestRethrow VALUES (1)
END TRY
BEGIN CATCH
    PRINT 'In catch block.';
    THROW;
END CATCH
GO
-- The rethrown error keeps the line and procedure.
--@ source: documentation THROW
BEGIN TRY
    EXEC fails
END TRY
BEGIN CATCH
    PRINT ERROR_LINE();
    THROW
END CATCH
GO
--@ source: documentation THROW
CREATE PROCEDURE throws AS
PRINT 'begun';
THROW 50005, 'thrown', 5
GO
--@ source: documentation THROW
DECLARE @r int = 9
BEGIN TRY
    EXEC @r = throws
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, @r AS r
END CATCH
EXEC throws
PRINT 'never'
GO
-- XACT_ABORT and THROW.
--@ source: documentation THROW
SET XACT_ABORT ON
BEGIN TRAN;
THROW 50001, 'x', 1
GO
--@ source: documentation THROW
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS n
BEGIN TRAN;
THROW 50001, 'x', 1
GO
--@ source: documentation THROW
SELECT @@TRANCOUNT AS n
IF @@TRANCOUNT > 0 ROLLBACK
GO
-- Without the semicolon before it, THROW is a name.
--@ source: documentation THROW
SELECT 1
THROW
GO
--@ source: documentation THROW
IF 1 = 0
    PRINT 'x';
ELSE
    THROW 50001, 'no semicolon is needed here', 1
GO
--@ source: documentation RAISERROR
RAISERROR (N'This is message %s %d.', 10, 1, N'number', 5)
RAISERROR (N'<<%*.*s>>', 10, 1, 7, 3, N'abcde')
RAISERROR (N'<<%7.3s>>', 10, 1, N'abcde')
RAISERROR (N'%-5d|%+d|%05d|%x|%X|%#x|%o|%u', 10, 1, 5, 5, 5, 255, 255, 255, 8, -1)
RAISERROR (N'100%% of %s', 10, 1, NULL)
GO
--@ source: documentation RAISERROR
RAISERROR ('a %s b', 10, 1)
RAISERROR ('a %d', 10, 1, 'x')
GO
--@ source: message 2786
RAISERROR ('a %s', 10, 1, 5)
GO
--@ source: message 2787
RAISERROR ('a %z', 10, 1, 5)
GO
--@ source: documentation RAISERROR
RAISERROR ('sixteen', 16, 1)
SELECT @@ERROR AS e
RAISERROR ('nought', 0, 1)
SELECT @@ERROR AS e
RAISERROR ('state', 16, 255)
RAISERROR ('minus', -1, 1)
GO
--@ source: message 2754
RAISERROR ('nineteen', 19, 1)
GO
--@ source: documentation RAISERROR
RAISERROR (50001, 16, 1)
GO
--@ source: message 2732
RAISERROR (12999, 16, 1)
GO
--@ source: documentation RAISERROR
DECLARE @m nvarchar(100) = N'variable %s', @s int = 15, @st int = 3
RAISERROR (@m, @s, @st, N'text') WITH NOWAIT
RAISERROR (@m, @s, @st, @m) WITH NOWAIT, SETERROR
GO
--@ source: documentation PRINT
PRINT 'a' + NULL
PRINT 5
PRINT 1.50
PRINT CAST('20200102 03:04:05' AS datetime)
PRINT N'x' + CAST(7 AS varchar(3))
PRINT ''
GO
--@ source: message 245
PRINT 'a' + 1
PRINT 'never'
GO
--@ source: documentation FORMATMESSAGE
SELECT FORMATMESSAGE('This is the %s and this is the %s.', 'first variable', 'second variable') AS m, FORMATMESSAGE('%i of %08X', 5, 255) AS n
GO
-- @@ERROR behind each kind of statement.
--@ source: documentation @@ERROR
SELECT 1 / 0 AS a
IF @@ERROR = 8134 PRINT 'seen'
PRINT @@ERROR
SELECT 1 / 0 AS a
DECLARE @e int = @@ERROR
SET @e = @@ERROR
SELECT @e AS e
SELECT 1 / 0 AS a
SET @e = @@ERROR
SELECT @e AS e, @@ERROR AS now
GO
--@ source: reasoned
DECLARE @a int = 5
SELECT @a = 1 / 0
SELECT @a AS a
SET @a = 1 / 0
SELECT @a AS a, @@ERROR AS e
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesErrors
GO
