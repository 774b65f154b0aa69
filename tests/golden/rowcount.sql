-- SET ROWCOUNT: every statement stops after so many rows, at once and in its scope.
--@ source: reasoned
CREATE DATABASE Counted
GO
--@ source: reasoned
USE Counted
CREATE TABLE three (a int NOT NULL, b int NULL)
INSERT three VALUES (1, 1), (1, 1), (1, 1)
CREATE TABLE keyed (a int NOT NULL PRIMARY KEY, b int NULL)
INSERT keyed VALUES (1, 0), (2, 0), (3, 0), (4, 0)
CREATE TABLE other (a int NOT NULL, b int NULL)
GO
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 1
DELETE three
SELECT @@ROWCOUNT AS deleted
SET ROWCOUNT 0
SELECT COUNT(*) AS rows_left FROM three
GO
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 2
UPDATE keyed SET b = 1
SELECT @@ROWCOUNT AS updated
UPDATE keyed SET a = a + 100
SELECT @@ROWCOUNT AS moved
SET ROWCOUNT 0
SELECT COUNT(*) AS changed FROM keyed WHERE b = 1
UPDATE keyed SET a = a - 100 WHERE a > 100
GO
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 1
INSERT other SELECT a, b FROM three
INSERT other VALUES (7, 7), (8, 8)
SELECT a, b INTO made FROM keyed
DECLARE @seen int = 0
SELECT @seen = @seen + 1 FROM keyed
SELECT @seen AS seen
SET ROWCOUNT 0
SELECT (SELECT COUNT(*) FROM other) AS other, (SELECT COUNT(*) FROM made) AS made
GO
-- The smaller of TOP and ROWCOUNT counts.
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 2
SELECT TOP (3) a FROM keyed ORDER BY a
SELECT TOP (1) a FROM keyed ORDER BY a
DELETE TOP (1) FROM other
SELECT @@ROWCOUNT AS deleted
INSERT TOP (3) other SELECT a, b FROM keyed
SELECT @@ROWCOUNT AS inserted
SET ROWCOUNT 0
GO
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 1
MERGE keyed AS t USING (VALUES (3, 30), (4, 40), (5, 50)) AS s (a, b) ON t.a = s.a
WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b);
SELECT @@ROWCOUNT AS merged
SET ROWCOUNT 0
GO
-- Rows of a procedure, each result by itself, and then the INSERT.
--@ source: reasoned
CREATE PROCEDURE two_results AS SELECT a, b FROM three SELECT a, b FROM keyed
GO
--@ source: reasoned
TRUNCATE TABLE other
SET ROWCOUNT 1
INSERT other EXEC two_results
SELECT @@ROWCOUNT AS inserted
SET ROWCOUNT 0
SELECT COUNT(*) AS other FROM other
GO
-- A procedure's own setting ends with it.
--@ source: documentation SET ROWCOUNT
CREATE PROCEDURE sets AS SET ROWCOUNT 1 SELECT a FROM keyed
GO
--@ source: documentation SET ROWCOUNT
EXEC sets
SELECT a FROM keyed ORDER BY a
GO
-- Copies of rows are limited when they are made; a subquery is not.
--@ source: documentation SET ROWCOUNT
SET ROWCOUNT 2
DECLARE copied CURSOR STATIC LOCAL FOR SELECT a FROM keyed
OPEN copied
SELECT @@CURSOR_ROWS AS cursor_rows
CLOSE copied
SELECT COUNT(*) AS counted FROM keyed
SET ROWCOUNT 0
GO
-- A table variable and the rows that OUTPUT hands on.
--@ source: documentation SET ROWCOUNT
DECLARE @t TABLE (a int)
INSERT @t VALUES (1), (2), (3)
DECLARE @gone TABLE (a int)
SET ROWCOUNT 2
DELETE @t OUTPUT deleted.a INTO @gone
SET ROWCOUNT 0
SELECT (SELECT COUNT(*) FROM @t) AS t, (SELECT COUNT(*) FROM @gone) AS gone
GO
--@ source: reasoned
USE master
DROP DATABASE Counted
GO
