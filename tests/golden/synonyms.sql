-- Synonyms: what they stand for is looked up at each use.
--@ source: reasoned
CREATE DATABASE Synonyms
CREATE DATABASE SynonymsBase
GO
--@ source: reasoned
USE SynonymsBase
CREATE TABLE dbo.far (id int PRIMARY KEY, a varchar(10))
INSERT dbo.far VALUES (1, 'far')
GO
--@ source: reasoned
USE Synonyms
GO
--@ source: reasoned
CREATE SCHEMA other
GO
--@ source: reasoned
CREATE TABLE dbo.t (id int PRIMARY KEY, a varchar(10))
INSERT dbo.t VALUES (1, 'one'), (2, 'two')
GO
--@ source: reasoned
CREATE VIEW dbo.v AS SELECT id FROM dbo.t
GO
--@ source: reasoned
CREATE PROCEDURE dbo.p @n int AS SELECT @n * 2 AS twice
GO
--@ source: reasoned
CREATE FUNCTION dbo.f (@n int) RETURNS int AS BEGIN RETURN @n + 1 END
GO
--@ source: reasoned
CREATE FUNCTION dbo.rows_of (@n int) RETURNS TABLE AS RETURN SELECT id FROM dbo.t WHERE id <= @n
GO
-- The base need not exist.
--@ source: documentation CREATE SYNONYM
CREATE SYNONYM dbo.st FOR dbo.t
CREATE SYNONYM other.st FOR t
CREATE SYNONYM dbo.sv FOR v
CREATE SYNONYM dbo.sp FOR dbo.p
CREATE SYNONYM dbo.sf FOR dbo.f
CREATE SYNONYM dbo.sr FOR dbo.rows_of
CREATE SYNONYM dbo.sfar FOR SynonymsBase..far
CREATE SYNONYM dbo.snone FOR dbo.none
CREATE SYNONYM dbo.schain FOR dbo.st
CREATE SYNONYM dbo.stemp FOR #temp
CREATE SYNONYM dbo.ssystem FOR sys.schemas
GO
-- Queries and changes.
--@ source: documentation CREATE SYNONYM
SELECT id, a FROM dbo.st ORDER BY id
SELECT s.id FROM st AS s JOIN other.st AS o ON s.id = o.id WHERE s.a IS NOT NULL ORDER BY s.id
GO
--@ source: documentation CREATE SYNONYM
SELECT st.id FROM st WHERE st.a = 'one'
SELECT id FROM dbo.sv ORDER BY id
SELECT a FROM sfar
SELECT name FROM ssystem WHERE name = 'other'
SELECT dbo.sf(1) AS f, x.id FROM dbo.sr(1) AS x
GO
--@ source: documentation CREATE SYNONYM
INSERT dbo.st VALUES (3, 'three')
UPDATE st SET a = 'TWO' WHERE id = 2
DELETE FROM dbo.st WHERE id = 1
MERGE INTO dbo.st AS t USING (VALUES (3, 'THREE'), (4, 'four')) AS s (id, a) ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET a = s.a
    WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.a);
INSERT sfar SELECT id, a FROM st
SELECT id, a FROM SynonymsBase.dbo.far ORDER BY id
UPDATE s SET a = 'x' FROM dbo.st AS s JOIN dbo.t AS t ON s.id = t.id WHERE t.id = 4
SELECT id, a FROM dbo.t ORDER BY id
GO
--@ source: documentation CREATE SYNONYM
EXEC dbo.sp 21
DECLARE @r int
EXEC @r = dbo.sf 41
SELECT @r AS r
GO
--@ source: documentation CREATE SYNONYM
SELECT * FROM stemp
GO
--@ source: documentation CREATE SYNONYM
CREATE TABLE #temp (x int)
INSERT stemp VALUES (7)
SELECT x FROM stemp
DROP TABLE #temp
GO
-- What does not exist, and chains.
--@ source: message 5313
SELECT * FROM dbo.snone
GO
--@ source: message 5313
SELECT * FROM dbo.sp
GO
--@ source: message 5313
SELECT * FROM dbo.sr
GO
--@ source: message 2812
EXEC dbo.snone
GO
--@ source: message 470
SELECT * FROM dbo.schain
GO
--@ source: message 470
EXEC schain
GO
-- The base comes, changes and goes: plans follow.
--@ source: documentation CREATE SYNONYM
CREATE TABLE dbo.none (b int)
INSERT dbo.snone VALUES (1)
GO
--@ source: documentation CREATE SYNONYM
CREATE PROCEDURE dbo.reads AS SELECT * FROM dbo.snone
GO
--@ source: reasoned
EXEC dbo.reads
DROP SYNONYM dbo.snone
CREATE SYNONYM dbo.snone FOR dbo.t
EXEC dbo.reads
GO
--@ source: reasoned
DROP SYNONYM dbo.snone
EXEC dbo.reads
GO
-- Metadata.
--@ source: documentation sys.synonyms
SELECT SCHEMA_NAME(schema_id) AS s, name, type, type_desc, base_object_name FROM sys.synonyms ORDER BY name, s
SELECT COUNT(*) AS n FROM sys.objects WHERE type = 'SN'
SELECT OBJECTPROPERTYEX(OBJECT_ID('dbo.st'), 'BaseType') AS t, OBJECTPROPERTYEX(OBJECT_ID('sv'), 'BaseType') AS v,
    OBJECTPROPERTYEX(OBJECT_ID('sf'), 'BaseType') AS f, OBJECTPROPERTYEX(OBJECT_ID('sfar'), 'BaseType') AS far
SELECT CASE WHEN OBJECT_ID('dbo.st') <> OBJECT_ID('dbo.t') THEN 1 END AS own, OBJECT_ID('dbo.st', 'U') AS u,
    CASE WHEN OBJECT_ID('dbo.st', 'SN') IS NOT NULL THEN 1 END AS sn
GO
-- Names are those of objects.
--@ source: message 2714
CREATE SYNONYM dbo.t FOR dbo.v
GO
--@ source: message 2714
CREATE TABLE dbo.st (a int)
GO
--@ source: message 3705
DROP TABLE dbo.st
GO
--@ source: message 3705
DROP SYNONYM dbo.t
GO
--@ source: message 3701
DROP SYNONYM dbo.nobody
GO
--@ source: documentation DROP SYNONYM
DROP SYNONYM IF EXISTS dbo.nobody
GO
--@ source: message 166
CREATE SYNONYM Synonyms.dbo.x FOR dbo.t
GO
-- No statement that defines a table takes a synonym for it.
--@ source: message 4902
ALTER TABLE dbo.st ADD b int
GO
--@ source: message 4708
TRUNCATE TABLE dbo.st
GO
--@ source: message 1088
CREATE INDEX i ON dbo.st (a)
GO
--@ source: message 2788
ALTER TABLE dbo.t ADD CHECK (dbo.sf(id) > 0)
GO
-- A view of a synonym.
--@ source: reasoned
CREATE VIEW dbo.through AS SELECT id FROM dbo.st
GO
--@ source: reasoned
SELECT id FROM dbo.through ORDER BY id
DROP SYNONYM dbo.st
GO
--@ source: message 4413
SELECT id FROM dbo.through
GO
--@ source: reasoned
USE master
DROP DATABASE Synonyms
DROP DATABASE SynonymsBase
