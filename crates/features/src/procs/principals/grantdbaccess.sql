CREATE PROCEDURE sys.sp_grantdbaccess
    @loginame sysname, @name_in_db sysname = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_grantdbaccess')
        RETURN 1
    END
    SET @name_in_db = ISNULL(@name_in_db, @loginame)
    DECLARE @sql nvarchar(max) = N'CREATE USER ' + QUOTENAME(@name_in_db) + N' FOR LOGIN ' + QUOTENAME(@loginame)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
