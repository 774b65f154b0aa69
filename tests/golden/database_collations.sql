-- The collation of a database: of its literals and variables, and of columns that name none.
--@ source: documentation relational-databases/collations/set-or-change-the-database-collation
CREATE DATABASE cased COLLATE Latin1_General_100_CS_AS
GO
--@ source: documentation t-sql/functions/databasepropertyex-transact-sql
SELECT name, collation_name FROM sys.databases WHERE name IN (N'cased', N'model', N'tempdb') ORDER BY name
SELECT DATABASEPROPERTYEX('cased', 'Collation') AS name, CAST(DATABASEPROPERTYEX('cased', 'ComparisonStyle') AS int) AS style, CAST(DATABASEPROPERTYEX('cased', 'LCID') AS int) AS lcid,
    CAST(DATABASEPROPERTYEX('cased', 'SQLSortOrder') AS int) AS sort_order, SERVERPROPERTY('Collation') AS of_server, CAST(SERVERPROPERTY('CollationID') AS int) AS id
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
USE cased
CREATE TABLE t (a varchar(10) PRIMARY KEY, b nvarchar(10) COLLATE French_CI_AI, c char(3) COLLATE DATABASE_DEFAULT, n int)
INSERT t VALUES ('a', N'É', 'x', 1), ('A', N'e', 'X', 2)
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
SELECT a FROM t WHERE a = 'A'
SELECT a FROM t WHERE b = 'E' ORDER BY a
SELECT n FROM t WHERE c = 'X'
SELECT a FROM t ORDER BY a
GO
--@ source: documentation t-sql/statements/collation-precedence-transact-sql
-- Literals, variables and what is made of no text go by the database's collation.
DECLARE @a varchar(5) = 'x', @b nvarchar(5) = N'X'
SELECT IIF('a' = 'A', 1, 0) AS literals, IIF(@a = @b, 1, 0) AS variables, IIF(CAST(0xAB AS varchar(4)) = CHAR(0xAB), 1, 0) AS made, CHARINDEX('B', 'ab') AS searched,
    REPLACE('aA', 'a', '-') AS replaced, IIF(@a LIKE 'X', 1, 0) AS liked, CASE @a WHEN 'X' THEN 1 ELSE 0 END AS cased, IIF(@a IN ('X', N'Y'), 1, 0) AS listed, NULLIF('a', 'A') AS kept
SELECT DISTINCT v FROM (VALUES ('a'), ('A'), ('b')) t(v) ORDER BY v
SELECT v, COUNT(*) AS n FROM (VALUES ('a'), ('A'), ('a')) t(v) GROUP BY v ORDER BY v DESC
SELECT 'x' AS v UNION SELECT 'X'
SELECT MIN(v) AS least, MAX(v) AS most FROM (VALUES ('B'), ('a'), ('A')) t(v)
IF @a = 'X' SELECT 'same' AS answer ELSE SELECT 'other' AS answer
GO
--@ source: documentation relational-databases/collations/contained-database-collations
-- A temporary table's columns have tempdb's, unless they say database_default; a table variable's the database's.
CREATE TABLE #t (a varchar(5), b varchar(5) COLLATE database_default)
DECLARE @t TABLE (a varchar(5))
INSERT #t VALUES ('x', 'x')
INSERT @t VALUES ('x')
SELECT name, collation_name FROM tempdb.sys.columns WHERE object_id = OBJECT_ID('tempdb..#t') ORDER BY column_id
SELECT (SELECT COUNT(*) FROM #t WHERE a = 'X') AS temporary, (SELECT COUNT(*) FROM #t WHERE b = 'X') AS said, (SELECT COUNT(*) FROM @t WHERE a = 'X') AS variable
SELECT b, a INTO #u FROM t
SELECT name, collation_name FROM tempdb.sys.columns WHERE object_id = OBJECT_ID('tempdb..#u') ORDER BY column_id
SELECT COUNT(*) AS n FROM #u JOIN t ON #u.a = t.a
GO
--@ source: message 468
SELECT COUNT(*) AS n FROM #t JOIN t ON #t.a = t.a
GO
--@ source: reasoned
-- Views, procedures and views of the system are the database's; names of columns and variables are found in any case.
CREATE VIEW v AS SELECT IIF('a' = 'A', 1, 0) AS same, a FROM t WHERE a = 'a'
GO
--@ source: reasoned
CREATE PROCEDURE p @a varchar(5) AS SELECT A FROM t WHERE a = @A
GO
--@ source: reasoned
EXEC p 'A'
SELECT * FROM v
SELECT COUNT(*) AS exact FROM sys.tables WHERE name = 't'
SELECT COUNT(*) AS other FROM sys.tables WHERE name = 'T'
SELECT t.name FROM sys.tables t JOIN (SELECT 'T' AS a UNION SELECT a FROM t UNION SELECT 't') x ON x.a = t.name
SELECT collation_name FROM sys.types WHERE name = N'varchar'
USE master
SELECT same FROM cased.dbo.v
SELECT IIF('a' = 'A', 1, 0) AS literals
SELECT a FROM cased.dbo.t WHERE a = 'A'
GO
--@ source: reasoned
-- What is added, and what becomes text.
USE cased
ALTER TABLE t ADD d varchar(5) NULL
ALTER TABLE t ALTER COLUMN n varchar(12)
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name IN ('d', 'n') ORDER BY name
ALTER TABLE t ADD CONSTRAINT texts CHECK ('a' <> 'A' OR n = '0')
GO
--@ source: reasoned
-- A condition means the same to sessions of other databases.
USE master
INSERT cased.dbo.t (a, n) VALUES ('m', '9')
USE cased
GO
--@ source: message 5075
ALTER DATABASE cased COLLATE French_CI_AS
GO
--@ source: documentation t-sql/statements/alter-database-transact-sql
-- Columns keep what they have.
ALTER TABLE t DROP CONSTRAINT texts
ALTER DATABASE cased COLLATE French_CI_AS
CREATE TABLE u (a varchar(5))
SELECT t.name + '.' + c.name AS col, c.collation_name FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id ORDER BY 1
SELECT DATABASEPROPERTYEX('cased', 'Collation') AS name
GO
--@ source: reasoned
SELECT IIF('a' = 'A', 1, 0) AS literals
SELECT same, a FROM v
GO
--@ source: message 448
CREATE DATABASE nothing COLLATE Klingon_CI_AS
GO
--@ source: message 448
ALTER DATABASE cased COLLATE Klingon_CI_AS
GO
--@ source: message 453
CREATE DATABASE nothing COLLATE Nepali_100_CI_AS
GO
--@ source: reasoned
CREATE DATABASE nothing COLLATE SQL_Latin1_General_CP1251_CI_AS
GO
--@ source: message 5058
ALTER DATABASE tempdb COLLATE French_CI_AS
GO
--@ source: reasoned
USE master
DROP DATABASE cased
GO
--@ mask 3014, 4035
--@ source: reasoned
-- A log backup takes a change of the collation along, as it does what was changed in tables.
CREATE DATABASE chained
ALTER DATABASE chained SET RECOVERY FULL
EXEC (N'BACKUP DATABASE chained TO DISK = ''chained.bak'' WITH INIT')
ALTER DATABASE chained COLLATE Latin1_General_BIN2
ALTER DATABASE chained SET RECOVERY BULK_LOGGED
EXEC (N'BACKUP LOG chained TO DISK = ''chained.trn'' WITH INIT')
DROP DATABASE chained
GO
--@ mask 3014, 4035
--@ source: reasoned
RESTORE DATABASE chained FROM DISK = 'chained.bak' WITH NORECOVERY
RESTORE LOG chained FROM DISK = 'chained.trn'
SELECT DATABASEPROPERTYEX('chained', 'Collation') AS name, DATABASEPROPERTYEX('chained', 'Recovery') AS model
DROP DATABASE chained
