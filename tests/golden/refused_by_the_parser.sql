-- THROW behind a statement that no semicolon closes; variables that are read in the DECLARE that makes them; FOR UPDATE of what is no cursor.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation THROW
PRINT 'x'
THROW 50000, 'm', 1
GO
--@ source: documentation THROW
BEGIN TRY SELECT 1 / 0 AS a END TRY
BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK
    THROW
END CATCH
GO
--@ source: documentation THROW
SET NOCOUNT ON
THROW 50000, 'm', 1
GO
--@ source: documentation THROW
DECLARE @m varchar(10) = 'm'
THROW 50000, @m, 1
GO
--@ source: documentation THROW
BEGIN PRINT 'x' END
THROW 50000, 'm', 1
GO
--@ source: documentation THROW
CREATE PROCEDURE dbo.p AS
RETURN
THROW 50000, 'm', 1
GO
-- There THROW is the transaction's name.
--@ source: documentation THROW
BEGIN TRAN
ROLLBACK TRAN
THROW
GO
--@ source: documentation THROW
IF @@TRANCOUNT > 0 ROLLBACK
BEGIN TRAN;
SAVE TRAN
THROW;
ROLLBACK TRAN
THROW
SELECT @@TRANCOUNT AS n
COMMIT TRAN
THROW
SELECT @@TRANCOUNT AS n
GO
-- No statement stands before it.
--@ source: documentation THROW
IF 1 = 1 THROW 50000, 'after IF', 1
GO
--@ source: documentation THROW
IF 1 = 0 PRINT 'x' ELSE THROW 50000, 'after ELSE', 1
GO
--@ source: documentation THROW
BEGIN THROW 50000, 'after BEGIN', 1 END
GO
--@ source: documentation THROW
BEGIN TRY SELECT 1 / 0 AS a END TRY BEGIN CATCH THROW END CATCH
GO
--@ source: documentation THROW
here:
THROW 50000, 'after a label', 1
GO
-- A name like another.
--@ source: documentation THROW
SELECT throw.a THROW FROM (SELECT 1 AS a) THROW
GO
-- The variables of one DECLARE are there when it ends.
--@ source: message 137
DECLARE @a int = 1, @b int = @a + 1
PRINT 'never'
GO
--@ source: message 137
DECLARE @a int = 1, @b int = (SELECT COUNT(*) FROM sys.objects WHERE object_id < @A)
GO
--@ source: message 137
DECLARE @a int = ISNULL(@a, 1)
GO
--@ source: message 137
CREATE PROCEDURE dbo.p AS
DECLARE @a int = 1,
    @b int = @a
GO
--@ source: reasoned
DECLARE @a int = 1
DECLARE @b int = @a + 1, @c varchar(10) = '@b', @d int = @a, @e TABLE (x int)
SELECT @b AS b, @c AS c, @d AS d
GO
-- FOR UPDATE.
--@ source: reasoned
CREATE TABLE dbo.rows (a int PRIMARY KEY, b int)
INSERT dbo.rows VALUES (1, 1)
GO
--@ source: message 1003
SELECT a FROM dbo.rows FOR UPDATE
GO
--@ source: message 1003
SELECT a
FROM dbo.rows ORDER BY a
FOR UPDATE OF b
GO
--@ source: message 1003
SELECT a FROM dbo.rows OPTION (MAXDOP 1) FOR UPDATE
GO
--@ source: message 1003
INSERT dbo.rows SELECT a + 1, b FROM dbo.rows FOR UPDATE
GO
--@ source: message 1003
SELECT * FROM (SELECT a FROM dbo.rows FOR UPDATE) AS t
GO
--@ source: message 1003
CREATE VIEW dbo.v AS SELECT a FROM dbo.rows FOR UPDATE
GO
--@ source: documentation DECLARE CURSOR
DECLARE c CURSOR FOR SELECT a FROM dbo.rows FOR UPDATE OF b
DEALLOCATE c
GO
--@ source: reasoned
DECLARE c CURSOR FOR SELECT a FROM dbo.rows FOR READ ONLY
OPEN c
FETCH c
CLOSE c
DEALLOCATE c
DROP TABLE dbo.rows
GO
