-- Periods and SYSTEM_VERSIONING: how they are made, checked, changed, shown and taken back.
--@ source: reasoned
CREATE DATABASE Periods
GO
--@ source: reasoned
USE Periods
GO
--@ source: documentation Create a system-versioned temporal table
CREATE TABLE dbo.a (id int NOT NULL CONSTRAINT a_pk PRIMARY KEY, v varchar(10) NOT NULL DEFAULT 'x', s datetime2(3) GENERATED ALWAYS AS ROW START,
    e datetime2(3) GENERATED ALWAYS AS ROW END HIDDEN, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON)
CREATE TABLE dbo.b (id int NOT NULL PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START NOT NULL, e datetime2 GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = [dbo].[b.old], HISTORY_RETENTION_PERIOD = 6 MONTHS))
SELECT REPLACE(name, OBJECT_ID('dbo.a'), '<id>') AS name, temporal_type, temporal_type_desc, IIF(history_table_id IS NULL, 'no', 'yes') AS has_history,
    history_retention_period AS kept, history_retention_period_unit AS unit, history_retention_period_unit_desc AS unit_desc FROM sys.tables ORDER BY object_id
SELECT name, period_type, period_type_desc, OBJECT_NAME(object_id) AS [table], start_column_id, end_column_id FROM sys.periods ORDER BY object_id
SELECT name, generated_always_type AS type, generated_always_type_desc, is_hidden, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('dbo.a') ORDER BY column_id
SELECT c.name, TYPE_NAME(c.user_type_id) AS type, c.scale, c.is_nullable, c.default_object_id AS [default], c.generated_always_type AS generated
FROM sys.columns c JOIN sys.tables t ON t.history_table_id = c.object_id WHERE t.name = 'a' ORDER BY c.column_id
SELECT REPLACE(i.name, OBJECT_ID('dbo.a'), '<id>') AS name, i.type_desc, i.is_unique, COL_NAME(k.object_id, k.column_id) AS [key]
FROM sys.tables t JOIN sys.indexes i ON i.object_id = t.history_table_id JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id
WHERE t.name = 'a' ORDER BY k.key_ordinal
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.a'), 'TableTemporalType') AS a, OBJECTPROPERTY(OBJECT_ID('dbo.[b.old]'), 'TableTemporalType') AS old,
    COLUMNPROPERTY(OBJECT_ID('dbo.a'), 'e', 'IsHidden') AS hidden, COLUMNPROPERTY(OBJECT_ID('dbo.a'), 's', 'GeneratedAlwaysType') AS generated
GO
-- What a period has to be.
--@ source: message 13501
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13502
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW START, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13503
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW END, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13504
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 NOT NULL, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13505
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13506
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (e, s))
GO
--@ source: message 13508
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e), PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13509
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START)
GO
--@ source: message 13513
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2(3) GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13587
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START NULL, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: message 13510
CREATE TABLE dbo.x (id int PRIMARY KEY) WITH (SYSTEM_VERSIONING = ON)
GO
--@ source: message 13553
CREATE TABLE dbo.x (id int, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON)
GO
--@ source: message 13539
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = x_old))
GO
--@ source: message 13514
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.[b.old]))
GO
--@ source: message 13744
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 6 HOURS))
GO
--@ source: message 13743
CREATE TABLE dbo.x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 0 DAYS))
GO
--@ source: message 13568
CREATE TABLE #x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON)
GO
--@ source: message 13572
DECLARE @x TABLE (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM sys.tables WHERE name LIKE 'x%'
GO
-- A table that is there gets a period, with columns of its own or those that are there.
--@ source: documentation ALTER TABLE
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT t_pk PRIMARY KEY, v int NULL)
INSERT dbo.t VALUES (1, 1), (2, 2)
ALTER TABLE dbo.t ADD s datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL CONSTRAINT t_s DEFAULT SYSUTCDATETIME(),
    e datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL CONSTRAINT t_e DEFAULT '9999-12-31 23:59:59.9999999', PERIOD FOR SYSTEM_TIME (s, e)
ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.t_old))
UPDATE dbo.t SET v = 10 WHERE id = 1
SELECT * FROM dbo.t FOR SYSTEM_TIME ALL ORDER BY id, v
ALTER TABLE dbo.t ALTER COLUMN s DROP HIDDEN
SELECT name, is_hidden FROM sys.columns WHERE object_id = OBJECT_ID('dbo.t') AND generated_always_type > 0 ORDER BY name
ALTER TABLE dbo.t ALTER COLUMN s ADD HIDDEN
GO
--@ source: message 13735
ALTER TABLE dbo.t ALTER COLUMN v ADD HIDDEN
GO
--@ source: reasoned
CREATE TABLE dbo.f (id int PRIMARY KEY, s datetime2(0) NOT NULL, e datetime2(0) NOT NULL, n datetime2(0) NULL)
INSERT dbo.f VALUES (1, '2020-01-01', '2021-01-01', NULL)
GO
--@ source: message 13575
ALTER TABLE dbo.f ADD PERIOD FOR SYSTEM_TIME (s, e)
GO
--@ source: reasoned
UPDATE dbo.f SET s = '9000-01-01', e = '9999-12-31 23:59:59'
GO
--@ source: message 13542
ALTER TABLE dbo.f ADD PERIOD FOR SYSTEM_TIME (s, e)
GO
--@ source: message 13587
ALTER TABLE dbo.f ADD PERIOD FOR SYSTEM_TIME (s, n)
GO
--@ source: message 4924
ALTER TABLE dbo.f ADD PERIOD FOR SYSTEM_TIME (s, nothing)
GO
--@ source: message 13593
ALTER TABLE dbo.f DROP PERIOD FOR SYSTEM_TIME
GO
--@ source: message 13591
ALTER TABLE dbo.f SET (SYSTEM_VERSIONING = OFF)
GO
--@ source: message 13597
ALTER TABLE dbo.t ADD PERIOD FOR SYSTEM_TIME (s, e)
GO
--@ source: message 13592
ALTER TABLE dbo.t DROP PERIOD FOR SYSTEM_TIME
GO
--@ source: message 13596
ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON)
GO
--@ source: message 13595
ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.f))
GO
--@ source: message 13757
ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.nothing))
GO
-- Columns of the current table are columns of its history.
--@ source: documentation Change the schema of a system-versioned temporal table
ALTER TABLE dbo.t ADD w nvarchar(20) NOT NULL CONSTRAINT t_w DEFAULT N'new', u int NULL CONSTRAINT t_u DEFAULT 7
ALTER TABLE dbo.t ALTER COLUMN v bigint NULL
GO
--@ source: documentation Change the schema of a system-versioned temporal table
UPDATE dbo.t SET w = N'changed' WHERE id = 2
SELECT id, v, w, u FROM dbo.t ORDER BY id
SELECT id, v, w, u FROM dbo.t_old ORDER BY id
SELECT OBJECT_NAME(object_id) AS [table], name, TYPE_NAME(user_type_id) AS type, is_nullable, IIF(default_object_id > 0, 1, 0) AS has_default
FROM sys.columns WHERE object_id IN (OBJECT_ID('dbo.t'), OBJECT_ID('dbo.t_old')) AND name IN ('v', 'w', 'u') ORDER BY 1, column_id
ALTER TABLE dbo.t DROP CONSTRAINT t_w
ALTER TABLE dbo.t DROP COLUMN w
EXEC sp_rename 'dbo.t.u', 'unit', 'COLUMN'
SELECT OBJECT_NAME(object_id) AS [table], name FROM sys.columns WHERE object_id IN (OBJECT_ID('dbo.t'), OBJECT_ID('dbo.t_old')) ORDER BY 1, column_id
DELETE dbo.t WHERE id = 2
SELECT COUNT(*) AS n FROM dbo.t FOR SYSTEM_TIME ALL
GO
--@ source: message 515
ALTER TABLE dbo.t ALTER COLUMN unit int NOT NULL
GO
--@ source: message 13724
ALTER TABLE dbo.t ADD c AS id + 1
GO
--@ source: message 13704
ALTER TABLE dbo.t ADD c int IDENTITY
GO
--@ source: message 13723
ALTER TABLE dbo.t ADD c uniqueidentifier ROWGUIDCOL
GO
--@ source: message 13588
ALTER TABLE dbo.t DROP COLUMN s
GO
--@ source: message 13599
ALTER TABLE dbo.t ALTER COLUMN s datetime2(3)
GO
--@ source: message 13557
ALTER TABLE dbo.t DROP CONSTRAINT t_pk
GO
--@ source: message 13550
ALTER TABLE dbo.t_old ADD c int NULL
GO
--@ source: message 13551
ALTER TABLE dbo.t_old DROP COLUMN v
GO
--@ source: message 13548
ALTER TABLE dbo.t_old ALTER COLUMN v int NULL
GO
--@ source: message 13558
ALTER TABLE dbo.t_old ADD PRIMARY KEY (id)
GO
--@ source: message 13583
ALTER TABLE dbo.t_old ADD UNIQUE (id)
GO
--@ source: message 13564
ALTER TABLE dbo.t_old ADD CHECK (id > 0)
GO
--@ source: message 13565
ALTER TABLE dbo.t_old ADD CONSTRAINT t_fk FOREIGN KEY (id) REFERENCES dbo.t (id)
GO
--@ source: message 13741
CREATE UNIQUE INDEX i ON dbo.t_old (id)
GO
--@ source: message 13759
EXEC sp_rename 'dbo.t_old.v', 'vv', 'COLUMN'
GO
-- Indexes of the history are one's own.
--@ source: documentation Temporal table considerations and limitations
CREATE INDEX i ON dbo.t_old (id) INCLUDE (v)
GO
--@ source: documentation Temporal table considerations and limitations
UPDATE dbo.t SET v = 11
SELECT v FROM dbo.t_old WITH (INDEX (i)) WHERE id = 1 ORDER BY v
DBCC CHECKTABLE ('dbo.t_old') WITH NO_INFOMSGS
GO
-- A history that is there has to fit.
--@ source: reasoned
CREATE TABLE dbo.n (id int NOT NULL PRIMARY KEY, v varchar(5) NULL, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
CREATE TABLE dbo.h1 (id int NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h2 (id int NOT NULL, w varchar(5) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h3 (id int NOT NULL, v varchar(6) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h4 (id int NOT NULL, v varchar(5) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h5 (id int NOT NULL UNIQUE, v varchar(5) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h6 (id int NOT NULL CHECK (id > 0), v varchar(5) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h7 (id int NOT NULL IDENTITY, v varchar(5) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL)
CREATE TABLE dbo.h8 (id int NOT NULL, v varchar(5) NULL DEFAULT 'd', s datetime2 NOT NULL, e datetime2 NOT NULL)
INSERT dbo.h8 VALUES (1, 'a', '2020-01-01', '2020-02-01'), (1, 'b', '2020-01-15', '2020-03-01')
GO
--@ source: message 13523
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h1))
GO
--@ source: message 13524
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h2))
GO
--@ source: message 13525
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h3))
GO
--@ source: message 13531
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h4))
GO
--@ source: message 13515
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h5))
GO
--@ source: message 13517
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h6))
GO
--@ source: message 13518
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h7))
GO
--@ source: message 13573
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h8))
GO
--@ source: reasoned
UPDATE dbo.h8 SET e = '2019-01-01' WHERE v = 'b'
GO
--@ source: message 13541
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h8))
GO
--@ source: reasoned
UPDATE dbo.h8 SET s = '2020-02-01', e = '2500-01-01' WHERE v = 'b'
GO
--@ source: message 13543
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h8))
GO
--@ source: message 13765
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h8, DATA_CONSISTENCY_CHECK = OFF, HISTORY_RETENTION_PERIOD = 1 DAY))
GO
-- Rows that are older than they are kept are shown no more, and go.
--@ source: documentation Manage retention of historical data in system-versioned temporal tables
UPDATE dbo.h8 SET e = '2020-03-01' WHERE v = 'b'
CREATE CLUSTERED INDEX h8_c ON dbo.h8 (e, s)
INSERT dbo.n (id, v) VALUES (1, 'c')
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (DATA_CONSISTENCY_CHECK = ON, HISTORY_TABLE = dbo.h8, HISTORY_RETENTION_PERIOD = INFINITE))
GO
--@ source: documentation Manage retention of historical data in system-versioned temporal tables
UPDATE dbo.n SET v = 'd'
SELECT v FROM dbo.n FOR SYSTEM_TIME ALL ORDER BY v
ALTER TABLE dbo.n SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 2 WEEKS))
SELECT v FROM dbo.n FOR SYSTEM_TIME ALL ORDER BY v
DECLARE @n int
EXEC sys.sp_cleanup_temporal_history 'dbo', 'n', @n OUTPUT
SELECT v FROM dbo.h8
GO
--@ source: message 13766
DROP INDEX h8_c ON dbo.h8
GO
--@ source: message 13746
EXEC sp_cleanup_temporal_history 'dbo', 'h1'
GO
--@ source: message 13747
EXEC sp_cleanup_temporal_history 'dbo', 't'
GO
--@ source: reasoned
USE master
DROP DATABASE Periods
GO
