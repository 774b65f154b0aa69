-- Masks that no column can have, one by one.
--@ source: reasoned
CREATE DATABASE g_masks_refused
GO
--@ source: message 16002
USE g_masks_refused
CREATE TABLE dbo.t (a int, b varchar(10), c AS a + 1, r rowversion, v sql_variant, d date)
CREATE TABLE dbo.x (a int MASKED WITH (FUNCTION = 'hide()'))
GO
--@ source: message 16003
CREATE TABLE dbo.x (a int MASKED WITH (FUNCTION = 'email()'))
GO
--@ source: message 16003
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'random(1, 2)')
GO
--@ source: message 16003
ALTER TABLE dbo.t ALTER COLUMN d ADD MASKED WITH (FUNCTION = 'datetime("h")')
GO
--@ source: message 16004
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'partial(1, "x")')
GO
--@ source: message 16004
ALTER TABLE dbo.t ALTER COLUMN a ADD MASKED WITH (FUNCTION = 'default(1)')
GO
--@ source: message 16005
ALTER TABLE dbo.t ALTER COLUMN a ADD MASKED WITH (FUNCTION = 'random(5, 3)')
GO
--@ source: message 16005
ALTER TABLE dbo.t ALTER COLUMN a ADD MASKED WITH (FUNCTION = 'random(1, 3000000000)')
GO
--@ source: message 16005
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'partial(-1, "x", 1)')
GO
--@ source: message 16005
ALTER TABLE dbo.t ALTER COLUMN d ADD MASKED WITH (FUNCTION = 'datetime("y")')
GO
--@ source: message 16006
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'partial(1, "x, 1)')
GO
--@ source: message 16006
ALTER TABLE dbo.t ALTER COLUMN a ADD MASKED WITH (FUNCTION = 'default')
GO
--@ source: message 16001
ALTER TABLE dbo.t ALTER COLUMN v ADD MASKED WITH (FUNCTION = 'default()')
GO
--@ source: message 16001
ALTER TABLE dbo.t ALTER COLUMN r ADD MASKED WITH (FUNCTION = 'default()')
GO
--@ source: message 16007
ALTER TABLE dbo.t ALTER COLUMN b DROP MASKED
GO
--@ source: message 16011
DECLARE @s nvarchar(max) = N'ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = ''partial(1, "' + REPLICATE(CAST('x' AS nvarchar(max)), 4000) + '", 1)'')'
EXEC (@s)
GO
--@ source: message 4924
ALTER TABLE dbo.t ALTER COLUMN z ADD MASKED WITH (FUNCTION = 'default()')
GO
--@ source: message 4928
ALTER TABLE dbo.t ALTER COLUMN c ADD MASKED WITH (FUNCTION = 'default()')
GO
-- What is computed of a column, and an index of it, may have been made of values that the mask is to hide.
--@ source: documentation Dynamic data masking
ALTER TABLE dbo.t ALTER COLUMN a ADD MASKED WITH (FUNCTION = 'default()')
GO
--@ source: documentation Dynamic data masking
CREATE INDEX i ON dbo.t (b)
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'default()')
GO
--@ source: documentation Dynamic data masking
DROP INDEX i ON dbo.t
ALTER TABLE dbo.t ALTER COLUMN b ADD MASKED WITH (FUNCTION = 'default()')
CREATE INDEX i ON dbo.t (b)
SELECT name, masking_function FROM sys.masked_columns
GO
-- A type that the function does not mask.
--@ source: message 16003
CREATE TABLE dbo.u (a varchar(10) MASKED WITH (FUNCTION = 'email()'))
ALTER TABLE dbo.u ALTER COLUMN a int
GO
--@ source: message 16015
CREATE TABLE dbo.base (id int NOT NULL, n int NOT NULL, s int MASKED WITH (FUNCTION = 'default()'))
GO
--@ source: reasoned
CREATE VIEW dbo.over_base WITH SCHEMABINDING AS SELECT id, n FROM dbo.base
GO
--@ source: message 16015
CREATE UNIQUE CLUSTERED INDEX i ON dbo.over_base (id)
GO
-- Neither a variable's table nor a computed column is masked.
--@ source: message 102
DECLARE @t TABLE (a int MASKED WITH (FUNCTION = 'default()'))
GO
--@ source: message 102
CREATE TABLE dbo.x (a int, b AS a MASKED WITH (FUNCTION = 'default()'))
GO
--@ source: message 102
CREATE TABLE dbo.x (a int MASKED WITH (FUNKTION = 'default()'))
GO
--@ source: reasoned
USE master
DROP DATABASE g_masks_refused
GO
