-- Filter predicates of security policies.
--@ source: reasoned
CREATE DATABASE g_policies
GO
--@ source: reasoned
USE g_policies
CREATE TABLE sale (id int CONSTRAINT pk_sale PRIMARY KEY, rep sysname NOT NULL, amount int NOT NULL, INDEX by_rep (rep))
INSERT sale VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 30), (4, 'dbo', 40)
CREATE TABLE detail (sale int NOT NULL, n int NOT NULL)
INSERT detail VALUES (1, 1), (2, 2), (3, 3), (9, 9)
CREATE TABLE manager (name sysname NOT NULL)
INSERT manager VALUES ('max')
CREATE USER ann WITHOUT LOGIN
CREATE USER bob WITHOUT LOGIN
CREATE USER max WITHOUT LOGIN
GRANT SELECT, INSERT, UPDATE, DELETE ON sale TO ann, bob, max
GRANT SELECT ON detail TO ann, bob, max
GO
--@ source: reasoned
CREATE SCHEMA sec
GO
--@ source: reasoned
CREATE FUNCTION sec.own(@rep AS sysname) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @rep = USER_NAME()
GO
--@ source: reasoned
CREATE FUNCTION sec.led(@rep AS sysname) RETURNS TABLE WITH SCHEMABINDING AS
RETURN SELECT 1 AS ok WHERE @rep = USER_NAME() OR EXISTS (SELECT 1 FROM dbo.manager WHERE name = USER_NAME())
GO
--@ source: reasoned
CREATE VIEW both_of AS SELECT s.id, s.rep, d.n FROM sale s LEFT JOIN detail d ON d.sale = s.id
GO
--@ source: reasoned
CREATE PROCEDURE list_sales AS SELECT id FROM sale ORDER BY id
GO
--@ source: reasoned
CREATE FUNCTION how_many() RETURNS int AS BEGIN DECLARE @n int; SELECT @n = COUNT(*) FROM dbo.sale; RETURN @n END
GO
--@ source: reasoned
GRANT SELECT ON both_of TO ann, bob
GRANT EXECUTE ON list_sales TO ann, bob
GRANT EXECUTE ON how_many TO ann, bob
GO
-- A policy that is switched off filters nothing, and is there.
--@ source: documentation CREATE SECURITY POLICY
CREATE SECURITY POLICY sec.p ADD FILTER PREDICATE sec.own(rep) ON dbo.sale WITH (STATE = OFF)
SELECT COUNT(*) AS n FROM sale
SELECT name, SCHEMA_NAME(schema_id) AS s, type, type_desc, is_enabled, is_schemabinding_enabled, is_not_for_replication FROM sys.security_policies
SELECT OBJECT_NAME(object_id) AS policy, security_predicate_id AS id, OBJECT_NAME(target_object_id) AS target, predicate_definition, predicate_type_desc, operation, operation_desc
FROM sys.security_predicates
SELECT name, type, type_desc FROM sys.objects WHERE type = 'SP'
GO
-- Everybody is filtered, the owner too.
--@ source: documentation Row-level security
ALTER SECURITY POLICY sec.p WITH (STATE = ON)
SELECT id FROM sale
EXECUTE AS USER = 'ann'
SELECT id FROM sale ORDER BY id
SELECT id, n FROM both_of ORDER BY id
EXEC list_sales
SELECT dbo.how_many() AS n
SELECT COUNT(*) AS n, MIN(id) AS a, MAX(id) AS z, SUM(amount) AS s FROM sale
SELECT rep, COUNT(*) AS n FROM sale GROUP BY rep
SELECT d.n, s.id FROM detail d LEFT JOIN sale s ON s.id = d.sale ORDER BY d.n
SELECT d.n, s.id FROM detail d FULL JOIN sale s ON s.id = d.sale ORDER BY d.n, s.id
SELECT n FROM detail WHERE sale IN (SELECT id FROM sale) ORDER BY n
SELECT n FROM detail d WHERE NOT EXISTS (SELECT 1 FROM sale WHERE id = d.sale) ORDER BY n
SELECT id FROM sale WHERE rep = 'bob'
SELECT id FROM sale WITH (INDEX (by_rep)) WHERE rep LIKE '%' ORDER BY id
REVERT
GO
-- The plan of one user says nothing to another one.
--@ source: documentation Row-level security
EXECUTE AS USER = 'bob'
SELECT id FROM sale ORDER BY id
EXEC list_sales
SELECT dbo.how_many() AS n
REVERT
GO
-- Nothing is computed of rows that are filtered out.
--@ source: reasoned
EXECUTE AS USER = 'bob'
SELECT id, 100 / (amount - 30) AS q FROM sale
SELECT id FROM sale WHERE 100 / (amount - 30) < 0
REVERT
GO
-- UPDATE, DELETE and MERGE find no row that is filtered out; an INSERT may make one.
--@ source: documentation Row-level security
EXECUTE AS USER = 'bob'
UPDATE sale SET amount += 1
DELETE sale WHERE id = 1
INSERT sale VALUES (5, 'ann', 50)
SELECT id, amount FROM sale
UPDATE sale SET rep = 'ann' WHERE id = 2
SELECT id, amount FROM sale
REVERT
EXECUTE AS USER = 'ann'
SELECT id, amount FROM sale ORDER BY id
MERGE sale AS t USING (VALUES (1), (4)) AS s (id) ON s.id = t.id WHEN MATCHED THEN UPDATE SET amount = 0;
SELECT id, amount INTO #copy FROM sale
SELECT COUNT(*) AS n FROM #copy
DECLARE c CURSOR LOCAL FOR SELECT id FROM sale ORDER BY id
DECLARE @id int, @n int = 0
OPEN c
FETCH c INTO @id
WHILE @@FETCH_STATUS = 0 BEGIN SET @n += @id; FETCH c INTO @id END
SELECT @n AS ids
REVERT
GO
-- A key that a hidden row has is taken.
--@ source: message 2627
EXECUTE AS USER = 'ann'
INSERT sale VALUES (4, 'ann', 1)
GO
--@ source: documentation ALTER SECURITY POLICY
REVERT
ALTER SECURITY POLICY sec.p ALTER FILTER PREDICATE sec.led(rep) ON dbo.sale
SELECT predicate_definition FROM sys.security_predicates
EXECUTE AS USER = 'max'
SELECT id FROM sale ORDER BY id
UPDATE sale SET amount = id
REVERT
EXECUTE AS USER = 'ann'
SELECT id, amount FROM sale ORDER BY id
REVERT
GO
-- A rollback brings the rows back, for cached plans too.
--@ source: documentation ALTER SECURITY POLICY
SELECT COUNT(*) AS n FROM sale
BEGIN TRANSACTION
DROP SECURITY POLICY sec.p
SELECT COUNT(*) AS n FROM sale
ROLLBACK
SELECT COUNT(*) AS n FROM sale
BEGIN TRANSACTION
ALTER SECURITY POLICY sec.p WITH (STATE = OFF)
EXEC list_sales
ROLLBACK
EXEC list_sales
GO
--@ source: documentation DROP SECURITY POLICY
DROP SECURITY POLICY sec.p
DROP SECURITY POLICY IF EXISTS sec.p
SELECT COUNT(*) AS n FROM sale
SELECT COUNT(*) AS policies FROM sys.security_policies
SELECT COUNT(*) AS predicates FROM sys.security_predicates
GO
-- The value of a session decides.
--@ source: documentation Row-level security
CREATE TABLE tenant_rows (tenant int NOT NULL, v varchar(10) NOT NULL)
INSERT tenant_rows VALUES (1, 'one'), (2, 'two')
GO
--@ source: reasoned
CREATE FUNCTION sec.tenant(@t int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE CAST(SESSION_CONTEXT(N'tenant') AS int) = @t
GO
--@ source: documentation Row-level security
CREATE SECURITY POLICY tenants ADD FILTER PREDICATE sec.tenant(tenant) ON dbo.tenant_rows
SELECT v FROM tenant_rows
EXEC sp_set_session_context N'tenant', 2
SELECT v FROM tenant_rows
EXEC sp_set_session_context N'tenant', 1
SELECT v FROM tenant_rows
EXEC sp_set_session_context N'tenant', NULL
SELECT v FROM tenant_rows
GO
-- Without schema binding whoever reads the table needs the function.
--@ source: documentation CREATE SECURITY POLICY
CREATE SECURITY POLICY sec.q ADD FILTER PREDICATE sec.own(rep) ON dbo.sale WITH (SCHEMABINDING = OFF)
EXECUTE AS USER = 'ann'
SELECT id FROM sale
GO
--@ source: documentation CREATE SECURITY POLICY
REVERT
GRANT SELECT ON sec.own TO ann
EXECUTE AS USER = 'ann'
SELECT id FROM sale ORDER BY id
REVERT
GO
--@ source: reasoned
USE master
DROP DATABASE g_policies
GO
