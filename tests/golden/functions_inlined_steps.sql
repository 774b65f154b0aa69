-- Scalar functions with IF, and with queries: their statements stand as a subquery in place of the call.
--@ source: reasoned
CREATE DATABASE FunctionsInlinedSteps
GO
--@ source: reasoned
USE FunctionsInlinedSteps
CREATE TABLE dbo.customer (id int NOT NULL CONSTRAINT pk_customer PRIMARY KEY, name varchar(20) NOT NULL)
CREATE TABLE dbo.orders (id int NOT NULL CONSTRAINT pk_orders PRIMARY KEY, customer int NOT NULL, price decimal(18, 2) NULL)
INSERT dbo.customer VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')
INSERT dbo.orders VALUES (1, 1, 200000), (2, 1, 100000), (3, 2, 400000), (4, 2, 400000), (5, 3, 2000000)
GO
--@ source: documentation Scalar UDF inlining
CREATE FUNCTION dbo.customer_category (@ckey int) RETURNS char(10) AS
BEGIN
    DECLARE @total_price decimal(18, 2);
    DECLARE @category char(10);
    SELECT @total_price = SUM(price) FROM dbo.orders WHERE customer = @ckey;
    IF @total_price < 500000
        SET @category = 'REGULAR';
    ELSE IF @total_price < 1000000
        SET @category = 'GOLD';
    ELSE
        SET @category = 'PLATINUM';
    RETURN @category;
END
GO
--@ source: documentation Scalar UDF inlining
SELECT name, dbo.customer_category(id) AS category FROM dbo.customer ORDER BY id
GO
--@ source: reasoned
CREATE FUNCTION dbo.sign_of (@a int) RETURNS varchar(8) AS
BEGIN
    DECLARE @r varchar(8)
    IF @a < 0 SET @r = 'less' ELSE IF @a = 0 SET @r = 'nothing' ELSE SET @r = 'more'
    RETURN @r
END
GO
--@ source: reasoned
CREATE FUNCTION dbo.last_name (@a int) RETURNS varchar(20) AS
BEGIN
    DECLARE @n varchar(20) = 'nobody'
    SELECT @n = name FROM dbo.customer WHERE id = @a
    RETURN @n
END
GO
--@ source: reasoned
-- One that is inlined calls one that is inlined.
CREATE FUNCTION dbo.described (@a int) RETURNS varchar(40) AS
BEGIN
    DECLARE @t varchar(20) = dbo.last_name(@a)
    IF @t <> 'nobody'
    BEGIN
        SET @t = UPPER(@t)
        SET @t += '!'
    END
    DECLARE @both varchar(40) = CONCAT(@t, ' ', dbo.sign_of(@a - 2))
    RETURN @both
END
GO
--@ source: documentation sys.sql_modules
SELECT OBJECT_NAME(object_id) AS name, is_inlineable, inline_type FROM sys.sql_modules ORDER BY name
GO
--@ source: reasoned
SELECT v.a, dbo.sign_of(v.a) AS s, dbo.last_name(v.a) AS n, dbo.described(v.a) AS d FROM (VALUES (-1), (0), (2), (3), (NULL)) AS v (a)
SELECT c.id FROM dbo.customer AS c WHERE dbo.last_name(c.id - 1) = 'nobody' OR dbo.sign_of(c.id - 3) = 'more'
UPDATE dbo.customer SET name = dbo.last_name(id + 1) WHERE dbo.sign_of(id - 2) <> 'more'
SELECT id, name FROM dbo.customer ORDER BY id
GO
--@ source: reasoned
-- A single expression stands as it is; steps are a subquery; a hint and the configuration have the function called.
SET SHOWPLAN_TEXT ON
GO
--@ source: reasoned
SELECT dbo.sign_of(id) AS s FROM dbo.customer
GO
--@ source: reasoned
SELECT dbo.customer_category(id) AS s FROM dbo.customer
GO
--@ source: documentation Query hints
SELECT dbo.sign_of(id) AS s FROM dbo.customer OPTION (USE HINT ('DISABLE_TSQL_SCALAR_UDF_INLINING'))
GO
--@ source: documentation Scalar UDF inlining
-- Called where the documentation says so.
SELECT id FROM dbo.customer ORDER BY dbo.customer_category(id)
GO
--@ source: documentation Scalar UDF inlining
WITH c AS (SELECT id FROM dbo.customer) SELECT dbo.customer_category(id) AS s FROM c
GO
--@ source: documentation Scalar UDF inlining
SELECT dbo.customer_category(id) AS s, COUNT(*) AS n FROM dbo.customer GROUP BY dbo.customer_category(id)
GO
--@ source: reasoned
SET SHOWPLAN_TEXT OFF
GO
--@ source: documentation ALTER DATABASE SCOPED CONFIGURATION
ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = OFF
SELECT configuration_id, name, value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'TSQL_SCALAR_UDF_INLINING'
SELECT name, dbo.customer_category(id) AS category FROM dbo.customer ORDER BY id
ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = ON
SELECT configuration_id, name, value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'TSQL_SCALAR_UDF_INLINING'
GO
--@ source: message 8134
-- What the call would compute is computed.
CREATE FUNCTION dbo.unread (@a int) RETURNS int AS BEGIN DECLARE @x int = 1 / @a SET @x = 5 RETURN @x END
GO
--@ source: message 8134
SELECT dbo.unread(id - 1) AS five FROM dbo.customer
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsInlinedSteps
GO
