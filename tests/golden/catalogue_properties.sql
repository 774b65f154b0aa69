-- Property functions: a documented name has its value, and NULL is for names that are none; roles that every database has.
--@ source: reasoned
CREATE DATABASE told
GO
--@ source: reasoned
USE told
SET NOCOUNT ON
GO
--@ source: documentation DATABASEPROPERTYEX
-- As sys.databases has it.
SELECT p.name, DATABASEPROPERTYEX('told', p.name) AS value, p.shown, CASE WHEN DATABASEPROPERTYEX('told', p.name) = p.shown THEN 1 END AS same
FROM sys.databases AS d CROSS APPLY (VALUES (N'IsAnsiNullDefault', CAST(is_ansi_null_default_on AS int)), (N'IsAnsiNullsEnabled', is_ansi_nulls_on),
    (N'IsAnsiPaddingEnabled', is_ansi_padding_on), (N'IsAnsiWarningsEnabled', is_ansi_warnings_on), (N'IsArithmeticAbortEnabled', is_arithabort_on),
    (N'IsAutoClose', is_auto_close_on), (N'IsAutoCreateStatistics', is_auto_create_stats_on), (N'IsAutoCreateStatisticsIncremental', is_auto_create_stats_incremental_on),
    (N'IsAutoShrink', is_auto_shrink_on), (N'IsAutoUpdateStatistics', is_auto_update_stats_on), (N'IsCloseCursorsOnCommitEnabled', is_cursor_close_on_commit_on),
    (N'IsFulltextEnabled', is_fulltext_enabled), (N'IsInStandBy', is_in_standby), (N'IsLocalCursorsDefault', is_local_cursor_default),
    (N'IsMemoryOptimizedElevateToSnapshotEnabled', is_memory_optimized_elevate_to_snapshot_on), (N'IsMergePublished', is_merge_published),
    (N'IsNullConcat', is_concat_null_yields_null_on), (N'IsNumericRoundAbortEnabled', is_numeric_roundabort_on), (N'IsParameterizationForced', is_parameterization_forced),
    (N'IsQuotedIdentifiersEnabled', is_quoted_identifier_on), (N'IsPublished', is_published), (N'IsRecursiveTriggersEnabled', is_recursive_triggers_on),
    (N'IsSubscribed', is_subscribed), (N'IsSyncWithBackup', is_sync_with_backup), (N'IsTornPageDetectionEnabled', 0), (N'IsXTPSupported', is_memory_optimized_enabled),
    (N'IsClone', 0), (N'IsVerifiedClone', 0), (N'IsDatabaseSuspendedForSnapshotBackup', 0)) AS p (name, shown)
WHERE d.name = 'told' ORDER BY p.name
GO
--@ source: documentation DATABASEPROPERTYEX
SELECT DATABASEPROPERTY('told', 'IsAutoCreateStatistics') AS c, DATABASEPROPERTY('told', 'IsTruncLog') AS l, DATABASEPROPERTY('told', 'IsOffline') AS o, DATABASEPROPERTY('told', 'IsDetached') AS d, DATABASEPROPERTY('told', 'IsNullConcat') AS n,
    DATABASEPROPERTY('told', 'nothing') AS w, DATABASEPROPERTY('nowhere', 'IsDetached') AS x
SELECT DATABASEPROPERTYEX('told', 'Status') AS s, DATABASEPROPERTYEX('told', 'Recovery') AS r, DATABASEPROPERTYEX('told', 'Updateability') AS u, DATABASEPROPERTYEX('told', 'UserAccess') AS a,
    DATABASEPROPERTYEX('told', 'Edition') AS of_azure, DATABASEPROPERTYEX('told', 'nothing') AS n, DATABASEPROPERTYEX('nowhere', 'Status') AS w, SQL_VARIANT_PROPERTY(DATABASEPROPERTYEX('told', 'IsAutoClose'), 'BaseType') AS t
GO
--@ source: message 40510
SELECT DATABASEPROPERTYEX('told', 'LastGoodCheckDbTime') AS checked
GO
--@ source: documentation DATABASE_PRINCIPAL_ID
SELECT DATABASE_PRINCIPAL_ID('db_owner') AS owner, DATABASE_PRINCIPAL_ID('DB_DENYDATAWRITER') AS denied, USER_ID('db_datareader') AS reader, USER_NAME(16384) AS n, USER_NAME(16389) AS b,
    USER_NAME(16388) AS none, USER_NAME(0) AS p, DATABASE_PRINCIPAL_ID('nobody') AS nobody
SELECT COUNT(*) AS others FROM sys.database_principals WHERE ISNULL(USER_NAME(principal_id), '') <> name OR ISNULL(DATABASE_PRINCIPAL_ID(name), -1) <> principal_id
SELECT u.name, u.uid, u.gid, u.issqluser, u.issqlrole, u.hasdbaccess FROM sysusers AS u JOIN sys.database_principals AS p ON p.principal_id = u.uid AND p.name = u.name ORDER BY u.uid
SELECT memberuid, groupuid FROM sys.sysmembers
GO
--@ source: reasoned
CREATE TABLE dbo.made (id int NOT NULL IDENTITY(3, 2) CONSTRAINT made_pk PRIMARY KEY, c char(5) NULL, v varbinary(50) NULL, u uniqueidentifier NULL, t text NULL, x xml NULL, n nvarchar(max) NULL, f float NULL)
CREATE STATISTICS made_s ON dbo.made (f)
INSERT dbo.made (c) VALUES ('x')
GO
--@ source: reasoned
CREATE VIEW dbo.over_made AS SELECT id, c FROM dbo.made
GO
--@ source: reasoned
CREATE VIEW dbo.above AS SELECT id AS number FROM dbo.over_made
GO
--@ source: reasoned
CREATE PROCEDURE dbo.called @a int, @b decimal(9, 2) OUTPUT AS RETURN 0
GO
--@ source: documentation OBJECTPROPERTYEX
SELECT CAST(OBJECTPROPERTYEX(OBJECT_ID('made'), 'BaseType') AS char(2)) AS t, CAST(OBJECTPROPERTYEX(OBJECT_ID('made_pk'), 'BaseType') AS char(2)) AS k, OBJECTPROPERTY(OBJECT_ID('made'), 'BaseType') AS plain,
    OBJECTPROPERTY(OBJECT_ID('made'), 'Cardinality') AS c, OBJECTPROPERTY(OBJECT_ID('made'), 'TableHasTextImage') AS x, OBJECTPROPERTY(OBJECT_ID('made'), 'TableHasTimestamp') AS v, OBJECTPROPERTY(OBJECT_ID('made'), 'IsIndexed') AS i,
    OBJECTPROPERTY(OBJECT_ID('made'), 'IsIndexable') AS a, OBJECTPROPERTY(OBJECT_ID('over_made'), 'IsIndexable') AS va, OBJECTPROPERTY(OBJECT_ID('over_made'), 'IsDeterministic') AS d, OBJECTPROPERTY(OBJECT_ID('called'), 'ExecIsStartup') AS s,
    OBJECTPROPERTY(OBJECT_ID('made'), 'TableFulltextItemCount') AS f, OBJECTPROPERTY(OBJECT_ID('made'), 'TableFulltextPendingChanges') AS p, OBJECTPROPERTY(OBJECT_ID('made'), 'TableTemporalType') AS m, OBJECTPROPERTY(OBJECT_ID('made'), 'HasAfterTrigger') AS tr
SELECT OBJECTPROPERTY(OBJECT_ID('sys.objects'), 'IsView') AS v, OBJECTPROPERTY(OBJECT_ID('sys.objects'), 'IsMSShipped') AS m, OBJECTPROPERTY(OBJECT_ID('sys.objects'), 'SchemaId') AS s, OBJECTPROPERTY(OBJECT_ID('sys.objects'), 'IsTable') AS t,
    OBJECTPROPERTY(OBJECT_ID('sys.fn_dblog'), 'IsInlineFunction') AS f, OBJECTPROPERTY(OBJECT_ID('sys.objects'), 'nothing') AS n,
    OBJECTPROPERTY(OBJECT_ID('sys.sp_who'), 'IsProcedure') AS p, OBJECT_NAME(OBJECT_ID('sys.sp_who')) AS name, OBJECT_SCHEMA_NAME(OBJECT_ID('sys.sp_who', 'P')) AS sc, OBJECT_ID('sys.sp_who', 'V') AS no_view
GO
--@ source: documentation COLUMNPROPERTY
SELECT c.name, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'Precision') AS p, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'Scale') AS s, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'UsesAnsiTrim') AS trim,
    COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'IsIndexable') AS i, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'IsIdNotForRepl') AS r, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'IsDeterministic') AS d, COLUMNPROPERTY(OBJECT_ID('made'), c.name, 'nothing') AS n
FROM sys.columns AS c WHERE c.object_id = OBJECT_ID('made') ORDER BY c.column_id
SELECT COLUMNPROPERTY(OBJECT_ID('called'), '@b', 'IsOutParam') AS o, COLUMNPROPERTY(OBJECT_ID('called'), '@a', 'IsOutParam') AS i, COLUMNPROPERTY(OBJECT_ID('called'), '@b', 'Precision') AS p, COLUMNPROPERTY(OBJECT_ID('called'), '@b', 'Scale') AS s,
    COLUMNPROPERTY(OBJECT_ID('called'), '@b', 'ColumnId') AS id, COLUMNPROPERTY(OBJECT_ID('over_made'), 'c', 'IsDeterministic') AS d
GO
--@ source: documentation COL_LENGTH
-- The system's views have columns as others have.
SELECT COL_LENGTH('sys.objects', 'name') AS l, COL_LENGTH('master.sys.databases', 'database_id') AS d, COL_NAME(OBJECT_ID('sys.objects'), 1) AS n, COL_NAME(OBJECT_ID('sys.objects'), 99) AS none,
    COLUMNPROPERTY(OBJECT_ID('sys.dm_os_sys_info'), 'physical_memory_kb', 'ColumnID') AS id, COLUMNPROPERTY(OBJECT_ID('sys.objects'), 'name', 'AllowsNull') AS a, COLUMNPROPERTY(OBJECT_ID('sys.objects'), 'nothing', 'AllowsNull') AS w,
    COL_LENGTH('made', 't') AS t, COL_LENGTH('made', 'x') AS x
GO
--@ source: documentation IDENT_SEED
SELECT IDENT_SEED('over_made') AS seed, IDENT_INCR('above') AS increment, IDENT_CURRENT('dbo.above') AS current_value, IDENT_SEED('sys.objects') AS none
GO
--@ source: documentation INDEXPROPERTY
SELECT INDEXPROPERTY(OBJECT_ID('made'), 'made_pk', 'IndexDepth') AS depth, INDEXPROPERTY(OBJECT_ID('made'), 'made_pk', 'IsAutoStatistics') AS a, INDEXPROPERTY(OBJECT_ID('made'), 'made_pk', 'IsColumnstore') AS c,
    INDEXPROPERTY(OBJECT_ID('made'), 'made_pk', 'IsFulltextKey') AS f, INDEXPROPERTY(OBJECT_ID('made'), 'made_pk', 'IsOptimizedForSequentialKey') AS o, INDEXPROPERTY(OBJECT_ID('made'), 'made_s', 'IsStatistics') AS s,
    INDEXPROPERTY(OBJECT_ID('made'), 'made_s', 'IsUnique') AS u, INDEXPROPERTY(OBJECT_ID('made'), 'made_s', 'nothing') AS n
GO
--@ source: documentation TYPEPROPERTY
SELECT name, TYPEPROPERTY(name, 'Precision') AS p, TYPEPROPERTY(name, 'Scale') AS s, TYPEPROPERTY(name, 'UsesAnsiTrim') AS t FROM sys.types WHERE name IN ('xml', 'uniqueidentifier', 'bit', 'float', 'nvarchar', 'binary', 'datetime2', 'sql_variant') ORDER BY name
GO
--@ source: documentation FILEGROUPPROPERTY
SELECT FILEGROUPPROPERTY('PRIMARY', 'IsDefault') AS d, FILEGROUPPROPERTY('primary', 'IsUserDefinedFG') AS u, FILEGROUPPROPERTY('PRIMARY', 'IsReadOnly') AS r, FILEGROUPPROPERTY('PRIMARY', 'nothing') AS n, FILEGROUPPROPERTY('other', 'IsDefault') AS o,
    FULLTEXTCATALOGPROPERTY('c', 'ItemCount') AS c, FULLTEXTSERVICEPROPERTY('ConnectTimeout') AS t, FULLTEXTSERVICEPROPERTY('VerifySignature') AS v, FULLTEXTSERVICEPROPERTY('nothing') AS w
GO
--@ source: documentation CONNECTIONPROPERTY
SELECT CONNECTIONPROPERTY('net_transport') AS n, CONNECTIONPROPERTY('physical_net_transport') AS p, CONNECTIONPROPERTY('client_net_address') AS a, CONNECTIONPROPERTY('local_tcp_port') AS l, CONNECTIONPROPERTY('nothing') AS w,
    CAST(SQL_VARIANT_PROPERTY(CONNECTIONPROPERTY('client_net_address'), 'MaxLength') AS int) AS b
GO
--@ source: documentation SUSER_SID
SELECT CASE WHEN SUSER_SID('sa', 0) = SUSER_SID('sa') AND SUSER_SID('sa', 1) = SUSER_SID('sa') THEN 'same' END AS sid
GO
--@ source: reasoned
USE master
DROP DATABASE told
GO
