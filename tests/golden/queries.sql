-- Joins, groups, windows, subqueries, expressions and their types.
CREATE TABLE #a (id int, g varchar(5), n decimal(9,2))
INSERT #a VALUES (1, 'x', 1.50), (2, 'x', NULL), (3, 'y', 4.25), (4, 'Y', 0)
GO
SELECT g, COUNT(*) AS c, COUNT(n) AS counted, SUM(n) AS s, AVG(n) AS a, MIN(n) AS lo, MAX(n) AS hi FROM #a GROUP BY g HAVING COUNT(*) > 1 ORDER BY g
SELECT a.id, b.id FROM #a a INNER JOIN #a b ON a.g = b.g AND a.id < b.id ORDER BY a.id, b.id
SELECT a.id, b.id FROM #a a LEFT JOIN #a b ON b.id = a.id + 2 ORDER BY a.id
SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS rn, SUM(n) OVER (PARTITION BY g) AS total FROM #a ORDER BY id
SELECT TOP 2 id FROM #a ORDER BY n DESC
SELECT id FROM #a WHERE id IN (SELECT id + 1 FROM #a) AND EXISTS (SELECT * FROM #a b WHERE b.g = #a.g AND b.id <> #a.id) ORDER BY id
SELECT id FROM #a WHERE n IS NULL OR n BETWEEN 1 AND 2 ORDER BY id
SELECT id FROM #a WHERE g LIKE '[xz]%' ORDER BY id
GO
WITH c AS (SELECT g, COUNT(*) AS k FROM #a GROUP BY g) SELECT g, k FROM c WHERE k = 2 ORDER BY g
SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 2 EXCEPT SELECT 1
GO
SELECT 7 / 2 AS int_division, 7 / 2. AS decimal_division, 7 % 4 AS remainder, CAST(2 AS decimal(10,2)) / CAST(3 AS decimal(10,2)) AS scale_13
SELECT '1' + 2 AS added, 'a' + 'b' AS joined, N'x' + 'y' AS wide, 'ABC' AS c WHERE 'abc' = 'ABC   '
SELECT CONVERT(varchar(30), CAST('2026-11-21T13:14:15.123' AS datetime), 121) AS d121, CONVERT(varchar(10), CAST('20261121' AS date), 103) AS d103, DATEDIFF(day, '2026-01-01', '2026-11-21') AS days, DATEADD(month, 1, CAST('2026-01-31' AS date)) AS clipped
SELECT ISNULL(NULL, 5) AS i, COALESCE(NULL, 'b') AS co, NULLIF(1, 1) AS n, IIF(1 > 2, 'y', 'n') AS iif, CASE WHEN NULL = NULL THEN 'equal' ELSE 'unknown' END AS three_valued
SELECT LEN('ab  ') AS len, DATALENGTH(N'ab') AS bytes, SUBSTRING('abcdef', 2, 3) AS sub, CHARINDEX('d', 'abcd') AS pos, REPLACE('aXbX', 'x', '-') AS replaced, STUFF('abcdef', 2, 3, '*') AS stuffed, UPPER('aé') AS up, REVERSE('abc') AS rev
SELECT CAST(1234567890123456789012345678.0123456789 AS decimal(38,10)) AS wide_decimal, CAST(0x4142 AS varchar(5)) AS from_binary, CONVERT(varchar(20), 0xFF01, 1) AS hex
GO
SELECT 1/0
GO
SELECT CAST('x' AS int)
GO
SELECT nope FROM #a
SELECT 'not reached'
GO
SELECT id, COUNT(*) FROM #a
GO
DROP TABLE #a
GO
