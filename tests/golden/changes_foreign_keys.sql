-- Foreign keys: every action, several columns, NULLs, self-references, cascades over tables, off and on.
--@ source: reasoned
CREATE DATABASE ChangesForeign
GO
--@ source: documentation Primary and Foreign Key Constraints
USE ChangesForeign
CREATE TABLE p (id int CONSTRAINT pk_p PRIMARY KEY, v varchar(5))
INSERT p VALUES (0, 'zero'), (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')
CREATE TABLE na (id int, p int CONSTRAINT fk_na REFERENCES p)
INSERT na VALUES (1, 1), (2, NULL)
INSERT na VALUES (3, 99)
UPDATE na SET p = 98 WHERE id = 2
DELETE p WHERE id = 1
UPDATE p SET id = 11 WHERE id = 1
UPDATE p SET v = 'uno' WHERE id = 1
SELECT id, p FROM na ORDER BY id
GO
--@ source: documentation CREATE TABLE
CREATE TABLE cas (id int, p int CONSTRAINT fk_cas REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)
INSERT cas VALUES (1, 2), (2, 2), (3, 3), (4, NULL)
UPDATE p SET id = 22 WHERE id = 2
SELECT @@ROWCOUNT AS n
SELECT id, p FROM cas ORDER BY id
DELETE p WHERE id = 22
SELECT @@ROWCOUNT AS n
SELECT id, p FROM cas ORDER BY id
GO
--@ source: documentation CREATE TABLE
CREATE TABLE sn (id int, p int NULL CONSTRAINT fk_sn REFERENCES p ON DELETE SET NULL ON UPDATE SET NULL)
INSERT sn VALUES (1, 3), (2, 4)
UPDATE p SET id = 33 WHERE id = 3
DELETE p WHERE id = 4
SELECT id, p FROM sn ORDER BY id
SELECT id, p FROM cas ORDER BY id
GO
--@ source: documentation CREATE TABLE
INSERT p VALUES (5, 'five'), (6, 'six')
CREATE TABLE sd (id int, p int CONSTRAINT df_sd DEFAULT 0 CONSTRAINT fk_sd REFERENCES p ON DELETE SET DEFAULT ON UPDATE SET DEFAULT)
INSERT sd VALUES (1, 5), (2, 6)
DELETE p WHERE id = 5
UPDATE p SET id = 66 WHERE id = 6
SELECT id, p FROM sd ORDER BY id
GO
-- The default must be there too.
--@ source: message 547
BEGIN TRY
    DELETE p WHERE id = 0
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n
END CATCH
UPDATE sd SET p = 66
DELETE p WHERE id = 0
SELECT p FROM sd
GO
--@ source: message 1761
CREATE TABLE bad (p int NOT NULL CONSTRAINT fk_bad REFERENCES p ON DELETE SET NULL)
GO
--@ source: message 1770
CREATE TABLE bad (p int CONSTRAINT fk_bad REFERENCES p (nowhere))
GO
--@ source: message 8139
CREATE TABLE bad (p int, q int, CONSTRAINT fk_bad FOREIGN KEY (p, q) REFERENCES p (id))
GO
-- A table that refers to itself.
--@ source: documentation CREATE TABLE
CREATE TABLE tree (id int CONSTRAINT pk_tree PRIMARY KEY, parent int NULL CONSTRAINT fk_tree REFERENCES tree (id))
INSERT tree VALUES (1, 1), (2, 1), (4, 3), (3, 2)
INSERT tree VALUES (5, 6)
INSERT tree VALUES (5, 5)
DELETE tree WHERE id = 2
DELETE tree WHERE id IN (2, 3, 4)
UPDATE tree SET id = 9, parent = 9 WHERE id = 5
UPDATE tree SET id = 10 WHERE id = 9
SELECT id, parent FROM tree ORDER BY id
DELETE tree
SELECT @@ROWCOUNT AS n
GO
-- Two tables that refer to each other.
--@ source: documentation ALTER TABLE
CREATE TABLE dept (id int CONSTRAINT pk_dept PRIMARY KEY, boss int NULL)
CREATE TABLE emp (id int CONSTRAINT pk_emp PRIMARY KEY, dept int NOT NULL CONSTRAINT fk_emp REFERENCES dept)
ALTER TABLE dept ADD CONSTRAINT fk_dept FOREIGN KEY (boss) REFERENCES emp (id)
INSERT dept VALUES (1, NULL)
INSERT emp VALUES (7, 1)
UPDATE dept SET boss = 7
DELETE emp
DELETE dept
UPDATE dept SET boss = NULL
DELETE emp
DELETE dept
GO
--@ source: message 3726
DROP TABLE dept
GO
--@ source: message 3726
DROP TABLE emp
GO
--@ source: reasoned
ALTER TABLE dept DROP CONSTRAINT fk_dept
DROP TABLE emp, dept
SELECT OBJECT_ID('emp') AS emp, OBJECT_ID('dept') AS dept
GO
-- Keys of several columns: one NULL is enough to pass.
--@ source: documentation CREATE TABLE
CREATE TABLE k2 (a int, b varchar(5), CONSTRAINT uq_k2 UNIQUE (a, b))
INSERT k2 VALUES (1, 'x'), (2, 'y')
CREATE TABLE r2 (id int, b varchar(5), a int, CONSTRAINT fk_r2 FOREIGN KEY (a, b) REFERENCES k2 (a, b) ON UPDATE CASCADE)
INSERT r2 VALUES (1, 'x', 1), (2, NULL, 77), (3, 'nn', NULL), (4, 'X', 1)
INSERT r2 VALUES (5, 'y', 1)
UPDATE k2 SET b = 'xx' WHERE a = 1
SELECT id, b, a FROM r2 ORDER BY id
DELETE k2 WHERE a = 1
DELETE k2 WHERE a = 2
GO
-- Cascades over three tables, counted in none of them.
--@ source: documentation CREATE TABLE
CREATE TABLE g1 (id int PRIMARY KEY)
CREATE TABLE g2 (id int PRIMARY KEY, g1 int NOT NULL REFERENCES g1 ON DELETE CASCADE ON UPDATE CASCADE)
CREATE TABLE g3 (id int PRIMARY KEY, g2 int NOT NULL CONSTRAINT fk_g3 REFERENCES g2 ON DELETE CASCADE)
INSERT g1 VALUES (1), (2)
INSERT g2 VALUES (10, 1), (11, 1), (20, 2)
INSERT g3 VALUES (100, 10), (101, 10), (110, 11), (200, 20)
DELETE g1 WHERE id = 1
SELECT @@ROWCOUNT AS n, (SELECT COUNT(*) FROM g2) AS g2, (SELECT COUNT(*) FROM g3) AS g3
UPDATE g1 SET id = 5
SELECT id, g1 FROM g2
GO
-- One that refuses stops all.
--@ source: message 547
CREATE TABLE g4 (g3 int CONSTRAINT fk_g4 REFERENCES g3)
INSERT g4 VALUES (200)
DELETE g1
SELECT @@ROWCOUNT AS n, (SELECT COUNT(*) FROM g1) AS g1, (SELECT COUNT(*) FROM g3) AS g3
GO
--@ source: message 4712
TRUNCATE TABLE g3
GO
--@ source: message 4712
DELETE g4
TRUNCATE TABLE g3
GO
--@ source: reasoned
ALTER TABLE g4 NOCHECK CONSTRAINT fk_g4
TRUNCATE TABLE g3
GO
--@ source: documentation ALTER TABLE
INSERT g4 VALUES (12345)
ALTER TABLE g4 CHECK CONSTRAINT fk_g4
SELECT is_disabled, is_not_trusted FROM sys.foreign_keys WHERE name = 'fk_g4'
INSERT g4 VALUES (12346)
ALTER TABLE g4 WITH CHECK CHECK CONSTRAINT fk_g4
SELECT @@ERROR AS e
GO
--@ source: documentation ALTER TABLE
DELETE g4
ALTER TABLE g4 WITH CHECK CHECK CONSTRAINT ALL
SELECT is_disabled, is_not_trusted FROM sys.foreign_keys WHERE name = 'fk_g4'
GO
--@ source: documentation ALTER TABLE
INSERT g4 VALUES (NULL)
ALTER TABLE g4 ADD x int NOT NULL CONSTRAINT df_x DEFAULT 9
GO
--@ source: message 547
ALTER TABLE g4 ADD CONSTRAINT fk_x FOREIGN KEY (x) REFERENCES g1 (id)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE g4 WITH NOCHECK ADD CONSTRAINT fk_x FOREIGN KEY (x) REFERENCES g1 (id)
UPDATE g4 SET g3 = NULL
UPDATE g4 SET x = 10
DELETE g4 WHERE x = 9
SELECT name, delete_referential_action_desc AS on_delete, update_referential_action_desc AS on_update, is_not_trusted FROM sys.foreign_keys WHERE name IN ('fk_x', 'fk_sd', 'fk_sn', 'fk_cas', 'fk_na') ORDER BY name
GO
--@ source: message 3725
ALTER TABLE p DROP CONSTRAINT pk_p
GO
--@ source: message 547
INSERT na (p) SELECT id + 1000 FROM p
MERGE na AS t USING (SELECT 555 AS k) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (p) VALUES (s.k);
SELECT @@ERROR AS e
MERGE p AS t USING (SELECT 1 AS k) AS s ON t.id = s.k WHEN MATCHED THEN DELETE;
GO
--@ source: reasoned
BEGIN TRAN
INSERT na VALUES (50, 77)
SELECT @@TRANCOUNT AS trancount, XACT_STATE() AS state
INSERT na VALUES (51, 1)
COMMIT
SELECT COUNT(*) AS n FROM na WHERE id >= 50
GO
--@ source: documentation OUTPUT clause
INSERT p VALUES (70, 'x')
INSERT cas VALUES (70, 70), (71, 70)
DELETE p OUTPUT deleted.id, deleted.v WHERE id = 70
SELECT COUNT(*) AS n FROM cas WHERE id >= 70
GO
--@ source: message 1766
CREATE TABLE #t (a int CONSTRAINT fk_skipped REFERENCES p)
INSERT #t VALUES (987)
DROP TABLE #t
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesForeign
GO
