-- char and varchar of UTF-8: lengths are bytes, functions count characters, no character is cut in two.
--@ source: documentation collation and Unicode support
SET NOCOUNT ON
CREATE TABLE dbo.u (id int, v varchar(10) COLLATE Latin1_General_100_CI_AS_SC_UTF8, c char(6) COLLATE Latin1_General_100_CI_AS_SC_UTF8, b varchar(10) COLLATE Latin1_General_100_BIN2_UTF8, n nvarchar(10))
INSERT dbo.u VALUES (1, N'é😀Ж', N'日', N'é😀Ж', N'é😀Ж'), (2, 'abc', 'abc', 'abc', N'abc')
SELECT * FROM dbo.u
SELECT LEN(v) AS len, DATALENGTH(v) AS bytes, LEN(c) AS len_c, DATALENGTH(c) AS bytes_c, CONVERT(varchar(30), CAST(v AS varbinary(10)), 1) AS stored, ASCII(v) AS ascii, UNICODE(SUBSTRING(v, 2, 1)) AS code FROM dbo.u
GO
--@ source: documentation string functions
SELECT LEFT(v, 2) AS l, RIGHT(v, 2) AS r, SUBSTRING(v, 2, 1) AS s, REVERSE(v) AS reverse, UPPER(v) AS upper, CHARINDEX(N'Ж', v) AS ci, PATINDEX('%Ж%', v) AS pi, STUFF(v, 2, 1, N'ü') AS stuffed, REPLACE(v, N'😀', N'-') AS replaced, CONCAT(v, N'ß') AS joined, v + v AS added FROM dbo.u
SELECT id FROM dbo.u WHERE v = N'É😀ж'
SELECT id FROM dbo.u WHERE v LIKE N'é_ж'
SELECT id FROM dbo.u WHERE b LIKE N'é_Ж'
SELECT id FROM dbo.u WHERE b = N'é😀ж'
CREATE INDEX v ON dbo.u (v)
GO
--@ source: documentation string functions
SELECT id FROM dbo.u WITH (INDEX (v)) WHERE v = N'é😀ж'
SELECT id FROM dbo.u WITH (INDEX (v)) WHERE v LIKE N'AB%'
SELECT v FROM dbo.u ORDER BY v DESC
SELECT v, c FROM dbo.u FOR JSON PATH
SELECT v AS [v] FROM dbo.u FOR XML PATH ('r')
GO
-- A value that is cut ends with a whole character.
--@ source: documentation char and varchar
SELECT CAST(v AS varchar(5)) AS five, CAST(v AS varchar(6)) AS six, CAST(v AS char(7)) + '|' AS seven FROM dbo.u WHERE id = 1
GO
--@ source: message 2628
INSERT dbo.u (id, v) VALUES (3, N'日本語日')
INSERT dbo.u (id, v) VALUES (3, N'日本語')
SELECT v, LEN(v) AS len, DATALENGTH(v) AS bytes FROM dbo.u WHERE id = 3
GO
--@ source: documentation collation and Unicode support
CREATE DATABASE wide COLLATE Latin1_General_100_CI_AS_SC_UTF8
GO
--@ source: documentation USE
USE wide
GO
--@ source: documentation CHAR
DECLARE @v varchar(20) = 'é😀日本'
SELECT @v AS v, LEN(@v) AS len, DATALENGTH(@v) AS bytes, DATALENGTH('😀') AS literal, CHAR(65) AS a, CHAR(233) AS none, NCHAR(128512) AS face, UNICODE('😀') AS code, LEFT(@v, 2) AS l, DATALENGTH(LEFT(@v, 2)) AS bytes_l
DECLARE @three varchar(3) = N'日本'
SELECT @three AS three
PRINT 'é😀'
EXEC sp_executesql N'SELECT @a AS a, LEN(@a) AS len', N'@a varchar(20)', @a = N'日本語'
CREATE TABLE dbo.t (v varchar(10), w varchar(10) COLLATE Latin1_General_CI_AS)
INSERT dbo.t VALUES ('日本', 'é日')
SELECT v, w, v + w AS joined FROM (SELECT v, w COLLATE DATABASE_DEFAULT AS w FROM dbo.t) AS d
SELECT REPLICATE('é', 3) AS r, SPACE(2) + 'é' AS s, CONVERT(varchar(4), N'éé日') AS cut
GO
--@ source: reasoned
USE master
DROP DATABASE wide
DROP TABLE dbo.u
GO
