-- Single-row inserts in a WHILE loop, first each in its own transaction, then all in one.
-- After "SQL WHILE Loop is Slow and Takes a While (WRITELOG Wait Type)": in the first form every row costs one log
-- flush, in the second the log leaves in large blocks. $(rows) rows in each form.
SET NOCOUNT ON
IF DB_ID('WhileLoop') IS NOT NULL
BEGIN
    ALTER DATABASE [WhileLoop] SET SINGLE_USER WITH ROLLBACK IMMEDIATE
    DROP DATABASE [WhileLoop]
END
GO
CREATE DATABASE [WhileLoop]
GO
USE [WhileLoop]
GO
CREATE TABLE [dbo].[MyTable](
    [Id] [int] IDENTITY(1,1) NOT NULL,
    [SomeText] [varchar](10) NULL,
    [MoreText] [varchar](50) NULL
) ON [PRIMARY]
GO
-- Form 1: autocommit.
TRUNCATE TABLE dbo.MyTable
DECLARE @Iterations int = $(rows)
DECLARE @Counter int = @Iterations
WHILE @Counter > 0
BEGIN
    INSERT INTO [dbo].[MyTable]
        ([SomeText]
        ,[MoreText])
    VALUES
        ('Num:' + CONVERT(varchar,@Counter)
        ,CONVERT(varchar,@Counter) + ' bottles of beer on the wall')
    SET @Counter = @Counter - 1
END
SELECT COUNT(*) AS autocommit_rows, MIN(Id) AS first_id, MAX(Id) AS last_id FROM dbo.MyTable
GO
-- Form 2: one transaction.
TRUNCATE TABLE dbo.MyTable
DECLARE @Iterations int = $(rows)
DECLARE @Counter int = @Iterations
BEGIN TRAN
WHILE @Counter > 0
BEGIN
    INSERT INTO [dbo].[MyTable]
        ([SomeText]
        ,[MoreText])
    VALUES
        ('Num:' + CONVERT(varchar,@Counter)
        ,CONVERT(varchar,@Counter) + ' bottles of beer on the wall')
    SET @Counter = @Counter - 1
END
COMMIT TRAN
SELECT COUNT(*) AS one_transaction_rows FROM dbo.MyTable
SELECT TOP 3 Id, SomeText, MoreText FROM dbo.MyTable ORDER BY Id
GO
-- What a monitor shows of it.
SELECT wait_type, CASE WHEN waiting_tasks_count >= $(rows) THEN 'one per row' ELSE 'fewer' END AS waits
FROM sys.dm_os_wait_stats WHERE wait_type = 'WRITELOG'
SELECT RTRIM(counter_name) AS counter_name
FROM sys.dm_os_performance_counters
WHERE object_name LIKE 'SQLServer:Databases%' AND RTRIM(instance_name) = 'WhileLoop'
  AND counter_name IN ('Log Flushes/sec', 'Log Flush Wait Time', 'Log Flush Write Time (ms)', 'Log Flush Waits/sec')
ORDER BY counter_name
GO
