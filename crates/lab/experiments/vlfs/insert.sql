INSERT dbo.customer_tmp
SELECT * FROM dbo.customer
