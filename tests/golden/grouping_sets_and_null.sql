-- What is made of a key that a set leaves out is NULL there, however the key is put into it.
--@ source: reasoned
CREATE TABLE nn (id int NOT NULL, v bigint NOT NULL, b int NULL)
INSERT nn VALUES (1, 10, NULL), (2, 20, 5)
GO
--@ source: documentation t-sql/queries/select-group-by-transact-sql
--@ sort
SELECT -ISNULL(id, 0) AS x FROM nn GROUP BY ROLLUP (ISNULL(id, 0))
GO
--@ source: reasoned
--@ sort
SELECT ~ISNULL(id, 0) AS x, ISNULL(id, 0) + 1 AS y, CAST(ISNULL(id, 0) AS bigint) AS z, COALESCE(ISNULL(id, 0), 7) AS w FROM nn GROUP BY ROLLUP (ISNULL(id, 0))
GO
--@ source: reasoned
--@ sort
SELECT IIF(1 = 1, IIF(b IS NULL, 0, 1), 5) AS x, COUNT(*) AS n FROM nn GROUP BY CUBE (IIF(b IS NULL, 0, 1))
GO
--@ source: reasoned
--@ sort
SELECT IIF(SUM(id) > 2, CASE WHEN id > 1 THEN 1 ELSE 0 END, 9) AS x FROM nn GROUP BY ROLLUP (CASE WHEN id > 1 THEN 1 ELSE 0 END)
GO
--@ source: reasoned
CREATE VIEW negated AS SELECT -ISNULL(id, 0) AS x FROM nn GROUP BY ROLLUP (ISNULL(id, 0))
GO
--@ source: reasoned
SELECT x FROM negated ORDER BY x
SELECT TOP (1) x FROM negated ORDER BY x
SELECT x FROM negated UNION ALL SELECT 3 ORDER BY x
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('negated')
GO
--@ source: reasoned
DECLARE @x int
DECLARE c CURSOR LOCAL FOR SELECT x FROM negated ORDER BY x
OPEN c
FETCH NEXT FROM c
FETCH NEXT FROM c
GO
--@ source: reasoned
SELECT CASE WHEN GETDATE() > '19000101' THEN CASE id WHEN 1 THEN 1 ELSE 2 END ELSE 3 END AS x INTO nk FROM nn GROUP BY ROLLUP (CASE id WHEN 1 THEN 1 ELSE 2 END)
SELECT x FROM nk ORDER BY x
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('nk')
GO
--@ source: reasoned
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT -ISNULL(id, 0) AS x, ISNULL(ISNULL(v, 0), 1) AS y, ISNULL(id, 0) AS z, COUNT(*) AS n FROM nn GROUP BY ROLLUP (ISNULL(id, 0), ISNULL(v, 0))', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT -ISNULL(id, 0) AS x FROM nn GROUP BY GROUPING SETS ((ISNULL(id, 0)))', NULL, 0)
GO
--@ source: reasoned
DROP VIEW negated
DROP TABLE nn, nk
GO
