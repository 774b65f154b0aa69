--@ source: reasoned
-- Subqueries that read the outer row, over tables with and without an index, with NULL on both sides.
CREATE TABLE dbo.a(id int NOT NULL, x int NULL, t varchar(10) NULL);
CREATE TABLE dbo.b(id int NULL, y int NULL, t nvarchar(10) NULL);
CREATE TABLE dbo.c(id int NOT NULL PRIMARY KEY, z int NULL);
INSERT dbo.a SELECT value, NULLIF(value % 5, 0), CONCAT('t', value % 3) FROM GENERATE_SERIES(1, 30);
INSERT dbo.b SELECT NULLIF(value * 2, 10), value % 7, CONCAT('T', value % 4) FROM GENERATE_SERIES(1, 30);
INSERT dbo.c SELECT value, value % 4 FROM GENERATE_SERIES(1, 60);
GO
--@ source: documentation exists-transact-sql
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a WHERE NOT EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT * FROM dbo.b WHERE b.y = a.x);
SELECT COUNT(*) FROM dbo.a WHERE NOT EXISTS (SELECT * FROM dbo.b WHERE b.y = a.x);
SELECT a.id FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id AND b.y > a.x) ORDER BY a.id;
SELECT a.id FROM dbo.a WHERE a.id < 12 AND NOT EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id AND b.y > a.x) ORDER BY a.id;
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.t = a.t);
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.c WHERE c.id = a.id AND c.z = 1);
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id) AND NOT EXISTS (SELECT 1 FROM dbo.c WHERE c.z = a.x AND c.id > 58);
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id) OR a.id = 1;
GO
--@ source: documentation in-transact-sql
SELECT a.id FROM dbo.a WHERE x IN (SELECT y FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a WHERE x NOT IN (SELECT y FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a WHERE id NOT IN (SELECT id FROM dbo.b);
SELECT COUNT(*) FROM dbo.a WHERE id NOT IN (SELECT id FROM dbo.b WHERE id IS NOT NULL);
SELECT COUNT(*) FROM dbo.a WHERE x IN (SELECT y + 1 FROM dbo.b WHERE b.id = a.id);
GO
--@ source: reasoned
-- One within the other, and one that reads a row two levels up.
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id AND EXISTS (SELECT 1 FROM dbo.c WHERE c.z = b.y));
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id AND EXISTS (SELECT 1 FROM dbo.c WHERE c.z = b.y AND c.id = a.x));
SELECT COUNT(*) FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b JOIN dbo.c ON c.id = b.id WHERE b.id = a.id AND c.z > 0);
SELECT COUNT(*) FROM dbo.a AS o WHERE EXISTS (SELECT 1 FROM (SELECT id, y FROM dbo.b WHERE y > 2) AS d WHERE d.id = o.id);
SELECT COUNT(*) FROM dbo.a AS o JOIN dbo.c ON c.id = o.id WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = o.id AND b.y = c.z);
SELECT c.z, COUNT(*) AS n FROM dbo.c WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = c.id) GROUP BY c.z ORDER BY c.z;
GO
--@ source: reasoned
-- What may raise an error is not computed for rows that are not asked for.
CREATE TABLE dbo.none(id int);
SELECT COUNT(*) FROM dbo.none AS n WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = n.id AND 1 / (b.y - b.y) = 1);
SELECT COUNT(*) FROM dbo.none AS n WHERE EXISTS (SELECT 1 FROM dbo.b WHERE CAST(b.t AS int) = n.id);
DROP TABLE dbo.none;
GO
--@ source: reasoned
-- Changes, also of the table that the subquery reads.
BEGIN TRANSACTION;
UPDATE dbo.a SET x = 100 WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a WHERE x = 100;
DELETE dbo.a WHERE NOT EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id);
SELECT COUNT(*) FROM dbo.a;
DELETE o FROM dbo.c AS o WHERE EXISTS (SELECT 1 FROM dbo.c AS i WHERE i.z = o.z AND i.id < o.id);
SELECT id FROM dbo.c ORDER BY id;
INSERT dbo.c(id, z) SELECT id + 100, (SELECT COUNT(*) FROM dbo.c AS i WHERE i.id > o.id) FROM dbo.c AS o;
SELECT id, z FROM dbo.c WHERE id > 100 ORDER BY id;
ROLLBACK;
GO
--@ source: reasoned
SELECT TOP (3) a.id FROM dbo.a WHERE EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id) ORDER BY a.id DESC;
SELECT a.id, CASE WHEN EXISTS (SELECT 1 FROM dbo.b WHERE b.id = a.id) THEN 'yes' ELSE 'no' END AS there FROM dbo.a WHERE a.id < 6 ORDER BY a.id;
DROP TABLE dbo.a;
DROP TABLE dbo.b;
DROP TABLE dbo.c;
GO
--@ source: reasoned
-- The ends of an index under a subquery.
CREATE TABLE dbo.k(id int PRIMARY KEY, v int NULL);
INSERT dbo.k SELECT value, value % 7 FROM GENERATE_SERIES(1, 50);
SELECT MIN(id), MAX(id) FROM dbo.k WHERE EXISTS (SELECT 1 FROM dbo.k AS i WHERE i.v = k.id);
SELECT MIN(v), MAX(id) FROM dbo.k WHERE NOT EXISTS (SELECT 1 FROM dbo.k AS i WHERE i.v = k.id);
SELECT MIN(k.v) FROM dbo.k JOIN dbo.k AS j ON j.id = k.v WHERE EXISTS (SELECT 1 FROM dbo.k AS i WHERE i.v = k.id AND i.id > j.v);
DROP TABLE dbo.k;
GO
