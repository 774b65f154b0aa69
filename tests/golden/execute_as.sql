-- Security contexts.
--@ source: reasoned
CREATE DATABASE g_contexts
CREATE LOGIN g_l WITH PASSWORD = 'Str0ng!pw'
GO
--@ source: reasoned
USE g_contexts
CREATE USER u FOR LOGIN g_l
CREATE USER w WITHOUT LOGIN WITH SID = 0x01050000000000090300000001000000020000000300000004000000
CREATE ROLE r
ALTER ROLE db_owner ADD MEMBER u
GO
--@ source: documentation EXECUTE AS
EXECUTE AS USER = 'u'
SELECT USER_NAME() AS u, SUSER_SNAME() AS login, ORIGINAL_LOGIN() AS original, IS_SRVROLEMEMBER('sysadmin') AS sysadmin
EXECUTE AS USER = 'w'
SELECT USER_NAME() AS u, SUSER_SNAME() AS login, ORIGINAL_LOGIN() AS original, CURRENT_USER AS c, SYSTEM_USER AS s
REVERT
SELECT USER_NAME() AS u
REVERT
SELECT USER_NAME() AS u, SUSER_SNAME() AS login
REVERT
GO
-- The context lasts from batch to batch.
--@ source: documentation EXECUTE AS
EXECUTE AS LOGIN = 'g_l'
GO
--@ source: documentation EXECUTE AS
SELECT USER_NAME() AS u, SUSER_SNAME() AS login, IS_SRVROLEMEMBER('sysadmin') AS sysadmin
REVERT
GO
--@ source: message 15517
EXECUTE AS USER = 'nosuch'
GO
--@ source: message 15517
EXECUTE AS USER = 'r'
GO
--@ source: message 15406
EXECUTE AS LOGIN = 'nosuch'
GO
-- A user of one database is nobody in another.
--@ source: message 916
EXECUTE AS USER = 'u'
USE master
GO
--@ source: documentation REVERT
REVERT
GO
-- Without IMPERSONATE there is nobody else to be.
--@ source: message 15517
EXECUTE AS USER = 'w'
EXECUTE AS USER = 'u'
GO
--@ source: documentation REVERT
REVERT
GO
-- A cookie.
--@ source: documentation REVERT
DECLARE @c varbinary(100), @n varchar(10) = 'u'
EXECUTE AS USER = @n WITH COOKIE INTO @c
SELECT USER_NAME() AS u, CASE WHEN DATALENGTH(@c) > 0 THEN 1 ELSE 0 END AS has_cookie
REVERT WITH COOKIE = @c
SELECT USER_NAME() AS u
GO
--@ source: message 15591
DECLARE @c varbinary(100), @other varbinary(100) = 0x01
EXECUTE AS USER = 'u' WITH COOKIE INTO @c
BEGIN TRY REVERT WITH COOKIE = @other END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS wrong END CATCH
BEGIN TRY REVERT END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS missing END CATCH
REVERT WITH COOKIE = @c
SELECT USER_NAME() AS u
GO
-- Modules: what one puts on ends with it; a clause holds while it runs.
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE moves AS EXECUTE AS USER = 'w' SELECT USER_NAME() AS inside
GO
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE as_u WITH EXECUTE AS 'u' AS SELECT USER_NAME() AS inside, ORIGINAL_LOGIN() AS original
GO
--@ source: documentation EXECUTE AS clause
CREATE PROCEDURE as_owner WITH EXECUTE AS OWNER AS SELECT USER_NAME() AS inside
GO
--@ source: documentation EXECUTE AS clause
EXEC moves
SELECT USER_NAME() AS outside
EXEC as_u
EXEC as_owner
SELECT USER_NAME() AS outside
SELECT o.name, USER_NAME(m.execute_as_principal_id) AS runs_as, m.execute_as_principal_id FROM sys.sql_modules AS m
    JOIN sys.objects AS o ON o.object_id = m.object_id WHERE o.name IN ('as_owner', 'moves') ORDER BY o.name
GO
--@ source: message 15151
CREATE PROCEDURE as_nobody WITH EXECUTE AS 'nobody' AS SELECT 1
GO
--@ source: message 15136
DROP USER u
GO
-- Default schemas: names resolve by them, and new objects go there.
--@ source: reasoned
CREATE SCHEMA s
GO
--@ source: reasoned
CREATE TABLE dbo.t (a int)
CREATE TABLE s.t (a int, b int)
INSERT dbo.t VALUES (1)
INSERT s.t VALUES (2, 3)
ALTER USER u WITH DEFAULT_SCHEMA = s
GO
--@ source: documentation ALTER USER
SELECT * FROM t
EXECUTE AS USER = 'u'
EXEC ('SELECT * FROM t')
CREATE TABLE made (a int)
SELECT OBJECT_SCHEMA_NAME(OBJECT_ID('made')) AS made_in
REVERT
EXEC ('SELECT * FROM t')
GO
--@ source: reasoned
USE master
DROP DATABASE g_contexts
DROP LOGIN g_l
GO
--@ source: message 15196
EXECUTE AS USER = 'guest' WITH NO REVERT
REVERT
GO
