-- SET XACT_ABORT OFF in a trigger: an error that ends its statement alone ends neither the trigger nor the statement that has fired it.
--@ source: reasoned
CREATE DATABASE WithoutAbort
GO
--@ source: documentation SET XACT_ABORT
USE WithoutAbort
CREATE TABLE t (i int)
CREATE TABLE told (what varchar(10) NOT NULL)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER goes_on ON t AFTER INSERT AS
SET XACT_ABORT OFF
INSERT told VALUES (NULL)
INSERT told VALUES ('behind')
GO
--@ source: documentation SET XACT_ABORT
SET NOCOUNT ON
BEGIN TRAN
INSERT t VALUES (1)
PRINT 'next'
SELECT @@TRANCOUNT AS open_transactions, (SELECT COUNT(*) FROM t) AS t, (SELECT COUNT(*) FROM told) AS told
COMMIT
GO
-- The rows that the statement has put into a table variable stay with it.
--@ source: documentation OUTPUT clause
SET NOCOUNT ON
DECLARE @v table (i int)
BEGIN TRY
    DELETE t OUTPUT deleted.i INTO @v WHERE i = 7
END TRY
BEGIN CATCH
    PRINT 'not reached'
END CATCH
INSERT t OUTPUT inserted.i INTO @v VALUES (7)
SELECT COUNT(*) AS kept FROM @v
DELETE t WHERE i = 7
GO
-- A TRY around the statement catches it.
--@ source: documentation TRY...CATCH
SET NOCOUNT ON
BEGIN TRY
    INSERT t VALUES (2)
    PRINT 'not reached'
END TRY
BEGIN CATCH
    PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_PROCEDURE())
END CATCH
SELECT COUNT(*) AS t FROM t
GO
-- Without it the trigger's error ends the batch and undoes the statement.
--@ source: documentation SET XACT_ABORT
SET NOCOUNT ON
GO
--@ source: documentation CREATE TRIGGER
ALTER TRIGGER goes_on ON t AFTER INSERT AS
INSERT told VALUES (NULL)
INSERT told VALUES ('behind')
GO
--@ source: documentation SET XACT_ABORT
INSERT t VALUES (3)
PRINT 'not reached'
GO
--@ source: documentation SET XACT_ABORT
SELECT COUNT(*) AS t FROM t
GO
--@ source: reasoned
USE master
DROP DATABASE WithoutAbort
GO
