-- Changes WHERE CURRENT OF a cursor.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE cu_t (id int PRIMARY KEY, name varchar(20) NOT NULL, amount int NULL)
CREATE TABLE cu_h (id int NOT NULL, name varchar(20) NOT NULL)
CREATE TABLE cu_v (id int PRIMARY KEY, name varchar(20) NOT NULL, stamp rowversion)
INSERT cu_t VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30), (4, 'four', 40)
INSERT cu_h VALUES (1, 'one'), (2, 'two'), (3, 'three')
INSERT cu_v (id, name) VALUES (1, 'one'), (2, 'two')
GO
-- A cursor that nothing is said of is one to change through, and goes forward only.
--@ source: documentation UPDATE
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT id, name FROM cu_t
OPEN c
FETCH c
UPDATE cu_t SET name = 'ONE', amount += 1 WHERE CURRENT OF c
SELECT @@ROWCOUNT AS n, @@FETCH_STATUS AS f
FETCH c
UPDATE cu_t SET name = 'TWO' OUTPUT deleted.name AS was, inserted.name AS [is] WHERE CURRENT OF c
UPDATE cu_t SET amount = 0 WHERE CURRENT OF c
FETCH c
DELETE FROM cu_t WHERE CURRENT OF c
SELECT @@ROWCOUNT AS n
FETCH c
SELECT id, name, amount FROM cu_t
GO
-- A heap without any index.
--@ source: documentation DELETE
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT id FROM cu_h WHERE id < 3 FOR UPDATE
OPEN c
FETCH c
DELETE cu_h WHERE CURRENT OF c
FETCH c
UPDATE cu_h SET id = 20 WHERE CURRENT OF c
SELECT id, name FROM cu_h
GO
-- No row: before the first, behind the last, and one that has gone.
--@ source: message 16931
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT id FROM cu_t
OPEN c
UPDATE cu_t SET amount = 1 WHERE CURRENT OF c
FETCH c
DELETE cu_t WHERE id = 1
UPDATE cu_t SET amount = 1 WHERE CURRENT OF c
FETCH c
FETCH c
FETCH c
DELETE cu_t WHERE CURRENT OF c
CLOSE c
DELETE cu_t WHERE CURRENT OF c
DELETE cu_t WHERE CURRENT OF nobody
GO
-- Others have changed the row since: by its values, and by its rowversion.
--@ source: message 16934
SET NOCOUNT ON
DECLARE c CURSOR LOCAL DYNAMIC OPTIMISTIC FOR SELECT id FROM cu_t
DECLARE v CURSOR LOCAL DYNAMIC OPTIMISTIC FOR SELECT id FROM cu_v
OPEN c
OPEN v
FETCH c
FETCH v
UPDATE cu_t SET amount = 99 WHERE id = 2
UPDATE cu_v SET name = name WHERE id = 1
UPDATE cu_t SET name = 'changed' WHERE CURRENT OF c
DELETE cu_v WHERE CURRENT OF v
SELECT @@ROWCOUNT AS n
-- The same values are the same row, where there is no rowversion.
FETCH FIRST FROM c
UPDATE cu_t SET amount = 99 WHERE id = 2
UPDATE cu_t SET name = 'changed' WHERE CURRENT OF c
SELECT id, name, amount FROM cu_t
SELECT id, name FROM cu_v
GO
--@ source: message 16947
SET NOCOUNT ON
BEGIN TRY
    DECLARE c CURSOR LOCAL DYNAMIC FOR SELECT id FROM cu_t
    OPEN c
    FETCH c
    UPDATE cu_t SET amount = 5 WHERE id = 2
    UPDATE cu_t SET amount = 6 WHERE CURRENT OF c
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message
END CATCH
SELECT amount FROM cu_t WHERE id = 2
GO
-- Cursors that are read only, by what was said or by their queries.
--@ source: message 16929
SET NOCOUNT ON
DECLARE a CURSOR LOCAL READ_ONLY FOR SELECT id FROM cu_t
DECLARE b CURSOR LOCAL FOR SELECT id FROM cu_t FOR READ ONLY
DECLARE c CURSOR LOCAL STATIC FOR SELECT id FROM cu_t
DECLARE d CURSOR LOCAL FAST_FORWARD FOR SELECT id FROM cu_t
DECLARE e CURSOR LOCAL FOR SELECT DISTINCT id FROM cu_t
DECLARE f CURSOR LOCAL FOR SELECT COUNT(*) FROM cu_t
OPEN a
OPEN b
OPEN c
OPEN d
OPEN e
OPEN f
DECLARE @n int
FETCH a INTO @n
FETCH b INTO @n
FETCH c INTO @n
FETCH d INTO @n
FETCH e INTO @n
FETCH f INTO @n
UPDATE cu_t SET amount = 0 WHERE CURRENT OF a
UPDATE cu_t SET amount = 0 WHERE CURRENT OF b
UPDATE cu_t SET amount = 0 WHERE CURRENT OF c
UPDATE cu_t SET amount = 0 WHERE CURRENT OF d
DELETE cu_t WHERE CURRENT OF e
DELETE cu_t WHERE CURRENT OF f
GO
--@ source: message 16957
DECLARE c CURSOR LOCAL FOR SELECT DISTINCT id FROM cu_t FOR UPDATE
DECLARE c CURSOR LOCAL STATIC FOR SELECT id FROM cu_t FOR UPDATE
DECLARE c CURSOR LOCAL READ_ONLY FOR SELECT id FROM cu_t FOR UPDATE OF name
GO
--@ source: message 1058
DECLARE c CURSOR LOCAL READ_ONLY FOR SELECT id FROM cu_t FOR READ ONLY
GO
-- FOR UPDATE OF says which table and which of its columns.
--@ source: message 16932
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT t.id, v.name FROM cu_t AS t JOIN cu_v AS v ON v.id = t.id FOR UPDATE OF amount
OPEN c
FETCH c
UPDATE cu_t SET name = 'x' WHERE CURRENT OF c
UPDATE cu_v SET name = 'x' WHERE CURRENT OF c
UPDATE cu_t SET amount = 500 WHERE CURRENT OF c
SELECT id, name, amount FROM cu_t
GO
--@ source: message 207
DECLARE c CURSOR LOCAL FOR SELECT id FROM cu_t FOR UPDATE OF nowhere
GO
-- A name that two tables have is ambiguous, and a qualified one is not.
--@ source: message 209
DECLARE c CURSOR LOCAL FOR SELECT t.id, v.name FROM cu_t AS t JOIN cu_v AS v ON v.id = t.id FOR UPDATE OF name
PRINT 'next'
GO
--@ source: message 4104
DECLARE c CURSOR LOCAL FOR SELECT t.id FROM cu_t AS t FOR UPDATE OF cu_v.name
GO
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT t.id FROM cu_t AS t JOIN cu_v AS v ON v.id = t.id FOR UPDATE OF v.name
OPEN c
FETCH c
BEGIN TRAN
UPDATE cu_t SET name = 'x' WHERE CURRENT OF c
UPDATE cu_v SET name = 'listed' WHERE CURRENT OF c
SELECT name FROM cu_v
ROLLBACK
GO
-- Columns of several tables, and of the same table twice in FROM.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT t.id FROM cu_t AS t JOIN cu_v AS v ON v.id = t.id FOR UPDATE OF v.name, amount
DECLARE s CURSOR LOCAL FOR SELECT y.id FROM cu_t AS x JOIN cu_t AS y ON y.id = x.id + 2 FOR UPDATE OF y.amount
OPEN c
FETCH c
OPEN s
FETCH s
BEGIN TRAN
UPDATE cu_t SET amount = 77 WHERE CURRENT OF c
UPDATE cu_v SET name = 'both' WHERE CURRENT OF c
UPDATE cu_t SET name = 'x' WHERE CURRENT OF c
UPDATE cu_t SET amount = 88 WHERE CURRENT OF s
SELECT id, name, amount FROM cu_t
SELECT id, name FROM cu_v
ROLLBACK
GO
-- The names are those of the query: a view's own, not those of the table behind it.
--@ source: reasoned
CREATE VIEW cu_own AS SELECT id AS k, amount AS total, name AS word, amount + 1 AS more FROM cu_t
GO
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT k FROM cu_own FOR UPDATE OF total
OPEN c
FETCH c
BEGIN TRAN
UPDATE cu_own SET word = 'x' WHERE CURRENT OF c
UPDATE cu_own SET total = 55 WHERE CURRENT OF c
SELECT k, total, more FROM cu_own
ROLLBACK
GO
--@ source: message 207
DECLARE c CURSOR LOCAL FOR SELECT k FROM cu_own FOR UPDATE OF amount
GO
--@ source: reasoned
DROP VIEW cu_own
GO
-- Either table of a join; another one is none of the cursor's.
--@ source: message 16933
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT t.id, v.name FROM cu_t AS t LEFT JOIN cu_v AS v ON v.id = t.id
OPEN c
FETCH c
UPDATE cu_v SET name = 'of v' WHERE CURRENT OF c
UPDATE cu_t SET name = 'of t' WHERE CURRENT OF c
DELETE cu_h WHERE CURRENT OF c
FETCH c
-- An outer join without a row of the table.
DELETE cu_v WHERE CURRENT OF c
SELECT id, name, amount FROM cu_t
SELECT id, name FROM cu_v
GO
-- A row that has been deleted through the cursor is its row no more, though another one has its key now.
--@ source: message 16947
SET NOCOUNT ON
DECLARE c CURSOR LOCAL KEYSET SCROLL_LOCKS FOR SELECT id FROM cu_t
OPEN c
BEGIN TRAN
FETCH LAST FROM c
DELETE cu_t WHERE CURRENT OF c
INSERT cu_t VALUES (4, 'another', 44)
UPDATE cu_t SET name = 'lost' WHERE CURRENT OF c
DELETE cu_t WHERE CURRENT OF c
SELECT id, name, amount FROM cu_t
ROLLBACK
GO
-- A view, a derived table, and a variable.
--@ source: documentation UPDATE
CREATE VIEW cu_few AS SELECT id, name FROM cu_t WHERE id > 3
GO
--@ source: documentation UPDATE
SET NOCOUNT ON
DECLARE @c CURSOR
SET @c = CURSOR FOR SELECT id, name FROM cu_few
OPEN @c
FETCH @c
UPDATE cu_few SET name = 'by view' WHERE CURRENT OF @c
DECLARE d CURSOR LOCAL FOR SELECT x.n FROM (SELECT UPPER(name) AS n FROM cu_t) AS x FOR UPDATE
OPEN d
FETCH d
UPDATE cu_t SET amount = -1 WHERE CURRENT OF d
SELECT id, name, amount FROM cu_t
GO
-- Triggers of rows that are changed so.
--@ source: reasoned
CREATE TRIGGER cu_told ON cu_t AFTER UPDATE, DELETE AS
    SELECT (SELECT COUNT(*) FROM deleted) AS went, (SELECT COUNT(*) FROM inserted) AS came
GO
--@ source: reasoned
SET NOCOUNT ON
DECLARE c CURSOR LOCAL FOR SELECT id FROM cu_t
OPEN c
FETCH c
UPDATE cu_t SET amount += 1 WHERE CURRENT OF c
UPDATE cu_t SET name = 'moved' WHERE CURRENT OF c
FETCH c
DELETE cu_t WHERE CURRENT OF c
FETCH c
FETCH c
SELECT id, name, amount FROM cu_t
GO
--@ source: reasoned
DROP VIEW cu_few
DROP TABLE cu_t, cu_h, cu_v
GO
