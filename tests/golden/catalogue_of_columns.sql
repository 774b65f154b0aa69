-- What the catalogue tells of columns and constraints.
--@ source: documentation sys.columns
CREATE TABLE x (a xml, b int, c varchar(5))
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('x') ORDER BY column_id
ALTER TABLE x DROP COLUMN b
SELECT COLUMN_NAME, ORDINAL_POSITION, CHARACTER_SET_NAME, COLLATION_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'x' ORDER BY 2
SELECT COLUMNPROPERTY(OBJECT_ID('x'), 'c', 'ColumnId') AS id, COLUMNPROPERTY(OBJECT_ID('x'), 'c', 'Ordinal') AS place
GO
--@ source: documentation OBJECTPROPERTY
CREATE TABLE k (b int CONSTRAINT k_pk PRIMARY KEY)
CREATE TABLE f (a int CONSTRAINT f_fk FOREIGN KEY REFERENCES k (b) ON DELETE CASCADE)
SELECT OBJECTPROPERTY(OBJECT_ID('f_fk'), 'CnstIsDeleteCascade') AS d, OBJECTPROPERTY(OBJECT_ID('f_fk'), 'CnstIsUpdateCascade') AS u, OBJECTPROPERTY(OBJECT_ID('k_pk'), 'CnstIsDeleteCascade') AS k
GO
--@ source: documentation CREATE VIEW
CREATE VIEW v AS SELECT b FROM k
GO
--@ source: documentation OBJECTPROPERTY
SELECT OBJECTPROPERTY(OBJECT_ID('v'), 'IsSchemaBound') AS b, OBJECTPROPERTY(OBJECT_ID('v'), 'IsIndexed') AS i, OBJECTPROPERTY(OBJECT_ID('v'), 'IsEncrypted') AS e, OBJECTPROPERTY(OBJECT_ID('v'), 'IsExecuted') AS x, OBJECTPROPERTY(OBJECT_ID('k'), 'IsExecuted') AS t
GO
--@ source: peer SqlServerSimulator
EXEC sp_set_session_context N'k', 5
SELECT CAST(SESSION_CONTEXT(N'K') AS int) AS upper_k, CAST(SESSION_CONTEXT(N'k') AS int) AS k
GO
--@ source: reasoned
DROP VIEW v
DROP TABLE x, f, k
GO
