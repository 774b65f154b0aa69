-- WITH (…) of tables, constraints, indexes and statistics: what has its effect, what is ignored and told, what is refused.
--@ source: reasoned
CREATE DATABASE IndexOptions
GO
--@ source: reasoned
USE IndexOptions
CREATE TABLE p (id int NOT NULL, a int, b varchar(20), CONSTRAINT p_pk PRIMARY KEY (id))
INSERT p VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')
GO
-- Compression: the rows are stored without, and the catalogue says so.
--@ source: documentation CREATE INDEX
CREATE INDEX ip ON p (a) WITH (DATA_COMPRESSION = PAGE)
CREATE INDEX ir ON p (b) WITH (DATA_COMPRESSION = ROW ON PARTITIONS (1), XML_COMPRESSION = OFF)
CREATE TABLE c (id int NOT NULL CONSTRAINT c_pk PRIMARY KEY WITH (DATA_COMPRESSION = PAGE), x int, INDEX c_ix (x) WITH (DATA_COMPRESSION = ROW)) ON [PRIMARY] WITH (DATA_COMPRESSION = PAGE)
ALTER TABLE c REBUILD WITH (DATA_COMPRESSION = ROW)
ALTER INDEX ALL ON p REBUILD PARTITION = ALL WITH (DATA_COMPRESSION = PAGE, XML_COMPRESSION = ON)
ALTER TABLE c ADD y int CONSTRAINT c_uq UNIQUE WITH (DATA_COMPRESSION = NONE)
SELECT OBJECT_NAME(object_id) AS name, index_id, data_compression_desc FROM sys.partitions WHERE object_id IN (OBJECT_ID('p'), OBJECT_ID('c')) ORDER BY 1, 2
GO
-- Options of builds.
--@ source: documentation CREATE INDEX
CREATE INDEX i1 ON p (a) WITH (SORT_IN_TEMPDB = ON, ONLINE = ON (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1 MINUTES, ABORT_AFTER_WAIT = NONE)), MAXDOP = 4, STATISTICS_NORECOMPUTE = ON, STATISTICS_INCREMENTAL = ON, OPTIMIZE_FOR_SEQUENTIAL_KEY = ON, FILLFACTOR = 80, PAD_INDEX = ON, ALLOW_PAGE_LOCKS = OFF, ALLOW_ROW_LOCKS = ON, IGNORE_DUP_KEY = OFF, RESUMABLE = OFF)
SELECT fill_factor, is_padded, allow_row_locks, allow_page_locks, ignore_dup_key, optimize_for_sequential_key FROM sys.indexes WHERE name = 'i1'
ALTER INDEX i1 ON p SET (STATISTICS_NORECOMPUTE = ON, OPTIMIZE_FOR_SEQUENTIAL_KEY = ON, ALLOW_PAGE_LOCKS = ON)
CREATE INDEX i2 ON p (b) WITH SORT_IN_TEMPDB, FILLFACTOR = 70
DROP INDEX i1 ON p WITH (ONLINE = ON, MAXDOP = 2), i2 ON p
GO
--@ source: message 155
DROP INDEX ir ON p WITH (FILLFACTOR = 5)
GO
--@ source: message 155
CREATE TABLE d (a int PRIMARY KEY WITH (DROP_EXISTING = ON))
GO
-- DROP_EXISTING puts another definition in the place of the index.
--@ source: documentation CREATE INDEX
CREATE UNIQUE INDEX ir ON p (b, a) INCLUDE (id) WITH (DROP_EXISTING = ON)
SELECT i.name, i.index_id, i.is_unique, c.key_ordinal, COL_NAME(c.object_id, c.column_id) AS col, c.is_included_column FROM sys.indexes AS i JOIN sys.index_columns AS c ON c.object_id = i.object_id AND c.index_id = i.index_id WHERE i.name = 'ir' ORDER BY c.index_column_id
SELECT a, b FROM p WITH (INDEX (ir)) ORDER BY b, a
GO
--@ source: documentation CREATE INDEX
CREATE TABLE h (a int, b int)
INSERT h VALUES (2, 1), (1, 2), (3, 3)
CREATE CLUSTERED INDEX hc ON h (a)
CREATE INDEX hn ON h (b)
CREATE CLUSTERED INDEX hc ON h (b DESC) WITH (DROP_EXISTING = ON)
CREATE INDEX hn ON h (a) WITH (DROP_EXISTING = ON)
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('h') ORDER BY index_id
SELECT a, b FROM h ORDER BY b
GO
-- It fails as a whole: the old index is there.
--@ source: message 1505
INSERT h VALUES (1, 9)
CREATE UNIQUE INDEX hn ON h (a) WITH (DROP_EXISTING = ON)
GO
--@ source: message 1911
CREATE INDEX hn ON h (nothing) WITH (DROP_EXISTING = ON)
GO
--@ source: reasoned
SELECT name, is_unique FROM sys.indexes WHERE object_id = OBJECT_ID('h') ORDER BY index_id
SELECT a, b FROM h WITH (INDEX (hn)) WHERE a = 1 ORDER BY b
GO
--@ source: message 7999
CREATE INDEX nothing ON h (a) WITH (DROP_EXISTING = ON)
GO
--@ source: message 1925
CREATE INDEX hc ON h (a) WITH (DROP_EXISTING = ON)
GO
--@ source: message 1902
CREATE CLUSTERED INDEX hn ON h (a) WITH (DROP_EXISTING = ON)
GO
--@ source: documentation CREATE INDEX
CREATE UNIQUE CLUSTERED INDEX p_pk ON p (id) WITH (DROP_EXISTING = ON)
GO
-- Statistics: the counts that plans go by are those of the rows.
--@ source: documentation UPDATE STATISTICS
UPDATE STATISTICS p WITH ROWCOUNT = 1000000, PAGECOUNT = 5000
UPDATE STATISTICS p (ip) WITH FULLSCAN, ROWCOUNT = 1
SELECT SUM(row_count) AS n FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('p') AND index_id = 1
GO
--@ source: message 155
UPDATE STATISTICS p WITH NOTHING = 1
GO
--@ source: message 1921
CREATE TABLE large (a varchar(max)) TEXTIMAGE_ON nowhere
GO
--@ source: reasoned
USE master
DROP DATABASE IndexOptions
GO
