-- Row locks as hints and levels ask for them: what is let go, kept, refused and passed over.
--@ source: reasoned
CREATE TABLE k (a int PRIMARY KEY, b int);
CREATE TABLE h (a int, b int);
INSERT k VALUES (1, 1), (2, 2), (3, 3);
INSERT h SELECT * FROM k;
GO
-- A row that does not qualify is let go at once.
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN;
UPDATE k SET b = 9 WHERE b = 3;
UPDATE h SET b = 9 WHERE b = 3;
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SET LOCK_TIMEOUT 0;
UPDATE k SET b = 8 WHERE a = 1;
SELECT a, b FROM k WHERE a < 3;
GO
--@ source: message 1222
UPDATE k SET b = 8 WHERE a = 3;
GO
--@ source: message 1222
SET LOCK_TIMEOUT -1;
SELECT * FROM k WITH (NOWAIT);
GO
--@ source: message 1222
DELETE h WITH (NOWAIT) WHERE a = 3;
GO
--@ source: documentation hints-transact-sql-table
SELECT a FROM k WITH (READPAST) ORDER BY a;
SELECT a FROM h WITH (READPAST) ORDER BY a;
UPDATE h WITH (READPAST) SET b = b + 10;
DELETE TOP (1) FROM k WITH (ROWLOCK, READPAST) OUTPUT deleted.a;
GO
--@ source: message 650
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM k WITH (READPAST);
GO
--@ source: message 650
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
DELETE k WITH (READPAST);
GO
--@ source: message 650
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SELECT * FROM k WITH (READPAST, HOLDLOCK);
GO
--@ session one
--@ source: reasoned
COMMIT;
SELECT a, b FROM k ORDER BY a;
SELECT a, b FROM h ORDER BY a;
GO
-- The usual upsert: who reads with both hints keeps the next one from reading so.
--@ source: documentation hints-transact-sql-table
BEGIN TRAN;
SELECT COUNT(*) FROM k WITH (UPDLOCK, HOLDLOCK) WHERE a = 7;
SELECT request_mode FROM sys.dm_tran_locks
WHERE request_session_id = @@SPID AND resource_type = 'OBJECT' AND resource_associated_entity_id = OBJECT_ID('k');
GO
--@ session two
--@ source: reasoned
SET LOCK_TIMEOUT 0;
SELECT COUNT(*) FROM k;
GO
--@ source: message 1222
SELECT COUNT(*) FROM k WITH (UPDLOCK, HOLDLOCK) WHERE a = 7;
GO
--@ session one
--@ source: reasoned
INSERT k VALUES (7, 7);
COMMIT;
GO
--@ session two
--@ source: reasoned
SELECT COUNT(*) FROM k WITH (UPDLOCK, HOLDLOCK) WHERE a = 7;
GO
--@ session one
--@ source: reasoned
DROP TABLE k, h;
GO
