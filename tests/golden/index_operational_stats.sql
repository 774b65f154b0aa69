--@ source: reasoned
CREATE DATABASE operated;
GO
--@ source: reasoned
USE operated;
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, v int NOT NULL, filler char(800) NOT NULL DEFAULT 'x', INDEX iv (v));
CREATE TABLE dbo.h (id int NOT NULL, s varchar(3000) NOT NULL);
CREATE TABLE dbo.untouched (id int NOT NULL PRIMARY KEY);
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
-- Each row and entry counts once, when its transaction has ended.
INSERT dbo.t (id, v) SELECT value, value % 7 FROM GENERATE_SERIES(1, 100);
INSERT dbo.h SELECT value, 'short' FROM GENERATE_SERIES(1, 10);
UPDATE dbo.t SET filler = 'y' WHERE id <= 20;
UPDATE dbo.t SET v = 8 WHERE id = 3;
DELETE dbo.t WHERE id > 95;
DELETE dbo.h WHERE id = 1;
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
SELECT OBJECT_NAME(object_id) AS name, index_id, partition_number, leaf_insert_count AS inserts, leaf_delete_count AS deletes,
    leaf_update_count AS updates, leaf_ghost_count AS ghosts
FROM sys.dm_db_index_operational_stats(DB_ID(), NULL, NULL, NULL) ORDER BY name, index_id;
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
-- 100 rows of 800 bytes are a dozen leaves under one page, and each leaf but the first has an entry above.
SELECT index_id, IIF(leaf_allocation_count BETWEEN 10 AND 14, 'a dozen', 'other') AS leaves, nonleaf_allocation_count AS above,
    leaf_allocation_count - nonleaf_insert_count AS difference
FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.t'), 1, NULL);
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
-- Scans and seeks of queries: those of the index that finds the rows, and the look-ups in the one that has them.
DECLARE @scans bigint, @lookups bigint, @entries bigint, @n int;
SELECT @scans = range_scan_count, @lookups = singleton_lookup_count FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.t'), 1, 1);
SELECT @entries = range_scan_count FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.t'), 2, 1);
SELECT @n = id FROM dbo.t WHERE id = 7;
SELECT @n = id FROM dbo.t WHERE id = 8;
SELECT @n = COUNT(*) FROM dbo.t WITH (INDEX (pk)) WHERE filler = 'y';
SELECT @n = COUNT(*) FROM dbo.t WITH (INDEX (iv)) WHERE v = 8 AND filler = 'y';
SELECT range_scan_count - @scans AS scans, singleton_lookup_count - @lookups AS lookups
FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.t'), 1, 1);
SELECT range_scan_count - @entries AS ranges_of_entries FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.t'), 2, 1);
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
-- A row that has outgrown its page is fetched by its stub.
UPDATE dbo.h SET s = REPLICATE('x', 3000);
DECLARE @n int;
SELECT @n = COUNT(*) FROM dbo.h WHERE s > 'w';
SELECT IIF(forwarded_fetch_count > 0, 'forwarded', 'none') AS fetched, nonleaf_insert_count AS above FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.h'), 0, 0);
GO
--@ source: documentation sys-dm-db-index-operational-stats-transact-sql
-- A lock on each row that is changed, and none where the table is locked.
DECLARE @locks bigint = (SELECT row_lock_count FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), 1, NULL));
INSERT dbo.untouched VALUES (1), (2), (3);
SELECT row_lock_count - @locks AS locks, row_lock_wait_count AS waits, row_lock_wait_in_ms AS ms, page_lock_count AS pages
FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), 1, NULL);
INSERT dbo.untouched WITH (TABLOCKX) VALUES (4);
SELECT row_lock_count - @locks AS locks, leaf_insert_count AS inserts FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), 1, NULL);
GO
--@ source: reasoned
-- Of the open transaction nothing is told yet; what it takes back stays counted.
BEGIN TRANSACTION;
INSERT dbo.untouched VALUES (5);
SELECT leaf_insert_count AS inserts FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), 1, NULL);
ROLLBACK;
SELECT leaf_insert_count AS inserts FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), 1, NULL);
GO
--@ source: reasoned
-- What is not counted is NULL.
SELECT page_latch_wait_count, page_io_latch_wait_in_ms, lob_fetch_in_pages, index_lock_promotion_count, hobt_id
FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), NULL, NULL);
SELECT COUNT(*) AS of_no_partition FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('dbo.untouched'), NULL, 2);
SELECT IIF(COUNT(DISTINCT database_id) > 1, 'several', 'one') AS databases FROM sys.dm_db_index_operational_stats(NULL, NULL, NULL, NULL);
GO
--@ source: reasoned
USE master;
DROP DATABASE operated;
GO
