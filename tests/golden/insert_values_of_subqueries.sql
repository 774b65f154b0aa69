-- Subqueries of VALUES read the table as it was before the statement.
--@ source: reasoned
CREATE TABLE t (a int NULL, b int DEFAULT 7)
INSERT t VALUES (1, 1)
INSERT t VALUES ((SELECT COUNT(*) FROM t), 0), ((SELECT COUNT(*) FROM t), DEFAULT), ((SELECT MAX(a) + 1 FROM t), (SELECT COUNT(*) FROM t))
SELECT a, b FROM t ORDER BY a, b
GO
--@ source: reasoned
INSERT TOP (2) t (a) OUTPUT inserted.a, inserted.b VALUES ((SELECT COUNT(*) FROM t)), ((SELECT COUNT(*) FROM t)), ((SELECT COUNT(*) FROM t))
DECLARE @v TABLE (n int)
INSERT @v VALUES (1), (2)
INSERT @v SELECT COUNT(*) FROM @v
INSERT @v VALUES ((SELECT COUNT(*) FROM @v)), ((SELECT SUM(n) FROM @v))
SELECT n FROM @v ORDER BY n
CREATE TABLE #s (n int)
INSERT #s VALUES ((SELECT COUNT(*) FROM #s)), ((SELECT COUNT(*) FROM #s s WHERE n = 0)), (5)
SELECT n FROM #s ORDER BY n
DROP TABLE #s
GO
--@ source: reasoned
DROP TABLE t
GO
