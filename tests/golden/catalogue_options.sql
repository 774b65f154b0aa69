-- Options of indexes and columns that the catalogue keeps, and the DBCC commands beside them.
--@ source: reasoned
CREATE DATABASE Options
GO
--@ source: documentation CREATE INDEX
USE Options
CREATE TABLE t (a int NOT NULL IDENTITY(1, 1), b int NOT NULL, CONSTRAINT pk PRIMARY KEY (b) WITH (ALLOW_PAGE_LOCKS = OFF))
CREATE INDEX i ON t (b) WITH (ALLOW_PAGE_LOCKS = OFF, ALLOW_ROW_LOCKS = ON)
CREATE INDEX j ON t (b, a)
SELECT name, allow_row_locks, allow_page_locks FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY name
GO
--@ source: documentation ALTER INDEX
ALTER INDEX i ON t SET (ALLOW_PAGE_LOCKS = ON)
ALTER INDEX j ON t REBUILD WITH (ALLOW_PAGE_LOCKS = OFF)
ALTER INDEX pk ON t REBUILD
SELECT name, allow_row_locks, allow_page_locks, INDEXPROPERTY(object_id, name, 'IsPageLockDisallowed') AS disallowed
FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY name
GO
--@ source: documentation ALTER INDEX
ALTER INDEX i ON t SET (ALLOW_ROW_LOCKS = OFF)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t SET (LOCK_ESCALATION = AUTO)
SELECT lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 't'
ALTER TABLE t SET (LOCK_ESCALATION = TABLE)
SELECT lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 't'
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t SET (LOCK_ESCALATION = DISABLE)
GO
-- An identity column of another type goes on.
--@ source: documentation ALTER TABLE
CREATE TABLE numbered (a int NOT NULL IDENTITY(10, 5), b varchar(10))
INSERT numbered VALUES ('one'), ('two')
ALTER TABLE numbered ALTER COLUMN a bigint NOT NULL
INSERT numbered VALUES ('three')
SELECT a, b FROM numbered ORDER BY a
SELECT TYPE_NAME(system_type_id) AS type, is_identity, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('numbered') AND name = 'a'
SELECT IDENT_SEED('numbered') AS seed, IDENT_INCR('numbered') AS increment, IDENT_CURRENT('numbered') AS last
ALTER TABLE numbered ALTER COLUMN a decimal(5, 0) NOT NULL
INSERT numbered VALUES ('four')
SELECT a, b FROM numbered ORDER BY a
GO
--@ source: message 2749
ALTER TABLE numbered ALTER COLUMN a varchar(10) NOT NULL
GO
--@ source: message 2749
ALTER TABLE numbered ALTER COLUMN a decimal(5, 2) NOT NULL
GO
--@ source: documentation DBCC CHECKIDENT
CREATE TABLE behind (a int IDENTITY, b int)
DBCC CHECKIDENT ('behind', NORESEED)
INSERT behind VALUES (0), (0), (0)
DBCC CHECKIDENT ('behind', RESEED, 1)
DBCC CHECKIDENT ('behind', NORESEED)
DBCC CHECKIDENT ('behind', RESEED)
INSERT behind VALUES (1)
DBCC CHECKIDENT ('behind', RESEED, 2) WITH NO_INFOMSGS
DBCC CHECKIDENT ('behind')
INSERT behind VALUES (2)
SELECT a, b FROM behind ORDER BY a
GO
--@ source: documentation DBCC CHECKCATALOG
DBCC CHECKCATALOG
DBCC CHECKCATALOG ('Options') WITH NO_INFOMSGS
DBCC CHECKCATALOG (0)
GO
--@ source: message 2520
DBCC CHECKCATALOG ('nowhere')
GO
--@ source: peer DBCC SHOWFILESTATS
--@ mask TotalExtents, UsedExtents, FileName
DBCC SHOWFILESTATS WITH NO_INFOMSGS
GO
--@ source: reasoned
USE master
DROP DATABASE Options
GO
