-- Traps of isolation: moments that are taken late, rows that move, DDL, timeouts, escalation.
--@ source: reasoned
CREATE DATABASE traps
ALTER DATABASE traps SET ALLOW_SNAPSHOT_ISOLATION ON
ALTER DATABASE traps SET READ_COMMITTED_SNAPSHOT ON
GO
--@ source: reasoned
USE traps
CREATE TABLE t (id int PRIMARY KEY, v int)
INSERT t VALUES (1, 10), (2, 20)
CREATE TABLE h (id int, w varchar(8000))
INSERT h SELECT value, 'short' FROM GENERATE_SERIES(1, 9)
CREATE TABLE l (id int PRIMARY KEY, w varchar(max))
INSERT l VALUES (1, REPLICATE(CAST('a' AS varchar(max)), 50000))
GO
-- An idle session stands in the way.
--@ session two
--@ source: message 5070
ALTER DATABASE traps SET READ_COMMITTED_SNAPSHOT OFF WITH NO_WAIT
GO
--@ source: message 5058
USE traps
ALTER DATABASE msdb SET READ_COMMITTED_SNAPSHOT ON
GO
-- Nothing of this looks at data: the snapshot is not taken.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SET LOCK_TIMEOUT 0
BEGIN TRAN
WAITFOR DELAY '00:00:00.001'
DECLARE @nothing int
SET @nothing = 1
GO
--@ session one
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT v FROM t WHERE id = 1
GO
-- It is taken now.
--@ session one
--@ source: reasoned
UPDATE t SET v = 12 WHERE id = 1
DELETE t WHERE id = 2
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT id, v FROM t
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SELECT id, v FROM t
GO
-- The row is there for the snapshot, and gone.
--@ source: message 3960
UPDATE t SET v = 0 WHERE id = 2
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS count, XACT_STATE() AS state
GO
-- Keys that go away and come back, rows of a heap that move, a large value that is replaced, one row that is changed again and again.
--@ session one
--@ source: reasoned
DELETE t
INSERT t SELECT value, value FROM GENERATE_SERIES(1, 9)
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(v) AS v FROM t
SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids, MAX(LEN(w)) AS length FROM h
SELECT LEN(w) AS length, LEFT(w, 1) AS first, RIGHT(w, 1) AS last FROM l
GO
--@ session one
--@ source: reasoned
DECLARE @i int = 0
SET NOCOUNT ON
UPDATE t SET id = 100 WHERE id = 1
UPDATE t SET id = 1, v = 77 WHERE id = 100
UPDATE h SET w = REPLICATE('x', 7000) WHERE id <= 5
DELETE h WHERE id = 9
WHILE @i < 50 BEGIN SET @i += 1
  UPDATE t SET v = v + 1 WHERE id = 5
  IF @i % 5 = 0 UPDATE l SET w = REPLICATE(CAST('b' AS varchar(max)), 60000 + @i)
END
INSERT t SELECT value, 0 FROM GENERATE_SERIES(1000, 3000)
DELETE t WHERE id > 1000
SELECT COUNT(*) AS n, SUM(v) AS v FROM t
SET NOCOUNT OFF
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(v) AS v FROM t
SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids, MAX(LEN(w)) AS length FROM h
SELECT LEN(w) AS length, LEFT(w, 1) AS first, RIGHT(w, 1) AS last FROM l
COMMIT
SELECT LEN(w) AS length, LEFT(w, 1) AS first FROM l
GO
-- A table that is emptied: READ COMMITTED looks anew with each statement.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
BEGIN TRAN
SELECT COUNT(*) AS n FROM h
GO
--@ session one
--@ source: reasoned
TRUNCATE TABLE h
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT COUNT(*) AS n FROM h
COMMIT
GO
-- A lock that is not waited for ends its statement alone.
--@ session one
--@ source: reasoned
BEGIN TRAN
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session two
--@ source: message 1222
BEGIN TRAN
UPDATE t SET v = 5 WHERE id = 2
BEGIN TRY
  UPDATE t SET v = 1 WHERE id = 1
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state, @@TRANCOUNT AS count
END CATCH
ROLLBACK
GO
--@ session one
--@ source: reasoned
ROLLBACK
GO
-- Two indexes with 3,000 locks each are no 5,000 of one.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE TABLE e (id int PRIMARY KEY, v int, INDEX iv (v))
INSERT e SELECT value, value FROM GENERATE_SERIES(1, 26000)
BEGIN TRAN
DELETE e WHERE id <= 3000
SELECT request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'OBJECT' AND resource_associated_entity_id = OBJECT_ID('e')
ROLLBACK
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
DELETE e WHERE id <= 20000
SELECT request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'OBJECT' AND resource_associated_entity_id = OBJECT_ID('e')
SELECT COUNT(*) AS keys FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY'
ROLLBACK
GO
-- Both look for a key with HOLDLOCK: neither may put it in.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT COUNT(*) AS n FROM t WITH (HOLDLOCK) WHERE id = 50
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT COUNT(*) AS n FROM t WITH (HOLDLOCK) WHERE id = 50
GO
--@ source: message 1222
INSERT t VALUES (50, 0)
GO
--@ session one
--@ source: message 1222
SET LOCK_TIMEOUT 0
INSERT t VALUES (50, 0)
GO
--@ session two
--@ source: reasoned
ROLLBACK
USE master
GO
--@ session one
--@ source: reasoned
ROLLBACK
SET LOCK_TIMEOUT -1
USE master
DROP DATABASE traps
GO
