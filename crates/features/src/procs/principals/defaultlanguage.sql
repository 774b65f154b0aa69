CREATE PROCEDURE sys.sp_defaultlanguage
    @loginame sysname, @language sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_defaultlanguage')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame)
        + N' WITH DEFAULT_LANGUAGE = ' + QUOTENAME(ISNULL(@language, N'us_english'))
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
