-- A qualified star may name a table of a query around: its columns are taken as single ones would be.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE dbo.o (id int NOT NULL, n int NULL, v varchar(5) NULL)
INSERT dbo.o VALUES (1, 10, 'a'), (2, NULL, 'b'), (3, 30, NULL)
CREATE TABLE dbo.p (id int NOT NULL, n int NULL, v varchar(5) NULL)
INSERT dbo.p VALUES (1, 10, 'a'), (2, NULL, 'b'), (3, 31, NULL)
GO
--@ source: reasoned
-- The text of a row.
SELECT id, (SELECT a.* FOR XML RAW) AS x, (SELECT a.* FOR JSON PATH, WITHOUT_ARRAY_WRAPPER) AS j FROM dbo.o AS a ORDER BY id
GO
--@ source: reasoned
-- Rows that differ, NULLs being alike.
SELECT a.id FROM dbo.o AS a JOIN dbo.p AS b ON b.id = a.id WHERE EXISTS (SELECT a.* EXCEPT SELECT b.*) ORDER BY a.id
SELECT a.id FROM dbo.o AS a JOIN dbo.p AS b ON b.id = a.id WHERE EXISTS (SELECT a.* INTERSECT SELECT b.*) ORDER BY a.id
GO
--@ source: reasoned
-- Of APPLY, beside columns of its own.
SELECT z.* FROM dbo.o AS a CROSS APPLY (SELECT a.*, a.id * 2 AS twice) AS z ORDER BY z.id
GO
--@ source: reasoned
-- The nearest table of the name counts; a derived table sees nothing of its neighbours; one that there is nowhere is told.
SELECT (SELECT COUNT(*) FROM (SELECT a.* FROM dbo.p AS a WHERE a.id > 1) AS d) AS n FROM dbo.o AS a WHERE a.id = 1
GO
--@ source: reasoned
SELECT * FROM dbo.o AS a CROSS JOIN (SELECT a.*) AS z
GO
--@ source: reasoned
SELECT (SELECT c.* FOR XML RAW) FROM dbo.o AS a
GO
--@ source: reasoned
DROP TABLE dbo.o, dbo.p
GO
