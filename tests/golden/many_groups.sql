-- More groups than lie in the nearer caches: from some number on rows are taken into them in batches.
--@ source: reasoned
-- 40,000 rows: values are dealt to 10,007 groups, so 9,979 have 4 and 28 have 3.
SELECT COUNT(*) AS groups, SUM(c) AS rows, MIN(c) AS fewest, MAX(c) AS most, SUM(CAST(s AS bigint)) AS total, SUM(CAST(lo AS bigint)) AS lows, MAX(hi) AS highest FROM (SELECT value % 10007 AS g, COUNT(*) AS c, SUM(CAST(value AS int)) AS s, MIN(value) AS lo, MAX(value) AS hi FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t
-- A group's own figures, early and late.
SELECT g, c, s, a FROM (SELECT value % 10007 AS g, COUNT(*) AS c, SUM(CAST(value AS int)) AS s, AVG(CAST(value AS int)) AS a FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t WHERE g IN (0, 1, 9978, 9979, 10006) ORDER BY g
-- By a text and a number, and by a decimal that has NULL for a key.
SELECT COUNT(*) AS groups, SUM(c) AS rows, SUM(s) AS total FROM (SELECT CONCAT('k', value % 5003) AS k, value % 2 AS p, COUNT(*) AS c, SUM(CAST(value AS decimal(18, 2))) AS s FROM GENERATE_SERIES(1, 40000) GROUP BY CONCAT('k', value % 5003), value % 2) AS t
SELECT COUNT(*) AS groups, COUNT(k) AS keys, SUM(c) AS rows, MAX(d) AS most FROM (SELECT NULLIF(CAST(value % 10007 AS decimal(9, 1)), 7) AS k, COUNT(*) AS c, COUNT(DISTINCT value % 3) AS d FROM GENERATE_SERIES(1, 40000) GROUP BY NULLIF(CAST(value % 10007 AS decimal(9, 1)), 7)) AS t
SELECT COUNT(*) AS groups, SUM(LEN(l)) AS letters FROM (SELECT STRING_AGG('x', ',') AS l FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t
GO
--@ source: message 8153
-- A NULL is left out of a late group; the warning comes once.
SELECT SUM(c) AS counted, SUM(n) AS rows FROM (SELECT COUNT(NULLIF(value, 39999)) AS c, COUNT(*) AS n FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t
SELECT SUM(CAST(s AS bigint)) AS total FROM (SELECT SUM(NULLIF(CAST(value AS int), 39999)) AS s FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t
GO
--@ source: message 8134
-- What a late row's argument or key divides by nothing.
SELECT COUNT(s) AS n FROM (SELECT SUM(1 / (value - 39999)) AS s FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007) AS t
GO
--@ source: message 8134
SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS c FROM GENERATE_SERIES(1, 40000) GROUP BY value % 10007, 1 / (value - 39999)) AS t
GO
--@ source: message 8115
-- The sum of a row that came before is too large before the next row's argument cannot be computed.
SELECT MAX(s) AS n FROM (SELECT SUM(CASE WHEN value < 39998 THEN 1E0 WHEN value < 40000 THEN 1E308 ELSE 1E0 / (value - 40000) END) AS s FROM GENERATE_SERIES(1, 40000) GROUP BY CASE WHEN value < 39998 THEN value ELSE 0 END) AS t
GO
--@ source: message 8115
SELECT MAX(s) AS n FROM (SELECT SUM(CAST(value AS int) * 100000) AS s FROM GENERATE_SERIES(1, 20000) GROUP BY value % 9001) AS t
GO
