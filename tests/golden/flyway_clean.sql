-- What Flyway sends: its history, its lock, and clean.
--@ source: reasoned
CREATE DATABASE Fly
GO
--@ source: reasoned
USE Fly
GO
--@ source: reasoned
SELECT SERVERPROPERTY('EngineEdition') AS edition, CAST(SERVERPROPERTY('Collation') AS varchar(128)) AS collation, SUSER_NAME() AS u, SCHEMA_NAME() AS s
GO
--@ source: documentation sp_getapplock
DECLARE @result int; EXEC @result = sp_getapplock @Resource = 'Flyway', @LockOwner = 'Session', @LockMode = 'Exclusive', @LockTimeout = 3600000, @DbPrincipal = 'public'; SELECT @result AS result
GO
--@ source: reasoned
CREATE TABLE [dbo].[flyway_schema_history] (
    [installed_rank] INT NOT NULL,
    [version] NVARCHAR(50),
    [description] NVARCHAR(200),
    [type] NVARCHAR(20) NOT NULL,
    [script] NVARCHAR(1000) NOT NULL,
    [checksum] INT,
    [installed_by] NVARCHAR(100) NOT NULL,
    [installed_on] DATETIME NOT NULL DEFAULT GETDATE(),
    [execution_time] INT NOT NULL,
    [success] BIT NOT NULL
);
ALTER TABLE [dbo].[flyway_schema_history] ADD CONSTRAINT [flyway_schema_history_pk] PRIMARY KEY ([installed_rank]);
CREATE INDEX [flyway_schema_history_s_idx] ON [dbo].[flyway_schema_history] ([success]);
GO
--@ source: reasoned
INSERT INTO [dbo].[flyway_schema_history] ([installed_rank], [version], [description], [type], [script], [checksum], [installed_by], [execution_time], [success]) VALUES (1, N'1', N'init', N'SQL', N'V1__init.sql', -1, N'sa', 5, 1)
SELECT [installed_rank],[version],[description],[type],[script],[checksum],[installed_by],[execution_time],[success] FROM [dbo].[flyway_schema_history] WHERE [installed_rank] > 0 ORDER BY [installed_rank]
GO
--@ source: reasoned
CREATE TABLE parent (id int PRIMARY KEY)
CREATE TABLE child (id int NOT NULL CONSTRAINT df DEFAULT 7 PRIMARY KEY, p int CONSTRAINT fk REFERENCES parent (id))
EXEC ('CREATE PROCEDURE pr AS RETURN')
EXEC ('CREATE VIEW vw AS SELECT id FROM parent')
EXEC sp_releaseapplock @Resource = 'Flyway', @LockOwner = 'Session', @DbPrincipal = 'public'
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM sys.schemas WHERE name = 'dbo'
SELECT t.name FROM sys.types t INNER JOIN sys.schemas s ON t.schema_id = s.schema_id WHERE t.is_user_defined = 1 AND s.name = 'dbo'
SELECT name FROM sys.partition_schemes
SELECT name FROM sys.partition_functions
SELECT * FROM sys.assemblies WHERE is_user_defined = 1
SELECT t.name FROM sys.assembly_types t WHERE t.is_user_defined = 1
SELECT name FROM sys.triggers WHERE is_ms_shipped = 0 AND parent_id = 0 AND parent_class_desc = 'DATABASE'
SELECT name FROM sys.xml_schema_collections WHERE schema_id = SCHEMA_ID('dbo')
GO
--@ source: reasoned
SELECT obj.name, obj.type FROM sys.objects AS obj LEFT JOIN sys.extended_properties AS eps ON obj.object_id = eps.major_id AND eps.class = 1 AND eps.minor_id = 0 AND eps.name='microsoft_database_tools_support' WHERE SCHEMA_NAME(obj.schema_id) = 'dbo' AND eps.major_id IS NULL AND obj.is_ms_shipped = 0 AND obj.type IN ('F') ORDER BY obj.create_date DESC, obj.object_id DESC
SELECT obj.name, obj.type FROM sys.objects AS obj LEFT JOIN sys.extended_properties AS eps ON obj.object_id = eps.major_id AND eps.class = 1 AND eps.minor_id = 0 AND eps.name='microsoft_database_tools_support' WHERE SCHEMA_NAME(obj.schema_id) = 'dbo' AND eps.major_id IS NULL AND obj.is_ms_shipped = 0 AND obj.type IN ('D') AND obj.name = 'df' ORDER BY obj.create_date DESC, obj.object_id DESC
SELECT obj.name, obj.type FROM sys.objects AS obj LEFT JOIN sys.extended_properties AS eps ON obj.object_id = eps.major_id AND eps.class = 1 AND eps.minor_id = 0 AND eps.name='microsoft_database_tools_support' WHERE SCHEMA_NAME(obj.schema_id) = 'dbo' AND eps.major_id IS NULL AND obj.is_ms_shipped = 0 AND obj.type IN ('P', 'FN', 'IF', 'TF', 'V', 'SO', 'SN', 'U') ORDER BY obj.create_date DESC, obj.object_id DESC
SELECT name FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.child')
GO
--@ source: reasoned
ALTER TABLE [dbo].[child] DROP CONSTRAINT [fk]
ALTER TABLE [dbo].[child] DROP CONSTRAINT [df]
DROP PROCEDURE [dbo].[pr]
DROP VIEW [dbo].[vw]
DROP TABLE [dbo].[child]
DROP TABLE [dbo].[parent]
DROP TABLE [dbo].[flyway_schema_history]
SELECT COUNT(*) AS [left] FROM sys.objects WHERE is_ms_shipped = 0
GO
--@ source: reasoned
USE master
DROP DATABASE Fly
GO
