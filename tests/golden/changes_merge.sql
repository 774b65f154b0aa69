-- MERGE: the clauses and their order, OUTPUT, what is wrong.
--@ source: reasoned
CREATE DATABASE ChangesMerge
GO
--@ source: documentation MERGE
USE ChangesMerge
CREATE TABLE UnitMeasure (UnitMeasureCode nchar(3) NOT NULL PRIMARY KEY, Name nvarchar(50), ModifiedDate date DEFAULT '20200101')
DECLARE @MyTempTable TABLE (ExistingCode nchar(3), ExistingName nvarchar(50), ActionTaken nvarchar(10), NewCode nchar(3), NewName nvarchar(50))
MERGE UnitMeasure AS tgt USING (SELECT 'ABC', 'New Test Value') AS src (UnitMeasureCode, Name) ON tgt.UnitMeasureCode = src.UnitMeasureCode
WHEN MATCHED THEN UPDATE SET Name = src.Name
WHEN NOT MATCHED THEN INSERT (UnitMeasureCode, Name) VALUES (src.UnitMeasureCode, src.Name)
OUTPUT deleted.UnitMeasureCode, deleted.Name, $action, inserted.UnitMeasureCode, inserted.Name INTO @MyTempTable;
MERGE UnitMeasure AS tgt USING (SELECT 'ABC', 'Another Test Value') AS src (UnitMeasureCode, Name) ON tgt.UnitMeasureCode = src.UnitMeasureCode
WHEN MATCHED THEN UPDATE SET Name = src.Name
WHEN NOT MATCHED THEN INSERT (UnitMeasureCode, Name) VALUES (src.UnitMeasureCode, src.Name)
OUTPUT deleted.UnitMeasureCode, deleted.Name, $action, inserted.UnitMeasureCode, inserted.Name INTO @MyTempTable;
SELECT ExistingCode, ExistingName, ActionTaken, NewCode, NewName FROM @MyTempTable
SELECT UnitMeasureCode, Name, ModifiedDate FROM UnitMeasure
GO
--@ source: documentation MERGE
CREATE TABLE inv (id int CONSTRAINT pk_inv PRIMARY KEY, q int NOT NULL)
INSERT inv VALUES (1, 10), (2, 20), (3, 30), (4, 40)
MERGE inv AS t USING (VALUES (1, 10), (2, 5)) AS s (id, sold) ON t.id = s.id
WHEN MATCHED AND t.q - s.sold <= 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET t.q = t.q - s.sold
OUTPUT $action AS what, inserted.id, inserted.q, deleted.id AS was_id, deleted.q AS was;
SELECT @@ROWCOUNT AS n
SELECT id, q FROM inv ORDER BY id
GO
--@ source: documentation MERGE
DECLARE @SummaryOfChanges TABLE (Change varchar(20))
MERGE INTO inv AS t USING (VALUES (2, 0), (7, 70), (8, 80)) AS s (id, q) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET q = s.q
WHEN NOT MATCHED BY TARGET THEN INSERT (id, q) VALUES (s.id, s.q)
WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET q = -1
OUTPUT $action INTO @SummaryOfChanges;
SELECT @@ROWCOUNT AS n
SELECT Change, COUNT(*) AS CountPerChange FROM @SummaryOfChanges GROUP BY Change ORDER BY Change
SELECT id, q FROM inv ORDER BY id
GO
-- A condition of ON that does not hold makes the row unmatched on both sides.
--@ source: documentation MERGE
CREATE TABLE m (a int, b int)
INSERT m VALUES (1, 1), (2, 2), (NULL, 3)
MERGE m AS t USING (VALUES (1), (2), (NULL)) AS s (a) ON t.a = s.a AND t.b > 1
WHEN NOT MATCHED THEN INSERT VALUES (s.a, 100)
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET b = b + 50
WHEN MATCHED THEN UPDATE SET b = 0;
SELECT a, b FROM m ORDER BY a, b
GO
--@ source: reasoned
TRUNCATE TABLE m
MERGE m USING (SELECT 1 AS k WHERE 1 = 0) AS s ON m.a = s.k WHEN NOT MATCHED THEN INSERT VALUES (1, 1);
SELECT @@ROWCOUNT AS n, @@ERROR AS e
MERGE m USING (SELECT 1 AS k UNION ALL SELECT 1) AS s ON m.a = s.k WHEN NOT MATCHED THEN INSERT VALUES (k, DEFAULT) OUTPUT inserted.*, $action;
SELECT @@ROWCOUNT AS n
GO
--@ source: documentation MERGE
MERGE m USING (SELECT 9 AS k) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (a) VALUES (k);
MERGE m USING (SELECT 9 AS k) AS s ON m.a = k WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
MERGE TOP (1) m USING (SELECT 1 AS k) AS s ON m.a = k WHEN MATCHED THEN DELETE;
SELECT @@ROWCOUNT AS n
SELECT a, b FROM m ORDER BY a, b
GO
--@ source: documentation MERGE
MERGE m USING (SELECT 9 AS k) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
SELECT COUNT(*) AS n FROM m WHERE a IS NULL AND b IS NULL
GO
--@ source: message 10713
MERGE m USING (SELECT 9 AS k) AS s ON m.a = k WHEN MATCHED THEN DELETE
GO
--@ source: message 8672
INSERT m VALUES (5, 1)
MERGE m USING (VALUES (5, 1), (5, 2)) AS s (a, b) ON m.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;
GO
--@ source: message 8672
SELECT b FROM m WHERE a = 5
MERGE m USING (VALUES (5, 1), (5, 2)) AS s (a, b) ON m.a = s.a WHEN MATCHED AND s.b = 2 THEN UPDATE SET b = s.b;
SELECT b FROM m WHERE a = 5
GO
-- One source row for several of the target is no mistake, nor …
--@ source: documentation MERGE
INSERT m VALUES (5, 3)
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN MATCHED THEN UPDATE SET b += 10;
SELECT b FROM m WHERE a = 5 ORDER BY b
GO
--@ source: message 10711
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN MATCHED THEN INSERT VALUES (1, 1);
GO
--@ source: message 10710
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN UPDATE SET b = 1;
GO
--@ source: message 10711
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED BY SOURCE THEN INSERT VALUES (1, 1);
GO
--@ source: message 10714
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (1, 1) WHEN NOT MATCHED THEN INSERT VALUES (2, 2);
GO
--@ source: message 10714
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN MATCHED AND b = 1 THEN DELETE WHEN MATCHED THEN DELETE;
GO
--@ source: message 5324
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN MATCHED THEN DELETE WHEN MATCHED AND b = 1 THEN UPDATE SET b = 2;
GO
--@ source: message 207
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.nowhere WHEN MATCHED THEN DELETE;
GO
--@ source: message 209
MERGE m USING (SELECT 5 AS a) AS s ON a = 1 WHEN MATCHED THEN DELETE;
GO
--@ source: message 213
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (1);
GO
--@ source: message 109
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1);
GO
--@ source: message 110
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2);
GO
--@ source: message 102
MERGE m USING (SELECT 5 AS a) AS s WHEN MATCHED THEN DELETE;
GO
--@ source: message 102
MERGE m USING (SELECT 5 AS a) AS s ON m.a = s.a;
GO
--@ source: message 208
MERGE nowhere USING (SELECT 5 AS a) AS s ON nowhere.a = s.a WHEN MATCHED THEN DELETE;
GO
-- Mistakes of values undo it whole.
--@ source: message 2627
MERGE inv AS t USING (VALUES (2, 1), (50, 5), (50, 6)) AS s (id, q) ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = 1000 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.q);
SELECT @@ROWCOUNT AS n, @@ERROR AS e, (SELECT COUNT(*) FROM inv WHERE q = 1000) AS stays
GO
--@ source: message 515
MERGE inv AS t USING (VALUES (2, NULL)) AS s (id, q) ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = s.q;
GO
--@ source: reasoned
MERGE inv AS t USING (VALUES (2, 0), (4, 5)) AS s (id, q) ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = 100 / s.q;
SELECT @@ROWCOUNT AS n, @@ERROR AS e
GO
-- Keys that are moved, deleted and taken again in one statement.
--@ source: reasoned
TRUNCATE TABLE inv
INSERT inv VALUES (1, 1), (2, 2), (3, 3)
MERGE inv AS t USING (VALUES (1, 2), (2, 1)) AS s (id, new) ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.new WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT id, q FROM inv ORDER BY id
GO
--@ source: documentation MERGE
CREATE TABLE idn (i int IDENTITY(5, 5), a varchar(10) DEFAULT 'dflt')
MERGE idn AS t USING (VALUES ('x', 1), ('y', 2)) AS s (a, k) ON 1 = 0 WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a) OUTPUT inserted.i, s.k;
SELECT SCOPE_IDENTITY() AS i, @@IDENTITY AS i2
MERGE idn AS t USING (SELECT 1 AS one) AS s ON 1 = 0 WHEN NOT MATCHED THEN INSERT VALUES (DEFAULT) OUTPUT inserted.*;
GO
--@ source: documentation MERGE
WITH src AS (SELECT 5 AS i, 'five' AS a)
MERGE INTO idn USING src ON src.i = idn.i WHEN MATCHED THEN UPDATE SET a = src.a OUTPUT $action, deleted.a, inserted.a;
GO
--@ source: documentation MERGE
DECLARE @t TABLE (id int PRIMARY KEY, v varchar(5)), @what nvarchar(10)
INSERT @t VALUES (1, 'a'), (2, 'b')
MERGE @t AS t USING (VALUES (2, 'B'), (3, 'C')) AS s (id, v) ON s.id = t.id
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v) WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT @@ROWCOUNT AS n, ROWCOUNT_BIG() AS big
SELECT id, v FROM @t ORDER BY id
GO
--@ source: documentation MERGE
DECLARE @id int = 77, @q int = 5
MERGE inv WITH (HOLDLOCK) AS t USING (SELECT @id AS id, @q AS q) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = t.q + s.q WHEN NOT MATCHED THEN INSERT (id, q) VALUES (id, q) OUTPUT $action, inserted.q;
MERGE inv WITH (HOLDLOCK) AS t USING (SELECT @id AS id, @q AS q) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = t.q + s.q WHEN NOT MATCHED THEN INSERT (id, q) VALUES (id, q) OUTPUT $action, inserted.q;
GO
--@ source: reasoned
MERGE inv AS t USING inv AS s ON t.id = s.id + 1 WHEN MATCHED THEN UPDATE SET q = s.q WHEN NOT MATCHED THEN INSERT VALUES (s.id + 1, s.q);
SELECT @@ROWCOUNT AS n
SELECT id, q FROM inv ORDER BY id
GO
--@ source: reasoned
CREATE TABLE other (k int, w int)
INSERT other VALUES (1, 11), (2, 22)
MERGE inv AS t USING inv AS i JOIN other AS o ON o.k = i.id ON t.id = i.id WHEN MATCHED THEN UPDATE SET q = o.w;
SELECT id, q FROM inv WHERE id < 3 ORDER BY id
GO
--@ source: reasoned
CREATE TABLE sides (a int, b int)
GO
--@ source: message 5334
MERGE sides AS m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED BY SOURCE AND s.a = 1 THEN DELETE;
GO
--@ source: message 5333
MERGE sides AS m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED AND m.b = 1 THEN INSERT VALUES (1, 1);
GO
--@ source: message 5333
MERGE sides AS m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED AND b = 1 THEN INSERT VALUES (1, 1);
GO
--@ source: message 4104
MERGE sides AS m USING (SELECT 5 AS a) AS s ON m.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (m.a, 1);
GO
--@ source: reasoned
DROP TABLE sides
GO
--@ source: reasoned
USE master
DROP DATABASE ChangesMerge
GO
