--@ source: documentation create-credential-transact-sql
CREATE CREDENTIAL [s3://store.example.net:9000/backups] WITH IDENTITY = 'S3 Access Key', SECRET = 'keyid:secretkey';
CREATE CREDENTIAL AlterEgo WITH IDENTITY = 'Mary5', SECRET = 'Str0ng!enough';
CREATE CREDENTIAL NoSecret WITH IDENTITY = 'S3 Access Key';
GO
--@ source: documentation sys-credentials-transact-sql
SELECT name, credential_identity, target_type, target_id, IIF(create_date <= modify_date, 'in order', 'not') AS dates FROM sys.credentials ORDER BY credential_id;
GO
--@ source: message 15530
CREATE CREDENTIAL ALTEREGO WITH IDENTITY = 'Mary6';
GO
--@ source: documentation alter-credential-transact-sql
ALTER CREDENTIAL AlterEgo WITH IDENTITY = 'RettigB';
SELECT credential_identity FROM sys.credentials WHERE name = 'AlterEgo';
GO
--@ source: message 15151
ALTER CREDENTIAL Nobody WITH IDENTITY = 'x';
GO
--@ source: message 15151
DROP CREDENTIAL Nobody;
GO
--@ source: message 102
CREATE CREDENTIAL Half WITH SECRET = 'x';
GO
--@ source: message 40510
CREATE CREDENTIAL Ekm WITH IDENTITY = 'x', SECRET = 'y' FOR CRYPTOGRAPHIC PROVIDER p;
GO
--@ source: message 226
-- A credential is no matter of transactions here.
BEGIN TRANSACTION;
CREATE CREDENTIAL Within WITH IDENTITY = 'x';
GO
--@ source: reasoned
IF @@TRANCOUNT > 0 ROLLBACK;
SELECT COUNT(*) AS credentials FROM sys.credentials;
GO
--@ source: reasoned
CREATE LOGIN credential_keeper WITH PASSWORD = 'Str0ng!enough';
GO
--@ source: documentation create-credential-transact-sql
EXECUTE AS LOGIN = 'credential_keeper';
SELECT COUNT(*) AS seen FROM sys.credentials;
CREATE CREDENTIAL Mine WITH IDENTITY = 'x';
GO
--@ source: message 15151
DROP CREDENTIAL AlterEgo;
GO
--@ source: documentation create-credential-transact-sql
REVERT;
GRANT ALTER ANY CREDENTIAL TO credential_keeper;
EXECUTE AS LOGIN = 'credential_keeper';
CREATE CREDENTIAL Mine WITH IDENTITY = 'x';
DROP CREDENTIAL Mine;
SELECT COUNT(*) AS seen FROM sys.credentials;
REVERT;
DROP LOGIN credential_keeper;
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage-best-practices-and-troubleshooting
BACKUP DATABASE master TO URL = 's3://elsewhere.example.net/backups/master.bak';
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage
-- Not of S3, of no bucket, too long, of a credential that has no secret or is not for S3.
BACKUP DATABASE master TO URL = 'https://store.example.net:9000/backups/master.bak';
GO
--@ source: reasoned
BACKUP DATABASE master TO URL = 's3://store.example.net:9000/backups/x?y';
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage
DECLARE @long nvarchar(400) = 's3://store.example.net:9000/backups/' + REPLICATE('x', 260);
RESTORE HEADERONLY FROM URL = @long;
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage
RESTORE HEADERONLY FROM URL = 's3://store.example.net:9000/backups/master.bak' WITH CREDENTIAL = 'NoSecret';
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage
RESTORE HEADERONLY FROM URL = 's3://store.example.net:9000/backups/master.bak' WITH CREDENTIAL = 'AlterEgo';
GO
--@ source: message 15151
RESTORE HEADERONLY FROM URL = 's3://store.example.net:9000/backups/master.bak' WITH CREDENTIAL = 'Nobody';
GO
--@ source: reasoned
BACKUP DATABASE master TO URL = 's3://store.example.net:9000/backups/master.bak', DISK = 'master.bak';
GO
--@ source: documentation sql-server-backup-to-url-s3-compatible-object-storage
BACKUP DATABASE master TO URL = 's3://store.example.net:9000/backups/master.bak' WITH INIT;
GO
--@ source: message 3250
BACKUP DATABASE master TO URL = 's3://store.example.net:9000/backups/master.bak' WITH MAXTRANSFERSIZE = 4194304;
GO
--@ source: message 3250
BACKUP DATABASE master TO DISK = 'credentials.bak' WITH MAXTRANSFERSIZE = 5242880;
GO
--@ source: reasoned
BACKUP DATABASE master TO DISK = 'credentials.bak' WITH CREDENTIAL = 'AlterEgo';
GO
--@ source: message 13609
RESTORE HEADERONLY FROM URL = 's3://store.example.net:9000/backups/master.bak' WITH RESTORE_OPTIONS = '{"s3": ';
GO
--@ source: documentation drop-credential-transact-sql
DROP CREDENTIAL AlterEgo;
DROP CREDENTIAL NoSecret;
DROP CREDENTIAL [s3://store.example.net:9000/backups];
SELECT COUNT(*) AS credentials FROM sys.credentials;
GO
