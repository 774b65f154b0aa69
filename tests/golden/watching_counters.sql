-- All counters that tools look for: their objects, their spelling, their types, and whether there is an instance for each thing.
--@ source: documentation sys.dm_os_performance_counters
SELECT RTRIM(SUBSTRING(object_name, 11, 128)) AS object, RTRIM(counter_name) AS counter, MAX(CASE cntr_type WHEN 65792 THEN 'value' WHEN 272696576 THEN 'total' WHEN 537003264 THEN 'fraction'
        WHEN 1073939712 THEN 'base' WHEN 1073874176 THEN 'average' END) AS kind,
    CASE WHEN RTRIM(SUBSTRING(object_name, 11, 128)) IN ('Databases', 'Catalog Metadata') THEN 'databases' WHEN RTRIM(SUBSTRING(object_name, 11, 128)) = 'Deprecated Features' THEN 'features'
        WHEN MAX(instance_name) = '' THEN '' ELSE CAST(COUNT(*) AS varchar(10)) END AS instances
FROM sys.dm_os_performance_counters GROUP BY object_name, counter_name ORDER BY object_name, counter_name
GO
--@ source: documentation sys.dm_os_performance_counters
-- A counter has one type; what is a fraction or an average has a base; nothing stands twice.
SELECT COUNT(*) AS types FROM (SELECT object_name, counter_name FROM sys.dm_os_performance_counters GROUP BY object_name, counter_name HAVING COUNT(DISTINCT cntr_type) > 1) t
SELECT COUNT(*) AS twice FROM (SELECT object_name, counter_name, instance_name FROM sys.dm_os_performance_counters GROUP BY object_name, counter_name, instance_name HAVING COUNT(*) > 1) t
SELECT COUNT(*) AS of_databases FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:Databases' AND instance_name IN ('_Total', 'master', 'model', 'msdb', 'tempdb')
    AND counter_name = 'Log Flushes/sec'
SELECT RTRIM(instance_name) AS instance FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:Locks' AND counter_name = 'Lock Waits/sec' ORDER BY instance_name
SELECT RTRIM(instance_name) AS instance FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:SQL Errors' ORDER BY instance_name
SELECT RTRIM(instance_name) AS instance FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:Wait Statistics' AND counter_name = 'Log write waits' ORDER BY instance_name
GO
