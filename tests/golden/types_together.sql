-- The type of exact numbers that meet in CASE, IIF, CHOOSE, COALESCE, NULLIF, VALUES, UNION, EXCEPT, INTERSECT, GREATEST and LEAST: max(p1 - s1, p2 - s2) digits
-- before the point and max(s1, s2) behind it, at most 38. An integer has 3, 5, 10 or 19 of them, be it a literal or not; money has 19 and 4, smallmoney 10 and 4.
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: reasoned
CREATE VIEW dbo.met AS
SELECT 'CASE' AS what, CAST(CASE WHEN 1 = 1 THEN 1.0 ELSE 2 END AS sql_variant) AS v
UNION ALL SELECT 'CASE of a value', CASE 1 WHEN 1 THEN 2 WHEN 3 THEN 2.5 END
UNION ALL SELECT 'IIF', IIF(1 = 1, 1.0, 2)
UNION ALL SELECT 'CHOOSE', CHOOSE(1, 1.0, 2)
UNION ALL SELECT 'COALESCE', COALESCE(NULL, 1.0, 2)
UNION ALL SELECT 'ISNULL', ISNULL(1.0, 2)
UNION ALL SELECT 'NULLIF', NULLIF(1.0, 2)
UNION ALL SELECT 'VALUES', v FROM (VALUES (1.0)) AS one(v)
UNION ALL SELECT 'VALUES', v FROM (VALUES (1.0), (2)) AS two(v) WHERE v = 1
UNION ALL SELECT 'UNION', v FROM (SELECT 1.0 AS v UNION SELECT 1) AS u
UNION ALL SELECT 'UNION ALL', v FROM (SELECT 1.0 AS v UNION ALL SELECT 2) AS u WHERE v = 1
UNION ALL SELECT 'EXCEPT', v FROM (SELECT 1.0 AS v EXCEPT SELECT 2) AS u
UNION ALL SELECT 'INTERSECT', v FROM (SELECT 1.0 AS v INTERSECT SELECT 1) AS u
UNION ALL SELECT 'GREATEST', GREATEST(1.0, 1)
UNION ALL SELECT 'LEAST', LEAST(1.0, 1)
GO
--@ source: documentation precision, scale, and length
SELECT what, SQL_VARIANT_PROPERTY(v, 'BaseType') AS type, SQL_VARIANT_PROPERTY(v, 'Precision') AS p, SQL_VARIANT_PROPERTY(v, 'Scale') AS s FROM dbo.met
DROP VIEW dbo.met
GO
-- Every pair of exact types: as a column of SELECT INTO.
--@ source: documentation precision, scale, and length
DECLARE @bit bit = 1, @tiny tinyint = 1, @small smallint = 1, @int int = 1, @big bigint = 1, @sm smallmoney = 1, @m money = 1, @n numeric(5, 3) = 1, @d decimal(20, 2) = 1, @all numeric(38, 10) = 1, @none decimal(38, 0) = 1, @zero bit = 0
SELECT IIF(@zero = 0, @n, @bit) AS n_bit, IIF(@zero = 0, @n, @tiny) AS n_tiny, IIF(@zero = 0, @small, @n) AS small_n, IIF(@zero = 0, @n, @int) AS n_int, IIF(@zero = 0, @big, @n) AS big_n, IIF(@zero = 0, @n, @sm) AS n_sm, IIF(@zero = 0, @m, @n) AS m_n, IIF(@zero = 0, @n, @d) AS n_d, IIF(@zero = 0, @d, @n) AS d_n, IIF(@zero = 0, @n, @all) AS n_all, IIF(@zero = 0, @all, @d) AS all_d, IIF(@zero = 0, @all, @none) AS all_none, IIF(@zero = 0, @none, @m) AS none_m, IIF(@zero = 0, @m, @sm) AS m_sm, IIF(@zero = 0, @m, @big) AS m_big, IIF(@zero = 0, @sm, @int) AS sm_int, IIF(@zero = 0, @tiny, @bit) AS tiny_bit, IIF(@zero = 0, @small, @big) AS small_big, CASE @zero WHEN 0 THEN 1 WHEN 1 THEN 0.5 ELSE @tiny END AS three, COALESCE(@n, 3000000000) AS literal INTO dbo.pairs
SELECT c.name, t.name AS type, c.precision AS p, c.scale AS s FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.pairs') ORDER BY c.column_id
DROP TABLE dbo.pairs
GO
-- Digits behind the point give way to those before it.
--@ source: documentation precision, scale, and length
SELECT CASE WHEN 1 = 1 THEN CAST(0.12345678901234567890 AS numeric(38, 38)) ELSE 1 END AS a, COALESCE(CAST(0.5555 AS numeric(38, 37)), CAST(1 AS bigint)) AS b
GO
-- Operators count a literal's digits: numeric(3, 1), (3, 1), (2, 1), (8, 6).
--@ source: documentation int, bigint, smallint, and tinyint
SELECT SQL_VARIANT_PROPERTY(CAST(1.0 + 2 AS sql_variant), 'Precision') AS a, SQL_VARIANT_PROPERTY(CAST(10 - 1.0 AS sql_variant), 'Precision') AS b, SQL_VARIANT_PROPERTY(CAST(1.0 * 2 AS sql_variant), 'Precision') AS c, SQL_VARIANT_PROPERTY(CAST(1.0 / 3 AS sql_variant), 'Precision') AS d, SQL_VARIANT_PROPERTY(CAST(1.0 / 3 AS sql_variant), 'Scale') AS e
GO
-- Rows of one INSERT have a common type before they go into the column.
--@ source: reasoned
CREATE TABLE dbo.rows (t varchar(20))
INSERT dbo.rows VALUES (1), (2.5), (30)
INSERT dbo.rows SELECT 1 UNION ALL SELECT 2.25
SELECT t FROM dbo.rows
DROP TABLE dbo.rows
GO
-- A whole number that is too large for an int is numeric as a literal, and FORMATMESSAGE's bigint.
--@ source: documentation FORMATMESSAGE
SELECT FORMATMESSAGE('Bigint %I64d', 3000000000) AS m
GO
