-- Scalar functions where expressions stand.
--@ source: reasoned
CREATE DATABASE FunctionsCalled
GO
--@ source: reasoned
USE FunctionsCalled
CREATE TABLE dbo.t (id int PRIMARY KEY, a int, b varchar(20))
INSERT dbo.t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, NULL, 'three')
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.twice (@a int = 5) RETURNS int AS
BEGIN
    DECLARE @x int = @a * 2
    IF @x > 1000 RETURN -1
    RETURN @x
END
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.fact (@n int) RETURNS bigint
BEGIN
    IF @n <= 1 RETURN 1
    RETURN @n * dbo.fact(@n - 1)
END
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.cut (@s varchar(3)) RETURNS varchar(2) AS BEGIN RETURN @s + 'x' END
GO
--@ source: reasoned
CREATE FUNCTION dbo.total () RETURNS int AS
BEGIN
    DECLARE @r int
    SELECT @r = SUM(a) FROM dbo.t WHERE a IS NOT NULL
    RETURN @r
END
GO
--@ source: reasoned
SELECT dbo.twice(4) AS a, dbo.twice(DEFAULT) AS b, dbo.twice('7') AS c, dbo.fact(10) AS d, dbo.total() AS e
SELECT dbo.cut('abcdef') AS cut, LEN(dbo.cut('a')) AS two, dbo.twice(dbo.twice(dbo.twice(1))) AS eight
GO
--@ source: reasoned
SELECT id, dbo.twice(a) AS x FROM dbo.t WHERE dbo.twice(a) > 10 ORDER BY dbo.twice(-id)
SELECT dbo.twice(a) AS k, COUNT(*) AS n FROM dbo.t GROUP BY dbo.twice(a) HAVING dbo.twice(COUNT(*)) = 2 ORDER BY k
SELECT t.id AS t, u.id AS u FROM dbo.t AS t JOIN dbo.t AS u ON dbo.twice(t.id) = u.id
SELECT t.id AS t, u.id AS u FROM dbo.t AS t LEFT JOIN dbo.t AS u ON u.id = dbo.twice(t.id) ORDER BY t.id
SELECT SUM(dbo.twice(id)) AS s, MAX(dbo.cut(b)) AS m FROM dbo.t
SELECT TOP (dbo.twice(1)) id FROM dbo.t ORDER BY id
SELECT id FROM dbo.t WHERE id = dbo.twice(1)
SELECT id, CASE WHEN dbo.twice(id) > 2 THEN dbo.cut(b) END AS c FROM dbo.t WHERE b IN (dbo.cut('thx') + 'ree', 'one')
SELECT v.x FROM (VALUES (dbo.twice(1)), (dbo.twice(2))) AS v (x)
SELECT id, SUM(dbo.twice(id)) OVER (ORDER BY dbo.twice(-id)) AS s FROM dbo.t ORDER BY id
SELECT (SELECT MAX(dbo.twice(u.id)) FROM dbo.t AS u WHERE u.id < t.id) AS m FROM dbo.t AS t ORDER BY id
SELECT id FROM dbo.t ORDER BY id OFFSET dbo.twice(1) ROWS
GO
--@ source: reasoned
WITH c AS (SELECT dbo.twice(id) AS d FROM dbo.t) SELECT SUM(d) AS s FROM c
SELECT dbo.twice(1) AS a UNION SELECT dbo.twice(1) UNION ALL SELECT dbo.twice(2)
SELECT DISTINCT dbo.twice(id / 2) AS d FROM dbo.t ORDER BY d
SELECT dbo.twice(id) AS d INTO dbo.made FROM dbo.t
SELECT d FROM dbo.made ORDER BY d
SELECT x.id, y.d FROM dbo.t AS x CROSS APPLY (SELECT dbo.twice(x.id) AS d) AS y ORDER BY x.id
GO
--@ source: reasoned
DECLARE @r int = dbo.twice(8), @s varchar(10)
SET @r = dbo.twice(@r) + dbo.twice(1)
SELECT @r AS thirty_four
IF dbo.twice(1) = 2 PRINT 'if'
WHILE dbo.twice(@r) < 100 SET @r += dbo.twice(1)
SELECT @r AS fifty
PRINT dbo.twice(@r)
SELECT @s = dbo.cut('q')
PRINT @s
SELECT id FROM dbo.t
SELECT dbo.total() AS total, @@ROWCOUNT AS three
GO
--@ source: documentation EXECUTE
DECLARE @r int, @s varchar(10)
EXEC @r = dbo.twice 21
SELECT @r AS r
EXEC @r = dbo.twice
SELECT @r AS r
EXEC @r = dbo.twice @a = 3
SELECT @r AS r
EXEC @s = dbo.cut 'qr'
SELECT @s AS s
EXEC dbo.twice 1
GO
--@ source: reasoned
UPDATE dbo.t SET a = dbo.total() WHERE dbo.total() = 30
SELECT * FROM dbo.t
INSERT dbo.t SELECT id + 10, dbo.total(), dbo.cut(b) FROM dbo.t
INSERT dbo.t VALUES (21, dbo.total(), 'x'), (22, dbo.total(), 'y')
SELECT * FROM dbo.t
DELETE dbo.t WHERE id > 10 AND dbo.total() = 1080
SELECT COUNT(*) AS three FROM dbo.t
MERGE dbo.t AS t USING (VALUES (1), (9)) AS v (x) ON t.id = v.x
    WHEN MATCHED THEN UPDATE SET a = dbo.total()
    WHEN NOT MATCHED THEN INSERT VALUES (v.x, dbo.total(), dbo.cut('new'));
SELECT * FROM dbo.t
GO
--@ source: documentation CREATE TABLE
CREATE TABLE dbo.d (a int DEFAULT dbo.twice(3), b int CHECK (dbo.twice(b) < 100))
INSERT dbo.d (b) VALUES (1)
INSERT dbo.d DEFAULT VALUES
SELECT * FROM dbo.d
SELECT definition FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID(N'dbo.d')
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID(N'dbo.d')
GO
--@ source: message 547
INSERT dbo.d (b) VALUES (60)
GO
--@ source: message 4120
CREATE TABLE dbo.e (a int DEFAULT FunctionsCalled.dbo.twice(3))
GO
--@ source: documentation ALTER TABLE
-- The check sees the row that is written.
CREATE TABLE dbo.CheckTbl (col1 int, col2 int)
GO
--@ source: documentation ALTER TABLE
CREATE FUNCTION dbo.CheckFnctn () RETURNS int AS
BEGIN
    DECLARE @retval int
    SELECT @retval = COUNT(*) FROM CheckTbl
    RETURN @retval
END
GO
--@ source: documentation ALTER TABLE
ALTER TABLE CheckTbl ADD CONSTRAINT chkRowCount CHECK (dbo.CheckFnctn() >= 1)
INSERT INTO CheckTbl VALUES (10, 10)
DELETE CheckTbl WHERE col1 = 10
SELECT COUNT(*) AS none FROM CheckTbl
GO
--@ source: reasoned
CREATE FUNCTION dbo.nn (@a int = NULL, @b int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN ISNULL(@a, 7) + @b
END
GO
--@ source: documentation CREATE FUNCTION
SELECT dbo.nn(1, 2) AS three, dbo.nn(NULL, 1) AS none, dbo.nn(1, NULL) AS none, dbo.nn(DEFAULT, 1) AS eight
GO
--@ source: reasoned
CREATE FUNCTION dbo.fails (@a int) RETURNS int WITH INLINE = OFF AS
BEGIN
    DECLARE @x int
    SET @x = 1 / @a
    RETURN @x
END
GO
--@ source: message 8134
SELECT dbo.fails(0)
PRINT 'goes on'
UPDATE dbo.t SET a = dbo.fails(id - 1)
PRINT 'goes on'
BEGIN TRY SELECT dbo.fails(0) END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l END CATCH
SELECT COUNT(*) AS unchanged FROM dbo.t WHERE a > 100
GO
--@ source: message 245
CREATE FUNCTION dbo.number (@s varchar(10)) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @s END
GO
--@ source: message 245
SELECT dbo.number('12') AS twelve
SELECT dbo.number('x')
PRINT 'is not reached'
GO
--@ source: reasoned
CREATE FUNCTION dbo.deep (@n int) RETURNS int AS
BEGIN
    IF @n > 1 RETURN 1 + dbo.deep(@n - 1)
    RETURN @@NESTLEVEL - @n + 1
END
GO
--@ source: message 217
SELECT dbo.deep(32) AS deep
SELECT dbo.deep(33) AS deep
PRINT 'is not reached'
GO
--@ source: message 8115
SELECT dbo.fact(25)
GO
--@ source: message 195
SELECT twice(1)
GO
--@ source: message 4121
SELECT dbo.nowhere(1)
GO
--@ source: message 313
SELECT dbo.twice()
GO
--@ source: message 8144
SELECT dbo.twice(1, 2)
GO
--@ source: message 201
SELECT dbo.fact(DEFAULT)
GO
--@ source: message 208
SELECT * FROM dbo.twice(1)
GO
--@ source: message 206
SELECT dbo.twice(CAST('2020-01-01' AS date))
GO
--@ source: message 345
UPDATE dbo.t SET a = 1 OUTPUT dbo.twice(INSERTED.a) WHERE id = 1
GO
--@ source: reasoned
CREATE FUNCTION dbo.who () RETURNS nvarchar(200) AS
BEGIN
    RETURN CONCAT(OBJECT_NAME(@@PROCID), ' ', @@NESTLEVEL, ' ', @@TRANCOUNT)
END
GO
--@ source: reasoned
CREATE PROCEDURE dbo.asks AS SELECT dbo.who() AS who
GO
--@ source: reasoned
SELECT dbo.who() AS who
EXEC dbo.asks
BEGIN TRANSACTION
SELECT dbo.who() AS who
COMMIT
GO
--@ source: documentation DECLARE CURSOR
CREATE FUNCTION dbo.summed () RETURNS int AS
BEGIN
    DECLARE @s int = 0, @a int
    DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT id FROM dbo.t
    OPEN c
    FETCH NEXT FROM c INTO @a
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @s += @a
        FETCH NEXT FROM c INTO @a
    END
    CLOSE c
    DEALLOCATE c
    RETURN @s
END
GO
--@ source: reasoned
SELECT id, dbo.summed() AS summed FROM dbo.t
GO
--@ source: reasoned
CREATE FUNCTION dbo.thrice (@a int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @a * 3 END
GO
--@ source: reasoned
-- A plan that calls a function is made anew when the function is another one.
CREATE PROCEDURE dbo.uses AS SELECT dbo.thrice(10) AS x
GO
--@ source: reasoned
EXEC dbo.uses
GO
--@ source: reasoned
ALTER FUNCTION dbo.thrice (@a int) RETURNS varchar(10) AS BEGIN RETURN CONCAT('now ', @a) END
GO
--@ source: reasoned
EXEC dbo.uses
GO
--@ source: reasoned
CREATE SCHEMA other
GO
--@ source: reasoned
CREATE FUNCTION other.f (@a int) RETURNS int AS BEGIN RETURN other.g(@a) END
GO
--@ source: reasoned
CREATE FUNCTION other.g (@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
--@ source: reasoned
SELECT other.f(1) AS two, FunctionsCalled.other.f(2) AS three
USE master
SELECT FunctionsCalled.other.f(3) AS four, FunctionsCalled.dbo.total() AS total
GO
