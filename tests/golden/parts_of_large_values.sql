-- Parts of large values: read by SUBSTRING and its like, changed by .WRITE.
--@ source: documentation UPDATE (Transact-SQL)
CREATE TABLE doc (id int PRIMARY KEY, v varchar(max) NULL, n nvarchar(max) NULL, b varbinary(max) NULL, k int NULL)
INSERT doc VALUES (1, 'short', N'kurz', 0x0102030405, 0)
INSERT doc SELECT 2, REPLICATE(CAST('0123456789' AS varchar(max)), 3000), REPLICATE(CAST(N'äöü' AS nvarchar(max)), 9000), CAST(REPLICATE(CAST('ab' AS varchar(max)), 20000) AS varbinary(max)), 0
INSERT doc (id, k) VALUES (3, 0)
SELECT id, LEN(v) AS v, LEN(n) AS n, DATALENGTH(n) AS bytes, DATALENGTH(b) AS b FROM doc ORDER BY id
GO
-- Any part, at pages' ends and beyond the value's.
--@ source: documentation SUBSTRING (Transact-SQL)
SELECT id, SUBSTRING(v, 8090, 7) AS v, SUBSTRING(n, 4045, 5) AS n, SUBSTRING(b, 39999, 10) AS b, RIGHT(v, 3) AS r, LEFT(n, 2) AS l FROM doc ORDER BY id
SELECT id, SUBSTRING(v, 0, 3) AS a, SUBSTRING(v, -1, 2) AS b, SUBSTRING(v, 30000, 5) AS c, SUBSTRING(v, 30001, 5) AS d, SUBSTRING(v, NULL, 5) AS e, RIGHT(v, 0) AS f FROM doc ORDER BY id
SELECT CONVERT(varchar(4), SUBSTRING(v, 29991, 10)) AS v, DATALENGTH(SUBSTRING(n, 2, 10000)) AS n FROM doc WHERE id = 2
GO
--@ source: message 537
SELECT id, SUBSTRING(v, 5, k - 1) FROM doc WHERE id = 2
SELECT id, LEFT(v, -1) FROM doc WHERE id = 2
SELECT id, RIGHT(v, -1) FROM doc WHERE id = 2
SELECT id, LEFT(v, -1) FROM doc WHERE id = 4
GO
--@ source: documentation UPDATE (Transact-SQL)
UPDATE doc SET v.WRITE('<end>', NULL, 0) WHERE id < 3
UPDATE doc SET n.WRITE(N'ß', 0, 1), b.WRITE(0xFFEE, 3, NULL) WHERE id < 3
SELECT id, LEN(v) AS v, RIGHT(v, 8) AS r, LEFT(n, 4) AS l, DATALENGTH(n) AS n, b FROM doc WHERE id < 3 ORDER BY id
GO
-- Longer and shorter than what it replaces, in the middle; to the end; beyond it.
--@ source: documentation UPDATE (Transact-SQL)
UPDATE doc SET v.WRITE('abc', 10000, 10000) WHERE id = 2
SELECT LEN(v) AS n, SUBSTRING(v, 9998, 9) AS v FROM doc WHERE id = 2
UPDATE doc SET v.WRITE(REPLICATE(CAST('z' AS varchar(max)), 10000), 10001, 1) WHERE id = 2
SELECT LEN(v) AS n, SUBSTRING(v, 9998, 5) AS v, SUBSTRING(v, 19999, 6) AS w FROM doc WHERE id = 2
UPDATE doc SET v.WRITE('tail', 29990, 999999) WHERE id = 2
SELECT LEN(v) AS n, RIGHT(v, 8) AS v FROM doc WHERE id = 2
UPDATE doc SET v.WRITE(NULL, 8092, 3) WHERE id = 2
SELECT LEN(v) AS n, RIGHT(v, 8) AS v FROM doc WHERE id = 2
UPDATE doc SET v.WRITE('', 0, NULL) WHERE id = 2
SELECT LEN(v) AS n, v FROM doc WHERE id = 2
GO
-- Rolled back it is what it was, to a savepoint too; a failed statement changes none of its rows.
--@ source: documentation UPDATE (Transact-SQL)
UPDATE doc SET v = REPLICATE(CAST('0123456789' AS varchar(max)), 3000) WHERE id = 2
BEGIN TRAN
UPDATE doc SET v.WRITE('first', 20000, 5) WHERE id = 2
SAVE TRAN s
UPDATE doc SET v.WRITE('second', NULL, NULL) WHERE id = 2
UPDATE doc SET v.WRITE('third', 0, 15000) WHERE id = 2
SELECT LEN(v) AS n, LEFT(v, 8) AS l, RIGHT(v, 8) AS r FROM doc WHERE id = 2
ROLLBACK TRAN s
SELECT LEN(v) AS n, SUBSTRING(v, 19999, 9) AS v FROM doc WHERE id = 2
ROLLBACK
SELECT LEN(v) AS n, SUBSTRING(v, 19999, 9) AS v FROM doc WHERE id = 2
UPDATE doc SET v.WRITE('x', 29000, 0)
SELECT id, LEN(v) AS n FROM doc ORDER BY id
GO
-- With OUTPUT, other columns, variables, a join, MERGE; a check, an index that includes the column.
--@ source: documentation UPDATE (Transact-SQL)
DECLARE @o bigint = 2, @l bigint = 3, @v varchar(max) = '--'
UPDATE doc SET v.WRITE(@v, @o, @l), k = k + 1 OUTPUT LEFT(deleted.v, 8) AS was, LEFT(inserted.v, 8) AS now, inserted.k WHERE id < 3
UPDATE d SET v.WRITE(s.t, s.o, NULL), k += 10 FROM doc AS d JOIN (VALUES (1, 'one', 1), (2, 'two', 29000)) AS s (id, t, o) ON s.id = d.id
MERGE doc AS d USING (VALUES (2, '!')) AS s (id, t) ON s.id = d.id WHEN MATCHED THEN UPDATE SET v.WRITE(s.t, NULL, 0), k = 99;
SELECT id, LEN(v) AS n, RIGHT(v, 5) AS r, k FROM doc ORDER BY id
GO
--@ source: message 547
ALTER TABLE doc ADD CONSTRAINT few CHECK (LEN(v) < 30000)
UPDATE doc SET v.WRITE(REPLICATE('x', 1000), NULL, 0) WHERE id = 2
SELECT LEN(v) AS n, RIGHT(v, 3) AS r FROM doc WHERE id = 2
GO
--@ source: documentation UPDATE (Transact-SQL)
UPDATE doc SET v.WRITE(NULL, 100, NULL) WHERE id = 2
CREATE INDEX by_k ON doc (k) INCLUDE (v)
GO
--@ source: documentation UPDATE (Transact-SQL)
UPDATE doc SET v.WRITE('?', NULL, 0) WHERE id < 3
SELECT LEN(v) AS n, RIGHT(v, 3) AS r FROM doc WITH (INDEX (by_k)) WHERE k = 99
DROP TABLE doc
GO
-- A heap, a temporary table, a table variable.
--@ source: documentation UPDATE (Transact-SQL)
CREATE TABLE heap (v varchar(max))
CREATE TABLE #t (v nvarchar(max))
DECLARE @t TABLE (v varbinary(max))
INSERT heap SELECT REPLICATE(CAST('h' AS varchar(max)), 20000)
INSERT #t SELECT REPLICATE(CAST(N't' AS nvarchar(max)), 20000)
INSERT @t SELECT CAST(REPLICATE(CAST('v' AS varchar(max)), 20000) AS varbinary(max))
UPDATE heap SET v.WRITE('...', 10000, 0)
UPDATE #t SET v.WRITE(N'...', 10000, 0)
UPDATE @t SET v.WRITE(0x2E2E2E, 10000, 0)
SELECT LEN(v) AS n, SUBSTRING(v, 10000, 5) AS v FROM heap
SELECT LEN(v) AS n, SUBSTRING(v, 10000, 5) AS v FROM #t
SELECT LEN(v) AS n, SUBSTRING(v, 10000, 5) AS v FROM @t
GO
-- Through a query.
--@ source: documentation UPDATE (Transact-SQL)
WITH seen AS (SELECT v AS w FROM heap) UPDATE seen SET w.WRITE('end', NULL, NULL)
SELECT RIGHT(v, 4) AS w, DATALENGTH(v) AS n FROM heap
DROP TABLE heap
GO
-- What cannot be.
--@ source: message 5302
CREATE TABLE bad (id int, v varchar(max), s varchar(50), t text)
INSERT bad VALUES (1, NULL, 's', 't'), (2, 'two', 's', 't')
UPDATE bad SET v.WRITE('x', 0, 0) WHERE id = 1
GO
--@ source: message 7116
UPDATE bad SET v.WRITE('x', 4, 0) WHERE id = 2
GO
--@ source: message 7116
UPDATE bad SET v.WRITE('x', -1, 0) WHERE id = 2
GO
--@ source: message 7135
UPDATE bad SET v.WRITE('x', 1, -1) WHERE id = 2
GO
--@ source: message 258
UPDATE bad SET s.WRITE('x', 0, 0)
GO
--@ source: message 258
UPDATE bad SET t.WRITE('x', 0, 0)
GO
--@ source: message 264
UPDATE bad SET v.WRITE('x', 0, 0), v = 'y'
GO
--@ source: message 207
UPDATE bad SET z.WRITE('x', 0, 0)
GO
--@ source: documentation UPDATE (Transact-SQL)
UPDATE bad SET v.WRITE('x', 3, 0) WHERE id = 2
SELECT v FROM bad WHERE id = 2
DROP TABLE bad
GO
