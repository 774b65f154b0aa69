-- #procedures and ##procedures: in tempdb, for the session, or for all while it lasts.
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE #p @a int = 1, @b int OUTPUT AS
SET @b = @a * 2
SELECT @a AS a, DB_NAME() AS db
RETURN 7
GO
--@ source: documentation CREATE PROCEDURE
DECLARE @b int, @r int
EXEC @r = #p 5, @b OUTPUT
SELECT @b AS b, @r AS r
EXEC dbo.#p @b = @b OUTPUT
EXEC tempdb..#p 2, @b OUTPUT
GO
--@ source: message 2714
CREATE PROCEDURE #p AS RETURN
GO
--@ source: documentation OBJECT_ID
SELECT CASE WHEN OBJECT_ID('tempdb..#p') IS NULL THEN 'none' ELSE 'there' END AS p, CASE WHEN OBJECT_ID('tempdb..#p', 'P') IS NULL THEN 'none' ELSE 'there' END AS as_procedure
SELECT LEFT(name, 6) AS name FROM tempdb.sys.procedures WHERE name LIKE '#p%'
GO
-- Its names are those of the database in which it is called, and a procedure sees those of its caller.
--@ source: reasoned
CREATE TABLE dbo.tp (x int)
INSERT dbo.tp VALUES (3)
CREATE TABLE #t (y int)
INSERT #t VALUES (4)
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE ##g AS SELECT x, y FROM dbo.tp CROSS JOIN #t
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.calls AS
EXEC ##g
EXEC ('EXEC ##g')
EXEC sp_executesql N'EXEC #p 9, NULL'
GO
--@ source: documentation CREATE PROCEDURE
EXEC dbo.calls
GO
-- One that a procedure makes outlives it.
--@ source: reasoned
CREATE PROCEDURE dbo.makes AS EXEC ('CREATE PROCEDURE #made AS SELECT ''made'' AS told')
GO
--@ source: documentation CREATE PROCEDURE
EXEC dbo.makes
EXEC #made
GO
--@ source: documentation ALTER PROCEDURE
ALTER PROCEDURE #made AS SELECT ERROR_NUMBER() AS e, 'altered' AS told
GO
--@ source: documentation ALTER PROCEDURE
EXEC #made
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE #fails AS
SELECT 1 / 0 AS x
GO
--@ source: message 8134
EXEC #fails
GO
--@ source: reasoned
BEGIN TRY EXEC #fails END TRY BEGIN CATCH SELECT ERROR_PROCEDURE() AS [procedure], ERROR_LINE() AS line END CATCH
INSERT dbo.tp EXEC ('SELECT 5')
GO
-- What a transaction makes or drops it takes back.
--@ source: reasoned
BEGIN TRANSACTION
GO
--@ source: reasoned
CREATE PROCEDURE #gone AS RETURN
GO
--@ source: reasoned
DROP PROCEDURE #made
ROLLBACK
GO
--@ source: message 2812
EXEC #gone
GO
--@ source: reasoned
EXEC #made
GO
--@ source: documentation DROP PROCEDURE
DROP PROCEDURE #p, #made, #fails
DROP PROCEDURE IF EXISTS #p
DROP PROCEDURE ##g
GO
--@ source: message 2812
EXEC #p
GO
--@ source: message 2812
EXEC ##g
GO
--@ source: message 3701
DROP PROCEDURE #p
GO
--@ source: message 208
ALTER PROCEDURE #p AS RETURN
GO
--@ source: message 2714
CREATE PROCEDURE #t AS RETURN
GO
--@ source: reasoned
DROP PROCEDURE dbo.calls, dbo.makes
DROP TABLE dbo.tp, #t
GO
