-- Names that SQL Server has and this server has not, in SQL Server's words; and what there is none of.
--@ source: message 40510
SET FIPS_FLAGGER 'FULL'
GO
--@ source: message 40510
DBCC PAGE (1, 1, 1)
GO
--@ source: message 2526
DBCC NOSUCHTHING
GO
--@ source: message 40510
DROP SYMMETRIC KEY k
GO
--@ source: message 40510
SELECT * FROM sys.dm_os_sublatches
GO
--@ source: message 40510
SELECT * FROM INFORMATION_SCHEMA.VIEW_COLUMN_USAGE
GO
--@ source: message 40510
SELECT * FROM syscacheobjects
GO
--@ source: message 208
SELECT * FROM sys.dm_nope
GO
--@ source: message 40510
EXEC sp_add_data_file_recover_suspect_db
GO
--@ source: message 40510
EXEC msdb.dbo.sp_add_job @job_name = 'j'
GO
--@ source: message 2812
EXEC sp_add_nope
GO
--@ source: message 40510
SELECT ENCRYPTBYPASSPHRASE('a', 'b')
GO
--@ source: message 40510
SELECT * FROM msdb.dbo.sysmail_allitems
GO
--@ source: documentation dbo.sysjobs
SELECT COUNT(*) AS jobs FROM msdb.dbo.sysjobs AS j JOIN msdb.dbo.sysjobsteps AS s ON s.job_id = j.job_id LEFT JOIN msdb.dbo.sysjobhistory AS h ON h.job_id = j.job_id
SELECT category_id, category_class, category_type, name FROM msdb.dbo.syscategories ORDER BY category_id
SELECT COUNT(*) FROM msdb.dbo.sysjobs_view
GO
--@ source: message 208
SELECT * FROM master.dbo.sysjobs
GO
--@ source: documentation sys.fulltext_indexes
SELECT (SELECT COUNT(*) FROM sys.fulltext_indexes) + (SELECT COUNT(*) FROM sys.hash_indexes) + (SELECT COUNT(*) FROM sys.spatial_indexes) + (SELECT COUNT(*) FROM sys.security_policies)
    + (SELECT COUNT(*) FROM sys.column_store_row_groups) + (SELECT COUNT(*) FROM sys.query_store_query) + (SELECT COUNT(*) FROM sys.linked_logins) + (SELECT COUNT(*) FROM sys.assembly_types)
    + (SELECT COUNT(*) FROM INFORMATION_SCHEMA.DOMAINS) + (SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLE_PRIVILEGES) AS none
SELECT actual_state_desc FROM sys.database_query_store_options
SELECT name, type, usage FROM sys.login_token
SELECT name FROM sys.user_token
SELECT name FROM sys.xml_schema_collections
SELECT COUNT(*) FROM sys.all_parameters
SELECT SERVERPROPERTY('ResourceVersion') AS version, CASE WHEN SERVERPROPERTY('ResourceLastUpdateDateTime') IS NULL THEN 0 ELSE 1 END AS has_date, SERVERPROPERTY('SqlCharSetName') AS charset
GO
