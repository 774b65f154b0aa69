SELECT TOP (1) c_id FROM dbo.customer_tmp
