-- What set-up scripts set, names of databases that are no file names, SHUTDOWN where it is not allowed.
--@ source: documentation sp_configure
EXEC sp_configure 'show advanced options', 1
RECONFIGURE
GO
--@ source: reasoned
EXEC sp_configure 'max degree of parallelism', 4
EXEC sp_configure 'cost threshold for parallelism', 50
EXEC sp_configure 'optimize for ad hoc workloads', 1
EXEC sp_configure 'remote admin connections', 1
EXEC sp_configure 'backup compression default', 1
RECONFIGURE
GO
--@ source: documentation sys.configurations
SELECT name, value, value_in_use FROM sys.configurations
WHERE name IN ('max degree of parallelism', 'cost threshold for parallelism', 'remote admin connections') ORDER BY name
GO
--@ source: message 15129
EXEC sp_configure 'max degree of parallelism', 40000
GO
--@ source: reasoned
EXEC sp_configure 'xp_cmdshell', 1
GO
--@ source: reasoned
EXEC sp_configure 'max degree of parallelism', 1
EXEC sp_configure 'cost threshold for parallelism', 5
EXEC sp_configure 'optimize for ad hoc workloads', 0
EXEC sp_configure 'remote admin connections', 0
EXEC sp_configure 'backup compression default', 0
EXEC sp_configure 'show advanced options', 0
RECONFIGURE
GO
--@ source: message 5105
CREATE DATABASE [../GoldenNames]
GO
--@ source: message 5105
CREATE DATABASE [c:GoldenNames]
GO
--@ source: documentation CREATE DATABASE
CREATE DATABASE [../GoldenNames] ON (NAME = d, FILENAME = 'GoldenNames.mdf') LOG ON (NAME = l, FILENAME = 'GoldenNames.ldf')
SELECT name FROM sys.databases WHERE name LIKE '%GoldenNames'
DROP DATABASE [../GoldenNames]
GO
--@ source: message 5133
CREATE DATABASE GoldenNames ON (NAME = d, FILENAME = 'server.key')
GO
--@ source: message 6007
BEGIN TRAN
SHUTDOWN
ROLLBACK
GO
