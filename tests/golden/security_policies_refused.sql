-- Security policies that are refused, and what they keep as it is.
--@ source: reasoned
CREATE DATABASE g_policies_refused
GO
--@ source: reasoned
USE g_policies_refused
CREATE TABLE t (a int NOT NULL, b int NULL, c int NULL)
CREATE TABLE u (a int NOT NULL)
CREATE USER ann WITHOUT LOGIN
GO
--@ source: reasoned
CREATE FUNCTION f(@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @a > 0
GO
--@ source: reasoned
CREATE FUNCTION loose(@a int) RETURNS TABLE AS RETURN SELECT 1 AS ok WHERE @a > 0
GO
--@ source: reasoned
CREATE FUNCTION one(@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN 1 END
GO
--@ source: reasoned
CREATE VIEW v AS SELECT a FROM t
GO
--@ source: reasoned
CREATE VIEW bound WITH SCHEMABINDING AS SELECT a FROM dbo.u
GO
--@ source: message 33270
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.nosuch(a) ON dbo.t
GO
--@ source: message 33270
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.one(a) ON dbo.t
GO
--@ source: message 33268
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.nosuch
GO
--@ source: message 33263
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.v
GO
--@ source: message 33503
CREATE SECURITY POLICY p ADD BLOCK PREDICATE dbo.f(a) ON dbo.v
GO
--@ source: reasoned
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.bound
GO
--@ source: message 33269
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON #t
GO
--@ source: message 4513
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.loose(a) ON dbo.t
GO
--@ source: message 4512
CREATE SECURITY POLICY p ADD FILTER PREDICATE f(a) ON dbo.t
GO
--@ source: message 207
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(x) ON dbo.t
GO
--@ source: message 313
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f() ON dbo.t
GO
--@ source: message 8144
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a, b) ON dbo.t
GO
--@ source: message 33262
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.t, ADD PREDICATE dbo.f(b) ON dbo.t
GO
--@ source: message 33262
CREATE SECURITY POLICY p ADD BLOCK PREDICATE dbo.f(a) ON dbo.t, ADD BLOCK PREDICATE dbo.f(b) ON dbo.t AFTER INSERT
GO
--@ source: documentation CREATE SECURITY POLICY
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a + 1) ON dbo.t, ADD BLOCK PREDICATE dbo.f(b) ON dbo.t BEFORE UPDATE
SELECT predicate_definition FROM sys.security_predicates ORDER BY security_predicate_id
GO
--@ source: message 2714
CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.u
GO
--@ source: message 33264
CREATE SECURITY POLICY q ADD FILTER PREDICATE dbo.f(a) ON dbo.t
GO
--@ source: documentation ALTER SECURITY POLICY
CREATE SECURITY POLICY q ADD FILTER PREDICATE dbo.f(a) ON dbo.t WITH (STATE = OFF)
GO
--@ source: message 33264
ALTER SECURITY POLICY q WITH (STATE = ON)
GO
--@ source: message 33261
ALTER SECURITY POLICY q DROP FILTER PREDICATE ON dbo.u
GO
--@ source: message 33261
ALTER SECURITY POLICY p ALTER BLOCK PREDICATE dbo.f(a) ON dbo.t AFTER INSERT
GO
--@ source: message 33268
ALTER SECURITY POLICY nosuch WITH (STATE = ON)
GO
--@ source: message 33271
ALTER SECURITY POLICY t WITH (STATE = ON)
GO
--@ source: message 3701
DROP SECURITY POLICY nosuch
GO
-- What a policy is bound to stays as it is.
--@ source: message 3729
DROP TABLE t
GO
--@ source: message 3729
DROP FUNCTION f
GO
--@ source: message 3729
ALTER FUNCTION f(@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok
GO
--@ source: message 5074
ALTER TABLE t DROP COLUMN b
GO
--@ source: documentation Row-level security
ALTER TABLE t DROP COLUMN c
ALTER TABLE t ADD d int NULL
GO
--@ source: message 15336
EXEC sp_rename 't', 't2'
GO
--@ source: message 33266
CREATE VIEW w WITH SCHEMABINDING AS SELECT a FROM dbo.t
GO
--@ source: message 33266
CREATE UNIQUE CLUSTERED INDEX i ON w (a)
GO
-- Who may.
--@ source: message 15247
EXECUTE AS USER = 'ann'
CREATE SECURITY POLICY r ADD FILTER PREDICATE dbo.f(a) ON dbo.u
GO
--@ source: message 33268
ALTER SECURITY POLICY p WITH (STATE = OFF)
GO
--@ source: message 3701
DROP SECURITY POLICY p
GO
--@ source: documentation sys.security_policies
SELECT COUNT(*) AS seen FROM sys.security_policies
REVERT
GRANT ALTER ANY SECURITY POLICY TO ann
GRANT ALTER ON SCHEMA::dbo TO ann
EXECUTE AS USER = 'ann'
SELECT COUNT(*) AS seen FROM sys.security_policies
ALTER SECURITY POLICY p WITH (STATE = OFF)
GO
--@ source: message 229
CREATE SECURITY POLICY r ADD FILTER PREDICATE dbo.f(a) ON dbo.u
GO
--@ source: message 229
REVERT
GRANT SELECT, REFERENCES ON f TO ann
EXECUTE AS USER = 'ann'
CREATE SECURITY POLICY r ADD FILTER PREDICATE dbo.f(a) ON dbo.u
GO
--@ source: documentation CREATE SECURITY POLICY
REVERT
GRANT REFERENCES ON u TO ann
EXECUTE AS USER = 'ann'
CREATE SECURITY POLICY r ADD FILTER PREDICATE dbo.f(a) ON dbo.u
DROP SECURITY POLICY r
REVERT
GO
--@ source: reasoned
USE master
DROP DATABASE g_policies_refused
GO
