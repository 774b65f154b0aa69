-- Look-ups of other objects beside a load in an open transaction.
--@ source: reasoned
CREATE TABLE other (a int PRIMARY KEY);
CREATE TABLE loaded (a int);
GO
--@ source: reasoned
BEGIN TRAN;
TRUNCATE TABLE loaded;
CREATE TABLE new (a int);
INSERT new VALUES (1);
GO
--@ session two
--@ source: reasoned
SET LOCK_TIMEOUT 0;
SELECT name FROM sys.objects WHERE name = 'zzz';
SELECT name FROM sys.tables WHERE name = 'other';
SELECT name FROM sys.schemas WHERE schema_id = 1;
SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'other';
SELECT c.name FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = 'other';
EXEC sp_tables 'other';
SELECT COL_NAME(OBJECT_ID('other'), 1);
GO
--@ source: message 1222
SELECT name FROM sys.objects WHERE name = 'new';
GO
--@ source: message 1222
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('loaded');
GO
--@ source: message 1222
SELECT COUNT(*) FROM sys.tables;
GO
--@ source: reasoned
SELECT COUNT(*) FROM sys.tables WITH (NOLOCK);
GO
--@ session one
--@ source: reasoned
COMMIT;
GO
--@ session two
--@ source: reasoned
SELECT name FROM sys.tables ORDER BY name;
GO
--@ session one
--@ source: reasoned
DROP TABLE other, loaded, new;
GO
