-- TABLE HINT in OPTION: hints of a table at the end of the statement, in place of those behind its name.
--@ source: reasoned
CREATE TABLE dbo.t(id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, a int NULL, b int NULL, INDEX ia (a), INDEX iab (a, b));
CREATE TABLE dbo.h(id int NULL, x int NULL);
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT t.id, t.b FROM dbo.t;
GO
--@ source: reasoned
CREATE PROCEDURE dbo.tree @batch nvarchar(max) AS
SELECT value AS tree FROM taffrail.plan_of(@batch) AS p CROSS APPLY STRING_SPLIT(p.physical, NCHAR(10), 1) AS s ORDER BY p.statement, s.ordinal
GO
--@ source: documentation Query hints (TABLE HINT)
EXEC dbo.tree N'SELECT b FROM dbo.t WHERE id = 3 OPTION (TABLE HINT (dbo.t, INDEX (ia)))'
EXEC dbo.tree N'SELECT b FROM dbo.t AS q WITH (INDEX (ia)) WHERE id = 3 OPTION (TABLE HINT (q))'
EXEC dbo.tree N'SELECT b FROM dbo.t AS q WITH (NOLOCK, INDEX (ia)) WHERE id = 3 OPTION (TABLE HINT (q, FORCESCAN NOLOCK))'
EXEC dbo.tree N'SELECT t.b FROM dbo.h JOIN dbo.t ON t.id = h.x WHERE t.a > 2 OPTION (MERGE JOIN, TABLE HINT (dbo.t, INDEX (ia)), TABLE HINT (dbo.h, FORCESCAN))'
EXEC dbo.tree N'UPDATE q SET b = 1 FROM dbo.t AS q WHERE q.a = 77 OPTION (TABLE HINT (q, INDEX (ia)))'
EXEC dbo.tree N'DELETE dbo.t WHERE a = 77 AND b = 1 OPTION (TABLE HINT (dbo.t, FORCESEEK))'
EXEC dbo.tree N'SELECT (SELECT MAX(i.b) FROM dbo.t AS i WHERE i.a = h.x) AS m FROM dbo.h OPTION (TABLE HINT (i, INDEX (ia)))'
GO
--@ source: message 8722
SELECT b FROM dbo.t AS q WITH (NOLOCK) WHERE id = 3 OPTION (TABLE HINT (q, INDEX (ia)));
GO
--@ source: message 8722
SELECT b FROM dbo.t WHERE id = 3 OPTION (TABLE HINT (dbo.t, TABLOCK));
GO
--@ source: message 8723
SELECT b FROM dbo.t AS q WHERE id = 3 OPTION (TABLE HINT (dbo.t, INDEX (ia)));
GO
--@ source: message 8723
SELECT b FROM dbo.t WHERE id = 3 OPTION (TABLE HINT (t, INDEX (ia)));
GO
--@ source: message 308
SELECT b FROM dbo.t WHERE id = 3 OPTION (TABLE HINT (dbo.t, INDEX (nope)));
GO
--@ source: message 1047
SELECT b FROM dbo.t WITH (NOLOCK) WHERE id = 3 OPTION (TABLE HINT (dbo.t, NOLOCK, HOLDLOCK));
GO
--@ source: message 1069
UPDATE dbo.t SET b = 1 WHERE a = 77 OPTION (TABLE HINT (dbo.t, INDEX (ia)));
GO
--@ source: message 8723
-- The tables of a view are not the statement's.
SELECT b FROM dbo.v WHERE id = 3 OPTION (TABLE HINT (dbo.t, INDEX (ia)));
GO
--@ source: message 321
SELECT b FROM dbo.t WHERE id = 3 OPTION (TABLE HINT (dbo.t, NO_SUCH_HINT));
GO
--@ source: reasoned
DROP VIEW dbo.v; DROP TABLE dbo.t, dbo.h; DROP PROCEDURE dbo.tree;
GO
