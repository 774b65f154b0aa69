--@ source: reasoned
USE master;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.at_start AS RETURN;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.at_start_with @a int = 1 AS RETURN;
GO
--@ source: documentation sp-procoption-transact-sql
EXEC sp_procoption N'at_start', 'startup', 'on';
SELECT name, is_auto_executed, OBJECTPROPERTY(object_id, 'ExecIsStartup') AS at_start FROM sys.procedures WHERE name LIKE 'at[_]start%' ORDER BY name;
SELECT name, value, value_in_use FROM sys.configurations WHERE name = 'scan for startup procs';
GO
--@ source: message 15399
EXEC sp_procoption N'dbo.at_start_with', 'startup', 'true';
GO
--@ source: message 15600
EXEC sp_procoption N'at_start', 'shutdown', 'on';
GO
--@ source: message 15600
EXEC sp_procoption N'at_start', 'startup', 'maybe';
GO
--@ source: message 15165
EXEC sp_procoption N'nobody', 'startup', 'on';
GO
--@ source: message 15002
BEGIN TRANSACTION;
EXEC sp_procoption N'at_start', 'startup', 'off';
ROLLBACK;
GO
--@ source: reasoned
CREATE SCHEMA starts;
GO
--@ source: reasoned
CREATE PROCEDURE starts.p AS RETURN;
GO
--@ source: message 15398
EXEC sp_procoption N'starts.p', 'startup', 'on';
GO
--@ source: reasoned
USE tempdb;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.at_start_elsewhere AS RETURN;
GO
--@ source: message 15398
EXEC sp_procoption N'at_start_elsewhere', 'startup', 'on';
GO
--@ source: documentation sp-procoption-transact-sql
DROP PROCEDURE dbo.at_start_elsewhere;
USE master;
EXEC sp_procoption N'at_start', 'STARTUP', 'FALSE';
SELECT name, is_auto_executed FROM sys.procedures WHERE name = 'at_start';
SELECT value FROM sys.configurations WHERE name = 'scan for startup procs';
GO
--@ source: reasoned
-- One that is dropped starts no more, and the next one of its name does not either.
EXEC sp_procoption N'at_start', 'startup', 'on';
DROP PROCEDURE dbo.at_start;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.at_start AS RETURN;
GO
--@ source: reasoned
SELECT is_auto_executed FROM sys.procedures WHERE name = 'at_start';
EXEC sp_procoption N'at_start', 'startup', 'off';
DROP PROCEDURE dbo.at_start, dbo.at_start_with, starts.p;
DROP SCHEMA starts;
GO
