-- Mathematical functions and the types of arithmetic.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation ABS
SELECT ABS(-1.0) AS a, ABS(0.0) AS b, ABS(1.0) AS c, ABS(CAST(-5 AS smallint)) AS d, ABS(CAST(-1.5 AS money)) AS e, ABS(-1e0) AS f, ABS('-3') AS g, ABS(CAST(7 AS tinyint)) AS i
GO
--@ source: message 8115
DECLARE @i int = -2147483648
SELECT ABS(@i)
PRINT 'behind'
GO
--@ source: documentation CEILING
SELECT CEILING($123.45) AS a, CEILING($0.0) AS c, FLOOR(123.45) AS d, FLOOR(-123.45) AS e, FLOOR($123.45) AS f, CEILING(1.5e0) AS g, CEILING(-0.5) AS h, FLOOR(CAST(3 AS int)) AS i, CEILING(9.9) AS j, CEILING(CAST(NULL AS int)) AS k
GO
--@ source: documentation ROUND
SELECT ROUND(123.9994, 3) AS a, ROUND(123.9995, 3) AS b, ROUND(123.4545, 2) AS c, ROUND(123.45, -2) AS d, ROUND(150.75, 0) AS e, ROUND(150.75, 0, 1) AS f, ROUND(748.58, -1) AS g, ROUND(748.58, -2) AS h, ROUND(-150.75, 0, 1) AS i, ROUND(125, -1) AS j, ROUND(-125, -1) AS k, ROUND(1.5e0, 0) AS l, ROUND(2.5e0, 0) AS m, ROUND($1.2345, 2) AS n, ROUND(1, NULL) AS o, ROUND(748.58, -4) AS p, ROUND(15, 1) AS q
GO
--@ source: message 8115
SELECT ROUND(748.58, -3)
GO
--@ source: message 8115
SELECT ROUND(9.9, 0)
GO
--@ source: documentation POWER
SELECT POWER(2, 3) AS a, POWER(2.0, 0.5) AS b, POWER(2e0, 0.5) AS c, POWER(CAST(2 AS bigint), 40) AS d, POWER(2, -1) AS e, POWER(2.00, -1) AS f, POWER(0, 0) AS g, POWER(10.0, -2) AS h, POWER($2, 3) AS i, POWER('3', 2) AS j, POWER(NULL, 2) AS k
GO
--@ source: message 232
SELECT POWER(2, 31)
GO
--@ source: message 3623
SELECT POWER(-2e0, 0.5)
PRINT 'behind'
GO
--@ source: message 3623
SELECT SQRT(-1)
GO
--@ source: message 3623
SELECT LOG(0)
GO
--@ source: message 3623
SELECT LOG(-1, 10)
GO
--@ source: message 3623
SELECT ASIN(1.01)
GO
--@ source: message 3623
SELECT ACOS(-2)
GO
--@ source: message 3623
SELECT LOG10(-1)
GO
--@ source: message 8115
SELECT EXP(1000)
GO
--@ source: documentation LOG
SELECT LOG(10) AS a, LOG(8, 2) AS b, LOG(100, 10) AS c, LOG10(145.175643) AS d, EXP(LOG(20)) AS e, LOG(EXP(20)) AS f, EXP(0) AS g, LOG(1) AS h, LOG(NULL) AS i
GO
--@ source: documentation SQUARE
SELECT SQUARE(3) AS a, SQUARE(-1.5) AS b, SQRT(9) AS c, SQRT(2) AS d, SQRT('4') AS e, SIGN(-5) AS f, SIGN(0.0) AS g, SIGN(2.5) AS h, SIGN(-1e0) AS i, SIGN($-3) AS j, SIGN(NULL) AS k, PI() AS l, DEGREES(PI()) AS m, DEGREES(1) AS n, RADIANS(180) AS o, RADIANS(180e0) AS p, RADIANS(180.0) AS q, DEGREES(2.0) AS r
GO
--@ source: documentation SIN
SELECT SIN(45.175643) AS a, COS(14.78) AS b, TAN(PI()/2) AS c, COT(124.1332) AS d, ASIN(0.1472738) AS e, ACOS(-1.0) AS f, ATAN(45.87) AS g, ATN2(35.175643, 129.44) AS h, ATN2(0, -1) AS i
GO
--@ source: message 8116
SELECT ABS(GETDATE())
GO
--@ source: message 8114
SELECT SQRT('a')
GO
--@ source: message 8117
SELECT -GETDATE()
GO
--@ source: documentation LOG
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT ABS(CAST(1 AS smallint)) a, ABS(CAST(1 AS real)) c, ABS($1) d, CEILING(1.50) e, FLOOR(1) f, FLOOR($1) g, ROUND(1.567, 2) h, ROUND(1, 1) i, ROUND(CAST(1 AS tinyint), 1) j, ROUND($1, 1) k, ROUND(CAST(1 AS real), 1) l, POWER(2, 2) m, POWER(2.5, 2) n, POWER(CAST(2 AS tinyint), 2) o, POWER(2e0, 2) p, SQUARE(2) q, SQRT(2) r, SIGN(1) s, SIGN($1) u, SIGN(1e0) v, DEGREES(1) w, RADIANS(1.5) x, LOG(2) y, PI() z, RAND(1) aa, ATN2(1, 1) ab, CEILING(CAST(1 AS bigint)) ac, POWER($2, 2) ae, CEILING(CAST(1 AS real)) af, SIGN(CAST(1 AS tinyint)) ag, SIGN(CAST(1 AS bigint)) ah', NULL, 0)
GO
--@ source: documentation Precision, scale, and length
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS decimal(10,2)) + CAST(1 AS decimal(8,4)) a, CAST(1 AS decimal(10,2)) - CAST(1 AS decimal(8,4)) b, CAST(1 AS decimal(10,2)) * CAST(1 AS decimal(8,4)) c, CAST(1 AS decimal(10,2)) / CAST(1 AS decimal(8,4)) d, CAST(1 AS decimal(10,2)) % CAST(1 AS decimal(8,4)) e, CAST(1 AS decimal(38,10)) * CAST(1 AS decimal(38,10)) f, CAST(1 AS decimal(38,10)) / CAST(1 AS decimal(38,10)) g, CAST(1 AS decimal(38,10)) + CAST(1 AS decimal(38,4)) h, CAST(1 AS decimal(38,0)) / CAST(1 AS decimal(38,38)) i, CAST(1 AS decimal(38,20)) * CAST(1 AS decimal(38,20)) j, CAST(1 AS decimal(18,2)) / 3 k, 1.0 / 3 l, 1.5 * 2 m, CAST(1 AS decimal(5,2)) * CAST(2 AS int) n, CAST(1 AS decimal(5,2)) + CAST(2 AS bigint) o, CAST(1 AS decimal(5,2)) + CAST(2 AS tinyint) p, CAST(1 AS decimal(5,2)) + CAST(1 AS bit) q, CAST(1 AS decimal(5,2)) + $1 r, CAST(1 AS decimal(5,2)) + 1e0 s, CAST(1 AS decimal(30,10)) - CAST(1 AS decimal(38,2)) t, CAST(1 AS decimal(20,0)) * CAST(1 AS decimal(20,0)) u, CAST(1 AS decimal(38,38)) + CAST(1 AS decimal(38,0)) v, CAST(1 AS decimal(38,6)) / 7 w', NULL, 0)
GO
--@ source: documentation Data type precedence
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS tinyint) + CAST(1 AS tinyint) a, CAST(1 AS tinyint) + CAST(1 AS smallint) b, CAST(1 AS smallint) + 1 c, 1 + CAST(1 AS bigint) d, CAST(1 AS bit) + CAST(1 AS tinyint) e, CAST(1 AS smallmoney) + CAST(1 AS smallmoney) f, $1 * 2 g, $1 / $2 h, CAST(1 AS smallmoney) * 1.5 i, CAST(1 AS real) + CAST(1 AS real) j, CAST(1 AS real) + 1 k, CAST(1 AS real) + 1.5 l, CAST(1 AS real) + 1e0 m, $1 + 1e0 n, GETDATE() + 1 o, GETDATE() - GETDATE() p, CAST(GETDATE() AS smalldatetime) + 1 q, 2147483647 r, 2147483648 s, 9223372036854775808 t, 1.50 v, .5 w, 1e5 x, 0x1F y, $1.5 z, ''a'' aa, N''a'' ab, '''' ac, 00012 ad, 1. ae, 0.000 af, 12345678901234567890123456789012345678 ag, CAST(1 AS bit) & CAST(1 AS bit) ah, CAST(1 AS tinyint) | 1 ai, ~CAST(1 AS tinyint) aj, -CAST(1 AS tinyint) ak, -1.5 al, +1 am, 7 % 2 an, $7 % $2 ao, 1 + ''1'' ap, NULL aq', NULL, 0)
GO
--@ source: reasoned
SELECT 1.0 / 3 AS a, CAST(1 AS decimal(18, 2)) / 3 AS b, 10 / 3 AS c, -10 / 3 AS d, -10 % 3 AS e, 10 % -3 AS f, 5.5 % 2 AS g, $10 / $3 AS h, $10 / 3 AS i, $1 * 1.23456 AS j, 10.0 / 3.0 AS k, CAST(1 AS decimal(38, 10)) / 3 AS l, 1e0 / 3 AS m, CAST(1 AS real) / 3 AS n, 0.1 + 0.2 AS o, 0.1e0 + 0.2e0 AS p, CAST(1 AS decimal(38, 20)) * 1.123456789012345678 AS q
GO
--@ source: message 8115
SELECT 2147483647 + 1
PRINT 'behind'
GO
--@ source: message 8115
SELECT CAST(255 AS tinyint) + CAST(1 AS tinyint)
GO
--@ source: message 8115
SELECT CAST(0 AS tinyint) - CAST(1 AS tinyint)
GO
--@ source: message 8115
SELECT CAST(32767 AS smallint) + CAST(1 AS smallint)
GO
--@ source: reasoned
SELECT 9223372036854775807 + 1
GO
--@ source: message 8115
SELECT CAST(9223372036854775807 AS bigint) * CAST(2 AS bigint)
GO
--@ source: message 8115
SELECT CAST(922337203685477.5807 AS money) + $1
GO
--@ source: message 8115
SELECT CAST(99999999999999999999999999999999999999 AS decimal(38, 0)) + 1
GO
--@ source: message 8115
SELECT CAST(1e19 AS decimal(38, 19)) * CAST(1e1 AS decimal(38, 19))
GO
--@ source: message 8115
SELECT 1e308 * 10
GO
--@ source: message 8134
SELECT 1.0 / 0
GO
--@ source: message 8134
SELECT 1e0 / 0
GO
--@ source: message 8134
SELECT $1 / 0
GO
--@ source: message 8134
SELECT 1 % 0
GO
--@ source: message 402
SELECT 1e0 % 2
GO
--@ source: message 8117
SELECT ~1.5
GO
--@ source: message 402
SELECT CAST(1 AS bit) + CAST(1 AS bit)
GO
--@ source: message 8117
SELECT -CAST(1 AS bit)
GO
--@ source: message 402
SELECT 0x01 & 0x02
GO
--@ source: documentation & (Bitwise AND)
SELECT 170 & 75 AS a, 170 | 75 AS b, 170 ^ 75 AS c, ~170 AS d, ~CAST(1 AS bit) AS e, ~CAST(0 AS tinyint) AS f, 0x0F & 6 AS g, 6 & 0x0F AS h, CAST(1 AS bit) ^ CAST(1 AS bit) AS i, NULL & 1 AS j, -1 & CAST(255 AS tinyint) AS k, CAST(5 AS bigint) | 2 AS l
GO
--@ source: documentation LEFT_SHIFT
SELECT LEFT_SHIFT(12345, 5) AS a, 12345 << 5 AS b, RIGHT_SHIFT(12345, 5) AS c, 12345 >> 5 AS d, LEFT_SHIFT(12345, -5) AS e, BIT_COUNT(0xabcdef) AS f, BIT_COUNT(17) AS g, GET_BIT(0xabcdef, 2) AS h, GET_BIT(0xabcdef, 4) AS i, CONVERT(varchar(20), SET_BIT(0x00, 2), 1) AS j, CONVERT(varchar(20), SET_BIT(0xabcdef, 0, 0), 1) AS k, LEFT_SHIFT(1, 40) AS l, RIGHT_SHIFT(-1, 31) AS m, BIT_COUNT(-1) AS n, BIT_COUNT(NULL) AS o, LEFT_SHIFT(NULL, 1) AS p
GO
--@ source: documentation ISNUMERIC
SELECT ISNUMERIC('1') AS a, ISNUMERIC('1.5') AS b, ISNUMERIC('1e5') AS c, ISNUMERIC('$1') AS d, ISNUMERIC('-') AS e, ISNUMERIC('+') AS f, ISNUMERIC('.') AS g, ISNUMERIC('') AS h, ISNUMERIC(' 1 ') AS i, ISNUMERIC('1,000') AS j, ISNUMERIC('abc') AS k, ISNUMERIC('0x1F') AS l, ISNUMERIC(NULL) AS n, ISNUMERIC(1) AS o, ISNUMERIC($1) AS p, ISNUMERIC(GETDATE()) AS q, ISNUMERIC(',') AS s, ISNUMERIC('€5') AS u
GO
--@ source: documentation GREATEST
SELECT GREATEST('6.62', 3.1415, N'7') AS a, LEAST('6.62', 3.1415, N'7') AS b, GREATEST('Glacier', N'Joshua Tree', 'Mount Rainier') AS c, LEAST(NULL, 2, 1) AS d, GREATEST(1) AS f, LEAST(1, 2.5, $1.2) AS g, GREATEST(CAST('20240101' AS date), '20230101') AS h
GO
--@ source: message 245
SELECT GREATEST(1, 'a')
GO
--@ source: documentation Money
SELECT $1 AS a, -$1.5 AS c, $ AS d, $1,234.5 AS e, £12 AS f, CAST('$1,234.56' AS money) AS g, CAST('-$5' AS money) AS h, CAST('' AS money) AS j, CAST(1.23456 AS money) AS k, CAST(1.23455 AS money) AS l
GO
--@ source: documentation Operator precedence
SELECT 100 / -10 / 2 AS a, 8 / - 2 * 4 AS b, 100 / - 20 % 7 AS c, - 6 + 2 AS d, - 6 & 3 AS e, - 2 << 3 AS f, 100 / (-10) / 2 AS h, ~ 2 * 3 AS i, ~ - 2 * 3 AS j, 2 * 3 << 1 AS k, 4 | 1 << 2 AS l, 5 << 1 + 1 AS m
GO
--@ source: documentation Precision, scale, and length
SELECT CAST(4.00 AS decimal(5, 2)) / 7 AS a, CAST(4.00 AS decimal(38, 2)) / 7 AS b, CAST(1 AS decimal(5,0)) / 1600000 AS c, $1.00/7 AS d, $2.00/3 AS e, $1.0001 * $0.5555 AS f, -4.00/7 AS g, CAST(CAST(0.5714285 AS decimal(10, 7)) AS decimal(10, 6)) AS h
SELECT AVG(v) AS a FROM (VALUES (4.00),(0),(0),(0),(0),(0),(0)) AS t(v)
SELECT AVG(v) AS a FROM (VALUES ($1.00),($0),(0),(0),(0),(0),(0)) AS t(v)
GO
--@ source: message 1007
SELECT 123456789012345678901234567890123456789
GO
--@ source: message 232
SELECT SUBSTRING('abc', 1e10, 1)
GO
--@ source: message 237
SELECT SUBSTRING('abc', CAST(3000000000 AS money), 1)
GO
--@ source: message 248
SELECT SUBSTRING('abc', '3000000000', 1)
GO
--@ source: message 402
SELECT 1.5 & 1
GO
--@ source: documentation CEILING
SELECT CEILING($-123.45) AS a, $-1.5 AS b
GO
--@ source: documentation ISNUMERIC
SELECT ISNUMERIC('1d5') AS a
GO
--@ source: message 3623
SELECT LOG(2, 0)
GO
--@ source: message 3623
SELECT LOG(2, 1)
GO
--@ source: reasoned
SELECT CAST('1d5' AS float) AS a, CAST('2D-1' AS real) AS b, $+1.5 AS c, 1 - $2 AS d, $-.5 AS e
GO
--@ source: message 8117
SELECT 0x01 * 0x02
GO
