-- Whose word a collation is: COLLATE before a column before what is neither.
--@ source: reasoned
CREATE TABLE b (w nvarchar(12) COLLATE Latin1_General_BIN2, s varchar(12) COLLATE Latin1_General_BIN2, ci varchar(12))
INSERT b VALUES (N'a', 'b', 'A')
GO
-- What is made of a column has the column's, and literals beside it give way.
--@ source: documentation collation-precedence-transact-sql
SELECT 1 AS lower FROM b WHERE UPPER(w) = N'A' AND UPPER(s) = N'B' AND w + N'x' = N'ax' AND CONCAT(w, s) = 'ab' AND REVERSE(w) IN (N'a', 'x')
SELECT 1 AS upper FROM b WHERE LOWER(w) = N'A' OR w + N'' = 'A' OR REPLACE(w, 'x', '') LIKE 'A' OR SUBSTRING(w, 1, 1) BETWEEN N'A' AND N'Z'
SELECT 1 AS cast_of_a_column FROM b WHERE CAST(w AS varchar(30)) + '' = 'A'
GO
-- A value that is chosen: the order of the arms does not matter.
--@ source: documentation collation-precedence-transact-sql
SELECT CASE WHEN (CASE WHEN 1 = 1 THEN 'A' ELSE s END) = 'a' THEN 'ci' ELSE 'bin' END AS cases,
    CASE WHEN COALESCE(CAST(NULL AS varchar(3)), 'A', s) = 'a' THEN 'ci' ELSE 'bin' END AS coalesces,
    CASE WHEN IIF(1 = 1, 'A', s) = 'a' THEN 'ci' ELSE 'bin' END AS iifs,
    CASE WHEN ISNULL(NULL, s) = 'B' THEN 'ci' ELSE 'bin' END AS isnulls,
    CASE WHEN (SELECT MAX(w) FROM b) = N'A' THEN 'ci' ELSE 'bin' END AS subqueries
FROM b
SELECT 'A' AS united UNION SELECT s FROM b UNION SELECT 'B'
SELECT COUNT(*) AS listed FROM (VALUES ('A'), ('a' COLLATE Latin1_General_BIN2)) v (c) WHERE c = 'a'
GO
-- Each member of a list is an equality of its own.
--@ source: documentation collation-precedence-transact-sql
SELECT CASE WHEN 'A' IN (w, 'b') THEN 1 ELSE 0 END AS binary_before, CASE WHEN 'A' IN ('b', w) THEN 1 ELSE 0 END AS binary_behind,
    CASE WHEN 'A' IN (w, 'a') THEN 1 ELSE 0 END AS by_the_literal, CASE WHEN 'B' NOT IN (s, 'c') THEN 1 ELSE 0 END AS negated
FROM b
GO
-- Two columns do not give way, nor what is made of them; COLLATE decides.
--@ source: message 468
SELECT 1 FROM b WHERE UPPER(w) = LOWER(ci)
GO
--@ source: message 468
SELECT 1 FROM b WHERE w IN (N'x', ci)
GO
--@ source: documentation collation-precedence-transact-sql
SELECT 1 AS written FROM b WHERE UPPER(w) = LOWER(ci) COLLATE SQL_Latin1_General_CP1_CI_AS
DROP TABLE b
GO
