-- Errors that come from within: dynamic text, nested procedures, rethrown; @@ERROR behind each; formats of RAISERROR.
--@ source: reasoned
CREATE DATABASE ChangesNested
GO
--@ source: reasoned
USE ChangesNested
GO
--@ source: reasoned
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int)
INSERT t VALUES (1, 1), (2, 2)
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
 BEGIN TRAN
 UPDATE t SET b = 5
 EXEC ('SELECT * FROM nowhere')
 COMMIT
END TRY
BEGIN CATCH
 SELECT ERROR_NUMBER() AS n, XACT_STATE() AS x
 ROLLBACK
END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
 BEGIN TRAN
 ALTER TABLE t ADD b int
 COMMIT
END TRY
BEGIN CATCH
 SELECT ERROR_NUMBER() AS n, XACT_STATE() AS x, @@TRANCOUNT AS c
 IF @@TRANCOUNT > 0 ROLLBACK
END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
 EXEC sp_executesql N'SELECT nope FROM t'
END TRY
BEGIN CATCH
 PRINT ERROR_MESSAGE()
END CATCH
GO
--@ source: documentation TRY...CATCH
BEGIN TRY
 SELECT nope FROM t
END TRY
BEGIN CATCH
 PRINT 'never'
END CATCH
GO
--@ source: message 156
PRINT 'a'
SELECT 1 +
PRINT 'b'
GO
--@ source: documentation THROW
BEGIN TRY
 INSERT t VALUES (1, 1)
END TRY
BEGIN CATCH
 DECLARE @m nvarchar(2048) = CONCAT('E', ERROR_NUMBER(), ':', ERROR_LINE());
 THROW 50001, @m, 1;
END CATCH
GO
--@ source: documentation THROW
BEGIN TRY
 THROW 50001, 'one', 1
END TRY
BEGIN CATCH
 THROW 50002, 'two', 2
END CATCH
GO
--@ source: reasoned
CREATE PROCEDURE lvl3 AS RAISERROR('deep', 16, 1) PRINT 'after raiserror'
GO
--@ source: reasoned
CREATE PROCEDURE lvl2 AS EXEC lvl3 PRINT 'after lvl3'
GO
--@ source: documentation ERROR_PROCEDURE
EXEC lvl2
BEGIN TRY EXEC lvl2 END TRY BEGIN CATCH SELECT ERROR_PROCEDURE() AS p END CATCH
GO
--@ source: reasoned
CREATE PROCEDURE lvl1 AS BEGIN TRY EXEC lvl2 END TRY BEGIN CATCH PRINT 'caught in lvl1'; THROW; END CATCH
GO
--@ source: documentation THROW
BEGIN TRY EXEC lvl1 END TRY BEGIN CATCH SELECT ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, ERROR_MESSAGE() AS m END CATCH
EXEC lvl1
GO
--@ source: reasoned
CREATE PROCEDURE aborts AS SELECT CAST('x' AS int) PRINT 'never'
GO
--@ source: message 245
EXEC aborts
PRINT 'never either'
GO
--@ source: message 245
BEGIN TRAN
EXEC aborts
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS c
GO
--@ source: reasoned
CREATE PROCEDURE shows AS BEGIN TRY SELECT 1/0 END TRY BEGIN CATCH PRINT CONCAT('inner ', ERROR_NUMBER()) END CATCH PRINT CONCAT('outer ', ERROR_NUMBER())
GO
--@ source: documentation ERROR_NUMBER
BEGIN TRY INSERT t VALUES (1, 1) END TRY BEGIN CATCH EXEC shows PRINT ERROR_NUMBER() END CATCH
GO
--@ source: documentation @@ERROR
INSERT t VALUES (1, 1)
SELECT @@ERROR AS e
SELECT @@ERROR AS e
GO
--@ source: documentation @@ERROR
INSERT t VALUES (1, 1)
IF @@ERROR <> 0 PRINT 'failed'
IF @@ERROR <> 0 PRINT 'never'
GO
--@ source: documentation @@ERROR
UPDATE t SET b = NULL WHERE a = 1
EXEC ('INSERT t VALUES (1, 1)')
SELECT @@ERROR AS e, @@ROWCOUNT AS r
GO
--@ source: documentation sp_executesql
EXEC sp_executesql N'INSERT t VALUES (1, 1) SELECT 1 AS one'
SELECT @@ERROR AS e
GO
--@ source: documentation @@ERROR
DECLARE @e int
INSERT t VALUES (1, 1)
SELECT @e = @@ERROR, @e = @e + 1
SELECT @e
GO
--@ source: documentation RAISERROR
RAISERROR('%5d|%-5d|%.3s|%5.2s|%*d', 10, 1, 42, 42, 'abcdef', 'abcdef', 6, 42)
GO
--@ source: documentation RAISERROR
DECLARE @m varchar(5000) = REPLICATE('x', 3000)
BEGIN TRY RAISERROR(@m, 16, 1) END TRY BEGIN CATCH SELECT LEN(ERROR_MESSAGE()) AS l, RIGHT(ERROR_MESSAGE(), 5) AS r END CATCH
GO
--@ source: message 2747
RAISERROR('a', 16, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
GO
--@ source: message 102
PRINT 'a', 'b'
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesNested
GO
