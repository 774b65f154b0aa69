CREATE PROCEDURE sys.sp_dbfixedrolepermission
    @rolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON
    -- As SQL Server 2000 had them: what came later is not in the list.
    DECLARE @all TABLE (role sysname, permission nvarchar(70))
    INSERT @all VALUES
        (N'db_owner', N'EXECUTE any procedure'), (N'db_owner', N'sp_change_users_login'),
        (N'db_owner', N'Add/drop to/from db_accessadmin'), (N'db_owner', N'Add/drop to/from db_owner'),
        (N'db_owner', N'Add/drop to/from db_securityadmin'), (N'db_owner', N'Add/drop to/from db_ddladmin'),
        (N'db_owner', N'Add/drop to/from db_backupoperator'), (N'db_owner', N'Add/drop to/from db_datareader'),
        (N'db_owner', N'Add/drop to/from db_datawriter'), (N'db_owner', N'Add/drop to/from db_denydatareader'),
        (N'db_owner', N'Add/drop to/from db_denydatawriter'), (N'db_owner', N'dbcc checkalloc'), (N'db_owner', N'sp_fulltext_catalog'),
        (N'db_owner', N'sp_fulltext_database'), (N'db_owner', N'sp_fulltext_table'), (N'db_owner', N'dbcc checkdb'),
        (N'db_owner', N'dbcc checkfilegroup'), (N'db_owner', N'dbcc checkident'), (N'db_owner', N'dbcc checktable'),
        (N'db_owner', N'dbcc dbreindex'), (N'db_owner', N'dbcc proccache'), (N'db_owner', N'dbcc show_statistics'),
        (N'db_owner', N'dbcc showcontig'), (N'db_owner', N'dbcc shrinkdatabase'), (N'db_owner', N'dbcc shrinkfile'),
        (N'db_owner', N'sp_refreshview'), (N'db_owner', N'sp_dbcmptlevel'), (N'db_owner', N'sp_dboption (update)'),
        (N'db_owner', N'dbcc updateusage'), (N'db_accessadmin', N'sp_grantdbaccess'), (N'db_accessadmin', N'sp_revokedbaccess'),
        (N'db_accessadmin', N'sp_dropuser'), (N'db_accessadmin', N'sp_addalias'), (N'db_accessadmin', N'sp_dropalias'),
        (N'db_securityadmin', N'sp_addrolemember'), (N'db_securityadmin', N'sp_droprolemember'), (N'db_securityadmin', N'sp_addrole'),
        (N'db_securityadmin', N'sp_droprole'), (N'db_securityadmin', N'GRANT'), (N'db_securityadmin', N'REVOKE'),
        (N'db_securityadmin', N'DENY'), (N'db_securityadmin', N'sp_addapprole'), (N'db_securityadmin', N'sp_dropapprole'),
        (N'db_securityadmin', N'sp_approlepassword'), (N'db_securityadmin', N'sp_changeobjectowner'),
        (N'db_securityadmin', N'sp_changegroup'), (N'db_securityadmin', N'sp_dropgroup'), (N'db_securityadmin', N'sp_addgroup'),
        (N'db_ddladmin', N'All DDL but GRANT, REVOKE, DENY'), (N'db_ddladmin', N'REFERENCES permission on any table'),
        (N'db_ddladmin', N'sp_recompile'), (N'db_ddladmin', N'sp_tableoption'), (N'db_ddladmin', N'sp_rename'),
        (N'db_ddladmin', N'sp_changeobjectowner'), (N'db_ddladmin', N'sp_fulltext_column'), (N'db_ddladmin', N'sp_fulltext_table'),
        (N'db_ddladmin', N'TRUNCATE TABLE'), (N'db_ddladmin', N'dbcc show_statistics'), (N'db_ddladmin', N'dbcc showcontig'),
        (N'db_ddladmin', N'dbcc cleantable'), (N'db_backupoperator', N'CHECKPOINT'), (N'db_backupoperator', N'BACKUP LOG'),
        (N'db_backupoperator', N'BACKUP DATABASE'), (N'db_datareader', N'SELECT permission on any object'),
        (N'db_datawriter', N'INSERT permission on any object'), (N'db_datawriter', N'UPDATE permission on any object'),
        (N'db_datawriter', N'DELETE permission on any object'), (N'db_denydatareader', N'No SELECT permission on any object'),
        (N'db_denydatawriter', N'No INSERT permission on any object'), (N'db_denydatawriter', N'No UPDATE permission on any object'),
        (N'db_denydatawriter', N'No DELETE permission on any object')
    IF @rolename IS NOT NULL AND NOT EXISTS (SELECT * FROM @all WHERE role = @rolename)
    BEGIN
        RAISERROR(15412, 11, 1, @rolename)
        RETURN 1
    END
    -- db_owner has the permissions of all others.
    SELECT role AS DbFixedRole, permission AS Permission FROM (
        SELECT role, permission FROM @all WHERE role <> 'db_owner'
        UNION SELECT 'db_owner', permission FROM @all WHERE role NOT LIKE 'db[_]deny%'
    ) AS a
    WHERE @rolename IS NULL OR role = @rolename
    ORDER BY role, permission
    RETURN 0
END
