-- Block predicates of security policies.
--@ source: reasoned
CREATE DATABASE g_blocked
GO
--@ source: reasoned
USE g_blocked
CREATE TABLE sale (id int PRIMARY KEY, rep varchar(20) NULL, amount int NULL)
INSERT sale VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 30)
CREATE USER ann WITHOUT LOGIN
GRANT SELECT, INSERT, UPDATE, DELETE ON sale TO ann
GO
--@ source: reasoned
CREATE FUNCTION own(@rep varchar(20)) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @rep = USER_NAME()
GO
--@ source: documentation CREATE SECURITY POLICY
CREATE SECURITY POLICY p ADD BLOCK PREDICATE dbo.own(rep) ON dbo.sale AFTER INSERT, ADD BLOCK PREDICATE dbo.own(rep) ON dbo.sale BEFORE DELETE
SELECT security_predicate_id AS id, predicate_definition, predicate_type, predicate_type_desc, operation, operation_desc FROM sys.security_predicates
GO
--@ source: message 33504
EXECUTE AS USER = 'ann'
INSERT sale VALUES (4, 'ann', 1), (5, 'bob', 1)
GO
--@ source: message 33504
DELETE sale WHERE id = 2
GO
-- NULL is nobody's.
--@ source: message 33504
INSERT sale (id) VALUES (6)
GO
--@ source: documentation CREATE SECURITY POLICY
INSERT sale VALUES (4, 'ann', 1)
DELETE sale WHERE id = 1
UPDATE sale SET rep = 'bob' WHERE id = 4
SELECT id, rep FROM sale ORDER BY id
REVERT
GO
--@ source: documentation ALTER SECURITY POLICY
ALTER SECURITY POLICY p (DROP BLOCK PREDICATE ON dbo.sale AFTER INSERT, DROP BLOCK PREDICATE ON dbo.sale BEFORE DELETE, ADD BLOCK PREDICATE dbo.own(rep) ON dbo.sale AFTER UPDATE)
SELECT security_predicate_id AS id, operation_desc FROM sys.security_predicates
GO
--@ source: message 33504
EXECUTE AS USER = 'ann'
UPDATE sale SET rep = 'bob' WHERE id = 3
GO
-- A column that the predicate does not read may change, and a row become one's own.
--@ source: documentation Row-level security
UPDATE sale SET amount = 0 WHERE id = 2
UPDATE sale SET rep = 'ann' WHERE id = 2
DELETE sale WHERE id = 4
SELECT id, rep, amount FROM sale ORDER BY id
REVERT
GO
--@ source: documentation ALTER SECURITY POLICY
ALTER SECURITY POLICY p DROP BLOCK PREDICATE ON dbo.sale AFTER UPDATE, ADD BLOCK PREDICATE dbo.own(rep) ON dbo.sale BEFORE UPDATE
UPDATE sale SET rep = 'bob' WHERE id = 2
GO
-- Of all operations; through MERGE and OUTPUT as well.
--@ source: documentation CREATE SECURITY POLICY
ALTER SECURITY POLICY p DROP BLOCK PREDICATE ON dbo.sale BEFORE UPDATE, ADD BLOCK PREDICATE dbo.own(rep) ON dbo.sale
SELECT operation, operation_desc FROM sys.security_predicates
GO
--@ source: message 33504
MERGE sale AS t USING (VALUES (2)) AS s (id) ON s.id = t.id WHEN MATCHED THEN DELETE;
GO
--@ source: message 33504
MERGE sale AS t USING (VALUES (7)) AS s (id) ON s.id = t.id WHEN NOT MATCHED THEN INSERT VALUES (7, 'bob', 7);
GO
--@ source: message 33504
INSERT sale OUTPUT inserted.id VALUES (8, 'bob', 8)
GO
--@ source: message 33504
DECLARE @t table (id int)
INSERT @t VALUES (9)
INSERT sale (id, rep) SELECT id, 'bob' FROM @t
GO
--@ source: documentation TRY CATCH
BEGIN TRY
    INSERT sale VALUES (10, 'bob', 1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS s, XACT_STATE() AS x
END CATCH
INSERT sale VALUES (10, 'dbo', 1)
UPDATE sale SET amount = 2 WHERE id = 10
DELETE sale WHERE id = 10
GO
-- What a foreign key takes along passes.
--@ source: reasoned
ALTER SECURITY POLICY p WITH (STATE = OFF)
DELETE sale
CREATE TABLE rep (name varchar(20) PRIMARY KEY)
INSERT rep VALUES ('ann'), ('bob')
ALTER TABLE sale ADD CONSTRAINT fk FOREIGN KEY (rep) REFERENCES rep ON DELETE CASCADE
INSERT sale VALUES (1, 'ann', 1), (2, 'bob', 1)
ALTER SECURITY POLICY p ADD FILTER PREDICATE dbo.own(rep) ON dbo.sale WITH (STATE = ON)
DELETE rep WHERE name = 'bob'
ALTER SECURITY POLICY p WITH (STATE = OFF)
SELECT id FROM sale
GO
-- And what refers to a row is found, seen or not.
--@ source: message 547
ALTER TABLE sale DROP CONSTRAINT fk
ALTER TABLE sale ADD CONSTRAINT fk FOREIGN KEY (rep) REFERENCES rep
ALTER SECURITY POLICY p WITH (STATE = ON)
DELETE rep WHERE name = 'ann'
GO
-- A module with another owner's rights is that owner.
--@ source: documentation Row-level security
ALTER SECURITY POLICY p WITH (STATE = OFF)
GO
--@ source: reasoned
CREATE PROCEDURE add_sale AS INSERT sale VALUES (11, 'ann', 11)
GO
--@ source: reasoned
CREATE TRIGGER sold ON rep INSTEAD OF INSERT AS INSERT sale SELECT 12, name, 12 FROM inserted
GO
--@ source: reasoned
GRANT EXECUTE ON add_sale TO ann
GRANT INSERT ON rep TO ann
ALTER SECURITY POLICY p WITH (STATE = ON)
GO
--@ source: message 33504
EXEC add_sale
GO
--@ source: message 33504
EXECUTE AS USER = 'ann'
EXEC add_sale
INSERT rep VALUES ('bob')
GO
--@ source: reasoned
REVERT
USE master
DROP DATABASE g_blocked
GO
