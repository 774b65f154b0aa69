CREATE PROCEDURE sys.sp_defaultdb
    @loginame sysname, @defdb sysname
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_defaultdb')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame) + N' WITH DEFAULT_DATABASE = ' + QUOTENAME(@defdb)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
