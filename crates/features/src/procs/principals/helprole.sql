CREATE PROCEDURE sys.sp_helprole
    @rolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @rolename IS NOT NULL
        AND NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @rolename AND type IN ('R', 'A'))
    BEGIN
        RAISERROR(15409, 11, 1, @rolename)
        RETURN 1
    END
    SELECT p.name AS RoleName, CONVERT(smallint, p.principal_id) AS RoleId,
        CONVERT(int, CASE WHEN p.type = 'A' THEN 1 ELSE 0 END) AS IsAppRole
    FROM sys.database_principals AS p
    WHERE p.type IN ('R', 'A') AND (@rolename IS NULL OR p.name = @rolename)
    ORDER BY p.principal_id
    RETURN 0
END
