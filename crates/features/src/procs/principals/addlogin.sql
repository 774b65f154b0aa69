CREATE PROCEDURE sys.sp_addlogin
    @loginame sysname, @passwd sysname = NULL, @defdb sysname = N'master', @deflanguage sysname = NULL,
    @sid varbinary(16) = NULL, @encryptopt varchar(20) = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_addlogin')
        RETURN 1
    END
    DECLARE @sql nvarchar(max) = N'CREATE LOGIN ' + QUOTENAME(@loginame) + N' WITH PASSWORD = '
        + CASE
            WHEN @encryptopt LIKE 'skip_encryption%' THEN CONVERT(nvarchar(max), CONVERT(varbinary(256), @passwd), 1) + N' HASHED'
            ELSE N'N''' + REPLACE(ISNULL(@passwd, N''), N'''', N'''''') + N''''
        END
        + N', DEFAULT_DATABASE = ' + QUOTENAME(ISNULL(@defdb, N'master')) + N', CHECK_POLICY = OFF'
        + CASE WHEN @deflanguage IS NULL THEN N'' ELSE N', DEFAULT_LANGUAGE = ' + QUOTENAME(@deflanguage) END
        + CASE WHEN @sid IS NULL THEN N'' ELSE N', SID = ' + CONVERT(nvarchar(100), @sid, 1) END
    EXEC (@sql)
    RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
END
