-- Operands and conversions that are not what they seem.
--@ source: message 8115
SELECT CAST(-2147483648 AS int) % -1
GO
--@ source: message 8115
DECLARE @b bigint = -9223372036854775808
SELECT @b % -1
GO
--@ source: message 402
SELECT 5.5 % '2'
GO
--@ source: message 8117
SELECT CAST(1 AS bit) * CAST(1 AS bit)
GO
--@ source: message 402
SELECT CAST(1 AS bit) + CAST(1 AS bit)
GO
--@ source: message 402
SELECT CAST(1 AS bit) + '1'
GO
--@ source: message 402
SELECT 0x01 - 0x02
GO
--@ source: message 8117
SELECT 0x01 * 0x02
GO
--@ source: message 8117
SELECT CAST(1 AS real) % CAST(1 AS float)
GO
--@ source: message 206
SELECT 0x02 + CAST(2 AS real)
GO
--@ source: message 8134
SELECT POWER(0, -1)
GO
--@ source: message 8116
SELECT CHECKSUM(1, NULL)
GO
--@ source: message 8184
SELECT BINARY_CHECKSUM(NULL)
GO
--@ source: message 8114
SELECT CONVERT(varchar(40), CAST('20240101' AS date), 8)
GO
--@ source: message 8114
SELECT CONVERT(varchar(40), CAST('12:00' AS time), 101)
GO
--@ source: message 9809
SELECT CONVERT(varbinary(4), 'ab', 3)
GO
--@ source: message 9809
SELECT CONVERT(varchar(4), 0x6162, 3)
GO
--@ source: documentation datetimeoffset
SELECT CONVERT(datetime2(3), CAST('2006-04-25T15:50:59.123+05:30' AS datetimeoffset(3)), 1) AS utc, CONVERT(datetime2(3), CAST('2006-04-25T15:50:59.123+05:30' AS datetimeoffset(3)), 0) AS wall, CAST(CAST('2006-04-25T15:50:59.123+05:30' AS datetimeoffset(3)) AS datetime2(3)) AS cast_wall, CONVERT(date, CAST('2006-04-25T02:50:59+05:30' AS datetimeoffset(3)), 1) AS day
GO
--@ source: peer msduck
SELECT CAST('-' AS money) AS a, CAST('.' AS money) AS b, CAST('$' AS money) AS c, CAST(',' AS money) AS d, CAST('+' AS money) AS e
SELECT CAST(-0e0 AS varchar(10)) AS zero, 7 % '2' AS m, BINARY_CHECKSUM(NULL, 1) AS b
SELECT SOUNDEX('Ashcraft') AS a, SOUNDEX('Bhb') AS b, SOUNDEX('BHB') AS c, SOUNDEX('Burroughs') AS d, SOUNDEX(N'Émile') AS e, SOUNDEX('ß') AS f, SOUNDEX('Robert') AS h
GO
--@ source: documentation Data type precedence (Transact-SQL)
SELECT name, system_type_name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT LEFT(''abcdef'', 2) a, SUBSTRING(''abcdef'', 2, 3) b, REPLICATE(''ab'', 3) c, SPACE(3) d, STR(1.5) e, STR(1.5, 6, 2) f, CONCAT(''a'', 1) g, 1 + 1 h, CAST(1 AS int) i, ''a'' + ''b'' j, COALESCE(7, CAST(1 AS decimal(5, 2))) k, IIF(1 = 1, 1, 2.55) l', NULL, 0)
GO
