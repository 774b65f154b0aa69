-- Indexes looked after: fill factors kept, REORGANIZE, REBUILD, what scripts of maintenance say, physical statistics, statistics.
CREATE DATABASE Care
ALTER DATABASE Care SET RECOVERY SIMPLE
GO
USE Care
GO
CREATE TABLE t (id int NOT NULL, k int NOT NULL, v char(200) NOT NULL, CONSTRAINT pk_t PRIMARY KEY (id) WITH (FILLFACTOR = 80, PAD_INDEX = ON))
CREATE INDEX ix_k ON t (k) INCLUDE (v) WITH (FILLFACTOR = 70, SORT_IN_TEMPDB = ON, MAXDOP = 1, ONLINE = OFF, DATA_COMPRESSION = NONE, STATISTICS_NORECOMPUTE = OFF, ALLOW_ROW_LOCKS = ON)
CREATE UNIQUE INDEX ix_u ON t (k, id)
SELECT name, index_id, fill_factor, is_padded, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id
SELECT INDEXPROPERTY(OBJECT_ID('t'), 'pk_t', 'IndexFillFactor') AS fill, INDEXPROPERTY(OBJECT_ID('t'), 'pk_t', 'IsPadIndex') AS pad
GO
-- Rows in no order of their keys.
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < 4000 BEGIN INSERT t VALUES (@i * 7919 % 4001, @i * 3571 % 4001, 'x') SET @i += 1 END
COMMIT
DELETE t WHERE id % 3 <> 0
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(k) AS ks FROM t
SELECT index_id, index_depth, CASE WHEN avg_fragmentation_in_percent > 30 THEN 'scattered' ELSE 'in order' END AS leaves FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), NULL, NULL, 'LIMITED') ORDER BY index_id
GO
SELECT index_id, page_count INTO #before FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), NULL, NULL, 'LIMITED')
ALTER INDEX ALL ON t REORGANIZE
SELECT s.index_id, s.avg_fragmentation_in_percent, CASE WHEN s.page_count < b.page_count THEN 'fewer' ELSE 'as many' END AS pages, CASE WHEN avg_page_space_used_in_percent > CASE s.index_id WHEN 1 THEN 80 WHEN 2 THEN 70 ELSE 100 END THEN 'too full' WHEN avg_page_space_used_in_percent < 60 THEN 'sparse' ELSE 'as wanted' END AS filled, record_count, ghost_record_count
FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), NULL, NULL, 'SAMPLED') s JOIN #before b ON b.index_id = s.index_id ORDER BY s.index_id
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(k) AS ks FROM t
SELECT COUNT(*) AS n FROM t WITH (INDEX (ix_k)) WHERE k >= 0
GO
-- As maintenance scripts write it.
ALTER INDEX [ix_k] ON [Care].[dbo].[t] REORGANIZE WITH (LOB_COMPACTION = ON)
ALTER INDEX [ix_k] ON [dbo].[t] REORGANIZE PARTITION = ALL WITH (LOB_COMPACTION = OFF)
ALTER INDEX [pk_t] ON [dbo].[t] REBUILD WITH (SORT_IN_TEMPDB = OFF, ONLINE = OFF, MAXDOP = 2)
ALTER INDEX [ix_k] ON [dbo].[t] REBUILD PARTITION = ALL WITH (PAD_INDEX = ON, FILLFACTOR = 60, STATISTICS_NORECOMPUTE = ON, DATA_COMPRESSION = NONE)
SELECT name, fill_factor, is_padded FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id
ALTER INDEX ix_k ON t REBUILD
SELECT fill_factor, is_padded FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND name = 'ix_k'
SELECT CASE WHEN avg_page_space_used_in_percent BETWEEN 50 AND 60 THEN 'filled to 60' END AS filled FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), 2, NULL, 'DETAILED') WHERE index_level = 0
ALTER INDEX ALL ON t REBUILD WITH (FILLFACTOR = 90)
SELECT name, fill_factor, is_padded FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id
ALTER INDEX ix_k ON t SET (ALLOW_PAGE_LOCKS = ON, IGNORE_DUP_KEY = OFF, STATISTICS_NORECOMPUTE = ON)
GO
-- What is not there says so.
CREATE INDEX i1 ON t (v) WITH (ONLINE = ON)
GO
ALTER INDEX ix_k ON t REBUILD WITH (ONLINE = ON (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1 MINUTES, ABORT_AFTER_WAIT = SELF)))
GO
ALTER INDEX ix_k ON t REBUILD WITH (DATA_COMPRESSION = PAGE)
GO
ALTER INDEX ix_k ON t REBUILD PARTITION = 1
GO
ALTER INDEX ix_k ON t REORGANIZE PARTITION = 2
GO
ALTER INDEX ix_k ON t REBUILD WITH (FILLFACTOR = 101)
GO
ALTER INDEX ix_k ON t REORGANIZE WITH (FILLFACTOR = 80)
GO
ALTER INDEX nope ON t REORGANIZE
GO
ALTER INDEX ix_k ON nope REORGANIZE
GO
ALTER INDEX nope ON t DISABLE
GO
-- Physical statistics: what LIMITED does not read is NULL; all levels with DETAILED.
SELECT index_type_desc, alloc_unit_type_desc, index_depth, index_level, avg_fragmentation_in_percent, fragment_count, avg_page_space_used_in_percent, record_count, ghost_record_count, forwarded_record_count FROM sys.dm_db_index_physical_stats(DB_ID('Care'), OBJECT_ID('t'), 1, DEFAULT, DEFAULT)
SELECT index_level, CASE WHEN index_level = 0 THEN record_count END AS records, min_record_size_in_bytes, max_record_size_in_bytes, ghost_record_count, version_ghost_record_count, compressed_page_count FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), 1, 1, 'detailed') WHERE index_level = 0
CREATE TABLE h (i int, v varchar(8000))
INSERT h SELECT id, '' FROM t
UPDATE h SET v = REPLICATE('y', 3000) WHERE i % 30 = 0
SELECT index_type_desc, index_depth, index_level, CASE WHEN forwarded_record_count > 0 THEN 'forwarded' END AS rows, record_count FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('h'), NULL, NULL, 'DETAILED')
SELECT COUNT(*) AS none FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), 77, NULL, NULL)
SELECT * FROM sys.dm_db_index_physical_stats(DB_ID(), NULL, NULL, NULL, 'QUICK')
GO
-- There are no statistics to update: counts are kept as rows change.
UPDATE STATISTICS dbo.t
UPDATE STATISTICS t ix_k WITH FULLSCAN
UPDATE STATISTICS t (ix_k, pk_t) WITH SAMPLE 10 PERCENT, NORECOMPUTE
EXEC sp_updatestats
GO
UPDATE STATISTICS nope
GO
UPDATE STATISTICS t nope
GO
UPDATE STATISTICS t WITH QUICKLY
GO
-- Rows in bulk into a heap that has rows and indexes: pages are not in the log, entries of indexes are.
CREATE TABLE b (i int NOT NULL, v char(300) NOT NULL)
CREATE UNIQUE INDEX ux ON b (i)
INSERT b SELECT id, 'old' FROM t WHERE id < 30
CHECKPOINT
BEGIN TRAN
INSERT b WITH (TABLOCK) SELECT id + 10000, 'new' FROM t
SELECT COUNT(*) AS entries FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_INSERT_ROWS' AND Context = 'LCX_INDEX_LEAF'
SELECT CASE WHEN COUNT(*) < 300 THEN 'hardly any' ELSE 'all' END AS rows_in_the_log FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_INSERT_ROWS' AND Context = 'LCX_HEAP'
SELECT CASE WHEN COUNT(*) > 0 THEN 'extents' END AS logged FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_BULK_EXT_ALLOCATION'
COMMIT
SELECT COUNT(*) AS n, COUNT(DISTINCT i) AS d FROM b
SELECT v FROM b WHERE i = 10003
GO
BEGIN TRAN
INSERT b WITH (TABLOCK) SELECT id + 20000, 'gone' FROM t
ROLLBACK
SELECT COUNT(*) AS n, MAX(i) AS last FROM b
SELECT COUNT(*) AS n FROM b WITH (INDEX (ux)) WHERE i > 0
GO
INSERT b WITH (TABLOCK) SELECT id + 30000 - id / 3000 * 20000, 'twice' FROM t
GO
SELECT COUNT(*) AS n, MAX(i) AS last FROM b
USE master
DROP DATABASE Care
