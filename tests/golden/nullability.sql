-- Which columns of a result can be NULL; what a description knows of them.
--@ source: reasoned
CREATE TABLE nn (a int NOT NULL PRIMARY KEY, b bit NOT NULL, d datetime NOT NULL)
INSERT nn VALUES (1, 1, '20240101')
GO
--@ source: documentation FROM clause
SELECT n.a, m.a AS other, m.b, m.d INTO nn_outer FROM nn AS n LEFT JOIN nn AS m ON m.a = n.a + 1
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('nn_outer') ORDER BY column_id
SELECT * FROM nn_outer
GO
--@ source: documentation FROM clause
SELECT n.a, m.a AS other FROM nn AS m RIGHT JOIN nn AS n ON m.a = n.a + 1
SELECT n.a, m.a AS other FROM nn AS m FULL JOIN nn AS n ON m.a = n.a + 1 ORDER BY n.a
SELECT n.a, x.a AS other FROM nn AS n OUTER APPLY (SELECT a FROM nn WHERE a > n.a) AS x
SELECT n.a, x.a AS other FROM nn AS n CROSS APPLY (SELECT a FROM nn WHERE a >= n.a) AS x
SELECT n.a, x.other FROM nn AS n LEFT JOIN (SELECT 1 AS other, a + 1 AS a FROM nn) AS x ON x.a = n.a
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, is_nullable, tds_type_id FROM sys.dm_exec_describe_first_result_set(N'SELECT n.a, m.a AS l, x.a AS o, c.a AS i FROM nn AS n LEFT JOIN nn AS m ON m.a = n.a OUTER APPLY (SELECT a FROM nn WHERE a > n.a) AS x JOIN nn AS c ON c.a = n.a', NULL, 0)
SELECT name, is_nullable, tds_type_id FROM sys.dm_exec_describe_first_result_set(N'SELECT database_id, name, create_date, is_read_only, source_database_id FROM sys.databases', NULL, 0)
SELECT database_id FROM sys.databases WHERE name = 'master'
GO
--@ source: documentation SET ARITHABORT
SET ARITHABORT OFF
SET ANSI_WARNINGS OFF
SELECT a / (a - 1) AS n, CAST(a + 1000 AS tinyint) AS t FROM nn
SET ARITHABORT ON
SET ANSI_WARNINGS ON
GO
--@ source: documentation CAST and CONVERT
DECLARE @style int
SELECT CONVERT(int, a, @style) AS n, CONVERT(datetime, d, 120) AS d FROM nn
GO
-- Table variables are known though nothing runs; what depends on a type that nobody gives is not.
--@ source: documentation sp_describe_first_result_set
SELECT name, system_type_name, is_nullable, is_identity_column FROM sys.dm_exec_describe_first_result_set(N'DECLARE @t TABLE (id int IDENTITY PRIMARY KEY, x varchar(10), y xml); INSERT @t (x) VALUES (''a''); SELECT id, x, y, @@ROWCOUNT AS n FROM @t', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'DECLARE @t TABLE (x int); DELETE @t OUTPUT deleted.x AS gone', NULL, 0)
SELECT error_number, error_message FROM sys.dm_exec_describe_first_result_set(N'SELECT x FROM @t; DECLARE @t TABLE (x int)', NULL, 0)
SELECT error_number, error_message FROM sys.dm_exec_describe_first_result_set(N'DECLARE @t TABLE (x int); SELECT nope FROM @t', NULL, 0)
EXEC sp_describe_undeclared_parameters N'DECLARE @t TABLE (x varchar(7)); INSERT @t VALUES (@p)'
GO
--@ source: message 11521
EXEC sp_describe_first_result_set N'SELECT @undeclared'
GO
--@ source: message 11521
SELECT error_number, error_type_desc, error_message FROM sys.dm_exec_describe_first_result_set(N'SELECT a, ISNULL(@u, @u) AS u FROM nn', NULL, 0)
SELECT name, system_type_name, error_number FROM sys.dm_exec_describe_first_result_set(N'SELECT a, @u + 1 AS u, CAST(@v AS date) AS v FROM nn WHERE a = @w', NULL, 0)
SELECT name, system_type_name, error_number FROM sys.dm_exec_describe_first_result_set(N'SELECT @d AS d', N'@d bigint', 0)
GO
--@ source: reasoned
DROP TABLE nn, nn_outer
GO
