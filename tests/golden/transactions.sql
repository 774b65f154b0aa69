-- Names, nesting, savepoints, statement rollback, XACT_ABORT, and the matrix of delayed durability.
CREATE DATABASE GoldenTransactions
GO
USE GoldenTransactions
CREATE TABLE t (i int NOT NULL PRIMARY KEY, v varchar(10))
GO
BEGIN TRAN outermost
INSERT t VALUES (1, 'one')
BEGIN TRAN
INSERT t VALUES (2, 'two')
SELECT @@TRANCOUNT AS nested
COMMIT
SELECT @@TRANCOUNT AS after_inner_commit
SAVE TRAN sp
INSERT t VALUES (3, 'three')
ROLLBACK TRAN sp
SELECT @@TRANCOUNT AS after_savepoint, COUNT(*) AS rows_left FROM t
COMMIT TRAN outermost
SELECT i, v FROM t ORDER BY i
GO
-- A failing statement undoes itself alone.
BEGIN TRAN
INSERT t VALUES (4, 'four'), (4, 'again')
INSERT t VALUES (5, 'five')
COMMIT
SELECT i FROM t ORDER BY i
GO
SET XACT_ABORT ON
BEGIN TRAN
INSERT t VALUES (6, 'six')
INSERT t VALUES (6, 'again')
SELECT 'not reached'
GO
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS open_transactions, COUNT(*) AS row_count FROM t
GO
ROLLBACK
GO
COMMIT
GO
BEGIN TRAN a
ROLLBACK TRAN nosuch
SELECT @@TRANCOUNT AS still_open
ROLLBACK
GO
-- TRUNCATE and DDL are transactional.
BEGIN TRAN
TRUNCATE TABLE t
CREATE TABLE u (i int)
SELECT COUNT(*) AS truncated FROM t
ROLLBACK
SELECT COUNT(*) AS back FROM t
SELECT OBJECT_ID('u') AS undone
GO
ALTER DATABASE GoldenTransactions SET DELAYED_DURABILITY = ALLOWED
BEGIN TRAN INSERT t VALUES (10, 'lazy') COMMIT WITH (DELAYED_DURABILITY = ON)
SELECT delayed_durability, delayed_durability_desc FROM sys.databases WHERE name = 'GoldenTransactions'
ALTER DATABASE GoldenTransactions SET DELAYED_DURABILITY = FORCED
INSERT t VALUES (11, 'forced')
EXEC sys.sp_flush_log
SELECT i, v FROM t WHERE i >= 10 ORDER BY i
GO
BEGIN TRY
    INSERT t VALUES (10, 'twice')
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_LINE() AS line, ERROR_MESSAGE() AS message
END CATCH
GO
GO
-- A transaction cannot be ended from inside an INSERT … EXEC; one that is begun there can.
CREATE PROCEDURE dbo.ends_by_rollback AS SELECT 1 ROLLBACK SELECT 2
GO
CREATE PROCEDURE dbo.ends_by_commit AS SELECT 1 COMMIT SELECT 2
GO
CREATE PROCEDURE dbo.has_its_own AS BEGIN TRAN SELECT 3 COMMIT
GO
CREATE TABLE dbo.captured (n int)
GO
-- Both end the batch and the transaction.
BEGIN TRAN
INSERT dbo.captured EXEC dbo.ends_by_rollback
SELECT 'not reached'
GO
SELECT @@TRANCOUNT AS trancount, COUNT(*) AS rows FROM dbo.captured
BEGIN TRAN
INSERT dbo.captured EXEC dbo.ends_by_commit
SELECT 'not reached'
GO
SELECT @@TRANCOUNT AS trancount, COUNT(*) AS rows FROM dbo.captured
BEGIN TRAN
INSERT dbo.captured EXEC dbo.has_its_own
COMMIT
SELECT @@TRANCOUNT AS trancount, n FROM dbo.captured
GO
DROP PROCEDURE dbo.ends_by_rollback, dbo.ends_by_commit, dbo.has_its_own
DROP TABLE dbo.captured
GO
-- What a statement begins under IMPLICIT_TRANSACTIONS is named so.
CREATE TABLE dbo.implied (n int)
GO
SET IMPLICIT_TRANSACTIONS ON
INSERT dbo.implied VALUES (1)
SELECT a.name FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID
COMMIT
SET IMPLICIT_TRANSACTIONS OFF
DROP TABLE dbo.implied
GO
