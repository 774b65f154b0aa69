CREATE PROCEDURE sys.sp_helpsrvrolemember
    @srvrolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF @srvrolename IS NOT NULL
        AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @srvrolename AND type = 'R' AND is_fixed_role = 1)
    BEGIN
        RAISERROR(15412, 11, 1, @srvrolename)
        RETURN 1
    END
    SELECT r.name AS ServerRole, m.name AS MemberName, m.sid AS MemberSID
    FROM sys.server_role_members AS rm
        INNER JOIN sys.server_principals AS r ON r.principal_id = rm.role_principal_id
        INNER JOIN sys.server_principals AS m ON m.principal_id = rm.member_principal_id
    WHERE r.is_fixed_role = 1 AND (@srvrolename IS NULL OR r.name = @srvrolename)
    ORDER BY r.principal_id, m.name
    RETURN 0
END
