-- Statements that are not built say what they are called, each in its own words, when they run.
--@ source: reasoned
PRINT 'before'
CREATE ASYMMETRIC KEY k WITH ALGORITHM = RSA_2048
GO
--@ source: reasoned
ALTER LOGIN l DISABLE
GO
--@ source: reasoned
CREATE USER u FOR LOGIN l
GO
--@ source: reasoned
ALTER ROLE r ADD MEMBER u
GO
--@ source: reasoned
CREATE TYPE s EXTERNAL NAME a.b
GO
--@ source: reasoned
ALTER PARTITION FUNCTION p () MERGE RANGE (1)
GO
--@ source: message 1088
DISABLE TRIGGER t ON ALL SERVER
GO
--@ source: reasoned
ALTER FUNCTION f() RETURNS int AS BEGIN RETURN 1 END
GO
--@ source: reasoned
DROP SERVER ROLE r
GO
--@ source: reasoned
ALTER SCHEMA s TRANSFER t
GO
--@ source: reasoned
ALTER AUTHORIZATION ON t TO u
GO
-- Nothing of them begins a transaction; what makes objects does, under IMPLICIT_TRANSACTIONS.
--@ source: documentation SET IMPLICIT_TRANSACTIONS
SET IMPLICIT_TRANSACTIONS ON
BEGIN TRY DROP LOGIN l END TRY BEGIN CATCH SELECT ERROR_MESSAGE() AS m, @@TRANCOUNT AS t END CATCH
CREATE TABLE made (a int)
SELECT @@TRANCOUNT AS t
ROLLBACK
SET IMPLICIT_TRANSACTIONS OFF
SELECT OBJECT_ID('made') AS made
GO
-- Queues of Service Broker, and procedures about principals.
--@ source: reasoned
WAITFOR (RECEIVE TOP (1) * FROM q), TIMEOUT 100
GO
--@ source: reasoned
EXEC sp_setapprole 'r', 'p'
GO
--@ source: reasoned
EXEC sp_addrolemember 'db_owner', 'u'
GO
