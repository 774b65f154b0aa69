-- The source of FROM that the target of an UPDATE or DELETE means: by alias, by name, by the object itself, beside FROM.
--@ source: documentation t-sql/queries/update-transact-sql
DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20), (3, 30)
UPDATE @t SET v = 1 FROM @t x WHERE x.id = 1
SELECT id, v FROM @t ORDER BY id
UPDATE @t SET v = 2 FROM @t WHERE id = 2
SELECT id, v FROM @t ORDER BY id
UPDATE @t SET v = s.n FROM (SELECT 2 k, 7 n) s JOIN @t ON id = s.k
SELECT id, v FROM @t ORDER BY id
UPDATE TOP (1) @t SET v = v + 1 OUTPUT inserted.id, deleted.v AS was, inserted.v AS now FROM @t x WHERE x.id = 3
SELECT id, v FROM @t ORDER BY id
GO
--@ source: documentation t-sql/statements/delete-transact-sql
DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20), (3, 30)
DELETE TOP (1) FROM @t OUTPUT deleted.id FROM @t x WHERE x.id = 2
SELECT id, v FROM @t ORDER BY id
DELETE FROM @t FROM @t x WHERE x.id = 1
SELECT id, v FROM @t ORDER BY id
DELETE @t FROM @t x LEFT JOIN (SELECT 3 AS id) y ON y.id = x.id WHERE y.id IS NULL
SELECT id, v FROM @t ORDER BY id
DELETE @t FROM (VALUES (3)) AS y (k) WHERE k = id
SELECT COUNT(*) AS n FROM @t
GO
-- Two references: the one without an alias is meant.
--@ source: documentation t-sql/queries/update-transact-sql
DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20), (3, 30)
UPDATE @t SET v = x.v FROM @t x JOIN @t ON x.id = 1 WHERE x.v + 10 = [@t].v
SELECT id, v FROM @t ORDER BY id
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
DECLARE @t TABLE (id int, v int)
UPDATE @t SET v = 1 OUTPUT x.id FROM @t x
GO
--@ source: message 8154
DECLARE @t TABLE (id int, v int)
UPDATE @t SET v = 1 FROM @t x JOIN @t y ON x.id = y.id
GO
--@ source: message 8154
DECLARE @t TABLE (id int, v int)
DELETE @t FROM @t x, @t y
GO
--@ source: documentation t-sql/queries/update-transact-sql
EXEC sp_executesql N'DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20)
UPDATE @t SET v = @n FROM @t x WHERE x.id = @k
DELETE @t FROM @t x WHERE x.id <> @k
SELECT id, v FROM @t', N'@n int, @k int', 5, 2
GO
--@ source: documentation t-sql/queries/update-transact-sql
CREATE PROCEDURE dbo.TargetInFrom @k int AS
DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20), (3, 30)
UPDATE @t SET v = 0 FROM @t AS x WHERE x.id = @k
DELETE @t FROM @t AS x WHERE x.id > @k
SELECT id, v FROM @t ORDER BY id
GO
--@ source: documentation t-sql/queries/update-transact-sql
EXEC dbo.TargetInFrom 2
DROP PROCEDURE dbo.TargetInFrom
GO
-- A common table expression under another name is changed once, and no second time beside itself.
--@ source: documentation t-sql/queries/update-transact-sql
CREATE TABLE #t (id int, v int)
INSERT #t VALUES (1, 10), (2, 20), (3, 30);
WITH c AS (SELECT id, v FROM #t) UPDATE c SET v = 1 FROM c AS x WHERE x.id = 1;
WITH c AS (SELECT id, v FROM #t) DELETE c FROM c AS x WHERE x.id = 2
SELECT id, v FROM #t ORDER BY id;
WITH c AS (SELECT id, v FROM #t) UPDATE c SET v = x.v FROM c AS x JOIN c ON c.id = 3 WHERE x.id = 1
UPDATE #t SET v = v + 1 FROM #t AS x WHERE x.id = 3
UPDATE tempdb..#t SET v = v + 100 FROM #t AS x WHERE x.id = 1
DELETE #t FROM #t AS x JOIN (SELECT 5 AS n) AS y ON x.v = y.n
SELECT id, v FROM #t ORDER BY id
GO
--@ source: message 8154
WITH c AS (SELECT id, v FROM #t) UPDATE c SET v = 1 FROM c AS x JOIN c AS y ON x.id = y.id
GO
-- A bare name is what stands in FROM under it, in whatever schema or database.
--@ source: reasoned
DROP TABLE #t
CREATE DATABASE FromOne
CREATE DATABASE FromTwo
GO
--@ source: reasoned
USE FromOne
EXEC ('CREATE SCHEMA s')
CREATE TABLE dbo.t (id int, v varchar(9))
CREATE TABLE s.t (id int, v varchar(9))
CREATE TABLE s.alone (id int, v varchar(9))
CREATE TABLE FromTwo.dbo.t (id int, v varchar(9))
CREATE TABLE FromTwo.dbo.far (id int, v varchar(9))
INSERT dbo.t VALUES (1, 'dbo'), (2, 'dbo')
INSERT s.t VALUES (1, 's'), (2, 's')
INSERT s.alone VALUES (1, 'alone'), (2, 'alone')
INSERT FromTwo.dbo.t VALUES (1, 'two'), (2, 'two')
INSERT FromTwo.dbo.far VALUES (1, 'far'), (2, 'far')
GO
--@ source: reasoned
CREATE VIEW dbo.shown AS
SELECT 'dbo.t' AS n, id, v FROM dbo.t UNION ALL SELECT 's.t', id, v FROM s.t UNION ALL SELECT 's.alone', id, v FROM s.alone
UNION ALL SELECT 'FromTwo.t', id, v FROM FromTwo.dbo.t UNION ALL SELECT 'far', id, v FROM FromTwo.dbo.far
GO
--@ source: documentation t-sql/queries/update-transact-sql
UPDATE t SET v = 'changed' FROM s.t WHERE id = 1
DELETE t FROM s.t WHERE t.id = 2
UPDATE alone SET v = 'changed' FROM s.alone WHERE id = 1
DELETE alone FROM s.alone WHERE alone.id = 2
UPDATE far SET v = 'changed' FROM FromTwo.dbo.far WHERE id = 1
DELETE far FROM FromTwo..far WHERE id = 2
SELECT * FROM shown ORDER BY n, id
GO
-- Of two the object itself; a name with a schema is that object and no other.
--@ source: documentation t-sql/queries/update-transact-sql
UPDATE t SET v = 'both' FROM s.t JOIN dbo.t ON s.t.id = dbo.t.id
UPDATE dbo.t SET v = 'beside' FROM s.t WHERE dbo.t.id = 2
UPDATE s.t SET v = x.v + '+' FROM s.t AS x WHERE x.id = 1
SELECT * FROM shown WHERE n LIKE '%.t' ORDER BY n, id
GO
--@ source: message 8154
UPDATE t SET v = 'none' FROM s.t, FromTwo.dbo.t
GO
--@ source: message 208
UPDATE alone SET v = 'none' FROM s.t
GO
-- An alias goes before a table of its name, also where that is the target's.
--@ source: documentation t-sql/queries/update-transact-sql
UPDATE t SET v = 'alias' FROM s.alone AS t
DELETE t FROM dbo.t AS o JOIN FromTwo.dbo.t AS t ON t.id = o.id WHERE o.id = 2
SELECT * FROM shown WHERE n <> 'far' ORDER BY n, id
GO
-- A view beside its table, and a MERGE of a table variable with itself.
--@ source: documentation t-sql/queries/update-transact-sql
CREATE TABLE dbo.base (id int, v int)
INSERT dbo.base VALUES (1, 10), (2, 20), (3, 30)
EXEC ('CREATE VIEW dbo.v AS SELECT id, v FROM dbo.base')
EXEC ('CREATE VIEW s.v AS SELECT id, v FROM dbo.base WHERE id < 3')
UPDATE v SET v = x.v FROM v JOIN dbo.base AS x ON x.id = v.id + 1
UPDATE v SET v = 0 FROM s.v
DELETE dbo.v FROM v AS x WHERE x.id = 3
SELECT id, v FROM dbo.base ORDER BY id
GO
--@ source: documentation t-sql/statements/merge-transact-sql
DECLARE @t TABLE (id int, v int)
INSERT @t VALUES (1, 10), (2, 20)
MERGE @t USING @t AS x ON [@t].id = x.id + 1 WHEN MATCHED THEN UPDATE SET v = x.v WHEN NOT MATCHED THEN INSERT VALUES (9, x.v);
SELECT id, v FROM @t ORDER BY id
GO
--@ source: reasoned
USE master
DROP DATABASE FromOne, FromTwo
GO
