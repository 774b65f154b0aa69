SET NOCOUNT ON
DECLARE @counter int = 0
WHILE @counter < $(count)
BEGIN
    $(one)
    SET @counter = @counter + 1
END
EXEC sys.sp_flush_log
