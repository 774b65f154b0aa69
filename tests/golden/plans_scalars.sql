-- How scalars are written: conversions, parentheses, constants, conditions.
--@ source: reasoned
CREATE TABLE dbo.a(id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, x int NULL, t varchar(10) NULL);
CREATE TABLE dbo.b(id int NOT NULL, aid int NULL, y bigint NULL, n nvarchar(10) NULL, CONSTRAINT pk_b PRIMARY KEY (id));
CREATE TABLE dbo.c(id int NULL, d date NULL, v decimal(10, 2) NULL);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.logical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE t = N''x'' AND x = 5.5 AND id = ''7'''
EXEC dbo.tree N'SELECT CAST(x AS varchar(5)), CONVERT(varchar(10), d, 112), TRY_CONVERT(int, t) FROM dbo.a, dbo.c'
EXEC dbo.tree N'SELECT (id + x) * 2 - -x, id - (x - 1), t + ''-'' + t, id & (x | 1), ~id FROM dbo.a'
EXEC dbo.tree N'SELECT id FROM dbo.c WHERE d >= ''20240101'' AND v < 10 AND id <> 3'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE (x = 1 OR x = 2) AND NOT (id > 5 AND t IS NULL) AND t IS NOT NULL'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE t LIKE ''a!%%'' ESCAPE ''!'' AND t NOT LIKE ''b%'' AND x BETWEEN 1 AND 9'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE x IN (1, 2, 3) AND id NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)'
EXEC dbo.tree N'SELECT CASE x WHEN 1 THEN ''one'' WHEN 2 THEN ''two'' END, IIF(id > 0, x, NULL), COALESCE(x, id, 0), NULLIF(x, 1) FROM dbo.a'
EXEC dbo.tree N'SELECT DATEADD(day, 1, d), UPPER(t), LEN(t), ISNULL(t, '''') COLLATE Latin1_General_BIN2 FROM dbo.a, dbo.c'
EXEC dbo.tree N'SELECT @@ROWCOUNT, @@SERVERNAME, 1 + 2, 1e1, 0xAB, N''it''''s'', NULL FROM dbo.a'
EXEC dbo.tree N'SELECT id FROM dbo.a WHERE 1 = 0'
EXEC dbo.tree N'SELECT x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x AS s FROM dbo.a'
GO
--@ source: reasoned
-- SET ANSI_NULLS OFF compares NULL with NULL.
SET ANSI_NULLS OFF
SELECT logical FROM taffrail.plan_of(N'SELECT id FROM dbo.a WHERE x = NULL OR x <> id')
SET ANSI_NULLS ON
GO
--@ source: reasoned
DROP PROCEDURE dbo.tree
DROP TABLE dbo.a, dbo.b, dbo.c
GO
