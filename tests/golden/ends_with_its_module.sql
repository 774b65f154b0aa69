-- SET options, identity values, errors and temporary tables end with the module that has set, met or made them.
--@ source: reasoned
CREATE DATABASE EndsWithIt
GO
--@ source: reasoned
USE EndsWithIt
CREATE TABLE t (id int IDENTITY, a int)
GO
--@ source: documentation SET Statements
EXEC ('SET IDENTITY_INSERT t ON INSERT t (id, a) VALUES (10, 1)')
INSERT t (id, a) VALUES (11, 1)
GO
--@ source: documentation SET Statements
EXEC sp_executesql N'SET IDENTITY_INSERT t ON SET DATEFIRST 3 INSERT t (id, a) VALUES (12, 1) SELECT @@DATEFIRST AS inside'
SELECT @@DATEFIRST AS outside
INSERT t (id, a) VALUES (13, 1)
GO
--@ source: documentation SET Statements
CREATE PROCEDURE sets AS SET IDENTITY_INSERT t ON SET DATEFIRST 5 INSERT t (id, a) VALUES (14, 1) RETURN
GO
--@ source: documentation SET Statements
EXEC sets
SELECT @@DATEFIRST AS outside
INSERT t (id, a) VALUES (15, 1)
GO
--@ source: documentation SET IDENTITY_INSERT
SET IDENTITY_INSERT t ON
EXEC ('INSERT t (id, a) VALUES (20, 1) SET IDENTITY_INSERT t OFF')
INSERT t (id, a) VALUES (21, 1)
SET IDENTITY_INSERT t OFF
SELECT id FROM t ORDER BY id
GO
--@ source: documentation SCOPE_IDENTITY
INSERT t (a) VALUES (2)
EXEC ('SELECT SCOPE_IDENTITY() AS before INSERT t (a) VALUES (3) SELECT SCOPE_IDENTITY() AS inside')
SELECT SCOPE_IDENTITY() AS outside, @@IDENTITY AS last
GO
--@ source: documentation ERROR_NUMBER
CREATE PROCEDURE looks AS
SELECT ERROR_NUMBER() AS callers
BEGIN TRY DECLARE @x int = 1 / 0 END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS own, ERROR_PROCEDURE() AS named END CATCH
SELECT ERROR_NUMBER() AS callers
GO
--@ source: documentation ERROR_NUMBER
BEGIN TRY THROW 50001, 'outside', 1 END TRY
BEGIN CATCH EXEC looks SELECT ERROR_NUMBER() AS callers END CATCH
SELECT ERROR_NUMBER() AS none
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE begins AS CREATE TABLE #mine (a int) BEGIN TRAN INSERT #mine VALUES (1)
GO
--@ source: documentation CREATE TABLE
EXEC begins
ROLLBACK
SELECT OBJECT_ID('tempdb..#mine') AS gone, @@TRANCOUNT AS open_transactions
GO
--@ source: documentation ORIGINAL_LOGIN
EXEC ('SELECT SUSER_NAME() AS login, USER_NAME() AS [user], ORIGINAL_LOGIN() AS original')
GO
--@ source: reasoned
USE master
DROP DATABASE EndsWithIt
GO
