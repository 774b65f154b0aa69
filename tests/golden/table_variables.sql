-- Table variables: outside the transaction, and there from the beginning of the module.
--@ source: reasoned
CREATE DATABASE Outside
GO
--@ source: documentation table (Transact-SQL)
USE Outside
DECLARE @t TABLE (a int)
BEGIN TRAN
INSERT @t VALUES (1)
ROLLBACK
SELECT COUNT(*) AS kept FROM @t
GO
-- Declared, filled, changed and emptied within the transaction.
--@ source: documentation table (Transact-SQL)
BEGIN TRAN
DECLARE @t TABLE (a int IDENTITY PRIMARY KEY, b varchar(max), c int UNIQUE)
INSERT @t (b, c) VALUES ('one', 1), ('two', 2), ('three', 3)
SAVE TRAN here
UPDATE @t SET b = REPLICATE(CAST('x' AS varchar(max)), 20000) WHERE a = 2
DELETE @t WHERE a = 3
ROLLBACK TRAN here
SELECT a, LEN(b) AS length FROM @t ORDER BY a
ROLLBACK
INSERT @t (b, c) VALUES ('four', 3)
SELECT a, LEN(b) AS length FROM @t ORDER BY a
SELECT @@TRANCOUNT AS trancount
GO
-- A failed statement is undone whole, others stay.
--@ source: documentation table (Transact-SQL)
DECLARE @t TABLE (a int PRIMARY KEY)
BEGIN TRAN
INSERT @t VALUES (1)
BEGIN TRY
    INSERT @t VALUES (2), (1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state
END CATCH
COMMIT
SELECT a FROM @t
GO
-- A statement that changes a table and a variable: both or none.
--@ source: reasoned
CREATE TABLE base (a int PRIMARY KEY)
INSERT base VALUES (1), (2)
GO
--@ source: reasoned
DECLARE @gone TABLE (a int CHECK (a < 2))
BEGIN TRAN
BEGIN TRY
    DELETE base OUTPUT deleted.a INTO @gone
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state
END CATCH
SELECT COUNT(*) AS rows_left FROM base
ROLLBACK
SELECT COUNT(*) AS gone FROM @gone
GO
--@ source: documentation table (Transact-SQL)
DECLARE @gone TABLE (a int)
BEGIN TRAN
DELETE base OUTPUT deleted.a INTO @gone
ROLLBACK
SELECT (SELECT COUNT(*) FROM base) AS base, (SELECT COUNT(*) FROM @gone) AS gone
GO
-- Beside temp tables of the same transaction.
--@ source: documentation table (Transact-SQL)
BEGIN TRAN
CREATE TABLE #mine (a int)
INSERT #mine VALUES (1), (2)
DECLARE @t TABLE (a int)
INSERT @t SELECT a FROM #mine
INSERT #mine SELECT a + 10 FROM @t
SELECT (SELECT COUNT(*) FROM #mine) AS mine, (SELECT COUNT(*) FROM @t) AS t
ROLLBACK
SELECT OBJECT_ID('tempdb..#mine') AS mine, (SELECT COUNT(*) FROM @t) AS t
GO
-- What is gathered for the log outlives the transaction.
--@ source: documentation TRY...CATCH
DECLARE @log TABLE (number int, text nvarchar(100))
SET XACT_ABORT ON
BEGIN TRY
    BEGIN TRAN
    INSERT base VALUES (3)
    INSERT @log VALUES (0, 'begun')
    INSERT base VALUES (1)
END TRY
BEGIN CATCH
    INSERT @log VALUES (ERROR_NUMBER(), 'failed')
    SELECT XACT_STATE() AS state
    ROLLBACK
END CATCH
SET XACT_ABORT OFF
SELECT number, text FROM @log
SELECT COUNT(*) AS base FROM base
GO
-- A cursor, MERGE, INSERT … EXEC, SET IMPLICIT_TRANSACTIONS.
--@ source: documentation table (Transact-SQL)
DECLARE @t TABLE (a int PRIMARY KEY, b int)
SET IMPLICIT_TRANSACTIONS ON
INSERT @t VALUES (1, 1), (2, 2)
INSERT base VALUES (9)
MERGE @t AS t USING (VALUES (2, 20), (3, 30)) AS s (a, b) ON t.a = s.a
WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b);
INSERT @t EXEC ('SELECT 4, 40')
ROLLBACK
SET IMPLICIT_TRANSACTIONS OFF
SELECT a, b FROM @t ORDER BY a
SELECT COUNT(*) AS base FROM base
GO
-- Declarations hold from where they stand, executed or not.
--@ source: documentation DECLARE @local_variable
IF 1 = 0 BEGIN DECLARE @u TABLE (a int), @n int = 5 END
SELECT COUNT(*) AS rows_of_u FROM @u
GO
--@ source: documentation DECLARE @local_variable
IF 1 = 0 DECLARE @n int = 5
SELECT @n AS n
GO
--@ source: documentation DECLARE @local_variable
DECLARE @i int = 0
WHILE @i < 3
BEGIN
    DECLARE @seen TABLE (i int)
    INSERT @seen VALUES (@i)
    SET @i += 1
END
SELECT COUNT(*) AS seen FROM @seen
GO
--@ source: message 1087
SELECT 1 AS never
SELECT a FROM @later
DECLARE @later TABLE (a int)
GO
-- Mistakes are told before anything runs.
--@ source: message 207
PRINT 'never'
DECLARE @t TABLE (a int)
SELECT b FROM @t
GO
--@ source: message 2715
PRINT 'never'
DECLARE @t TABLE (a nosuchtype)
GO
-- One of a procedure, called in a transaction that is rolled back inside.
--@ source: reasoned
CREATE PROCEDURE rolls_back AS
DECLARE @t TABLE (a int)
INSERT @t VALUES (1), (2)
ROLLBACK
SELECT COUNT(*) AS kept FROM @t
BEGIN TRAN
GO
--@ source: reasoned
BEGIN TRAN
EXEC rolls_back
ROLLBACK
GO
--@ source: reasoned
USE master
DROP DATABASE Outside
GO
