-- 266, WITH MARK, names from variables.
--@ source: reasoned
CREATE TABLE t1 (a int)
GO
--@ source: documentation BEGIN TRANSACTION
BEGIN TRAN T1
BEGIN TRAN M2 WITH MARK
COMMIT
COMMIT
GO
--@ source: reasoned
CREATE PROCEDURE commits AS COMMIT PRINT 'after'
GO
--@ source: reasoned
CREATE PROCEDURE rolls AS ROLLBACK PRINT 'after'
GO
--@ source: reasoned
CREATE PROCEDURE begins AS BEGIN TRAN PRINT 'begun'
GO
--@ source: reasoned
CREATE PROCEDURE deeper AS BEGIN TRAN EXEC begins COMMIT
GO
--@ source: documentation BEGIN TRANSACTION
DECLARE @long varchar(60) = 'abcdefghijklmnopqrstuvwxyz1234567890'
BEGIN TRAN @long
ROLLBACK TRAN abcdefghijklmnopqrstuvwxyz123456
SELECT @@TRANCOUNT AS n
GO
--@ source: message 266
EXEC begins
SELECT @@TRANCOUNT AS n, @@ERROR AS e
EXEC commits
SELECT @@TRANCOUNT AS n
GO
--@ source: message 266
BEGIN TRAN
EXEC rolls
SELECT @@TRANCOUNT AS n
EXEC commits
EXEC rolls
GO
--@ source: message 266
DECLARE @r int
EXEC @r = deeper
SELECT @@TRANCOUNT AS n
ROLLBACK
GO
-- Dynamic text is counted in the same way, a batch is not.
--@ source: message 266
EXEC ('BEGIN TRAN')
SELECT @@TRANCOUNT AS n
EXEC sp_executesql N'COMMIT'
SELECT @@TRANCOUNT AS n
GO
--@ source: reasoned
DROP PROCEDURE commits, rolls, begins, deeper
DROP TABLE t1
GO
--@ source: message 574
BEGIN TRAN
DROP DATABASE nowhere
ROLLBACK
GO
