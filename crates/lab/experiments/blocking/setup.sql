CREATE TABLE dbo.Account (id int NOT NULL PRIMARY KEY, balance money NOT NULL, filler char(100) NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 1
WHILE @i <= 200
BEGIN
    INSERT dbo.Account VALUES (@i, 100, 'an account')
    SET @i = @i + 1
END
GO
CHECKPOINT
