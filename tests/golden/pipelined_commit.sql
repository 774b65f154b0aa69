-- PIPELINED_COMMIT: the option of a database and of the server; what the sessions see of it.
--@ source: reasoned
CREATE DATABASE piped
GO
--@ source: reasoned
USE piped
CREATE TABLE t (n int CONSTRAINT pk_piped PRIMARY KEY, v varchar(10))
SELECT configuration_id, name, value, value_for_secondary, is_value_default FROM sys.database_scoped_configurations WHERE name = 'PIPELINED_COMMIT'
GO
--@ source: reasoned
ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = ON
SELECT value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'PIPELINED_COMMIT'
GO
-- A loop of commits, and what it has left.
--@ source: reasoned
SET NOCOUNT ON
DECLARE @i int = 0
WHILE @i < 50
BEGIN
    SET @i += 1
    INSERT t VALUES (@i, 'x')
    IF @i % 25 = 0 PRINT CONCAT(@i, ' are there')
END
SELECT COUNT(*), MAX(n) FROM t
GO
-- Errors, savepoints and rollbacks are as ever.
--@ source: message 2627
INSERT t VALUES (7, 'again')
GO
--@ source: reasoned
BEGIN TRAN
UPDATE t SET v = 'one' WHERE n = 1
SAVE TRAN here
UPDATE t SET v = 'two' WHERE n = 2
ROLLBACK TRAN here
COMMIT
SELECT n, v FROM t WHERE n <= 2 ORDER BY n
GO
--@ source: reasoned
BEGIN TRAN
DELETE t WHERE n > 10
CREATE TABLE u (n int)
COMMIT
SELECT COUNT(*) FROM t
SELECT name FROM sys.tables ORDER BY name
GO
-- A commit that need not be durable needs not to be waited for either.
--@ source: reasoned
ALTER DATABASE piped SET DELAYED_DURABILITY = ALLOWED
BEGIN TRAN
INSERT u VALUES (1)
COMMIT WITH (DELAYED_DURABILITY = ON)
SELECT n FROM u
GO
--@ source: reasoned
ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = DEFAULT
SELECT value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'PIPELINED_COMMIT'
GO
--@ source: message 102
ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = 7
GO
--@ source: message 40510
ALTER DATABASE SCOPED CONFIGURATION FOR SECONDARY SET PIPELINED_COMMIT = ON
GO
-- The server's option: for the databases of all users.
--@ source: reasoned
EXEC sp_configure 'show advanced options', 1
RECONFIGURE
EXEC sp_configure 'pipelined commit'
SELECT configuration_id, name, value, minimum, maximum, value_in_use, is_dynamic, is_advanced FROM sys.configurations WHERE name = 'pipelined commit'
GO
--@ source: message 15457
EXEC sp_configure 'pipelined commit', 1
RECONFIGURE
INSERT t VALUES (101, 'y')
SELECT value_in_use FROM sys.configurations WHERE name = 'pipelined commit'
GO
--@ source: message 15457
EXEC sp_configure 'pipelined commit', 0
RECONFIGURE
EXEC sp_configure 'show advanced options', 0
RECONFIGURE
USE master
DROP DATABASE piped
GO
