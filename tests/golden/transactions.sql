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
