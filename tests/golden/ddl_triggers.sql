-- Triggers of a database: what they see of an event, and how they refuse it.
--@ source: reasoned
CREATE DATABASE DdlTriggers
GO
--@ source: reasoned
USE DdlTriggers
CREATE TABLE dbo.ddl_log (n int IDENTITY PRIMARY KEY, event nvarchar(100), [object] nvarchar(128), who nvarchar(128), tsql nvarchar(2000))
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER safety ON DATABASE FOR DROP_TABLE, ALTER_TABLE
AS
   PRINT 'You must disable Trigger "safety" to drop or alter tables!'
   ROLLBACK;
GO
--@ source: documentation CREATE TRIGGER
CREATE TABLE dbo.kept (a int)
DROP TABLE dbo.kept
SELECT 'not reached'
GO
--@ source: message 3609
ALTER TABLE dbo.kept ADD b int
GO
--@ source: reasoned
SELECT name FROM sys.tables WHERE name = 'kept'
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('dbo.kept')
GO
--@ source: reasoned
BEGIN TRANSACTION
CREATE TABLE dbo.lost (a int)
DROP TABLE dbo.kept
GO
--@ source: message 3609
SELECT @@TRANCOUNT AS [open], OBJECT_ID('dbo.lost') AS lost
GO
--@ source: documentation DISABLE TRIGGER
DISABLE TRIGGER safety ON DATABASE
DROP TABLE dbo.kept
SELECT OBJECT_ID('dbo.kept') AS kept;
ENABLE TRIGGER safety ON DATABASE
GO
--@ source: documentation DROP TRIGGER
DROP TRIGGER safety ON DATABASE
GO
--@ source: documentation EVENTDATA
CREATE TRIGGER [log] ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS
AS
DECLARE @data xml
SET @data = EVENTDATA()
INSERT dbo.ddl_log (event, [object], who, tsql) VALUES
   (@data.value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(100)'),
    @data.value('(/EVENT_INSTANCE/ObjectName)[1]', 'nvarchar(128)'),
    CONVERT(nvarchar(128), CURRENT_USER),
    @data.value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(2000)'))
GO
--@ source: documentation EVENTDATA
CREATE TABLE TestTable (a int)
DROP TABLE TestTable;
SELECT event, [object], who, tsql FROM dbo.ddl_log ORDER BY n
GO
--@ source: reasoned
TRUNCATE TABLE dbo.ddl_log
CREATE TABLE #temporary (a int)
DROP TABLE #temporary
IF 1 = 0 CREATE TABLE dbo.never (a int)
DROP TABLE IF EXISTS dbo.never
BEGIN TRY EXEC ('CREATE TABLE dbo.ddl_log (a int)') END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH
SELECT COUNT(*) AS events FROM dbo.ddl_log
SELECT 1 AS x INTO dbo.made
DROP TABLE dbo.made
SELECT event, [object], tsql FROM dbo.ddl_log ORDER BY n
GO
--@ source: documentation EVENTDATA
SELECT EVENTDATA() AS outside
GO
--@ source: documentation EVENTDATA
CREATE PROCEDURE dbo.reads AS SELECT EVENTDATA() AS in_a_procedure
GO
--@ source: documentation EVENTDATA
CREATE TRIGGER calls ON DATABASE FOR CREATE_SYNONYM AS EXEC dbo.reads
GO
--@ source: documentation EVENTDATA
CREATE SYNONYM dbo.s FOR dbo.ddl_log
GO
--@ source: reasoned
CREATE TABLE dbo.goes (a int)
TRUNCATE TABLE dbo.ddl_log
DROP TABLE dbo.goes, dbo.is_not_there
SELECT 1 AS x INTO dbo.made_after
SELECT event, [object], tsql FROM dbo.ddl_log ORDER BY n
SELECT OBJECT_ID('dbo.goes') AS gone
DROP TABLE dbo.made_after
GO
--@ source: documentation EVENTDATA
DROP TRIGGER calls, [log] ON DATABASE
GO
--@ source: reasoned
CREATE TRIGGER whole ON DATABASE FOR CREATE_TABLE, CREATE_INDEX, ALTER_TABLE
AS
SET NOCOUNT ON
DECLARE @e xml = EVENTDATA()
SELECT @e.query('/EVENT_INSTANCE/*[local-name() != "PostTime" and local-name() != "SPID" and local-name() != "ServerName"]') AS event,
    CAST(CASE WHEN @e.value('(/EVENT_INSTANCE/SPID)[1]', 'int') = @@SPID THEN 1 ELSE 0 END AS bit) AS spid,
    CAST(CASE WHEN ABS(DATEDIFF(second, @e.value('(/EVENT_INSTANCE/PostTime)[1]', 'datetime'), GETDATE())) < 60 THEN 1 ELSE 0 END AS bit) AS posted,
    CAST(CASE WHEN @e.value('(/EVENT_INSTANCE/ServerName)[1]', 'sysname') = @@SERVERNAME THEN 1 ELSE 0 END AS bit) AS server,
    @@TRANCOUNT AS trancount, TRIGGER_NESTLEVEL() AS level
GO
--@ source: documentation use-the-eventdata-function
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, a nvarchar(10) DEFAULT N'<&>')
GO
--@ source: documentation use-the-eventdata-function
ALTER TABLE dbo.t ADD b int NULL, c int CONSTRAINT positive CHECK (c > 0)
ALTER TABLE dbo.t ALTER COLUMN b bigint
ALTER TABLE dbo.t DROP CONSTRAINT positive, COLUMN b
GO
--@ source: documentation use-the-eventdata-function
SET QUOTED_IDENTIFIER OFF
CREATE INDEX i ON dbo.t (a)
SET QUOTED_IDENTIFIER ON
GO
--@ source: reasoned
DROP TRIGGER whole ON DATABASE
GO
--@ source: reasoned
CREATE TRIGGER fails ON DATABASE FOR CREATE_VIEW AS INSERT dbo.ddl_log (event) VALUES ('kept?') SELECT 1 / 0
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT 1 AS one
GO
--@ source: reasoned
SELECT OBJECT_ID('dbo.v') AS v, (SELECT COUNT(*) FROM dbo.ddl_log WHERE event = 'kept?') AS kept
BEGIN TRY EXEC ('CREATE VIEW dbo.v AS SELECT 1 AS one') END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure], XACT_STATE() AS state IF @@TRANCOUNT > 0 ROLLBACK END CATCH
GO
--@ source: reasoned
ALTER TRIGGER fails ON DATABASE FOR CREATE_VIEW AS RAISERROR ('a view is made', 10, 1)
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT 1 AS one
GO
--@ source: reasoned
SELECT * FROM dbo.v
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER self ON DATABASE FOR CREATE_TABLE AS PRINT 'fired at level ' + CAST(TRIGGER_NESTLEVEL() AS varchar(10)) CREATE TABLE dbo.by_itself (a int)
GO
--@ source: documentation CREATE TRIGGER
CREATE TABLE dbo.from_outside (a int)
GO
--@ source: reasoned
SELECT name FROM sys.tables WHERE name IN ('by_itself', 'from_outside') ORDER BY name
DROP TRIGGER self, fails ON DATABASE
USE master
DROP DATABASE DdlTriggers
GO
