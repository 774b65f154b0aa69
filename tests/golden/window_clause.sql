-- The clause WINDOW names windows for OVER; TRIM from one side.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE dbo.detail (SalesOrderID int, ProductID int, OrderQty smallint)
INSERT dbo.detail VALUES (43659, 711, 4), (43659, 712, 2), (43659, 714, 3), (43659, 716, 1), (43664, 714, 1), (43664, 716, 1)
CREATE SEQUENCE dbo.numbers AS int
GO
--@ source: documentation SELECT - WINDOW clause
SELECT SalesOrderID AS OrderNumber, ProductID, OrderQty AS Qty, SUM(OrderQty) OVER win AS Total, AVG(OrderQty) OVER (win PARTITION BY SalesOrderID) AS Avg, COUNT(OrderQty) OVER (win ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS Count
FROM dbo.detail WHERE SalesOrderID IN (43659, 43664) AND ProductID LIKE '71%' WINDOW win AS (ORDER BY SalesOrderID, ProductID)
SELECT SalesOrderID AS OrderNumber, ProductID, OrderQty AS Qty, SUM(OrderQty) OVER win2 AS Total, AVG(OrderQty) OVER win1 AS Avg
FROM dbo.detail WHERE SalesOrderID IN (43659, 43664) AND ProductID LIKE '71%'
WINDOW win1 AS (win3), win2 AS (ORDER BY SalesOrderID, ProductID), win3 AS (win2 PARTITION BY SalesOrderID)
GO
--@ source: reasoned
SELECT SalesOrderID, SUM(OrderQty) AS qty, RANK() OVER w AS place FROM dbo.detail GROUP BY SalesOrderID HAVING SUM(OrderQty) > 1 WINDOW w AS (ORDER BY SUM(OrderQty) DESC) ORDER BY place
SELECT ProductID, ROW_NUMBER() OVER w AS n, LAST_VALUE(ProductID) OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS last, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY ProductID) OVER p AS median, NEXT VALUE FOR dbo.numbers OVER (o) AS drawn FROM dbo.detail WINDOW w AS (p ORDER BY ProductID), p AS (PARTITION BY SalesOrderID), o AS (ORDER BY SalesOrderID, ProductID) ORDER BY SalesOrderID, ROW_NUMBER() OVER w
SELECT (SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER w AS n FROM dbo.detail WINDOW w AS (ORDER BY ProductID DESC)) AS d) AS inner_window, COUNT(*) OVER w AS rows FROM dbo.detail AS window WINDOW w AS (PARTITION BY SalesOrderID)
GO
--@ source: reasoned
CREATE VIEW dbo.totals AS SELECT ProductID, SUM(OrderQty) OVER w AS total FROM dbo.detail WINDOW w AS (PARTITION BY ProductID)
GO
--@ source: reasoned
SELECT DISTINCT ProductID, total FROM dbo.totals ORDER BY ProductID
DROP VIEW dbo.totals
GO
--@ source: message 5362
SELECT SUM(OrderQty) OVER nothing FROM dbo.detail
GO
--@ source: message 5365
SELECT 1 AS one FROM dbo.detail WINDOW a AS (b), b AS (a)
GO
--@ source: message 5367
SELECT SUM(OrderQty) OVER (a ORDER BY ProductID) FROM dbo.detail WINDOW a AS (ORDER BY SalesOrderID)
GO
--@ source: message 5362
SELECT (SELECT SUM(d.OrderQty) OVER w) AS other_query FROM dbo.detail AS d WINDOW w AS (ORDER BY d.ProductID)
GO
--@ source: message 5363
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY OrderQty) OVER w FROM dbo.detail WINDOW w AS (ORDER BY ProductID)
GO
--@ source: message 10752
SELECT ROW_NUMBER() OVER w FROM dbo.detail WINDOW w AS (ORDER BY ProductID ROWS UNBOUNDED PRECEDING)
GO
--@ source: documentation TRIM
SELECT '[' + TRIM(LEADING '.,! ' FROM '     .#     test    .') + ']' AS leading, '[' + TRIM(TRAILING '.,! ' FROM '.#     test    .') + ']' AS trailing, '[' + TRIM(BOTH '123' FROM '123abc123') + ']' AS both, '[' + TRIM('123' FROM '123abc123') + ']' AS bare, '[' + TRIM(LEADING '  x  ') + ']' AS blanks, '[' + TRIM(TRAILING '  x  ') + ']' AS blanks_behind
SELECT TRIM(LEADING N'a' FROM CAST(NULL AS nvarchar(5))) AS none, TRIM(LEADING 'A' FROM 'aAb' COLLATE Latin1_General_CS_AS) AS by_case
DROP TABLE dbo.detail
DROP SEQUENCE dbo.numbers
GO
