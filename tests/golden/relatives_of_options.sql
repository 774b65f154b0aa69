-- Options of statements that make, change and drop things: each is read, none is passed over.
--@ source: reasoned
CREATE DATABASE Relatives
GO
--@ source: documentation CREATE INDEX
USE Relatives
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, CONSTRAINT pk PRIMARY KEY (a), CONSTRAINT uq UNIQUE (b))
CREATE INDEX i ON t (b)
GO
-- A value that a switch does not have drops no index.
--@ source: message 102
CREATE INDEX i ON t (a) WITH (DROP_EXISTING = nonsense)
GO
--@ source: message 102
CREATE INDEX j ON t (a) WITH (SORT_IN_TEMPDB = 7)
GO
--@ source: message 102
CREATE INDEX j ON t (a) WITH (XML_COMPRESSION = banana)
GO
--@ source: message 102
ALTER INDEX i ON t REBUILD WITH (ONLINE = banana)
GO
--@ source: reasoned
SELECT i.name, COL_NAME(c.object_id, c.column_id) AS col FROM sys.indexes AS i
JOIN sys.index_columns AS c ON c.object_id = i.object_id AND c.index_id = i.index_id WHERE i.object_id = OBJECT_ID('t') ORDER BY i.name
GO
--@ source: documentation CREATE INDEX
CREATE INDEX j ON t (a) WITH (XML_COMPRESSION = OFF ON PARTITIONS (1))
GO
-- Parentheses behind a value belong to few options.
--@ source: message 102
CREATE INDEX k ON t (a) WITH (DATA_COMPRESSION = NONE (1))
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t DROP CONSTRAINT uq WITH (MAXDOP = 1, ONLINE = ON)
GO
--@ source: message 155
ALTER TABLE t DROP CONSTRAINT pk WITH (FILLFACTOR = 80)
GO
--@ source: documentation ALTER TABLE
ALTER TABLE t ALTER COLUMN c bigint NOT NULL WITH (ONLINE = ON)
GO
--@ source: message 155
ALTER TABLE t ALTER COLUMN c int NOT NULL WITH (MAXDOP = 2)
GO
--@ source: reasoned
SELECT name FROM sys.objects WHERE parent_object_id = OBJECT_ID('t')
SELECT TYPE_NAME(system_type_id) AS c FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name = 'c'
GO
-- There is no secondary replica whose log or cached plans could be set apart.
--@ source: message 40510
ALTER DATABASE SCOPED CONFIGURATION FOR SECONDARY SET LOG_VLF_ALGORITHM = 2014
GO
--@ source: message 40510
ALTER DATABASE SCOPED CONFIGURATION FOR SECONDARY CLEAR PROCEDURE_CACHE
GO
--@ source: message 1921
SELECT 1 AS a INTO made ON nowhere
GO
--@ source: reasoned
SELECT OBJECT_ID('made') AS made
SELECT 1 AS a INTO made ON [PRIMARY]
SELECT a FROM made
GO
-- A database may bear the name SCOPED.
--@ source: message 3701
DROP DATABASE scoped
GO
--@ source: documentation ALTER DATABASE SET
ALTER DATABASE model SET CURSOR_DEFAULT LOCAL
CREATE DATABASE Inherits
ALTER DATABASE model SET CURSOR_DEFAULT GLOBAL
SELECT name, is_local_cursor_default FROM sys.databases WHERE name IN ('Inherits', 'model') ORDER BY name
DROP DATABASE Inherits
GO
--@ source: reasoned
USE master
DROP DATABASE Relatives
GO
