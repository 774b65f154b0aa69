-- Window functions: frames, ranking, offsets, and what is wrong about them.
--@ source: reasoned
CREATE TABLE dbo.qw_t (id int NOT NULL PRIMARY KEY, g char(1) NOT NULL, v int NULL, d date NULL)
INSERT dbo.qw_t VALUES (1, 'a', 10, '20240101'), (2, 'a', 10, '20240103'), (3, 'a', NULL, '20240102'), (4, 'a', 30, NULL), (5, 'b', 5, '20240101'), (6, 'b', 7, '20240101'), (7, 'c', NULL, NULL)
GO
--@ source: documentation ROW_NUMBER
SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS r, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, id) AS p FROM dbo.qw_t ORDER BY id
SELECT id, RANK() OVER (ORDER BY v) AS r, DENSE_RANK() OVER (ORDER BY v) AS d, RANK() OVER (PARTITION BY g ORDER BY v DESC) AS p FROM dbo.qw_t ORDER BY id
SELECT id, NTILE(3) OVER (ORDER BY id) AS t, NTILE(100) OVER (ORDER BY id) AS many, NTILE(2) OVER (PARTITION BY g ORDER BY id) AS p, NTILE(1) OVER (ORDER BY id) AS one FROM dbo.qw_t ORDER BY id
GO
--@ source: documentation OVER clause
SELECT id, COUNT(*) OVER () AS n, COUNT(v) OVER () AS nv, SUM(v) OVER () AS s FROM dbo.qw_t WHERE id IN (1, 2, 5) ORDER BY id
SELECT id, SUM(v) OVER (PARTITION BY g) AS s, MIN(v) OVER (PARTITION BY g) AS lo, COUNT(v) OVER (PARTITION BY g) AS n, AVG(v) OVER (PARTITION BY g) AS a FROM dbo.qw_t WHERE v IS NOT NULL ORDER BY id
GO
--@ source: documentation OVER clause
-- Without a frame: RANGE from the beginning to the last peer.
SELECT id, SUM(id) OVER (ORDER BY v) AS s, COUNT(*) OVER (ORDER BY v) AS n, COUNT(*) OVER (ORDER BY v DESC) AS nd FROM dbo.qw_t ORDER BY id
SELECT id, COUNT(*) OVER (PARTITION BY g ORDER BY d) AS n, MAX(id) OVER (PARTITION BY g ORDER BY d) AS m FROM dbo.qw_t ORDER BY id
GO
--@ source: documentation OVER clause
SELECT id, COUNT(*) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS a, COUNT(*) OVER (ORDER BY id ROWS 2 PRECEDING) AS b, COUNT(*) OVER (ORDER BY id ROWS CURRENT ROW) AS c, COUNT(*) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS d, COUNT(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) AS e FROM dbo.qw_t ORDER BY id
SELECT id, SUM(id) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) AS a, SUM(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) AS b, SUM(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS c, SUM(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS d, SUM(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS e FROM dbo.qw_t ORDER BY id
SELECT id, MIN(id) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS lo, MAX(id) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS hi, AVG(id) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND 0 FOLLOWING) AS a, COUNT(*) OVER (ORDER BY id ROWS BETWEEN 0 PRECEDING AND 0 FOLLOWING) AS z FROM dbo.qw_t ORDER BY id
SELECT id, COUNT(*) OVER (ORDER BY id ROWS BETWEEN 100 PRECEDING AND 2147483647 FOLLOWING) AS n FROM dbo.qw_t WHERE id < 3 ORDER BY id
GO
--@ source: documentation LAG
SELECT id, LAG(id) OVER (ORDER BY id) AS a, LAG(id, 2) OVER (ORDER BY id) AS b, LAG(id, 2, -1) OVER (ORDER BY id) AS c, LEAD(id) OVER (PARTITION BY g ORDER BY id) AS d, LEAD(v, 1, 0) OVER (ORDER BY id) AS e, LAG(id, 0) OVER (ORDER BY id) AS z FROM dbo.qw_t ORDER BY id
SELECT id, LAG(id, id % 3) OVER (ORDER BY id) AS a, LEAD(g, 1, 'zz') OVER (ORDER BY id) AS b, LAG(v + id, 1, id) OVER (ORDER BY id DESC) AS c FROM dbo.qw_t ORDER BY id
DECLARE @n bigint = 3
SELECT id, LAG(id, @n) OVER (ORDER BY id) AS a, LEAD(id, @n - 1, id * 100) OVER (ORDER BY id) AS b, LAG(id, 9223372036854775807) OVER (ORDER BY id) AS c FROM dbo.qw_t ORDER BY id
GO
--@ source: documentation FIRST_VALUE
SELECT id, FIRST_VALUE(id) OVER (ORDER BY id DESC) AS f, LAST_VALUE(id) OVER (ORDER BY id) AS l, LAST_VALUE(v) OVER (ORDER BY v) AS peers_end, LAST_VALUE(id) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS e, FIRST_VALUE(v) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS p, FIRST_VALUE(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS n FROM dbo.qw_t WHERE id <> 2 ORDER BY id
GO
--@ source: documentation sys.dm_exec_describe_first_result_set
SELECT name, system_type_name, is_nullable FROM sys.dm_exec_describe_first_result_set(N'SELECT ROW_NUMBER() OVER (ORDER BY database_id) AS a, RANK() OVER (ORDER BY database_id) AS b, NTILE(3) OVER (ORDER BY database_id) AS c, COUNT(*) OVER () AS d, COUNT_BIG(*) OVER () AS e, LAG(database_id) OVER (ORDER BY database_id) AS f, SUM(CAST(1 AS tinyint)) OVER () AS g, FIRST_VALUE(name) OVER (ORDER BY database_id) AS h, LAG(CAST(1 AS tinyint), 1, 7) OVER (ORDER BY database_id) AS i, DENSE_RANK() OVER (ORDER BY name) AS j FROM sys.databases', NULL, 0)
GO
--@ source: documentation OVER clause
-- Over groups, over DISTINCT, in ORDER BY, in expressions, several over each other's tables.
SELECT g, SUM(v) AS s, SUM(SUM(v)) OVER () AS total, RANK() OVER (ORDER BY COUNT(*) DESC) AS r, COUNT(*) OVER () AS groups FROM dbo.qw_t WHERE v IS NOT NULL GROUP BY g ORDER BY g
SELECT g, 100 * COUNT(*) / SUM(COUNT(*)) OVER () AS pct FROM dbo.qw_t GROUP BY g ORDER BY g
SELECT DISTINCT g, COUNT(*) OVER (PARTITION BY g) AS n FROM dbo.qw_t ORDER BY g
SELECT id FROM dbo.qw_t ORDER BY ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC), id
SELECT TOP (2) id, SUM(id) OVER (ORDER BY id) AS s FROM dbo.qw_t ORDER BY id DESC
SELECT q.id, q.r FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id) AS r FROM dbo.qw_t) AS q WHERE q.r = 2 ORDER BY q.id
SELECT id, CASE WHEN v > AVG(v) OVER () THEN 'above' ELSE 'not' END AS c, v - LAG(v, 1, v) OVER (ORDER BY id) AS diff FROM dbo.qw_t WHERE v IS NOT NULL ORDER BY id
SELECT COUNT(*) OVER () AS n FROM dbo.qw_t WHERE 1 = 0
SELECT id, MAX(q.r) OVER () AS m FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS r FROM dbo.qw_t WHERE g = 'b') AS q ORDER BY id
SELECT id, STDEV(id) OVER (PARTITION BY g ORDER BY id) AS s, VARP(id) OVER (PARTITION BY g) AS v FROM dbo.qw_t WHERE g = 'b' ORDER BY id
GO
--@ source: reasoned
-- Gaps and islands, running totals that start anew, the last of each group.
SELECT MIN(q.id) AS first, MAX(q.id) AS last FROM (SELECT id, id - ROW_NUMBER() OVER (ORDER BY id) AS k FROM dbo.qw_t WHERE id NOT IN (3, 6)) AS q GROUP BY q.k ORDER BY first
SELECT id, SUM(id) OVER (PARTITION BY g ORDER BY id ROWS UNBOUNDED PRECEDING) AS running FROM dbo.qw_t ORDER BY id
DELETE q FROM (SELECT ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS r FROM dbo.qw_t) AS q WHERE q.r > 1 AND 1 = 0
SELECT t.id FROM dbo.qw_t t WHERE t.id = (SELECT TOP (1) FIRST_VALUE(i.id) OVER (ORDER BY i.id DESC) FROM dbo.qw_t i WHERE i.g = t.g) ORDER BY t.id
GO
--@ source: documentation OVER clause
SELECT id, COUNT(*) OVER (ORDER BY v RANGE UNBOUNDED PRECEDING) AS a, COUNT(*) OVER (ORDER BY v RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS b, COUNT(*) OVER (ORDER BY v RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS e FROM dbo.qw_t ORDER BY id
GO
--@ source: documentation TOP
SELECT TOP (1) WITH TIES id, g FROM dbo.qw_t ORDER BY ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC)
GO
--@ source: message 10759
SELECT COUNT(DISTINCT v) OVER () FROM dbo.qw_t
GO
--@ source: message 4113
SELECT STRING_AGG(g, ',') OVER (ORDER BY id) FROM dbo.qw_t
GO
--@ source: documentation OVER clause
SELECT SUM(id) OVER (ORDER BY id) + 1 AS x FROM dbo.qw_t WHERE id < 4 UNION ALL SELECT COUNT(*) OVER () FROM dbo.qw_t WHERE id < 3 ORDER BY x
SELECT g, SUM(id) AS s, LAG(SUM(id)) OVER (ORDER BY g) AS prev, SUM(COUNT(*)) OVER (ORDER BY g) AS run, ROW_NUMBER() OVER (ORDER BY MAX(id) DESC) AS r FROM dbo.qw_t GROUP BY g ORDER BY r
SELECT id, (SELECT COUNT(*) OVER () FROM dbo.qw_t i WHERE i.id = o.id) AS one, COUNT(*) OVER (PARTITION BY (SELECT 1)) AS n FROM dbo.qw_t o ORDER BY COUNT(*) OVER (), id DESC
GO
--@ source: message 4108
SELECT id FROM dbo.qw_t WHERE ROW_NUMBER() OVER (ORDER BY id) = 1
GO
--@ source: message 4108
SELECT COUNT(*) FROM dbo.qw_t GROUP BY RANK() OVER (ORDER BY id)
GO
--@ source: message 4108
SELECT g FROM dbo.qw_t GROUP BY g HAVING COUNT(*) OVER () > 1
GO
--@ source: message 4108
SELECT a.id FROM dbo.qw_t a JOIN dbo.qw_t b ON a.id = ROW_NUMBER() OVER (ORDER BY b.id)
GO
--@ source: message 10753
SELECT ROW_NUMBER() FROM dbo.qw_t
GO
--@ source: message 10753
SELECT LAG(id) FROM dbo.qw_t
GO
--@ source: message 4112
SELECT ROW_NUMBER() OVER () FROM dbo.qw_t
GO
--@ source: message 4112
SELECT RANK() OVER (PARTITION BY g) FROM dbo.qw_t
GO
--@ source: message 4112
SELECT LAG(id) OVER (PARTITION BY g) FROM dbo.qw_t
GO
--@ source: message 4112
SELECT FIRST_VALUE(id) OVER (PARTITION BY g) FROM dbo.qw_t
GO
--@ source: message 10752
SELECT ROW_NUMBER() OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM dbo.qw_t
GO
--@ source: message 10752
SELECT LAG(id) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM dbo.qw_t
GO
--@ source: message 10756
SELECT SUM(id) OVER (PARTITION BY g ROWS UNBOUNDED PRECEDING) FROM dbo.qw_t
GO
--@ source: message 10759
SELECT SUM(DISTINCT v) OVER (PARTITION BY g) FROM dbo.qw_t
GO
--@ source: message 4194
SELECT SUM(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM dbo.qw_t
GO
--@ source: message 8730
SELECT LAG(id, -1) OVER (ORDER BY id) FROM dbo.qw_t
GO
--@ source: message 8730
DECLARE @n int = -1
SELECT LAG(id, @n) OVER (ORDER BY id) FROM dbo.qw_t
GO
--@ source: message 4116
SELECT NTILE(0) OVER (ORDER BY id) FROM dbo.qw_t
GO
--@ source: message 4116
DECLARE @n int = -5
SELECT NTILE(@n) OVER (ORDER BY id) FROM dbo.qw_t
GO
--@ source: message 8120
SELECT g, ROW_NUMBER() OVER (ORDER BY v) FROM dbo.qw_t GROUP BY g
GO
--@ source: message 8120
SELECT g, SUM(v) OVER (PARTITION BY g) FROM dbo.qw_t GROUP BY g
GO
--@ source: message 207
SELECT ROW_NUMBER() OVER (ORDER BY id) AS r FROM dbo.qw_t WHERE r = 1
GO
--@ source: message 207
SELECT id AS k, ROW_NUMBER() OVER (ORDER BY k) AS r FROM dbo.qw_t
GO
--@ source: message 5308
SELECT ROW_NUMBER() OVER (ORDER BY 1) FROM dbo.qw_t
GO
--@ source: message 102
SELECT SUM(id) OVER (ORDER BY id ROWS) FROM dbo.qw_t
GO
--@ source: message 102
SELECT SUM(id) OVER (ORDER BY id GROUPS UNBOUNDED PRECEDING) FROM dbo.qw_t
GO
--@ source: message 102
DECLARE @n int = 1
SELECT SUM(id) OVER (ORDER BY id ROWS @n PRECEDING) FROM dbo.qw_t
GO
--@ source: message 4108
UPDATE dbo.qw_t SET v = ROW_NUMBER() OVER (ORDER BY id)
GO
--@ source: reasoned
-- An overflow in a frame.
SELECT SUM(x) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS s FROM (VALUES (2147483647), (2147483646)) AS v (x) ORDER BY s
GO
--@ source: reasoned
DROP TABLE dbo.qw_t
GO
