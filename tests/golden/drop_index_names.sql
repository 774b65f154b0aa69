-- DROP INDEX wants a table, before or behind the index.
--@ source: message 159
DROP INDEX i1
GO
--@ source: message 159
DROP INDEX IF EXISTS i1
GO
--@ source: message 159
DROP INDEX t.i1, i2
GO
