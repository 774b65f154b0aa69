-- A procedure runs in its own database, whoever calls it; the caller is back in its own one afterwards.
--@ source: documentation t-sql/language-elements/execute-transact-sql
CREATE DATABASE away
CREATE DATABASE further
GO
--@ source: reasoned
USE away
GO
--@ source: reasoned
CREATE PROCEDURE dbo.makes AS
CREATE TABLE made_here (a int)
SELECT DB_NAME() AS own, OBJECT_NAME(@@PROCID) AS named, IIF(OBJECT_ID('made_here') IS NULL, 0, 1) AS there
EXEC ('SELECT DB_NAME() AS of_text; CREATE TABLE made_by_text (a int)')
EXEC sp_executesql N'SELECT DB_NAME() AS of_statement; INSERT made_by_text VALUES (1)'
GO
--@ source: reasoned
CREATE PROCEDURE dbo.fails AS SELECT DB_NAME() AS own SELECT 1 / 0
GO
--@ source: reasoned
CREATE PROCEDURE dbo.throws AS BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH SELECT DB_NAME() AS own; THROW END CATCH
GO
--@ source: reasoned
CREATE PROCEDURE dbo.returns @n int AS IF @n > 0 RETURN @n SELECT DB_NAME() AS unseen
GO
--@ source: reasoned
CREATE PROCEDURE dbo.moves AS EXEC ('USE further; SELECT DB_NAME() AS of_text') SELECT DB_NAME() AS own
GO
--@ source: reasoned
CREATE PROCEDURE dbo.opens AS DECLARE left_open CURSOR GLOBAL FOR SELECT name FROM sys.tables WHERE name LIKE 'made%' ORDER BY name OPEN left_open
GO
--@ source: reasoned
CREATE PROCEDURE dbo.shown AS SELECT DB_NAME() AS own, (SELECT DB_NAME(database_id) FROM sys.dm_exec_sessions WHERE session_id = @@SPID) AS shown
GO
--@ source: reasoned
USE further
GO
--@ source: reasoned
CREATE PROCEDURE dbo.nests AS SELECT DB_NAME() AS before EXEC away.dbo.shown SELECT DB_NAME() AS after
GO
--@ source: documentation t-sql/language-elements/execute-transact-sql
USE master
EXEC away.dbo.makes
SELECT DB_NAME() AS back, OBJECT_ID('made_here') AS here, OBJECT_ID('made_by_text') AS of_text
SELECT name FROM away.sys.tables ORDER BY name
GO
--@ source: reasoned
EXEC away.dbo.fails
SELECT DB_NAME() AS back
GO
--@ source: reasoned
EXEC away.dbo.throws
GO
--@ source: reasoned
SELECT DB_NAME() AS back
BEGIN TRY EXEC away..throws END TRY BEGIN CATCH SELECT DB_NAME() AS back, ERROR_NUMBER() AS number END CATCH
GO
--@ source: reasoned
DECLARE @status int
EXEC @status = away.dbo.returns 7
SELECT DB_NAME() AS back, @status AS status
GO
--@ source: reasoned
EXEC away.dbo.moves
SELECT DB_NAME() AS back
GO
--@ source: reasoned
EXEC away.dbo.opens
DECLARE @name sysname
FETCH NEXT FROM left_open INTO @name
SELECT DB_NAME() AS back, @name AS fetched
CLOSE left_open
DEALLOCATE left_open
GO
--@ source: reasoned
EXEC further.dbo.nests
SELECT DB_NAME() AS back
GO
--@ source: reasoned
-- What a name in a variable, rows that are taken, and a procedure called without its database come to.
DECLARE @name nvarchar(50) = N'away.dbo.shown', @rows TABLE (own sysname, shown sysname)
EXEC @name
INSERT @rows EXEC away.dbo.shown
SELECT own, shown FROM @rows
SELECT DB_NAME() AS back
GO
--@ source: documentation relational-databases/system-stored-procedures/sp-executesql-transact-sql
--@ mask created_datetime
-- Those of the system run in the database of their name.
EXEC away.sys.sp_executesql N'SELECT DB_NAME() AS own; CREATE TABLE made_by_name (a int)'
EXEC away..sp_help made_by_name
SELECT DB_NAME() AS back, OBJECT_ID('made_by_name') AS here, IIF(OBJECT_ID('away.dbo.made_by_name') IS NULL, 0, 1) AS there
GO
--@ source: message 154
CREATE PROCEDURE uses AS USE away
GO
--@ source: message 3702
-- Nobody's database goes while he is away from it.
EXEC (N'USE away; EXEC (N''CREATE PROCEDURE drops @name sysname AS EXEC (N''''DROP DATABASE '''' + @name)'')')
USE further
EXEC away.dbo.drops N'further'
GO
--@ source: message 5070
EXEC away.sys.sp_executesql N'ALTER DATABASE further SET OFFLINE'
GO
--@ source: reasoned
SELECT DB_NAME() AS still
USE master
GO
--@ source: reasoned
DROP DATABASE away
DROP DATABASE further
GO
