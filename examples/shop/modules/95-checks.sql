-- What must be so at any time between two transactions. Each check is a view: its rows are the violations.
USE Shop;
GO
CREATE VIEW test.UnbalancedEntries AS
    SELECT CONCAT(N'entry ', e.EntryId, N': debit ', SUM(l.Debit), N', credit ', SUM(l.Credit)) AS Example
    FROM accounting.JournalEntry AS e
    JOIN accounting.JournalLine AS l ON l.EntryId = e.EntryId
    WHERE e.EntryNumber IS NOT NULL
    GROUP BY e.EntryId
    HAVING SUM(l.Debit) <> SUM(l.Credit) OR COUNT(*) < 2;
GO
CREATE VIEW test.UnbalancedPeriods AS
    SELECT CONCAT(N'period ', PeriodId, N' is out by ', SUM(Balance)) AS Example
    FROM accounting.AccountBalance
    GROUP BY PeriodId
    HAVING SUM(Balance) <> 0;
GO
CREATE VIEW test.WrongAccountBalances AS
    SELECT CONCAT(N'period ', COALESCE(k.PeriodId, s.PeriodId), N', account ', COALESCE(k.AccountId, s.AccountId)) AS Example
    FROM accounting.AccountBalance AS k
    FULL JOIN
    (
        SELECT e.PeriodId, l.AccountId, SUM(l.Debit) AS Debit, SUM(l.Credit) AS Credit
        FROM accounting.JournalEntry AS e
        JOIN accounting.JournalLine AS l ON l.EntryId = e.EntryId
        WHERE e.EntryNumber IS NOT NULL
        GROUP BY e.PeriodId, l.AccountId
    ) AS s ON s.PeriodId = k.PeriodId AND s.AccountId = k.AccountId
    WHERE k.PeriodId IS NULL OR s.PeriodId IS NULL OR k.Debit <> s.Debit OR k.Credit <> s.Credit;
GO
CREATE VIEW test.GapsInNumbers AS
    SELECT CONCAT(n.RangeName, N' ', n.FiscalYear, N': last ', n.LastNumber, N', highest ', u.Highest, N', so many ', u.Numbers) AS Example
    FROM ref.NumberRange AS n
    CROSS APPLY
    (
        SELECT COUNT(*) AS Numbers, COUNT(DISTINCT x.Number) AS Different, MAX(x.Number) AS Highest
        FROM
        (
            SELECT e.EntryNumber AS Number
            FROM accounting.JournalEntry AS e
            JOIN accounting.Period AS p ON p.PeriodId = e.PeriodId
            WHERE n.RangeName = 'JOURNAL' AND p.FiscalYear = n.FiscalYear AND e.EntryNumber IS NOT NULL
            UNION ALL
            SELECT CONVERT(int, RIGHT(i.InvoiceNumber, 6))
            FROM sales.Invoice AS i
            WHERE n.RangeName = 'INVOICE-' + i.Kind AND YEAR(i.InvoicedOn) = n.FiscalYear
        ) AS x
    ) AS u
    WHERE u.Numbers <> n.LastNumber OR u.Different <> n.LastNumber OR u.Highest <> n.LastNumber;
GO
CREATE VIEW test.StockLevelsWithoutReason AS
    SELECT
        CONCAT(N'warehouse ', l.WarehouseId, N', product ', l.ProductId, N': ', l.OnHand, N' on hand, ', COALESCE(t.Quantity, 0), N' moved')
            AS Example
    FROM stock.StockLevel AS l
    LEFT JOIN stock.MovementTotal AS t WITH (NOEXPAND) ON t.WarehouseId = l.WarehouseId AND t.ProductId = l.ProductId
    WHERE l.OnHand <> COALESCE(t.Quantity, 0) OR l.StockValue <> COALESCE(t.MovementValue, 0);
GO
-- The indexed view itself, against the rows that it sums.
CREATE VIEW test.WrongMovementTotals AS
    SELECT CONCAT(N'warehouse ', x.WarehouseId, N', product ', x.ProductId) AS Example
    FROM
    (
        SELECT WarehouseId, ProductId, Quantity, MovementValue, Movements, 1 AS Side FROM stock.MovementTotal WITH (NOEXPAND)
        UNION ALL
        SELECT WarehouseId, ProductId, SUM(Quantity), SUM(MovementValue), COUNT_BIG(*), 2 FROM stock.Movement GROUP BY WarehouseId, ProductId
    ) AS x
    GROUP BY x.WarehouseId, x.ProductId, x.Quantity, x.MovementValue, x.Movements
    HAVING COUNT(*) <> 2;
GO
CREATE VIEW test.WrongReservations AS
    SELECT CONCAT(N'warehouse ', l.WarehouseId, N', product ', l.ProductId, N': ', l.Reserved, N' reserved') AS Example
    FROM stock.StockLevel AS l
    OUTER APPLY
    (
        SELECT SUM(r.Quantity) AS Quantity
        FROM stock.Reservation AS r
        WHERE r.WarehouseId = l.WarehouseId AND r.ProductId = l.ProductId
    ) AS s
    WHERE l.Reserved <> COALESCE(s.Quantity, 0);
GO
CREATE VIEW test.ReservationsOfOtherOrders AS
    SELECT CONCAT(N'order ', o.OrderNumber, N' in state ', o.State, N' has ', COUNT(r.ReservationId), N' reservations of ', COUNT(*)) AS Example
    FROM sales.SalesOrder AS o
    JOIN sales.SalesOrderLine AS l ON l.SalesOrderId = o.SalesOrderId
    LEFT JOIN stock.Reservation AS r ON r.SalesOrderLineId = l.SalesOrderLineId
    GROUP BY o.OrderNumber, o.State
    HAVING COUNT(r.ReservationId) <> CASE o.State WHEN 'R' THEN COUNT(*) ELSE 0 END;
GO
CREATE VIEW test.ProductionWithGain AS
    SELECT CONCAT(N'production order ', DocumentId, N' made ', SUM(MovementValue)) AS Example
    FROM stock.Movement
    WHERE MovementKind = 'PROD'
    GROUP BY DocumentId
    HAVING SUM(MovementValue) <> 0;
GO
CREATE VIEW test.InvoicesThatDoNotAddUp AS
    SELECT CONCAT(i.InvoiceNumber, N': ', i.NetAmount, N' + ', i.TaxAmount) AS Example
    FROM sales.Invoice AS i
    OUTER APPLY (SELECT SUM(l.NetAmount) AS Net FROM sales.InvoiceLine AS l WHERE l.InvoiceId = i.InvoiceId) AS l
    OUTER APPLY (SELECT SUM(t.NetAmount) AS Net, SUM(t.TaxAmount) AS Tax FROM sales.InvoiceTax AS t WHERE t.InvoiceId = i.InvoiceId) AS t
    WHERE i.NetAmount <> COALESCE(l.Net, 0) OR i.NetAmount <> COALESCE(t.Net, 0) OR i.TaxAmount <> COALESCE(t.Tax, 0)
        OR i.GrossAmount <> i.NetAmount + i.TaxAmount;
GO
CREATE VIEW test.OrdersBilledWrongly AS
    SELECT CONCAT(N'order ', v.OrderNumber, N', state ', v.State, N': ', v.NetAmount, N' ordered, ', i.NetAmount, N' billed') AS Example
    FROM sales.OrderOverview AS v
    LEFT JOIN sales.Shipment AS s ON s.SalesOrderId = v.SalesOrderId
    LEFT JOIN sales.Invoice AS i ON i.ShipmentId = s.ShipmentId AND i.Kind = 'I'
    WHERE (v.State = 'I' AND (i.NetAmount IS NULL OR i.NetAmount <> v.NetAmount))
        OR (v.State <> 'I' AND i.InvoiceId IS NOT NULL)
        OR (v.State IN ('S', 'I') AND s.ShipmentId IS NULL)
        OR (v.State IN ('N', 'R', 'X') AND s.ShipmentId IS NOT NULL);
GO
CREATE VIEW test.AllocationsBeyond AS
    SELECT CONCAT(N'payment ', p.PaymentId, N': ', p.Amount) AS Example
    FROM sales.Payment AS p
    JOIN sales.Allocation AS a ON a.PaymentId = p.PaymentId
    GROUP BY p.PaymentId, p.Amount
    HAVING SUM(a.Amount) > p.Amount
    UNION ALL
    SELECT i.InvoiceNumber
    FROM sales.Invoice AS i
    JOIN sales.Allocation AS a ON a.InvoiceId = i.InvoiceId
    GROUP BY i.InvoiceNumber, i.GrossAmount
    HAVING SUM(a.Amount) > i.GrossAmount
    UNION ALL
    SELECT CONCAT(N'allocation ', a.AllocationId, N' of somebody else''s money')
    FROM sales.Allocation AS a
    JOIN sales.Invoice AS i ON i.InvoiceId = a.InvoiceId
    LEFT JOIN sales.Payment AS p ON p.PaymentId = a.PaymentId
    LEFT JOIN sales.Invoice AS c ON c.InvoiceId = a.CreditNoteId
    WHERE i.CustomerId <> COALESCE(p.CustomerId, c.CustomerId);
GO
-- Each account of the ledger that stands for documents is what the documents add up to.
CREATE VIEW test.LedgerAgainstDocuments AS
    WITH Ledger AS
    (
        SELECT a.AccountCode, SUM(b.Balance) AS Balance
        FROM accounting.AccountBalance AS b
        JOIN accounting.Account AS a ON a.AccountId = b.AccountId
        JOIN accounting.Period AS p ON p.PeriodId = b.PeriodId
        WHERE p.Number <= 12        -- what closes a year has no document
        GROUP BY a.AccountCode
    ),
    Documents AS
    (
        SELECT '1200' AS AccountCode, (SELECT SUM(OpenAmount) FROM sales.OpenItems('99991231')) AS Balance
        UNION ALL
        SELECT '2300',
            COALESCE((SELECT SUM(a.Amount) FROM sales.Allocation AS a WHERE a.PaymentId IS NOT NULL), 0)
            - COALESCE((SELECT SUM(p.Amount) FROM sales.Payment AS p), 0)
        UNION ALL
        SELECT '1300', (SELECT SUM(StockValue) FROM stock.StockLevel)
        UNION ALL
        SELECT '2000', -(SELECT SUM(OpenAmount) FROM purchasing.SupplierInvoice)
        UNION ALL
        SELECT '2200',
            -(SELECT SUM(l.ReceiptValue) FROM purchasing.GoodsReceiptLine AS l
              WHERE NOT EXISTS (SELECT * FROM purchasing.SupplierInvoice AS i WHERE i.GoodsReceiptId = l.GoodsReceiptId))
        UNION ALL
        SELECT '2100', -(SELECT SUM(TaxAmount) FROM sales.Invoice)
        UNION ALL
        SELECT '5000', -(SELECT SUM(MovementValue) FROM stock.Movement WHERE MovementKind IN ('SALE', 'BACK'))
    )
    SELECT CONCAT(N'account ', d.AccountCode, N': ledger ', COALESCE(l.Balance, 0), N', documents ', COALESCE(d.Balance, 0)) AS Example
    FROM Documents AS d
    LEFT JOIN Ledger AS l ON l.AccountCode = d.AccountCode
    WHERE COALESCE(l.Balance, 0) <> COALESCE(d.Balance, 0);
GO
CREATE VIEW test.DocumentsWithoutEntries AS
    SELECT CONCAT(N'invoice ', i.InvoiceNumber) AS Example
    FROM sales.Invoice AS i
    WHERE i.GrossAmount <> 0 AND NOT EXISTS
    (
        SELECT * FROM accounting.JournalEntry AS e
        WHERE e.SourceId = i.InvoiceId AND e.SourceKind = CASE i.Kind WHEN 'I' THEN 'INVOICE' WHEN 'C' THEN 'CREDIT' ELSE 'FEE' END
    )
    UNION ALL
    SELECT CONCAT(N'payment ', p.PaymentId)
    FROM sales.Payment AS p
    WHERE NOT EXISTS (SELECT * FROM accounting.JournalEntry AS e WHERE e.SourceKind = 'PAYMENT' AND e.SourceId = p.PaymentId)
    UNION ALL
    SELECT CONCAT(N'bank transaction ', t.BankTransactionId)
    FROM staging.BankTransaction AS t
    WHERE (SELECT COUNT(*) FROM sales.Payment AS p WHERE p.BankTransactionId = t.BankTransactionId) <> IIF(t.State = 'P', 1, 0);
GO
CREATE VIEW test.PurchaseOrdersInWrongState AS
    SELECT CONCAT(N'purchase order ', o.OrderNumber, N' in state ', o.State) AS Example
    FROM purchasing.PurchaseOrder AS o
    CROSS APPLY
    (
        SELECT SUM(l.Received) AS Received, SUM(l.Outstanding) AS Outstanding
        FROM purchasing.PurchaseOrderLine AS l WHERE l.PurchaseOrderId = o.PurchaseOrderId
    ) AS s
    WHERE o.State <> 'X' AND o.State <> CASE WHEN s.Outstanding = 0 THEN 'R' WHEN s.Received > 0 THEN 'P' ELSE 'O' END
    UNION ALL
    SELECT CONCAT(N'line ', l.PurchaseOrderLineId, N' received ', l.Received)
    FROM purchasing.PurchaseOrderLine AS l
    OUTER APPLY (SELECT SUM(r.Quantity) AS Quantity FROM purchasing.GoodsReceiptLine AS r WHERE r.PurchaseOrderLineId = l.PurchaseOrderLineId) AS s
    WHERE l.Received <> COALESCE(s.Quantity, 0);
GO
-- Periods of time that a row was valid do not overlap and leave no gap.
CREATE VIEW test.BrokenHistory AS
    SELECT CONCAT(N'price of product ', x.ProductId, N' until ', x.ValidTo) AS Example
    FROM
    (
        SELECT ProductId, ValidFrom, ValidTo, LEAD(ValidFrom) OVER (PARTITION BY ProductId ORDER BY ValidFrom) AS NextFrom
        FROM catalog.ListPrice FOR SYSTEM_TIME ALL
    ) AS x
    WHERE x.NextFrom <> x.ValidTo;
GO
-- Runs every view of this schema and keeps what it found. Fails loudly, with all that is wrong in one message.
CREATE PROCEDURE test.RunChecks
    @Quiet bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    SET TRANSACTION ISOLATION LEVEL SNAPSHOT;
    DECLARE @Sql nvarchar(max), @Before int = COALESCE((SELECT MAX(CheckId) FROM test.CheckResult), 0);
    SELECT @Sql = STRING_AGG(CONVERT(nvarchar(max), CONCAT(N'
INSERT test.CheckResult (CheckName, Failures, Example)
SELECT N''', v.name, N''', COUNT(*), MIN(Example) FROM test.', QUOTENAME(v.name))), N';') WITHIN GROUP (ORDER BY v.name)
    FROM sys.views AS v
    WHERE v.schema_id = SCHEMA_ID(N'test');
    EXEC sys.sp_executesql @Sql;
    DECLARE @Broken nvarchar(2000) =
    (
        SELECT STRING_AGG(CONVERT(nvarchar(max), CONCAT(CheckName, N' (', Failures, N'): ', Example)), N'; ')
        FROM test.CheckResult
        WHERE CheckId > @Before AND Failures > 0
    );
    IF @Broken IS NOT NULL
        THROW 51999, @Broken, 1;
    IF @Quiet = 0
        SELECT COUNT(*) AS ChecksHeld FROM test.CheckResult WHERE CheckId > @Before;
END;
GO
