-- CAST, CONVERT with all styles, TRY_CAST and TRY_CONVERT: between all types, at the limits, and where it fails.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation CAST and CONVERT
DECLARE @d datetime = '2006-04-25T15:50:59.997'
SELECT CONVERT(varchar(40), @d) AS x, CONVERT(varchar(40), @d, 0) AS s0, CONVERT(varchar(40), @d, 1) AS s1, CONVERT(varchar(40), @d, 2) AS s2, CONVERT(varchar(40), @d, 3) AS s3, CONVERT(varchar(40), @d, 4) AS s4, CONVERT(varchar(40), @d, 5) AS s5, CONVERT(varchar(40), @d, 6) AS s6, CONVERT(varchar(40), @d, 7) AS s7, CONVERT(varchar(40), @d, 8) AS s8, CONVERT(varchar(40), @d, 9) AS s9, CONVERT(varchar(40), @d, 10) AS s10, CONVERT(varchar(40), @d, 11) AS s11, CONVERT(varchar(40), @d, 12) AS s12, CONVERT(varchar(40), @d, 13) AS s13, CONVERT(varchar(40), @d, 14) AS s14
SELECT CONVERT(varchar(40), @d, 20) AS s20, CONVERT(varchar(40), @d, 21) AS s21, CONVERT(varchar(40), @d, 22) AS s22, CONVERT(varchar(40), @d, 23) AS s23, CONVERT(varchar(40), @d, 24) AS s24, CONVERT(varchar(40), @d, 25) AS s25, CONVERT(varchar(40), @d, 100) AS s100, CONVERT(varchar(40), @d, 101) AS s101, CONVERT(varchar(40), @d, 102) AS s102, CONVERT(varchar(40), @d, 103) AS s103, CONVERT(varchar(40), @d, 104) AS s104, CONVERT(varchar(40), @d, 105) AS s105, CONVERT(varchar(40), @d, 106) AS s106, CONVERT(varchar(40), @d, 107) AS s107, CONVERT(varchar(40), @d, 108) AS s108, CONVERT(varchar(40), @d, 109) AS s109
SELECT CONVERT(varchar(40), @d, 110) AS s110, CONVERT(varchar(40), @d, 111) AS s111, CONVERT(varchar(40), @d, 112) AS s112, CONVERT(varchar(40), @d, 113) AS s113, CONVERT(varchar(40), @d, 114) AS s114, CONVERT(varchar(40), @d, 120) AS s120, CONVERT(varchar(40), @d, 121) AS s121, CONVERT(varchar(40), @d, 126) AS s126, CONVERT(nvarchar(40), @d, 130) AS s130, CONVERT(varchar(40), @d, 131) AS s131
GO
--@ source: documentation CAST and CONVERT
DECLARE @d datetime2(7) = '2006-04-25T15:50:59.1234567'
SELECT CONVERT(varchar(40), @d) AS x, CONVERT(varchar(40), @d, 0) AS s0, CONVERT(varchar(40), @d, 9) AS s9, CONVERT(varchar(40), @d, 13) AS s13, CONVERT(varchar(40), @d, 14) AS s14, CONVERT(varchar(40), @d, 20) AS s20, CONVERT(varchar(40), @d, 21) AS s21, CONVERT(varchar(40), @d, 25) AS s25, CONVERT(varchar(40), @d, 100) AS s100, CONVERT(varchar(40), @d, 108) AS s108, CONVERT(varchar(40), @d, 109) AS s109, CONVERT(varchar(40), @d, 113) AS s113, CONVERT(varchar(40), @d, 114) AS s114, CONVERT(varchar(40), @d, 121) AS s121, CONVERT(varchar(40), @d, 126) AS s126, CONVERT(varchar(40), @d, 127) AS s127
GO
--@ source: documentation CAST and CONVERT
DECLARE @d date = '2006-04-25', @t time(3) = '15:50:59.123', @o datetimeoffset(3) = '2006-04-25T15:50:59.123+05:30', @s smalldatetime = '2006-04-25T15:50'
SELECT CONVERT(varchar(40), @d) AS d, CONVERT(varchar(40), @d, 0) AS d0, CONVERT(varchar(40), @d, 101) AS d101, CONVERT(varchar(40), @d, 103) AS d103, CONVERT(varchar(40), @d, 112) AS d112, CONVERT(varchar(40), @d, 120) AS d120, CONVERT(varchar(40), @d, 126) AS d126, CONVERT(varchar(40), @d, 107) AS d107
SELECT CONVERT(varchar(40), @t) AS t, CONVERT(varchar(40), @t, 0) AS t0, CONVERT(varchar(40), @t, 8) AS t8, CONVERT(varchar(40), @t, 9) AS t9, CONVERT(varchar(40), @t, 14) AS t14, CONVERT(varchar(40), @t, 108) AS t108, CONVERT(varchar(40), @t, 114) AS t114, CONVERT(varchar(40), @t, 120) AS t120, CONVERT(varchar(40), @t, 121) AS t121, CONVERT(varchar(40), @t, 126) AS t126
SELECT CONVERT(varchar(40), @o) AS o, CONVERT(varchar(40), @o, 0) AS o0, CONVERT(varchar(40), @o, 120) AS o120, CONVERT(varchar(40), @o, 121) AS o121, CONVERT(varchar(40), @o, 126) AS o126, CONVERT(varchar(40), @o, 127) AS o127, CONVERT(varchar(40), @o, 109) AS o109, CONVERT(datetime, @o, 0) AS w0
SELECT CONVERT(varchar(40), @s) AS s
GO
--@ source: message 281
SELECT CONVERT(varchar(40), CAST('20240101' AS datetime), 15)
PRINT 'behind'
GO
--@ source: documentation CAST and CONVERT
SELECT CONVERT(datetime, '04/25/2006', 101) AS s101, CONVERT(datetime, '25/04/2006', 103) AS s103, CONVERT(datetime, '25.04.2006', 104) AS s104, CONVERT(date, '25-04-2006', 105) AS s105, CONVERT(datetime, '25 Apr 2006', 106) AS s106, CONVERT(datetime, 'Apr 25, 2006', 107) AS s107, CONVERT(time(0), '15:50:59', 108) AS s108, CONVERT(date, '20060425', 112) AS s112, CONVERT(datetime, '2006-04-25 15:50:59', 120) AS s120, CONVERT(datetime, '2006-04-25T15:50:59.997', 126) AS s126, CONVERT(datetime, '2006-04-25T15:50:59Z', 127) AS s127, CONVERT(datetime, '06.04.25', 2) AS s2, CONVERT(datetime, '25/04/06', 3) AS s3
GO
--@ source: message 242
SELECT CONVERT(datetime, '25/04/2006', 101)
GO
--@ source: message 241
SELECT CONVERT(date, '25/04/2006', 101)
GO
--@ source: message 241
SELECT CAST('2006-02-30' AS date)
GO
--@ source: message 242
SELECT CAST('2006-02-30' AS datetime)
GO
--@ source: message 242
SELECT CAST('1752-12-31' AS datetime)
GO
--@ source: message 242
SELECT CAST(CAST('1752-12-31' AS date) AS datetime)
GO
--@ source: message 242
SELECT CAST(CAST('2079-06-07' AS datetime2) AS smalldatetime)
GO
--@ source: message 241
SELECT CAST('10:00:00.123456789' AS time)
GO
--@ source: message 8115
SELECT CAST(1e9 AS datetime)
GO
--@ source: message 529
SELECT CAST(1 AS date)
GO
--@ source: message 529
SELECT CAST(CAST('20240101' AS date) AS int)
GO
--@ source: message 529
SELECT CAST(CAST('10:00' AS time) AS date)
GO
--@ source: documentation Date and time data types
SELECT CAST(CAST('2007-05-08 12:35:29.1234567 +12:15' AS time(7)) AS varchar(40)) AS t, CAST(CAST('2007-05-08 12:35:29.1234567 +12:15' AS date) AS varchar(40)) AS d, CAST('2007-05-08 12:35:29.123' AS smalldatetime) AS sd, CAST('2007-05-08 12:35:29.123' AS datetime) AS dt, CAST('2007-05-08 12:35:29.1234567 +12:15' AS datetime2(7)) AS dt2, CAST('2007-05-08 12:35:29.1234567 +12:15' AS datetimeoffset(7)) AS dto
GO
--@ source: documentation datetime
SELECT CAST('01/01/98 23:59:59.999' AS datetime) AS a, CAST('01/01/98 23:59:59.995' AS datetime) AS b, CAST('01/01/98 23:59:59.994' AS datetime) AS c, CAST('01/01/98 23:59:59.991' AS datetime) AS d, CAST('01/01/98 23:59:59.990' AS datetime) AS e, CAST('2024-01-01 12:35:30' AS smalldatetime) AS f, CAST('2024-01-01 12:35:29.998' AS smalldatetime) AS g, CAST('2024-01-01 12:35:29.999' AS smalldatetime) AS h, CAST('' AS datetime) AS i, CAST('' AS date) AS j, CAST('' AS time(0)) AS k, CAST(0 AS datetime) AS l, CAST(-1.5 AS datetime) AS m, CAST(CAST('19000102 12:00' AS datetime) AS float) AS n, CAST(CAST('19000102 12:00' AS datetime) AS int) AS o, CAST(CAST('1900-01-02 12:00' AS smalldatetime) AS decimal(5, 2)) AS p
GO
--@ source: documentation time
SELECT CAST(CAST('12:34:54.1237' AS time(4)) AS time(3)) AS a, CAST('23:59:59.99999999' AS varchar(20)) AS b, CAST(CAST('2024-12-31 23:59:59.9999999' AS datetime2(7)) AS datetime2(0)) AS d, CAST(CAST('12:34' AS time) AS datetime) AS e, CAST(CAST('12:34' AS time(0)) AS datetimeoffset(0)) AS f, CAST('12 AM' AS time(0)) AS g, CAST('4pm' AS time(0)) AS h, CAST(CAST('2024-02-29' AS date) AS datetimeoffset(0)) AS i
GO
--@ source: documentation CAST and CONVERT
SELECT CAST(10.6496 AS int) AS a, CAST(-10.6496 AS int) AS b, CAST(10.6496 AS numeric(10, 0)) AS c, CAST(10.3496847 AS money) AS d, CAST($157.27 AS varchar(10)) AS e, CAST($10.5 AS int) AS f, CAST(-$10.5 AS int) AS g, CAST(10.9e0 AS int) AS h, CAST(2.5 AS bit) AS i, CAST('true' AS bit) AS j, CAST('FALSE' AS bit) AS k, CAST('' AS int) AS l, CAST('  12  ' AS int) AS m, CAST('+5' AS int) AS o, CAST('1e2' AS float) AS p, CAST(0.1e0 AS decimal(20, 18)) AS q, CAST('0' AS bit) AS r, CAST('5' AS bit) AS s
GO
--@ source: message 245
SELECT CAST('1.5' AS int)
GO
--@ source: message 245
SELECT CAST('yes' AS bit)
GO
--@ source: message 8114
SELECT CAST('' AS decimal(5, 2))
GO
--@ source: message 8114
SELECT CAST('1e2' AS decimal(5, 2))
GO
--@ source: message 8114
SELECT CAST('abc' AS bigint)
GO
--@ source: message 8115
SELECT CAST('123456' AS decimal(5, 2))
GO
--@ source: message 8115
SELECT CAST(123456 AS decimal(5, 2))
GO
--@ source: message 8115
SELECT CAST(1234.5 AS decimal(5, 2))
GO
--@ source: message 235
SELECT CAST('abc' AS money)
GO
--@ source: message 8115
SELECT CAST(1e20 AS money)
GO
--@ source: message 8115
SELECT CAST(3000000000 AS int)
GO
--@ source: message 220
SELECT CAST(300 AS tinyint)
GO
--@ source: message 220
SELECT CAST(-1 AS tinyint)
GO
--@ source: message 220
SELECT CAST(40000 AS smallint)
GO
--@ source: message 244
SELECT CAST('300' AS tinyint)
GO
--@ source: message 244
SELECT CAST('40000' AS smallint)
GO
--@ source: message 248
SELECT CAST('3000000000' AS int)
GO
--@ source: message 8115
SELECT CAST('9223372036854775808' AS bigint)
GO
--@ source: message 232
SELECT CAST(1e10 AS int)
GO
--@ source: message 232
SELECT CAST(300e0 AS tinyint)
GO
--@ source: message 8115
SELECT CAST(1e20 AS bigint)
GO
--@ source: message 237
SELECT CAST(CAST(3000000000 AS money) AS int)
GO
--@ source: message 8115
SELECT CAST(300.5 AS tinyint)
GO
--@ source: message 232
SELECT CAST(1e39 AS real)
GO
--@ source: documentation CAST and CONVERT
SELECT CAST('hello world' AS varchar(5)) AS a, CAST(123456 AS varchar(3)) AS b, CAST(123456 AS char(3)) AS c, CAST(REPLICATE('a', 50) AS varchar) AS d, CAST('abc' AS char) + '|' AS e, CAST(N'日本' AS varchar(10)) AS f, CAST(1.50 AS varchar(10)) AS g, CAST(1234567.891e0 AS varchar(20)) AS h, CAST(0.000012345e0 AS varchar(20)) AS i, CAST(1e20 AS varchar(20)) AS j, CAST(CAST(1.1 AS real) AS varchar(20)) AS k, CAST(CAST(1 AS bit) AS varchar(5)) AS l, CAST($1234567.891 AS varchar(20)) AS m
GO
--@ source: message 8115
SELECT CAST(123456 AS nvarchar(3))
GO
--@ source: message 8115
SELECT CAST(CAST(123456 AS bigint) AS varchar(3))
GO
--@ source: message 8115
SELECT CAST(1234.56 AS varchar(3))
GO
--@ source: message 234
SELECT CAST($123.45 AS varchar(3))
GO
--@ source: message 232
SELECT CAST(123.45e0 AS varchar(3))
GO
--@ source: message 8170
SELECT CAST(CAST('0E984725-C51C-4BF4-9960-E1C80E27ABA0' AS uniqueidentifier) AS varchar(10))
GO
--@ source: message 8169
SELECT CAST('abc' AS uniqueidentifier)
PRINT 'behind'
GO
--@ source: documentation uniqueidentifier
SELECT CAST('0E984725-C51C-4BF4-9960-E1C80E27ABA0wrong' AS uniqueidentifier) AS a, CAST('{0e984725-c51c-4bf4-9960-e1c80e27aba0}' AS uniqueidentifier) AS b, CONVERT(varchar(40), CAST(CAST('0E984725-C51C-4BF4-9960-E1C80E27ABA0' AS uniqueidentifier) AS binary(16)), 1) AS c, CAST(0x00112233445566778899AABBCCDDEEFF AS uniqueidentifier) AS d
GO
--@ source: documentation CAST and CONVERT
SELECT CONVERT(varchar(20), $1234.5678) AS m, CONVERT(varchar(20), $1234567.8912, 0) AS m0, CONVERT(varchar(20), $1234567.8912, 1) AS m1, CONVERT(varchar(20), $1234567.8912, 2) AS m2, CONVERT(varchar(20), $1234567.8912, 126) AS m126, CONVERT(varchar(20), -$1234.5, 1) AS n1, CONVERT(varchar(30), 1234.5678e0, 0) AS f0, CONVERT(varchar(30), 1234.5678e0, 1) AS f1, CONVERT(varchar(30), 1234.5678e0, 2) AS f2, CONVERT(varchar(30), 1234.5678e0, 3) AS f3, CONVERT(varchar(30), CAST(0.1 AS real), 3) AS r3, CONVERT(varchar(30), CAST(0.1 AS real), 2) AS r2
GO
--@ source: documentation CAST and CONVERT
SELECT CONVERT(char(8), 0x4E616d65, 0) AS a, CONVERT(char(10), 0x4E616d65, 1) AS b, CONVERT(char(8), 0x4E616d65, 2) AS c, CONVERT(varchar(20), CONVERT(binary(8), 'Name', 0), 1) AS d, CONVERT(varchar(20), CONVERT(binary(4), '0x4E616D65', 1), 1) AS e, CONVERT(varchar(20), CONVERT(binary(4), '4E616D65', 2), 1) AS f, CONVERT(char(6), 0x4E616d65, 1) AS g, CONVERT(char(7), 0x4E616d65, 2) AS h
GO
--@ source: message 8114
SELECT CONVERT(binary(4), '0x4E616D6', 1)
GO
--@ source: message 8114
SELECT CONVERT(varbinary(4), '4E616D65', 1)
GO
--@ source: message 8114
SELECT CONVERT(varbinary(4), 'XYZW', 2)
GO
--@ source: documentation binary and varbinary
SELECT CONVERT(varchar(40), CAST(123456 AS binary(4)), 1) AS a, CONVERT(varchar(40), CAST(123456 AS binary(2)), 1) AS b, CONVERT(varchar(40), CAST(1 AS varbinary), 1) AS c, CONVERT(varchar(40), CAST(CAST(1 AS bigint) AS varbinary(8)), 1) AS d, CONVERT(varchar(40), CAST(CAST(1 AS bit) AS varbinary(4)), 1) AS e, CONVERT(varchar(40), CAST(1.5 AS varbinary(20)), 1) AS f, CONVERT(varchar(40), CAST($1 AS varbinary(8)), 1) AS g, CONVERT(varchar(40), CAST(1e0 AS varbinary(8)), 1) AS h, CONVERT(varchar(40), CAST(CAST('20240101' AS datetime) AS varbinary(8)), 1) AS i, CONVERT(varchar(40), CAST(CAST('20240101' AS date) AS varbinary(8)), 1) AS j, CONVERT(varchar(40), CAST(N'ab' AS varbinary(8)), 1) AS k, CAST(0x0001E240 AS int) AS l, CAST(0x01 AS bit) AS m, CAST(0xFFFFFFFFFF AS int) AS n, CAST(0x80 AS smallint) AS o, CAST(0x416200 AS varchar(5)) AS p
GO
--@ source: documentation TRY_CAST
SELECT TRY_CAST('test' AS float) AS a, TRY_CAST('12/31/2010' AS datetime2(0)) AS b, TRY_CAST('13/31/2010' AS datetime2(0)) AS c, TRY_CONVERT(int, '1.5') AS d, TRY_CONVERT(tinyint, 300) AS e, TRY_CAST(NULL AS int) AS f, TRY_CONVERT(decimal(3, 1), 123.4) AS g, TRY_CONVERT(uniqueidentifier, 'x') AS h, TRY_CONVERT(varchar(3), 'abcdef') AS i, TRY_CONVERT(datetime, '2024-01-01', 120) AS j, TRY_CONVERT(varbinary(4), 'zz', 2) AS k, TRY_CAST(1e10 AS int) AS m, TRY_CAST('abc' AS money) AS n, TRY_CAST('abc' AS smalldatetime) AS o
GO
--@ source: message 529
SELECT TRY_CAST(4 AS xml)
GO
--@ source: message 529
SELECT TRY_CONVERT(date, 4)
GO
--@ source: message 8134
SELECT TRY_CAST(1 / 0 AS int)
GO
--@ source: message 243
SELECT CAST(1 AS nothing)
GO
--@ source: message 243
SELECT TRY_CONVERT(nothing, 1)
GO
--@ source: message 131
SELECT CAST('a' AS varchar(8001))
GO
--@ source: message 2750
SELECT CAST(1 AS decimal(39, 2))
GO
--@ source: documentation float and real
SELECT SQL_VARIANT_PROPERTY(CAST(1 AS float(24)), 'BaseType') AS a, SQL_VARIANT_PROPERTY(CAST(1 AS float(25)), 'BaseType') AS b, SQL_VARIANT_PROPERTY(CAST(1 AS double precision), 'BaseType') AS c, SQL_VARIANT_PROPERTY(CAST(1 AS dec(5)), 'Precision') AS d, SQL_VARIANT_PROPERTY(CAST(1 AS decimal), 'Precision') AS e, SQL_VARIANT_PROPERTY(CAST('a' AS character varying(5)), 'MaxLength') AS f, SQL_VARIANT_PROPERTY(CAST(N'a' AS national character(5)), 'MaxLength') AS g, SQL_VARIANT_PROPERTY(CAST(1 AS integer), 'BaseType') AS h, SQL_VARIANT_PROPERTY(CAST(0x01 AS binary varying(3)), 'BaseType') AS i, SQL_VARIANT_PROPERTY(CAST('10:00' AS time(3)), 'Scale') AS j, SQL_VARIANT_PROPERTY('abc', 'Collation') AS l, SQL_VARIANT_PROPERTY(GETDATE(), 'Precision') AS m, SQL_VARIANT_PROPERTY(1, 'nothing') AS n, SQL_VARIANT_PROPERTY(NULL, 'BaseType') AS o
GO
--@ source: documentation ISNULL
SELECT ISNULL(CAST(NULL AS varchar(2)), 'abcdef') AS a, ISNULL(NULL, 'abc') AS b, ISNULL(NULL, NULL) AS c, COALESCE(NULL, 1, 2.5) AS d, COALESCE(CAST(NULL AS int), '7') AS e, NULLIF(1, 1) AS f, NULLIF('a', 'A') AS g, IIF(1 > 2, 'yes', 'no') AS h, IIF(NULL = 1, 1, 2) AS i, CHOOSE(2, 'a', 'b', 'c') AS j, CHOOSE(0, 'a') AS k, CHOOSE(4, 'a', 'b') AS l, CHOOSE(NULL, 'a') AS m, CHOOSE(2.9, 'a', 'b') AS n, CHOOSE(1, 1, 2.55) AS o, ISNULL(CAST(NULL AS tinyint), 5) AS p
GO
--@ source: message 4127
SELECT COALESCE(NULL, NULL)
GO
--@ source: message 8133
SELECT CASE WHEN 1 = 1 THEN NULL ELSE NULL END
GO
--@ source: message 220
SELECT ISNULL(CAST(NULL AS tinyint), 300)
GO
--@ source: message 206
SELECT COALESCE(1, CAST('20240101' AS date))
GO
--@ source: message 245
SELECT CASE WHEN 1 = 1 THEN 'abc' ELSE 1 END
GO
--@ source: message 295
SELECT CAST('abc' AS smalldatetime)
GO
--@ source: message 8133
SELECT IIF(1 = 1, NULL, NULL)
GO
--@ source: message 402
SELECT CASE WHEN CAST('<a/>' AS xml) = 'a' THEN 1 END
GO
