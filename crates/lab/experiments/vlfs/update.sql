UPDATE dbo.customer
   SET c_data = lower(c_data)
