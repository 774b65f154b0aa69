-- READ_COMMITTED_SNAPSHOT: each statement reads the rows as they were at its beginning; who changes rows goes by the rows as they are.
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE DATABASE rc
GO
--@ source: documentation alter-database-transact-sql-set-options
IF SERVERPROPERTY('EngineEdition') <> 5 BEGIN ALTER DATABASE [rc] SET READ_COMMITTED_SNAPSHOT ON; END
SELECT is_read_committed_snapshot_on AS rcsi, snapshot_isolation_state AS state, snapshot_isolation_state_desc AS description FROM sys.databases WHERE name = 'rc'
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
USE rc
CREATE TABLE t (id int PRIMARY KEY, v int)
INSERT t VALUES (1, 10), (2, 20)
CREATE TABLE h (id int, v int)
INSERT h VALUES (1, 10), (2, 20)
CREATE TABLE x (id int PRIMARY KEY, k int, w varchar(max), INDEX ik (k))
INSERT x VALUES (1, 10, REPLICATE(CAST('a' AS varchar(max)), 20000)), (2, 20, 'b')
GO
-- A statement reads what was committed before it, at once, and locks no row.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
USE rc
SET LOCK_TIMEOUT 0
BEGIN TRAN
UPDATE t SET v = 11 WHERE id = 1
DELETE t WHERE id = 2
INSERT t VALUES (3, 30)
UPDATE h SET v = 11 WHERE id = 1
DELETE h WHERE id = 2
INSERT h VALUES (3, 30)
UPDATE x SET k = 30, w = 'new' WHERE id = 1
DELETE x WHERE id = 2
GO
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
SET LOCK_TIMEOUT 0
BEGIN TRAN
SELECT id, v FROM t
SELECT id, v FROM h
SELECT id, k, LEN(w) AS n, LEFT(w, 3) AS w FROM x
SELECT id, LEN(w) AS n FROM x WITH (INDEX (ik)) WHERE k BETWEEN 10 AND 30 ORDER BY k
SELECT k FROM x WITH (INDEX (ik)) ORDER BY k DESC
SELECT v FROM t WHERE id = 2
SELECT COUNT(*) AS n FROM t WHERE id = 3
SELECT (SELECT SUM(v) FROM h) AS s, CASE WHEN EXISTS (SELECT * FROM t WHERE id = 2) THEN 'yes' ELSE 'no' END AS two
SELECT request_mode, resource_type FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('KEY', 'RID', 'PAGE')
COMMIT
GO
-- Its own changes it sees.
--@ session two
--@ source: reasoned
SELECT id, v FROM t
SELECT id, v FROM h
SELECT id, k, w FROM x
GO
-- READPAST alone reads versions and passes nothing over; with READCOMMITTEDLOCK or UPDLOCK it passes locked rows over.
--@ session one
--@ source: documentation hints-transact-sql-table
SELECT id, v FROM t WITH (READPAST)
SELECT id, v FROM t WITH (READPAST, READCOMMITTEDLOCK)
SELECT id, v FROM t WITH (UPDLOCK, READPAST)
SELECT id, v FROM t WITH (NOLOCK)
GO
-- Hints and levels that lock wait.
--@ source: message 1222
SELECT v FROM t WITH (READCOMMITTEDLOCK) WHERE id = 1
GO
--@ source: message 1222
SELECT v FROM t WITH (UPDLOCK) WHERE id = 1
GO
--@ source: message 1222
SELECT v FROM t WITH (REPEATABLEREAD) WHERE id = 1
GO
--@ source: message 1222
SELECT v FROM t WITH (TABLOCK)
GO
--@ source: message 1222
UPDATE t SET v = 0 WHERE id = 1
GO
--@ source: message 1222
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
SELECT v FROM t WHERE id = 1
GO
--@ source: documentation DBCC USEROPTIONS
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT transaction_isolation_level AS level FROM sys.dm_exec_sessions WHERE session_id = @@SPID
DBCC USEROPTIONS
GO
-- The other tables of a change, and the source of an INSERT, are read as a SELECT reads them.
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE TABLE o (id int, v int)
INSERT o SELECT id, v FROM t
UPDATE o SET v = t.v + 1 FROM o JOIN t ON t.id = o.id
DELETE o WHERE id IN (SELECT id FROM t WHERE v = 20)
SELECT id, v FROM o
GO
-- Savepoints and a rollback take versions away.
--@ session two
--@ source: reasoned
SAVE TRAN s
UPDATE t SET v = 12 WHERE id = 1
ROLLBACK TRAN s
SELECT v FROM t WHERE id = 1
ROLLBACK
GO
--@ session one
--@ source: reasoned
SELECT id, v FROM t
SELECT id, v FROM h
SELECT id, k, LEN(w) AS n FROM x
GO
-- A SELECT shows row 2 to be 20, and the DELETE that asks for 20 finds row 1: it goes by what is there when it has the lock.
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
UPDATE t SET v = v + 10
GO
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id FROM t WHERE v = 20
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
GO
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t WHERE v = 20
SELECT id, v FROM t
GO
-- A statement within a function has a snapshot of its own.
--@ source: reasoned
CREATE FUNCTION f () RETURNS int AS BEGIN DECLARE @v int; SELECT @v = v FROM t WHERE id = 2; RETURN @v END
GO
--@ source: reasoned
SELECT id, v, dbo.f() AS f FROM t
GO
-- Foreign keys are looked up as they are.
--@ source: documentation transaction-locking-and-row-versioning-guide
CREATE TABLE p (id int PRIMARY KEY, v int)
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p)
INSERT p VALUES (1, 1), (2, 2)
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
UPDATE p SET v = 3 WHERE id = 1
DELETE p WHERE id = 2
GO
--@ session one
--@ source: message 1222
INSERT c VALUES (1, 1)
GO
--@ source: message 1222
INSERT c VALUES (2, 2)
GO
--@ session two
--@ source: reasoned
COMMIT
GO
--@ session one
--@ source: message 547
INSERT c VALUES (1, 1)
INSERT c VALUES (2, 2)
GO
-- SNAPSHOT is another option.
--@ source: message 3952
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
SELECT * FROM t
GO
-- A cursor that reads as it is fetched from sees each FETCH's moment.
--@ source: reasoned
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
INSERT t VALUES (4, 40), (5, 50)
DECLARE n CURSOR FOR SELECT id, v FROM t
OPEN n
FETCH n
GO
--@ session two
--@ source: reasoned
BEGIN TRAN
UPDATE t SET v = 41 WHERE id = 4
GO
--@ session one
--@ source: reasoned
FETCH n
GO
--@ session two
--@ source: reasoned
UPDATE t SET v = 51 WHERE id = 5
COMMIT
GO
--@ session one
--@ source: reasoned
FETCH n
CLOSE n
DEALLOCATE n
GO
-- The option goes only when nobody else is there.
--@ source: message 5070
ALTER DATABASE rc SET READ_COMMITTED_SNAPSHOT OFF WITH NO_WAIT
GO
--@ session two
--@ source: reasoned
USE master
GO
--@ session one
--@ source: documentation alter-database-transact-sql-set-options
ALTER DATABASE rc SET READ_COMMITTED_SNAPSHOT OFF WITH NO_WAIT
SELECT is_read_committed_snapshot_on AS rcsi FROM sys.databases WHERE name = 'rc'
DBCC USEROPTIONS
GO
--@ session two
--@ source: reasoned
USE rc
BEGIN TRAN
UPDATE t SET v = 60 WHERE id = 5
GO
--@ session one
--@ source: message 1222
SELECT v FROM t WHERE id = 5
GO
-- Sessions in the way are ended where that is asked for.
--@ source: message 5060
ALTER DATABASE rc SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE
SELECT v FROM t WHERE id = 5
GO
--@ source: documentation alter-database-transact-sql-set-options
ALTER DATABASE rc SET READ_COMMITTED_SNAPSHOT ON
USE master
DROP DATABASE rc
GO
