-- Contained databases: what may be set, and users with passwords of their own.
--@ source: message 12824
CREATE DATABASE g_box CONTAINMENT = PARTIAL
GO
--@ source: documentation contained database authentication
EXEC sp_configure 'contained database authentication', 1
RECONFIGURE
CREATE DATABASE g_box CONTAINMENT = PARTIAL
CREATE DATABASE g_plain
SELECT name, containment, containment_desc FROM sys.databases WHERE name IN ('g_box', 'g_plain') ORDER BY name
GO
--@ source: message 12803
ALTER DATABASE msdb SET CONTAINMENT = PARTIAL
GO
--@ source: documentation ALTER DATABASE SET options
ALTER DATABASE g_plain SET CONTAINMENT = PARTIAL
ALTER DATABASE g_plain SET CONTAINMENT = NONE
SELECT containment_desc FROM sys.databases WHERE name = 'g_plain'
GO
--@ source: documentation CREATE USER
USE g_box
CREATE LOGIN g_contained WITH PASSWORD = 'Str0ng!pw'
CREATE USER ann WITH PASSWORD = 'Str0ng!pw', DEFAULT_SCHEMA = s, DEFAULT_LANGUAGE = 1031
CREATE USER ben WITH PASSWORD = N'Str0ng!pw', DEFAULT_LANGUAGE = French, SID = 0x01050000000000090300000063FF0451A9E7664BA705B10E37DDC4B7
CREATE USER nel WITH PASSWORD = 'Str0ng!pw', DEFAULT_LANGUAGE = NONE
CREATE USER lee FOR LOGIN g_contained
SELECT name, authentication_type, authentication_type_desc, default_schema_name, default_language_name, default_language_lcid, DATALENGTH(sid) AS sid_bytes
FROM sys.database_principals WHERE principal_id BETWEEN 5 AND 16383 ORDER BY principal_id
SELECT CONVERT(varchar(60), sid, 1) AS sid FROM sys.database_principals WHERE name = 'ben'
GO
--@ source: message 33062
CREATE USER x WITH PASSWORD = 'Sh0rt!'
GO
--@ source: message 33064
CREATE USER x WITH PASSWORD = 'longenough'
GO
--@ source: message 33235
CREATE USER x WITHOUT LOGIN WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 33234
CREATE USER x FOR LOGIN g_contained WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 33234
CREATE USER x WITHOUT LOGIN WITH DEFAULT_LANGUAGE = French
GO
--@ source: message 15033
CREATE USER x WITH PASSWORD = 'Str0ng!pw', DEFAULT_LANGUAGE = klingon
GO
--@ source: message 15433
CREATE USER x WITH PASSWORD = 'Str0ng!pw', SID = 0x01050000000000090300000063FF0451A9E7664BA705B10E37DDC4B7
GO
--@ source: documentation ALTER USER
ALTER USER ann WITH NAME = wim, DEFAULT_LANGUAGE = NONE, PASSWORD = 'An0ther!pw' OLD_PASSWORD = 'Str0ng!pw'
SELECT name, default_language_name FROM sys.database_principals WHERE name = 'wim'
GO
--@ source: message 15151
ALTER USER wim WITH PASSWORD = 'Str0ng!pw' OLD_PASSWORD = 'wrong'
GO
--@ source: message 33234
ALTER USER lee WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 33016
ALTER USER wim WITH LOGIN = g_contained
GO
-- A user with a password is one database's, and is executed as like any other.
--@ source: reasoned
EXECUTE AS USER = 'wim'
SELECT USER_NAME() AS who, ORIGINAL_LOGIN() AS original
ALTER USER wim WITH DEFAULT_SCHEMA = dbo
REVERT
GO
--@ source: message 12820
EXEC sp_migrate_user_to_contained @username = N'wim', @rename = N'keep_name', @disablelogin = N'do_not_disable_login'
GO
--@ source: documentation sp_migrate_user_to_contained
EXEC sp_migrate_user_to_contained N'lee', N'copy_login_name', N'disable_login'
SELECT name, authentication_type_desc, default_language_name, CASE WHEN sid = SUSER_SID('g_contained') THEN 1 ELSE 0 END AS of_login
FROM sys.database_principals WHERE name IN ('lee', 'g_contained')
SELECT is_disabled FROM sys.server_principals WHERE name = 'g_contained'
GO
--@ source: message 12809
ALTER DATABASE g_box SET CONTAINMENT = NONE
GO
--@ source: message 12818
EXEC sp_configure 'contained database authentication', 0
RECONFIGURE
GO
--@ source: message 12826
RECONFIGURE WITH OVERRIDE
GO
--@ source: reasoned
USE master
DROP DATABASE g_box
DROP DATABASE g_plain
DROP LOGIN g_contained
GO
