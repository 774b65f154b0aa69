-- A log that grew in small steps, beside one of the same size that was made in one piece.
-- After "Performance impact: a large number of virtual log files - Part I": dbVLF_large is created with a log of 512 KB that
-- grows by 512 KB; a table of one char(8000) column is filled in a loop until the log has $(mb) MB; then the log is backed
-- up and both logs get twice that size. customer.sql has the three statements to be timed in each database.
SET NOCOUNT ON
GO
IF DB_ID('dbVLF_small') IS NOT NULL DROP DATABASE dbVLF_small
IF DB_ID('dbVLF_large') IS NOT NULL DROP DATABASE dbVLF_large
GO
CREATE DATABASE dbVLF_small
ON (NAME = dbVLF_small, FILENAME = 'E:\SQLData\dbVLF_small.mdf', SIZE = 20MB)
LOG ON (NAME = dbVLF_small_log, FILENAME = 'F:\SQLLogs\dbVLF_small_log.ldf', SIZE = $(mb)MB)
GO
CREATE DATABASE dbVLF_large
ON (NAME = dbVLF_large, FILENAME = 'E:\SQLData\dbVLF_large.mdf', SIZE = 20MB)
LOG ON (NAME = dbVLF_large_log, FILENAME = 'F:\SQLLogs\dbVLF_large_log.ldf', SIZE = 512KB, FILEGROWTH = 512KB)
GO
ALTER DATABASE dbVLF_large SET RECOVERY FULL
-- Two VLFs of at least 256 KB a growth, as the article's version made them.
ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2012
GO
BACKUP DATABASE dbVLF_large TO DISK = 'E:\Backup\dbVLF_large.bak' WITH INIT
GO
USE dbVLF_large
GO
ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2012
GO
CREATE TABLE dummy (c char(8000))
GO
WHILE (SELECT size FROM sys.database_files WHERE type_desc = 'LOG') / 128 < $(mb)
    INSERT dummy VALUES ('a')
GO
SELECT size / 128 AS log_mb FROM sys.database_files WHERE type_desc = 'LOG'
GO
-- One row per VLF: the old way and the view must agree.
CREATE TABLE #loginfo (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo bigint,
    Status int, Parity int, CreateLSN numeric(25,0))
INSERT #loginfo EXEC ('DBCC LOGINFO(''dbVLF_large'')')
SELECT COUNT(*) AS vlfs, MIN(FileSize) AS smallest, MAX(FileSize) AS greatest FROM #loginfo
SELECT COUNT(*) AS differences
FROM #loginfo AS i
FULL JOIN sys.dm_db_log_info(DB_ID('dbVLF_large')) AS v ON v.vlf_begin_offset = i.StartOffset
    AND v.vlf_sequence_number = i.FSeqNo AND v.vlf_status = i.Status AND v.vlf_parity = i.Parity
WHERE v.file_id IS NULL OR i.FileId IS NULL
DROP TABLE #loginfo
GO
BACKUP LOG dbVLF_large TO DISK = 'E:\Backup\dbVLF_large.trn' WITH INIT
GO
DECLARE @size nvarchar(200)
SET @size = 'ALTER DATABASE dbVLF_small MODIFY FILE (NAME = dbVLF_small_log, SIZE = ' + CONVERT(varchar, 2 * $(mb)) + 'MB)
ALTER DATABASE dbVLF_large MODIFY FILE (NAME = dbVLF_large_log, SIZE = ' + CONVERT(varchar, 2 * $(mb)) + 'MB)'
EXEC (@size)
GO
SELECT d.name, COUNT(*) AS vlfs, SUM(CASE WHEN l.vlf_active = 1 THEN 1 ELSE 0 END) AS active
FROM sys.databases AS d
CROSS APPLY sys.dm_db_log_info(d.database_id) AS l
WHERE d.name LIKE 'dbVLF[_]%'
GROUP BY d.name
ORDER BY vlfs
GO
-- What the article advises: back up, shrink the log to a minimum, give it its size in one step. The first round may find
-- the end of the log at the end of the file.
DBCC SHRINKFILE (dbVLF_large_log, 1) WITH NO_INFOMSGS
BACKUP LOG dbVLF_large TO DISK = 'E:\Backup\dbVLF_large.trn'
DBCC SHRINKFILE (dbVLF_large_log, 1) WITH NO_INFOMSGS
BACKUP LOG dbVLF_large TO DISK = 'E:\Backup\dbVLF_large.trn'
DBCC SHRINKFILE (dbVLF_large_log, 1) WITH NO_INFOMSGS
GO
ALTER DATABASE dbVLF_large MODIFY FILE (NAME = dbVLF_large_log, SIZE = 64MB)
ALTER DATABASE dbVLF_large MODIFY FILE (NAME = dbVLF_large_log, FILEGROWTH = 64MB)
GO
SELECT CASE WHEN COUNT(*) <= 20 THEN 'few' ELSE 'many' END AS vlfs_left FROM sys.dm_db_log_info(DB_ID())
GO
-- tempdb is a database like the others.
DBCC LOGINFO('tempdb') WITH NO_INFOMSGS
ALTER DATABASE tempdb MODIFY FILE (NAME = templog, SIZE = 16MB)
SELECT size / 128 AS templog_mb FROM tempdb.sys.database_files WHERE name = 'templog'
GO
USE master
GO
DROP DATABASE dbVLF_small, dbVLF_large
GO
