-- Stock: movements and their values, reservations, the pickers' queue, production, counting.
USE Shop;
GO
CREATE TRIGGER stock.Movement_Apply ON stock.Movement
AFTER INSERT
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE l
    SET OnHand += m.Quantity, StockValue += m.MovementValue
    FROM stock.StockLevel AS l
    JOIN
    (
        SELECT WarehouseId, ProductId, SUM(Quantity) AS Quantity, SUM(MovementValue) AS MovementValue
        FROM inserted
        GROUP BY WarehouseId, ProductId
    ) AS m ON m.WarehouseId = l.WarehouseId AND m.ProductId = l.ProductId;
END;
GO
CREATE TRIGGER stock.Movement_Immutable ON stock.Movement
INSTEAD OF UPDATE, DELETE
AS
BEGIN
    THROW 51301, N'A movement is not changed: another one takes it back.', 1;
END;
GO
CREATE TRIGGER stock.Reservation_Apply ON stock.Reservation
AFTER INSERT, UPDATE, DELETE
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE l
    SET Reserved += r.Change
    FROM stock.StockLevel AS l
    JOIN
    (
        SELECT c.WarehouseId, c.ProductId, SUM(c.Quantity) AS Change
        FROM
        (
            SELECT WarehouseId, ProductId, Quantity FROM inserted
            UNION ALL
            SELECT WarehouseId, ProductId, -Quantity FROM deleted
        ) AS c
        GROUP BY c.WarehouseId, c.ProductId
        HAVING SUM(c.Quantity) <> 0
    ) AS r ON r.WarehouseId = l.WarehouseId AND r.ProductId = l.ProductId;
END;
GO
CREATE FUNCTION stock.AvailableAnywhere (@ProductId int)
RETURNS decimal(18, 3)
AS
BEGIN
    RETURN COALESCE((SELECT SUM(Available) FROM stock.StockLevel WHERE ProductId = @ProductId), 0);
END;
GO
-- Receipts bring their value; issues take the average, and the last of them all that is left, so that an empty place is worth nothing.
CREATE PROCEDURE stock.PostMovement
    @WarehouseId  int,
    @ProductId    int,
    @MovementKind char(4),
    @Quantity     decimal(18, 3),
    @DocumentId   int = NULL,
    @Value        decimal(19, 2) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    IF @@TRANCOUNT = 0
        THROW 51302, N'Movements belong to the transaction of a document.', 1;
    DECLARE @Direction smallint = (SELECT Direction FROM stock.MovementKind WHERE MovementKind = @MovementKind);
    IF @Direction IS NULL OR @Direction * @Quantity < 0 OR @Quantity = 0
        THROW 51303, N'The quantity has the wrong sign for this kind of movement.', 1;

    INSERT stock.StockLevel (WarehouseId, ProductId)
    SELECT @WarehouseId, @ProductId
    WHERE NOT EXISTS
        (SELECT * FROM stock.StockLevel WITH (UPDLOCK, SERIALIZABLE) WHERE WarehouseId = @WarehouseId AND ProductId = @ProductId);
    DECLARE @OnHand decimal(18, 3), @StockValue decimal(19, 2);
    SELECT @OnHand = OnHand, @StockValue = StockValue
    FROM stock.StockLevel WITH (UPDLOCK)
    WHERE WarehouseId = @WarehouseId AND ProductId = @ProductId;

    IF @Quantity < 0
    BEGIN
        IF @OnHand + @Quantity < 0
        BEGIN
            DECLARE @Message nvarchar(200) = CONCAT(N'Only ', @OnHand, N' of product ', @ProductId, N' are there, not ', -@Quantity, N'.');
            THROW 51304, @Message, 1;
        END;
        SET @Value = CASE WHEN @OnHand + @Quantity = 0 THEN -@StockValue ELSE ROUND(@StockValue * @Quantity / @OnHand, 2) END;
    END
    ELSE IF @Value IS NULL
    BEGIN
        IF @OnHand = 0
            THROW 51305, N'What comes to an empty place needs a value.', 1;
        SET @Value = ROUND(@StockValue * @Quantity / @OnHand, 2);
    END;
    INSERT stock.Movement (BusinessDate, WarehouseId, ProductId, MovementKind, Quantity, MovementValue, DocumentId)
    VALUES (COALESCE(ref.CurrentDay(), CONVERT(date, SYSUTCDATETIME())), @WarehouseId, @ProductId, @MovementKind, @Quantity, @Value, @DocumentId);
END;
GO
CREATE PROCEDURE stock.Transfer
    @Sku             varchar(20),
    @Quantity        decimal(18, 3),
    @FromWarehouseId int,
    @ToWarehouseId   int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @ProductId int = (SELECT ProductId FROM catalog.Product WHERE Sku = @Sku), @Out decimal(18, 3) = -@Quantity,
        @Value decimal(19, 2), @Locked int;
    BEGIN TRANSACTION;
    -- Both places at once and in one order, whichever way the goods go.
    SELECT @Locked = COUNT(*) FROM stock.StockLevel WITH (UPDLOCK)
    WHERE ProductId = @ProductId AND WarehouseId IN (@FromWarehouseId, @ToWarehouseId);
    IF EXISTS (SELECT * FROM stock.StockLevel WHERE WarehouseId = @FromWarehouseId AND ProductId = @ProductId AND Available < @Quantity)
        THROW 51306, N'What is reserved is not moved.', 1;
    EXEC stock.PostMovement @FromWarehouseId, @ProductId, 'MOVE', @Out, NULL, @Value OUTPUT;
    SET @Value = -@Value;
    EXEC stock.PostMovement @ToWarehouseId, @ProductId, 'MOVE', @Quantity, NULL, @Value;
    COMMIT;
END;
GO
-- Takes the next task of a warehouse. Rows that others hold are passed by, so pickers do not wait for each other.
CREATE PROCEDURE stock.ClaimPickTask
    @WarehouseId  int,
    @Picker       sysname,
    @SalesOrderId int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET @SalesOrderId = NULL;
    WITH NextTask AS
    (
        SELECT TOP (1) SalesOrderId, State, ClaimedBy, ClaimedAt
        FROM stock.PickTask WITH (UPDLOCK, READPAST, ROWLOCK)
        WHERE WarehouseId = @WarehouseId AND State = 'Q'
        ORDER BY Priority, PickTaskId
    )
    UPDATE NextTask
    SET State = 'C', ClaimedBy = @Picker, ClaimedAt = SYSUTCDATETIME(), @SalesOrderId = SalesOrderId;
    RETURN CASE WHEN @SalesOrderId IS NULL THEN 1 ELSE 0 END;
END;
GO
-- Tasks whose picker has gone away go back into the queue.
CREATE PROCEDURE stock.ReturnAbandonedTasks
    @ClaimedBefore datetime2(3),
    @Returned      int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE stock.PickTask
    SET State = 'Q', ClaimedBy = NULL, ClaimedAt = NULL, Priority = IIF(Priority > 1, Priority - 1, 1)
    WHERE State = 'C' AND ClaimedAt < @ClaimedBefore;
    SET @Returned = @@ROWCOUNT;
END;
GO
-- Reservations do not last for ever: their orders are new again, and wait for their turn.
CREATE PROCEDURE stock.ReleaseExpired
    @Day date
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Orders ref.IdList;
    BEGIN TRANSACTION;
    INSERT @Orders (Id)
    SELECT DISTINCT l.SalesOrderId
    FROM stock.Reservation AS r
    JOIN sales.SalesOrderLine AS l ON l.SalesOrderLineId = r.SalesOrderLineId
    JOIN stock.PickTask AS t WITH (UPDLOCK) ON t.SalesOrderId = l.SalesOrderId
    WHERE r.ExpiresOn < @Day AND t.State = 'Q';
    DELETE t FROM stock.PickTask AS t JOIN @Orders AS o ON o.Id = t.SalesOrderId;
    DELETE r
    FROM stock.Reservation AS r
    JOIN sales.SalesOrderLine AS l ON l.SalesOrderLineId = r.SalesOrderLineId
    JOIN @Orders AS o ON o.Id = l.SalesOrderId;
    UPDATE s SET State = 'N' FROM sales.SalesOrder AS s JOIN @Orders AS o ON o.Id = s.SalesOrderId;
    COMMIT;
    DECLARE @Released int = (SELECT COUNT(*) FROM @Orders);
    RETURN @Released;
END;
GO
-- Makes a product of its parts: their value becomes its value. Parts that are made themselves are taken from stock like any other.
CREATE PROCEDURE stock.Produce
    @WarehouseId       int,
    @Sku               varchar(20),
    @Quantity          decimal(18, 3),
    @ProductionOrderId int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @ProductId int = (SELECT ProductId FROM catalog.Product WHERE Sku = @Sku), @ComponentId int, @Needed decimal(18, 3),
        @Value decimal(19, 2), @Total decimal(19, 2) = 0, @Parts CURSOR;
    IF NOT EXISTS (SELECT * FROM catalog.BillOfMaterial WHERE ProductId = @ProductId)
        THROW 51307, N'The product has no bill of material.', 1;
    BEGIN TRANSACTION;
    INSERT stock.ProductionOrder (WarehouseId, ProductId, Quantity, ProducedOn)
    VALUES (@WarehouseId, @ProductId, @Quantity, ref.CurrentDay());
    SET @ProductionOrderId = SCOPE_IDENTITY();
    SET @Parts = CURSOR STATIC FOR
        SELECT ComponentId, -Quantity * @Quantity FROM catalog.BillOfMaterial WHERE ProductId = @ProductId ORDER BY ComponentId;
    OPEN @Parts;
    WHILE 1 = 1
    BEGIN
        FETCH NEXT FROM @Parts INTO @ComponentId, @Needed;
        IF @@FETCH_STATUS <> 0
            BREAK;
        EXEC stock.PostMovement @WarehouseId, @ComponentId, 'PROD', @Needed, @ProductionOrderId, @Value OUTPUT;
        SET @Total -= @Value;
        SET @Value = NULL;
    END;
    CLOSE @Parts;
    DEALLOCATE @Parts;
    EXEC stock.PostMovement @WarehouseId, @ProductId, 'PROD', @Quantity, @ProductionOrderId, @Total;
    COMMIT;
END;
GO
CREATE PROCEDURE stock.StartCount
    @WarehouseId  int,
    @CategoryId   int = NULL,
    @CountSheetId int OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    BEGIN TRANSACTION;
    INSERT stock.CountSheet (WarehouseId, CountedOn) VALUES (@WarehouseId, ref.CurrentDay());
    SET @CountSheetId = SCOPE_IDENTITY();
    INSERT stock.CountLine (CountSheetId, ProductId, Expected)
    SELECT @CountSheetId, l.ProductId, l.OnHand
    FROM stock.StockLevel AS l
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    WHERE l.WarehouseId = @WarehouseId
        AND (@CategoryId IS NULL OR p.CategoryId IN (SELECT CategoryId FROM catalog.CategoryTree(@CategoryId)));
    COMMIT;
END;
GO
CREATE PROCEDURE stock.RecordCount
    @CountSheetId int,
    @Counted      stock.CountedList READONLY
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE c
    SET Counted = n.Counted
    FROM stock.CountLine AS c
    JOIN stock.CountSheet AS s ON s.CountSheetId = c.CountSheetId AND s.State = 'O'
    JOIN catalog.Product AS p ON p.ProductId = c.ProductId
    JOIN @Counted AS n ON n.Sku = p.Sku
    WHERE c.CountSheetId = @CountSheetId;
    IF @@ROWCOUNT <> (SELECT COUNT(*) FROM @Counted)
        RAISERROR (N'Some products are not on sheet %d.', 11, 1, @CountSheetId);
END;
GO
-- Posts the differences to stock and to the ledger. What has moved since the sheet was made counts: the difference is what is posted.
CREATE PROCEDURE stock.FinishCount
    @CountSheetId int
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @WarehouseId int, @ProductId int, @Difference decimal(18, 3), @Value decimal(19, 2), @Total decimal(19, 2) = 0,
        @Day date = ref.CurrentDay(), @Lines accounting.EntryLineList;
    BEGIN TRANSACTION;
    UPDATE stock.CountSheet SET State = 'P', @WarehouseId = WarehouseId WHERE CountSheetId = @CountSheetId AND State = 'O';
    IF @@ROWCOUNT = 0
        THROW 51308, N'There is no such open sheet.', 1;
    DECLARE Differences CURSOR LOCAL FAST_FORWARD FOR
        SELECT ProductId, Difference FROM stock.CountLine WHERE CountSheetId = @CountSheetId AND Difference <> 0 ORDER BY ProductId;
    OPEN Differences;
    FETCH NEXT FROM Differences INTO @ProductId, @Difference;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @Value = CASE WHEN @Difference > 0 AND EXISTS
            (SELECT * FROM stock.StockLevel WHERE WarehouseId = @WarehouseId AND ProductId = @ProductId AND OnHand = 0) THEN 0 END;
        EXEC stock.PostMovement @WarehouseId, @ProductId, 'CNT', @Difference, @CountSheetId, @Value OUTPUT;
        SET @Total += @Value;
        FETCH NEXT FROM Differences INTO @ProductId, @Difference;
    END;
    CLOSE Differences;
    DEALLOCATE Differences;
    IF @Total <> 0
    BEGIN
        INSERT @Lines (AccountCode, Debit, Credit)
        VALUES ('1300', IIF(@Total > 0, @Total, 0), IIF(@Total < 0, -@Total, 0)),
            ('5100', IIF(@Total < 0, -@Total, 0), IIF(@Total > 0, @Total, 0));
        EXEC accounting.CreateEntry @Lines, @Day, 'COUNT', @CountSheetId, N'Stock differences';
    END;
    COMMIT;
END;
GO
-- First in, first out: which receipts what is on hand comes from, and what it would be worth at their cost.
CREATE FUNCTION stock.FifoLayers (@WarehouseId int, @ProductId int)
RETURNS @Layers TABLE
(
    MovementId   bigint         NOT NULL PRIMARY KEY,
    BusinessDate date           NOT NULL,
    Quantity     decimal(18, 3) NOT NULL,
    LayerValue   decimal(19, 2) NOT NULL
)
AS
BEGIN
    DECLARE @Left decimal(18, 3) = (SELECT OnHand FROM stock.StockLevel WHERE WarehouseId = @WarehouseId AND ProductId = @ProductId);
    DECLARE @Id bigint, @Day date, @Quantity decimal(18, 3), @Value decimal(19, 2);
    DECLARE Receipts CURSOR LOCAL FAST_FORWARD FOR
        SELECT MovementId, BusinessDate, Quantity, MovementValue
        FROM stock.Movement
        WHERE WarehouseId = @WarehouseId AND ProductId = @ProductId AND Quantity > 0
        ORDER BY MovementId DESC;
    OPEN Receipts;
    FETCH NEXT FROM Receipts INTO @Id, @Day, @Quantity, @Value;
    WHILE @@FETCH_STATUS = 0 AND @Left > 0
    BEGIN
        INSERT @Layers
        VALUES (@Id, @Day, IIF(@Quantity < @Left, @Quantity, @Left), IIF(@Quantity <= @Left, @Value, ROUND(@Value * @Left / @Quantity, 2)));
        SET @Left -= @Quantity;
        FETCH NEXT FROM Receipts INTO @Id, @Day, @Quantity, @Value;
    END;
    CLOSE Receipts;
    DEALLOCATE Receipts;
    RETURN;
END;
GO
CREATE FUNCTION stock.MovementsBetween (@WarehouseId int, @FirstDay date, @LastDay date)
RETURNS TABLE
AS
RETURN
    SELECT
        m.MovementId, m.BusinessDate, p.Sku, k.KindName, m.Quantity, m.MovementValue,
        SUM(m.Quantity) OVER (PARTITION BY m.ProductId ORDER BY m.MovementId ROWS UNBOUNDED PRECEDING) AS RunningQuantity
    FROM stock.Movement AS m
    JOIN stock.MovementKind AS k ON k.MovementKind = m.MovementKind
    JOIN catalog.Product AS p ON p.ProductId = m.ProductId
    WHERE m.WarehouseId = @WarehouseId AND m.BusinessDate BETWEEN @FirstDay AND @LastDay;
GO
-- Sums of movements, kept by the server: the check of stock levels reads these and not each movement.
CREATE VIEW stock.MovementTotal
WITH SCHEMABINDING
AS
    SELECT WarehouseId, ProductId, SUM(Quantity) AS Quantity, SUM(MovementValue) AS MovementValue, COUNT_BIG(*) AS Movements
    FROM stock.Movement
    GROUP BY WarehouseId, ProductId;
GO
CREATE UNIQUE CLUSTERED INDEX CX_MovementTotal ON stock.MovementTotal (WarehouseId, ProductId);
GO
CREATE VIEW stock.StockOverview
AS
    SELECT
        w.WarehouseCode, p.Sku, p.ProductName, b.BinCode, l.OnHand, l.Reserved, l.Available, l.AverageCost, l.StockValue,
        CASE
            WHEN l.Available <= 0 THEN 'out'
            WHEN l.Available <= l.ReorderPoint THEN 'low'
            ELSE 'ok'
        END AS Situation
    FROM stock.StockLevel AS l
    JOIN stock.Warehouse AS w ON w.WarehouseId = l.WarehouseId
    JOIN catalog.Product AS p ON p.ProductId = l.ProductId
    LEFT JOIN stock.Bin AS b ON b.BinId = l.BinId;
GO
CREATE VIEW stock.PickQueue
AS
    SELECT
        w.WarehouseCode, t.PickTaskId, o.OrderNumber, t.Priority, t.State, t.ClaimedBy,
        ROW_NUMBER() OVER (PARTITION BY t.WarehouseId ORDER BY t.Priority, t.PickTaskId) AS Place,
        (SELECT COUNT(*) FROM sales.SalesOrderLine AS l WHERE l.SalesOrderId = t.SalesOrderId) AS Lines
    FROM stock.PickTask AS t
    JOIN stock.Warehouse AS w ON w.WarehouseId = t.WarehouseId
    JOIN sales.SalesOrder AS o ON o.SalesOrderId = t.SalesOrderId
    WHERE t.State <> 'D';
GO
-- Gives each product without a place the emptiest bin of its warehouse.
CREATE PROCEDURE stock.AssignBins
    @WarehouseId int
AS
BEGIN
    SET NOCOUNT ON;
    WITH Homeless AS
    (
        SELECT BinId, ROW_NUMBER() OVER (ORDER BY ProductId) AS n
        FROM stock.StockLevel
        WHERE WarehouseId = @WarehouseId AND BinId IS NULL
    ),
    Bins AS
    (
        SELECT
            b.BinId, ROW_NUMBER() OVER (ORDER BY COUNT(l.ProductId), b.BinId) AS n, COUNT(*) OVER () AS AllBins
        FROM stock.Bin AS b
        LEFT JOIN stock.StockLevel AS l ON l.BinId = b.BinId
        WHERE b.WarehouseId = @WarehouseId
        GROUP BY b.BinId
    )
    UPDATE h
    SET BinId = b.BinId
    FROM Homeless AS h
    JOIN Bins AS b ON b.n = (h.n - 1) % b.AllBins + 1;
END;
GO
