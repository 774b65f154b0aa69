SET NOCOUNT ON
DECLARE @round int = 0
WHILE @round < $(rounds)
BEGIN
    BEGIN TRAN
    INSERT dbo.fill SELECT id, text FROM dbo.source
    COMMIT
    SET @round = @round + 1
END
