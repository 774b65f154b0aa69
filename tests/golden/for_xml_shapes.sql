-- FOR XML: AUTO by tables, RAW with elements, PATH with paths and tests of nodes, NULL, binary, names.
--@ source: documentation Use AUTO mode with FOR XML
CREATE TABLE dbo.fx_c (CustomerID int NOT NULL PRIMARY KEY, Type char(1) NULL)
CREATE TABLE dbo.fx_o (OrderID int NOT NULL PRIMARY KEY, CustomerID int NULL, Status int NULL, Note xml NULL, Bin varbinary(5) NULL)
INSERT dbo.fx_c VALUES (1, 'S'), (2, NULL), (3, 'T')
INSERT dbo.fx_o VALUES (10, 1, 5, '<n>a</n>', 0x0102), (11, 1, 6, NULL, NULL), (20, 2, 5, NULL, 0xFF)
GO
--@ source: documentation Use AUTO mode with FOR XML
SELECT Cust.CustomerID, OrderHeader.CustomerID, OrderHeader.OrderID, OrderHeader.Status, Cust.Type FROM dbo.fx_c Cust JOIN dbo.fx_o OrderHeader ON Cust.CustomerID = OrderHeader.CustomerID
    ORDER BY Cust.CustomerID, OrderID FOR XML AUTO
SELECT Cust.CustomerID, OrderID, Status FROM dbo.fx_c Cust JOIN dbo.fx_o o ON Cust.CustomerID = o.CustomerID ORDER BY OrderID FOR XML AUTO, ELEMENTS
SELECT CustomerID, Type FROM dbo.fx_c ORDER BY CustomerID FOR XML AUTO, ROOT ('all')
SELECT Cust.CustomerID, o.OrderID FROM dbo.fx_c Cust LEFT JOIN dbo.fx_o o ON Cust.CustomerID = o.CustomerID ORDER BY Cust.CustomerID, o.OrderID FOR XML AUTO, TYPE
SELECT CustomerID, Type FROM dbo.fx_c WHERE CustomerID = 2 FOR XML AUTO, ELEMENTS XSINIL
SELECT CustomerID, CustomerID * 2 AS twice FROM fx_c WHERE CustomerID = 1 FOR XML AUTO
SELECT COUNT(*) AS n FROM dbo.fx_c AS counted FOR XML AUTO
SELECT OrderID, Bin, Note FROM dbo.fx_o ORDER BY OrderID FOR XML AUTO, BINARY BASE64
GO
--@ source: documentation Use RAW mode with FOR XML
SELECT CustomerID, Type FROM dbo.fx_c ORDER BY CustomerID FOR XML RAW, ELEMENTS XSINIL
SELECT CustomerID, Type FROM dbo.fx_c ORDER BY CustomerID FOR XML RAW ('c'), ELEMENTS XSINIL, ROOT ('r')
SELECT CustomerID, Type FROM dbo.fx_c WHERE CustomerID = 2 FOR XML RAW, ELEMENTS ABSENT
SELECT OrderID, Note FROM dbo.fx_o ORDER BY OrderID FOR XML RAW
SELECT OrderID, Bin FROM dbo.fx_o ORDER BY OrderID FOR XML RAW, BINARY BASE64
SELECT 1 AS [a b], 2 AS [1c], 3 AS [x_x0020_] FOR XML RAW
GO
--@ source: documentation Columns with a Name
SELECT 1 AS '@id', 'x' AS 'Name/First', 'y' AS 'Name/Last', 'z' AS 'Name/@never' FOR XML PATH
GO
--@ source: documentation Columns with a Name
SELECT 1 AS '@id', 'm' AS 'Name/@kind', 'x' AS 'Name/First', 'y' AS 'Name/Last', 'c' AS 'City', 'w' AS 'Name/Other' FOR XML PATH ('p')
SELECT NULL AS 'a/b', 1 AS 'c', NULL AS 'd' FOR XML PATH
SELECT NULL AS 'a/b', 1 AS 'c', NULL AS 'd' FOR XML PATH, ELEMENTS XSINIL
SELECT 'a' AS x, 'b' AS x FOR XML PATH
SELECT 1 AS 'a/b/c', 2 AS 'a/b/d', 3 AS 'a/e' FOR XML PATH (''), ROOT ('r')
GO
--@ source: documentation Columns with the Name of an XPath Node Test
SELECT 'Example of text' AS 'text()', 'a comment' AS 'comment()', 'an instruction' AS 'processing-instruction(PI)', CAST('<e/>' AS xml) AS 'node()', 'n' AS '*', 'last' AS 'x/text()' FOR XML PATH
SELECT (SELECT OrderID AS 'data()' FROM dbo.fx_o ORDER BY OrderID FOR XML PATH ('')) AS '@orders', 'a' AS 'data()', NULL AS 'data()', 'b' AS 'data()' FOR XML PATH ('p')
SELECT OrderID AS 'data()' FROM dbo.fx_o ORDER BY OrderID FOR XML PATH ('')
SELECT CAST('<e>1</e>' AS xml), CAST('<f/>' AS xml) AS g, CAST('<h/>' AS xml) AS '*' FOR XML PATH
SELECT Bin FROM dbo.fx_o WHERE OrderID = 10 FOR XML PATH
GO
--@ source: documentation TYPE Directive in FOR XML Queries
SELECT c.CustomerID AS '@id', (SELECT o.OrderID AS '@n', o.Status FROM dbo.fx_o o WHERE o.CustomerID = c.CustomerID ORDER BY o.OrderID FOR XML PATH ('o'), TYPE) AS orders FROM dbo.fx_c c ORDER BY c.CustomerID FOR XML PATH ('c'), ROOT ('cs')
SELECT c.CustomerID, (SELECT OrderID FROM dbo.fx_o o WHERE o.CustomerID = c.CustomerID ORDER BY OrderID FOR XML AUTO, TYPE) FROM dbo.fx_c c ORDER BY CustomerID FOR XML AUTO, TYPE
SELECT (SELECT CustomerID FROM dbo.fx_c WHERE 1 = 0 FOR XML AUTO, TYPE) AS nothing, (SELECT CustomerID FROM dbo.fx_c WHERE 1 = 0 FOR XML PATH, ROOT ('r')) AS no_root
DECLARE @x xml = (SELECT CustomerID FROM dbo.fx_c ORDER BY CustomerID FOR XML AUTO, TYPE)
SELECT @x.value('count(/dbo.fx_c)', 'int') AS c
GO
--@ source: message 6800
SELECT 1 AS a FOR XML AUTO
GO
--@ source: message 6809
SELECT CustomerID + 1 FROM dbo.fx_c FOR XML AUTO
GO
--@ source: message 6810
SELECT 1 AS a, 2 AS a FOR XML RAW
GO
--@ source: message 6829
SELECT OrderID, Bin FROM dbo.fx_o FOR XML RAW
GO
--@ source: message 6849
SELECT 1 AS 'a//b' FOR XML PATH
GO
--@ source: message 6850
SELECT 1 AS 'a b' FOR XML PATH
GO
--@ source: message 6851
SELECT CAST('<a/>' AS xml) AS '@a' FOR XML PATH
GO
--@ source: message 6853
SELECT CAST('<a/>' AS xml) AS 'text()' FOR XML PATH
GO
--@ source: message 6854
SELECT 1 AS 'processing-instruction()' FOR XML PATH
GO
--@ source: message 6861
SELECT 1 AS a FOR XML PATH, ROOT ('')
GO
--@ source: message 40510
SELECT 1 AS Tag, NULL AS Parent, 1 AS [a!1!b] FOR XML EXPLICIT
GO
--@ source: message 40510
SELECT CustomerID FROM dbo.fx_c FOR XML RAW, XMLSCHEMA
GO
--@ source: reasoned
DROP TABLE dbo.fx_c, dbo.fx_o
GO
