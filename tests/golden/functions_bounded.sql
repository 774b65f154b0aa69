-- Functions that call functions: the text of a body stands in place of a call only where that costs nothing.
--@ source: reasoned
CREATE DATABASE Bounded
GO
--@ source: documentation CREATE FUNCTION
USE Bounded
CREATE TABLE dbo.t (id int NOT NULL)
INSERT dbo.t VALUES (1)
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.plus_one (@a int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS BEGIN RETURN @a + 1 END
GO
-- Thirty calls, each the argument of the next one.
--@ source: reasoned
DECLARE @sql nvarchar(max) = CONCAT(N'SELECT ', REPLICATE(N'dbo.plus_one(', 30), N'id', REPLICATE(N')', 30), N' AS n FROM dbo.t')
EXEC sp_executesql @sql
GO
-- Each calls the one before it twice. Only the last is asked for NULL, so that nothing is called.
--@ source: reasoned
DECLARE @n int = 1, @sql nvarchar(max)
EXEC (N'CREATE FUNCTION dbo.f0 (@x int) RETURNS int AS BEGIN RETURN @x + 1 END')
WHILE @n <= 24
BEGIN
    SET @sql = CONCAT(N'CREATE FUNCTION dbo.f', @n, N' (@x int) RETURNS int AS BEGIN DECLARE @a int = dbo.f', @n - 1, N'(@x), @b int = dbo.f', @n - 1, N'(@x) RETURN @a + @b END')
    EXEC (@sql)
    SET @n += 1
END
SELECT dbo.f24(id) AS none FROM dbo.t WHERE id < 0
SELECT dbo.f5(id) AS n FROM dbo.t
GO
-- A function may bear the name of a method of xml.
--@ source: documentation DROP FUNCTION
CREATE FUNCTION dbo.value (@a int) RETURNS int AS BEGIN RETURN @a END
GO
--@ source: message 3729
CREATE TABLE dbo.checked (x int CONSTRAINT positive CHECK (dbo.value(x) > 0))
SELECT definition FROM sys.check_constraints
DROP FUNCTION dbo.value
GO
--@ source: message 2788
CREATE SYNONYM dbo.other FOR dbo.t
GO
--@ source: message 2788
CREATE FUNCTION dbo.bound () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(id) FROM dbo.other) END
GO
--@ source: reasoned
USE master
DROP DATABASE Bounded
GO
