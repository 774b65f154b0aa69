-- FORMAT: .NET's patterns in several cultures.
--@ source: documentation FORMAT
SELECT FORMAT(CAST('2024-08-09' AS date), 'd', 'en-US') AS us, FORMAT(CAST('2024-08-09' AS date), 'd', 'en-gb') AS gb, FORMAT(CAST('2024-08-09' AS date), 'd', 'de-de') AS de, FORMAT(CAST('2024-08-09' AS date), 'd', 'zh-cn') AS cn
SELECT FORMAT(CAST('2024-08-09' AS date), 'D', 'en-US') AS us, FORMAT(CAST('2024-08-09' AS date), 'D', 'en-gb') AS gb, FORMAT(CAST('2024-08-09' AS date), 'D', 'de-de') AS de, FORMAT(CAST('2024-08-09' AS date), 'D', 'zh-cn') AS cn
SELECT FORMAT(123456789, '###-##-####') AS number
SELECT FORMAT(CAST(1.55 AS money), 'N', 'en-us') AS n, FORMAT(CAST(1.55 AS money), 'G', 'en-us') AS g, FORMAT(CAST(1.55 AS money), 'C', 'en-us') AS c, FORMAT(CAST(1.55 AS money), 'C', 'de-de') AS de
SELECT FORMAT(CAST('07:35' AS time), N'hh.mm') AS a, FORMAT(CAST('07:35' AS time), N'hh:mm') AS b, FORMAT(CAST('07:35' AS time), N'hh\.mm') AS c, FORMAT(CAST('07:35' AS time), N'hh\:mm') AS d
SELECT FORMAT(CAST('2018-01-01 14:00' AS datetime2), N'hh:mm tt') AS a, FORMAT(CAST('2018-01-01 14:00' AS datetime2), N'hh:mm t') AS b
GO
--@ source: reasoned
SELECT FORMAT(-12, '0;(0)') AS sections, FORMAT(-1234.5, '#,##0.00;(#,##0.00);zero') AS negative, FORMAT(0, '#,##0.00;(#,##0.00);zero') AS zero, FORMAT(5, '0 "x"') AS quoted, FORMAT(5, '\x0') AS escaped, FORMAT(1234567, '0,,.0M') AS millions
SELECT FORMAT(0.086, '#0.##%') AS per_cent, FORMAT(0.086, '#0.##‰') AS per_mille, FORMAT(1503.92, '0.0##e+00') AS exponent, FORMAT(42, 'D5') AS d5, FORMAT(CAST(-1 AS bigint), 'X') AS x, FORMAT(1234567.89, 'G3') AS g3, FORMAT(CAST(1052.0329 AS float), 'E2') AS e2, FORMAT(1.5, 'X') AS unfit
SELECT FORMAT(CAST('2024-08-09 14:05:06.123' AS datetime), 'o') AS o, FORMAT(CAST('2024-08-09 14:05:06 +05:30' AS datetimeoffset), 'R') AS r, FORMAT(CAST('2024-08-09 14:05:06 +05:30' AS datetimeoffset), 'zzz') AS zzz, FORMAT(CAST('2024-08-09 14:05:06' AS datetime2), 'f') AS f, FORMAT(CAST('2024-08-09 14:05:06' AS datetime2), 'F', 'fr-FR') AS fr, FORMAT(CAST('2024-08-09' AS date), 'd MMMM gg') AS era
SELECT FORMAT(1234567.891, 'N', 'hi-IN') AS hi, FORMAT(1234567.891, 'N', 'fr') AS fr, FORMAT(-1234567.891, 'C', 'ja-JP') AS ja, FORMAT(CAST('2024-08-09' AS date), 'D', 'ru-RU') AS ru, FORMAT(CAST('2024-08-09' AS date), 'd', 'th-TH') AS th, FORMAT(1.5, 'N', 'qq-QQ') AS unknown
SELECT FORMAT(CAST(NULL AS int), 'N') AS no_value, FORMAT(1, CAST(NULL AS nvarchar(5))) AS no_format, LEN(FORMAT(1, REPLICATE(CAST('0' AS nvarchar(max)), 65536))) AS long
GO
--@ source: message 9818
SELECT FORMAT(1, 'N', 'not a culture')
GO
--@ source: message 9818
SELECT FORMAT(CAST(NULL AS int), 'N', NULL)
GO
--@ source: message 40510
SELECT FORMAT(1, 'N', 'sw-KE')
GO
--@ source: message 8116
SELECT FORMAT(NULL, 'N')
GO
--@ source: message 8116
SELECT FORMAT('1', 'N')
GO
