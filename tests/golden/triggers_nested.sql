-- Triggers that fire triggers: nesting, recursion, the options about them.
--@ source: reasoned
CREATE DATABASE TriggersNested
GO
--@ source: reasoned
USE TriggersNested
CREATE TABLE dbo.a (n int)
CREATE TABLE dbo.b (n int)
SELECT is_recursive_triggers_on FROM sys.databases WHERE name = 'TriggersNested'
GO
-- A trigger does not fire itself unless RECURSIVE_TRIGGERS is on.
--@ source: documentation create-nested-triggers
CREATE TRIGGER dbo.a_self ON dbo.a AFTER INSERT AS
IF EXISTS (SELECT * FROM inserted) INSERT dbo.a SELECT n + 1 FROM inserted WHERE n < 5
GO
--@ source: documentation create-nested-triggers
SET NOCOUNT ON
INSERT dbo.a VALUES (1)
SELECT n FROM dbo.a ORDER BY n
SET NOCOUNT OFF
GO
--@ source: documentation ALTER DATABASE SET
ALTER DATABASE TriggersNested SET RECURSIVE_TRIGGERS ON
GO
--@ source: documentation ALTER DATABASE SET
SET NOCOUNT ON
TRUNCATE TABLE dbo.a
INSERT dbo.a VALUES (1)
SELECT n FROM dbo.a ORDER BY n
SELECT is_recursive_triggers_on, DATABASEPROPERTYEX('TriggersNested', 'IsRecursiveTriggersEnabled') AS property FROM sys.databases WHERE name = 'TriggersNested'
SET NOCOUNT OFF
GO
-- Recursion without an end is undone: 217.
--@ source: message 217
ALTER TRIGGER dbo.a_self ON dbo.a AFTER INSERT AS
INSERT dbo.a SELECT n + 1 FROM inserted
GO
--@ source: message 217
TRUNCATE TABLE dbo.a
INSERT dbo.a VALUES (1)
PRINT 'not reached'
GO
--@ source: message 217
SELECT COUNT(*) AS none FROM dbo.a
ALTER DATABASE TriggersNested SET RECURSIVE_TRIGGERS OFF
GO
-- A fires B, B fires A: indirect recursion goes on without the option.
--@ source: documentation create-nested-triggers
ALTER TRIGGER dbo.a_self ON dbo.a AFTER INSERT AS
INSERT dbo.b SELECT n + 1 FROM inserted WHERE n < 4
GO
--@ source: documentation create-nested-triggers
CREATE TRIGGER dbo.b_back ON dbo.b AFTER INSERT AS
BEGIN
    IF NOT EXISTS (SELECT * FROM inserted) RETURN
    PRINT CONCAT('nest ', @@NESTLEVEL, ', triggers ', TRIGGER_NESTLEVEL(), ', own ', TRIGGER_NESTLEVEL(@@PROCID))
    INSERT dbo.a SELECT n FROM inserted
END
GO
--@ source: documentation create-nested-triggers
SET NOCOUNT ON
INSERT dbo.a VALUES (1)
SELECT 'a' AS t, n FROM dbo.a UNION ALL SELECT 'b', n FROM dbo.b ORDER BY t, n
SET NOCOUNT OFF
GO
-- A procedure in between does not make the trigger another one.
--@ source: reasoned
CREATE PROCEDURE dbo.more AS INSERT dbo.a VALUES (100)
GO
--@ source: reasoned
DROP TRIGGER dbo.b_back
TRUNCATE TABLE dbo.a
GO
--@ source: reasoned
ALTER TRIGGER dbo.a_self ON dbo.a AFTER INSERT AS EXEC dbo.more
GO
--@ source: reasoned
SET NOCOUNT ON
INSERT dbo.a VALUES (1)
SELECT n FROM dbo.a ORDER BY n
SET NOCOUNT OFF
GO
-- `nested triggers` 0: nothing fires while an AFTER trigger runs.
--@ source: documentation nested-triggers
EXEC sp_configure 'nested triggers', 0
RECONFIGURE
SELECT value_in_use FROM sys.configurations WHERE name = 'nested triggers'
GO
--@ source: reasoned
ALTER TRIGGER dbo.a_self ON dbo.a AFTER INSERT AS INSERT dbo.b VALUES (1)
GO
--@ source: reasoned
CREATE TRIGGER dbo.b_tells ON dbo.b AFTER INSERT AS PRINT 'b'
GO
--@ source: documentation nested-triggers
SET NOCOUNT ON
INSERT dbo.a VALUES (1)
PRINT 'now b alone'
INSERT dbo.b VALUES (1)
EXEC sp_configure 'nested triggers', 1
RECONFIGURE
INSERT dbo.a VALUES (1)
SET NOCOUNT OFF
GO
-- inserted is the trigger's own, not its caller's; a procedure and a text see none.
--@ source: documentation use-the-inserted-and-deleted-tables
CREATE PROCEDURE dbo.sees AS SELECT * FROM inserted
GO
--@ source: reasoned
ALTER TRIGGER dbo.b_tells ON dbo.b AFTER INSERT AS EXEC dbo.sees
GO
--@ source: message 208
INSERT dbo.b VALUES (1)
GO
--@ source: reasoned
ALTER TRIGGER dbo.b_tells ON dbo.b AFTER INSERT AS EXEC ('SELECT * FROM inserted')
GO
--@ source: message 208
INSERT dbo.b VALUES (1)
GO
-- A cursor over inserted, a temporary table and a table variable within the body.
--@ source: reasoned
ALTER TRIGGER dbo.b_tells ON dbo.b AFTER INSERT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @v TABLE (n int)
    INSERT @v SELECT n FROM inserted
    SELECT n, n * 2 AS twice INTO #t FROM inserted
    UPDATE x SET twice += 1 FROM #t AS x JOIN inserted AS i ON i.n = x.n
    DECLARE c CURSOR LOCAL FOR SELECT i.n, x.twice FROM inserted AS i JOIN #t AS x ON x.n = i.n JOIN @v AS v ON v.n = i.n ORDER BY i.n
    DECLARE @n int, @twice int
    OPEN c
    FETCH NEXT FROM c INTO @n, @twice
    WHILE @@FETCH_STATUS = 0
    BEGIN
        PRINT CONCAT(@n, ': ', @twice)
        FETCH NEXT FROM c INTO @n, @twice
    END
END
GO
--@ source: reasoned
INSERT dbo.b VALUES (3), (4)
SELECT OBJECT_ID('tempdb..#t') AS gone
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersNested
