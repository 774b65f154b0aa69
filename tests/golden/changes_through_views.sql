-- INSERT, UPDATE, DELETE and MERGE of views and common table expressions.
--@ source: reasoned
CREATE TABLE dbo.cv_t (id int NOT NULL CONSTRAINT pk_cv_t PRIMARY KEY, a int NULL, b varchar(10) NOT NULL CONSTRAINT df_cv_b DEFAULT 'none', c int NULL CONSTRAINT ck_cv_c CHECK (c < 100))
CREATE TABLE dbo.cv_n (id int IDENTITY(1, 1) NOT NULL, x int NULL)
CREATE TABLE dbo.cv_u (id int NOT NULL, tid int NULL, x int NULL)
INSERT dbo.cv_t VALUES (1, 10, 'one', 1), (2, 20, 'two', 2), (3, NULL, 'three', 3)
INSERT dbo.cv_u VALUES (1, 1, 5), (2, 1, 6), (3, 2, 7)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_v (k, v, text) AS SELECT id, a, b FROM dbo.cv_t WHERE id < 10
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_computed AS SELECT id, a, a + 1 AS next, b FROM dbo.cv_t
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_join AS SELECT t.id, t.a, u.id AS uid, u.x FROM dbo.cv_t AS t JOIN dbo.cv_u AS u ON u.tid = t.id
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_groups AS SELECT a, COUNT(*) AS n FROM dbo.cv_t GROUP BY a
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_union AS SELECT id, a FROM dbo.cv_t UNION SELECT id, x FROM dbo.cv_u
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_numbered AS SELECT id, x FROM dbo.cv_n
GO
--@ source: documentation CREATE VIEW
INSERT dbo.cv_v (k, v) VALUES (4, 40)
INSERT dbo.cv_v VALUES (5, 50, 'five'), (6, NULL, DEFAULT)
INSERT INTO cv_v (text, k) SELECT b + '!', id + 6 FROM dbo.cv_t WHERE id = 1
INSERT dbo.cv_v (k) VALUES (11)
UPDATE dbo.cv_v SET v = v + 1, text = 'up' WHERE k IN (1, 4)
UPDATE v SET v += 100 FROM dbo.cv_v AS v JOIN dbo.cv_u AS u ON u.tid = v.k WHERE u.x = 7
UPDATE dbo.cv_v SET v = 0 WHERE k = 11
UPDATE cv_v SET v = u.x FROM dbo.cv_u AS u WHERE u.tid = cv_v.k AND u.id = 2
DELETE dbo.cv_v WHERE k = 5
DELETE FROM v FROM dbo.cv_v AS v WHERE v.text LIKE '%!'
DELETE dbo.cv_v WHERE k = 11
SELECT id, a, b, c FROM dbo.cv_t ORDER BY id
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation CREATE VIEW
-- What the table holds to, the view holds to.
INSERT dbo.cv_v (k, v) VALUES (1, 1)
GO
--@ source: documentation CREATE VIEW
INSERT dbo.cv_v (k, text) VALUES (20, NULL)
GO
--@ source: message 547
WITH x AS (SELECT id, c FROM dbo.cv_t) INSERT x VALUES (21, 100)
GO
--@ source: documentation CREATE VIEW
INSERT dbo.cv_numbered VALUES (7), (8)
INSERT dbo.cv_numbered (x) OUTPUT inserted.id, inserted.x VALUES (9)
SET IDENTITY_INSERT dbo.cv_n ON
INSERT dbo.cv_numbered (id, x) VALUES (50, 1)
SET IDENTITY_INSERT dbo.cv_n OFF
INSERT dbo.cv_numbered DEFAULT VALUES
SELECT id, x FROM dbo.cv_n ORDER BY id
SELECT SCOPE_IDENTITY() AS last
GO
--@ source: message 544
INSERT dbo.cv_numbered (id, x) VALUES (60, 1)
GO
--@ source: documentation WITH common_table_expression
WITH c AS (SELECT id, a FROM dbo.cv_t) INSERT c (id, a) VALUES (7, 70), (8, 80)
;WITH c (k, v) AS (SELECT id, a FROM dbo.cv_t WHERE id > 100), d AS (SELECT 9 AS n) INSERT c SELECT n, n * 10 FROM d
;WITH c AS (SELECT id, a FROM dbo.cv_t) UPDATE c SET a = c.a + q.x FROM c JOIN (SELECT tid, SUM(x) AS x FROM dbo.cv_u GROUP BY tid) AS q ON q.tid = c.id
;WITH c AS (SELECT t.id, t.a, u.x FROM dbo.cv_t AS t JOIN dbo.cv_u AS u ON u.tid = t.id WHERE u.id = 3) UPDATE c SET a = x * 2
;WITH c AS (SELECT id FROM dbo.cv_t WHERE id > 8) DELETE c
SELECT id, a FROM dbo.cv_t ORDER BY id
GO
--@ source: documentation MERGE
MERGE dbo.cv_v AS t USING (VALUES (7, 700), (9, 900)) AS s (k, v) ON s.k = t.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, v, text) VALUES (s.k, s.v, 'merged');
MERGE INTO dbo.cv_v USING (VALUES (8)) AS s (k) ON s.k = cv_v.k WHEN MATCHED THEN DELETE;
WITH c AS (SELECT id, a FROM dbo.cv_t WHERE id > 3) MERGE c USING dbo.cv_u AS u ON u.id + 3 = c.id WHEN MATCHED AND u.x = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET a = u.x WHEN NOT MATCHED THEN INSERT (id, a) VALUES (u.id + 100, u.x);
SELECT id, a, b FROM dbo.cv_t ORDER BY id
GO
--@ source: documentation CREATE VIEW
-- Of a join one table is changed: that of the columns.
UPDATE dbo.cv_join SET x = 60 WHERE uid = 2
UPDATE dbo.cv_join SET a = -1 WHERE x = 7
INSERT dbo.cv_join (uid, x) VALUES (4, 8)
SELECT id, tid, x FROM dbo.cv_u ORDER BY id
SELECT id, a FROM dbo.cv_t WHERE a = -1
UPDATE dbo.cv_computed SET a = 12 WHERE next = 0
INSERT dbo.cv_computed (id, b) VALUES (30, 'c')
SELECT id, a, next FROM dbo.cv_computed WHERE a = 12 OR id = 30 ORDER BY id
GO
--@ source: documentation OUTPUT
UPDATE dbo.cv_computed SET a = 13 OUTPUT inserted.id, deleted.a, inserted.a WHERE a = 12
DELETE dbo.cv_computed OUTPUT deleted.id, deleted.b WHERE id = 30
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.cv_proc @k int, @v int AS
UPDATE dbo.cv_v SET v = @v WHERE k = @k
IF @@ROWCOUNT = 0 INSERT dbo.cv_v (k, v) VALUES (@k, @v)
GO
--@ source: documentation CREATE PROCEDURE
EXEC dbo.cv_proc 1, 111
EXEC dbo.cv_proc 5, 555
SELECT k, v FROM dbo.cv_v WHERE v > 100 AND k < 6 ORDER BY k
BEGIN TRAN
DELETE dbo.cv_v
SELECT COUNT(*) AS n FROM dbo.cv_v
ROLLBACK
SELECT COUNT(*) AS n FROM dbo.cv_v
GO
--@ source: message 4403
UPDATE dbo.cv_groups SET a = 1
GO
--@ source: message 4403
DELETE dbo.cv_groups
GO
--@ source: message 4403
INSERT dbo.cv_groups (a) VALUES (1)
GO
--@ source: message 4405
DELETE dbo.cv_join
GO
--@ source: message 4405
INSERT dbo.cv_join VALUES (1, 2, 3, 4)
GO
--@ source: message 4406
UPDATE dbo.cv_computed SET next = 1
GO
--@ source: message 4406
INSERT dbo.cv_computed (id, next) VALUES (31, 1)
GO
--@ source: message 4406
INSERT dbo.cv_computed VALUES (31, 1, 2, 'x')
GO
--@ source: message 4426
UPDATE dbo.cv_union SET a = 1
GO
--@ source: message 4426
INSERT dbo.cv_union VALUES (1, 1)
GO
--@ source: message 207
UPDATE dbo.cv_v SET a = 1
GO
--@ source: message 207
INSERT dbo.cv_v (k, c) VALUES (1, 1)
GO
--@ source: message 264
INSERT dbo.cv_v (k, v, k) VALUES (1, 1, 1)
GO
--@ source: message 213
INSERT dbo.cv_v VALUES (1, 1)
GO
--@ source: message 109
INSERT dbo.cv_v (k, v) VALUES (1)
GO
--@ source: documentation MERGE
-- NOT MATCHED BY SOURCE sees what the view shows.
BEGIN TRANSACTION
MERGE dbo.cv_v AS t USING dbo.cv_u AS u ON u.id = t.k WHEN NOT MATCHED BY SOURCE THEN DELETE;
ROLLBACK
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.cv_checked AS SELECT id, a FROM dbo.cv_t WHERE id < 10 WITH CHECK OPTION
GO
--@ source: message 40510
UPDATE dbo.cv_checked SET a = 1
GO
--@ source: message 40510
INSERT dbo.cv_checked VALUES (300, 1)
GO
--@ source: documentation CREATE VIEW
DELETE dbo.cv_checked WHERE id = 6
GO
--@ source: reasoned
DROP VIEW dbo.cv_checked
DROP PROCEDURE dbo.cv_proc
DROP VIEW dbo.cv_v, dbo.cv_computed, dbo.cv_join, dbo.cv_groups, dbo.cv_union, dbo.cv_numbered
DROP TABLE dbo.cv_t, dbo.cv_n, dbo.cv_u
GO
