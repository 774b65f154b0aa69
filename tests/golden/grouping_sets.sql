-- GROUP BY ROLLUP, CUBE, GROUPING SETS and (), WITH ROLLUP and WITH CUBE, GROUPING and GROUPING_ID.
--@ source: reasoned
CREATE TABLE dbo.gs_sales (id int NOT NULL PRIMARY KEY, region varchar(10) NULL, product varchar(10) NOT NULL, yr int NOT NULL, qty int NULL)
CREATE TABLE dbo.gs_none (a int NOT NULL, b varchar(5) NULL)
INSERT dbo.gs_sales VALUES (1, 'north', 'tea', 2020, 1), (2, 'north', 'tea', 2021, 2), (3, 'north', 'nuts', 2020, 4), (4, 'south', 'tea', 2020, 8), (5, NULL, 'nuts', 2021, 16), (6, 'south', 'nuts', 2021, NULL)
GO
--@ source: documentation GROUP BY
-- A NULL of the data and a NULL of a total are two things.
SELECT region, product, SUM(qty) AS q, COUNT(*) AS n FROM dbo.gs_sales GROUP BY ROLLUP (region, product) ORDER BY GROUPING(region), region, GROUPING(product), product
SELECT region, SUM(qty) AS q, GROUPING(region) AS g FROM dbo.gs_sales GROUP BY ROLLUP (region) ORDER BY g, region
SELECT region, product, SUM(qty) AS q, GROUPING(region) AS gr, GROUPING(product) AS gp, GROUPING_ID(region, product) AS id, GROUPING_ID(product, region) AS di FROM dbo.gs_sales GROUP BY CUBE (region, product) ORDER BY id, region, product
SELECT region, product, SUM(qty) AS q FROM dbo.gs_sales GROUP BY GROUPING SETS ((region, product), (yr), ()) ORDER BY GROUPING_ID(region, product, yr), region, product, q
SELECT region, product, SUM(qty) AS q FROM dbo.gs_sales GROUP BY GROUPING SETS (region, product) ORDER BY GROUPING(region), region, product
GO
--@ source: documentation GROUP BY
-- Composite elements, and several items: each set of the one with each of the other.
SELECT yr, region, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY yr, ROLLUP ((region, product)) ORDER BY yr, GROUPING(region), region, product
SELECT yr, region, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY ROLLUP (yr, (region, product)) ORDER BY GROUPING_ID(yr, region, product), yr, region, product
SELECT yr, region, COUNT(*) AS n FROM dbo.gs_sales GROUP BY ROLLUP (yr), CUBE (region) ORDER BY GROUPING_ID(yr, region), yr, region
SELECT yr, region, product, COUNT(*) AS n FROM dbo.gs_sales WHERE region = 'north' GROUP BY GROUPING SETS ((yr, ROLLUP (region, product)), CUBE (yr)) ORDER BY GROUPING_ID(yr, region, product), yr, region, product
SELECT yr, COUNT(*) AS n FROM dbo.gs_sales GROUP BY yr, ROLLUP (yr) ORDER BY yr
SELECT yr, COUNT(*) AS n FROM dbo.gs_sales GROUP BY GROUPING SETS (yr, yr) ORDER BY yr
SELECT yr, COUNT(*) AS n FROM dbo.gs_sales GROUP BY GROUPING SETS ((yr)) ORDER BY yr
SELECT yr, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY GROUPING SETS ((yr, product), (product, yr)) ORDER BY yr, product
GO
--@ source: documentation GROUP BY
-- The forms of old.
SELECT region, product, SUM(qty) AS q FROM dbo.gs_sales GROUP BY region, product WITH ROLLUP ORDER BY GROUPING(region), region, GROUPING(product), product
SELECT yr, product, SUM(qty) AS q FROM dbo.gs_sales GROUP BY yr, product WITH CUBE ORDER BY GROUPING_ID(yr, product), yr, product
SELECT COUNT(*) AS n FROM dbo.gs_sales GROUP BY ALL region
GO
--@ source: documentation GROUP BY
-- The set of nothing has a row even of no rows.
SELECT COUNT(*) AS n, SUM(a) AS s FROM dbo.gs_none GROUP BY ()
SELECT a, COUNT(*) AS n, GROUPING(a) AS g FROM dbo.gs_none GROUP BY ROLLUP (a)
SELECT a, b, MAX(b) AS m FROM dbo.gs_none GROUP BY CUBE (a, b)
SELECT a, COUNT(*) AS n FROM dbo.gs_none GROUP BY GROUPING SETS (a, b)
SELECT a, COUNT(*) AS n FROM dbo.gs_none GROUP BY b, ROLLUP (a)
SELECT 'row' AS x FROM dbo.gs_none GROUP BY GROUPING SETS ((), ())
SELECT 'row' AS x FROM dbo.gs_sales GROUP BY ()
SELECT 'row' AS x FROM dbo.gs_none GROUP BY ROLLUP (a) HAVING COUNT(*) > 0
SELECT COUNT(*) AS n GROUP BY ()
GO
--@ source: documentation GROUPING
SELECT region, SUM(qty) AS q FROM dbo.gs_sales GROUP BY ROLLUP (region, product) HAVING GROUPING(product) = 1 AND GROUPING(region) = 0 ORDER BY region
SELECT CASE WHEN GROUPING(region) = 1 THEN 'all regions' ELSE ISNULL(region, '?') END AS region, SUM(qty) AS q FROM dbo.gs_sales GROUP BY ROLLUP (region) ORDER BY GROUPING(region), region
SELECT ISNULL(CAST(yr AS varchar(10)), 'total') AS yr, SUM(qty) AS q FROM dbo.gs_sales GROUP BY ROLLUP (yr) ORDER BY yr
SELECT CASE GROUPING_ID(yr, product) WHEN 0 THEN 'cell' WHEN 1 THEN 'year' WHEN 2 THEN 'product' ELSE 'all' END AS what, COUNT(*) AS n FROM dbo.gs_sales GROUP BY CUBE (yr, product) ORDER BY GROUPING_ID(yr, product), n
SELECT GROUPING(yr) AS g, GROUPING_ID(yr) AS id FROM dbo.gs_sales GROUP BY yr ORDER BY g
SELECT DISTINCT GROUPING(yr) + GROUPING(product) AS level FROM dbo.gs_sales GROUP BY ROLLUP (yr, product) ORDER BY level DESC
SELECT yr, region FROM dbo.gs_sales GROUP BY ROLLUP (yr, region) HAVING yr IS NULL OR region = 'south' ORDER BY yr, region
SELECT (SELECT GROUPING(s.yr)) AS g, (SELECT MAX(n.id) FROM dbo.gs_sales AS n WHERE n.yr = s.yr) AS last FROM dbo.gs_sales AS s GROUP BY ROLLUP (s.yr) ORDER BY g, last
GO
--@ source: documentation GROUP BY
-- Keys that are computed, columns that are keys and arguments.
SELECT yr % 10 AS d, GROUPING(yr % 10) AS g, SUM(yr % 10) AS s FROM dbo.gs_sales GROUP BY ROLLUP (yr % 10) ORDER BY g, d
SELECT yr, SUM(yr) AS s, MAX(yr) + yr AS m FROM dbo.gs_sales GROUP BY ROLLUP (yr) ORDER BY GROUPING(yr), yr
SELECT UPPER(region) + '!' AS r, COUNT(*) AS n FROM dbo.gs_sales GROUP BY CUBE (UPPER(region)) ORDER BY n, r
SELECT CASE WHEN qty > 3 THEN 'big' ELSE 'small' END AS size, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY ROLLUP (CASE WHEN qty > 3 THEN 'big' ELSE 'small' END, product) ORDER BY GROUPING(CASE WHEN qty > 3 THEN 'big' ELSE 'small' END), size, GROUPING(product), product
GO
--@ source: documentation Aggregate functions
SELECT region, COUNT(DISTINCT product) AS p, SUM(DISTINCT yr) AS y, COUNT(*) AS n, STRING_AGG(product, ',') WITHIN GROUP (ORDER BY id DESC) AS l, AVG(qty * 1.0) AS a, MIN(qty) AS lo FROM dbo.gs_sales GROUP BY ROLLUP (region) ORDER BY GROUPING(region), region
SELECT yr, SUM(CASE WHEN product = 'tea' THEN qty ELSE 0 END) AS tea, SUM(qty) / COUNT(qty) AS mean FROM dbo.gs_sales GROUP BY ROLLUP (yr) ORDER BY GROUPING(yr), yr
GO
--@ source: documentation OVER
SELECT region, SUM(qty) AS q, RANK() OVER (PARTITION BY GROUPING(region) ORDER BY SUM(qty) DESC) AS r, SUM(SUM(qty)) OVER (PARTITION BY GROUPING(region)) AS whole FROM dbo.gs_sales GROUP BY ROLLUP (region) ORDER BY GROUPING(region), r
SELECT yr, product, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY GROUPING_ID(yr, product), yr, product) AS rn FROM dbo.gs_sales GROUP BY CUBE (yr, product) ORDER BY rn
GO
--@ source: documentation GROUP BY
-- In derived tables, CTEs, set operations, subqueries, INSERT … SELECT, SELECT … INTO.
SELECT q.region, q.n FROM (SELECT region, COUNT(*) AS n, GROUPING(region) AS g FROM dbo.gs_sales GROUP BY ROLLUP (region)) AS q WHERE q.g = 1 OR q.region = 'north' ORDER BY q.g
;WITH c AS (SELECT yr, SUM(qty) AS q, GROUPING(yr) AS g FROM dbo.gs_sales GROUP BY ROLLUP (yr)) SELECT a.yr, a.q, b.q AS whole FROM c AS a JOIN c AS b ON b.g = 1 WHERE a.g = 0 ORDER BY a.yr
SELECT yr, COUNT(*) AS n FROM dbo.gs_sales GROUP BY ROLLUP (yr) UNION ALL SELECT NULL, -1 ORDER BY n
SELECT COUNT(*) AS n FROM dbo.gs_sales WHERE qty IN (SELECT SUM(qty) FROM dbo.gs_sales GROUP BY CUBE (product, yr))
SELECT id FROM dbo.gs_sales AS s WHERE EXISTS (SELECT 1 FROM dbo.gs_sales AS i WHERE i.yr = s.yr GROUP BY ROLLUP (i.product) HAVING GROUPING(i.product) = 1 AND SUM(i.qty) > 13) ORDER BY id
SELECT TOP (2) WITH TIES yr, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY CUBE (yr, product) ORDER BY COUNT(*) DESC
SELECT yr, product, COUNT(*) AS n FROM dbo.gs_sales GROUP BY CUBE (yr, product) ORDER BY GROUPING_ID(yr, product) DESC, yr, product OFFSET 1 ROWS FETCH NEXT 3 ROWS ONLY
SELECT region, product, SUM(qty) AS q, GROUPING(region) AS g, GROUPING_ID(region, product) AS gi, yr INTO dbo.gs_kept FROM dbo.gs_sales GROUP BY yr, ROLLUP (region, product)
SELECT c.name, TYPE_NAME(c.system_type_id) AS type, c.is_nullable FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('dbo.gs_kept') ORDER BY c.column_id
INSERT dbo.gs_kept (region, product, q, g, gi, yr) SELECT MAX(region), product, SUM(qty), 0, 0, 0 FROM dbo.gs_sales GROUP BY CUBE (product)
SELECT product, q FROM dbo.gs_kept WHERE yr = 0 ORDER BY q
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, system_type_name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT yr, product, yr + 1 AS next, GROUPING(yr) AS g, GROUPING_ID(yr, product) AS gi FROM dbo.gs_sales GROUP BY yr, ROLLUP (product)', NULL, 0)
SELECT name, system_type_name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT yr, product, yr + 1 AS next, ISNULL(yr, 0) AS known FROM dbo.gs_sales GROUP BY ROLLUP (yr), product, ISNULL(yr, 0)', NULL, 0)
SELECT name, system_type_name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT ISNULL(yr, 0) AS known FROM dbo.gs_sales GROUP BY ROLLUP (ISNULL(yr, 0))', NULL, 0)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.gs_view AS SELECT region, SUM(qty) AS q, GROUPING(region) AS g FROM dbo.gs_sales GROUP BY ROLLUP (region)
GO
--@ source: documentation CREATE VIEW
SELECT region, q FROM dbo.gs_view WHERE g = 1
SELECT COUNT(*) AS n FROM dbo.gs_view AS v JOIN dbo.gs_sales AS s ON s.region = v.region
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE dbo.gs_proc @least int AS SELECT yr, SUM(qty) AS q FROM dbo.gs_sales WHERE qty >= @least GROUP BY ROLLUP (yr) HAVING SUM(qty) > @least ORDER BY GROUPING(yr), yr
GO
--@ source: documentation CREATE PROCEDURE
EXEC dbo.gs_proc 2
EXEC dbo.gs_proc 100
DECLARE @t TABLE (a int, b int)
INSERT @t VALUES (1, 2), (1, 3), (2, 3)
SELECT a, b, COUNT(*) AS n FROM @t GROUP BY ROLLUP (a, b) ORDER BY GROUPING_ID(a, b), a, b
DECLARE @n int
SELECT @n = SUM(b) FROM @t GROUP BY ROLLUP (a) HAVING GROUPING(a) = 1
SELECT @n AS n
GO
--@ source: documentation GROUP BY
-- Four thousand and ninety-six sets are the most.
SELECT COUNT(*) AS groups FROM (SELECT COUNT(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY CUBE (a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11)) AS q
SELECT COUNT(*) AS groups FROM (SELECT COUNT(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY CUBE (a, a + 1), ROLLUP (a + 2, a + 3), GROUPING SETS (a, ())) AS q
GO
--@ source: message 10703
SELECT COUNT(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY CUBE (a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12)
GO
--@ source: message 10703
SELECT COUNT(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY CUBE (a, a + 1, a + 2, a + 3, a + 4, a + 5), CUBE (a, a + 1, a + 2, a + 3, a + 4, a + 5), ROLLUP (a)
GO
--@ source: message 10706
SELECT COUNT(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY ROLLUP (a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13, a + 14, a + 15, a + 16, a + 17, a + 18, a + 19, a + 20, a + 21, a + 22, a + 23, a + 24, a + 25, a + 26, a + 27, a + 28, a + 29, a + 30, a + 31, a + 32)
GO
--@ source: reasoned
SELECT GROUPING(a + 31) AS first, GROUPING(a) AS last, GROUPING_ID(a, a + 31) AS id FROM (VALUES (1)) AS v (a) GROUP BY ROLLUP (a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13, a + 14, a + 15, a + 16, a + 17, a + 18, a + 19, a + 20, a + 21, a + 22, a + 23, a + 24, a + 25, a + 26, a + 27, a + 28, a + 29, a + 30, a + 31) HAVING GROUPING(a + 30) = 0 OR GROUPING(a) = 1 ORDER BY id
GO
