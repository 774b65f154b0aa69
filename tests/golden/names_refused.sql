-- Names that SQL Server has and this server has not, by kind: each is refused by name (40510). A name that answers otherwise is shown.
--@ source: reasoned
CREATE DATABASE NamesRefused
GO
--@ source: reasoned
USE NamesRefused
GO
--@ source: reasoned
CREATE PROCEDURE ask @what varchar(30), @form nvarchar(200), @list varchar(max) AS
SET NOCOUNT ON
DECLARE @n int = 0, @name sysname, @text nvarchar(400), @absent int = 0
DECLARE names CURSOR LOCAL STATIC FOR SELECT value FROM STRING_SPLIT(REPLACE(REPLACE(@list, CHAR(13), ''), CHAR(10), ' '), ' ') WHERE value <> ''
OPEN names
FETCH NEXT FROM names INTO @name
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @text = REPLACE(@form, N'?', @name)
    BEGIN TRY
        EXEC (@text)
        PRINT CONCAT(@text, N' runs')
    END TRY
    BEGIN CATCH
        IF ERROR_NUMBER() = 40510 SET @absent += 1
        ELSE PRINT CONCAT(@text, N' ', ERROR_NUMBER(), N' ', ERROR_MESSAGE())
    END CATCH
    FETCH NEXT FROM names INTO @name
END
SELECT @what AS what, @absent AS absent
RETURN 0
GO
--@ source: message 40510
EXEC ask 'system views', N'SELECT * FROM sys.?', 'database_automatic_tuning_configurations external_table_columns remote_data_archive_databases remote_data_archive_tables
resource_governor_external_resource_pool_affinity server_memory_optimized_hybrid_buffer_pool_configuration syscscontainers syscsdroplist
system_internals_allocation_units system_internals_partition_columns system_internals_partitions
dm_hadr_internal_availability_replica_states dm_hadr_internal_wsfc_resource_states dm_db_data_pool_nodes dm_db_database_page_allocations
dm_db_storage_pool_nodes dm_db_xtp_open_transactions dm_exec_ce_feedback_cache dm_exec_query_transformation_stats
dm_db_stats_properties_internal dm_database_external_policy_actions dm_database_external_policy_principals dm_server_hardware_offload_config
dm_tran_global_recovery_transactions dm_tran_global_transactions dm_tran_global_transactions_enlistments dm_tran_global_transactions_log
dm_os_enumerate_filesystem dm_os_memory_allocations dm_os_memory_broker_clerks dm_os_memory_node_access_stats
dm_os_memory_nodes_processor_groups dm_os_worker_local_storage dm_db_rda_migration_status dm_db_rda_schema_update_status
dm_linux_proc_all_stat dm_linux_proc_cpuinfo dm_linux_proc_meminfo dm_linux_proc_sql_maps dm_linux_proc_sql_threads dm_pal_cpu_stats
dm_pal_disk_stats dm_pal_net_stats dm_pal_processes dm_pal_ring_buffers dm_pal_spinlock_stats dm_pal_vm_stats dm_pal_wait_stats'
GO
--@ source: message 40510
EXEC ask 'tables', N'SELECT * FROM ?', 'msdb.dbo.syscollector_collection_items msdb.dbo.syscollector_collection_sets msdb.dbo.syscollector_collector_types
msdb.dbo.syscollector_config_store msdb.dbo.syscollector_execution_log msdb.dbo.syscollector_execution_log_full
msdb.dbo.syscollector_execution_stats msdb.dbo.sysdac_instances msdb.dbo.sysmail_event_log msdb.dbo.sysmail_faileditems
msdb.dbo.sysmail_mailattachments msdb.dbo.sysmail_sentitems msdb.dbo.sysmail_unsentitems msdb.dbo.syspolicy_conditions
msdb.dbo.syspolicy_policies msdb.dbo.syspolicy_policy_categories msdb.dbo.syspolicy_policy_category_subscriptions
msdb.dbo.syspolicy_policy_execution_history msdb.dbo.syspolicy_policy_execution_history_details msdb.dbo.syspolicy_system_health_state
msdb.dbo.sysmaintplan_log msdb.dbo.sysmaintplan_plans msdb.dbo.sysmaintplan_subplans msdb.dbo.sysschedules_localserver_view'
GO
--@ source: message 40510
EXEC ask 'procedures', N'EXEC ?', 'sp_columns_100_rowset sp_columns_managed sp_columns_rowset sp_table_type_columns_100 sp_table_type_primary_keys sp_table_types
sp_MSgetversion xp_MSADEnabled xp_availablemedia xp_copy_file xp_copy_files xp_delete_files xp_dsninfo xp_enum_oledb_providers xp_enumdsn
xp_get_tape_devices xp_getnetname xp_instance_regaddmultistring xp_instance_regdeletekey xp_instance_regdeletevalue xp_instance_regenumkeys
xp_instance_regenumvalues xp_instance_regremovemultistring xp_instance_regwrite xp_ntsec_enumdomains xp_passAgentInfo xp_prop_oledb_provider
xp_qv xp_regaddmultistring xp_regdeletekey xp_regdeletevalue xp_regenumkeys xp_regenumvalues xp_regremovemultistring xp_regwrite
xp_repl_convert_encrypt_sysadmin_wrapper xp_replposteor xp_servicecontrol xp_sqlagent_enum_jobs xp_sqlagent_is_starting xp_sqlagent_monitor
xp_sqlagent_notify xp_sqlagent_param xp_subdirs xp_sysmail_activate xp_sysmail_attachment_load xp_sysmail_format_query xp_test_mapi_profile
xp_unc_to_drive xp_usermode sp_query_store_consistency_check sys.sp_rda_deauthorize_db sys.sp_rda_get_rpo_duration sys.sp_rda_reauthorize_db
sys.sp_rda_reconcile_batch sys.sp_rda_reconcile_columns sys.sp_rda_reconcile_indexes sys.sp_rda_set_query_mode sys.sp_rda_set_rpo_duration
sys.sp_rda_test_connection sp_batch_params sp_IHScriptIdxFile sp_assemblies_rowset sp_bcp_dbcmptlevel sp_catalogs_rowset sp_catalogs_rowset2
sp_check_constbytable_rowset sp_check_constraints_rowset sp_column_privileges_rowset sp_columns_ex_100 sp_columns_ex_90 sp_columns_rowset2
sp_constr_col_usage_rowset sp_createorphan sp_ddopen sp_droporphans sp_foreign_keys_rowset sp_foreign_keys_rowset2 sp_foreign_keys_rowset3
sp_fulltext_getdata sp_getVolumeFreeSpace sp_getschemalock sp_has_anonymous_auth sp_indexes_100_rowset sp_indexes_90_rowset
sp_indexes_managed sp_indexes_rowset sp_linkedservers_rowset sp_oledb_column_constraints sp_oledb_database sp_oledb_defdb sp_oledb_deflang
sp_oledb_indexinfo sp_oledb_keycolumns sp_oledb_language sp_oledb_ro_usrname sp_oledbinfo sp_primary_keys_rowset sp_primary_keys_rowset2
sp_procedure_params_100_rowset sp_procedure_params_90_rowset sp_procedure_params_rowset2 sp_procedures_rowset sp_procedures_rowset2
sp_provider_types_100_rowset sp_provider_types_90_rowset sp_provider_types_rowset sp_releaseschemalock sp_reset_connection
sp_schemata_rowset sp_statistics_rowset sp_table_constraints_rowset sp_table_privileges_rowset sp_table_statistics_rowset
sp_tables_info_90_rowset sp_tables_info_rowset sp_tables_rowset sp_tables_rowset2 sp_usertypes_rowset sp_views_rowset sp_views_rowset2
sp_xml_schema_rowset sp_create_streaming_job sp_drop_streaming_job sp_get_external_libraries_requirements_internal
sp_get_openrowset_statistics_additional_props sp_get_openrowset_statistics_cardinality sp_get_streaming_job sp_manage_msdtc_transaction
sp_process_dialog_timer sp_start_streaming_job sp_stop_streaming_job sp_try_set_session_context sp_MSCleanupForPullReinit
sp_MSIsContainedAGSession sp_MSSetServerProperties sp_MSdbuseraccess sp_MSdbuserpriv sp_MSdependencies sp_MSforeach_worker
sp_MSgettools_path sp_MShelpcolumns sp_MShelpindex sp_MShelptype sp_MSindexspace sp_MSkilldb sp_MSloginmappings sp_MSobjectprivs
sp_MStablechecks sp_MStablekeys sp_MStablerefs sp_MStablespace sp_MSuniquename sp_agent_get_jobstep sp_checkdbtempsize
sp_get_composite_job_info sp_get_sqlagent_properties sp_gidbindtoken sp_helpstatsobject sp_maintplan_close_logentry sp_maintplan_delete_log
sp_maintplan_delete_plan sp_maintplan_delete_subplan sp_maintplan_open_logentry sp_maintplan_start sp_maintplan_subplans_by_job
sp_maintplan_update_log sp_maintplan_update_subplan sp_rename_columns_private sp_reset_session_context sp_set_sqlagent_properties
sp_showtopoolstats sp_sqlagent_get_perf_counters sp_sqlagent_get_startup_info sp_sqlagent_has_server_access sp_sqlagent_log_jobhistory
sp_sqlagent_refresh_job sp_sqlagent_update_agent_xps sp_ssis_listpackages sp_tempdbspace sp_verify_job'
GO
--@ source: message 40510
EXEC ask 'functions of sys', N'SELECT * FROM ?(1)', 'sys.fn_all_changes_capture_instance sys.fn_check_parameters sys.fn_column_store_row_groups sys.fn_getserverportfromproviderstring
sys.fn_hadr_is_same_replica sys.fn_helpdatatypemap sys.fn_isrolemember sys.fn_MapSchemaType sys.fn_net_changes_capture_instance'
GO
--@ source: message 40510
EXEC ask 'functions', N'SELECT ?(1)', 'ENCRYPT SID_BINARY'
GO
--@ source: message 40510
EXEC ask 'DBCC', N'DBCC ?', 'CHECKCONSTRAINTS CHECKFILEGROUP CLEANTABLE CLONEDATABASE DROPCLEANBUFFERS FREESESSIONCACHE FREESYSTEMCACHE HELP INDEXDEFRAG OUTPUTBUFFER
PROCCACHE SHOWCONTIG SHOW_STATISTICS UPDATEUSAGE ACTIVECURSORS ADDEXTENDEDPROC ADDINSTANCE AUDITEVENT AUTOPILOT BUFFER BYTES CACHEPROFILE
CACHESTATS CALLFULLTEXT CHECKPRIMARYFILE CLEARSPACECACHES COLLECTSTATS CONCURRENCYVIOLATION CURSORSTATS DBRECOVER DBREINDEXALL DBREPAIR
DEBUGBREAK DELETEINSTANCE DETACHDB DROPEXTENDEDPROC DBINFO DBTABLE LOCK LOG RESOURCE DUMPTRIGGER ERRORLOG EXTENTINFO FILEHEADER
FIXALLOCATION FLUSH FLUSHPROCINDB FORCEGHOSTCLEANUP FREEZE_IO ICECAPQUERY INCREMENTINSTANCE IND INVALIDATE_TEXTPTR INVALIDATE_TEXTPTR_OBJID
LATCH MAPALLOCUNIT MEMOBJLIST MEMORYMAP MEMORYSTATUS METADATA MOVEPAGE NO_TEXTPTR OPTIMIZER_WHATIF PERFMON PERSISTSTACKHASH PINTABLE
PRTIPAGE READPAGE RENAMECOLUMN RULEOFF RULEON SEMETADATA SETCPUWEIGHT SETIOWEIGHT SETINSTANCE SHOWDBAFFINITY SHOWOFFRULES SHOWONRULES
SHOWTABLEAFFINITY SHOWTEXT SHOWWEIGHTS SQLMGRSTATS STACKDUMP TEC THAW_IO THROTTLE_IO UNPINTABLE USEPLAN WRITEPAGE'
GO
--@ source: reasoned
USE master
DROP DATABASE NamesRefused
GO
