-- String functions as the documentation shows them, at their limits, and with the wrong arguments.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation ASCII
SELECT ASCII('A') AS a, ASCII('abc') AS b, ASCII('') AS c, ASCII(NULL) AS d, ASCII(1) AS e, UNICODE(N'Åkergatan 24') AS f, UNICODE(N'') AS g, UNICODE('€') AS h, ASCII('€') AS i
GO
--@ source: documentation CHAR
SELECT CHAR(65) AS a, CHAR(256) AS b, CHAR(-1) AS c, CHAR(NULL) AS d, DATALENGTH(CHAR(0)) AS e, NCHAR(248) AS f, NCHAR(65536) AS g, NCHAR(-1) AS h, DATALENGTH(NCHAR(65)) AS i
GO
--@ source: documentation CHARINDEX
DECLARE @document VARCHAR(64) = 'Reflectors are vital safety components of your bicycle.'
SELECT CHARINDEX('bicycle', @document) AS a, CHARINDEX('vital', @document, 5) AS b, CHARINDEX('bike', @document) AS c, CHARINDEX('IS', 'This is a string') AS d, CHARINDEX('is', 'This is a string', 4) AS e
SELECT CHARINDEX('', 'abc') AS a, CHARINDEX('a', '') AS b, CHARINDEX('a', 'abc', NULL) AS e, CHARINDEX('a', 'abc', 0) AS f, CHARINDEX('a', 'abc', -5) AS g, CHARINDEX('a', 'abc', 9) AS h, CHARINDEX('TEST', 'Das ist ein Test' COLLATE Latin1_General_BIN2) AS i, CHARINDEX('Test', 'Das ist ein Test' COLLATE Latin1_General_BIN2) AS j
GO
--@ source: documentation PATINDEX
SELECT PATINDEX('%ter%', 'interesting data') AS a, PATINDEX('%en_ure%', 'Please ensure the door is locked!') AS b, PATINDEX('%[^ 0-9A-Za-z]%', 'Please ensure the door is locked!') AS c, PATINDEX('a%', 'abc') AS d, PATINDEX('a', 'abc') AS e, PATINDEX('', 'abc') AS f, PATINDEX('%[[]%', 'a[b') AS j
GO
--@ source: documentation CONCAT
SELECT CONCAT('Happy ', 'Birthday ', 11, '/', '25') AS a, CONCAT(NULL, NULL) AS b, CONCAT('a', NULL, 'b') AS c, CONCAT(1, 2) AS d, CONCAT(CAST('20240102 03:04' AS datetime), '|', CAST(1.5 AS money), '|', 1e0, '|', 1.50, '|', CAST(1 AS bit)) AS e
GO
--@ source: message 189
SELECT CONCAT('a')
GO
--@ source: message 189
SELECT CONCAT()
GO
--@ source: documentation CONCAT_WS
SELECT CONCAT_WS(' - ', 'a', 2, NULL, 'c') AS a, CONCAT_WS(',', '1 Microsoft Way', NULL, NULL, 'Redmond', 'WA', 98052) AS b, CONCAT_WS(NULL, 'a', 'b') AS c, CONCAT_WS(',', NULL, NULL) AS d, CONCAT_WS(',', '', '') AS e
GO
--@ source: message 189
SELECT CONCAT_WS(',', 'a')
GO
--@ source: documentation DIFFERENCE
SELECT SOUNDEX('Smith') AS a, SOUNDEX('Smythe') AS b, DIFFERENCE('Smithers', 'Smythers') AS c, DIFFERENCE('Anothers', 'Brothers') AS d, SOUNDEX('') AS e, SOUNDEX('123') AS f, SOUNDEX(NULL) AS g, SOUNDEX('Pfister') AS h, SOUNDEX('Tymczak') AS i, SOUNDEX('Honeyman') AS j, SOUNDEX('a b') AS l
GO
--@ source: documentation LEFT
SELECT LEFT('abcdefg', 2) AS a, LEFT('abc', 0) AS b, LEFT('abc', 10) AS c, LEFT('abc', NULL) AS e, LEFT(12345, 2) AS f, RIGHT('abcdefg', 2) AS g, RIGHT('abc', 0) AS h, RIGHT('abc', 10) AS i, RIGHT(N'abc', NULL) AS j
GO
--@ source: documentation SUBSTRING
SELECT SUBSTRING('abcdef', 2, 3) AS a, SUBSTRING('abcdef', 0, 3) AS b, SUBSTRING('abcdef', -1, 3) AS c, SUBSTRING('abcdef', -5, 3) AS d, SUBSTRING('abcdef', 7, 3) AS e, SUBSTRING('abcdef', 2, 0) AS f, SUBSTRING('abcdef', 5, 2147483647) AS g, CONVERT(varchar(20), SUBSTRING(0x010203, 2, 5), 1) AS j
GO
--@ source: message 8116
SELECT SUBSTRING(12345, 1, 2)
GO
--@ source: message 8116
SELECT SUBSTRING(GETDATE(), 1, 2)
GO
--@ source: message 174
SELECT SUBSTRING('abc', 1, 2, 3)
GO
--@ source: message 174
SELECT LEFT('abc')
GO
--@ source: message 174
SELECT UPPER()
GO
--@ source: documentation LEN
SELECT LEN('abc  ') AS a, LEN('  abc') AS b, LEN('') AS c, LEN('   ') AS d, LEN(NULL) AS e, LEN(N'abc ') AS f, LEN(0x410020) AS g, LEN(12.50) AS h, LEN(CAST('x' AS char(10))) AS i, DATALENGTH(CAST('x' AS char(10))) AS j, DATALENGTH(N'ab ') AS k, DATALENGTH(NULL) AS l, DATALENGTH(1) AS m, DATALENGTH(CAST(1 AS bigint)) AS n, DATALENGTH(1.5) AS o, DATALENGTH(GETDATE()) AS q, DATALENGTH(CAST('1:00' AS time(0))) AS r, DATALENGTH(SYSDATETIMEOFFSET()) AS s, DATALENGTH(NEWID()) AS t
GO
--@ source: documentation LTRIM
SELECT '[' + LTRIM('  a b  ') + ']' AS a, '[' + RTRIM('  a b  ') + ']' AS b, '[' + TRIM('  a b  ') + ']' AS c, '[' + LTRIM(CHAR(9) + 'a') + ']' AS d, LTRIM(NULL) AS e, TRIM('.,! ' FROM '  #  test   .') AS f, TRIM('#' FROM '##a#b##') AS g
GO
--@ source: documentation TRIM
SELECT TRIM('123' FROM '123abc123') AS c, LTRIM('123abc.', '123') AS d, RTRIM('.123abc.', 'abc.') AS e
GO
--@ source: documentation QUOTENAME
SELECT QUOTENAME('abc[]def') AS a, QUOTENAME('abc', '''') AS b, QUOTENAME('a"b', '"') AS c, QUOTENAME('a)b', '(') AS d, QUOTENAME('a>b', '<') AS e, QUOTENAME('a}b', '{') AS f, QUOTENAME('a`b', '`') AS g, QUOTENAME('abc', 'x') AS h, QUOTENAME(NULL) AS i, QUOTENAME(REPLICATE('a', 129)) AS j, LEN(QUOTENAME(REPLICATE(']', 128))) AS k, QUOTENAME('') AS l, QUOTENAME('abc', ']') AS m
GO
--@ source: documentation REPLACE
SELECT REPLACE('abcdefghicde', 'cde', 'xxx') AS a, REPLACE('abc', '', 'x') AS b, REPLACE('ABC', 'b', 'x') AS c, REPLACE('abc', 'b', NULL) AS d, REPLACE('abc', NULL, 'x') AS e, REPLACE('aaa', 'aa', 'b') AS f, REPLACE('This is a Test' COLLATE Latin1_General_BIN2, 'test', 'desk') AS g, REPLACE('', 'a', 'b') AS h, REPLACE(12345, 3, 'x') AS i
GO
--@ source: documentation REPLICATE
SELECT REPLICATE('0', 4) AS a, REPLICATE('ab', 0) AS b, REPLICATE('ab', -1) AS c, REPLICATE(NULL, 2) AS d, REPLICATE('ab', NULL) AS e, REPLICATE('', 5) AS f, LEN(REPLICATE('ab', 5000)) AS g, DATALENGTH(REPLICATE(N'ab', 5000)) AS h, LEN(REPLICATE(CAST('ab' AS varchar(max)), 5000)) AS i, REPLICATE(7, 3) AS k, LEN(SPACE(9000) + 'x') AS l, SPACE(-1) AS m, SPACE(NULL) AS n, DATALENGTH(SPACE(3)) AS o
GO
--@ source: documentation REVERSE
SELECT REVERSE('abc') AS a, REVERSE('') AS b, REVERSE(NULL) AS c, REVERSE(1234) AS d, REVERSE(N'añb') AS e, UPPER('aßé') AS f, LOWER(N'ÀÉ') AS g, UPPER(NULL) AS h
GO
--@ source: documentation STR
SELECT '[' + STR(123.45, 6, 1) + ']' AS a, STR(123.45, 2, 2) AS b, '[' + STR(FLOOR(123.45), 8, 3) + ']' AS c, '[' + STR(1.5) + ']' AS d, '[' + STR(2.5) + ']' AS e, '[' + STR(-1.5, 10, 1) + ']' AS f, STR(1, 3, 5) AS g, STR(99999999999) AS m, STR(1.0E20, 25, 2) AS n
GO
--@ source: documentation STUFF
SELECT STUFF('abcdef', 2, 3, 'ijklmn') AS a, STUFF('abc', 0, 1, 'x') AS b, STUFF('abc', 4, 1, 'x') AS c, STUFF('abc', 1, -1, 'x') AS d, STUFF('abc', 2, 0, 'x') AS e, STUFF('abc', 2, 1, NULL) AS f, STUFF('abc', 1, 99, 'x') AS g, STUFF('', 1, 0, 'x') AS j, STUFF('abc', 3, 1, N'é') AS k
GO
--@ source: documentation TRANSLATE
SELECT TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()') AS a, TRANSLATE('abcdef', 'abc', 'bcd') AS b, TRANSLATE('ABC', 'abc', 'xyz') AS c, TRANSLATE(NULL, 'a', 'b') AS d, TRANSLATE('aa', 'aa', 'bc') AS f
GO
--@ source: message 9828
SELECT TRANSLATE('abc', 'abc', 'de')
GO
--@ source: documentation STRING_ESCAPE
SELECT STRING_ESCAPE('\   /' + CHAR(10) + '\\   "' + CHAR(9) + CHAR(1), 'json') AS a, STRING_ESCAPE(NULL, 'json') AS b, STRING_ESCAPE('', 'JSON') AS c, STRING_ESCAPE(CHAR(8) + CHAR(12) + CHAR(13) + '''<é', 'json') AS d
GO
--@ source: documentation PARSENAME
SELECT PARSENAME('AdventureWorks2022.dbo.Person', 1) AS a, PARSENAME('AdventureWorks2022.dbo.Person', 3) AS b, PARSENAME('AdventureWorks2022.dbo.Person', 4) AS c, PARSENAME('a.b.c.d.e', 1) AS d, PARSENAME('[a.b].c', 2) AS e, PARSENAME('a..c', 2) AS f, PARSENAME(NULL, 1) AS g, PARSENAME('a', 0) AS h, PARSENAME('a', 5) AS i, PARSENAME('a', NULL) AS j, PARSENAME('"a b".c', 2) AS k
GO
--@ source: documentation FORMATMESSAGE
SELECT FORMATMESSAGE('Signed int %i, %d %i, %d, %+i, %+d, %+i, %+d', 5, -5, 50, -50, -11, -11, 11, 11) AS a
SELECT FORMATMESSAGE('Signed int with up to 3 leading zeros %03i', 5) AS a, FORMATMESSAGE('Signed int with up to 20 leading zeros %020i', 5) AS b, FORMATMESSAGE('Signed int with leading zero 0 %020i', -55) AS c, FORMATMESSAGE('Unsigned int %u, %u', 50, -50) AS d, FORMATMESSAGE('Unsigned octal %o, %o', 50, -50) AS e, FORMATMESSAGE('Unsigned hexadecimal %x, %X, %X, %X, %x', 11, 11, -11, 50, -50) AS f
SELECT FORMATMESSAGE('Unsigned octal with prefix: %#o, %#o', 50, -50) AS a, FORMATMESSAGE('Unsigned hexadecimal with prefix: %#x, %#X, %#X, %X, %x', 11, 11, -11, 50, -50) AS b, FORMATMESSAGE('Hello %s!', 'TEST') AS c, FORMATMESSAGE('Hello %20s!', 'TEST') AS d, FORMATMESSAGE('Hello %-20s!', 'TEST') AS e, FORMATMESSAGE('Hello %s') AS f, FORMATMESSAGE(NULL) AS g, FORMATMESSAGE('%s', NULL) AS h, FORMATMESSAGE('100%%') AS i, FORMATMESSAGE('%I64d', CAST(9223372036854775807 AS bigint)) AS j, FORMATMESSAGE('%.3s|%5.2s|%*d', 'abcdef', 'xyz', 6, 42) AS k
GO
--@ source: documentation STRING_SPLIT
SELECT value FROM STRING_SPLIT('Lorem ipsum dolor sit amet.', ' ')
SELECT value, ordinal FROM STRING_SPLIT('a,,b,', ',', 1) ORDER BY ordinal DESC
SELECT COUNT(*) AS n FROM STRING_SPLIT(NULL, ',')
SELECT COUNT(*) AS n FROM STRING_SPLIT('', ',')
GO
--@ source: documentation + (String concatenation)
SELECT 'a' + NULL AS a, 'a' + '' AS b, N'a' + 'b' AS c, LEN(REPLICATE('a', 8000) + 'b') AS d, LEN(REPLICATE(CAST('a' AS varchar(max)), 8000) + 'b') AS e, '1' + 1 AS f, 1 + '1' AS g, CAST('a' AS char(3)) + 'b' AS h, CONVERT(varchar(20), 0x01 + 0x02, 1) AS i
GO
--@ source: message 245
SELECT 'a' + 1
PRINT 'behind'
GO
--@ source: message 8117
SELECT -'a'
GO
--@ source: message 8116
SELECT UPPER(CAST('a' AS sql_variant))
GO
--@ source: message 8117
SELECT 'a' - 'b'
GO
--@ source: message 8117
SELECT 'a' * 'b'
GO
--@ source: peer msduck
SELECT PATINDEX('[]]', 'a]') AS a, PATINDEX('%[a', 'a') AS c, PATINDEX('%b', 'ab  ') AS d, PATINDEX(N'%b', N'ab  ') AS e, PATINDEX('ab ', 'ab') AS f, PATINDEX('%b ', 'ab ') AS g, PATINDEX(3, '3') AS h, PATINDEX('', '') AS i, PATINDEX('%', '') AS j, PATINDEX('%]%', 'ab]') AS k, PATINDEX('%[a^]%', 'x^') AS l, PATINDEX('%[-a]%', 'x-') AS m, PATINDEX('%[z-a]%', 'b') AS n, PATINDEX('%b%d%', 'abcd') AS o, PATINDEX('%b', CAST('ab' AS char(10))) AS p, PATINDEX('%[%]%', 'a%') AS q, PATINDEX('%[_]%', 'ab_') AS r
GO
--@ source: peer msduck
SELECT CHARINDEX('b', 'abc', 2.9) AS a, CHARINDEX('a ', 'a') AS b, CHARINDEX(0x62, 0x616263) AS c, CHARINDEX('3', 12345) AS d, CHARINDEX('', '') AS e, CHARINDEX('a', CAST('abc' AS varchar(max)), 3000000000) AS f, CHARINDEX('-', NEWID()) AS g, CHARINDEX(NULL, NULL) AS h
GO
--@ source: peer msduck
SELECT GREATEST('a', 'A') AS a, GREATEST('A', 'a') AS b, LEAST('a', 'A') AS c, GREATEST('a ', 'a') + '|' AS d, LEAST(CAST(99999999999999999999999999999999999999 AS decimal(38, 0)), CAST(0.5 AS decimal(38, 10))) AS e, GREATEST('', NULL) AS f, GREATEST(CAST('20240101' AS datetime), 1) AS g, GREATEST(CAST('ab' AS char(3)), 'a') + '|' AS i, LEAST(5, '10') AS j
GO
--@ source: message 189
SELECT GREATEST()
GO
--@ source: message 206
SELECT GREATEST(1, CAST('20240101' AS date))
GO
--@ source: message 8116
SELECT GREATEST(1, CAST('<a/>' AS xml))
GO
--@ source: message 8134
SELECT GREATEST(NULL, 1 / 0)
GO
--@ source: message 189
SELECT CHARINDEX('a')
GO
--@ source: message 174
SELECT PATINDEX('a')
GO
--@ source: message 214
SELECT value FROM STRING_SPLIT('a,b', ',,')
GO
--@ source: message 214
SELECT value FROM STRING_SPLIT('a,b', '')
GO
--@ source: message 8116
SELECT TRIM(1) AS a
GO
--@ source: message 8116
SELECT TRIM(1 FROM 'a')
GO
--@ source: message 536
SELECT SUBSTRING('', 1, -1)
GO
--@ source: message 536
SELECT LEFT('abc', -1)
GO
--@ source: message 536
SELECT SUBSTRING('abc', 1, -1)
GO
--@ source: message 537
DECLARE @n int = -1
SELECT LEFT('abc', @n)
GO
--@ source: message 536
DECLARE @n int = -1
SELECT RIGHT('abc', @n)
GO
--@ source: documentation TRIM
SELECT TRIM(N' a ') AS a, TRIM('.' FROM '.b.') AS b, LTRIM(1) AS c
GO
--@ source: peer msduck
SELECT TRANSLATE('aab', 'aa', 'xy') AS a, TRANSLATE('abc', '', '') AS b, TRANSLATE(12345, '1', '9') AS c, TRANSLATE(CAST('ab' AS char(5)), 'b ', 'x_') AS d
GO
