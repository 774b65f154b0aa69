CREATE TABLE dbo.source (id int NOT NULL, text nchar(2000) NOT NULL)
CREATE TABLE dbo.fill (id int NOT NULL, text nchar(2000) NOT NULL)
CREATE TABLE dbo.beside (id int NOT NULL PRIMARY KEY, n int NOT NULL)
INSERT dbo.beside VALUES (1, 0)
GO
SET NOCOUNT ON
DECLARE @i int = 0
BEGIN TRAN
WHILE @i < 1000
BEGIN
    INSERT dbo.source VALUES (@i, REPLICATE(N'A row. ', 280))
    SET @i = @i + 1
END
COMMIT
