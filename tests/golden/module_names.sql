-- Names without a schema: a module's schema, then dbo; dynamic text and DDL: the caller's.
--@ source: reasoned
CREATE DATABASE Named
GO
--@ source: reasoned
USE Named
CREATE TABLE dbo.tt (c varchar(10))
INSERT dbo.tt VALUES ('dbo')
CREATE TABLE dbo.only_dbo (c varchar(10))
INSERT dbo.only_dbo VALUES ('dbo')
GO
--@ source: reasoned
CREATE SCHEMA s1
GO
--@ source: reasoned
CREATE TABLE s1.tt (c varchar(10))
INSERT s1.tt VALUES ('s1')
CREATE TABLE s1.only_s1 (c varchar(10))
INSERT s1.only_s1 VALUES ('s1')
GO
--@ source: reasoned
CREATE PROCEDURE dbo.q AS SELECT 'dbo.q' AS q
GO
--@ source: reasoned
CREATE PROCEDURE s1.q AS SELECT 's1.q' AS q
GO
--@ source: reasoned
CREATE VIEW s1.v AS SELECT c FROM tt
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE s1.p AS
SELECT c FROM tt
SELECT c FROM only_s1
SELECT c FROM only_dbo
SELECT c FROM v
SELECT (SELECT MAX(c) FROM tt) AS within
IF EXISTS (SELECT * FROM tt WHERE c = 's1') PRINT 's1'
EXEC q
GO
--@ source: documentation CREATE PROCEDURE
EXEC s1.p
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE s1.changes AS
INSERT tt VALUES ('new')
UPDATE tt SET c = 'changed' WHERE c = 'new'
MERGE tt AS t USING (VALUES ('merged')) AS s (c) ON t.c = s.c WHEN NOT MATCHED THEN INSERT VALUES (s.c);
DELETE tt WHERE c = 's1'
DECLARE each CURSOR LOCAL FOR SELECT c FROM tt ORDER BY c
OPEN each
FETCH each
CLOSE each
GO
--@ source: documentation CREATE PROCEDURE
EXEC s1.changes
SELECT c FROM dbo.tt
SELECT c FROM s1.tt ORDER BY c
GO
-- Dynamic text and DDL are the caller's.
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE s1.dynamic AS
EXEC ('SELECT c FROM tt')
EXEC sp_executesql N'SELECT c FROM tt'
CREATE TABLE made (a int)
GO
--@ source: documentation CREATE PROCEDURE
EXEC s1.dynamic
SELECT OBJECT_SCHEMA_NAME(object_id) AS made_in FROM sys.tables WHERE name = 'made'
GO
-- Only the batch's own name is missing.
--@ source: message 208
SELECT c FROM only_s1
GO
--@ source: reasoned
USE master
DROP DATABASE Named
GO
