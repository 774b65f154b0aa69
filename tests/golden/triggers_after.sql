-- AFTER triggers: when they are fired, what they see, in which order.
--@ source: reasoned
CREATE DATABASE TriggersAfter
GO
--@ source: reasoned
USE TriggersAfter
CREATE TABLE dbo.t (id int IDENTITY(10, 10) PRIMARY KEY, a int, b varchar(10) DEFAULT 'none')
CREATE TABLE dbo.log (n int IDENTITY PRIMARY KEY, what varchar(40), id int, old int, new int)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_all ON dbo.t AFTER INSERT, UPDATE, DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT
    SET NOCOUNT ON
    INSERT dbo.log (what, id, old, new)
    SELECT CASE WHEN d.id IS NULL THEN 'came' WHEN i.id IS NULL THEN 'went' ELSE 'changed' END, COALESCE(i.id, d.id), d.a, i.a
    FROM inserted AS i FULL JOIN deleted AS d ON d.id = i.id ORDER BY 2
    INSERT dbo.log (what, id, new) SELECT 'rows', @rows, COUNT(*) FROM inserted
END
GO
--@ source: documentation use-the-inserted-and-deleted-tables
INSERT dbo.t (a) VALUES (1), (2), (3)
SELECT what, id, old, new FROM dbo.log ORDER BY n
GO
--@ source: documentation use-the-inserted-and-deleted-tables
TRUNCATE TABLE dbo.log
UPDATE dbo.t SET a += 10 WHERE id > 10
DELETE dbo.t WHERE id = 20
SELECT what, id, old, new FROM dbo.log ORDER BY n
GO
-- Once for a statement, for no rows too.
--@ source: documentation CREATE TRIGGER
TRUNCATE TABLE dbo.log
UPDATE dbo.t SET a = 0 WHERE 1 = 0
DELETE dbo.t WHERE id = 99
INSERT dbo.t (a) SELECT 1 WHERE 1 = 0
SELECT what, id, old, new FROM dbo.log ORDER BY n
TRUNCATE TABLE dbo.t
SELECT COUNT(*) AS rows_of_truncate FROM dbo.log
GO
-- The statement tells of its own rows, whatever the body has done.
--@ source: documentation @@ROWCOUNT
INSERT dbo.t (a) VALUES (7), (8)
SELECT @@ROWCOUNT AS two
GO
-- The identity of the statement's table, and of the one that the body has filled.
--@ source: documentation @@IDENTITY
INSERT dbo.t (a) VALUES (9)
SELECT SCOPE_IDENTITY() AS of_t, IDENT_CURRENT('dbo.t') AS current_of_t, CASE WHEN @@IDENTITY = IDENT_CURRENT('dbo.log') THEN 'of log' END AS last
GO
-- A body without an identity leaves @@IDENTITY.
--@ source: documentation @@IDENTITY
CREATE TABLE dbo.plain (x int)
GO
--@ source: reasoned
ALTER TRIGGER dbo.t_all ON dbo.t AFTER INSERT AS INSERT dbo.plain SELECT a FROM inserted
GO
--@ source: documentation @@IDENTITY
SET NOCOUNT ON
INSERT dbo.t (a) VALUES (10)
SELECT CASE WHEN @@IDENTITY = IDENT_CURRENT('dbo.t') THEN 'of t' END AS last
SET NOCOUNT OFF
GO
-- Columns that SET names, whatever their values; all of an INSERT, none of a DELETE.
--@ source: documentation UPDATE
ALTER TRIGGER dbo.t_all ON dbo.t FOR INSERT, UPDATE, DELETE AS
SELECT CASE WHEN UPDATE(id) THEN 1 ELSE 0 END AS id, CASE WHEN UPDATE(a) THEN 1 ELSE 0 END AS a, CONVERT(varchar(10), COLUMNS_UPDATED(), 1) AS bits,
    DATALENGTH(COLUMNS_UPDATED()) AS bytes
IF UPDATE(a) AND NOT UPDATE(b) PRINT 'a alone'
GO
--@ source: documentation UPDATE
INSERT dbo.t (a) VALUES (1)
UPDATE dbo.t SET a = a WHERE id = 10
UPDATE dbo.t SET b = 'x', a = 1 WHERE id = -1
DELETE dbo.t WHERE id = 20
SELECT COLUMNS_UPDATED() AS outside
GO
-- The identity of a trigger that runs.
--@ source: documentation TRIGGER_NESTLEVEL
ALTER TRIGGER dbo.t_all ON dbo.t AFTER UPDATE AS
SELECT @@NESTLEVEL AS nest, TRIGGER_NESTLEVEL() AS triggers, TRIGGER_NESTLEVEL(OBJECT_ID('dbo.t_all')) AS own,
    TRIGGER_NESTLEVEL(OBJECT_ID('dbo.t')) AS other, TRIGGER_NESTLEVEL(0, 'IOT', 'DML') AS instead, TRIGGER_NESTLEVEL(0, 'AFTER', 'DML') AS after,
    OBJECT_NAME(@@PROCID) AS name, @@TRANCOUNT AS transactions, XACT_STATE() AS state, @@OPTIONS & 16384 AS xact_abort
GO
--@ source: documentation TRIGGER_NESTLEVEL
UPDATE dbo.t SET a = 1 WHERE 1 = 0
SELECT TRIGGER_NESTLEVEL() AS outside, TRIGGER_NESTLEVEL(NULL) AS of_null, @@TRANCOUNT AS transactions, @@OPTIONS & 16384 AS xact_abort
GO
--@ source: reasoned
DROP TRIGGER dbo.t_all
UPDATE dbo.t SET a = 1 WHERE 1 = 0
GO
-- First, others in the order of their making, last.
--@ source: documentation sp_settriggerorder
CREATE TRIGGER dbo.t_one ON dbo.t AFTER UPDATE AS PRINT 'one'
GO
--@ source: reasoned
CREATE TRIGGER dbo.t_two ON dbo.t AFTER UPDATE AS PRINT 'two'
GO
--@ source: reasoned
CREATE TRIGGER dbo.t_three ON dbo.t AFTER UPDATE AS PRINT 'three'
GO
--@ source: documentation sp_settriggerorder
EXEC sp_settriggerorder 'dbo.t_one', 'Last', 'UPDATE'
EXEC sp_settriggerorder 'dbo.t_three', 'First', 'UPDATE'
UPDATE dbo.t SET a = 1 WHERE 1 = 0
GO
--@ source: documentation DISABLE TRIGGER
DISABLE TRIGGER dbo.t_two ON dbo.t
UPDATE dbo.t SET a = 1 WHERE 1 = 0
GO
--@ source: documentation ALTER TABLE
ALTER TABLE dbo.t DISABLE TRIGGER ALL
UPDATE dbo.t SET a = 1 WHERE 1 = 0
ALTER TABLE dbo.t ENABLE TRIGGER t_two, t_one
UPDATE dbo.t SET a = 1 WHERE 1 = 0
GO
-- ALTER enables, and takes the mark away.
--@ source: documentation ALTER TRIGGER
ALTER TRIGGER dbo.t_three ON dbo.t AFTER UPDATE AS PRINT 'three again'
GO
--@ source: documentation ALTER TRIGGER
UPDATE dbo.t SET a = 1 WHERE 1 = 0
DROP TRIGGER dbo.t_one, dbo.t_two, dbo.t_three
GO
-- MERGE fires the triggers of each action that it names, each with its own rows.
--@ source: documentation MERGE
CREATE TABLE dbo.m (k int PRIMARY KEY, v int)
INSERT dbo.m VALUES (1, 1), (2, 2), (3, 3)
GO
--@ source: reasoned
CREATE TRIGGER dbo.m_all ON dbo.m AFTER INSERT, UPDATE, DELETE AS
SELECT @@ROWCOUNT AS total, (SELECT STRING_AGG(k, ',') FROM inserted) AS inserted, (SELECT STRING_AGG(k, ',') FROM deleted) AS deleted
GO
--@ source: documentation MERGE
MERGE dbo.m AS t USING (VALUES (1, 10), (4, 40)) AS s (k, v) ON s.k = t.k
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)
WHEN NOT MATCHED BY SOURCE AND t.k = 3 THEN DELETE;
GO
-- Cascades first, then the triggers of the tables that they reach, the deepest first; last those of the statement's own table.
--@ source: documentation CREATE TRIGGER
CREATE TABLE dbo.p (id int PRIMARY KEY)
CREATE TABLE dbo.c (id int PRIMARY KEY, p int REFERENCES dbo.p ON DELETE CASCADE)
CREATE TABLE dbo.g (id int PRIMARY KEY, c int REFERENCES dbo.c ON DELETE SET NULL)
INSERT dbo.p VALUES (1), (2)
INSERT dbo.c VALUES (1, 1), (2, 1)
INSERT dbo.g VALUES (1, 1), (2, NULL)
GO
--@ source: reasoned
CREATE TRIGGER dbo.p_gone ON dbo.p AFTER DELETE AS SELECT 'p' AS t, (SELECT COUNT(*) FROM deleted) AS gone, (SELECT COUNT(*) FROM dbo.c) AS left_in_c
GO
--@ source: reasoned
CREATE TRIGGER dbo.c_gone ON dbo.c AFTER DELETE AS SELECT 'c' AS t, COUNT(*) AS gone FROM deleted
GO
--@ source: reasoned
CREATE TRIGGER dbo.g_set ON dbo.g AFTER UPDATE AS IF UPDATE(c) SELECT 'g' AS t, COUNT(*) AS changed FROM inserted WHERE c IS NULL
GO
--@ source: documentation CREATE TRIGGER
DELETE dbo.p WHERE id = 1
DELETE dbo.p WHERE id = 2
GO
-- OUTPUT INTO is filled before; INSERT … EXEC fires once.
--@ source: documentation OUTPUT
CREATE TABLE dbo.out (k int)
GO
--@ source: reasoned
ALTER TRIGGER dbo.m_all ON dbo.m AFTER INSERT AS SELECT COUNT(*) AS there FROM dbo.out; SELECT COUNT(*) AS came FROM inserted
GO
--@ source: documentation OUTPUT
INSERT dbo.m OUTPUT inserted.k INTO dbo.out VALUES (5, 5), (6, 6)
INSERT dbo.m EXEC ('SELECT 7, 7; SELECT 8, 8')
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersAfter
