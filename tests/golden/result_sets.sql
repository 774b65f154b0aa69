-- EXEC … WITH RESULT SETS: columns that the caller declares.
--@ source: documentation EXECUTE
CREATE TABLE dbo.rs (id int NOT NULL, name varchar(20) NULL, at datetime NULL)
INSERT dbo.rs VALUES (1, 'one', '2024-01-02'), (2, NULL, NULL)
GO
--@ source: documentation EXECUTE
CREATE PROCEDURE dbo.one AS SELECT id, name FROM dbo.rs ORDER BY id
GO
--@ source: documentation EXECUTE
CREATE PROCEDURE dbo.two AS
SELECT id, name FROM dbo.rs ORDER BY id
SELECT COUNT(*) FROM dbo.rs
GO
--@ source: documentation EXECUTE
EXEC dbo.one WITH RESULT SETS ((number bigint NOT NULL, text nvarchar(3) COLLATE Latin1_General_BIN2 NULL))
EXEC dbo.two WITH RESULT SETS ((a varchar(5), b char(4)), (n decimal(5, 2)))
EXEC dbo.two WITH RESULT SETS UNDEFINED
GO
--@ source: documentation EXECUTE
EXEC ('SELECT 1, 2') WITH RESULT SETS ((x int, y int))
EXEC sp_executesql N'SELECT @a', N'@a int', @a = 5 WITH RESULT SETS ((x varchar(10)))
DECLARE @p sysname = N'dbo.one' EXEC @p WITH RECOMPILE, RESULT SETS ((x int, y varchar(20)))
GO
--@ source: documentation EXECUTE
CREATE VIEW dbo.shape AS SELECT CAST(NULL AS bigint) AS big, CAST(NULL AS nvarchar(10)) AS words
GO
--@ source: documentation EXECUTE
EXEC dbo.one WITH RESULT SETS (AS OBJECT dbo.shape)
EXEC dbo.two WITH RESULT SETS ((AS OBJECT shape), (n int))
EXEC ('SELECT id AS ''@id'' FROM dbo.rs FOR XML PATH(''r'')') WITH RESULT SETS (AS FOR XML)
GO
--@ source: message 11533
EXEC dbo.one WITH RESULT SETS (AS OBJECT dbo.nothing)
SELECT 1 AS went_on
GO
-- More results than are declared.
--@ source: message 11535
EXEC dbo.two WITH RESULT SETS ((a int, b varchar(20)))
SELECT @@ERROR AS error
GO
--@ source: message 11535
EXEC dbo.one WITH RESULT SETS NONE
SELECT @@ERROR AS error
GO
--@ source: message 11536
EXEC dbo.one WITH RESULT SETS ((a int, b varchar(20)), (c int))
SELECT @@ERROR AS error
GO
--@ source: message 11537
EXEC dbo.one WITH RESULT SETS ((a int))
SELECT @@ERROR AS error
GO
--@ source: message 11538
EXEC dbo.one WITH RESULT SETS ((a date, b varchar(20)))
SELECT @@ERROR AS error
GO
-- The rows before the one that cannot be sent are there.
--@ source: message 11553
EXEC dbo.one WITH RESULT SETS ((a int NOT NULL, b varchar(20) NOT NULL))
SELECT @@ERROR AS error
GO
--@ source: message 8114
EXEC dbo.one WITH RESULT SETS ((a int, b int))
SELECT @@ERROR AS error
GO
--@ source: message 11535
BEGIN TRY
    EXEC dbo.two WITH RESULT SETS ((a int, b varchar(20)))
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure], ERROR_LINE() AS line
END CATCH
GO
--@ source: message 11536
BEGIN TRY
    EXEC dbo.one WITH RESULT SETS ((a int, b varchar(20)), (c int))
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure], ERROR_LINE() AS line
END CATCH
GO
-- Of two clauses the inner one comes first.
--@ source: reasoned
CREATE PROCEDURE dbo.outer_one AS
EXEC dbo.one WITH RESULT SETS ((inner_id varchar(10), inner_name varchar(2)))
SELECT 'after' AS told
GO
--@ source: reasoned
EXEC dbo.outer_one WITH RESULT SETS ((id int, name nvarchar(30)), (told varchar(10)))
EXEC dbo.outer_one WITH RESULT SETS ((id int, name nvarchar(30)))
SELECT 'behind' AS told
GO
-- What a callee changes stays.
--@ source: reasoned
CREATE PROCEDURE dbo.changes AS
INSERT dbo.rs (id) VALUES (3)
SELECT 1 AS x
INSERT dbo.rs (id) VALUES (4)
GO
--@ source: reasoned
EXEC dbo.changes WITH RESULT SETS NONE
SELECT COUNT(*) AS n FROM dbo.rs
GO
-- Procedures of the system, and what a client is told beforehand.
--@ source: documentation EXECUTE
EXEC sp_helptext N'dbo.one' WITH RESULT SETS ((line nvarchar(40)))
EXEC sp_describe_first_result_set N'EXEC (''SELECT 1'') WITH RESULT SETS ((a tinyint NOT NULL))' WITH RESULT SETS UNDEFINED
GO
--@ source: message 102
INSERT dbo.rs (id) EXEC ('SELECT 1') WITH RESULT SETS ((x int))
GO
--@ source: documentation EXECUTE
CREATE TYPE dbo.tt AS TABLE (number bigint NOT NULL, name nvarchar(8))
CREATE TYPE dbo.narrow AS TABLE (number bigint)
GO
--@ source: documentation EXECUTE
EXEC ('SELECT 1, ''abc''') WITH RESULT SETS (AS TYPE dbo.tt)
EXEC ('SELECT 2, NULL') WITH RESULT SETS (AS TYPE tt)
GO
--@ source: message 11537
EXEC dbo.one WITH RESULT SETS (AS TYPE dbo.narrow)
GO
--@ source: message 11534
EXEC dbo.one WITH RESULT SETS (AS TYPE dbo.nowhere)
GO
--@ source: message 11534
EXEC dbo.one WITH RESULT SETS (AS TYPE dbo.rs)
GO
--@ source: reasoned
DROP TYPE dbo.tt
DROP TYPE dbo.narrow
GO
--@ source: reasoned
DROP PROCEDURE dbo.one, dbo.two, dbo.outer_one, dbo.changes
DROP VIEW dbo.shape
DROP TABLE dbo.rs
GO
