-- IGNORE NULLS: the offset counts rows, whatever they hold; from a NULL it goes on to the next value beyond.
--@ source: documentation t-sql/functions/lag-transact-sql
CREATE TABLE #T (a int, b int, c int)
INSERT #T VALUES (1, 1, -3), (2, 2, 4), (3, 1, NULL), (4, 3, 1), (5, 2, NULL), (6, 1, 5)
SELECT b, c, LAG(2 * c, b * (SELECT MIN(b) FROM #T), -c / 2.0) IGNORE NULLS OVER (ORDER BY a) AS i FROM #T ORDER BY a
GO
--@ source: documentation t-sql/functions/lead-transact-sql
SELECT b, c, LEAD(2 * c, b * (SELECT MIN(b) FROM #T), -c / 2.0) IGNORE NULLS OVER (ORDER BY a) AS i FROM #T ORDER BY a DESC
GO
--@ source: documentation t-sql/functions/lag-transact-sql
CREATE TABLE #test_ignore_nulls (column_a int, column_b int)
INSERT #test_ignore_nulls VALUES (1, 8), (2, 9), (3, NULL), (4, 10), (5, NULL), (6, NULL), (7, 11)
SELECT column_a, column_b, LAG(column_b) IGNORE NULLS OVER (ORDER BY column_a) AS previous, LEAD(column_b) IGNORE NULLS OVER (ORDER BY column_a) AS next FROM #test_ignore_nulls ORDER BY column_a
GO
--@ source: reasoned
SELECT column_a, LAG(column_b, 2) IGNORE NULLS OVER (ORDER BY column_a) AS two_back, LEAD(column_b, 2, -1) IGNORE NULLS OVER (ORDER BY column_a) AS two_on,
LAG(column_b, 2) RESPECT NULLS OVER (ORDER BY column_a) AS respects, FIRST_VALUE(column_b) IGNORE NULLS OVER (ORDER BY column_a ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS first,
LAST_VALUE(column_b) IGNORE NULLS OVER (ORDER BY column_a) AS last FROM #test_ignore_nulls ORDER BY column_a
GO
--@ source: reasoned
DROP TABLE #T, #test_ignore_nulls
GO
