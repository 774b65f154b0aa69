-- What makes two expressions the same one: dateparts and collations count, the spelling does not.
--@ source: reasoned
CREATE TABLE t (d date, b varchar(5), n int)
INSERT t VALUES ('2024-01-05', 'b', 1), ('2024-02-06', 'B', 2), ('2025-01-07', 'a', 3), ('2025-01-09', 'A', 4)
GO
--@ source: documentation GROUP BY
SELECT DATEPART(year, d) AS y, DATEPART(month, d) AS m, COUNT(*) AS c FROM t GROUP BY DATEPART(year, d), DATEPART(month, d) ORDER BY DATEPART(year, d), DATEPART(month, d)
GO
--@ source: reasoned
SELECT datepart(YEAR, D) AS y, DATENAME(month, d) AS m, DATEADD(day, 1, d) AS next, DATEDIFF(month, '20240101', d) AS months, DATETRUNC(month, d) AS first, COUNT(*) AS c FROM t GROUP BY DATEPART(yyyy, d), DATENAME(mm, d), DATENAME(day, d), DATEADD(day, 1, d), DATEADD(month, 1, d), DATEDIFF(month, '20240101', d), DATEDIFF(day, '20240101', d), DATETRUNC(month, d), DATETRUNC(year, d) ORDER BY DATEADD(month, 1, d)
GO
--@ source: documentation ORDER BY
SELECT DATEPART(year, d) AS y, n FROM t ORDER BY DATEPART(month, d) DESC, n DESC
GO
--@ source: message 8120
SELECT DATEPART(month, d), COUNT(*) FROM t GROUP BY DATEPART(year, d)
GO
--@ source: message 8120
SELECT DATENAME(month, d) FROM t GROUP BY DATENAME(year, d)
GO
--@ source: message 8120
SELECT DATEADD(month, 1, d) FROM t GROUP BY DATEADD(day, 1, d)
GO
--@ source: message 8121
SELECT COUNT(*) FROM t GROUP BY DATEPART(year, d) HAVING DATEPART(month, d) = 1
GO
--@ source: message 8127
SELECT COUNT(*) FROM t GROUP BY DATEPART(year, d) ORDER BY DATEPART(month, d)
GO
--@ source: message 145
SELECT DISTINCT DATEPART(year, d) FROM t ORDER BY DATEPART(month, d)
GO
--@ source: reasoned
SELECT DATEPART(year, d) AS y, COUNT(DISTINCT DATEPART(month, d)) AS months, COUNT(DISTINCT DATEPART(day, d)) AS days, MAX(DATEPART(day, d)) AS last FROM t GROUP BY DATEPART(year, d) HAVING MAX(DATEPART(month, d)) > MIN(DATEPART(month, d)) ORDER BY y
SELECT n, MAX(n) OVER (PARTITION BY DATEPART(year, d)) AS of_year, MAX(n) OVER (PARTITION BY DATEPART(month, d)) AS of_month FROM t ORDER BY n
GO
--@ source: documentation ORDER BY
SELECT b FROM t ORDER BY b COLLATE Latin1_General_BIN2
SELECT TOP 2 b FROM t ORDER BY b COLLATE Latin1_General_BIN2 DESC
SELECT b AS x FROM t ORDER BY x COLLATE Latin1_General_BIN2
SELECT b FROM t ORDER BY b COLLATE SQL_Latin1_General_CP1_CI_AS, n
GO
--@ source: documentation COLLATE
SELECT DISTINCT b COLLATE Latin1_General_BIN2 AS x FROM t ORDER BY b COLLATE Latin1_General_BIN2 DESC
SELECT b COLLATE Latin1_General_BIN2 AS x, COUNT(*) AS c FROM t GROUP BY b COLLATE Latin1_General_BIN2 ORDER BY x
SELECT x FROM (SELECT b COLLATE Latin1_General_BIN2 AS x FROM t) AS q ORDER BY x
SELECT COUNT(DISTINCT b) AS ci, COUNT(DISTINCT b COLLATE Latin1_General_BIN2) AS bin FROM t
SELECT n, ROW_NUMBER() OVER (ORDER BY b COLLATE Latin1_General_BIN2) AS bin, ROW_NUMBER() OVER (ORDER BY b, n) AS ci FROM t ORDER BY n
GO
--@ source: message 145
SELECT DISTINCT b FROM t ORDER BY b COLLATE Latin1_General_BIN2
GO
--@ source: message 145
SELECT DISTINCT b AS x FROM t ORDER BY x COLLATE Latin1_General_BIN2
GO
--@ source: message 8120
SELECT b FROM t GROUP BY b COLLATE Latin1_General_BIN2
GO
--@ source: reasoned
DROP TABLE t
GO
