-- IGNORE_DUP_KEY: which rows an INSERT passes over, what is told of it, and which statements it does not reach.
--@ source: reasoned
CREATE DATABASE Ignoring
GO
--@ source: documentation CREATE INDEX
USE Ignoring
CREATE TABLE t (id int IDENTITY, k int NOT NULL, v varchar(10) NULL, CONSTRAINT t_pk PRIMARY KEY (k) WITH (IGNORE_DUP_KEY = ON))
INSERT t (k, v) VALUES (1, 'a'), (1, 'b'), (2, 'c')
SELECT @@ROWCOUNT AS n, @@ERROR AS e
SELECT id, k, v FROM t ORDER BY k
GO
-- Identity values are spent; OUTPUT tells what was inserted.
--@ source: documentation CREATE INDEX
INSERT t (k, v) OUTPUT inserted.id, inserted.k SELECT x, 'd' FROM (VALUES (2), (3), (3), (4)) AS s (x) ORDER BY x
SELECT id, k, v FROM t ORDER BY k
INSERT TOP (2) t (k, v) SELECT x, 'e' FROM (VALUES (3), (4)) AS s (x)
GO
-- An index beside the clustered one: the row leaves every index.
--@ source: documentation CREATE INDEX
CREATE TABLE three (k int PRIMARY KEY, p int NOT NULL, u int NOT NULL, big varchar(max) NULL)
CREATE INDEX three_p ON three (p)
CREATE UNIQUE INDEX three_u ON three (u) WITH (IGNORE_DUP_KEY = ON)
INSERT three VALUES (1, 1, 1, REPLICATE(CAST('x' AS varchar(max)), 20000)), (2, 2, 1, REPLICATE(CAST('y' AS varchar(max)), 20000)), (3, 3, 3, NULL)
SELECT k, p, u, LEN(big) AS n FROM three ORDER BY k
SELECT p FROM three WITH (INDEX (three_p)) WHERE p > 0 ORDER BY p
INSERT three SELECT k + 10, p, u, big FROM three
DBCC CHECKTABLE ('three') WITH NO_INFOMSGS
GO
-- A key of an index without the option is still an error.
--@ source: message 2627
INSERT three VALUES (1, 9, 9, NULL)
GO
-- UPDATE and MERGE are not reached.
--@ source: message 2601
UPDATE three SET u = 1 WHERE k = 3
GO
--@ source: message 2627
UPDATE t SET k = 1 WHERE k = 2
GO
--@ source: message 2601
MERGE three AS t USING (VALUES (20, 1)) AS s (k, u) ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, p, u) VALUES (s.k, 0, s.u);
GO
-- Triggers see the rows that came, in table variables too, and OUTPUT INTO and INSERT … EXEC insert.
--@ source: documentation CREATE INDEX
CREATE TRIGGER t_i ON t AFTER INSERT AS SELECT COUNT(*) AS came FROM inserted
GO
--@ source: documentation CREATE INDEX
INSERT t (k) VALUES (4), (5)
INSERT t (k) VALUES (4)
DROP TRIGGER t_i
DECLARE @v TABLE (a int PRIMARY KEY WITH (IGNORE_DUP_KEY = ON), b int)
INSERT @v VALUES (1, 1), (1, 2), (2, 3)
INSERT t (k) OUTPUT 1, inserted.k INTO @v VALUES (6), (7)
INSERT @v EXEC ('SELECT 2, 9 UNION ALL SELECT 3, 9')
SELECT a, b FROM @v ORDER BY a
GO
--@ source: documentation CREATE INDEX
CREATE TABLE #t (a int, b int, UNIQUE (a) WITH (IGNORE_DUP_KEY = ON))
INSERT #t VALUES (1, 1), (2, 2)
BEGIN TRY INSERT #t SELECT 1, 3 UNION ALL SELECT 3, 3 SELECT @@ROWCOUNT AS n, @@TRANCOUNT AS t END TRY BEGIN CATCH SELECT 'not here' AS c END CATCH
INSERT #t WITH (TABLOCK) SELECT a, b + 1 FROM #t
SELECT a, b FROM #t ORDER BY a
DROP TABLE #t
GO
-- Where the option may be.
--@ source: message 1916
CREATE INDEX three_n ON three (p) WITH (IGNORE_DUP_KEY = ON)
GO
--@ source: message 10618
CREATE UNIQUE INDEX three_n ON three (p) WHERE p > 5 WITH (IGNORE_DUP_KEY = ON)
GO
--@ source: message 1915
ALTER INDEX three_p ON three SET (IGNORE_DUP_KEY = ON)
GO
--@ source: message 1979
ALTER INDEX t_pk ON t SET (IGNORE_DUP_KEY = OFF)
GO
--@ source: documentation ALTER INDEX
ALTER INDEX three_u ON three SET (IGNORE_DUP_KEY = OFF)
SELECT name, ignore_dup_key FROM sys.indexes WHERE object_id IN (OBJECT_ID('t'), OBJECT_ID('three')) ORDER BY name
EXEC sp_helpindex 't'
GO
--@ source: message 2601
INSERT three VALUES (30, 9, 1, NULL)
GO
--@ source: documentation ALTER INDEX
ALTER INDEX three_u ON three REBUILD WITH (IGNORE_DUP_KEY = ON)
INSERT three VALUES (30, 9, 1, NULL)
SELECT COUNT(*) AS n FROM three
GO
--@ source: reasoned
USE master
DROP DATABASE Ignoring
GO
