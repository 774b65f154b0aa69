-- Masks in definitions of columns, and what the catalogue says of them.
--@ source: reasoned
CREATE DATABASE g_masks
GO
--@ source: documentation Dynamic data masking
USE g_masks
CREATE TABLE dbo.membership (
    id int IDENTITY(1, 1) NOT NULL CONSTRAINT pk_membership PRIMARY KEY,
    first_name varchar(100) MASKED WITH (FUNCTION = 'partial(1, "xxxxx", 1)') NULL,
    last_name varchar(100) NOT NULL,
    phone varchar(12) MASKED WITH (FUNCTION = 'default()') NULL,
    email varchar(100) MASKED WITH (FUNCTION = 'email()') NOT NULL,
    discount smallint MASKED WITH (FUNCTION = 'random(1, 100)') NULL,
    born datetime MASKED WITH (FUNCTION = 'datetime("Y")') NULL)
SELECT name, is_masked FROM sys.columns WHERE object_id = OBJECT_ID('dbo.membership') ORDER BY column_id
SELECT t.name AS table_name, c.name, c.is_masked, c.masking_function FROM sys.masked_columns AS c JOIN sys.tables AS t ON t.object_id = c.object_id WHERE is_masked = 1 ORDER BY c.column_id
INSERT dbo.membership (first_name, last_name, phone, email, discount, born) VALUES
('Roberto', 'Tamburello', '555.123.4567', 'RTamburello@contoso.com', 10, '1985-01-25T03:25:05'), ('Janice', 'Galvin', NULL, 'JGalvin@contoso.com.co', NULL, NULL)
CREATE USER reader WITHOUT LOGIN
GRANT SELECT ON dbo.membership TO reader
EXECUTE AS USER = 'reader'
SELECT id, first_name, last_name, phone, email, CASE WHEN discount IS NULL THEN NULL ELSE 0 END AS discount, born FROM dbo.membership
REVERT
SELECT * FROM dbo.membership
GO
-- A mask comes to a column that is there, is changed and goes; the statement acts at once, and a rollback takes it back.
--@ source: documentation ALTER TABLE
ALTER TABLE dbo.membership ALTER COLUMN last_name ADD MASKED WITH (FUNCTION = 'partial(2,"xxxx",0)')
EXECUTE AS USER = 'reader'
SELECT last_name FROM dbo.membership
REVERT
ALTER TABLE dbo.membership ALTER COLUMN last_name varchar(100) MASKED WITH (FUNCTION = 'default()')
EXECUTE AS USER = 'reader'
SELECT last_name FROM dbo.membership
REVERT
SELECT name, is_nullable, masking_function FROM sys.masked_columns WHERE name = 'last_name'
BEGIN TRAN
ALTER TABLE dbo.membership ALTER COLUMN last_name DROP MASKED
SELECT name FROM sys.masked_columns WHERE name = 'last_name'
ROLLBACK
EXECUTE AS USER = 'reader'
SELECT last_name FROM dbo.membership
REVERT
ALTER TABLE dbo.membership ALTER COLUMN last_name DROP MASKED
EXECUTE AS USER = 'reader'
SELECT last_name FROM dbo.membership
REVERT
SELECT name FROM sys.masked_columns WHERE name = 'last_name'
GO
-- A new column may be masked; a new type keeps the mask, and so does a new name. A column that goes takes it along.
--@ source: reasoned
ALTER TABLE dbo.membership ADD city nvarchar(20) MASKED WITH (FUNCTION = 'partial(1,"-",1)') NULL
ALTER TABLE dbo.membership ALTER COLUMN phone nvarchar(30)
EXEC sp_rename 'dbo.membership.phone', 'telephone', 'COLUMN'
SELECT name, masking_function FROM sys.masked_columns ORDER BY column_id
GO
--@ source: reasoned
UPDATE dbo.membership SET city = 'Utrecht'
EXECUTE AS USER = 'reader'
SELECT telephone, city FROM dbo.membership
REVERT
ALTER TABLE dbo.membership DROP COLUMN city
ALTER TABLE dbo.membership ADD city nvarchar(20)
SELECT name, masking_function FROM sys.masked_columns ORDER BY column_id
GO
-- A table with a history has the mask in both, and so it stays.
--@ source: message 13581
CREATE TABLE dbo.wage (id int PRIMARY KEY, amount int MASKED WITH (FUNCTION = 'default()'),
    since datetime2 GENERATED ALWAYS AS ROW START, until datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (since, until))
    WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.wage_before))
INSERT dbo.wage (id, amount) VALUES (1, 100)
UPDATE dbo.wage SET amount = 200
SELECT OBJECT_NAME(object_id) AS t, name, masking_function FROM sys.masked_columns WHERE name = 'amount' ORDER BY t
GRANT SELECT ON dbo.wage TO reader
GRANT SELECT ON dbo.wage_before TO reader
EXECUTE AS USER = 'reader'
SELECT id, amount FROM dbo.wage
SELECT id, amount FROM dbo.wage_before
SELECT id, amount FROM dbo.wage FOR SYSTEM_TIME ALL
REVERT
SELECT amount FROM dbo.wage FOR SYSTEM_TIME ALL ORDER BY amount
ALTER TABLE dbo.wage ALTER COLUMN amount ADD MASKED WITH (FUNCTION = 'random(5, 5)')
SELECT OBJECT_NAME(object_id) AS t, name, masking_function FROM sys.masked_columns WHERE name = 'amount' ORDER BY t
EXECUTE AS USER = 'reader'
SELECT id, amount FROM dbo.wage FOR SYSTEM_TIME ALL
REVERT
ALTER TABLE dbo.wage SET (SYSTEM_VERSIONING = OFF)
ALTER TABLE dbo.wage_before ALTER COLUMN amount DROP MASKED
ALTER TABLE dbo.wage SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.wage_before))
GO
-- A temporary table's masks are asked for in tempdb.
--@ source: reasoned
CREATE TABLE #t (a int MASKED WITH (FUNCTION = 'default()'))
INSERT #t VALUES (7)
SELECT a FROM #t
EXECUTE AS USER = 'reader'
SELECT a FROM #t
REVERT
DROP TABLE #t
GO
--@ source: reasoned
USE master
DROP DATABASE g_masks
GO
