-- Views that cannot have an index, each with the message that says why.
--@ source: reasoned
CREATE DATABASE ViewsRefused
GO
--@ source: reasoned
USE ViewsRefused
CREATE TABLE dbo.t (a int NOT NULL, b int NULL, f float NOT NULL, d datetime NOT NULL, x xml NULL)
CREATE TABLE dbo.u (a int NOT NULL, c int NOT NULL)
EXEC ('CREATE VIEW dbo.unbound AS SELECT a FROM dbo.t')
EXEC ('CREATE VIEW dbo.bound WITH SCHEMABINDING AS SELECT a FROM dbo.t')
EXEC ('CREATE FUNCTION dbo.f () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT a FROM dbo.u')
GO
--@ source: message 1939
CREATE UNIQUE CLUSTERED INDEX i ON dbo.unbound (a)
GO
--@ source: documentation Create indexed views
CREATE PROCEDURE dbo.try @number int, @query nvarchar(max), @key nvarchar(50) = N'a' AS
BEGIN TRY
    BEGIN TRAN
    EXEC (N'CREATE VIEW dbo.v WITH SCHEMABINDING AS ' + @query)
    EXEC (N'CREATE UNIQUE CLUSTERED INDEX i ON dbo.v (' + @key + N')')
    SELECT @number AS expected, 'made' AS got
    ROLLBACK
END TRY
BEGIN CATCH
    SELECT @number AS expected, ERROR_NUMBER() AS got, ERROR_MESSAGE() AS text
    IF @@TRANCOUNT > 0 ROLLBACK
END CATCH
GO
--@ source: documentation Create indexed views
EXEC dbo.try 1937, N'SELECT a FROM dbo.bound'
EXEC dbo.try 1947, N'SELECT x.a FROM dbo.u AS x JOIN dbo.u AS y ON y.a = x.c'
EXEC dbo.try 1942, N'SELECT a, x FROM dbo.t'
EXEC dbo.try 1949, N'SELECT a FROM dbo.t WHERE d < GETDATE()'
EXEC dbo.try 1901, N'SELECT a, f FROM dbo.t', N'f'
EXEC dbo.try 8660, N'SELECT a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a, b'
EXEC dbo.try 8661, N'SELECT a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a', N'n'
EXEC dbo.try 8662, N'SELECT a, SUM(b) AS s, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 8668, N'SELECT a, COUNT_BIG(*) * 2 AS m, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 8668, N'SELECT a + 1 AS a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 10100, N'SELECT DISTINCT a FROM dbo.t'
EXEC dbo.try 10101, N'SELECT TOP (5) a FROM dbo.t'
EXEC dbo.try 10109, N'SELECT a FROM (SELECT a FROM dbo.t) AS d'
EXEC dbo.try 10113, N'SELECT t.a FROM dbo.t LEFT JOIN dbo.u ON u.a = t.a'
EXEC dbo.try 10116, N'SELECT a FROM dbo.t UNION ALL SELECT a FROM dbo.u'
EXEC dbo.try 10119, N'SELECT a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY ROLLUP (a)'
EXEC dbo.try 10121, N'SELECT a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a HAVING COUNT_BIG(*) > 1'
EXEC dbo.try 10125, N'SELECT a, MAX(b) AS m, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 10126, N'SELECT a, SUM(DISTINCT b) AS m, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 10127, N'SELECT a FROM dbo.t WHERE EXISTS (SELECT 1 FROM dbo.u WHERE u.a = t.a)'
EXEC dbo.try 10129, N'SELECT f.a FROM dbo.f () AS f'
EXEC dbo.try 10136, N'SELECT a, COUNT(*) AS n FROM dbo.t GROUP BY a'
EXEC dbo.try 10137, N'WITH c AS (SELECT a FROM dbo.t) SELECT a FROM c'
EXEC dbo.try 10138, N'SELECT a, SUM(a) AS s FROM dbo.t GROUP BY a'
EXEC dbo.try 10140, N'SELECT a FROM dbo.t WITH (NOLOCK)'
EXEC dbo.try 10142, N'SELECT t.a FROM dbo.t CROSS APPLY dbo.f () AS f'
EXEC dbo.try 10143, N'SELECT a, ROW_NUMBER() OVER (ORDER BY a) AS r FROM dbo.t'
EXEC dbo.try 0, N'SELECT a, COUNT_BIG(*) AS n, SUM(ISNULL(b, 0)) AS s FROM dbo.t GROUP BY a'
EXEC dbo.try 0, N'SELECT YEAR(d) AS y, a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY a, YEAR(d)', N'a, y'
EXEC dbo.try 0, N'SELECT dbo.t.a, u.c FROM dbo.t, dbo.u WHERE u.a = dbo.t.a', N'a, c'
GO
--@ source: message 1935
SET QUOTED_IDENTIFIER OFF
GO
--@ source: message 1935
CREATE VIEW dbo.unquoted WITH SCHEMABINDING AS SELECT a FROM dbo.t
GO
--@ source: message 1935
SET QUOTED_IDENTIFIER ON
GO
--@ source: message 1935
CREATE UNIQUE CLUSTERED INDEX i ON dbo.unquoted (a)
GO
--@ source: reasoned
USE master
DROP DATABASE ViewsRefused
GO
