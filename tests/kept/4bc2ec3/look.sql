-- What the kept databases hold. Run on the release that made them for the expectation, and by every later one.
--@ source: peer the release that made the directory
USE kept
GO
--@ source: peer the release that made the directory
SELECT id, a, b, c, d, e, f, g, h, i, j, k FROM every_type ORDER BY id
SELECT id, l, m, n, o, p, q, r, s, t, u, CONVERT(varchar(20), v, 1) AS v, CONVERT(varchar(120), w, 1) AS w, x FROM every_type ORDER BY id
SELECT id, CAST(y AS varchar(20)) AS y, SQL_VARIANT_PROPERTY(y, 'BaseType') AS base, CAST(z AS nvarchar(100)) AS z, DATALENGTH(ta) AS ta, DATALENGTH(tb) AS tb, DATALENGTH(tc) AS tc, DATALENGTH(ma) AS ma, DATALENGTH(mb) AS mb, DATALENGTH(mc) AS mc,
  CONVERT(varchar(64), HASHBYTES('SHA2_256', ma), 2) AS hash_a, CONVERT(varchar(64), HASHBYTES('SHA2_256', mb), 2) AS hash_b, CONVERT(varchar(64), HASHBYTES('SHA2_256', mc), 2) AS hash_c FROM every_type ORDER BY id
GO
--@ source: peer the release that made the directory
SELECT id, name, made, later FROM parent ORDER BY id
SELECT COUNT(*) AS rows, SUM(id) AS ids, SUM(part) AS parts, SUM(parent) AS parents, SUM(amount) AS amount, SUM(LEN(note)) AS notes FROM other.child
SELECT COUNT(*) AS covering FROM other.child WITH (INDEX(covering)) WHERE parent BETWEEN 20 AND 60
SELECT COUNT(*) AS filtered FROM other.child WHERE amount > 90
SELECT COUNT(*) AS rows, SUM(a) AS a, SUM(LEN(b)) AS b FROM heap
SELECT a FROM heap WHERE a IN (13, 22, 23) ORDER BY a
SELECT TOP 5 name, rows, amount FROM sums ORDER BY name
DECLARE @c int, @r int
EXEC @r = other.count_of 3, @c OUTPUT
SELECT @r AS returned, @c AS counted
SELECT a, RTRIM(b) AS b FROM emptied
SELECT CAST(value AS varchar(30)) AS value FROM sys.extended_properties WHERE name = 'MS_Description'
GO
--@ source: peer the release that made the directory
SELECT o.name, i.name AS index_name, i.type_desc, i.is_unique, i.is_primary_key, i.has_filter, p.rows FROM sys.objects o JOIN sys.indexes i ON i.object_id = o.object_id JOIN sys.partitions p ON p.object_id = i.object_id AND p.index_id = i.index_id WHERE o.type = 'U' ORDER BY o.name, i.index_id
SELECT name, type_desc FROM sys.objects WHERE type IN ('C', 'F', 'D', 'UQ', 'PK', 'V', 'P') ORDER BY name
SELECT name, type_desc, state_desc FROM sys.database_files ORDER BY file_id
GO
--@ source: peer the release that made the directory
DBCC CHECKDB (kept) WITH NO_INFOMSGS
DBCC CHECKDB (simple) WITH NO_INFOMSGS
DBCC CHECKDB (master) WITH NO_INFOMSGS
DBCC CHECKDB (msdb) WITH NO_INFOMSGS
GO
--@ source: peer the release that made the directory
USE simple
SELECT v, COUNT(*) AS rows, MIN(id) AS first, MAX(id) AS last FROM ledger GROUP BY v ORDER BY v
SELECT id, DATALENGTH(big) AS length, CONVERT(varchar(64), HASHBYTES('MD5', big), 2) AS hash FROM values_ ORDER BY id
SELECT COUNT(*) AS copied, SUM(id) AS ids FROM copied
SELECT OBJECT_NAME(object_id) AS name, rows FROM sys.partitions WHERE index_id < 2 AND OBJECT_NAME(object_id) IN ('ledger', 'values_', 'counted', 'copied') ORDER BY 1
GO
--@ source: peer the release that made the directory
SELECT database_name, type, recovery_model FROM msdb.dbo.backupset ORDER BY backup_set_id
GO
--@ source: peer the release that made the directory
USE simple
SELECT COUNT(*) AS rows, SUM(DATALENGTH(a)) AS a, SUM(DATALENGTH(b)) AS b, SUM(DATALENGTH(c)) AS c FROM small_values
SELECT id, CONVERT(varchar(32), HASHBYTES('MD5', a), 2) AS a, CONVERT(varchar(32), HASHBYTES('MD5', b), 2) AS b, CONVERT(varchar(32), HASHBYTES('MD5', c), 2) AS c
FROM small_values WHERE id IN (1, 9, 13, 25, 55, 99, 101, 120, 200) ORDER BY id
GO
--@ source: peer the release that made the directory
USE collated
SELECT CAST(DATABASEPROPERTYEX('collated', 'Collation') AS varchar(40)) AS database_collation, CAST(DATABASEPROPERTYEX('cloned', 'Collation') AS varchar(40)) AS clone
SELECT word, other, DATALENGTH(big) AS big FROM words ORDER BY word
SELECT word FROM words WHERE other = 'angstrom' ORDER BY word
SELECT other FROM words WITH (INDEX(by_other)) WHERE other >= 'zebra' ORDER BY other, word
SELECT word, CONVERT(varchar(32), HASHBYTES('MD5', big), 2) AS big FROM cloned.dbo.words ORDER BY word
DBCC CHECKDB (collated) WITH NO_INFOMSGS
DBCC CHECKDB (cloned) WITH NO_INFOMSGS
GO
