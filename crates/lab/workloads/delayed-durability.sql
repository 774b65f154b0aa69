-- Delayed durability (lazy commit): transactions whose commit does not wait for the log.
-- After "SQL Server: Delayed Durability (Lazy Commit)", part 2: 100 fully durable transactions are 100 log writes,
-- 100 delayed ones are a single larger write.
USE master
GO
IF DB_ID('MyDemoDB') IS NOT NULL
BEGIN
    ALTER DATABASE [MyDemoDB] SET SINGLE_USER WITH ROLLBACK IMMEDIATE
    DROP DATABASE [MyDemoDB]
END
GO
-- A new database in the full recovery model, with a full backup.
CREATE DATABASE [MyDemoDB]
GO
ALTER DATABASE [MyDemoDB] SET RECOVERY FULL WITH NO_WAIT
GO
ALTER DATABASE [MyDemoDB] MODIFY FILE ( NAME = N'MyDemoDB', SIZE = 500MB )
GO
ALTER DATABASE [MyDemoDB] MODIFY FILE ( NAME = N'MyDemoDB_log', SIZE = 500MB )
GO
BACKUP DATABASE [MyDemoDB] TO DISK = 'MyDemoDB.bak'
GO
USE [MyDemoDB]
GO
CREATE TABLE DemoTable (col1 int IDENTITY PRIMARY KEY CLUSTERED,
    col2 varchar(100))
GO
USE [master]
GO
ALTER DATABASE [MyDemoDB] SET DELAYED_DURABILITY = ALLOWED WITH NO_WAIT
GO
SELECT [name], [delayed_durability], [delayed_durability_desc]
FROM sys.databases WHERE name = 'MyDemoDB'
GO
USE MyDemoDB
GO
CREATE PROCEDURE Insert_DemoTable
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @counter AS INT = 0
    DECLARE @start datetime
    SELECT @start = getdate()
    WHILE (@counter < 100)
    BEGIN
        BEGIN TRAN
        INSERT INTO DemoTable VALUES( @counter)
        SET @counter = @counter + 1
        COMMIT WITH (DELAYED_DURABILITY = OFF)
    END
    SELECT datediff(second, @start, getdate() )
END
GO
CREATE PROCEDURE Insert_DemoTable_Delayed
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @counter AS INT = 0
    DECLARE @start datetime
    SELECT @start = getdate()
    WHILE (@counter < 1000)
    BEGIN
        BEGIN TRAN
        INSERT INTO DemoTable VALUES( @counter)
        SET @counter = @counter + 1
        COMMIT WITH (DELAYED_DURABILITY = ON)
    END
    SELECT datediff(second, @start, getdate() )
END
GO
EXEC Insert_DemoTable
GO
EXEC Insert_DemoTable_Delayed
GO
EXEC sys.sp_flush_log
GO
SELECT COUNT(*) AS row_count, MIN(col1) AS first_key, MAX(col1) AS last_key FROM DemoTable
SELECT col1, col2 FROM DemoTable WHERE col1 IN (1, 100, 1100) ORDER BY col1
GO
