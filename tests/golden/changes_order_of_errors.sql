-- A row that offends against several things: 515, then keys, then CHECK and FOREIGN KEY.
--@ source: reasoned
CREATE DATABASE ChangesOrder
GO
--@ source: reasoned
USE ChangesOrder
CREATE TABLE p (id int CONSTRAINT PK_p PRIMARY KEY)
CREATE TABLE t (id int CONSTRAINT PK_t PRIMARY KEY, u int CONSTRAINT UQ_t UNIQUE, v int CONSTRAINT CK_t CHECK (v > 0), w int NOT NULL,
    p int CONSTRAINT FK_t REFERENCES p (id))
INSERT p VALUES (1)
INSERT t VALUES (1, 1, 1, 1, 1), (2, 2, 2, 2, 1)
GO
--@ source: message 515
INSERT t VALUES (1, 1, -1, NULL, 7)
GO
--@ source: documentation logical and physical operators
INSERT t VALUES (1, 3, -1, 1, 7)
GO
--@ source: documentation logical and physical operators
INSERT t SELECT 3, 1, -1, 1, 7
GO
--@ source: message 547
INSERT t VALUES (3, 3, -1, 1, 7)
GO
--@ source: message 547
INSERT t VALUES (3, 3, 1, 1, 7)
GO
-- The first row that fails ends the statement.
--@ source: reasoned
INSERT t VALUES (3, 3, -1, 1, 1), (1, 1, 1, 1, 1)
GO
--@ source: documentation logical and physical operators
UPDATE t SET id = 2, v = -1 WHERE id = 1
GO
--@ source: documentation logical and physical operators
UPDATE t SET u = 2, v = -1 WHERE id = 1
GO
--@ source: message 547
UPDATE t SET w = 5, v = -1 WHERE id = 1
GO
--@ source: documentation logical and physical operators
MERGE t USING (VALUES (1, 2, -1)) s (id, u, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET u = s.u, v = s.v;
GO
-- A MERGE is named, whatever its action was.
--@ source: message 547
MERGE t USING (VALUES (1, -1)) s (id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
GO
--@ source: message 547
MERGE t USING (VALUES (7, -1)) s (id, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.id, s.v, 1, 1);
GO
--@ source: message 547
MERGE t USING (VALUES (7, 7)) s (id, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.id, s.v, 1, 7);
GO
-- Nothing of any of them has stayed.
--@ source: reasoned
SELECT id, u, v, w, p FROM t ORDER BY id
GO
-- Rows that are handed in, and a table variable.
--@ source: documentation logical and physical operators
INSERT t EXEC ('SELECT 1, 3, -1, 1, 7')
GO
--@ source: documentation logical and physical operators
DECLARE @t TABLE (id int PRIMARY KEY, v int CHECK (v > 0))
INSERT @t VALUES (1, 1)
BEGIN TRY
    INSERT @t VALUES (1, -1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
SELECT id, v FROM @t
GO
--@ source: documentation logical and physical operators
DECLARE @t TABLE (id int PRIMARY KEY, v int)
BEGIN TRY
    UPDATE t SET w = w + 1 OUTPUT 1, -inserted.id INTO @t
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
SELECT COUNT(*) AS kept FROM @t
SELECT id, w FROM t ORDER BY id
GO
--@ source: reasoned
SET XACT_ABORT ON
BEGIN TRAN
INSERT t VALUES (1, 3, -1, 1, 7)
GO
--@ source: reasoned
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS open_transactions
USE master
DROP DATABASE ChangesOrder
GO
