-- Columns of a recursive common table expression keep the collations of its anchor.
--@ source: reasoned
CREATE TABLE #t (id int PRIMARY KEY, v varchar(10) COLLATE Latin1_General_BIN2, c varchar(10) COLLATE SQL_Latin1_General_CP1_CI_AS)
INSERT #t VALUES (1, 'A', 'A'), (2, 'a', 'a'), (3, 'Zz', 'Zz'), (4, 'b', 'b')
GO
--@ source: reasoned
WITH w (i, e) AS (SELECT id, v FROM #t UNION ALL SELECT i + 100, e FROM w WHERE i < 10)
SELECT i, e FROM w WHERE e = 'A' ORDER BY i
GO
--@ source: reasoned
WITH w (i, e) AS (SELECT id, v FROM #t UNION ALL SELECT i + 100, e FROM w WHERE i < 10 AND e >= 'Zz')
SELECT i, e FROM w WHERE e >= 'Zz' ORDER BY i
GO
--@ source: reasoned
WITH w (i, e) AS (SELECT id, c FROM #t UNION ALL SELECT i + 100, e FROM w WHERE i < 10 AND e = 'a')
SELECT COUNT(*) AS rows_of_a, MIN(i) AS first_one FROM w WHERE e = 'A'
GO
--@ source: message 468
WITH w (i, e, f) AS (SELECT id, v, c FROM #t UNION ALL SELECT i + 100, e, f FROM w WHERE i < 10)
SELECT COUNT(*) FROM w WHERE e = f
GO
--@ source: reasoned
WITH w (e, f) AS (SELECT v COLLATE SQL_Latin1_General_CP1_CI_AS, c FROM #t UNION ALL SELECT e, f FROM w WHERE 1 = 0)
SELECT COUNT(*) AS same FROM w WHERE e = f
GO
--@ source: reasoned
DROP TABLE #t
GO
