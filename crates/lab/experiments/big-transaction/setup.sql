CREATE TABLE dbo.Big (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL)
CREATE TABLE dbo.Small (id int IDENTITY NOT NULL PRIMARY KEY, at datetime NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < $(rows)
BEGIN
    INSERT dbo.Big VALUES (@i, 0, 'a row of many')
    SET @i = @i + 1
    -- In pieces: the log stays as small as it is.
    IF @i % 1000 = 0 BEGIN COMMIT CHECKPOINT BEGIN TRAN END
END
COMMIT
GO
CHECKPOINT
