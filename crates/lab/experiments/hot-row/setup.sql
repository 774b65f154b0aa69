CREATE TABLE dbo.Counter (id int NOT NULL PRIMARY KEY, n bigint NOT NULL, filler char(200) NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 1
WHILE @i <= 64
BEGIN
    INSERT dbo.Counter VALUES (@i, 0, 'a counter')
    SET @i = @i + 1
END
GO
CHECKPOINT
