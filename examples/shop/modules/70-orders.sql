-- Orders: prices, entry, reservation, shipment.
USE Shop;
GO
-- What a customer pays for a piece: the list price, the better of quantity discount and promotion on top of the group's, at most 60 percent.
CREATE FUNCTION sales.PriceFor (@CustomerId int, @ProductId int, @Quantity decimal(18, 3), @Day date)
RETURNS TABLE
AS
RETURN
    SELECT
        l.NetPrice,
        CONVERT(decimal(7, 4), LEAST(60, g.DiscountPercent + GREATEST(COALESCE(q.DiscountPercent, 0), COALESCE(m.DiscountPercent, 0))))
            AS DiscountPercent
    FROM catalog.Product AS p
    JOIN catalog.ListPrice AS l ON l.ProductId = p.ProductId
    JOIN party.Customer AS c ON c.CustomerId = @CustomerId
    JOIN party.CustomerGroup AS g ON g.GroupCode = c.GroupCode
    OUTER APPLY
    (
        SELECT TOP (1) x.DiscountPercent
        FROM catalog.QuantityDiscount AS x
        WHERE x.CategoryId = p.CategoryId AND x.FromQuantity <= @Quantity
        ORDER BY x.FromQuantity DESC
    ) AS q
    OUTER APPLY
    (
        SELECT MAX(x.DiscountPercent) AS DiscountPercent
        FROM catalog.Promotion AS x
        WHERE x.ProductId = p.ProductId AND @Day BETWEEN x.FirstDay AND x.LastDay
    ) AS m
    WHERE p.ProductId = @ProductId AND p.Discontinued = 0;
GO
-- An offer for a basket given as JSON: [{"sku": "…", "quantity": 1}]; lines that cannot be sold say why.
CREATE FUNCTION sales.PriceBasket (@CustomerId int, @Basket nvarchar(max), @Day date)
RETURNS @Offer TABLE
(
    LineNumber      int           NOT NULL PRIMARY KEY,
    Sku             varchar(20)   NULL,
    Quantity        decimal(18, 3) NULL,
    NetPrice        decimal(19, 2) NULL,
    DiscountPercent decimal(7, 4) NULL,
    LineAmount      AS CONVERT(decimal(19, 2), ROUND(Quantity * NetPrice * (100 - DiscountPercent) / 100, 2)),
    Remark          nvarchar(100) NULL
)
AS
BEGIN
    INSERT @Offer (LineNumber, Sku, Quantity)
    SELECT CONVERT(int, j.[key]) + 1, x.sku, x.quantity
    FROM OPENJSON(@Basket) AS j
    CROSS APPLY OPENJSON(j.[value]) WITH (sku varchar(20), quantity decimal(18, 3)) AS x;
    UPDATE o
    SET NetPrice = f.NetPrice, DiscountPercent = f.DiscountPercent
    FROM @Offer AS o
    JOIN catalog.Product AS p ON p.Sku = o.Sku
    CROSS APPLY sales.PriceFor(@CustomerId, p.ProductId, o.Quantity, @Day) AS f;
    UPDATE @Offer
    SET Remark = CASE WHEN COALESCE(Quantity, 0) <= 0 THEN N'no quantity' ELSE N'not sold' END
    WHERE NetPrice IS NULL OR COALESCE(Quantity, 0) <= 0;
    RETURN;
END;
GO
CREATE TRIGGER sales.SalesOrder_Transition ON sales.SalesOrder
AFTER UPDATE
AS
BEGIN
    IF NOT UPDATE(State)
        RETURN;
    SET NOCOUNT ON;
    DECLARE @Message nvarchar(200) =
    (
        SELECT TOP (1) CONCAT(N'Order ', i.OrderNumber, N' cannot go from ', d.State, N' to ', i.State, N'.')
        FROM inserted AS i
        JOIN deleted AS d ON d.SalesOrderId = i.SalesOrderId
        WHERE i.State <> d.State
            AND NOT EXISTS (SELECT * FROM sales.OrderTransition AS t WHERE t.FromState = d.State AND t.ToState = i.State)
    );
    IF @Message IS NOT NULL
        THROW 51501, @Message, 1;
END;
GO
-- Only orders that are new change their lines.
CREATE TRIGGER sales.SalesOrderLine_OfNewOrders ON sales.SalesOrderLine
AFTER INSERT, UPDATE, DELETE
AS
BEGIN
    SET NOCOUNT ON;
    IF EXISTS
    (
        SELECT SalesOrderId FROM sales.SalesOrder WHERE State <> 'N'
        INTERSECT
        (SELECT SalesOrderId FROM inserted UNION SELECT SalesOrderId FROM deleted)
    )
        THROW 51502, N'The order is being worked on.', 1;
END;
GO
-- An order of several lines in one call. The same reference of the same customer is the same order: a client that lost its connection may ask again.
CREATE PROCEDURE sales.PlaceOrder
    @CustomerNumber    int,
    @Lines             sales.OrderLineList READONLY,
    @CustomerReference nvarchar(40) = NULL,
    @WarehouseCode     varchar(20) = NULL,
    @SalesOrderId      int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Day date = ref.CurrentDay(), @CustomerId int, @BranchId int, @WarehouseId int, @Message nvarchar(400);
    IF @Day IS NULL
        THROW 51004, N'No day is open.', 1;
    SELECT @CustomerId = CustomerId, @BranchId = BranchId FROM party.Customer WHERE CustomerNumber = @CustomerNumber AND Active = 1;
    IF @CustomerId IS NULL
        THROW 51503, N'There is no such customer.', 1;
    SELECT @SalesOrderId = SalesOrderId
    FROM sales.SalesOrder
    WHERE CustomerId = @CustomerId AND CustomerReference = @CustomerReference;
    IF @SalesOrderId IS NOT NULL
        RETURN 1;
    SELECT TOP (1) @WarehouseId = WarehouseId
    FROM stock.Warehouse
    WHERE WarehouseCode = @WarehouseCode OR (@WarehouseCode IS NULL AND BranchId = @BranchId)
    ORDER BY WarehouseId;
    SELECT @Message = CONCAT(N'Not sold: ', STRING_AGG(CONVERT(nvarchar(max), l.Sku), N', ') WITHIN GROUP (ORDER BY l.LineNumber))
    FROM @Lines AS l
    LEFT JOIN catalog.Product AS p ON p.Sku = l.Sku AND p.Discontinued = 0
    WHERE p.ProductId IS NULL
    HAVING COUNT(*) > 0;
    IF @Message IS NOT NULL
        THROW 51504, @Message, 1;
    IF NOT EXISTS (SELECT * FROM @Lines)
        THROW 51505, N'An order has lines.', 1;
    IF EXISTS
    (
        SELECT * FROM @Lines AS l
        JOIN catalog.Product AS p ON p.Sku = l.Sku
        JOIN ref.Unit AS u ON u.UnitCode = p.UnitCode
        WHERE u.Divisible = 0 AND l.Quantity <> FLOOR(l.Quantity)
    )
        THROW 51506, N'Of some of these there are whole pieces only.', 1;

    BEGIN TRANSACTION;
    INSERT sales.SalesOrder (CustomerId, BranchId, WarehouseId, OrderedOn, CustomerReference)
    VALUES (@CustomerId, @BranchId, @WarehouseId, @Day, @CustomerReference);
    SET @SalesOrderId = SCOPE_IDENTITY();
    INSERT sales.SalesOrderLine (SalesOrderId, LineNumber, ProductId, Quantity, NetPrice, DiscountPercent)
    SELECT @SalesOrderId, l.LineNumber, p.ProductId, l.Quantity, f.NetPrice, COALESCE(l.DiscountPercent, f.DiscountPercent)
    FROM @Lines AS l
    JOIN catalog.Product AS p ON p.Sku = l.Sku
    CROSS APPLY sales.PriceFor(@CustomerId, p.ProductId, l.Quantity, @Day) AS f;
    IF @@ROWCOUNT <> (SELECT COUNT(*) FROM @Lines)
        THROW 51507, N'Some products have no price.', 1;
    COMMIT;
    RETURN 0;
END;
GO
-- The same from a web shop: {"customer": 10001, "reference": "…", "lines": [{"sku": "…", "quantity": 2}]}
CREATE PROCEDURE sales.ImportOrder
    @Json         nvarchar(max),
    @SalesOrderId int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    IF ISJSON(@Json) = 0
        THROW 51508, N'The order is no JSON.', 1;
    DECLARE @Customer int = JSON_VALUE(@Json, 'strict $.customer'), @Reference nvarchar(40) = JSON_VALUE(@Json, '$.reference'),
        @Warehouse varchar(20) = JSON_VALUE(@Json, '$.warehouse'), @Lines sales.OrderLineList, @Result int;
    INSERT @Lines (LineNumber, Sku, Quantity, DiscountPercent)
    SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)), sku, SUM(quantity), MAX(discount)
    FROM OPENJSON(@Json, 'strict $.lines') WITH (sku varchar(20), quantity decimal(18, 3), discount decimal(7, 4))
    GROUP BY sku;
    EXEC @Result = sales.PlaceOrder @Customer, @Lines, @Reference, @Warehouse, @SalesOrderId OUTPUT;
    RETURN @Result;
END;
GO
-- What a customer owes or has ordered and not yet been billed.
CREATE FUNCTION sales.Exposure (@CustomerId int)
RETURNS decimal(19, 2)
AS
BEGIN
    DECLARE @Invoiced decimal(19, 2), @Allocated decimal(19, 2), @Ordered decimal(19, 2);
    SELECT @Invoiced = SUM(GrossAmount) FROM sales.Invoice WHERE CustomerId = @CustomerId;
    SELECT @Allocated = SUM(a.Amount)
    FROM sales.Allocation AS a
    JOIN sales.Payment AS p ON p.PaymentId = a.PaymentId
    WHERE p.CustomerId = @CustomerId;
    SELECT @Ordered = SUM(l.LineAmount)
    FROM sales.SalesOrder AS o
    JOIN sales.SalesOrderLine AS l ON l.SalesOrderId = o.SalesOrderId
    WHERE o.CustomerId = @CustomerId AND o.State IN ('R', 'S');
    RETURN COALESCE(@Invoiced, 0) - COALESCE(@Allocated, 0) + COALESCE(@Ordered, 0);
END;
GO
-- All lines or none. 0: reserved; 1: not enough there; 2: beyond the credit limit; 3: no new order (any more).
CREATE PROCEDURE sales.ReserveOrder
    @SalesOrderId int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @CustomerId int, @WarehouseId int, @Day date = ref.CurrentDay(), @Amount decimal(19, 2), @Lines int, @Priority tinyint;
    DECLARE @Places TABLE (SalesOrderLineId int NOT NULL PRIMARY KEY, ProductId int NOT NULL, Quantity decimal(18, 3) NOT NULL);
    BEGIN TRANSACTION;
    SELECT @CustomerId = o.CustomerId, @WarehouseId = o.WarehouseId, @Priority = CASE c.GroupCode WHEN 'KEY' THEN 1 WHEN 'TRD' THEN 3 ELSE 5 END
    FROM sales.SalesOrder AS o WITH (UPDLOCK)
    JOIN party.Customer AS c ON c.CustomerId = o.CustomerId
    WHERE o.SalesOrderId = @SalesOrderId AND o.State = 'N';
    IF @CustomerId IS NULL
    BEGIN
        COMMIT;
        RETURN 3;
    END;
    SELECT @Amount = SUM(LineAmount), @Lines = COUNT(*) FROM sales.SalesOrderLine WHERE SalesOrderId = @SalesOrderId;
    IF sales.Exposure(@CustomerId) + @Amount > (SELECT CreditLimit FROM party.CreditLimit WHERE CustomerId = @CustomerId)
    BEGIN
        COMMIT;
        RETURN 2;
    END;
    -- The places are locked before they are judged: what is there stays there until the reservations are.
    INSERT @Places (SalesOrderLineId, ProductId, Quantity)
    SELECT l.SalesOrderLineId, s.ProductId, l.Quantity
    FROM
    (
        -- A product on two lines is counted together.
        SELECT SalesOrderLineId, ProductId, Quantity, SUM(Quantity) OVER (PARTITION BY ProductId) AS Together
        FROM sales.SalesOrderLine
        WHERE SalesOrderId = @SalesOrderId
    ) AS l
    JOIN stock.StockLevel AS s WITH (UPDLOCK) ON s.WarehouseId = @WarehouseId AND s.ProductId = l.ProductId
    WHERE s.Available >= l.Together;
    IF @@ROWCOUNT <> @Lines
    BEGIN
        COMMIT;
        RETURN 1;
    END;
    INSERT stock.Reservation (SalesOrderLineId, WarehouseId, ProductId, Quantity, ExpiresOn)
    SELECT SalesOrderLineId, @WarehouseId, ProductId, Quantity, ref.AddWorkingDays(@Day, 5) FROM @Places;
    INSERT stock.PickTask (SalesOrderId, WarehouseId, Priority) VALUES (@SalesOrderId, @WarehouseId, @Priority);
    UPDATE sales.SalesOrder SET State = 'R' WHERE SalesOrderId = @SalesOrderId;
    COMMIT;
    RETURN 0;
END;
GO
CREATE PROCEDURE sales.ReserveNewOrders
    @Reserved int = NULL OUTPUT,
    @Waiting  int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Id int = 0, @Result int, @RunId int;
    SELECT @Reserved = 0, @Waiting = 0;
    EXEC audit.StartRun @ProcessName = N'sales.ReserveNewOrders', @RunId = @RunId OUTPUT;
    WHILE 1 = 1
    BEGIN
        SET @Id = (SELECT MIN(SalesOrderId) FROM sales.SalesOrder WHERE State = 'N' AND SalesOrderId > @Id);
        IF @Id IS NULL
            BREAK;
        EXEC @Result = sales.ReserveOrder @SalesOrderId = @Id;
        IF @Result = 0
            SET @Reserved += 1;
        ELSE
            SET @Waiting += 1;
    END;
    EXEC audit.FinishRun @RunId, @Reserved, @Waiting;
END;
GO
CREATE PROCEDURE sales.CancelOrder
    @SalesOrderId int,
    @Version      binary(8) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    BEGIN TRANSACTION;
    UPDATE sales.SalesOrder
    SET State = 'X'
    WHERE SalesOrderId = @SalesOrderId AND (@Version IS NULL OR Version = @Version);
    IF @@ROWCOUNT = 0
        THROW 51510, N'There is no such order, or it has been changed.', 1;
    IF EXISTS (SELECT * FROM stock.PickTask WITH (UPDLOCK) WHERE SalesOrderId = @SalesOrderId AND State <> 'Q')
        THROW 51511, N'It is being picked.', 1;
    DELETE stock.PickTask WHERE SalesOrderId = @SalesOrderId;
    DELETE r
    FROM stock.Reservation AS r
    WHERE EXISTS (SELECT * FROM sales.SalesOrderLine AS l WHERE l.SalesOrderLineId = r.SalesOrderLineId AND l.SalesOrderId = @SalesOrderId);
    COMMIT;
END;
GO
-- Takes the goods out of stock and their cost into the ledger.
CREATE PROCEDURE sales.ShipOrder
    @SalesOrderId int,
    @ShipmentId   int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @WarehouseId int, @Day date = ref.CurrentDay(), @LineId int, @ProductId int, @Quantity decimal(18, 3), @Out decimal(18, 3),
        @Value decimal(19, 2), @Cost decimal(19, 2) = 0, @Entry accounting.EntryLineList;
    DECLARE @Lines TABLE (SalesOrderLineId int NOT NULL PRIMARY KEY, ProductId int NOT NULL, Quantity decimal(18, 3) NOT NULL);
    BEGIN TRANSACTION;
    SELECT @WarehouseId = WarehouseId FROM sales.SalesOrder WITH (UPDLOCK) WHERE SalesOrderId = @SalesOrderId AND State = 'R';
    IF @WarehouseId IS NULL
        THROW 51512, N'The order is not reserved.', 1;
    DELETE r
    OUTPUT deleted.SalesOrderLineId, deleted.ProductId, deleted.Quantity INTO @Lines
    FROM stock.Reservation AS r
    JOIN sales.SalesOrderLine AS l ON l.SalesOrderLineId = r.SalesOrderLineId
    WHERE l.SalesOrderId = @SalesOrderId;
    INSERT sales.Shipment (SalesOrderId, ShippedOn) VALUES (@SalesOrderId, @Day);
    SET @ShipmentId = SCOPE_IDENTITY();
    DECLARE ToShip CURSOR LOCAL FAST_FORWARD FOR SELECT SalesOrderLineId, ProductId, Quantity FROM @Lines ORDER BY ProductId, SalesOrderLineId;
    OPEN ToShip;
    FETCH NEXT FROM ToShip INTO @LineId, @ProductId, @Quantity;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SELECT @Out = -@Quantity, @Value = NULL;
        EXEC stock.PostMovement @WarehouseId, @ProductId, 'SALE', @Out, @ShipmentId, @Value OUTPUT;
        INSERT sales.ShipmentLine (ShipmentId, SalesOrderLineId, Quantity, CostValue) VALUES (@ShipmentId, @LineId, @Quantity, -@Value);
        SET @Cost -= @Value;
        FETCH NEXT FROM ToShip INTO @LineId, @ProductId, @Quantity;
    END;
    CLOSE ToShip;
    DEALLOCATE ToShip;
    UPDATE sales.SalesOrder SET State = 'S' WHERE SalesOrderId = @SalesOrderId;
    UPDATE stock.PickTask
    SET State = 'D', DoneAt = SYSUTCDATETIME(), ClaimedBy = COALESCE(ClaimedBy, USER_NAME())
    WHERE SalesOrderId = @SalesOrderId;
    IF @Cost <> 0
    BEGIN
        INSERT @Entry (AccountCode, Debit, Credit) VALUES ('5000', @Cost, 0), ('1300', 0, @Cost);
        EXEC accounting.CreateEntry @Lines = @Entry, @EntryDate = @Day, @SourceKind = 'SHIPMENT', @SourceId = @ShipmentId,
            @EntryText = N'Cost of goods sold';
    END;
    COMMIT;
END;
GO
-- A picker's shift: task after task until the queue of the warehouse is empty.
CREATE PROCEDURE stock.PickAll
    @WarehouseId int,
    @Picker      sysname,
    @Picked      int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @SalesOrderId int, @None int;
    SET @Picked = 0;
    EXEC @None = stock.ClaimPickTask @WarehouseId, @Picker, @SalesOrderId OUTPUT;
    WHILE @None = 0
    BEGIN
        EXEC sales.ShipOrder @SalesOrderId = @SalesOrderId;
        SET @Picked += 1;
        EXEC @None = stock.ClaimPickTask @WarehouseId, @Picker, @SalesOrderId OUTPUT;
    END;
END;
GO
CREATE VIEW sales.OrderOverview
AS
    SELECT
        o.SalesOrderId, o.OrderNumber, c.CustomerNumber, c.CustomerName, b.BranchCode, o.OrderedOn, s.StateName, o.State,
        t.Lines, t.NetAmount, h.TrackingCode, i.InvoiceNumber
    FROM sales.SalesOrder AS o
    JOIN party.Customer AS c ON c.CustomerId = o.CustomerId
    JOIN ref.Branch AS b ON b.BranchId = o.BranchId
    JOIN sales.OrderState AS s ON s.State = o.State
    CROSS APPLY (SELECT COUNT(*) AS Lines, SUM(l.LineAmount) AS NetAmount FROM sales.SalesOrderLine AS l WHERE l.SalesOrderId = o.SalesOrderId) AS t
    LEFT JOIN sales.Shipment AS h ON h.SalesOrderId = o.SalesOrderId
    LEFT JOIN sales.Invoice AS i ON i.ShipmentId = h.ShipmentId AND i.Kind = 'I';
GO
-- A page behind a known order: by key, so that page 1,000 costs what page 1 costs.
CREATE PROCEDURE sales.OrderPage
    @AfterNumber int = 0,
    @State       char(1) = NULL,
    @PageSize    int = 25
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (@PageSize) OrderNumber, CustomerName, OrderedOn, StateName, Lines, NetAmount
    FROM sales.OrderOverview
    WHERE OrderNumber > @AfterNumber AND (State = @State OR @State IS NULL)
    ORDER BY OrderNumber
    OPTION (RECOMPILE);
END;
GO
CREATE PROCEDURE sales.OrderDocument
    @OrderNumber int
AS
BEGIN
    SET NOCOUNT ON;
    SELECT
        o.OrderNumber AS [order.number], o.OrderedOn AS [order.date], o.CustomerReference AS [order.reference],
        c.CustomerNumber AS [customer.number], c.CustomerName AS [customer.name],
        party.FormatAddress(c.CustomerId, 'D') AS [customer.address],
        (
            SELECT l.LineNumber AS [line], p.Sku AS sku, p.ProductName AS name, l.Quantity AS quantity, l.NetPrice AS [price.net],
                NULLIF(l.DiscountPercent, 0) AS [price.discount], l.LineAmount AS amount
            FROM sales.SalesOrderLine AS l
            JOIN catalog.Product AS p ON p.ProductId = l.ProductId
            WHERE l.SalesOrderId = o.SalesOrderId
            ORDER BY l.LineNumber
            FOR JSON PATH
        ) AS lines
    FROM sales.SalesOrder AS o
    JOIN party.Customer AS c ON c.CustomerId = o.CustomerId
    WHERE o.OrderNumber = @OrderNumber
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER;
END;
GO
