-- INSERT in all its forms: values, defaults, queries, TOP, column lists, what is wrong about them.
--@ source: reasoned
CREATE DATABASE ChangesInsert
GO
--@ source: documentation INSERT
USE ChangesInsert
CREATE TABLE UnitMeasure (UnitMeasureCode nchar(3) NOT NULL PRIMARY KEY, Name nvarchar(50) NOT NULL, ModifiedDate date NOT NULL DEFAULT '20080414')
INSERT INTO UnitMeasure VALUES (N'FT', N'Feet', '20080414')
INSERT INTO UnitMeasure VALUES (N'FT2', N'Square Feet ', '20080923'), (N'Y', N'Yards', '20080923'), (N'Y3', N'Cubic Yards', '20080923')
INSERT INTO UnitMeasure (Name, UnitMeasureCode, ModifiedDate) VALUES (N'Square Yards', N'Y2', GETDATE() - GETDATE() + '20080923')
SELECT UnitMeasureCode, Name, ModifiedDate FROM UnitMeasure ORDER BY 1
GO
--@ source: documentation INSERT
CREATE TABLE T1 (column_1 int IDENTITY, column_2 varchar(30) CONSTRAINT default_name DEFAULT ('my column default'), column_3 int NULL, column_4 varchar(40))
INSERT INTO T1 (column_4) VALUES ('Explicit value')
INSERT INTO T1 (column_2, column_4) VALUES ('Explicit value', 'Explicit value')
INSERT INTO T1 (column_2) VALUES ('Explicit value')
INSERT INTO T1 DEFAULT VALUES
SELECT column_1, column_2, column_3, column_4 FROM T1 ORDER BY column_1
GO
-- DEFAULT in a row, for a column without one too.
--@ source: documentation INSERT
INSERT T1 VALUES (DEFAULT, DEFAULT, DEFAULT), ('x', 5, DEFAULT), (NULL, NULL, NULL)
SELECT column_2, column_3, column_4 FROM T1 WHERE column_1 > 4 ORDER BY column_1
GO
--@ source: message 156
INSERT T1 (column_3) VALUES (DEFAULT + 1)
GO
--@ source: message 515
CREATE TABLE n (a int NOT NULL, b int NOT NULL DEFAULT 7, c int)
INSERT n (a, b) VALUES (1, DEFAULT)
INSERT n (a) VALUES (DEFAULT)
INSERT n (c) VALUES (1)
INSERT n DEFAULT VALUES
INSERT n (a, b) VALUES (2, NULL)
SELECT a, b, c FROM n
GO
--@ source: message 213
INSERT n VALUES (1, 2)
GO
--@ source: message 213
INSERT n SELECT 1, 2, 3, 4
GO
--@ source: message 109
INSERT n (a, b, c) VALUES (1, 2)
GO
--@ source: message 110
INSERT n (a, b) VALUES (1, 2, 3)
GO
--@ source: message 120
INSERT n (a, b, c) SELECT 1, 2
GO
--@ source: message 121
INSERT n (a) SELECT 1, 2
GO
--@ source: message 264
INSERT n (a, b, a) VALUES (1, 2, 3)
GO
--@ source: message 207
INSERT n (a, nowhere) VALUES (1, 2)
GO
--@ source: message 10709
INSERT n (a, b) VALUES (1, 2), (3)
GO
--@ source: message 8152
CREATE TABLE s (v varchar(3), n nchar(2), b binary(2), t tinyint, d decimal(4, 1), m smallmoney)
INSERT s (v) VALUES ('abcd')
INSERT s (n) VALUES (N'abc')
INSERT s (b) VALUES (0x010203)
INSERT s (t) VALUES (256)
INSERT s (t) VALUES (-1)
INSERT s (d) VALUES (1000)
SELECT COUNT(*) AS n FROM s
GO
-- Blanks and zeroes at the end are let go.
--@ source: reasoned
INSERT s (v, n, b) VALUES ('abc   ', N'a', 0x01), ('a  ', N'ab  ', 0x0102)
INSERT s (d) VALUES (999.94), (-0.05), ('12.34')
SELECT v + '|' AS v, n, b, d FROM s
GO
--@ source: message 245
INSERT s (t) VALUES (1), ('x')
GO
-- The rows of VALUES have one type.
--@ source: documentation Table Value Constructor
INSERT s (v) VALUES ('a'), (1)
GO
--@ source: documentation Table Value Constructor
TRUNCATE TABLE s
INSERT s (v) VALUES ('12'), (1)
SELECT v FROM s
GO
--@ source: documentation Table Value Constructor
TRUNCATE TABLE s
INSERT s (t) VALUES ((SELECT MAX(a) FROM n)), ((SELECT b FROM n WHERE 1 = 0))
INSERT s (v) VALUES (CASE WHEN 1 = 1 THEN 'c' END), (CAST(2 AS varchar(3)))
SELECT t, v FROM s
GO
--@ source: message 512
INSERT s (t) VALUES ((SELECT column_1 FROM T1))
GO
--@ source: documentation TOP
CREATE TABLE tops (a int)
INSERT TOP (2) INTO tops SELECT column_1 FROM T1 ORDER BY column_1 DESC
SELECT COUNT(*) AS n FROM tops
TRUNCATE TABLE tops
INSERT INTO tops SELECT TOP (2) column_1 FROM T1 ORDER BY column_1 DESC
SELECT a FROM tops ORDER BY a
GO
--@ source: documentation TOP
TRUNCATE TABLE tops
INSERT TOP (0) tops SELECT 1
SELECT @@ROWCOUNT AS n
INSERT TOP (1) tops (a) VALUES (100), (200)
SELECT @@ROWCOUNT AS n
GO
--@ source: message 127
INSERT TOP (-1) tops SELECT 1
GO
--@ source: documentation INSERT
WITH c (x, y) AS (SELECT column_1, column_4 FROM T1 WHERE column_4 IS NOT NULL)
INSERT INTO s (t, v) OUTPUT inserted.t, inserted.v SELECT x, LEFT(y, 3) FROM c
GO
-- A table into itself.
--@ source: reasoned
TRUNCATE TABLE tops
INSERT tops VALUES (1), (2)
INSERT tops SELECT a + 10 FROM tops
INSERT tops SELECT a + 100 FROM tops WHERE a < 20
SELECT a FROM tops ORDER BY a
GO
--@ source: documentation INSERT
INSERT tops EXECUTE ('SELECT 7 SELECT 8 WHERE 1 = 0 SELECT 9')
SELECT @@ROWCOUNT AS n
INSERT tops EXEC sp_executesql N'SELECT @a UNION ALL SELECT @a + 1', N'@a int', 70
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation INSERT
INSERT tops DEFAULT VALUES
SELECT COUNT(*) AS n, COUNT(a) AS not_null FROM tops
INSERT tops OUTPUT inserted.a DEFAULT VALUES
GO
--@ source: message 208
INSERT nowhere VALUES (1)
GO
--@ source: documentation INSERT
INSERT ChangesInsert.dbo.tops VALUES (5)
INSERT dbo.tops WITH (TABLOCK) (a) VALUES (6)
INSERT INTO [tops] WITH (ROWLOCK, HOLDLOCK) SELECT 7
GO
--@ source: reasoned
INSERT sys.objects (name) VALUES ('x')
GO
-- A failing row undoes the statement, not what was before it; @@ROWCOUNT is 0.
--@ source: reasoned
TRUNCATE TABLE tops
ALTER TABLE tops ADD CONSTRAINT small CHECK (a < 10)
INSERT tops VALUES (1)
INSERT tops VALUES (2), (3), (10)
SELECT @@ROWCOUNT AS n, @@ERROR AS error
SELECT a FROM tops
GO
--@ source: reasoned
INSERT tops VALUES (4), (1/0)
SELECT @@ROWCOUNT AS n, @@ERROR AS e
SELECT a FROM tops
GO
--@ source: reasoned
INSERT tops SELECT a FROM tops WHERE 1 = 0
SELECT @@ROWCOUNT AS n, @@ERROR AS e
GO
--@ source: documentation INSERT
DECLARE @v TABLE (a int IDENTITY, b varchar(5) DEFAULT 'd')
INSERT @v DEFAULT VALUES
INSERT INTO @v (b) SELECT 'x' UNION ALL SELECT NULL
INSERT @v VALUES (DEFAULT)
SELECT a, b FROM @v
GO
--@ source: documentation SELECT INTO
SELECT column_1, column_2 + '!' AS c2, NULL AS nothing, 1.5 AS d, ISNULL(column_3, 0) AS c3 INTO made FROM T1 WHERE 1 = 0
SELECT c.name, t.name AS type, c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('made') ORDER BY c.column_id
DROP TABLE made
GO
--@ source: message 1038
SELECT 1 INTO made
GO
--@ source: message 2705
SELECT 1 AS a, 2 AS A INTO made
GO
--@ source: message 2714
SELECT 1 AS a INTO tops
GO
--@ source: message 1042
INSERT tops WITH (NOLOCK) VALUES (1)
GO
--@ source: reasoned
INSERT INTO tops (tops.a) VALUES (1)
GO
--@ source: message 10713
WITH x AS (SELECT 1 AS a) SELECT a INTO made FROM x
SELECT a FROM made
DROP TABLE made
GO
--@ source: documentation INSERT
INSERT INTO tops (a) SELECT 1 AS z UNION ALL SELECT 2 ORDER BY z DESC
SELECT @@ROWCOUNT AS n
GO
--@ source: message 1033
INSERT tops SELECT x.a FROM (SELECT a FROM tops ORDER BY a) AS x
GO
--@ source: message 1060
INSERT TOP (1.5) tops SELECT 1
GO
--@ source: message 194
DECLARE @a int
SELECT @a = 1 INTO made
GO
--@ source: message 1060
UPDATE TOP (1.5) tops SET a = 2
GO
--@ source: message 1060
DELETE TOP (1.5) tops
GO
--@ source: message 156
INSERT tops SELECT 7 INTO made
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM tops WHERE a = 7
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesInsert
GO
