-- KEYSET cursors: which rows there are is settled at OPEN, what they are at FETCH.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE ck_t (id int PRIMARY KEY, name varchar(20) NOT NULL, amount decimal(9, 2) NULL)
INSERT ck_t VALUES (10, 'ten', 1), (20, 'twenty', 2), (30, 'thirty', 3), (40, 'forty', 4), (50, 'fifty', 5)
GO
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
DECLARE c CURSOR GLOBAL KEYSET FOR SELECT id, name, amount FROM ck_t WHERE amount < 10
OPEN c
SELECT @@CURSOR_ROWS AS n, CURSOR_STATUS('global', 'c') AS s
FETCH LAST FROM c
FETCH PRIOR FROM c
FETCH ABSOLUTE 2 FROM c
FETCH RELATIVE -1 FROM c
FETCH PRIOR FROM c
SELECT @@FETCH_STATUS AS before_the_first
FETCH NEXT FROM c
FETCH ABSOLUTE -1 FROM c
FETCH NEXT FROM c
SELECT @@FETCH_STATUS AS behind_the_last
FETCH PRIOR FROM c
GO
-- Values are seen as they are, also where the condition holds no more; rows that come are not.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
UPDATE ck_t SET amount = 1000, name = 'changed' WHERE id = 20
INSERT ck_t VALUES (15, 'fifteen', 1)
FETCH FIRST FROM c
FETCH NEXT FROM c
SELECT @@FETCH_STATUS AS f
GO
-- A row that has gone, and one whose key has become another, leave holes.
--@ source: documentation @@FETCH_STATUS
SET NOCOUNT ON
DELETE ck_t WHERE id = 30
UPDATE ck_t SET id = 45 WHERE id = 40
FETCH NEXT FROM c
SELECT @@FETCH_STATUS AS gone
DECLARE @id int = 7, @name varchar(20) = 'kept', @amount decimal(9, 2) = 7
FETCH NEXT FROM c INTO @id, @name, @amount
SELECT @@FETCH_STATUS AS moved, @id AS id, @name AS name, @amount AS amount
UPDATE ck_t SET amount = 0 WHERE CURRENT OF c
INSERT ck_t VALUES (30, 'again', 3)
FETCH PRIOR FROM c
SELECT @@FETCH_STATUS AS there_again
GO
-- Changes through the cursor are followed, those of the key, too.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
FETCH FIRST FROM c
UPDATE ck_t SET id = 11, name = 'eleven' WHERE CURRENT OF c
FETCH RELATIVE 0 FROM c
SELECT @@FETCH_STATUS AS f
FETCH NEXT FROM c
FETCH PRIOR FROM c
DELETE ck_t WHERE CURRENT OF c
FETCH RELATIVE 0 FROM c
SELECT @@FETCH_STATUS AS f
GO
--@ source: documentation sys.dm_exec_cursors
SELECT properties, fetch_status, fetch_buffer_start FROM sys.dm_exec_cursors(@@SPID)
CLOSE c
OPEN c
SELECT @@CURSOR_ROWS AS n
DEALLOCATE c
GO
-- Without a clustered index a unique one will do; its keys say whether a place is still the row's.
--@ source: documentation DECLARE CURSOR
SET NOCOUNT ON
CREATE TABLE ck_h (id int NOT NULL PRIMARY KEY NONCLUSTERED, name varchar(20))
INSERT ck_h VALUES (1, 'one'), (2, 'two'), (3, 'three')
DECLARE c CURSOR LOCAL SCROLL FOR SELECT name FROM ck_h
OPEN c
SELECT @@CURSOR_ROWS AS n
FETCH c
DELETE ck_h WHERE id = 2
INSERT ck_h VALUES (9, 'nine')
FETCH c
SELECT @@FETCH_STATUS AS f
FETCH c
UPDATE ck_h SET id = 33 WHERE CURRENT OF c
FETCH RELATIVE 0 FROM c
SELECT @@FETCH_STATUS AS f
SELECT id, name FROM ck_h ORDER BY id
DROP TABLE ck_h
GO
-- Joins, an order, and what is computed of a row.
--@ source: reasoned
SET NOCOUNT ON
CREATE TABLE ck_p (id int PRIMARY KEY, title varchar(10))
INSERT ck_p VALUES (20, 'p20'), (50, 'p50')
DECLARE c CURSOR LOCAL KEYSET FOR
    SELECT t.id, p.title, UPPER(t.name) + '!' AS shout, (SELECT COUNT(*) FROM ck_p) AS n
    FROM ck_t AS t LEFT JOIN ck_p AS p ON p.id = t.id WHERE t.id >= 20 ORDER BY t.name
OPEN c
FETCH c
UPDATE ck_p SET title = 'new' WHERE id = 50
INSERT ck_p VALUES (60, 'p60')
FETCH c
FETCH c
FETCH c
DELETE ck_p WHERE id = 20
FETCH FIRST FROM c
FETCH LAST FROM c
SELECT @@FETCH_STATUS AS f
DROP TABLE ck_p
GO
-- The schema of its table is that of OPEN.
--@ source: message 16943
SET NOCOUNT ON
DECLARE c CURSOR LOCAL KEYSET FOR SELECT id FROM ck_t
OPEN c
FETCH c
ALTER TABLE ck_t ADD more int
FETCH c
SELECT @@FETCH_STATUS AS f
GO
--@ source: reasoned
DROP TABLE ck_t
GO
