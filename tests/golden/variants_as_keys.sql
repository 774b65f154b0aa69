-- sql_variant as key: by family (uniqueidentifier, binary, text, exact numbers, approximate ones, dates), then by value.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: documentation sql_variant
CREATE TABLE dbo.v (k sql_variant CONSTRAINT pk PRIMARY KEY, n int IDENTITY, INDEX i UNIQUE NONCLUSTERED (k DESC))
INSERT dbo.v (k) VALUES (CAST(CAST(0 AS float) AS sql_variant)), (CAST(1 AS sql_variant)), (CAST(CAST('20240101' AS date) AS sql_variant)), (CAST('b' AS sql_variant)), (CAST(N'a' AS sql_variant)), (CAST(0xFF AS sql_variant)), (CAST(CAST('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF' AS uniqueidentifier) AS sql_variant)), (CAST(CAST(0.5 AS numeric(3, 2)) AS sql_variant)), (CAST($0.25 AS sql_variant)), (CAST(CAST('2024-01-01 00:00:01' AS datetime) AS sql_variant)), (CAST(CAST(-1 AS bigint) AS sql_variant)), (CAST(CAST(1 AS bit) + 1 AS sql_variant)), (CAST(0x AS sql_variant)), (CAST('' AS sql_variant))
SELECT SQL_VARIANT_PROPERTY(k, 'BaseType') AS type, CAST(k AS nvarchar(40)) AS k FROM dbo.v WITH (INDEX (pk)) ORDER BY v.k
SELECT COUNT(*) AS n FROM (SELECT ROW_NUMBER() OVER (ORDER BY k) AS a, ROW_NUMBER() OVER (ORDER BY k DESC) AS d FROM dbo.v) AS r WHERE a + d = 15
GO
-- Found by equal values of other types of the family.
--@ source: documentation sql_variant
SELECT n, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k = 1.00
SELECT n, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k = CAST(0.5 AS money)
SELECT n, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k = N'b'
SELECT n, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k = CAST('2024-01-01' AS datetime2(0))
SELECT n, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k IN (2, 'a', 0xFF) ORDER BY n
SELECT COUNT(*) AS n FROM dbo.v WHERE k > 'a' AND k < CAST(0 AS float)
SELECT n FROM dbo.v WHERE k = '1'
GO
--@ source: message 2627
INSERT dbo.v (k) VALUES (CAST(1 AS smallint))
GO
--@ source: message 2627
INSERT dbo.v (k) VALUES (N'B')
GO
--@ source: message 2627
UPDATE dbo.v SET k = CAST(2 AS tinyint) WHERE k = 1
GO
--@ source: documentation sql_variant
UPDATE dbo.v SET k = CAST(2 AS float) WHERE k = 2
DELETE dbo.v WHERE k = 0xFF
MERGE dbo.v AS t USING (VALUES (CAST(1 AS sql_variant)), (99)) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = s.k WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k);
SELECT SQL_VARIANT_PROPERTY(k, 'BaseType') AS type, CAST(k AS nvarchar(40)) AS k FROM dbo.v WHERE k > CAST(0.5 AS numeric(3, 2)) ORDER BY v.k DESC
GO
-- A foreign key between variants, and an index of several columns with NULL.
--@ source: documentation sql_variant
CREATE TABLE dbo.w (k sql_variant CONSTRAINT fk REFERENCES dbo.v (k), a int, INDEX i (a, k))
INSERT dbo.w VALUES (CAST(1.0 AS sql_variant), 1), (NULL, 1), (CAST(N'A' AS sql_variant), 1), (CAST(99 AS sql_variant), 2)
SELECT a, CAST(k AS nvarchar(40)) AS k FROM dbo.w WITH (INDEX (i)) WHERE a = 1 ORDER BY w.k
GO
--@ source: message 547
INSERT dbo.w VALUES (1.5, 1)
GO
--@ source: message 547
DELETE dbo.v WHERE k = 99
GO
--@ source: documentation sql_variant
CREATE INDEX j ON dbo.w (k)
SELECT a, CAST(k AS nvarchar(40)) AS k FROM dbo.w WHERE k = 99
DBCC CHECKTABLE ('dbo.w') WITH NO_INFOMSGS
DROP TABLE dbo.w, dbo.v
GO
-- The values of a key have 900 bytes at most in a clustered index.
--@ source: documentation sql_variant
CREATE TABLE dbo.long (k sql_variant, CONSTRAINT pk PRIMARY KEY CLUSTERED (k))
INSERT dbo.long VALUES (REPLICATE('x', 890))
INSERT dbo.long VALUES (REPLICATE('y', 901))
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM dbo.long
DROP TABLE dbo.long
GO
-- 3,000 values of eleven types: indexes order and find them as comparison does.
--@ source: reasoned
CREATE TABLE dbo.h (k sql_variant NULL, id int)
INSERT dbo.h SELECT CASE value % 11 WHEN 0 THEN CAST(CAST(value % 13 AS tinyint) AS sql_variant) WHEN 1 THEN CAST((value % 40 - 20) / 4.0 AS numeric(6, 2)) WHEN 2 THEN CAST(value % 13 AS float) / 4 WHEN 3 THEN CAST((value % 9) / 4.0 AS real) WHEN 4 THEN CAST(value % 20 - 10 AS money) / 4 WHEN 5 THEN CHAR(97 + value % 5) + LEFT('xyz ', value % 4) WHEN 6 THEN NCHAR(65 + value % 6) + LEFT(N'xyz ', value % 3) WHEN 7 THEN CAST(value % 300 AS varbinary(3)) WHEN 8 THEN NEWID() WHEN 9 THEN DATEADD(hour, value % 50, CAST('20240101' AS datetime)) ELSE CAST(DATEADD(day, value % 3, '20240101') AS date) END, value FROM GENERATE_SERIES(1, 3000)
INSERT dbo.h VALUES (NULL, 0)
SELECT * INTO dbo.i FROM dbo.h
CREATE CLUSTERED INDEX c ON dbo.i (k, id)
CREATE INDEX d ON dbo.i (k DESC, id)
GO
--@ source: reasoned
SELECT COUNT(*) AS n, SUM(IIF(a.r = b.r, 0, 1)) AS other, SUM(IIF(a.d = c.d, 0, 1)) AS other_desc FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY k, id) AS r, ROW_NUMBER() OVER (ORDER BY k DESC, id) AS d FROM dbo.h) AS a JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY k, id) AS r FROM dbo.i WITH (INDEX (c))) AS b ON a.id = b.id JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY k DESC, id) AS d FROM dbo.i WITH (INDEX (d))) AS c ON c.id = a.id
SELECT COUNT(*) AS pairs FROM dbo.h a INNER HASH JOIN dbo.h b ON a.k = b.k
SELECT COUNT(*) AS pairs FROM dbo.h a INNER LOOP JOIN dbo.i b WITH (INDEX (c)) ON a.k = b.k
SELECT COUNT(*) AS pairs FROM dbo.i a INNER MERGE JOIN dbo.i b ON a.k = b.k
SELECT COUNT(*) AS pairs FROM dbo.h a INNER LOOP JOIN dbo.h b ON a.k = b.k
SELECT COUNT(DISTINCT k) AS h FROM dbo.h
SELECT COUNT(*) AS h FROM dbo.h WHERE k > 'b' AND k <= 1.5
SELECT COUNT(*) AS i FROM dbo.i WHERE k > 'b' AND k <= 1.5
DBCC CHECKTABLE ('dbo.i') WITH NO_INFOMSGS
DROP TABLE dbo.h, dbo.i
GO
