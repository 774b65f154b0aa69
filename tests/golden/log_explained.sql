-- The log explained: rows before and after, and the statements that take a transaction back.
--@ source: reasoned
CREATE DATABASE GoldenExplained
GO
--@ source: reasoned
USE GoldenExplained
ALTER DATABASE GoldenExplained SET RECOVERY FULL
CREATE TABLE accounts (id int IDENTITY CONSTRAINT pk_accounts PRIMARY KEY, owner nvarchar(30) NOT NULL, balance money NOT NULL)
CREATE TABLE notes (txt varchar(40) NULL, at datetime2(0) NULL)
INSERT accounts VALUES (N'Ada', 100), (N'Björn', 50), (N'O''Neill', 0)
INSERT notes VALUES ('a', '2024-02-29 12:00:00'), ('a', '2024-02-29 12:00:00'), (NULL, NULL)
GO
--@ source: reasoned
SET NOCOUNT ON
GO
--@ source: reasoned
BEGIN TRAN transfer
UPDATE accounts SET balance -= 30 WHERE id = 1
UPDATE accounts SET balance += 30 WHERE id = 2
SAVE TRAN here
DELETE accounts
ROLLBACK TRAN here
DELETE accounts WHERE id = 3
DELETE TOP (1) FROM notes WHERE txt = 'a'
UPDATE notes SET txt = 'none' WHERE txt IS NULL
COMMIT
BEGIN TRAN
UPDATE accounts SET balance = 0
ROLLBACK
GO
--@ source: reasoned
SELECT operation, table_name, key_columns, before, after, changed_columns, note
FROM taffrail.log_changes(NULL, NULL, NULL) WHERE transaction_name = N'transfer'
GO
--@ source: reasoned
SELECT operation, JSON_VALUE(after, '$.owner') AS owner FROM taffrail.log_changes(NULL, NULL, N'dbo.accounts')
GO
-- The script, without the numbers of the transaction.
--@ source: reasoned
DECLARE @t nvarchar(14) = (SELECT MIN(transaction_id) FROM taffrail.log_changes(NULL, NULL, NULL) WHERE transaction_name = N'transfer')
SELECT line, REPLACE(statement, @t, N'T') AS statement FROM taffrail.log_undo(@t) ORDER BY line
GO
--@ source: reasoned
DECLARE @t nvarchar(14) = (SELECT MIN(transaction_id) FROM taffrail.log_changes(NULL, NULL, NULL) WHERE transaction_name = N'transfer')
DECLARE @script nvarchar(max) = N''
SELECT @script += statement + NCHAR(10) FROM taffrail.log_undo(@t) ORDER BY line
EXEC (@script)
SELECT * FROM accounts
SELECT * FROM notes ORDER BY txt
-- Not a second time.
BEGIN TRY
    EXEC (@script)
END TRY
BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK
    SELECT ERROR_NUMBER() AS number, REPLACE(ERROR_MESSAGE(), @t, N'T') AS message
END CATCH
GO
--@ source: reasoned
SELECT @@TRANCOUNT AS transactions, COUNT(*) AS accounts FROM accounts
GO
--@ source: reasoned
TRUNCATE TABLE notes
ALTER TABLE accounts ADD since date NULL
GO
--@ source: reasoned
SELECT DISTINCT operation, table_name, before, IIF(note LIKE N'the table was altered at %', N'altered', note) AS note
FROM taffrail.log_changes(NULL, NULL, NULL)
WHERE operation = N'TRUNCATE TABLE' OR before LIKE N'%Ada%' ORDER BY 1, 3
GO
--@ source: message 208
SELECT * FROM taffrail.log_changes(NULL, NULL, N'dbo.nothing')
GO
--@ source: message 9005
SELECT * FROM taffrail.log_changes(N'here', NULL, NULL)
GO
--@ source: message 9003
SELECT * FROM taffrail.log_undo(N'0000:7fffffff')
GO
--@ source: message 40510
SELECT * FROM taffrail.log_undo(NULL)
GO
--@ source: message 8114
SELECT * FROM taffrail.log_undo(N'that')
GO
--@ source: message 313
SELECT * FROM taffrail.log_changes(NULL, NULL)
GO
--@ source: reasoned
USE master
DROP DATABASE GoldenExplained
GO
