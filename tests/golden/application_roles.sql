-- Application roles: made, set with a cookie, laid down, changed and dropped.
--@ source: reasoned
CREATE DATABASE g_apps
GO
--@ source: documentation CREATE APPLICATION ROLE
USE g_apps
CREATE TABLE t (a int)
CREATE TABLE other (a int)
INSERT t VALUES (1)
CREATE APPLICATION ROLE g_app WITH PASSWORD = 'Str0ng!pw', DEFAULT_SCHEMA = dbo
GRANT SELECT ON t TO g_app
SELECT name, type, type_desc, default_schema_name, authentication_type_desc, owning_principal_id, DATALENGTH(sid) AS sid_bytes
FROM sys.database_principals WHERE name = 'g_app'
GO
--@ source: message 15023
CREATE APPLICATION ROLE g_app WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 33062
CREATE APPLICATION ROLE g_weak WITH PASSWORD = 'Sh0rt!'
GO
--@ source: message 15161
EXEC sp_setapprole 'g_app', 'wrong'
GO
--@ source: documentation sp_setapprole
DECLARE @cookie varbinary(8000)
EXEC sp_setapprole 'g_app', 'Str0ng!pw', @fCreateCookie = true, @cookie = @cookie OUTPUT
SELECT USER_NAME() AS u, SUSER_SNAME() AS login, IS_SRVROLEMEMBER('sysadmin') AS sysadmin, DATALENGTH(@cookie) AS bytes
SELECT a FROM t
EXEC sp_set_session_context 'cookie', @cookie
GO
--@ source: message 229
SELECT a FROM other
GO
--@ source: message 505
USE master
GO
--@ source: message 2762
EXEC sp_setapprole 'g_app', 'Str0ng!pw'
GO
--@ source: message 15592
EXEC sp_unsetapprole 0x00
GO
--@ source: documentation sp_unsetapprole
DECLARE @cookie varbinary(8000) = CONVERT(varbinary(8000), SESSION_CONTEXT(N'cookie'))
EXEC sp_unsetapprole @cookie
SELECT USER_NAME() AS u, IS_SRVROLEMEMBER('sysadmin') AS sysadmin
GO
--@ source: message 15422
EXEC ('EXEC sp_setapprole ''g_app'', ''Str0ng!pw''')
GO
--@ source: documentation ALTER APPLICATION ROLE
ALTER APPLICATION ROLE g_app WITH NAME = g_other, PASSWORD = 'An0ther!pw', DEFAULT_SCHEMA = sales
SELECT name, default_schema_name FROM sys.database_principals WHERE type = 'A'
EXEC sp_addapprole 'g_old', 'Str0ng!pw'
EXEC sp_approlepassword 'g_old', 'An0ther!pw'
EXEC sp_dropapprole 'g_old'
SELECT COUNT(*) AS roles FROM sys.database_principals WHERE type = 'A'
GO
--@ source: message 4627
GRANT CONNECT TO g_other
GO
--@ source: documentation DROP APPLICATION ROLE
DROP APPLICATION ROLE g_other
GO
--@ source: message 15151
DROP APPLICATION ROLE g_other
GO
--@ source: reasoned
USE master
DROP DATABASE g_apps
GO
