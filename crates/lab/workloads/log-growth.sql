-- A log-heavy workload over a log that starts at 32 MB, with growth by 64 MB and by 1 GB.
-- After "Changing log growth strategy in SQL Server 2022": for each database the duration of the workload, the waits for the
-- initialisation of new log, the number of growths, the VLFs, their average size and the size of the log at the end.
-- $(rounds) rounds of about 10 MB of log; the article runs for minutes. $(init): who initialises new log: zero (the statement
-- that grows it, as before 2022), sql2022 (nobody up to 64 MB) or ahead (a thread, before it is needed).
SET NOCOUNT ON
GO
IF DB_ID('Grow1GB') IS NOT NULL DROP DATABASE Grow1GB
IF DB_ID('Grow64MB') IS NOT NULL DROP DATABASE Grow64MB
GO
CREATE DATABASE Grow64MB
ON (NAME = Grow64MB_data, FILENAME = 'D:\SQLData\Grow64MB.mdf', SIZE = 64MB)
LOG ON (NAME = Grow64MB_log, FILENAME = 'D:\SQLLogs\Grow64MB.ldf', SIZE = 32MB, FILEGROWTH = 64MB)
GO
CREATE DATABASE Grow1GB
ON (NAME = Grow1GB_data, FILENAME = 'D:\SQLData\Grow1GB.mdf', SIZE = 64MB)
LOG ON (NAME = Grow1GB_log, FILENAME = 'D:\SQLLogs\Grow1GB.ldf', SIZE = 32MB, FILEGROWTH = 1GB)
GO
ALTER DATABASE Grow64MB SET RECOVERY FULL
ALTER DATABASE Grow1GB SET RECOVERY FULL
BACKUP DATABASE Grow64MB TO DISK = 'NUL'
BACKUP DATABASE Grow1GB TO DISK = 'NUL'
GO
USE Grow64MB
ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = $(init)
GO
USE Grow1GB
ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = $(init)
GO
USE master
GO
CREATE TABLE tempdb..#metrics (db sysname PRIMARY KEY, duration_ms int, init_wait_ms bigint)
GO
-- The same batch in both databases.
DECLARE @db sysname, @workload nvarchar(max) = N'
DECLARE @start datetime2 = SYSUTCDATETIME(), @waited bigint, @round int = 0
SELECT @waited = wait_time_ms FROM sys.dm_os_wait_stats WHERE wait_type = N''PREEMPTIVE_OS_WRITEFILEGATHER''
DROP TABLE IF EXISTS dbo.fill
CREATE TABLE dbo.fill (i int IDENTITY(1,1), a nchar(2000), b datetime2 DEFAULT SYSUTCDATETIME())
WHILE @round < $(rounds)
BEGIN
    INSERT dbo.fill(a) SELECT TOP (1000) o.name FROM sys.all_columns AS c CROSS JOIN sys.all_objects AS o
    UPDATE dbo.fill SET a = REVERSE(a) WHERE i % 10 = @round % 10
    SET @round += 1
END
INSERT #metrics
SELECT DB_NAME(), DATEDIFF(MILLISECOND, @start, SYSUTCDATETIME()), wait_time_ms - @waited
FROM sys.dm_os_wait_stats WHERE wait_type = N''PREEMPTIVE_OS_WRITEFILEGATHER'''
DECLARE dbs CURSOR LOCAL FAST_FORWARD FOR SELECT name FROM sys.databases WHERE name LIKE N'Grow%' ORDER BY name
OPEN dbs
FETCH NEXT FROM dbs INTO @db
WHILE @@FETCH_STATUS = 0
BEGIN
    DECLARE @exec nvarchar(300) = QUOTENAME(@db) + N'.sys.sp_executesql'
    EXEC @exec @workload
    FETCH NEXT FROM dbs INTO @db
END
CLOSE dbs
DEALLOCATE dbs
GO
-- What the article's table shows.
SELECT m.db, m.duration_ms, m.init_wait_ms,
    growths = (SELECT cntr_value FROM sys.dm_os_performance_counters
        WHERE counter_name = N'Log Growths' AND instance_name = m.db),
    vlfs = COUNT(*), avg_vlf_mb = CONVERT(decimal(9,2), AVG(l.vlf_size_mb)),
    log_mb = (SELECT size / 128 FROM sys.master_files WHERE database_id = DB_ID(m.db) AND type_desc = N'LOG')
FROM #metrics AS m
CROSS APPLY sys.dm_db_log_info(DB_ID(m.db)) AS l
GROUP BY m.db, m.duration_ms, m.init_wait_ms
ORDER BY m.db
GO
-- What it must come to, whatever the machine.
SELECT m.db,
    CASE WHEN m.duration_ms > 0 THEN 'measured' END AS times,
    CASE WHEN m.init_wait_ms > 0 THEN 'waited' ELSE 'no wait' END AS initialisation,
    CASE m.db WHEN N'Grow64MB' THEN (s.size / 128 - 32) % 64 ELSE (s.size / 128 - 32) % 1024 END AS odd_mb,
    CASE WHEN c.cntr_value = (s.size / 128 - 32) / CASE m.db WHEN N'Grow64MB' THEN 64 ELSE 1024 END
        THEN 'every growth counted' END AS growths
FROM #metrics AS m
JOIN sys.master_files AS s ON s.database_id = DB_ID(m.db) AND s.type_desc = N'LOG'
JOIN sys.dm_os_performance_counters AS c ON c.counter_name = N'Log Growths' AND c.instance_name = m.db
ORDER BY m.db
GO
DROP TABLE #metrics
DROP DATABASE Grow1GB, Grow64MB
GO
