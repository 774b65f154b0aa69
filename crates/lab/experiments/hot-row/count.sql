SET NOCOUNT ON
UPDATE dbo.Counter SET n = n + 1 WHERE id = $(row)
