-- Columns of type rowversion: values, what may be said of them, metadata.
--@ source: reasoned
CREATE DATABASE Rowversions
GO
-- The counter of a new database stands at 2000; the next value follows.
--@ source: documentation MIN_ACTIVE_ROWVERSION
USE Rowversions
CREATE TABLE dbo.t (id int PRIMARY KEY, a int, rv rowversion)
SELECT @@DBTS AS dbts, MIN_ACTIVE_ROWVERSION() AS lowest
INSERT dbo.t VALUES (1, 10, DEFAULT)
INSERT dbo.t (id, a) VALUES (2, 20), (3, 30)
INSERT dbo.t (id, a, rv) VALUES (4, 40, DEFAULT)
SELECT id, rv FROM dbo.t ORDER BY id
SELECT @@DBTS AS dbts, MIN_ACTIVE_ROWVERSION() AS lowest
GO
-- Without a name the column is called timestamp.
--@ source: documentation rowversion
CREATE TABLE dbo.old (id int, timestamp)
INSERT dbo.old (id) VALUES (1)
SELECT id, [timestamp] FROM dbo.old
SELECT name, TYPE_NAME(system_type_id) AS type, system_type_id, user_type_id, max_length, is_nullable FROM sys.columns
WHERE object_id IN (OBJECT_ID('dbo.t'), OBJECT_ID('dbo.old')) ORDER BY object_id, column_id
SELECT DATA_TYPE, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'old' ORDER BY ORDINAL_POSITION
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.t'), 'TableHasTimestamp') AS has
GO
-- Each row of an UPDATE takes a value, whatever is set; an UPDATE of no rows takes none.
--@ source: documentation rowversion
UPDATE dbo.t SET a = a WHERE id <> 4
SELECT id, rv FROM dbo.t ORDER BY id
UPDATE dbo.t SET a = 0 WHERE id = 99
SELECT @@DBTS AS dbts
GO
-- What is taken back gives no value back.
--@ source: reasoned
BEGIN TRANSACTION
UPDATE dbo.t SET a = 11 WHERE id = 1
SELECT MIN_ACTIVE_ROWVERSION() AS lowest, @@DBTS AS dbts
UPDATE dbo.t SET a = 12 WHERE id = 1
SELECT MIN_ACTIVE_ROWVERSION() AS lowest, @@DBTS AS dbts
ROLLBACK
SELECT MIN_ACTIVE_ROWVERSION() AS lowest, @@DBTS AS dbts
SELECT a, rv FROM dbo.t WHERE id = 1
GO
-- Optimistic concurrency.
--@ source: documentation rowversion
DECLARE @read binary(8) = (SELECT rv FROM dbo.t WHERE id = 2), @seen rowversion, @n bigint
UPDATE dbo.t SET a = 21 OUTPUT deleted.rv AS before, inserted.rv AS after, inserted.a WHERE id = 2 AND rv = @read
UPDATE dbo.t SET a = 22 OUTPUT inserted.rv WHERE id = 2 AND rv = @read
SELECT @seen = rv, @n = CAST(rv AS bigint) FROM dbo.t WHERE id = 2
SELECT @seen AS seen, @n AS n, CONVERT(varchar(20), @seen, 1) AS text, CAST(@n AS rowversion) AS back
SELECT id FROM dbo.t WHERE rv > @read ORDER BY id
SELECT id FROM dbo.t WHERE rv = 0x7DD
GO
-- No value is given for it.
--@ source: message 273
INSERT dbo.t VALUES (5, 50, 0x01)
GO
--@ source: message 273
INSERT dbo.t (id, rv) SELECT 5, 0x01
GO
--@ source: message 273
MERGE dbo.t AS t USING (VALUES (5)) AS s (id) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, rv) VALUES (s.id, 0x01);
GO
--@ source: message 213
INSERT dbo.t VALUES (5, 50)
GO
--@ source: message 272
UPDATE dbo.t SET rv = 0x01
GO
--@ source: message 272
MERGE dbo.t AS t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET rv = 0x01;
GO
-- One column, without a default; its type stays.
--@ source: message 2738
CREATE TABLE dbo.two (a rowversion, b timestamp)
GO
--@ source: message 2738
ALTER TABLE dbo.t ADD another rowversion
GO
--@ source: message 1755
CREATE TABLE dbo.two (a rowversion DEFAULT 0x01)
GO
--@ source: message 4928
ALTER TABLE dbo.t ALTER COLUMN rv binary(8)
GO
--@ source: message 4927
ALTER TABLE dbo.t ALTER COLUMN a rowversion
GO
--@ source: message 173
CREATE TABLE dbo.two (id int, rowversion)
GO
-- MERGE, foreign keys that cascade, triggers, views.
--@ source: reasoned
CREATE TABLE dbo.child (id int PRIMARY KEY, parent int NULL REFERENCES dbo.t (id) ON DELETE SET NULL, rv rowversion)
INSERT dbo.child (id, parent) VALUES (1, 4), (2, 3)
SELECT @@DBTS AS dbts
DELETE dbo.t WHERE id = 4
SELECT id, parent, rv FROM dbo.child ORDER BY id
MERGE dbo.t AS t USING (VALUES (1, 100), (6, 600)) AS s (id, a) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, s.a)
OUTPUT $action AS act, inserted.id, deleted.rv AS before, inserted.rv AS after;
GO
--@ source: reasoned
CREATE TRIGGER dbo.told ON dbo.t AFTER UPDATE AS
SELECT d.rv AS before, i.rv AS after, CASE WHEN UPDATE(rv) THEN 1 ELSE 0 END AS named FROM inserted i JOIN deleted d ON i.id = d.id
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT id, a, rv FROM dbo.t
GO
--@ source: reasoned
UPDATE dbo.v SET a = 7 WHERE id = 6
INSERT dbo.v (id, a) VALUES (8, 80)
INSERT dbo.v VALUES (9, 90, DEFAULT)
SELECT id, rv FROM dbo.v WHERE id > 5 ORDER BY id
GO
-- In an index and a key.
--@ source: reasoned
DISABLE TRIGGER dbo.told ON dbo.t
CREATE INDEX by_rv ON dbo.t (rv)
CREATE TABLE dbo.keyed (rv rowversion PRIMARY KEY, a int UNIQUE)
INSERT dbo.keyed (a) VALUES (1), (2), (3)
GO
--@ source: reasoned
UPDATE dbo.t SET a = 1 WHERE id IN (1, 9)
UPDATE dbo.keyed SET a = a WHERE a > 1
SELECT id FROM dbo.t WITH (INDEX (by_rv)) WHERE rv > 0x7E0 ORDER BY rv
SELECT a, rv FROM dbo.keyed ORDER BY rv
DBCC CHECKTABLE ('dbo.t') WITH NO_INFOMSGS
DBCC CHECKTABLE ('dbo.keyed') WITH NO_INFOMSGS
GO
-- A column that comes to rows: each gets a value of its own.
--@ source: reasoned
CREATE TABLE dbo.late (id int, b varchar(10))
INSERT dbo.late VALUES (1, 'x'), (2, 'y'), (3, 'z')
ALTER TABLE dbo.late ADD rv rowversion
SELECT id, b, COUNT(*) OVER () AS n, DENSE_RANK() OVER (ORDER BY rv) AS r, CASE WHEN rv > 0x7D0 THEN 1 END AS made FROM dbo.late ORDER BY id
UPDATE dbo.late SET b = 'changed' WHERE id = 1
SELECT id FROM dbo.late ORDER BY rv DESC
GO
-- SELECT INTO keeps type and values; INSERT … SELECT makes new ones.
--@ source: documentation rowversion
SELECT id, rv INTO dbo.copy FROM dbo.keyed k JOIN (VALUES (1), (2)) AS v (id) ON k.a = v.id
SELECT COUNT(*) AS same FROM dbo.copy c JOIN dbo.keyed k ON c.rv = k.rv
SELECT TYPE_NAME(system_type_id) AS type, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('dbo.copy') AND name = 'rv'
INSERT dbo.copy (id) SELECT id FROM dbo.copy
SELECT COUNT(DISTINCT rv) AS n FROM dbo.copy
GO
--@ source: message 2738
SELECT a.rv, b.rv AS rv2 INTO dbo.copies FROM dbo.keyed a CROSS JOIN dbo.keyed b
GO
-- Temporary tables and table variables count in tempdb.
--@ source: reasoned
DECLARE @before varbinary(8) = @@DBTS
CREATE TABLE #t (id int, rv rowversion)
INSERT #t (id) VALUES (1), (2)
UPDATE #t SET id = id
DECLARE @v TABLE (id int, rv rowversion)
INSERT @v (id) VALUES (1), (2)
UPDATE @v SET id = 3 WHERE id = 1
SELECT (SELECT COUNT(DISTINCT rv) FROM #t) AS t, (SELECT COUNT(DISTINCT rv) FROM @v) AS v, CASE WHEN @before = @@DBTS THEN 1 END AS same
SELECT id FROM @v ORDER BY rv
DROP TABLE #t
GO
-- NULL is a word of the column, not a value.
--@ source: documentation rowversion
CREATE TABLE dbo.n (id int, rv rowversion NULL)
INSERT dbo.n (id) VALUES (1)
SELECT id, CASE WHEN rv IS NULL THEN 'null' ELSE 'value' END AS rv FROM dbo.n
SELECT is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('dbo.n') AND name = 'rv'
GO
--@ source: reasoned
USE master
DROP DATABASE Rowversions
GO
