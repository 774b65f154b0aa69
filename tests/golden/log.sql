-- What a new database's log looks like, how it grows by hand, and what happens when it may not grow.
CREATE DATABASE GoldenLog
GO
USE GoldenLog
DBCC LOGINFO WITH TABLERESULTS, NO_INFOMSGS
SELECT file_id, vlf_begin_offset, vlf_size_mb, vlf_sequence_number, vlf_active, vlf_status FROM sys.dm_db_log_info(DB_ID())
GO
ALTER DATABASE GoldenLog MODIFY FILE (NAME = GoldenLog_log, SIZE = 16MB)
SELECT COUNT(*) AS vlfs FROM sys.dm_db_log_info(DB_ID())
SELECT name, type_desc, size, max_size, growth, is_percent_growth FROM sys.database_files ORDER BY file_id
GO
CREATE DATABASE Tiny ON (NAME = Tiny, FILENAME = 'tiny.mdf', SIZE = 8MB) LOG ON (NAME = Tiny_log, FILENAME = 'tiny_log.ldf', SIZE = 1MB, FILEGROWTH = 0)
ALTER DATABASE Tiny SET RECOVERY SIMPLE
GO
USE Tiny
CREATE TABLE t (i int IDENTITY PRIMARY KEY, filler char(4000) NOT NULL DEFAULT 'x')
GO
SET NOCOUNT ON
GO
BEGIN TRY
    BEGIN TRAN
    DECLARE @i int = 0
    WHILE @i < 1000 BEGIN INSERT t DEFAULT VALUES SET @i = @i + 1 END
    COMMIT
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, LEFT(ERROR_MESSAGE(), 79) AS beginning
    IF @@TRANCOUNT > 0 ROLLBACK
END CATCH
SELECT COUNT(*) AS rows_after_rollback FROM t
GO
CHECKPOINT
INSERT t DEFAULT VALUES
SELECT COUNT(*) AS healed FROM t
SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'GoldenLog'
GO
