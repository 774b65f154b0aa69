-- What foreign keys take along: all of it, as one statement, whatever the statement's own rows are limited to.
--@ source: reasoned
CREATE DATABASE ChangesCascades
GO
--@ source: documentation SET ROWCOUNT
USE ChangesCascades
CREATE TABLE p (id int PRIMARY KEY, v int)
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)
INSERT p VALUES (1, 1), (2, 2), (3, 3)
INSERT c VALUES (10, 1), (11, 1), (12, 1), (20, 2), (21, 2), (30, 3)
GO
--@ source: reasoned
SET ROWCOUNT 1
DELETE p WHERE id = 1
SELECT @@ROWCOUNT AS [rows]
SET ROWCOUNT 0
SELECT id, p FROM c ORDER BY id
GO
--@ source: reasoned
SET ROWCOUNT 1
UPDATE p SET id = 5 WHERE id = 2
SET ROWCOUNT 0
SELECT id, p FROM c ORDER BY id
GO
--@ source: reasoned
SET ROWCOUNT 1;
MERGE p USING (VALUES (5)) s (id) ON p.id = s.id WHEN MATCHED THEN UPDATE SET id = 2;
SET ROWCOUNT 0
SELECT id, p FROM c ORDER BY id
GO
-- Keys pass from row to row: each child follows its parent.
--@ source: documentation CREATE TABLE
UPDATE p SET id = 5 - id
SELECT id, v FROM p ORDER BY id
SELECT id, p FROM c ORDER BY id
GO
--@ source: documentation CREATE TABLE
UPDATE p SET id = id + 1
SELECT id, v FROM p ORDER BY id
SELECT id, p FROM c ORDER BY id
DROP TABLE c, p
GO
-- The same with SET NULL and SET DEFAULT: the key of the row has changed, though another row has it now.
--@ source: documentation CREATE TABLE
CREATE TABLE p (id int PRIMARY KEY, v int)
CREATE TABLE n (id int, p int REFERENCES p (id) ON UPDATE SET NULL)
CREATE TABLE d (id int, p int DEFAULT 9 REFERENCES p (id) ON UPDATE SET DEFAULT)
INSERT p VALUES (1, 1), (2, 2), (9, 9)
INSERT n VALUES (1, 1), (2, 2), (9, 9)
INSERT d VALUES (1, 1), (2, 2), (9, 9)
UPDATE p SET id = 3 - id WHERE id < 3
SELECT id, p FROM n ORDER BY id
SELECT id, p FROM d ORDER BY id
DROP TABLE n, d, p
GO
-- NO ACTION holds nothing against keys that pass from row to row.
--@ source: reasoned
CREATE TABLE p (id int PRIMARY KEY, v int)
CREATE TABLE c (id int, p int REFERENCES p (id))
INSERT p VALUES (1, 1), (2, 2)
INSERT c VALUES (1, 1), (2, 2)
UPDATE p SET id = 3 - id
SELECT id, v FROM p ORDER BY id
SELECT id, p FROM c ORDER BY id
GO
--@ source: message 547
UPDATE p SET id = id + 1
GO
--@ source: reasoned
SELECT id, v FROM p ORDER BY id
DROP TABLE c, p
GO
-- Composite keys, over two levels, deleted and changed by MERGE.
--@ source: documentation CREATE TABLE
CREATE TABLE a (x int, y int, v int, PRIMARY KEY (x, y))
CREATE TABLE b (x int, y int, z int, PRIMARY KEY (x, y, z),
    FOREIGN KEY (x, y) REFERENCES a (x, y) ON UPDATE CASCADE ON DELETE CASCADE)
CREATE TABLE c (i int, x int, y int, z int, FOREIGN KEY (x, y, z) REFERENCES b (x, y, z) ON UPDATE CASCADE ON DELETE SET NULL)
INSERT a VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 2, 0)
INSERT b SELECT x, y, n FROM a CROSS JOIN (VALUES (1), (2)) s (n)
INSERT c SELECT ROW_NUMBER() OVER (ORDER BY x, y, z), x, y, z FROM b;
MERGE a USING (VALUES (1, 1, 5), (1, 2, NULL), (7, 7, 7)) s (x, y, w) ON a.x = s.x AND a.y = s.y
WHEN MATCHED AND s.w IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET y = 2, v = s.w
WHEN NOT MATCHED THEN INSERT VALUES (s.x, s.y, s.w)
WHEN NOT MATCHED BY SOURCE AND a.y = 1 THEN UPDATE SET x = 3
OUTPUT $action, deleted.x, deleted.y, inserted.x, inserted.y;
SELECT @@ROWCOUNT AS [rows]
SELECT x, y, v FROM a ORDER BY x, y
SELECT x, y, z FROM b ORDER BY x, y, z
SELECT i, x, y, z FROM c ORDER BY i
GO
--@ source: reasoned
DELETE a FROM a JOIN b ON b.x = a.x AND b.y = a.y WHERE b.x = 3
SELECT @@ROWCOUNT AS [rows]
SELECT x, y, z FROM b ORDER BY x, y, z
SELECT i, x, y, z FROM c ORDER BY i
DROP TABLE c, b, a
GO
-- What is equal under the collation is another value all the same.
--@ source: reasoned
CREATE TABLE p (a varchar(5) PRIMARY KEY)
CREATE TABLE c (a varchar(5) REFERENCES p (a) ON UPDATE CASCADE)
INSERT p VALUES ('x')
INSERT c VALUES ('x')
UPDATE p SET a = 'X'
SELECT a FROM c
DROP TABLE c, p
GO
-- Self-references, and a cascade that fails half-way takes everything back.
--@ source: reasoned
CREATE TABLE t (id int PRIMARY KEY, boss int REFERENCES t (id))
INSERT t VALUES (1, NULL), (2, 1), (3, 2)
UPDATE t SET id = id + 10, boss = boss + 10
SELECT id, boss FROM t ORDER BY id
DELETE t WHERE id IN (12, 13)
SELECT id, boss FROM t ORDER BY id
DROP TABLE t
GO
--@ source: message 547
CREATE TABLE p (id int PRIMARY KEY)
CREATE TABLE c (id int PRIMARY KEY, p int CHECK (p < 10) REFERENCES p (id) ON UPDATE CASCADE)
INSERT p VALUES (1), (2)
INSERT c VALUES (1, 1), (2, 2)
UPDATE p SET id = id + 8
GO
--@ source: reasoned
SELECT id FROM p ORDER BY id
SELECT id, p FROM c ORDER BY id
DROP TABLE c, p
USE master
DROP DATABASE ChangesCascades
GO
