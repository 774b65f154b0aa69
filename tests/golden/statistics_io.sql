-- SET STATISTICS IO: a line for each table that a statement has touched.
--@ source: reasoned
CREATE TABLE dbo.touched (id int NOT NULL PRIMARY KEY, a int NOT NULL, pad char(2000) NOT NULL)
CREATE TABLE dbo.partners (id int NOT NULL PRIMARY KEY, touched_id int NOT NULL REFERENCES dbo.touched, t varchar(max) NULL)
INSERT dbo.touched SELECT value, value % 3, 'p' FROM GENERATE_SERIES(1, 40)
INSERT dbo.partners SELECT value, value, REPLICATE(CONVERT(varchar(max), 'x'), 20000) FROM GENERATE_SERIES(1, 4)
GO
-- The statement that switches it on tells nothing, one whole unique key counts as no scan.
--@ source: documentation SET STATISTICS IO
SET STATISTICS IO ON
SELECT a FROM dbo.touched WHERE id = 7
SELECT COUNT(*) AS n FROM dbo.touched
SELECT COUNT(*) AS n FROM dbo.touched WHERE id BETWEEN 1 AND 8
SELECT COUNT(*) AS n FROM dbo.touched WHERE id IN (1, 20, 40)
GO
-- A join, a hash of rows, large values.
--@ source: documentation SET STATISTICS IO
SELECT p.id, t.a FROM dbo.partners AS p JOIN dbo.touched AS t ON t.id = p.touched_id WHERE p.id = 2
SELECT a, COUNT(*) AS n FROM dbo.touched GROUP BY a ORDER BY a
SELECT LEN(t) AS n FROM dbo.partners WHERE id = 1
GO
-- Changes count for the table and for those that its foreign keys ask.
--@ source: reasoned
INSERT dbo.partners VALUES (10, 40, NULL)
UPDATE dbo.touched SET a = 9 WHERE id = 3
DELETE dbo.partners WHERE id = 10
GO
-- Conditions, variables, temporary tables, procedures; nothing for what reads no table.
--@ source: reasoned
IF EXISTS (SELECT * FROM dbo.touched WHERE id = 5) PRINT 'five'
DECLARE @n int = (SELECT COUNT(*) FROM dbo.partners)
PRINT @n
SELECT @n AS n
EXEC ('SELECT id FROM dbo.partners WHERE id = 3')
GO
-- The build of an index scans its table.
--@ source: reasoned
CREATE INDEX by_a ON dbo.touched (a)
GO
--@ source: documentation SET STATISTICS IO
SET STATISTICS IO OFF
SELECT a FROM dbo.touched WHERE id = 7
DROP TABLE dbo.partners, dbo.touched
