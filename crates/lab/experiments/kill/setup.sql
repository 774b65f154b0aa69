CREATE TABLE dbo.Ledger (client int NOT NULL, round int NOT NULL, filler char(100) NOT NULL)
GO
ALTER DATABASE [$(database)] SET DELAYED_DURABILITY = $(durability)
GO
-- The first page is not what is measured.
INSERT dbo.Ledger VALUES (0, 0, 'the first page')
DELETE dbo.Ledger
GO
CHECKPOINT
