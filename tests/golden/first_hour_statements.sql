-- Statements that are wrong before they run, and calls of what is no procedure.
--@ source: message 10704
THROW
GO
--@ source: message 10704
PRINT 'before'
BEGIN TRY THROW END TRY BEGIN CATCH PRINT 'caught' END CATCH
GO
--@ source: message 10704
IF 1 = 0
    THROW;
GO
--@ source: message 10704
CREATE PROCEDURE p AS THROW
GO
--@ source: documentation THROW
BEGIN TRY
    RAISERROR('one', 16, 1)
END TRY
BEGIN CATCH
    BEGIN TRY
        THROW;
    END TRY
    BEGIN CATCH
        PRINT 'again: ' + ERROR_MESSAGE();
        THROW;
    END CATCH
END CATCH
GO
--@ source: documentation THROW
BEGIN TRY SELECT 1 / 0 AS a END TRY BEGIN CATCH PRINT 'caught' END CATCH
THROW
GO
--@ source: message 195
SELECT 'before' AS a
SELECT nosuchfunction(1) AS a FROM nosuchtable
GO
--@ source: message 195
SELECT 'before' AS a
IF EXISTS (SELECT 1 FROM nosuchtable WHERE [no such](a) = 1) PRINT 'there'
GO
--@ source: message 195
DECLARE @n int = (SELECT TOP (1)
    nosuchfunction(a) FROM nosuchtable)
GO
--@ source: message 195
CREATE PROCEDURE p AS
    INSERT nosuchtable (a) SELECT nosuchfunction(a) FROM nosuchtable
GO
-- These are all there, or not built.
--@ source: message 208
SELECT ISNULL(MAX(a), COUNT(*)), ROW_NUMBER() OVER (ORDER BY a), STRING_AGG(a, ','), COALESCE(a, 1), IIF(a = 1, 2, 3), LEFT(a, 1), CAST(a AS decimal(9, 2)), TRY_CONVERT(int, a), CHOOSE(1, a), NULLIF(a, 1), x.f(1), LAG(a) OVER (ORDER BY a) FROM nosuchtable AS d WITH (NOLOCK)
GO
--@ source: message 208
WITH c (a) AS (SELECT 1) INSERT nosuchtable (a) SELECT a FROM c
GO
--@ source: message 2742
SET DATEFIRST 8
GO
--@ source: message 2742
DECLARE @d int = 0
SET DATEFIRST @d
GO
--@ source: reasoned
SET DEADLOCK_PRIORITY 11
GO
--@ source: reasoned
SET DEADLOCK_PRIORITY -11
GO
--@ source: message 111
SELECT 'before' AS a
CREATE SCHEMA later
GO
--@ source: message 156
IF 1 = 1 CREATE SCHEMA later
GO
--@ source: message 2809
CREATE TABLE t (a int)
GO
--@ source: message 2809
CREATE VIEW v AS SELECT 1 AS a
GO
--@ source: message 2809
EXEC t
EXEC dbo.v
GO
--@ source: message 2809
DECLARE @name sysname = 't', @r int = 7
EXEC @r = @name 1
SELECT @r AS r
GO
--@ source: message 7202
EXEC otherserver.db.dbo.p
GO
--@ source: message 7202
EXEC [other server]...sp_who
GO
--@ source: message 7202
DECLARE @name sysname = 'otherserver.db.dbo.p'
EXEC @name
GO
--@ source: message 8730
INSERT t VALUES (1), (2), (3)
SELECT LAG(a, -1) OVER (ORDER BY a) FROM t
GO
--@ source: message 8730
DECLARE @n int = -1
SELECT LEAD(a, @n) OVER (ORDER BY a) FROM t
GO
--@ source: documentation LAG
SELECT a, LAG(a, 0) OVER (ORDER BY a) AS l, LEAD(a, 2, 9) OVER (ORDER BY a) AS n FROM t ORDER BY a
GO
--@ source: message 4116
SELECT NTILE(0) OVER (ORDER BY a) FROM t
GO
--@ source: message 4116
DECLARE @n bigint = NULL
SELECT NTILE(@n) OVER (ORDER BY a) FROM t
GO
--@ source: documentation NTILE
SELECT a, NTILE(2) OVER (ORDER BY a) AS n FROM t ORDER BY a
DROP VIEW v
DROP TABLE t
GO
--@ source: message 9500
DECLARE @x xml = '<a>5</a>'
SELECT @x.value('(/a)[1]', 'xml')
GO
--@ source: message 9500
DECLARE @x xml = '<a>5</a>'
SELECT @x.value('(/a)[1]', 'ntext')
GO
--@ source: documentation Define the serialization of XML data
DECLARE @x xml = N'<a>Δ5</a>'
SELECT CAST(@x AS nvarchar(9)) AS n, CONVERT(varbinary(20), @x) AS b, CAST(CAST(CAST(@x AS varbinary(max)) AS xml) AS nvarchar(max)) AS back, TRY_CAST(@x AS varchar(20)) AS v, TRY_CAST(@x AS nvarchar(8)) AS t
GO
--@ source: message 6354
SELECT CAST(CAST('<a>5</a>' AS xml) AS varchar(7))
GO
--@ source: message 6354
SELECT CONVERT(nchar(7), CAST('<a>5</a>' AS xml))
GO
--@ source: message 6354
SELECT CAST(CAST('<a>5</a>' AS xml) AS varbinary(17))
GO
--@ source: message 6355
SELECT CAST(CAST(N'<a>日</a>' AS xml) AS varchar(max))
GO
--@ source: documentation Define the serialization of XML data
SELECT CAST(CAST('<a>5</a>' AS xml) AS varchar(8)) AS v, CAST(CAST('<a>5</a>' AS xml) AS char(10)) AS c, CAST(CAST('<a>5</a>' AS xml) AS varbinary(18)) AS b, CAST(CAST(NULL AS xml) AS varchar(1)) AS n
GO
