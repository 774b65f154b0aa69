-- What drivers and tools send first.
SET ARITHABORT ON;SET CONCAT_NULL_YIELDS_NULL ON;SET ANSI_NULLS ON;SET ANSI_NULL_DFLT_ON ON;SET ANSI_PADDING ON;SET ANSI_WARNINGS ON;SET CURSOR_CLOSE_ON_COMMIT ON;SET QUOTED_IDENTIFIER ON;SET TEXTSIZE 2147483647
GO
set ansi_nulls on
set ansi_null_dflt_on on
set implicit_transactions off
set language us_english
set datefirst 7
set dateformat mdy
set numeric_roundabort off
set transaction isolation level read committed
set xact_abort off
GO
SELECT @@MAX_PRECISION SET TRANSACTION ISOLATION LEVEL READ COMMITTED SET IMPLICIT_TRANSACTIONS OFF
GO
SELECT CAST(SERVERPROPERTY('ProductVersion') AS VARCHAR)
GO
SELECT CASE transaction_isolation_level WHEN 0 THEN NULL WHEN 1 THEN 'READ UNCOMMITTED' WHEN 2 THEN 'READ COMMITTED' END AS TRANSACTION_ISOLATION_LEVEL FROM sys.dm_exec_sessions where session_id = @@SPID
GO
select N'Windows' as host_platform; if @@MICROSOFTVERSION >= 0x0e000000 begin exec ('select host_platform from sys.dm_os_host_info') end
GO
exec [sys].sp_datatype_info_100 -9, @ODBCVer=4
GO
declare @edition sysname; set @edition = cast(SERVERPROPERTY(N'EDITION') as sysname); SELECT CAST(case when @edition = N'SQL Azure' then 2 else 1 end as int) AS 'DatabaseEngineType', SERVERPROPERTY(N'ProductVersion') AS [ServerVersion], @@microsoftversion/0x01000000
GO
SELECT cast(name as nvarchar(max)), 'x' collate database_default FROM fn_listextendedproperty(default, default, default, default, default, default, default)
GO
DECLARE @Version VARCHAR(20) SELECT @Version = CAST(SERVERPROPERTY('ProductVersion') AS VARCHAR(20)) SELECT SUBSTRING(@Version, 1, CHARINDEX('.', @Version)), REVERSE(@Version)
GO
SELECT c.COLUMN_NAME AS [name], COLUMNPROPERTY(OBJECT_ID(c.TABLE_SCHEMA+'.'+c.TABLE_NAME), c.COLUMN_NAME, 'IsIdentity') AS "IsIdentity" FROM INFORMATION_SCHEMA.TABLES t INNER JOIN INFORMATION_SCHEMA.COLUMNS c ON t.TABLE_NAME = c.TABLE_NAME WHERE t.TABLE_NAME = N'x' AND t.TABLE_SCHEMA = 'dbo' ORDER BY ORDINAL_POSITION
GO
IF DB_ID('MyDemoDB') IS NOT NULL
begin
ALTER DATABASE [MyDemoDB] SET SINGLE_USER WITH ROLLBACK IMMEDIATE
DROP DATABASE [MyDemoDB]
end
GO
WITH Waits AS
(SELECT wait_type, wait_time_ms / 1000. AS wait_time_s,
100. * wait_time_ms / SUM(wait_time_ms) OVER() AS pct,
ROW_NUMBER() OVER(ORDER BY wait_time_ms DESC) AS rn
FROM sys.dm_os_wait_stats
WHERE wait_type NOT IN( 'SLEEP_TASK', 'BROKER_TASK_STOP')) -- idle ones
SELECT W1.wait_type, CAST(SUM(W2.pct) AS DECIMAL(12, 2)) AS running_pct
FROM Waits AS W1
INNER JOIN Waits AS W2
ON W2.rn <= W1.rn
GROUP BY W1.rn, W1.wait_type
HAVING SUM(W2.pct) - W1.pct < 95; -- threshold
GO
TRUNCATE TABLE dbo.MyTable
DECLARE @Iterations int = 500000
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
SELECT *
FROM dbo.MyTable
