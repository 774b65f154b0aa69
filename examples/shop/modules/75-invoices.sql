-- Invoices and credit notes, payments and what they pay, dunning.
USE Shop;
GO
CREATE FUNCTION sales.OpenItems (@Day date)
RETURNS TABLE
AS
RETURN
    SELECT
        i.InvoiceId, i.InvoiceNumber, i.Kind, i.CustomerId, i.InvoicedOn, i.DueOn, i.GrossAmount,
        i.GrossAmount - COALESCE(paid.Amount, 0) + COALESCE(used.Amount, 0) AS OpenAmount,
        CASE WHEN i.DueOn < @Day THEN DATEDIFF(DAY, i.DueOn, @Day) ELSE 0 END AS DaysOverdue
    FROM sales.Invoice AS i
    OUTER APPLY (SELECT SUM(a.Amount) AS Amount FROM sales.Allocation AS a WHERE a.InvoiceId = i.InvoiceId AND a.AllocatedOn <= @Day) AS paid
    OUTER APPLY (SELECT SUM(a.Amount) AS Amount FROM sales.Allocation AS a WHERE a.CreditNoteId = i.InvoiceId AND a.AllocatedOn <= @Day) AS used
    WHERE i.InvoicedOn <= @Day AND i.GrossAmount - COALESCE(paid.Amount, 0) + COALESCE(used.Amount, 0) <> 0;
GO
CREATE FUNCTION sales.Aging (@Day date)
RETURNS TABLE
AS
RETURN
    SELECT
        CustomerId,
        SUM(OpenAmount) AS Total,
        SUM(CASE WHEN DaysOverdue = 0 THEN OpenAmount ELSE 0 END) AS NotDue,
        SUM(CASE WHEN DaysOverdue BETWEEN 1 AND 30 THEN OpenAmount ELSE 0 END) AS Days30,
        SUM(CASE WHEN DaysOverdue BETWEEN 31 AND 60 THEN OpenAmount ELSE 0 END) AS Days60,
        SUM(CASE WHEN DaysOverdue > 60 THEN OpenAmount ELSE 0 END) AS Older
    FROM sales.OpenItems(@Day)
    GROUP BY CustomerId;
GO
CREATE TRIGGER sales.Invoice_NoChange ON sales.Invoice
INSTEAD OF DELETE
AS
BEGIN
    THROW 51601, N'An invoice is not deleted: it is credited.', 1;
END;
GO
-- Nothing is paid twice, by nothing more than it is, and by nobody else's money. Versions of rows are not enough here: who allocates to
-- the same invoice at the same time is waited for.
CREATE TRIGGER sales.Allocation_Limit ON sales.Allocation
AFTER INSERT, UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    IF EXISTS
    (
        SELECT a.InvoiceId
        FROM sales.Allocation AS a WITH (READCOMMITTEDLOCK)
        JOIN sales.Invoice AS i ON i.InvoiceId = a.InvoiceId
        WHERE a.InvoiceId IN (SELECT InvoiceId FROM inserted)
        GROUP BY a.InvoiceId, i.GrossAmount
        HAVING SUM(a.Amount) > i.GrossAmount
    )
        THROW 51602, N'More is allocated than the invoice says.', 1;
    IF EXISTS
    (
        SELECT a.PaymentId
        FROM sales.Allocation AS a WITH (READCOMMITTEDLOCK)
        JOIN sales.Payment AS p ON p.PaymentId = a.PaymentId
        WHERE a.PaymentId IN (SELECT PaymentId FROM inserted WHERE PaymentId IS NOT NULL)
        GROUP BY a.PaymentId, p.Amount
        HAVING SUM(a.Amount) > p.Amount
    )
        THROW 51603, N'More is allocated than was paid.', 1;
    IF EXISTS
    (
        SELECT a.CreditNoteId
        FROM sales.Allocation AS a WITH (READCOMMITTEDLOCK)
        JOIN sales.Invoice AS c ON c.InvoiceId = a.CreditNoteId
        WHERE a.CreditNoteId IN (SELECT CreditNoteId FROM inserted WHERE CreditNoteId IS NOT NULL)
        GROUP BY a.CreditNoteId, c.GrossAmount, c.Kind
        HAVING SUM(a.Amount) > -c.GrossAmount OR c.Kind <> 'C'
    )
        THROW 51604, N'More is allocated than was credited.', 1;
    IF EXISTS
    (
        SELECT *
        FROM inserted AS n
        JOIN sales.Invoice AS i ON i.InvoiceId = n.InvoiceId
        LEFT JOIN sales.Payment AS p ON p.PaymentId = n.PaymentId
        LEFT JOIN sales.Invoice AS c ON c.InvoiceId = n.CreditNoteId
        WHERE i.CustomerId <> COALESCE(p.CustomerId, c.CustomerId)
    )
        THROW 51605, N'The money is somebody else''s.', 1;
END;
GO
CREATE PROCEDURE sales.NextInvoiceNumber
    @Kind          char(1),
    @Day           date,
    @InvoiceNumber varchar(20) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Number int, @Year smallint = YEAR(@Day), @Range varchar(30) = CONCAT('INVOICE-', @Kind);
    EXEC ref.NextDocumentNumber @Range, @Year, @Number OUTPUT;
    SET @InvoiceNumber = CONCAT(CASE @Kind WHEN 'I' THEN 'RE' WHEN 'C' THEN 'GU' ELSE 'MG' END, @Year, '-', FORMAT(@Number, '000000'));
END;
GO
-- The invoice of a shipment: lines as ordered, tax by code, and its entry.
CREATE PROCEDURE sales.InvoiceOrder
    @SalesOrderId int,
    @InvoiceId    int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay(), @CustomerId int, @PaymentDays smallint, @ShipmentId int, @Number varchar(20),
        @Net decimal(19, 2), @Tax decimal(19, 2), @Entry accounting.EntryLineList;
    DECLARE @Taxes TABLE
    (
        TaxCode   char(3)        NOT NULL PRIMARY KEY,
        Rate      decimal(7, 4)  NOT NULL,
        NetAmount decimal(19, 2) NOT NULL,
        TaxAmount AS CONVERT(decimal(19, 2), ROUND(NetAmount * Rate / 100, 2))
    );
    BEGIN TRANSACTION;
    UPDATE sales.SalesOrder SET State = 'I', @CustomerId = CustomerId WHERE SalesOrderId = @SalesOrderId AND State = 'S';
    IF @@ROWCOUNT = 0
        THROW 51606, N'There is no such order, or it has not been shipped.', 1;
    SELECT @ShipmentId = ShipmentId FROM sales.Shipment WHERE SalesOrderId = @SalesOrderId;
    SELECT @PaymentDays = g.PaymentDays
    FROM party.Customer AS c
    JOIN party.CustomerGroup AS g ON g.GroupCode = c.GroupCode
    WHERE c.CustomerId = @CustomerId;
    INSERT @Taxes (TaxCode, Rate, NetAmount)
    SELECT p.TaxCode, ref.TaxRateOn(p.TaxCode, @Day), SUM(l.LineAmount)
    FROM sales.SalesOrderLine AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    WHERE l.SalesOrderId = @SalesOrderId
    GROUP BY p.TaxCode;
    SELECT @Net = SUM(NetAmount), @Tax = SUM(TaxAmount) FROM @Taxes;
    EXEC sales.NextInvoiceNumber 'I', @Day, @Number OUTPUT;
    INSERT sales.Invoice (InvoiceNumber, Kind, CustomerId, ShipmentId, InvoicedOn, DueOn, NetAmount, TaxAmount)
    VALUES (@Number, 'I', @CustomerId, @ShipmentId, @Day, DATEADD(DAY, @PaymentDays, @Day), @Net, @Tax);
    SET @InvoiceId = SCOPE_IDENTITY();
    INSERT sales.InvoiceLine (InvoiceId, LineNumber, ProductId, LineText, Quantity, NetAmount, TaxCode)
    SELECT @InvoiceId, l.LineNumber, p.ProductId, p.ProductName, l.Quantity, l.LineAmount, p.TaxCode
    FROM sales.SalesOrderLine AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    WHERE l.SalesOrderId = @SalesOrderId;
    INSERT sales.InvoiceTax (InvoiceId, TaxCode, Rate, NetAmount)
    SELECT @InvoiceId, TaxCode, Rate, NetAmount FROM @Taxes;

    INSERT @Entry (AccountCode, Debit, CustomerId) VALUES ('1200', @Net + @Tax, @CustomerId);
    INSERT @Entry (AccountCode, Credit)
    SELECT c.RevenueAccount, SUM(t.NetAmount)
    FROM @Taxes AS t
    JOIN ref.TaxCode AS c ON c.TaxCode = t.TaxCode
    GROUP BY c.RevenueAccount;
    INSERT @Entry (AccountCode, Credit) VALUES ('2100', @Tax);
    EXEC accounting.CreateEntry @Entry, @Day, 'INVOICE', @InvoiceId, @Number;
    COMMIT;
END;
GO
-- Bills all that has been shipped. One that fails is written down and does not stop the others.
CREATE PROCEDURE sales.InvoiceShipments
    @Invoiced int = NULL OUTPUT,
    @Failed   int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Errors TABLE (SalesOrderId int NOT NULL, ErrorNumber int NOT NULL, ErrorLine int NOT NULL, Message nvarchar(4000) NOT NULL);
    DECLARE @Id int, @RunId int;
    SELECT @Invoiced = 0;
    EXEC audit.StartRun N'sales.InvoiceShipments', @RunId OUTPUT;
    DECLARE Shipped CURSOR LOCAL STATIC FOR SELECT SalesOrderId FROM sales.SalesOrder WHERE State = 'S' ORDER BY SalesOrderId;
    OPEN Shipped;
    FETCH NEXT FROM Shipped INTO @Id;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        BEGIN TRY
            BEGIN TRANSACTION;
            EXEC sales.InvoiceOrder @SalesOrderId = @Id;
            COMMIT;
            SET @Invoiced += 1;
        END TRY
        BEGIN CATCH
            INSERT @Errors VALUES (@Id, ERROR_NUMBER(), ERROR_LINE(), ERROR_MESSAGE());
            IF @@TRANCOUNT > 0
                ROLLBACK;
        END CATCH;
        FETCH NEXT FROM Shipped INTO @Id;
    END;
    INSERT audit.ErrorLog (ErrorNumber, Severity, State, ProcedureName, LineNumber, Message, Context)
    SELECT ErrorNumber, 16, 1, N'sales.InvoiceOrder', ErrorLine, Message, JSON_OBJECT('order': SalesOrderId) FROM @Errors;
    SET @Failed = @@ROWCOUNT;
    EXEC audit.FinishRun @RunId, @Invoiced, @Failed;
END;
GO
-- Money in the bank that belongs to a customer, and pays nothing yet.
CREATE PROCEDURE sales.RegisterPayment
    @CustomerId        int,
    @Amount            decimal(19, 2),
    @ReceivedOn        date,
    @Reference         nvarchar(140) = NULL,
    @BankTransactionId int = NULL,
    @PaymentId         int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Entry accounting.EntryLineList;
    BEGIN TRANSACTION;
    INSERT sales.Payment (CustomerId, ReceivedOn, Amount, Reference, BankTransactionId)
    VALUES (@CustomerId, @ReceivedOn, @Amount, @Reference, @BankTransactionId);
    SET @PaymentId = SCOPE_IDENTITY();
    INSERT @Entry (AccountCode, Debit, Credit, CustomerId) VALUES ('1100', @Amount, 0, NULL), ('2300', 0, @Amount, @CustomerId);
    EXEC accounting.CreateEntry @Entry, @ReceivedOn, 'PAYMENT', @PaymentId, N'Payment of a customer';
    COMMIT;
END;
GO
-- Pays an invoice out of a payment, as far as both go, or exactly so much.
CREATE PROCEDURE sales.AllocatePayment
    @PaymentId int,
    @InvoiceId int,
    @Amount    decimal(19, 2) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @CustomerId int, @Left decimal(19, 2), @Open decimal(19, 2), @Day date = ref.CurrentDay(), @Entry accounting.EntryLineList;
    BEGIN TRANSACTION;
    SELECT @CustomerId = CustomerId, @Left = Amount FROM sales.Payment WITH (UPDLOCK) WHERE PaymentId = @PaymentId;
    SELECT @Left -= COALESCE(SUM(Amount), 0) FROM sales.Allocation WHERE PaymentId = @PaymentId;
    SELECT @Open = OpenAmount FROM sales.OpenItems('99991231') WHERE InvoiceId = @InvoiceId;
    IF @Amount IS NULL
        SET @Amount = LEAST(@Left, @Open);
    IF @Amount > 0
    BEGIN
        INSERT sales.Allocation (PaymentId, InvoiceId, Amount, AllocatedOn) VALUES (@PaymentId, @InvoiceId, @Amount, @Day);
        INSERT @Entry (AccountCode, Debit, Credit, CustomerId) VALUES ('2300', @Amount, 0, @CustomerId), ('1200', 0, @Amount, @CustomerId);
        EXEC accounting.CreateEntry @Entry, @Day, 'ALLOCATION', @PaymentId, N'Invoice paid';
    END;
    COMMIT;
END;
GO
-- A customer's payments on the oldest invoices, all at once: both are laid out along a line of money, and where they overlap one pays the other.
CREATE PROCEDURE sales.AutoAllocate
    @CustomerId int,
    @Allocated  decimal(19, 2) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay(), @Entry accounting.EntryLineList;
    DECLARE @Made TABLE (Amount decimal(19, 2) NOT NULL);
    BEGIN TRANSACTION;
    DECLARE @Lock int = (SELECT COUNT(*) FROM sales.Payment WITH (UPDLOCK) WHERE CustomerId = @CustomerId);
    WITH Money AS
    (
        SELECT p.PaymentId, p.Rest, SUM(p.Rest) OVER (ORDER BY p.PaymentId ROWS UNBOUNDED PRECEDING) AS Upto
        FROM
        (
            SELECT x.PaymentId, x.Amount - COALESCE((SELECT SUM(a.Amount) FROM sales.Allocation AS a WHERE a.PaymentId = x.PaymentId), 0) AS Rest
            FROM sales.Payment AS x
            WHERE x.CustomerId = @CustomerId
        ) AS p
        WHERE p.Rest > 0
    ),
    Debts AS
    (
        SELECT InvoiceId, OpenAmount, SUM(OpenAmount) OVER (ORDER BY DueOn, InvoiceId ROWS UNBOUNDED PRECEDING) AS Upto
        FROM sales.OpenItems('99991231')
        WHERE CustomerId = @CustomerId AND OpenAmount > 0
    )
    INSERT sales.Allocation (PaymentId, InvoiceId, Amount, AllocatedOn)
    OUTPUT inserted.Amount INTO @Made
    SELECT m.PaymentId, d.InvoiceId, LEAST(m.Upto, d.Upto) - GREATEST(m.Upto - m.Rest, d.Upto - d.OpenAmount), @Day
    FROM Money AS m
    JOIN Debts AS d ON m.Upto > d.Upto - d.OpenAmount AND d.Upto > m.Upto - m.Rest;
    SELECT @Allocated = COALESCE(SUM(Amount), 0) FROM @Made;
    IF @Allocated > 0
    BEGIN
        INSERT @Entry (AccountCode, Debit, Credit, CustomerId)
        VALUES ('2300', @Allocated, 0, @CustomerId), ('1200', 0, @Allocated, @CustomerId);
        EXEC accounting.CreateEntry @Entry, @Day, 'ALLOCATION', @CustomerId, N'Invoices paid';
    END;
    COMMIT;
END;
GO
-- Takes lines of an invoice back, and where the goods came back with them, into stock at what they had cost.
CREATE PROCEDURE sales.CreditInvoice
    @InvoiceId   int,
    @LineNumbers ref.IdList READONLY,
    @GoodsBack   bit = 0,
    @CreditId    int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay(), @CustomerId int, @ShipmentId int, @WarehouseId int, @Number varchar(20), @Open decimal(19, 2),
        @Net decimal(19, 2), @Tax decimal(19, 2), @Cost decimal(19, 2) = 0, @ProductId int, @Quantity decimal(18, 3), @Value decimal(19, 2),
        @Entry accounting.EntryLineList;
    BEGIN TRANSACTION;
    SELECT @CustomerId = i.CustomerId, @ShipmentId = i.ShipmentId, @WarehouseId = o.WarehouseId
    FROM sales.Invoice AS i WITH (UPDLOCK)
    JOIN sales.Shipment AS s ON s.ShipmentId = i.ShipmentId
    JOIN sales.SalesOrder AS o ON o.SalesOrderId = s.SalesOrderId
    WHERE i.InvoiceId = @InvoiceId AND i.Kind = 'I';
    IF @CustomerId IS NULL
        THROW 51607, N'There is no such invoice of goods.', 1;
    IF EXISTS
    (
        SELECT * FROM sales.Invoice AS c
        JOIN sales.InvoiceLine AS l ON l.InvoiceId = c.InvoiceId
        JOIN @LineNumbers AS n ON n.Id = l.LineNumber
        WHERE c.OriginalId = @InvoiceId AND c.Kind = 'C'
    )
        THROW 51608, N'A line has been credited before.', 1;
    SELECT TaxCode, MAX(Rate) AS Rate, -SUM(NetAmount) AS NetAmount, -ROUND(SUM(NetAmount) * MAX(Rate) / 100, 2) AS TaxAmount
    INTO #Taxes
    FROM
    (
        SELECT l.TaxCode, t.Rate, l.NetAmount
        FROM sales.InvoiceLine AS l
        JOIN sales.InvoiceTax AS t ON t.InvoiceId = l.InvoiceId AND t.TaxCode = l.TaxCode
        JOIN @LineNumbers AS n ON n.Id = l.LineNumber
        WHERE l.InvoiceId = @InvoiceId
    ) AS x
    GROUP BY TaxCode;
    SELECT @Net = SUM(NetAmount), @Tax = SUM(TaxAmount) FROM #Taxes;
    IF @Net IS NULL
        THROW 51609, N'The invoice has no such lines.', 1;
    EXEC sales.NextInvoiceNumber 'C', @Day, @Number OUTPUT;
    INSERT sales.Invoice (InvoiceNumber, Kind, CustomerId, ShipmentId, OriginalId, InvoicedOn, DueOn, NetAmount, TaxAmount)
    VALUES (@Number, 'C', @CustomerId, @ShipmentId, @InvoiceId, @Day, @Day, @Net, @Tax);
    SET @CreditId = SCOPE_IDENTITY();
    INSERT sales.InvoiceLine (InvoiceId, LineNumber, ProductId, LineText, Quantity, NetAmount, TaxCode)
    SELECT @CreditId, l.LineNumber, l.ProductId, CONCAT(N'Credit: ', l.LineText), -l.Quantity, -l.NetAmount, l.TaxCode
    FROM sales.InvoiceLine AS l
    JOIN @LineNumbers AS n ON n.Id = l.LineNumber
    WHERE l.InvoiceId = @InvoiceId;
    INSERT sales.InvoiceTax (InvoiceId, TaxCode, Rate, NetAmount) SELECT @CreditId, TaxCode, Rate, NetAmount FROM #Taxes;

    INSERT @Entry (AccountCode, Debit) SELECT c.RevenueAccount, -t.NetAmount FROM #Taxes AS t JOIN ref.TaxCode AS c ON c.TaxCode = t.TaxCode;
    INSERT @Entry (AccountCode, Debit, Credit, CustomerId) VALUES ('2100', -@Tax, 0, NULL), ('1200', 0, -(@Net + @Tax), @CustomerId);
    IF @GoodsBack = 1
    BEGIN
        DECLARE GoodsBack CURSOR LOCAL STATIC FOR
            SELECT ol.ProductId, sl.Quantity, sl.CostValue
            FROM sales.ShipmentLine AS sl
            JOIN sales.SalesOrderLine AS ol ON ol.SalesOrderLineId = sl.SalesOrderLineId
            JOIN @LineNumbers AS n ON n.Id = ol.LineNumber
            WHERE sl.ShipmentId = @ShipmentId;
        OPEN GoodsBack;
        FETCH NEXT FROM GoodsBack INTO @ProductId, @Quantity, @Value;
        WHILE @@FETCH_STATUS = 0
        BEGIN
            EXEC stock.PostMovement @WarehouseId, @ProductId, 'BACK', @Quantity, @CreditId, @Value;
            SET @Cost += @Value;
            FETCH NEXT FROM GoodsBack INTO @ProductId, @Quantity, @Value;
        END;
        INSERT @Entry (AccountCode, Debit, Credit) VALUES ('1300', @Cost, 0), ('5000', 0, @Cost);
    END;
    EXEC accounting.CreateEntry @Entry, @Day, 'CREDIT', @CreditId, @Number;
    -- It pays what is still open of the invoice.
    SELECT @Open = OpenAmount FROM sales.OpenItems('99991231') WHERE InvoiceId = @InvoiceId;
    IF @Open > 0
        INSERT sales.Allocation (CreditNoteId, InvoiceId, Amount, AllocatedOn)
        VALUES (@CreditId, @InvoiceId, LEAST(@Open, -(@Net + @Tax)), @Day);
    COMMIT;
END;
GO
