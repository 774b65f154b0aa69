--@ source: documentation relational-databases/system-functions/sys-fn-helpcollations-transact-sql
SELECT COUNT(*) AS n, COUNT(DISTINCT name) AS names FROM sys.fn_helpcollations()
SELECT name, description FROM fn_helpcollations() WHERE name IN (N'Latin1_General_BIN2', N'Latin1_General_100_CI_AS_SC_UTF8', N'SQL_Latin1_General_CP1_CS_AS', N'Japanese_XJIS_140_CI_AS_VSS')
GO
--@ source: documentation t-sql/functions/collation-functions-collationproperty-transact-sql
SELECT n, COLLATIONPROPERTY(n, 'CodePage') AS page, COLLATIONPROPERTY(n, 'LCID') AS lcid, COLLATIONPROPERTY(n, 'ComparisonStyle') AS style,
    COLLATIONPROPERTY(n, 'Version') AS version
FROM (VALUES (N'SQL_Latin1_General_CP1_CI_AS'), (N'Traditional_Spanish_CS_AS_KS_WS'), (N'japanese_ci_as'), (N'Latin1_General_100_CI_AI_SC_UTF8'), (N'French_CI_AS'),
    (N'SQL_Latin1_General_CP1250_CS_AS'), (N'Latin1_General_100_BIN2_UTF8'), (N'nope')) t(n)
GO
--@ source: message 448
SELECT 'a' COLLATE Klingon_CI_AS
GO
--@ source: message 448
CREATE TABLE t (c varchar(5) COLLATE Latin1_General_CI_AS_UTF8)
GO
--@ source: message 459
CREATE TABLE t (c varchar(5) COLLATE Nepali_100_CI_AS)
GO
--@ source: message 447
SELECT 1 COLLATE Latin1_General_CI_AS
GO
--@ source: message 468
SELECT 1 WHERE 'a' COLLATE Latin1_General_CI_AS = 'a' COLLATE French_CI_AS
GO
--@ source: reasoned
CREATE TABLE t (c varchar(5) COLLATE SQL_Latin1_General_CP1251_CI_AS)
GO
--@ source: reasoned
SELECT N'a' COLLATE Tatar_100_CI_AS
GO
--@ source: reasoned
CREATE TABLE t (c varchar(5) COLLATE Latin1_General_CS_AS, n nvarchar(5) COLLATE Cyrillic_General_CI_AS)
ALTER TABLE t ALTER COLUMN c varchar(9) COLLATE French_CI_AI
INSERT t VALUES ('été', N'Ж')
SELECT c, n FROM t WHERE c = 'ETE' AND n = N'ж'
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
DROP TABLE t
GO
GO
--@ source: documentation t-sql/functions/collation-functions-collationproperty-transact-sql
-- Of what base type each property is, and what a name's case is.
SELECT p, SQL_VARIANT_PROPERTY(COLLATIONPROPERTY('latin1_general_cs_as_ks_ws', p), 'BaseType') AS type, COLLATIONPROPERTY('latin1_general_cs_as_ks_ws', p) AS value
    FROM (VALUES ('CodePage'), ('LCID'), ('ComparisonStyle'), ('Version'), ('Name'), ('nope')) t(p)
SELECT COLLATIONPROPERTY(NULL, 'CodePage') AS a, COLLATIONPROPERTY('French_CI_AS', NULL) AS b
GO
--@ source: documentation relational-databases/collations/collation-and-unicode-support
-- What no name has is not listed; all listed names are collations.
SELECT COUNT(*) AS n FROM fn_helpcollations() WHERE COLLATIONPROPERTY(name, 'LCID') IS NULL
SELECT COUNT(*) AS bin FROM fn_helpcollations() WHERE name LIKE '%[_]BIN'
SELECT COUNT(*) AS utf8 FROM fn_helpcollations() WHERE name LIKE '%[_]UTF8'
SELECT COUNT(*) AS own FROM fn_helpcollations() WHERE name LIKE 'SQL[_]%'
GO
--@ source: reasoned
-- The collations of columns reach catalogue views and the descriptions of results.
CREATE TABLE t (a char(3) COLLATE french_ci_as, b nvarchar(max) COLLATE Latin1_General_100_CI_AS_KS_WS_SC, c nchar(3) COLLATE Chinese_PRC_BIN2, d varchar(3) COLLATE database_default)
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
SELECT name, collation_name FROM sys.dm_exec_describe_first_result_set(N'SELECT a, b, c, d, a + ''x'' AS e FROM t', NULL, 0)
SELECT COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 't'
SELECT a, b INTO u FROM t
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('u') ORDER BY column_id
DROP TABLE t, u
GO
--@ source: reasoned
-- What clients are told of a column: locale, flags and version, sort order.
CREATE TABLE t (a varchar(3) COLLATE French_CI_AS, b nvarchar(3) COLLATE Latin1_General_100_CI_AS_KS_WS_SC, c nchar(3) COLLATE Chinese_PRC_BIN2, d varchar(3), e varchar(3) COLLATE SQL_Latin1_General_CP1_CS_AS, f nvarchar(3) COLLATE Japanese_XJIS_140_CI_AI_UTF8)
EXEC sp_tablecollations_100 N'.[dbo].[t]'
DROP TABLE t
