CREATE TABLE dbo.Kept (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL)
CREATE TABLE dbo.Added (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < $(rows)
BEGIN
    INSERT dbo.Kept VALUES (@i, 0, 'a row of many')
    SET @i = @i + 1
END
COMMIT
GO
CHECKPOINT
