CREATE PROCEDURE sys.sp_addrole
    @rolename sysname, @ownername sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_addrole')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'CREATE ROLE ' + QUOTENAME(@rolename)
        + CASE WHEN @ownername IS NULL THEN N'' ELSE N' AUTHORIZATION ' + QUOTENAME(@ownername) END
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
