-- The ways that a masked value may take out of a statement: it is covered on each of them.
--@ source: reasoned
CREATE DATABASE g_masks_paths
GO
--@ source: reasoned
USE g_masks_paths
CREATE TABLE dbo.staff (id int CONSTRAINT pk_staff PRIMARY KEY, name varchar(20) MASKED WITH (FUNCTION = 'partial(1,"...",0)'), email varchar(40) MASKED WITH (FUNCTION = 'email()'),
    salary int MASKED WITH (FUNCTION = 'default()') NOT NULL, plain int, yearly AS salary * 12, notes nvarchar(max) MASKED WITH (FUNCTION = 'default()'), x xml MASKED WITH (FUNCTION = 'default()'), boss int)
INSERT dbo.staff (id, name, email, salary, plain, notes, x, boss) VALUES
(1, 'Ann', 'ann@x.com', 100, 1, N'{"a":"top"}', '<a>top</a>', NULL), (2, 'Bob', 'bob@x.com', 200, 2, N'{"a":"secret"}', '<a>secret</a>', 1), (3, 'Cleo', 'cleo@x.com', 300, 3, NULL, NULL, 1)
CREATE TABLE dbo.copy (id int, name varchar(10), email nvarchar(40), salary bigint, note varchar(100))
CREATE TABLE dbo.told (what varchar(40), v sql_variant, s varchar(100))
CREATE USER reader WITHOUT LOGIN
GRANT SELECT, INSERT, UPDATE, DELETE TO reader
GRANT EXECUTE TO reader
GO
--@ source: reasoned
CREATE VIEW dbo.people AS SELECT id, name AS called, email, salary, salary + 1 AS more, boss FROM dbo.staff
GO
--@ source: reasoned
CREATE PROCEDURE dbo.list_people AS SELECT id, called, email, salary, more FROM dbo.people ORDER BY id
GO
--@ source: reasoned
CREATE PROCEDURE dbo.list_as_owner WITH EXECUTE AS OWNER AS SELECT id, called, email, salary FROM dbo.people ORDER BY id
GO
--@ source: reasoned
CREATE FUNCTION dbo.salary_of(@id int) RETURNS int AS BEGIN RETURN (SELECT salary FROM dbo.staff WHERE id = @id) END
GO
--@ source: reasoned
CREATE FUNCTION dbo.salary_by_steps(@id int) RETURNS int AS BEGIN DECLARE @n int; SELECT @n = salary FROM dbo.staff WHERE id = @id; IF @n > 150 SET @n = -1; RETURN @n END
GO
--@ source: reasoned
CREATE FUNCTION dbo.same_number(@n int) RETURNS int AS BEGIN DECLARE @m int = @n; WHILE @m < 0 SET @m += 1; RETURN @m END
GO
--@ source: reasoned
CREATE FUNCTION dbo.people_of(@boss int) RETURNS TABLE AS RETURN SELECT id, name, salary FROM dbo.staff WHERE boss = @boss
GO
--@ source: reasoned
CREATE FUNCTION dbo.people_kept(@boss int) RETURNS @t TABLE (id int, name varchar(20), salary int) AS BEGIN INSERT @t SELECT id, name, salary FROM dbo.staff WHERE boss = @boss; RETURN END
GO
--@ source: reasoned
CREATE FUNCTION dbo.given_back(@n int) RETURNS @t TABLE (n int) AS BEGIN INSERT @t VALUES (@n); RETURN END
GO
--@ source: reasoned
CREATE TRIGGER dbo.kept ON dbo.staff AFTER UPDATE AS
INSERT dbo.told SELECT 'trigger', d.salary, d.email FROM deleted AS d
GO
-- Conditions, joins, groups and orders are about the values as they are.
--@ source: documentation Dynamic data masking
EXECUTE AS USER = 'reader'
SELECT id, name, salary FROM dbo.staff WHERE salary > 150 ORDER BY salary DESC
SELECT s.id, b.name FROM dbo.staff AS s JOIN dbo.staff AS b ON b.salary = s.salary AND b.email = s.email ORDER BY s.email
SELECT COUNT(*) AS n FROM dbo.staff GROUP BY name ORDER BY name
SELECT name, COUNT(*) AS n FROM dbo.staff GROUP BY name HAVING MAX(salary) > 100 ORDER BY MAX(salary) DESC
SELECT TOP (1) id FROM dbo.staff ORDER BY salary DESC
SELECT DISTINCT salary FROM dbo.staff
SELECT id, ROW_NUMBER() OVER (ORDER BY salary DESC) AS place FROM dbo.staff ORDER BY id
REVERT
GO
-- Views, procedures, derived tables and common table expressions hand a column on as it is masked; chains of owners unmask nothing.
--@ source: reasoned
EXECUTE AS USER = 'reader'
SELECT * FROM dbo.people ORDER BY id
EXEC dbo.list_people
EXEC dbo.list_as_owner
SELECT d.n, d.e FROM (SELECT name AS n, email AS e, id FROM dbo.staff) AS d ORDER BY d.id
;WITH a AS (SELECT id, email FROM dbo.people), b AS (SELECT id, email AS mail FROM a) SELECT mail FROM b ORDER BY id
;WITH up AS (SELECT id, name, boss FROM dbo.staff WHERE boss IS NULL UNION ALL SELECT s.id, s.name, s.boss FROM dbo.staff AS s JOIN up ON s.boss = up.id) SELECT id, name FROM up ORDER BY id
;WITH up AS (SELECT id, CAST(name AS varchar(100)) AS path FROM dbo.staff WHERE boss IS NULL UNION ALL SELECT s.id, CAST(up.path + '/' + s.name AS varchar(100)) FROM dbo.staff AS s JOIN up ON s.boss = up.id) SELECT id, path FROM up ORDER BY id
SELECT s.id, p.name FROM dbo.staff AS s CROSS APPLY (SELECT TOP (1) t.name FROM dbo.staff AS t WHERE t.id = s.id) AS p ORDER BY s.id
SELECT v.n, v.m FROM (VALUES ((SELECT salary FROM dbo.staff WHERE id = 1), 1), (2, (SELECT MAX(salary) FROM dbo.staff))) AS v (n, m)
REVERT
GO
-- What is computed of a masked column is masked by its type.
--@ source: documentation Dynamic data masking
EXECUTE AS USER = 'reader'
SELECT id, yearly, salary + 0 AS a, -salary AS b, CAST(salary AS varchar(10)) AS c, UPPER(name) AS d, name + email AS e, SUBSTRING(email, 2, 1) AS f, LEN(email) AS g, ASCII(name) AS h FROM dbo.staff ORDER BY id
SELECT id, CASE WHEN salary > 150 THEN 'rich' ELSE 'poor' END AS a, IIF(email LIKE 'a%', 1, 2) AS b, COALESCE(name, 'none') AS c, NULLIF(salary, 100) AS d, ISNULL(email, '') AS e, CHECKSUM(salary) AS f, CONCAT(name, '') AS g FROM dbo.staff ORDER BY id
SELECT MIN(salary) AS a, MAX(email) AS b, SUM(salary) AS c, AVG(salary) AS d, COUNT(salary) AS e, COUNT(DISTINCT name) AS f, STRING_AGG(name, ',') AS g, STDEV(salary) AS h, CHECKSUM_AGG(salary) AS i FROM dbo.staff
SELECT id, LAG(salary) OVER (ORDER BY id) AS a, FIRST_VALUE(name) OVER (ORDER BY id) AS b, SUM(salary) OVER (ORDER BY id) AS c, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY salary) OVER () AS d, NTILE(2) OVER (ORDER BY salary) AS e FROM dbo.staff ORDER BY id
SELECT id, (SELECT s.salary) AS a, (SELECT TOP (1) t.email FROM dbo.staff AS t WHERE t.salary = s.salary) AS b, CASE WHEN s.id IN (SELECT t.salary / 100 FROM dbo.staff AS t) THEN 1 ELSE 2 END AS c FROM dbo.staff AS s ORDER BY id
SELECT id, email COLLATE Latin1_General_BIN2 AS a, CAST(email AS varbinary(20)) AS b, HASHBYTES('MD5', email) AS c, TRY_CAST(salary AS sql_variant) AS d FROM dbo.staff ORDER BY id
SELECT id, JSON_VALUE(notes, '$.a') AS a, x.value('(/a)[1]', 'varchar(10)') AS b, x.query('/a') AS c, x.exist('/a') AS d FROM dbo.staff ORDER BY id
SELECT id, boss.[1] AS a FROM (SELECT id, salary, boss FROM dbo.staff) AS s PIVOT (MAX(salary) FOR boss IN ([1])) AS boss ORDER BY id
SELECT id, what, v FROM (SELECT id, salary, plain FROM dbo.staff) AS s UNPIVOT (v FOR what IN (salary, plain)) AS u ORDER BY id, what
REVERT
GO
-- Functions: what they give, and what they are given.
--@ source: reasoned
EXECUTE AS USER = 'reader'
SELECT id, dbo.salary_of(id) AS a, dbo.salary_by_steps(id) AS b, dbo.same_number(salary) AS c FROM dbo.staff ORDER BY id
SELECT id, name, salary FROM dbo.people_of(1) ORDER BY id
SELECT id, name, salary FROM dbo.people_kept(1) ORDER BY id
SELECT s.id, g.n FROM dbo.staff AS s CROSS APPLY dbo.given_back(s.salary) AS g ORDER BY s.id
SELECT s.id, j.value FROM dbo.staff AS s CROSS APPLY OPENJSON(s.notes) AS j ORDER BY s.id
SELECT s.id, p.value FROM dbo.staff AS s CROSS APPLY STRING_SPLIT(s.email, '@') AS p ORDER BY s.id
SELECT s.id, n.c.value('.', 'varchar(10)') AS v FROM dbo.staff AS s CROSS APPLY s.x.nodes('/a') AS n (c) ORDER BY s.id
REVERT
GO
-- Sets: columns of one function keep it, others are masked by their type.
--@ source: reasoned
EXECUTE AS USER = 'reader'
SELECT email FROM dbo.staff WHERE id = 1 UNION ALL SELECT email FROM dbo.staff WHERE id = 2
SELECT name FROM dbo.staff WHERE id = 1 UNION ALL SELECT email FROM dbo.staff WHERE id = 2
SELECT salary FROM dbo.staff UNION SELECT plain FROM dbo.staff
SELECT salary FROM dbo.staff EXCEPT SELECT 100
SELECT salary FROM dbo.staff INTERSECT SELECT 100
REVERT
GO
-- Tables and variables take what is shown.
--@ source: documentation Dynamic data masking
EXECUTE AS USER = 'reader'
SELECT id, name, email, salary, salary * 2 AS twice INTO #into FROM dbo.staff
INSERT dbo.copy SELECT id, name, email, salary, notes FROM dbo.staff
DECLARE @t TABLE (email varchar(40), salary int)
INSERT @t SELECT email, salary FROM dbo.staff WHERE id = 1
INSERT dbo.told VALUES ('values', (SELECT salary FROM dbo.staff WHERE id = 2), (SELECT email FROM dbo.staff WHERE id = 2))
DECLARE @a int, @b varchar(40), @c int = (SELECT salary FROM dbo.staff WHERE id = 1), @all varchar(200) = ''
SELECT @a = salary, @b = email FROM dbo.staff WHERE id = 1
SELECT @all = @all + name FROM dbo.staff
SET @c = @c + (SELECT salary FROM dbo.staff WHERE id = 2)
SELECT @a AS a, @b AS b, @c AS c, @all AS al
PRINT @b
RAISERROR ('%s %d', 10, 1, @b, @a)
SELECT * FROM @t
REVERT
SELECT * FROM #into
SELECT * FROM dbo.copy ORDER BY id
SELECT * FROM dbo.told
SELECT name, is_masked FROM tempdb.sys.columns WHERE object_id = OBJECT_ID('tempdb..#into') ORDER BY column_id
DROP TABLE #into
GO
-- A trigger's tables.
--@ source: reasoned
DELETE dbo.told
EXECUTE AS USER = 'reader'
UPDATE dbo.staff SET plain = plain WHERE id = 2
REVERT
SELECT * FROM dbo.told
DROP TRIGGER dbo.kept
GO
-- OUTPUT, and changes that take masked values.
--@ source: reasoned
DELETE dbo.told
EXECUTE AS USER = 'reader'
UPDATE dbo.staff SET plain = plain + 1 OUTPUT deleted.salary, inserted.email, inserted.salary + 1 AS more, deleted.plain, inserted.yearly WHERE id = 1
UPDATE dbo.staff SET plain = plain OUTPUT 'output', deleted.salary, deleted.email INTO dbo.told WHERE id = 2
INSERT dbo.staff (id, name, email, salary) OUTPUT inserted.* VALUES (4, 'Dora', 'dora@x.com', 400)
UPDATE dbo.staff SET plain = salary, notes = email WHERE id = 3
DECLARE @v int
UPDATE dbo.staff SET @v = salary, plain = plain WHERE id = 3
SELECT @v AS v
DELETE dbo.staff OUTPUT deleted.id, deleted.salary, deleted.name WHERE id = 4
MERGE dbo.copy AS c USING dbo.staff AS s ON s.id = c.id WHEN MATCHED THEN UPDATE SET salary = s.salary, note = s.email WHEN NOT MATCHED THEN INSERT (id, salary) VALUES (s.id, s.salary) OUTPUT $action AS what, s.salary, inserted.note;
INSERT dbo.told SELECT 'nested', d.salary, d.email FROM (UPDATE dbo.staff SET plain = plain OUTPUT deleted.salary, deleted.email WHERE id = 1) AS d
REVERT
SELECT id, plain, notes FROM dbo.staff ORDER BY id
SELECT * FROM dbo.told ORDER BY what, s
SELECT id, salary, note FROM dbo.copy ORDER BY id
GO
-- FOR XML and FOR JSON, of a statement and inside of one.
--@ source: reasoned
EXECUTE AS USER = 'reader'
SELECT id, name, email, salary, yearly FROM dbo.staff ORDER BY id FOR JSON PATH
SELECT id, name, salary FROM dbo.staff ORDER BY id FOR XML RAW
SELECT id AS [@id], name, x FROM dbo.staff ORDER BY id FOR XML PATH('p'), ROOT('r')
SELECT b.id, b.name, s.email FROM dbo.staff AS b JOIN dbo.staff AS s ON s.boss = b.id ORDER BY s.id FOR JSON AUTO
SELECT id, (SELECT s.email, s.salary FOR JSON PATH) AS j FROM dbo.staff AS s ORDER BY id
SELECT STUFF((SELECT ',' + name FROM dbo.staff FOR XML PATH('')), 1, 1, '') AS names
SELECT CAST((SELECT salary FROM dbo.staff FOR XML PATH('')) AS nvarchar(max)) AS s
REVERT
GO
-- Cursors; counts of rows; results of a text.
--@ source: reasoned
EXECUTE AS USER = 'reader'
DECLARE c CURSOR STATIC FOR SELECT email, salary FROM dbo.staff ORDER BY id
DECLARE @e varchar(40), @s int
OPEN c
FETCH NEXT FROM c
FETCH NEXT FROM c INTO @e, @s
CLOSE c
DEALLOCATE c
SELECT @e AS e, @s AS s
DECLARE d CURSOR FOR SELECT salary, name FROM dbo.staff
OPEN d
FETCH NEXT FROM d
CLOSE d
DEALLOCATE d
SELECT TOP (SELECT salary FROM dbo.staff WHERE id = 1) n FROM (VALUES (1), (2)) AS v (n)
EXEC ('SELECT salary, email FROM dbo.staff WHERE id = 1')
EXEC sp_executesql N'SELECT @x = salary FROM dbo.staff WHERE id = 1', N'@x int OUTPUT', @s OUTPUT
SELECT @s AS s
EXEC dbo.list_people WITH RESULT SETS ((id int, called varchar(30), email varchar(50), salary bigint, more int))
REVERT
EXEC sp_describe_first_result_set N'SELECT id, email, salary + 1 AS m FROM dbo.staff'
GO
-- Rows of a keyset are found by what their keys are, and not by what is shown of them.
--@ source: reasoned
CREATE TABLE dbo.badge (number int MASKED WITH (FUNCTION = 'random(1, 9)') NOT NULL UNIQUE, holder int)
INSERT dbo.badge VALUES (4711, 1), (4712, 2)
EXECUTE AS USER = 'reader'
DECLARE k CURSOR KEYSET FOR SELECT holder FROM dbo.badge
OPEN k
FETCH NEXT FROM k
UPDATE dbo.badge SET holder = 5 WHERE CURRENT OF k
FETCH NEXT FROM k
CLOSE k
DEALLOCATE k
REVERT
SELECT holder FROM dbo.badge ORDER BY number
GO
-- Whoever has UNMASK shares the plans, and sees all.
--@ source: reasoned
GRANT UNMASK TO reader
EXECUTE AS USER = 'reader'
EXEC dbo.list_people
SELECT id, dbo.salary_of(id) AS a FROM dbo.staff ORDER BY id
REVERT
REVOKE UNMASK FROM reader
EXECUTE AS USER = 'reader'
EXEC dbo.list_people
REVERT
GO
-- From another database.
--@ source: reasoned
USE master
SELECT id, email FROM g_masks_paths.dbo.staff WHERE id = 1
DROP DATABASE g_masks_paths
GO
