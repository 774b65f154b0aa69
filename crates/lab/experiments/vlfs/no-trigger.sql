DROP TRIGGER dbo.customer_changed
