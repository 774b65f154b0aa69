-- Forms of names and clauses.
--@ source: documentation TOP
CREATE TABLE t (a int, b int)
INSERT t VALUES (1, 10), (2, 20), (3, 30)
CREATE TABLE u (a int, c varchar(5))
INSERT u VALUES (1, 'one'), (2, 'two')
SELECT TOP (SELECT COUNT(*) FROM u) a FROM t ORDER BY a DESC
SELECT TOP (SELECT 50) PERCENT WITH TIES a FROM t ORDER BY a
DELETE TOP (SELECT 0) FROM t
GO
--@ source: message 127
SELECT TOP (SELECT -1) a FROM t
GO
--@ source: documentation OUTPUT
UPDATE t SET b += 1 OUTPUT deleted.b, inserted.b, u.* FROM t JOIN u ON u.a = t.a
DELETE t OUTPUT x.*, deleted.* FROM t JOIN u AS x ON x.a = t.a WHERE x.c = 'two'
GO
--@ source: message 107
UPDATE t SET b = 0 OUTPUT nope.* FROM t JOIN u ON u.a = t.a
GO
--@ source: documentation Transact-SQL syntax conventions
SELECT COUNT(*) AS c FROM ..t
SELECT COUNT(*) AS c FROM .dbo.t
SELECT COUNT(*) AS c FROM ...t AS x JOIN ..u AS y ON x.a = y.a
INSERT ..t VALUES (9, 90)
UPDATE .dbo.t SET b = 91 WHERE a = 9
DELETE FROM ..t WHERE a = 9
TRUNCATE TABLE ..u
GO
--@ source: documentation Transact-SQL syntax conventions
CREATE PROCEDURE p AS SELECT 'p' AS ran
GO
--@ source: documentation Transact-SQL syntax conventions
EXEC .dbo.p
EXEC ..p
DROP PROCEDURE .dbo.p
GO
--@ source: peer PostgreSQL
SELECT a FROM ((SELECT TOP 1 a FROM t ORDER BY a) UNION ALL (SELECT TOP 1 a FROM t ORDER BY a DESC)) AS q ORDER BY a
SELECT a FROM (SELECT 5 AS a UNION ALL (SELECT TOP 1 a FROM t ORDER BY a DESC)) AS q ORDER BY a
GO
--@ source: message 1033
SELECT a FROM ((SELECT a FROM t ORDER BY a) UNION ALL (SELECT a FROM t)) AS q
GO
--@ source: message 15333
EXEC sp_rename 'tempdb.dbo.nope.c', 'd', 'COLUMN'
GO
--@ source: documentation sp_rename
DECLARE @name nvarchar(200) = DB_NAME() + N'.dbo.t.b'
EXEC sp_rename @name, 'bb', 'COLUMN'
SET @name = DB_NAME() + N'.dbo.t'
EXEC sp_rename @name, 'tt'
SET @name = @@SERVERNAME + N'.' + DB_NAME() + N'.dbo.tt'
EXEC sp_rename @name, 't', 'OBJECT'
GO
--@ source: documentation sp_rename
SELECT bb FROM t
GO
--@ source: documentation DROP INDEX
CREATE CLUSTERED INDEX c ON t (a)
CREATE INDEX i ON t (bb)
DROP INDEX c ON t WITH (MOVE TO [PRIMARY], ONLINE = OFF)
DROP INDEX i ON t WITH (MAXDOP = 1)
SELECT COUNT(*) AS heaps FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND index_id = 0
GO
--@ source: message 1921
CREATE CLUSTERED INDEX c ON t (a)
DROP INDEX c ON t WITH (MOVE TO elsewhere)
GO
--@ source: documentation LEFT_SHIFT
SELECT 12345 << 5 AS l, 12345 >> 5 AS r, 1 << 2 << 3 AS chain, 0xFF00 >> 4 AS bytes, -1 >> 28 AS unsigned
DECLARE @n int = 3
SELECT @n << 1 AS doubled WHERE 1 << @n = 8
GO
--@ source: message 8116
SELECT 1.5 << 1
GO
--@ source: reasoned
DROP TABLE t
DROP TABLE u
GO
