-- Statements that are refused, or that count and order by what they say.
--@ source: reasoned
CREATE DATABASE Refusals
GO
--@ source: reasoned
USE Refusals
CREATE TABLE t (a int, b varchar(10))
INSERT t VALUES (2, 'x'), (1, 'y'), (3, 'z')
CREATE TABLE i (id int IDENTITY, a int)
GO
-- sp_executesql and its relatives take national text.
--@ source: documentation sp_executesql
EXEC sp_executesql 'SELECT 1 AS one'
GO
--@ source: message 214
DECLARE @s varchar(50) = 'SELECT 1 AS one'
EXEC sp_executesql @s
GO
--@ source: message 214
EXEC sp_executesql N'SELECT @a AS a', '@a int', 1
GO
--@ source: message 214
DECLARE @h int
EXEC sp_prepare @h OUTPUT, '@a int', N'SELECT @a AS a'
GO
--@ source: message 214
DECLARE @h int
EXEC sp_prepexec @h OUTPUT, N'@a int', 'SELECT @a AS a', 1
GO
--@ source: documentation sp_executesql
DECLARE @s nchar(30) = N'SELECT @a AS a'
EXEC sp_executesql @s, N'@a int', 1
EXEC sp_executesql NULL
GO
-- Frames of windows.
--@ source: message 10756
SELECT SUM(a) OVER (ROWS 1 PRECEDING) AS s FROM t
GO
--@ source: message 10756
SELECT SUM(a) OVER (PARTITION BY b RANGE UNBOUNDED PRECEDING) AS s FROM t
GO
--@ source: message 10752
SELECT ROW_NUMBER() OVER (ORDER BY a ROWS 1 PRECEDING) AS n FROM t
GO
--@ source: message 10752
SELECT LAG(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS l FROM t
GO
--@ source: documentation OVER clause
DECLARE @i int = 1
SELECT SUM(a) OVER (ORDER BY a ROWS @i PRECEDING) AS s FROM t
GO
--@ source: documentation OVER clause
SELECT SUM(a) OVER (ORDER BY a ROWS 1.5 PRECEDING) AS s FROM t
GO
--@ source: documentation OVER clause
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) AS s FROM t
GO
--@ source: documentation OVER clause
SELECT LAST_VALUE(a IGNORE NULLS) OVER (ORDER BY a) AS l FROM t
GO
--@ source: documentation OVER clause
SELECT a, SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s,
    LAST_VALUE(a) IGNORE NULLS OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS l FROM t
GO
-- A column stands in ORDER BY once.
--@ source: message 169
SELECT a FROM t ORDER BY a, a
GO
--@ source: message 169
SELECT a AS x FROM t ORDER BY x, t.a DESC
GO
--@ source: message 169
SELECT b FROM t ORDER BY a, b, a
GO
--@ source: message 169
SELECT b FROM t ORDER BY 1, b
GO
--@ source: message 169
SELECT a FROM t UNION SELECT 1 ORDER BY a, 1
GO
--@ source: documentation ORDER BY clause
SELECT a AS x, a AS y FROM t ORDER BY x, y
SELECT b FROM t ORDER BY b COLLATE Latin1_General_BIN2, b
GO
-- ORDER BY names no variable alone.
--@ source: message 1008
DECLARE @v int = 1
SELECT a FROM t ORDER BY @v
GO
--@ source: message 1008
DECLARE @v int = 1
SELECT a FROM t ORDER BY a, @v + 1
GO
--@ source: documentation ORDER BY clause
DECLARE @v int = -1
SELECT a FROM t ORDER BY a * @v
SELECT a FROM t ORDER BY CASE WHEN @v = 1 THEN b END, a
GO
-- OUTPUT names what is changed by inserted and deleted.
--@ source: documentation OUTPUT clause
UPDATE t SET a = a OUTPUT t.a
GO
--@ source: documentation OUTPUT clause
UPDATE x SET a = a OUTPUT x.a FROM t AS x
GO
--@ source: documentation OUTPUT clause
UPDATE x SET a = a OUTPUT x.* FROM t AS x
GO
--@ source: documentation OUTPUT clause
DELETE t OUTPUT t.a WHERE a = 9
GO
--@ source: documentation OUTPUT clause
DELETE t OUTPUT a WHERE a = 9
GO
--@ source: documentation OUTPUT clause
UPDATE t SET a = a OUTPUT b
GO
--@ source: documentation OUTPUT clause
INSERT t OUTPUT a VALUES (9, 'q')
GO
--@ source: documentation OUTPUT clause
MERGE t USING (SELECT 1 AS k) AS s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = 'm' OUTPUT t.a;
GO
--@ source: documentation OUTPUT clause
UPDATE x SET a = x.a OUTPUT inserted.a, y.b FROM t AS x JOIN t AS y ON x.a = y.a WHERE x.a = 1
MERGE t USING (SELECT 1 AS k) AS s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = 'm' OUTPUT s.k, deleted.b, inserted.b;
DELETE x OUTPUT deleted.a, y.b FROM t AS x JOIN t AS y ON x.a = y.a WHERE x.a = 1
INSERT t VALUES (1, 'y')
GO
-- CREATE SCHEMA begins its batch.
--@ source: message 111
SELECT 'first' AS said CREATE SCHEMA late
GO
--@ source: message 111
CREATE PROCEDURE p AS CREATE SCHEMA late
GO
--@ source: documentation CREATE SCHEMA
-- Comments and semicolons are nothing.
; CREATE SCHEMA early
GO
-- What RAISERROR takes.
--@ source: documentation RAISERROR
RAISERROR('a', 16, 1, 1.5)
GO
--@ source: message 2748
DECLARE @d datetime
RAISERROR('a %s', 16, 1, 'b', @d)
GO
--@ source: documentation RAISERROR
RAISERROR((SELECT 'a'), 16, 1)
GO
--@ source: documentation RAISERROR
RAISERROR('a' + 'b', 16, 1)
GO
--@ source: documentation RAISERROR
RAISERROR('a', ERROR_SEVERITY(), 1)
GO
-- Negative states are 1.
--@ source: documentation RAISERROR
RAISERROR('x', 16, -1)
GO
--@ source: documentation RAISERROR
DECLARE @n bigint = 99999999999, @s char(2) = 'c'
RAISERROR('%d %s %I64d %s', 16, 1, -5, N'u', @n, @s)
GO
-- WAITFOR takes text and datetime, and no dates.
--@ source: message 9815
DECLARE @x time = '00:00:00.2'
WAITFOR DELAY @x
GO
--@ source: message 9815
DECLARE @x datetime2 = '2024-01-01 00:00:00.2'
WAITFOR TIME @x
GO
--@ source: documentation WAITFOR
WAITFOR TIME '2024-01-01 10:00'
GO
--@ source: documentation WAITFOR
WAITFOR DELAY '19000101 00:00:01'
GO
--@ source: documentation WAITFOR
DECLARE @x datetime = '00:00:00.010', @s varchar(20) = '00:00:00.010'
WAITFOR DELAY @x
WAITFOR DELAY @s
WAITFOR DELAY '0:0:0:10'
DECLARE @until varchar(30) = '1900-01-01 ' + CONVERT(varchar(12), DATEADD(ms, 50, GETDATE()), 114)
WAITFOR TIME @until
GO
-- How many rows are left out or fetched is a whole number.
--@ source: message 10743
SELECT a FROM t ORDER BY a OFFSET 1.5 ROWS
GO
--@ source: message 10743
SELECT a FROM t ORDER BY a OFFSET 'x' ROWS
GO
--@ source: message 10743
DECLARE @m money = 1
SELECT a FROM t UNION SELECT 1 ORDER BY a OFFSET @m ROWS
GO
--@ source: message 1060
SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT 1.5 ROWS ONLY
GO
--@ source: documentation ORDER BY clause
DECLARE @m bigint = 1
SELECT a FROM t ORDER BY a OFFSET @m ROWS FETCH NEXT (SELECT COUNT(*) FROM i) + 1 ROWS ONLY
GO
-- TOP, OFFSET and FETCH are counted before there are rows.
--@ source: message 4115
SELECT TOP (a) a FROM t
GO
--@ source: message 4115
SELECT a FROM t ORDER BY a OFFSET a ROWS
GO
--@ source: message 4115
SELECT x.a, (SELECT TOP (y.a) 1 FROM t AS y) AS one FROM t AS x
GO
--@ source: message 207
SELECT TOP (nowhere) a FROM t
GO
--@ source: documentation TOP
SELECT x.a, (SELECT TOP (x.a) COUNT(*) FROM t) AS n FROM t AS x ORDER BY x.a
SELECT TOP (SELECT COUNT(*) - 1 FROM t) a FROM t ORDER BY a
GO
-- A value too many is one for the identity column.
--@ source: message 8101
INSERT i SELECT 1, 2
GO
--@ source: message 8101
MERGE i USING (SELECT 1 AS k) AS s ON i.id = s.k WHEN NOT MATCHED THEN INSERT VALUES (1, 2);
GO
--@ source: message 8101
DELETE t OUTPUT 1, 2 INTO i
GO
--@ source: message 213
INSERT i SELECT 1, 2, 3
GO
-- As they are sent.
--@ source: message 104
SELECT a FROM t UNION SELECT 1 ORDER BY a + 1
GO
--@ source: message 130
SELECT SUM(COUNT(*)) AS s FROM t
GO
--@ source: reasoned
SELECT message_id, severity FROM sys.messages WHERE message_id IN (104, 130) AND language_id = 1033 ORDER BY message_id
GO
-- Errors of a body name the procedure.
--@ source: message 102
CREATE PROCEDURE broken AS SELECT FROM
GO
--@ source: message 133
CREATE PROCEDURE jumps AS
GOTO nowhere
GO
--@ source: message 132
ALTER PROCEDURE labels AS
here: SELECT 1
here: SELECT 2
GO
--@ source: message 102
CREATE VIEW shown AS SELECT 1 AS one +
GO
--@ source: reasoned
CREATE PROCEDURE twice AS RETURN
GO
--@ source: message 2714
CREATE PROCEDURE twice AS RETURN
GO
--@ source: reasoned
USE master
DROP DATABASE Refusals
GO
