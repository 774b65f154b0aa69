-- Reads every row as it was and as it is.
CREATE TRIGGER dbo.customer_changed ON dbo.customer AFTER UPDATE AS
SET NOCOUNT ON
INSERT dbo.changes (row_count, balance, letters)
SELECT COUNT(*), SUM(i.c_balance - d.c_balance), SUM(DATALENGTH(i.c_data) - DATALENGTH(d.c_data))
FROM inserted i
JOIN deleted d ON d.c_w_id = i.c_w_id AND d.c_d_id = i.c_d_id AND d.c_id = i.c_id
