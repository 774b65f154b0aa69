-- Statistics are kept by name; identity values before the seed; options of tables that are kept.
--@ source: reasoned
CREATE TABLE st (id int NOT NULL PRIMARY KEY, a int, b varchar(10), c int)
CREATE INDEX ix ON st (c)
GO
--@ source: documentation CREATE STATISTICS
CREATE STATISTICS s_ab ON dbo.st (a, b)
CREATE STATISTICS s_b ON st (b) WITH FULLSCAN, NORECOMPUTE
CREATE INDEX ix2 ON st (a)
SELECT name, stats_id, auto_created, user_created, no_recompute FROM sys.stats WHERE object_id = OBJECT_ID('st') AND stats_id > 1 ORDER BY stats_id
SELECT s.name, sc.stats_column_id, COL_NAME(sc.object_id, sc.column_id) AS col FROM sys.stats AS s JOIN sys.stats_columns AS sc ON sc.object_id = s.object_id AND sc.stats_id = s.stats_id WHERE s.object_id = OBJECT_ID('st') AND s.user_created = 1 ORDER BY s.name, sc.stats_column_id
SELECT name, index_id FROM sys.indexes WHERE object_id = OBJECT_ID('st') AND index_id > 1 ORDER BY index_id
UPDATE STATISTICS st s_ab WITH FULLSCAN
UPDATE STATISTICS st (s_ab, ix)
GO
--@ source: message 1927
CREATE STATISTICS S_AB ON st (c)
GO
--@ source: message 1927
CREATE STATISTICS ix ON st (c)
GO
--@ source: message 1911
CREATE STATISTICS s ON st (nope)
GO
--@ source: message 1909
CREATE STATISTICS s ON st (a, a)
GO
--@ source: message 1088
CREATE STATISTICS s ON nope (a)
GO
--@ source: message 155
CREATE STATISTICS s ON st (a) WITH FOO
GO
--@ source: message 5074
ALTER TABLE st DROP COLUMN b
GO
--@ source: message 3739
DROP STATISTICS st.ix
GO
--@ source: message 3701
DROP STATISTICS st.nope
GO
--@ source: message 3701
DROP STATISTICS dbo.nope.s_ab
GO
--@ source: documentation DROP STATISTICS
DROP STATISTICS st.s_ab, dbo.st.s_b
ALTER TABLE st DROP COLUMN b
SELECT name FROM sys.stats WHERE object_id = OBJECT_ID('st') AND user_created = 1
BEGIN TRANSACTION
CREATE STATISTICS s ON st (c)
ROLLBACK
SELECT COUNT(*) AS n FROM sys.stats WHERE object_id = OBJECT_ID('st') AND user_created = 1
CREATE TABLE #st (a int)
CREATE STATISTICS s ON #st (a)
DROP TABLE #st
GO
--@ source: documentation ALTER TABLE
ALTER TABLE st SET (LOCK_ESCALATION = DISABLE)
SELECT lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 'st'
ALTER TABLE st SET (LOCK_ESCALATION = AUTO)
SELECT lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 'st'
ALTER TABLE st SET (LOCK_ESCALATION = TABLE)
SELECT lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 'st'
GO
--@ source: documentation DBCC CHECKIDENT
CREATE TABLE sid (id int IDENTITY(10, 5), b int)
DBCC CHECKIDENT('sid', RESEED, 0) WITH NO_INFOMSGS
INSERT sid (b) VALUES (1), (2)
SELECT id FROM sid
DBCC CHECKIDENT('sid', RESEED, -20)
INSERT sid (b) VALUES (3)
SELECT IDENT_CURRENT('sid') AS now, IDENT_SEED('sid') AS seed, SCOPE_IDENTITY() AS given
DBCC CHECKIDENT('sid', NORESEED)
ALTER TABLE sid ALTER COLUMN id bigint NOT NULL
INSERT sid (b) VALUES (4)
SELECT MIN(id) AS least, SCOPE_IDENTITY() AS given FROM sid
DBCC CHECKIDENT('sid')
INSERT sid (b) VALUES (5)
SELECT SCOPE_IDENTITY() AS given
TRUNCATE TABLE sid
INSERT sid (b) VALUES (6)
SELECT id FROM sid
GO
--@ source: documentation DBCC CHECKIDENT
CREATE TABLE sdown (id int IDENTITY(1, -1), b int)
DBCC CHECKIDENT('sdown', RESEED, 5) WITH NO_INFOMSGS
INSERT sdown (b) VALUES (1), (2)
SELECT id FROM sdown
GO
--@ source: reasoned
DROP TABLE st, sid, sdown
GO
--@ source: documentation LOGINPROPERTY
SELECT LOGINPROPERTY('sa', 'IsLocked') AS locked, LOGINPROPERTY('sa', 'DefaultDatabase') AS db, LOGINPROPERTY('sa', 'BadPasswordTime') AS bad, LOGINPROPERTY('sa', 'nope') AS nothing, LOGINPROPERTY('nobody', 'IsLocked') AS nobody
GO
--@ source: documentation sys.fn_my_permissions
SELECT * FROM fn_my_permissions(NULL, NULL) WHERE permission_name IN ('CONTROL SERVER', 'VIEW SERVER STATE')
SELECT entity_name, permission_name FROM sys.fn_my_permissions(NULL, 'DATABASE') WHERE permission_name = 'CONTROL'
SELECT entity_name, permission_name FROM fn_my_permissions('sys.objects', 'OBJECT') WHERE permission_name = 'SELECT'
SELECT COUNT(*) AS n FROM fn_my_permissions('nope', 'OBJECT')
SELECT COUNT(*) AS n FROM sys.masked_columns
SELECT CASE WHEN OBJECT_ID('msdb.dbo.sysjobs') IS NULL THEN 'NULL' ELSE 'there' END AS jobs, CASE WHEN OBJECT_ID('msdb..sysjobs', 'U') IS NULL THEN 'NULL' ELSE 'there' END AS jobs_too, OBJECT_ID('msdb.dbo.nope') AS nope, OBJECT_ID('dbo.sysjobs') AS elsewhere
GO
--@ source: documentation sp_enumerrorlogs
CREATE TABLE #logs (n int, at varchar(30), bytes int)
INSERT #logs EXEC sp_enumerrorlogs
SELECT MIN(n) AS first, CASE WHEN MAX(bytes) > 0 THEN 'text' END AS holds FROM #logs
DROP TABLE #logs
GO
