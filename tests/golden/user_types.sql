-- Alias types: CREATE TYPE … FROM, where they may stand, what holds them, what the catalogue tells.
--@ source: reasoned
CREATE DATABASE UserTypes
GO
--@ source: reasoned
USE UserTypes
GO
--@ source: reasoned
CREATE SCHEMA s
GO
--@ source: documentation CREATE TYPE
CREATE TYPE dbo.Ssn FROM varchar(11) NOT NULL
CREATE TYPE dbo.Amount FROM decimal(9, 2)
CREATE TYPE s.Flag FROM bit NOT NULL
CREATE TYPE Word FROM nvarchar(20) NULL
SELECT name, system_type_id, SCHEMA_NAME(schema_id) AS [schema], max_length, precision, scale, is_nullable, is_user_defined, is_table_type,
    CASE WHEN user_type_id > 256 THEN 1 END AS own
FROM sys.types WHERE is_user_defined = 1 ORDER BY name
GO
-- Names: 219 for one that is there, 222 for what no alias stands on, 15226 for xml.
--@ source: message 219
CREATE TYPE dbo.Ssn FROM int
GO
--@ source: message 222
CREATE TYPE dbo.Two FROM Ssn
GO
--@ source: message 222
CREATE TYPE dbo.Two FROM sysname
GO
--@ source: message 222
CREATE TYPE dbo.Two FROM timestamp
GO
--@ source: message 15226
CREATE TYPE dbo.Two FROM xml
GO
-- A type and a table may bear one name.
--@ source: documentation CREATE TYPE
CREATE TABLE dbo.Ssn (a int)
DROP TABLE dbo.Ssn
GO
-- The type says whether NULL is allowed, unless the column does.
--@ source: documentation CREATE TYPE
CREATE TABLE dbo.t (id int PRIMARY KEY, ssn Ssn, amount dbo.Amount, flag s.Flag, word Word NOT NULL, loose Ssn NULL)
SELECT c.name, TYPE_NAME(c.user_type_id) AS type, c.system_type_id, c.max_length, c.is_nullable
FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('dbo.t') ORDER BY c.column_id
INSERT dbo.t VALUES (1, '078-05-1120', 9.999, 1, N'one', NULL)
SELECT * FROM dbo.t
GO
--@ source: message 515
INSERT dbo.t VALUES (2, NULL, 1, 1, N'two', NULL)
GO
--@ source: message 2715
CREATE TABLE dbo.x (a NoSuch)
GO
--@ source: message 2715
CREATE TABLE dbo.x (a Flag)
GO
--@ source: message 2716
CREATE TABLE dbo.x (a Ssn(5))
GO
--@ source: message 452
CREATE TABLE dbo.x (a Word COLLATE Latin1_General_BIN2)
GO
--@ source: message 2715
CREATE TABLE #x (a Ssn)
GO
--@ source: message 243
SELECT CAST('1' AS Ssn)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE dbo.t ADD more Amount, most Ssn NOT NULL DEFAULT ('x')
ALTER TABLE dbo.t ALTER COLUMN more Word
SELECT name, TYPE_NAME(user_type_id) AS type, is_nullable FROM sys.columns
WHERE object_id = OBJECT_ID('dbo.t') AND name IN ('more', 'most') ORDER BY name
GO
-- Variables, table variables, parameters, results.
--@ source: documentation CREATE TYPE
DECLARE @a Amount = 1.239, @s dbo.Ssn
DECLARE @t TABLE (a Ssn, b Amount)
INSERT @t VALUES ('1', @a)
SELECT @a AS a, @s AS s, a, b FROM @t
GO
--@ source: message 515
DECLARE @t TABLE (a Ssn)
INSERT @t VALUES (NULL)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.p @a Amount, @s s.Flag = 1, @o Word OUTPUT AS SET @o = N'got ' + CONVERT(nvarchar(20), @a)
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.f (@a Amount) RETURNS Amount AS BEGIN DECLARE @r Amount = @a * 2 RETURN @r END
GO
--@ source: documentation EXECUTE
DECLARE @o Word
EXEC dbo.p 1.5, @o = @o OUTPUT
SELECT @o AS o, dbo.f(1.25) AS f
EXEC sp_executesql N'SELECT @a AS a', N'@a dbo.Amount', 2.345
SELECT name, TYPE_NAME(user_type_id) AS type, max_length, precision, scale FROM sys.parameters
WHERE object_id IN (OBJECT_ID('dbo.p'), OBJECT_ID('dbo.f')) ORDER BY OBJECT_NAME(object_id), parameter_id
GO
--@ source: documentation sp_addtype
EXEC sp_addtype 'Old', 'varchar(7)', 'NOT NULL'
SELECT TYPE_NAME(user_type_id) AS name, max_length, is_nullable FROM sys.types WHERE name = 'Old'
EXEC sp_rename 'dbo.Old', 'Older', 'USERDATATYPE'
EXEC sp_droptype 'Older'
SELECT TYPE_ID('dbo.Older') AS none
GO
-- A schema's own types come first in its modules.
--@ source: reasoned
CREATE PROCEDURE s.q AS DECLARE @f Flag = 5 SELECT @f AS f
GO
--@ source: reasoned
EXEC s.q
GO
-- What holds a type: 3732 names the object of the lowest id.
--@ source: message 3732
DROP TYPE dbo.Ssn
GO
--@ source: message 218
DROP TYPE dbo.NoSuch
GO
--@ source: documentation DROP TYPE
DROP TYPE IF EXISTS dbo.NoSuch
DROP PROCEDURE s.q
DROP FUNCTION dbo.f
GO
--@ source: message 3732
CREATE TYPE dbo.Rare FROM int
GO
--@ source: reasoned
CREATE PROCEDURE dbo.r AS DECLARE @r Rare = 1 SELECT @r AS r
GO
--@ source: message 3732
DROP TYPE dbo.Rare
GO
-- Views and SELECT INTO keep the alias; expressions and CAST do not.
--@ source: documentation SELECT - INTO Clause
SELECT ssn, amount, amount + 1 AS more, CAST(word AS nvarchar(20)) AS word INTO dbo.copy FROM dbo.t
SELECT name, TYPE_NAME(user_type_id) AS type FROM sys.columns WHERE object_id = OBJECT_ID('dbo.copy') ORDER BY column_id
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT ssn, word FROM dbo.t
GO
--@ source: documentation COLUMNS
SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, DOMAIN_SCHEMA, DOMAIN_NAME FROM INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_NAME IN ('v') ORDER BY ORDINAL_POSITION
SELECT DOMAIN_SCHEMA, DOMAIN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE FROM INFORMATION_SCHEMA.DOMAINS
ORDER BY DOMAIN_NAME
SELECT COUNT(*) AS n FROM sys.column_type_usages WHERE object_id = OBJECT_ID('dbo.v')
GO
--@ source: documentation TYPEPROPERTY
SELECT TYPEPROPERTY('dbo.Ssn', 'AllowsNull') AS a, TYPEPROPERTY('Amount', 'Precision') AS p, TYPEPROPERTY('Amount', 'Scale') AS s,
    CASE WHEN TYPE_ID('s.Flag') > 256 THEN 'own' END AS id, TYPE_NAME(TYPE_ID('dbo.Word')) AS name, TYPE_ID('Flag') AS none
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, system_type_name, user_type_schema, user_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT ssn, amount * 2 AS b FROM dbo.t', NULL, 0)
GO
-- sysname is one: NOT NULL.
--@ source: reasoned
CREATE TABLE dbo.names (a sysname, b sysname NULL)
SELECT name, user_type_id, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('dbo.names') ORDER BY column_id
GO
--@ source: message 515
INSERT dbo.names VALUES (NULL, NULL)
GO
-- What is rolled back is gone; the transaction itself sees its own.
--@ source: reasoned
BEGIN TRAN
CREATE TYPE dbo.Gone FROM int
GO
--@ source: reasoned
DECLARE @g dbo.Gone = 4
SELECT @g AS g
ROLLBACK
GO
--@ source: message 2715
DECLARE @g dbo.Gone = 4
GO
-- A batch that was compiled with a type is compiled anew when the type is another one.
--@ source: reasoned
CREATE TYPE dbo.Again FROM int
GO
--@ source: reasoned
DECLARE @g dbo.Again = 4.7 SELECT @g AS g
GO
--@ source: reasoned
DROP TYPE dbo.Again
CREATE TYPE dbo.Again FROM decimal(5, 1)
GO
--@ source: reasoned
DECLARE @g dbo.Again = 4.7 SELECT @g AS g
GO
--@ source: message 3729
DROP SCHEMA s
GO
--@ source: reasoned
USE master
DROP DATABASE UserTypes
GO
