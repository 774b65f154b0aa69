-- What a text sends and what it wants, told without running it.
--@ source: documentation sp_describe_first_result_set
CREATE TABLE dbo.described (id int NOT NULL IDENTITY PRIMARY KEY, v varchar(20) NULL, n nvarchar(max) NULL, d decimal(10,2) NOT NULL, tx text NULL, x xml NULL, dt datetime2(3) NULL, b varbinary(50) NULL)
EXEC sp_describe_first_result_set N'SELECT * FROM dbo.described'
EXEC sp_describe_first_result_set N'DECLARE @i int = 1; SELECT @i AS i, id + 1, N''x'' AS n FROM dbo.described WHERE id = @p; SELECT 2', N'@p int'
EXEC sp_describe_first_result_set N'UPDATE dbo.described SET v = NULL OUTPUT inserted.id WHERE id = @p'
EXEC sp_describe_first_result_set N'INSERT dbo.described (v, d) VALUES (''a'', 1)'
GO
--@ source: reasoned
CREATE PROCEDURE dbo.sends @a int AS IF @a = 1 SELECT id, v FROM dbo.described ELSE SELECT id, v FROM dbo.described WHERE id > @a
GO
--@ source: reasoned
CREATE PROCEDURE dbo.differs @a int AS IF @a = 1 SELECT id FROM dbo.described ELSE SELECT v FROM dbo.described
GO
--@ source: reasoned
CREATE PROCEDURE dbo.dynamic AS EXEC ('SELECT 1')
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT column_ordinal, name, system_type_name, is_nullable, error_number, error_type_desc FROM sys.dm_exec_describe_first_result_set(N'EXEC dbo.sends @a = 1', NULL, 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'sp_executesql N''SELECT @x AS y'', N''@x bigint''', NULL, 0)
SELECT name, system_type_name, tds_type_id, tds_length FROM sys.dm_exec_describe_first_result_set_for_object(OBJECT_ID('dbo.sends'), 0)
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT (SELECT id FROM dbo.described FOR XML PATH(''''), TYPE) AS v, CAST(''<a/>'' AS xml) AS c, ISNULL(tx, '''') AS t, tx FROM (SELECT tx FROM dbo.described) AS d', NULL, 0)
SELECT system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT id FROM dbo.described FOR XML PATH, TYPE', NULL, 0)
SELECT error_number, error_type, error_type_desc, error_message FROM sys.dm_exec_describe_first_result_set(N'EXEC dbo.differs 1', NULL, 0)
SELECT error_number, error_type, error_type_desc, error_message FROM sys.dm_exec_describe_first_result_set(N'EXEC dbo.dynamic', NULL, 0)
SELECT error_number, error_type, error_type_desc FROM sys.dm_exec_describe_first_result_set(N'CREATE TABLE #t (a int); SELECT a FROM #t', NULL, 0)
SELECT error_number, error_type, error_type_desc FROM sys.dm_exec_describe_first_result_set(N'SELECT 1 FROM', NULL, 0)
SELECT error_number, error_type, error_type_desc FROM sys.dm_exec_describe_first_result_set(N'SELECT nope FROM dbo.described', NULL, 0)
SELECT error_type_desc FROM sys.dm_exec_describe_first_result_set_for_object(-77, 0)
GO
--@ source: message 11501
EXEC sp_describe_first_result_set N'SELECT * FROM dbo.nope'
GO
--@ source: message 11513
EXEC sp_describe_first_result_set N'DECLARE @s nvarchar(100) = N''SELECT 1''; EXEC (@s)'
GO
--@ source: documentation sp_describe_undeclared_parameters
EXEC sp_describe_undeclared_parameters N'INSERT dbo.described (v, n, d, tx, x, dt, b) VALUES (@P1, @P2, @P3, @P4, @P5, @P6, @P7)'
EXEC sp_describe_undeclared_parameters N'SELECT id FROM dbo.described WHERE v = @a AND d > @b AND id IN (@c, 2) AND dt BETWEEN @d AND @e AND n LIKE @f'
EXEC sp_describe_undeclared_parameters N'SELECT id FROM dbo.described WHERE v > @a AND b < @b'
EXEC sp_describe_undeclared_parameters N'UPDATE dbo.described SET v = @v, d = @d + 1, b = @b WHERE id = @id', N'@id int'
EXEC sp_describe_undeclared_parameters N'DELETE TOP (@n) FROM dbo.described WHERE CAST(@c AS smallint) = 1'
EXEC sp_describe_undeclared_parameters N'EXEC dbo.sends @a = @x'
EXEC sp_describe_undeclared_parameters N'{call dbo.sends(@P1)}'
EXEC sp_describe_undeclared_parameters N'SELECT 1'
GO
--@ source: message 11508
EXEC sp_describe_undeclared_parameters N'SELECT id FROM dbo.described WHERE id = @p OR id > @p'
GO
--@ source: message 208
EXEC sp_describe_undeclared_parameters N'SELECT * FROM dbo.nope WHERE a = @p'
GO
--@ source: reasoned
DROP PROCEDURE dbo.sends, dbo.differs, dbo.dynamic
DROP TABLE dbo.described
GO
