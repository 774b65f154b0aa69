-- Functions that give rows wherever a source of FROM may stand.
--@ source: reasoned
CREATE DATABASE FunctionsApplied
GO
--@ source: reasoned
USE FunctionsApplied
CREATE TABLE dbo.line (id int NOT NULL CONSTRAINT pk_line PRIMARY KEY, text varchar(50) NULL)
INSERT dbo.line VALUES (1, 'a,b,c'), (2, 'd'), (3, NULL), (4, 'e,,f')
CREATE TABLE dbo.number (n int NOT NULL CONSTRAINT pk_number PRIMARY KEY)
INSERT dbo.number SELECT value FROM GENERATE_SERIES(1, 100)
GO
-- A splitter over a table of numbers, inline; and one that loops.
--@ source: reasoned
CREATE FUNCTION dbo.split (@text varchar(8000), @by char(1)) RETURNS TABLE WITH SCHEMABINDING AS RETURN
WITH start (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM dbo.number WHERE SUBSTRING(@text, n, 1) = @by)
SELECT ROW_NUMBER() OVER (ORDER BY n) AS place, SUBSTRING(@text, n, ISNULL(NULLIF(CHARINDEX(@by, @text, n), 0) - n, 8000)) AS item FROM start
GO
--@ source: reasoned
CREATE FUNCTION dbo.split_slowly (@text varchar(8000), @by char(1)) RETURNS @r TABLE (place int IDENTITY PRIMARY KEY, item varchar(8000)) AS
BEGIN
    DECLARE @at int
    WHILE @text IS NOT NULL
    BEGIN
        SET @at = CHARINDEX(@by, @text)
        INSERT @r SELECT CASE @at WHEN 0 THEN @text ELSE LEFT(@text, @at - 1) END
        SET @text = CASE @at WHEN 0 THEN NULL ELSE SUBSTRING(@text, @at + 1, 8000) END
    END
    RETURN
END
GO
--@ source: documentation FROM
SELECT l.id, s.place, s.item FROM dbo.line AS l CROSS APPLY dbo.split(l.text, ',') AS s WHERE l.text IS NOT NULL ORDER BY l.id, s.place
SELECT l.id, s.place, s.item FROM dbo.line AS l OUTER APPLY dbo.split_slowly(l.text, ',') AS s ORDER BY l.id, s.place
SELECT l.id FROM dbo.line AS l CROSS APPLY dbo.split_slowly(l.text, ',') AS s WHERE s.item = 'c'
SELECT COUNT(*) AS n FROM dbo.split('x;y', ';') AS a JOIN dbo.split_slowly('y;x', ';') AS b ON a.item = b.item
SELECT a.item, b.item AS other FROM dbo.split('a;b', ';') AS a LEFT JOIN dbo.split_slowly('b;c', ';') AS b ON a.item = b.item ORDER BY a.item
SELECT a.item, b.item AS other FROM dbo.split_slowly('a b', ' ') AS a FULL JOIN dbo.split_slowly('b c', ' ') AS b ON a.item = b.item ORDER BY a.item, other
SELECT a.place, b.place AS other FROM dbo.split_slowly('a b', ' ') AS a, dbo.split_slowly('c d', ' ') AS b ORDER BY 1, 2
SELECT s.item FROM dbo.split_slowly('m n', ' ') AS s WITH (NOLOCK) ORDER BY s.item DESC
GO
-- Subqueries, common table expressions, recursion, set operators, derived tables.
--@ source: reasoned
SELECT l.id, (SELECT MAX(item) FROM dbo.split_slowly(l.text, ',')) AS greatest FROM dbo.line AS l ORDER BY l.id
SELECT id FROM dbo.line AS l WHERE EXISTS (SELECT * FROM dbo.split_slowly(l.text, ',') WHERE item = 'd')
SELECT id FROM dbo.line AS l WHERE 'f' IN (SELECT item FROM dbo.split_slowly(l.text, ',')) OR 'b' IN (SELECT item FROM dbo.split(l.text, ','));
WITH items AS (SELECT l.id, s.item FROM dbo.line AS l CROSS APPLY dbo.split_slowly(l.text, ',') AS s) SELECT id, COUNT(*) AS n FROM items GROUP BY id HAVING COUNT(*) > 1 ORDER BY id;
WITH steps (n, item) AS (SELECT 1, CAST('a' AS varchar(8000)) UNION ALL SELECT n + 1, s.item FROM steps CROSS APPLY dbo.split_slowly('p,q', ',') AS s WHERE n < 3 AND s.place = 2) SELECT n, item FROM steps ORDER BY n
SELECT item FROM dbo.split_slowly('a,b', ',') UNION SELECT item FROM dbo.split('b,c', ',') EXCEPT SELECT 'a' ORDER BY item
SELECT d.item FROM (SELECT TOP 1 item FROM dbo.split_slowly('z,y', ',') ORDER BY place DESC) AS d
SELECT [1] AS first, [2] AS second FROM (SELECT place, item FROM dbo.split_slowly('k,l', ',')) AS s PIVOT (MAX(item) FOR place IN ([1], [2])) AS p
SELECT [1] AS first, [2] AS second FROM dbo.split_slowly('k,l', ',') AS s PIVOT (MAX(item) FOR place IN ([1], [2])) AS p
GO
-- Changes that read functions.
--@ source: reasoned
CREATE TABLE dbo.item (line int NOT NULL, place int NOT NULL, item varchar(20) NULL)
INSERT dbo.item SELECT l.id, s.place, s.item FROM dbo.line AS l CROSS APPLY dbo.split_slowly(l.text, ',') AS s
SELECT s.item, s.place INTO dbo.made FROM dbo.split_slowly('x,y,z', ',') AS s
UPDATE i SET item = s.item + CAST(i.line AS varchar(5)) FROM dbo.item AS i JOIN dbo.split_slowly('A,B,C', ',') AS s ON s.place = i.place
DELETE i FROM dbo.item AS i JOIN dbo.split('2,4', ',') AS s ON s.item = i.line
MERGE dbo.item AS t USING dbo.split_slowly('v,w', ',') AS s ON t.place = s.place AND t.line = 1
WHEN MATCHED THEN UPDATE SET item = s.item
WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT line, place, item FROM dbo.item ORDER BY place
SELECT item, place FROM dbo.made ORDER BY place
GO
-- Cursors, FOR XML, a view, a procedure, a prepared statement, a described one.
--@ source: reasoned
CREATE VIEW dbo.items AS SELECT l.id, s.item FROM dbo.line AS l CROSS APPLY dbo.split_slowly(l.text, ',') AS s
GO
--@ source: reasoned
SELECT id, item FROM dbo.items WHERE id = 4 ORDER BY item
SELECT item FROM dbo.split_slowly('a,b', ',') FOR XML PATH('')
DECLARE c CURSOR LOCAL FOR SELECT item FROM dbo.split_slowly('r,s', ',') ORDER BY place
DECLARE @item varchar(20)
OPEN c
FETCH NEXT FROM c INTO @item
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT @item
    FETCH NEXT FROM c INTO @item
END
CLOSE c
DEALLOCATE c
EXEC sp_executesql N'SELECT item FROM dbo.split_slowly(@t, @b) ORDER BY item', N'@t varchar(20), @b char(1)', 'q;p', ';'
EXEC sp_describe_first_result_set N'SELECT place, item FROM dbo.split_slowly(''a'', '','')'
GO
--@ source: documentation sp_describe_undeclared_parameters
EXEC sp_describe_undeclared_parameters N'SELECT item FROM dbo.split_slowly(@t, @b)'
GO
-- A function is run once for arguments that follow each other, and not again where it is read again.
--@ source: reasoned
CREATE VIEW dbo.new AS SELECT NEWID() AS id
GO
--@ source: reasoned
CREATE FUNCTION dbo.run (@k int) RETURNS @r TABLE (id uniqueidentifier) AS BEGIN INSERT @r SELECT id FROM dbo.new RETURN END
GO
--@ source: reasoned
SELECT COUNT(*) AS n, COUNT(DISTINCT f.id) AS runs FROM dbo.number AS n CROSS APPLY dbo.run((n.n - 1) / 25) AS f
SELECT COUNT(*) AS n, COUNT(DISTINCT f.id) AS runs FROM dbo.number AS n CROSS APPLY dbo.run(n.n) AS f
SELECT COUNT(*) AS n, COUNT(DISTINCT f.id) AS runs FROM dbo.number AS n CROSS JOIN dbo.run(1) AS f
SELECT COUNT(*) AS n, COUNT(DISTINCT x.id) AS runs FROM dbo.number AS n CROSS APPLY (SELECT f.id FROM dbo.number AS i JOIN dbo.run(7) AS f ON i.n = n.n) AS x
GO
-- AdventureWorks' function of persons and what they are.
--@ source: reasoned
CREATE TABLE dbo.person (id int PRIMARY KEY, first nvarchar(50), last nvarchar(50), kind nchar(2))
INSERT dbo.person VALUES (1, N'Ann', N'One', N'EM'), (2, N'Bob', N'Two', N'VC'), (3, N'Cid', N'Three', N'IN')
GO
--@ source: reasoned
CREATE FUNCTION dbo.ufnGetContactInformation (@PersonID int)
RETURNS @retContactInformation TABLE (PersonID int NOT NULL, FirstName nvarchar(50) NULL, LastName nvarchar(50) NULL, JobTitle nvarchar(50) NULL, BusinessEntityType nvarchar(50) NULL)
AS
BEGIN
    IF @PersonID IS NOT NULL
    BEGIN
        IF EXISTS (SELECT * FROM dbo.person AS e WHERE e.id = @PersonID AND e.kind = N'EM')
            INSERT INTO @retContactInformation SELECT @PersonID, p.first, p.last, NULL, N'Employee' FROM dbo.person AS p WHERE p.id = @PersonID;
        IF EXISTS (SELECT * FROM dbo.person AS e WHERE e.id = @PersonID AND e.kind = N'VC')
            INSERT INTO @retContactInformation SELECT @PersonID, first, last, N'Agent', N'Vendor Contact' FROM dbo.person WHERE id = @PersonID;
    END
    RETURN;
END;
GO
--@ source: reasoned
SELECT * FROM dbo.ufnGetContactInformation(2)
SELECT p.id, c.FirstName, c.BusinessEntityType FROM dbo.person AS p OUTER APPLY dbo.ufnGetContactInformation(p.id) AS c ORDER BY p.id
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsApplied
GO
