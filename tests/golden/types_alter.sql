-- ALTER TABLE in all its forms, with the catalogue after each, and what it refuses.
--@ source: reasoned
CREATE DATABASE types_alter
GO
--@ source: reasoned
USE types_alter
SET NOCOUNT ON
CREATE TABLE t (a int)
INSERT t VALUES (1), (2)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t ADD b varchar(20) NULL
ALTER TABLE t ADD c int NOT NULL CONSTRAINT t_c DEFAULT (7), d datetime NULL CONSTRAINT t_d DEFAULT ('20240101') WITH VALUES, e int CONSTRAINT t_e DEFAULT (5), CONSTRAINT t_ck CHECK (a > 0)
SELECT * FROM t
SELECT name, column_id, is_nullable, OBJECT_NAME(default_object_id) AS d FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
GO
--@ source: message 4901
ALTER TABLE t ADD f int NOT NULL
PRINT 'behind'
GO
--@ source: message 2705
ALTER TABLE t ADD b int
GO
--@ source: message 2705
ALTER TABLE t ADD g int, g int
GO
--@ source: message 4902
ALTER TABLE none ADD a int
GO
--@ source: message 547
ALTER TABLE t ADD CONSTRAINT t_ck2 CHECK (a > 1)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t WITH NOCHECK ADD CONSTRAINT t_ck2 CHECK (a > 1)
SELECT name, is_disabled, is_not_trusted, OBJECTPROPERTY(object_id, 'CnstIsNotTrusted') AS p, OBJECTPROPERTY(object_id, 'CnstIsDisabled') AS q FROM sys.check_constraints ORDER BY name
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t NOCHECK CONSTRAINT t_ck
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints ORDER BY name
ALTER TABLE t CHECK CONSTRAINT ALL
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints ORDER BY name
ALTER TABLE t WITH CHECK CHECK CONSTRAINT t_ck
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints ORDER BY name
GO
--@ source: message 547
ALTER TABLE t WITH CHECK CHECK CONSTRAINT t_ck2
GO
--@ source: message 4917
ALTER TABLE t NOCHECK CONSTRAINT none
GO
--@ source: message 3728
ALTER TABLE t DROP CONSTRAINT none
PRINT 'behind'
GO
--@ source: message 4924
ALTER TABLE t DROP COLUMN none
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT IF EXISTS none
ALTER TABLE t DROP COLUMN IF EXISTS none
ALTER TABLE t DROP CONSTRAINT t_ck, t_ck2
SELECT COUNT(*) AS n FROM sys.check_constraints
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT t_c, COLUMN c
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT t_d, COLUMN d, b
SELECT name, column_id FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
ALTER TABLE t ADD z int
SELECT name, column_id FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
GO
--@ source: message 4923
CREATE TABLE one (a int)
ALTER TABLE one DROP COLUMN a
GO
--@ source: reasoned
IF OBJECT_ID('one') IS NULL CREATE TABLE one (a int)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t ALTER COLUMN a bigint NOT NULL
ALTER TABLE t ALTER COLUMN z varchar(10)
SELECT name, TYPE_NAME(system_type_id) AS t, max_length AS l, is_nullable AS n FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
GO
--@ source: documentation ALTER TABLE
UPDATE t SET z = 'hello'
ALTER TABLE t ALTER COLUMN z varchar(10) NOT NULL
ALTER TABLE t ALTER COLUMN z varchar(20)
SELECT is_nullable, max_length FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name = 'z'
GO
--@ source: message 245
ALTER TABLE t ALTER COLUMN z int
PRINT 'behind'
GO
--@ source: message 4924
ALTER TABLE t ALTER COLUMN none int
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP t_e
ALTER TABLE t ALTER COLUMN e bigint
CREATE INDEX t_z ON t (z)
ALTER TABLE t ALTER COLUMN z varchar(30)
SELECT max_length FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name = 'z'
GO
--@ source: documentation ALTER TABLE
CREATE TABLE k (a int NOT NULL, b int NOT NULL)
INSERT k VALUES (1, 1), (1, 2)
ALTER TABLE k ADD CONSTRAINT k_uq UNIQUE (a, b)
ALTER TABLE k ADD CONSTRAINT k_pk PRIMARY KEY (b DESC)
SELECT name, index_id, type_desc, is_unique FROM sys.indexes WHERE object_id = OBJECT_ID('k') ORDER BY index_id
SELECT index_id, key_ordinal, COL_NAME(object_id, column_id) AS c, is_descending_key AS d FROM sys.index_columns WHERE object_id = OBJECT_ID('k') ORDER BY 1, 2
GO
--@ source: message 1505
ALTER TABLE k ADD CONSTRAINT k_uq2 UNIQUE (a)
GO
--@ source: message 8111
CREATE TABLE n (a int NULL)
ALTER TABLE n ADD CONSTRAINT n_pk PRIMARY KEY (a)
GO
--@ source: documentation ALTER TABLE
CREATE TABLE f (a int CONSTRAINT f_fk FOREIGN KEY REFERENCES k (b) ON DELETE CASCADE ON UPDATE SET NULL)
SELECT name, delete_referential_action AS d, delete_referential_action_desc AS dd, update_referential_action_desc AS ud FROM sys.foreign_keys
GO
--@ source: message 3725
ALTER TABLE k DROP CONSTRAINT k_pk
PRINT 'behind'
GO
--@ source: message 547
ALTER TABLE f NOCHECK CONSTRAINT f_fk
INSERT f VALUES (99)
ALTER TABLE f WITH CHECK CHECK CONSTRAINT f_fk
GO
--@ source: message 1781
ALTER TABLE f ADD CONSTRAINT f_d1 DEFAULT (1) FOR a
ALTER TABLE f ADD CONSTRAINT f_d2 DEFAULT (2) FOR a
GO
--@ source: message 207
ALTER TABLE f ADD CONSTRAINT f_c CHECK (none > 1)
GO
--@ source: message 156
ALTER TABLE f ALTER COLUMN a int DEFAULT (1)
GO
--@ source: documentation ALTER TABLE
BEGIN TRAN
ALTER TABLE f ADD q int
SELECT COL_LENGTH('f', 'q') AS inside
ROLLBACK
SELECT COL_LENGTH('f', 'q') AS behind
GO
--@ source: documentation CREATE STATISTICS
CREATE STATISTICS s1 ON f (a)
SELECT name, stats_id, auto_created, user_created, no_recompute, has_filter FROM sys.stats WHERE object_id = OBJECT_ID('f') AND user_created = 1
GO
--@ source: message 1927
CREATE STATISTICS s1 ON f (a)
GO
--@ source: message 1911
CREATE STATISTICS s2 ON f (none)
GO
--@ source: message 3701
DROP STATISTICS f.none
GO
--@ source: documentation DROP STATISTICS
DROP STATISTICS f.s1
SELECT COUNT(*) AS n FROM sys.stats WHERE object_id = OBJECT_ID('f')
GO
--@ source: reasoned
USE master
DROP DATABASE types_alter
GO
