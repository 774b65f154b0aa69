-- GROUP BY ALL: groups of which WHERE leaves no row.
--@ source: reasoned
CREATE TABLE dbo.ga_t (id int NOT NULL PRIMARY KEY, g varchar(5) NULL, v int NULL, x varchar(5) NULL)
INSERT dbo.ga_t VALUES (1, 'a', 1, 'p'), (2, 'a', 2, 'q'), (3, 'b', 3, NULL), (4, NULL, 4, 's'), (5, 'c', NULL, 't')
GO
--@ source: documentation GROUP BY
SELECT g, COUNT(*) AS n, COUNT_BIG(*) AS big, SUM(v) AS s, MAX(x) AS m, COUNT(x) AS nx, COUNT(DISTINCT v) AS d FROM dbo.ga_t WHERE id < 4 GROUP BY ALL g ORDER BY g
SELECT g, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id DESC) AS l FROM dbo.ga_t WHERE id <> 1 AND v < 4 GROUP BY ALL g ORDER BY g
SELECT g, COUNT(*) AS n FROM dbo.ga_t WHERE 1 = 0 GROUP BY ALL g ORDER BY g
SELECT g, COUNT(*) AS n FROM dbo.ga_t GROUP BY ALL g ORDER BY g
SELECT g FROM dbo.ga_t WHERE id = 1 GROUP BY ALL g ORDER BY g
SELECT g, COUNT(*) AS n FROM dbo.ga_t WHERE id = 1 GROUP BY ALL g HAVING COUNT(*) = 0 ORDER BY g
SELECT g + '!' AS k, AVG(v * 1.0) AS a FROM dbo.ga_t WHERE v IS NOT NULL AND x > 'p' GROUP BY ALL g + '!' ORDER BY k
SELECT t.g, COUNT(*) AS n FROM dbo.ga_t AS t WHERE EXISTS (SELECT 1 FROM dbo.ga_t AS u WHERE u.v = t.v + 1) GROUP BY ALL t.g ORDER BY t.g
SELECT t.g, COUNT(u.id) AS n FROM dbo.ga_t AS t LEFT JOIN dbo.ga_t AS u ON u.v > t.v WHERE t.id > 1 GROUP BY ALL t.g ORDER BY t.g
SELECT COUNT(*) AS n FROM (SELECT g FROM dbo.ga_t WHERE id > 100 GROUP BY ALL g) AS q
DECLARE @least int = 3
SELECT g, SUM(v) AS s, SUM(SUM(v)) OVER () AS whole FROM dbo.ga_t WHERE v >= @least GROUP BY ALL g ORDER BY g
GO
--@ source: message 1028
SELECT g FROM dbo.ga_t WHERE id = 1 GROUP BY ALL GROUPING SETS (g, ())
GO
--@ source: message 8120
SELECT g, v FROM dbo.ga_t WHERE id = 1 GROUP BY ALL g
GO
