-- The text of checks, defaults and filters as the catalogue keeps it.
--@ source: documentation sys.check_constraints
CREATE TABLE dbo.defined (Id int NOT NULL, Name nvarchar(20) NULL, Price money NULL, Day datetime NULL, Code varchar(10) NULL)
ALTER TABLE dbo.defined ADD CONSTRAINT c01 CHECK (id >= 0 and ID <= 2), CONSTRAINT c02 CHECK (id BETWEEN 0 AND 2), CONSTRAINT c03 CHECK (id NOT BETWEEN 5 AND 9),
    CONSTRAINT c04 CHECK (UPPER(code) IN ('L', 'M', 'H') OR code IS NULL), CONSTRAINT c05 CHECK (code IS NULL OR UPPER(code) IN ('SC', 'VC')),
    CONSTRAINT c06 CHECK (name NOT LIKE '%x%' AND LEN(name) BETWEEN 0 AND 8), CONSTRAINT c07 CHECK (name NOT IN ('a', 'b')),
    CONSTRAINT c08 CHECK ((id = 1 OR id = 2 /* both */) AND price > -1.50 -- and more
    ), CONSTRAINT c09 CHECK (NOT (id = 7 OR price = $3)), CONSTRAINT c10 CHECK (id * (id + 1) - (3 - 1) < 100 AND id & ~1 != 64),
    CONSTRAINT c11 CHECK (DATEADD(yy, -18, GETDATE()) > day OR YEAR(day) > 2000), CONSTRAINT c12 CHECK (CAST(day AS date) <= CONVERT(datetime2(7), day)),
    CONSTRAINT c13 CHECK (CASE WHEN id = 1 THEN 0 ELSE 1 END = 1 OR CASE id WHEN 1 THEN 'it''s' END = 'a'), CONSTRAINT c14 CHECK (IIF(id > 0, 1, 2) < ISNULL(price, 1e3)),
    CONSTRAINT c15 CHECK (CONVERT(char(10), day, 120) COLLATE Latin1_General_BIN2 > N'1'), CONSTRAINT c16 CHECK (COALESCE(name, code, 'x') <> NULLIF(name, ''))
SELECT name, definition, parent_column_id FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('dbo.defined') ORDER BY name
GO
--@ source: reasoned
-- what is kept is what holds
INSERT dbo.defined VALUES (1, N'abc', 1, '2001-01-01', NULL)
GO
--@ source: message 547
INSERT dbo.defined VALUES (3, N'abc', 1, '2001-01-01', 'L')
GO
--@ source: documentation sys.default_constraints
CREATE TABLE dbo.defaulted (a int DEFAULT 0, b int DEFAULT ((-1)), c int DEFAULT 1 + 1, d varchar(10) DEFAULT 'it''s', e nvarchar(10) DEFAULT N'x', f datetime DEFAULT CURRENT_TIMESTAMP,
    g datetime2 DEFAULT SYSUTCDATETIME(), h uniqueidentifier DEFAULT NEWID(), i bit DEFAULT CONVERT(bit, 0), j int DEFAULT NULL, k varbinary(4) DEFAULT 0x00ff, l money DEFAULT $1.5,
    m float DEFAULT 1e0, n decimal(9,2) DEFAULT 1.50, o int DEFAULT '1', p sysname DEFAULT USER, q sysname DEFAULT SYSTEM_USER, r int DEFAULT CAST('7' AS int))
SELECT c.name, d.definition FROM sys.default_constraints AS d JOIN sys.columns AS c ON c.default_object_id = d.object_id WHERE d.parent_object_id = OBJECT_ID('dbo.defaulted') ORDER BY c.column_id
SELECT COLUMN_NAME, COLUMN_DEFAULT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'defaulted' AND COLUMN_NAME IN ('a', 'r')
INSERT dbo.defaulted (a) VALUES (DEFAULT)
SELECT a, b, c, d, e, i, j, k, l, m, n, o, p, q, r FROM dbo.defaulted
GO
--@ source: reasoned
ALTER TABLE dbo.defaulted ADD s int NOT NULL CONSTRAINT ds DEFAULT (2 * (3 + 4)) WITH VALUES CONSTRAINT cs CHECK (S in (14, 15))
SELECT definition FROM sys.check_constraints WHERE name = 'cs' UNION ALL SELECT definition FROM sys.default_constraints WHERE name = 'ds'
SELECT CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS WHERE CONSTRAINT_NAME = 'cs'
GO
--@ source: reasoned
SELECT s FROM dbo.defaulted
CREATE INDEX f ON dbo.defaulted (a) WHERE d IN ('a', 'b') AND a > -1
SELECT filter_definition FROM sys.indexes WHERE name = 'f'
GO
--@ source: message 4104
CREATE TABLE dbo.w (a int CHECK (other.a > 1))
GO
--@ source: message 1046
CREATE TABLE dbo.w (a int CHECK ((SELECT 1) > 1))
GO
--@ source: reasoned
-- the forms of values and conditions, of names that are bound
CREATE TABLE dbo.forms (a int, b int, c int, n varchar(10), X datetime, Y datetime, k xml)
ALTER TABLE dbo.forms ADD CONSTRAINT f01 CHECK (n NOT LIKE '%x%'), CONSTRAINT f02 CHECK (A = 1 AND B = 2 OR C = 3), CONSTRAINT f03 CHECK (((a != b)) and (a !< b)),
    CONSTRAINT f04 CHECK (a * (b + c) > 1 - -1), CONSTRAINT f05 CHECK (a - (b - c) = (a - b) - c), CONSTRAINT f06 CHECK ((a + b) * c / 2 % 3 > - a + -(-b)),
    CONSTRAINT f07 CHECK (CONVERT(datetime2(7), x) > CAST(y AS varchar)), CONSTRAINT f08 CHECK (FORMS.a > 1e0 AND a IS NOT NULL), CONSTRAINT f09 CHECK (DATEDIFF(mi, x, y) BETWEEN MONTH(x) AND DATEPART(dw, y)),
    CONSTRAINT f10 CHECK (TRY_CONVERT(decimal(9), n, 1) > TRY_CAST(n AS decimal(9, 2))), CONSTRAINT f11 CHECK (a IS DISTINCT FROM b OR a IS NOT DISTINCT FROM NULL),
    CONSTRAINT f12 CHECK (n LIKE '5!%' ESCAPE '!' OR TRIM('x' FROM n) COLLATE latin1_general_bin2 = CAST(n AS nvarchar(max))), CONSTRAINT f13 CHECK (n COLLATE database_default IN ('a')),
    CONSTRAINT f14 CHECK (x > {d '2020-01-01'} AND a < CHOOSE(b, +1, 2)), CONSTRAINT f15 CHECK (a = NULL OR a <> 3000000000 OR @@SPID > 0.50), CONSTRAINT f16 CHECK ((a = 1 AND b = 1) AND (b = 2 AND c = 2)),
    CONSTRAINT f17 CHECK (a NOT IN (1, 2.5, b) AND ISNULL(a, 1) = COALESCE(b, NULL, 1)), CONSTRAINT f18 CHECK (k.exist('/a') = 1), CONSTRAINT f19 CHECK (CASE a WHEN 1 + 1 THEN b END = 0x00ff | ~a & b ^ c)
SELECT name, definition FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('dbo.forms') ORDER BY name
GO
--@ source: reasoned
CREATE INDEX i ON dbo.forms (a) WHERE 1 < A AND b IN (+5, -1) AND c <> 7 AND n = N'x' AND x IS NOT NULL
SELECT filter_definition FROM sys.indexes WHERE name = 'i'
GO
--@ source: reasoned
DROP TABLE dbo.defined, dbo.defaulted, dbo.forms
GO
