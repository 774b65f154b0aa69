-- Purchasing: proposals, orders, receipts, suppliers' invoices and what they are paid.
USE Shop;
GO
-- Proposes what falls to its reorder point, counting what is ordered already, in whole packs of the preferred supplier.
CREATE PROCEDURE purchasing.ProposeReorders
    @Day      date,
    @Proposed int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    WITH OnOrder AS
    (
        SELECT o.WarehouseId, l.ProductId, SUM(l.Outstanding) AS Outstanding
        FROM purchasing.PurchaseOrder AS o
        JOIN purchasing.PurchaseOrderLine AS l ON l.PurchaseOrderId = o.PurchaseOrderId
        WHERE o.State IN ('O', 'P')
        GROUP BY o.WarehouseId, l.ProductId
    ),
    Wanted AS
    (
        -- What new orders could not reserve is wanted as well.
        SELECT o.WarehouseId, l.ProductId, SUM(l.Quantity) AS Quantity
        FROM sales.SalesOrder AS o
        JOIN sales.SalesOrderLine AS l ON l.SalesOrderId = o.SalesOrderId
        WHERE o.State = 'N'
        GROUP BY o.WarehouseId, l.ProductId
    ),
    Position AS
    (
        SELECT
            s.WarehouseId, s.ProductId, s.ReorderPoint, s.TargetLevel,
            s.Available + COALESCE(n.Outstanding, 0) - COALESCE(w.Quantity, 0) AS Expected
        FROM stock.StockLevel AS s
        LEFT JOIN OnOrder AS n ON n.WarehouseId = s.WarehouseId AND n.ProductId = s.ProductId
        LEFT JOIN Wanted AS w ON w.WarehouseId = s.WarehouseId AND w.ProductId = s.ProductId
    )
    MERGE purchasing.ReorderProposal AS t
    USING
    (
        SELECT
            p.WarehouseId, p.ProductId, i.SupplierId,
            CEILING((p.TargetLevel - p.Expected) / i.PackSize) * i.PackSize AS Quantity
        FROM Position AS p
        JOIN purchasing.SupplierItem AS i ON i.ProductId = p.ProductId AND i.Preferred = 1
        WHERE p.Expected <= p.ReorderPoint AND p.TargetLevel > p.Expected
    ) AS s
    ON t.WarehouseId = s.WarehouseId AND t.ProductId = s.ProductId AND t.PurchaseOrderId IS NULL
    WHEN MATCHED THEN UPDATE SET Quantity = s.Quantity, SupplierId = s.SupplierId, ProposedOn = @Day
    WHEN NOT MATCHED BY TARGET THEN
        INSERT (ProposedOn, WarehouseId, ProductId, SupplierId, Quantity) VALUES (@Day, s.WarehouseId, s.ProductId, s.SupplierId, s.Quantity)
    WHEN NOT MATCHED BY SOURCE AND t.PurchaseOrderId IS NULL THEN DELETE;
    SELECT @Proposed = COUNT(*) FROM purchasing.ReorderProposal WHERE PurchaseOrderId IS NULL;
END;
GO
-- One order a supplier and warehouse, where the supplier's minimum is reached.
CREATE PROCEDURE purchasing.OrderProposals
    @Day     date,
    @Ordered int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Made TABLE (PurchaseOrderId int NOT NULL, SupplierId int NOT NULL, WarehouseId int NOT NULL, PRIMARY KEY (SupplierId, WarehouseId));
    BEGIN TRANSACTION;
    INSERT purchasing.PurchaseOrder (SupplierId, WarehouseId, OrderedOn, DueOn)
    OUTPUT inserted.PurchaseOrderId, inserted.SupplierId, inserted.WarehouseId INTO @Made
    SELECT p.SupplierId, p.WarehouseId, @Day, ref.AddWorkingDays(@Day, MAX(i.LeadDays))
    FROM purchasing.ReorderProposal AS p
    JOIN purchasing.SupplierItem AS i ON i.SupplierId = p.SupplierId AND i.ProductId = p.ProductId
    JOIN party.Supplier AS s ON s.SupplierId = p.SupplierId
    WHERE p.PurchaseOrderId IS NULL
    GROUP BY p.SupplierId, p.WarehouseId, s.MinimumOrder
    HAVING SUM(p.Quantity * i.UnitCost) >= s.MinimumOrder;
    SET @Ordered = @@ROWCOUNT;
    INSERT purchasing.PurchaseOrderLine (PurchaseOrderId, ProductId, Quantity, UnitCost)
    SELECT m.PurchaseOrderId, p.ProductId, p.Quantity, i.UnitCost
    FROM @Made AS m
    JOIN purchasing.ReorderProposal AS p ON p.SupplierId = m.SupplierId AND p.WarehouseId = m.WarehouseId AND p.PurchaseOrderId IS NULL
    JOIN purchasing.SupplierItem AS i ON i.SupplierId = p.SupplierId AND i.ProductId = p.ProductId;
    UPDATE p
    SET PurchaseOrderId = m.PurchaseOrderId
    FROM purchasing.ReorderProposal AS p
    JOIN @Made AS m ON m.SupplierId = p.SupplierId AND m.WarehouseId = p.WarehouseId
    WHERE p.PurchaseOrderId IS NULL;
    COMMIT;
END;
GO
-- The state of an order follows from its lines.
CREATE TRIGGER purchasing.PurchaseOrderLine_State ON purchasing.PurchaseOrderLine
AFTER INSERT, UPDATE
AS
BEGIN
    IF NOT UPDATE(Received)
        RETURN;
    SET NOCOUNT ON;
    WITH Sums AS
    (
        SELECT PurchaseOrderId, SUM(Outstanding) AS Outstanding, SUM(Received) AS Received
        FROM purchasing.PurchaseOrderLine
        WHERE PurchaseOrderId IN (SELECT PurchaseOrderId FROM inserted)
        GROUP BY PurchaseOrderId
    )
    UPDATE o
    SET State = CASE WHEN s.Outstanding = 0 THEN 'R' WHEN s.Received > 0 THEN 'P' ELSE 'O' END
    FROM purchasing.PurchaseOrder AS o
    JOIN Sums AS s ON s.PurchaseOrderId = o.PurchaseOrderId
    WHERE o.State <> 'X';
END;
GO
CREATE PROCEDURE purchasing.ReceiveGoods
    @PurchaseOrderId int,
    @Lines           purchasing.ReceiptLineList READONLY,
    @DeliveryNote    varchar(40) = NULL,
    @GoodsReceiptId  int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay(), @WarehouseId int, @SupplierId int, @LineId int, @ProductId int, @Quantity decimal(18, 3),
        @Value decimal(19, 2), @Entry accounting.EntryLineList;
    BEGIN TRANSACTION;
    SELECT @WarehouseId = WarehouseId, @SupplierId = SupplierId
    FROM purchasing.PurchaseOrder WITH (UPDLOCK)
    WHERE PurchaseOrderId = @PurchaseOrderId AND State IN ('O', 'P');
    IF @WarehouseId IS NULL
        THROW 51351, N'Nothing is expected for this order.', 1;
    IF EXISTS
    (
        SELECT * FROM @Lines AS r
        LEFT JOIN purchasing.PurchaseOrderLine AS l ON l.PurchaseOrderLineId = r.PurchaseOrderLineId AND l.PurchaseOrderId = @PurchaseOrderId
        WHERE l.PurchaseOrderLineId IS NULL OR r.Quantity > l.Outstanding
    )
        THROW 51352, N'More was delivered than was ordered, or something else.', 1;

    INSERT purchasing.GoodsReceipt (PurchaseOrderId, ReceivedOn, DeliveryNote) VALUES (@PurchaseOrderId, @Day, @DeliveryNote);
    SET @GoodsReceiptId = SCOPE_IDENTITY();
    DECLARE Received CURSOR LOCAL STATIC FOR
        SELECT l.PurchaseOrderLineId, l.ProductId, r.Quantity, ROUND(r.Quantity * l.UnitCost, 2)
        FROM @Lines AS r
        JOIN purchasing.PurchaseOrderLine AS l ON l.PurchaseOrderLineId = r.PurchaseOrderLineId
        ORDER BY l.ProductId;
    OPEN Received;
    FETCH NEXT FROM Received INTO @LineId, @ProductId, @Quantity, @Value;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC stock.PostMovement @WarehouseId, @ProductId, 'BUY', @Quantity, @GoodsReceiptId, @Value;
        INSERT purchasing.GoodsReceiptLine (GoodsReceiptId, PurchaseOrderLineId, Quantity, ReceiptValue)
        VALUES (@GoodsReceiptId, @LineId, @Quantity, @Value);
        FETCH NEXT FROM Received INTO @LineId, @ProductId, @Quantity, @Value;
    END;
    CLOSE Received;
    DEALLOCATE Received;
    UPDATE l
    SET Received += r.Quantity
    FROM purchasing.PurchaseOrderLine AS l
    JOIN @Lines AS r ON r.PurchaseOrderLineId = l.PurchaseOrderLineId;

    SELECT @Value = SUM(ReceiptValue) FROM purchasing.GoodsReceiptLine WHERE GoodsReceiptId = @GoodsReceiptId;
    INSERT @Entry (AccountCode, Debit, Credit, SupplierId) VALUES ('1300', @Value, 0, NULL), ('2200', 0, @Value, @SupplierId);
    EXEC accounting.CreateEntry @Entry, @Day, 'RECEIPT', @GoodsReceiptId, N'Goods received';
    COMMIT;
END;
GO
-- Receives all that is due, as ordered; every fifth order comes in two halves.
CREATE PROCEDURE purchasing.ReceiveDue
    @Day      date,
    @Receipts int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @PurchaseOrderId int, @State char(1), @Note varchar(40), @Lines purchasing.ReceiptLineList;
    SET @Receipts = 0;
    DECLARE Due CURSOR LOCAL STATIC FOR
        SELECT PurchaseOrderId, State FROM purchasing.PurchaseOrder WHERE State IN ('O', 'P') AND DueOn <= @Day ORDER BY PurchaseOrderId;
    OPEN Due;
    FETCH NEXT FROM Due INTO @PurchaseOrderId, @State;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        DELETE @Lines;
        INSERT @Lines (PurchaseOrderLineId, Quantity)
        SELECT PurchaseOrderLineId, CASE WHEN @PurchaseOrderId % 5 = 0 AND @State = 'O' THEN CEILING(Outstanding / 2) ELSE Outstanding END
        FROM purchasing.PurchaseOrderLine
        WHERE PurchaseOrderId = @PurchaseOrderId AND Outstanding > 0;
        SET @Note = CONCAT('DN-', @PurchaseOrderId, '-', @State);
        EXEC purchasing.ReceiveGoods @PurchaseOrderId = @PurchaseOrderId, @Lines = @Lines, @DeliveryNote = @Note;
        SET @Receipts += 1;
        FETCH NEXT FROM Due INTO @PurchaseOrderId, @State;
    END;
END;
GO
-- What the supplier writes may differ from what was received: the difference goes to its own account.
CREATE PROCEDURE purchasing.RecordInvoice
    @GoodsReceiptId int,
    @TheirNumber    varchar(40),
    @NetAmount      decimal(19, 2),
    @InvoicedOn     date
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @SupplierId int, @PaymentDays smallint, @Received decimal(19, 2), @Tax decimal(19, 2), @Gross decimal(19, 2),
        @InvoiceId int, @Entry accounting.EntryLineList, @Day date = ref.CurrentDay();
    BEGIN TRANSACTION;
    SELECT @SupplierId = s.SupplierId, @PaymentDays = s.PaymentDays
    FROM purchasing.GoodsReceipt AS r WITH (UPDLOCK)
    JOIN purchasing.PurchaseOrder AS o ON o.PurchaseOrderId = r.PurchaseOrderId
    JOIN party.Supplier AS s ON s.SupplierId = o.SupplierId
    WHERE r.GoodsReceiptId = @GoodsReceiptId;
    IF @SupplierId IS NULL
        THROW 51353, N'There is no such receipt.', 1;
    SELECT @Received = SUM(ReceiptValue) FROM purchasing.GoodsReceiptLine WHERE GoodsReceiptId = @GoodsReceiptId;
    SET @Tax = ROUND(@NetAmount * ref.TaxRateOn('STD', @InvoicedOn) / 100, 2);
    INSERT purchasing.SupplierInvoice (SupplierId, GoodsReceiptId, TheirNumber, InvoicedOn, DueOn, NetAmount, TaxAmount)
    VALUES (@SupplierId, @GoodsReceiptId, @TheirNumber, @InvoicedOn, DATEADD(DAY, @PaymentDays, @InvoicedOn), @NetAmount, @Tax);
    SELECT @InvoiceId = SCOPE_IDENTITY(), @Gross = @NetAmount + @Tax;
    INSERT @Entry (AccountCode, Debit, Credit, SupplierId)
    VALUES
        ('2200', @Received, 0, @SupplierId),
        ('1400', @Tax, 0, NULL),
        ('5500', IIF(@NetAmount > @Received, @NetAmount - @Received, 0), IIF(@NetAmount < @Received, @Received - @NetAmount, 0), NULL),
        ('2000', 0, @Gross, @SupplierId);
    EXEC accounting.CreateEntry @Entry, @Day, 'PURCHASE', @InvoiceId, N'Invoice of a supplier';
    COMMIT;
END;
GO
CREATE PROCEDURE purchasing.RecordMissingInvoices
    @Day date
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @ReceiptId int = 0, @Number varchar(40), @Net decimal(19, 2);
    WHILE 1 = 1
    BEGIN
        SELECT TOP (1)
            @ReceiptId = r.GoodsReceiptId,
            @Number = CONCAT('SI-', r.GoodsReceiptId),
            -- Every seventh invoice is one percent dearer than what was agreed.
            @Net = (SELECT ROUND(SUM(l.ReceiptValue) * IIF(r.GoodsReceiptId % 7 = 0, 1.01, 1.00), 2)
                    FROM purchasing.GoodsReceiptLine AS l WHERE l.GoodsReceiptId = r.GoodsReceiptId)
        FROM purchasing.GoodsReceipt AS r
        WHERE r.GoodsReceiptId > @ReceiptId AND r.ReceivedOn < @Day
            AND NOT EXISTS (SELECT * FROM purchasing.SupplierInvoice AS i WHERE i.GoodsReceiptId = r.GoodsReceiptId)
        ORDER BY r.GoodsReceiptId;
        IF @@ROWCOUNT = 0
            BREAK;
        EXEC purchasing.RecordInvoice @ReceiptId, @Number, @Net, @Day;
    END;
END;
GO
-- Pays what is due, oldest first, as far as the bank's balance goes: a running total decides.
CREATE PROCEDURE purchasing.PaySuppliers
    @Day  date,
    @Paid decimal(19, 2) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Done TABLE (SupplierId int NOT NULL, Amount decimal(19, 2) NOT NULL);
    DECLARE @Entry accounting.EntryLineList, @Money decimal(19, 2);
    BEGIN TRANSACTION;
    SELECT @Money = SUM(b.Balance)
    FROM accounting.AccountBalance AS b WITH (UPDLOCK)
    JOIN accounting.Account AS a ON a.AccountId = b.AccountId
    WHERE a.AccountCode = '1100';
    WITH Due AS
    (
        SELECT
            SupplierId, PaidAmount, OpenAmount, GrossAmount,
            SUM(OpenAmount) OVER (ORDER BY DueOn, SupplierInvoiceId ROWS UNBOUNDED PRECEDING) AS Needed
        FROM purchasing.SupplierInvoice
        WHERE DueOn <= @Day AND OpenAmount > 0
    )
    UPDATE Due
    SET PaidAmount = GrossAmount
    OUTPUT inserted.SupplierId, inserted.PaidAmount - deleted.PaidAmount INTO @Done
    WHERE Needed <= @Money;
    SELECT @Paid = COALESCE(SUM(Amount), 0) FROM @Done;
    IF @Paid > 0
    BEGIN
        INSERT @Entry (AccountCode, Debit, SupplierId) SELECT '2000', SUM(Amount), SupplierId FROM @Done GROUP BY SupplierId;
        INSERT @Entry (AccountCode, Credit) VALUES ('1100', @Paid);
        EXEC accounting.CreateEntry @Entry, @Day, 'PAYRUN', NULL, N'Suppliers paid';
    END;
    COMMIT;
END;
GO
CREATE VIEW purchasing.OpenOrder
AS
    SELECT
        o.OrderNumber, s.SupplierName, w.WarehouseCode, o.OrderedOn, o.DueOn, o.State,
        COUNT(*) AS Lines,
        SUM(l.Outstanding * l.UnitCost) AS OutstandingValue,
        STRING_AGG(CONVERT(nvarchar(max), CONCAT(p.Sku, N' × ', FORMAT(l.Outstanding, 'N0', 'en-US'))), N', ')
            WITHIN GROUP (ORDER BY p.Sku) AS Expected
    FROM purchasing.PurchaseOrder AS o
    JOIN party.Supplier AS s ON s.SupplierId = o.SupplierId
    JOIN stock.Warehouse AS w ON w.WarehouseId = o.WarehouseId
    JOIN purchasing.PurchaseOrderLine AS l ON l.PurchaseOrderId = o.PurchaseOrderId AND l.Outstanding > 0
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    WHERE o.State IN ('O', 'P')
    GROUP BY o.OrderNumber, s.SupplierName, w.WarehouseCode, o.OrderedOn, o.DueOn, o.State;
GO
CREATE VIEW purchasing.SupplierPerformance
AS
    SELECT
        s.SupplierCode, s.SupplierName,
        COUNT(DISTINCT o.PurchaseOrderId) AS Orders,
        AVG(1.0 * DATEDIFF(DAY, o.DueOn, r.ReceivedOn)) AS AverageDaysLate,
        STDEV(DATEDIFF(DAY, o.OrderedOn, r.ReceivedOn)) AS LeadDaysDeviation,
        SUM(i.NetAmount) AS Invoiced,
        SUM(i.OpenAmount) AS StillOpen
    FROM party.Creditor AS s
    LEFT JOIN purchasing.PurchaseOrder AS o ON o.SupplierId = s.SupplierId
    LEFT JOIN purchasing.GoodsReceipt AS r ON r.PurchaseOrderId = o.PurchaseOrderId
    LEFT JOIN purchasing.SupplierInvoice AS i ON i.GoodsReceiptId = r.GoodsReceiptId
    GROUP BY s.SupplierCode, s.SupplierName;
GO
