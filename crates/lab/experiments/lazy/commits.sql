SET NOCOUNT ON
DECLARE @counter int = 0
WHILE @counter < $(count)
BEGIN
    BEGIN TRAN
    INSERT INTO dbo.DemoTable VALUES (@counter)
    SET @counter = @counter + 1
    COMMIT WITH (DELAYED_DURABILITY = $(commit_setting))
END
EXEC sys.sp_flush_log
