-- GROUP BY and HAVING, aggregates with NULL, DISTINCT and overflow, STRING_AGG.
--@ source: reasoned
CREATE TABLE dbo.qg_t (id int NOT NULL PRIMARY KEY, g varchar(5) NULL, h int NULL, v int NULL, d decimal(9,2) NULL)
CREATE TABLE dbo.qg_none (a int NOT NULL, b varchar(5) NULL)
INSERT dbo.qg_t VALUES (1, 'x', 1, 10, 1.5), (2, 'x', 2, 20, NULL), (3, 'X ', 1, NULL, 2.25), (4, NULL, 1, 5, 0), (5, NULL, 2, 5, -1), (6, 'y', NULL, NULL, NULL)
GO
--@ source: documentation GROUP BY
SELECT h, COUNT(*) AS n FROM dbo.qg_t GROUP BY h ORDER BY h
SELECT h, v, COUNT(*) AS n FROM dbo.qg_t GROUP BY h, v ORDER BY h, v
SELECT COUNT(*) AS n FROM (SELECT g FROM dbo.qg_t GROUP BY g) AS q
SELECT h + 1 AS k, SUM(id) AS s FROM dbo.qg_t GROUP BY h + 1 ORDER BY k DESC
SELECT h * 10 + h AS k, COUNT(*) AS n FROM dbo.qg_t GROUP BY h ORDER BY h * 10
SELECT CASE WHEN v > 7 THEN 'big' ELSE 'other' END AS size, COUNT(*) AS n FROM dbo.qg_t GROUP BY CASE WHEN v > 7 THEN 'big' ELSE 'other' END ORDER BY size
SELECT 1 AS one FROM dbo.qg_t GROUP BY h
SELECT COUNT(*) AS n FROM dbo.qg_t GROUP BY h, h ORDER BY h
GO
--@ source: documentation GROUP BY
-- Groups of nothing: one row without GROUP BY, none with it.
SELECT COUNT(*) AS n, SUM(a) AS s, MIN(b) AS lo, AVG(a) AS av, STRING_AGG(b, ',') AS l, COUNT_BIG(b) AS nb, STDEV(a) AS sd FROM dbo.qg_none
SELECT COUNT(*) AS n FROM dbo.qg_none GROUP BY a
SELECT 1 AS one FROM dbo.qg_none HAVING COUNT(*) = 0
SELECT 1 AS one FROM dbo.qg_none HAVING COUNT(*) > 0
SELECT MAX(a) + 1 AS m FROM dbo.qg_none WHERE 1 = 0
SELECT COUNT(*) AS n WHERE 1 = 0
SELECT COUNT(*) AS n, SUM(1) AS s
SELECT 1 AS one HAVING 1 = 1
SELECT 1 AS one HAVING 1 = 0
GO
--@ source: documentation HAVING
SELECT h FROM dbo.qg_t GROUP BY h HAVING SUM(v) > 10 ORDER BY h
SELECT h FROM dbo.qg_t GROUP BY h HAVING h > 1
SELECT h FROM dbo.qg_t GROUP BY h HAVING COUNT(d) = 0
SELECT SUM(v) AS s FROM dbo.qg_t HAVING MAX(id) = 6
SELECT h, MAX(v) AS m FROM dbo.qg_t GROUP BY h HAVING MAX(v) IS NULL
SELECT h FROM dbo.qg_t GROUP BY h HAVING h = 1 OR AVG(v) > 10 ORDER BY SUM(id) DESC
GO
--@ source: documentation Aggregate functions
SELECT COUNT(*) AS n, COUNT(v) AS nv, COUNT(DISTINCT v) AS dv, COUNT(ALL v) AS av, COUNT(1) AS n1, COUNT_BIG(*) AS nb FROM dbo.qg_t
SELECT SUM(v) AS s, SUM(DISTINCT v) AS sd, AVG(v) AS a, AVG(DISTINCT v) AS ad, MIN(v) AS lo, MAX(DISTINCT v) AS hi FROM dbo.qg_t
SELECT h, COUNT(DISTINCT g) AS g, COUNT(DISTINCT v) AS v, SUM(DISTINCT v) AS s, COUNT(*) AS n FROM dbo.qg_t GROUP BY h ORDER BY h
SELECT MIN(g) AS lo, MAX(d) AS hi, SUM(d) AS s, AVG(d) AS a FROM dbo.qg_t WHERE g IS NULL
SELECT SUM(CASE WHEN v > 5 THEN 1 END) AS cond, COUNT(CASE WHEN v > 5 THEN 1 END) AS cnt, COUNT(NULLIF(h, 1)) AS nf FROM dbo.qg_t
GO
--@ source: documentation STDEV
SELECT STDEV(id) AS sd, STDEVP(id) AS sdp, VAR(id) AS v, VARP(id) AS vp FROM dbo.qg_t WHERE id IN (2, 4)
SELECT STDEV(id) AS sd, STDEVP(id) AS sdp, VAR(id) AS v, VARP(id) AS vp FROM dbo.qg_t WHERE id = 1
SELECT STDEV(v) AS sd, VARP(v) AS vp FROM dbo.qg_t WHERE v IS NULL
SELECT VAR(DISTINCT v) AS vd, VAR(v) AS va FROM dbo.qg_t WHERE v = 5
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT SUM(CAST(1 AS tinyint)) AS a, SUM(CAST(1 AS smallint)) AS b, SUM(1) AS c, SUM(CAST(1 AS bigint)) AS d, SUM(CAST(1 AS decimal(9,2))) AS e, SUM(CAST(1 AS money)) AS f, SUM(CAST(1 AS smallmoney)) AS g, SUM(CAST(1 AS real)) AS h, SUM(CAST(1 AS float)) AS i, AVG(CAST(1 AS tinyint)) AS j, AVG(CAST(1 AS bigint)) AS k, AVG(CAST(1 AS decimal(9,2))) AS l, AVG(CAST(1 AS decimal(38,10))) AS m, AVG(CAST(1 AS real)) AS n, AVG(CAST(1 AS smallmoney)) AS o, MIN(CAST(1 AS tinyint)) AS p, MAX(CAST(''a'' AS char(3))) AS q, COUNT(*) AS r, COUNT_BIG(*) AS s, STDEV(1) AS t, VARP(CAST(1 AS money)) AS u, CHECKSUM_AGG(1) AS v, MIN(CAST(''20240101'' AS smalldatetime)) AS w, STRING_AGG(''a'', '','') AS x, STRING_AGG(N''a'', '','') AS y, STRING_AGG(CAST(''a'' AS varchar(max)), '','') AS z', NULL, 0)
GO
--@ source: reasoned
SELECT SUM(CAST(x AS bigint)) AS s, AVG(CAST(x AS bigint)) AS a FROM (VALUES (2147483647), (2147483647)) AS v (x)
SELECT SUM(x) AS s, AVG(x) AS a FROM (VALUES (CAST(255 AS tinyint)), (255), (255)) AS v (x)
SELECT AVG(x) AS a FROM (VALUES (1), (2), (2)) AS v (x)
SELECT AVG(x) AS a FROM (VALUES (-1), (-2), (-2)) AS v (x)
SELECT AVG(x * 1.0) AS a FROM (VALUES (1), (2), (2)) AS v (x)
SELECT AVG(x) AS a, SUM(x) AS s FROM (VALUES (CAST(1 AS money)), (2), (2)) AS v (x)
GO
--@ source: message 8115
SELECT SUM(x) AS s FROM (VALUES (CAST(99999999999999999999999999999999999999 AS decimal(38,0))), (1)) AS v (x)
GO
--@ source: message 8134
SELECT SUM(10 / x) AS s FROM (VALUES (1), (0)) AS v (x)
SELECT 'reached' AS x
GO
--@ source: message 8117
SELECT SUM(g) FROM dbo.qg_t
GO
--@ source: message 8117
SELECT AVG(x) FROM (VALUES (CAST(1 AS bit))) AS v (x)
GO
--@ source: message 8117
SELECT MAX(x) FROM (VALUES (CAST(1 AS bit))) AS v (x)
GO
--@ source: message 8117
SELECT SUM(x) FROM (VALUES (CAST('20240101' AS date))) AS v (x)
GO
--@ source: message 8117
SELECT SUM(NULL)
GO
--@ source: message 8117
SELECT MAX(NULL)
GO
--@ source: message 8120
SELECT g, v FROM dbo.qg_t GROUP BY g
GO
--@ source: message 8120
SELECT g, SUM(v) FROM dbo.qg_t
GO
--@ source: message 8120
SELECT * FROM dbo.qg_t GROUP BY id
GO
--@ source: message 8120
SELECT h + 2 FROM dbo.qg_t GROUP BY h + 1
GO
--@ source: message 8121
SELECT h FROM dbo.qg_t GROUP BY h HAVING v > 1
GO
--@ source: message 8121
SELECT 1 FROM dbo.qg_t HAVING v > 1
GO
--@ source: message 8127
SELECT h FROM dbo.qg_t GROUP BY h ORDER BY v
GO
--@ source: message 8127
SELECT COUNT(*) FROM dbo.qg_t ORDER BY id
GO
--@ source: message 147
SELECT h FROM dbo.qg_t WHERE COUNT(*) > 1 GROUP BY h
GO
--@ source: message 130
SELECT SUM(COUNT(*)) FROM dbo.qg_t GROUP BY h
GO
--@ source: message 207
SELECT h AS k FROM dbo.qg_t GROUP BY k
GO
--@ source: message 207
SELECT SUM(v) AS s FROM dbo.qg_t HAVING s > 1
GO
--@ source: message 209
SELECT COUNT(*) FROM dbo.qg_t a JOIN dbo.qg_t b ON a.id = b.id GROUP BY h
GO
--@ source: message 156
SELECT h FROM dbo.qg_t HAVING 1 = 1 GROUP BY h
GO
--@ source: documentation STRING_AGG
SELECT STRING_AGG(id, ',') WITHIN GROUP (ORDER BY id DESC) AS l FROM dbo.qg_t
SELECT h, STRING_AGG(g, '-') WITHIN GROUP (ORDER BY id) AS l FROM dbo.qg_t WHERE g IS NOT NULL GROUP BY h ORDER BY h
SELECT STRING_AGG(CONCAT(g, ':', v), '; ') WITHIN GROUP (ORDER BY v DESC, id) AS l FROM dbo.qg_t
SELECT STRING_AGG(g, ',') AS none FROM dbo.qg_t WHERE id > 99
SELECT STRING_AGG(ISNULL(d, 9), '') WITHIN GROUP (ORDER BY id) AS l, STRING_AGG(ISNULL(g, 'N/A'), N', ') WITHIN GROUP (ORDER BY id) AS f FROM dbo.qg_t
DECLARE @s varchar(3) = ' | '
SELECT STRING_AGG(v, @s) WITHIN GROUP (ORDER BY id) AS l FROM dbo.qg_t WHERE v IS NOT NULL
GO
--@ source: message 9829
SELECT DATALENGTH(STRING_AGG(CAST(REPLICATE('x', 5000) AS varchar(8000)), '')) AS n FROM (VALUES (1), (2)) AS v (x)
GO
--@ source: documentation STRING_AGG
SELECT DATALENGTH(STRING_AGG(CAST(REPLICATE('x', 5000) AS varchar(max)), ',')) AS n FROM (VALUES (1), (2)) AS v (x)
GO
--@ source: message 8733
SELECT STRING_AGG(g, g) FROM dbo.qg_t
GO
--@ source: message 174
SELECT STRING_AGG(g) FROM dbo.qg_t
GO
--@ source: message 102
SELECT STRING_AGG(DISTINCT g, ',') FROM dbo.qg_t
GO
--@ source: message 10757
SELECT SUM(v) WITHIN GROUP (ORDER BY id) FROM dbo.qg_t
GO
--@ source: reasoned
-- 8153 is told once a statement, and not with ANSI_WARNINGS OFF.
SELECT SUM(v) AS s, MAX(d) AS m FROM dbo.qg_t
SET ANSI_WARNINGS OFF
SELECT SUM(v) AS s FROM dbo.qg_t
SET ANSI_WARNINGS ON
SELECT COUNT(*) AS n, MAX(id) AS m FROM dbo.qg_t
GO
--@ source: reasoned
SELECT SUM(s) AS total, MAX(n) AS most FROM (SELECT h, SUM(id) AS s, COUNT(*) AS n FROM dbo.qg_t GROUP BY h) AS q
SELECT q.h, t.id FROM (SELECT h, MAX(id) AS id FROM dbo.qg_t WHERE h IS NOT NULL GROUP BY h) AS q JOIN dbo.qg_t t ON t.id = q.id ORDER BY q.h
SELECT a.h, COUNT(*) AS n, SUM(b.id) AS s FROM dbo.qg_t a JOIN dbo.qg_t b ON b.h = a.h GROUP BY a.h HAVING COUNT(*) > 3 ORDER BY a.h
INSERT dbo.qg_none SELECT h, MIN(g) FROM dbo.qg_t WHERE h IS NOT NULL AND g IS NOT NULL GROUP BY h
SELECT a, b FROM dbo.qg_none ORDER BY a
UPDATE t SET v = q.n FROM dbo.qg_t t JOIN (SELECT h, COUNT(*) AS n FROM dbo.qg_t GROUP BY h) AS q ON q.h = t.h
SELECT id, v FROM dbo.qg_t ORDER BY id
GO
--@ source: message 8115
SELECT SUM(x) AS s FROM (VALUES (2147483647), (1)) AS v (x)
SELECT @@ERROR AS e
GO
--@ source: message 8115
SELECT SUM(x) AS s FROM (VALUES (CAST(9223372036854775807 AS bigint)), (1)) AS v (x)
GO
--@ source: message 8115
SELECT AVG(x) AS a FROM (VALUES (2147483647), (2147483647)) AS v (x)
GO
--@ source: message 8115
SELECT COUNT(*) AS n, SUM(x) AS s FROM (VALUES (CAST(922337203685477.5807 AS money)), (1)) AS v (x)
GO
--@ source: message 8117
SELECT COUNT(NULL)
GO
--@ source: message 8116
SELECT STRING_AGG(g, 1) FROM dbo.qg_t
GO
--@ source: documentation AVG
SELECT AVG(x) AS a FROM (VALUES (CAST(9223372036854775807 AS bigint)), (1)) AS v (x)
GO
--@ source: documentation GROUP BY
SELECT g, COUNT(*) AS n FROM dbo.qg_t GROUP BY ALL g ORDER BY g
GO
--@ source: documentation GROUP BY
-- Groups that WHERE leaves nothing of are made too.
SELECT g, COUNT(*) AS n FROM dbo.qg_t WHERE g = 'x' GROUP BY ALL g ORDER BY g
GO
--@ source: reasoned
DROP TABLE dbo.qg_t, dbo.qg_none
GO
