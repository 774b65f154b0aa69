--@ source: reasoned
-- An index gives the rows in its order: TOP stops early, and locks no more than it takes.
CREATE TABLE dbo.q(id int PRIMARY KEY, v int NULL, n varchar(20) NOT NULL, w int NULL, INDEX iv(v), INDEX inn(n), INDEX ivw(v, w DESC));
INSERT dbo.q SELECT value, NULLIF(value % 100, 7), CONCAT('n', value), value % 10 FROM GENERATE_SERIES(1, 2000);
GO
--@ source: reasoned
SELECT TOP (3) id FROM dbo.q ORDER BY id;
SELECT TOP (3) id FROM dbo.q ORDER BY id DESC;
SELECT TOP (3) id, v FROM dbo.q ORDER BY v, id;
SELECT TOP (3) id, v FROM dbo.q ORDER BY v DESC, id DESC;
SELECT TOP (4) v, w FROM dbo.q WHERE v = 3 ORDER BY w DESC;
SELECT TOP (4) v, w FROM dbo.q WHERE v = 3 ORDER BY w;
SELECT id FROM dbo.q ORDER BY id OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY;
SELECT TOP (2) WITH TIES v FROM dbo.q WHERE v > 97 ORDER BY v;
SELECT TOP (2) d.id FROM (SELECT id, v + 1 AS x FROM dbo.q WHERE v = 5) AS d ORDER BY d.id DESC;
GO
--@ source: documentation table-hints
-- A queue: each worker takes one row and locks no other.
BEGIN TRANSACTION;
SELECT TOP (1) id FROM dbo.q WITH (UPDLOCK, READPAST, ROWLOCK) ORDER BY id;
SELECT COUNT(*) AS row_locks FROM sys.dm_tran_locks WHERE resource_type = 'KEY' AND request_session_id = @@SPID;
ROLLBACK;
GO
--@ source: documentation table-hints
BEGIN TRANSACTION;
SELECT TOP (1) id FROM dbo.q WITH (REPEATABLEREAD) ORDER BY id DESC;
SELECT COUNT(*) AS row_locks FROM sys.dm_tran_locks WHERE resource_type = 'KEY' AND request_session_id = @@SPID;
ROLLBACK;
GO
--@ source: documentation min-transact-sql
-- The ends of an index: one row is read, and no other is locked.
BEGIN TRANSACTION;
SELECT MIN(id) AS first_one FROM dbo.q WITH (UPDLOCK);
SELECT MAX(id) AS last_one, MIN(v) AS least, MAX(v) AS most FROM dbo.q WITH (UPDLOCK);
SELECT COUNT(*) AS row_locks FROM sys.dm_tran_locks WHERE resource_type = 'KEY' AND request_session_id = @@SPID;
ROLLBACK;
SELECT MIN(id), MAX(id), MIN(v) FROM dbo.q WHERE id < 0;
SELECT MAX(v) AS m FROM dbo.q WHERE id > 500 AND v < 40 HAVING MAX(v) > 1;
SELECT MIN(w) FROM dbo.q WHERE v = 3;
GO
--@ source: reasoned
-- Each row comes once, however often it is asked for, and NULL is not among them.
SELECT id FROM dbo.q WHERE id IN (5, 5, 3, 99999, NULL);
SELECT id FROM dbo.q WHERE id = 5 OR id BETWEEN 4 AND 6;
SELECT id FROM dbo.q WHERE id IN (7, 8) ORDER BY id DESC;
SELECT id FROM dbo.q WHERE id < 3 OR id > 1998 OR id = 1000 OR id <= 2;
SELECT COUNT(*) FROM dbo.q WHERE v IN (1, 2) OR v = 3 OR v > 97;
SELECT COUNT(*) FROM dbo.q WHERE v IS NULL OR v = 1;
SELECT COUNT(*) FROM dbo.q WHERE v IS NULL;
SELECT COUNT(*) FROM dbo.q WHERE v = 5 AND w IN (5, 4);
GO
--@ source: reasoned
DECLARE @a int = 5, @b int = 5, @c int = NULL;
SELECT id FROM dbo.q WHERE id IN (@a, @b, @c);
SELECT id FROM dbo.q WHERE id IN (@a, 5, @c, 6) AND id <> 6;
SELECT id FROM dbo.q WHERE v = @a OR id = 7 ORDER BY id OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY;
GO
--@ source: documentation data-type-precedence
-- A varchar key is found by an nvarchar value, as most drivers send text.
SELECT id FROM dbo.q WHERE n = N'n77';
SELECT id FROM dbo.q WHERE n IN (N'n77', N'N78  ', N'Ω');
SELECT id FROM dbo.q WHERE n = N'Ωn77';
SELECT id FROM dbo.q WHERE n > N'n1998' AND n < N'n2' ORDER BY id;
EXEC sp_executesql N'SELECT id FROM dbo.q WHERE n = @n', N'@n nvarchar(4000)', N'N1999';
GO
--@ source: reasoned
-- The order has a meaning under every access.
CREATE TABLE dbo.copy_of(k int IDENTITY, id int);
INSERT dbo.copy_of(id) SELECT TOP (5) id FROM dbo.q WHERE v IN (9, 8) ORDER BY id DESC;
SELECT k, id FROM dbo.copy_of ORDER BY k;
DECLARE @s varchar(100) = '';
SELECT @s = @s + ' ' + CAST(id AS varchar(10)) FROM dbo.q WHERE id IN (9, 3, 5) ORDER BY id DESC;
SELECT @s AS assigned;
DROP TABLE dbo.copy_of;
DROP TABLE dbo.q;
GO
