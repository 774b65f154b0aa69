-- Inline table-valued functions: made, called, altered, dropped.
--@ source: reasoned
CREATE DATABASE FunctionsInline
GO
--@ source: reasoned
USE FunctionsInline
CREATE TABLE dbo.region (id int NOT NULL CONSTRAINT pk_region PRIMARY KEY, name varchar(20) NOT NULL)
CREATE TABLE dbo.sale (id int NOT NULL CONSTRAINT pk_sale PRIMARY KEY, region int NULL, amount decimal(9, 2) NOT NULL, at date NULL, INDEX ix_region (region))
INSERT dbo.region VALUES (1, 'North'), (2, 'South'), (3, 'West')
INSERT dbo.sale VALUES (10, 1, 5, '2026-01-01'), (11, 1, 7.5, '2026-01-02'), (12, 2, 100, NULL), (13, NULL, 1, '2026-02-01')
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.sales_of (@region int)
RETURNS TABLE
AS
RETURN (SELECT id, amount, at FROM dbo.sale WHERE region = @region)
GO
-- Parentheses and AS may be left out; a common table expression may come first.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION big_sales (@least money = 5, @most money = 50) RETURNS TABLE RETURN
WITH big AS (SELECT region, amount FROM sale WHERE amount BETWEEN @least AND @most) SELECT region, amount, @least AS least FROM big
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.nothing () RETURNS TABLE AS RETURN SELECT 1 AS one WHERE 1 = 0;
GO
--@ source: documentation CREATE FUNCTION
SELECT * FROM dbo.sales_of(1) ORDER BY id
SELECT * FROM sales_of(2)
SELECT s.id, amount * 2 AS twice FROM FunctionsInline.dbo.sales_of(1 + 0) AS s WHERE s.amount > 6
SELECT sales_of.id FROM sales_of(1) WHERE sales_of.id = 11
SELECT dbo.sales_of.id FROM dbo.sales_of(1) WHERE dbo.sales_of.id = 11
SELECT COUNT(*) AS n FROM dbo.nothing()
SELECT * FROM dbo.sales_of(NULL)
DECLARE @r smallint = 2
SELECT id FROM dbo.sales_of(@r)
SELECT id FROM dbo.sales_of('1') ORDER BY id DESC
GO
-- An argument is left out by the word DEFAULT alone.
--@ source: documentation CREATE FUNCTION
SELECT region, amount, least FROM big_sales(DEFAULT, DEFAULT) ORDER BY amount
SELECT region, amount, least FROM big_sales(1, DEFAULT) ORDER BY amount
SELECT region, amount FROM dbo.big_sales(DEFAULT, 1000) ORDER BY amount
GO
--@ source: message 313
SELECT * FROM big_sales()
GO
--@ source: message 313
SELECT * FROM dbo.big_sales(1)
GO
--@ source: message 8144
SELECT * FROM dbo.sales_of(1, 2)
GO
--@ source: message 201
SELECT * FROM dbo.sales_of(DEFAULT)
GO
--@ source: message 216
SELECT * FROM dbo.sales_of
GO
--@ source: message 215
SELECT * FROM dbo.sale(1)
GO
--@ source: message 208
SELECT * FROM dbo.no_such(1)
GO
--@ source: message 317
SELECT * FROM dbo.sales_of(1) AS s (a, b, c)
GO
-- Columns of what stands before a function are named behind APPLY alone.
--@ source: message 4104
SELECT * FROM dbo.region AS r JOIN dbo.sales_of(r.id) AS s ON 1 = 1
GO
--@ source: message 4104
SELECT * FROM dbo.region AS r, dbo.sales_of(r.id) AS s
GO
--@ source: documentation FROM
SELECT r.name, s.id, s.amount FROM dbo.region AS r CROSS APPLY dbo.sales_of(r.id) AS s ORDER BY s.id
SELECT r.name, s.id, s.amount FROM dbo.region AS r OUTER APPLY dbo.sales_of(r.id) AS s ORDER BY r.id, s.id
SELECT r.name, (SELECT SUM(amount) FROM dbo.sales_of(r.id)) AS total FROM dbo.region AS r ORDER BY r.id
SELECT r.name FROM dbo.region AS r WHERE EXISTS (SELECT * FROM dbo.sales_of(r.id) WHERE amount > 50)
SELECT r.name FROM dbo.region AS r WHERE 7.5 IN (SELECT amount FROM dbo.sales_of(r.id))
GO
-- Values are cut to the declared width, and converted to the declared type, without a word.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.echo (@v varchar(3), @c varchar, @d decimal(4, 1), @i int) RETURNS TABLE AS
RETURN SELECT @v AS v, @c AS c, @d AS d, @i AS i, @v + '!' AS w
GO
--@ source: reasoned
SELECT * FROM dbo.echo('abcdef', 'xyz', 1.26, 7.9)
DECLARE @long varchar(20) = 'uvwxyz', @n float = 2.5
SELECT * FROM dbo.echo(@long, @long, @n, @n)
SELECT e.* FROM (VALUES ('first'), ('second')) AS t (s) CROSS APPLY dbo.echo(t.s, t.s, 1, LEN(t.s)) AS e ORDER BY e.i
GO
--@ source: message 245
SELECT * FROM dbo.echo('a', 'b', 1, 'seven')
GO
--@ source: message 206
SELECT * FROM dbo.echo('a', 'b', 1, CAST('2026-01-01' AS date))
GO
-- An argument that is new each time is computed once for a call, a subquery too.
--@ source: reasoned
CREATE FUNCTION dbo.twice (@g uniqueidentifier) RETURNS TABLE AS RETURN SELECT @g AS a, @g AS b UNION ALL SELECT @g, @g
GO
--@ source: reasoned
SELECT COUNT(DISTINCT a) AS one, SUM(CASE WHEN a = b THEN 1 ELSE 0 END) AS same FROM dbo.twice(NEWID())
SELECT COUNT(*) AS n FROM dbo.region AS r CROSS APPLY dbo.twice(NEWID()) AS t
SELECT id, amount FROM dbo.sales_of((SELECT MIN(id) FROM dbo.region WHERE name LIKE 'S%'))
SELECT r.name, s.id FROM dbo.region AS r CROSS APPLY dbo.sales_of((SELECT MAX(id) FROM dbo.region AS m WHERE m.id < r.id)) AS s ORDER BY r.id, s.id
GO
-- TOP, ORDER BY with TOP, groups, set operators, windows and another function within.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.top_sales (@region int, @n bigint) RETURNS TABLE AS
RETURN SELECT TOP (@n) id, amount, ROW_NUMBER() OVER (ORDER BY amount DESC) AS place FROM dbo.sales_of(@region) ORDER BY amount DESC
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.totals (@least int) RETURNS TABLE AS
RETURN SELECT region, COUNT(*) AS n, SUM(amount) AS total FROM dbo.sale GROUP BY region HAVING COUNT(*) >= @least UNION ALL SELECT -1, @least, 0
GO
--@ source: reasoned
SELECT * FROM dbo.top_sales(1, 1)
SELECT r.name, t.id, t.place FROM dbo.region AS r OUTER APPLY dbo.top_sales(r.id, r.id) AS t ORDER BY r.id, t.place
SELECT region, n, total FROM dbo.totals(2) ORDER BY region
SELECT COUNT(*) AS n FROM dbo.region AS r CROSS APPLY dbo.totals(r.id) AS t
GO
-- In views, procedures, common table expressions, derived tables, set operators.
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.north AS SELECT id, amount FROM dbo.sales_of(1)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.show_sales @region int AS SELECT id FROM dbo.sales_of(@region) ORDER BY id
GO
--@ source: reasoned
SELECT id FROM dbo.north ORDER BY id
EXEC dbo.show_sales 1
EXEC dbo.show_sales 2;
WITH c AS (SELECT id FROM dbo.sales_of(1)) SELECT id FROM c UNION SELECT id FROM dbo.sales_of(2) EXCEPT SELECT 10 ORDER BY id
SELECT d.n FROM (SELECT COUNT(*) AS n FROM dbo.sales_of(1)) AS d
GO
-- Names in the text are those of the function's schema, and of nothing in the statement.
--@ source: reasoned
CREATE SCHEMA own
GO
--@ source: reasoned
CREATE TABLE own.sale (id int NOT NULL)
INSERT own.sale VALUES (99)
GO
--@ source: reasoned
CREATE FUNCTION own.sales () RETURNS TABLE AS RETURN SELECT id FROM sale
GO
--@ source: reasoned
SELECT id FROM own.sales();
WITH sale AS (SELECT 1 AS id) SELECT id FROM own.sales()
GO
-- A body is bound when it is made: 208, 207, columns without a name, twice the same name, ORDER BY.
--@ source: message 208
CREATE FUNCTION dbo.wrong () RETURNS TABLE AS RETURN SELECT a FROM dbo.missing
GO
--@ source: message 207
CREATE FUNCTION dbo.wrong () RETURNS TABLE AS RETURN SELECT missing FROM dbo.sale
GO
--@ source: message 4514
CREATE FUNCTION dbo.wrong () RETURNS TABLE AS RETURN SELECT id, amount + 1 FROM dbo.sale
GO
--@ source: message 4506
CREATE FUNCTION dbo.wrong () RETURNS TABLE AS RETURN SELECT id, amount AS id FROM dbo.sale
GO
--@ source: message 1033
CREATE FUNCTION dbo.wrong () RETURNS TABLE AS RETURN SELECT id FROM dbo.sale ORDER BY id
GO
--@ source: message 137
CREATE FUNCTION dbo.wrong (@a int) RETURNS TABLE AS RETURN SELECT @b AS b
GO
--@ source: reasoned
SELECT OBJECT_ID('dbo.wrong') AS made
GO
-- The columns are those that it was made with, by position.
--@ source: reasoned
CREATE TABLE dbo.wide (a int, b int)
INSERT dbo.wide VALUES (1, 2)
GO
--@ source: reasoned
CREATE FUNCTION dbo.all_of (@a int) RETURNS TABLE AS RETURN SELECT * FROM dbo.wide WHERE a = @a
GO
--@ source: reasoned
ALTER TABLE dbo.wide ADD c int
GO
--@ source: reasoned
SELECT * FROM dbo.all_of(1)
GO
--@ source: message 207
SELECT c FROM dbo.all_of(1)
GO
--@ source: reasoned
ALTER TABLE dbo.wide DROP COLUMN b, c
GO
--@ source: message 4502
SELECT * FROM dbo.all_of(1)
GO
--@ source: reasoned
DROP TABLE dbo.wide
GO
--@ source: message 4413
SELECT * FROM dbo.all_of(1)
GO
-- An ALTER holds at once for what was planned before; a function that names itself is refused.
--@ source: documentation ALTER FUNCTION
ALTER FUNCTION dbo.sales_of (@region int) RETURNS TABLE AS RETURN SELECT id, amount, at FROM dbo.sale WHERE region > @region
GO
--@ source: reasoned
EXEC dbo.show_sales 1
SELECT id FROM dbo.north
GO
--@ source: message 4429
ALTER FUNCTION dbo.sales_of (@region int) RETURNS TABLE AS RETURN SELECT id, amount, at FROM dbo.sales_of(@region)
GO
--@ source: documentation DROP FUNCTION
DROP FUNCTION dbo.sales_of
GO
--@ source: message 208
EXEC dbo.show_sales 1
GO
--@ source: message 4413
SELECT id FROM dbo.north
GO
-- Facts of the catalogue.
--@ source: documentation sys.objects
SELECT name, type, type_desc FROM sys.objects WHERE type = 'IF' AND name IN ('echo', 'totals') ORDER BY name
SELECT c.name, c.column_id, TYPE_NAME(c.system_type_id) AS type, c.max_length, c.is_nullable FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('dbo.echo') ORDER BY c.column_id
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsInline
GO
