-- WITH SCHEMABINDING of functions, their determinism, and what keeps objects as they are.
--@ source: reasoned
CREATE DATABASE FunctionsBound
GO
--@ source: reasoned
USE FunctionsBound
CREATE TABLE dbo.t (id int PRIMARY KEY, a int, b varchar(20), unused int)
GO
--@ source: documentation Deterministic and nondeterministic functions
CREATE FUNCTION dbo.plain (@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
--@ source: documentation Deterministic and nondeterministic functions
CREATE FUNCTION dbo.bound (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a + 1 END
GO
--@ source: documentation Deterministic and nondeterministic functions
CREATE FUNCTION dbo.moment () RETURNS datetime WITH SCHEMABINDING AS BEGIN RETURN DATEADD(day, 1, GETDATE()) END
GO
--@ source: documentation OBJECTPROPERTYEX
CREATE FUNCTION dbo.floating (@a float) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN ROUND(@a, 0) END
GO
--@ source: documentation OBJECTPROPERTYEX
CREATE FUNCTION dbo.reads (@id int) RETURNS int WITH SCHEMABINDING AS
BEGIN
    DECLARE @r int
    SELECT @r = a FROM dbo.t WHERE id = @id
    RETURN @r
END
GO
--@ source: documentation OBJECTPROPERTYEX
CREATE FUNCTION dbo.looks (@id int) RETURNS sysname WITH SCHEMABINDING AS BEGIN RETURN OBJECT_NAME(@id) END
GO
--@ source: documentation CAST and CONVERT
CREATE FUNCTION dbo.as_text (@d datetime) RETURNS varchar(30) WITH SCHEMABINDING AS BEGIN RETURN CONVERT(varchar(30), @d, 120) END
GO
--@ source: documentation CAST and CONVERT
CREATE FUNCTION dbo.as_text_of_session (@d datetime) RETURNS varchar(30) WITH SCHEMABINDING AS BEGIN RETURN CONVERT(varchar(30), @d) END
GO
--@ source: reasoned
CREATE FUNCTION dbo.above (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN dbo.bound(@a) * 2 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.above_moment () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN YEAR(dbo.moment()) END
GO
--@ source: documentation OBJECTPROPERTYEX
SELECT name, OBJECTPROPERTY(object_id, 'IsSchemaBound') AS bound, OBJECTPROPERTY(object_id, 'IsDeterministic') AS deterministic,
    OBJECTPROPERTYEX(object_id, 'IsPrecise') AS precise, OBJECTPROPERTYEX(object_id, 'UserDataAccess') AS data,
    OBJECTPROPERTYEX(object_id, 'SystemDataAccess') AS system
FROM sys.objects WHERE type = 'FN' ORDER BY name
GO
--@ source: message 4512
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(id) FROM t) END
GO
--@ source: message 4512
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(id) FROM FunctionsBound.dbo.t) END
GO
--@ source: message 4512
CREATE FUNCTION dbo.f (@n int) RETURNS int WITH SCHEMABINDING AS BEGIN IF @n > 0 SET @n = dbo.f(@n - 1) RETURN @n END
GO
--@ source: message 4513
CREATE FUNCTION dbo.f (@n int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN dbo.plain(@n) END
GO
--@ source: message 208
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(id) FROM dbo.nowhere) END
GO
--@ source: message 4121
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN dbo.nowhere(1) END
GO
--@ source: message 2720
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(object_id) FROM sys.objects) END
GO
--@ source: message 1054
CREATE FUNCTION dbo.rows () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT * FROM dbo.t
GO
--@ source: message 4516
CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN EXEC dbo.p RETURN 1 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.rows (@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT id, b FROM dbo.t WHERE a = @a
GO
--@ source: message 3729
DROP TABLE dbo.t
GO
--@ source: message 3729
DROP FUNCTION dbo.bound
GO
--@ source: message 3729
ALTER FUNCTION dbo.bound (@a int) RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 4922
ALTER TABLE dbo.t DROP COLUMN b
GO
--@ source: message 4922
ALTER TABLE dbo.t ALTER COLUMN a bigint
GO
--@ source: reasoned
ALTER TABLE dbo.t DROP COLUMN unused
ALTER TABLE dbo.t ADD another int
GO
--@ source: message 15336
EXEC sp_rename 'dbo.t', 'u'
GO
--@ source: message 15336
EXEC sp_rename 'dbo.t.a', 'c', 'COLUMN'
GO
--@ source: message 3729
CREATE TABLE dbo.c (x int CONSTRAINT checked CHECK (dbo.plain(x) > 0), y int CONSTRAINT given DEFAULT dbo.moment())
DROP FUNCTION dbo.plain
GO
--@ source: message 3729
ALTER FUNCTION dbo.plain (@a int) RETURNS int AS BEGIN RETURN 5 END
GO
--@ source: message 3729
DROP FUNCTION dbo.moment
GO
--@ source: reasoned
DROP TABLE dbo.c
DROP FUNCTION dbo.plain
DROP FUNCTION dbo.above, dbo.bound, dbo.above_moment, dbo.moment, dbo.reads, dbo.rows
DROP TABLE dbo.t
SELECT name FROM sys.objects WHERE type IN ('FN', 'IF', 'U') ORDER BY name
GO
--@ source: reasoned
-- Binding goes when it is not repeated.
CREATE FUNCTION dbo.bound (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a + 1 END
GO
--@ source: reasoned
ALTER FUNCTION dbo.bound (@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
--@ source: reasoned
SELECT is_schema_bound FROM sys.sql_modules WHERE object_id = OBJECT_ID(N'dbo.bound', N'FN')
GO
