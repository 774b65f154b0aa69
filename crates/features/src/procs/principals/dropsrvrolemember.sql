CREATE PROCEDURE sys.sp_dropsrvrolemember
    @loginame sysname, @rolename sysname
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_dropsrvrolemember')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER ' + QUOTENAME(@loginame)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
