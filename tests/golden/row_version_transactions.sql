-- Transactions that make row versions, and those that read by snapshots: whose changes a snapshot does not show.
--@ source: reasoned
CREATE DATABASE seen
ALTER DATABASE seen SET ALLOW_SNAPSHOT_ISOLATION ON
ALTER DATABASE seen SET READ_COMMITTED_SNAPSHOT ON
GO
--@ source: reasoned
USE seen
CREATE TABLE t (id int PRIMARY KEY, v int)
CREATE TABLE h (id int, v int)
INSERT t VALUES (1, 10), (2, 20)
GO
--@ session early
--@ source: reasoned
USE seen
BEGIN TRAN
UPDATE t SET v = 11 WHERE id = 1
GO
--@ session open
--@ source: reasoned
USE seen
BEGIN TRAN
INSERT h VALUES (1, 1)
GO
-- Before the first look at data there is no snapshot.
--@ session reader
--@ source: documentation sys-dm-tran-current-snapshot-transact-sql
USE seen
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT COUNT(*) AS n FROM sys.dm_tran_current_snapshot
SELECT COUNT(*) AS n, SUM(v) AS v FROM t
SELECT COUNT(*) AS n FROM sys.dm_tran_current_snapshot
GO
-- It ran when the snapshot was taken, whatever becomes of it. Who begins later did not.
--@ session early
--@ source: documentation sys-dm-tran-transactions-snapshot-transact-sql
COMMIT
GO
--@ session late
--@ source: reasoned
USE seen
BEGIN TRAN
UPDATE t SET v = 12 WHERE id = 1
GO
--@ session reader
--@ source: documentation sys-dm-tran-transactions-snapshot-transact-sql
SELECT v FROM t WHERE id = 1
SELECT COUNT(*) AS n, COUNT(DISTINCT transaction_sequence_num) AS numbers FROM sys.dm_tran_current_snapshot
SELECT COUNT(*) AS n, MIN(s.snapshot_id) AS id, COUNT(c.transaction_sequence_num) AS those FROM sys.dm_tran_transactions_snapshot s
LEFT JOIN sys.dm_tran_current_snapshot c ON c.transaction_sequence_num = s.snapshot_sequence_num
WHERE s.transaction_sequence_num = (SELECT transaction_sequence_num FROM sys.dm_tran_current_transaction)
GO
-- The reader has passed over one version at first, and over two when the row was changed again.
--@ source: documentation sys-dm-tran-active-snapshot-database-transactions-transact-sql
SELECT is_snapshot, commit_sequence_num AS [commit], max_version_chain_traversed AS longest, IIF(average_version_chain_traversed BETWEEN 1 AND 2, 'between', 'beyond') AS mean,
    IIF(first_snapshot_sequence_num = (SELECT MIN(transaction_sequence_num) FROM sys.dm_tran_current_snapshot), 'the oldest', 'another') AS first
FROM sys.dm_tran_active_snapshot_database_transactions WHERE session_id = @@SPID
SELECT COUNT(*) AS n, COUNT(DISTINCT transaction_sequence_num) AS numbers, MIN(IIF(transaction_sequence_num > 0, 1, 0)) AS numbered,
    MAX(first_snapshot_sequence_num) AS first, MAX(is_snapshot) AS is_snapshot
FROM sys.dm_tran_active_snapshot_database_transactions a JOIN sys.dm_tran_database_transactions d ON d.transaction_id = a.transaction_id AND d.database_id = DB_ID()
WHERE session_id <> @@SPID
GO
-- A snapshot of now: two run, one has committed before.
--@ session second
--@ source: documentation sys-dm-tran-current-snapshot-transact-sql
USE seen
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT SUM(v) AS v FROM t
SELECT COUNT(*) AS n FROM sys.dm_tran_current_snapshot
COMMIT
SELECT COUNT(*) AS n FROM sys.dm_tran_current_snapshot
GO
-- The snapshot of a statement has a number of its own; one's own transaction is no snapshot transaction.
--@ session one
--@ source: documentation sys-dm-tran-transactions-snapshot-transact-sql
SELECT COUNT(DISTINCT s.snapshot_sequence_num) AS unseen, MIN(IIF(s.snapshot_id > 0, 1, 0)) AS of_a_statement
FROM t CROSS JOIN sys.dm_tran_transactions_snapshot s WHERE t.id = 2 AND s.snapshot_id > 0
SELECT COUNT(*) AS n FROM sys.dm_tran_current_snapshot
GO
-- A writer's number, and that it reads by no snapshot.
--@ session late
--@ source: documentation sys-dm-tran-current-transaction-transact-sql
SELECT IIF(transaction_sequence_num > 0, 1, 0) AS numbered, transaction_is_snapshot, first_snapshot_sequence_num,
    IIF(last_transaction_sequence_num >= transaction_sequence_num, 1, 0) AS last
FROM sys.dm_tran_current_transaction
ROLLBACK
USE master
GO
--@ session reader
--@ source: reasoned
COMMIT
SELECT COUNT(*) AS n FROM sys.dm_tran_transactions_snapshot WHERE snapshot_id = 0
USE master
GO
--@ session open
--@ source: reasoned
ROLLBACK
USE master
GO
--@ session early
--@ source: reasoned
USE master
GO
--@ session second
--@ source: reasoned
USE master
GO
--@ session one
--@ source: reasoned
USE master
DROP DATABASE seen
GO
