-- Date and time functions: the documentation's examples, types of results, limits and wrong arguments.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation DATEADD
DECLARE @d datetime2 = '2007-01-01 13:10:10.1111111'
SELECT DATEADD(year, 1, @d) AS a, DATEADD(quarter, 1, @d) AS b, DATEADD(month, 1, @d) AS c, DATEADD(dayofyear, 1, @d) AS d, DATEADD(day, 1, @d) AS e, DATEADD(week, 1, @d) AS f, DATEADD(weekday, 1, @d) AS g, DATEADD(hour, 1, @d) AS h, DATEADD(minute, 1, @d) AS i, DATEADD(second, 1, @d) AS j, DATEADD(millisecond, 1, @d) AS k, DATEADD(microsecond, 1, @d) AS l, DATEADD(nanosecond, 100, @d) AS m
SELECT DATEADD(year, 2147, @d) AS a, DATEADD(quarter, 4, @d) AS b, DATEADD(hour, 23, @d) AS c, DATEADD(nanosecond, 49, @d) AS d, DATEADD(nanosecond, 50, @d) AS e, DATEADD(nanosecond, 150, @d) AS f
GO
--@ source: documentation DATEADD
SELECT DATEADD(month, 1, '20240830') AS a, DATEADD(month, 1, '2024-08-31') AS b, DATEADD(month, -6, '2024-08-31') AS c, DATEADD(year, 1, '20240229') AS d, DATEADD(day, 1.9, '20240101') AS e, DATEADD(day, -1.9, '20240101') AS f, DATEADD(month, NULL, '20240101') AS g, DATEADD(day, 1, NULL) AS h, DATEADD(ms, 1, '20240101') AS j, DATEADD(ms, 2, '20240101') AS k
GO
--@ source: documentation DATEADD
SELECT DATEADD(day, 1, CAST('20240101' AS date)) AS a, DATEADD(hour, 25, CAST('23:00' AS time(0))) AS b, DATEADD(minute, 30, CAST('20240101 10:00' AS smalldatetime)) AS c, DATEADD(second, 29, CAST('20240101 10:00' AS smalldatetime)) AS d, DATEADD(second, 30, CAST('20240101 10:00' AS smalldatetime)) AS e, DATEADD(day, 1, CAST('20240101 10:00 +05:30' AS datetimeoffset(0))) AS f
GO
--@ source: message 9810
SELECT DATEADD(hour, 1, CAST('20240101' AS date))
GO
--@ source: message 9810
SELECT DATEADD(day, 1, CAST('10:00' AS time))
GO
--@ source: message 9810
SELECT DATEADD(microsecond, 1, CAST('20240101' AS datetime))
GO
--@ source: message 9810
SELECT DATEPART(hour, CAST('20240101' AS date))
GO
--@ source: message 9810
SELECT DATENAME(year, CAST('10:00' AS time))
GO
--@ source: message 155
SELECT DATEADD(fortnight, 1, '20240101')
GO
--@ source: message 155
SELECT DATEDIFF(foo, '20240101', '20240102')
GO
--@ source: message 155
SELECT DATEPART(foo, '20240101')
GO
--@ source: message 1023
DECLARE @part varchar(10) = 'day'
SELECT DATEADD(@part, 1, '20240101')
GO
--@ source: message 517
SELECT DATEADD(year, 8000, CAST('20240101' AS date))
PRINT 'behind'
GO
--@ source: message 517
SELECT DATEADD(day, -1, CAST('17530101' AS datetime))
GO
--@ source: message 517
SELECT DATEADD(day, 1, CAST('20790606' AS smalldatetime))
GO
--@ source: message 517
SELECT DATEADD(year, 2147483647, '20060731')
GO
--@ source: message 8115
SELECT DATEADD(year, 2147483648, '20060731')
GO
--@ source: message 241
SELECT DATEADD(day, 1, 'abc')
GO
--@ source: documentation DATEDIFF
SELECT DATEDIFF(year, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS a, DATEDIFF(quarter, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS b, DATEDIFF(month, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS c, DATEDIFF(dayofyear, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS d, DATEDIFF(day, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS e, DATEDIFF(week, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS f, DATEDIFF(hour, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS g, DATEDIFF(minute, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS h, DATEDIFF(second, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS i, DATEDIFF(millisecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS j, DATEDIFF(microsecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS k, DATEDIFF(nanosecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS l
GO
--@ source: documentation DATEDIFF
SET DATEFIRST 1
SELECT DATEDIFF(week, '20240106', '20240107') AS sunday, DATEDIFF(week, '20240107', '20240108') AS monday
SET DATEFIRST 7
GO
--@ source: documentation DATEDIFF
SELECT DATEDIFF(week, '20240106', '20240107') AS sunday, DATEDIFF(week, '20240107', '20240108') AS monday, DATEDIFF(day, '20240102', '20240101') AS back, DATEDIFF(day, NULL, '20240101') AS n, DATEDIFF(hour, '10:00', '20240101') AS h, DATEDIFF(day, 0, 5) AS i, DATEDIFF(hour, CAST('20240101 00:00 +02:00' AS datetimeoffset), CAST('20240101 00:00 +00:00' AS datetimeoffset)) AS j, DATEDIFF(day, CAST('20240101 23:00 -05:00' AS datetimeoffset), CAST('20240102 01:00 -05:00' AS datetimeoffset)) AS k, DATEDIFF(second, CAST('10:00' AS time), CAST('09:00' AS time)) AS l
GO
--@ source: documentation DATEDIFF_BIG
SELECT DATEDIFF_BIG(second, '19000101', '20240101') AS a, DATEDIFF_BIG(nanosecond, '20240101', '20240102') AS b, DATEDIFF_BIG(millisecond, '0001-01-01', '9999-12-31 23:59:59.999') AS c, DATEDIFF_BIG(day, NULL, NULL) AS d
GO
--@ source: documentation DATEPART
SELECT DATEPART(year, '12:10:30.123') AS a, DATEPART(month, '12:10:30.123') AS b, DATEPART(day, '12:10:30.123') AS c, DATEPART(dayofyear, '12:10:30.123') AS d, DATEPART(weekday, '12:10:30.123') AS e
SELECT DATEPART(millisecond, '00:00:01.1234567') AS a, DATEPART(microsecond, '00:00:01.1234567') AS b, DATEPART(nanosecond, '00:00:01.1234567') AS c
SELECT DATEPART(tzoffset, '2007-05-10  00:00:01.1234567 +05:10') AS tz, DATEPART(year, 0) AS y, DATEPART(month, 0) AS m, DATEPART(day, 0) AS d
SELECT DATENAME(year, '2007-10-30 12:15:32.1234567 +05:10') AS a, DATENAME(month, '2007-10-30 12:15:32.1234567 +05:10') AS b, DATENAME(weekday, '2007-10-30 12:15:32.1234567 +05:10') AS c, DATENAME(tzoffset, '2007-10-30 12:15:32.1234567 +05:10') AS d, DATENAME(iso_week, '2007-10-30 12:15:32.1234567 +05:10') AS e, DATENAME(ns, '2007-10-30 12:15:32.1234567 +05:10') AS f, DATENAME(week, '2007-10-30') AS g, DATENAME(tz, CAST('20240101' AS datetime2)) AS h
GO
--@ source: documentation DATEPART
SELECT DATEPART(iso_week, '20050101') AS a, DATEPART(iso_week, '20081229') AS b, DATEPART(isowk, '20041231') AS c, DATEPART(week, '20050101') AS d, DATEPART(wk, '20241231') AS e, DATEPART(dw, '20240101') AS f, DATEPART(dy, '20241231') AS g, DATEPART(qq, '20240401') AS h, DATEPART(yy, NULL) AS i
GO
--@ source: message 9810
SELECT DATEPART(tzoffset, CAST('20240101' AS datetime))
GO
--@ source: documentation DAY
SELECT DAY('2015-04-30 01:01:01.1234567') AS a, MONTH('2007-04-30T01:01:01.1234567 -07:00') AS b, YEAR('2010-04-30T01:01:01.1234567-07:00') AS c, YEAR(0) AS d, MONTH(0) AS e, DAY(0) AS f, DAY(NULL) AS g, YEAR(1.5) AS h, DAY(CAST('23:59' AS datetime)) AS i
GO
--@ source: documentation EOMONTH
SELECT EOMONTH('12/1/2011') AS a, EOMONTH('20110115', 1) AS b, EOMONTH('20110115', -1) AS c, EOMONTH('20240131', 1) AS d, EOMONTH('20240101', NULL) AS f, EOMONTH(CAST('20240215 10:00 +14:00' AS datetimeoffset)) AS g
GO
--@ source: message 517
SELECT EOMONTH('99991201', 1)
GO
--@ source: documentation DATEFROMPARTS
SELECT DATEFROMPARTS(2010, 12, 31) AS a, DATETIMEFROMPARTS(2010, 12, 31, 23, 59, 59, 0) AS f, DATETIMEOFFSETFROMPARTS(2010, 12, 31, 14, 23, 23, 0, 12, 0, 7) AS g, SMALLDATETIMEFROMPARTS(2010, 12, 31, 23, 59) AS i, DATEFROMPARTS(2010, NULL, 1) AS l
GO
--@ source: message 174
SELECT DATEFROMPARTS(2010, 12)
GO
--@ source: documentation ISDATE
SELECT ISDATE('2009-05-12 10:19:41.177') AS a, ISDATE('2009') AS b, ISDATE('15/04/2008') AS c, ISDATE('04/15/2008') AS d, ISDATE('') AS e, ISDATE('10:00') AS f, ISDATE('1752-12-31') AS g, ISDATE('abc') AS h, ISDATE('2009-05-12 10:19:41.1234567') AS i, ISDATE('20240230') AS j, ISDATE('Jan 1 2024') AS k, ISDATE('2024-01-01T10:00:00') AS l, ISDATE('2024-01-01T10:00:00Z') AS m, ISDATE(NULL) AS n, ISDATE(GETDATE()) AS o
GO
--@ source: message 8116
SELECT ISDATE(CAST('20240101' AS datetime2))
GO
--@ source: documentation SET DATEFORMAT
SET DATEFORMAT mdy
SELECT ISDATE('04/15/2008') AS a, ISDATE('15/04/2008') AS b, ISDATE('2008/04/15') AS c, ISDATE('2008/15/04') AS d
SET DATEFORMAT dmy
SELECT ISDATE('04/15/2008') AS a, ISDATE('15/04/2008') AS b, CAST('2008-04-05' AS datetime) AS c, CAST('2008-04-05' AS date) AS d, CAST('20080405' AS datetime) AS e, CAST('1/2/03' AS datetime2(0)) AS f
SET DATEFORMAT ymd
SELECT CAST('08/04/05' AS date) AS a, CAST('2008-04-05' AS datetime) AS b
SET DATEFORMAT ydm
SELECT CAST('2008-04-05' AS datetime) AS a
SET DATEFORMAT mdy
GO
--@ source: message 242
SET DATEFORMAT dmy
SELECT CAST('2008-04-15' AS datetime)
GO
--@ source: reasoned
SET DATEFORMAT mdy
GO
--@ source: documentation SWITCHOFFSET
SELECT SWITCHOFFSET(CAST('1998-09-20 7:45:50.71345 -5:00' AS datetimeoffset), '-08:00') AS a, SWITCHOFFSET(CAST('2024-01-01 00:30 +00:00' AS datetimeoffset(0)), -60) AS b, TODATETIMEOFFSET(CAST('2024-01-01 10:00' AS datetime2(3)), '+05:30') AS c, TODATETIMEOFFSET(CAST('2024-01-01 10:00' AS datetime), -120) AS d, SWITCHOFFSET('2024-01-01 00:00', '+14:00') AS g
GO
--@ source: message 9812
SELECT SWITCHOFFSET(SYSDATETIMEOFFSET(), '+15:00')
GO
--@ source: message 9812
SELECT TODATETIMEOFFSET(CAST('20240101' AS datetime2), 'abc')
GO
--@ source: message 9812
SELECT TODATETIMEOFFSET(CAST('20240101' AS datetime2), 841)
GO
--@ source: documentation DATETRUNC
DECLARE @d datetime2 = '2021-12-08 11:30:15.1234567'
SELECT DATETRUNC(year, @d) AS a, DATETRUNC(quarter, @d) AS b, DATETRUNC(month, @d) AS c, DATETRUNC(week, @d) AS d, DATETRUNC(iso_week, @d) AS e, DATETRUNC(dayofyear, @d) AS f, DATETRUNC(day, @d) AS g, DATETRUNC(hour, @d) AS h, DATETRUNC(minute, @d) AS i, DATETRUNC(second, @d) AS j, DATETRUNC(millisecond, @d) AS k, DATETRUNC(microsecond, @d) AS l
SELECT DATETRUNC(month, CAST('20211208' AS date)) AS a, DATETRUNC(hour, CAST('11:30' AS time(2))) AS b, DATETRUNC(day, CAST('20211208 11:30 +02:00' AS datetimeoffset(3))) AS c, DATETRUNC(minute, CAST('20211208 11:30:31' AS smalldatetime)) AS d, DATETRUNC(month, '1998-03-04') AS f
GO
--@ source: documentation DATE_BUCKET
DECLARE @d datetime2 = '2020-06-15 21:22:11'
SELECT DATE_BUCKET(week, 1, @d) AS a, DATE_BUCKET(week, 5, @d) AS b, DATE_BUCKET(day, 3, @d) AS c, DATE_BUCKET(hour, 3, @d) AS d, DATE_BUCKET(month, 5, @d) AS e, DATE_BUCKET(year, 3, @d) AS f, DATE_BUCKET(week, 1, @d, CAST('2019-01-01' AS datetime2)) AS g, DATE_BUCKET(minute, 15, @d) AS h, DATE_BUCKET(quarter, 1, @d) AS i
GO
--@ source: reasoned
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT GETDATE() a, GETUTCDATE() b, SYSDATETIME() c, SYSUTCDATETIME() d, SYSDATETIMEOFFSET() e, CURRENT_TIMESTAMP f, DATEADD(day, 1, ''20240101'') g, DATEADD(day, 1, CAST(''20240101'' AS date)) h, DATEADD(hour, 1, CAST(''10:00'' AS time(3))) i, DATEDIFF(day, 0, 1) j, DATEDIFF_BIG(day, 0, 1) k, DATEPART(day, 0) l, DATENAME(day, 0) m, EOMONTH(GETDATE()) n, DATEFROMPARTS(1, 1, 1) o, DATETIMEFROMPARTS(2000, 1, 1, 0, 0, 0, 0) q, SMALLDATETIMEFROMPARTS(2000, 1, 1, 0, 0) s, ISDATE(''a'') u, SWITCHOFFSET(CAST(GETDATE() AS datetimeoffset(2)), 0) v, TODATETIMEOFFSET(CAST(GETDATE() AS datetime2(1)), 0) w, DAY(0) y, DATETRUNC(day, GETDATE()) z, DATETRUNC(day, ''20240101'') aa', NULL, 0)
GO
--@ source: message 1023
SELECT DATEPART('year', '20240101')
GO
--@ source: message 535
SELECT DATEDIFF(second, '19000101', '20240101')
PRINT 'behind'
GO
--@ source: message 535
SELECT DATEDIFF_BIG(nanosecond, '0001-01-01', '9999-12-31')
GO
--@ source: message 10760
SELECT DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 5, NULL)
GO
--@ source: documentation TIMEFROMPARTS
SELECT TIMEFROMPARTS(14, 23, 44, 5, 1) AS a, TIMEFROMPARTS(14, 23, 44, 50, 2) AS b, TIMEFROMPARTS(14, 23, 44, 500, 3) AS c, DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 5, 1) AS d, DATETIMEOFFSETFROMPARTS(2011, 8, 15, 14, 30, 00, 500, 12, 30, 3) AS e
GO
--@ source: message 8116
SELECT EOMONTH(NULL)
GO
--@ source: message 8116
SELECT TODATETIMEOFFSET(NULL, 0)
GO
--@ source: message 10760
DECLARE @p int = 3
SELECT TIMEFROMPARTS(1, 2, 3, 4, @p)
GO
--@ source: message 8116
SELECT DATEADD(day, GETDATE(), 1)
GO
--@ source: message 8116
SELECT DATEADD(day, '3', '20240101')
GO
--@ source: message 8116
SELECT DATETRUNC(day, NULL)
GO
--@ source: message 241
SELECT CAST('2024-01-01 +01:00' AS datetimeoffset)
GO
