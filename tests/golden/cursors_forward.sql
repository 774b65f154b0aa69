-- Forward-only cursors: the query runs as they are fetched from, over the rows as they are then.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE t (a int PRIMARY KEY, b varchar(10) NOT NULL)
CREATE TABLE h (a int, b varchar(10) NOT NULL)
GO
-- Changes ahead of it are seen, those behind it are not.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
INSERT t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five')
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a, b FROM t
OPEN c
SELECT @@CURSOR_ROWS AS n, CURSOR_STATUS('local', 'c') AS s
FETCH c
UPDATE t SET b = 'changed' WHERE a <= 2
FETCH c
DELETE t WHERE a IN (1, 3)
FETCH c
INSERT t VALUES (0, 'behind'), (6, 'six')
FETCH c
FETCH c
FETCH c
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('local', 'c') AS s
FETCH c
CLOSE c
OPEN c
FETCH c
GO
-- The same in a heap.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
INSERT h VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')
DECLARE c CURSOR LOCAL FORWARD_ONLY READ_ONLY FOR SELECT a, b FROM h
OPEN c
FETCH c
UPDATE h SET b = 'changed' WHERE a = 2
DELETE h WHERE a = 3
FETCH c
FETCH c
FETCH c
GO
-- Backwards along an index, with two subqueries of each row.
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR
    SELECT t.a, t.b, (SELECT COUNT(*) FROM h WHERE h.a <= t.a) AS n FROM t
    WHERE EXISTS (SELECT 1 FROM h WHERE h.a = t.a) ORDER BY t.a DESC
OPEN c
FETCH c
DELETE t WHERE a = 2
FETCH c
SELECT @@FETCH_STATUS AS f
INSERT t VALUES (2, 'two')
GO
-- What a sort has read is given, whatever happens to the rows.
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a, b FROM h ORDER BY b
OPEN c
DELETE h WHERE a = 1
FETCH c
FETCH c
FETCH c
INSERT h VALUES (1, 'one')
GO
-- COMMIT leaves it where it is, and each FETCH is of the transaction that is open then.
--@ source: documentation SET CURSOR_CLOSE_ON_COMMIT
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t
BEGIN TRAN
OPEN c
FETCH c
DELETE t WHERE a = 2
COMMIT
FETCH c
BEGIN TRAN
UPDATE t SET a = 50 WHERE a = 5
FETCH c
COMMIT
FETCH c
SELECT @@FETCH_STATUS AS f, @@TRANCOUNT AS n
GO
-- ROLLBACK closes it; one to a savepoint does not, and the rows are there again.
--@ source: documentation ROLLBACK TRANSACTION
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t
OPEN c
FETCH c
BEGIN TRAN
SAVE TRAN s
DELETE t WHERE a = 4
INSERT t VALUES (3, 'three')
ROLLBACK TRAN s
FETCH c
ROLLBACK
SELECT CURSOR_STATUS('local', 'c') AS s, @@CURSOR_ROWS AS n
FETCH c
GO
-- Two of one table, one of them inside of a procedure that is called between two rows of the other.
--@ source: reasoned
CREATE PROCEDURE dbo.inner_rows @least int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @a int
    DECLARE i CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t WHERE a >= @least
    OPEN i
    FETCH i INTO @a
    WHILE @@FETCH_STATUS = 0
    BEGIN
        PRINT CONCAT('  ', @a)
        FETCH i INTO @a
    END
    DELETE t WHERE a = 6
END
GO
--@ source: reasoned
SET NOCOUNT ON
DECLARE @a int
DECLARE o CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t WHERE a > 0
OPEN o
FETCH o INTO @a
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT @a
    EXEC dbo.inner_rows @a
    FETCH o INTO @a
END
GO
--@ source: reasoned
DROP PROCEDURE dbo.inner_rows
GO
-- A global one goes on in later batches, until its table is another one.
--@ source: reasoned
SET NOCOUNT ON
DECLARE g CURSOR GLOBAL FAST_FORWARD FOR SELECT a, b FROM t
OPEN g
FETCH g
GO
--@ source: message 16943
SET NOCOUNT ON
FETCH g
ALTER TABLE t ADD c int
FETCH g
GO
--@ source: message 16943
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('global', 'g') AS s
CLOSE g
OPEN g
FETCH g
DROP TABLE t
FETCH g
GO
--@ source: message 16943
SET NOCOUNT ON
CREATE TABLE t (a int PRIMARY KEY, b varchar(10) NOT NULL)
INSERT t VALUES (1, 'one'), (2, 'two'), (3, 'three')
FETCH g
GO
-- A change of the schema that is taken back has been one, too.
--@ source: message 16943
SET NOCOUNT ON
CLOSE g
OPEN g
FETCH g
BEGIN TRAN
SAVE TRAN s
DROP TABLE t
FETCH g
ROLLBACK TRAN s
FETCH g
COMMIT
DEALLOCATE g
GO
-- An error in one row leaves it open, and the next row follows.
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a, 10 / (a - 2) AS q FROM t
OPEN c
FETCH c
FETCH c
SELECT @@FETCH_STATUS AS f, CURSOR_STATUS('local', 'c') AS s
FETCH c
GO
-- OPEN and FETCH begin a transaction.
--@ source: documentation SET IMPLICIT_TRANSACTIONS
SET NOCOUNT ON
SET IMPLICIT_TRANSACTIONS ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t
OPEN c
SELECT @@TRANCOUNT AS opened
COMMIT
FETCH c
SELECT @@TRANCOUNT AS fetched
COMMIT
SET IMPLICIT_TRANSACTIONS OFF
GO
-- Its expressions mean what they meant when it was opened.
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT a, b + CAST(NULL AS varchar(1)) AS n, DATEPART(weekday, '20240101') AS d FROM t
OPEN c
FETCH c
SET CONCAT_NULL_YIELDS_NULL OFF
SET DATEFIRST 1
FETCH c
SET CONCAT_NULL_YIELDS_NULL ON
SET DATEFIRST 7
GO
-- Temporary tables, table variables, catalogue views: the last are a copy.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE #w (a int)
INSERT #w VALUES (1), (2), (3)
DECLARE @v TABLE (a int PRIMARY KEY)
INSERT @v VALUES (1), (2), (3)
DECLARE w CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM #w
DECLARE v CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM @v
DECLARE s CURSOR LOCAL FAST_FORWARD FOR SELECT name FROM sys.tables WHERE name IN ('h', 't') ORDER BY name
OPEN w
OPEN v
OPEN s
FETCH w
FETCH v
DELETE #w WHERE a = 2
DELETE @v WHERE a = 2
CREATE TABLE #x (a int)
FETCH w
FETCH v
DROP TABLE h, t
FETCH s
FETCH s
DROP TABLE #w
FETCH w
GO
-- Its query's hints count.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FAST_FORWARD FOR
    WITH n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 50) SELECT a FROM n OPTION (MAXRECURSION 2)
OPEN c
FETCH c
FETCH c
FETCH c
FETCH c
GO
-- A loop that changes its cursor's table comes to an end where the query's rows are no rows of the table.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
CREATE TABLE o (cust int, n int, PRIMARY KEY (cust, n))
INSERT o VALUES (1, 1), (1, 2), (2, 1)
DECLARE @a int, @rounds int = 0
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT DISTINCT cust FROM o
OPEN c
FETCH c INTO @a
WHILE @@FETCH_STATUS = 0 AND @rounds < 50
BEGIN
    INSERT o VALUES (@a + 10, 1)
    SET @rounds += 1
    FETCH c INTO @a
END
SELECT @rounds AS rounds
DECLARE d CURSOR LOCAL FORWARD_ONLY FOR SELECT cust, COUNT(*) FROM o GROUP BY cust
SET @rounds = 0
DECLARE @n int
OPEN d
FETCH d INTO @a, @n
WHILE @@FETCH_STATUS = 0 AND @rounds < 50
BEGIN
    INSERT o VALUES (@a + 100, 1)
    SET @rounds += 1
    FETCH d INTO @a, @n
END
SELECT @rounds AS rounds
DROP TABLE o
GO
-- What rolls back without ROLLBACK closes it as well: its rows never were.
--@ source: documentation ROLLBACK TRANSACTION
SET NOCOUNT ON
SET XACT_ABORT ON
CREATE TABLE p (a int PRIMARY KEY)
INSERT p VALUES (1), (2)
DECLARE g CURSOR GLOBAL FAST_FORWARD FOR SELECT a FROM p ORDER BY -a
BEGIN TRANSACTION
INSERT p VALUES (3), (4)
OPEN g
FETCH g
SELECT 1 / 0
GO
--@ source: documentation ROLLBACK TRANSACTION
SET XACT_ABORT OFF
FETCH g
DEALLOCATE g
GO
-- Its expressions stay in the database of OPEN.
--@ source: reasoned
SET NOCOUNT ON
DECLARE @home sysname = DB_NAME()
DECLARE g CURSOR GLOBAL FAST_FORWARD FOR SELECT a, CASE DB_NAME() WHEN 'tempdb' THEN 'another' ELSE 'home' END AS place FROM p
OPEN g
FETCH g
EXEC ('USE tempdb; FETCH g')
DEALLOCATE g
DROP TABLE p
GO
