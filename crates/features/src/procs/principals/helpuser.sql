CREATE PROCEDURE sys.sp_helpuser
    @name_in_db sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @name_in_db IS NOT NULL AND DATABASE_PRINCIPAL_ID(@name_in_db) IS NULL
    BEGIN
        RAISERROR(15198, 16, 1, @name_in_db)
        RETURN 1
    END
    IF EXISTS (SELECT * FROM sys.database_principals WHERE name = @name_in_db AND type = 'R')
    BEGIN
        SELECT r.name AS Role_name, CONVERT(smallint, r.principal_id) AS Role_id, m.name AS Users_in_role,
            CONVERT(smallint, m.principal_id) AS Userid
        FROM sys.database_role_members AS rm
            INNER JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id
            INNER JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id
        WHERE r.name = @name_in_db
        ORDER BY r.name, m.name
        RETURN 0
    END
    SELECT u.name AS UserName, ISNULL(r.name, N'public') AS RoleName, l.name AS LoginName, l.default_database_name AS DefDBName,
        u.default_schema_name AS DefSchemaName, CONVERT(char(10), u.principal_id) AS UserID, u.sid AS SID
    FROM sys.database_principals AS u
        LEFT JOIN sys.database_role_members AS rm ON rm.member_principal_id = u.principal_id
        LEFT JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id
        LEFT JOIN sys.server_principals AS l ON l.sid = u.sid
    WHERE u.type IN ('S', 'A') AND (@name_in_db IS NULL OR u.name = @name_in_db)
    ORDER BY u.name, r.name
    RETURN 0
END
