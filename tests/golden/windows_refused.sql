-- What a window function is not given.
--@ source: message 4109
SELECT SUM(ROW_NUMBER() OVER (ORDER BY v)) FROM (VALUES (1)) AS q (v)
GO
--@ source: message 4109
SELECT ROW_NUMBER() OVER (ORDER BY ROW_NUMBER() OVER (ORDER BY v)) FROM (VALUES (1)) AS q (v)
GO
--@ source: message 4109
SELECT SUM(COUNT(*) OVER ()) OVER () FROM (VALUES (1)) AS q (v)
GO
--@ source: message 174
SELECT ROW_NUMBER(v) OVER (ORDER BY v) FROM (VALUES (1)) AS q (v)
GO
--@ source: message 10759
SELECT FIRST_VALUE(DISTINCT v) OVER (ORDER BY v) FROM (VALUES (1)) AS q (v)
GO
--@ source: message 4116
SELECT NTILE(2.5) OVER (ORDER BY v) FROM (VALUES (1)) AS q (v)
GO
--@ source: message 8711
SELECT STRING_AGG(v, ', ') WITHIN GROUP (ORDER BY v DESC) AS a, STRING_AGG(n, '-') WITHIN GROUP (ORDER BY n) AS b FROM (VALUES ('a', '1'), ('b', '3')) AS t (v, n)
GO
--@ source: documentation STRING_AGG
SELECT STRING_AGG(v, ', ') WITHIN GROUP (ORDER BY v DESC) AS a, STRING_AGG(n, '-') WITHIN GROUP (ORDER BY v DESC) AS b, STRING_AGG(n, '+') AS c FROM (VALUES ('a', '1'), ('b', '3')) AS t (v, n)
GO
--@ source: message 102
SELECT COUNT(DISTINCT v, n) FROM (VALUES ('a', '1')) AS t (v, n)
GO
--@ source: message 8117
SELECT MAX(v) FROM (VALUES (CAST('<a/>' AS xml))) AS t (v)
GO
