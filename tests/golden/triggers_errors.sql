-- Errors and transactions in the bodies of triggers.
--@ source: reasoned
CREATE DATABASE TriggersErrors
GO
--@ source: reasoned
USE TriggersErrors
CREATE TABLE dbo.t (n int)
CREATE TABLE dbo.log (what varchar(20) NOT NULL)
GO
-- An error that nobody catches ends the batch, and all is undone.
--@ source: reasoned
CREATE TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
INSERT dbo.log VALUES ('before')
INSERT dbo.log VALUES (NULL)
INSERT dbo.log VALUES ('behind')
GO
--@ source: documentation SET XACT_ABORT
INSERT dbo.t VALUES (1)
PRINT 'not reached'
GO
--@ source: documentation SET XACT_ABORT
SELECT (SELECT COUNT(*) FROM dbo.t) AS t, (SELECT COUNT(*) FROM dbo.log) AS log, @@TRANCOUNT AS transactions
BEGIN TRANSACTION
INSERT dbo.log VALUES ('outside')
INSERT dbo.t VALUES (1)
PRINT 'not reached'
GO
--@ source: documentation SET XACT_ABORT
SELECT (SELECT COUNT(*) FROM dbo.t) AS t, (SELECT COUNT(*) FROM dbo.log) AS log, @@TRANCOUNT AS transactions
GO
-- Caught by a TRY around the statement: the transaction is doomed.
--@ source: documentation TRY CATCH
BEGIN TRANSACTION
BEGIN TRY
    INSERT dbo.t VALUES (1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS name, ERROR_LINE() AS line, XACT_STATE() AS state, @@TRANCOUNT AS transactions
    ROLLBACK
END CATCH
GO
--@ source: documentation TRY CATCH
BEGIN TRY
    INSERT dbo.t VALUES (1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS name
END CATCH
SELECT (SELECT COUNT(*) FROM dbo.t) AS t, (SELECT COUNT(*) FROM dbo.log) AS log, @@TRANCOUNT AS transactions
GO
-- RAISERROR is told, and the rows stay.
--@ source: documentation RAISERROR
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
RAISERROR ('told', 16, 1)
PRINT 'goes on'
GO
--@ source: documentation RAISERROR
INSERT dbo.t VALUES (2)
PRINT 'reached'
SELECT n FROM dbo.t
GO
--@ source: documentation RAISERROR
BEGIN TRY
    INSERT dbo.t VALUES (3)
END TRY
BEGIN CATCH
    PRINT CONCAT('caught: ', ERROR_MESSAGE())
END CATCH
SELECT n FROM dbo.t
GO
-- THROW ends it as an error does.
--@ source: documentation THROW
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
IF EXISTS (SELECT * FROM inserted WHERE n > 9) THROW 50001, 'too many', 1
GO
--@ source: documentation THROW
INSERT dbo.t VALUES (9)
INSERT dbo.t VALUES (10)
PRINT 'not reached'
GO
--@ source: documentation THROW
SELECT n FROM dbo.t ORDER BY n
GO
-- ROLLBACK in the body: it goes on, and what it then writes stands by itself; the batch ends.
--@ source: message 3609
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
ROLLBACK
PRINT CONCAT('transactions: ', @@TRANCOUNT)
INSERT dbo.log VALUES ('behind a rollback')
GO
--@ source: message 3609
INSERT dbo.t VALUES (4)
PRINT 'not reached'
GO
--@ source: message 3609
BEGIN TRANSACTION
INSERT dbo.log VALUES ('outside')
INSERT dbo.t VALUES (5)
PRINT 'not reached'
GO
--@ source: message 3609
SELECT n FROM dbo.t ORDER BY n
SELECT what FROM dbo.log
SELECT @@TRANCOUNT AS transactions
GO
--@ source: message 3609
BEGIN TRY
    INSERT dbo.t VALUES (4)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS name, XACT_STATE() AS state
END CATCH
GO
-- COMMIT in the body: the same, but the work is done.
--@ source: message 3609
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS COMMIT
GO
--@ source: message 3609
INSERT dbo.t VALUES (6)
PRINT 'not reached'
GO
--@ source: message 3609
SELECT n FROM dbo.t ORDER BY n
GO
-- A body that ends the transaction and begins another.
--@ source: reasoned
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
COMMIT
BEGIN TRANSACTION
GO
--@ source: reasoned
INSERT dbo.t VALUES (7)
PRINT CONCAT('reached, transactions: ', @@TRANCOUNT)
GO
-- A savepoint of the body's own.
--@ source: documentation SAVE TRANSACTION
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
SET NOCOUNT ON
SAVE TRANSACTION s
INSERT dbo.log VALUES ('undone')
ROLLBACK TRANSACTION s
GO
--@ source: documentation SAVE TRANSACTION
INSERT dbo.t VALUES (8)
SELECT (SELECT COUNT(*) FROM dbo.t WHERE n = 8) AS t, (SELECT COUNT(*) FROM dbo.log WHERE what = 'undone') AS log
GO
-- An error that the body catches has doomed the transaction: 3616.
--@ source: message 3616
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
BEGIN TRY
    INSERT dbo.log VALUES (NULL)
END TRY
BEGIN CATCH
    PRINT CONCAT('state ', XACT_STATE())
END CATCH
GO
--@ source: message 3616
INSERT dbo.t VALUES (11)
PRINT 'not reached'
GO
--@ source: message 3616
ALTER TRIGGER dbo.t_fails ON dbo.t AFTER INSERT AS
SET XACT_ABORT OFF
BEGIN TRY
    INSERT dbo.log VALUES (NULL)
END TRY
BEGIN CATCH
    PRINT CONCAT('state ', XACT_STATE())
END CATCH
GO
--@ source: message 3616
INSERT dbo.t VALUES (12)
PRINT 'reached'
SELECT n FROM dbo.t WHERE n > 10
GO
-- OUTPUT without INTO is refused where a trigger is for the action; OUTPUT INTO a table with a trigger always is.
--@ source: message 334
INSERT dbo.t OUTPUT inserted.n VALUES (13)
GO
--@ source: message 334
DELETE dbo.t OUTPUT deleted.n WHERE n = 12
INSERT dbo.log OUTPUT inserted.what VALUES ('x')
GO
--@ source: message 331
INSERT dbo.log OUTPUT 1 INTO dbo.t VALUES ('x')
GO
--@ source: message 334
DISABLE TRIGGER dbo.t_fails ON dbo.t
GO
--@ source: message 334
INSERT dbo.t OUTPUT inserted.n VALUES (13)
INSERT dbo.log OUTPUT 1 INTO dbo.t VALUES ('x')
GO
-- What a body may not do.
--@ source: message 286
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS UPDATE inserted SET n = 1
GO
--@ source: message 286
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS DELETE FROM deleted
GO
--@ source: message 287
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS IF 1 = 1 CREATE DATABASE x
GO
--@ source: message 207
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS IF UPDATE(nope) PRINT 'x'
GO
--@ source: message 207
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS SELECT nope FROM inserted
GO
--@ source: message 178
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS RETURN 1
GO
--@ source: message 140
IF UPDATE(n) PRINT 'x'
GO
--@ source: message 208
SELECT * FROM inserted
GO
--@ source: message 1713
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS ALTER TABLE dbo.t ADD x int
GO
--@ source: message 1713
INSERT dbo.t VALUES (14)
GO
--@ source: message 1713
ALTER TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS DROP TABLE dbo.t
GO
--@ source: message 1713
INSERT dbo.t VALUES (14)
GO
--@ source: message 311
CREATE TABLE dbo.old (id int, x text)
GO
--@ source: message 311
CREATE TRIGGER dbo.old_read ON dbo.old AFTER INSERT AS SELECT x FROM inserted
GO
-- How a trigger is not made.
--@ source: message 8197
CREATE TRIGGER dbo.bad ON dbo.nothing AFTER INSERT AS PRINT 'x'
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT n FROM dbo.t
GO
--@ source: message 8197
CREATE TRIGGER dbo.bad ON dbo.v AFTER INSERT AS PRINT 'x'
GO
--@ source: message 167
CREATE TRIGGER dbo.bad ON #t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 1034
CREATE TRIGGER dbo.bad ON dbo.t AFTER INSERT, UPDATE, INSERT AS PRINT 'x'
GO
--@ source: message 1084
CREATE TRIGGER dbo.bad ON dbo.t AFTER CREATE_TABLE AS PRINT 'x'
GO
--@ source: message 2103
CREATE TRIGGER sys.bad ON dbo.t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 2108
CREATE TRIGGER dbo.bad ON master.dbo.t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 2110
ALTER TRIGGER dbo.t_other ON dbo.log AFTER INSERT AS PRINT 'x'
GO
--@ source: message 208
ALTER TRIGGER dbo.bad ON dbo.t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 2714
CREATE TRIGGER dbo.t_other ON dbo.t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 2714
CREATE TRIGGER dbo.log ON dbo.t AFTER INSERT AS PRINT 'x'
GO
--@ source: message 3701
DROP TRIGGER dbo.bad
GO
--@ source: message 3701
DROP TRIGGER IF EXISTS dbo.bad
DROP TABLE dbo.t_other
GO
--@ source: message 4920
ALTER TABLE dbo.t DISABLE TRIGGER t_other, bad
GO
--@ source: message 4921
ALTER TABLE dbo.log DISABLE TRIGGER t_other
GO
--@ source: message 1088
DISABLE TRIGGER t_other ON dbo.nothing
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER of_server ON ALL SERVER FOR LOGON AS PRINT 'x'
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersErrors
