-- Users and roles of a database.
--@ source: reasoned
CREATE DATABASE g_people
CREATE LOGIN g_one WITH PASSWORD = 'Str0ng!pw', SID = 0x11111111111111111111111111111111
CREATE LOGIN g_two WITH PASSWORD = 'Str0ng!pw', SID = 0x22222222222222222222222222222222
GO
--@ source: documentation CREATE USER
USE g_people
CREATE USER u FOR LOGIN g_one WITH DEFAULT_SCHEMA = s
CREATE USER g_two
CREATE USER w WITHOUT LOGIN
SELECT name, type, type_desc, default_schema_name, authentication_type_desc, owning_principal_id, DATALENGTH(sid) AS sid_bytes,
    CASE WHEN sid = SUSER_SID('g_one') THEN 1 ELSE 0 END AS of_one
FROM sys.database_principals WHERE principal_id BETWEEN 5 AND 16383 ORDER BY principal_id
GO
--@ source: message 15007
CREATE USER x
GO
--@ source: message 15063
CREATE USER x FOR LOGIN g_one
GO
--@ source: message 15023
CREATE USER u WITHOUT LOGIN
GO
--@ source: message 15062
CREATE USER guest FOR LOGIN g_one
GO
--@ source: message 15405
CREATE USER x FOR LOGIN sa
GO
--@ source: message 33233
CREATE USER x WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: message 33242
CREATE USER x FOR LOGIN g_one WITH SID = 0x01
GO
--@ source: message 33060
CREATE USER x WITHOUT LOGIN WITH SID = 0x01
GO
-- Roles, nested, with owners.
--@ source: documentation CREATE ROLE
CREATE ROLE r
CREATE ROLE inner_role AUTHORIZATION u
ALTER ROLE r ADD MEMBER u
ALTER ROLE inner_role ADD MEMBER r
ALTER ROLE db_datareader ADD MEMBER u
SELECT r.name AS role, m.name AS member FROM sys.database_role_members AS rm
    JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id
    JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id ORDER BY r.name, m.name
SELECT IS_ROLEMEMBER('inner_role', 'u') AS nested, IS_ROLEMEMBER('db_datareader', 'u') AS fixed, IS_ROLEMEMBER('r', 'w') AS no_member,
    IS_MEMBER('nosuch') AS no_role, IS_MEMBER('public') AS everybody, IS_MEMBER('db_owner') AS owner, IS_MEMBER('db_denydatareader') AS denied
GO
--@ source: message 15413
ALTER ROLE r ADD MEMBER r
GO
--@ source: message 15413
ALTER ROLE r ADD MEMBER inner_role
GO
--@ source: message 15405
ALTER ROLE r ADD MEMBER dbo
GO
--@ source: message 15081
ALTER ROLE [public] ADD MEMBER u
GO
--@ source: message 15151
ALTER ROLE r ADD MEMBER nobody
GO
--@ source: message 15410
EXEC sp_addrolemember 'r', 'nobody'
GO
--@ source: message 15144
DROP ROLE r
GO
--@ source: message 15150
DROP ROLE db_owner
GO
--@ source: message 15151
DROP ROLE nobody
GO
--@ source: message 15539
DROP USER guest
GO
--@ source: message 15150
DROP USER dbo
GO
-- Owners of schemas and roles stay.
--@ source: documentation CREATE SCHEMA
CREATE SCHEMA s AUTHORIZATION w
GO
--@ source: documentation ALTER AUTHORIZATION
SELECT s.name, p.name AS owner FROM sys.schemas AS s JOIN sys.database_principals AS p ON p.principal_id = s.principal_id WHERE s.name = 's'
GO
--@ source: message 15138
DROP USER w
GO
--@ source: message 15421
DROP USER u
GO
--@ source: documentation ALTER AUTHORIZATION
ALTER AUTHORIZATION ON SCHEMA::s TO r
ALTER AUTHORIZATION ON ROLE::inner_role TO dbo
SELECT s.name, p.name AS owner FROM sys.schemas AS s JOIN sys.database_principals AS p ON p.principal_id = s.principal_id WHERE s.name = 's'
DROP USER IF EXISTS w
DROP USER IF EXISTS w
GO
--@ source: message 15151
ALTER AUTHORIZATION ON SCHEMA::s TO nobody
GO
-- An orphan, and its repair.
--@ source: documentation ALTER USER
DROP LOGIN g_two
EXEC sp_change_users_login 'Report'
CREATE LOGIN g_two WITH PASSWORD = 'Str0ng!pw', SID = 0x33333333333333333333333333333333
EXEC sp_change_users_login 'Update_One', 'g_two', 'g_two'
EXEC sp_change_users_login 'Report'
ALTER USER g_two WITH NAME = two, DEFAULT_SCHEMA = s
SELECT name, default_schema_name FROM sys.database_principals WHERE sid = SUSER_SID('g_two')
GO
--@ source: message 33018
ALTER USER two WITH LOGIN = g_one
GO
--@ source: documentation sp_helpuser
EXEC sp_helprole 'r'
EXEC sp_helprolemember 'r'
EXEC sp_helpuser 'r'
SELECT USER_ID('two') - USER_ID('u') AS apart, USER_NAME(1) AS dbo, DATABASE_PRINCIPAL_ID('nosuch') AS none
GO
-- A transaction takes them back.
--@ source: documentation CREATE USER
BEGIN TRANSACTION
CREATE USER gone WITHOUT LOGIN
ALTER ROLE r ADD MEMBER gone
ROLLBACK
SELECT COUNT(*) AS there FROM sys.database_principals WHERE name = 'gone'
SELECT COUNT(*) AS members FROM sys.database_role_members WHERE member_principal_id > 4
GO
-- Another owner of the database is dbo there, and no other user.
--@ source: documentation ALTER AUTHORIZATION
ALTER AUTHORIZATION ON DATABASE::g_people TO g_two
GO
--@ source: documentation ALTER AUTHORIZATION
DROP USER two
ALTER AUTHORIZATION ON DATABASE::g_people TO g_two
SELECT SUSER_SNAME(owner_sid) AS owner FROM sys.databases WHERE name = 'g_people'
SELECT SUSER_SNAME(sid) AS dbo FROM sys.database_principals WHERE name = 'dbo'
GO
--@ source: message 15174
DROP LOGIN g_two
GO
--@ source: reasoned
USE master
DROP DATABASE g_people
DROP LOGIN g_one
DROP LOGIN g_two
GO
