-- FOR SYSTEM_TIME: the versions of rows that were valid at a moment or in a span, of tables whose history has fixed times.
--@ source: reasoned
CREATE DATABASE Versions
GO
--@ source: documentation Create a system-versioned temporal table
USE Versions
CREATE TABLE dbo.p (id int NOT NULL CONSTRAINT p_pk PRIMARY KEY, price int NOT NULL, s datetime2(0) NOT NULL, e datetime2(0) NOT NULL)
CREATE TABLE dbo.p_old (id int NOT NULL, price int NOT NULL, s datetime2(0) NOT NULL, e datetime2(0) NOT NULL)
INSERT dbo.p VALUES (1, 12, '2020-03-01', '9999-12-31 23:59:59'), (2, 20, '2020-01-15', '9999-12-31 23:59:59')
INSERT dbo.p_old VALUES (1, 10, '2020-01-01', '2020-02-01'), (1, 11, '2020-02-01', '2020-03-01'), (3, 30, '2020-01-10', '2020-02-10'), (3, 31, '2020-02-10', '2020-02-10')
ALTER TABLE dbo.p ADD PERIOD FOR SYSTEM_TIME (s, e)
ALTER TABLE dbo.p SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.p_old))
SELECT name, temporal_type_desc, OBJECT_NAME(history_table_id) AS history FROM sys.tables ORDER BY name
GO
-- AS OF: the start belongs to the period, the end does not. FROM … TO leaves out what begins at its end, BETWEEN has it.
--@ source: documentation Query data in a system-versioned temporal table
SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-01-01' ORDER BY id
SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-02-01' ORDER BY id
SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-02-10' ORDER BY id
SELECT id, price FROM dbo.p FOR SYSTEM_TIME FROM '2020-02-01' TO '2020-03-01' ORDER BY id, price
SELECT id, price FROM dbo.p FOR SYSTEM_TIME BETWEEN '2020-02-01' AND '2020-03-01' ORDER BY id, price
SELECT id, price FROM dbo.p FOR SYSTEM_TIME CONTAINED IN ('2020-01-01', '2020-02-10') ORDER BY id, price
SELECT id, price, s, e FROM dbo.p FOR SYSTEM_TIME ALL ORDER BY id, price
SELECT id, price FROM dbo.p ORDER BY id
GO
-- Moments of variables and parameters. NULL, and a span that ends before it begins, have no rows.
--@ source: documentation FROM clause plus JOIN, APPLY, PIVOT
DECLARE @t datetime2 = '2020-02-15', @from date = '2020-02-05', @to varchar(30) = '2020-02-20'
SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF @t ORDER BY id
SELECT id, price FROM dbo.p FOR SYSTEM_TIME BETWEEN @from AND @to ORDER BY id, price
SELECT COUNT(*) AS n FROM dbo.p FOR SYSTEM_TIME BETWEEN @to AND @from
SET @t = NULL
SELECT COUNT(*) AS n FROM dbo.p FOR SYSTEM_TIME AS OF @t
EXEC sp_executesql N'SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF @at ORDER BY id', N'@at datetime2', '2020-01-20'
GO
-- Aliases and joins: each table of a query has versions of its own.
--@ source: documentation Query data in a system-versioned temporal table
SELECT old.id, old.price AS was, new.price AS is_now FROM dbo.p FOR SYSTEM_TIME AS OF '2020-01-20' AS old LEFT JOIN dbo.p AS new ON new.id = old.id ORDER BY old.id
SELECT a.id, a.price, b.price AS later FROM dbo.p FOR SYSTEM_TIME ALL a JOIN dbo.p FOR SYSTEM_TIME ALL b ON b.id = a.id AND b.s = a.e ORDER BY a.id, a.price
SELECT p.id, COUNT(*) AS versions, MIN(p.price) AS least FROM dbo.p FOR SYSTEM_TIME ALL AS p GROUP BY p.id ORDER BY p.id
SELECT id FROM dbo.p AS o WHERE EXISTS (SELECT * FROM dbo.p FOR SYSTEM_TIME AS OF '2020-01-02' AS i WHERE i.id = o.id);
WITH c AS (SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-02-05') SELECT * FROM c ORDER BY id
SELECT id, price INTO dbo.kept FROM dbo.p FOR SYSTEM_TIME AS OF '2020-02-01'
SELECT COUNT(*) AS n FROM dbo.kept
GO
-- A view: all tables in it that keep history, and none that does not.
--@ source: documentation Query data in a system-versioned temporal table
CREATE TABLE dbo.names (id int PRIMARY KEY, name varchar(10))
INSERT dbo.names VALUES (1, 'one'), (2, 'two'), (3, 'three')
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT n.name, p.price FROM dbo.names n JOIN dbo.p p ON p.id = n.id
GO
--@ source: reasoned
CREATE VIEW dbo.w AS SELECT name, price * 2 AS twice FROM dbo.v
GO
--@ source: reasoned
CREATE VIEW dbo.plain AS SELECT name FROM dbo.names
GO
--@ source: reasoned
CREATE FUNCTION dbo.priced (@at datetime2) RETURNS TABLE AS RETURN SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF @at
GO
--@ source: reasoned
CREATE VIEW dbo.asked AS SELECT id FROM dbo.p FOR SYSTEM_TIME ALL
GO
--@ source: documentation Query data in a system-versioned temporal table
SELECT * FROM dbo.v ORDER BY price
SELECT * FROM dbo.v FOR SYSTEM_TIME AS OF '2020-02-01' ORDER BY price
DECLARE @t datetime2 = '2020-01-05'
SELECT * FROM dbo.w FOR SYSTEM_TIME AS OF @t AS x ORDER BY twice
SELECT * FROM dbo.priced('2020-01-20') ORDER BY id
SELECT COUNT(*) AS n FROM dbo.asked
GO
--@ source: message 13544
SELECT * FROM dbo.plain FOR SYSTEM_TIME ALL
GO
--@ source: message 13544
SELECT * FROM dbo.names FOR SYSTEM_TIME AS OF '2020-01-01'
GO
--@ source: message 13544
SELECT * FROM dbo.p_old FOR SYSTEM_TIME ALL
GO
--@ source: message 13590
SELECT * FROM dbo.asked FOR SYSTEM_TIME ALL
GO
-- A moment is a literal or a variable.
--@ source: documentation FROM clause plus JOIN, APPLY, PIVOT
SELECT * FROM dbo.p FOR SYSTEM_TIME AS OF GETDATE()
GO
--@ source: message 206
SELECT * FROM dbo.p FOR SYSTEM_TIME AS OF 1
GO
-- A change reads old versions, and changes current rows.
--@ source: documentation Modify data in a system-versioned temporal table
UPDATE dbo.p SET price = History.price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-01-20' AS History WHERE History.id = p.id AND p.id = 1
INSERT dbo.p (id, price) SELECT id, price FROM dbo.p FOR SYSTEM_TIME AS OF '2020-01-20' WHERE id NOT IN (SELECT id FROM dbo.p)
SELECT id, price FROM dbo.p ORDER BY id
SELECT id, price, s FROM dbo.p_old WHERE id = 1 ORDER BY s
GO
-- A view that is bound to its tables: it has no index, and versioning stays on.
--@ source: documentation Stop system-versioning on a system-versioned temporal table
CREATE VIEW dbo.bound WITH SCHEMABINDING AS SELECT id, price FROM dbo.p FOR SYSTEM_TIME ALL
GO
--@ source: message 40510
CREATE UNIQUE CLUSTERED INDEX i ON dbo.bound (id)
GO
--@ source: message 3729
ALTER TABLE dbo.p SET (SYSTEM_VERSIONING = OFF)
GO
--@ source: reasoned
USE master
DROP DATABASE Versions
GO
