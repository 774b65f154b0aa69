-- What administrators' scripts use: names of files, paths as Windows writes them, renaming, old spellings of functions.
SET NOCOUNT ON
SELECT database_id, file_id, name FROM sys.master_files WHERE database_id <= 4 ORDER BY database_id, file_id
GO
CREATE DATABASE paths
ON (NAME = paths_data, FILENAME = 'D:\SQLData\paths.mdf', SIZE = 8MB)
LOG ON (NAME = paths_log, FILENAME = 'L:\SQLLogs\paths.ldf', SIZE = 2MB)
GO
SELECT name, RIGHT(physical_name, 10) AS file_name FROM paths.sys.database_files
SELECT COUNT(*) AS windows_paths FROM sys.master_files WHERE physical_name LIKE '%\%'
GO
--@ mask 4035, 3014
BACKUP DATABASE paths TO DISK = 'X:\Backup\paths.bak' WITH INIT
GO
SELECT TOP 1 RIGHT(f.physical_device_name, 17) AS device FROM msdb.dbo.backupset AS s JOIN msdb.dbo.backupmediafamily AS f ON f.media_set_id = s.media_set_id WHERE s.database_name = 'paths' ORDER BY s.backup_set_id DESC
GO
ALTER DATABASE paths MODIFY NAME = roads
GO
USE roads
GO
CREATE TABLE t (a int)
INSERT t VALUES (1), (2)
GO
ALTER DATABASE roads MODIFY NAME = streets
GO
SELECT DB_NAME() AS here, COUNT(*) AS found FROM t
GO
USE master
GO
EXEC sp_renamedb 'streets', 'ways'
GO
SELECT name FROM sys.databases WHERE database_id > 4
SELECT COUNT(*) AS found FROM ways.dbo.t
GO
ALTER DATABASE ways MODIFY NAME = master
GO
ALTER DATABASE model MODIFY NAME = pattern
GO
SELECT CASE WHEN COUNT(*) > 0 THEN 'some' END AS records FROM ::fn_dblog(NULL, NULL)
SELECT DbId, FileId, CASE WHEN BytesOnDisk > 0 THEN 'yes' END AS on_disk FROM ::fn_virtualfilestats(DB_ID('ways'), -1)
SELECT f.file_id, CASE WHEN v.total_bytes >= v.available_bytes AND v.available_bytes > 0 THEN 'yes' END AS room FROM sys.master_files AS f CROSS APPLY sys.dm_os_volume_stats(f.database_id, f.file_id) AS v WHERE f.database_id = DB_ID('ways') ORDER BY f.file_id
GO
SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(max)) AS version, LEFT(CAST(SERVERPROPERTY('ProductVersion') AS varchar(max)), 2) AS major
SELECT STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name DESC) AS names FROM sys.databases WHERE database_id <= 4
GO
SELECT MAX(name) WITHIN GROUP (ORDER BY name) AS names FROM sys.databases
GO
SELECT event_type, event_info FROM sys.dm_exec_input_buffer(@@SPID, NULL)
GO
DROP DATABASE ways
GO
CREATE TABLE ##shared (id int PRIMARY KEY, v varchar(10) DEFAULT 'x')
INSERT ##shared (id) VALUES (1), (2)
GO
USE model
GO
SELECT * FROM ##shared ORDER BY id
SELECT CASE WHEN OBJECT_ID('tempdb..##shared') IS NOT NULL THEN 'there' END AS shared
SELECT name FROM tempdb.sys.tables WHERE name LIKE '##%'
GO
CREATE TABLE ##shared (a int)
GO
DROP TABLE ##shared
GO
SELECT * FROM ##shared
GO
USE master
GO
SELECT * FROM sys.dm_exec_query_profiles
GO
CREATE TABLE old (id int PRIMARY KEY, v int)
CREATE INDEX iv ON old (v)
DBCC DBREINDEX ('old')
DBCC DBREINDEX ('dbo.old', 'iv', 80) WITH NO_INFOMSGS
GO
DBCC DBREINDEX ('nothing')
GO
DROP TABLE old
GO
GO
-- A line that is too long for a row of sp_helptext goes on in the next.
DECLARE @text nvarchar(max) = N'CREATE PROCEDURE dbo.long_line AS SELECT ''' + REPLICATE(N'0123456789', 30) + N''' AS digits'
EXEC (@text)
EXEC sp_helptext 'dbo.long_line'
DROP PROCEDURE dbo.long_line
GO
-- No keyword, and no number.
SELECT precision, c.scale FROM sys.types c WHERE name = 'money'
SELECT COUNT(*) FROM sys.dm_db_log_info('nosuch')
SELECT COUNT(*) FROM sys.dm_io_virtual_file_stats(1, 'x')
GO
