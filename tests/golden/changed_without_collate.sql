-- A column that is changed without COLLATE takes the database's collation.
--@ source: documentation t-sql/statements/alter-table-transact-sql
CREATE TABLE f (a varchar(10) COLLATE Latin1_General_BIN2, b varchar(10) COLLATE Latin1_General_BIN2 INDEX ib, c varchar(10) INDEX ic)
INSERT f VALUES ('x', 'y', 'z')
ALTER TABLE f ALTER COLUMN a varchar(20)
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('f') ORDER BY column_id
SELECT a FROM f WHERE a = 'X'
GO
--@ source: message 5074
ALTER TABLE f ALTER COLUMN b varchar(20)
GO
--@ source: reasoned
ALTER TABLE f ALTER COLUMN b varchar(20) COLLATE Latin1_General_BIN2
ALTER TABLE f ALTER COLUMN c varchar(20)
SELECT name, max_length, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('f') ORDER BY column_id
GO
--@ source: reasoned
DROP TABLE f
GO
