-- The ON of a join names what is joined there; what stands before it in FROM, behind a comma or outside of the parentheses, it does not see.
--@ source: message 4104
CREATE TABLE dbo.a(id int, x int); CREATE TABLE dbo.b(id int, y int); CREATE TABLE dbo.c(id int, z int);
INSERT dbo.a VALUES (1, 1), (2, 2); INSERT dbo.b VALUES (1, 1), (2, 2); INSERT dbo.c VALUES (1, 1), (3, 3);
GO
--@ source: message 4104
SELECT * FROM dbo.a, dbo.b JOIN dbo.c ON a.id = c.id;
GO
--@ source: message 207
SELECT * FROM dbo.a, dbo.b LEFT JOIN dbo.c ON x = c.id;
GO
--@ source: message 4104
SELECT * FROM dbo.a JOIN dbo.b JOIN dbo.c ON a.id = c.id ON a.id = b.id;
GO
--@ source: message 4104
SELECT * FROM dbo.a JOIN dbo.b ON EXISTS (SELECT 1 FROM dbo.c WHERE c.id = a.id) CROSS JOIN dbo.c AS d, dbo.b AS e JOIN dbo.c AS f ON EXISTS (SELECT 1 WHERE e.id = d.id);
GO
--@ source: message 4104
UPDATE dbo.a SET x = 0 FROM dbo.a, dbo.b JOIN dbo.c ON a.id = c.id;
DELETE dbo.a FROM dbo.a, dbo.b JOIN dbo.c ON a.id = c.id;
GO
--@ source: reasoned
SELECT a.id, y, z FROM dbo.a JOIN dbo.b JOIN dbo.c ON b.id = c.id ON a.id = b.id;
SELECT a.id, y, z FROM dbo.a, dbo.b JOIN dbo.c ON b.id = c.id WHERE a.id = c.id;
SELECT a.id, d.y FROM dbo.a CROSS APPLY (SELECT b.y FROM dbo.b LEFT JOIN dbo.c ON c.id = a.id WHERE b.id = a.id) AS d ORDER BY 1;
SELECT (SELECT COUNT(*) FROM dbo.b JOIN dbo.c ON c.id = a.id) AS n FROM dbo.a ORDER BY 1;
GO
--@ source: reasoned
DROP TABLE dbo.a, dbo.b, dbo.c;
GO
