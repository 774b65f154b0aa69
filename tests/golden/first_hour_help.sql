-- sp_help of procedures, of temp tables from elsewhere, and what is listed.
--@ source: documentation sp_help
CREATE PROCEDURE with_parameters @a int, @b varchar(20) = 'x', @c decimal(9, 2) OUTPUT, @d nvarchar(max) = NULL, @e datetime = NULL, @f uniqueidentifier = NULL, @g float = NULL AS SELECT 1 AS a
GO
--@ source: documentation sp_help
CREATE PROCEDURE without_parameters AS SELECT 1 AS a
GO
--@ source: documentation sp_help
--@ mask Created_datetime
EXEC sp_help 'with_parameters'
EXEC sp_help 'without_parameters'
GO
--@ source: documentation sp_help
--@ mask Created_datetime
CREATE TABLE of_types (i int NOT NULL, v varchar(20), n nvarchar(20) NOT NULL, c char(3) NOT NULL, b varbinary(4), d decimal(9, 2), t datetime, t2 datetime2(3), f float, m money, g uniqueidentifier, f1 bit)
EXEC sp_help 'of_types'
GO
-- Ids are a database's own.
--@ source: message 15009
CREATE TABLE #v (a int)
EXEC sp_help '#v'
GO
--@ source: message 15009
EXEC sp_helpindex '#v'
GO
--@ source: message 15009
EXEC sp_helpconstraint '#v'
GO
--@ source: message 15009
EXEC sp_spaceused '#v'
GO
--@ source: message 15250
EXEC sp_help 'tempdb..#v'
GO
--@ source: message 15250
EXEC sp_spaceused 'master.dbo.nothing'
GO
--@ source: documentation sp_helpindex
EXEC tempdb..sp_helpindex '#v'
DROP TABLE #v
GO
--@ source: documentation sp_help
CREATE VIEW a_view AS SELECT 1 AS a
GO
--@ source: documentation sp_help
CREATE TABLE a_table (a int CONSTRAINT z_default DEFAULT 1)
CREATE TABLE B_table (a int)
EXEC sp_help
GO
--@ source: documentation sp_databases
CREATE TABLE #d (name sysname, size int, remarks varchar(254))
INSERT #d EXEC sp_databases
SELECT name FROM #d WHERE name IN ('master', 'model', 'msdb', 'tempdb')
DROP TABLE #d
DROP TABLE of_types, a_table, B_table
DROP VIEW a_view
DROP PROCEDURE with_parameters, without_parameters
GO
-- Arguments that a procedure of the system does not take.
--@ source: message 8146
EXEC sp_databases 1
GO
--@ source: message 8144
EXEC sp_helpdb 'master', 'model'
GO
--@ source: message 8145
EXEC sp_who @who = 'sa'
GO
