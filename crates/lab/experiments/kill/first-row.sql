SELECT COUNT(*) FROM dbo.Ledger
