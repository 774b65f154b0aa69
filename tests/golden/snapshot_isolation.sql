-- SNAPSHOT: a transaction reads the rows as they were at its first look, and changes none that somebody else has changed since.
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE DATABASE si
ALTER DATABASE si SET ALLOW_SNAPSHOT_ISOLATION ON
SELECT name, is_read_committed_snapshot_on AS rcsi, snapshot_isolation_state AS state, snapshot_isolation_state_desc AS description FROM sys.databases WHERE database_id <= 4 OR name = 'si' ORDER BY database_id
USE si
CREATE TABLE t (id int PRIMARY KEY, v int, w int)
INSERT t VALUES (1, 10, 0), (2, 20, 0)
CREATE TABLE h (id int, v int)
INSERT h VALUES (1, 10), (2, 20)
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE PROCEDURE again AS
DELETE t
INSERT t VALUES (1, 10, 0), (2, 20, 0)
GO
-- The snapshot is taken by the first look at data.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
USE si
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
DECLARE @nothing int = 1
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ session two
--@ source: reasoned
SELECT v FROM t WITH (NOLOCK) WHERE id = 1
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 12 WHERE id = 1
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 13 WHERE id = 1
DELETE t WHERE id = 2
INSERT t VALUES (3, 30, 0)
UPDATE h SET v = 13 WHERE id = 1
DELETE h WHERE id = 2
GO
-- It stays, also for a table that is read first now, and shows what the transaction itself does. Another level looks at what is there.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
SELECT id, v FROM h
INSERT t VALUES (4, 40, 0)
UPDATE t SET v = v + 1 WHERE id = 4
SELECT id, v FROM t
SELECT id, v FROM t WITH (READCOMMITTEDLOCK)
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT id, v FROM t
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SELECT id, v FROM t
UPDATE t SET v = 0 WHERE id = 3
SELECT @@ROWCOUNT AS changed
COMMIT
SELECT id, v FROM t
GO
-- Somebody has changed the row, and committed: 3960, and the transaction is rolled back. Another column, or an equal value, is a change.
--@ session one
--@ source: reasoned
EXEC again
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT v FROM t WHERE id = 1
GO
--@ session one
--@ source: reasoned
UPDATE t SET w = w WHERE id = 1
GO
--@ session two
--@ source: message 3960
INSERT h VALUES (9, 9)
UPDATE t SET v = 0 WHERE id = 1
PRINT 'not reached'
GO
--@ source: message 3960
SELECT @@TRANCOUNT AS count, (SELECT COUNT(*) FROM h WHERE id = 9) AS nine
BEGIN TRAN
SELECT v FROM t WHERE id = 2
GO
--@ session one
--@ source: reasoned
DELETE t WHERE id = 2
GO
-- Within TRY it is doomed. The row is gone here.
--@ session two
--@ source: message 3960
BEGIN TRY
    DELETE t WHERE id = 2
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, XACT_STATE() AS state, ERROR_MESSAGE() AS message
    ROLLBACK
END CATCH
GO
-- UPDLOCK of a row that is not as the snapshot has it.
--@ session one
--@ source: reasoned
EXEC again
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT v FROM t WHERE id = 2
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ session two
--@ source: message 3960
SELECT id, v FROM t WITH (UPDLOCK) WHERE id = 2
SELECT id, v FROM t WITH (UPDLOCK) WHERE id = 1
GO
-- A writer is waited for, and decides.
--@ session one
--@ source: reasoned
EXEC again
BEGIN TRAN
UPDATE t SET v = v + 10
GO
--@ session two
--@ source: message 1222
BEGIN TRAN
SELECT id FROM t WHERE v = 20
DELETE t WHERE v = 20
GO
--@ session one
--@ source: reasoned
ROLLBACK
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t WHERE v = 20
SELECT id, v FROM t
COMMIT
GO
-- Write skew is allowed.
--@ session one
--@ source: reasoned
EXEC again
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT SUM(v) AS s FROM t
UPDATE t SET v = 0 WHERE id = 1
COMMIT
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 2
COMMIT
SELECT id, v FROM t
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
GO
-- MERGE and a join find rows by the snapshot, and meet the conflict where they change one.
--@ source: reasoned
EXEC again
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT COUNT(*) AS n FROM t
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ session two
--@ source: message 3960
UPDATE t SET v = 0 FROM t JOIN (VALUES (2)) AS s (id) ON s.id = t.id
MERGE t USING (VALUES (2), (5)) AS s (id) ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 50, 0);
SELECT id, v FROM t
MERGE t USING (VALUES (1)) AS s (id) ON s.id = t.id WHEN MATCHED THEN DELETE;
GO
-- Foreign keys look at what is there, and a key that somebody has changed the row of is a conflict. NULL asks for none.
--@ session one
--@ source: reasoned
CREATE TABLE p (id int PRIMARY KEY, u int UNIQUE, v int)
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, u int REFERENCES p (u))
INSERT p VALUES (1, 1, 1), (2, 2, 2)
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT COUNT(*) AS n FROM p
GO
--@ session one
--@ source: reasoned
UPDATE p SET v = 9 WHERE id = 1
GO
--@ session two
--@ source: message 3960
INSERT c VALUES (1, NULL, NULL)
INSERT c VALUES (2, 2, 2)
INSERT c VALUES (3, NULL, 1)
INSERT c VALUES (4, 1, NULL)
GO
-- A key that was put there since is no less there.
--@ source: message 2627
BEGIN TRAN
SELECT COUNT(*) AS n FROM t WHERE id = 77
GO
--@ session one
--@ source: reasoned
INSERT t VALUES (77, 0, 0)
GO
--@ session two
--@ source: message 2627
SELECT COUNT(*) AS n FROM t WHERE id = 77
INSERT t VALUES (77, 1, 1)
COMMIT
GO
-- Cascades change rows that are as the snapshot has them.
--@ session one
--@ source: reasoned
CREATE TABLE cc (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, v int)
INSERT p VALUES (5, 5, 5), (6, 6, 6)
INSERT cc VALUES (1, 5, 0), (2, 6, 0)
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
SELECT COUNT(*) AS n FROM cc
GO
--@ session one
--@ source: reasoned
UPDATE cc SET v = 1 WHERE id = 2
GO
--@ session two
--@ source: message 3960
DELETE p WHERE id = 5
SELECT id FROM cc
DELETE p WHERE id = 6
GO
-- SNAPSHOT cannot be changed to within a transaction that has looked at data under another level.
--@ source: message 3951
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SELECT COUNT(*) AS n FROM p
GO
--@ source: message 3951
SELECT @@TRANCOUNT AS count
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
COMMIT
GO
-- READPAST has no place here.
--@ source: message 650
SELECT * FROM t WITH (READPAST)
GO
--@ source: message 650
SELECT * FROM t WITH (UPDLOCK, READPAST)
GO
-- DDL that somebody has committed since: the catalogue has no versions.
--@ source: reasoned
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
GO
--@ session one
--@ source: reasoned
TRUNCATE TABLE h
ALTER TABLE t ADD x int
GO
--@ session two
--@ source: message 3961
SELECT * FROM h
GO
--@ source: message 3961
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
GO
--@ session one
--@ source: reasoned
CREATE INDEX iv ON t (v)
GO
--@ session two
--@ source: message 3961
SELECT id FROM t
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM h
GO
-- DDL within a transaction of one's own.
--@ source: message 3964
CREATE INDEX iw ON t (w)
BEGIN TRAN
CREATE TABLE new (a int)
INSERT new VALUES (1)
SELECT * FROM new
ALTER TABLE new ADD b int
GO
--@ source: message 3964
SELECT @@TRANCOUNT AS count, OBJECT_ID('new') AS new
GO
-- Temporary tables and table variables are one's own: no option is needed. Tables of all need one in tempdb.
--@ source: reasoned
CREATE TABLE #t (a int)
INSERT #t VALUES (1)
DECLARE @t TABLE (a int)
INSERT @t SELECT a FROM #t
SELECT #t.a, v.a FROM #t JOIN @t v ON v.a = #t.a
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
CREATE TABLE ##t (a int)
INSERT ##t VALUES (1)
CREATE DATABASE other
CREATE TABLE other.dbo.t (a int)
INSERT other.dbo.t VALUES (1)
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
GO
--@ source: message 3952
SELECT a FROM ##t WITH (READCOMMITTED)
SELECT a FROM ##t
GO
--@ source: message 3952
DROP TABLE ##t
SELECT a FROM other.dbo.t WITH (READCOMMITTED)
SELECT a FROM other.dbo.t
GO
-- Two databases have one moment.
--@ source: reasoned
ALTER DATABASE other SET ALLOW_SNAPSHOT_ISOLATION ON
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
GO
--@ session one
--@ source: reasoned
INSERT other.dbo.t VALUES (2)
GO
--@ session two
--@ source: reasoned
SELECT a FROM other.dbo.t
COMMIT
SELECT a FROM other.dbo.t
GO
-- A snapshot from before the option.
--@ source: message 3957
CREATE DATABASE late
CREATE TABLE late.dbo.t (a int)
BEGIN TRAN
SELECT COUNT(*) AS n FROM p WHERE id = 1
GO
--@ session one
--@ source: reasoned
INSERT other.dbo.t VALUES (3)
ALTER DATABASE late SET ALLOW_SNAPSHOT_ISOLATION ON
GO
--@ session two
--@ source: message 3957
SELECT a FROM late.dbo.t
GO
-- The option alone in its statement, without termination, and not within a transaction.
--@ session one
--@ source: message 5082
ALTER DATABASE late SET ALLOW_SNAPSHOT_ISOLATION OFF, RECOVERY SIMPLE
GO
--@ source: message 5083
ALTER DATABASE late SET ALLOW_SNAPSHOT_ISOLATION OFF WITH NO_WAIT
GO
--@ source: message 226
BEGIN TRAN
ALTER DATABASE late SET ALLOW_SNAPSHOT_ISOLATION OFF
GO
--@ source: message 5058
ROLLBACK
ALTER DATABASE master SET READ_COMMITTED_SNAPSHOT ON
GO
--@ source: message 5058
ALTER DATABASE tempdb SET READ_COMMITTED_SNAPSHOT ON
GO
--@ source: message 3987
ALTER DATABASE msdb SET ALLOW_SNAPSHOT_ISOLATION OFF
ALTER DATABASE late SET ALLOW_SNAPSHOT_ISOLATION OFF
SELECT snapshot_isolation_state_desc AS state FROM sys.databases WHERE name IN ('late', 'msdb')
GO
--@ source: message 4140
INSERT t WITH (READCOMMITTEDLOCK) (id) VALUES (100)
GO
--@ source: documentation DBCC USEROPTIONS
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SELECT transaction_isolation_level AS level FROM sys.dm_exec_sessions WHERE session_id = @@SPID
DBCC USEROPTIONS
GO
--@ session two
--@ source: reasoned
USE master
GO
--@ session one
--@ source: reasoned
USE master
DROP DATABASE si
DROP DATABASE other
DROP DATABASE late
GO
