-- Predicates: NULLs, LIKE, BETWEEN, IN, CASE, and the types on their two sides.
--@ source: reasoned
CREATE DATABASE qpr
GO
--@ source: reasoned
USE qpr
CREATE TABLE t (id int NOT NULL PRIMARY KEY, g int NULL, s varchar(10) NULL)
INSERT t (id, g, s) VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c%'), (4, NULL, NULL)
GO
--@ source: reasoned
SELECT id FROM t WHERE id IN (VALUES (1), (2))
GO
--@ source: reasoned
SELECT id FROM t WHERE EXISTS (VALUES (1))
GO
--@ source: reasoned
SELECT (VALUES (1))
GO
--@ source: reasoned
SELECT id FROM t WHERE g = NULL
GO
--@ source: documentation SET ANSI_NULLS
SET ANSI_NULLS OFF
GO
--@ source: reasoned
SELECT id FROM t WHERE g = NULL
SELECT id FROM t WHERE g <> NULL ORDER BY id
SELECT id FROM t WHERE g <> 1 ORDER BY id
SELECT id FROM t WHERE g IN (NULL, 2) ORDER BY id
SELECT id FROM t WHERE g NOT IN (1, NULL) ORDER BY id
SELECT a.id FROM t a JOIN t b ON a.g = b.g AND a.id = b.id ORDER BY a.id
DECLARE @n int
SELECT id FROM t WHERE g = @n
SELECT id FROM t WHERE NOT g = @n ORDER BY id
SELECT id FROM t WHERE g IN (SELECT NULL)
GO
--@ source: documentation SET ANSI_NULLS
SET ANSI_NULLS ON
GO
--@ source: documentation LIKE
SELECT id FROM t WHERE s LIKE '%!%%' ESCAPE '!'
SELECT id FROM t WHERE s LIKE '[^ab]%'
SELECT id FROM t WHERE s NOT LIKE '%a%' ORDER BY id
SELECT id FROM t WHERE s LIKE NULL
SELECT id FROM t WHERE s LIKE '[a-b]' ORDER BY id
SELECT id FROM t WHERE s LIKE '_[%]'
SELECT id FROM t WHERE 10 LIKE '1%' AND id = 1
GO
--@ source: reasoned
SELECT id FROM t WHERE s BETWEEN 'a' AND NULL
GO
--@ source: reasoned
SELECT id FROM t WHERE NOT id BETWEEN 2 AND 3 ORDER BY id
GO
--@ source: reasoned
SELECT id FROM t WHERE id BETWEEN 2 OR 3
GO
--@ source: reasoned
SELECT id FROM t WHERE id > 1 AND < 3
GO
--@ source: reasoned
SELECT id FROM t WHERE id = 1 = 1
GO
--@ source: reasoned
SELECT id, id = 1 OR id = 2 FROM t
GO
--@ source: reasoned
SELECT id FROM t WHERE EXISTS (SELECT id FROM t x ORDER BY id)
GO
--@ source: reasoned
SELECT id FROM t WHERE id IN (SELECT id FROM t ORDER BY id)
GO
--@ source: reasoned
SELECT id FROM t x WHERE x.id IN (SELECT TOP 1 id FROM t ORDER BY id DESC)
GO
--@ source: reasoned
SELECT id FROM t WHERE id = ALL (SELECT id FROM t WHERE id = 2)
GO
--@ source: reasoned
SELECT id FROM t WHERE ANY (SELECT 1) = id
GO
--@ source: reasoned
SELECT id FROM t WHERE id = ANY (1)
GO
--@ source: reasoned
SELECT id FROM t WHERE id = '1' AND s = 'a'
GO
--@ source: reasoned
SELECT id FROM t WHERE id = 'x'
GO
--@ source: reasoned
SELECT id FROM t WHERE id = 1.5
GO
--@ source: reasoned
SELECT id FROM t WHERE id IN (1, 'x')
GO
--@ source: reasoned
SELECT id FROM t WHERE id = 2147483648
GO
--@ source: reasoned
SELECT id FROM t WHERE id = CAST('20240101' AS datetime)
GO
--@ source: reasoned
SELECT id FROM t WHERE s = NEWID()
GO
--@ source: documentation CASE
SELECT CASE id WHEN 1 THEN 'one' WHEN 1 THEN 'again' WHEN NULL THEN 'null' ELSE 'other' END AS x, CASE g WHEN NULL THEN 'n' ELSE 'e' END AS y FROM t ORDER BY id
GO
--@ source: documentation CASE
SELECT CASE WHEN id > 1 THEN 1/(id - 1) ELSE 0 END AS x FROM t ORDER BY id
GO
--@ source: documentation CASE
SELECT CASE WHEN 1 = 1 THEN 1 ELSE 1/0 END AS x
GO
--@ source: documentation CASE
SELECT CASE END
GO
--@ source: documentation CASE
SELECT CASE ELSE 1 END
GO
--@ source: documentation CASE
SELECT CASE id ELSE 1 END FROM t
GO
--@ source: reasoned
SELECT ISNULL(1)
GO
--@ source: reasoned
USE master
DROP DATABASE qpr
GO
