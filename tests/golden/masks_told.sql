-- Who may mask, who sees what is masked, and what errors say.
--@ source: reasoned
CREATE DATABASE g_masks_told
GO
--@ source: reasoned
USE g_masks_told
GO
--@ source: reasoned
CREATE SCHEMA data
GO
--@ source: reasoned
CREATE SCHEMA service
GO
--@ source: documentation Dynamic data masking
CREATE TABLE data.membership (id int, first_name varchar(100) MASKED WITH (FUNCTION = 'partial(1, "xxxxx", 1)'), phone varchar(12) MASKED WITH (FUNCTION = 'default()'))
CREATE TABLE service.feedback (id int, feedback varchar(100) MASKED WITH (FUNCTION = 'default()'), rating int MASKED WITH (FUNCTION = 'default()'))
INSERT data.membership VALUES (1, 'Roberto', '555.123.4567')
INSERT service.feedback VALUES (1, 'Good', 4)
CREATE USER attendant WITHOUT LOGIN
CREATE USER lead WITHOUT LOGIN
CREATE USER manager WITHOUT LOGIN
CREATE USER head WITHOUT LOGIN
CREATE USER nobody WITHOUT LOGIN
CREATE ROLE readers
ALTER ROLE readers ADD MEMBER nobody
ALTER ROLE db_datareader ADD MEMBER attendant
ALTER ROLE db_datareader ADD MEMBER lead
ALTER ROLE db_datareader ADD MEMBER manager
ALTER ROLE db_datareader ADD MEMBER head
ALTER ROLE db_datareader ADD MEMBER nobody
GRANT UNMASK ON data.membership (first_name) TO attendant
GRANT UNMASK ON data.membership TO lead
GRANT UNMASK ON SCHEMA::data TO manager
GRANT UNMASK TO head
SELECT USER_NAME(grantee_principal_id) AS who, permission_name, class_desc, minor_id, state_desc FROM sys.database_permissions WHERE permission_name = 'UNMASK' ORDER BY grantee_principal_id
GO
--@ source: reasoned
CREATE PROCEDURE dbo.look AS
SELECT USER_NAME() AS who, m.first_name, m.phone FROM data.membership AS m
SELECT USER_NAME() AS who, f.feedback, f.rating FROM service.feedback AS f
SELECT USER_NAME() AS who, m.first_name + f.feedback AS both_of FROM data.membership AS m JOIN service.feedback AS f ON f.id = m.id
GO
--@ source: documentation Dynamic data masking
GRANT EXECUTE ON dbo.look TO public
EXECUTE AS USER = 'attendant'; EXEC dbo.look; REVERT
EXECUTE AS USER = 'lead'; EXEC dbo.look; REVERT
EXECUTE AS USER = 'manager'; EXEC dbo.look; REVERT
EXECUTE AS USER = 'head'; EXEC dbo.look; REVERT
EXECUTE AS USER = 'nobody'; EXEC dbo.look; REVERT
GO
-- A role's grant counts, and a DENY outweighs it; a REVOKE acts on the next statement. CONTROL is enough, and so is ownership.
--@ source: reasoned
GRANT UNMASK TO readers
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; REVERT
DENY UNMASK ON data.membership TO nobody
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; SELECT rating FROM service.feedback; REVERT
REVOKE UNMASK ON data.membership FROM nobody
REVOKE UNMASK FROM readers
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; REVERT
GRANT CONTROL ON data.membership TO nobody
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; SELECT rating FROM service.feedback; REVERT
REVOKE CONTROL ON data.membership FROM nobody
ALTER AUTHORIZATION ON service.feedback TO nobody
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; SELECT rating FROM service.feedback; REVERT
ALTER AUTHORIZATION ON service.feedback TO SCHEMA OWNER
ALTER ROLE db_owner ADD MEMBER nobody
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; REVERT
ALTER ROLE db_owner DROP MEMBER nobody
EXECUTE AS USER = 'nobody'; SELECT phone FROM data.membership; SELECT HAS_PERMS_BY_NAME('data.membership', 'OBJECT', 'UNMASK') AS m; REVERT
EXECUTE AS USER = 'lead'; SELECT HAS_PERMS_BY_NAME('data.membership', 'OBJECT', 'UNMASK') AS m; REVERT
GO
-- UNMASK alone shows nothing: neither rows nor names.
--@ source: documentation Dynamic data masking
CREATE USER blind WITHOUT LOGIN
GRANT UNMASK TO blind
EXECUTE AS USER = 'blind'
SELECT COUNT(*) AS n FROM sys.tables
SELECT phone FROM data.membership
REVERT
GO
-- A mask is changed by who has ALTER on the table, and ALTER ANY MASK.
--@ source: documentation ALTER TABLE
GRANT ALTER ON data.membership TO nobody
EXECUTE AS USER = 'nobody'
ALTER TABLE data.membership ALTER COLUMN phone DROP MASKED
GO
--@ source: documentation ALTER TABLE
ALTER TABLE data.membership ALTER COLUMN phone varchar(12) MASKED WITH (FUNCTION = 'partial(11, "x", 0)')
GO
--@ source: reasoned
ALTER TABLE data.membership ALTER COLUMN phone varchar(20)
SELECT phone FROM data.membership
REVERT
GRANT ALTER ANY MASK TO nobody
EXECUTE AS USER = 'nobody'
ALTER TABLE data.membership ALTER COLUMN phone DROP MASKED
SELECT phone FROM data.membership
ALTER TABLE data.membership ALTER COLUMN phone ADD MASKED WITH (FUNCTION = 'default()')
SELECT phone FROM data.membership
REVERT
REVOKE ALTER ON data.membership FROM nobody
EXECUTE AS USER = 'nobody'
ALTER TABLE data.membership ALTER COLUMN phone DROP MASKED
GO
--@ source: reasoned
REVERT
GO
-- Errors do not say what is hidden.
--@ source: reasoned
REVOKE ALTER ANY MASK FROM nobody
EXECUTE AS USER = 'nobody'
SELECT CAST(phone AS int) FROM data.membership
GO
--@ source: reasoned
SELECT id FROM data.membership WHERE CAST(first_name AS int) = 1
GO
--@ source: reasoned
DECLARE @n int
BEGIN TRY
    SELECT @n = phone FROM data.membership
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS told
END CATCH
IF (SELECT CAST(phone AS int) FROM data.membership) = 1 PRINT 'never'
GO
--@ source: reasoned
REVERT
SELECT CAST(phone AS int) FROM data.membership
GO
-- Nor do duplicates of keys.
--@ source: reasoned
CREATE TABLE data.pair (a int, b varchar(20) MASKED WITH (FUNCTION = 'default()') NOT NULL, CONSTRAINT pk_pair PRIMARY KEY (a, b))
INSERT data.pair VALUES (1, 'secret'), (2, 'secret')
GRANT UPDATE ON data.pair TO nobody
EXECUTE AS USER = 'nobody'
UPDATE data.pair SET a = 2
GO
--@ source: reasoned
REVERT
UPDATE data.pair SET a = 2
GO
-- Nor do errors in triggers, whose statements name no table beside inserted and deleted.
--@ source: reasoned
CREATE TRIGGER data.pair_tells ON data.pair AFTER UPDATE AS
DECLARE @n int
SELECT @n = CAST(b AS int) FROM deleted
GO
--@ source: reasoned
EXECUTE AS USER = 'nobody'
UPDATE data.pair SET a = 3 WHERE a = 2
GO
--@ source: reasoned
REVERT
UPDATE data.pair SET a = 3 WHERE a = 2
GO
-- Nor do rows that follow others, and constraints that come later.
--@ source: reasoned
CREATE TABLE data.parent (id int NOT NULL PRIMARY KEY)
CREATE TABLE data.child (p int NULL CONSTRAINT fk_child REFERENCES data.parent ON DELETE SET NULL, b varchar(20) MASKED WITH (FUNCTION = 'default()') NOT NULL, CONSTRAINT uq_child UNIQUE (p, b))
INSERT data.parent VALUES (1), (2)
INSERT data.child VALUES (1, 'secret'), (2, 'secret')
GRANT DELETE ON data.parent TO nobody
EXECUTE AS USER = 'nobody'
DELETE data.parent
GO
--@ source: reasoned
REVERT
ALTER TABLE data.child DROP CONSTRAINT uq_child
INSERT data.child VALUES (1, 'secret')
GRANT ALTER ON data.child TO nobody
EXECUTE AS USER = 'nobody'
ALTER TABLE data.child ADD CONSTRAINT uq_back UNIQUE (p, b)
GO
--@ source: reasoned
REVERT
GO
--@ source: reasoned
USE master
DROP DATABASE g_masks_told
GO
