-- Frames whose first row moves: the aggregate is that of a subquery over the same rows.
--@ source: reasoned
CREATE TABLE #t (g int, k int, i int NULL, b bigint NULL, d decimal(10, 2) NULL, m money NULL, f float NULL, s varchar(20) NULL)
INSERT #t
SELECT value % 3, value, NULLIF(value * 7919 % 101, 0) - 50, NULLIF(value * 31 % 17, 3), NULLIF(value % 23, 5) / 4.0, NULLIF(value % 13, 2) * 1.25,
    NULLIF(value % 7, 4) * 0.5, CASE WHEN value % 11 = 0 THEN NULL ELSE CONCAT('t', value * 37 % 29) END
FROM GENERATE_SERIES(1, 200)
GO
--@ source: reasoned
SELECT COUNT(*) AS differences FROM (
    SELECT g, k,
        SUM(i) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 12 PRECEDING AND 3 PRECEDING) AS a,
        MIN(s) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 12 PRECEDING AND 3 PRECEDING) AS b,
        MAX(d) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 12 PRECEDING AND 3 PRECEDING) AS c,
        COUNT(b) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 12 PRECEDING AND 3 PRECEDING) AS e
    FROM #t) AS w
CROSS APPLY (
    SELECT SUM(i) AS a, MIN(s) AS b, MAX(d) AS c, COUNT(b) AS e FROM #t AS t
    WHERE t.g = w.g AND t.k BETWEEN w.k - 36 AND w.k - 9) AS q
WHERE NOT EXISTS (SELECT w.a, w.b, w.c, w.e INTERSECT SELECT q.a, q.b, q.c, q.e)
GO
--@ source: reasoned
SELECT COUNT(*) AS differences FROM (
    SELECT k,
        SUM(m) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS a,
        AVG(d) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS b,
        AVG(i) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS c,
        SUM(b) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS e,
        COUNT(*) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS n,
        MAX(s) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING) AS x
    FROM #t) AS w
CROSS APPLY (
    SELECT SUM(m) AS a, AVG(d) AS b, AVG(i) AS c, SUM(b) AS e, COUNT(*) AS n, MAX(s) AS x FROM #t AS t
    WHERE t.k BETWEEN w.k AND w.k + 20) AS q
WHERE NOT EXISTS (SELECT w.a, w.b, w.c, w.e, w.n, w.x INTERSECT SELECT q.a, q.b, q.c, q.e, q.n, q.x)
GO
-- To the end of the partition, and frames without a row.
--@ source: reasoned
SELECT COUNT(*) AS differences FROM (
    SELECT g, k,
        SUM(i) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS a,
        MIN(d) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING) AS b,
        COUNT(i) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 60 FOLLOWING AND 70 FOLLOWING) AS c
    FROM #t) AS w
CROSS APPLY (
    SELECT SUM(i) AS a, MIN(later) AS b, COUNT(far) AS c
    FROM (
        SELECT i, CASE WHEN t.k >= w.k + 6 THEN d END AS later, CASE WHEN t.k BETWEEN w.k + 180 AND w.k + 210 THEN i END AS far
        FROM #t AS t WHERE t.g = w.g AND t.k >= w.k) AS x) AS q
WHERE NOT EXISTS (SELECT w.a, w.b, w.c INTERSECT SELECT q.a, q.b, q.c)
GO
-- Fractions: parts of parts make the same but for the last digits.
--@ source: reasoned
SELECT COUNT(*) AS differences, MAX(ABS(w.v - q.v)) AS of_variance FROM (
    SELECT k,
        ROUND(STDEV(f) OVER (ORDER BY k ROWS BETWEEN 9 PRECEDING AND CURRENT ROW), 9) AS a,
        ROUND(VARP(f) OVER (ORDER BY k ROWS BETWEEN 9 PRECEDING AND CURRENT ROW), 9) AS v,
        SUM(f) OVER (ORDER BY k ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS s
    FROM #t) AS w
CROSS APPLY (
    SELECT ROUND(STDEV(f), 9) AS a, ROUND(VARP(f), 9) AS v, SUM(f) AS s FROM #t AS t WHERE t.k BETWEEN w.k - 9 AND w.k) AS q
WHERE NOT EXISTS (SELECT w.a, w.s INTERSECT SELECT q.a, q.s)
GO
-- DISTINCT is not allowed in a window; texts are joined row by row.
--@ source: message 10759
SELECT COUNT(DISTINCT i) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM #t
GO
--@ source: reasoned
DROP TABLE #t
GO
