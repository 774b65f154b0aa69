-- Log files: several of them, added and removed while in use; shrinking; who keeps the log; counting VLFs in every database.
CREATE DATABASE Vlf ON (NAME = Vlf, FILENAME = 'vlf.mdf', SIZE = 8MB) LOG ON (NAME = Vlf_log, FILENAME = 'vlf_log.ldf', SIZE = 1MB, FILEGROWTH = 0)
ALTER DATABASE Vlf SET RECOVERY SIMPLE
GO
USE Vlf
GO
ALTER DATABASE Vlf ADD LOG FILE (NAME = Vlf_log2, FILENAME = 'vlf_log2.ldf', SIZE = 1MB, FILEGROWTH = 0)
GO
SELECT file_id, name, type_desc, size, max_size, growth FROM sys.database_files ORDER BY file_id
SELECT file_id, COUNT(*) AS vlfs FROM sys.dm_db_log_info(DB_ID()) GROUP BY file_id ORDER BY file_id
SELECT COUNT(*) AS log_files FROM sys.master_files WHERE database_id = DB_ID() AND type = 1
GO
-- Names are taken once; a file has a least size.
ALTER DATABASE Vlf ADD LOG FILE (NAME = vlf_LOG2, FILENAME = 'other.ldf', SIZE = 1MB)
GO
ALTER DATABASE Vlf ADD LOG FILE (NAME = Vlf_log3, FILENAME = 'vlf_log3.ldf', SIZE = 100KB)
GO
-- The log goes on in the second file when the first is full, and comes back.
CREATE TABLE filler (i int NOT NULL, b char(4000) NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < 260 BEGIN INSERT filler VALUES (@i, 'x') SET @i = @i + 1 END
COMMIT
SELECT DISTINCT file_id FROM sys.dm_db_log_info(DB_ID()) WHERE vlf_active = 1 AND vlf_sequence_number > 34 ORDER BY file_id
GO
-- The first log file stays; so does one that the log is in.
ALTER DATABASE Vlf REMOVE FILE Vlf_log
GO
ALTER DATABASE Vlf REMOVE FILE Vlf
GO
ALTER DATABASE Vlf REMOVE FILE NoSuchFile
GO
ALTER DATABASE Vlf REMOVE FILE Vlf_log2
GO
-- The log leaves the file, and then it goes.
CREATE TABLE #s (DbId smallint, FileId int, CurrentSize int, MinimumSize int, UsedPages int, EstimatedPages int)
GO
INSERT #s EXEC ('DBCC SHRINKFILE (Vlf_log2, EMPTYFILE) WITH NO_INFOMSGS')
GO
SELECT FileId, CurrentSize, MinimumSize FROM #s
TRUNCATE TABLE #s
GO
CHECKPOINT
GO
ALTER DATABASE Vlf REMOVE FILE Vlf_log2
SELECT file_id, name, type_desc FROM sys.database_files ORDER BY file_id
SELECT DISTINCT file_id FROM sys.dm_db_log_info(DB_ID())
GO
-- A larger log is shrunk: to a size, to what it was made with, by a number.
ALTER DATABASE Vlf MODIFY FILE (NAME = Vlf_log, SIZE = 3MB)
ALTER DATABASE Vlf MODIFY FILE (NAME = Vlf_log, SIZE = 6MB)
GO
ALTER DATABASE Vlf MODIFY FILE (NAME = Vlf_log, NEWNAME = Renamed_log)
GO
SELECT name, size FROM sys.database_files WHERE type = 1
GO
INSERT #s EXEC ('DBCC SHRINKFILE (Renamed_log, 4)')
SELECT CurrentSize, MinimumSize, UsedPages, EstimatedPages FROM #s
TRUNCATE TABLE #s
GO
INSERT #s EXEC ('DBCC SHRINKFILE (2)')
SELECT CurrentSize, MinimumSize, UsedPages, EstimatedPages FROM #s
TRUNCATE TABLE #s
GO
INSERT #s EXEC ('DBCC SHRINKFILE (Renamed_log, 100)')
SELECT CurrentSize, MinimumSize, UsedPages, EstimatedPages FROM #s
TRUNCATE TABLE #s
GO
INSERT #s EXEC ('DBCC SHRINKFILE (Renamed_log, 0, TRUNCATEONLY) WITH NO_INFOMSGS')
SELECT CurrentSize, MinimumSize, UsedPages, EstimatedPages FROM #s
TRUNCATE TABLE #s
GO
DBCC SHRINKFILE (NoSuchFile, 1)
GO
DBCC SHRINKFILE (Vlf, 1)
GO
DBCC SHRINKFILE (Renamed_log, EMPTYFILE)
GO
SELECT counter_name, cntr_value FROM sys.dm_os_performance_counters WHERE instance_name = 'Vlf' AND counter_name = 'Log Shrinks'
GO
-- Nobody keeps the log.
CHECKPOINT
SELECT log_reuse_wait, log_reuse_wait_desc FROM sys.databases WHERE name = 'Vlf'
GO
-- Counting VLFs in every database: with today's eight columns.
CREATE TABLE #loginfo (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo int, Status int, Parity tinyint, CreateLSN numeric(25, 0))
CREATE TABLE #counts (database_name sysname, vlfs int)
GO
INSERT #loginfo EXEC ('DBCC LOGINFO WITH TABLERESULTS')
SELECT COUNT(*) AS vlfs, MIN(StartOffset) AS first_offset, SUM(FileSize) + 8192 AS bytes FROM #loginfo
TRUNCATE TABLE #loginfo
GO
EXEC sp_msforeachdb N'IF ''?'' NOT IN (''master'', ''model'', ''msdb'', ''tempdb'', ''Vlf'') RETURN
USE [?];
INSERT #loginfo EXEC (''DBCC LOGINFO WITH NO_INFOMSGS'');
INSERT #counts SELECT DB_NAME(), COUNT(*) FROM #loginfo;
TRUNCATE TABLE #loginfo;'
GO
SELECT database_name, CASE WHEN vlfs >= 2 THEN 'yes' ELSE 'no' END AS has_vlfs FROM #counts WHERE database_name IN ('master', 'model', 'msdb', 'tempdb', 'Vlf') ORDER BY database_name
SELECT c.vlfs AS counted, (SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('Vlf'))) AS listed FROM #counts c WHERE database_name = 'Vlf'
GO
USE master
DROP DATABASE Vlf
GO
