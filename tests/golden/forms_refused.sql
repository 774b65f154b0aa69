-- Forms that the grammar does not have, and what is told of each.
--@ source: message 102
SELECT COUNT(*) FROM (sys.databases)
GO
--@ source: message 102
DECLARE @t TABLE (a int)
SELECT COUNT(*) FROM (@t)
GO
--@ source: message 137
DECLARE @t TABLE (a int)
SELECT @t.a FROM @t
GO
--@ source: message 137
DECLARE @t TABLE (a int)
SELECT a.a FROM @t AS a JOIN @t AS b ON a.a = @t.a
GO
--@ source: message 324
SELECT 1 INTERSECT ALL SELECT 1
GO
--@ source: message 324
SELECT 1 EXCEPT ALL SELECT 1
GO
--@ source: message 10734
DECLARE @v int
SELECT @v = 1 UNION SELECT 2
GO
--@ source: message 173
CREATE TABLE u (a)
GO
--@ source: message 173
CREATE TABLE u (a int, b, c int)
GO
--@ source: message 102
SELECT COALESCE(1)
GO
--@ source: documentation WITH common_table_expression
CREATE TABLE u (a int)
CREATE TABLE q (a int);
WITH q AS (SELECT a FROM u) INSERT q VALUES (1)
SELECT COUNT(*) AS n FROM q
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM ((u CROSS JOIN q))
DROP TABLE u, q
GO
