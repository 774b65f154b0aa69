-- PIVOT and table value constructors.
--@ source: reasoned
CREATE TABLE dbo.qp_t (who varchar(10) NULL, yr int NULL, qty int NULL, price decimal(9,2) NULL)
INSERT dbo.qp_t VALUES ('ann', 2022, 5, 1.5), ('ann', 2022, 7, 2), ('ann', 2023, 1, 3), ('bob', 2023, 2, 4), ('bob', 2025, 9, 1), (NULL, 2022, 4, 1), ('cid', 2022, NULL, 1), ('dee', NULL, 3, 1)
CREATE TABLE dbo.qp_into (a int NOT NULL, b varchar(5) NULL DEFAULT 'dflt')
GO
--@ source: documentation PIVOT
SELECT who, [2022], [2023], [2024] FROM (SELECT who, yr, qty FROM dbo.qp_t) AS s PIVOT (SUM(qty) FOR yr IN ([2022], [2023], [2024])) AS p ORDER BY who
SELECT p.* FROM (SELECT who, yr, qty FROM dbo.qp_t WHERE qty IS NOT NULL) AS s PIVOT (COUNT(qty) FOR yr IN ([2022], [2025])) AS p ORDER BY p.who
SELECT 'cost' AS k, [2022], [2023] FROM (SELECT yr, price FROM dbo.qp_t) AS s PIVOT (AVG(price) FOR yr IN ([2022], [2023])) AS p
GO
--@ source: documentation PIVOT
-- What is neither aggregated nor turned is what is grouped by.
SELECT who, price, [2022] AS y22 FROM dbo.qp_t PIVOT (MAX(qty) FOR yr IN ([2022])) AS p WHERE who = 'ann' ORDER BY price
SELECT COUNT(*) AS n FROM dbo.qp_t PIVOT (MIN(qty) FOR yr IN ([1999])) AS p
SELECT yr, ann, bob FROM (SELECT who, yr, qty FROM dbo.qp_t) AS s PIVOT (SUM(qty) FOR who IN (ann, bob)) AS p WHERE yr > 2022 ORDER BY yr
SELECT yr, [Ann] AS a FROM (SELECT who, yr, qty FROM dbo.qp_t WHERE yr < 2023) AS s PIVOT (SUM(qty) FOR who IN ([Ann])) AS p
GO
--@ source: documentation PIVOT
SELECT who, ISNULL([2022], 0) + ISNULL([2023], 0) AS two FROM (SELECT who, yr, qty FROM dbo.qp_t WHERE who IN ('ann', 'bob')) AS s PIVOT (SUM(qty) FOR yr IN ([2022], [2023])) AS p ORDER BY two DESC;
WITH s AS (SELECT who, yr, qty FROM dbo.qp_t WHERE who IS NOT NULL AND qty IS NOT NULL) SELECT d.who, p.[2023] FROM (SELECT DISTINCT who FROM s) AS d JOIN s PIVOT (SUM(qty) FOR yr IN ([2023])) AS p ON p.who = d.who ORDER BY d.who
SELECT [2022], [2023] INTO dbo.qp_made FROM (SELECT yr, qty FROM dbo.qp_t WHERE qty IS NOT NULL) AS s PIVOT (SUM(qty) FOR yr IN ([2022], [2023])) AS p
SELECT * FROM dbo.qp_made
DROP TABLE dbo.qp_made
GO
--@ source: reasoned
-- Where there is nothing to turn there are no rows.
SELECT * FROM (SELECT who, yr, qty FROM dbo.qp_t WHERE 1 = 0) AS s PIVOT (SUM(qty) FOR yr IN ([2022])) AS p
GO
--@ source: message 207
SELECT * FROM dbo.qp_t PIVOT (SUM(nope) FOR yr IN ([2022])) AS p
GO
--@ source: message 207
SELECT * FROM dbo.qp_t PIVOT (SUM(qty) FOR nope IN ([2022])) AS p
GO
--@ source: message 207
SELECT qty FROM (SELECT who, yr, qty FROM dbo.qp_t) AS s PIVOT (SUM(qty) FOR yr IN ([2022])) AS p
GO
--@ source: message 102
SELECT * FROM (SELECT who, yr, qty FROM dbo.qp_t) AS s PIVOT (SUM(qty) FOR yr IN ([2022]))
GO
--@ source: message 102
SELECT * FROM dbo.qp_t PIVOT (SUM(qty) FOR yr IN (2022)) AS p
GO
--@ source: message 8117
SELECT * FROM (SELECT who, yr FROM dbo.qp_t) AS s PIVOT (SUM(who) FOR yr IN ([2022])) AS p
GO
--@ source: documentation Table Value Constructor
SELECT a, b FROM (VALUES (1, 2), (3, 4), (5, 6), (7, 8), (9, 10)) AS MyTable (a, b)
SELECT v.n, v.s FROM (VALUES (1, 'one'), (2, N'two'), (NULL, NULL)) AS v (n, s) ORDER BY v.n DESC
SELECT COUNT(*) AS n, SUM(x) AS s FROM (VALUES (1), (2.5), (1)) AS v (x)
SELECT x FROM (VALUES ((SELECT 1)), (1 + 1)) AS v (x) ORDER BY x
GO
--@ source: documentation Table Value Constructor
SELECT x FROM (VALUES (1), ('2'), (3.0)) AS v (x) ORDER BY x
SELECT MAX(v.x) AS m FROM dbo.qp_t t CROSS APPLY (VALUES (t.qty), (t.yr)) AS v (x) WHERE t.who = 'ann'
MERGE dbo.qp_into AS t USING (VALUES (1, 'a'), (2, 'b')) AS s (a, b) ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b);
INSERT dbo.qp_into (a, b) VALUES (3, DEFAULT), (4, NULL), (5, 'x')
INSERT dbo.qp_into VALUES (6, DEFAULT)
SELECT a, b FROM dbo.qp_into ORDER BY a
SELECT i.a FROM dbo.qp_into i JOIN (VALUES (2), (4), (6), (8)) AS v (k) ON v.k = i.a ORDER BY i.a
GO
--@ source: message 245
-- The types of all rows are one.
SELECT x FROM (VALUES ('a'), (1)) AS v (x)
GO
--@ source: message 245
INSERT dbo.qp_into (a, b) VALUES (10, 'ok'), (11, 12), (12, 'abc')
SELECT 'not reached' AS x
GO
--@ source: message 515
INSERT dbo.qp_into (a) VALUES (20), (NULL), (21)
SELECT COUNT(*) AS n FROM dbo.qp_into WHERE a >= 20
GO
--@ source: message 10709
INSERT dbo.qp_into (a, b) VALUES (1, 'a'), (2)
GO
--@ source: message 10709
SELECT * FROM (VALUES (1, 2), (3)) AS v (a, b)
GO
--@ source: message 8155
SELECT * FROM (VALUES (1, 2)) AS v
GO
--@ source: message 8158
SELECT * FROM (VALUES (1, 2)) AS v (a)
GO
--@ source: message 8159
SELECT * FROM (VALUES (1, 2)) AS v (a, b, c)
GO
--@ source: message 8156
SELECT * FROM (VALUES (1, 2)) AS v (a, a)
GO
--@ source: message 102
SELECT * FROM (VALUES ()) AS v (a)
GO
--@ source: message 156
SELECT * FROM (VALUES (DEFAULT)) AS v (a)
GO
--@ source: message 156
VALUES (1), (2)
GO
--@ source: message 116
SELECT * FROM (VALUES ((SELECT 1, 2))) AS v (a)
GO
--@ source: message 110
INSERT dbo.qp_into (a, b) VALUES (1, 'a', 3)
GO
--@ source: message 109
INSERT dbo.qp_into (a, b) VALUES (1)
GO
--@ source: message 213
INSERT dbo.qp_into VALUES (1)
GO
--@ source: message 264
INSERT dbo.qp_into (a, a) VALUES (1, 2)
GO
--@ source: message 207
INSERT dbo.qp_into (a, nope) VALUES (1, 2)
GO
--@ source: reasoned
DROP TABLE dbo.qp_t, dbo.qp_into
GO
