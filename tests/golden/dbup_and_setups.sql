-- What DbUp, Entity Framework and set-up scripts send to make a database, to keep their journal, and to have it gone.
--@ source: reasoned
SELECT TOP 1 case WHEN dbid IS NOT NULL THEN 1 ELSE 0 end FROM sys.sysdatabases WHERE name = 'Ups';
create database [Ups] ;
SELECT TOP 1 case WHEN dbid IS NOT NULL THEN 1 ELSE 0 end FROM sys.sysdatabases WHERE name = 'Ups';
GO
--@ source: reasoned
USE Ups
GO
--@ source: reasoned
select 1 from INFORMATION_SCHEMA.TABLES where TABLE_NAME = 'SchemaVersions'
GO
--@ source: reasoned
create table [SchemaVersions] (
    [Id] int identity(1,1) not null constraint [PK_SchemaVersions_Id] primary key,
    [ScriptName] nvarchar(255) not null,
    [Applied] datetime not null
)
select 1 from INFORMATION_SCHEMA.TABLES where TABLE_NAME = 'SchemaVersions'
GO
--@ source: reasoned
EXEC sp_executesql N'insert into [SchemaVersions] (ScriptName, Applied) values (@scriptName, @applied)', N'@scriptName nvarchar(255), @applied datetime', @scriptName = N'Script0001.sql', @applied = '20260102'
select [ScriptName] from [SchemaVersions] order by [ScriptName]
GO
--@ source: reasoned
IF EXISTS(select 1 from sys.databases where name='Ups') SELECT 1 AS there
IF SERVERPROPERTY('EngineEdition') <> 5 ALTER DATABASE [Ups] SET RECOVERY SIMPLE;
IF (SELECT is_read_committed_snapshot_on FROM sys.databases WHERE name = 'Ups') = 0 PRINT 'locks'
GO
--@ source: documentation ALTER DATABASE SET options
USE [master]
ALTER DATABASE [Ups] SET  READ_WRITE
ALTER DATABASE [Ups] SET READ_ONLY WITH NO_WAIT
ALTER DATABASE [Ups] SET READ_WRITE WITH NO_WAIT
GO
--@ source: documentation sp_detach_db
USE [master]
ALTER DATABASE [Ups] SET SINGLE_USER WITH ROLLBACK IMMEDIATE
EXEC master.dbo.sp_detach_db @dbname = N'Ups'
CREATE DATABASE [Ups] ON ( FILENAME = N'Ups.mdf' ), ( FILENAME = N'Ups_log.ldf' ) FOR ATTACH
if exists (select name from master.sys.databases sd where name = N'Ups' and SUSER_SNAME(sd.owner_sid) = SUSER_SNAME() ) PRINT 'owned'
GO
--@ source: reasoned
IF SERVERPROPERTY('EngineEdition') <> 5
BEGIN
    ALTER DATABASE [Ups] SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
END;
DROP DATABASE [Ups];
SELECT DB_ID('Ups') AS id
GO
--@ source: reasoned
IF EXISTS (SELECT name FROM master.dbo.sysdatabases WHERE name = N'Ups') DROP DATABASE [Ups]
EXEC msdb.dbo.sp_delete_database_backuphistory @database_name = N'Ups'
DROP DATABASE IF EXISTS [Ups]
GO
