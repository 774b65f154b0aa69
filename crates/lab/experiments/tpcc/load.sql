SET NOCOUNT ON
INSERT dbo.Number
SELECT n FROM (
    SELECT 1 + a.i + 10 * b.i + 100 * c.i + 1000 * d.i + 10000 * e.i AS n
    FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) a(i)
    CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) b(i)
    CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) c(i)
    CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) d(i)
    CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) e(i)) numbers
WHERE n <= CASE WHEN $(items) > $(customers) THEN $(items) ELSE $(customers) END
GO
SET NOCOUNT ON
INSERT dbo.item
SELECT n, 1 + n * 7919 % 10000, 'item ' + CONVERT(varchar(10), n), 1 + n * 7919 % 9900 / 100.0,
    CASE WHEN n % 10 = 0 THEN 'an ORIGINAL item' ELSE 'an item among many others' END
FROM dbo.Number WHERE n <= $(items)
GO
-- A warehouse is a transaction of its own: the log stays small.
SET NOCOUNT ON
DECLARE @w int = 1
WHILE @w <= $(warehouses)
BEGIN
    BEGIN TRAN
    INSERT dbo.warehouse VALUES (@w, 'house ' + CONVERT(varchar(4), @w), 'Harbour street 1', 'Porthaven', 'CA', '123411111',
        @w * 7 % 20 / 100.0, 10 * $(customers) * 10)
    INSERT dbo.district
    SELECT @w, n, 'quarter ' + CONVERT(varchar(2), n), 'Market street 2', 'Porthaven', 'CA', '123411111',
        n * 7 % 20 / 100.0, $(customers) * 10, $(customers) + 1
    FROM dbo.Number WHERE n <= 10
    INSERT dbo.stock
    SELECT @w, n, 10 + n * 7919 % 91, r + '-01', r + '-02', r + '-03', r + '-04', r + '-05', r + '-06', r + '-07', r + '-08', r + '-09',
        r + '-10', 0, 0, 0, CASE WHEN n % 10 = 0 THEN 'ORIGINAL stock' ELSE 'stock among much other' END
    FROM (SELECT n, 'stock of ' + CONVERT(varchar(10), n) AS r FROM dbo.Number WHERE n <= $(items)) numbers
    COMMIT
    BEGIN TRAN
    -- The three syllables of a last name are the digits of a number from 0 to 999.
    INSERT dbo.customer
    SELECT @w, d.n, c.n, 'First' + CONVERT(varchar(10), c.n * 7919 % 10007), 'OE',
        RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', (c.n - 1) % 1000 / 100 * 5 + 1, 5))
            + RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', (c.n - 1) % 100 / 10 * 5 + 1, 5))
            + RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', (c.n - 1) % 10 * 5 + 1, 5)),
        'Street 3', 'Porthaven', 'CA', '123411111', '0123456789012345', SYSUTCDATETIME(), CASE WHEN c.n % 10 = 0 THEN 'BC' ELSE 'GC' END,
        50000, c.n * 7919 % 5000 / 10000.0, -10, 10, 1, 0, REPLICATE('notes about a customer ', 15)
    FROM dbo.Number d CROSS JOIN dbo.Number c WHERE d.n <= 10 AND c.n <= $(customers)
    INSERT dbo.history
    SELECT @w, d.n, c.n, @w, d.n, SYSUTCDATETIME(), 10, 'the first payment'
    FROM dbo.Number d CROSS JOIN dbo.Number c WHERE d.n <= 10 AND c.n <= $(customers)
    COMMIT
    BEGIN TRAN
    -- One order of each customer, in another order than that of the customers; the last three tenths are new.
    INSERT dbo.orders
    SELECT @w, d.n, c.n, 1 + (c.n - 1 + d.n * 11) % $(customers), SYSUTCDATETIME(),
        CASE WHEN c.n <= $(customers) * 7 / 10 THEN 1 + c.n % 10 END, 5 + c.n * 7919 % 11, 1
    FROM dbo.Number d CROSS JOIN dbo.Number c WHERE d.n <= 10 AND c.n <= $(customers)
    INSERT dbo.new_order SELECT o_w_id, o_d_id, o_id FROM dbo.orders WHERE o_w_id = @w AND o_carrier_id IS NULL
    INSERT dbo.order_line
    SELECT o_w_id, o_d_id, o_id, n, 1 + (o_id * 7919 + n * 104729) % $(items), o_w_id, CASE WHEN o_carrier_id IS NULL THEN NULL ELSE o_entry_d END, 5,
        CASE WHEN o_carrier_id IS NULL THEN 1 + (o_id + n) * 7919 % 999900 / 100.0 ELSE 0 END, 'loaded'
    FROM dbo.orders JOIN dbo.Number ON n <= o_ol_cnt WHERE o_w_id = @w
    COMMIT
    SET @w += 1
END
INSERT dbo.Since VALUES (SYSUTCDATETIME(), SYSUTCDATETIME())
GO
CHECKPOINT
