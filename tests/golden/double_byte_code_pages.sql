-- char and varchar of the code pages of two bytes: 932, 936, 949 and 950.
--@ source: documentation collation and Unicode support
SET NOCOUNT ON
CREATE TABLE dbo.east (ja varchar(10) COLLATE Japanese_CI_AS, zh varchar(10) COLLATE Chinese_PRC_CI_AS, ko varchar(10) COLLATE Korean_Wansung_CI_AS, tw char(6) COLLATE Chinese_Taiwan_Stroke_CI_AS, bin varchar(10) COLLATE Japanese_BIN2)
INSERT dbo.east VALUES (N'日本ｱa', N'中国', N'한국', N'中國', N'日本')
SELECT * FROM dbo.east
SELECT CONVERT(varchar(20), CAST(ja AS varbinary(10)), 1) AS ja, CONVERT(varchar(20), CAST(zh AS varbinary(10)), 1) AS zh, CONVERT(varchar(20), CAST(ko AS varbinary(10)), 1) AS ko, CONVERT(varchar(20), CAST(tw AS varbinary(10)), 1) AS tw FROM dbo.east
GO
--@ source: documentation string functions
SELECT LEN(ja) AS len, DATALENGTH(ja) AS bytes, LEFT(ja, 1) AS l, RIGHT(ja, 2) AS r, SUBSTRING(ja, 2, 2) AS s, REVERSE(zh) AS reverse, CHARINDEX(N'本', ja) AS ci, ASCII(ja) AS ascii, UNICODE(ja) AS code, STUFF(ko, 1, 1, 'x') AS stuffed, LEN(tw) AS len_tw FROM dbo.east
SELECT CAST(ja AS varchar(3)) AS three, CAST(ja AS varchar(4)) AS four, CAST(zh AS char(3)) + '|' AS padded FROM dbo.east
SELECT COUNT(*) AS n FROM dbo.east WHERE ja LIKE N'日_ｱ_'
SELECT COUNT(*) AS n FROM dbo.east WHERE bin LIKE N'_本'
SELECT COUNT(*) AS n FROM dbo.east WHERE zh = N'中国'
INSERT dbo.east (ja) VALUES (N'é한')
SELECT ja FROM dbo.east WHERE zh IS NULL
GO
--@ source: message 2628
INSERT dbo.east (ja) VALUES (N'日本日本日本')
DROP TABLE dbo.east
GO
