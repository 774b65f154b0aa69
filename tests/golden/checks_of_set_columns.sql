-- An UPDATE asks the CHECK constraints that read a column which it sets; an INSERT asks all.
--@ source: documentation relational-databases/tables/unique-constraints-and-check-constraints
CREATE TABLE c (id int NOT NULL PRIMARY KEY, a int, b int, d int DEFAULT 1)
INSERT c VALUES (1, -1, 5, 0), (2, 1, 5, 1), (3, 7, 5, 1)
ALTER TABLE c WITH NOCHECK ADD CONSTRAINT ck_a CHECK (a > 0), CONSTRAINT ck_ab CHECK (a < b), CONSTRAINT ck_d CHECK (10 / d > 0)
UPDATE c SET d = 2 WHERE id = 1
UPDATE c SET id = id + 10 WHERE id = 1
SELECT id, a, b, d FROM c ORDER BY id
GO
--@ source: message 547
UPDATE c SET b = 6 WHERE id = 3
GO
--@ source: message 547
UPDATE c SET a = a WHERE id = 11
GO
-- What the row has in columns that are not set counts where the condition reads them beside one that is.
--@ source: reasoned
UPDATE c SET b = 4 WHERE id = 11
UPDATE c SET b = 8 WHERE id = 3
UPDATE c SET a += 1, b = 1 WHERE id = 3
SELECT id, a, b, d FROM c ORDER BY id
INSERT c (id, b) VALUES (4, 1)
INSERT c VALUES (5, -1, 1, 1)
GO
-- An error within a CHECK that is not asked is none.
--@ source: reasoned
ALTER TABLE c NOCHECK CONSTRAINT ck_d
INSERT c VALUES (6, 1, 2, 0)
ALTER TABLE c CHECK CONSTRAINT ck_d
UPDATE c SET b = 3 WHERE id = 6
SELECT @@ROWCOUNT AS n
UPDATE c SET d = d WHERE id = 6
GO
-- One that reads no column.
--@ source: reasoned
ALTER TABLE c WITH NOCHECK ADD CONSTRAINT ck_none CHECK (1 = 0)
UPDATE c SET b = 4 WHERE id = 6
SELECT @@ROWCOUNT AS n
INSERT c VALUES (7, 1, 2, 1)
ALTER TABLE c DROP CONSTRAINT ck_none
GO
-- MERGE: each clause by what it sets.
--@ source: documentation t-sql/statements/merge-transact-sql
MERGE c USING (VALUES (11), (12)) AS s (id) ON c.id = s.id WHEN MATCHED THEN UPDATE SET d = 5 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)
    WHEN NOT MATCHED BY SOURCE AND c.id = 6 THEN UPDATE SET b = 9 OUTPUT $action, inserted.id, inserted.a, inserted.b, inserted.d;
MERGE c USING (VALUES (11)) AS s (id) ON c.id = s.id WHEN MATCHED THEN UPDATE SET a = c.a - 1;
GO
--@ source: message 547
MERGE c USING (VALUES (13)) AS s (id) ON c.id = s.id WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, 0);
GO
-- Through a view and a common table expression.
--@ source: reasoned
CREATE VIEW v AS SELECT id AS k, a AS x, d AS y FROM c
GO
--@ source: reasoned
UPDATE v SET y = 3 WHERE k = 11
UPDATE v SET x = -2 WHERE k = 11
;WITH w AS (SELECT id, d FROM c WHERE a < 0) UPDATE w SET d += 1
SELECT k, x, y FROM v WHERE k = 11
DROP VIEW v
GO
-- A cascade is an UPDATE of the columns of the key.
--@ source: reasoned
CREATE TABLE child (k int NOT NULL, n int CONSTRAINT ck_n CHECK (n > 0), p int CONSTRAINT fk_p REFERENCES c (id) ON UPDATE CASCADE)
INSERT child VALUES (1, 1, 11)
ALTER TABLE child NOCHECK CONSTRAINT ck_n
INSERT child VALUES (2, 0, 11)
ALTER TABLE child CHECK CONSTRAINT ck_n
UPDATE c SET id = 21 WHERE id = 11
SELECT k, n, p FROM child ORDER BY k
ALTER TABLE child ADD CONSTRAINT ck_p CHECK (p < 30)
UPDATE c SET id = 31 WHERE id = 21
GO
-- Parameters, variables, a procedure.
--@ source: reasoned
CREATE PROCEDURE set_d @id int, @d int AS UPDATE c SET d = @d WHERE id = @id
GO
--@ source: reasoned
EXEC set_d 21, 8
EXEC sp_executesql N'UPDATE c SET a = @a WHERE id = @id', N'@id int, @a int', 21, -4
DECLARE @old int
UPDATE c SET @old = d, d = 9 WHERE id = 21
SELECT @old AS old, d FROM c WHERE id = 21
DROP PROCEDURE set_d
DROP TABLE child, c
GO
-- Temporary tables.
--@ source: reasoned
CREATE TABLE #t (a int CONSTRAINT ck_temp CHECK (a > 0), b varchar(max), c int)
ALTER TABLE #t NOCHECK CONSTRAINT ck_temp
INSERT #t VALUES (0, 'abcdef', 1)
ALTER TABLE #t CHECK CONSTRAINT ck_temp
UPDATE #t SET c = 2
UPDATE #t SET b.WRITE('X', 1, 2)
SELECT a, b, c FROM #t
BEGIN TRY UPDATE #t SET a = -1 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH
DROP TABLE #t
GO
