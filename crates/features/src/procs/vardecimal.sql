CREATE PROCEDURE sys.sp_db_vardecimal_storage_format
    @dbname sysname = NULL,
    @vardecimal_storage_format varchar(3) = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, 16, 1, @dbname)
        RETURN 1
    END
    IF @vardecimal_storage_format IS NULL
    BEGIN
        -- Since SQL Server 2008 it is on everywhere, and turning it off does nothing.
        SELECT name AS [Database Name], CONVERT(varchar(3), 'ON') AS [Vardecimal State]
        FROM sys.databases WHERE @dbname IS NULL OR database_id = DB_ID(@dbname) ORDER BY name
        RETURN 0
    END
    IF @vardecimal_storage_format NOT IN ('ON', 'OFF')
    BEGIN
        RAISERROR(15600, 15, 1, 'sys.sp_db_vardecimal_storage_format')
        RETURN 1
    END
    RETURN 0
END
