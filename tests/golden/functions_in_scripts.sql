-- Scalar functions as people's scripts have them.
--@ source: reasoned
CREATE DATABASE FunctionsInScripts
GO
--@ source: reasoned
USE FunctionsInScripts
GO
--@ source: reasoned
CREATE SCHEMA Production
GO
--@ source: reasoned
CREATE TABLE Production.ProductInventory (ProductID int NOT NULL, LocationID smallint NOT NULL, Quantity smallint NOT NULL DEFAULT (0), PRIMARY KEY (ProductID, LocationID))
INSERT Production.ProductInventory VALUES (1, 6, 324), (1, 1, 408), (1, 50, 353), (2, 6, 318), (3, 1, 10)
GO
--@ source: documentation User-defined functions
CREATE FUNCTION dbo.ufnLeadingZeros (@Value int)
RETURNS varchar(8)
WITH SCHEMABINDING
AS
BEGIN
    DECLARE @ReturnValue varchar(8);

    SET @ReturnValue = CONVERT(varchar(8), @Value);
    SET @ReturnValue = REPLICATE('0', 8 - DATALENGTH(@ReturnValue)) + @ReturnValue;

    RETURN (@ReturnValue);
END;
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION [dbo].[ufnGetStock](@ProductID [int])
RETURNS [int]
AS
-- Returns the stock level for the product. This function is used internally only
BEGIN
    DECLARE @ret int;

    SELECT @ret = SUM(p.[Quantity])
    FROM [Production].[ProductInventory] p
    WHERE p.[ProductID] = @ProductID
        AND p.[LocationID] = '6'; -- Only look at inventory in the misc storage

    IF (@ret IS NULL)
        SET @ret = 0

    RETURN @ret
END;
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.ufnGetSalesOrderStatusText (@Status tinyint)
RETURNS nvarchar(15)
AS
BEGIN
    DECLARE @ret nvarchar(15);
    SET @ret =
        CASE @Status
            WHEN 1 THEN 'In process'
            WHEN 2 THEN 'Approved'
            ELSE '** Invalid **'
        END;
    RETURN @ret
END;
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.ISOweek (@DATE datetime)
RETURNS int
WITH EXECUTE AS CALLER
AS
BEGIN
    DECLARE @ISOweek int;
    SET @ISOweek = DATEPART(wk, @DATE) + 1
        - DATEPART(wk, CAST(DATEPART(yy, @DATE) as CHAR(4)) + '0104');
--Special cases: Jan 1-3 may belong to the previous year
    IF (@ISOweek = 0)
        SET @ISOweek = dbo.ISOweek(CAST(DATEPART(yy, @DATE) - 1
            AS CHAR(4)) + '12' + CAST(24 + DATEPART(DAY, @DATE) AS CHAR(2))) + 1;
--Special case: Dec 29-31 may belong to the next year
    IF ((DATEPART(mm, @DATE) = 12) AND
        ((DATEPART(dd, @DATE) - DATEPART(dw, @DATE)) >= 28))
    SET @ISOweek = 1;
    RETURN (@ISOweek);
END;
GO
--@ source: reasoned
CREATE FUNCTION dbo.ProperCase (@text varchar(200)) RETURNS varchar(200)
AS
BEGIN
    DECLARE @reset bit = 1, @ret varchar(200) = '', @i int = 1, @c char(1)
    IF @text IS NULL RETURN NULL
    WHILE @i <= LEN(@text)
    BEGIN
        SET @c = SUBSTRING(@text, @i, 1)
        SET @ret = @ret + CASE WHEN @reset = 1 THEN UPPER(@c) ELSE LOWER(@c) END
        SET @reset = CASE WHEN @c LIKE '[a-zA-Z]' THEN 0 ELSE 1 END
        SET @i = @i + 1
    END
    RETURN @ret
END
GO
--@ source: documentation CREATE FUNCTION
SELECT dbo.ufnLeadingZeros(42) AS zeros, dbo.ufnLeadingZeros(12345678) AS none, dbo.ufnGetStock(1) AS stock, dbo.ufnGetStock(3) AS no_stock,
    dbo.ufnGetSalesOrderStatusText(2) AS status, dbo.ufnGetSalesOrderStatusText(9) AS other, dbo.ProperCase('the QUICK brown-fox') AS proper
SET DATEFIRST 1
SELECT dbo.ISOweek(CONVERT(DATETIME, '12/26/2004', 101)) AS [ISO Week], dbo.ISOweek('20050101') AS january, dbo.ISOweek('20041230') AS december
SELECT ProductID, dbo.ufnGetStock(ProductID) AS CurrentSupply FROM Production.ProductInventory WHERE LocationID = 1 ORDER BY ProductID
GO
--@ source: documentation DROP FUNCTION
IF OBJECT_ID(N'dbo.ufnGetStock', N'FN') IS NOT NULL DROP FUNCTION dbo.ufnGetStock
IF OBJECT_ID(N'dbo.ufnGetStock', N'FN') IS NULL PRINT 'dropped'
DROP TABLE Production.ProductInventory
SELECT name, OBJECTPROPERTY(object_id, 'IsScalarFunction') AS scalar
FROM sys.objects WHERE type = 'FN' ORDER BY name
EXEC sp_stored_procedures @sp_name = 'ufnLeadingZeros'
EXEC sp_sproc_columns @procedure_name = 'ufnLeadingZeros'
EXEC sp_rename 'dbo.ISOweek', 'IsoWeek2'
SELECT dbo.IsoWeek2('20041226') AS week
GO
