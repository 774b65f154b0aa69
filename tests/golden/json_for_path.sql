-- FOR JSON PATH: objects by the dots of names, types, escapes, options, where it may stand.
--@ source: documentation relational-databases/json/format-nested-json-output-with-path-mode-sql-server
CREATE TABLE jp (Id int NOT NULL PRIMARY KEY, FirstName nvarchar(20) NULL, Title nvarchar(8) NULL, MiddleName nvarchar(20) NULL)
INSERT jp VALUES (1, N'Ken', NULL, N'J'), (2, N'Terri', NULL, N'Lee'), (3, N'Roberto', NULL, NULL), (5, N'Gail', N'Ms.', N'A')
SELECT Id, FirstName, Title AS 'Info.Title', MiddleName AS 'Info.MiddleName' FROM jp ORDER BY Id FOR JSON PATH
SELECT @@ROWCOUNT AS n
SELECT Id, FirstName, Title AS 'Info.Title' FROM jp ORDER BY Id DESC FOR JSON PATH, ROOT('info')
SELECT TOP 2 Id, Title FROM jp ORDER BY Id FOR JSON PATH, INCLUDE_NULL_VALUES, ROOT
SELECT Id FROM jp WHERE Id < 3 ORDER BY Id FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
SELECT Title FROM jp WHERE Id = 1 FOR JSON PATH
SELECT Title AS [a.b.c], Title AS [a.b.d], 1 AS e FROM jp WHERE Id = 1 FOR JSON PATH
SELECT Title AS [a.b.c], 1 AS [a.b.d], 2 AS [a.e], 3 AS f FROM jp WHERE Id = 1 FOR JSON PATH, INCLUDE_NULL_VALUES
GO
--@ source: documentation relational-databases/json/how-for-json-converts-sql-server-data-types-to-json-data-types-sql-server
SELECT CAST(1 AS tinyint) AS t, CAST(-2 AS smallint) AS s, 3 AS i, CAST(-9223372036854775808 AS bigint) AS b, CAST(1.5 AS decimal(9,2)) AS d, CAST(-0.05 AS numeric(5,3)) AS n, CAST(0 AS decimal(5,0)) AS z, CAST(12.34 AS money) AS m, CAST(-0.5 AS smallmoney) AS sm FOR JSON PATH
SELECT CAST(1.5 AS float) AS f, CAST(1.5 AS real) AS r, CAST(-1e-300 AS float) AS s, CAST(0 AS float) AS z, CAST(1 AS bit) AS t, CAST(0 AS bit) AS u FOR JSON PATH
SELECT CAST('2024-01-02' AS date) AS d, CAST('03:04:05.600' AS time(3)) AS t, CAST('2024-01-02T03:04:05' AS datetime) AS dt, CAST('2024-01-02T03:04:05.997' AS datetime) AS dm, CAST('2024-01-02T03:04:00' AS smalldatetime) AS sd FOR JSON PATH
SELECT CAST('2024-01-02T03:04:05.1' AS datetime2(3)) AS d, CAST('2024-01-02T03:04:05' AS datetime2) AS e, CAST('2024-01-02T03:04:05.5+02:00' AS datetimeoffset(1)) AS o, CAST('2024-01-02T03:04:05+00:00' AS datetimeoffset) AS z FOR JSON PATH
SELECT CAST('0e984725-c51c-4bf4-9960-e1c80e27aba0' AS uniqueidentifier) AS g, 0x0102FF AS b, CAST(0x41 AS varbinary(max)) AS c, CAST('<a/>' AS xml) AS x, CAST(CAST(7 AS int) AS sql_variant) AS v, CAST(N'ä' AS sql_variant) AS w FOR JSON PATH
SELECT CAST('ab' AS char(4)) AS c, CAST(N'ab' AS nchar(4)) AS n, CAST('é' AS varchar(5)) AS v, N'日本' AS j, CAST('long' AS text) AS t FOR JSON PATH
GO
--@ source: documentation relational-databases/json/how-for-json-escapes-special-characters-and-control-characters-sql-server
SELECT 'VALUE\    /
  "' AS [KEY\/"], CHAR(0) AS '0', CHAR(1) AS '1', CHAR(31) AS '31', CHAR(8) + CHAR(12) + CHAR(9) + CHAR(13) + CHAR(10) + CHAR(127) AS five FOR JSON PATH
GO
--@ source: documentation relational-databases/json/solve-common-issues-with-json-in-sql-server
-- JSON is taken in as it is; text is not.
SELECT p.Id, (SELECT q.Id FROM jp q WHERE q.Id < p.Id ORDER BY q.Id FOR JSON PATH) AS below, JSON_QUERY('{"a": [1]}') AS q, '{"a":1}' AS t FROM jp p WHERE p.Id < 4 ORDER BY p.Id FOR JSON PATH
SELECT 'Text' AS myText, (SELECT 12 AS day, 8 AS mon FOR JSON PATH, WITHOUT_ARRAY_WRAPPER) AS myJson FOR JSON PATH
SELECT 'Text' AS myText, JSON_QUERY((SELECT 12 AS day, 8 AS mon FOR JSON PATH, WITHOUT_ARRAY_WRAPPER)) AS myJson FOR JSON PATH
SELECT j.x, CASE WHEN 1 = 1 THEN j.x END AS c, ISNULL(j.x, JSON_QUERY('[]')) AS i, j.x + '' AS plus, JSON_OBJECT('k':j.x) AS o, JSON_ARRAY(j.x, 1) AS a, JSON_MODIFY('{}', '$.m', j.x) AS m
    FROM (SELECT (SELECT 1 AS one FOR JSON PATH) AS x) AS j FOR JSON PATH
GO
--@ source: documentation relational-databases/json/use-for-json-output-in-sql-server-and-in-client-apps-sql-server
DECLARE @j nvarchar(max) = (SELECT Id FROM jp WHERE Id > 2 ORDER BY Id FOR JSON PATH), @none nvarchar(max) = (SELECT Id FROM jp WHERE Id > 9 FOR JSON PATH)
SELECT @j AS j, @none AS none
SET @j = (SELECT COUNT(*) AS n, MAX(Id) AS m FROM jp FOR JSON PATH)
PRINT @j
SELECT (SELECT Id FROM jp WHERE Id > 9 FOR JSON PATH, ROOT) AS none
SELECT Id FROM jp WHERE Id > 9 FOR JSON PATH
SELECT @@ROWCOUNT AS n
IF (SELECT Id FROM jp WHERE Id = 1 FOR JSON PATH) = N'[{"Id":1}]' PRINT 'equal'
SELECT t.j, LEN(t.j) AS l FROM (SELECT FirstName FROM jp ORDER BY Id FOR JSON PATH) AS t(j)
GO
--@ source: documentation relational-databases/json/use-for-json-output-in-sql-server-and-in-client-apps-sql-server
CREATE FUNCTION dbo.jp_below(@id int) RETURNS nvarchar(max) AS BEGIN RETURN (SELECT Id, FirstName FROM jp WHERE Id < @id ORDER BY Id FOR JSON PATH) END
GO
--@ source: documentation relational-databases/json/use-for-json-output-in-sql-server-and-in-client-apps-sql-server
CREATE PROCEDURE dbo.jp_all AS SELECT Id, FirstName FROM jp ORDER BY Id FOR JSON PATH, ROOT('all')
GO
--@ source: documentation relational-databases/json/use-for-json-output-in-sql-server-and-in-client-apps-sql-server
CREATE VIEW dbo.jp_view(doc) AS SELECT (SELECT Id FROM jp ORDER BY Id FOR JSON PATH)
GO
--@ source: documentation relational-databases/json/use-for-json-output-in-sql-server-and-in-client-apps-sql-server
PRINT dbo.jp_below(3)
EXEC dbo.jp_all
SELECT doc FROM dbo.jp_view
SELECT doc, dbo.jp_below(2) AS f FROM dbo.jp_view FOR JSON PATH
SELECT Id, (SELECT q.FirstName FROM jp q WHERE q.Id = p.Id FOR JSON PATH) AS Details INTO jp_into FROM jp p
SELECT * FROM jp_into ORDER BY Id
UPDATE jp_into SET Details = (SELECT jp.Title FROM jp WHERE jp.Id = jp_into.Id FOR JSON PATH, INCLUDE_NULL_VALUES) WHERE Id > 2
SELECT * FROM jp_into ORDER BY Id FOR JSON PATH
GO
--@ source: documentation t-sql/queries/select-for-clause-transact-sql
SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a DESC FOR JSON PATH
;WITH c AS (SELECT Id FROM jp) SELECT Id FROM c ORDER BY Id FOR JSON PATH, ROOT('c')
SELECT DISTINCT Title FROM jp WHERE Title IS NOT NULL FOR JSON PATH
SELECT Id FROM jp ORDER BY Id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY FOR JSON PATH
EXEC sp_describe_first_result_set N'SELECT 1 AS a FOR JSON PATH'
GO
--@ source: reasoned
-- The text comes in rows of 2,033 characters; the count is that of the rows that went in.
SELECT REPLICATE('x', 2030) AS a FOR JSON PATH
SELECT @@ROWCOUNT AS n
GO
--@ source: reasoned
DROP TABLE jp, jp_into
DROP VIEW jp_view
DROP FUNCTION jp_below
DROP PROCEDURE jp_all
GO
