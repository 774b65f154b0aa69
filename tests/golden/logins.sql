-- Logins and roles of the server, by sa.
--@ source: documentation CREATE LOGIN
CREATE LOGIN g_app WITH PASSWORD = 'Str0ng!pw', CHECK_EXPIRATION = OFF
SELECT name, type, type_desc, is_disabled, default_database_name, default_language_name, is_policy_checked, is_expiration_checked,
    DATALENGTH(sid) AS sid_bytes, CONVERT(binary(2), password_hash) AS prefix
FROM sys.sql_logins WHERE name = 'g_app'
GO
-- The names that are taken: a login, the role of everybody, a fixed role, sa.
--@ source: message 15025
CREATE LOGIN g_app WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 15025
CREATE LOGIN [public] WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 15025
CREATE LOGIN sysadmin WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 15006
CREATE LOGIN [d\l] WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 15099
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw' MUST_CHANGE
GO
--@ source: message 15122
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw', CHECK_POLICY = OFF, CHECK_EXPIRATION = ON
GO
--@ source: message 15010
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw', DEFAULT_DATABASE = nosuch
GO
--@ source: message 15033
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw', DEFAULT_LANGUAGE = klingon
GO
--@ source: message 15419
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw', SID = 0x01
GO
--@ source: message 33062
CREATE LOGIN g_x WITH PASSWORD = 'Sh0rt!'
GO
--@ source: message 33064
CREATE LOGIN g_x WITH PASSWORD = 'longenough'
GO
--@ source: message 15021
CREATE LOGIN g_x WITH PASSWORD = 0x0300 HASHED, CHECK_POLICY = OFF
GO
--@ source: reasoned
CREATE LOGIN [g_x] FROM WINDOWS
GO
-- A hash of SQL Server's is kept as it was given, and so is a sid.
--@ source: documentation CREATE LOGIN
CREATE LOGIN g_moved WITH PASSWORD = 0x0200A1B2C3D40F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F00F1E2D3C4B5A69788796A5B4C3D2E1F0 HASHED,
    SID = 0x0102030405060708090A0B0C0D0E0F10, CHECK_POLICY = OFF, DEFAULT_LANGUAGE = Deutsch
SELECT sid, CONVERT(binary(6), password_hash) AS beginning, DATALENGTH(password_hash) AS bytes, default_language_name
FROM sys.sql_logins WHERE name = 'g_moved'
SELECT SUSER_SNAME(0x0102030405060708090A0B0C0D0E0F10) AS by_sid, LOGINPROPERTY('g_moved', 'PasswordHashAlgorithm') AS algorithm,
    LOGINPROPERTY('g_moved', 'DefaultLanguage') AS language, LOGINPROPERTY('nobody', 'IsLocked') AS none
GO
--@ source: message 15433
CREATE LOGIN g_x WITH PASSWORD = 'Str0ng!pw', SID = 0x0102030405060708090A0B0C0D0E0F10
GO
-- PWDCOMPARE: of a hash of this server's, of one of SQL Server's, of no hash, of NULL.
--@ source: documentation PWDCOMPARE
SELECT PWDCOMPARE('Str0ng!pw', password_hash) AS right_one, PWDCOMPARE('', password_hash) AS blank,
    PWDCOMPARE('x', 0x01) AS no_hash, PWDCOMPARE(NULL, password_hash) AS null_one
FROM sys.sql_logins WHERE name = 'g_app'
SELECT PWDCOMPARE('p', PWDENCRYPT('p')) AS encrypted
GO
-- Changes.
--@ source: documentation ALTER LOGIN
ALTER LOGIN g_app DISABLE
ALTER LOGIN g_app WITH NAME = g_renamed, DEFAULT_DATABASE = tempdb
SELECT name, is_disabled, default_database_name FROM sys.sql_logins WHERE name LIKE 'g[_]%' ORDER BY name
ALTER LOGIN g_renamed ENABLE
ALTER LOGIN g_renamed WITH NAME = g_app
ALTER LOGIN g_app WITH PASSWORD = 'Str0ng!pw2' OLD_PASSWORD = 'Str0ng!pw'
SELECT PWDCOMPARE('Str0ng!pw2', password_hash) AS changed FROM sys.sql_logins WHERE name = 'g_app'
GO
--@ source: message 15151
ALTER LOGIN g_app WITH PASSWORD = 'Str0ng!pw3' OLD_PASSWORD = 'wrong'
GO
--@ source: message 33020
ALTER LOGIN g_app WITH PASSWORD = 0x0200 HASHED
GO
--@ source: message 15151
ALTER LOGIN nobody ENABLE
GO
-- A transaction takes them back.
--@ source: documentation CREATE LOGIN
BEGIN TRANSACTION
CREATE LOGIN g_gone WITH PASSWORD = 'Str0ng!pw'
SELECT COUNT(*) AS there FROM sys.server_principals WHERE name = 'g_gone'
SAVE TRANSACTION s
CREATE LOGIN g_later WITH PASSWORD = 'Str0ng!pw'
ROLLBACK TRANSACTION s
SELECT name FROM sys.server_principals WHERE name IN ('g_gone', 'g_later')
ROLLBACK
SELECT COUNT(*) AS there FROM sys.server_principals WHERE name IN ('g_gone', 'g_later')
GO
-- Roles of the server.
--@ source: documentation CREATE SERVER ROLE
CREATE SERVER ROLE g_watchers
CREATE SERVER ROLE g_inner AUTHORIZATION g_app
ALTER SERVER ROLE g_watchers ADD MEMBER g_app
ALTER SERVER ROLE g_inner ADD MEMBER g_watchers
ALTER SERVER ROLE processadmin ADD MEMBER g_app
SELECT r.name AS role, m.name AS member FROM sys.server_role_members AS rm
    JOIN sys.server_principals AS r ON r.principal_id = rm.role_principal_id
    JOIN sys.server_principals AS m ON m.principal_id = rm.member_principal_id ORDER BY r.name, m.name
SELECT IS_SRVROLEMEMBER('g_inner', 'g_app') AS nested, IS_SRVROLEMEMBER('processadmin', 'g_app') AS fixed,
    IS_SRVROLEMEMBER('sysadmin', 'g_app') AS sysadmin, IS_SRVROLEMEMBER('processadmin', 'sa') AS of_sa,
    IS_SRVROLEMEMBER('nosuch', 'g_app') AS no_role, IS_SRVROLEMEMBER('sysadmin', 'nosuch') AS no_login
GO
--@ source: message 15413
ALTER SERVER ROLE g_watchers ADD MEMBER g_inner
GO
--@ source: message 15405
ALTER SERVER ROLE g_watchers ADD MEMBER sa
GO
--@ source: message 15151
ALTER SERVER ROLE g_watchers ADD MEMBER nobody
GO
--@ source: message 15144
DROP SERVER ROLE g_watchers
GO
--@ source: message 15150
DROP SERVER ROLE processadmin
GO
--@ source: message 15141
DROP LOGIN g_app
GO
--@ source: documentation DROP LOGIN
ALTER SERVER ROLE g_watchers DROP MEMBER g_app
ALTER SERVER ROLE g_inner DROP MEMBER g_watchers
DROP SERVER ROLE g_inner
DROP SERVER ROLE g_watchers
DROP LOGIN g_app
DROP LOGIN g_moved
SELECT COUNT(*) AS left_over FROM sys.server_role_members WHERE member_principal_id > 266
GO
--@ source: message 15151
DROP LOGIN g_app
GO
--@ source: message 156
DROP LOGIN IF EXISTS g_app
GO
-- The older procedures.
--@ source: documentation sp_addlogin
EXEC sp_addlogin 'g_old', 'Old-pass-1', 'master', NULL, 0x0A0B0C0D0E0F0102030405060708090A
EXEC sp_addsrvrolemember 'g_old', 'dbcreator'
EXEC sp_helpsrvrolemember 'dbcreator'
EXEC sp_dropsrvrolemember 'g_old', 'dbcreator'
EXEC sp_droplogin 'g_old'
GO
--@ source: message 15412
EXEC sp_helpsrvrolemember 'nosuch'
GO
