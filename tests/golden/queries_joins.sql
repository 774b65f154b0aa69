-- Joins of all kinds, APPLY, and what is wrong about them.
--@ source: documentation FROM clause
CREATE TABLE dbo.qj_dept (id int NOT NULL PRIMARY KEY, name varchar(10) NOT NULL, boss int NULL)
CREATE TABLE dbo.qj_emp (id int NOT NULL PRIMARY KEY, dept int NULL, name varchar(10) NULL, pay decimal(9,2) NULL)
INSERT dbo.qj_dept VALUES (1, 'sales', 11), (2, 'works', NULL), (3, 'empty', NULL)
INSERT dbo.qj_emp VALUES (11, 1, 'ann', 100), (12, 1, 'bob', 50.5), (13, 2, 'cid', NULL), (14, NULL, 'dee', 70), (15, 9, NULL, 10)
GO
--@ source: documentation FROM clause
SELECT e.id, d.name FROM dbo.qj_emp AS e INNER JOIN dbo.qj_dept AS d ON d.id = e.dept ORDER BY e.id
SELECT e.id, d.name FROM dbo.qj_emp e JOIN dbo.qj_dept d ON d.id = e.dept AND d.name <> 'sales' ORDER BY e.id
SELECT e.id, d.name FROM dbo.qj_emp e, dbo.qj_dept d WHERE d.id = e.dept ORDER BY e.id
GO
--@ source: documentation FROM clause
SELECT d.id, e.id AS emp FROM dbo.qj_dept d LEFT OUTER JOIN dbo.qj_emp e ON e.dept = d.id ORDER BY d.id, e.id
SELECT d.id, e.id AS emp FROM dbo.qj_dept d RIGHT OUTER JOIN dbo.qj_emp e ON e.dept = d.id ORDER BY e.id
SELECT d.id, e.id AS emp FROM dbo.qj_dept d FULL OUTER JOIN dbo.qj_emp e ON e.dept = d.id ORDER BY d.id, e.id
GO
--@ source: reasoned
-- A condition in ON keeps the row of the outer side; in WHERE it drops it.
SELECT d.id, e.id AS emp FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id AND e.pay > 60 ORDER BY d.id, e.id
SELECT d.id, e.id AS emp FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id WHERE e.pay > 60 ORDER BY d.id, e.id
SELECT d.id, e.id AS emp FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id AND d.id = 1 ORDER BY d.id, e.id
SELECT d.id FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id WHERE e.id IS NULL
SELECT e.id FROM dbo.qj_dept d RIGHT JOIN dbo.qj_emp e ON e.dept = d.id WHERE d.id IS NULL ORDER BY e.id
GO
--@ source: documentation FROM clause
SELECT COUNT(*) AS n FROM dbo.qj_emp CROSS JOIN dbo.qj_dept
SELECT COUNT(*) AS n FROM dbo.qj_emp CROSS JOIN (SELECT 1 AS one WHERE 1 = 0) AS none
SELECT a.id, b.id AS other FROM dbo.qj_dept a CROSS JOIN dbo.qj_dept b WHERE a.id < b.id ORDER BY a.id, b.id
GO
--@ source: reasoned
-- Full joins of empty sides, with more than the equality.
SELECT d.id, e.id AS e FROM dbo.qj_dept d FULL JOIN (SELECT id FROM dbo.qj_emp WHERE id > 99) e ON d.id = e.id ORDER BY d.id
SELECT d.id, e.id AS e FROM (SELECT id FROM dbo.qj_dept WHERE id > 99) d FULL JOIN dbo.qj_emp e ON d.id = e.id AND e.pay > 0 ORDER BY e.id
SELECT COALESCE(d.id, e.dept) AS k, COUNT(e.id) AS n FROM dbo.qj_dept d FULL JOIN dbo.qj_emp e ON d.id = e.dept GROUP BY COALESCE(d.id, e.dept) ORDER BY k
GO
--@ source: reasoned
-- NULL joins nothing, not even NULL.
SELECT a.id, b.id AS other FROM dbo.qj_emp a JOIN dbo.qj_emp b ON a.dept = b.dept AND a.id <> b.id ORDER BY a.id
SELECT a.id, b.id AS other FROM dbo.qj_emp a JOIN dbo.qj_emp b ON a.dept = b.dept OR (a.dept IS NULL AND b.dept IS NULL) WHERE a.id = 14
SELECT a.id, b.id AS other FROM dbo.qj_emp a JOIN dbo.qj_emp b ON EXISTS (SELECT a.dept INTERSECT SELECT b.dept) WHERE a.id = 14
SELECT a.id FROM dbo.qj_emp a JOIN dbo.qj_emp b ON a.dept IS NOT DISTINCT FROM b.dept AND a.id = b.id ORDER BY a.id
SELECT a.id FROM dbo.qj_emp a WHERE a.dept IS DISTINCT FROM 1 ORDER BY a.id
GO
--@ source: documentation FROM clause
-- Nested joins: the last ON closes the first join.
SELECT d.id, e.id AS emp, b.name AS boss FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e INNER JOIN dbo.qj_dept b ON b.boss = e.id ON e.dept = d.id ORDER BY d.id
SELECT d.id, e.id AS emp, b.name AS boss FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id INNER JOIN dbo.qj_dept b ON b.boss = e.id ORDER BY d.id
SELECT d.id, e.id AS emp FROM dbo.qj_dept d LEFT JOIN (dbo.qj_emp e INNER JOIN dbo.qj_dept b ON b.boss = e.id) ON e.dept = d.id ORDER BY d.id
SELECT a.id, b.id AS b, c.id AS c FROM dbo.qj_dept a FULL JOIN dbo.qj_emp b ON b.id = a.boss FULL JOIN dbo.qj_dept c ON c.id = b.dept ORDER BY a.id, b.id, c.id
GO
--@ source: documentation FROM clause
SELECT d.name, x.name AS best FROM dbo.qj_dept d CROSS APPLY (SELECT TOP (1) e.name FROM dbo.qj_emp e WHERE e.dept = d.id ORDER BY e.pay DESC) AS x ORDER BY d.id
SELECT d.name, x.name AS best FROM dbo.qj_dept d OUTER APPLY (SELECT TOP (1) e.name FROM dbo.qj_emp e WHERE e.dept = d.id ORDER BY e.pay DESC) AS x ORDER BY d.id
SELECT d.name, x.n, x.s FROM dbo.qj_dept d CROSS APPLY (SELECT COUNT(*) AS n, SUM(pay) AS s FROM dbo.qj_emp e WHERE e.dept = d.id) AS x ORDER BY d.id
SELECT d.id, x.n FROM dbo.qj_dept d CROSS APPLY (SELECT COUNT(*) AS n FROM dbo.qj_emp e WHERE e.dept = d.id GROUP BY e.dept) AS x ORDER BY d.id
SELECT d.id, x.n FROM dbo.qj_dept d OUTER APPLY (SELECT COUNT(*) AS n FROM dbo.qj_emp e WHERE e.dept = d.id HAVING COUNT(*) > 1) AS x ORDER BY d.id
GO
--@ source: documentation FROM clause
SELECT d.id, v.k, v.val FROM dbo.qj_dept d CROSS APPLY (VALUES ('name', d.name), ('boss', CAST(d.boss AS varchar(10)))) AS v (k, val) ORDER BY d.id, v.k
SELECT e.id, s.value FROM dbo.qj_emp e CROSS APPLY STRING_SPLIT(e.name, 'n') AS s WHERE e.id = 11
SELECT e.id, s.value FROM dbo.qj_emp e OUTER APPLY STRING_SPLIT(e.name, 'n') AS s WHERE e.id IN (13, 15) ORDER BY e.id
SELECT d.id, y.q, y.r FROM dbo.qj_dept d CROSS APPLY (SELECT d.id * 10 AS q) AS x CROSS APPLY (SELECT x.q, x.q + d.id AS r) AS y ORDER BY d.id
SELECT d.id, u.v FROM dbo.qj_dept d CROSS APPLY (SELECT d.id AS v UNION ALL SELECT -d.id UNION SELECT d.id) AS u ORDER BY d.id, u.v
GO
--@ source: documentation FROM clause
-- Joins and APPLY in UPDATE and DELETE.
BEGIN TRANSACTION
UPDATE e SET pay = x.m FROM dbo.qj_emp e CROSS APPLY (SELECT MAX(o.pay) AS m FROM dbo.qj_emp o WHERE o.dept = e.dept) AS x WHERE e.dept IS NOT NULL
SELECT id, pay FROM dbo.qj_emp ORDER BY id
DELETE e FROM dbo.qj_emp e LEFT JOIN dbo.qj_dept d ON d.id = e.dept WHERE d.id IS NULL
SELECT id FROM dbo.qj_emp ORDER BY id
ROLLBACK
SELECT COUNT(*) AS n FROM dbo.qj_emp
GO
--@ source: documentation FROM clause
-- Natural order of SELECT *: tables as they are written, of RIGHT JOIN too.
SELECT * FROM dbo.qj_emp e RIGHT JOIN dbo.qj_dept d ON d.id = e.dept WHERE d.id = 3
SELECT d.*, e.name, e.* FROM dbo.qj_dept d JOIN dbo.qj_emp e ON e.id = d.boss
SELECT x.*, x.* FROM (SELECT 1 AS a, 2 AS b) AS x
GO
--@ source: message 1013
SELECT 1 FROM dbo.qj_emp, dbo.qj_emp
GO
--@ source: message 1011
SELECT 1 FROM dbo.qj_emp AS x JOIN dbo.qj_dept AS x ON x.id = x.id
GO
--@ source: message 1012
SELECT 1 FROM dbo.qj_emp AS qj_dept JOIN dbo.qj_dept ON 1 = 1
GO
--@ source: message 4104
SELECT dbo.qj_emp.id FROM dbo.qj_emp AS e
GO
--@ source: message 4104
SELECT e.id FROM dbo.qj_emp
GO
--@ source: message 209
SELECT id FROM dbo.qj_emp e JOIN dbo.qj_dept d ON d.id = e.dept
GO
--@ source: message 209
SELECT e.id FROM dbo.qj_emp e JOIN dbo.qj_dept d ON id = dept
GO
--@ source: message 209
SELECT e.id FROM dbo.qj_emp e JOIN dbo.qj_dept d ON d.id = e.dept WHERE name = 'ann' ORDER BY name
GO
--@ source: message 4104
SELECT d.id FROM dbo.qj_dept d JOIN (SELECT e.id FROM dbo.qj_emp e WHERE e.dept = d.id) x ON 1 = 1
GO
--@ source: message 102
SELECT 1 FROM dbo.qj_emp e JOIN dbo.qj_dept d
GO
--@ source: message 156
SELECT 1 FROM dbo.qj_emp e JOIN dbo.qj_dept d WHERE d.id = e.dept
GO
--@ source: message 102
SELECT 1 FROM dbo.qj_emp e NATURAL JOIN dbo.qj_dept d
GO
--@ source: message 102
SELECT 1 FROM dbo.qj_emp e JOIN dbo.qj_dept d USING (id)
GO
--@ source: message 156
SELECT 1 FROM dbo.qj_emp e CROSS JOIN dbo.qj_dept d ON d.id = e.id
GO
--@ source: message 102
SELECT 1 FROM (SELECT 1 AS a)
GO
--@ source: message 156
SELECT 1 FROM dbo.qj_emp e OUTER JOIN dbo.qj_dept d ON d.id = e.id
GO
--@ source: message 208
SELECT 1 FROM dbo.qj_emp e JOIN dbo.qj_nope n ON n.id = e.id
SELECT 'not reached' AS x
GO
--@ source: message 4145
SELECT 1 FROM dbo.qj_emp e JOIN dbo.qj_dept d ON d.id
GO
--@ source: message 245
-- A conversion within a join ends the batch.
SELECT e.id FROM dbo.qj_emp e JOIN dbo.qj_dept d ON d.id = e.name
SELECT 'not reached' AS x
GO
--@ source: reasoned
-- The same table on several ways, an empty one, one row against many.
SELECT a.id, b.id AS b, c.id AS c FROM dbo.qj_emp a LEFT JOIN dbo.qj_emp b ON b.id = a.id + 1 LEFT JOIN dbo.qj_emp c ON c.id = b.id + 1 AND c.dept = b.dept ORDER BY a.id
SELECT COUNT(*) AS n FROM dbo.qj_emp a JOIN dbo.qj_emp b ON a.id >= b.id JOIN dbo.qj_emp c ON b.id >= c.id
SELECT d.id, COUNT(*) AS rows, COUNT(e.id) AS emps, SUM(e.pay) AS pay FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id GROUP BY d.id ORDER BY d.id
SELECT d.id, e.id AS e FROM dbo.qj_dept d LEFT JOIN dbo.qj_emp e ON e.dept = d.id AND e.id = (SELECT MIN(i.id) FROM dbo.qj_emp i WHERE i.dept = d.id) ORDER BY d.id
GO
--@ source: reasoned
DROP TABLE dbo.qj_dept, dbo.qj_emp
GO
