-- Scalar functions whose text stands in place of their calls.
--@ source: reasoned
CREATE DATABASE FunctionsInlined
GO
--@ source: reasoned
USE FunctionsInlined
CREATE TABLE dbo.t (id int CONSTRAINT pk PRIMARY KEY, price decimal(10, 2), discount decimal(10, 2), name varchar(20))
INSERT dbo.t VALUES (1, 100, 0.1, 'one'), (2, 200, 0.25, 'two'), (3, NULL, 0.5, 'three')
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.discount_price (@price decimal(12, 2), @discount decimal(12, 2)) RETURNS decimal(12, 2) AS
BEGIN
    RETURN @price * (1 - @discount)
END
GO
--@ source: reasoned
CREATE FUNCTION dbo.steps (@a int) RETURNS varchar(5) AS
BEGIN
    DECLARE @b int = @a + 1, @c varchar(10)
    SET @c = CONCAT('<', @b, '>')
    RETURN @c + 'x'
END
GO
--@ source: reasoned
CREATE FUNCTION dbo.squared (@a int) RETURNS int AS BEGIN RETURN @a * @a END
GO
--@ source: reasoned
CREATE FUNCTION dbo.kept (@a int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @a * 2 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.nn (@a int) RETURNS int WITH RETURNS NULL ON NULL INPUT, INLINE = ON AS BEGIN RETURN ISNULL(@a, 5) END
GO
--@ source: reasoned
CREATE FUNCTION dbo.branches (@a int) RETURNS int AS
BEGIN
    DECLARE @r int
    IF @a > 1 SET @r = 1 ELSE SET @r = 2
    RETURN @r
END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.customer (@id int) RETURNS varchar(20) AS
BEGIN
    DECLARE @n varchar(20)
    SELECT @n = name FROM dbo.t WHERE id = @id
    RETURN @n
END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.two_returns (@a int) RETURNS int AS BEGIN IF @a > 1 RETURN 1 RETURN 2 END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.moment () RETURNS datetime AS BEGIN RETURN GETDATE() END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.counted () RETURNS int AS BEGIN RETURN @@ROWCOUNT END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.looks () RETURNS int AS BEGIN RETURN OBJECT_ID('dbo.t') END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.loops (@a int) RETURNS int AS BEGIN WHILE @a < 10 SET @a += 1 RETURN @a END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.own_table () RETURNS int AS BEGIN DECLARE @t TABLE (a int) RETURN (SELECT COUNT(*) FROM @t) END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.adds () RETURNS int AS BEGIN DECLARE @s int = 0 SELECT @s = @s + id FROM dbo.t RETURN @s END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.common () RETURNS int AS
BEGIN
    DECLARE @s int;
    WITH c AS (SELECT id FROM dbo.t) SELECT @s = MAX(id) FROM c
    RETURN @s
END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.listed () RETURNS varchar(100) AS
BEGIN
    DECLARE @s varchar(100)
    SELECT @s = STRING_AGG(name, ',') FROM dbo.t
    RETURN @s
END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.calls (@a int) RETURNS int AS BEGIN RETURN dbo.squared(@a) END
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.as_owner (@a int) RETURNS int WITH EXECUTE AS OWNER AS BEGIN RETURN @a END
GO
--@ source: documentation sys.sql_modules
CREATE FUNCTION dbo.rows () RETURNS TABLE AS RETURN SELECT 1 AS a
GO
--@ source: documentation sys.sql_modules
CREATE FUNCTION dbo.filled () RETURNS @t TABLE (a int) AS BEGIN RETURN END
GO
--@ source: documentation sys.sql_modules
SELECT o.name, o.type, m.is_inlineable, m.inline_type, m.null_on_null_input AS on_null
FROM sys.sql_modules AS m JOIN sys.objects AS o ON o.object_id = m.object_id ORDER BY o.name
GO
--@ source: message 16203
CREATE FUNCTION dbo.f () RETURNS datetime WITH INLINE = ON AS BEGIN RETURN GETDATE() END
GO
--@ source: reasoned
SELECT id, dbo.discount_price(price, discount) AS p, dbo.steps(id) AS s, dbo.squared(id) AS q, dbo.kept(id) AS o, dbo.nn(NULLIF(id, 2)) AS n,
    dbo.branches(id) AS b, dbo.customer(id) AS c FROM dbo.t ORDER BY id
SELECT SUM(dbo.squared(id)) AS s FROM dbo.t WHERE dbo.squared(id) > 1
SELECT dbo.squared(id / 2) AS k, COUNT(*) AS n FROM dbo.t GROUP BY dbo.squared(id / 2) ORDER BY dbo.squared(id / 2)
SELECT dbo.squared(dbo.squared(dbo.kept(1))) AS sixteen
GO
--@ source: reasoned
-- The expression stands in the plan, and an index is sought by it.
SET SHOWPLAN_TEXT ON
GO
--@ source: reasoned
SELECT name FROM dbo.t WHERE id = dbo.squared(2)
GO
--@ source: reasoned
SELECT dbo.discount_price(price, discount) AS p, dbo.kept(id) AS o, dbo.squared(dbo.kept(id)) AS q FROM dbo.t
GO
--@ source: reasoned
SET SHOWPLAN_TEXT OFF
GO
--@ source: message 8115
-- A value that the declared type cannot hold, and one that is cut.
SELECT dbo.discount_price(99999999999, 0) AS p
GO
--@ source: reasoned
SELECT dbo.steps(1000) AS cut, SQL_VARIANT_PROPERTY(dbo.discount_price(1, 0), 'Precision') AS p
GO
--@ source: message 8134
CREATE FUNCTION dbo.inverse (@a int) RETURNS int AS BEGIN RETURN 1 / @a END
GO
--@ source: message 8134
SELECT dbo.inverse(0) AS i
BEGIN TRY SELECT dbo.inverse(0) AS i END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p END CATCH
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.defaults (@a int = NULL, @b int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS BEGIN RETURN ISNULL(@a, 7) + @b END
GO
--@ source: documentation CREATE FUNCTION
SELECT dbo.defaults(1, 2) AS three, dbo.defaults(NULL, 1) AS none, dbo.defaults(1, NULL) AS none, dbo.defaults(DEFAULT, 1) AS eight
GO
--@ source: reasoned
ALTER FUNCTION dbo.squared (@a int) RETURNS int AS BEGIN RETURN @a * @a * @a END
GO
--@ source: reasoned
SELECT dbo.squared(3) AS cube
GO
