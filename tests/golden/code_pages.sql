-- char and varchar of other code pages: their bytes, the nearest letter for one that is lacking, and what statements and functions make of them.
--@ source: documentation collation and Unicode support
SET NOCOUNT ON
GO
--@ source: documentation collation and Unicode support
CREATE TABLE dbo.pages (id int PRIMARY KEY, ru varchar(10) COLLATE Cyrillic_General_CI_AS, pl char(6) COLLATE Polish_CI_AS, gr varchar(10) COLLATE Greek_CI_AS, tr varchar(10) COLLATE Turkish_CI_AS, dos varchar(10) COLLATE SQL_Latin1_General_CP437_BIN2)
CREATE TABLE dbo.more_pages (he varchar(10) COLLATE Hebrew_CI_AS, ar varchar(10) COLLATE Arabic_CI_AS, lt varchar(10) COLLATE Lithuanian_CI_AS, vi varchar(10) COLLATE Vietnamese_CI_AS, th varchar(10) COLLATE Thai_CI_AS, west varchar(10) COLLATE SQL_Latin1_General_CP850_BIN)
INSERT dbo.pages VALUES (1, N'Жук', N'Łódź', N'Αθήνα', N'ığİ', N'Çü')
INSERT dbo.more_pages VALUES (N'שלום', N'باب', N'ąžuolas', N'ơưđ', N'ไทย', N'Á')
SELECT * FROM dbo.pages
SELECT * FROM dbo.more_pages
SELECT CONVERT(varchar(20), CAST(ru AS varbinary(10)), 1) AS ru, CONVERT(varchar(20), CAST(pl AS varbinary(10)), 1) AS pl, CONVERT(varchar(20), CAST(gr AS varbinary(10)), 1) AS gr, CONVERT(varchar(20), CAST(tr AS varbinary(10)), 1) AS tr, CONVERT(varchar(20), CAST(dos AS varbinary(10)), 1) AS dos FROM dbo.pages
SELECT CONVERT(varchar(20), CAST(he AS varbinary(10)), 1) AS he, CONVERT(varchar(20), CAST(ar AS varbinary(10)), 1) AS ar, CONVERT(varchar(20), CAST(lt AS varbinary(10)), 1) AS lt, CONVERT(varchar(20), CAST(vi AS varbinary(10)), 1) AS vi, CONVERT(varchar(20), CAST(th AS varbinary(10)), 1) AS th, CONVERT(varchar(20), CAST(west AS varbinary(10)), 1) AS west FROM dbo.more_pages
GO
-- What a page lacks becomes the nearest letter, else a question mark.
--@ source: documentation collation and Unicode support
DECLARE @v varchar(20) = N'Āā∞Ａ−′ЖΩ'
SELECT @v AS western
INSERT dbo.pages (id, ru, pl, gr, tr, dos) VALUES (2, N'éÀЖ', N'ñЖ', N'áα', N'ŁЖ', N'À')
SELECT * FROM dbo.pages WHERE id = 2
-- The literal has lost its letters before the column sees it.
INSERT dbo.pages (id, ru) VALUES (3, 'Жук')
SELECT ru FROM dbo.pages WHERE id = 3
DELETE dbo.pages WHERE id > 1
GO
--@ source: documentation COLLATE
SELECT CAST(N'я' COLLATE Cyrillic_General_CI_AS AS varchar(3)) AS cast_of, CONVERT(varchar(8), CAST('é' COLLATE Cyrillic_General_CI_AS AS varbinary(3)), 1) AS recoded, ru COLLATE Polish_CI_AS AS ru, pl COLLATE SQL_Latin1_General_CP1_CI_AS AS pl, CAST(ru AS nvarchar(10)) AS wide, CAST(ru AS char(5)) + '|' AS padded FROM dbo.pages
SELECT COLLATIONPROPERTY('Cyrillic_General_CI_AS', 'CodePage') AS ru, COLLATIONPROPERTY('SQL_Latin1_General_CP437_BIN2', 'CodePage') AS dos, COLLATIONPROPERTY('Japanese_CI_AS', 'CodePage') AS ja, COLLATIONPROPERTY('Latin1_General_100_CI_AS_SC_UTF8', 'CodePage') AS utf8
GO
--@ source: documentation string functions
SELECT LEN(ru) AS len, DATALENGTH(ru) AS bytes, ASCII(ru) AS ascii, UNICODE(ru) AS code, UPPER(ru) AS upper, LOWER(ru) AS lower, LEFT(ru, 2) AS l, RIGHT(ru, 2) AS r, SUBSTRING(ru, 2, 1) AS s, REVERSE(ru) AS reverse, CHARINDEX(N'К', ru) AS ci, PATINDEX(N'%[к-у]%', ru) AS pi FROM dbo.pages
SELECT REPLACE(ru, N'ук', N'аба') AS replaced, STUFF(ru, 1, 1, 'S') AS stuffed, REPLICATE(ru, 2) AS twice, CONCAT(ru, '-', ru) AS joined, ru + '!' + ru AS added, TRIM(N'Ж' FROM ru) AS trimmed, QUOTENAME(ru) AS quoted, LOWER(tr) AS tr, UPPER(gr) AS gr FROM dbo.pages
SELECT CASE WHEN id = 1 THEN ru ELSE 'x' END AS c, COALESCE(ru, 'x') AS f, ISNULL(ru, 'x') AS i, IIF(1 = 0, 'x', ru) AS iif FROM dbo.pages
SELECT ru FROM dbo.pages UNION ALL SELECT 'latin' UNION ALL SELECT CAST(NULL AS varchar(3))
SELECT STRING_AGG(ru, ', ') AS agg, MIN(ru) AS least FROM (SELECT ru FROM dbo.pages UNION ALL SELECT N'Аист') AS d
GO
--@ source: documentation collation precedence
CREATE TABLE dbo.words (w varchar(20) COLLATE Cyrillic_General_CI_AS, n int)
INSERT dbo.words VALUES (N'яблоко', 1), (N'Ёлка', 2), (N'ель', 3), (N'ЯБЛОКО', 4), (N'груша', 5), ('Apple', 6), (N'елка', 7)
SELECT w FROM dbo.words ORDER BY w, n
SELECT w, COUNT(*) AS n FROM dbo.words GROUP BY w ORDER BY w
SELECT n FROM dbo.words WHERE w = N'Яблоко' ORDER BY n
SELECT n FROM dbo.words WHERE w LIKE N'ябл%' ORDER BY n
SELECT n FROM dbo.words WHERE w LIKE N'[а-г]%' ORDER BY n
SELECT n FROM dbo.words WHERE w IN (N'груша', 'APPLE') ORDER BY n
CREATE INDEX w ON dbo.words (w)
SELECT n FROM dbo.words WITH (INDEX (w)) WHERE w = N'яблоко' ORDER BY n
SELECT n FROM dbo.words WITH (INDEX (w)) WHERE w LIKE N'ябл%' ORDER BY n
SELECT a.n, b.n AS other FROM dbo.words AS a JOIN dbo.words AS b ON a.w = b.w AND a.n < b.n
SELECT a.n FROM dbo.words AS a WHERE a.w COLLATE Polish_CI_AS = 'apple'
GO
--@ source: message 2627
CREATE TABLE dbo.keyed (k varchar(10) COLLATE Cyrillic_General_CI_AS CONSTRAINT pk_keyed PRIMARY KEY)
INSERT dbo.keyed VALUES (N'Жук')
INSERT dbo.keyed VALUES (N'ЖУК')
GO
--@ source: message 2628
INSERT dbo.keyed VALUES (N'ЖукЖукЖукЖук')
UPDATE dbo.keyed SET k = N'Кот'
SELECT k FROM dbo.keyed
GO
-- Between tables of different pages, by every statement that changes rows.
--@ source: documentation INSERT
CREATE TABLE dbo.west (id int, v varchar(10), n nvarchar(10), ru varchar(10) COLLATE Cyrillic_General_CI_AS)
INSERT dbo.west SELECT id, ru, ru, ru FROM dbo.pages
INSERT dbo.west (id, ru) SELECT 2, pl FROM dbo.pages
UPDATE w SET n = p.gr, v = p.pl FROM dbo.west AS w JOIN dbo.pages AS p ON p.id = w.id
MERGE dbo.west AS w USING dbo.pages AS p ON w.id = 3 WHEN NOT MATCHED THEN INSERT VALUES (3, p.ru, p.ru, p.ru) OUTPUT inserted.ru, inserted.v;
SELECT * FROM dbo.west ORDER BY id
SELECT ru, pl INTO #kept FROM dbo.pages
SELECT * FROM #kept
DECLARE @t TABLE (ru varchar(10) COLLATE Cyrillic_General_CI_AS)
INSERT @t SELECT ru FROM #kept
SELECT * FROM @t
DECLARE @v varchar(10), @n nvarchar(10)
SELECT @v = pl, @n = ru FROM dbo.pages
SELECT @v AS v, @n AS n
SELECT ru, pl FROM dbo.pages FOR JSON PATH
SELECT ru, pl FROM dbo.pages FOR XML PATH ('r')
GO
--@ source: message 40510
SELECT CAST(ru AS sql_variant) FROM dbo.pages
GO
--@ source: message 40510
SELECT CAST(N'x' COLLATE SQL_Latin1_General_CP1251_CI_AS AS varchar(3))
GO
--@ source: reasoned
DROP TABLE dbo.pages, dbo.more_pages, dbo.words, dbo.keyed, dbo.west
GO
