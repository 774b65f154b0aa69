-- CHECKSUM(NEWID()) is a random number; (random | random) + C prefers some of the numbers.
CREATE PROCEDURE dbo.new_order_transaction @w int, @d int, @c int AS
BEGIN
    SET NOCOUNT ON
    SET XACT_ABORT ON
    DECLARE @lines int = 5 + ABS(CHECKSUM(NEWID()) % 11), @local int = 1, @at int = 1, @o int
    DECLARE @now datetime2(3) = SYSUTCDATETIME(), @wrong bit = CASE WHEN CHECKSUM(NEWID()) % 100 = 0 THEN 1 ELSE 0 END
    DECLARE @wanted TABLE (i int NOT NULL, supply int NOT NULL, quantity int NOT NULL)
    WHILE @at <= @lines
    BEGIN
        INSERT @wanted VALUES (
            1 + ((ABS(CHECKSUM(NEWID()) % 8192) | ABS(CHECKSUM(NEWID()) % $(items))) + 4711) % $(items),
            CASE WHEN CHECKSUM(NEWID()) % 100 = 0 THEN 1 + ABS(CHECKSUM(NEWID()) % $(warehouses)) ELSE @w END,
            1 + ABS(CHECKSUM(NEWID()) % 10))
        SET @at += 1
    END
    -- One order in a hundred names an item that there is not, and is rolled back.
    IF @wrong = 1 UPDATE TOP (1) @wanted SET i = $(items) + 1
    SELECT @local = 0 FROM @wanted WHERE supply <> @w
    -- By their keys: two orders that wait for each other's stock would be a deadlock.
    DECLARE @line TABLE (number int NOT NULL PRIMARY KEY, i int NOT NULL, supply int NOT NULL, quantity int NOT NULL)
    INSERT @line SELECT ROW_NUMBER() OVER (ORDER BY supply, i), i, supply, quantity FROM @wanted
    DECLARE @i int, @supply int, @quantity int, @price decimal(5, 2), @info char(24), @total decimal(12, 2) = 0
    DECLARE @w_tax decimal(4, 4), @d_tax decimal(4, 4), @discount decimal(4, 4)
    BEGIN TRAN
    SELECT @w_tax = w_tax FROM dbo.warehouse WHERE w_id = @w
    UPDATE dbo.district SET @o = d_next_o_id, @d_tax = d_tax, d_next_o_id = d_next_o_id + 1 WHERE d_w_id = @w AND d_id = @d
    SELECT @discount = c_discount FROM dbo.customer WHERE c_w_id = @w AND c_d_id = @d AND c_id = @c
    INSERT dbo.orders VALUES (@w, @d, @o, @c, @now, NULL, @lines, @local)
    INSERT dbo.new_order VALUES (@w, @d, @o)
    SET @at = 1
    WHILE @at <= @lines
    BEGIN
        SELECT @i = i, @supply = supply, @quantity = quantity FROM @line WHERE number = @at
        SET @price = NULL
        SELECT @price = i_price FROM dbo.item WHERE i_id = @i
        IF @price IS NULL
        BEGIN
            ROLLBACK
            RETURN
        END
        UPDATE dbo.stock SET
            @info = CASE @d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
                WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END,
            s_quantity = CASE WHEN s_quantity >= @quantity + 10 THEN s_quantity - @quantity ELSE s_quantity - @quantity + 91 END,
            s_ytd = s_ytd + @quantity, s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + CASE WHEN @supply = @w THEN 0 ELSE 1 END
        WHERE s_w_id = @supply AND s_i_id = @i
        INSERT dbo.order_line VALUES (@w, @d, @o, @at, @i, @supply, NULL, @quantity, @quantity * @price, @info)
        SET @total += @quantity * @price
        SET @at += 1
    END
    SET @total = @total * (1 - @discount) * (1 + @w_tax + @d_tax)
    COMMIT
END
GO
-- A customer by number, or the one in the middle of those with a last name.
CREATE PROCEDURE dbo.find_customer @w int, @d int, @c int OUTPUT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @names int = CASE WHEN $(customers) < 1000 THEN $(customers) ELSE 1000 END
    IF ABS(CHECKSUM(NEWID()) % 100) < 60
    BEGIN
        DECLARE @n int = ((ABS(CHECKSUM(NEWID()) % 256) | ABS(CHECKSUM(NEWID()) % @names)) + 173) % @names
        DECLARE @last varchar(16) = RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', @n / 100 * 5 + 1, 5))
            + RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', @n % 100 / 10 * 5 + 1, 5))
            + RTRIM(SUBSTRING('BAR  OUGHTABLE PRI  PRES ESE  ANTI CALLYATIONEING ', @n % 10 * 5 + 1, 5))
        DECLARE @same int
        SELECT @same = COUNT(*) FROM dbo.customer WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last
        SELECT @c = c_id FROM (
            SELECT c_id, ROW_NUMBER() OVER (ORDER BY c_first, c_id) AS place FROM dbo.customer WHERE c_w_id = @w AND c_d_id = @d AND c_last = @last) named
        WHERE place = (@same + 1) / 2
    END
    ELSE SET @c = 1 + ((ABS(CHECKSUM(NEWID()) % 1024) | ABS(CHECKSUM(NEWID()) % $(customers))) + 259) % $(customers)
END
GO
CREATE PROCEDURE dbo.payment_transaction @w int, @d int AS
BEGIN
    SET NOCOUNT ON
    SET XACT_ABORT ON
    DECLARE @amount decimal(6, 2) = 1 + ABS(CHECKSUM(NEWID()) % 499901) / 100.0, @c int, @c_w int = @w, @c_d int = @d
    DECLARE @w_name varchar(10), @d_name varchar(10), @credit char(2)
    -- Some customers pay in another warehouse than their own.
    IF $(warehouses) > 1 AND ABS(CHECKSUM(NEWID()) % 100) < 15
    BEGIN
        SET @c_w = 1 + (@w + ABS(CHECKSUM(NEWID()) % NULLIF($(warehouses) - 1, 0))) % $(warehouses)
        SET @c_d = 1 + ABS(CHECKSUM(NEWID()) % 10)
    END
    EXEC dbo.find_customer @c_w, @c_d, @c OUTPUT
    BEGIN TRAN
    UPDATE dbo.warehouse SET w_ytd = w_ytd + @amount, @w_name = w_name WHERE w_id = @w
    UPDATE dbo.district SET d_ytd = d_ytd + @amount, @d_name = d_name WHERE d_w_id = @w AND d_id = @d
    UPDATE dbo.customer SET c_balance = c_balance - @amount, c_ytd_payment = c_ytd_payment + @amount, c_payment_cnt = c_payment_cnt + 1,
        c_data = CASE c_credit WHEN 'BC' THEN LEFT(CONVERT(varchar(10), @c) + ' ' + CONVERT(varchar(10), @c_d) + ' ' + CONVERT(varchar(10), @c_w) + ' '
            + CONVERT(varchar(10), @amount) + ' ' + c_data, 500) ELSE c_data END
    WHERE c_w_id = @c_w AND c_d_id = @c_d AND c_id = @c
    INSERT dbo.history VALUES (@c_w, @c_d, @c, @w, @d, SYSUTCDATETIME(), @amount, @w_name + '    ' + @d_name)
    COMMIT
END
GO
CREATE PROCEDURE dbo.order_status_transaction @w int, @d int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @c int, @o int, @balance decimal(12, 2), @lines int, @sum decimal(12, 2)
    EXEC dbo.find_customer @w, @d, @c OUTPUT
    BEGIN TRAN
    SELECT @balance = c_balance FROM dbo.customer WHERE c_w_id = @w AND c_d_id = @d AND c_id = @c
    SELECT TOP (1) @o = o_id FROM dbo.orders WHERE o_w_id = @w AND o_d_id = @d AND o_c_id = @c ORDER BY o_id DESC
    SELECT @lines = COUNT(*), @sum = SUM(ol_amount) FROM dbo.order_line WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id = @o
    COMMIT
END
GO
-- The oldest new order of each district.
CREATE PROCEDURE dbo.delivery_transaction @w int, @carrier int AS
BEGIN
    SET NOCOUNT ON
    SET XACT_ABORT ON
    DECLARE @d int = 1, @o int, @c int, @sum decimal(12, 2), @now datetime2(3) = SYSUTCDATETIME()
    BEGIN TRAN
    WHILE @d <= 10
    BEGIN
        SET @o = NULL
        SELECT TOP (1) @o = no_o_id FROM dbo.new_order WITH (UPDLOCK) WHERE no_w_id = @w AND no_d_id = @d ORDER BY no_o_id
        IF @o IS NOT NULL
        BEGIN
            DELETE dbo.new_order WHERE no_w_id = @w AND no_d_id = @d AND no_o_id = @o
            UPDATE dbo.orders SET o_carrier_id = @carrier, @c = o_c_id WHERE o_w_id = @w AND o_d_id = @d AND o_id = @o
            UPDATE dbo.order_line SET ol_delivery_d = @now WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id = @o
            SELECT @sum = SUM(ol_amount) FROM dbo.order_line WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id = @o
            UPDATE dbo.customer SET c_balance = c_balance + @sum, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = @w AND c_d_id = @d AND c_id = @c
        END
        SET @d += 1
    END
    COMMIT
END
GO
CREATE PROCEDURE dbo.stock_level_transaction @w int, @d int, @threshold int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @next int, @low int
    SELECT @next = d_next_o_id FROM dbo.district WHERE d_w_id = @w AND d_id = @d
    SELECT @low = COUNT(DISTINCT s_i_id) FROM dbo.order_line JOIN dbo.stock ON s_w_id = @w AND s_i_id = ol_i_id
    WHERE ol_w_id = @w AND ol_d_id = @d AND ol_o_id >= @next - 20 AND ol_o_id < @next AND s_quantity < @threshold
END
GO
-- One transaction of the mix: 45 new orders, 43 payments, 4 each of the other three in a hundred. Who loses a deadlock tries again.
CREATE PROCEDURE dbo.terminal @client int, @round int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @w int = 1 + @client % $(warehouses), @d int = 1 + ABS(CHECKSUM(NEWID()) % 10), @card int = ABS(CHECKSUM(NEWID()) % 100)
    DECLARE @c int = 1 + ((ABS(CHECKSUM(NEWID()) % 1024) | ABS(CHECKSUM(NEWID()) % $(customers))) + 259) % $(customers)
    DECLARE @carrier int = 1 + ABS(CHECKSUM(NEWID()) % 10), @threshold int = 10 + ABS(CHECKSUM(NEWID()) % 11), @again bit = 1
    WHILE @again = 1
    BEGIN
        SET @again = 0
        BEGIN TRY
            IF @card < 45 EXEC dbo.new_order_transaction @w, @d, @c
            ELSE IF @card < 88 EXEC dbo.payment_transaction @w, @d
            ELSE IF @card < 92 EXEC dbo.order_status_transaction @w, @d
            ELSE IF @card < 96 EXEC dbo.delivery_transaction @w, @carrier
            ELSE EXEC dbo.stock_level_transaction @w, @d, @threshold
        END TRY
        BEGIN CATCH
            IF XACT_STATE() <> 0 ROLLBACK;
            IF ERROR_NUMBER() <> 1205 THROW;
            SET @again = 1
        END CATCH
    END
END
