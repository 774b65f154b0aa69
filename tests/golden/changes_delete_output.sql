-- DELETE, TRUNCATE and OUTPUT: every form, what is wrong, what is counted.
--@ source: reasoned
CREATE DATABASE ChangesDelete
GO
--@ source: documentation DELETE
USE ChangesDelete
CREATE TABLE h (id int NOT NULL CONSTRAINT pk_h PRIMARY KEY, rate money, dept varchar(10))
INSERT h VALUES (1, 10, 'a'), (2, 20, 'a'), (3, 30, 'b'), (4, NULL, 'c'), (5, 50, NULL)
CREATE TABLE d (dept varchar(10), closed bit)
INSERT d VALUES ('a', 0), ('b', 1), ('b', 1), (NULL, 1)
DELETE FROM h WHERE rate > 25 AND dept IS NULL
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation DELETE
DELETE h FROM h JOIN d ON d.dept = h.dept WHERE d.closed = 1
SELECT @@ROWCOUNT AS n
DELETE FROM x FROM h AS x WHERE x.id IN (SELECT id FROM h WHERE rate IS NULL)
SELECT @@ROWCOUNT AS n
DELETE FROM h WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.dept = h.dept)
SELECT id FROM h ORDER BY id
GO
--@ source: documentation DELETE
DELETE TOP (1) FROM h WHERE dept = 'a'
SELECT COUNT(*) AS n FROM h
DELETE FROM h WHERE id IN (SELECT TOP (1) id FROM h ORDER BY id DESC)
SELECT COUNT(*) AS n FROM h
DELETE TOP (50) PERCENT FROM d
SELECT @@ROWCOUNT AS n
GO
--@ source: message 208
DELETE nowhere
GO
--@ source: message 208
DELETE x FROM h AS y
GO
--@ source: message 207
DELETE h WHERE nowhere = 1
GO
--@ source: message 8154
DELETE h FROM h AS x, h AS y
GO
--@ source: message 102
DELETE * FROM h
GO
--@ source: reasoned
DELETE d
SELECT @@ROWCOUNT AS n, @@ERROR AS e
DELETE d
SELECT @@ROWCOUNT AS n, @@ERROR AS e
TRUNCATE TABLE d
SELECT @@ROWCOUNT AS n, @@ERROR AS e
GO
--@ source: documentation TRUNCATE TABLE
CREATE TABLE tr (i int IDENTITY(10, 5), a int DEFAULT 1)
INSERT tr DEFAULT VALUES
INSERT tr DEFAULT VALUES
DELETE tr
INSERT tr DEFAULT VALUES
SELECT i FROM tr
TRUNCATE TABLE tr
INSERT tr DEFAULT VALUES
SELECT i FROM tr
BEGIN TRAN
TRUNCATE TABLE tr
INSERT tr DEFAULT VALUES
ROLLBACK
INSERT tr DEFAULT VALUES
SELECT i FROM tr ORDER BY i
GO
--@ source: message 4701
TRUNCATE TABLE nowhere
GO
--@ source: message 102
TRUNCATE tr
GO
--@ source: reasoned
TRUNCATE TABLE tr WHERE a = 1
GO
--@ source: documentation OUTPUT clause
CREATE TABLE ScrapReason (ScrapReasonID smallint IDENTITY, Name varchar(50), ModifiedDate date)
DECLARE @MyTableVar TABLE (NewScrapReasonID smallint, Name varchar(50), ModifiedDate date)
INSERT ScrapReason OUTPUT INSERTED.ScrapReasonID, INSERTED.Name, INSERTED.ModifiedDate INTO @MyTableVar VALUES (N'Operator error', '20200101')
SELECT NewScrapReasonID, Name, ModifiedDate FROM @MyTableVar
SELECT ScrapReasonID, Name, ModifiedDate FROM ScrapReason
GO
--@ source: documentation OUTPUT clause
CREATE TABLE ShoppingCartItem (id int, cart int, q int)
INSERT ShoppingCartItem VALUES (1, 20621, 4), (2, 20621, 3), (3, 14951, 1)
DELETE ShoppingCartItem OUTPUT DELETED.* WHERE cart = 20621
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation OUTPUT clause
CREATE TABLE Employee (id int CONSTRAINT pk_employee PRIMARY KEY, vac int, at date)
INSERT Employee VALUES (1, 10, '20200101'), (2, 20, '20200101'), (3, 30, '20200101')
DECLARE @MyTableVar TABLE (EmpID int NOT NULL, Old int, New int, M date)
UPDATE TOP (10) Employee SET vac = vac * 1.25, at = '20210101' OUTPUT INSERTED.id, DELETED.vac, INSERTED.vac, INSERTED.at INTO @MyTableVar
SELECT EmpID, Old, New, M, New - Old AS diff FROM @MyTableVar ORDER BY EmpID
GO
--@ source: documentation OUTPUT clause
DECLARE @a TABLE (x int, y varchar(10) DEFAULT 'none', z int IDENTITY(7, 1))
DELETE Employee OUTPUT deleted.id INTO @a (x) WHERE id = 3
INSERT Employee OUTPUT inserted.id, 'new' INTO @a (x, y) VALUES (8, 1, NULL), (9, 2, NULL)
SELECT x, y, z FROM @a ORDER BY z
GO
--@ source: message 4104
INSERT Employee OUTPUT deleted.id VALUES (10, 1, NULL)
GO
--@ source: message 4104
DELETE Employee OUTPUT inserted.id
GO
--@ source: message 207
DELETE Employee OUTPUT deleted.nowhere
GO
--@ source: message 213
DECLARE @a TABLE (x int, y int)
DELETE Employee OUTPUT deleted.id INTO @a
GO
--@ source: message 208
DELETE Employee OUTPUT deleted.id INTO nowhere
GO
--@ source: message 245
DECLARE @a TABLE (x int)
BEGIN TRY
    DELETE Employee OUTPUT 'x' INTO @a
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, XACT_STATE() AS state
END CATCH
SELECT COUNT(*) AS n FROM Employee
GO
-- Rows that OUTPUT sends before an error are sent, and nothing stays.
--@ source: reasoned
CREATE TABLE out_to (a int)
INSERT Employee OUTPUT inserted.id INTO out_to VALUES (100, 1, NULL), (100, 2, NULL)
SELECT @@ROWCOUNT AS n, (SELECT COUNT(*) FROM out_to) AS out_to
GO
--@ source: reasoned
IF @@TRANCOUNT > 0 ROLLBACK
BEGIN TRAN
DELETE Employee OUTPUT deleted.id INTO out_to
SELECT @@ROWCOUNT AS n, (SELECT COUNT(*) FROM out_to) AS out_to
ROLLBACK
SELECT (SELECT COUNT(*) FROM Employee) AS left_there, (SELECT COUNT(*) FROM out_to) AS out_to
GO
--@ source: documentation OUTPUT clause
DECLARE @n int = 5
INSERT ScrapReason (Name) OUTPUT inserted.ScrapReasonID + @n AS id, UPPER(inserted.Name) AS name, inserted.ModifiedDate VALUES ('two'), ('three')
SELECT SCOPE_IDENTITY() AS after_it
GO
-- OUTPUT without rows has columns.
--@ source: reasoned
DELETE Employee OUTPUT deleted.id, deleted.vac AS v WHERE 1 = 0
UPDATE Employee SET vac = 1 OUTPUT inserted.id WHERE 1 = 0
GO
-- A queue: the row that comes first goes, and is told.
--@ source: documentation OUTPUT clause
CREATE TABLE queue (id int IDENTITY PRIMARY KEY, what varchar(10))
INSERT queue VALUES ('one'), ('two'), ('three');
WITH q AS (SELECT TOP (1) id, what FROM queue WITH (ROWLOCK, READPAST) ORDER BY id)
DELETE FROM q OUTPUT deleted.id, deleted.what;
DELETE TOP (1) FROM queue WITH (READPAST) OUTPUT deleted.what
SELECT COUNT(*) AS n FROM queue
GO
--@ source: reasoned
CREATE TABLE Employee (id int CONSTRAINT pk_e PRIMARY KEY, vac int)
INSERT Employee VALUES (1, 1), (2, 2)
GO
--@ source: reasoned
CREATE VIEW vEmployee AS SELECT id FROM Employee
GO
--@ source: message 4708
TRUNCATE TABLE vEmployee
GO
--@ source: documentation OUTPUT clause
DELETE Employee OUTPUT COUNT(*) AS n
GO
--@ source: documentation OUTPUT clause
DELETE Employee OUTPUT (SELECT 1) AS n
GO
--@ source: message 10705
UPDATE Employee SET vac = 3 OUTPUT CASE WHEN EXISTS (SELECT 1) THEN 1 END AS n
GO
--@ source: message 333
CREATE TABLE checked (a int CONSTRAINT ck_checked CHECK (a > 0))
DELETE Employee OUTPUT deleted.id INTO checked
GO
--@ source: message 332
CREATE TABLE refers (a int CONSTRAINT fk_refers REFERENCES Employee)
DELETE Employee OUTPUT deleted.id INTO refers
GO
--@ source: message 332
DELETE refers OUTPUT deleted.a INTO Employee (id)
GO
--@ source: message 330
INSERT checked OUTPUT inserted.a INTO vEmployee VALUES (1)
GO
--@ source: message 330
WITH c AS (SELECT id FROM Employee) INSERT checked OUTPUT inserted.a INTO c VALUES (1)
GO
--@ source: documentation OUTPUT clause
ALTER TABLE checked NOCHECK CONSTRAINT ck_checked
GO
--@ source: documentation OUTPUT clause
DELETE Employee OUTPUT deleted.id INTO checked
SELECT a FROM checked ORDER BY a
GO
--@ source: reasoned
DROP TABLE refers, checked
GO
--@ source: reasoned
DROP VIEW vEmployee
DROP TABLE Employee
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesDelete
GO
