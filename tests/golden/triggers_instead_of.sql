-- INSTEAD OF triggers on tables: they get the rows, and the statement changes nothing by itself.
--@ source: reasoned
CREATE DATABASE TriggersInsteadOf
GO
--@ source: reasoned
USE TriggersInsteadOf
CREATE TABLE dbo.t (id int IDENTITY(5, 1) PRIMARY KEY, a int NOT NULL CHECK (a > 0), b varchar(10) DEFAULT 'none')
GO
-- The identity column is 0, defaults are there, neither NOT NULL nor CHECK is held.
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_put ON dbo.t INSTEAD OF INSERT AS
SELECT id, a, b FROM inserted
INSERT dbo.t (a, b) SELECT ABS(a), b FROM inserted WHERE a IS NOT NULL
GO
--@ source: documentation CREATE TRIGGER
INSERT dbo.t (a) VALUES (-1), (NULL), (2)
SELECT @@ROWCOUNT AS three, SCOPE_IDENTITY() AS of_the_statement
SELECT id, a, b FROM dbo.t
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_set ON dbo.t INSTEAD OF UPDATE AS
SELECT d.id, d.a AS old, i.a AS new, CASE WHEN UPDATE(a) THEN 'named' END AS a FROM inserted AS i JOIN deleted AS d ON d.id = i.id
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_cut ON dbo.t INSTEAD OF DELETE AS
UPDATE t SET b = 'gone' FROM dbo.t AS t JOIN deleted AS d ON d.id = t.id
GO
--@ source: documentation CREATE TRIGGER
UPDATE dbo.t SET a = -5 WHERE a = 2
DELETE dbo.t WHERE a = 1
SELECT id, a, b FROM dbo.t
GO
-- The UPDATE of the DELETE's trigger was replaced as well: a trigger alone passes itself by.
--@ source: documentation CREATE TRIGGER
DISABLE TRIGGER dbo.t_set ON dbo.t
DELETE dbo.t WHERE a = 1
SELECT id, a, b FROM dbo.t
GO
-- AFTER triggers are fired by what the body changes.
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.t_after ON dbo.t AFTER INSERT, UPDATE, DELETE AS
SELECT (SELECT COUNT(*) FROM inserted) AS came, (SELECT COUNT(*) FROM deleted) AS went
GO
--@ source: documentation CREATE TRIGGER
INSERT dbo.t (a) VALUES (7)
DELETE dbo.t WHERE a = 7
GO
--@ source: message 5316
MERGE dbo.t AS t USING (VALUES (1)) AS s (a) ON s.a = t.a
WHEN MATCHED THEN UPDATE SET b = 'm' WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);
GO
--@ source: documentation MERGE
ENABLE TRIGGER dbo.t_set ON dbo.t
GO
--@ source: documentation MERGE
MERGE dbo.t AS t USING (VALUES (1), (9)) AS s (a) ON s.a = t.a
WHEN MATCHED THEN UPDATE SET a = 100 WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);
SELECT id, a, b FROM dbo.t ORDER BY id
GO
--@ source: message 334
DELETE dbo.t OUTPUT deleted.id
GO
-- Foreign keys are held where the body changes rows.
--@ source: documentation CREATE TRIGGER
CREATE TABLE dbo.c (id int, t int REFERENCES dbo.t)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.c_put ON dbo.c INSTEAD OF INSERT AS INSERT dbo.c SELECT id, t FROM inserted WHERE t IN (SELECT id FROM dbo.t)
GO
--@ source: documentation CREATE TRIGGER
INSERT dbo.c VALUES (1, 5), (2, 500)
SELECT id, t FROM dbo.c
GO
--@ source: documentation CREATE TRIGGER
CREATE VIEW dbo.v AS SELECT id FROM dbo.t
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.v_put ON dbo.v INSTEAD OF INSERT AS PRINT 'x'
GO
--@ source: reasoned
USE master
DROP DATABASE TriggersInsteadOf
