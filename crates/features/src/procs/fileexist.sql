CREATE PROCEDURE sys.xp_fileexist
    @filename nvarchar(260) = NULL,
    @exists int = -1 OUTPUT
AS
BEGIN
    SET NOCOUNT ON
    IF @filename IS NULL
    BEGIN
        RAISERROR(15600, 15, 1, 'xp_fileexist')
        RETURN 1
    END
    -- Whoever passes a variable gets the answer there, others as a row.
    IF @exists = -1
        SELECT CONVERT(tinyint, file_exists) AS [File Exists],
            CONVERT(tinyint, file_is_a_directory) AS [File is a Directory],
            CONVERT(tinyint, parent_directory_exists) AS [Parent Directory Exists]
        FROM sys.dm_os_file_exists(@filename)
    ELSE
        SELECT @exists = file_exists FROM sys.dm_os_file_exists(@filename)
    RETURN 0
END
