-- Procedures that make the shop's goods, customers and days: the same ones each time.
USE Shop;
GO
-- A number below the limit that a seed stands for: looks like chance, and is always the same.
CREATE FUNCTION test.Choice (@Seed nvarchar(200), @Limit int)
RETURNS int
AS
BEGIN
    RETURN (CONVERT(int, SUBSTRING(HASHBYTES('SHA2_256', @Seed), 1, 4)) & 2147483647) % @Limit;
END;
GO
-- Products by way of the import, as they would come from a supplier of data.
CREATE PROCEDURE test.MakeProducts
    @Count int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Json nvarchar(max) =
    (
        SELECT
            (
                SELECT
                    CONCAT(LEFT(UPPER(c.CategoryName), 3), '-', FORMAT(n.value, '0000')) AS sku,
                    CONCAT(c.CategoryName, N' no. ', n.value, CHOOSE(n.value % 4 + 1, N'', N' large', N' “Fair Wind”', N' <old>')) AS name,
                    c.CategoryName AS category,
                    CASE c.CategoryName WHEN N'Ropes' THEN 'MTR' WHEN N'Provisions' THEN 'KGM' ELSE 'PCE' END AS unit,
                    CASE c.CategoryName WHEN N'Provisions' THEN 'RED' ELSE 'STD' END AS tax,
                    CONVERT(decimal(19, 2), 3 + test.Choice(CONCAT(N'price', n.value), 9000) / 100.0) AS [price.net],
                    CONCAT(50 + n.value, 'x', 30 + n.value % 7, 'x', 20 + n.value % 5) AS size,
                    JSON_QUERY(CASE WHEN n.value % 3 > 0 THEN
                        JSON_OBJECT('colour': CHOOSE(n.value % 3, N'red & white', N'blue'), 'maker': CONCAT(N'No. ', n.value % 5) ABSENT ON NULL)
                    END) AS attributes
                FROM GENERATE_SERIES(1, @Count) AS n
                JOIN
                (
                    SELECT CategoryName, ROW_NUMBER() OVER (ORDER BY CategoryId) - 1 AS Place
                    FROM catalog.Category
                    WHERE ParentId IS NOT NULL AND CategoryName <> N'Kits'
                ) AS c ON c.Place = n.value % 6
                ORDER BY n.value
                FOR JSON PATH
            ) AS products
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
    );
    EXEC staging.LoadProducts @Json;
    EXEC catalog.SyncProducts;
    INSERT catalog.ProductBarcode (Barcode, ProductId)
    SELECT x.Digits + catalog.Ean13CheckDigit(x.Digits), p.ProductId
    FROM catalog.Product AS p
    CROSS APPLY (SELECT CONVERT(char(12), CONCAT('4012345', RIGHT(CONCAT('00000', p.ProductId), 5))) AS Digits) AS x
    WHERE NOT EXISTS (SELECT * FROM catalog.ProductBarcode AS b WHERE b.ProductId = p.ProductId);
    INSERT purchasing.SupplierItem (SupplierId, ProductId, UnitCost, PackSize, LeadDays, Preferred)
    SELECT s.SupplierId, p.ProductId, ROUND(l.NetPrice * CASE WHEN p.ProductId % 3 + 1 = s.SupplierId THEN 0.55 ELSE 0.60 END, 2),
        IIF(p.UnitCode = 'PCE', 5, 10), 1 + p.ProductId % 3, IIF(p.ProductId % 3 + 1 = s.SupplierId, 1, 0)
    FROM catalog.Product AS p
    JOIN catalog.ListPrice AS l ON l.ProductId = p.ProductId
    JOIN party.Supplier AS s ON s.SupplierId IN (p.ProductId % 3 + 1, (p.ProductId + 1) % 3 + 1)
    WHERE NOT EXISTS (SELECT * FROM purchasing.SupplierItem AS i WHERE i.ProductId = p.ProductId AND i.SupplierId = s.SupplierId);
    -- Two kits, of which one is a part of the other. Nobody delivers them.
    INSERT catalog.Product (Sku, ProductName, CategoryId, UnitCode, TaxCode)
    VALUES ('KIT-SMALL', N'Small kit', 32, 'PCE', 'STD'), ('KIT-LARGE', N'Large kit', 32, 'PCE', 'STD');
    INSERT catalog.ListPrice (ProductId, NetPrice) SELECT ProductId, IIF(Sku = 'KIT-SMALL', 149, 399) FROM catalog.Product WHERE Sku LIKE 'KIT-%';
    INSERT catalog.BillOfMaterial (ProductId, ComponentId, Quantity)
    SELECT k.ProductId, p.ProductId, 1 + p.ProductId % 2
    FROM catalog.Product AS k
    JOIN catalog.Product AS p ON p.ProductId IN (2, 3, 5)
    WHERE k.Sku = 'KIT-SMALL';
    INSERT catalog.BillOfMaterial (ProductId, ComponentId, Quantity)
    SELECT k.ProductId, p.ProductId, IIF(p.Sku = 'KIT-SMALL', 2, 1)
    FROM catalog.Product AS k
    JOIN catalog.Product AS p ON p.Sku = 'KIT-SMALL' OR p.ProductId IN (4, 6)
    WHERE k.Sku = 'KIT-LARGE';
    INSERT catalog.Promotion (ProductId, FirstDay, LastDay, DiscountPercent)
    SELECT ProductId, '20260304', '20260310', 15 FROM catalog.Product WHERE ProductId % 9 = 0;
END;
GO
CREATE PROCEDURE test.MakeCustomers
    @Count int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @i int = 1, @Id int, @Name nvarchar(100), @Branch varchar(20), @Group varchar(20), @Iban varchar(34), @Street nvarchar(100),
        @Email nvarchar(254);
    WHILE @i <= @Count
    BEGIN
        SELECT
            @Name = CONCAT
            (
                CHOOSE(test.Choice(CONCAT(N'first', @i), 6) + 1,
                    N'Reederei ', N'Werft ', N'Segelmacherei ', N'Bootsverleih ', N'Kapitän ', N'Chandler '),
                CHOOSE(test.Choice(CONCAT(N'last', @i), 7) + 1,
                    N'Petersen', N'Müller-Lüdenscheidt', N'O''Brien', N'Jensen', N'Štěpánek', N'Smith', N'Çelik'),
                N' ', @i
            ),
            @Branch = CHOOSE(@i % 3 + 1, 'HH', 'MUC', 'LDN'),
            @Group = CHOOSE(test.Choice(CONCAT(N'group', @i), 5) + 1, 'STD', 'STD', 'TRD', 'KEY', 'STD'),
            @Iban = IIF(@i % 4 = 0, NULL, party.MakeIban('20050550', 1000000 + @i)),
            @Street = CONCAT(N'Am Kai ', @i),
            @Email = CONCAT(N'customer', @i, N'@example.org');
        EXEC party.CreateCustomer @CustomerName = @Name, @BranchCode = @Branch, @GroupCode = @Group, @Email = @Email, @Iban = @Iban,
            @Street = @Street, @PostalCode = '20459', @City = N'Hamburg', @CustomerId = @Id OUTPUT;
        SET @i += 1;
    END;
END;
GO
-- Money and goods to begin with, and where to order again.
CREATE PROCEDURE test.MakeOpening
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Warehouse int, @Product int, @Quantity decimal(18, 3), @Value decimal(19, 2), @Total decimal(19, 2) = 0,
        @Entry accounting.EntryLineList, @Day date = ref.CurrentDay();
    BEGIN TRANSACTION;
    DECLARE Opening CURSOR LOCAL STATIC FOR
        SELECT w.WarehouseId, i.ProductId, 20 + test.Choice(CONCAT(N'open', w.WarehouseId, N'/', i.ProductId), 30), i.UnitCost
        FROM stock.Warehouse AS w
        CROSS JOIN purchasing.SupplierItem AS i
        WHERE i.Preferred = 1
        ORDER BY w.WarehouseId, i.ProductId;
    OPEN Opening;
    FETCH NEXT FROM Opening INTO @Warehouse, @Product, @Quantity, @Value;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @Value = ROUND(@Value * @Quantity, 2);
        EXEC stock.PostMovement @Warehouse, @Product, 'OPEN', @Quantity, NULL, @Value;
        SET @Total += @Value;
        FETCH NEXT FROM Opening INTO @Warehouse, @Product, @Quantity, @Value;
    END;
    INSERT @Entry (AccountCode, Debit, Credit) VALUES ('1300', @Total, 0), ('1100', 25000, 0), ('3000', 0, @Total + 25000);
    EXEC accounting.CreateEntry @Entry, @Day, 'OPENING', NULL, N'Opening balance';
    UPDATE stock.StockLevel SET ReorderPoint = 15, TargetLevel = 45;
    EXEC stock.AssignBins 1;
    EXEC stock.AssignBins 2;
    EXEC stock.AssignBins 3;
    COMMIT;
END;
GO
-- A day's orders, half of them as rows and half as JSON. Those that are there already stay as they are.
CREATE PROCEDURE test.PlaceOrders
    @Count  int,
    @Prefix nvarchar(10) = N'WEB'
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @i int = 1, @Reference nvarchar(40), @Customer int, @Lines sales.OrderLineList, @Json nvarchar(max), @Day date = ref.CurrentDay(),
        @Products int = (SELECT COUNT(*) FROM catalog.Product WHERE Discontinued = 0),
        @Customers int = (SELECT COUNT(*) FROM party.Customer WHERE Active = 1);
    WHILE @i <= @Count
    BEGIN
        SET @Reference = CONCAT(@Prefix, N'-', CONVERT(nchar(8), @Day, 112), N'-', @i);
        SELECT @Customer = CustomerNumber
        FROM party.Customer
        WHERE Active = 1
        ORDER BY CustomerNumber
        OFFSET test.Choice(@Reference, @Customers) ROWS FETCH NEXT 1 ROWS ONLY;
        DELETE @Lines;
        INSERT @Lines (LineNumber, Sku, Quantity)
        SELECT ROW_NUMBER() OVER (ORDER BY p.Sku), p.Sku,
            1 + test.Choice(CONCAT(@Reference, N'q', p.Sku), 6) + IIF(p.UnitCode = 'PCE', 0, 0.5)
        FROM
        (
            SELECT Sku, UnitCode, ROW_NUMBER() OVER (ORDER BY ProductId) - 1 AS Place FROM catalog.Product WHERE Discontinued = 0
        ) AS p
        WHERE p.Place IN
        (
            SELECT test.Choice(CONCAT(@Reference, N'/', n.value), @Products)
            FROM GENERATE_SERIES(1, 1 + test.Choice(@Reference + N'lines', 4)) AS n
        );
        IF @i % 2 = 0
            EXEC sales.PlaceOrder @CustomerNumber = @Customer, @Lines = @Lines, @CustomerReference = @Reference;
        ELSE
        BEGIN
            SET @Json =
            (
                SELECT @Customer AS customer, @Reference AS reference, (SELECT Sku AS sku, Quantity AS quantity FROM @Lines FOR JSON PATH) AS lines
                FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
            );
            EXEC sales.ImportOrder @Json;
        END;
        SET @i += 1;
    END;
END;
GO
-- What the bank would send: some pay at once, some a part, some never, and one is nobody we know.
CREATE FUNCTION test.BankEntries (@Day date)
RETURNS TABLE
AS
RETURN
    SELECT
        CONCAT('B', CONVERT(char(8), @Day, 112), '-', o.InvoiceId) AS Reference,
        CONVERT(decimal(19, 2), CASE WHEN test.Choice(CONCAT(N'part', o.InvoiceId), 8) = 0 THEN ROUND(o.OpenAmount * 0.6, 2) ELSE o.OpenAmount END)
            AS Amount,
        c.Iban,
        CASE WHEN c.Iban IS NULL OR o.InvoiceId % 2 = 0 THEN CONCAT(N'Invoice ', o.InvoiceNumber, N' thank you') ELSE N'as agreed' END AS Purpose
    FROM sales.OpenItems(@Day) AS o
    JOIN party.Customer AS c ON c.CustomerId = o.CustomerId
    WHERE o.Kind <> 'C' AND o.OpenAmount > 0 AND o.InvoicedOn < @Day
        AND test.Choice(CONCAT(N'never', o.InvoiceId), 7) <> 0
        AND test.Choice(CONCAT(N'pays', o.InvoiceId, @Day), 2) = 0
    UNION ALL
    SELECT CONCAT('B', CONVERT(char(8), @Day, 112), '-X'), 12.34, 'GB33BUKB20201555555555', N'for the cat';
GO
CREATE PROCEDURE test.MakeBankStatement
    @Format  varchar(4),
    @Content nvarchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Day date = ref.CurrentDay(), @Xml xml;
    IF @Format = 'JSON'
        SET @Content =
        (
            SELECT
                'EUR' AS [statement.currency],
                (
                    SELECT Reference AS ref, @Day AS date, Amount AS amount, Iban AS [counterpart.iban], Purpose AS purpose
                    FROM test.BankEntries(@Day) ORDER BY Reference FOR JSON PATH
                ) AS [statement.entries]
            FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
        );
    ELSE
    BEGIN
        WITH XMLNAMESPACES (DEFAULT 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08')
        SELECT @Xml =
        (
            SELECT
                'EUR' AS [Amt/@Ccy], Amount AS Amt, 'CRDT' AS CdtDbtInd, @Day AS [BookgDt/Dt], Reference AS AcctSvcrRef,
                Iban AS [NtryDtls/TxDtls/RltdPties/DbtrAcct/Id/IBAN], Purpose AS [NtryDtls/TxDtls/RmtInf/Ustrd]
            FROM test.BankEntries(@Day)
            ORDER BY Reference
            FOR XML PATH ('Ntry'), ROOT ('Stmt'), TYPE
        );
        SET @Content = CONCAT(N'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>', CONVERT(nvarchar(max), @Xml),
            N'</BkToCstmrStmt></Document>');
    END;
END;
GO
-- A whole day. Each step may be asked for again: a day that was interrupted goes on where it was.
CREATE PROCEDURE test.RunDay
    @Day    date,
    @Orders int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Content nvarchar(max), @Batch int, @Format varchar(4) = IIF(DAY(@Day) % 2 = 0, 'JSON', 'XML'), @Now datetime2(3) = SYSUTCDATETIME(),
        @Warehouse int = 1, @Sheet int, @Counted stock.CountedList, @Invoice int, @Lines ref.IdList;
    EXEC ref.OpenBusinessDay @Day;
    EXEC purchasing.RecordMissingInvoices @Day;
    EXEC purchasing.ReceiveDue @Day;
    EXEC test.PlaceOrders @Orders;

    EXEC test.MakeBankStatement @Format, @Content OUTPUT;
    EXEC staging.Receive N'bank', @Format, @Content, @Batch OUTPUT;
    EXEC staging.LoadBankStatement @Batch;
    EXEC staging.ProcessBank;

    EXEC stock.ReturnAbandonedTasks @Now;
    EXEC stock.ReleaseExpired @Day;
    EXEC sales.ReserveNewOrders;
    WHILE @Warehouse <= 3
    BEGIN
        EXEC stock.PickAll @Warehouse, N'night shift';
        SET @Warehouse += 1;
    END;
    EXEC sales.InvoiceShipments;

    -- Kits, while there are parts for them.
    IF NOT EXISTS (SELECT * FROM stock.ProductionOrder WHERE ProducedOn = @Day)
        AND EXISTS (SELECT * FROM stock.StockLevel AS l WHERE l.WarehouseId = 1 AND l.ProductId IN (2, 3, 5) HAVING MIN(l.Available) >= 6)
        EXEC stock.Produce 1, 'KIT-SMALL', 3;
    -- One thing comes back each day.
    SELECT TOP (1) @Invoice = i.InvoiceId
    FROM sales.Invoice AS i
    WHERE i.Kind = 'I' AND i.InvoicedOn < @Day AND NOT EXISTS (SELECT * FROM sales.Invoice AS c WHERE c.Kind = 'C' AND c.InvoicedOn = @Day)
        AND NOT EXISTS (SELECT * FROM sales.Invoice AS c WHERE c.Kind = 'C' AND c.OriginalId = i.InvoiceId)
    ORDER BY i.InvoiceId DESC;
    IF @Invoice IS NOT NULL
    BEGIN
        INSERT @Lines VALUES (1);
        EXEC sales.CreditInvoice @InvoiceId = @Invoice, @LineNumbers = @Lines, @GoodsBack = 1;
    END;
    -- On Fridays the ropes are counted; one is always shorter than the books say.
    IF DATEDIFF(DAY, '19000101', @Day) % 7 = 4 AND NOT EXISTS (SELECT * FROM stock.CountSheet WHERE CountedOn = @Day AND State = 'P')
    BEGIN
        SELECT @Sheet = CountSheetId FROM stock.CountSheet WHERE WarehouseId = 1 AND State = 'O';
        IF @Sheet IS NULL
            EXEC stock.StartCount @WarehouseId = 1, @CategoryId = 11, @CountSheetId = @Sheet OUTPUT;
        INSERT @Counted (Sku, Counted)
        SELECT p.Sku, CASE WHEN l.Expected >= 1 AND l.ProductId = (SELECT MIN(x.ProductId) FROM stock.CountLine AS x WHERE x.CountSheetId = @Sheet)
            THEN l.Expected - 0.5 ELSE l.Expected END
        FROM stock.CountLine AS l
        JOIN catalog.Product AS p ON p.ProductId = l.ProductId
        WHERE l.CountSheetId = @Sheet;
        EXEC stock.RecordCount @Sheet, @Counted;
        EXEC stock.FinishCount @Sheet;
    END;
    EXEC purchasing.ProposeReorders @Day;
    EXEC purchasing.OrderProposals @Day;
    EXEC purchasing.PaySuppliers @Day;
    EXEC sales.RunDunning @Day;
    EXEC accounting.PostPending @Day;
    EXEC test.RunChecks @Quiet = 1;
    EXEC ref.CloseBusinessDay;
END;
GO
