-- A chain of backups, brought back beside the original; what is refused on the way; the tail of the log.
CREATE DATABASE GoldenBackup
GO
USE GoldenBackup
CREATE TABLE orders (id int IDENTITY PRIMARY KEY, item varchar(30) NOT NULL, amount int NOT NULL)
INSERT orders (item, amount) VALUES ('anchor', 1), ('bilge pump', 2), ('cleat', 3)
GO
-- No chain, no base.
BACKUP LOG GoldenBackup TO DISK = 'golden.trn'
GO
BACKUP DATABASE GoldenBackup TO DISK = 'golden.bak' WITH DIFFERENTIAL
GO
--@ mask 3014, 4035
BACKUP DATABASE GoldenBackup TO DISK = 'golden.bak' WITH FORMAT, NAME = N'full', MEDIANAME = N'golden', CHECKSUM
GO
INSERT orders (item, amount) VALUES ('deck brush', 4)
GO
--@ mask 3014, 4035
DECLARE @database sysname = N'GoldenBackup', @file nvarchar(260) = N'golden.trn'
BACKUP LOG @database TO DISK = @file WITH INIT, NAME = N'log 1'
GO
UPDATE orders SET amount = amount * 10
GO
--@ mask 3014, 4035
BACKUP DATABASE GoldenBackup TO DISK = 'golden.bak' WITH DIFFERENTIAL, NAME = N'differential'
GO
DELETE orders WHERE id = 2
GO
--@ mask 3014, 4035
BACKUP LOG GoldenBackup TO DISK = 'golden.trn' WITH NAME = N'log 2'
GO
INSERT orders (item, amount) VALUES ('ensign', 5)
GO
--@ mask 3014, 4035
BACKUP LOG GoldenBackup TO DISK = 'golden.trn' WITH NAME = N'log 3', STATS
GO
-- What msdb says of it: each log backup begins where the last one ended.
SELECT position, type, name, is_copy_only, has_backup_checksums, begins_log_chain, recovery_model
FROM msdb.dbo.backupset WHERE database_name = 'GoldenBackup' ORDER BY backup_set_id
SELECT COUNT(*) AS links FROM msdb.dbo.backupset a JOIN msdb.dbo.backupset b ON a.last_lsn = b.first_lsn
WHERE a.type = 'L' AND b.type = 'L' AND a.database_name = 'GoldenBackup' AND b.database_name = 'GoldenBackup'
GO
RESTORE VERIFYONLY FROM DISK = 'golden.bak'
GO
USE master
GO
-- Everything that is wrong is told before anything is touched.
RESTORE DATABASE GoldenBackup FROM DISK = 'missing.bak'
GO
RESTORE DATABASE GoldenBackup FROM DISK = 'golden.bak' WITH FILE = 9
GO
RESTORE DATABASE GoldenBackup FROM DISK = 'golden.trn'
GO
RESTORE LOG GoldenBackup FROM DISK = 'golden.trn'
GO
RESTORE LOG GoldenElsewhere FROM DISK = 'golden.trn'
GO
INSERT GoldenBackup.dbo.orders (item, amount) VALUES ('fender', 6)
RESTORE DATABASE GoldenBackup FROM DISK = 'golden.bak'
GO
RESTORE DATABASE GoldenCopy FROM DISK = 'golden.bak' WITH MOVE 'nothing' TO 'nothing.mdf'
GO
-- full, log 1, log 2, log 3
--@ mask 3014, 4035
RESTORE DATABASE GoldenCopy FROM DISK = 'golden.bak'
WITH MOVE 'GoldenBackup' TO 'GoldenCopy.mdf', MOVE 'GoldenBackup_log' TO 'GoldenCopy_log.ldf', NORECOVERY
GO
SELECT state_desc FROM sys.databases WHERE name = 'GoldenCopy'
SELECT * FROM GoldenCopy.dbo.orders
GO
ALTER DATABASE GoldenCopy SET RECOVERY SIMPLE
GO
--@ mask 4305
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 2, NORECOVERY
GO
--@ mask 3014, 4035
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 1, NORECOVERY
GO
-- Once more: nothing to do.
--@ mask 3014, 4035
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 1, NORECOVERY
GO
--@ mask 3014, 4035
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 2, NORECOVERY
GO
--@ mask 4326
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 1, NORECOVERY
GO
--@ mask 3014, 4035
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 3, RECOVERY
GO
SELECT state_desc FROM sys.databases WHERE name = 'GoldenCopy'
SELECT * FROM GoldenCopy.dbo.orders ORDER BY id
DROP DATABASE GoldenCopy
GO
-- full, differential, log 3 (log 2 is missing), log 2
--@ mask 3014, 4035
RESTORE DATABASE GoldenCopy FROM DISK = 'golden.bak'
WITH MOVE 'GoldenBackup' TO 'GoldenCopy.mdf', MOVE 'GoldenBackup_log' TO 'GoldenCopy_log.ldf', NORECOVERY
RESTORE DATABASE GoldenCopy FROM DISK = 'golden.bak' WITH FILE = 2, NORECOVERY
GO
--@ mask 4305
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 3, NORECOVERY
GO
--@ mask 3014, 4035
RESTORE LOG GoldenCopy FROM DISK = 'golden.trn' WITH FILE = 2, NORECOVERY
RESTORE DATABASE GoldenCopy WITH RECOVERY
GO
SELECT * FROM GoldenCopy.dbo.orders ORDER BY id
GO
-- The tail: what no backup held is saved first, and the database is RESTORING.
--@ mask 3014, 4035
BACKUP LOG GoldenBackup TO DISK = 'golden_tail.trn' WITH INIT, NORECOVERY
GO
SELECT state_desc FROM sys.databases WHERE name = 'GoldenBackup'
USE GoldenBackup
GO
--@ mask 3014, 4035
RESTORE DATABASE GoldenBackup FROM DISK = 'golden.bak' WITH FILE = 1, NORECOVERY
RESTORE DATABASE GoldenBackup FROM DISK = 'golden.bak' WITH FILE = 2, NORECOVERY
RESTORE LOG GoldenBackup FROM DISK = 'golden.trn' WITH FILE = 2, NORECOVERY
RESTORE LOG GoldenBackup FROM DISK = 'golden.trn' WITH FILE = 3, NORECOVERY
RESTORE LOG GoldenBackup FROM DISK = 'golden_tail.trn' WITH RECOVERY
GO
SELECT * FROM GoldenBackup.dbo.orders ORDER BY id
GO
-- Over a database that has gone on: only with REPLACE.
RESTORE DATABASE GoldenCopy FROM DISK = 'golden.bak'
WITH MOVE 'GoldenBackup' TO 'GoldenCopy.mdf', MOVE 'GoldenBackup_log' TO 'GoldenCopy_log.ldf'
GO
CREATE DATABASE GoldenOther
GO
RESTORE DATABASE GoldenOther FROM DISK = 'golden.bak'
WITH MOVE 'GoldenBackup' TO 'GoldenOther.mdf', MOVE 'GoldenBackup_log' TO 'GoldenOther_log.ldf'
GO
--@ mask 3014, 4035
RESTORE DATABASE GoldenOther FROM DISK = 'golden.bak'
WITH MOVE 'GoldenBackup' TO 'GoldenOther.mdf', MOVE 'GoldenBackup_log' TO 'GoldenOther_log.ldf', REPLACE
SELECT * FROM GoldenOther.dbo.orders ORDER BY id
GO
SELECT destination_database_name, restore_type, recovery, replace FROM msdb.dbo.restorehistory ORDER BY restore_history_id
EXEC msdb.dbo.sp_delete_database_backuphistory @database_name = 'GoldenBackup'
SELECT COUNT(*) AS sets_left FROM msdb.dbo.backupset WHERE database_name = 'GoldenBackup'
SELECT COUNT(*) AS restores_left FROM msdb.dbo.restorehistory
DROP DATABASE GoldenCopy, GoldenOther, GoldenBackup
GO
-- A log backup straight after the full one: nothing in between.
CREATE DATABASE GoldenQuiet
GO
USE GoldenQuiet
CREATE TABLE t (a int PRIMARY KEY)
INSERT t VALUES (1), (2)
GO
USE master
GO
--@ mask 3014, 4035
BACKUP DATABASE GoldenQuiet TO DISK = 'quiet.bak' WITH FORMAT
BACKUP LOG GoldenQuiet TO DISK = 'quiet.trn' WITH FORMAT
GO
--@ mask 3014, 4035
RESTORE DATABASE GoldenQuiet FROM DISK = 'quiet.bak' WITH NORECOVERY, REPLACE
RESTORE LOG GoldenQuiet FROM DISK = 'quiet.trn' WITH RECOVERY
GO
SELECT a FROM GoldenQuiet.dbo.t ORDER BY a
DROP DATABASE GoldenQuiet
GO
