CREATE PROCEDURE sys.sp_dropuser
    @name_in_db sysname
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_dropuser')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'DROP USER ' + QUOTENAME(@name_in_db)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
