CREATE PROCEDURE sys.sp_adduser
    @loginame sysname, @name_in_db sysname = NULL, @grpname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_adduser')
        RETURN 1
    END
    SET @name_in_db = ISNULL(@name_in_db, @loginame)
    DECLARE @sql nvarchar(max) = N'CREATE USER ' + QUOTENAME(@name_in_db) + N' FOR LOGIN ' + QUOTENAME(@loginame)
        + N' WITH DEFAULT_SCHEMA = ' + QUOTENAME(@name_in_db)
    EXEC (@sql)
    IF @@ERROR <> 0
        RETURN 1
    -- The user has a schema of the same name, as before there were schemas.
    SET @sql = N'CREATE SCHEMA ' + QUOTENAME(@name_in_db) + N' AUTHORIZATION ' + QUOTENAME(@name_in_db)
    EXEC (@sql)
    IF @@ERROR <> 0
        RETURN 1
    IF @grpname IS NULL
        RETURN 0
    SET @sql = N'ALTER ROLE ' + QUOTENAME(@grpname) + N' ADD MEMBER ' + QUOTENAME(@name_in_db)
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
