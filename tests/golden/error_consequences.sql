-- What an error ends: the statement, the module or the batch; what becomes of the transaction; what TRY sees.
--@ source: reasoned
CREATE DATABASE Consequences
GO
--@ source: reasoned
USE Consequences
CREATE TABLE t (a int PRIMARY KEY)
CREATE TABLE noted (a int)
GO
-- Errors of DDL end the batch and the transaction …
--@ source: message 2714
BEGIN TRAN
INSERT t VALUES (1)
CREATE TABLE t (a int)
PRINT 'never'
GO
--@ source: message 2714
SELECT @@TRANCOUNT AS trancount, COUNT(*) AS rows_left FROM t
GO
-- … and doom it where a TRY catches them.
--@ source: message 2714
BEGIN TRAN
BEGIN TRY
    CREATE TABLE t (a int)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state, @@TRANCOUNT AS trancount
    ROLLBACK
END CATCH
SELECT @@TRANCOUNT AS trancount
GO
--@ source: message 2705
BEGIN TRAN
ALTER TABLE t ADD a int
PRINT 'never'
GO
--@ source: message 2760
BEGIN TRAN
CREATE TABLE nowhere.t (a int)
PRINT 'never'
GO
--@ source: message 1779
BEGIN TRAN
ALTER TABLE t ADD PRIMARY KEY (a)
PRINT 'never'
GO
--@ source: message 4712
BEGIN TRAN
CREATE TABLE child (a int REFERENCES t)
TRUNCATE TABLE t
PRINT 'never'
GO
--@ source: message 1505
BEGIN TRAN
INSERT noted VALUES (1), (1)
CREATE UNIQUE INDEX i ON noted (a)
PRINT 'never'
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS trancount, OBJECT_ID('child') AS child, COUNT(*) AS noted FROM noted
GO
-- What is to be dropped and is not there ends the statement only.
--@ source: message 3701
BEGIN TRAN
INSERT noted VALUES (1)
DROP TABLE nowhere
SELECT @@TRANCOUNT AS trancount
COMMIT
GO
-- The first of two errors does not reach the client when CATCH is given the second.
--@ source: message 1767
CREATE TABLE child (a int REFERENCES nowhere)
GO
--@ source: message 1750
BEGIN TRY
    CREATE TABLE child (a int REFERENCES nowhere)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
GO
-- Names that are missing when the statement runs: not for the TRY around it …
--@ source: documentation TRY...CATCH
BEGIN TRY
    SELECT 1 AS before
    SELECT a FROM nowhere
END TRY
BEGIN CATCH
    PRINT 'never'
END CATCH
PRINT 'never'
GO
-- … but for one a level up.
--@ source: documentation TRY...CATCH
CREATE PROCEDURE misses AS BEGIN TRY SELECT a FROM nowhere END TRY BEGIN CATCH PRINT 'never' END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRAN
BEGIN TRY
    EXEC misses
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS place, XACT_STATE() AS state
END CATCH
COMMIT
EXEC misses
SELECT @@ERROR AS error
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
    EXEC ('SELECT a FROM nowhere')
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
BEGIN TRY
    EXEC sp_executesql N'SELECT FROM'
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
GO
-- A name of a table that the batch itself has made.
--@ source: message 207
CREATE TABLE young (a int)
INSERT young VALUES (1)
SELECT b FROM young
PRINT 'never'
GO
-- XACT_ABORT does not concern it.
--@ source: documentation SET XACT_ABORT
SET XACT_ABORT ON
BEGIN TRAN
SELECT a FROM nowhere
GO
--@ source: documentation SET XACT_ABORT
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS trancount
ROLLBACK
GO
-- RAISERROR neither; what ends a statement otherwise does, the drop of nothing does not.
--@ source: documentation SET XACT_ABORT
SET XACT_ABORT ON
BEGIN TRAN
RAISERROR('goes on', 16, 1)
DROP TABLE nowhere
SELECT @@TRANCOUNT AS trancount
INSERT t VALUES (NULL)
PRINT 'never'
GO
--@ source: documentation SET XACT_ABORT
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS trancount
GO
-- Conversions of text end the batch; arithmetic does not.
--@ source: message 245
BEGIN TRAN
SELECT 1/0 AS never
SELECT @@TRANCOUNT AS trancount
SELECT CAST('x' AS int) AS never
PRINT 'never'
GO
--@ source: message 8672
SELECT @@TRANCOUNT AS trancount
INSERT t VALUES (1)
BEGIN TRAN
MERGE t USING (VALUES (1, 2), (1, 3)) AS s (a, b) ON t.a = s.a WHEN MATCHED THEN UPDATE SET a = b;
PRINT 'never'
GO
--@ source: message 911
SELECT @@TRANCOUNT AS trancount
BEGIN TRAN
USE nowhere
PRINT 'never'
GO
-- A doomed transaction refuses what writes, and ends with the batch.
--@ source: message 3930
SELECT @@TRANCOUNT AS trancount
BEGIN TRAN
BEGIN TRY
    SELECT CAST('x' AS int) AS never
END TRY
BEGIN CATCH
    SELECT XACT_STATE() AS state
    INSERT t VALUES (2)
    SELECT COUNT(*) AS readable FROM t
    SELECT a INTO made FROM t
    DROP TABLE noted
    DECLARE @v TABLE (a int)
    INSERT @v SELECT a FROM t
    SELECT COUNT(*) AS written FROM @v
END CATCH
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS trancount
GO
-- A procedure that leaves another number of transactions.
--@ source: message 266
CREATE PROCEDURE opens AS BEGIN TRAN
GO
--@ source: message 266
EXEC opens
PRINT 'goes on'
ROLLBACK
BEGIN TRY
    EXEC opens
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, @@TRANCOUNT AS trancount, XACT_STATE() AS state
    ROLLBACK
END CATCH
GO
--@ source: documentation RAISERROR
RAISERROR('told', 1, 1) WITH SETERROR
SELECT @@ERROR AS error
RAISERROR('told', 1, 1)
SELECT @@ERROR AS error
GO
-- Mistakes that CREATE PROCEDURE finds, also beside names that are missing yet.
--@ source: message 137
CREATE PROCEDURE wrong AS
SELECT a FROM nowhere WHERE a = @undeclared
SET @other = 1
DELETE FROM @table
GO
--@ source: message 2715
CREATE PROCEDURE wrong AS
DECLARE @x nosuchtype
GO
--@ source: message 154
CREATE PROCEDURE wrong AS
USE master
GO
--@ source: message 135
CREATE PROCEDURE wrong AS
BREAK
GO
-- What is wrong keeps a transaction; nothing is created.
--@ source: message 137
BEGIN TRAN
GO
--@ source: message 137
CREATE PROCEDURE wrong AS PRINT @undeclared
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS trancount, OBJECT_ID('wrong') AS wrong
ROLLBACK
GO
-- In whose name.
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE as_caller WITH EXECUTE AS CALLER AS SELECT USER_NAME() AS who
GO
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE as_owner WITH EXECUTE AS OWNER AS SELECT USER_NAME() AS who
GO
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE as_dbo WITH EXECUTE AS 'dbo', RECOMPILE AS SELECT USER_NAME() AS who
GO
--@ source: message 15151
CREATE PROCEDURE as_nobody WITH EXECUTE AS 'nobody' AS SELECT USER_NAME() AS who
GO
--@ source: documentation EXECUTE AS clause
EXEC as_caller
EXEC as_owner
EXEC as_dbo
SELECT OBJECT_NAME(object_id) AS name, execute_as_principal_id FROM sys.sql_modules WHERE OBJECT_NAME(object_id) LIKE 'as[_]%' ORDER BY 1
GO
--@ source: reasoned
USE master
DROP DATABASE Consequences
GO
