-- What a DBA looks at when statements are slow on a log of many VLFs: the top waits of the instance since they were last
-- cleared, and the number of virtual log files of every database.
DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR);
GO
-- Percentages of nothing are a division by zero: wait for something first.
WAITFOR DELAY '00:00:00.100'
GO
WITH Waits AS
(SELECT wait_type, wait_time_ms / 1000. AS wait_time_s,
100. * wait_time_ms / SUM(wait_time_ms) OVER() AS pct,
ROW_NUMBER() OVER(ORDER BY wait_time_ms DESC) AS rn
FROM sys.dm_os_wait_stats
WHERE wait_type NOT IN( 'SLEEP_TASK', 'BROKER_TASK_STOP',
 'SQLTRACE_BUFFER_FLUSH', 'CLR_AUTO_EVENT', 'CLR_MANUAL_EVENT',
 'LAZYWRITER_SLEEP')) -- filter out additional irrelevant waits
SELECT W1.wait_type,
 CAST(W1.wait_time_s AS DECIMAL(12, 2)) AS wait_time_s,
 CAST(W1.pct AS DECIMAL(12, 2)) AS pct,
 CAST(SUM(W2.pct) AS DECIMAL(12, 2)) AS running_pct
FROM Waits AS W1
INNER JOIN Waits AS W2
ON W2.rn <= W1.rn
GROUP BY W1.rn, W1.wait_type, W1.wait_time_s, W1.pct
HAVING SUM(W2.pct) - W1.pct < 95; -- percentage threshold
GO
CREATE TABLE #VLFS (RecoveryUnitId int,fileid int,filesize bigint,startoffset bigint,fseqno bigint,status int,parity int,createlsn varchar(1000))
CREATE TABLE #Results (SRV_Name nvarchar(500),Database_Name nvarchar(500),VLFS INT)
exec master.dbo.sp_msforeachdb
   @command1 = 'USE ? INSERT INTO #VLFS EXEC(''DBCC LOGINFO WITH TABLERESULTS'')',
   @command2 = 'insert into #Results SELECT @@SERVERNAME,''?'',count(*) from #vlfs',
   @command3 = 'truncate table #vlfs'
SELECT Database_Name, CASE WHEN VLFS > 0 THEN 'yes' ELSE 'no' END AS has_vlfs FROM #Results ORDER BY Database_Name
drop table #vlfs
drop table #Results
GO
