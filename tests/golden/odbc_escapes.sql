-- ODBC's escapes: functions, literals, calls, outer joins.
--@ source: documentation odbc-scalar-functions
SELECT {fn BIT_LENGTH('abc')}, {fn CONCAT('a', 'b')}, {fn CONCAT('a', NULL)}, {fn OCTET_LENGTH(N'abc')}, {fn TRUNCATE(1.59, 1)}
GO
--@ source: documentation odbc-scalar-functions
DECLARE @d datetime = '2026-11-22 13:14:15'
SELECT {fn DAYNAME(@d)}, {fn DAYOFMONTH(@d)}, {fn DAYOFWEEK(@d)}, {fn DAYOFYEAR(@d)}, {fn HOUR(@d)}, {fn MINUTE(@d)}, {fn SECOND(@d)},
    {fn MONTH(@d)}, {fn MONTHNAME(@d)}, {fn QUARTER(@d)}, {fn WEEK(@d)}, {fn YEAR(@d)}, {fn EXTRACT(HOUR FROM @d)}
SELECT {fn TIMESTAMPADD(SQL_TSI_MONTH, 2, @d)}, {fn TIMESTAMPDIFF(SQL_TSI_DAY, '2026-01-01', @d)}
SELECT LEN({fn CURDATE()}), LEN({fn CURRENT_DATE()}), LEN({fn CURTIME()}), LEN({fn CURRENT_TIME(0)}),
    DATEDIFF(minute, {fn NOW()}, GETDATE()), DATEDIFF(minute, {fn CURRENT_TIMESTAMP()}, GETDATE())
GO
--@ source: documentation odbc-scalar-functions
SELECT {fn ASCII('a')}, {fn CHAR(65)}, {fn DIFFERENCE('a', 'b')}, {fn INSERT('abc', 2, 1, 'XX')}, {fn LCASE('A')}, {fn LEFT('abc', 2)},
    {fn LENGTH('abc ')}, {fn LOCATE('b', 'abc')}, {fn LTRIM(' a')}, {fn REPEAT('ab', 2)}, {fn REPLACE('abc', 'b', 'x')}, {fn RIGHT('abc', 2)},
    {fn RTRIM('a ')}, {fn SOUNDEX('abc')}, {fn SPACE(2)}, {fn SUBSTRING('abc', 2, 1)}, {fn UCASE('a')}, {fn POSITION('b' IN 'abc')}
SELECT {fn ABS(-1)}, {fn ATAN2(1, 1)}, {fn CEILING(1.5)}, {fn FLOOR(1.5)}, {fn MOD(7, 3)}, {fn PI()}, {fn POWER(2, 3)}, {fn ROUND(1.55, 1)}, {fn SIGN(-2)}
SELECT {fn DATABASE()}, {fn USER()}, {fn IFNULL(NULL, 3)}, {fn CONVERT('12', SQL_INTEGER)}, {fn CONVERT(12, SQL_VARCHAR)}, {fn convert(1, sql_bit)}
SELECT {fn UCASE({fn LEFT('abc', 2)})}, {fn LENGTH('a')} + 1
GO
--@ source: message 195
SELECT {fn NOPE(1)}
GO
--@ source: message 243
SELECT {fn CONVERT(1, SQL_NOPE)}
GO
--@ source: documentation ODBC escape sequences
SELECT {d '2026-11-22'}, {ts '2026-11-22 13:14:15.123'}, {guid '01234567-89AB-CDEF-0123-456789ABCDEF'}
SELECT a.n, b.m FROM {oj (VALUES (1), (2)) AS a (n) LEFT OUTER JOIN (VALUES (2)) AS b (m) ON a.n = b.m}
SELECT 1 WHERE 'a%c' LIKE 'a\%c' {escape '\'}
GO
--@ source: reasoned
CREATE PROCEDURE dbo.called @a int, @b varchar(10) = 'x' AS SELECT @a AS a, @b AS b RETURN 7
GO
--@ source: documentation ODBC procedure calls
{call dbo.called(1, 'y')}
{call dbo.called (2)}
DECLARE @r int
{@r = CALL called(3)}
SELECT @r
{call sp_datatype_info(-7)}
GO
--@ source: documentation ODBC procedure calls
-- a remote call inside a remote call, and once more by its handle
DECLARE @h int
EXEC sp_prepexecrpc @h OUTPUT, N'{?=call dbo.called(?,?)}', 4, 'z'
EXEC sp_execute @h, 5
EXEC sp_unprepare @h
GO
--@ source: reasoned
DECLARE @h int
EXEC sp_prepexecrpc @h OUTPUT, N'{call dbo.called(1,?)}', 'z'
GO
--@ source: reasoned
DROP PROCEDURE dbo.called
GO
