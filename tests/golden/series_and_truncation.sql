-- GENERATE_SERIES is of its arguments' type; DATETRUNC refuses what the type does not tell.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation GENERATE_SERIES
DECLARE @t tinyint = 250, @u tinyint = 255, @s smallint = -1, @z smallint = 1, @b bigint = 9223372036854775806, @c bigint = 9223372036854775807
SELECT 'int' AS what, SQL_VARIANT_PROPERTY(value, 'BaseType') AS type, COUNT(*) AS n, MIN(value) AS lowest, MAX(value) AS highest FROM GENERATE_SERIES(1, 3) GROUP BY SQL_VARIANT_PROPERTY(value, 'BaseType')
UNION ALL SELECT 'tinyint', SQL_VARIANT_PROPERTY(value, 'BaseType'), COUNT(*), MIN(value), MAX(value) FROM GENERATE_SERIES(@t, @u) GROUP BY SQL_VARIANT_PROPERTY(value, 'BaseType')
UNION ALL SELECT 'smallint', SQL_VARIANT_PROPERTY(value, 'BaseType'), COUNT(*), MIN(value), MAX(value) FROM GENERATE_SERIES(@z, @s) GROUP BY SQL_VARIANT_PROPERTY(value, 'BaseType')
UNION ALL SELECT 'bigint', SQL_VARIANT_PROPERTY(value, 'BaseType'), COUNT(*), MIN(value), MAX(value) FROM GENERATE_SERIES(@b, @c) GROUP BY SQL_VARIANT_PROPERTY(value, 'BaseType')
GO
--@ source: documentation GENERATE_SERIES
DECLARE @start decimal(2, 1) = 0.0, @stop decimal(2, 1) = 1.0, @step decimal(2, 1) = 0.1
SELECT value FROM GENERATE_SERIES(@start, @stop, @step)
SELECT value FROM GENERATE_SERIES(1.5, 4.25)
SELECT value FROM GENERATE_SERIES(1.0, -1.5, -0.75)
SELECT value INTO dbo.series FROM GENERATE_SERIES(@start, @stop, @step)
SELECT t.name AS type, c.precision AS p, c.scale AS s, c.is_nullable AS nullable FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.series')
DROP TABLE dbo.series
GO
--@ source: documentation GENERATE_SERIES
SELECT value FROM GENERATE_SERIES(2147483645, 2147483647, 2)
SELECT COUNT(*) AS none FROM GENERATE_SERIES(1, 5, -1)
SELECT COUNT(*) AS none FROM GENERATE_SERIES(NULL, 5)
SELECT value / 2 AS half FROM GENERATE_SERIES(3, 4)
GO
--@ source: message 5373
SELECT value FROM GENERATE_SERIES(1, 10000000000)
GO
--@ source: message 5373
DECLARE @b bigint = 5
SELECT value FROM GENERATE_SERIES(1, @b)
GO
--@ source: message 5373
SELECT value FROM GENERATE_SERIES(1, 5, 0.5)
GO
--@ source: message 5373
SELECT value FROM GENERATE_SERIES(1E0, 5E0)
GO
--@ source: message 4199
SELECT value FROM GENERATE_SERIES(1.5, 5.5, 0.0)
GO
-- A fraction of a second that the type has no digits for.
--@ source: documentation DATETRUNC
DECLARE @d datetime2(3) = '2021-12-12 12:12:12.12345'
SELECT DATETRUNC(microsecond, @d)
GO
--@ source: documentation DATETRUNC
DECLARE @d time(2) = '12:12:12.12'
SELECT DATETRUNC(millisecond, @d)
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(microsecond, CAST('20240101' AS datetime))
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(millisecond, CAST('20240101' AS smalldatetime))
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(microsecond, CAST('20240101' AS datetimeoffset(5)))
GO
--@ source: documentation DATETRUNC
DECLARE @d time = '12:12:12.1234567'
SELECT DATETRUNC(year, @d)
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(weekday, CAST('20240101' AS date))
GO
--@ source: documentation DATETRUNC
DECLARE @s smalldatetime = '2009-09-11 12:42:12', @t datetime = '2020-02-02 02:02:02.002'
SELECT DATETRUNC(second, @s) AS s, DATETRUNC(millisecond, @t) AS t, DATETRUNC(millisecond, CAST('12:12:12.123' AS time(3))) AS three, DATETRUNC(microsecond, CAST('12:12:12.123456' AS time(6))) AS six, DATETRUNC(microsecond, '1998-03-04 10:10:05.1234567') AS literal
GO
-- A week that begins before the type does.
--@ source: documentation DATETRUNC
DECLARE @d date = '0001-01-01 00:00:00'
SELECT DATETRUNC(week, @d)
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(week, CAST('17530101' AS datetime))
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(week, CAST('19000101' AS smalldatetime))
GO
--@ source: documentation DATETRUNC
SELECT DATETRUNC(iso_week, CAST('00010101' AS date)) AS iso, DATETRUNC(week, CAST('00010107' AS date)) AS sunday
SET DATEFIRST 1
SELECT DATETRUNC(week, CAST('00010101' AS date)) AS monday
GO
-- A literal is no date to DATE_BUCKET.
--@ source: documentation DATE_BUCKET
SELECT DATE_BUCKET(week, 1, '2020-04-15')
GO
