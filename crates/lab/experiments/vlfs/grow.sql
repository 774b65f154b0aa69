$(rule)
GO
-- The log grows in small steps, as by FILEGROWTH, until it has its VLFs; then it gets its size in one step, if it has not yet.
SET NOCOUNT ON
DECLARE @kb int = 512, @sql nvarchar(300)
WHILE @kb < $(make_vlfs) * $(vlf_kb)
BEGIN
    SET @kb = @kb + $(step_kb)
    SET @sql = N'ALTER DATABASE [$(database)] MODIFY FILE (NAME = lab_log, SIZE = ' + CONVERT(nvarchar(12), @kb) + N'KB)'
    EXEC (@sql)
END
GO
IF (SELECT size FROM sys.database_files WHERE type = 1) < $(log_mb) * 128
    ALTER DATABASE [$(database)] MODIFY FILE (NAME = lab_log, SIZE = $(log_mb)MB)
