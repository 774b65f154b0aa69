-- The catalogue of SQL Server 2000 as old scripts read it, and views beside it.
--@ source: reasoned
CREATE DATABASE elder
GO
--@ source: reasoned
USE elder
SET NOCOUNT ON
CREATE TABLE dbo.parent (a int NOT NULL, b int NOT NULL, CONSTRAINT parent_pk PRIMARY KEY (a, b))
CREATE TABLE dbo.child (x int NOT NULL CONSTRAINT child_pk PRIMARY KEY NONCLUSTERED, b int NULL, a int NULL, CONSTRAINT child_fk FOREIGN KEY (a, b) REFERENCES dbo.parent (a, b), CONSTRAINT child_uq UNIQUE (b DESC, x))
CREATE TABLE dbo.checked (a int NULL CONSTRAINT checked_df DEFAULT 1 CONSTRAINT checked_ck CHECK (a > 0), b int NULL, CONSTRAINT checked_both CHECK (a > b))
GO
--@ source: reasoned
CREATE VIEW dbo.own AS SELECT a FROM dbo.parent
GO
--@ source: documentation sys.sysforeignkeys
SELECT OBJECT_NAME(constid) AS k, OBJECT_NAME(fkeyid) AS f, OBJECT_NAME(rkeyid) AS r, COL_NAME(fkeyid, fkey) AS own, COL_NAME(rkeyid, rkey) AS other, keyno FROM sysforeignkeys ORDER BY keyno
SELECT OBJECT_NAME(constid) AS k, OBJECT_NAME(fkeyid) AS f, OBJECT_NAME(rkeyid) AS r, rkeyindid, keycnt, fkey1, fkey2, fkey3, rkey1, rkey2, rkey16 FROM sysreferences
SELECT OBJECT_NAME(constid) AS k, OBJECT_NAME(id) AS t, COL_NAME(id, colid) AS c, status FROM sysconstraints ORDER BY 1
SELECT OBJECT_NAME(k.id) AS t, i.name, COL_NAME(k.id, k.colid) AS c, k.keyno FROM sysindexkeys AS k JOIN sysindexes AS i ON i.id = k.id AND i.indid = k.indid ORDER BY i.name, k.keyno
GO
--@ source: documentation sys.sysobjects
SELECT name, xtype, type, category FROM sysobjects WHERE category = 0 ORDER BY name
-- Those of the system are listed too.
SELECT name, xtype, uid, category FROM sysobjects WHERE name IN ('objects', 'sp_who', 'fn_dblog', 'TABLES') AND category = 2 ORDER BY name
SELECT CASE WHEN COUNT(*) >= 3 THEN 'several' ELSE CAST(COUNT(*) AS varchar(9)) END AS views FROM sys.syscolumns AS c INNER JOIN sys.sysobjects AS o ON o.id = c.id WHERE o.type = 'V' AND c.name = 'event_session_id'
SELECT COUNT(*) AS otherwise FROM sys.all_objects AS a FULL JOIN sysobjects AS o ON o.id = a.object_id WHERE a.name IS NULL OR o.name IS NULL OR a.type <> o.xtype OR a.schema_id <> o.uid
SELECT COUNT(*) AS otherwise FROM sys.all_columns AS a LEFT JOIN syscolumns AS c ON c.id = a.object_id AND c.colid = a.column_id WHERE c.name IS NULL OR c.name <> a.name OR c.xtype <> a.system_type_id OR c.length <> a.max_length OR c.isnullable <> a.is_nullable
SELECT COUNT(*) AS objects FROM sys.objects WHERE type IN ('S', 'IT', 'SQ')
GO
--@ source: documentation sys.sysconfigures
SELECT c.value, c.config, c.comment, c.status FROM master.dbo.sysconfigures AS c WHERE c.config IN (101, 103, 1562, 16390) ORDER BY c.config
SELECT COUNT(*) AS otherwise FROM sys.configurations AS o LEFT JOIN sysconfigures AS c ON c.config = o.configuration_id LEFT JOIN syscurconfigs AS r ON r.config = o.configuration_id
WHERE ISNULL(c.value, -9) <> CAST(o.value AS int) OR ISNULL(r.value, -9) <> CAST(o.value_in_use AS int) OR c.comment <> o.description OR c.status <> o.is_dynamic + 2 * o.is_advanced OR r.status <> c.status
GO
--@ source: documentation sys.syscharsets
SELECT type, id, csid, name FROM syscharsets WHERE id IN (1, 2, 50, 52) ORDER BY id
SELECT COUNT(*) AS alone FROM syscharsets AS o WHERE o.type = 2001 AND NOT EXISTS (SELECT 1 FROM syscharsets AS s WHERE s.type = 1001 AND s.id = o.csid)
GO
--@ source: documentation sys.syslogins
SELECT name, loginname, dbname, language, hasaccess, denylogin, isntname, sysadmin, dbcreator, password, CASE WHEN sid = SUSER_SID(name) THEN 'own' END AS sid FROM master..syslogins
GO
--@ source: documentation sys.syslanguages
SELECT langid, name, alias, dateformat, datefirst FROM master..syslanguages WHERE langid IN (0, 1) ORDER BY langid
SELECT groupid, groupname FROM sysfilegroups
SELECT error, severity, dlevel, msglangid FROM master.dbo.sysmessages WHERE error IN (208, 1205, 9002) ORDER BY error
GO
--@ source: documentation sys.servers
SELECT server_id, CASE WHEN name = @@SERVERNAME AND data_source = name THEN 'this one' END AS name, product, is_linked, is_remote_login_enabled, is_rpc_out_enabled, is_data_access_enabled, is_collation_compatible, uses_remote_collation, collation_name,
    connect_timeout, query_timeout, lazy_schema_validation, is_system, is_publisher, is_remote_proc_transaction_promotion_enabled, is_rda_server, location, provider_string, [catalog] FROM sys.servers
SELECT s.srvid, o.server_id, s.srvproduct, s.rpc, s.isremote, s.nonsqlsub FROM master.dbo.sysservers AS s JOIN sys.servers AS o ON o.name = s.srvname
SELECT COUNT(*) AS audits FROM sys.dm_server_audit_status
GO
--@ source: reasoned
USE master
DROP DATABASE elder
GO
