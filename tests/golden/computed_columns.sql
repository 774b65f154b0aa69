-- Computed columns: virtual and persisted ones, what they may be made of, what reads and changes them.
--@ source: reasoned
CREATE DATABASE Computed
GO
--@ source: documentation CREATE TABLE
USE Computed
CREATE TABLE dbo.t (id int PRIMARY KEY, a int NOT NULL, b int NULL, s AS a + b, p AS a * 2 PERSISTED, name varchar(10) DEFAULT 'x', up AS UPPER(name) + '!')
INSERT dbo.t (id, a, b) VALUES (1, 10, 1), (2, 20, NULL)
INSERT dbo.t VALUES (3, 30, 3, 'three')
INSERT dbo.t SELECT 4, 40, 4, 'four'
SELECT * FROM dbo.t ORDER BY id
SELECT id FROM dbo.t WHERE s > 30 ORDER BY id
SELECT id FROM dbo.t WHERE p = 40
SELECT s, COUNT(*) AS n FROM dbo.t GROUP BY s ORDER BY s DESC
SELECT x.id, y.id AS other FROM dbo.t x JOIN dbo.t y ON x.s = y.a + 3 ORDER BY x.id
SELECT id, (SELECT MAX(i.p) FROM dbo.t i WHERE i.s < o.s) AS below FROM dbo.t o ORDER BY id
SELECT d.s FROM (SELECT id, s FROM dbo.t WHERE id < 3) AS d WHERE d.id = 1
GO
-- Changes: a persisted column follows what it reads.
--@ source: documentation CREATE TABLE
UPDATE dbo.t SET a = a + 1, b = 5 OUTPUT inserted.id, deleted.s AS s_was, inserted.s, deleted.p AS p_was, inserted.p WHERE id < 3
UPDATE dbo.t SET name = 'z' OUTPUT inserted.up, deleted.up AS was WHERE s = 33
UPDATE dbo.t SET b = s WHERE id = 4
DELETE dbo.t OUTPUT deleted.id, deleted.s, deleted.up WHERE s = 33
MERGE dbo.t AS t USING (VALUES (1, 7), (9, 9)) AS v (id, a) ON t.id = v.id
WHEN MATCHED AND t.s > 0 THEN UPDATE SET a = v.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (v.id, v.a)
OUTPUT $action AS act, inserted.id, deleted.s AS s_was, inserted.s, inserted.p;
SELECT id, a, b, s, p, up FROM dbo.t ORDER BY id
GO
--@ source: message 271
INSERT dbo.t (id, a, s) VALUES (5, 50, DEFAULT)
GO
--@ source: message 271
INSERT dbo.t (id, a, p) VALUES (5, 50, 1)
GO
--@ source: message 271
UPDATE dbo.t SET s = 1
GO
--@ source: message 271
MERGE dbo.t AS t USING (VALUES (1)) AS v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET p = 1;
GO
--@ source: message 213
INSERT dbo.t VALUES (5, 50, 5, 55, 'five')
GO
-- What the expression may hold.
--@ source: message 1759
CREATE TABLE dbo.bad (a int, b AS a + 1, c AS b + 1)
GO
--@ source: message 207
CREATE TABLE dbo.bad (a int, b AS nothing + 1)
GO
--@ source: message 1046
CREATE TABLE dbo.bad (a int, b AS (SELECT 1))
GO
--@ source: message 4936
CREATE TABLE dbo.bad (a int, b AS GETDATE() PERSISTED)
GO
--@ source: message 4936
CREATE TABLE dbo.bad (d datetime, b AS CONVERT(varchar(10), d) PERSISTED)
GO
--@ source: message 8183
CREATE TABLE dbo.bad (a int, b AS a + 1 CHECK (b > 0))
GO
--@ source: message 1764
CREATE TABLE dbo.bad (a int, b AS a + 1, CHECK (b > 0))
GO
--@ source: message 8183
CREATE TABLE dbo.bad (a int, b AS a + 1 NOT NULL)
GO
--@ source: message 8183
CREATE TABLE dbo.bad (a int, b AS a + 1 REFERENCES dbo.t (id))
GO
--@ source: message 1711
CREATE TABLE dbo.bad (a int, b AS a + 1 PRIMARY KEY)
GO
--@ source: message 10609
CREATE INDEX f ON dbo.t (a) WHERE p > 1
GO
--@ source: message 156
CREATE TABLE dbo.bad (a int, b AS a + 1 DEFAULT 1)
GO
-- Columns that come later are seen; styles that go by nothing are stored.
--@ source: documentation CREATE TABLE
CREATE TABLE dbo.later (c AS a + 1, a int, d datetime, iso AS CONVERT(varchar(8), d, 112) PERSISTED, n AS ISNULL(a + 1, 0), one AS 1, k AS CASE WHEN a = 1 THEN 1 ELSE 2 END)
INSERT dbo.later VALUES (1, '20240229'), (NULL, NULL)
SELECT c, a, iso, n, one, k FROM dbo.later ORDER BY a
SELECT name, is_nullable, TYPE_NAME(system_type_id) AS type, max_length, is_computed FROM sys.columns WHERE object_id = OBJECT_ID('dbo.later') ORDER BY column_id
GO
-- Metadata.
--@ source: documentation sys.computed_columns
SELECT name, column_id, definition, is_persisted, is_computed FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.t') ORDER BY column_id
SELECT c.name, COLUMNPROPERTY(OBJECT_ID('dbo.t'), c.name, 'IsComputed') AS computed, COLUMNPROPERTY(OBJECT_ID('dbo.t'), c.name, 'IsDeterministic') AS det,
COLUMNPROPERTY(OBJECT_ID('dbo.t'), c.name, 'IsPrecise') AS prec, COLUMNPROPERTY(OBJECT_ID('dbo.t'), c.name, 'IsIndexable') AS idx
FROM sys.columns c WHERE c.object_id = OBJECT_ID('dbo.t') ORDER BY c.column_id
SELECT name, iscomputed FROM sys.syscolumns WHERE id = OBJECT_ID('dbo.t') AND iscomputed = 1 ORDER BY colid
GO
-- Keys and checks over persisted columns.
--@ source: documentation "Indexes on computed columns"
CREATE TABLE dbo.k (a int NOT NULL, b int NOT NULL, sum AS a + b PERSISTED NOT NULL PRIMARY KEY, diff AS a - b PERSISTED UNIQUE, CHECK (diff < 100))
INSERT dbo.k (a, b) VALUES (1, 2), (5, 4)
CREATE INDEX by_diff ON dbo.k (diff) INCLUDE (a)
SELECT a, b, sum, diff FROM dbo.k WHERE sum = 9
SELECT a FROM dbo.k WITH (INDEX (by_diff)) WHERE diff = -1
UPDATE dbo.k SET a = a + 10
SELECT a, b, sum, diff FROM dbo.k ORDER BY sum
DBCC CHECKTABLE ('dbo.k') WITH NO_INFOMSGS
GO
--@ source: message 2627
INSERT dbo.k (a, b) VALUES (12, 1)
GO
--@ source: message 547
INSERT dbo.k (a, b) VALUES (200, 1)
GO
--@ source: message 547
UPDATE dbo.k SET a = 200 WHERE a = 11
GO
-- Keys and indexes over columns that are not persisted: their values are computed at the write.
--@ source: documentation "Indexes on computed columns"
CREATE TABLE dbo.u (id int IDENTITY PRIMARY KEY, a int, b int, name varchar(20), s AS a + b UNIQUE, up AS UPPER(name), d AS 10 / a)
INSERT dbo.u (a, b, name) VALUES (1, 2, 'one'), (0, 9, 'none'), (5, 6, 'five')
CREATE INDEX by_up ON dbo.u (up) INCLUDE (s)
SELECT id, up, s FROM dbo.u WITH (INDEX (by_up)) WHERE up = 'FIVE'
UPDATE dbo.u SET name = 'seven', b = 7 WHERE s = 11
INSERT dbo.u (a, b, name) VALUES (7, 7, 'x')
DELETE dbo.u WHERE up = 'X'
SELECT id, up, s FROM dbo.u WITH (INDEX (by_up)) ORDER BY up
SELECT name, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.u') ORDER BY column_id
DBCC CHECKTABLE ('dbo.u') WITH NO_INFOMSGS
GO
--@ source: message 2627
INSERT dbo.u (a, b) VALUES (2, 1)
GO
--@ source: message 8134
CREATE INDEX by_d ON dbo.u (d)
GO
--@ source: message 8134
DELETE dbo.u WHERE a = 0
CREATE INDEX by_d ON dbo.u (d)
INSERT dbo.u (a, b) VALUES (0, 0)
GO
--@ source: message 1505
INSERT dbo.u (a, b, name) VALUES (50, 60, 'One')
CREATE UNIQUE INDEX twice ON dbo.u (up)
GO
--@ source: reasoned
ALTER TABLE dbo.u ADD half AS b / 2, CONSTRAINT uq_half UNIQUE (half)
ALTER TABLE dbo.u ADD rv rowversion
GO
--@ source: reasoned
SELECT DISTINCT id, half, d FROM dbo.u WHERE half > 0 ORDER BY half
CREATE INDEX by_name ON dbo.u (name) INCLUDE (d)
DROP INDEX by_d ON dbo.u
UPDATE dbo.u SET a = 20 WHERE id = 1
SELECT id, d FROM dbo.u ORDER BY id
DBCC CHECKTABLE ('dbo.u') WITH NO_INFOMSGS
GO
--@ source: message 2729
CREATE TABLE dbo.late2 (a int, at AS GETDATE())
CREATE INDEX i ON dbo.late2 (at)
GO
--@ source: message 2799
CREATE TABLE dbo.fl (f float, c AS f * 2)
CREATE INDEX i ON dbo.fl (c)
GO
--@ source: documentation "Indexes on computed columns"
CREATE TABLE dbo.fp (f float, c AS f * 2 PERSISTED)
CREATE INDEX i ON dbo.fp (c)
INSERT dbo.fp VALUES (1.5)
SELECT c FROM dbo.fp WHERE c = 3
GO
-- A value that cannot be: told when it is read, or stored.
--@ source: reasoned
CREATE TABLE dbo.div (a int, v AS 10 / a)
INSERT dbo.div VALUES (0), (5)
SELECT a FROM dbo.div ORDER BY a
SELECT v FROM dbo.div WHERE a = 5
GO
--@ source: message 8134
SELECT a, v FROM dbo.div ORDER BY a
GO
--@ source: message 8134
CREATE TABLE dbo.div2 (a int, v AS 10 / a PERSISTED)
INSERT dbo.div2 VALUES (0)
GO
--@ source: message 515
CREATE TABLE dbo.nn (a int NULL, v AS a + 1 PERSISTED NOT NULL)
INSERT dbo.nn VALUES (NULL)
GO
-- ALTER TABLE: columns come to rows, and what stands in the way of others.
--@ source: documentation ALTER TABLE
CREATE TABLE dbo.alt (id int, x varchar(20), y int)
INSERT dbo.alt VALUES (1, 'one', 1), (2, 'two', 2)
ALTER TABLE dbo.alt ADD len AS LEN(x), twice AS y * 2 PERSISTED
ALTER TABLE dbo.alt ADD z int NOT NULL DEFAULT 7
SELECT * FROM dbo.alt ORDER BY id
CREATE INDEX by_twice ON dbo.alt (twice)
UPDATE dbo.alt SET y = 5 WHERE twice = 4
SELECT id, twice FROM dbo.alt WHERE twice > 3
ALTER TABLE dbo.alt ALTER COLUMN id bigint
ALTER TABLE dbo.alt DROP COLUMN len
SELECT * FROM dbo.alt ORDER BY id
GO
--@ source: message 4922
ALTER TABLE dbo.alt DROP COLUMN y
GO
--@ source: message 4922
ALTER TABLE dbo.alt ALTER COLUMN y bigint
GO
--@ source: message 4928
ALTER TABLE dbo.alt ALTER COLUMN twice int
GO
--@ source: message 15336
EXEC sp_rename 'dbo.alt.y', 'yy', 'COLUMN'
GO
--@ source: message 4928
EXEC sp_rename 'dbo.alt.twice', 'double', 'COLUMN'
GO
--@ source: message 8134
ALTER TABLE dbo.alt ADD never AS 1 / (y - y) PERSISTED
GO
--@ source: reasoned
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('dbo.alt') ORDER BY column_id
GO
-- Functions of users: virtual ones may call any, persisted ones those that are schema-bound and read nothing.
--@ source: reasoned
CREATE FUNCTION dbo.plus (@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.bound (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a * 3 END
GO
--@ source: reasoned
CREATE TABLE dbo.f (a int, v AS dbo.plus(a), w AS dbo.bound(a) PERSISTED)
INSERT dbo.f VALUES (1), (2)
UPDATE dbo.f SET a = 10 WHERE v = 2
SELECT a, v, w FROM dbo.f ORDER BY a
GO
--@ source: message 4936
CREATE TABLE dbo.bad (a int, v AS dbo.plus(a) PERSISTED)
GO
--@ source: message 3729
DROP FUNCTION dbo.plus
GO
-- Triggers, views, SELECT INTO, table variables, temporary tables.
--@ source: reasoned
CREATE TRIGGER dbo.seen ON dbo.t AFTER INSERT, UPDATE, DELETE AS
SELECT 'inserted' AS of_, id, s, p FROM inserted UNION ALL SELECT 'deleted', id, s, p FROM deleted ORDER BY of_, id
GO
--@ source: reasoned
INSERT dbo.t (id, a, b) VALUES (20, 2, 3)
UPDATE dbo.t SET b = 4 WHERE id = 20
DELETE dbo.t WHERE id = 20
DISABLE TRIGGER dbo.seen ON dbo.t
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT id, a, s FROM dbo.t
GO
--@ source: reasoned
UPDATE dbo.v SET a = 1 WHERE id = 1
SELECT id, a, s FROM dbo.v WHERE s IS NOT NULL ORDER BY id
SELECT id, s, p INTO dbo.plain FROM dbo.t
SELECT name, is_computed FROM sys.columns WHERE object_id = OBJECT_ID('dbo.plain') ORDER BY column_id
SELECT id, s, p FROM dbo.plain ORDER BY id
DECLARE @v TABLE (a int, b AS a + 1, c AS a * 2 PERSISTED)
INSERT @v VALUES (1), (2)
UPDATE @v SET a = 5 WHERE b = 2
SELECT a, b, c FROM @v ORDER BY a
CREATE TABLE #t (a int, b AS a + 1, c AS a * 2 PERSISTED)
INSERT #t SELECT a FROM @v
SELECT a, b, c FROM #t WHERE c = 10
DROP TABLE #t
GO
--@ source: message 271
UPDATE dbo.v SET s = 1
GO
--@ source: reasoned
CREATE FUNCTION dbo.rows (@n int) RETURNS @r TABLE (a int, b AS a + 1) AS BEGIN INSERT @r VALUES (@n), (@n * 2) RETURN END
GO
--@ source: reasoned
SELECT b, a FROM dbo.rows(3) ORDER BY a
SELECT b FROM dbo.rows(3) ORDER BY b DESC
GO
-- A row's older columns stay what they are when the transaction is taken back.
--@ source: reasoned
BEGIN TRANSACTION
ALTER TABLE dbo.alt ADD extra AS y + 100
GO
--@ source: reasoned
SELECT id, extra FROM dbo.alt ORDER BY id
ROLLBACK
SELECT COUNT(*) AS n FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.alt')
TRUNCATE TABLE dbo.alt
INSERT dbo.alt (id, x, y) VALUES (1, 'a', 50)
SELECT id, twice, z FROM dbo.alt
GO
--@ source: reasoned
CREATE TABLE dbo.both (id int IDENTITY PRIMARY KEY, a int, rv rowversion, n AS CAST(rv AS bigint))
INSERT dbo.both (a) VALUES (1)
INSERT dbo.both VALUES (2, DEFAULT)
UPDATE dbo.both SET a = 3 WHERE id = 1
SELECT id, a, n - 2000 AS n FROM dbo.both ORDER BY id
GO
-- A key or index that asks for a computed column leaves the columns behind it as they are.
--@ source: reasoned
CREATE TABLE dbo.order_lines (id int IDENTITY PRIMARY KEY, price decimal(10, 2), qty int, total AS price * qty, name varchar(20) NOT NULL, d date)
INSERT dbo.order_lines VALUES (1.50, 2, 'nails', '20240101'), (9, 1, 'hammer', NULL)
CREATE INDEX i ON dbo.order_lines (total) INCLUDE (d)
SELECT id, total, name, d FROM dbo.order_lines ORDER BY id
DROP INDEX i ON dbo.order_lines
SELECT id, total, name, d FROM dbo.order_lines ORDER BY id
CREATE TABLE #heap (a int, b AS a + 1, c bigint, e int NOT NULL)
INSERT #heap VALUES (1, 10, 100), (2, NULL, 200)
ALTER TABLE #heap ADD more char(3) NOT NULL DEFAULT 'new'
ALTER TABLE #heap ADD UNIQUE (b)
SELECT a, b, c, e, more FROM #heap ORDER BY a
CREATE CLUSTERED INDEX c ON #heap (b DESC)
SELECT a, b, c, e, more FROM #heap
DBCC CHECKTABLE ('dbo.order_lines') WITH NO_INFOMSGS
GO
-- What rows do not have is not missing.
--@ source: reasoned
CREATE TABLE dbo.not_null (a int, b AS ISNULL(a, 0), c int NOT NULL)
INSERT dbo.not_null VALUES (NULL, 1)
DBCC CHECKTABLE ('dbo.not_null') WITH NO_INFOMSGS
SELECT a, b, c FROM dbo.not_null
GO
--@ source: reasoned
USE master
DROP DATABASE Computed
GO
