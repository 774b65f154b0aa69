SET NOCOUNT ON
SET TRANSACTION ISOLATION LEVEL $(level)
-- The first client moves money and thinks before it commits; the others add up what there is.
DECLARE @sum money
BEGIN TRAN
IF $(client) = 1
BEGIN
    UPDATE dbo.Account SET balance = balance - 1 WHERE id = 1 + $(round) % 200
    WAITFOR DELAY '00:00:00.010'
END
ELSE SELECT @sum = SUM(balance) FROM dbo.Account
COMMIT
