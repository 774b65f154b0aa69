-- SET FMTONLY ON tells the columns of results and changes nothing.
--@ source: reasoned
CREATE DATABASE Format
GO
--@ source: documentation SET FMTONLY
USE Format
CREATE TABLE kept (i int)
INSERT kept VALUES (1)
CREATE TABLE other (i int)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE changes AS
TRUNCATE TABLE kept
DROP TABLE other
SELECT i FROM kept
GO
--@ source: documentation SET FMTONLY
SET FMTONLY ON
TRUNCATE TABLE kept
DROP TABLE other
ALTER TABLE kept ADD j int
CREATE TABLE made (i int)
BEGIN TRAN
EXEC changes
EXEC ('CREATE VIEW v AS SELECT 1 AS a')
SELECT i INTO copied FROM kept
SET FMTONLY OFF
GO
--@ source: documentation SET FMTONLY
CREATE SEQUENCE numbers
GO
--@ source: documentation SET FMTONLY
SET FMTONLY ON
DECLARE @n bigint = NEXT VALUE FOR numbers
SELECT @n = NEXT VALUE FOR numbers
SET FMTONLY OFF
SELECT NEXT VALUE FOR numbers - (SELECT CAST(start_value AS bigint) FROM sys.sequences) AS taken_before
GO
--@ source: documentation SET FMTONLY
SELECT i, @@TRANCOUNT AS open_transactions FROM kept
SELECT name FROM sys.objects WHERE is_ms_shipped = 0 ORDER BY name
GO
--@ source: reasoned
USE master
DROP DATABASE Format
GO
