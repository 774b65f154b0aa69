CREATE PROCEDURE sys.sp_attach_db
    @dbname sysname,
    @filename1 nvarchar(260),
    @filename2 nvarchar(260) = NULL,
    @filename3 nvarchar(260) = NULL,
    @filename4 nvarchar(260) = NULL,
    @filename5 nvarchar(260) = NULL,
    @filename6 nvarchar(260) = NULL,
    @filename7 nvarchar(260) = NULL,
    @filename8 nvarchar(260) = NULL,
    @filename9 nvarchar(260) = NULL,
    @filename10 nvarchar(260) = NULL,
    @filename11 nvarchar(260) = NULL,
    @filename12 nvarchar(260) = NULL,
    @filename13 nvarchar(260) = NULL,
    @filename14 nvarchar(260) = NULL,
    @filename15 nvarchar(260) = NULL,
    @filename16 nvarchar(260) = NULL
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @text nvarchar(max)
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_attach_db')
        RETURN 1
    END
    IF @dbname IS NULL OR @filename1 IS NULL
    BEGIN
        RAISERROR(1829, 16, 1)
        RETURN 1
    END
    SET @text = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON (FILENAME = N''' + REPLACE(RTRIM(@filename1), N'''', N'''''') + N''')'
    IF @filename2 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename2), N'''', N'''''') + N''')'
    IF @filename3 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename3), N'''', N'''''') + N''')'
    IF @filename4 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename4), N'''', N'''''') + N''')'
    IF @filename5 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename5), N'''', N'''''') + N''')'
    IF @filename6 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename6), N'''', N'''''') + N''')'
    IF @filename7 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename7), N'''', N'''''') + N''')'
    IF @filename8 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename8), N'''', N'''''') + N''')'
    IF @filename9 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename9), N'''', N'''''') + N''')'
    IF @filename10 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename10), N'''', N'''''') + N''')'
    IF @filename11 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename11), N'''', N'''''') + N''')'
    IF @filename12 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename12), N'''', N'''''') + N''')'
    IF @filename13 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename13), N'''', N'''''') + N''')'
    IF @filename14 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename14), N'''', N'''''') + N''')'
    IF @filename15 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename15), N'''', N'''''') + N''')'
    IF @filename16 IS NOT NULL SET @text = @text + N', (FILENAME = N''' + REPLACE(RTRIM(@filename16), N'''', N'''''') + N''')'
    SET @text = @text + N' FOR ATTACH'
    EXEC (@text)
    IF @@ERROR <> 0 RETURN 1
    RETURN 0
END
