CREATE PROCEDURE sys.sp_droprole
    @rolename sysname
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_droprole')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'DROP ROLE ' + QUOTENAME(@rolename)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
