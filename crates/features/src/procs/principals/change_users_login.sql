CREATE PROCEDURE sys.sp_change_users_login
    @Action varchar(10), @UserNamePattern sysname = NULL, @LoginName sysname = NULL, @Password sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    IF UPPER(@Action) = 'REPORT'
    BEGIN
        SELECT u.name AS UserName, u.sid AS UserSID
        FROM sys.database_principals AS u
        WHERE u.type = 'S' AND u.principal_id > 4 AND DATALENGTH(u.sid) <= 16 AND SUSER_SNAME(u.sid) IS NULL
        ORDER BY u.name
        RETURN 0
    END
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, 16, 1, 'sys.sp_change_users_login')
        RETURN 1
    END
    IF UPPER(@Action) NOT IN ('UPDATE_ONE', 'AUTO_FIX')
    BEGIN
        RAISERROR(15286, 16, 1, @Action)
        RETURN 1
    END
    IF @UserNamePattern IS NULL OR NOT EXISTS (
        SELECT * FROM sys.database_principals WHERE type = 'S' AND principal_id > 4 AND name = @UserNamePattern)
    BEGIN
        RAISERROR(15291, 16, 1, 'User', @UserNamePattern)
        RETURN 1
    END
    DECLARE @sql nvarchar(max), @login sysname = @LoginName, @updated int = 0, @added int = 0
    IF UPPER(@Action) = 'AUTO_FIX'
    BEGIN
        IF SUSER_SNAME((SELECT sid FROM sys.database_principals WHERE name = @UserNamePattern)) IS NOT NULL
            RETURN 0
        SET @login = @UserNamePattern
        IF SUSER_ID(@login) IS NOT NULL
        BEGIN
            RAISERROR(15292, 10, 1, @UserNamePattern)
            SET @updated = 1
        END
        ELSE
        BEGIN
            IF @Password IS NULL
            BEGIN
                RAISERROR(15600, 16, 1, 'sys.sp_change_users_login')
                RETURN 1
            END
            RAISERROR(15293, 10, 1, @UserNamePattern)
            EXEC sys.sp_addlogin @login, @Password
            IF @@ERROR <> 0
                RETURN 1
            SET @added = 1
        END
    END
    IF @login IS NULL OR SUSER_ID(@login) IS NULL OR @login = N'sa'
    BEGIN
        RAISERROR(15291, 16, 1, 'Login', @login)
        RETURN 1
    END
    SET @sql = N'ALTER USER ' + QUOTENAME(@UserNamePattern) + N' WITH LOGIN = ' + QUOTENAME(@login)
    EXEC (@sql)
    IF @@ERROR <> 0
        RETURN 1
    IF UPPER(@Action) = 'AUTO_FIX'
    BEGIN
        RAISERROR(15295, 10, 1, @updated)
        RAISERROR(15294, 10, 1, @added)
    END
    RETURN 0
END
