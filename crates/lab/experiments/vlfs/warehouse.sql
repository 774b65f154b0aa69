UPDATE dbo.customer
   SET c_data = upper(c_data)
 WHERE c_w_id = 1
