CREATE PROCEDURE sys.sp_helprolemember
    @rolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @rolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @rolename AND type = 'R')
    BEGIN
        RAISERROR(15409, 11, 1, @rolename)
        RETURN 1
    END
    SELECT r.name AS DbRole, m.name AS MemberName, m.sid AS MemberSID
    FROM sys.database_role_members AS rm
        INNER JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id
        INNER JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id
    WHERE @rolename IS NULL OR r.name = @rolename
    ORDER BY r.name, m.name
    RETURN 0
END
