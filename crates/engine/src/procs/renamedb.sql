CREATE PROCEDURE sys.sp_renamedb
    @dbname sysname,
    @newname sysname
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @text nvarchar(600)
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
