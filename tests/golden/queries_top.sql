-- TOP, WITH TIES, PERCENT, OFFSET and FETCH, DISTINCT and ORDER BY.
--@ source: reasoned
CREATE TABLE dbo.qt_t (id int NOT NULL PRIMARY KEY, g char(1) NULL, v int NULL)
INSERT dbo.qt_t VALUES (1, 'a', 5), (2, 'a', 5), (3, 'b', 3), (4, NULL, NULL), (5, 'c', 3), (6, 'b', 9), (7, NULL, 5)
GO
--@ source: documentation TOP
SELECT TOP (3) id FROM dbo.qt_t ORDER BY id DESC
SELECT TOP 2 id, v FROM dbo.qt_t ORDER BY v, id
SELECT TOP (0) id FROM dbo.qt_t
SELECT TOP (100) id FROM dbo.qt_t ORDER BY id
SELECT TOP (2) * FROM dbo.qt_t ORDER BY id
GO
--@ source: documentation TOP
SELECT TOP (1) WITH TIES id, v FROM dbo.qt_t ORDER BY v
SELECT TOP (1) WITH TIES v FROM dbo.qt_t WHERE v > 3 ORDER BY v
SELECT TOP (2) WITH TIES g, COUNT(*) AS n FROM dbo.qt_t GROUP BY g ORDER BY COUNT(*) DESC
SELECT TOP (0) WITH TIES v FROM dbo.qt_t ORDER BY v
SELECT COUNT(*) AS n FROM (SELECT TOP (3) WITH TIES id FROM dbo.qt_t ORDER BY v DESC) AS q
GO
--@ source: documentation TOP
SELECT TOP (50) PERCENT id FROM dbo.qt_t ORDER BY id
SELECT TOP (1) PERCENT id FROM dbo.qt_t ORDER BY id
SELECT TOP (0) PERCENT id FROM dbo.qt_t ORDER BY id
SELECT COUNT(*) AS n FROM (SELECT TOP (100) PERCENT id FROM dbo.qt_t ORDER BY id) AS q
SELECT TOP 42.9 PERCENT id FROM dbo.qt_t ORDER BY id DESC
SELECT TOP (30) PERCENT WITH TIES id FROM dbo.qt_t ORDER BY v DESC, g
GO
--@ source: documentation TOP
DECLARE @n int = 2, @b bigint = 1, @p float = 28.6, @null int
SELECT TOP (@n) id FROM dbo.qt_t ORDER BY id
SELECT TOP (@n + 1) id FROM dbo.qt_t ORDER BY id
SELECT TOP (@b) id FROM dbo.qt_t ORDER BY id DESC
SELECT TOP (@p) PERCENT id FROM dbo.qt_t ORDER BY id
SELECT TOP @n id FROM dbo.qt_t ORDER BY id
GO
--@ source: message 1060
DECLARE @null int
SELECT TOP (@null) id FROM dbo.qt_t
GO
--@ source: message 127
DECLARE @n int = -1
SELECT TOP (@n) id FROM dbo.qt_t
SELECT @@ERROR AS e
GO
--@ source: message 127
SELECT TOP (-1) id FROM dbo.qt_t
GO
--@ source: message 1062
SELECT TOP (1) WITH TIES id FROM dbo.qt_t
GO
--@ source: message 102
SELECT TOP -1 id FROM dbo.qt_t
GO
--@ source: message 4115
SELECT TOP (id) id FROM dbo.qt_t
GO
--@ source: message 156
SELECT TOP (1) DISTINCT v FROM dbo.qt_t
GO
--@ source: documentation ORDER BY clause
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 2 ROWS
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY
SELECT id FROM dbo.qt_t ORDER BY id DESC OFFSET 1 ROW FETCH FIRST 1 ROW ONLY
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 6 ROWS FETCH NEXT 10 ROWS ONLY
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 70 ROWS
DECLARE @o int = 1, @f tinyint = 2
SELECT id FROM dbo.qt_t ORDER BY id OFFSET @o ROWS FETCH NEXT @f ROWS ONLY
SELECT id FROM dbo.qt_t ORDER BY id OFFSET @o * 2 + 1 ROWS FETCH NEXT (SELECT COUNT(*) - 5 FROM dbo.qt_t) ROWS ONLY
GO
--@ source: documentation ORDER BY clause
SELECT DISTINCT g FROM dbo.qt_t ORDER BY g OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT v, COUNT(*) AS n FROM dbo.qt_t GROUP BY v ORDER BY v DESC OFFSET 1 ROWS
SELECT id FROM dbo.qt_t ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 7 ROWS ONLY
SELECT q.id, q.r FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS r FROM dbo.qt_t ORDER BY id OFFSET 5 ROWS) AS q ORDER BY q.id
GO
--@ source: message 10742
SELECT id FROM dbo.qt_t ORDER BY id OFFSET -1 ROWS
GO
--@ source: message 10744
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 0 ROWS FETCH NEXT 0 ROWS ONLY
GO
--@ source: message 10744
DECLARE @f int = 0
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 0 ROWS FETCH NEXT @f ROWS ONLY
GO
--@ source: message 10742
DECLARE @o int = -1
SELECT id FROM dbo.qt_t ORDER BY id OFFSET @o ROWS
GO
--@ source: message 10743
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 1.5 ROWS
GO
--@ source: message 102
SELECT id FROM dbo.qt_t OFFSET 1 ROWS
GO
--@ source: message 10741
SELECT TOP (1) id FROM dbo.qt_t ORDER BY id OFFSET 1 ROWS
GO
--@ source: message 102
SELECT id FROM dbo.qt_t ORDER BY id LIMIT 1
GO
--@ source: documentation SELECT clause
SELECT DISTINCT v FROM dbo.qt_t ORDER BY v
SELECT DISTINCT g, v FROM dbo.qt_t ORDER BY v, g
SELECT COUNT(*) AS n FROM (SELECT DISTINCT NULL AS a, 1 AS b FROM dbo.qt_t) AS q
SELECT DISTINCT TOP (2) v FROM dbo.qt_t ORDER BY v DESC
SELECT ALL v FROM dbo.qt_t WHERE v = 3
SELECT DISTINCT v + 1 AS w FROM dbo.qt_t WHERE v > 3 ORDER BY v + 1
SELECT DISTINCT v % 2 AS odd, COUNT(*) OVER () AS n FROM dbo.qt_t ORDER BY odd
SELECT DISTINCT COUNT(*) AS n FROM dbo.qt_t GROUP BY v ORDER BY n
GO
--@ source: message 145
SELECT DISTINCT g FROM dbo.qt_t ORDER BY v
GO
--@ source: message 145
SELECT DISTINCT v AS w FROM dbo.qt_t ORDER BY v + 1
GO
--@ source: documentation ORDER BY clause
-- By aliases, positions, hidden columns, expressions; NULL comes first, last with DESC.
SELECT v FROM dbo.qt_t WHERE id > 3 ORDER BY v
SELECT v FROM dbo.qt_t WHERE id > 3 ORDER BY v DESC
SELECT id AS v, v AS id FROM dbo.qt_t WHERE v IS NOT NULL ORDER BY v DESC
SELECT id FROM dbo.qt_t ORDER BY v, g DESC, 1 DESC
SELECT id, -id AS neg FROM dbo.qt_t WHERE id < 4 ORDER BY neg
SELECT id AS x FROM dbo.qt_t WHERE id < 4 ORDER BY -id
SELECT id FROM dbo.qt_t ORDER BY CASE g WHEN 'c' THEN 0 ELSE 1 END, IIF(v IS NULL, 1, 0), id
SELECT t.id FROM dbo.qt_t AS t WHERE t.id < 4 ORDER BY t.v, t.id
SELECT id FROM dbo.qt_t WHERE id < 4 ORDER BY dbo.qt_t.v, qt_t.id DESC
GO
--@ source: documentation ORDER BY clause
-- In an expression an alias is not seen: the column of that name is.
SELECT -id AS v FROM dbo.qt_t WHERE id < 4 ORDER BY v
SELECT -id AS v FROM dbo.qt_t WHERE id < 4 ORDER BY v + 0, id
GO
--@ source: message 207
SELECT id AS alias FROM dbo.qt_t ORDER BY alias + 1
GO
--@ source: message 207
SELECT id AS alias FROM dbo.qt_t WHERE alias = 1
GO
--@ source: message 207
SELECT id AS alias, alias + 1 FROM dbo.qt_t
GO
--@ source: message 209
SELECT id AS x, v AS x FROM dbo.qt_t ORDER BY x
GO
--@ source: message 169
SELECT id FROM dbo.qt_t ORDER BY id, id
GO
--@ source: message 169
SELECT id AS a, id AS b FROM dbo.qt_t ORDER BY 1, a
GO
--@ source: message 408
SELECT id FROM dbo.qt_t ORDER BY 'x' + 'y'
GO
--@ source: message 1008
DECLARE @c int = 1
SELECT id FROM dbo.qt_t ORDER BY @c
GO
--@ source: message 4104
SELECT id FROM dbo.qt_t ORDER BY nope.id
GO
--@ source: message 207
SELECT id FROM dbo.qt_t ORDER BY nope
GO
--@ source: message 153
SELECT id FROM dbo.qt_t ORDER BY id FETCH NEXT 1 ROWS ONLY
GO
--@ source: message 153
DECLARE @n int = 1
SELECT id FROM dbo.qt_t ORDER BY id FETCH FIRST @n ROWS ONLY
GO
--@ source: reasoned
SELECT TOP (9223372036854775807) id FROM dbo.qt_t ORDER BY id
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 2147483648 ROWS
SELECT id FROM dbo.qt_t ORDER BY id OFFSET 6 ROWS FETCH NEXT 9223372036854775807 ROWS ONLY
GO
--@ source: reasoned
DROP TABLE dbo.qt_t
GO
