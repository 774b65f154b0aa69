-- ALTER INDEX … DISABLE, and how an index comes back.
--@ source: reasoned
CREATE DATABASE Disabled
GO
--@ source: documentation Disable indexes and constraints
USE Disabled
CREATE TABLE p (id int NOT NULL CONSTRAINT p_pk PRIMARY KEY, u int NOT NULL CONSTRAINT p_uq UNIQUE, v int NULL)
CREATE INDEX p_v ON p (v) INCLUDE (u)
CREATE TABLE c (id int NOT NULL CONSTRAINT c_pk PRIMARY KEY, p int NULL CONSTRAINT c_p REFERENCES p (id), u int NULL CONSTRAINT c_u REFERENCES p (u))
INSERT p VALUES (1, 10, 100), (2, 20, 200)
INSERT c VALUES (1, 1, 10)
GO
-- A nonclustered index: its rows are gone, its definition stays.
--@ source: documentation Disable indexes and constraints
ALTER INDEX p_v ON p DISABLE
ALTER INDEX p_v ON p DISABLE
SELECT name, index_id, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('p') ORDER BY index_id
SELECT index_id FROM sys.partitions WHERE object_id = OBJECT_ID('p') ORDER BY index_id
SELECT INDEXPROPERTY(OBJECT_ID('p'), 'p_v', 'IsDisabled') AS is_off, INDEX_COL('p', 3, 1) AS col
SELECT COL_NAME(object_id, column_id) AS col, is_included_column FROM sys.index_columns WHERE object_id = OBJECT_ID('p') AND index_id = 3 ORDER BY index_column_id
INSERT p VALUES (3, 30, 300)
SELECT id FROM p WHERE v = 300
GO
--@ source: message 315
SELECT id FROM p WITH (INDEX (p_v)) WHERE v = 300
GO
--@ source: message 1913
CREATE INDEX p_v ON p (u)
GO
--@ source: message 1973
ALTER INDEX p_v ON p REORGANIZE
GO
--@ source: message 1973
ALTER INDEX p_v ON p SET (ALLOW_PAGE_LOCKS = OFF)
GO
--@ source: message 5074
ALTER TABLE p DROP COLUMN v
GO
--@ source: documentation ALTER INDEX
ALTER INDEX ALL ON p REORGANIZE
ALTER INDEX p_v ON p REBUILD
GO
--@ source: documentation ALTER INDEX
SELECT id FROM p WITH (INDEX (p_v)) WHERE v = 300
SELECT is_disabled FROM sys.indexes WHERE name = 'p_v'
DBCC CHECKTABLE ('p') WITH NO_INFOMSGS
GO
-- A unique one: the keys that refer to it are disabled, and nobody looks for duplicates.
--@ source: documentation Disable indexes and constraints
ALTER INDEX p_uq ON p DISABLE
SELECT name, is_disabled, is_not_trusted FROM sys.foreign_keys ORDER BY name
INSERT p VALUES (4, 30, 400)
INSERT c VALUES (2, 2, 77)
GO
--@ source: message 1989
ALTER TABLE c CHECK CONSTRAINT c_u
GO
--@ source: message 1505
ALTER INDEX p_uq ON p REBUILD
GO
--@ source: documentation Enable indexes and constraints
DELETE p WHERE id = 4
ALTER INDEX p_uq ON p REBUILD
ALTER TABLE c CHECK CONSTRAINT c_u
SELECT name, is_disabled, is_not_trusted FROM sys.foreign_keys ORDER BY name
GO
--@ source: message 547
INSERT c VALUES (3, 2, 78)
GO
-- The clustered one: nobody reads or changes rows.
--@ source: documentation Disable indexes and constraints
ALTER INDEX p_pk ON p DISABLE
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('p') ORDER BY index_id
SELECT name, is_disabled FROM sys.foreign_keys ORDER BY name
GO
--@ source: message 8655
SELECT * FROM p
GO
--@ source: message 8655
INSERT p VALUES (9, 9, 9)
GO
--@ source: message 8655
UPDATE p SET v = 1
GO
--@ source: message 8655
DELETE p
GO
--@ source: message 4712
TRUNCATE TABLE p
GO
--@ source: message 1974
ALTER TABLE p ADD more int
GO
--@ source: message 1974
CREATE INDEX p_more ON p (v)
GO
--@ source: message 1987
ALTER INDEX p_v ON p REBUILD
GO
--@ source: documentation Enable indexes and constraints
BEGIN TRAN
ALTER INDEX p_pk ON p REBUILD
GO
--@ source: documentation Enable indexes and constraints
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('p') ORDER BY index_id
SELECT COUNT(*) AS n FROM p
ROLLBACK
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('p') ORDER BY index_id
ALTER INDEX ALL ON p REBUILD
GO
--@ source: documentation Enable indexes and constraints
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('p') ORDER BY index_id
SELECT id, u, v FROM p ORDER BY id
DBCC CHECKTABLE ('p') WITH NO_INFOMSGS
GO
-- It may go: the rows are a heap then.
--@ source: documentation Disable indexes and constraints
CREATE TABLE h (a int NOT NULL, b int NOT NULL)
INSERT h VALUES (2, 2), (1, 1)
CREATE CLUSTERED INDEX h_c ON h (a)
CREATE INDEX h_b ON h (b)
ALTER INDEX h_c ON h DISABLE
DROP INDEX h_c ON h
SELECT a, b FROM h ORDER BY a
ALTER INDEX h_b ON h REBUILD
SELECT b FROM h WITH (INDEX (h_b)) WHERE b > 0 ORDER BY b
CREATE CLUSTERED INDEX h_c ON h (a)
ALTER INDEX ALL ON h DISABLE
CREATE CLUSTERED INDEX h_c ON h (b) WITH (DROP_EXISTING = ON)
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('h') ORDER BY index_id
SELECT a, b FROM h ORDER BY b
DROP INDEX h_b ON h
DROP TABLE h
GO
-- DROP_EXISTING of a constraint's index builds it anew, as it is.
--@ source: documentation CREATE INDEX
CREATE UNIQUE CLUSTERED INDEX p_pk ON p (id) WITH (DROP_EXISTING = ON, FILLFACTOR = 70)
SELECT name, is_primary_key, fill_factor FROM sys.indexes WHERE name = 'p_pk'
GO
--@ source: message 1907
CREATE UNIQUE CLUSTERED INDEX p_pk ON p (u) WITH (DROP_EXISTING = ON)
GO
--@ source: message 1907
CREATE UNIQUE INDEX p_uq ON p (u, v) WITH (DROP_EXISTING = ON)
GO
--@ source: documentation CREATE INDEX
CREATE UNIQUE INDEX p_i ON p (v)
ALTER TABLE c ADD pv int CONSTRAINT c_v REFERENCES p (v)
CREATE UNIQUE INDEX p_i ON p (v) WITH (DROP_EXISTING = ON, PAD_INDEX = ON)
GO
--@ source: message 1902
CREATE UNIQUE CLUSTERED INDEX p_i ON p (v) WITH (DROP_EXISTING = ON)
GO
--@ source: reasoned
USE master
DROP DATABASE Disabled
GO
