-- Control of flow: IF, WHILE, BREAK, CONTINUE, GOTO, WAITFOR, and cursors of every kind that runs.
--@ source: reasoned
CREATE DATABASE ChangesFlow
GO
--@ source: documentation WHILE
USE ChangesFlow
CREATE TABLE Product (id int CONSTRAINT pk_product PRIMARY KEY, ListPrice money)
INSERT Product VALUES (1, 100), (2, 250), (3, 40)
WHILE (SELECT AVG(ListPrice) FROM Product) < 300
BEGIN
    UPDATE Product SET ListPrice = ListPrice * 2
    SELECT MAX(ListPrice) AS m FROM Product
    IF (SELECT MAX(ListPrice) FROM Product) > 500 BREAK
    ELSE CONTINUE
END
PRINT 'Too much for the market to bear'
GO
--@ source: documentation WHILE
DECLARE @i int = 0, @j int
WHILE @i < 4
BEGIN
    SET @i += 1
    IF @i = 2 CONTINUE
    SET @j = 0
    WHILE 1 = 1
    BEGIN
        SET @j += 1
        IF @j > @i BREAK
        PRINT CONCAT(@i, ' ', @j)
    END
    IF @i = 3 BREAK
END
PRINT @i
GO
--@ source: documentation WHILE
DECLARE @n int = NULL
WHILE @n < 5 PRINT 'never'
IF @n = NULL PRINT 'never' ELSE PRINT 'else'
IF NOT (@n = 1) PRINT 'never'
IF @n IS NULL PRINT 'null'
WHILE @n IS NULL SET @n = 1
PRINT @n
GO
--@ source: message 135
BREAK
GO
--@ source: message 136
CONTINUE
GO
--@ source: documentation IF...ELSE
IF 1 = 1 IF 1 = 0 PRINT 'a' ELSE PRINT 'b'
IF 1 = 0 PRINT 'c'; ELSE PRINT 'd'
IF EXISTS (SELECT * FROM Product WHERE id = 9) PRINT 'e' ELSE IF (SELECT COUNT(*) FROM Product) = 3 PRINT 'f' ELSE PRINT 'g'
GO
--@ source: message 4145
IF 1 PRINT 'x'
GO
--@ source: message 4145
DECLARE @b bit = 1
IF @b PRINT 'x'
GO
--@ source: documentation GOTO
DECLARE @Counter int = 1
WHILE @Counter < 10
BEGIN
    PRINT @Counter
    SET @Counter = @Counter + 1
    IF @Counter = 4 GOTO Branch_One
    IF @Counter = 5 GOTO Branch_Two
END
Branch_One:
    PRINT 'Jumping To Branch One.'
    GOTO Branch_Three
Branch_Two:
    PRINT 'Jumping To Branch Two.'
Branch_Three:
    PRINT 'Jumping To Branch Three.'
GO
--@ source: documentation GOTO
DECLARE @n int = 0
again:
SET @n += 1
IF @n < 3 GOTO Again
PRINT @n
GOTO done
PRINT 'never'
done:
GO
--@ source: message 132
x: PRINT 1
X: PRINT 2
GO
--@ source: documentation BEGIN...END
BEGIN BEGIN SELECT 1 AS a; END; BEGIN PRINT 'b' END END;
GO
--@ source: documentation WAITFOR
WAITFOR DELAY '00:00:00'
WAITFOR DELAY '00:00:00.001'
PRINT @@ROWCOUNT
GO
--@ source: message 148
WAITFOR DELAY 'x'
GO
--@ source: message 148
WAITFOR DELAY '25:00:00'
GO
-- @@ROWCOUNT behind each statement.
--@ source: documentation @@ROWCOUNT
SELECT id FROM Product
PRINT @@ROWCOUNT
PRINT @@ROWCOUNT
DECLARE @a int
SELECT @a = id FROM Product
PRINT @@ROWCOUNT
SET @a = 5
PRINT @@ROWCOUNT
SELECT @a = 7
PRINT @@ROWCOUNT
GO
--@ source: documentation @@ROWCOUNT
SELECT id FROM Product
IF @@ROWCOUNT = 3 PRINT 'three'
PRINT @@ROWCOUNT
SELECT id FROM Product
BEGIN TRAN
PRINT @@ROWCOUNT
COMMIT
PRINT @@ROWCOUNT
GO
--@ source: documentation @@ROWCOUNT
SELECT id FROM Product
DECLARE @x int = @@ROWCOUNT
PRINT @x
SELECT id FROM Product
SET NOCOUNT ON
PRINT @@ROWCOUNT
UPDATE Product SET ListPrice = 1 WHERE id > 1
PRINT @@ROWCOUNT
SET NOCOUNT OFF
DELETE Product WHERE id = 77
PRINT @@ROWCOUNT
PRINT ROWCOUNT_BIG()
GO
--@ source: documentation @@ROWCOUNT
SELECT id FROM Product WHERE id < 3
USE ChangesFlow
PRINT @@ROWCOUNT
SELECT id FROM Product WHERE id < 3
EXEC ('PRINT @@ROWCOUNT SELECT 1 AS one')
PRINT @@ROWCOUNT
EXEC ('DECLARE @v int')
PRINT @@ROWCOUNT
GO
--@ source: documentation @@ROWCOUNT
SELECT id FROM Product WHERE id < 3
CREATE TABLE x (a int)
PRINT @@ROWCOUNT
INSERT x SELECT id FROM Product
DROP TABLE x
PRINT @@ROWCOUNT
GO
-- Cursors: documentation's examples.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE @id int, @price money, @text varchar(100)
DECLARE vendor_cursor CURSOR FOR SELECT id, ListPrice FROM Product ORDER BY id
OPEN vendor_cursor
FETCH NEXT FROM vendor_cursor INTO @id, @price
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT CONCAT('--- ', @id)
    DECLARE inner_cursor CURSOR LOCAL FOR SELECT CONCAT('  ', v.x) FROM (VALUES ('a', 1), ('b', 1), ('c', 2)) AS v(x, k) WHERE v.k = @id
    OPEN inner_cursor
    FETCH NEXT FROM inner_cursor INTO @text
    IF @@FETCH_STATUS <> 0 PRINT '  <<None>>'
    WHILE @@FETCH_STATUS = 0
    BEGIN
        PRINT @text
        FETCH NEXT FROM inner_cursor INTO @text
    END
    CLOSE inner_cursor
    DEALLOCATE inner_cursor
    FETCH NEXT FROM vendor_cursor INTO @id, @price
END
CLOSE vendor_cursor
DEALLOCATE vendor_cursor
GO
--@ source: documentation FETCH
DECLARE contact_cursor SCROLL CURSOR FOR SELECT id FROM Product ORDER BY id
OPEN contact_cursor
FETCH LAST FROM contact_cursor
FETCH PRIOR FROM contact_cursor
FETCH ABSOLUTE 2 FROM contact_cursor
FETCH RELATIVE 1 FROM contact_cursor
FETCH RELATIVE -2 FROM contact_cursor
FETCH contact_cursor
CLOSE contact_cursor
DEALLOCATE contact_cursor
GO
--@ source: documentation FETCH
DECLARE c SCROLL CURSOR FOR SELECT id FROM Product ORDER BY id
OPEN c
FETCH PRIOR FROM c
PRINT @@FETCH_STATUS
FETCH ABSOLUTE 0 FROM c
FETCH ABSOLUTE 9 FROM c
PRINT @@FETCH_STATUS
FETCH PRIOR FROM c
FETCH ABSOLUTE -3 FROM c
DECLARE @n int = 2
FETCH ABSOLUTE @n FROM c
FETCH RELATIVE 0 FROM c
DEALLOCATE c
GO
--@ source: message 16915
DECLARE c CURSOR GLOBAL FOR SELECT 1 AS a
DECLARE c CURSOR GLOBAL FOR SELECT 1 AS a
GO
--@ source: message 16905
OPEN c
OPEN c
CLOSE c
CLOSE c
FETCH c
DEALLOCATE c
DEALLOCATE c
OPEN c
GO
--@ source: message 16924
DECLARE c CURSOR LOCAL FOR SELECT 1, 2
DECLARE @a int, @b int, @d date
OPEN c
FETCH c INTO @a
FETCH c INTO @a, @b, @b
GO
--@ source: reasoned
DECLARE c CURSOR LOCAL FOR SELECT 'x'
DECLARE @a int
OPEN c
FETCH c INTO @a
GO
--@ source: message 16911
DECLARE c CURSOR LOCAL FORWARD_ONLY FOR SELECT 1
OPEN c
FETCH LAST FROM c
FETCH ABSOLUTE 1 FROM c
GO
--@ source: documentation @@CURSOR_ROWS
DECLARE c CURSOR LOCAL STATIC FOR SELECT id FROM Product
OPEN c
SELECT @@CURSOR_ROWS AS n
CLOSE c
SELECT @@CURSOR_ROWS AS n
GO
--@ source: documentation CURSOR_STATUS
DECLARE g CURSOR GLOBAL STATIC FOR SELECT id FROM Product WHERE 1 = 0
DECLARE @v CURSOR
SELECT CURSOR_STATUS('global', 'g') AS closed, CURSOR_STATUS('variable', '@v') AS v, CURSOR_STATUS('local', 'g') AS l
OPEN g
SELECT CURSOR_STATUS('global', 'g') AS opened_empty
CLOSE g
SELECT CURSOR_STATUS('global', 'g') AS closed
DEALLOCATE g
SELECT CURSOR_STATUS('global', 'g') AS gone
GO
--@ source: message 16950
DECLARE @v CURSOR
OPEN @v
GO
-- Transactions and cursors.
--@ source: documentation SET CURSOR_CLOSE_ON_COMMIT
DECLARE c CURSOR LOCAL STATIC FOR SELECT id FROM Product ORDER BY id
BEGIN TRAN
OPEN c
FETCH c
COMMIT
FETCH c
BEGIN TRAN
ROLLBACK
FETCH c
FETCH c
SELECT @@FETCH_STATUS AS s
GO
--@ source: reasoned
DECLARE c INSENSITIVE SCROLL CURSOR FOR SELECT id FROM Product ORDER BY id FOR READ ONLY
OPEN c
UPDATE Product SET id = id + 10
FETCH LAST FROM c
CLOSE c
OPEN c
FETCH LAST FROM c
CLOSE c
DEALLOCATE c
GO
--@ source: reasoned
SET NOCOUNT OFF
USE master
DROP DATABASE ChangesFlow
GO
