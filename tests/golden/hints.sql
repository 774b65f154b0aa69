-- Hints of tables, joins and statements: what they do to the plan, and which are refused.
--@ source: reasoned
CREATE TABLE dbo.t(id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, a int NULL, b int NULL, INDEX ia (a), INDEX iab (a, b));
CREATE TABLE dbo.h(id int NULL, x int NULL);
INSERT dbo.t SELECT value, value % 5, value FROM GENERATE_SERIES(1, 100);
INSERT dbo.h SELECT value, value % 7 FROM GENERATE_SERIES(1, 20);
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: documentation Table hints (INDEX, FORCESEEK, FORCESCAN)
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (INDEX (ia)) WHERE id = 3'
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (INDEX (0)) WHERE id = 3'
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (INDEX = 1) WHERE id = 3'
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (FORCESCAN) WHERE id = 3'
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (FORCESEEK) WHERE b = 3 AND a > 2'
EXEC dbo.tree N'SELECT * FROM dbo.t WITH (FORCESEEK (iab (a, b))) WHERE b = 3 AND a = 2'
EXEC dbo.tree N'SELECT h.x FROM dbo.h JOIN dbo.t WITH (FORCESEEK) ON t.id = h.x'
EXEC dbo.tree N'UPDATE q SET b = 1 FROM dbo.t AS q WITH (INDEX (ia)) WHERE q.a = 77'
EXEC dbo.tree N'DELETE dbo.t WITH (FORCESEEK) WHERE a = 77'
GO
--@ source: documentation Query hints (LOOP JOIN, HASH JOIN, FORCE ORDER, FAST)
EXEC dbo.tree N'SELECT h.x FROM dbo.h JOIN dbo.t ON t.id = h.x'
EXEC dbo.tree N'SELECT h.x FROM dbo.h JOIN dbo.t ON t.id = h.x OPTION (LOOP JOIN)'
EXEC dbo.tree N'SELECT h.x FROM dbo.h JOIN dbo.t ON t.id = h.x OPTION (HASH JOIN)'
EXEC dbo.tree N'SELECT h.x FROM dbo.h INNER HASH JOIN dbo.t ON t.id = h.x'
EXEC dbo.tree N'SELECT h.x FROM dbo.h LEFT LOOP JOIN dbo.h AS i ON i.x = h.id'
EXEC dbo.tree N'SELECT h.x FROM dbo.h LEFT HASH JOIN dbo.t ON t.id = h.x'
EXEC dbo.tree N'SELECT h.x FROM dbo.t JOIN dbo.h ON t.id = h.x WHERE h.id = 2'
EXEC dbo.tree N'SELECT h.x FROM dbo.t JOIN dbo.h ON t.id = h.x WHERE h.id = 2 OPTION (FORCE ORDER)'
EXEC dbo.tree N'SELECT x FROM dbo.h WHERE EXISTS (SELECT 1 FROM dbo.h AS i WHERE i.x = h.id) OPTION (LOOP JOIN)'
EXEC dbo.tree N'SELECT * FROM dbo.t ORDER BY a OPTION (FAST 1)'
GO
--@ source: reasoned
-- The rows are the same, whatever the way.
SELECT COUNT(*) AS n, SUM(t.b) AS s FROM dbo.h JOIN dbo.t ON t.id = h.x OPTION (LOOP JOIN);
SELECT COUNT(*) AS n, SUM(t.b) AS s FROM dbo.h JOIN dbo.t ON t.id = h.x OPTION (HASH JOIN, FORCE ORDER);
SELECT COUNT(*) AS n, SUM(t.b) AS s FROM dbo.h INNER MERGE JOIN dbo.t WITH (INDEX (iab)) ON t.id = h.x;
SELECT COUNT(*) AS n FROM dbo.h WHERE EXISTS (SELECT 1 FROM dbo.h AS i WHERE i.x = h.id) OPTION (LOOP JOIN);
SELECT COUNT(*) AS n FROM dbo.h FULL HASH JOIN dbo.t ON t.id = h.x;
GO
--@ source: message 8625
-- Told when the plan is made: by a join's own hint, not where FORCE ORDER is asked for or OPTION has the hint.
SELECT COUNT(*) AS n FROM dbo.h AS a INNER LOOP JOIN dbo.h AS b ON b.x = a.x;
SELECT COUNT(*) AS n FROM dbo.h AS a INNER LOOP JOIN dbo.h AS b ON b.x = a.x OPTION (FORCE ORDER);
SELECT COUNT(*) AS n FROM dbo.h AS a JOIN dbo.h AS b ON b.x = a.x OPTION (LOOP JOIN);
GO
--@ source: message 308
SELECT * FROM dbo.t WITH (INDEX (nope));
GO
--@ source: message 307
SELECT * FROM t WITH (INDEX (9));
GO
--@ source: message 307
SELECT * FROM dbo.h WITH (INDEX (1));
GO
--@ source: message 8622
SELECT * FROM dbo.t WITH (FORCESEEK) WHERE b = 3;
GO
--@ source: message 8622
SELECT * FROM dbo.t WITH (FORCESEEK (iab (b))) WHERE b = 3;
GO
--@ source: message 8622
SELECT * FROM dbo.h JOIN dbo.t ON t.id > h.x OPTION (HASH JOIN);
GO
--@ source: message 8622
SELECT * FROM dbo.h FULL LOOP JOIN dbo.t ON t.id = h.x;
GO
--@ source: message 1047
PRINT 'not reached';
SELECT * FROM dbo.t WITH (NOLOCK, HOLDLOCK);
GO
--@ source: message 1047
SELECT * FROM dbo.t WITH (TABLOCK, ROWLOCK);
GO
--@ source: documentation Table hints
SELECT COUNT(*) AS n FROM dbo.t WITH (NOLOCK, READUNCOMMITTED, INDEX (ia));
SELECT COUNT(*) AS n FROM dbo.t WITH (UPDLOCK, HOLDLOCK, ROWLOCK, INDEX (ia, iab));
GO
--@ source: message 1069
UPDATE dbo.t WITH (INDEX (ia)) SET b = 1;
GO
--@ source: message 1068
SELECT * FROM dbo.t WITH (INDEX (ia), INDEX (iab));
GO
--@ source: message 1072
SELECT * FROM dbo.h LEFT REMOTE JOIN dbo.t ON t.id = h.x;
GO
--@ source: message 1042
SELECT a FROM dbo.t GROUP BY a OPTION (HASH GROUP, ORDER GROUP);
GO
--@ source: message 1042
SELECT 1 FROM dbo.h INNER HASH JOIN dbo.t ON t.id = h.x OPTION (LOOP JOIN);
GO
--@ source: message 10715
SELECT 1 OPTION (USE HINT ('NO_SUCH_HINT'));
GO
--@ source: message 102
SELECT 1 OPTION (NO_SUCH_HINT);
GO
--@ source: message 310
SELECT 1 OPTION (MAXRECURSION 32768);
GO
--@ source: documentation Query hints (MAXRECURSION)
-- In every statement that may have OPTION.
CREATE TABLE dbo.n(i int);
WITH c AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM c WHERE i < 150) INSERT dbo.n SELECT i FROM c OPTION (MAXRECURSION 200);
WITH c AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM c WHERE i < 150) UPDATE n SET i = -n.i FROM dbo.n AS n JOIN c ON c.i = n.i OPTION (MAXRECURSION 0);
WITH c AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM c WHERE i < 150) DELETE n FROM dbo.n AS n JOIN c ON -c.i = n.i OPTION (MAXRECURSION 0);
GO
--@ source: message 530
WITH c AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM c WHERE i < 150) INSERT dbo.n SELECT i FROM c OPTION (MAXRECURSION 148);
GO
--@ source: documentation Query hints
DECLARE @v int = 3;
SELECT b FROM dbo.t WHERE id = @v OPTION (RECOMPILE, MAXDOP 1, OPTIMIZE FOR (@v = 5), USE HINT ('DISABLE_PARAMETER_SNIFFING', 'query_optimizer_compatibility_level_150'), KEEPFIXED PLAN, MAX_GRANT_PERCENT = 10, QUERYTRACEON 4199);
SELECT b FROM dbo.t WHERE id = @v OPTION (OPTIMIZE FOR UNKNOWN, EXPAND VIEWS, ROBUST PLAN, NO_PERFORMANCE_SPOOL, HASH UNION, CONCAT UNION, LABEL = 'q');
GO
--@ source: message 320
DECLARE @v int = 3;
SELECT b FROM dbo.t WHERE id = @v OPTION (OPTIMIZE FOR (@v = @v));
GO
--@ source: reasoned
DROP TABLE dbo.t, dbo.h, dbo.n; DROP PROCEDURE dbo.tree;
GO
