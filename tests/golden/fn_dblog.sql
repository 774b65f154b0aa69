-- The log's records through fn_dblog, and the views and commands that look at the log and at transactions.
CREATE DATABASE GoldenRecords
GO
USE GoldenRecords
ALTER DATABASE GoldenRecords SET RECOVERY SIMPLE
CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, v varchar(20) NOT NULL)
CREATE TABLE h (v varchar(20))
INSERT t VALUES (1, 'one'), (2, 'two')
CHECKPOINT
GO
SET NOCOUNT ON
GO
BEGIN TRAN named
INSERT t VALUES (3, 'three')
UPDATE t SET v = 'zwei' WHERE id = 2
SAVE TRAN here
DELETE t WHERE id = 1
INSERT h VALUES ('row')
ROLLBACK TRAN here
SELECT Operation, Context, AllocUnitName, [Transaction Name], [Savepoint Name], [Offset in Row] AS offset, [Modify Size] AS size,
    CAST([RowLog Contents 0] AS varchar(10)) AS before, CAST([RowLog Contents 1] AS varchar(10)) AS after
FROM sys.fn_dblog(NULL, NULL)
WHERE [Transaction ID] = (SELECT [Transaction ID] FROM fn_dblog(NULL, NULL) WHERE [Transaction Name] = 'named')
    AND Operation NOT IN ('LOP_INSERT_ROWS', 'LOP_DELETE_ROWS')
SELECT Operation, Context, AllocUnitName, [Number of Locks] AS locks, LEFT(Description, 12) AS description
FROM sys.fn_dblog(NULL, NULL)
WHERE [Transaction ID] = (SELECT [Transaction ID] FROM fn_dblog(NULL, NULL) WHERE [Transaction Name] = 'named')
    AND Operation IN ('LOP_INSERT_ROWS', 'LOP_DELETE_ROWS')
GO
-- The transaction by its number in the views, in the log, and through DBCC OPENTRAN.
SELECT COUNT(*) AS same FROM sys.dm_tran_current_transaction c
JOIN sys.dm_tran_session_transactions s ON s.transaction_id = c.transaction_id
JOIN sys.dm_tran_active_transactions a ON a.transaction_id = c.transaction_id
JOIN sys.dm_tran_database_transactions d ON d.transaction_id = c.transaction_id
JOIN sys.fn_dblog(NULL, NULL) l ON l.[Xact ID] = c.transaction_id
WHERE c.transaction_id = CURRENT_TRANSACTION_ID() AND s.session_id = @@SPID
SELECT a.name, a.transaction_type AS type, a.transaction_state AS state, d.database_transaction_state AS in_database,
    d.database_transaction_log_record_count AS records, CASE WHEN d.database_transaction_log_bytes_used > 0 THEN 1 END AS used,
    CASE WHEN d.database_transaction_log_bytes_reserved > 0 THEN 1 END AS reserved,
    CASE WHEN d.database_transaction_begin_lsn < d.database_transaction_most_recent_savepoint_lsn
        AND d.database_transaction_most_recent_savepoint_lsn < d.database_transaction_last_lsn THEN 1 END AS ordered
FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_database_transactions d ON d.transaction_id = a.transaction_id
WHERE d.database_id = DB_ID() AND a.name = 'named'
CREATE TABLE #open (name varchar(25), value sql_variant)
INSERT #open EXEC ('DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS')
SELECT name, CASE WHEN name IN ('OLDACT_UID', 'OLDACT_NAME', 'OLDACT_SID') THEN CAST(value AS varchar(30)) END AS value,
    CASE WHEN name = 'OLDACT_SPID' THEN CASE WHEN CAST(value AS varchar(30)) = CAST(@@SPID AS varchar(30)) THEN 'mine' END END AS spid
FROM #open
ROLLBACK
DBCC OPENTRAN WITH NO_INFOMSGS
GO
SELECT [Transaction Name], Operation, COUNT(*) AS records FROM fn_dblog(NULL, NULL)
WHERE [Transaction Name] = 'named' OR Operation = 'LOP_ABORT_XACT' GROUP BY [Transaction Name], Operation ORDER BY 1, 2
SELECT TOP (2) Operation, CASE WHEN [Checkpoint Begin] LIKE '____/__/__ __:__:__:___' THEN 1 END AS begun,
    CASE WHEN [Checkpoint End] LIKE '____/__/__ __:__:__:___' THEN 1 END AS ended, [CHKPT Begin DB Version] AS version
FROM fn_dblog(NULL, NULL) WHERE Operation LIKE 'LOP_%_CKPT' AND Operation <> 'LOP_XACT_CKPT' ORDER BY [Current LSN]
GO
-- Bounds, and what is refused.
DECLARE @first nvarchar(25), @last nvarchar(25)
SELECT @first = '0x' + MIN([Current LSN]), @last = '0x' + MAX([Current LSN]) FROM fn_dblog(NULL, NULL)
SELECT COUNT(*) AS one FROM fn_dblog(@last, NULL)
SELECT COUNT(*) AS one FROM fn_dblog(@first, @first)
SELECT CASE WHEN COUNT(*) > 10 THEN 'all' END AS records FROM fn_dblog(@first, @last)
SELECT COUNT(*) FROM fn_dblog('nonsense', NULL)
GO
SELECT COUNT(*) FROM fn_dblog(NULL)
GO
SELECT COUNT(*) FROM fn_dblog(NULL, NULL, NULL)
GO
SELECT COUNT(*) AS columns, SUM(CASE WHEN c.is_nullable = 0 THEN 1 ELSE 0 END) AS not_null
FROM sys.all_columns c WHERE c.object_id = OBJECT_ID('sys.fn_dblog')
GO
-- Over all databases.
SELECT d.name, COUNT(*) AS vlfs, MIN(l.file_id) AS file_id FROM sys.databases d CROSS APPLY sys.dm_db_log_info(d.database_id) l
WHERE d.name IN ('master', 'GoldenRecords') GROUP BY d.name ORDER BY d.name
SELECT d.name, s.recovery_model, s.log_truncation_holdup_reason, s.total_vlf_count, s.active_vlf_count,
    CASE WHEN s.log_min_lsn <= s.log_end_lsn AND s.log_checkpoint_lsn >= s.log_recovery_lsn THEN 1 END AS ordered
FROM sys.databases d OUTER APPLY sys.dm_db_log_stats(d.database_id) s WHERE d.name = 'GoldenRecords'
SELECT DB_NAME(database_id) AS name, total_log_size_in_bytes / 1024 AS kb, CASE WHEN used_log_space_in_bytes > 0 THEN 1 END AS used FROM sys.dm_db_log_space_usage
SELECT file_id, CASE WHEN num_of_writes > 0 AND num_of_bytes_written >= num_of_writes * 512 THEN 1 END AS written,
    CASE WHEN io_stall = io_stall_read_ms + io_stall_write_ms THEN 1 END AS added_up
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)
SELECT COUNT(*) AS files FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)
CREATE TABLE #space (name sysname, size real, used real, status int)
INSERT #space EXEC ('DBCC SQLPERF(LOGSPACE) WITH NO_INFOMSGS')
SELECT name, CASE WHEN used > 0 AND used < 100 THEN 1 END AS used, status FROM #space WHERE name = 'GoldenRecords'
GO
