SET NOCOUNT ON
DECLARE @i int = 1
BEGIN TRAN
WHILE @i <= $(rows)
BEGIN
    INSERT dbo.test VALUES (@i, 'a')
    IF @i % 16 = 0
    BEGIN
        COMMIT TRAN
        $(checkpoint)
        BEGIN TRAN
    END
    SET @i = @i + 1
END
COMMIT TRAN
CHECKPOINT
