CREATE TABLE dbo.DemoTable (col1 int IDENTITY PRIMARY KEY CLUSTERED, col2 varchar(100))
CREATE TABLE dbo.Ledger (round int NOT NULL)
GO
-- The first page of each is not what is measured.
INSERT dbo.DemoTable VALUES ('the first page')
DELETE dbo.DemoTable
INSERT dbo.Ledger VALUES (0)
DELETE dbo.Ledger
GO
CHECKPOINT
