-- Bodies of functions: what is found when a function is made.
--@ source: reasoned
CREATE DATABASE FunctionsChecked
GO
--@ source: reasoned
USE FunctionsChecked
CREATE TABLE dbo.t (id int PRIMARY KEY, a int)
INSERT dbo.t VALUES (1, 10), (2, 20)
GO
--@ source: message 443
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    INSERT dbo.t VALUES (3, 30)
    UPDATE dbo.t SET a = 1
    DELETE dbo.t
    MERGE dbo.t USING (VALUES (1)) AS v (x) ON id = x WHEN MATCHED THEN DELETE;
    TRUNCATE TABLE dbo.t
    SELECT id INTO dbo.u FROM dbo.t
    RETURN 1
END
GO
--@ source: message 443
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    BEGIN TRANSACTION
    SAVE TRANSACTION s
    ROLLBACK TRANSACTION
    COMMIT TRANSACTION
    SET NOCOUNT ON
    SET STATISTICS TIME ON
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
    SET IDENTITY_INSERT dbo.t ON
    SET ROWCOUNT 1
    SET TEXTSIZE 100
    SET LOCK_TIMEOUT 100
    RETURN 1
END
GO
--@ source: message 443
CREATE FUNCTION dbo.f (@a int) RETURNS int AS
BEGIN
    PRINT 'no'
    RAISERROR ('no', 16, 1);
    THROW 50000, 'no', 1
    WAITFOR DELAY '00:00:01'
    EXEC ('SELECT 1')
    BEGIN TRY
        SET @a = 1
    END TRY
    BEGIN CATCH
        SET @a = 2
    END CATCH
    RETURN @a
END
GO
--@ source: message 443
CREATE FUNCTION dbo.f () RETURNS float AS
BEGIN
    DECLARE @u uniqueidentifier = NEWID()
    RETURN RAND() + (SELECT COUNT(*) FROM dbo.t WHERE a > rand(5))
END
GO
--@ source: documentation User-defined functions
CREATE FUNCTION dbo.now () RETURNS datetime AS BEGIN RETURN GETDATE() END
GO
--@ source: message 444
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    SELECT 1
    SELECT id FROM dbo.t
    SELECT 1 UNION SELECT 2
    DECLARE c CURSOR LOCAL FOR SELECT id FROM dbo.t
    OPEN c
    FETCH NEXT FROM c
    RETURN 1
END
GO
--@ source: message 455
CREATE FUNCTION dbo.f (@x int) RETURNS int AS
BEGIN
    IF @x = 1 RETURN 1 ELSE RETURN 2
END
GO
--@ source: reasoned
CREATE FUNCTION dbo.f (@x int) RETURNS int AS
BEGIN
    IF @x = 1 RETURN 1
    BEGIN
        RETURN 2
    END
END
GO
--@ source: reasoned
SELECT dbo.f(1) AS a, dbo.f(2) AS b
DROP FUNCTION dbo.f
GO
--@ source: message 1075
CREATE FUNCTION dbo.f () RETURNS int AS BEGIN RETURN END
GO
--@ source: message 178
CREATE FUNCTION dbo.g () RETURNS @r TABLE (a int) AS BEGIN RETURN 1 END
GO
--@ source: message 2772
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    CREATE TABLE #made (a int)
    RETURN (SELECT COUNT(*) FROM #there)
END
GO
--@ source: reasoned
CREATE FUNCTION dbo.own () RETURNS int AS
BEGIN
    DECLARE @t TABLE (id int IDENTITY, a int)
    DECLARE @kept TABLE (a int)
    INSERT @t (a) OUTPUT INSERTED.a INTO @kept VALUES (1), (2), (3), (4)
    UPDATE @t SET a = a * 10 WHERE id > 1
    UPDATE x SET a += 1 FROM @t AS x WHERE x.id = 2
    DELETE x FROM @t AS x JOIN dbo.t AS t ON t.id = x.id WHERE x.id = 1;
    WITH c AS (SELECT * FROM @t) DELETE c WHERE id = 4
    MERGE @t AS t USING (VALUES (3)) AS v (x) ON t.id = v.x WHEN MATCHED THEN UPDATE SET a += 5;
    RETURN (SELECT SUM(a) FROM @t) * 100 + (SELECT SUM(a) FROM @kept)
END
GO
--@ source: reasoned
SELECT dbo.own() AS own, (20 + 1 + 30 + 5) * 100 + 10 AS wanted
GO
--@ source: reasoned
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    DECLARE @t TABLE (a int)
    INSERT @t OUTPUT INSERTED.a VALUES (1)
    INSERT @t OUTPUT INSERTED.a INTO dbo.t (a) VALUES (1)
    RETURN 1
END
GO
--@ source: message 557
CREATE PROCEDURE dbo.p AS RETURN 1
GO
--@ source: message 557
CREATE FUNCTION dbo.calls () RETURNS int AS BEGIN EXEC dbo.p RETURN 1 END
GO
--@ source: message 557
SELECT dbo.calls()
GO
--@ source: message 207
-- Every mistake of binding is told, then those of shape; nothing is made.
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    DECLARE @a int
    SELECT @a = nowhere FROM dbo.t
    IF 1 = 0 SELECT @a = not_there FROM dbo.t
    PRINT @a
    RETURN @a
END
GO
--@ source: message 137
CREATE FUNCTION dbo.f () RETURNS int AS
BEGIN
    PRINT 'told of alone'
    RETURN @undeclared
END
GO
--@ source: reasoned
-- A statement whose objects are not all there is looked at when it runs.
CREATE FUNCTION dbo.later () RETURNS int AS
BEGIN
    DECLARE @a int
    SELECT @a = MAX(v) FROM dbo.not_yet
    RETURN dbo.not_yet_either(@a)
END
GO
--@ source: message 208
SELECT dbo.later()
GO
--@ source: message 4121
CREATE TABLE dbo.not_yet (v int)
SELECT dbo.later()
GO
--@ source: reasoned
CREATE FUNCTION dbo.not_yet_either (@a int) RETURNS int AS BEGIN RETURN ISNULL(@a, -1) END
GO
--@ source: reasoned
SELECT dbo.later() AS a
INSERT dbo.not_yet VALUES (5)
SELECT dbo.later() AS a
GO
--@ source: message 111
SELECT 1 AS a
CREATE FUNCTION dbo.g () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 156
CREATE FUNCTION dbo.g () RETURNS int AS BEGIN RETURN 1 END SELECT 2
GO
--@ source: message 166
CREATE FUNCTION FunctionsChecked.dbo.g () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 1074
CREATE FUNCTION #g () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 134
CREATE FUNCTION dbo.g (@a int, @A int) RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 134
CREATE FUNCTION dbo.g (@a int) RETURNS int AS BEGIN DECLARE @a int RETURN 1 END
GO
--@ source: message 181
CREATE FUNCTION dbo.g (@a int OUTPUT) RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 5306
CREATE FUNCTION dbo.g (@a cursor) RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 1039
CREATE FUNCTION dbo.g () RETURNS int WITH SCHEMABINDING, SCHEMABINDING AS BEGIN RETURN 1 END
GO
--@ source: message 487
CREATE FUNCTION dbo.g () RETURNS TABLE WITH RETURNS NULL ON NULL INPUT AS RETURN SELECT 1 AS a
GO
--@ source: message 195
CREATE FUNCTION dbo.g () RETURNS int WITH RECOMPILE AS BEGIN RETURN 1 END
GO
--@ source: message 2714
CREATE FUNCTION dbo.own () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 2010
ALTER FUNCTION dbo.own () RETURNS TABLE AS RETURN SELECT 1 AS a
GO
--@ source: message 2010
CREATE OR ALTER FUNCTION dbo.p () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 208
ALTER FUNCTION dbo.nowhere () RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: message 3701
DROP FUNCTION dbo.nowhere
GO
--@ source: message 3705
DROP PROCEDURE dbo.own
GO
--@ source: documentation DROP FUNCTION
DROP FUNCTION IF EXISTS dbo.nowhere, dbo.own
SELECT name, type, type_desc FROM sys.objects WHERE type IN ('FN', 'IF', 'TF') ORDER BY name
GO
