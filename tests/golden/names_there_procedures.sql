-- System procedures that no other script calls, and what each gives.
--@ source: reasoned
CREATE DATABASE ProceduresThere
GO
--@ source: reasoned
USE ProceduresThere
CREATE TABLE dbo.a (id int NOT NULL CONSTRAINT pk PRIMARY KEY, x int NULL)
CREATE TABLE dbo.b (id int NOT NULL PRIMARY KEY, a int CONSTRAINT fk REFERENCES dbo.a (id))
INSERT dbo.a VALUES (1, 10)
GO
--@ source: documentation sp_fkeys
EXEC sp_fkeys @pktable_name = N'a'
GO
--@ source: documentation sp_server_info
EXEC sp_server_info @attribute_id = 1
GO
--@ source: documentation sp_special_columns
EXEC sp_special_columns @table_name = N'a'
GO
--@ source: documentation sp_statistics
--@ mask cardinality, pages
EXEC sp_statistics @table_name = N'a'
GO
--@ source: documentation sp_statistics
--@ mask cardinality, pages
EXEC sp_statistics_100 @table_name = N'a'
GO
--@ source: documentation sp_cursor_list
--@ mask cursor_handle
DECLARE k CURSOR LOCAL STATIC FOR SELECT id FROM dbo.a
OPEN k
DECLARE @list CURSOR
EXEC sp_cursor_list @cursor_return = @list OUTPUT, @cursor_scope = 3
FETCH NEXT FROM @list
GO
--@ source: documentation sp_addextendedproperty
EXEC sp_addextendedproperty @name = N'note', @value = N'words', @level0type = N'SCHEMA', @level0name = N'dbo', @level1type = N'TABLE', @level1name = N'a'
SELECT name, value FROM sys.extended_properties
GO
--@ source: documentation sp_cycle_errorlog
EXEC sp_cycle_errorlog
GO
--@ source: documentation sp_helpdb
CREATE TABLE #h (name sysname, db_size nvarchar(13), owner sysname NULL, dbid smallint, created nvarchar(11), status nvarchar(600) NULL, compatibility_level tinyint)
SET NOCOUNT ON
INSERT #h EXEC sp_helpdb
SET NOCOUNT OFF
SELECT name, owner, compatibility_level FROM #h WHERE name = N'ProceduresThere'
GO
--@ source: documentation sp_helpfile
--@ mask filename, size
EXEC sp_helpfile
GO
--@ source: documentation sp_lock
CREATE TABLE #l (spid int, dbid int, ObjId int, IndId int, Type nchar(4), Resource nchar(32), Mode nvarchar(8), Status nvarchar(5))
INSERT #l EXEC sp_lock
SELECT CASE WHEN COUNT(*) > 0 THEN 'locks' END AS there FROM #l
GO
--@ source: documentation sp_monitor
--@ mask last_run, current_run, seconds, cpu_busy, io_busy, idle, packets_received, packets_sent, packet_errors, total_read, total_write, total_errors, connections
EXEC sp_monitor
GO
--@ source: documentation sp_prepare, sp_execute, sp_unprepare
DECLARE @h int
EXEC sp_prepare @h OUTPUT, N'@n int', N'SELECT x FROM dbo.a WHERE id = @n'
EXEC sp_execute @h, 1
EXEC sp_unprepare @h
GO
--@ source: documentation sp_prepexec
DECLARE @h int
EXEC sp_prepexec @h OUTPUT, N'@n int', N'SELECT x FROM dbo.a WHERE id = @n', 1
EXEC sp_unprepare @h
GO
--@ source: documentation sp_getapplock, sp_releaseapplock
BEGIN TRANSACTION
DECLARE @r int
EXEC @r = sp_getapplock @Resource = N'r', @LockMode = N'Exclusive'
SELECT @r AS got
EXEC @r = sp_releaseapplock @Resource = N'r'
SELECT @r AS released
COMMIT
GO
--@ source: documentation sp_spaceused
--@ mask database_size, unallocated space, reserved, data, index_size, unused
EXEC sp_spaceused
GO
--@ source: documentation sp_who
CREATE TABLE #w (spid smallint, ecid smallint, status nchar(30), loginame nvarchar(128), hostname nchar(128), blk char(5), dbname nvarchar(128), cmd nchar(26), request_id int)
SET NOCOUNT ON
INSERT #w EXEC sp_who
SET NOCOUNT OFF
SELECT RTRIM(dbname) AS dbname FROM #w WHERE spid = @@SPID
GO
--@ source: reasoned
CREATE TABLE #w2 (SPID char(5), Status nvarchar(60), Login nvarchar(128), HostName nvarchar(128), BlkBy char(5), DBName nvarchar(128), Command nvarchar(64), CPUTime bigint, DiskIO bigint, LastBatch nvarchar(60), ProgramName nvarchar(128), SPID2 char(5), REQUESTID int)
SET NOCOUNT ON
INSERT #w2 EXEC sp_who2
SET NOCOUNT OFF
SELECT RTRIM(DBName) AS DBName FROM #w2 WHERE CAST(SPID AS int) = @@SPID
GO
--@ source: reasoned
EXEC xp_create_subdir N'names_there'
EXEC xp_fileexist N'names_there'
EXEC xp_dirtree N'names_there', 1, 1
GO
--@ source: reasoned
EXEC xp_delete_file 0, N'names_there', N'bak', N'2020-01-01T00:00:00'
GO
--@ source: reasoned
CREATE TABLE #e (n int, date nvarchar(40), size bigint)
INSERT #e EXEC xp_enumerrorlogs
SELECT CASE WHEN COUNT(*) > 0 THEN 'logs' END AS there FROM #e
GO
--@ source: reasoned
CREATE TABLE #d (drive char(1), free int)
INSERT #d EXEC xp_fixeddrives
SELECT COUNT(*) - COUNT(free) AS unknown FROM #d
GO
--@ source: documentation xp_msver
EXEC xp_msver N'ProductName'
GO
--@ source: reasoned
CREATE TABLE #r (LogDate datetime, ProcessInfo nvarchar(50), Text nvarchar(max))
INSERT #r EXEC xp_readerrorlog
INSERT #r EXEC sp_readerrorlog
SELECT CASE WHEN COUNT(*) > 0 THEN 'lines' END AS there FROM #r
GO
--@ source: reasoned
DECLARE @v nvarchar(100)
EXEC xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\Microsoft\MSSQLServer\MSSQLServer', N'DefaultData', @v OUTPUT
SELECT CASE WHEN @v IS NULL THEN 'none' ELSE 'a path' END AS value
EXEC xp_regread N'HKEY_LOCAL_MACHINE', N'Software\Nothing', N'Nowhere', @v OUTPUT
GO
--@ source: documentation sp_addrole, sp_addrolemember, sp_droprolemember, sp_droprole, sp_adduser, sp_dropuser
CREATE LOGIN ProceduresThere WITH PASSWORD = 'Pr0cedures-There!'
EXEC sp_adduser N'ProceduresThere', N'u'
EXEC sp_addrole N'r'
EXEC sp_addrolemember N'r', N'u'
SELECT USER_NAME(role_principal_id) AS role, USER_NAME(member_principal_id) AS member FROM sys.database_role_members WHERE USER_NAME(member_principal_id) = N'u'
EXEC sp_droprolemember N'r', N'u'
EXEC sp_droprole N'r'
DROP SCHEMA u
EXEC sp_dropuser N'u'
GO
--@ source: documentation sp_grantdbaccess, sp_revokedbaccess
EXEC sp_grantdbaccess N'ProceduresThere', N'u'
SELECT name FROM sys.database_principals WHERE name = N'u'
EXEC sp_revokedbaccess N'u'
GO
--@ source: documentation sp_defaultdb, sp_defaultlanguage, sp_password
EXEC sp_defaultdb N'ProceduresThere', N'ProceduresThere'
EXEC sp_defaultlanguage N'ProceduresThere', N'Deutsch'
EXEC sp_password NULL, 'An0ther-One!', N'ProceduresThere'
SELECT default_database_name, default_language_name FROM sys.server_principals WHERE name = N'ProceduresThere'
GO
--@ source: documentation sp_changedbowner
EXEC sp_changedbowner N'ProceduresThere'
SELECT SUSER_SNAME(owner_sid) AS owner FROM sys.databases WHERE name = N'ProceduresThere'
EXEC sp_changedbowner N'sa'
GO
--@ source: documentation sp_changeobjectowner
CREATE USER s WITHOUT LOGIN
GO
--@ source: documentation sp_changeobjectowner
CREATE SCHEMA s AUTHORIZATION s
GO
--@ source: documentation sp_changeobjectowner
EXEC sp_changeobjectowner N'dbo.b', N's'
SELECT SCHEMA_NAME(schema_id) AS in_schema FROM sys.objects WHERE name = N'b'
GO
--@ source: documentation sp_dbfixedrolepermission
EXEC sp_dbfixedrolepermission N'db_denydatareader'
GO
--@ source: documentation sp_srvrolepermission
EXEC sp_srvrolepermission N'diskadmin'
GO
--@ source: documentation sp_helprotect
GRANT SELECT ON dbo.a TO s
EXEC sp_helprotect N'a'
GO
--@ source: reasoned
EXEC sp_db_vardecimal_storage_format N'ProceduresThere'
GO
--@ source: reasoned
EXEC sp_MSforeachtable N'PRINT ''?'''
GO
--@ source: documentation sp_cursoropen
DECLARE @h int, @scroll int = 8, @lock int = 1, @rows int
EXEC sp_cursoropen @h OUTPUT, N'SELECT id FROM dbo.a', @scroll OUTPUT, @lock OUTPUT, @rows OUTPUT
EXEC sp_cursoroption @h, 2, N'named'
EXEC sp_cursorfetch @h, 2, 0, 1
EXEC sp_cursorclose @h
GO
--@ source: documentation sp_cursorprepare, sp_cursorexecute, sp_cursorunprepare
DECLARE @p int, @h int, @scroll int = 8, @lock int = 1, @rows int
EXEC sp_cursorprepare @p OUTPUT, NULL, N'SELECT id FROM dbo.a', 1, @scroll OUTPUT, @lock OUTPUT
EXEC sp_cursorexecute @p, @h OUTPUT, @scroll OUTPUT, @lock OUTPUT, @rows OUTPUT
EXEC sp_cursorclose @h
EXEC sp_cursorunprepare @p
GO
--@ source: reasoned
USE master
DROP DATABASE ProceduresThere
DROP LOGIN ProceduresThere
GO
