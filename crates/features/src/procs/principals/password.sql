CREATE PROCEDURE sys.sp_password
    @old sysname = NULL, @new sysname, @loginame sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_password')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(ISNULL(@loginame, SUSER_SNAME()))
        + N' WITH PASSWORD = N''' + REPLACE(@new, N'''', N'''''') + N''''
        + CASE WHEN @old IS NULL THEN N'' ELSE N' OLD_PASSWORD = N''' + REPLACE(@old, N'''', N'''''') + N'''' END
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
