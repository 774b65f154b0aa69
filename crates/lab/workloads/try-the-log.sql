-- Five articles about the transaction log, tried here in under a minute: how long it took, what the counters say, what the article saw.
-- Smaller than there, so ratios and writes are to be compared, not seconds. Makes the databases TryLog, TryLog64MB, TryLog1GB, TryLogFew and
-- TryLogMany, marks each with the extended property 'made by try-the-log', and drops them. Where one of these names is taken by
-- a database without that mark, nothing is done.
SET NOCOUNT ON
IF OBJECT_ID('tempdb..#names') IS NOT NULL DROP TABLE #names
CREATE TABLE #names (name sysname, own bit)
INSERT #names (name) VALUES ('TryLog'), ('TryLog64MB'), ('TryLog1GB'), ('TryLogFew'), ('TryLogMany')
DELETE #names WHERE DB_ID(name) IS NULL
DECLARE @name sysname, @sql nvarchar(max), @taken nvarchar(max)
DECLARE there CURSOR LOCAL FOR SELECT name FROM #names
OPEN there
FETCH NEXT FROM there INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @sql = N'UPDATE #names SET own = (SELECT COUNT(*) FROM ' + @name + N'.sys.extended_properties
        WHERE class = 0 AND name = N''made by try-the-log'') WHERE name = N''' + @name + N''''
    EXEC (@sql)
    FETCH NEXT FROM there INTO @name
END
CLOSE there
SELECT @taken = STRING_AGG(name, N', ') FROM #names WHERE own = 0
IF @taken IS NOT NULL
BEGIN
    RAISERROR('There is a database of this name already, which this script has not made: %s. Nothing was done: rename it, or try another server.', 16, 1, @taken)
    SET NOEXEC ON
END
OPEN there
FETCH NEXT FROM there INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
    EXEC (N'DROP DATABASE ' + @name)
    FETCH NEXT FROM there INTO @name
END
CLOSE there
GO
CREATE TABLE #seen (n int IDENTITY, [what] varchar(46), [here] varchar(66), [the article] varchar(66))
CREATE TABLE #before (flushes bigint, writes bigint, bytes bigint, at datetime2)
GO
CREATE DATABASE TryLog
    ON (NAME = TryLog, FILENAME = 'TryLog.mdf', SIZE = 64MB)
    LOG ON (NAME = TryLog_log, FILENAME = 'TryLog_log.ldf', SIZE = 64MB)
GO
EXEC TryLog.sys.sp_addextendedproperty @name = N'made by try-the-log'
ALTER DATABASE TryLog SET RECOVERY SIMPLE
ALTER DATABASE TryLog SET DELAYED_DURABILITY = ALLOWED
GO
USE TryLog
GO
CREATE PROCEDURE dbo.count_from_here AS
DELETE #before
INSERT #before
SELECT c.cntr_value, s.num_of_writes, s.num_of_bytes_written, SYSUTCDATETIME()
FROM sys.dm_os_performance_counters AS c
CROSS JOIN sys.dm_io_virtual_file_stats(DB_ID(), 2) AS s
WHERE c.counter_name = 'Log Flushes/sec' AND c.instance_name = DB_NAME()
GO
CREATE PROCEDURE dbo.note @what varchar(46), @article varchar(66), @rows int = NULL AS
INSERT #seen
SELECT @what,
    CONCAT(CAST(x.ms / 1000. AS decimal(9, 2)), ' s, ', x.writes, IIF(x.writes = 1, ' log write of ', ' log writes of '),
        CAST(x.bytes / 1024. / NULLIF(x.writes, 0) AS decimal(9, 1)), ' KB',
        CASE WHEN @rows IS NOT NULL THEN CONCAT(', ', CAST(1. * x.flushes / @rows AS decimal(9, 2)), ' flushes a row') END),
    @article
FROM (SELECT DATEDIFF(millisecond, b.at, SYSUTCDATETIME()) AS ms, c.cntr_value - b.flushes AS flushes,
        s.num_of_writes - b.writes AS writes, s.num_of_bytes_written - b.bytes AS bytes
    FROM #before AS b
    CROSS JOIN sys.dm_os_performance_counters AS c
    CROSS JOIN sys.dm_io_virtual_file_stats(DB_ID(), 2) AS s
    WHERE c.counter_name = 'Log Flushes/sec' AND c.instance_name = DB_NAME()) AS x
GO
-- "SQL WHILE Loop is Slow and Takes a While (WRITELOG Wait Type)"
CREATE TABLE dbo.MyTable (Id int IDENTITY(1,1) NOT NULL, SomeText varchar(10) NULL, MoreText varchar(50) NULL)
EXEC dbo.count_from_here
DECLARE @Counter int = 5000
WHILE @Counter > 0
BEGIN
    INSERT INTO dbo.MyTable (SomeText, MoreText)
    VALUES ('Num:' + CONVERT(varchar, @Counter), CONVERT(varchar, @Counter) + ' bottles of beer on the wall')
    SET @Counter = @Counter - 1
END
EXEC dbo.note 'WHILE loop, 5,000 rows, a commit each', '500,000 rows: 44 s, one flush a row', 5000
GO
TRUNCATE TABLE dbo.MyTable
EXEC dbo.count_from_here
DECLARE @Counter int = 5000
BEGIN TRAN
WHILE @Counter > 0
BEGIN
    INSERT INTO dbo.MyTable (SomeText, MoreText)
    VALUES ('Num:' + CONVERT(varchar, @Counter), CONVERT(varchar, @Counter) + ' bottles of beer on the wall')
    SET @Counter = @Counter - 1
END
COMMIT TRAN
EXEC dbo.note 'the same in one transaction', '500,000 rows: 17 s, a flush for each 60 KB of log', 5000
GO
-- "SQL Server: Delayed Durability (Lazy Commit)", part 2
CREATE TABLE dbo.DemoTable (col1 int IDENTITY PRIMARY KEY CLUSTERED, col2 varchar(100))
INSERT dbo.DemoTable VALUES ('the first page')
EXEC dbo.count_from_here
DECLARE @counter int = 0
WHILE @counter < 100
BEGIN
    BEGIN TRAN
    INSERT INTO dbo.DemoTable VALUES (@counter)
    SET @counter = @counter + 1
    COMMIT WITH (DELAYED_DURABILITY = OFF)
END
EXEC dbo.note '100 commits, fully durable', '100 writes of 4 KB'
EXEC dbo.count_from_here
SET @counter = 0
WHILE @counter < 100
BEGIN
    BEGIN TRAN
    INSERT INTO dbo.DemoTable VALUES (@counter)
    SET @counter = @counter + 1
    COMMIT WITH (DELAYED_DURABILITY = ON)
END
EXEC sys.sp_flush_log
EXEC dbo.note '100 commits, delayed, then sp_flush_log', '1 write of 36 KB'
GO
-- "Performance Impact: Frequent Manual Checkpoints and Their I/O Behavior"
CREATE TABLE dbo.test (i int NOT NULL, c char(8000) NOT NULL)
CHECKPOINT
DECLARE @i int = 1, @round int = 1, @writes bigint, @bytes bigint, @at datetime2
WHILE @round <= 2
BEGIN
    SELECT @writes = num_of_writes, @bytes = num_of_bytes_written, @at = SYSUTCDATETIME()
    FROM sys.dm_io_virtual_file_stats(DB_ID(), 1)
    SET @i = 1
    BEGIN TRAN
    WHILE @i <= 1600
    BEGIN
        INSERT dbo.test VALUES (@i, 'a')
        IF @i % 16 = 0
        BEGIN
            COMMIT TRAN
            IF @round = 1 CHECKPOINT
            BEGIN TRAN
        END
        SET @i = @i + 1
    END
    COMMIT TRAN
    CHECKPOINT
    INSERT #seen
    SELECT CASE @round WHEN 1 THEN '1,600 rows of 8 KB, CHECKPOINT after each 16' ELSE 'the same, automatic checkpoints' END,
        CONCAT(CAST(DATEDIFF(millisecond, @at, SYSUTCDATETIME()) / 1000. AS decimal(9, 2)), ' s, ',
            num_of_writes - @writes, ' writes of data, ', (num_of_bytes_written - @bytes) / 1048576, ' MB'),
        CASE @round WHEN 1 THEN 'small writes of data, all the time' ELSE 'few, large ones: several times the throughput' END
    FROM sys.dm_io_virtual_file_stats(DB_ID(), 1)
    TRUNCATE TABLE dbo.test
    CHECKPOINT
    SET @round = @round + 1
END
GO
-- "Performance impact: a large number of virtual log files - Part I"
USE master
GO
CREATE DATABASE TryLogFew
    ON (NAME = TryLogFew, FILENAME = 'TryLogFew.mdf', SIZE = 192MB)
    LOG ON (NAME = TryLogFew_log, FILENAME = 'TryLogFew_log.ldf', SIZE = 64MB)
GO
EXEC TryLogFew.sys.sp_addextendedproperty @name = N'made by try-the-log'
GO
CREATE DATABASE TryLogMany
    ON (NAME = TryLogMany, FILENAME = 'TryLogMany.mdf', SIZE = 192MB)
    LOG ON (NAME = TryLogMany_log, FILENAME = 'TryLogMany_log.ldf', SIZE = 512KB, FILEGROWTH = 512KB)
GO
EXEC TryLogMany.sys.sp_addextendedproperty @name = N'made by try-the-log'
GO
USE TryLogMany
GO
-- Two VLFs a growth, as the article's version made them; for SQL Server leave this line out.
ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2012
GO
BACKUP DATABASE TryLogMany TO DISK = 'NUL'
GO
CREATE TABLE dbo.dummy (c char(8000))
BEGIN TRAN
WHILE (SELECT size FROM sys.database_files WHERE type_desc = 'LOG') / 128 < 64
    INSERT dbo.dummy SELECT 'a' FROM GENERATE_SERIES(1, 64)
ROLLBACK
ALTER DATABASE TryLogMany SET RECOVERY SIMPLE
ALTER DATABASE TryLogFew SET RECOVERY SIMPLE
GO
DECLARE @run nvarchar(max) = N'
CREATE TABLE dbo.customer (c_id int NOT NULL, c_last char(16) NOT NULL, c_balance numeric(12, 2) NOT NULL, c_data char(480) NOT NULL)
DECLARE @vlfs varchar(12) = (SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID())), @few bit = IIF(DB_NAME() = ''TryLogFew'', 1, 0)
DECLARE @at datetime2 = SYSUTCDATETIME(), @ms int
INSERT dbo.customer SELECT value, ''BARBARBAR'', -10, ''x'' FROM GENERATE_SERIES(1, 30000)
SET @ms = DATEDIFF(millisecond, @at, SYSUTCDATETIME())
INSERT #seen VALUES (CONCAT(''insert of 30,000 customers, '', @vlfs, '' VLFs''), CONCAT(CAST(@ms / 1000. AS decimal(9, 2)), '' s''),
    IIF(@few = 1, ''3,000,000: 281 s, 16 VLFs'', ''1,069 s, 20,000 VLFs''))
SET @at = SYSUTCDATETIME()
UPDATE dbo.customer SET c_data = REPLACE(c_data, '' '', ''0'')
SET @ms = DATEDIFF(millisecond, @at, SYSUTCDATETIME())
INSERT #seen VALUES (CONCAT(''update of each, '', @vlfs, '' VLFs''), CONCAT(CAST(@ms / 1000. AS decimal(9, 2)), '' s''),
    IIF(@few = 1, ''174 s, 16 VLFs'', ''1,554 s, 20,000 VLFs''))
SET @at = SYSUTCDATETIME()
DELETE dbo.customer
SET @ms = DATEDIFF(millisecond, @at, SYSUTCDATETIME())
INSERT #seen VALUES (CONCAT(''delete of each, '', @vlfs, '' VLFs''), CONCAT(CAST(@ms / 1000. AS decimal(9, 2)), '' s''),
    IIF(@few = 1, ''193 s, 16 VLFs'', ''936 s, 20,000 VLFs''))'
EXEC TryLogFew.sys.sp_executesql @run
EXEC TryLogMany.sys.sp_executesql @run
GO
-- "Changing log growth strategy in SQL Server 2022"
USE master
GO
CREATE DATABASE TryLog64MB
    ON (NAME = TryLog64MB, FILENAME = 'TryLog64MB.mdf', SIZE = 64MB)
    LOG ON (NAME = TryLog64MB_log, FILENAME = 'TryLog64MB_log.ldf', SIZE = 32MB, FILEGROWTH = 64MB)
GO
EXEC TryLog64MB.sys.sp_addextendedproperty @name = N'made by try-the-log'
GO
CREATE DATABASE TryLog1GB
    ON (NAME = TryLog1GB, FILENAME = 'TryLog1GB.mdf', SIZE = 64MB)
    LOG ON (NAME = TryLog1GB_log, FILENAME = 'TryLog1GB_log.ldf', SIZE = 32MB, FILEGROWTH = 1GB)
GO
EXEC TryLog1GB.sys.sp_addextendedproperty @name = N'made by try-the-log'
GO
USE TryLog64MB
GO
ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = SQL2022
GO
USE TryLog1GB
GO
ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = SQL2022
GO
USE master
GO
DECLARE @run nvarchar(max) = N'
DECLARE @at datetime2 = SYSUTCDATETIME(), @waited bigint, @round int = 0
SELECT @waited = wait_time_ms FROM sys.dm_os_wait_stats WHERE wait_type = ''PREEMPTIVE_OS_WRITEFILEGATHER''
CREATE TABLE dbo.fill (i int IDENTITY(1,1), a nchar(2000))
BEGIN TRAN
WHILE @round < 20
BEGIN
    INSERT dbo.fill (a) SELECT ''x'' FROM GENERATE_SERIES(1, 1000)
    SET @round += 1
END
COMMIT TRAN
INSERT #seen
SELECT CONCAT(''80 MB of log, growth by '', REPLACE(DB_NAME(), ''TryLog'', '''')),
    CONCAT(CAST(DATEDIFF(millisecond, @at, SYSUTCDATETIME()) / 1000. AS decimal(9, 2)), '' s, waited for zeroes '',
        CAST((w.wait_time_ms - @waited) / 1000. AS decimal(9, 2)), '' s, growths: '', g.cntr_value, '', VLFs: '',
        (SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID()))),
    IIF(DB_NAME() = ''TryLog64MB'', ''no wait for zeroes, 20 % less time'', ''waits for zeroes at each growth'')
FROM sys.dm_os_wait_stats AS w CROSS JOIN sys.dm_os_performance_counters AS g
WHERE w.wait_type = ''PREEMPTIVE_OS_WRITEFILEGATHER'' AND g.counter_name = ''Log Growths'' AND g.instance_name = DB_NAME()'
EXEC TryLog1GB.sys.sp_executesql @run
EXEC TryLog64MB.sys.sp_executesql @run
GO
SELECT [what], [here], [the article] FROM #seen ORDER BY n
GO
DROP DATABASE TryLog, TryLog64MB, TryLog1GB, TryLogFew, TryLogMany
GO
