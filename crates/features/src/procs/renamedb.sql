CREATE PROCEDURE sys.sp_renamedb
    @dbname sysname,
    @newname sysname
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @text nvarchar(600)
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_renamedb')
        RETURN 1
    END
    IF @newname IS NULL
    BEGIN
        RAISERROR(15004, 16, 1)
        RETURN 1
    END
    IF DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, 16, 1, @dbname)
        RETURN 1
    END
    SET @text = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' MODIFY NAME = ' + QUOTENAME(@newname)
    EXEC (@text)
    IF @@ERROR <> 0 RETURN 1
    RETURN 0
END
