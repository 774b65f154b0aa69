-- PARSE and TRY_PARSE read text as a culture writes it.
--@ source: documentation PARSE
SELECT PARSE('Monday, 13 December 2010' AS datetime2 USING 'en-US') AS Result
SELECT PARSE(N'€345,98' AS money USING 'de-DE') AS Result
SET LANGUAGE 'English'
SELECT PARSE('12/16/2010' AS datetime2) AS Result
GO
--@ source: documentation TRY_PARSE
SELECT TRY_PARSE('Jabberwokkie' AS datetime2 USING 'en-US') AS Result
SET LANGUAGE English
SELECT IIF(TRY_PARSE('01/01/2011' AS datetime2) IS NULL, 'True', 'False') AS Result
GO
--@ source: reasoned
SELECT PARSE('1,234' AS int) AS i, PARSE(' -5 ' AS smallint) AS s, PARSE('200' AS tinyint) AS t, PARSE('5-' AS bigint) AS b, PARSE('1.00' AS int) AS whole
SELECT PARSE('1.234,5' AS decimal(8, 2) USING 'de-DE') AS de, PARSE('1 234,567' AS decimal(8, 2) USING 'fr-FR') AS fr, PARSE('1.5e3' AS float) AS f, PARSE('-0.25' AS real) AS r, PARSE('($1,234.5)' AS money USING 'en-US') AS m, PARSE('12 kr' AS smallmoney USING 'sv-SE') AS kr
SELECT PARSE('16.12.2010' AS date USING 'de-DE') AS de, PARSE('16/12/2010' AS date USING 'en-GB') AS gb, PARSE('13. Dezember 2010 17:04' AS smalldatetime USING 'de-DE') AS named, PARSE('5:04:03.5 PM' AS time(1)) AS t, PARSE('2010-12-16T05:04:03+02:00' AS datetime) AS utc, PARSE('2010-12-16 05:04 +02:00' AS datetimeoffset(0)) AS kept
SET LANGUAGE Deutsch
SELECT PARSE('16.12.2010' AS date) AS d, PARSE('1.234,5' AS decimal(8, 2)) AS n, FORMAT(PARSE('3. März 2024' AS date), 'D') AS D
SET LANGUAGE us_english
GO
--@ source: reasoned
DECLARE @text nvarchar(20) = NULL, @culture nvarchar(10) = N'de-DE'
SELECT PARSE(@text AS int) AS none, PARSE('1,5' AS decimal(3, 1) USING @culture) AS by_variable, TRY_PARSE('x' AS int) AS wrong, TRY_PARSE('300' AS tinyint) AS large, TRY_PARSE('1.5' AS int) AS fraction
CREATE TABLE dbo.t (a nvarchar(20))
INSERT dbo.t (a) VALUES (N'1,000'), (N'none'), (NULL)
SELECT a, TRY_PARSE(a AS int USING 'en-US') AS n FROM dbo.t ORDER BY a
EXEC sp_describe_first_result_set N'SELECT PARSE(''1'' AS int) AS i, TRY_PARSE(''1'' AS decimal(5, 2)) AS d, PARSE(''1'' AS datetime2(3)) AS t'
DROP TABLE dbo.t
GO
--@ source: message 9819
SELECT PARSE('abc' AS int)
GO
--@ source: message 9819
SELECT PARSE('31/12/2010' AS date USING 'en-US')
GO
--@ source: message 9818
SELECT TRY_PARSE('1' AS int USING 'not a culture')
GO
--@ source: message 8116
SELECT PARSE(NULL AS int)
GO
--@ source: message 8116
SELECT TRY_PARSE(1 AS int)
GO
--@ source: message 10761
SELECT PARSE('1' AS varchar(10))
GO
--@ source: message 10761
SELECT TRY_PARSE('1' AS bit)
GO
--@ source: message 40510
SELECT CASE WHEN TRY_PARSE('Aragorn' AS decimal USING 'sr-Latn-CS') IS NULL THEN 'True' ELSE 'False' END AS Result
GO
--@ source: message 195
SELECT [PARSE]('1')
GO
--@ source: message 40510
CREATE TABLE dbo.t (a nvarchar(20), n AS PARSE(a AS int USING 'en-US'))
GO
