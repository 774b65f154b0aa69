-- A procedure, its table variables, defaults and checks go by the collation of their database, whoever runs them, and whoever did first.
--@ source: documentation relational-databases/collations/collation-and-unicode-support
CREATE DATABASE sensitive COLLATE Latin1_General_CS_AS
GO
--@ source: reasoned
USE sensitive
GO
--@ source: reasoned
CREATE PROCEDURE dbo.compares @p varchar(5) = 'a' AS
IF 'a' = 'A' SELECT 'ci' AS condition ELSE SELECT 'cs' AS condition
SELECT IIF(@p = 'A', 'ci', 'cs') AS query
DECLARE @r int = CASE WHEN @p = 'A' THEN 1 ELSE 0 END
SELECT @r AS variable, CHARINDEX('B', 'ab') AS searched, REPLACE('aA', 'a', '-') AS replaced
GO
--@ source: reasoned
CREATE PROCEDURE dbo.counts AS
DECLARE @t TABLE (a varchar(10))
INSERT @t VALUES ('a'), ('A')
CREATE TABLE #q (a varchar(10) COLLATE DATABASE_DEFAULT)
INSERT #q SELECT a FROM @t
SELECT COUNT(*) AS of_variable, (SELECT COUNT(*) FROM #q WHERE a = 'a') AS of_temp FROM @t WHERE a = 'a'
GO
--@ source: reasoned
CREATE VIEW dbo.literals AS SELECT IIF('a' = 'A', 'ci', 'cs') AS compared
GO
--@ source: reasoned
USE master
GO
--@ source: reasoned
EXEC sensitive.dbo.compares
EXEC sensitive.dbo.counts
EXEC sensitive.sys.sp_executesql N'IF ''a'' = ''A'' SELECT ''ci'' AS text ELSE SELECT ''cs'' AS text'
SELECT compared FROM sensitive.dbo.literals
IF 'a' = 'A' SELECT 'ci' AS caller ELSE SELECT 'cs' AS caller
GO
--@ source: reasoned
USE sensitive
GO
--@ source: reasoned
EXEC compares
EXEC counts
GO
--@ source: reasoned
-- Who only looks at a procedure settles nothing for those who run it.
CREATE PROCEDURE dbo.looked_at @p varchar(5) AS IF @p = 'A' SELECT 'ci' AS condition ELSE SELECT 'cs' AS condition
GO
--@ source: reasoned
USE master
GO
--@ source: reasoned
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'EXEC sensitive.dbo.looked_at ''a''', NULL, 0)
EXEC sensitive.dbo.looked_at 'a'
GO
--@ source: reasoned
DROP DATABASE sensitive
GO
