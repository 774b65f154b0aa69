CREATE PROCEDURE sys.sp_srvrolepermission
    @srvrolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    -- As SQL Server 2000 had them: what came later is not in the list.
    DECLARE @all TABLE (role sysname, permission nvarchar(70))
    INSERT @all VALUES
        (N'sysadmin', N'Raiserror With Log'), (N'sysadmin', N'Constraints on System tables'), (N'sysadmin', N'dbcc traceon/off'),
        (N'sysadmin', N'dbcc setioweight'), (N'sysadmin', N'dbcc setcpuweight'), (N'sysadmin', N'dbcc showoptweights'),
        (N'sysadmin', N'dbcc change ''on'' rules'), (N'sysadmin', N'dbcc inputbuffer'), (N'sysadmin', N'USE to a suspect database'),
        (N'sysadmin', N'Create/delete/modify system tables'), (N'sysadmin', N'Create indices on system tables'),
        (N'sysadmin', N'Complete SETUSER SQL user'), (N'sysadmin', N'Add extended procedures'),
        (N'sysadmin', N'Add member to sysadmin'), (N'sysadmin', N'sp_altermessage'), (N'sysadmin', N'sp_dboption update part'),
        (N'sysadmin', N'sp_updatestats'), (N'sysadmin', N'sp_password'), (N'sysadmin', N'sp_change_users_login'),
        (N'sysadmin', N'sp_changedbowner'), (N'sysadmin', N'sp_adduser'), (N'sysadmin', N'BULK INSERT'),
        (N'sysadmin', N'DBCC ShrinkDatabase'), (N'sysadmin', N'DBCC ShrinkFile'), (N'sysadmin', N'sp_dropremotelogin'),
        (N'sysadmin', N'sp_fulltext_service'), (N'sysadmin', N'sp_remoteoption'), (N'sysadmin', N'dbcc outputbuffer'),
        (N'sysadmin', N'dbcc checkfilegroup'), (N'sysadmin', N'dbcc checkdb'), (N'sysadmin', N'dbcc checkident'),
        (N'sysadmin', N'dbcc checktable'), (N'sysadmin', N'dbcc dbreindex'), (N'sysadmin', N'dbcc proccache'),
        (N'sysadmin', N'dbcc show_statistics'), (N'sysadmin', N'dbcc showcontig'), (N'sysadmin', N'dbcc pintable'),
        (N'sysadmin', N'dbcc dropcleanbuffers'), (N'securityadmin', N'sp_grantlogin'), (N'securityadmin', N'sp_revokelogin'),
        (N'securityadmin', N'sp_denylogin'), (N'securityadmin', N'sp_addlogin'), (N'securityadmin', N'sp_droplogin'),
        (N'securityadmin', N'Read the error log'), (N'securityadmin', N'Add member to securityadmin'),
        (N'securityadmin', N'Grant/deny/revoke CREATE DATABASE'), (N'securityadmin', N'sp_helplogins'),
        (N'securityadmin', N'sp_password'), (N'securityadmin', N'sp_defaultdb'), (N'securityadmin', N'sp_defaultlanguage'),
        (N'securityadmin', N'sp_addlinkedsrvlogin'), (N'securityadmin', N'sp_droplinkedsrvlogin'),
        (N'securityadmin', N'sp_dropremotelogin'), (N'securityadmin', N'sp_remoteoption (update)'), (N'serveradmin', N'RECONFIGURE'),
        (N'serveradmin', N'SHUTDOWN'), (N'serveradmin', N'Add member to serveradmin'), (N'serveradmin', N'sp_fulltext_service'),
        (N'serveradmin', N'sp_configure'), (N'serveradmin', N'sp_tableoption'), (N'serveradmin', N'dbcc freeproccache'),
        (N'setupadmin', N'Add member to setupadmin'), (N'setupadmin', N'Add/drop/configure linked servers'),
        (N'setupadmin', N'Mark a stored procedure as startup'), (N'processadmin', N'KILL'),
        (N'processadmin', N'Add member to processadmin'), (N'diskadmin', N'DISK INIT'), (N'diskadmin', N'Add member to diskadmin'),
        (N'diskadmin', N'sp_addumpdevice'), (N'diskadmin', N'sp_diskdefault'), (N'diskadmin', N'sp_dropdevice'),
        (N'dbcreator', N'CREATE DATABASE'), (N'dbcreator', N'ALTER DATABASE'), (N'dbcreator', N'Add member to dbcreator'),
        (N'dbcreator', N'Extend database'), (N'dbcreator', N'sp_renamedb'), (N'dbcreator', N'RESTORE DATABASE'),
        (N'dbcreator', N'RESTORE LOG'), (N'dbcreator', N'DROP DATABASE'), (N'bulkadmin', N'BULK INSERT'),
        (N'bulkadmin', N'Add member to bulkadmin')
    IF @srvrolename IS NOT NULL AND NOT EXISTS (SELECT * FROM @all WHERE role = @srvrolename)
    BEGIN
        RAISERROR(15412, 11, 1, @srvrolename)
        RETURN 1
    END
    -- sysadmin has the permissions of all others.
    SELECT role AS ServerRole, permission AS Permission FROM (
        SELECT role, permission FROM @all WHERE role <> 'sysadmin'
        UNION SELECT 'sysadmin', permission FROM @all
    ) AS a
    WHERE @srvrolename IS NULL OR role = @srvrolename
    ORDER BY role, permission
    RETURN 0
END
