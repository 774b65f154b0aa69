-- Two databases whose tables have one name: queries and changes by alias, and the same text in both.
--@ source: reasoned
CREATE DATABASE qx1
GO
--@ source: reasoned
CREATE DATABASE qx2
GO
--@ source: reasoned
CREATE TABLE qx1.dbo.t (id int, v varchar(5))
CREATE TABLE qx2.dbo.t (v varchar(5), id int)
INSERT qx1.dbo.t VALUES (1, 'one')
INSERT qx2.dbo.t VALUES ('two', 2)
GO
--@ source: reasoned
USE qx1
GO
--@ source: reasoned
SELECT * FROM t
GO
--@ source: reasoned
SELECT v FROM t WHERE id > 0
GO
--@ source: reasoned
EXEC sp_executesql N'SELECT v, id FROM t WHERE id > @p', N'@p int', 0
GO
--@ source: reasoned
USE qx2
GO
--@ source: reasoned
SELECT * FROM t
GO
--@ source: reasoned
SELECT v FROM t WHERE id > 0
GO
--@ source: reasoned
EXEC sp_executesql N'SELECT v, id FROM t WHERE id > @p', N'@p int', 0
GO
--@ source: reasoned
SELECT a.v, b.v FROM qx1.dbo.t a JOIN qx2.dbo.t b ON a.id < b.id
GO
--@ source: reasoned
SELECT a.v FROM qx1.dbo.t a WHERE EXISTS (SELECT 1 FROM qx2.dbo.t b WHERE b.id = a.id)
GO
--@ source: reasoned
INSERT qx1.dbo.t SELECT id, v FROM qx2.dbo.t
SELECT * FROM qx1.dbo.t ORDER BY id
GO
--@ source: reasoned
UPDATE a SET v = b.v FROM qx1.dbo.t a JOIN qx2.dbo.t b ON b.id = a.id + 1
SELECT * FROM qx1.dbo.t ORDER BY id
GO
--@ source: reasoned
MERGE qx1.dbo.t AS a USING qx2.dbo.t AS b ON a.id = b.id WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM qx1.dbo.t ORDER BY id
SELECT * FROM qx2.dbo.t ORDER BY id
GO
--@ source: reasoned
DELETE a FROM qx1.dbo.t a JOIN qx2.dbo.t b ON b.id = a.id
SELECT (SELECT COUNT(*) FROM qx1.dbo.t) AS n1, (SELECT COUNT(*) FROM qx2.dbo.t) AS n2
GO
--@ source: reasoned
WITH c AS (SELECT TOP 1 * FROM qx2.dbo.t) DELETE c
SELECT (SELECT COUNT(*) FROM qx1.dbo.t) AS n1, (SELECT COUNT(*) FROM qx2.dbo.t) AS n2
GO
--@ source: reasoned
USE master
GO
--@ source: reasoned
DROP DATABASE qx1
GO
--@ source: reasoned
DROP DATABASE qx2
GO
