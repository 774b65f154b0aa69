-- Which table is changed, and which row of it: targets beside sources of the same name or number, and what an APPLY hands up.
--@ source: reasoned
CREATE DATABASE TargetOne
CREATE DATABASE TargetTwo
GO
--@ source: documentation UPDATE
USE TargetOne
CREATE TABLE #a (id int, v varchar(5))
CREATE TABLE dbo.t (id int, v varchar(5))
CREATE TABLE dbo.u (id int, v varchar(5))
INSERT dbo.t VALUES (1, 'one'), (5, 'five')
INSERT dbo.u VALUES (1, 'u1')
INSERT #a VALUES (1, 'a1'), (2, 'a2')
GO
--@ source: documentation UPDATE
UPDATE dbo.u SET v = 'upd' FROM #a
UPDATE dbo.t SET v = 'upd' FROM #a
SELECT 'u' AS n, * FROM u UNION ALL SELECT 't', * FROM t UNION ALL SELECT '#a', * FROM #a
GO
--@ source: documentation UPDATE
UPDATE dbo.u SET v = s.v FROM #a s WHERE s.id = u.id
UPDATE #a SET v = 'x' + x.v FROM dbo.u AS x WHERE x.id = #a.id
SELECT 'u' AS n, * FROM u UNION ALL SELECT '#a', * FROM #a
GO
--@ source: documentation DELETE
BEGIN TRAN
DELETE dbo.u FROM #a s
SELECT 'u' AS n, * FROM u UNION ALL SELECT '#a', * FROM #a
ROLLBACK
GO
--@ source: documentation UPDATE
USE TargetTwo
CREATE TABLE dbo.t (id int, v varchar(5))
INSERT dbo.t VALUES (1, 'two')
USE TargetOne
UPDATE TargetOne.dbo.t SET v = 'both' FROM TargetTwo.dbo.t
SELECT 1 AS n, * FROM TargetOne.dbo.t UNION ALL SELECT 2, * FROM TargetTwo.dbo.t
UPDATE dbo.t SET v = 'mine' FROM TargetTwo.dbo.t
SELECT 1 AS n, * FROM TargetOne.dbo.t UNION ALL SELECT 2, * FROM TargetTwo.dbo.t
DELETE TargetTwo.dbo.t FROM dbo.t AS mine WHERE mine.id = 5
SELECT 1 AS n, * FROM TargetOne.dbo.t UNION ALL SELECT 2, * FROM TargetTwo.dbo.t
GO
--@ source: documentation UPDATE
UPDATE x SET v = 'alias' FROM t AS x WHERE x.id = 1
UPDATE t SET v = 'first' FROM t, t AS x WHERE x.id = 1 AND t.id = 5
SELECT * FROM t
UPDATE dbo.t SET v = 'named' FROM t AS x WHERE x.id = 5
SELECT * FROM t
GO
--@ source: message 8154
UPDATE t SET v = 'none' FROM t AS x, t AS y
GO
--@ source: documentation FROM
CREATE TABLE e (id int NOT NULL PRIMARY KEY, d int NULL, p int NULL)
INSERT e VALUES (11, 1, 100), (12, 1, 50), (13, 2, NULL), (14, NULL, 70)
SELECT e.id, a.x FROM e CROSS APPLY (SELECT e.p AS x) AS a
SELECT e.id, a.x, a.y FROM e OUTER APPLY (SELECT e.p AS x, e.id AS y WHERE e.p > 60) AS a
SELECT e.id, a.x FROM e CROSS APPLY (SELECT TOP (1) e.p AS x) AS a
SELECT e.id, a.x FROM e CROSS APPLY (SELECT DISTINCT e.p AS x FROM e AS i) AS a
GO
--@ source: documentation FROM
SELECT e.id, (SELECT SUM(q.x) FROM e AS i CROSS APPLY (SELECT i.p AS x) AS q WHERE i.id <= e.id) AS n FROM e
SELECT o.id, a.x, b.y FROM e AS o OUTER APPLY (SELECT o.id AS x WHERE o.id > 11) AS a OUTER APPLY (SELECT a.x AS y WHERE a.x > 12) AS b
GO
--@ source: documentation FROM
BEGIN TRAN
UPDATE e SET d = q.x FROM e CROSS APPLY (SELECT e.p AS x) AS q
SELECT * FROM e
DELETE e FROM e CROSS APPLY (SELECT e.p AS x WHERE e.p > 60) AS q
SELECT id FROM e
ROLLBACK
GO
--@ source: documentation DECLARE
DECLARE @t TABLE (a int), @n int = 5, @u TABLE (b int), @m int; SET @m = @n + 1
INSERT @u VALUES (@m)
SELECT @n AS n, @m AS m, (SELECT COUNT(*) FROM @t) AS t, (SELECT b FROM @u) AS u
GO
--@ source: message 547
USE tempdb
CREATE TABLE dbo.KeptParent (a int PRIMARY KEY)
CREATE TABLE dbo.KeptChild (a int CONSTRAINT fk_kept REFERENCES dbo.KeptParent (a))
INSERT dbo.KeptChild VALUES (1)
GO
--@ source: message 3726
DROP TABLE dbo.KeptParent
GO
--@ source: message 1766
CREATE TABLE #k (a int CONSTRAINT fk_k REFERENCES dbo.KeptParent (a))
INSERT #k VALUES (1)
GO
--@ source: reasoned
DROP TABLE dbo.KeptChild, dbo.KeptParent, #k, #a
USE master
DROP DATABASE TargetOne, TargetTwo
GO
