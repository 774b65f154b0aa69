--@ source: reasoned
CREATE DATABASE Devices;
CREATE LOGIN device_keeper WITH PASSWORD = 'Str0ng!enough';
CREATE LOGIN device_guest WITH PASSWORD = 'Str0ng!enough';
ALTER SERVER ROLE diskadmin ADD MEMBER device_keeper;
GO
--@ source: documentation sp-addumpdevice-transact-sql
EXEC sp_addumpdevice 'disk', 'shelf', 'devices_shelf.bak';
EXEC master.dbo.sp_addumpdevice @devtype = 'DISK', @logicalname = N'other shelf', @physicalname = N'devices_other.bak', @cntrltype = 2;
SELECT name, type, type_desc, physical_name FROM sys.backup_devices ORDER BY name;
GO
--@ source: message 15026
EXEC sp_addumpdevice 'disk', 'SHELF', 'devices_third.bak';
GO
--@ source: message 15061
EXEC sp_addumpdevice 'disk', 'third', 'devices_shelf.bak';
GO
--@ source: message 15044
EXEC sp_addumpdevice 'cloud', 'third', 'devices_third.bak';
GO
--@ source: message 15045
EXEC sp_addumpdevice 'disk', NULL, 'devices_third.bak';
GO
--@ source: message 15046
EXEC sp_addumpdevice 'disk', 'third', NULL;
GO
--@ source: message 15002
BEGIN TRANSACTION;
EXEC sp_addumpdevice 'disk', 'third', 'devices_third.bak';
ROLLBACK;
GO
--@ source: documentation backup-transact-sql
--@ mask 3014, 4035
-- By the name, in brackets, and in a variable; several devices are stripes.
CREATE TABLE Devices.dbo.t (a int);
INSERT Devices.dbo.t VALUES (1), (2);
SET NOCOUNT ON;
BACKUP DATABASE Devices TO shelf WITH FORMAT;
DECLARE @device sysname = N'shelf';
BACKUP LOG Devices TO @device;
BACKUP DATABASE Devices TO [other shelf] WITH FORMAT, COPY_ONLY;
GO
--@ source: documentation restore-statements-transact-sql
--@ mask 3014, 4035
RESTORE VERIFYONLY FROM shelf WITH FILE = 2;
DROP DATABASE Devices;
RESTORE DATABASE Devices FROM shelf WITH NORECOVERY;
RESTORE LOG Devices FROM [shelf] WITH FILE = 2;
SELECT COUNT(*) AS rows_restored FROM Devices.dbo.t;
SELECT logical_device_name, IIF(physical_device_name LIKE '%/devices_%', 'a path', physical_device_name) AS physical_device_name, device_type
FROM msdb.dbo.backupmediafamily WHERE logical_device_name IS NOT NULL ORDER BY 1;
GO
--@ source: message 3206
BACKUP DATABASE Devices TO nowhere;
GO
--@ source: message 3201
EXEC sp_addumpdevice 'disk', 'missing', 'devices_missing.bak';
RESTORE DATABASE Devices FROM missing;
GO
--@ source: documentation sp-addumpdevice-transact-sql
-- Members of diskadmin add devices; who is none neither does nor sees them.
EXECUTE AS LOGIN = 'device_keeper';
EXEC sp_dropdevice 'missing';
SELECT COUNT(*) AS seen FROM sys.backup_devices;
REVERT;
GO
--@ source: message 15247
EXECUTE AS LOGIN = 'device_guest';
SELECT COUNT(*) AS seen FROM sys.backup_devices;
EXEC sp_addumpdevice 'disk', 'mine', 'devices_mine.bak';
GO
--@ source: reasoned
REVERT;
GO
--@ source: message 15012
EXEC sp_dropdevice 'nowhere';
GO
--@ source: message 15600
EXEC sp_dropdevice 'shelf', 'all';
GO
--@ source: documentation sp-dropdevice-transact-sql
-- DELFILE deletes the file; without it the file stays, and can be named by its path.
EXEC sp_dropdevice 'shelf', 'delfile';
EXEC sp_dropdevice 'Other Shelf';
SELECT COUNT(*) AS devices_left FROM sys.backup_devices;
RESTORE VERIFYONLY FROM DISK = 'devices_other.bak';
GO
--@ source: message 3201
RESTORE VERIFYONLY FROM DISK = 'devices_shelf.bak';
GO
--@ source: reasoned
DROP DATABASE Devices;
DROP LOGIN device_keeper;
DROP LOGIN device_guest;
GO
