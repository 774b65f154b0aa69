-- A database leaves with its files, and comes back under the same name or another.
--@ source: reasoned
CREATE DATABASE Moves ON (NAME = Moves, FILENAME = 'moves.mdf', SIZE = 4MB) LOG ON (NAME = Moves_log, FILENAME = 'moves.ldf', SIZE = 1MB)
GO
--@ source: reasoned
USE Moves
CREATE TABLE t (a int IDENTITY PRIMARY KEY, b varchar(10))
INSERT t VALUES ('one'), ('two')
GO
--@ source: message 3703
EXEC sp_detach_db 'Moves'
GO
--@ source: reasoned
USE master
GO
--@ source: message 15354
EXEC sp_detach_db
EXEC sp_detach_db 'Moves', 'perhaps'
GO
--@ source: message 15010
EXEC sp_detach_db 'Nowhere'
GO
--@ source: message 7940
EXEC sp_detach_db 'msdb'
GO
--@ source: message 15002
BEGIN TRANSACTION
EXEC sp_detach_db 'Moves'
ROLLBACK
GO
--@ source: documentation sp_detach_db
ALTER DATABASE Moves SET SINGLE_USER WITH ROLLBACK IMMEDIATE
EXEC sp_detach_db @dbname = N'Moves', @skipchecks = 'true', @keepfulltextindexfile = N'true'
SELECT DB_ID('Moves') AS id, (SELECT COUNT(*) FROM sys.databases WHERE name = 'Moves') AS n
GO
--@ source: message 911
USE Moves
GO
--@ source: documentation CREATE DATABASE
CREATE DATABASE Moved ON (FILENAME = 'moves.mdf'), (FILENAME = 'moves.ldf') FOR ATTACH
GO
--@ source: documentation sp_detach_db
SELECT name, user_access_desc, state_desc FROM sys.databases WHERE name IN ('Moves', 'Moved')
SELECT * FROM Moved.dbo.t
INSERT Moved.dbo.t VALUES ('three')
SELECT SCOPE_IDENTITY() AS next
GO
--@ source: message 1801
CREATE DATABASE Moved ON (FILENAME = 'moves.mdf') FOR ATTACH
GO
--@ source: message 5133
CREATE DATABASE Missing ON (FILENAME = 'no/such/missing.mdf') FOR ATTACH
GO
--@ source: message 1829
CREATE DATABASE Missing FOR ATTACH
GO
--@ source: message 1812
CREATE DATABASE Missing ON (FILENAME = 'moves.mdf') COLLATE Latin1_General_CI_AS FOR ATTACH
GO
--@ source: message 226
BEGIN TRANSACTION
CREATE DATABASE Missing ON (FILENAME = 'moves.mdf') FOR ATTACH
ROLLBACK
GO
--@ source: reasoned
CREATE DATABASE Missing ON (FILENAME = 'moves.mdf') FOR ATTACH_REBUILD_LOG
GO
--@ source: documentation sp_attach_db
EXEC sp_detach_db 'Moved'
EXEC sp_attach_db @dbname = N'Moves', @filename1 = N'moves.mdf', @filename2 = N'moves.ldf'
SELECT COUNT(*) AS rows FROM Moves.dbo.t
GO
--@ source: documentation sp_attach_single_file_db
ALTER DATABASE Moves SET OFFLINE
EXEC sp_detach_db 'Moves', 'false'
EXEC sp_attach_single_file_db 'Moves', 'moves.mdf'
SELECT COUNT(*) AS rows FROM Moves.dbo.t
GO
--@ source: reasoned
EXEC sp_detach_db 'Moves'
EXEC sp_attach_db 'Moves', 'no/such/moves.mdf'
GO
--@ source: message 201
EXEC sp_attach_db 'Moves'
GO
--@ source: reasoned
CREATE DATABASE Moves ON (FILENAME = 'moves.mdf') LOG ON (FILENAME = 'moves.ldf') FOR ATTACH
DROP DATABASE Moves
GO
