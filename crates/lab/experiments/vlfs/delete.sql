DELETE FROM dbo.customer
