-- Which rows a change sees and leaves: keys that move, tables that are read and written at once, queries that are changed through, large values, savepoints.
--@ source: reasoned
CREATE DATABASE ChangesRows
GO
-- Keys that are passed on within one statement.
--@ source: reasoned
USE ChangesRows
CREATE TABLE k (id int CONSTRAINT pk_k PRIMARY KEY, u int CONSTRAINT uq_k UNIQUE, v varchar(10))
INSERT k VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd')
UPDATE k SET id = id + 1
SELECT id, u, v FROM k ORDER BY id
UPDATE k SET id = 7 - id, u = 50 - u
SELECT id, u, v FROM k ORDER BY id
UPDATE k SET u = CASE u WHEN 10 THEN 20 WHEN 20 THEN 10 ELSE u END WHERE u < 30
SELECT id, u, v FROM k ORDER BY id
GO
--@ source: message 2627
UPDATE k SET u = CASE id WHEN 2 THEN 10 WHEN 3 THEN 10 ELSE u END
SELECT id, u FROM k ORDER BY id
UPDATE k SET id = id + 1 WHERE id < 4
SELECT id, u FROM k ORDER BY id
GO
-- A row is changed once, wherever it moves.
--@ source: reasoned
CREATE TABLE h (id int, v int)
CREATE CLUSTERED INDEX cx ON h (v)
INSERT h VALUES (1, 1), (2, 5), (3, 9)
UPDATE h SET v = v + 5 WHERE v < 100
SELECT id, v FROM h ORDER BY id
UPDATE h SET v = v + 3 WHERE v >= 6 AND v <= 14
SELECT @@ROWCOUNT AS n
SELECT id, v FROM h ORDER BY id
GO
-- Subqueries see the table as it was.
--@ source: reasoned
UPDATE h SET v = (SELECT MAX(x.v) FROM h AS x) + id
SELECT id, v FROM h ORDER BY id
UPDATE h SET v = (SELECT COUNT(*) FROM h AS x WHERE x.v < h.v)
SELECT id, v FROM h ORDER BY id
DELETE h WHERE v = (SELECT MIN(x.v) FROM h AS x)
SELECT id, v FROM h ORDER BY id
DELETE h WHERE EXISTS (SELECT 1 FROM h AS x WHERE x.v > h.v)
SELECT id, v FROM h ORDER BY id
INSERT h SELECT id + (SELECT COUNT(*) FROM h), v FROM h UNION ALL SELECT (SELECT COUNT(*) FROM h), 0
SELECT id, v FROM h ORDER BY id, v
GO
-- One target row, several of the source: one of them counts, and it counts once.
--@ source: documentation UPDATE
CREATE TABLE src (id int, x int)
INSERT src VALUES (3, 7), (3, 7), (4, 1)
UPDATE h SET v = v + s.x FROM h JOIN src AS s ON s.id = h.id
SELECT @@ROWCOUNT AS n
SELECT id, v FROM h ORDER BY id, v
DELETE h FROM h JOIN src AS s ON s.id = h.id
SELECT @@ROWCOUNT AS n
GO
-- Changes through common table expressions and derived tables.
--@ source: documentation WITH common_table_expression
CREATE TABLE dup (id int IDENTITY CONSTRAINT pk_dup PRIMARY KEY, k varchar(5), v int)
INSERT dup VALUES ('a', 1), ('a', 2), ('b', 3), ('a', 4), ('b', 5), ('c', 6);
WITH n AS (SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM dup)
DELETE n WHERE r > 1
SELECT @@ROWCOUNT AS n
SELECT k, v FROM dup ORDER BY k
GO
--@ source: documentation WITH common_table_expression
WITH n AS (SELECT v, ROW_NUMBER() OVER (ORDER BY k DESC) AS r FROM dup)
UPDATE n SET v = r * 100 OUTPUT deleted.v AS was, inserted.v AS now
UPDATE d SET v = v + 1 FROM (SELECT TOP (1) v FROM dup ORDER BY v DESC) AS d
SELECT k, v FROM dup ORDER BY k;
WITH c AS (SELECT k, v FROM dup WHERE k <> 'b')
UPDATE c SET v = 0 WHERE v > 100
SELECT k, v FROM dup ORDER BY k
GO
--@ source: message 4406
WITH c AS (SELECT k, v + 1 AS w FROM dup) UPDATE c SET w = 1
GO
--@ source: message 4403
WITH c AS (SELECT k, SUM(v) AS v FROM dup GROUP BY k) DELETE c
GO
--@ source: message 207
WITH c AS (SELECT k FROM dup) UPDATE c SET v = 1
GO
-- Large values: grown, shrunk, undone.
--@ source: reasoned
CREATE TABLE lob (id int CONSTRAINT pk_lob PRIMARY KEY, s varchar(max), b varbinary(max), pad char(500) DEFAULT 'p')
INSERT lob (id, s, b) VALUES (1, REPLICATE(CAST('a' AS varchar(max)), 20000), 0x01), (2, 'short', CAST(REPLICATE(CAST('b' AS varchar(max)), 9000) AS varbinary(max))), (3, NULL, NULL)
BEGIN TRAN
UPDATE lob SET s = s + 'z', b = b + 0xFF
SAVE TRAN s
UPDATE lob SET s = NULL, b = CAST(s AS varbinary(max)) WHERE id < 3
SELECT id, LEN(s) AS s, DATALENGTH(b) AS b FROM lob ORDER BY id
ROLLBACK TRAN s
SELECT id, LEN(s) AS s, RIGHT(s, 2) AS e, DATALENGTH(b) AS b FROM lob ORDER BY id
ROLLBACK
SELECT id, LEN(s) AS s, RIGHT(s, 2) AS e, DATALENGTH(b) AS b FROM lob ORDER BY id
GO
--@ source: reasoned
UPDATE lob SET s = REPLICATE(CAST('x' AS varchar(max)), 100000) OUTPUT LEN(deleted.s) AS was, LEN(inserted.s) AS now WHERE id IN (1, 3)
DELETE lob OUTPUT deleted.id, LEN(deleted.s) AS l WHERE LEN(s) = 100000
SELECT id, s FROM lob
GO
-- A filtered unique index that rows enter and leave.
--@ source: documentation Create filtered indexes
CREATE TABLE f (id int CONSTRAINT pk_f PRIMARY KEY, active bit NOT NULL, name varchar(10))
CREATE UNIQUE INDEX ux ON f (name) WHERE active = 1
INSERT f VALUES (1, 1, 'x'), (2, 0, 'x'), (3, 0, 'x')
UPDATE f SET active = 1 WHERE id = 2
UPDATE f SET active = 1 - active WHERE id < 3
SELECT id, active FROM f ORDER BY id
UPDATE f SET name = 'y' WHERE id = 2
UPDATE f SET active = 1
SELECT id, active, name FROM f ORDER BY id
GO
-- NULL in keys, text of several sizes.
--@ source: reasoned
CREATE TABLE nk (a int NULL, b varchar(20) NULL, CONSTRAINT uq_nk UNIQUE CLUSTERED (a, b))
INSERT nk VALUES (NULL, NULL), (NULL, 'x'), (1, NULL), (1, '')
UPDATE nk SET b = ISNULL(b, '') + 'q' WHERE a IS NULL
UPDATE nk SET a = NULL WHERE a = 1
SELECT a, b FROM nk ORDER BY a, b
UPDATE nk SET b = NULL WHERE b = ''
GO
-- Everything in one transaction, and back.
--@ source: reasoned
CREATE TABLE w (id int CONSTRAINT pk_w PRIMARY KEY, v int)
INSERT w SELECT value, value FROM GENERATE_SERIES(1, 1000)
BEGIN TRAN
UPDATE w SET id = id + 2000 WHERE id % 3 = 0
DELETE w WHERE id % 5 = 0
SAVE TRAN one
INSERT w SELECT id + 5000, v FROM w
UPDATE w SET v = -v
ROLLBACK TRAN one
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(v) AS vs FROM w
MERGE w AS t USING (SELECT id, v FROM w WHERE id > 2000) AS s ON t.id = s.id - 2000 WHEN NOT MATCHED THEN INSERT VALUES (s.id - 2000, 0) WHEN NOT MATCHED BY SOURCE AND t.id > 2000 THEN DELETE;
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(v) AS vs FROM w
ROLLBACK
SELECT COUNT(*) AS n, SUM(id) AS ids, SUM(v) AS vs FROM w
GO
--@ source: reasoned
DECLARE @out TABLE (id int, was int, now int)
UPDATE w SET v = v * 2 OUTPUT inserted.id, deleted.v, inserted.v INTO @out WHERE id BETWEEN 10 AND 12
INSERT @out SELECT id, was, now FROM @out
SELECT id, was, now, COUNT(*) AS n FROM @out GROUP BY id, was, now ORDER BY id
GO
--@ source: documentation TOP
DELETE TOP (10) PERCENT FROM w
SELECT @@ROWCOUNT AS n
UPDATE TOP (0.1) PERCENT w SET v = 0
SELECT @@ROWCOUNT AS n
DECLARE @n bigint = 3
DELETE TOP (@n) w WHERE id > 500
SELECT @@ROWCOUNT AS n
DELETE TOP (SELECT 2) w
SELECT @@ROWCOUNT AS n
GO
--@ source: message 102
DELETE TOP 1 w
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesRows
GO
