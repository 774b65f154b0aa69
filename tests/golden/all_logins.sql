-- Of every database: this script comes before those that leave some.
--@ source: documentation sp_helplogins
EXEC sp_helplogins 'sa'
GO
--@ source: message 15007
EXEC sp_helplogins 'nobody'
GO
