-- What scripts of maintenance look at, and what is refused: statistics, data spaces, messages of DDL, KILL … WITH STATUSONLY.
CREATE DATABASE Looked
GO
USE Looked
GO
CREATE TABLE heap (a int)
CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, k int, v int)
CREATE INDEX ix ON t (k DESC, v) INCLUDE (id)
INSERT t VALUES (1, 7, 1), (2, 7, 2)
GO
SELECT s.name, s.stats_id, s.auto_created, s.user_created, s.no_recompute, s.has_filter, s.is_temporary, s.is_incremental FROM sys.stats AS s JOIN sys.tables AS t ON t.object_id = s.object_id ORDER BY s.stats_id
SELECT stats_id, stats_column_id, c.name FROM sys.stats_columns AS s JOIN sys.columns AS c ON c.object_id = s.object_id AND c.column_id = s.column_id WHERE s.object_id = OBJECT_ID('t') ORDER BY 1, 2
-- As IndexOptimize asks.
SELECT indexes.name, indexes.[type], stats.stats_id, CASE WHEN partition_schemes.name IS NULL THEN 0 ELSE 1 END AS partitioned, data_spaces.type AS space
FROM sys.indexes AS indexes
INNER JOIN sys.objects AS objects ON indexes.object_id = objects.object_id
LEFT OUTER JOIN sys.stats AS stats ON indexes.object_id = stats.object_id AND indexes.index_id = stats.stats_id
LEFT OUTER JOIN sys.data_spaces AS data_spaces ON indexes.data_space_id = data_spaces.data_space_id
LEFT OUTER JOIN sys.partition_schemes AS partition_schemes ON indexes.data_space_id = partition_schemes.data_space_id
WHERE objects.type = 'U' ORDER BY objects.name, indexes.index_id
SELECT (SELECT COUNT(*) FROM sys.partition_schemes) + (SELECT COUNT(*) FROM sys.partition_functions) + (SELECT COUNT(*) FROM sys.xml_indexes) + (SELECT COUNT(*) FROM sys.plan_guides) + (SELECT COUNT(*) FROM sys.assemblies) AS nothing
SELECT name, protocol_desc, type_desc, state_desc FROM sys.endpoints
SELECT COUNT(*) - (SELECT COUNT(*) FROM sys.databases) AS of_all FROM sys.database_mirroring WHERE mirroring_guid IS NULL
GO
CREATE TABLE oc (a int)
GO
ALTER TABLE oc DROP COLUMN a
GO
ALTER TABLE t ADD CONSTRAINT u UNIQUE (k)
GO
ALTER TABLE t ADD CONSTRAINT u UNIQUE (k, v)
GO
DBCC DBREINDEX ('nope')
GO
ALTER INDEX ALL ON t REBUILD WITH (MAXDOP = 32767)
GO
ALTER INDEX ALL ON t REBUILD WITH (MAXDOP = 99999)
GO
SET CURSOR_CLOSE_ON_COMMIT OFF
GO
SET CURSOR_CLOSE_ON_COMMIT ON
GO
USE master
GO
BEGIN TRAN
EXEC sp_renamedb 'Looked', 'Seen'
ROLLBACK
GO
EXEC sp_renamedb 'Looked', NULL
GO
BEGIN TRY
    CREATE DATABASE twice ON (NAME = d, FILENAME = 'twice.mdf') LOG ON (NAME = l, FILENAME = 'twice.ldf', SIZE = 3TB)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS said
END CATCH
GO
KILL 999 WITH STATUSONLY
GO
DROP DATABASE Looked
GO
