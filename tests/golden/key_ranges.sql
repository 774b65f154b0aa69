-- Ranges of keys under SERIALIZABLE and HOLDLOCK: which keys are locked, in which mode, and who is kept out.
--@ source: reasoned
CREATE TABLE k (id int CONSTRAINT pk PRIMARY KEY, v int, w int, INDEX iv (v));
CREATE TABLE h (v int);
INSERT k VALUES (1, 10, 0), (2, 20, 0), (9, 20, 0);
INSERT h VALUES (5), (6);
GO
--@ source: reasoned
CREATE PROCEDURE held AS
SELECT ISNULL(i.name, 'OBJECT') AS name, request_mode, COUNT(*) AS n, MAX(CASE resource_description WHEN '(ffffffffffff)' THEN 1 ELSE 0 END) AS [end]
FROM sys.dm_tran_locks l
LEFT JOIN sys.partitions p ON p.hobt_id = l.resource_associated_entity_id
LEFT JOIN sys.indexes i ON i.object_id = p.object_id AND i.index_id = p.index_id
WHERE request_session_id = @@SPID AND resource_type IN ('KEY', 'RID', 'OBJECT')
AND (p.object_id IN (OBJECT_ID('k'), OBJECT_ID('h')) OR l.resource_associated_entity_id IN (OBJECT_ID('k'), OBJECT_ID('h')))
GROUP BY i.name, request_mode, i.index_id ORDER BY i.index_id, request_mode;
GO
-- A whole key of a unique index that is there: the key alone.
--@ source: documentation transaction-locking-and-row-versioning-guide
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
BEGIN TRAN;
SELECT v FROM k WHERE id = 1;
EXEC held;
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SET LOCK_TIMEOUT 0;
INSERT k VALUES (0, 0, 0), (5, 50, 0);
DELETE k WHERE id IN (0, 5);
UPDATE k SET w = 1 WHERE id = 2;
GO
--@ source: message 1222
UPDATE k SET w = 1 WHERE id = 1;
GO
-- One that is not there: the next key, here the end of the index.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
BEGIN TRAN;
SELECT v FROM k WHERE id = 12;
EXEC held;
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (15, 0, 0);
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
INSERT k VALUES (7, 70, 0);
DELETE k WHERE id = 7;
UPDATE k SET w = 2 WHERE id = 9;
GO
-- A range of n rows: n + 1 keys.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
ALTER INDEX ALL ON k REBUILD;
BEGIN TRAN;
SELECT id FROM k WHERE id BETWEEN 1 AND 2;
EXEC held;
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (5, 0, 0);
GO
--@ source: message 1222
UPDATE k SET id = 4 WHERE id = 9;
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
INSERT k VALUES (10, 100, 0);
DELETE k WHERE id = 10;
SELECT id FROM k WHERE id = 2;
GO
-- An index that is not unique: every entry of the value, and the next key.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
BEGIN TRAN;
SELECT v FROM k WITH (INDEX (iv)) WHERE v = 10;
EXEC held;
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (3, 10, 0);
GO
--@ source: message 1222
UPDATE k SET v = 15 WHERE id = 9;
GO
--@ source: documentation transaction-locking-and-row-versioning-guide
UPDATE k SET w = 3 WHERE id = 1;
INSERT k VALUES (3, 30, 0);
DELETE k WHERE id = 3;
GO
-- Rows that the index leads to are locked as well.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
BEGIN TRAN;
SELECT w FROM k WITH (INDEX (iv)) WHERE v = 10;
EXEC held;
GO
--@ session two
--@ source: message 1222
UPDATE k SET w = 4 WHERE id = 1;
GO
-- The whole index, and nothing is found.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
ALTER INDEX ALL ON k REBUILD;
BEGIN TRAN;
SELECT id FROM k WHERE w = 77;
EXEC held;
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (100, 0, 0);
GO
-- UPDLOCK and a target: RangeS-U; what is changed, RangeX-X.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
BEGIN TRAN;
SELECT id FROM k WITH (UPDLOCK) WHERE id BETWEEN 1 AND 2;
EXEC held;
COMMIT;
BEGIN TRAN;
UPDATE k SET w = 5 WHERE id > 0 AND v = 10;
EXEC held;
GO
--@ session two
--@ source: documentation transaction-locking-and-row-versioning-guide
SELECT w FROM k WHERE id = 9;
GO
--@ source: message 1222
SELECT w FROM k WHERE id = 1;
GO
--@ session one
--@ source: reasoned
COMMIT;
BEGIN TRAN;
SELECT id FROM k WITH (XLOCK) WHERE id >= 9;
EXEC held;
COMMIT;
GO
-- A heap has no keys: the table.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN;
SELECT v FROM h WHERE v = 7;
EXEC held;
GO
--@ session two
--@ source: message 1222
INSERT h VALUES (8);
GO
-- An empty table has its end.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
CREATE TABLE e (id int PRIMARY KEY);
BEGIN TRAN;
SELECT id FROM e WHERE id < 5;
GO
--@ session two
--@ source: message 1222
INSERT e VALUES (50);
GO
-- The key of a row that is gone guards on.
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
COMMIT;
GO
--@ session two
--@ source: reasoned
DELETE k WHERE id = 2;
GO
--@ session one
--@ source: documentation transaction-locking-and-row-versioning-guide
BEGIN TRAN;
SELECT id FROM k WHERE id BETWEEN 1 AND 5;
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (2, 2, 2);
GO
--@ source: message 1222
INSERT k VALUES (3, 3, 3);
GO
-- A key that its reader puts into the range guards it too.
--@ session one
--@ source: reasoned
INSERT k VALUES (4, 40, 0);
GO
--@ session two
--@ source: message 1222
INSERT k VALUES (3, 3, 3);
GO
--@ session one
--@ source: reasoned
COMMIT;
SELECT id FROM k;
GO
-- TABLOCK needs no ranges; nor does INSERT, whatever the level.
--@ session one
--@ source: documentation hints-transact-sql-table
BEGIN TRAN;
SELECT COUNT(*) AS n FROM k WITH (TABLOCK);
EXEC held;
COMMIT;
BEGIN TRAN;
INSERT k VALUES (5, 50, 0);
EXEC held;
ROLLBACK;
GO
-- The usual upsert: different keys do not wait, the same key waits before it is read.
--@ source: documentation merge-transact-sql
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
BEGIN TRAN;
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 1 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0, 0);
GO
--@ session two
--@ source: documentation merge-transact-sql
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 9 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0, 0);
GO
--@ source: message 1222
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 1 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 0, 0);
GO
--@ session one
--@ source: documentation merge-transact-sql
COMMIT;
BEGIN TRAN;
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 6 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 60, 0);
EXEC held;
GO
--@ session two
--@ source: documentation merge-transact-sql
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 11 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 110, 0);
GO
--@ source: message 1222
MERGE k WITH (HOLDLOCK) AS t USING (SELECT 6 AS id) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET w = t.w + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 60, 0);
GO
--@ session one
--@ source: reasoned
COMMIT;
SELECT id, w FROM k;
DROP TABLE k, h, e;
DROP PROCEDURE held;
GO
