-- Options that a module keeps, and options of arithmetic.
--@ source: reasoned
SET QUOTED_IDENTIFIER ON
GO
--@ source: reasoned
CREATE TABLE quoted ("abc" int)
INSERT quoted VALUES (1)
GO
--@ source: documentation SET QUOTED_IDENTIFIER
CREATE PROCEDURE quoted_on AS
SET QUOTED_IDENTIFIER OFF
SELECT "abc" AS x FROM quoted
SELECT SESSIONPROPERTY('QUOTED_IDENTIFIER') AS within
GO
--@ source: documentation SET QUOTED_IDENTIFIER
SET QUOTED_IDENTIFIER OFF
EXEC quoted_on
SELECT SESSIONPROPERTY('QUOTED_IDENTIFIER') AS after, "abc" AS x
GO
--@ source: documentation SET QUOTED_IDENTIFIER
CREATE OR ALTER PROC quoted_off AS
SET QUOTED_IDENTIFIER ON
SELECT "abc" AS x FROM quoted
GO
--@ source: documentation SET QUOTED_IDENTIFIER
SET QUOTED_IDENTIFIER ON
EXEC quoted_off
EXEC ('SET QUOTED_IDENTIFIER OFF SELECT "abc" AS x')
SELECT SESSIONPROPERTY('QUOTED_IDENTIFIER') AS after, "abc" AS x FROM quoted
GO
--@ source: reasoned
DROP TABLE quoted
DROP PROCEDURE quoted_on, quoted_off
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
SET NUMERIC_ROUNDABORT ON
SELECT 1.0 / 8 AS exact, 1.5 * 0.5 AS product, CAST(1.5 AS money) * 2 AS money_product, 10 / 4 AS whole
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
SELECT 1.0 / 3 AS quotient
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
DECLARE @a decimal(38, 20) = 0.12345678901234567891, @b decimal(38, 20) = 2.5
SELECT @a * 2 AS product
SELECT @a * @b AS product
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
DECLARE @a decimal(38, 20) = 0.12345678901234567891, @b decimal(38, 0) = 2
SELECT @a + @b AS total
SELECT @a - 0.5 AS difference
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
DECLARE @m money = 0.0001
SELECT @m / 3 AS quotient
SELECT @m * 0.5 AS product
SELECT @m * CAST(0.5 AS money) AS product
GO
--@ source: documentation SET NUMERIC_ROUNDABORT
SET ARITHABORT OFF
SET ANSI_WARNINGS OFF
SELECT 1.0 / 3 AS quotient
SET ARITHABORT ON
SET ANSI_WARNINGS ON
SET NUMERIC_ROUNDABORT OFF
SELECT 1.0 / 3 AS quotient
GO
