CREATE PROCEDURE sys.sp_droprolemember
    @rolename sysname, @membername sysname
AS
BEGIN
    SET NOCOUNT ON
    IF DATABASE_PRINCIPAL_ID(@membername) IS NULL
    BEGIN
        RAISERROR(15410, 11, 1, @membername)
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'ALTER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER ' + QUOTENAME(@membername)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
