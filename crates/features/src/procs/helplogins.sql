CREATE PROCEDURE sys.sp_helplogins
    @LoginNamePattern sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @LoginNamePattern IS NOT NULL
        AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE type = 'S' AND name = @LoginNamePattern)
    BEGIN
        RAISERROR(15007, 16, 1, @LoginNamePattern)
        RETURN 1
    END
    SELECT p.name AS LoginName, p.sid AS SID, p.default_database_name AS DefDBName, p.default_language_name AS DefLangName,
        CONVERT(char(5), CASE WHEN EXISTS (SELECT * FROM sys.databases AS d WHERE d.owner_sid = p.sid) THEN 'yes' ELSE 'no' END)
            AS AUser,
        CONVERT(char(7), 'no') AS ARemote
    FROM sys.server_principals AS p
    WHERE p.type = 'S' AND (@LoginNamePattern IS NULL OR p.name = @LoginNamePattern)
    ORDER BY p.name
    SELECT p.name AS LoginName, d.name AS DBName, u.UserName, CONVERT(char(8), u.UserOrAlias) AS UserOrAlias
    FROM sys.server_principals AS p
        INNER JOIN sys.databases AS d ON d.owner_sid = p.sid
        CROSS JOIN (VALUES (CONVERT(sysname, N'db_owner'), 'MemberOf'), (N'dbo', 'User')) AS u (UserName, UserOrAlias)
    WHERE p.type = 'S' AND (@LoginNamePattern IS NULL OR p.name = @LoginNamePattern)
    ORDER BY p.name, d.name, u.UserOrAlias
    RETURN 0
END
