--@ source: reasoned
CREATE TABLE dbo.s (id int CONSTRAINT pk_s PRIMARY KEY, filler char(400) NOT NULL DEFAULT 'x', v int NOT NULL, INDEX iv (v));
CREATE TABLE dbo.h (id int NOT NULL, filler char(400) NOT NULL DEFAULT 'x');
INSERT dbo.s (id, v) SELECT value, value % 10 FROM GENERATE_SERIES(1, 20000);
INSERT dbo.h (id) SELECT value FROM GENERATE_SERIES(1, 20000);
GO
--@ source: documentation from-transact-sql
-- All pages, none, and a share of them. Whole pages are taken, so the bounds are wide.
SELECT COUNT(*) AS all_rows FROM dbo.s TABLESAMPLE (100 PERCENT);
SELECT COUNT(*) AS no_rows FROM dbo.s TABLESAMPLE SYSTEM (0);
SELECT IIF(COUNT(*) BETWEEN 3000 AND 7000, 'a quarter', 'no quarter') AS of_a_tree FROM dbo.s TABLESAMPLE (25 PERCENT);
SELECT IIF(COUNT(*) BETWEEN 3000 AND 7000, 'a quarter', 'no quarter') AS of_a_heap FROM dbo.h TABLESAMPLE (25 PERCENT);
SELECT IIF(COUNT(*) BETWEEN 3000 AND 7000, 'a quarter', 'no quarter') AS of_rows FROM dbo.h TABLESAMPLE (5000 ROWS);
SELECT COUNT(*) AS more_rows_than_there_are FROM dbo.h TABLESAMPLE (50000 ROWS);
SELECT IIF(COUNT(*) BETWEEN 3000 AND 7000, 'a quarter', 'no quarter') AS computed FROM dbo.s TABLESAMPLE (5 * 5.0 PERCENT) REPEATABLE (3);
GO
--@ source: documentation from-transact-sql
-- The same seed takes the same pages; another takes others.
SELECT COUNT(*) AS differing FROM (SELECT id FROM dbo.s TABLESAMPLE (30 PERCENT) REPEATABLE (205)) AS a
    FULL JOIN (SELECT id FROM dbo.s TABLESAMPLE (30 PERCENT) REPEATABLE (205)) AS b ON a.id = b.id WHERE a.id IS NULL OR b.id IS NULL;
SELECT IIF(COUNT(*) > 0, 'others', 'the same') AS seeds FROM (SELECT id FROM dbo.s TABLESAMPLE (30 PERCENT) REPEATABLE (205)) AS a
    FULL JOIN (SELECT id FROM dbo.s TABLESAMPLE (30 PERCENT) REPEATABLE (206)) AS b ON a.id = b.id WHERE a.id IS NULL OR b.id IS NULL;
GO
--@ source: reasoned
-- Whole pages: rows of a page are there all, or not at all (but for those at the ends of the first and the last one).
SELECT IIF(COUNT(*) < 400, 'pages', 'rows') AS gaps FROM (SELECT id, LAG(id) OVER (ORDER BY id) AS before FROM dbo.s TABLESAMPLE (30 PERCENT)) AS q
    WHERE id <> before + 1;
-- An index on another column serves nothing here, and conditions hold.
SELECT IIF(COUNT(*) BETWEEN 700 AND 1300, 'half a tenth', 'no') AS served, MIN(v) AS low, MAX(v) AS high
FROM dbo.s TABLESAMPLE (50 PERCENT) REPEATABLE (1) WHERE v = 3;
SELECT IIF(COUNT(*) BETWEEN 7000 AND 13000, 'half', 'no') AS ranges FROM dbo.s AS a TABLESAMPLE (50 PERCENT) WITH (SERIALIZABLE);
-- The inner side of a join has one sample, however often it is read.
SELECT COUNT(*) AS differing FROM (SELECT s.id, COUNT(*) AS n FROM (VALUES (1), (2), (3)) AS t(x)
    INNER LOOP JOIN dbo.h AS s TABLESAMPLE (20 PERCENT) ON s.id > t.x - 10 GROUP BY s.id) AS q WHERE n <> 3;
GO
--@ source: reasoned
SET SHOWPLAN_TEXT ON;
GO
--@ source: reasoned
SELECT id FROM dbo.s TABLESAMPLE (10 PERCENT) REPEATABLE (7) WHERE v = 3;
SELECT id FROM dbo.h AS a TABLESAMPLE SYSTEM (100 ROWS);
GO
--@ source: reasoned
SET SHOWPLAN_TEXT OFF;
GO
--@ source: documentation from-transact-sql
-- A sample is deleted.
SET NOCOUNT ON;
BEGIN TRANSACTION;
DELETE h FROM dbo.h AS h TABLESAMPLE (50 PERCENT);
SELECT IIF(COUNT(*) BETWEEN 7000 AND 13000, 'half', 'no') AS left_over FROM dbo.h;
ROLLBACK;
SET NOCOUNT OFF;
SELECT * INTO #t FROM dbo.s;
SELECT COUNT(*) AS temporary FROM #t TABLESAMPLE (100);
GO
--@ source: message 476
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (101 PERCENT);
GO
--@ source: message 476
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (-1);
GO
--@ source: message 477
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (1.5 ROWS);
GO
--@ source: message 477
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (1) REPEATABLE ('x');
GO
--@ source: message 479
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (0 ROWS);
GO
--@ source: message 479
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (10) REPEATABLE (0);
GO
--@ source: message 482
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (RAND());
GO
--@ source: message 497
DECLARE @p int = 10;
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (@p);
GO
--@ source: message 498
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (NULL);
GO
--@ source: message 478
CREATE VIEW dbo.sv AS SELECT id FROM dbo.s TABLESAMPLE (10 PERCENT);
GO
--@ source: message 478
CREATE FUNCTION dbo.sf () RETURNS TABLE AS RETURN SELECT id FROM dbo.s TABLESAMPLE (10 PERCENT);
GO
--@ source: message 494
WITH c AS (SELECT id FROM dbo.s) SELECT COUNT(*) FROM c TABLESAMPLE (10 PERCENT);
GO
--@ source: message 494
SELECT COUNT(*) FROM sys.objects TABLESAMPLE (10 PERCENT);
GO
--@ source: message 8622
SELECT COUNT(*) FROM dbo.s TABLESAMPLE (10 PERCENT) WITH (INDEX (iv));
GO
--@ source: reasoned
CREATE VIEW dbo.plain AS SELECT id FROM dbo.s;
GO
--@ source: message 494
SELECT COUNT(*) FROM dbo.plain TABLESAMPLE (10 PERCENT);
GO
--@ source: reasoned
DROP VIEW dbo.plain;
DROP TABLE dbo.s, dbo.h, #t;
GO
