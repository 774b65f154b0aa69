-- SET SHOWPLAN_TEXT and SHOWPLAN_ALL: plans instead of results, and nothing is run.
--@ source: reasoned
CREATE TABLE dbo.s(id int NOT NULL CONSTRAINT pk_s PRIMARY KEY, v int NULL);
INSERT dbo.s VALUES (1, 10), (2, 20);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.shown @id int AS IF @id > 0 SELECT v FROM dbo.s WHERE id = @id ELSE DELETE dbo.s
GO
--@ source: documentation SET SHOWPLAN_TEXT
SET SHOWPLAN_TEXT ON
GO
--@ source: documentation SET SHOWPLAN_TEXT
SELECT v FROM dbo.s WHERE id = 2
GO
--@ source: documentation SET SHOWPLAN_TEXT
DELETE dbo.s WHERE v > 5
INSERT dbo.s VALUES (3, 30)
CREATE TABLE dbo.not_made (id int)
GO
--@ source: documentation SET SHOWPLAN_TEXT
-- A table that would only now be made is not there.
CREATE TABLE dbo.not_made (id int)
SELECT id FROM dbo.not_made
GO
--@ source: reasoned
DECLARE @n int = 1
IF @n = 1 SELECT v FROM dbo.s ELSE PRINT 'no'
WHILE EXISTS (SELECT 1 FROM dbo.s WHERE id = @n) SET @n = @n + 1
GO
--@ source: reasoned
EXEC dbo.shown 1
EXEC sp_executesql N'SELECT 1'
USE tempdb
GO
--@ source: documentation SET SHOWPLAN_TEXT
SET SHOWPLAN_TEXT OFF
GO
--@ source: reasoned
SELECT COUNT(*) AS rows_left, DB_NAME() AS still, OBJECT_ID('dbo.not_made') AS made FROM dbo.s
GO
--@ source: documentation SET SHOWPLAN_ALL
SET SHOWPLAN_ALL ON
GO
--@ source: documentation SET SHOWPLAN_ALL
SELECT v, COUNT(*) AS n FROM dbo.s GROUP BY v ORDER BY v
UPDATE dbo.s SET v = 0
GO
--@ source: documentation SET SHOWPLAN_ALL
SET SHOWPLAN_ALL OFF
GO
--@ source: message 1067
SET SHOWPLAN_TEXT ON
SELECT 1
GO
--@ source: message 1067
IF 1 = 1 SET SHOWPLAN_ALL ON
GO
--@ source: message 1067
CREATE PROCEDURE dbo.shows AS SET SHOWPLAN_ALL ON
GO
--@ source: message 1067
EXEC ('SET SHOWPLAN_ALL ON')
GO
--@ source: reasoned
-- The numbers of plan_of count every statement; text that is none, and names that are not there, raise the errors that they would.
SELECT statement, line, physical FROM taffrail.plan_of(N'PRINT 1
SELECT id FROM dbo.s
IF 1 = 1
  SELECT v FROM dbo.s')
SELECT COUNT(*) AS nothing FROM taffrail.plan_of(NULL)
SELECT name, type FROM sys.all_objects WHERE name = 'plan_of'
GO
--@ source: message 102
SELECT * FROM taffrail.plan_of(N'SELECT FROM')
GO
--@ source: message 208
SELECT * FROM taffrail.plan_of(N'SELECT 1 FROM dbo.nope')
GO
--@ source: message 137
SELECT * FROM taffrail.plan_of(N'SELECT @x')
GO
--@ source: message 313
SELECT * FROM taffrail.plan_of()
GO
--@ source: message 208
SELECT * FROM taffrail.objects
GO
--@ source: reasoned
SELECT v FROM dbo.s ORDER BY id
DROP PROCEDURE dbo.shown
DROP TABLE dbo.s
GO
