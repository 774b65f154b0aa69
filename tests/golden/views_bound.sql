-- Views WITH SCHEMABINDING: what they may name, and what they keep as it is.
--@ source: reasoned
CREATE TABLE dbo.base (id int NOT NULL PRIMARY KEY, a int NULL, b varchar(10) NULL, c float NULL)
INSERT dbo.base VALUES (1, 10, 'x', 1), (2, 20, 'y', 2)
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.bound WITH SCHEMABINDING AS SELECT id, a FROM dbo.base WHERE a > 5
GO
--@ source: documentation CREATE VIEW
SELECT * FROM dbo.bound ORDER BY id
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.bound'), 'IsSchemaBound') AS bound, OBJECTPROPERTY(OBJECT_ID('dbo.bound'), 'IsDeterministic') AS deterministic,
    OBJECTPROPERTYEX(OBJECT_ID('dbo.bound'), 'IsPrecise') AS precise
SELECT is_schema_bound FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.bound')
UPDATE dbo.bound SET a = 11 WHERE id = 1
GO
--@ source: message 4512
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM base
GO
--@ source: message 1054
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT * FROM dbo.base
GO
--@ source: message 208
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.nothing
GO
--@ source: message 2720
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT name FROM sys.objects
GO
--@ source: reasoned
CREATE VIEW dbo.loose AS SELECT id FROM dbo.base
GO
--@ source: message 4513
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.loose
GO
--@ source: message 3729
DROP TABLE dbo.base
GO
--@ source: message 5074
ALTER TABLE dbo.base DROP COLUMN a
GO
--@ source: message 5074
ALTER TABLE dbo.base ALTER COLUMN a bigint
GO
-- Columns that it does not name may go, and others come.
--@ source: documentation CREATE VIEW
ALTER TABLE dbo.base DROP COLUMN b
ALTER TABLE dbo.base ADD d int NULL
GO
--@ source: message 15336
EXEC sp_rename 'dbo.base', 'other'
EXEC sp_rename 'dbo.base.a', 'other', 'COLUMN'
GO
-- A view upon it, and a function upon that.
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.upper_bound WITH SCHEMABINDING AS SELECT id, c.a FROM (SELECT id, a FROM dbo.bound) AS c
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.f (@id int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT a FROM dbo.upper_bound WHERE id = @id) END
GO
--@ source: documentation CREATE FUNCTION
SELECT dbo.f(2) AS f
GO
--@ source: message 3729
DROP VIEW dbo.bound
GO
--@ source: message 3729
ALTER VIEW dbo.upper_bound AS SELECT 1 AS id, 2 AS a
GO
--@ source: message 3729
DROP VIEW dbo.upper_bound
GO
-- Not schema-bound any more: the function still is.
--@ source: reasoned
DROP FUNCTION dbo.f
GO
--@ source: documentation ALTER VIEW
ALTER VIEW dbo.upper_bound AS SELECT id FROM dbo.bound
GO
--@ source: documentation ALTER VIEW
ALTER VIEW dbo.bound AS SELECT id, a FROM dbo.base
GO
--@ source: documentation ALTER VIEW
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.bound'), 'IsSchemaBound') AS bound
ALTER TABLE dbo.base ALTER COLUMN a bigint
GO
--@ source: documentation CREATE VIEW
CREATE VIEW dbo.imprecise WITH SCHEMABINDING AS SELECT id, c * 2 AS c2, GETDATE() AS now FROM dbo.base
GO
--@ source: documentation OBJECTPROPERTY
SELECT OBJECTPROPERTYEX(OBJECT_ID('dbo.imprecise'), 'IsDeterministic') AS deterministic, OBJECTPROPERTYEX(OBJECT_ID('dbo.imprecise'), 'IsPrecise') AS precise
GO
--@ source: message 2023
EXEC sp_refreshview N'dbo.imprecise'
EXEC sp_refreshsqlmodule N'dbo.imprecise'
GO
-- A transaction that is undone leaves the view unbound, or bound.
--@ source: reasoned
BEGIN TRANSACTION
DROP VIEW dbo.imprecise
DROP TABLE dbo.base
ROLLBACK
SELECT COUNT(*) AS n FROM dbo.imprecise
DROP TABLE dbo.base
GO
--@ source: reasoned
DROP VIEW dbo.imprecise, dbo.upper_bound, dbo.bound, dbo.loose
DROP TABLE dbo.base
GO
