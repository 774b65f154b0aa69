CREATE TABLE dbo.Ledger (client int NOT NULL, round int NOT NULL, filler char(100) NOT NULL)
GO
CHECKPOINT
