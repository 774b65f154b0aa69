-- Filters hide rows before a statement's own conditions and computed columns can fail on them.
--@ source: reasoned
CREATE DATABASE g_told
GO
--@ source: reasoned
USE g_told
CREATE TABLE dbo.sale (id int PRIMARY KEY, rep sysname, note varchar(20), told AS CAST(note AS int))
INSERT dbo.sale (id, rep, note) VALUES (1, 'ann', '5'), (2, 'bob', 'secret')
CREATE TABLE dbo.visit (id int PRIMARY KEY, rep sysname, note varchar(20), told AS CAST(note AS int))
INSERT dbo.visit (id, rep, note) VALUES (1, 'ann', '5'), (2, 'bob', 'secret')
CREATE TABLE dbo.reps (name sysname)
INSERT dbo.reps VALUES ('ann')
CREATE USER ann WITHOUT LOGIN
GRANT SELECT ON dbo.sale TO ann
GRANT SELECT ON dbo.visit TO ann
GO
--@ source: reasoned
CREATE FUNCTION dbo.own(@rep sysname) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @rep = USER_NAME()
GO
--@ source: reasoned
CREATE FUNCTION dbo.known(@rep sysname) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok FROM dbo.reps AS r WHERE r.name = @rep
GO
--@ source: documentation CREATE SECURITY POLICY
CREATE SECURITY POLICY dbo.p ADD FILTER PREDICATE dbo.own(rep) ON dbo.sale, ADD FILTER PREDICATE dbo.known(rep) ON dbo.visit
GO
--@ source: reasoned
EXECUTE AS USER = 'ann'
SELECT id FROM dbo.sale WHERE CAST(note AS int) = 5
SELECT id FROM dbo.sale WHERE id = 2 AND CAST(note AS int) = 5
SELECT id, told FROM dbo.sale
SELECT s.id FROM dbo.sale AS s JOIN (VALUES (1), (2)) AS v (n) ON v.n = s.id AND 1 / (s.id - 2) < 0
SELECT id FROM dbo.visit WHERE CAST(note AS int) = 5
SELECT id, told FROM dbo.visit
SELECT COUNT(*) AS n FROM dbo.visit WHERE told > 1
SELECT id FROM dbo.visit WHERE 'a' LIKE 'b' ESCAPE note
REVERT
GO
-- A predicate that asks for users means those of its own database.
--@ source: reasoned
USE master
SELECT id FROM g_told.dbo.sale
GO
--@ source: reasoned
USE master
SELECT id FROM g_told.dbo.visit
DROP DATABASE g_told
GO
