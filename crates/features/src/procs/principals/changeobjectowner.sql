CREATE PROCEDURE sys.sp_changeobjectowner
    @objname nvarchar(776), @newowner sysname
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_changeobjectowner')
        RETURN 1
    END
    DECLARE @id int = OBJECT_ID(@objname)
    IF @id IS NULL OR @id < 0
    BEGIN
        RAISERROR(15001, 16, 1, @objname)
        RETURN 1
    END
    -- Owner and schema go together, as they did when users were schemas.
    IF DATABASE_PRINCIPAL_ID(@newowner) IS NULL OR SCHEMA_ID(@newowner) IS NULL
    BEGIN
        RAISERROR(15411, 11, 1, @newowner)
        RETURN 1
    END
    RAISERROR(15477, 10, 1)
    DECLARE @name nvarchar(776) = QUOTENAME(OBJECT_SCHEMA_NAME(@id)) + N'.' + QUOTENAME(OBJECT_NAME(@id))
    DECLARE @sql nvarchar(max) = N'ALTER SCHEMA ' + QUOTENAME(@newowner) + N' TRANSFER ' + @name
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
