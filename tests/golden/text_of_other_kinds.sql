-- text and ntext go to text of either kind by themselves; a letter that the code page lacks is ? for each of its units.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation data type conversion
CREATE TABLE dbo.kinds (t text, n ntext, c char(6), v varchar(10), nc nchar(6), nv nvarchar(10), i int IDENTITY, number int)
INSERT dbo.kinds (t, n) VALUES ('text', N'ntext')
UPDATE dbo.kinds SET c = n, v = n, nc = t, nv = t WHERE i = 1
SELECT c, v, nc, nv FROM dbo.kinds
UPDATE dbo.kinds SET n = t, t = n
SELECT t, n FROM dbo.kinds
INSERT dbo.kinds (v, nv) SELECT n, t FROM dbo.kinds
MERGE dbo.kinds AS k USING (SELECT n, t FROM dbo.kinds WHERE i = 1) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (v, nv) VALUES (s.n, s.t);
SELECT v, nv FROM dbo.kinds WHERE i > 1
GO
-- As a driver binds long values of parameters.
--@ source: documentation data type conversion
EXEC sp_executesql N'INSERT dbo.kinds (v) VALUES (@p); SELECT v FROM dbo.kinds WHERE i = SCOPE_IDENTITY()', N'@p ntext', @p = N'bound'
EXEC sp_executesql N'INSERT dbo.kinds (nv) VALUES (@p); SELECT nv FROM dbo.kinds WHERE i = SCOPE_IDENTITY()', N'@p text', @p = 'bound'
GO
--@ source: message 2628
UPDATE dbo.kinds SET v = N'longer than ten' WHERE i = 1
UPDATE dbo.kinds SET n = N'longer than ten' WHERE i = 1
UPDATE dbo.kinds SET v = n WHERE i = 1
GO
--@ source: message 206
UPDATE dbo.kinds SET number = n
GO
--@ source: reasoned
DROP TABLE dbo.kinds
GO
-- A pair of surrogates are two units.
--@ source: documentation collation and Unicode support
SELECT DATALENGTH('🙂') AS literal, '🙂' AS shown, LEN('a🙂b') AS len, CAST('a🙂b' AS varbinary(8)) AS bytes, DATALENGTH(CAST(N'🙂' AS varchar(10))) AS cast_of, CAST(N'🙂ł' AS char(4)) AS padded, DATALENGTH('Ω') AS greek
GO
--@ source: documentation collation and Unicode support
DECLARE @v varchar(10) = '🙂', @c char(3) = N'🙂'
CREATE TABLE dbo.pair (v varchar(2))
INSERT dbo.pair VALUES ('🙂'), (N'🙂')
SELECT @v AS v, DATALENGTH(@c) AS c, v AS stored FROM dbo.pair
DROP TABLE dbo.pair
GO
-- Text that is made char or varchar keeps its collation, which may be of another code page.
--@ source: documentation collation and Unicode support
SELECT CAST(N'cześć' COLLATE Polish_CI_AI AS varchar(20))
GO
--@ source: documentation collation and Unicode support
SELECT TRY_CONVERT(char(5), N'я' COLLATE Cyrillic_General_CI_AS)
GO
--@ source: documentation collation and Unicode support
CREATE TABLE #t (n nvarchar(10) COLLATE Greek_CI_AS)
SELECT CAST(n AS varchar(10)) FROM #t
GO
--@ source: documentation collation and Unicode support
SELECT ASCII(N'я' COLLATE Cyrillic_General_CI_AS)
GO
--@ source: message 459
SELECT CAST(N'अ' COLLATE Indic_General_100_CI_AS AS varchar(20))
GO
--@ source: reasoned
SELECT CAST(N'cześć' COLLATE Polish_CI_AI AS nvarchar(4)) AS n, CAST(N'é' COLLATE French_CI_AS AS varchar(1)) AS v, CAST(CAST(N'7' COLLATE Polish_CI_AI AS int) AS varchar(2)) AS number
DECLARE @v varchar(10) = N'cześć' COLLATE Polish_CI_AI
SELECT @v AS variable
GO
