-- What is found when a batch or module is compiled: nothing of it runs then.
--@ source: reasoned
CREATE TABLE early (a int NOT NULL, b varchar(10))
INSERT early VALUES (1, 'x')
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE early_column AS
PRINT 'never'
SELECT nope FROM early
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE early_each AS
INSERT early (a, nope) VALUES (1, 'x')
INSERT early VALUES (1)
UPDATE early SET nope = 1
DELETE early WHERE nope = 1
MERGE early AS t USING (SELECT 1 AS a) AS s ON t.nope = s.a WHEN MATCHED THEN DELETE;
SELECT b, COUNT(*) FROM early
INSERT early (a) SELECT CAST(0x01 AS xml)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE early_flow AS
IF EXISTS (SELECT nope FROM early WHERE nope = 1) PRINT 'x'
WHILE (SELECT MAX(missing) FROM early) > 1 BREAK
DECLARE @a int = (SELECT MAX(lost) FROM early)
SET @a = (SELECT MAX(gone) FROM early)
BEGIN TRY
    RETURN (SELECT MAX(away) FROM early)
END TRY
BEGIN CATCH
    DECLARE c CURSOR FOR SELECT hidden FROM early
END CATCH
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE early_function AS
SELECT nosuch(1)
SELECT dbo.nosuch(a) FROM early
GO
--@ source: documentation CREATE PROCEDURE
SELECT name FROM sys.procedures WHERE name LIKE 'early%'
GO
-- Tables that are missing may still come, temp tables of the procedure's own too; table variables are there.
--@ source: documentation CREATE PROCEDURE
CREATE TABLE #own (z int)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE early_deferred AS
DECLARE @t TABLE (a int, b int)
INSERT @t (a, b) SELECT a, 2 FROM early
SELECT nope FROM not_there_yet
CREATE TABLE #own (y int)
INSERT #own (y) SELECT a FROM @t
SELECT y FROM #own
GO
--@ source: documentation CREATE PROCEDURE
CREATE OR ALTER PROCEDURE early_deferred AS
CREATE TABLE #own (y int)
INSERT #own (y) SELECT a FROM early
SELECT y FROM #own
GO
--@ source: documentation CREATE TABLE
EXEC early_deferred
GO
--@ source: documentation CREATE PROCEDURE
ALTER PROCEDURE early_deferred AS
DECLARE @t TABLE (a int, b int)
SELECT c FROM @t
GO
--@ source: documentation CREATE PROCEDURE
ALTER PROCEDURE early_deferred AS SELECT nope FROM early
GO
--@ source: documentation CREATE PROCEDURE
EXEC early_deferred
GO
-- Undeclared variables beside a table that is missing.
--@ source: message 137
PRINT 'never'
SELECT @x
FROM not_there_yet
GO
--@ source: message 137
PRINT 'never'
IF EXISTS (SELECT * FROM not_there_yet WHERE a = @x) PRINT 'x'
UPDATE not_there_yet SET a = @y
DELETE not_there_yet WHERE a = @z
INSERT not_there_yet SELECT @v FROM early
INSERT @t SELECT 1 FROM not_there_yet
GO
--@ source: message 137
PRINT 'never'
USE tempdb
SELECT @x
GO
--@ source: message 137
DECLARE @x int = 1
EXEC ('SELECT @x FROM not_there_yet')
GO
--@ source: message 137
CREATE PROCEDURE early_variable AS SELECT @x FROM not_there_yet
GO
-- A condition with a query is bound with the rest.
--@ source: message 207
PRINT 'never'
IF EXISTS (SELECT * FROM early WHERE nope = 1) PRINT 'x'
GO
-- A temp table is made once.
--@ source: documentation CREATE TABLE
PRINT 'never'
CREATE TABLE #twice (a int)
DROP TABLE #twice
CREATE TABLE #Twice (b int)
GO
--@ source: documentation CREATE TABLE
PRINT 'never'
IF 1 = 1 SELECT 1 AS a INTO #twice
ELSE SELECT 2 AS a INTO #twice
GO
--@ source: documentation CREATE TABLE
PRINT 'never'
SELECT 1 AS a INTO tempdb..#twice
CREATE TABLE #twice (a int)
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE early_twice AS
SELECT 1 AS a INTO #twice
DROP TABLE #twice
SELECT 2 AS a INTO #twice
GO
--@ source: documentation CREATE TABLE
EXEC ('PRINT ''never'' CREATE TABLE #twice (a int) CREATE TABLE #twice (a int)')
EXEC sp_executesql N'SELECT 1 AS a INTO #twice SELECT 2 AS a INTO #twice'
PRINT 'after'
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #twice (a int)
EXEC ('CREATE TABLE #twice (b int) SELECT COUNT(*) AS inner_rows FROM #twice')
DROP TABLE #twice
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #twice (a int)
DROP TABLE #twice
GO
--@ source: reasoned
DROP TABLE early
DROP PROCEDURE early_deferred
GO
