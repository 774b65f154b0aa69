-- One course of two sessions under each level: what is seen of the other's changes, who waits (1222, since nobody has patience), what is lost.
--@ source: reasoned
CREATE DATABASE locked
CREATE DATABASE versioned
ALTER DATABASE versioned SET READ_COMMITTED_SNAPSHOT ON
ALTER DATABASE versioned SET ALLOW_SNAPSHOT_ISOLATION ON
GO
--@ source: reasoned
USE locked
CREATE TABLE t (id int PRIMARY KEY, v int)
GO
--@ source: reasoned
USE versioned
CREATE TABLE t (id int PRIMARY KEY, v int)
GO
-- READ UNCOMMITTED.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: reasoned
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
-- READ COMMITTED.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: reasoned
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: message 1222
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
-- READ COMMITTED, which reads versions.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE versioned
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE versioned
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: reasoned
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
-- REPEATABLE READ.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: message 1222
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: reasoned
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: message 1222
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: message 1222
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: message 1222
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
-- SERIALIZABLE.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE locked
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: message 1222
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: message 1222
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: message 1222
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: message 1222
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
-- SNAPSHOT.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
USE versioned
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT id, v FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
USE versioned
SET LOCK_TIMEOUT 0
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT id, v FROM t WHERE id = 2
GO
--@ source: reasoned
UPDATE t SET v = 11 WHERE id = 1
GO
--@ source: reasoned
INSERT t VALUES (3, 30)
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT id, v FROM t
GO
--@ source: message 3960
UPDATE t SET v = v + 100 WHERE id = 1
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS a
IF @@TRANCOUNT > 0 COMMIT
SELECT id, v FROM t
GO
-- Write skew.
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
DELETE t
INSERT t VALUES (1, 10), (2, 20)
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ session b
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN
SELECT SUM(v) AS s FROM t
GO
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 1
GO
--@ session a
--@ source: reasoned
UPDATE t SET v = 0 WHERE id = 2
GO
--@ session b
--@ source: reasoned
COMMIT
GO
--@ session a
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT
SELECT id, v FROM t
GO
--@ session b
--@ source: reasoned
USE master
GO
--@ session a
--@ source: reasoned
USE master
GO
--@ session one
--@ source: reasoned
USE master
DROP DATABASE locked
DROP DATABASE versioned
GO
