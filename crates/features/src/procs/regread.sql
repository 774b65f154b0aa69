CREATE PROCEDURE sys.xp_instance_regread
    @rootkey nvarchar(128) = NULL,
    @key nvarchar(4000) = NULL,
    @value_name nvarchar(4000) = NULL,
    @value nvarchar(4000) = N'?' OUTPUT,
    @no_output nvarchar(20) = NULL
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @found nvarchar(4000)
    -- There is no registry: these are the values that scripts ask for and that have a meaning here.
    IF @rootkey IN (N'HKEY_LOCAL_MACHINE', N'HKLM') AND @key LIKE N'%\MSSQLServer'
        SET @found = CASE @value_name
            WHEN N'BackupDirectory' THEN CONVERT(nvarchar(4000), SERVERPROPERTY('InstanceDefaultBackupPath'))
            WHEN N'DefaultData' THEN CONVERT(nvarchar(4000), SERVERPROPERTY('InstanceDefaultDataPath'))
            WHEN N'DefaultLog' THEN CONVERT(nvarchar(4000), SERVERPROPERTY('InstanceDefaultLogPath'))
        END
    IF @found IS NULL AND ISNULL(@no_output, N'') <> N'no_output'
    BEGIN
        RAISERROR('RegOpenKeyEx() returned error 2, ''The system cannot find the file specified.''', 1, 1)
        RETURN 1
    END
    -- Without a variable for it the value is a row.
    IF @value = N'?'
        SELECT @value_name AS [Value], @found AS [Data] WHERE @found IS NOT NULL
    ELSE IF @found IS NOT NULL
        SET @value = @found
    RETURN CASE WHEN @found IS NULL THEN 1 ELSE 0 END
END
