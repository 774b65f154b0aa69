-- How often statements use indexes, as sys.dm_db_index_usage_stats counts it.
--@ source: reasoned
CREATE TABLE dbo.used (id int NOT NULL CONSTRAINT used_key PRIMARY KEY, a int NOT NULL, b varchar(20) NULL, c int NULL, INDEX used_a (a), INDEX used_c (c) INCLUDE (a))
CREATE TABLE dbo.used_heap (id int NOT NULL, INDEX heap_id (id))
GO
-- Nothing has used them: no row.
--@ source: documentation sys.dm_db_index_usage_stats
SELECT COUNT(*) AS used FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID() AND object_id IN (OBJECT_ID('dbo.used'), OBJECT_ID('dbo.used_heap'))
GO
-- A statement counts once, however many rows it changes; an UPDATE counts for the table and the indexes of the columns that change.
--@ source: documentation sys.dm_db_index_usage_stats
INSERT dbo.used SELECT value, value % 7, 'b', value % 5 FROM GENERATE_SERIES(1, 2000)
INSERT dbo.used_heap SELECT id FROM dbo.used
UPDATE dbo.used SET b = 'x' WHERE id = 1
UPDATE dbo.used SET a = a + 1 WHERE id = 2
DELETE dbo.used WHERE id = 3
GO
--@ source: reasoned
SELECT b FROM dbo.used WHERE id = 5
SELECT COUNT(*) AS n FROM dbo.used WHERE c = 3 AND a < 100
SELECT b FROM dbo.used WHERE a = 12345
SELECT COUNT(*) AS n FROM dbo.used_heap WITH (INDEX (0)) WHERE id > 5
GO
--@ source: documentation sys.dm_db_index_usage_stats
SELECT o.name AS table_name, ISNULL(i.name, 'heap') AS index_name, u.user_seeks, u.user_scans, u.user_lookups, u.user_updates,
    CASE WHEN (u.user_seeks > 0 AND u.last_user_seek IS NOT NULL) OR (u.user_seeks = 0 AND u.last_user_seek IS NULL) THEN 1 ELSE 0 END AS seek_time,
    CASE WHEN (u.user_updates > 0 AND u.last_user_update > '20200101') OR (u.user_updates = 0 AND u.last_user_update IS NULL) THEN 1 ELSE 0 END AS update_time, u.system_scans
FROM sys.dm_db_index_usage_stats AS u JOIN sys.indexes AS i ON i.object_id = u.object_id AND i.index_id = u.index_id JOIN sys.objects AS o ON o.object_id = u.object_id
WHERE u.database_id = DB_ID() AND o.name IN ('used', 'used_heap') ORDER BY o.name, u.index_id
GO
-- A plan that is run again counts again; a rebuild takes nothing away, a drop does.
--@ source: documentation sys.dm_db_index_usage_stats
DECLARE @i int = 0, @b varchar(20)
WHILE @i < 10 BEGIN SELECT @b = b FROM dbo.used WHERE id = @i SET @i += 1 END
ALTER INDEX ALL ON dbo.used REBUILD
SELECT index_id, user_seeks FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID() AND object_id = OBJECT_ID('dbo.used') AND index_id = 1
DROP INDEX used_a ON dbo.used
CREATE INDEX used_a ON dbo.used (a)
SELECT COUNT(*) AS used FROM sys.dm_db_index_usage_stats AS u JOIN sys.indexes AS i ON i.object_id = u.object_id AND i.index_id = u.index_id WHERE u.database_id = DB_ID() AND i.name = 'used_a'
GO
-- Indexes without a use since the server began, as scripts ask for them.
--@ source: reasoned
SELECT i.name FROM sys.indexes AS i LEFT JOIN sys.dm_db_index_usage_stats AS u ON u.object_id = i.object_id AND u.index_id = i.index_id AND u.database_id = DB_ID()
WHERE i.object_id IN (OBJECT_ID('dbo.used'), OBJECT_ID('dbo.used_heap')) AND ISNULL(u.user_seeks + u.user_scans + u.user_lookups, 0) = 0 ORDER BY i.name
DROP TABLE dbo.used, dbo.used_heap
