-- What a result says of its columns: whether NULL may be there, the type that several values have together, the table's column behind it.
--@ source: reasoned
CREATE TABLE rc (id int IDENTITY PRIMARY KEY, a int NOT NULL, n int NULL, t nvarchar(10) NOT NULL, p nvarchar(10) COLLATE Polish_CI_AS NOT NULL)
INSERT rc VALUES (1, NULL, N'x', N'x'), (2, 2, N'y', N'z')
GO
--@ source: reasoned
CREATE VIEW rc_outer AS SELECT l.a, r.a AS other FROM rc AS l LEFT JOIN rc AS r ON r.a = l.a + 1
GO
-- EXCEPT and INTERSECT: as on the left.
--@ source: documentation t-sql/language-elements/set-operators-except-and-intersect-transact-sql
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT a FROM rc EXCEPT SELECT n FROM rc', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT a FROM rc INTERSECT SELECT n FROM rc', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT n FROM rc EXCEPT SELECT a FROM rc', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT n FROM rc INTERSECT SELECT a FROM rc', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT a FROM rc UNION ALL SELECT n FROM rc', NULL, 0)
SELECT a FROM rc EXCEPT SELECT n FROM rc
GO
-- Behind an outer join, wherever it stands.
--@ source: documentation FROM clause
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT a, other FROM rc_outer', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'WITH c AS (SELECT TOP 5 l.a, r.a AS other FROM rc AS l LEFT JOIN rc AS r ON r.a = l.a + 1 ORDER BY l.a) SELECT a, other, a + other AS s, ISNULL(other, 0) AS z FROM c', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT r.a, COUNT(*) AS c FROM rc AS l LEFT JOIN rc AS r ON r.a = l.a + 1 GROUP BY r.a', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT l.a, x.a AS other FROM rc AS l CROSS APPLY (SELECT o.a FROM rc AS i LEFT JOIN rc AS o ON o.a = i.a + l.a) AS x', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT a, t, GROUPING(a) AS g FROM rc GROUP BY ROLLUP (a, t)', NULL, 0)
GO
-- A column that is converted or signed is one of no table.
--@ source: documentation t-sql/queries/select-into-clause-transact-sql
SELECT CAST(id AS int) AS id INTO rc_cast FROM rc
SELECT +id AS id INTO rc_sign FROM rc
SELECT id INTO rc_column FROM (SELECT id FROM rc) AS x
SELECT OBJECT_NAME(object_id) AS t, is_identity, is_nullable FROM sys.columns WHERE object_id IN (OBJECT_ID('rc_cast'), OBJECT_ID('rc_sign'), OBJECT_ID('rc_column')) ORDER BY t
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, is_nullable, is_identity_column, is_updateable FROM sys.dm_exec_describe_first_result_set(N'SELECT x.id, x.a, x.s, CAST(x.id AS int) AS c, x.a COLLATE DATABASE_DEFAULT AS t FROM (SELECT id, t AS a, a + 1 AS s FROM rc) AS x', NULL, 0)
SELECT name, is_nullable, is_identity_column, is_updateable FROM sys.dm_exec_describe_first_result_set(N'SELECT id FROM rc UNION SELECT a FROM rc', NULL, 0)
GO
--@ source: message 4406
WITH c AS (SELECT CAST(a AS int) AS a FROM rc) UPDATE c SET a = 3
GO
-- OUTPUT tells of the table's columns; in a MERGE a row that came has no old values, and a row without a source none of the source's.
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, is_nullable, is_identity_column, is_updateable, collation_name FROM sys.dm_exec_describe_first_result_set(N'INSERT rc OUTPUT inserted.id, inserted.p, inserted.n, inserted.a + 1 AS s, N''x'' AS k VALUES (1, 1, N''x'', N''y'')', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'UPDATE l SET a = 1 OUTPUT deleted.a, inserted.n, r.p FROM rc AS l LEFT JOIN rc AS r ON r.a = l.a + 1', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'DELETE rc OUTPUT deleted.*', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'MERGE rc AS o USING (SELECT a AS b FROM rc) AS s ON s.b = o.a WHEN MATCHED THEN DELETE OUTPUT $action, inserted.a, deleted.a AS d, s.b;', NULL, 0)
SELECT name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'MERGE rc AS o USING (SELECT a AS b FROM rc) AS s ON s.b = o.a WHEN NOT MATCHED BY SOURCE THEN DELETE OUTPUT $action, deleted.a AS d, s.b;', NULL, 0)
GO
-- COLLATE of a constant, in each place where it is computed before anything runs.
--@ source: documentation t-sql/statements/collation-precedence-transact-sql
SELECT a FROM rc WHERE p = N'X' COLLATE Latin1_General_BIN2
SELECT a FROM rc WHERE p LIKE N'X%' COLLATE Latin1_General_BIN2 OR p LIKE N'Z' COLLATE Latin1_General_CI_AS
SELECT a FROM rc WHERE p IN (N'X' COLLATE Latin1_General_BIN2, N'Z')
SELECT CASE WHEN 'a' COLLATE Latin1_General_CI_AS = 'A' THEN 1 ELSE 0 END AS ci, CASE WHEN 'a' COLLATE Latin1_General_BIN2 = N'A' THEN 1 ELSE 0 END AS bin,
    CASE WHEN 'a' + 'b' COLLATE Latin1_General_BIN2 = 'AB' THEN 1 ELSE 0 END AS joined
SELECT name, collation_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(N''a'' COLLATE Polish_CI_AS AS nvarchar(5)) AS c, N''a'' COLLATE Polish_CI_AS + ''b'' AS s, UPPER(N''a'' COLLATE Polish_CI_AS) AS f', NULL, 0)
GO
--@ source: message 468
SELECT a FROM rc WHERE p COLLATE Latin1_General_BIN2 = N'X' COLLATE Polish_CI_AS
GO
-- What COLLATE says of a column holds behind it, also where it says what the column has.
--@ source: documentation t-sql/statements/collation-precedence-transact-sql
SELECT t COLLATE DATABASE_DEFAULT AS t FROM rc UNION SELECT p FROM rc ORDER BY t
GO
--@ source: message 468
SELECT t FROM rc UNION SELECT p FROM rc
GO
-- Values of one column have a type that holds them all.
--@ source: documentation t-sql/data-types/precision-scale-and-length-transact-sql
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CASE WHEN 1 = 1 THEN 1.0 ELSE 2 END AS c, COALESCE(NULL, 1.0, 2) AS o, IIF(1 = 1, 2, 1.0) AS i, CHOOSE(1, 1.0, 2) AS h', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT v FROM (VALUES (1.0), (2)) AS x (v)', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT 1.0 AS u UNION ALL SELECT 2', NULL, 0)
SELECT SQL_VARIANT_PROPERTY(CASE WHEN 1 = 1 THEN 1.0 ELSE 2 END, 'Precision') AS p, SQL_VARIANT_PROPERTY(CASE WHEN 1 = 1 THEN 1.0 ELSE 2 END, 'Scale') AS s
SELECT CASE WHEN 1 = 1 THEN 1.0 ELSE 2 END / 3 AS third
GO
--@ source: reasoned
DROP VIEW rc_outer
DROP TABLE rc, rc_cast, rc_sign, rc_column
GO
