-- The kept backups are restored beside the database that they are of.
--@ source: peer the release that made the directory
--@ mask 3014
RESTORE DATABASE again FROM DISK = 'kept_full.bak' WITH MOVE 'kept' TO 'again.mdf', MOVE 'kept_log' TO 'again_log.ldf', NORECOVERY
RESTORE LOG again FROM DISK = 'kept_log.bak' WITH RECOVERY
GO
--@ source: peer the release that made the directory
SELECT name FROM again.dbo.parent WHERE later IS NOT NULL ORDER BY id
GO
--@ source: peer the release that made the directory
--@ mask 3014
RESTORE DATABASE again FROM DISK = 'kept_full.bak' WITH REPLACE, MOVE 'kept' TO 'again.mdf', MOVE 'kept_log' TO 'again_log.ldf', NORECOVERY
RESTORE DATABASE again FROM DISK = 'kept_diff.bak' WITH RECOVERY
GO
--@ source: peer the release that made the directory
SELECT name FROM again.dbo.parent WHERE later IS NOT NULL ORDER BY id
SELECT COUNT(*) AS rows, SUM(amount) AS amount FROM again.other.child
DBCC CHECKDB (again) WITH NO_INFOMSGS
GO
--@ source: peer the release that made the directory
DROP DATABASE again
GO
