-- What GROUP BY with sets, GROUPING and GROUPING_ID refuse.
--@ source: reasoned
CREATE TABLE dbo.gr_t (a int NULL, b int NULL, x text NULL)
GO
--@ source: message 10702
SELECT a FROM dbo.gr_t GROUP BY ROLLUP (a) WITH CUBE
GO
--@ source: message 10702
SELECT a FROM dbo.gr_t GROUP BY b, GROUPING SETS (a) WITH ROLLUP
GO
--@ source: message 1028
SELECT a FROM dbo.gr_t GROUP BY ALL CUBE (a)
GO
--@ source: message 1028
SELECT a FROM dbo.gr_t GROUP BY ALL a WITH ROLLUP
GO
--@ source: message 8160
SELECT GROUPING(a) FROM dbo.gr_t
GO
--@ source: message 8160
SELECT GROUPING_ID(a, b), COUNT(*) FROM dbo.gr_t
GO
--@ source: message 8161
SELECT GROUPING(b) FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 8161
SELECT GROUPING_ID(a, b) FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 8161
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (a) HAVING GROUPING(a + 1) = 0
GO
--@ source: message 8161
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (a) ORDER BY GROUPING(1)
GO
--@ source: message 8120
SELECT a, b FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 8120
SELECT a FROM dbo.gr_t GROUP BY ()
GO
--@ source: message 8121
SELECT a FROM dbo.gr_t GROUP BY CUBE (a) HAVING b = 1
GO
--@ source: message 8127
SELECT a FROM dbo.gr_t GROUP BY GROUPING SETS (a, ()) ORDER BY b
GO
--@ source: message 164
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (a, 1)
GO
--@ source: message 144
SELECT COUNT(*) FROM dbo.gr_t GROUP BY CUBE (a, SUM(b))
GO
--@ source: message 144
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (a, (SELECT 1))
GO
--@ source: message 144
SELECT COUNT(*) FROM dbo.gr_t GROUP BY GROUPING(a)
GO
--@ source: message 147
SELECT a FROM dbo.gr_t WHERE GROUPING(a) = 1 GROUP BY ROLLUP (a)
GO
--@ source: message 130
SELECT SUM(GROUPING(a)) FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 130
SELECT GROUPING(SUM(a)) FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 174
SELECT GROUPING(a, b) FROM dbo.gr_t GROUP BY ROLLUP (a, b)
GO
--@ source: message 4113
SELECT GROUPING(a) OVER () FROM dbo.gr_t GROUP BY ROLLUP (a)
GO
--@ source: message 306
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (x)
GO
--@ source: message 207
SELECT nope, GROUPING(nowhere) FROM dbo.gr_t GROUP BY ROLLUP (missing)
GO
--@ source: documentation GROUP BY
SELECT COUNT(*) FROM dbo.gr_t GROUP BY (a, b)
GO
--@ source: documentation GROUP BY
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (a, ())
GO
--@ source: documentation GROUP BY
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP ()
GO
--@ source: documentation GROUP BY
SELECT COUNT(*) FROM dbo.gr_t GROUP BY GROUPING SETS (GROUPING SETS (a))
GO
--@ source: reasoned
SELECT COUNT(*) FROM dbo.gr_t GROUP BY ROLLUP (CUBE (a))
GO
--@ source: message 467
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3 GROUP BY ROLLUP (n)) SELECT n FROM r
GO
