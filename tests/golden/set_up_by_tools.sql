-- Statements with which tools set up logins, users and permissions.
--@ source: reasoned
CREATE DATABASE g_tools
GO
-- The command line of sqlcmd for a new server.
--@ source: documentation CREATE LOGIN
CREATE LOGIN [g_admin] WITH PASSWORD=N'Str0ng!pw', DEFAULT_DATABASE=[g_tools], CHECK_EXPIRATION=OFF, CHECK_POLICY=OFF
EXEC master..sp_addsrvrolemember @loginame=N'g_admin', @rolename=N'sysadmin'
SELECT IS_SRVROLEMEMBER('sysadmin', 'g_admin') AS sysadmin
GO
--@ source: documentation ALTER AUTHORIZATION
ALTER AUTHORIZATION ON DATABASE::[g_tools] TO g_admin
SELECT SUSER_SNAME(owner_sid) AS owner FROM sys.databases WHERE name = 'g_tools'
ALTER AUTHORIZATION ON DATABASE::[g_tools] TO sa
EXEC master..sp_dropsrvrolemember @loginame=N'g_admin', @rolename=N'sysadmin'
DROP LOGIN [g_admin]
GO
-- Management tools: a login that changes its password first, its user, its roles, and what their windows ask.
--@ source: documentation CREATE LOGIN
CREATE LOGIN [g_ui] WITH PASSWORD=N'Str0ng!pw' MUST_CHANGE, DEFAULT_DATABASE=[g_tools], CHECK_EXPIRATION=ON, CHECK_POLICY=ON
ALTER SERVER ROLE [dbcreator] ADD MEMBER [g_ui]
GO
--@ source: documentation LOGINPROPERTY
SELECT LOGINPROPERTY('g_ui', 'IsLocked') AS locked, LOGINPROPERTY('g_ui', 'IsExpired') AS expired, LOGINPROPERTY('g_ui', 'IsMustChange') AS must_change
SELECT p.name, p.is_disabled, s.state_desc AS connect_sql, c.name AS certificate
FROM sys.server_principals AS p
LEFT JOIN sys.server_permissions AS s ON s.grantee_principal_id = p.principal_id AND s.type = 'COSQ'
LEFT JOIN master.sys.certificates AS c ON c.sid = p.sid
WHERE p.name = 'g_ui'
GO
--@ source: documentation CREATE USER
USE g_tools
CREATE USER [g_ui] FOR LOGIN [g_ui] WITH DEFAULT_SCHEMA=[dbo]
ALTER ROLE [db_datareader] ADD MEMBER [g_ui]
SELECT u.name, p.state_desc AS connects FROM sys.database_principals AS u
LEFT JOIN sys.database_permissions AS p ON p.grantee_principal_id = u.principal_id AND p.type = 'CO'
WHERE u.name = 'g_ui'
GO
-- Providers of Terraform: built strings, sids as keys, roles through a recursive table, grants with their option.
--@ source: reasoned
DECLARE @sql nvarchar(max) = N'CREATE LOGIN ' + QUOTENAME(N'g_tf') + N' WITH PASSWORD = ' + QUOTENAME(N'Str0ng!pw', '''')
    + N', SID = 0x0102030405060708090A0B0C0D0E0F11, DEFAULT_LANGUAGE = [us_english]'
EXEC (@sql)
SET @sql = N'CREATE USER ' + QUOTENAME(N'g_tf') + N' FOR LOGIN ' + QUOTENAME(N'g_tf') + N' WITH DEFAULT_SCHEMA = ' + QUOTENAME(N'dbo')
EXEC (@sql)
SELECT CONVERT(varchar(85), sid, 1) AS sid, name FROM sys.database_principals WHERE name = 'g_tf'
GO
--@ source: documentation sys.database_role_members
CREATE ROLE g_outer
CREATE ROLE g_inner AUTHORIZATION g_outer
ALTER ROLE g_outer ADD MEMBER g_inner
ALTER ROLE g_inner ADD MEMBER g_tf;
WITH roles (principal_id, depth) AS (
    SELECT DATABASE_PRINCIPAL_ID('g_tf'), 0
    UNION ALL
    SELECT m.role_principal_id, r.depth + 1 FROM sys.database_role_members AS m JOIN roles AS r ON r.principal_id = m.member_principal_id
)
SELECT USER_NAME(principal_id) AS name, depth FROM roles ORDER BY depth
GO
--@ source: documentation GRANT
CREATE SCHEMA g_schema AUTHORIZATION g_outer
GO
--@ source: documentation REVOKE
CREATE TABLE g_schema.t (a int)
GRANT SELECT ON SCHEMA::g_schema TO g_tf WITH GRANT OPTION
REVOKE GRANT OPTION FOR SELECT ON SCHEMA::g_schema FROM g_tf CASCADE
SELECT permission_name, state_desc FROM sys.database_permissions WHERE class_desc = 'SCHEMA'
REVOKE SELECT ON SCHEMA::g_schema FROM g_tf CASCADE
ALTER AUTHORIZATION ON SCHEMA::g_schema TO g_tf
ALTER AUTHORIZATION ON ROLE::g_inner TO g_tf
SELECT s.name, USER_NAME(s.principal_id) AS owner FROM sys.schemas AS s WHERE s.name = 'g_schema'
SELECT name, USER_NAME(owning_principal_id) AS owner FROM sys.database_principals WHERE name = 'g_inner'
GO
--@ source: documentation CREATE USER
CREATE USER [someone@example.com] FROM EXTERNAL PROVIDER
GO
-- Ansible and dbatools: a login with a hash, by its sid.
--@ source: documentation PWDCOMPARE
CREATE LOGIN g_moved WITH PASSWORD = 0x0200A1B2C3D40F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F0 HASHED,
    SID = 0x0102030405060708090A0B0C0D0E0F12, CHECK_POLICY = OFF
SELECT IS_SRVROLEMEMBER('sysadmin', 'g_moved') AS sysadmin, PWDCOMPARE('wrong', CONVERT(varbinary(256), LOGINPROPERTY('g_moved', 'PasswordHash'))) AS same
SELECT name FROM sys.sql_logins WHERE name LIKE 'g[_]%' AND PWDCOMPARE('', password_hash) = 1
GO
-- A monitoring login without users, and what it may see.
--@ source: documentation GRANT server permissions
USE master
GRANT VIEW SERVER STATE TO g_moved
GRANT VIEW ANY DEFINITION TO g_moved
SELECT permission_name, state_desc FROM sys.server_permissions WHERE grantee_principal_id = SUSER_ID('g_moved') ORDER BY permission_name
GO
--@ source: documentation HAS_PERMS_BY_NAME
EXECUTE AS LOGIN = 'g_moved'
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS state, HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER SETTINGS') AS settings,
    IS_SRVROLEMEMBER('sysadmin') AS sysadmin, HAS_DBACCESS('g_tools') AS tools, HAS_DBACCESS('tempdb') AS temporary
SELECT permission_name FROM sys.fn_my_permissions(NULL, NULL) ORDER BY permission_name
SELECT CASE WHEN COUNT(*) > 0 THEN 'seen' END AS waits FROM sys.dm_os_wait_stats
REVERT
GO
-- A transformer's grants on its models, as it reads them back.
--@ source: documentation TABLE_PRIVILEGES
USE g_tools
CREATE TABLE model (a int)
GRANT select ON model TO [g_ui]
SELECT GRANTEE, PRIVILEGE_TYPE FROM INFORMATION_SCHEMA.TABLE_PRIVILEGES WHERE TABLE_CATALOG = 'g_tools' AND TABLE_SCHEMA = 'dbo' AND TABLE_NAME = 'model'
REVOKE select ON model FROM [g_ui]
SELECT COUNT(*) AS left_over FROM INFORMATION_SCHEMA.TABLE_PRIVILEGES
GO
-- Change capture that a gating role guards.
--@ source: documentation CREATE ROLE
CREATE ROLE g_gate
ALTER ROLE g_gate ADD MEMBER g_tf
ALTER ROLE db_owner ADD MEMBER g_tf
SELECT IS_ROLEMEMBER('g_gate', 'g_tf') AS gate, IS_ROLEMEMBER('db_owner', 'g_tf') AS owner, IS_ROLEMEMBER('nosuch', 'g_tf') AS none
GO
-- Everything goes.
--@ source: documentation DROP LOGIN
USE master
DROP DATABASE g_tools
DROP LOGIN g_ui
DROP LOGIN g_tf
DROP LOGIN g_moved
SELECT name FROM sys.server_principals WHERE name LIKE 'g[_]%'
GO
