-- Changes through inline functions, which are those through views; and their plans, which are a view's.
--@ source: reasoned
CREATE DATABASE FunctionsOfViews
GO
--@ source: reasoned
USE FunctionsOfViews
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, a int NULL, b varchar(10) NOT NULL CONSTRAINT df_b DEFAULT 'none', g int NOT NULL CONSTRAINT df_g DEFAULT 1, INDEX ix_g (g))
CREATE TABLE dbo.u (id int NOT NULL, t int NULL, x int NULL)
INSERT dbo.t VALUES (1, 10, 'one', 1), (2, 20, 'two', 2), (3, NULL, 'three', 1)
INSERT dbo.u VALUES (1, 1, 5), (2, 2, 7)
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.of_g (@g int) RETURNS TABLE AS RETURN SELECT id AS k, a, b AS text, g FROM dbo.t WHERE g = @g
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.joined (@x int) RETURNS TABLE AS RETURN SELECT t.id, t.a, u.x, t.a + 1 AS next FROM dbo.t AS t JOIN dbo.u AS u ON u.t = t.id WHERE u.x > @x
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.grouped () RETURNS TABLE AS RETURN SELECT g, COUNT(*) AS n FROM dbo.t GROUP BY g
GO
-- The function stands in FROM, and the target is its alias or its name without parentheses.
--@ source: reasoned
UPDATE f SET a = 11, text = UPPER(f.text) FROM dbo.of_g(1) AS f WHERE f.k = 1
UPDATE of_g SET a = 21 FROM dbo.of_g(2)
UPDATE dbo.of_g SET a += 1 FROM dbo.of_g(2) AS f
UPDATE f SET a = u.x FROM dbo.u AS u CROSS APPLY dbo.of_g(u.id) AS f WHERE u.id = 2
SELECT id, a, b, g FROM dbo.t ORDER BY id
DELETE f FROM dbo.of_g(1) AS f WHERE k = 3
SELECT id FROM dbo.t ORDER BY id
GO
-- Without a FROM the call itself is the target.
--@ source: message 335
UPDATE dbo.of_g(1) SET a = 5
DELETE dbo.of_g(7)
DELETE FROM dbo.of_g(3) WHERE k = 1
INSERT dbo.of_g(1) (k, a, g) VALUES (4, 40, 4)
INSERT INTO dbo.of_g(1) (k, text) SELECT 5, 'five'
MERGE dbo.of_g(4) AS f USING (VALUES (4, 44), (6, 66)) AS s (k, a) ON s.k = f.k
WHEN MATCHED THEN UPDATE SET a = s.a
WHEN NOT MATCHED THEN INSERT (k, a) VALUES (s.k, s.a);
SELECT id, a, b, g FROM dbo.t ORDER BY id
GO
--@ source: message 335
UPDATE dbo.of_g(1) SET a = 5 FROM dbo.of_g(1) AS f
GO
--@ source: message 335
DELETE dbo.of_g(1) FROM dbo.of_g(1) WHERE k = 1
GO
--@ source: message 216
UPDATE dbo.of_g SET a = 5
GO
--@ source: message 4405
INSERT dbo.joined(0) (id, x) VALUES (9, 9)
GO
--@ source: message 4406
UPDATE f SET next = 1 FROM dbo.joined(0) AS f
GO
--@ source: message 4403
DELETE f FROM dbo.grouped() AS f
GO
--@ source: message 4405
DELETE f FROM dbo.joined(0) AS f
GO
--@ source: reasoned
UPDATE f SET a = f.x * 100 FROM dbo.joined(6) AS f
SELECT id, a FROM dbo.t WHERE id < 3 ORDER BY id
GO
-- OUTPUT, and a target through a function of a function and of a view.
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT id, a, g FROM dbo.t WHERE a IS NOT NULL
GO
--@ source: reasoned
CREATE FUNCTION dbo.of_view (@g int) RETURNS TABLE AS RETURN SELECT id, a FROM dbo.v WHERE g = @g
GO
--@ source: reasoned
SELECT id, a FROM dbo.of_view(1) ORDER BY id
GO
-- An argument leads to the rows by an index, as a condition on a view does.
--@ source: reasoned
INSERT dbo.t (id, a, g) SELECT value, value, value % 50 FROM GENERATE_SERIES(100, 1099)
GO
--@ source: reasoned
DECLARE @batch nvarchar(max) = N'
DECLARE @g int = 7
SELECT k FROM dbo.of_g(@g)
SELECT k FROM dbo.of_g(7) WHERE k = 107
SELECT k FROM dbo.of_g(@g + 1) AS f WHERE f.a > 5
SELECT u.id, f.k FROM dbo.u AS u CROSS APPLY dbo.of_g(u.x) AS f
SELECT u.id FROM dbo.u AS u WHERE EXISTS (SELECT * FROM dbo.of_g(u.x) AS f WHERE f.a = 3)'
SELECT p.statement, value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
SELECT p.statement, value AS needs FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.needs, NCHAR(10), 1) AS s WHERE p.statement < 4 ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsOfViews
GO
