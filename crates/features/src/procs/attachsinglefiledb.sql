CREATE PROCEDURE sys.sp_attach_single_file_db
    @dbname sysname,
    @physname nvarchar(260)
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @text nvarchar(max)
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_attach_single_file_db')
        RETURN 1
    END
    IF @dbname IS NULL OR @physname IS NULL
    BEGIN
        RAISERROR(1829, 16, 1)
        RETURN 1
    END
    SET @text = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON (FILENAME = N''' + REPLACE(RTRIM(@physname), N'''', N'''''') + N''')'
    SET @text = @text + N' FOR ATTACH'
    EXEC (@text)
    IF @@ERROR <> 0 RETURN 1
    RETURN 0
END
