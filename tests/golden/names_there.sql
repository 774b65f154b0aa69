-- Functions, statements, options and clauses that no other script uses, and what each gives.
--@ source: reasoned
CREATE DATABASE NamesThere
GO
--@ source: reasoned
USE NamesThere
CREATE TABLE dbo.a (id int PRIMARY KEY, x int)
INSERT dbo.a VALUES (1, 10), (2, 20)
GO
--@ source: documentation APP_NAME, HOST_NAME, HOST_ID
SELECT CASE WHEN APP_NAME() <> N'' THEN 1 END AS app, CASE WHEN LEN(HOST_NAME()) > 0 THEN 1 END AS host, CASE WHEN HOST_ID() > 0 THEN 1 END AS process
GO
--@ source: documentation STATS_DATE
CREATE STATISTICS s ON dbo.a (x)
SELECT CASE WHEN STATS_DATE(OBJECT_ID(N'dbo.a'), stats_id) > '2020' THEN 'a date' END AS date, name FROM sys.stats WHERE object_id = OBJECT_ID(N'dbo.a') AND name = N's'
GO
--@ source: documentation CRYPT_GEN_RANDOM
SELECT DATALENGTH(CRYPT_GEN_RANDOM(5)) AS bytes, CASE WHEN CRYPT_GEN_RANDOM(16) <> CRYPT_GEN_RANDOM(16) THEN 1 END AS other
GO
--@ source: documentation CURRENT_REQUEST_ID
SELECT CURRENT_REQUEST_ID() AS request
GO
--@ source: documentation NEWSEQUENTIALID
CREATE TABLE dbo.g (g uniqueidentifier DEFAULT NEWSEQUENTIALID(), n int)
INSERT dbo.g (n) VALUES (1), (2)
SELECT COUNT(DISTINCT g) AS ids FROM dbo.g
GO
--@ source: documentation UPDATE trigger functions
CREATE TRIGGER dbo.t ON dbo.a AFTER UPDATE AS IF UPDATE(x) PRINT 'x' ELSE PRINT 'not x'
GO
--@ source: documentation UPDATE trigger functions
UPDATE dbo.a SET x = 11 WHERE id = 1
UPDATE dbo.a SET id = 3 WHERE id = 1
GO
--@ source: documentation sys.fn_builtin_permissions
SELECT COUNT(*) AS n FROM sys.fn_builtin_permissions(N'SCHEMA') WHERE permission_name IN (N'SELECT', N'CONTROL')
GO
--@ source: documentation sys.fn_hadr_backup_is_preferred_replica, sys.fn_hadr_is_primary_replica
SELECT sys.fn_hadr_backup_is_preferred_replica(N'NamesThere') AS preferred, sys.fn_hadr_is_primary_replica(N'NamesThere') AS primary_replica
GO
--@ source: documentation system statistical functions
SELECT CASE WHEN @@CONNECTIONS > 0 THEN 1 END AS connections, CASE WHEN @@CPU_BUSY >= 0 THEN 1 END AS cpu, CASE WHEN @@IDLE >= 0 THEN 1 END AS idle,
    CASE WHEN @@IO_BUSY >= 0 THEN 1 END AS io, CASE WHEN @@TIMETICKS > 0 THEN 1 END AS ticks, CASE WHEN @@TOTAL_READ >= 0 THEN 1 END AS reads,
    CASE WHEN @@TOTAL_WRITE >= 0 THEN 1 END AS writes
GO
--@ source: documentation configuration functions
SELECT @@MAX_CONNECTIONS AS connections, @@SERVICENAME AS service, CASE WHEN @@VERSION LIKE N'%Taffrail%' THEN 1 END AS version, @@REMSERVER AS remote
GO
--@ source: documentation @@PROCID
CREATE PROCEDURE dbo.p AS SELECT OBJECT_NAME(@@PROCID) AS name
GO
--@ source: documentation @@PROCID
EXEC dbo.p
GO
--@ source: documentation SET ARITHIGNORE
SET ANSI_WARNINGS, ARITHABORT OFF
SET ARITHIGNORE ON
SELECT 1 / 0 AS silent
SET ARITHIGNORE OFF
SELECT 1 / 0 AS told
SET ANSI_WARNINGS, ARITHABORT ON
GO
--@ source: documentation SET ANSI_DEFAULTS
SET ANSI_DEFAULTS ON
SELECT SESSIONPROPERTY('ANSI_NULLS') AS nulls, SESSIONPROPERTY('QUOTED_IDENTIFIER') AS quoted, @@OPTIONS & 2 AS implicit
IF @@TRANCOUNT > 0 ROLLBACK
SET IMPLICIT_TRANSACTIONS, CURSOR_CLOSE_ON_COMMIT OFF
GO
--@ source: documentation SET ANSI_NULL_DFLT_OFF
SET ANSI_NULL_DFLT_OFF ON
CREATE TABLE dbo.n (a int)
SELECT is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.n')
SET ANSI_NULL_DFLT_ON ON
CREATE TABLE dbo.o (a int)
SELECT is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.o')
GO
--@ source: documentation SET DEADLOCK_PRIORITY
SET DEADLOCK_PRIORITY HIGH
SELECT deadlock_priority FROM sys.dm_exec_sessions WHERE session_id = @@SPID
SET DEADLOCK_PRIORITY NORMAL
GO
--@ source: documentation SET FORCEPLAN
SET FORCEPLAN ON
SELECT a.id FROM dbo.a AS a JOIN dbo.a AS b ON a.id = b.id ORDER BY a.id
SET FORCEPLAN OFF
GO
--@ source: reasoned
SET NO_BROWSETABLE ON
SELECT id FROM dbo.a ORDER BY id
SET NO_BROWSETABLE OFF
GO
--@ source: documentation FOR BROWSE
SELECT id, x FROM dbo.a ORDER BY id FOR BROWSE
GO
--@ source: documentation COMMIT WORK, ROLLBACK WORK
BEGIN TRANSACTION
DELETE dbo.a
ROLLBACK WORK
SELECT COUNT(*) AS n FROM dbo.a
BEGIN TRANSACTION
DELETE dbo.a WHERE id = 3
COMMIT WORK
SELECT COUNT(*) AS n FROM dbo.a
GO
--@ source: documentation DENY
CREATE USER u WITHOUT LOGIN
GRANT SELECT ON SCHEMA::dbo TO u
DENY SELECT ON dbo.a TO u
SELECT state_desc, permission_name FROM sys.database_permissions WHERE major_id = OBJECT_ID(N'dbo.a')
GO
--@ source: documentation DROP ROLE
CREATE ROLE r
DROP ROLE r
SELECT COUNT(*) AS n FROM sys.database_principals WHERE name = N'r'
GO
--@ source: documentation CREATE VIEW, VIEW_METADATA
CREATE VIEW dbo.v WITH VIEW_METADATA AS SELECT id FROM dbo.a
GO
--@ source: documentation CREATE VIEW, VIEW_METADATA
SELECT id FROM dbo.v
GO
--@ source: documentation CREATE TABLE
CREATE TABLE dbo.l (a int, b varchar(max)) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.l') ORDER BY column_id
GO
--@ source: documentation CREATE COLUMNSTORE INDEX
CREATE TABLE dbo.c (a int, b int)
CREATE CLUSTERED COLUMNSTORE INDEX c ON dbo.c
INSERT dbo.c VALUES (1, 2)
SELECT a, b FROM dbo.c
GO
--@ source: documentation RESTORE
--@ mask 4035, 3014, 3262
BACKUP DATABASE NamesThere TO DISK = 'names_there.bak' WITH INIT
RESTORE VERIFYONLY FROM DISK = 'names_there.bak'
GO
--@ source: documentation RESTORE FILELISTONLY
--@ mask PhysicalName, Size, MaxSize, CreateLSN, DropLSN, UniqueId, ReadOnlyLSN, ReadWriteLSN, BackupSizeInBytes, DifferentialBaseLSN, DifferentialBaseGUID, LogGroupGUID
RESTORE FILELISTONLY FROM DISK = 'names_there.bak'
GO
--@ source: reasoned
EXEC sp_user_counter1 11
EXEC sp_user_counter2 12
EXEC sp_user_counter3 13
EXEC sp_user_counter4 14
EXEC sp_user_counter5 15
EXEC sp_user_counter6 16
EXEC sp_user_counter7 17
EXEC sp_user_counter8 18
EXEC sp_user_counter9 19
EXEC sp_user_counter10 20
SELECT RTRIM(instance_name) AS name, cntr_value FROM sys.dm_os_performance_counters WHERE object_name LIKE N'%User Settable%' ORDER BY cntr_value
EXEC sp_user_counter1 0
EXEC sp_user_counter2 0
EXEC sp_user_counter3 0
GO
--@ source: documentation DBCC TRACEON, TRACESTATUS, TRACEOFF
DBCC TRACEON (3604)
DBCC TRACESTATUS (3604)
DBCC TRACEOFF (3604)
GO
--@ source: documentation DBCC CHECKALLOC
--@ mask 8954, 2579, 7995, 8989, 2593
DBCC CHECKALLOC (NamesThere) WITH NO_INFOMSGS
PRINT 'whole'
GO
--@ source: documentation DBCC SHRINKDATABASE
--@ mask CurrentSize, MinimumSize, UsedPages, EstimatedPages, DbId, FileId
DBCC SHRINKDATABASE (NamesThere)
GO
--@ source: documentation DBCC SHRINKFILE
--@ mask CurrentSize, MinimumSize, UsedPages, EstimatedPages, DbId
DBCC SHRINKFILE (NamesThere_log)
GO
--@ source: documentation DBCC SQLPERF
DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR)
GO
--@ source: reasoned
USE master
DROP DATABASE NamesThere
GO
