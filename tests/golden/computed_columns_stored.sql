-- Computed columns that come to be stored by an index that takes the place of another one.
--@ source: reasoned
CREATE DATABASE ComputedStored
GO
-- An index over a column that rows do not have takes the place of one over another column.
--@ source: documentation CREATE INDEX
USE ComputedStored
CREATE TABLE dbo.plain (a int NOT NULL, v AS a * 2, b varchar(20) NOT NULL, c int NULL)
CREATE INDEX i ON dbo.plain (c)
INSERT dbo.plain (a, b, c) VALUES (1, 'one', 10), (2, 'two', 20)
CREATE INDEX i ON dbo.plain (v) WITH (DROP_EXISTING = ON)
SELECT a, v, b, c FROM dbo.plain ORDER BY a
SELECT a, v FROM dbo.plain WITH (INDEX (i)) WHERE v = 4
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.plain') ORDER BY index_id
DBCC CHECKTABLE ('dbo.plain') WITH NO_INFOMSGS
GO
--@ source: documentation CREATE INDEX
CREATE TABLE dbo.turned (a int NOT NULL, v AS a * 2, b varchar(20) NOT NULL, c int NULL)
CREATE INDEX i ON dbo.turned (c)
INSERT dbo.turned (a, b, c) VALUES (1, 'one', 10), (2, 'two', 20)
CREATE CLUSTERED INDEX i ON dbo.turned (v DESC) WITH (DROP_EXISTING = ON)
SELECT a, v, b, c FROM dbo.turned
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.turned') ORDER BY index_id
DBCC CHECKTABLE ('dbo.turned') WITH NO_INFOMSGS
GO
--@ source: documentation CREATE INDEX
CREATE TABLE dbo.sorted (a int NOT NULL, v AS a * 2, b varchar(20) NOT NULL, c int NULL)
CREATE UNIQUE CLUSTERED INDEX i ON dbo.sorted (c)
CREATE INDEX other ON dbo.sorted (b)
INSERT dbo.sorted (a, b, c) VALUES (1, 'one', 10), (2, 'two', 20)
CREATE UNIQUE CLUSTERED INDEX i ON dbo.sorted (v DESC) WITH (DROP_EXISTING = ON)
SELECT a, v, b, c FROM dbo.sorted
SELECT v FROM dbo.sorted WITH (INDEX (other)) WHERE b = 'two'
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.sorted') ORDER BY index_id
DBCC CHECKTABLE ('dbo.sorted') WITH NO_INFOMSGS
GO
--@ source: reasoned
USE master
DROP DATABASE ComputedStored
GO
