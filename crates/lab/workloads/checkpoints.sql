-- Rows of 8,000 bytes, 16 to a transaction, with a checkpoint after each commit and with automatic checkpoints.
-- After "Performance Impact: Frequent Manual Checkpoints and Their I/O Behavior": size and number of the writes to the data
-- file and to the log in both configurations. $(rows) rows in each.
SET NOCOUNT ON
GO
IF DB_ID('Checkpoints') IS NOT NULL DROP DATABASE Checkpoints
GO
CREATE DATABASE Checkpoints
GO
ALTER DATABASE Checkpoints SET RECOVERY SIMPLE
ALTER DATABASE Checkpoints MODIFY FILE (NAME = Checkpoints, SIZE = 100MB)
ALTER DATABASE Checkpoints MODIFY FILE (NAME = Checkpoints_log, SIZE = 100MB)
GO
USE Checkpoints
GO
CREATE TABLE test (i int NOT NULL, c char(8000) NOT NULL)
CREATE TABLE #io (config int, file_id int, writes bigint, bytes bigint, ms bigint)
CREATE TABLE #began (file_id int, writes bigint, bytes bigint, at datetime2)
GO
INSERT #began SELECT file_id, num_of_writes, num_of_bytes_written, SYSUTCDATETIME()
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)
GO
-- Config 1.
declare @i int
set @i = 1
begin tran
while @i <= $(rows)
begin
    insert test values (@i, 'a')
    if @i % 16 = 0
    begin
        commit tran
        checkpoint
        begin tran
    end
    set @i = @i + 1
end
commit tran
GO
INSERT #io SELECT 1, s.file_id, s.num_of_writes - b.writes, s.num_of_bytes_written - b.bytes,
    DATEDIFF(millisecond, b.at, SYSUTCDATETIME())
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s JOIN #began AS b ON b.file_id = s.file_id
SELECT COUNT(*) AS manual_rows, MAX(i) AS last_row FROM test
TRUNCATE TABLE test
TRUNCATE TABLE #began
CHECKPOINT
INSERT #began SELECT file_id, num_of_writes, num_of_bytes_written, SYSUTCDATETIME()
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)
GO
-- Config 2.
declare @i int
set @i = 1
begin tran
while @i <= $(rows)
begin
    insert test values (@i, 'a')
    if @i % 16 = 0
    begin
        commit tran
    --  checkpoint
        begin tran
    end
    set @i = @i + 1
end
commit tran
GO
INSERT #io SELECT 2, s.file_id, s.num_of_writes - b.writes, s.num_of_bytes_written - b.bytes,
    DATEDIFF(millisecond, b.at, SYSUTCDATETIME())
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s JOIN #began AS b ON b.file_id = s.file_id
SELECT COUNT(*) AS automatic_rows, MAX(i) AS last_row FROM test
GO
-- The article's four figures, for each configuration.
SELECT config, CASE file_id WHEN 1 THEN 'data' ELSE 'log' END AS kind, writes,
    CONVERT(decimal(12,2), bytes / 1048576. * 1000 / NULLIF(ms, 0)) AS mb_per_second,
    CONVERT(decimal(12,1), bytes / 1024. / NULLIF(writes, 0)) AS kb_per_write
FROM #io ORDER BY config, file_id
GO
SELECT CASE WHEN a.writes < m.writes THEN 'fewer writes of data with automatic checkpoints' END AS data_file
FROM #io AS m JOIN #io AS a ON a.config = 2 AND a.file_id = 1 WHERE m.config = 1 AND m.file_id = 1
GO
DROP TABLE #io
DROP TABLE #began
GO
USE master
GO
DROP DATABASE Checkpoints
GO
