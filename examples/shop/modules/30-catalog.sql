-- Products, their tree of categories, bills of material, barcodes and prices.
USE Shop;
GO
CREATE FUNCTION catalog.Ean13CheckDigit (@Digits char(12))
RETURNS char(1)
WITH SCHEMABINDING, RETURNS NULL ON NULL INPUT
AS
BEGIN
    DECLARE @Sum int = 0, @Position int = 1;
    WHILE @Position <= 12
    BEGIN
        SET @Sum += CONVERT(int, SUBSTRING(@Digits, @Position, 1)) * CASE WHEN @Position % 2 = 0 THEN 3 ELSE 1 END;
        SET @Position += 1;
    END;
    RETURN CONVERT(char(1), (10 - @Sum % 10) % 10);
END;
GO
-- A constraint that calls a function: the last digit is that of the twelve before.
ALTER TABLE catalog.ProductBarcode ADD CONSTRAINT CK_ProductBarcode_CheckDigit
    CHECK (RIGHT(Barcode, 1) = catalog.Ean13CheckDigit(LEFT(Barcode, 12)));
GO
CREATE FUNCTION catalog.CategoryPath (@CategoryId int)
RETURNS nvarchar(400)
AS
BEGIN
    DECLARE @Path nvarchar(400);
    WITH Up AS
    (
        SELECT CategoryId, ParentId, CategoryName, 0 AS Depth FROM catalog.Category WHERE CategoryId = @CategoryId
        UNION ALL
        SELECT p.CategoryId, p.ParentId, p.CategoryName, u.Depth + 1
        FROM catalog.Category AS p
        JOIN Up AS u ON u.ParentId = p.CategoryId
    )
    SELECT @Path = STRING_AGG(CategoryName, N' / ') WITHIN GROUP (ORDER BY Depth DESC) FROM Up;
    RETURN @Path;
END;
GO
CREATE FUNCTION catalog.CategoryTree (@RootId int)
RETURNS TABLE
AS
RETURN
    WITH Tree AS
    (
        SELECT CategoryId, ParentId, CategoryName, 0 AS Depth, CAST(CategoryName AS nvarchar(400)) AS SortPath
        FROM catalog.Category
        WHERE CategoryId = @RootId OR (@RootId IS NULL AND ParentId IS NULL)
        UNION ALL
        SELECT c.CategoryId, c.ParentId, c.CategoryName, t.Depth + 1, CAST(CONCAT(t.SortPath, N' / ', c.CategoryName) AS nvarchar(400))
        FROM catalog.Category AS c
        JOIN Tree AS t ON t.CategoryId = c.ParentId
    )
    SELECT CategoryId, ParentId, REPLICATE(N'  ', Depth) + CategoryName AS Indented, Depth, SortPath FROM Tree;
GO
CREATE TRIGGER catalog.Category_NoCycle ON catalog.Category
AFTER INSERT, UPDATE
AS
BEGIN
    IF NOT UPDATE(ParentId)
        RETURN;
    SET NOCOUNT ON;
    DECLARE @Cycle bit = 0;
    WITH Up AS
    (
        SELECT i.CategoryId AS StartId, i.ParentId, 1 AS Steps FROM inserted AS i
        UNION ALL
        SELECT u.StartId, c.ParentId, u.Steps + 1
        FROM Up AS u
        JOIN catalog.Category AS c ON c.CategoryId = u.ParentId
        WHERE u.Steps < 50 AND u.ParentId <> u.StartId
    )
    SELECT @Cycle = 1 FROM Up WHERE ParentId = StartId;
    IF @Cycle = 1
    BEGIN
        ROLLBACK;
        THROW 51201, N'A category cannot lie below itself.', 1;
    END;
END;
GO
-- All that goes into so many of a product, to the raw parts; Total counts a part once for each way in which it is used.
CREATE FUNCTION catalog.Explosion (@ProductId int, @Quantity decimal(18, 3))
RETURNS TABLE
AS
RETURN
    WITH Parts AS
    (
        SELECT b.ComponentId, CAST(b.Quantity * @Quantity AS decimal(18, 3)) AS Quantity, 1 AS Depth
        FROM catalog.BillOfMaterial AS b
        WHERE b.ProductId = @ProductId
        UNION ALL
        SELECT b.ComponentId, CAST(p.Quantity * b.Quantity AS decimal(18, 3)), p.Depth + 1
        FROM Parts AS p
        JOIN catalog.BillOfMaterial AS b ON b.ProductId = p.ComponentId
    )
    SELECT
        p.ComponentId,
        SUM(p.Quantity) AS Total,
        MAX(p.Depth) AS Depth,
        CASE WHEN EXISTS (SELECT * FROM catalog.BillOfMaterial AS b WHERE b.ProductId = p.ComponentId) THEN 0 ELSE 1 END AS Raw
    FROM Parts AS p
    GROUP BY p.ComponentId;
GO
CREATE FUNCTION catalog.WhereUsed (@ComponentId int)
RETURNS @Used TABLE (ProductId int NOT NULL PRIMARY KEY, Depth int NOT NULL)
AS
BEGIN
    DECLARE @Depth int = 1;
    INSERT @Used SELECT ProductId, 1 FROM catalog.BillOfMaterial WHERE ComponentId = @ComponentId;
    WHILE @@ROWCOUNT > 0
    BEGIN
        SET @Depth += 1;
        INSERT @Used
        SELECT DISTINCT b.ProductId, @Depth
        FROM catalog.BillOfMaterial AS b
        JOIN @Used AS u ON u.ProductId = b.ComponentId AND u.Depth = @Depth - 1
        WHERE NOT EXISTS (SELECT * FROM @Used AS x WHERE x.ProductId = b.ProductId);
    END;
    RETURN;
END;
GO
CREATE TRIGGER catalog.BillOfMaterial_NoCycle ON catalog.BillOfMaterial
AFTER INSERT, UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF EXISTS (SELECT * FROM inserted AS i CROSS APPLY catalog.WhereUsed(i.ProductId) AS u WHERE u.ProductId = i.ComponentId)
        OR EXISTS (SELECT * FROM inserted AS i CROSS APPLY catalog.WhereUsed(i.ProductId) AS u WHERE u.ProductId = i.ProductId)
        THROW 51202, N'A product cannot be a part of itself.', 1;
END;
GO
-- Products are never deleted: documents speak of them.
CREATE TRIGGER catalog.Product_NoDelete ON catalog.Product
INSTEAD OF DELETE
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE p SET Discontinued = 1
    FROM catalog.Product AS p
    WHERE EXISTS (SELECT * FROM deleted AS d WHERE d.ProductId = p.ProductId);
END;
GO
CREATE FUNCTION catalog.PriceAsOf (@Moment datetime2(7))
RETURNS TABLE
AS
RETURN
    SELECT l.ProductId, p.Sku, l.NetPrice
    FROM catalog.ListPrice FOR SYSTEM_TIME AS OF @Moment AS l
    JOIN catalog.Article AS p ON p.ProductId = l.ProductId;
GO
CREATE FUNCTION catalog.PriceHistory (@Sku varchar(20))
RETURNS TABLE
AS
RETURN
    SELECT
        l.NetPrice, l.ValidFrom, l.ValidTo,
        LAG(l.NetPrice) OVER (ORDER BY l.ValidFrom) AS PriceBefore,
        FIRST_VALUE(l.NetPrice) OVER (ORDER BY l.ValidFrom ROWS UNBOUNDED PRECEDING) AS FirstPrice
    FROM catalog.ListPrice FOR SYSTEM_TIME ALL AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    WHERE p.Sku = @Sku;
GO
CREATE PROCEDURE catalog.SetListPrice
    @Sku      varchar(20),
    @NetPrice decimal(19, 2)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @ProductId int = (SELECT ProductId FROM catalog.Product WHERE Sku = @Sku);
    IF @ProductId IS NULL
    BEGIN
        RAISERROR (N'There is no product %s.', 16, 1, @Sku);
        RETURN 1;
    END;
    UPDATE catalog.ListPrice SET NetPrice = @NetPrice WHERE ProductId = @ProductId AND NetPrice <> @NetPrice;
    IF @@ROWCOUNT = 0 AND NOT EXISTS (SELECT * FROM catalog.ListPrice WHERE ProductId = @ProductId)
        INSERT catalog.ListPrice (ProductId, NetPrice) VALUES (@ProductId, @NetPrice);
END;
GO
-- Raises the prices of a category and all below it; the result is what has changed. Prices end in 9 from ten on.
CREATE PROCEDURE catalog.RaisePrices
    @CategoryId int,
    @Percent    decimal(7, 4)
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE l
    SET NetPrice = CASE WHEN n.Raised < 10 THEN n.Raised ELSE CEILING(n.Raised * 10) / 10 - 0.01 END
    OUTPUT inserted.ProductId, deleted.NetPrice AS Before, inserted.NetPrice AS After
    FROM catalog.ListPrice AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    JOIN catalog.CategoryTree(@CategoryId) AS t ON t.CategoryId = p.CategoryId
    CROSS APPLY (SELECT CONVERT(decimal(19, 2), ROUND(l.NetPrice * (100 + @Percent) / 100, 2)) AS Raised) AS n
    WHERE p.Discontinued = 0;
END;
GO
-- Takes over what staging.ProductImport has: new products, changed ones; those that are no longer delivered are discontinued.
CREATE PROCEDURE catalog.SyncProducts
    @Complete bit = 0,
    @Inserted int = NULL OUTPUT,
    @Updated  int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Actions TABLE (Action nvarchar(10) NOT NULL, ProductId int NOT NULL, Sku varchar(20) NOT NULL);
    BEGIN TRANSACTION;
    MERGE catalog.Product WITH (HOLDLOCK) AS t
    USING
    (
        SELECT
            s.Sku, s.ProductName, c.CategoryId, s.UnitCode, s.TaxCode,
            -- 120x80x40
            TRY_CONVERT(int, PARSENAME(REPLACE(s.Dimensions, 'x', '.'), 3)) AS LengthMm,
            TRY_CONVERT(int, PARSENAME(REPLACE(s.Dimensions, 'x', '.'), 2)) AS WidthMm,
            TRY_CONVERT(int, PARSENAME(REPLACE(s.Dimensions, 'x', '.'), 1)) AS HeightMm,
            TRY_CONVERT(xml, s.Attributes) AS Attributes
        FROM staging.ProductImport AS s
        JOIN catalog.Category AS c ON c.CategoryName = s.CategoryName
    ) AS s
    ON t.Sku = s.Sku
    WHEN MATCHED AND (t.ProductName <> s.ProductName OR t.CategoryId <> s.CategoryId OR t.TaxCode <> s.TaxCode OR t.Discontinued = 1) THEN
        UPDATE SET ProductName = s.ProductName, CategoryId = s.CategoryId, TaxCode = s.TaxCode, Discontinued = 0
    WHEN NOT MATCHED BY TARGET THEN
        INSERT (Sku, ProductName, CategoryId, UnitCode, TaxCode, LengthMm, WidthMm, HeightMm, Attributes)
        VALUES (s.Sku, s.ProductName, s.CategoryId, s.UnitCode, s.TaxCode, s.LengthMm, s.WidthMm, s.HeightMm, s.Attributes)
    WHEN NOT MATCHED BY SOURCE AND @Complete = 1 AND t.Discontinued = 0 THEN
        UPDATE SET Discontinued = 1
    OUTPUT $action, inserted.ProductId, inserted.Sku INTO @Actions;

    MERGE catalog.ListPrice AS t
    USING
    (
        SELECT p.ProductId, s.NetPrice
        FROM staging.ProductImport AS s
        JOIN catalog.Product AS p ON p.Sku = s.Sku
        WHERE s.NetPrice IS NOT NULL
    ) AS s
    ON t.ProductId = s.ProductId
    WHEN MATCHED AND t.NetPrice <> s.NetPrice THEN UPDATE SET NetPrice = s.NetPrice
    WHEN NOT MATCHED THEN INSERT (ProductId, NetPrice) VALUES (s.ProductId, s.NetPrice);
    COMMIT;

    SELECT
        @Inserted = COUNT(CASE WHEN Action = N'INSERT' THEN 1 END),
        @Updated = COUNT(CASE WHEN Action = N'UPDATE' THEN 1 END)
    FROM @Actions;
END;
GO
CREATE VIEW catalog.ProductOverview
AS
    SELECT
        p.ProductId, p.Sku, p.ProductName, catalog.CategoryPath(p.CategoryId) AS CategoryPath, l.NetPrice,
        CONVERT(decimal(19, 2), ROUND(l.NetPrice * (1 + r.Rate / 100), 2)) AS GrossPrice,
        p.Attributes.value('(/attributes/colour)[1]', 'nvarchar(30)') AS Colour,
        p.Attributes.exist('/attributes/fragile') AS Fragile,
        b.Barcodes
    FROM catalog.Product AS p
    LEFT JOIN catalog.ListPrice AS l ON l.ProductId = p.ProductId
    OUTER APPLY
    (
        SELECT TOP (1) Rate FROM ref.TaxRate AS t
        WHERE t.TaxCode = p.TaxCode AND t.ValidFrom <= COALESCE(ref.CurrentDay(), '99991231')
        ORDER BY t.ValidFrom DESC
    ) AS r
    OUTER APPLY
    (
        SELECT STRING_AGG(Barcode, ', ') WITHIN GROUP (ORDER BY Barcode) AS Barcodes
        FROM catalog.ProductBarcode AS x WHERE x.ProductId = p.ProductId
    ) AS b
    WHERE p.Discontinued = 0;
GO
CREATE PROCEDURE catalog.ExportJson
    @RootId int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SELECT
        t.SortPath AS [category.path],
        t.Depth AS [category.depth],
        (
            SELECT p.Sku AS sku, p.ProductName AS name, l.NetPrice AS [price.net], p.VolumeLitres AS volume,
                JSON_QUERY((SELECT CONCAT(N'[', STRING_AGG(CONCAT(N'"', Barcode, N'"'), N','), N']')
                    FROM catalog.ProductBarcode AS b WHERE b.ProductId = p.ProductId)) AS barcodes
            FROM catalog.Product AS p
            LEFT JOIN catalog.ListPrice AS l ON l.ProductId = p.ProductId
            WHERE p.CategoryId = t.CategoryId AND p.Discontinued = 0
            ORDER BY p.Sku
            FOR JSON PATH
        ) AS products
    FROM catalog.CategoryTree(@RootId) AS t
    ORDER BY t.SortPath
    FOR JSON PATH, ROOT ('catalog');
END;
GO
CREATE PROCEDURE catalog.ExportXml
    @Catalog xml OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    WITH XMLNAMESPACES (DEFAULT 'urn:shop:catalog')
    SELECT @Catalog =
    (
        SELECT
            c.CategoryName AS [@name],
            (
                SELECT p.Sku AS [@sku], p.ProductName AS [name], l.NetPrice AS [price/net],
                    p.Attributes AS [*]
                FROM catalog.Product AS p
                LEFT JOIN catalog.ListPrice AS l ON l.ProductId = p.ProductId
                WHERE p.CategoryId = c.CategoryId
                ORDER BY p.Sku
                FOR XML PATH ('product'), TYPE
            )
        FROM catalog.Category AS c
        WHERE EXISTS (SELECT * FROM catalog.Product AS p WHERE p.CategoryId = c.CategoryId)
        ORDER BY c.CategoryName
        FOR XML PATH ('category'), ROOT ('catalog'), TYPE
    );
END;
GO
