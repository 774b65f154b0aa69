-- Temporary tables and table variables: scope, names in nested procedures, dynamic text, identity, SET options.
--@ source: reasoned
CREATE DATABASE ChangesTemp
GO
--@ source: documentation CREATE TABLE
USE ChangesTemp
CREATE TABLE #MyTempTable (col1 int PRIMARY KEY)
INSERT INTO #MyTempTable VALUES (1)
SELECT col1 FROM #MyTempTable
EXEC ('INSERT #MyTempTable VALUES (2) SELECT col1 FROM #MyTempTable ORDER BY 1')
EXEC ('CREATE TABLE #inner (a int)')
SELECT a FROM #inner
GO
--@ source: documentation CREATE TABLE
SELECT COUNT(*) AS n FROM #MyTempTable
SELECT COUNT(*) AS n FROM tempdb..#MyTempTable
SELECT COUNT(*) AS n FROM tempdb.dbo.#MyTempTable
SELECT COUNT(*) AS n FROM nosuchschema.#MyTempTable
USE master
SELECT COUNT(*) AS n FROM #MyTempTable
USE ChangesTemp
DROP TABLE #MyTempTable
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE dbo.Test2 AS
CREATE TABLE #t (x int PRIMARY KEY)
INSERT INTO #t VALUES (2)
SELECT x AS Test2Col FROM #t
GO
--@ source: documentation CREATE TABLE
CREATE PROCEDURE dbo.Test1 AS
CREATE TABLE #t (x int PRIMARY KEY)
INSERT INTO #t VALUES (1)
SELECT x AS Test1Col FROM #t
EXEC Test2
SELECT x AS Test1Again FROM #t
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #t (x int PRIMARY KEY)
INSERT INTO #t VALUES (99)
EXEC Test1
SELECT x FROM #t
DROP TABLE #t
GO
-- A procedure works on its caller's table.
--@ source: documentation CREATE TABLE
CREATE PROCEDURE fills AS INSERT #shared SELECT 5 UPDATE #shared SET a += 1 SELECT a FROM #shared
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #shared (a int)
EXEC fills
SELECT a AS mine FROM #shared
DROP TABLE #shared
EXEC fills
PRINT 'goes on'
GO
-- What a procedure drops is the nearest.
--@ source: documentation CREATE TABLE
CREATE PROCEDURE drops AS DROP TABLE #d SELECT OBJECT_ID('tempdb..#d') AS still
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #d (a int)
EXEC drops
SELECT a FROM #d
GO
--@ source: message 2714
CREATE TABLE #d (a int)
GO
--@ source: message 2714
CREATE TABLE #d (b int)
PRINT 'never'
GO
--@ source: documentation DROP TABLE
DROP TABLE IF EXISTS #d
DROP TABLE IF EXISTS #d
IF OBJECT_ID('tempdb..#d') IS NULL PRINT 'gone'
DROP TABLE #d
PRINT 'goes on'
GO
-- Created within a transaction.
--@ source: documentation CREATE TABLE
BEGIN TRAN
CREATE TABLE #x (a int IDENTITY)
INSERT #x DEFAULT VALUES
ROLLBACK
SELECT OBJECT_ID('tempdb..#x') AS x
SELECT a FROM #x
GO
--@ source: documentation CREATE TABLE
CREATE TABLE #x (a int IDENTITY, b int)
INSERT #x (b) VALUES (1), (2)
BEGIN TRAN
INSERT #x (b) VALUES (3)
DELETE #x WHERE b = 1
ROLLBACK
INSERT #x (b) VALUES (4)
SELECT a, b FROM #x ORDER BY a
TRUNCATE TABLE #x
INSERT #x (b) OUTPUT inserted.a, inserted.b VALUES (9)
ALTER TABLE #x ADD c varchar(5) NOT NULL DEFAULT 'c'
GO
--@ source: documentation CREATE TABLE
SELECT a, b, c FROM #x
CREATE INDEX ix ON #x (b)
CREATE UNIQUE INDEX ux ON #x (c)
INSERT #x (b) VALUES (10)
DROP TABLE #x
GO
-- SELECT INTO and dynamic text.
--@ source: documentation SELECT INTO
SELECT 1 AS a, 'x' AS b INTO #made
EXEC sp_executesql N'INSERT #made VALUES (@a, @b) SELECT a, b FROM #made ORDER BY a', N'@a int, @b varchar(5)', 2, 'y'
SELECT a, b INTO #made2 FROM #made WHERE a > 1
SELECT a, b FROM #made2
DROP TABLE #made, #made2
GO
-- Global ones.
--@ source: documentation CREATE TABLE
CREATE TABLE ##changes_global (a int)
EXEC ('INSERT ##changes_global VALUES (1)')
SELECT a FROM ##changes_global
SELECT a FROM tempdb..##changes_global
DROP TABLE ##changes_global
SELECT OBJECT_ID('tempdb..##changes_global') AS g
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE global_from_inside AS CREATE TABLE ##changes_global2 (a int) INSERT ##changes_global2 VALUES (1)
GO
--@ source: documentation CREATE TABLE
EXEC global_from_inside
SELECT a FROM ##changes_global2
DROP TABLE ##changes_global2
GO
-- Table variables.
--@ source: documentation table (Transact-SQL)
DECLARE @t TABLE (a int PRIMARY KEY, b varchar(5) DEFAULT 'b' UNIQUE, c int CHECK (c < 5), INDEX ix (c))
INSERT @t (a) VALUES (1)
INSERT @t (a, b, c) VALUES (2, 'x', 4)
UPDATE @t SET c = 3 WHERE a = 1
DELETE @t WHERE a = 2
SELECT a, b, c FROM @t
SELECT x.a FROM @t AS x WHERE x.c = 3
GO
--@ source: message 102
DECLARE @t TABLE (a int)
TRUNCATE TABLE @t
GO
--@ source: message 102
DECLARE @t TABLE (a int)
ALTER TABLE @t ADD b int
GO
--@ source: message 102
SELECT 1 AS a INTO @t
GO
--@ source: message 1087
DECLARE @t TABLE (a int)
EXEC ('SELECT a FROM @t')
GO
--@ source: documentation table (Transact-SQL)
DECLARE @t TABLE (a int)
DECLARE @n int = 5
INSERT @t VALUES (@n), (@n + 1)
SELECT [@t].a FROM @t WHERE [@t].a > 5
DELETE x FROM @t AS x WHERE x.a = 5
SELECT COUNT(*) AS n FROM @t
GO
-- Identity.
--@ source: documentation SCOPE_IDENTITY
CREATE TABLE i1 (i int IDENTITY(1, 1), a int)
CREATE TABLE i2 (i int IDENTITY(100, 5), a int)
CREATE TABLE plain (a int)
GO
--@ source: documentation SCOPE_IDENTITY
CREATE PROCEDURE into_i2 AS INSERT i2 (a) VALUES (1) SELECT SCOPE_IDENTITY() AS within
GO
--@ source: documentation SCOPE_IDENTITY
INSERT i1 (a) VALUES (1)
EXEC into_i2
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i, IDENT_CURRENT('i1') AS c1, IDENT_CURRENT('i2') AS c2
EXEC ('INSERT i1 (a) VALUES (2)')
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i
GO
--@ source: documentation @@IDENTITY
INSERT i1 (a) VALUES (5), (6), (7)
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i
GO
--@ source: message 544
INSERT i1 (i, a) VALUES (50, 1)
GO
--@ source: message 8101
INSERT i1 VALUES (50, 1)
GO
--@ source: documentation SET IDENTITY_INSERT
SET IDENTITY_INSERT i1 ON
INSERT i1 (i, a) VALUES (50, 1)
SELECT SCOPE_IDENTITY() AS s
SET IDENTITY_INSERT i2 ON
INSERT i1 (a) VALUES (1)
SET IDENTITY_INSERT i1 OFF
SET IDENTITY_INSERT i2 ON
SET IDENTITY_INSERT i2 OFF
INSERT i1 (a) VALUES (9)
SELECT MAX(i) AS m FROM i1
GO
--@ source: message 8106
SET IDENTITY_INSERT plain ON
GO
--@ source: message 1088
SET IDENTITY_INSERT nowhere ON
GO
--@ source: message 8101
SET IDENTITY_INSERT i1 ON
INSERT i1 VALUES (60, 1)
SET IDENTITY_INSERT i1 OFF
GO
--@ source: message 2744
CREATE TABLE bad (a int IDENTITY, b int IDENTITY)
GO
--@ source: message 2749
CREATE TABLE bad (a varchar(5) IDENTITY)
GO
--@ source: message 8147
CREATE TABLE bad (a int NULL IDENTITY)
GO
--@ source: message 2749
CREATE TABLE bad (a decimal(9, 2) IDENTITY)
GO
--@ source: documentation IDENTITY
CREATE TABLE dec_id (a decimal(5, 0) IDENTITY(-3, 2), b bigint)
INSERT dec_id (b) VALUES (1), (2), (3)
SELECT a FROM dec_id ORDER BY a
GO
--@ source: documentation DBCC CHECKIDENT
DBCC CHECKIDENT ('dec_id', NORESEED)
DBCC CHECKIDENT ('dec_id', RESEED, 100)
INSERT dec_id (b) OUTPUT inserted.a VALUES (9)
DELETE dec_id
DBCC CHECKIDENT ('dec_id')
DBCC CHECKIDENT ('plain')
GO
-- A failed insertion takes its value all the same.
--@ source: documentation IDENTITY
CREATE TABLE gap (i int IDENTITY, a int CONSTRAINT ck_gap CHECK (a > 0))
INSERT gap VALUES (1)
INSERT gap VALUES (-1)
INSERT gap VALUES (2)
SELECT i, a, SCOPE_IDENTITY() AS s FROM gap ORDER BY i
GO
-- SET options within a batch.
--@ source: documentation SET NOCOUNT
SET NOCOUNT ON
SELECT 1 AS one
INSERT plain VALUES (5)
SET NOCOUNT OFF
INSERT plain VALUES (6)
GO
--@ source: documentation SET ANSI_WARNINGS
SET ANSI_WARNINGS OFF
DECLARE @t TABLE (v varchar(3))
INSERT @t VALUES ('abcdef')
SELECT v, (SELECT SUM(a) FROM (VALUES (1), (NULL)) AS x(a)) AS s FROM @t
SET ANSI_WARNINGS ON
SELECT SUM(a) AS s FROM (VALUES (1), (NULL)) AS x(a)
GO
--@ source: documentation SET ANSI_NULLS
SET ANSI_NULLS OFF
SELECT COUNT(*) AS n FROM (VALUES (1), (NULL)) AS x(a) WHERE a = NULL
SELECT COUNT(*) AS n FROM (VALUES (1), (NULL)) AS x(a) WHERE a <> NULL
GO
--@ source: documentation SET ANSI_NULLS
SET ANSI_NULLS ON
SELECT COUNT(*) AS n FROM (VALUES (1), (NULL)) AS x(a) WHERE a = NULL
GO
--@ source: documentation SET CONCAT_NULL_YIELDS_NULL
SET CONCAT_NULL_YIELDS_NULL OFF
SELECT 'a' + NULL AS c
SET CONCAT_NULL_YIELDS_NULL ON
SELECT 'a' + NULL AS c
GO
--@ source: documentation SET FMTONLY
SET NOEXEC ON
SELECT 1 AS never
SET NOEXEC OFF
SELECT 1 AS one
GO
--@ source: message 195
SET NOSUCH ON
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesTemp
GO
