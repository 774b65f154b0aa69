-- A database that is READ_ONLY: nothing in it changes, whatever would change it.
--@ source: reasoned
CREATE DATABASE Still
GO
--@ source: reasoned
USE Still
CREATE TABLE t (a int IDENTITY PRIMARY KEY, b int NULL, INDEX ib (b))
INSERT t VALUES (1), (2)
GO
--@ source: reasoned
CREATE PROCEDURE p AS UPDATE t SET b = 0
GO
--@ source: documentation ALTER DATABASE SET options
ALTER DATABASE Still SET READ_ONLY WITH ROLLBACK IMMEDIATE
SELECT is_read_only, DATABASEPROPERTYEX('Still', 'Updateability') AS updateability FROM sys.databases WHERE name = 'Still'
SELECT * FROM t
GO
--@ source: message 3906
INSERT t VALUES (3)
GO
--@ source: message 3906
UPDATE t SET b = 3 WHERE 1 = 0
GO
--@ source: message 3906
DELETE t WHERE a = 99
GO
--@ source: message 3906
MERGE t USING (SELECT 1 AS a) AS s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = 3;
GO
--@ source: message 3906
EXEC p
GO
--@ source: message 3906
TRUNCATE TABLE t
GO
--@ source: message 3906
CREATE TABLE u (a int)
GO
--@ source: message 3906
SELECT * INTO u FROM t
GO
--@ source: message 3906
DROP TABLE t
GO
--@ source: message 3906
ALTER TABLE t ADD c int
GO
--@ source: message 3906
CREATE INDEX i ON t (b)
GO
--@ source: message 3906
CREATE PROCEDURE q AS RETURN
GO
--@ source: message 3906
DBCC CHECKIDENT (t, RESEED, 10)
GO
--@ source: message 3906
EXEC sp_rename 't', 'u'
GO
--@ source: message 3906
BEGIN TRY
    INSERT t VALUES (3)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state
END CATCH
GO
--@ source: reasoned
CREATE TABLE #t (a int)
INSERT #t SELECT a FROM t
DECLARE @v TABLE (a int)
INSERT @v SELECT a FROM t
SELECT COUNT(*) AS rows FROM #t AS x JOIN @v AS y ON x.a = y.a
DROP TABLE #t
GO
--@ source: reasoned
BEGIN TRANSACTION
SELECT COUNT(*) AS rows FROM t WITH (UPDLOCK)
COMMIT
GO
--@ source: message 5004
ALTER DATABASE Still SET RECOVERY SIMPLE
GO
--@ source: message 5004
ALTER DATABASE Still MODIFY FILE (NAME = Still, SIZE = 100MB)
GO
--@ source: documentation ALTER DATABASE SET options
ALTER DATABASE Still SET READ_ONLY
ALTER DATABASE Still SET MULTI_USER
GO
--@ source: message 5058
ALTER DATABASE master SET READ_ONLY
GO
--@ source: message 5058
ALTER DATABASE tempdb SET READ_ONLY
GO
--@ source: documentation sp_detach_db
USE master
EXEC sp_detach_db 'Still'
CREATE DATABASE Still ON (FILENAME = 'Still.mdf') FOR ATTACH
SELECT is_read_only FROM sys.databases WHERE name = 'Still'
GO
--@ source: message 3906
INSERT Still.dbo.t VALUES (3)
GO
--@ source: documentation ALTER DATABASE SET options
ALTER DATABASE Still SET READ_WRITE, RECOVERY SIMPLE WITH NO_WAIT
INSERT Still.dbo.t VALUES (3)
SELECT is_read_only, recovery_model_desc FROM sys.databases WHERE name = 'Still'
SELECT * FROM Still.dbo.t
GO
--@ source: reasoned
ALTER DATABASE Still SET READ_ONLY
DROP DATABASE Still
GO
