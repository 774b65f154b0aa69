-- Functions of several statements that give rows.
--@ source: reasoned
CREATE DATABASE FunctionsTable
GO
--@ source: reasoned
USE FunctionsTable
CREATE TABLE dbo.employee (id int NOT NULL CONSTRAINT pk_employee PRIMARY KEY, name nvarchar(30) NOT NULL, boss int NULL, pay money NOT NULL)
INSERT dbo.employee VALUES (1, N'Ada', NULL, 100), (2, N'Bea', 1, 80), (3, N'Cyd', 1, 70), (4, N'Dee', 2, 50), (5, N'Eve', 4, 40)
GO
-- A recursive common table expression within, as the documentation has it.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.reports_of (@boss int)
RETURNS @found TABLE (id int PRIMARY KEY NOT NULL, name nvarchar(30) NOT NULL, level int NOT NULL)
AS
BEGIN
    WITH below (id, name, level) AS (
        SELECT id, name, 0 FROM dbo.employee WHERE id = @boss
        UNION ALL
        SELECT e.id, e.name, b.level + 1 FROM dbo.employee AS e JOIN below AS b ON e.boss = b.id
    )
    INSERT @found SELECT id, name, level FROM below
    RETURN
END
GO
--@ source: documentation CREATE FUNCTION
SELECT id, name, level FROM dbo.reports_of(1) ORDER BY id
SELECT name FROM reports_of(2) AS r WHERE r.level > 0 ORDER BY level
SELECT COUNT(*) AS n FROM dbo.reports_of(77)
SELECT reports_of.id FROM reports_of(4) WHERE reports_of.level = 1
SELECT dbo.reports_of.name FROM dbo.reports_of(5)
GO
-- Variables, IF, WHILE, a cursor, further table variables; RETURN ends where it stands.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.counted (@from int, @to int = 3) RETURNS @r TABLE (n int, text varchar(10)) AS
BEGIN
    DECLARE @n int = @from, @other TABLE (k int IDENTITY(10, 10), v int)
    IF @n IS NULL RETURN
    WHILE @n <= @to
    BEGIN
        INSERT @other (v) VALUES (@n)
        IF @n = 5 BREAK
        SET @n += 1
    END
    INSERT INTO @r (n, text) SELECT v, CONCAT('row ', k) FROM @other
    UPDATE @r SET text = UPPER(text) WHERE n % 2 = 0
    DELETE @r WHERE n = 3
    RETURN
    INSERT @r (n) VALUES (-1)
    RETURN
END
GO
--@ source: reasoned
SELECT n, text FROM dbo.counted(1, DEFAULT) ORDER BY n
SELECT n, text FROM dbo.counted(1, 100) ORDER BY n
SELECT COUNT(*) AS n FROM dbo.counted(NULL, 1)
DECLARE @n smallint = 2
SELECT n FROM dbo.counted(@n, @n + 2) ORDER BY n
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.running () RETURNS @r TABLE (id int PRIMARY KEY, pay money, total money) AS
BEGIN
    DECLARE @id int, @pay money, @total money = 0
    DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT id, pay FROM dbo.employee ORDER BY id
    OPEN c
    FETCH NEXT FROM c INTO @id, @pay
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @total += @pay
        INSERT @r VALUES (@id, @pay, @total)
        FETCH NEXT FROM c INTO @id, @pay
    END
    CLOSE c
    DEALLOCATE c
    RETURN
END
GO
--@ source: reasoned
SELECT * FROM dbo.running()
GO
--@ source: message 313
SELECT * FROM dbo.counted(1)
GO
--@ source: message 8144
SELECT * FROM dbo.reports_of(1, 2)
GO
--@ source: message 216
SELECT * FROM dbo.reports_of
GO
--@ source: message 317
SELECT * FROM dbo.reports_of(1) AS r (a, b, c)
GO
--@ source: message 4104
SELECT * FROM dbo.employee AS e JOIN dbo.reports_of(e.id) AS r ON r.id = e.id
GO
-- What a body may not do is told when it is made.
--@ source: message 178
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN RETURN 1 END
GO
--@ source: message 444
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN SELECT id FROM dbo.employee RETURN END
GO
--@ source: message 455
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN INSERT @r VALUES (1) END
GO
--@ source: message 443
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN INSERT dbo.employee VALUES (9, N'x', 1, 1) RETURN END
GO
--@ source: message 443
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN PRINT 'x' RETURN END
GO
--@ source: message 207
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN INSERT @r SELECT missing FROM dbo.employee RETURN END
GO
--@ source: message 137
CREATE FUNCTION dbo.wrong () RETURNS @r TABLE (a int) AS BEGIN INSERT @r VALUES (@b) RETURN END
GO
--@ source: message 156
CREATE FUNCTION dbo.named () RETURNS @r TABLE (a int, CONSTRAINT pk PRIMARY KEY (a)) AS BEGIN RETURN END
GO
-- A table that comes later is no mistake yet.
--@ source: reasoned
CREATE FUNCTION dbo.late () RETURNS @r TABLE (a int) AS BEGIN INSERT @r SELECT a FROM dbo.later RETURN END
GO
--@ source: message 208
SELECT * FROM dbo.late()
GO
--@ source: reasoned
CREATE TABLE dbo.later (a int)
INSERT dbo.later VALUES (4), (5)
SELECT SUM(a) AS a FROM dbo.late()
GO
-- Constraints of the table hold; an error ends the statement that has called.
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.strict (@what int) RETURNS @r TABLE (id int IDENTITY PRIMARY KEY, u int UNIQUE, c int CHECK (c < 10), d int DEFAULT 7, n int NOT NULL, s varchar(3)) AS
BEGIN
    INSERT @r (u, c, n, s) VALUES (1, 1, 1, 'abc')
    IF @what = 1 INSERT @r (u, c, n) VALUES (1, 1, 1)
    IF @what = 2 INSERT @r (u, c, n) VALUES (2, 10, 1)
    IF @what = 3 INSERT @r (u, c, n) VALUES (2, 1, NULL)
    IF @what = 4 INSERT @r (u, c, n, s) VALUES (2, 1, 1, 'abcd')
    IF @what = 5 INSERT @r (u, c, n) VALUES (2, 1, 1 / (@what - 5))
    RETURN
END
GO
--@ source: reasoned
SELECT id, u, c, d, n, s FROM dbo.strict(0)
GO
--@ source: message 2627
BEGIN TRY SELECT id FROM dbo.strict(1) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
BEGIN TRY SELECT id FROM dbo.strict(2) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
GO
--@ source: message 515
SELECT id FROM dbo.strict(3)
GO
--@ source: message 2628
SELECT id FROM dbo.strict(4)
GO
--@ source: message 8134
SELECT id FROM dbo.strict(5)
SELECT 'goes on' AS batch
GO
--@ source: reasoned
BEGIN TRY SELECT id FROM dbo.strict(3) END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS procedure_name, ERROR_LINE() AS line END CATCH
SELECT @@TRANCOUNT AS open_transactions
GO
--@ source: reasoned
BEGIN TRAN
INSERT dbo.later VALUES (6)
SELECT id FROM dbo.strict(3)
SELECT COUNT(*) AS kept, @@TRANCOUNT AS open_transactions FROM dbo.later
ROLLBACK
GO
-- @@ROWCOUNT and @@ERROR are those of the calling statement; @@PROCID is the function's; it nests one level deeper.
--@ source: reasoned
CREATE FUNCTION dbo.about () RETURNS @r TABLE (own bit, level int, before int) AS
BEGIN
    INSERT @r VALUES (CASE WHEN @@PROCID = OBJECT_ID('dbo.about') THEN 1 ELSE 0 END, @@NESTLEVEL, @@ROWCOUNT)
    RETURN
END
GO
--@ source: reasoned
SELECT id FROM dbo.employee WHERE id < 4 ORDER BY id
SELECT * FROM dbo.about()
SELECT @@ROWCOUNT AS n, @@ERROR AS error, @@NESTLEVEL AS level
GO
-- Its statements begin no transaction of their own; a doomed one is no obstacle.
--@ source: documentation SET IMPLICIT_TRANSACTIONS
SET IMPLICIT_TRANSACTIONS ON
SELECT COUNT(*) AS n FROM dbo.reports_of(1)
SELECT @@TRANCOUNT AS open_transactions
ROLLBACK
DECLARE @t TABLE (n int)
INSERT @t SELECT id FROM dbo.reports_of(2)
IF @@TRANCOUNT > 0 ROLLBACK
SET IMPLICIT_TRANSACTIONS OFF
SELECT COUNT(*) AS n, @@TRANCOUNT AS open_transactions FROM @t
GO
--@ source: reasoned
SET XACT_ABORT ON
BEGIN TRAN
BEGIN TRY INSERT dbo.later VALUES (1 / 0) END TRY
BEGIN CATCH SELECT XACT_STATE() AS state; SELECT COUNT(*) AS n FROM dbo.reports_of(1) END CATCH
ROLLBACK
SET XACT_ABORT OFF
GO
-- One function calls another, and itself.
--@ source: reasoned
CREATE FUNCTION dbo.down (@n int) RETURNS @r TABLE (n int) AS
BEGIN
    INSERT @r VALUES (@n)
    IF @n > 1 INSERT @r SELECT n FROM dbo.down(@n - 1)
    RETURN
END
GO
--@ source: reasoned
SELECT COUNT(*) AS n, SUM(n) AS total FROM dbo.down(10)
SELECT COUNT(*) AS n FROM dbo.down(32)
GO
--@ source: message 217
SELECT COUNT(*) AS n FROM dbo.down(33)
GO
-- What it reads while its statement changes it is there before the change.
--@ source: reasoned
CREATE FUNCTION dbo.richest () RETURNS @r TABLE (most money) AS BEGIN INSERT @r SELECT MAX(pay) FROM dbo.employee RETURN END
GO
--@ source: reasoned
UPDATE e SET pay = r.most + e.id FROM dbo.employee AS e CROSS APPLY dbo.richest() AS r
SELECT id, pay FROM dbo.employee ORDER BY id
INSERT dbo.employee SELECT e.id + 10, e.name, e.boss, r.most FROM dbo.employee AS e CROSS APPLY dbo.richest() AS r
SELECT COUNT(*) AS n, MAX(pay) AS most FROM dbo.employee
DELETE e FROM dbo.employee AS e CROSS APPLY dbo.richest() AS r WHERE e.id > 10 AND e.pay = r.most
SELECT COUNT(*) AS n FROM dbo.employee
GO
--@ source: message 270
UPDATE r SET most = 1 FROM dbo.richest() AS r
GO
-- ALTER and DROP hold at once; a function stays of its kind.
--@ source: documentation ALTER FUNCTION
ALTER FUNCTION dbo.richest () RETURNS @r TABLE (most money, least money) AS BEGIN INSERT @r SELECT MAX(pay), MIN(pay) FROM dbo.employee RETURN END
GO
--@ source: reasoned
SELECT * FROM dbo.richest()
GO
--@ source: message 2010
ALTER FUNCTION dbo.richest () RETURNS TABLE AS RETURN SELECT 1 AS a
GO
--@ source: reasoned
DROP FUNCTION dbo.richest
GO
--@ source: message 208
SELECT * FROM dbo.richest()
GO
-- Facts of the catalogue.
--@ source: documentation sys.objects
SELECT name, type, type_desc FROM sys.objects WHERE object_id = OBJECT_ID('dbo.strict', 'TF')
SELECT c.name, c.column_id, TYPE_NAME(c.system_type_id) AS type, c.max_length, c.is_nullable, c.is_identity FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('dbo.strict') ORDER BY c.column_id
GO
--@ source: reasoned
USE master
DROP DATABASE FunctionsTable
GO
