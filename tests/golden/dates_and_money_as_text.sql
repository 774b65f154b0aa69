-- Texts that are read as datetimeoffset, datetime2, time and money, as the documentation writes them.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation datetimeoffset
DECLARE @datetimeoffset datetimeoffset(3) = '1912-10-25 12:24:32 +10:0', @datetime datetime
SELECT @datetime = @datetimeoffset, @datetimeoffset = @datetimeoffset
SELECT @datetimeoffset AS o, @datetime AS d, CAST(@datetimeoffset AS smalldatetime) AS s
GO
-- One digit or two of the hours and of the minutes, or hours alone; between -14:00 and +14:00.
--@ source: documentation datetimeoffset
SELECT CAST('2016-10-23 12:45:37.1234567 +10:0' AS datetimeoffset) AS a, CAST('2016-10-23 12:45:37+1:30' AS datetimeoffset(0)) AS b, CAST(N'2016-10-23T12:45:37-9' AS datetimeoffset(0)) AS c, CAST('20161023 12:45 +14' AS datetimeoffset(0)) AS d, CAST('12:45:37 -0:5' AS datetimeoffset(0)) AS e, CAST('2016-10-23 1:45 PM +09' AS datetimeoffset(0)) AS f
GO
-- The other types take the offset and leave it out.
--@ source: documentation time
SELECT CAST('01:01:01.1234567 +1:1' AS time) AS t, CAST('2016-10-23 12:45:37.1234567 +10:0' AS datetime2) AS d2, CAST('2016-10-23 23:45:37 +9' AS date) AS d, CAST('2007-05-08 12:35:29. 1234567 +12:15' AS time(7)) AS blank, CAST('2007-05-08 12:35:29. 1234567 +12:15' AS datetime2(7)) AS blank2
GO
--@ source: message 241
SELECT CAST('2016-10-23 12:45:37 +14:1' AS datetimeoffset)
GO
--@ source: message 241
SELECT CAST('2016-10-23 12:45:37 +1:60' AS datetimeoffset)
GO
--@ source: message 241
SELECT CAST('2016-10-23 12:45:37 +100' AS datetimeoffset)
GO
--@ source: message 241
SELECT CAST('2016-10-23 12:45:37 +' AS datetimeoffset)
GO
--@ source: message 241
SELECT CAST('2016-10-23 12:45:37 +1:30' AS datetime)
GO
-- Times, as the documentation lists them.
--@ source: documentation time
SELECT CAST('01:01:01:123AM' AS time) AS a, CAST('01:01:01.1234567 AM' AS time) AS b, CAST('01:01:01.1234567PM' AS time) AS c, CAST('01AM' AS time) AS d, CAST('01 PM' AS time) AS e, CAST('12:30:20:1' AS time) AS f, CAST('12:30:20.1' AS time) AS g, CAST('12:01 AM' AS time) AS h, CAST('12:01 PM' AS time) AS i
GO
-- An eighth digit counts for nothing; datetime has three.
--@ source: documentation DATEDIFF_BIG
DECLARE @d datetime2 = '2018-12-12 07:08:01.12345678'
SELECT @d AS d, CONVERT(datetime2, '9999-12-31 23:59:59.99999999') AS last, CAST('23:59:59.99999999' AS time) AS t, CAST('0001-01-01 00:00:00.00000000' AS datetimeoffset) AS o, CAST('9999-12-31 23:59:59.99999999' AS date) AS day
GO
--@ source: message 241
SELECT CAST('2018-12-12 07:08:01.1234' AS datetime)
GO
-- Every currency sign that the documentation lists, before or behind the sign of the number.
--@ source: documentation money and smallmoney
SELECT COUNT(*) AS signs, SUM(CAST(NCHAR(c) + N'100' AS money)) AS sum, SUM(CAST(N'-' + NCHAR(c) + N' 1,000.50' AS smallmoney)) AS negative, SUM(CAST(NCHAR(c) + N'-1' AS money)) AS behind, SUM(ISNUMERIC(NCHAR(c))) AS alone, SUM(ISNUMERIC(NCHAR(c) + N'7')) AS numeric FROM (VALUES (0x24), (0xA2), (0xA3), (0xA4), (0xA5), (0x9F2), (0x9F3), (0xE3F), (0x17DB), (0x20A0), (0x20A1), (0x20A2), (0x20A3), (0x20A4), (0x20A5), (0x20A6), (0x20A7), (0x20A8), (0x20A9), (0x20AA), (0x20AB), (0x20AC), (0x20AD), (0x20AE), (0x20AF), (0x20B0), (0x20B1), (0xFDFC), (0xFE69), (0xFF04), (0xFFE0), (0xFFE1), (0xFFE5), (0xFFE6)) AS v(b) CROSS APPLY (SELECT CAST(b AS int) AS c) AS n
GO
--@ source: documentation money and smallmoney
DECLARE @m money = '¤100', @n money = N'€ 12.34567', @none money = N'₱'
SELECT @m AS m, CONVERT(varchar(30), @n, 2) AS n, @none AS none, CAST('' AS money) AS empty, TRY_CAST(N'₿1' AS money) AS unlisted, TRY_CAST(N'$$1' AS money) AS two, TRY_CAST(N'1$' AS money) AS last, TRY_CAST('--1' AS money) AS signs
GO
--@ source: message 235
SELECT CAST(N'₿100' AS money)
GO
