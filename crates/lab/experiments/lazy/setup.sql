CREATE TABLE dbo.DemoTable (col1 int IDENTITY PRIMARY KEY $(key), col2 varchar(100)) $(kept)
CREATE TABLE dbo.Ledger (round int NOT NULL)
GO
$(procedure)
GO
-- The first page of each is not what is measured.
INSERT dbo.DemoTable VALUES ('the first page')
DELETE dbo.DemoTable
INSERT dbo.Ledger VALUES (0)
DELETE dbo.Ledger
GO
CHECKPOINT
