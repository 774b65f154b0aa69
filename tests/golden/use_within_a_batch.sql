-- USE and ALTER DATABASE … COLLATE within a batch hold for all of the batch that runs after them.
--@ source: documentation t-sql/language-elements/use-transact-sql
CREATE DATABASE strict COLLATE Latin1_General_CS_AS
CREATE DATABASE loose COLLATE Latin1_General_CI_AS
GO
--@ source: reasoned
USE strict
IF 'a' = 'A' PRINT 'ci' ELSE PRINT 'cs'
SELECT IIF('a' = 'A', 'ci', 'cs') AS query
PRINT CASE WHEN 'a' = 'A' THEN 'ci' ELSE 'cs' END
DECLARE @p varchar(5) = 'a', @r char(2)
SET @r = IIF(@p = 'A', 'ci', 'cs')
SELECT @r AS variable
DECLARE @s char(2) = CASE @p WHEN 'A' THEN 'ci' ELSE 'cs' END, @n int = 0
SELECT @s AS declared
WHILE @p <> 'A' AND @n < 2 SET @n += 1
SELECT @n AS turns
GO
--@ source: reasoned
USE loose
IF 'a' = 'A' PRINT 'ci' ELSE PRINT 'cs'
SELECT IIF('a' = 'A', 'ci', 'cs') AS query
GO
--@ source: reasoned
USE strict
DECLARE @t TABLE (a varchar(10))
INSERT @t VALUES ('a'), ('A')
SELECT COUNT(*) AS n FROM @t WHERE a = 'a'
GO
--@ source: reasoned
-- The same text of another path, and the same statement in both.
USE master
GO
--@ source: reasoned
DECLARE @n int = 0
WHILE @n < 3
BEGIN
    IF @n = 1 USE strict
    IF @n = 2 USE loose
    IF 'a' = 'A' PRINT 'ci' ELSE PRINT 'cs'
    SELECT DB_NAME() AS here, IIF('a' = 'A', 'ci', 'cs') AS query, (SELECT COUNT(*) FROM sys.tables WHERE name = 'only_here') AS there
    SET @n += 1
END
GO
--@ source: documentation t-sql/statements/alter-database-transact-sql
USE master
ALTER DATABASE loose COLLATE Latin1_General_CS_AS
GO
--@ source: reasoned
USE loose
IF 'a' = 'A' PRINT 'ci' ELSE PRINT 'cs'
ALTER DATABASE loose COLLATE Latin1_General_CI_AS
IF 'a' = 'A' PRINT 'ci' ELSE PRINT 'cs'
SELECT IIF('a' = 'A', 'ci', 'cs') AS query
GO
--@ source: reasoned
-- Names without a database go where USE has led.
CREATE TABLE t (a int)
INSERT t VALUES (1)
GO
--@ source: reasoned
USE strict
CREATE TABLE t (a int)
INSERT t VALUES (2)
GO
--@ source: reasoned
USE loose
GO
--@ source: reasoned
DECLARE @n int = 0
WHILE @n < 2
BEGIN
    SELECT DB_NAME() AS here, a FROM t
    USE strict
    SET @n += 1
END
GO
--@ source: reasoned
USE master
DROP DATABASE strict
DROP DATABASE loose
GO
