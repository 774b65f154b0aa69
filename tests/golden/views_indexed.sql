-- Indexed views: kept by every change of the tables beneath, read with NOEXPAND.
--@ source: reasoned
CREATE DATABASE ViewsIndexed
GO
--@ source: documentation CREATE INDEX
USE ViewsIndexed
CREATE TABLE dbo.customer (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL)
CREATE TABLE dbo.line (id int NOT NULL PRIMARY KEY, customer int NOT NULL CONSTRAINT line_customer REFERENCES dbo.customer (id) ON DELETE CASCADE, product varchar(10) NULL, amount decimal(10, 2) NOT NULL, pieces int NOT NULL)
INSERT dbo.customer VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid')
INSERT dbo.line VALUES (1, 1, 'x', 10.50, 1), (2, 1, 'y', 20, 2), (3, 2, 'x', 5, 3), (4, 2, NULL, 1, 4)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.lines WITH SCHEMABINDING AS SELECT l.id, c.name, l.product, l.amount FROM dbo.line AS l JOIN dbo.customer AS c ON c.id = l.customer WHERE l.amount > 1 -- not the small ones
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.totals WITH SCHEMABINDING AS SELECT product, COUNT_BIG(*) AS n, SUM(amount) AS amount, SUM(pieces) AS pieces, COUNT_BIG(product) AS named FROM dbo.line GROUP BY product
GO
--@ source: documentation CREATE INDEX
CREATE UNIQUE CLUSTERED INDEX lines_c ON dbo.lines (id)
CREATE INDEX lines_n ON dbo.lines (name) INCLUDE (amount)
CREATE UNIQUE CLUSTERED INDEX totals_c ON dbo.totals (product)
GO
--@ source: documentation Create indexed views
SELECT id, name, product, amount FROM dbo.lines WITH (NOEXPAND) ORDER BY id
SELECT product, n, amount, pieces, named FROM dbo.totals WITH (NOEXPAND) ORDER BY product
SELECT name, amount FROM dbo.lines WITH (NOEXPAND, INDEX (lines_n)) WHERE name = 'Ann' ORDER BY amount
SELECT OBJECT_NAME(object_id) AS v, name, index_id, type_desc, is_unique FROM sys.indexes WHERE object_id IN (OBJECT_ID('dbo.lines'), OBJECT_ID('dbo.totals')) ORDER BY 1, 3
SELECT OBJECT_NAME(object_id) AS v, index_id, rows FROM sys.partitions WHERE object_id IN (OBJECT_ID('dbo.lines'), OBJECT_ID('dbo.totals')) ORDER BY 1, 2
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'IsIndexed') AS lines, OBJECTPROPERTY(OBJECT_ID('dbo.line'), 'IsIndexed') AS line
GO
-- INSERT, UPDATE, DELETE, MERGE, and a cascade.
--@ source: documentation Create indexed views
INSERT dbo.line VALUES (5, 3, 'x', 100, 10), (6, 3, 'z', 7, 1), (7, 1, NULL, 2, 2)
SELECT id, name, product, amount FROM dbo.lines WITH (NOEXPAND) ORDER BY id
SELECT product, n, amount, pieces, named FROM dbo.totals WITH (NOEXPAND) ORDER BY product
UPDATE dbo.line SET product = 'y', amount = amount + 1 WHERE id IN (1, 4)
UPDATE dbo.customer SET name = 'Cyd' WHERE id = 3
UPDATE dbo.line SET id = id + 10 WHERE id < 4
SELECT id, name, product, amount FROM dbo.lines WITH (NOEXPAND) ORDER BY id
SELECT product, n, amount, pieces, named FROM dbo.totals WITH (NOEXPAND) ORDER BY product
MERGE dbo.line AS t USING (VALUES (5, 1, 'q', 3.00), (8, 2, 'q', 4.00)) AS s (id, customer, product, amount) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET product = s.product, amount = s.amount WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.customer, s.product, s.amount, 1) WHEN NOT MATCHED BY SOURCE AND t.id = 6 THEN DELETE;
DELETE dbo.line WHERE product IS NULL
SELECT id, name, product, amount FROM dbo.lines WITH (NOEXPAND) ORDER BY id
SELECT product, n, amount, pieces, named FROM dbo.totals WITH (NOEXPAND) ORDER BY product
DELETE dbo.customer WHERE id = 1
SELECT id, name, product, amount FROM dbo.lines WITH (NOEXPAND) ORDER BY id
SELECT product, n, amount, pieces, named FROM dbo.totals WITH (NOEXPAND) ORDER BY product
SELECT COUNT(*) AS differences FROM (SELECT * FROM dbo.lines EXCEPT SELECT * FROM dbo.lines WITH (NOEXPAND)) AS d
SELECT COUNT(*) AS differences FROM (SELECT * FROM dbo.totals EXCEPT SELECT * FROM dbo.totals WITH (NOEXPAND)) AS d
DBCC CHECKTABLE ('dbo.lines') WITH NO_INFOMSGS
DBCC CHECKDB WITH NO_INFOMSGS
GO
-- A rollback takes the view back; a trigger beside it, SET ROWCOUNT, and changes through another view.
--@ source: documentation Create indexed views
BEGIN TRAN
INSERT dbo.line VALUES (20, 2, 'r', 9, 9)
SAVE TRAN s
DELETE dbo.line WHERE id <> 20
SELECT product, n FROM dbo.totals WITH (NOEXPAND) ORDER BY product
ROLLBACK TRAN s
SELECT product, n FROM dbo.totals WITH (NOEXPAND) ORDER BY product
ROLLBACK
SELECT product, n FROM dbo.totals WITH (NOEXPAND) ORDER BY product
GO
--@ source: documentation Create indexed views
CREATE TRIGGER dbo.line_i ON dbo.line AFTER INSERT AS SELECT (SELECT COUNT(*) FROM inserted) AS came, (SELECT SUM(n) FROM dbo.totals WITH (NOEXPAND)) AS n
GO
--@ source: documentation Create indexed views
INSERT dbo.line SELECT id + 100, customer, product, amount, pieces FROM dbo.line
DROP TRIGGER dbo.line_i
SET ROWCOUNT 1
DELETE dbo.line WHERE id > 100
SET ROWCOUNT 0
SELECT SUM(n) AS n FROM dbo.totals WITH (NOEXPAND)
UPDATE dbo.lines SET amount = 50 WHERE id > 100
SELECT product, amount FROM dbo.totals WITH (NOEXPAND) ORDER BY product
GO
-- A unique index that the change breaks: nothing is changed.
--@ source: documentation CREATE INDEX
CREATE TABLE dbo.u (a int NOT NULL, b int NOT NULL)
INSERT dbo.u VALUES (1, 1), (2, 2)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.u_v WITH SCHEMABINDING AS SELECT a, b FROM dbo.u WHERE b > 0
GO
--@ source: message 2601
CREATE UNIQUE CLUSTERED INDEX u_c ON dbo.u_v (a)
INSERT dbo.u VALUES (1, 0)
INSERT dbo.u VALUES (3, 3), (1, 5)
GO
--@ source: reasoned
SELECT a, b FROM dbo.u ORDER BY a, b
SELECT a, b FROM dbo.u_v WITH (NOEXPAND) ORDER BY a
GO
-- Without NOEXPAND it is its text; with it there has to be an index.
--@ source: message 8171
CREATE TABLE dbo.plain (a int NOT NULL)
EXEC ('CREATE VIEW dbo.plain_v WITH SCHEMABINDING AS SELECT a FROM dbo.plain')
SELECT a FROM dbo.plain_v WITH (NOEXPAND)
GO
--@ source: message 1940
CREATE INDEX i ON dbo.plain_v (a)
GO
--@ source: message 1941
CREATE CLUSTERED INDEX i ON dbo.plain_v (a)
GO
--@ source: message 1990
CREATE UNIQUE CLUSTERED INDEX i ON dbo.plain_v (a) WITH (IGNORE_DUP_KEY = ON)
GO
--@ source: message 1505
INSERT dbo.plain VALUES (1), (1)
CREATE UNIQUE CLUSTERED INDEX i ON dbo.plain_v (a)
GO
--@ source: message 8171
SELECT a FROM dbo.plain_v WITH (NOEXPAND)
GO
--@ source: message 1902
CREATE UNIQUE CLUSTERED INDEX lines_d ON dbo.lines (amount)
GO
--@ source: message 3729
TRUNCATE TABLE dbo.u
GO
--@ source: message 3729
DROP TABLE dbo.u
GO
--@ source: message 5074
ALTER TABLE dbo.u DROP COLUMN b
GO
-- SET options.
--@ source: message 1934
SET ANSI_NULLS OFF
INSERT dbo.u VALUES (9, 9)
GO
--@ source: message 1934
SET NUMERIC_ROUNDABORT ON
SET ANSI_NULLS ON
DELETE dbo.u WHERE a = 9
GO
--@ source: message 1934
SET CONCAT_NULL_YIELDS_NULL OFF
CREATE UNIQUE CLUSTERED INDEX i ON dbo.plain_v (a)
GO
-- The indexes go: one by one, with the clustered one, with ALTER VIEW, with the view.
--@ source: documentation DROP INDEX
SET CONCAT_NULL_YIELDS_NULL ON
SET NUMERIC_ROUNDABORT OFF
DROP INDEX lines_n ON dbo.lines
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lines') ORDER BY index_id
ALTER INDEX ALL ON dbo.lines REBUILD WITH (FILLFACTOR = 80)
CREATE INDEX lines_n ON dbo.lines (name)
DROP INDEX lines_c ON dbo.lines
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lines')
DELETE dbo.line WHERE id = 8
CREATE UNIQUE CLUSTERED INDEX lines_c ON dbo.lines (id)
GO
--@ source: documentation Create indexed views
SELECT COUNT(*) AS differences FROM (SELECT * FROM dbo.lines EXCEPT SELECT * FROM dbo.lines WITH (NOEXPAND)) AS d
GO
--@ source: documentation ALTER VIEW
ALTER VIEW dbo.u_v WITH SCHEMABINDING AS SELECT b FROM dbo.u
GO
-- It is a view to the procedures that look at texts.
--@ source: documentation sp_helptext
SET NOCOUNT ON
DECLARE @text TABLE (line nvarchar(255))
INSERT @text EXEC sp_helptext 'dbo.totals'
SET NOCOUNT OFF
SELECT COUNT(*) AS n FROM @text WHERE line LIKE 'CREATE VIEW dbo.totals WITH SCHEMABINDING%'
GO
--@ source: message 2023
EXEC sp_refreshview 'dbo.totals'
GO
--@ source: documentation ALTER VIEW
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.u_v')
TRUNCATE TABLE dbo.u
DROP VIEW dbo.totals, dbo.lines
DELETE dbo.line
SELECT OBJECT_ID('dbo.totals') AS gone
GO
--@ source: reasoned
USE master
DROP DATABASE ViewsIndexed
GO
