-- What a statement needs: the objects, the action and its columns, along the path of ownership.
--@ source: reasoned
CREATE TABLE fx (id int IDENTITY PRIMARY KEY, a int, b int, c int)
CREATE TABLE fz (a int, b int)
GO
--@ source: reasoned
CREATE VIEW fv AS SELECT a AS x, b AS y FROM fx WHERE c > 0
GO
--@ source: reasoned
CREATE VIEW fw AS SELECT v.x, z.b FROM fv AS v JOIN fz AS z ON z.a = v.y
GO
--@ source: reasoned
SELECT needs FROM taffrail.plan_of(N'SELECT x FROM fv WHERE y = 1')
SELECT needs FROM taffrail.plan_of(N'SELECT b FROM dbo.fw')
SELECT needs FROM taffrail.plan_of(N'SELECT COUNT(*) AS n FROM fx AS one CROSS JOIN fx AS other')
SELECT needs FROM taffrail.plan_of(N'SELECT name FROM sys.objects WHERE object_id IN (SELECT a FROM fz)')
SELECT needs FROM taffrail.plan_of(N'DECLARE @t TABLE (a int); SELECT a FROM @t')
GO
-- A target is read only where its columns are.
--@ source: documentation t-sql/queries/update-transact-sql
SELECT needs FROM taffrail.plan_of(N'UPDATE fx SET a = 1')
SELECT needs FROM taffrail.plan_of(N'UPDATE fx SET a = b WHERE c = 1')
SELECT needs FROM taffrail.plan_of(N'UPDATE fv SET x = 1')
SELECT needs FROM taffrail.plan_of(N'DELETE fx')
SELECT needs FROM taffrail.plan_of(N'DELETE fx OUTPUT deleted.a INTO fz (a) WHERE b = 1')
SELECT needs FROM taffrail.plan_of(N'INSERT fx (a, c) SELECT a, b FROM fz')
SELECT needs FROM taffrail.plan_of(N'INSERT fv (y) VALUES (1)')
SELECT needs FROM taffrail.plan_of(N'MERGE fx AS t USING fz AS s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a) WHEN NOT MATCHED BY SOURCE THEN DELETE;')
GO
--@ source: reasoned
DROP VIEW fw, fv
DROP TABLE fx, fz
GO
