-- Forms of SELECT as the documentation's examples have them, and forms that are none.
--@ source: reasoned
CREATE DATABASE qsf
GO
--@ source: documentation SELECT examples
USE qsf
CREATE TABLE dbo.Person (BusinessEntityID int NOT NULL PRIMARY KEY, FirstName nvarchar(50) NOT NULL, LastName nvarchar(50) NOT NULL, EmailPromotion int NOT NULL)
INSERT dbo.Person VALUES (1, N'Ken', N'Sánchez', 0), (2, N'Terri', N'Duffy', 1), (3, N'Roberto', N'Tamburello', 0), (4, N'Rob', N'Walters', 0), (5, N'Gail', N'Erickson', 0), (6, N'Jossef', N'Goldberg', 2)
GO
--@ source: documentation SELECT examples
SELECT ROW_NUMBER() OVER (ORDER BY LastName) AS Row#, FirstName, LastName FROM dbo.Person WHERE EmailPromotion < 2 ORDER BY Row#
GO
--@ source: documentation SELECT examples
SELECT 'Name' = FirstName + N' ' + LastName, [Promo #] = EmailPromotion FROM Person ORDER BY [Promo #], Name
GO
--@ source: documentation SELECT examples
SELECT FirstName + ' ' + LastName AS Name, p.* FROM Person AS p WHERE p.LastName >= N'S' ORDER BY Name
GO
--@ source: documentation SELECT examples
SELECT COUNT(DISTINCT EmailPromotion) FROM Person
GO
--@ source: documentation SELECT examples
DECLARE @EmployeeID int, @name nvarchar(50) = N'none'
SELECT @EmployeeID = BusinessEntityID, @name = LastName FROM Person WHERE LastName = N'Duffy'
SELECT @EmployeeID AS id, @name AS name
GO
--@ source: documentation SELECT examples
SELECT * FROM Person WHERE LastName = N'SANCHEZ'
GO
--@ source: documentation SELECT examples
SELECT LastName FROM Person WHERE LastName LIKE N'_a%' OR LastName LIKE N'%[^a-z]%'
GO
--@ source: documentation SELECT examples
SELECT FirstName FROM Person ORDER BY LastName DESC OFFSET (SELECT COUNT(*) / 2 FROM Person) ROWS FETCH NEXT 50 ROWS ONLY
GO
--@ source: documentation SELECT examples
DECLARE @RowsToSkip tinyint = 2, @FetchRows tinyint = 8
SELECT BusinessEntityID FROM Person ORDER BY BusinessEntityID ASC OFFSET @RowsToSkip ROWS FETCH NEXT @FetchRows ROWS ONLY
GO
--@ source: documentation SELECT examples
DECLARE @StartingRowNumber tinyint = 1, @EndingRowNumber tinyint = 8
SELECT BusinessEntityID FROM Person ORDER BY BusinessEntityID ASC OFFSET @StartingRowNumber - 1 ROWS FETCH NEXT @EndingRowNumber - @StartingRowNumber + 1 ROWS ONLY OPTION (OPTIMIZE FOR (@StartingRowNumber = 1, @EndingRowNumber = 20))
GO
--@ source: documentation SELECT examples
SELECT BusinessEntityID, LastName FROM Person ORDER BY CASE EmailPromotion WHEN 1 THEN BusinessEntityID END DESC, CASE WHEN EmailPromotion = 0 THEN BusinessEntityID END
GO
--@ source: documentation SELECT examples
SELECT CASE WHEN EmailPromotion > 0 THEN N'yes' ELSE N'no' END AS promo, COUNT(*) FROM Person GROUP BY CASE WHEN EmailPromotion > 0 THEN N'yes' ELSE N'no' END HAVING COUNT(*) > 1 ORDER BY promo
GO
--@ source: documentation SELECT examples
SELECT a.LastName AS l1, b.LastName AS l2 FROM Person a INNER JOIN Person b ON a.EmailPromotion = b.EmailPromotion AND a.BusinessEntityID > b.BusinessEntityID ORDER BY 1, 2
GO
--@ source: documentation SELECT examples
SELECT DISTINCT LEFT(LastName, 1) AS i FROM Person UNION SELECT LEFT(FirstName, 1) FROM Person ORDER BY i
GO
--@ source: reasoned
SELECT x.y.value('.', 'int') FROM (SELECT CAST('<a>1</a>' AS xml) AS y) AS x
GO
--@ source: reasoned
SELECT p.LastName.LEN FROM Person p
GO
--@ source: reasoned
SELECT LastName.x FROM Person
GO
--@ source: reasoned
SELECT dbo.Person.LastName.foo FROM dbo.Person
GO
--@ source: reasoned
SELECT p.* , * FROM Person p WHERE 1 = 0
GO
--@ source: reasoned
SELECT FirstName LastName FROM Person WHERE LastName = 'Duffy'
GO
--@ source: reasoned
SELECT ALL TOP 1 LastName FROM Person ORDER BY LastName
GO
--@ source: reasoned
SELECT TOP 1 ALL LastName FROM Person
GO
--@ source: reasoned
SELECT DISTINCT DISTINCT LastName FROM Person
GO
--@ source: reasoned
SELECT DISTINCT ALL LastName FROM Person
GO
--@ source: reasoned
SELECT LastName FROM Person WHERE LastName IS NOT
GO
--@ source: reasoned
SELECT LastName FROM Person ORDER
GO
--@ source: reasoned
SELECT LastName FROM Person ORDER BY
GO
--@ source: reasoned
SELECT LastName FROM Person GROUP BY
GO
--@ source: reasoned
SELECT LastName FROM Person WHERE ORDER BY LastName
GO
--@ source: reasoned
SELECT (LastName FROM Person
GO
--@ source: reasoned
SELECT LastName) FROM Person
GO
--@ source: reasoned
SELECT LastName FROM Person WHERE LastName = 'Duffy' SELECT 2 AS two SELECT 3 AS three
GO
--@ source: reasoned
SELECT 1,
GO
--@ source: reasoned
SELECT 1 2
GO
--@ source: reasoned
SELECT 1 AS 2
GO
--@ source: reasoned
SELECT 1 AS @x
GO
--@ source: reasoned
SELECT 1 AS select
GO
--@ source: reasoned
SELECT 1 AS a.b
GO
--@ source: reasoned
SELECT 1 a b
GO
--@ source: reasoned
SELECT * AS x FROM Person
GO
--@ source: reasoned
SELECT p.* AS x FROM Person p
GO
--@ source: reasoned
SELECT *, FROM Person
GO
--@ source: reasoned
SELECT COUNT(*) AS count, MAX(BusinessEntityID) max FROM Person
GO
--@ source: reasoned
SELECT count FROM (SELECT 1 AS count) AS value
GO
--@ source: reasoned
USE master
DROP DATABASE qsf
GO
