-- INSERT … EXEC: one with what it runs, a transaction of its own in autocommit.
CREATE DATABASE Captured
GO
USE Captured
CREATE TABLE dbo.target (n int)
CREATE TABLE dbo.keyed (n int PRIMARY KEY)
CREATE TABLE dbo.journal (n int)
GO
CREATE PROCEDURE dbo.notes @n int AS
INSERT dbo.journal VALUES (@n)
SELECT @n
GO
CREATE PROCEDURE dbo.wide AS
INSERT dbo.journal VALUES (100)
SELECT 1
SELECT 1, 2
INSERT dbo.journal VALUES (101)
GO
CREATE PROCEDURE dbo.goes_on AS
SELECT 1
SELECT 1/0
PRINT 'it goes on'
SELECT 2
GO
-- What it runs is committed with it, and goes with it.
INSERT dbo.target EXEC dbo.notes 1
INSERT dbo.keyed VALUES (7)
GO
INSERT dbo.keyed EXEC dbo.notes 7
SELECT (SELECT COUNT(*) FROM dbo.keyed) AS keyed, (SELECT COUNT(*) FROM dbo.journal) AS journal, @@TRANCOUNT AS trancount
GO
-- Inside there is a transaction.
CREATE TABLE dbo.told (trancount int, state int)
INSERT dbo.told EXEC ('SELECT @@TRANCOUNT, XACT_STATE()')
SELECT * FROM dbo.told
SELECT @@TRANCOUNT AS trancount, XACT_STATE() AS state
GO
-- A result of other columns ends it where it comes; the batch goes on.
INSERT dbo.target EXEC dbo.wide
SELECT @@ROWCOUNT AS rows, @@ERROR AS error
SELECT COUNT(*) AS journal FROM dbo.journal
GO
-- An error of a statement inside is that statement's.
INSERT dbo.target EXEC dbo.goes_on
SELECT @@ROWCOUNT AS rows, @@ERROR AS error
GO
-- In TRY it is caught, and nothing stays.
BEGIN TRY
INSERT dbo.target EXEC dbo.goes_on
END TRY
BEGIN CATCH
SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS p, XACT_STATE() AS state
END CATCH
SELECT COUNT(*) AS rows FROM dbo.target
GO
-- What ends the batch undoes all of it.
INSERT dbo.target EXEC ('INSERT dbo.journal VALUES (9); THROW 50001, ''thrown'', 1')
SELECT 'not reached'
GO
SET XACT_ABORT ON
INSERT dbo.target EXEC ('INSERT dbo.journal VALUES (9) SELECT 1/0')
SELECT 'not reached'
GO
SET XACT_ABORT OFF
SELECT COUNT(*) AS journal, @@TRANCOUNT AS trancount FROM dbo.journal
GO
-- In a transaction it is undone to where it began.
BEGIN TRAN
INSERT dbo.target VALUES (50)
INSERT dbo.keyed EXEC dbo.notes 7
COMMIT
SELECT (SELECT COUNT(*) FROM dbo.target WHERE n = 50) AS target, (SELECT COUNT(*) FROM dbo.journal) AS journal
GO
-- What is begun inside and stays open is the client's.
INSERT dbo.target EXEC ('BEGIN TRAN INSERT dbo.journal VALUES (60) SELECT 60')
SELECT @@TRANCOUNT AS trancount
ROLLBACK
SELECT COUNT(*) AS rows FROM dbo.journal WHERE n = 60
GO
-- Not inside one another, and nothing that must be outside transactions.
INSERT dbo.target EXEC ('INSERT dbo.keyed EXEC (''SELECT 5'')')
GO
INSERT dbo.target EXEC ('ALTER DATABASE Captured SET RECOVERY SIMPLE')
GO
INSERT dbo.target EXEC ('BACKUP DATABASE Captured TO DISK = ''captured.bak''')
GO
INSERT dbo.target EXEC ('ALTER TABLE dbo.target ADD m int NULL SELECT 1')
SELECT COUNT(*) AS columns FROM sys.columns WHERE object_id = OBJECT_ID('dbo.target')
GO
-- Table variables, temporary tables, output parameters, the return status.
CREATE PROCEDURE dbo.answers @out int OUTPUT AS
SET @out = 3
SELECT 4
RETURN 5
GO
DECLARE @v TABLE (n int)
DECLARE @out int, @status int
CREATE TABLE #t (n int)
INSERT @v EXEC dbo.answers @out OUTPUT
INSERT #t EXEC @status = dbo.answers @out OUTPUT
SELECT n, @out AS out, @status AS status FROM @v
SELECT n FROM #t
DROP TABLE #t
GO
USE master
DROP DATABASE Captured
GO
