-- Comparison between types, aggregates of odd types, sql_variant, JSON, hashes, and functions of the session.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation Data type precedence
SELECT CASE WHEN 1 = '1' THEN 'eq' END AS a, CASE WHEN '1' = 1.0 THEN 'eq' END AS b, CASE WHEN '01' = 1 THEN 'eq' END AS c, CASE WHEN 'a ' = 'a' THEN 'eq' END AS d, CASE WHEN N'a' = 'A' THEN 'eq' END AS e, CASE WHEN CAST(1 AS bit) = 1 THEN 'eq' END AS f, CASE WHEN CAST(1 AS bit) = 2 THEN 'eq' ELSE 'ne' END AS g, CASE WHEN 0x31 = '1' THEN 'eq' ELSE 'ne' END AS h, CASE WHEN $1 = 1 THEN 'eq' END AS i, CASE WHEN CAST('20240101' AS date) = '2024-01-01' THEN 'eq' END AS j, CASE WHEN CAST('20240101' AS datetime) = CAST('20240101' AS date) THEN 'eq' END AS k, CASE WHEN 0.1e0 + 0.2e0 = 0.3e0 THEN 'eq' ELSE 'ne' END AS l, CASE WHEN 0.1 + 0.2 = 0.3 THEN 'eq' END AS m, CASE WHEN CAST(0.1 AS real) = 0.1e0 THEN 'eq' ELSE 'ne' END AS n, CASE WHEN NULL = NULL THEN 'eq' ELSE 'unknown' END AS o
GO
--@ source: documentation Data type precedence
SELECT CASE WHEN CAST('2024-01-01 00:00 +02:00' AS datetimeoffset) = CAST('2023-12-31 22:00 +00:00' AS datetimeoffset) THEN 'eq' END AS a, CASE WHEN CAST('2024-01-01' AS datetimeoffset) = CAST('2024-01-01' AS datetime2) THEN 'eq' END AS b, CASE WHEN CAST('10:00' AS time) < '10:01' THEN 'lt' END AS c, CASE WHEN CAST('20240101 00:00:00.003' AS datetime) = CAST('20240101 00:00:00.003' AS datetime2(3)) THEN 'eq' ELSE 'ne' END AS d, CASE WHEN CAST('20240101' AS datetime) > 45000 THEN 'gt' END AS e, CASE WHEN CAST(0x01 AS binary(2)) = 0x0100 THEN 'eq' ELSE 'ne' END AS g, CASE WHEN 0xFF > 1 THEN 'gt' END AS i
GO
--@ source: documentation uniqueidentifier
SELECT g FROM (VALUES (CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier)), ('01000000-0000-0000-0000-000000000000'), ('00000000-0000-0000-0001-000000000000'), ('00000000-0000-0100-0000-000000000000'), ('00000000-0001-0000-0000-000000000000')) AS t(g) ORDER BY g
SELECT CASE WHEN CAST('0E984725-C51C-4BF4-9960-E1C80E27ABA0' AS uniqueidentifier) = '0e984725-c51c-4bf4-9960-e1c80e27aba0' THEN 'eq' END AS a
GO
--@ source: message 245
SELECT CASE WHEN 1 = 'a' THEN 1 END
GO
--@ source: message 8114
SELECT CASE WHEN 1.5 = 'a' THEN 1 END
GO
--@ source: message 241
SELECT CASE WHEN GETDATE() = 'a' THEN 1 END
GO
--@ source: message 402
SELECT CASE WHEN CAST('20240101' AS date) = CAST('10:00' AS time) THEN 1 END
GO
--@ source: message 206
SELECT CASE WHEN NEWID() = 1 THEN 1 END
GO
--@ source: message 402
SELECT GETDATE() + CAST('20240101' AS date)
GO
--@ source: message 8117
SELECT GETDATE() * 2
GO
--@ source: message 8117
SELECT CAST('10:00' AS time) + CAST('10:00' AS time)
GO
--@ source: documentation datetime
SELECT CAST('20240101' AS datetime) + 1 AS a, CAST('20240101' AS datetime) - 0.5 AS b, CAST('20240103' AS datetime) - CAST('20240101' AS datetime) AS c, CAST('20240101' AS smalldatetime) + 1.5 AS d, 1 + CAST('20240101' AS datetime) AS e, CAST('20240101' AS datetime) + CAST('12:00' AS datetime) AS f, CAST('20240101' AS datetime) + '02:00' AS g
GO
--@ source: message 8115
SELECT CAST('99991231' AS datetime) + 1
GO
--@ source: documentation SUM
SELECT SQL_VARIANT_PROPERTY(SUM(CAST(v AS tinyint)), 'BaseType') AS a, SQL_VARIANT_PROPERTY(SUM(CAST(v AS bigint)), 'BaseType') AS b, SQL_VARIANT_PROPERTY(SUM(CAST(v AS decimal(5, 2))), 'Precision') AS c, SQL_VARIANT_PROPERTY(SUM(CAST(v AS decimal(5, 2))), 'Scale') AS d, SQL_VARIANT_PROPERTY(SUM(CAST(v AS smallmoney)), 'BaseType') AS e, SQL_VARIANT_PROPERTY(SUM(CAST(v AS real)), 'BaseType') AS f, SQL_VARIANT_PROPERTY(AVG(CAST(v AS tinyint)), 'BaseType') AS g, SQL_VARIANT_PROPERTY(AVG(CAST(v AS decimal(5, 2))), 'Scale') AS h, SQL_VARIANT_PROPERTY(AVG(CAST(v AS smallmoney)), 'BaseType') AS i, SQL_VARIANT_PROPERTY(MAX(CAST(v AS smallint)), 'BaseType') AS j, SQL_VARIANT_PROPERTY(COUNT(*), 'BaseType') AS k, SQL_VARIANT_PROPERTY(COUNT_BIG(*), 'BaseType') AS l, SQL_VARIANT_PROPERTY(STDEV(v), 'BaseType') AS m, SQL_VARIANT_PROPERTY(CHECKSUM_AGG(v), 'BaseType') AS n, SQL_VARIANT_PROPERTY(MIN(CAST(v AS real)), 'BaseType') AS o FROM (VALUES (1), (2)) AS t(v)
SELECT SUM(v) AS a, AVG(v) AS b, AVG(v * 1.0) AS c, MIN(v) AS d, MAX(v) AS e, COUNT(v) AS f, COUNT(DISTINCT v) AS g, STDEV(v) AS h, STDEVP(v) AS i, VAR(v) AS j, VARP(v) AS k FROM (VALUES (1), (2), (2), (4)) AS t(v)
SELECT SUM(v) AS a, AVG(v) AS b, MIN(v) AS c, COUNT(v) AS d, COUNT(*) AS e, STDEV(v) AS f, VAR(v) AS g, CHECKSUM_AGG(v) AS h, STRING_AGG(CAST(v AS varchar(5)), ',') AS i FROM (SELECT 1 AS v WHERE 1 = 0) AS t
SELECT STDEV(v) AS a, STDEVP(v) AS b, VAR(v) AS c, VARP(v) AS d FROM (VALUES (5)) AS t(v)
GO
--@ source: documentation MAX
SELECT MIN(v) AS a, MAX(v) AS b FROM (VALUES ('b'), ('A'), (NULL)) AS t(v)
SELECT MIN(v) AS a, MAX(v) AS b FROM (VALUES (CAST('20240101' AS date)), ('20230101')) AS t(v)
SELECT CONVERT(varchar(10), MIN(v), 1) AS a, CONVERT(varchar(10), MAX(v), 1) AS b FROM (VALUES (0x01), (0x0201)) AS t(v)
SELECT MIN(v) AS a, MAX(v) AS b FROM (VALUES (CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier)), ('01000000-0000-0000-0000-000000000000')) AS t(v)
GO
--@ source: message 8117
SELECT SUM(v) FROM (VALUES ('1')) AS t(v)
GO
--@ source: message 8117
SELECT AVG(v) FROM (VALUES (GETDATE())) AS t(v)
GO
--@ source: message 8117
SELECT MAX(v) FROM (VALUES (CAST(1 AS bit))) AS t(v)
GO
--@ source: message 8117
SELECT SUM(v) FROM (VALUES (CAST(1 AS bit))) AS t(v)
GO
--@ source: documentation SUM
SELECT SUM(CAST(v AS bigint)) AS a FROM (VALUES (2147483647), (1)) AS t(v)
SELECT SUM(v) AS n FROM (VALUES (1), (NULL)) AS t(v)
SELECT COUNT(v) AS n FROM (VALUES (NULL), (1)) AS t(v)
GO
--@ source: documentation STRING_AGG
SELECT STRING_AGG(v, ', ') WITHIN GROUP (ORDER BY v DESC) AS a, STRING_AGG(CAST(n AS varchar(2)), '-') WITHIN GROUP (ORDER BY v DESC) AS d FROM (VALUES ('a', 1), ('b', 3)) AS t(v, n)
GO
--@ source: message 9829
SELECT LEN(STRING_AGG(v, ',')) FROM (VALUES (REPLICATE('a', 8000)), ('b')) AS t(v)
GO
--@ source: documentation sql_variant
DECLARE @v sql_variant = CAST(1.50 AS decimal(5, 2))
SELECT @v AS v, SQL_VARIANT_PROPERTY(@v, 'BaseType') AS b, SQL_VARIANT_PROPERTY(@v, 'Precision') AS p, SQL_VARIANT_PROPERTY(@v, 'Scale') AS s, SQL_VARIANT_PROPERTY(@v, 'MaxLength') AS m
SET @v = 'abc'
SELECT @v AS v, SQL_VARIANT_PROPERTY(@v, 'BaseType') AS b, SQL_VARIANT_PROPERTY(@v, 'MaxLength') AS m, CAST(@v AS varchar(2)) AS c
SET @v = NULL
SELECT @v AS v, SQL_VARIANT_PROPERTY(@v, 'BaseType') AS b
GO
--@ source: documentation sql_variant
SELECT CAST(v AS varchar(20)) AS v, SQL_VARIANT_PROPERTY(v, 'BaseType') AS b FROM (SELECT CAST(2 AS sql_variant) AS v UNION ALL SELECT CAST('1' AS sql_variant) UNION ALL SELECT CAST(1.5 AS sql_variant) UNION ALL SELECT CAST(CAST('20240101' AS date) AS sql_variant) UNION ALL SELECT CAST(N'b' AS sql_variant) UNION ALL SELECT CAST(1e0 AS sql_variant)) AS t ORDER BY t.v
SELECT CASE WHEN CAST(1 AS sql_variant) = CAST(1.0 AS sql_variant) THEN 'eq' ELSE 'ne' END AS a, CASE WHEN CAST('1' AS sql_variant) = CAST(1 AS sql_variant) THEN 'eq' ELSE 'ne' END AS b, CASE WHEN CAST('a' AS sql_variant) < CAST(0 AS sql_variant) THEN 'lt' ELSE 'ge' END AS c, CASE WHEN CAST(1 AS sql_variant) = 1 THEN 'eq' ELSE 'ne' END AS d, CASE WHEN CAST('a' AS sql_variant) = CAST(N'A' AS sql_variant) THEN 'eq' ELSE 'ne' END AS e
GO
--@ source: message 402
SELECT CAST(1 AS sql_variant) + 1
GO
--@ source: message 206
DECLARE @v sql_variant = CAST('<a/>' AS xml)
GO
--@ source: message 257
DECLARE @i int = CAST(1 AS sql_variant)
GO
--@ source: documentation JSON_VALUE
DECLARE @j nvarchar(max) = N'{"info":{"type":1,"address":{"town":"Bristol","county":"Avon","country":"England"},"tags":["Sport","Water polo"]},"type":"Basic","n":null,"t":true,"f":1.50e1}'
SELECT JSON_VALUE(@j, '$.info.type') AS a, JSON_VALUE(@j, '$.info.address.town') AS b, JSON_VALUE(@j, '$.info.tags') AS c, JSON_VALUE(@j, '$.info.tags[1]') AS d, JSON_VALUE(@j, '$.none') AS e, JSON_VALUE(@j, '$.n') AS f, JSON_VALUE(@j, '$.t') AS g, JSON_VALUE(@j, '$.f') AS h, JSON_VALUE(@j, '$."type"') AS i, JSON_VALUE(@j, '$.info.tags[9]') AS k, JSON_VALUE(@j, '$.TYPE') AS l
SELECT JSON_QUERY(@j, '$.info.tags') AS a, JSON_QUERY(@j, '$.info.address') AS b, JSON_QUERY(@j, '$.type') AS c, JSON_QUERY(N'[1, {"a": 2}]', '$[1]') AS d, JSON_QUERY(@j, '$.none') AS e
SELECT ISJSON(@j) AS a, ISJSON('{}') AS b, ISJSON('[]') AS c, ISJSON('"a"') AS d, ISJSON('1') AS e, ISJSON('{a:1}') AS f, ISJSON('') AS g, ISJSON('{"a":1,}') AS i, ISJSON(' { "a" : [ 1 , 2 ] } ') AS k, ISJSON('{"a":01}') AS l
SELECT JSON_PATH_EXISTS(@j, '$.info.address') AS a, JSON_PATH_EXISTS(@j, '$.none') AS b, JSON_PATH_EXISTS(@j, '$.n') AS c
GO
--@ source: message 13608
SELECT JSON_VALUE(N'{"a":1}', 'strict $.b')
PRINT 'behind'
GO
--@ source: message 13623
SELECT JSON_VALUE(N'{"a":[1]}', 'strict $.a')
GO
--@ source: message 13624
SELECT JSON_QUERY(N'{"a":1}', 'strict $.a')
GO
--@ source: message 13609
SELECT JSON_VALUE(N'{a:1}', '$.a')
GO
--@ source: message 13607
SELECT JSON_VALUE(N'{"a":1}', 'a')
GO
--@ source: documentation HASHBYTES
SELECT CONVERT(varchar(70), HASHBYTES('MD5', 'abc'), 2) AS md5, CONVERT(varchar(70), HASHBYTES('SHA1', 'abc'), 2) AS sha1, CONVERT(varchar(70), HASHBYTES('SHA', N'abc'), 2) AS sha_n, CONVERT(varchar(70), HASHBYTES('sha2_256', 'abc'), 2) AS sha256, CONVERT(varchar(70), HASHBYTES('MD5', ''), 2) AS empty, CONVERT(varchar(70), HASHBYTES('MD5', 0x616263), 2) AS bin, HASHBYTES('SHA3', 'abc') AS unknown, HASHBYTES('MD5', CAST(NULL AS varchar(5))) AS n, DATALENGTH(HASHBYTES('SHA2_512', 'abc')) AS l
GO
--@ source: documentation @@ERROR
SELECT @@TRANCOUNT AS a, @@ERROR AS b, @@ROWCOUNT AS c, @@NESTLEVEL AS d, @@FETCH_STATUS AS e, @@DATEFIRST AS f, @@LANGUAGE AS g, @@LANGID AS h, @@MAX_PRECISION AS i, @@LOCK_TIMEOUT AS j, XACT_STATE() AS l, ERROR_NUMBER() AS m, ERROR_MESSAGE() AS n, @@CURSOR_ROWS AS o, CURSOR_STATUS('global', 'none') AS p, @@REMSERVER AS q, GETANSINULL() AS r, ROWCOUNT_BIG() AS s
SELECT USER_NAME() AS a, SUSER_SNAME() AS b, SYSTEM_USER AS c, SESSION_USER AS d, CURRENT_USER AS e, USER AS f, ORIGINAL_LOGIN() AS g, USER_ID() AS h, USER_NAME(2) AS i, USER_NAME(999) AS j, USER_ID('none') AS k, SUSER_NAME(1) AS l, IS_MEMBER('db_owner') AS m, IS_MEMBER('none') AS n, IS_SRVROLEMEMBER('sysadmin') AS o, IS_SRVROLEMEMBER('none') AS p, IS_ROLEMEMBER('db_owner') AS q, DATABASE_PRINCIPAL_ID() AS r, DATABASE_PRINCIPAL_ID('public') AS s, HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS t, HAS_DBACCESS('master') AS u, HAS_DBACCESS('none') AS v, CONVERT(varchar(10), SUSER_SID('sa'), 1) AS w, SUSER_ID('sa') AS x
SELECT DB_NAME() AS a, DB_ID() AS b, DB_NAME(2) AS c, DB_NAME(999) AS d, DB_ID('tempdb') AS e, SESSIONPROPERTY('ANSI_NULLS') AS f, SESSIONPROPERTY('none') AS g, COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'CodePage') AS h, COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'LCID') AS i, COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'ComparisonStyle') AS j, COLLATIONPROPERTY('none', 'LCID') AS k, COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'Version') AS l, DATABASEPROPERTYEX('master', 'Status') AS m, DATABASEPROPERTYEX('tempdb', 'Recovery') AS n, DATABASEPROPERTYEX('none', 'Status') AS o, DATABASEPROPERTYEX('master', 'none') AS p, DATABASEPROPERTYEX('master', 'UserAccess') AS q, DATABASEPROPERTYEX('master', 'Updateability') AS r, DATABASEPROPERTYEX('master', 'Collation') AS s, SERVERPROPERTY('EngineEdition') AS t, SERVERPROPERTY('IsClustered') AS u, SERVERPROPERTY('none') AS v, SERVERPROPERTY('Collation') AS w
GO
--@ source: documentation FILE_NAME
SELECT FILE_ID('master') AS a, FILE_IDEX('mastlog') AS b, FILE_NAME(1) AS c, FILE_NAME(2) AS d, FILE_NAME(99) AS e, FILEGROUP_ID('PRIMARY') AS f, FILEGROUP_NAME(1) AS g, FILEGROUP_NAME(99) AS h, FILEPROPERTY('master', 'IsPrimaryFile') AS i, FILEPROPERTY('mastlog', 'IsLogFile') AS j, FILEPROPERTY('none', 'IsLogFile') AS k, FILEPROPERTY('master', 'none') AS l
GO
--@ source: documentation CONTEXT_INFO
SELECT CONTEXT_INFO() AS n
SET CONTEXT_INFO 0x0102
SELECT DATALENGTH(CONTEXT_INFO()) AS l, CONVERT(varchar(10), SUBSTRING(CONTEXT_INFO(), 1, 3), 1) AS c
EXEC sp_set_session_context N'k', 5
SELECT SESSION_CONTEXT(N'k') AS k, SQL_VARIANT_PROPERTY(SESSION_CONTEXT(N'k'), 'BaseType') AS b
EXEC sp_set_session_context 'ro', 1, @read_only = 1
GO
--@ source: message 15664
EXEC sp_set_session_context N'ro', 2
GO
--@ source: documentation CHECKSUM
SELECT CASE WHEN CHECKSUM('a') = CHECKSUM('A') THEN 'eq' END AS a, CASE WHEN BINARY_CHECKSUM('a') = BINARY_CHECKSUM('A') THEN 'eq' ELSE 'ne' END AS b, CHECKSUM(1) AS d, BINARY_CHECKSUM(1) AS e
GO
--@ source: peer msduck
SELECT CHECKSUM(CAST(NULL AS int)) AS a, CHECKSUM(CAST(NULL AS int), 1) AS b, CHECKSUM(1, CAST(NULL AS int)) AS c, CHECKSUM(CAST(NULL AS int), CAST(NULL AS int)) AS d, CHECKSUM(CAST(4294967296 AS bigint)) AS e, CHECKSUM(CAST(1.5 AS money)) AS f, CHECKSUM(1.5e0) AS g, CHECKSUM(CAST(1.5 AS real)) AS h, CHECKSUM(CAST('20240102' AS date)) AS j, CHECKSUM(0x616263) AS k, CHECKSUM('abc') AS n, CHECKSUM('abc   ') AS q, CHECKSUM(' abc') AS r, CHECKSUM(N'abc') AS s, CHECKSUM(1, 2) AS t, CHECKSUM(2, 1) AS u, CHECKSUM('a', 'b') AS v, CHECKSUM('b', 'a') AS x
SELECT BINARY_CHECKSUM('abc') AS a, BINARY_CHECKSUM(N'abc ') AS b, BINARY_CHECKSUM('ABC') AS c, BINARY_CHECKSUM('a', 'b') AS f, BINARY_CHECKSUM('b', 'a') AS g, BINARY_CHECKSUM(CAST(NULL AS int)) AS h, BINARY_CHECKSUM(CAST('abc' AS char(10))) AS i, CHECKSUM('abc' COLLATE Latin1_General_BIN2) AS k
GO
--@ source: message 8116
SELECT CHECKSUM(CAST('<a/>' AS xml))
GO
--@ source: documentation CASE
SELECT CASE WHEN 'abc' LIKE 'a%' THEN 1 END AS a, CASE WHEN 1 IN (1, NULL) THEN 1 END AS b, CASE WHEN 2 NOT IN (1, NULL) THEN 1 ELSE 0 END AS c, CASE WHEN 5 BETWEEN 10 AND 1 THEN 1 ELSE 0 END AS d, CASE NULL WHEN NULL THEN 1 ELSE 0 END AS f, CASE WHEN NOT (NULL = 1) THEN 1 ELSE 0 END AS g
SELECT 5.0 + '2.5' AS a, '3' * 2e0 AS b, 5 - '2' AS c, $1 + '2' AS d, 1 + 0x01 AS e, CAST(5 AS bigint) / 0x02 AS f, +'abc' AS g
SELECT 'a' AS a UNION ALL SELECT N'b'
SELECT NULL AS a UNION ALL SELECT 'b'
GO
--@ source: message 245
SELECT 5 + '2.5'
GO
--@ source: message 4145
SELECT CASE WHEN 1 THEN 1 END
GO
--@ source: message 4145
IF 1 PRINT 'x'
GO
--@ source: message 102
SELECT 1 = 1
GO
--@ source: message 168
SELECT 1e400
GO
--@ source: documentation Constants
SELECT CONVERT(varchar(10), 0x1, 1) AS b, CONVERT(varchar(10), 0xABC, 1) AS c, CONVERT(varchar(10), 0x, 1) AS z, 1e AS b2, 1.5e+2 AS d, .5e1 AS e, 5.e0 AS f, N'a''b' AS g, 1 AS [a]]b], 2 AS "c""d"
SELECT 'a' 'b'
GO
--@ source: message 195
SELECT nosuch(1)
GO
--@ source: message 4121
SELECT dbo.nosuch(1)
GO
--@ source: message 207
SELECT GETDATE
GO
--@ source: message 189
SELECT ROUND(1)
GO
--@ source: message 174
SELECT DATEADD(day, 1)
GO
--@ source: message 174
SELECT PI(1)
GO
--@ source: message 130
SELECT SUM(SUM(1))
GO
--@ source: documentation System functions
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT DB_NAME() a1, @@SERVERNAME a4, HOST_NAME() a5, XACT_STATE() a6, @@SPID a7, TYPE_ID(''int'') a8, SCHEMA_ID() a9, ERROR_STATE() b1, ERROR_MESSAGE() b2, ERROR_PROCEDURE() b3, @@LANGID b4, @@DATEFIRST b5, @@MAX_PRECISION b6, @@PROCID b7, @@IDENTITY b8, SCOPE_IDENTITY() b9, IDENT_CURRENT(''x'') c1, ROWCOUNT_BIG() c2, @@DBTS c3, OBJECT_ID(''x'') c4, COL_LENGTH(''x'', ''y'') c5, COL_NAME(1, 1) c6, DATABASEPROPERTYEX(''master'', ''Status'') c7, OBJECTPROPERTY(1, ''x'') c8, STATS_DATE(1, 1) c9, HAS_DBACCESS(''x'') d1, SUSER_SID() d2, SUSER_SNAME() d4, CURRENT_USER d5, SYSTEM_USER d6, APP_NAME() d7, CONTEXT_INFO() d8, SESSION_CONTEXT(N''k'') d9, SERVERPROPERTY(''x'') e1, SQL_VARIANT_PROPERTY(1, ''x'') e2, @@TRANCOUNT e3, @@ERROR e4, @@FETCH_STATUS e5, @@OPTIONS e7, @@LOCK_TIMEOUT e8, @@LANGUAGE f1, CURSOR_STATUS(''a'', ''b'') f6, CURRENT_REQUEST_ID() f7, CURRENT_TRANSACTION_ID() f8, FILE_IDEX(''x'') g1, FILE_NAME(1) g2, TYPE_NAME(1) g6, OBJECT_NAME(1) h2, OBJECT_DEFINITION(1) h4, IDENT_SEED(''x'') i1, HASHBYTES(''MD5'', ''a'') i8, JSON_VALUE(''{}'', ''$.a'') j1, JSON_QUERY(''{}'') j2, GET_BIT(1, 1) j6, SET_BIT(1, 1) j7, LEFT_SHIFT(CAST(1 AS bigint), 1) j8, PARSENAME(''a'', 1) k1, NEWID() k2, CHECKSUM(1) k3, RAND() k4, ISNUMERIC(1) k5, HOST_ID() k9', NULL, 0)
GO
--@ source: message 8115
SELECT OBJECT_NAME(3000000000)
GO
--@ source: message 245
SELECT DB_NAME('a')
GO
