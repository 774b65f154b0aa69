-- MERGE into views and common table expressions, with WHEN NOT MATCHED BY SOURCE.
--@ source: reasoned
CREATE DATABASE MergeIntoQueries
GO
--@ source: reasoned
USE MergeIntoQueries
CREATE TABLE dbo.stock (shop int, item int, amount int, CONSTRAINT pk PRIMARY KEY (shop, item))
INSERT dbo.stock VALUES (1, 1, 10), (1, 2, 20), (1, 3, 30), (2, 1, 100), (2, 2, 200)
CREATE TABLE dbo.news (item int PRIMARY KEY, amount int)
INSERT dbo.news VALUES (1, 11), (4, 44)
GO
--@ source: documentation MERGE
WITH first AS (SELECT shop, item, amount FROM dbo.stock WHERE shop = 1)
MERGE first AS t USING dbo.news AS n ON t.item = n.item
WHEN MATCHED THEN UPDATE SET amount = n.amount
WHEN NOT MATCHED THEN INSERT (shop, item, amount) VALUES (1, n.item, n.amount)
WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT shop, item, amount FROM dbo.stock ORDER BY shop, item
GO
--@ source: reasoned
CREATE VIEW dbo.second AS SELECT item AS i, amount AS a, shop AS s FROM dbo.stock WHERE shop = 2
GO
-- The view is asked for, and not the table.
--@ source: documentation MERGE
CREATE USER merger WITHOUT LOGIN
GRANT SELECT, UPDATE ON dbo.second TO merger
GRANT SELECT ON dbo.news TO merger
GO
--@ source: documentation MERGE
EXECUTE AS USER = 'merger'
MERGE dbo.second AS t USING dbo.news AS n ON t.i = n.item
WHEN MATCHED THEN UPDATE SET a = t.a WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = t.a;
REVERT
GO
--@ source: message 229
EXECUTE AS USER = 'merger'
MERGE dbo.second AS t USING dbo.news AS n ON t.i = n.item WHEN NOT MATCHED BY SOURCE THEN DELETE;
GO
--@ source: message 229
REVERT
DROP USER merger
GO
--@ source: documentation MERGE
MERGE dbo.second AS t USING dbo.news AS n ON t.i = n.item
WHEN MATCHED THEN UPDATE SET a = t.a + n.amount
WHEN NOT MATCHED BY SOURCE AND t.a > 1000 THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = 0;
SELECT shop, item, amount FROM dbo.stock ORDER BY shop, item
GO
--@ source: documentation MERGE
WITH top_one AS (SELECT TOP (1) item, amount FROM dbo.stock WHERE shop = 1 ORDER BY item)
MERGE top_one USING (SELECT 0 AS item) AS n ON top_one.item = n.item
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET amount = -1
OUTPUT $action, deleted.amount AS old, inserted.amount AS new;
SELECT shop, item, amount FROM dbo.stock ORDER BY shop, item
GO
--@ source: message 40510
MERGE dbo.second AS t USING (SELECT 9 AS item) AS n ON t.i = n.item
WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action, deleted.item;
GO
--@ source: documentation MERGE
CREATE FUNCTION dbo.of_shop (@s int) RETURNS TABLE AS RETURN SELECT shop, item, amount FROM dbo.stock WHERE shop = @s
GO
--@ source: reasoned
MERGE dbo.of_shop(1) AS t USING dbo.news AS n ON t.item = n.item
WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN MATCHED THEN UPDATE SET amount = 5;
SELECT shop, item, amount FROM dbo.stock ORDER BY shop, item
GO
--@ source: reasoned
CREATE VIEW dbo.joined AS SELECT s.item, s.amount, n.amount AS news FROM dbo.stock AS s JOIN dbo.news AS n ON n.item = s.item
GO
--@ source: reasoned
MERGE dbo.joined AS t USING (SELECT 9 AS item) AS n ON t.item = n.item
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET amount = t.news;
SELECT shop, item, amount FROM dbo.stock ORDER BY shop, item
GO
--@ source: reasoned
USE master
DROP DATABASE MergeIntoQueries
GO
