-- A row takes a page.
CREATE TABLE dbo.Torn (id int NOT NULL PRIMARY KEY, filler char(7900) NOT NULL)
CREATE TABLE dbo.Other (id int NOT NULL PRIMARY KEY, filler char(7900) NOT NULL)
GO
SET NOCOUNT ON
DECLARE @i int = 1
BEGIN TRAN
WHILE @i <= $(rows)
BEGIN
    INSERT dbo.Torn VALUES (@i, REPLICATE('o', 7900))
    SET @i = @i + 1
END
INSERT dbo.Other VALUES (1, REPLICATE('o', 7900))
COMMIT
GO
CHECKPOINT
