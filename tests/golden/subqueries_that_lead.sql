-- column IN (SELECT …): few values lead to the rows of a table by its index; an index of the list's table tells of few rows.
--@ source: reasoned
CREATE TABLE dbo.big(id int NOT NULL CONSTRAINT pk_big PRIMARY KEY, k int NOT NULL, v int NULL, t varchar(20) NULL, INDEX ix_k (k));
CREATE TABLE dbo.few(id int NOT NULL CONSTRAINT pk_few PRIMARY KEY, b int NULL, n nvarchar(20) NULL);
CREATE TABLE dbo.q(id int NOT NULL CONSTRAINT pk_q PRIMARY KEY, done bit NOT NULL);
INSERT dbo.big SELECT value, value / 10, value % 7, CONCAT('t', value) FROM GENERATE_SERIES(1, 5000);
INSERT dbo.few VALUES (1, 10, N't10'), (2, 20, N't20 '), (3, 20, N'T20'), (4, NULL, NULL), (5, 9999, N'none');
INSERT dbo.q SELECT value, 0 FROM GENERATE_SERIES(1, 12);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.shown @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: reasoned
-- Few values lead; each row once, whatever the list has twice, and NULL leads nowhere.
EXEC dbo.shown N'SELECT id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few)'
SELECT id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few) ORDER BY id
EXEC dbo.shown N'SELECT COUNT(*) FROM dbo.big WHERE k IN (SELECT b FROM dbo.few WHERE id < 4) AND v < 3'
SELECT COUNT(*) AS n FROM dbo.big WHERE k IN (SELECT b FROM dbo.few WHERE id < 4) AND v < 3
SELECT id FROM dbo.big WHERE id IN (SELECT TOP (2) id FROM dbo.q WHERE done = 0 ORDER BY id DESC) ORDER BY id
SELECT id FROM dbo.big WHERE id IN (SELECT 7 UNION ALL SELECT 7 UNION ALL SELECT 8) ORDER BY id
GO
--@ source: reasoned
-- Changes find their rows the same way.
EXEC dbo.shown N'UPDATE dbo.q SET done = 1 WHERE id IN (SELECT TOP (2) id FROM dbo.q WHERE done = 0 ORDER BY id)'
UPDATE dbo.q SET done = 1 WHERE id IN (SELECT TOP (2) id FROM dbo.q WHERE done = 0 ORDER BY id)
SELECT id FROM dbo.q WHERE done = 1
DELETE dbo.q OUTPUT deleted.id WHERE id IN (SELECT id + 3 FROM dbo.few WHERE id < 3)
DELETE dbo.q OUTPUT deleted.id WHERE id IN (SELECT x.v FROM (VALUES (4), (4), (6)) AS x(v))
BEGIN TRANSACTION
UPDATE dbo.q SET done = 1 WHERE id IN (SELECT id FROM dbo.few WHERE id = 3)
SELECT COUNT(*) AS locked FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY' AND request_mode IN ('X', 'U')
ROLLBACK
GO
--@ source: reasoned
-- Many values do not lead, nor does what may fail for a row that the list keeps out, nor a list in a statement that sets variables.
EXEC dbo.shown N'SELECT id FROM dbo.few WHERE id IN (SELECT k FROM dbo.big)'
SELECT id FROM dbo.few WHERE id IN (SELECT k FROM dbo.big)
SELECT id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few WHERE id = 1) AND 1000 / (v - 3) > 0
SELECT id FROM dbo.few WHERE b IN (SELECT id FROM dbo.big WHERE id < 15) AND 1 / (id - 4) = 0
EXEC dbo.shown N'DECLARE @n int = 0; SELECT @n = @n + id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few WHERE id > @n)'
EXEC dbo.shown N'SELECT id FROM dbo.big WITH (FORCESCAN) WHERE id IN (SELECT b FROM dbo.few)'
SELECT id FROM dbo.big WITH (FORCESEEK) WHERE id IN (SELECT b FROM dbo.few WHERE id < 3) ORDER BY id
EXEC dbo.shown N'SELECT id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few) OPTION (HASH JOIN)'
EXEC dbo.shown N'SELECT id FROM dbo.big WHERE id IN (SELECT b FROM dbo.few) OPTION (LOOP JOIN)'
GO
--@ source: reasoned
-- One row asks a large list by its index.
EXEC dbo.shown N'SELECT id FROM dbo.few WHERE id = 2 AND b IN (SELECT id FROM dbo.big)'
SELECT id FROM dbo.few WHERE id = 2 AND b IN (SELECT id FROM dbo.big)
SELECT id FROM dbo.few WHERE id = 5 AND b IN (SELECT id FROM dbo.big)
SELECT id FROM dbo.few WHERE id = 4 AND b IN (SELECT id FROM dbo.big)
GO
--@ source: reasoned
-- Text is equal under the collation of the comparison, blanks at its end or not.
CREATE INDEX ix_t ON dbo.big(t)
EXEC dbo.shown N'SELECT id FROM dbo.big WHERE t IN (SELECT n FROM dbo.few)'
SELECT id, t FROM dbo.big WHERE t IN (SELECT n FROM dbo.few) ORDER BY id
SELECT id, t FROM dbo.big WHERE t IN (SELECT n COLLATE Latin1_General_BIN2 FROM dbo.few) ORDER BY id
GO
--@ source: reasoned
-- A list in what runs for each outer row is found once.
EXEC dbo.shown N'SELECT f.id, (SELECT COUNT(*) FROM dbo.big AS b WHERE b.k < f.id AND b.id IN (SELECT b FROM dbo.few)) FROM dbo.few AS f'
SELECT f.id, (SELECT COUNT(*) FROM dbo.big AS b WHERE b.k < f.id AND b.id IN (SELECT b FROM dbo.few)) AS n FROM dbo.few AS f
EXEC dbo.shown N'SELECT f.id, d.n FROM dbo.few AS f CROSS APPLY (SELECT b.id AS n FROM dbo.big AS b WHERE b.k < f.id AND b.id IN (SELECT b FROM dbo.few)) AS d'
EXEC dbo.shown N'SELECT f.id, d.n FROM dbo.few AS f OUTER APPLY (SELECT b.id AS n FROM dbo.big AS b WHERE b.k < f.id AND b.id NOT IN (SELECT b FROM dbo.few)) AS d'
SELECT f.id, d.n FROM dbo.few AS f CROSS APPLY (SELECT COUNT(*) AS n FROM dbo.big AS b WHERE b.k < f.id AND b.id IN (SELECT b FROM dbo.few)) AS d ORDER BY f.id
SELECT f.id, COUNT(d.n) AS n FROM dbo.few AS f OUTER APPLY (SELECT b.id AS n FROM dbo.big AS b WHERE b.k < f.id AND b.id NOT IN (SELECT b FROM dbo.few WHERE b IS NOT NULL)) AS d GROUP BY f.id ORDER BY f.id
GO
--@ source: reasoned
DROP PROCEDURE dbo.shown
DROP TABLE dbo.big, dbo.few, dbo.q
GO
