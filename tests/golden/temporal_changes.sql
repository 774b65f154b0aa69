-- Tables that keep their history: what INSERT, UPDATE, DELETE and MERGE leave in it, and what is refused.
--@ source: reasoned
CREATE DATABASE Kept
GO
-- Hidden columns of the period: a star and an INSERT without a list pass them by.
--@ source: documentation Create a system-versioned temporal table
USE Kept
CREATE TABLE dbo.d (id int NOT NULL CONSTRAINT d_pk PRIMARY KEY, a varchar(10) NULL, s datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL,
    e datetime2 GENERATED ALWAYS AS ROW END HIDDEN, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.d_old))
INSERT dbo.d VALUES (1, 'one'), (2, 'two'), (3, 'three')
INSERT dbo.d (a, id) VALUES ('four', 4)
INSERT dbo.d (id, a, s, e) VALUES (5, 'five', DEFAULT, DEFAULT)
INSERT dbo.d SELECT 6, 'six'
SELECT * FROM dbo.d ORDER BY id
SELECT e, COUNT(*) AS n FROM dbo.d WHERE s BETWEEN DATEADD(minute, -10, SYSUTCDATETIME()) AND SYSUTCDATETIME() GROUP BY e
SELECT COUNT(*) AS n FROM dbo.d_old
GO
-- The old row ends where the new one begins; what has gone ends, too.
--@ source: documentation Temporal tables
UPDATE dbo.d SET a = UPPER(a) WHERE id < 3
DELETE dbo.d WHERE id = 3
UPDATE dbo.d SET a = a WHERE id = 4
UPDATE dbo.d SET a = 'none' WHERE id = 99
SELECT id, a, IIF(s < e, 'yes', 'no') AS ordered FROM dbo.d_old ORDER BY id
SELECT n.id, o.a AS was, n.a, IIF(o.e = n.s, 'yes', 'no') AS meets FROM dbo.d AS n JOIN dbo.d_old AS o ON o.id = n.id ORDER BY n.id
SELECT * FROM dbo.d FOR SYSTEM_TIME ALL ORDER BY id, a COLLATE Latin1_General_BIN
GO
-- One transaction has one moment: what it has made and changed was never valid, and is in the table of history alone.
--@ source: documentation Temporal tables
BEGIN TRAN
INSERT dbo.d VALUES (7, 'a')
WAITFOR DELAY '00:00:00.020'
UPDATE dbo.d SET a = 'b' WHERE id = 7
UPDATE dbo.d SET a = 'c' WHERE id = 7
UPDATE dbo.d SET a = 'one' WHERE id = 1
COMMIT
SELECT a, IIF(s = e, 'yes', 'no') AS empty FROM dbo.d_old WHERE id = 7 ORDER BY a
SELECT id, a FROM dbo.d FOR SYSTEM_TIME ALL WHERE id = 7
SELECT COUNT(DISTINCT s) AS moments FROM dbo.d WHERE id IN (1, 7)
GO
-- A rollback takes the history back; so does one to a savepoint, and a statement that fails.
--@ source: reasoned
BEGIN TRAN
UPDATE dbo.d SET a = 'x'
SAVE TRAN here
DELETE dbo.d WHERE id < 4
ROLLBACK TRAN here
SELECT COUNT(*) AS n FROM dbo.d_old WHERE a IN ('one', 'TWO') AND id < 3
ROLLBACK
SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM dbo.d_old) AS old FROM dbo.d
GO
--@ source: message 2627
UPDATE dbo.d SET id = 6 WHERE id IN (1, 2)
GO
--@ source: reasoned
SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM dbo.d_old) AS old FROM dbo.d
GO
-- MERGE, keys that change, OUTPUT and triggers.
--@ source: documentation Modify data in a system-versioned temporal table
CREATE TABLE dbo.noted (what varchar(10), id int, a varchar(10), open_end bit)
GO
--@ source: reasoned
CREATE TRIGGER dbo.d_after ON dbo.d AFTER UPDATE, DELETE AS INSERT dbo.noted SELECT 'deleted', id, a, IIF(e > '9999', 1, 0) FROM deleted
INSERT dbo.noted SELECT 'inserted', id, a, IIF(e > '9999', 1, 0) FROM inserted
GO
--@ source: documentation Modify data in a system-versioned temporal table
DECLARE @o TABLE (act nvarchar(10), id int, a varchar(10), id_was int, a_was varchar(10))
MERGE dbo.d AS t USING (VALUES (1, 'ein'), (2, NULL), (8, 'acht')) AS v (id, a) ON t.id = v.id
WHEN MATCHED AND v.a IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET a = v.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (v.id, v.a)
OUTPUT $action, inserted.*, deleted.* INTO @o;
SELECT * FROM @o ORDER BY act
SELECT * FROM dbo.noted ORDER BY what, id
UPDATE dbo.d SET id = id + 100 WHERE id = 8
SELECT id, a FROM dbo.d_old WHERE id IN (1, 2, 8) ORDER BY id, s
GO
-- Foreign keys take rows along, which leave their history.
--@ source: documentation Temporal tables
CREATE TABLE dbo.c (id int IDENTITY PRIMARY KEY, d int NOT NULL REFERENCES dbo.d ON DELETE CASCADE ON UPDATE CASCADE, n AS d * 2, t nvarchar(max) NULL,
    s datetime2(3) GENERATED ALWAYS AS ROW START NOT NULL, e datetime2(3) GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (s, e))
    WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.c_old))
INSERT dbo.c VALUES (4, REPLICATE(CAST(N'x' AS nvarchar(max)), 9000), DEFAULT, DEFAULT), (5, N'y', DEFAULT, DEFAULT)
UPDATE dbo.d SET id = 44 WHERE id = 4
DELETE dbo.d WHERE id = 44
SELECT id, d, n, LEN(t) AS length FROM dbo.c_old ORDER BY d
SELECT id, d, n, e FROM dbo.c
SELECT id, d, n FROM dbo.c FOR SYSTEM_TIME ALL WHERE id = 2
GO
--@ source: message 13536
INSERT dbo.c (d, s) VALUES (5, '2020-01-01')
GO
--@ source: message 213
INSERT dbo.c VALUES (5, N'z')
GO
--@ source: message 13536
INSERT dbo.c SELECT 5, N'z', SYSUTCDATETIME(), SYSUTCDATETIME()
GO
--@ source: message 13537
UPDATE dbo.c SET s = '2020-01-01'
GO
--@ source: message 13537
MERGE dbo.c AS t USING (VALUES (2)) AS v (id) ON t.id = v.id WHEN MATCHED THEN UPDATE SET e = DEFAULT;
GO
--@ source: message 13559
INSERT dbo.c_old SELECT id, d, n, t, s, e FROM dbo.c
GO
--@ source: message 13560
DELETE dbo.c_old
GO
--@ source: message 13561
UPDATE dbo.c_old SET d = 1
GO
--@ source: message 13562
MERGE dbo.c_old AS t USING (VALUES (2)) AS v (id) ON t.id = v.id WHEN MATCHED THEN DELETE;
GO
--@ source: message 13559
DELETE dbo.noted OUTPUT deleted.id, 1, 2, N'', GETDATE(), GETDATE() INTO dbo.c_old
GO
--@ source: message 13545
TRUNCATE TABLE dbo.c
GO
--@ source: message 13545
TRUNCATE TABLE dbo.c_old
GO
--@ source: message 13552
DROP TABLE dbo.c
GO
--@ source: message 13552
DROP TABLE dbo.c_old
GO
--@ source: message 13569
CREATE TRIGGER dbo.instead ON dbo.c INSTEAD OF DELETE AS RETURN
GO
--@ source: message 13569
CREATE TRIGGER dbo.after ON dbo.c_old AFTER INSERT AS RETURN
GO
-- Without versioning the period goes on, and rows that change leave nothing.
--@ source: documentation Stop system-versioning on a system-versioned temporal table
ALTER TABLE dbo.c SET (SYSTEM_VERSIONING = OFF)
GO
--@ source: documentation Stop system-versioning on a system-versioned temporal table
DECLARE @before datetime2(3) = (SELECT s FROM dbo.c), @old int = (SELECT COUNT(*) FROM dbo.c_old)
WAITFOR DELAY '00:00:00.010'
UPDATE dbo.c SET t = N'later'
SELECT IIF(s > @before, 'yes', 'no') AS moved, e, (SELECT COUNT(*) FROM dbo.c_old) - @old AS came FROM dbo.c
DELETE dbo.c_old
TRUNCATE TABLE dbo.c
ALTER TABLE dbo.c DROP PERIOD FOR SYSTEM_TIME
GO
--@ source: documentation Stop system-versioning on a system-versioned temporal table
INSERT dbo.c VALUES (5, N'plain', '2020-01-01', '2020-01-02')
SELECT d, s, e FROM dbo.c
DROP TABLE dbo.c, dbo.c_old
GO
--@ source: reasoned
USE master
DROP DATABASE Kept
GO
