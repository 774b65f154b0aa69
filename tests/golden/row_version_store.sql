-- The rows that versions are kept of, one by one: sys.dm_tran_version_store.
--@ source: documentation alter-database-transact-sql-set-options
CREATE DATABASE store
GO
--@ source: documentation alter-database-transact-sql-set-options
ALTER DATABASE store SET ALLOW_SNAPSHOT_ISOLATION ON
GO
--@ source: reasoned
USE store
CREATE TABLE t (id int PRIMARY KEY, v varchar(20), INDEX iv (v))
CREATE TABLE h (id int, v varchar(8000))
INSERT t VALUES (1, 'one'), (2, 'two'), (3, 'three')
INSERT h VALUES (1, REPLICATE('h', 7000))
GO
-- While nobody reads by a snapshot the versions of a transaction that runs are there, and go soon after its end.
--@ session reader
--@ source: documentation sys-dm-tran-version-store-transact-sql
USE store
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT COUNT(*) AS n FROM t
GO
-- A row that was inserted was not there before: it has no record.
--@ session writer
--@ source: documentation sys-dm-tran-version-store-transact-sql
USE store
INSERT t VALUES (4, 'four')
UPDATE t SET v = 'other' WHERE id <= 2
BEGIN TRAN
DELETE t WHERE id = 3
UPDATE h SET v = 'short'
SELECT OBJECT_NAME(p.object_id) AS [table], p.index_id, IIF(s.transaction_sequence_num > 0, 'committed', 'running') AS writer, COUNT(*) AS records,
    COUNT(DISTINCT s.version_sequence_num) AS numbers, SUM(s.status) AS split, MIN(s.record_length_second_part_in_bytes) AS second,
    MIN(IIF(s.record_length_first_part_in_bytes = DATALENGTH(s.record_image_first_part) AND s.record_image_second_part IS NULL, 'whole', 'not')) AS images
FROM sys.dm_tran_version_store AS s JOIN sys.partitions AS p ON p.hobt_id = s.rowset_id
WHERE s.database_id = DB_ID() GROUP BY p.object_id, p.index_id, IIF(s.transaction_sequence_num > 0, 'committed', 'running') ORDER BY 1 DESC, 2, 3
GO
-- The text that a row had is in its record.
--@ source: documentation sys-dm-tran-version-store-transact-sql
SELECT COUNT(*) AS n FROM sys.dm_tran_version_store AS s JOIN sys.partitions AS p ON p.hobt_id = s.rowset_id AND p.index_id < 2
WHERE s.database_id = DB_ID() AND CHARINDEX(CAST('three' AS varbinary(20)), record_image_first_part) > 0
SELECT COUNT(*) AS n FROM sys.dm_tran_version_store AS s JOIN sys.partitions AS p ON p.hobt_id = s.rowset_id AND p.index_id < 2
WHERE s.database_id = DB_ID() AND CHARINDEX(CAST(REPLICATE('h', 7000) AS varbinary(8000)), record_image_first_part) > 0
SELECT COUNT(*) AS n FROM sys.dm_tran_version_store AS s JOIN sys.partitions AS p ON p.hobt_id = s.rowset_id AND p.index_id < 2
WHERE s.database_id = DB_ID() AND CHARINDEX(CAST('four' AS varbinary(20)), record_image_first_part) > 0
GO
-- What is undone has no versions.
--@ source: reasoned
ROLLBACK
SELECT COUNT(*) AS n FROM sys.dm_tran_version_store WHERE transaction_sequence_num = 0
GO
-- The reader has its moment still.
--@ session reader
--@ source: reasoned
SELECT COUNT(*) AS n FROM t
COMMIT
GO
