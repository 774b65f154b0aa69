-- System views that no other script reads: their columns. Those of what this server has not have no rows.
--@ source: documentation sys.availability_databases_cluster
SELECT TOP (0) * FROM sys.availability_databases_cluster
GO
--@ source: documentation sys.availability_group_listener_ip_addresses
SELECT TOP (0) * FROM sys.availability_group_listener_ip_addresses
GO
--@ source: documentation sys.availability_group_listeners
SELECT TOP (0) * FROM sys.availability_group_listeners
GO
--@ source: documentation sys.availability_groups
SELECT TOP (0) * FROM sys.availability_groups
GO
--@ source: documentation sys.availability_read_only_routing_lists
SELECT TOP (0) * FROM sys.availability_read_only_routing_lists
GO
--@ source: documentation sys.availability_replicas
SELECT TOP (0) * FROM sys.availability_replicas
GO
--@ source: documentation sys.change_tracking_databases
SELECT TOP (0) * FROM sys.change_tracking_databases
GO
--@ source: documentation sys.change_tracking_tables
SELECT TOP (0) * FROM sys.change_tracking_tables
GO
--@ source: documentation sys.destination_data_spaces
SELECT TOP (0) * FROM sys.destination_data_spaces
GO
--@ source: documentation sys.filegroups
SELECT TOP (0) * FROM sys.filegroups
GO
--@ source: documentation sys.backup_devices
SELECT TOP (0) * FROM sys.backup_devices
GO
--@ source: documentation sys.database_recovery_status
SELECT TOP (0) * FROM sys.database_recovery_status
GO
--@ source: documentation sys.database_event_session_actions
SELECT TOP (0) * FROM sys.database_event_session_actions
GO
--@ source: documentation sys.database_event_session_events
SELECT TOP (0) * FROM sys.database_event_session_events
GO
--@ source: documentation sys.database_event_session_fields
SELECT TOP (0) * FROM sys.database_event_session_fields
GO
--@ source: documentation sys.database_event_session_targets
SELECT TOP (0) * FROM sys.database_event_session_targets
GO
--@ source: documentation sys.database_event_sessions
SELECT TOP (0) * FROM sys.database_event_sessions
GO
--@ source: documentation sys.fulltext_catalogs
SELECT TOP (0) * FROM sys.fulltext_catalogs
GO
--@ source: documentation sys.fulltext_document_types
SELECT TOP (0) * FROM sys.fulltext_document_types
GO
--@ source: documentation sys.fulltext_index_catalog_usages
SELECT TOP (0) * FROM sys.fulltext_index_catalog_usages
GO
--@ source: documentation sys.fulltext_index_columns
SELECT TOP (0) * FROM sys.fulltext_index_columns
GO
--@ source: documentation sys.fulltext_index_fragments
SELECT TOP (0) * FROM sys.fulltext_index_fragments
GO
--@ source: documentation sys.fulltext_stoplists
SELECT TOP (0) * FROM sys.fulltext_stoplists
GO
--@ source: documentation sys.fulltext_stopwords
SELECT TOP (0) * FROM sys.fulltext_stopwords
GO
--@ source: documentation sys.remote_logins
SELECT TOP (0) * FROM sys.remote_logins
GO
--@ source: documentation sys.all_sql_modules
SELECT TOP (0) * FROM sys.all_sql_modules
GO
--@ source: documentation sys.all_views
SELECT TOP (0) * FROM sys.all_views
GO
--@ source: documentation sys.assembly_modules
SELECT TOP (0) * FROM sys.assembly_modules
GO
--@ source: documentation sys.column_store_dictionaries
SELECT TOP (0) * FROM sys.column_store_dictionaries
GO
--@ source: documentation sys.column_store_segments
SELECT TOP (0) * FROM sys.column_store_segments
GO
--@ source: documentation sys.function_order_columns
SELECT TOP (0) * FROM sys.function_order_columns
GO
--@ source: documentation sys.index_resumable_operations
SELECT TOP (0) * FROM sys.index_resumable_operations
GO
--@ source: documentation sys.internal_tables
SELECT TOP (0) * FROM sys.internal_tables
GO
--@ source: documentation sys.numbered_procedure_parameters
SELECT TOP (0) * FROM sys.numbered_procedure_parameters
GO
--@ source: documentation sys.numbered_procedures
SELECT TOP (0) * FROM sys.numbered_procedures
GO
--@ source: documentation sys.server_sql_modules
SELECT TOP (0) * FROM sys.server_sql_modules
GO
--@ source: documentation sys.server_trigger_events
SELECT TOP (0) * FROM sys.server_trigger_events
GO
--@ source: documentation sys.server_triggers
SELECT TOP (0) * FROM sys.server_triggers
GO
--@ source: documentation sys.system_columns
SELECT TOP (0) * FROM sys.system_columns
GO
--@ source: documentation sys.system_objects
SELECT TOP (0) * FROM sys.system_objects
GO
--@ source: documentation sys.system_sql_modules
SELECT TOP (0) * FROM sys.system_sql_modules
GO
--@ source: documentation sys.partition_parameters
SELECT TOP (0) * FROM sys.partition_parameters
GO
--@ source: documentation sys.partition_range_values
SELECT TOP (0) * FROM sys.partition_range_values
GO
--@ source: documentation sys.query_context_settings
SELECT TOP (0) * FROM sys.query_context_settings
GO
--@ source: documentation sys.query_store_query_hints
SELECT TOP (0) * FROM sys.query_store_query_hints
GO
--@ source: documentation sys.query_store_query_text
SELECT TOP (0) * FROM sys.query_store_query_text
GO
--@ source: documentation sys.query_store_runtime_stats
SELECT TOP (0) * FROM sys.query_store_runtime_stats
GO
--@ source: documentation sys.query_store_runtime_stats_interval
SELECT TOP (0) * FROM sys.query_store_runtime_stats_interval
GO
--@ source: documentation sys.query_store_wait_stats
SELECT TOP (0) * FROM sys.query_store_wait_stats
GO
--@ source: documentation sys.parameter_type_usages
SELECT TOP (0) * FROM sys.parameter_type_usages
GO
--@ source: documentation sys.asymmetric_keys
SELECT TOP (0) * FROM sys.asymmetric_keys
GO
--@ source: documentation sys.credentials
SELECT TOP (0) * FROM sys.credentials
GO
--@ source: documentation sys.securable_classes
SELECT TOP (0) * FROM sys.securable_classes
GO
--@ source: documentation sys.symmetric_keys
SELECT TOP (0) * FROM sys.symmetric_keys
GO
--@ source: documentation sys.spatial_index_tessellations
SELECT TOP (0) * FROM sys.spatial_index_tessellations
GO
--@ source: documentation sys.column_xml_schema_collection_usages
SELECT TOP (0) * FROM sys.column_xml_schema_collection_usages
GO
--@ source: documentation sys.parameter_xml_schema_collection_usages
SELECT TOP (0) * FROM sys.parameter_xml_schema_collection_usages
GO
--@ source: documentation sys.sysaltfiles
SELECT TOP (0) * FROM sys.sysaltfiles
GO
--@ source: documentation sys.sysfiles
SELECT TOP (0) * FROM sys.sysfiles
GO
--@ source: documentation sys.sysperfinfo
SELECT TOP (0) * FROM sys.sysperfinfo
GO
--@ source: documentation INFORMATION_SCHEMA.COLUMN_DOMAIN_USAGE
SELECT TOP (0) * FROM INFORMATION_SCHEMA.COLUMN_DOMAIN_USAGE
GO
--@ source: documentation INFORMATION_SCHEMA.COLUMN_PRIVILEGES
SELECT TOP (0) * FROM INFORMATION_SCHEMA.COLUMN_PRIVILEGES
GO
--@ source: documentation INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS
SELECT TOP (0) * FROM INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS
GO
--@ source: documentation sys.dm_hadr_auto_page_repair
SELECT TOP (0) * FROM sys.dm_hadr_auto_page_repair
GO
--@ source: documentation sys.dm_hadr_availability_group_states
SELECT TOP (0) * FROM sys.dm_hadr_availability_group_states
GO
--@ source: documentation sys.dm_hadr_availability_replica_cluster_nodes
SELECT TOP (0) * FROM sys.dm_hadr_availability_replica_cluster_nodes
GO
--@ source: documentation sys.dm_hadr_availability_replica_cluster_states
SELECT TOP (0) * FROM sys.dm_hadr_availability_replica_cluster_states
GO
--@ source: documentation sys.dm_hadr_availability_replica_states
SELECT TOP (0) * FROM sys.dm_hadr_availability_replica_states
GO
--@ source: documentation sys.dm_hadr_cluster_members
SELECT TOP (0) * FROM sys.dm_hadr_cluster_members
GO
--@ source: documentation sys.dm_hadr_database_replica_cluster_states
SELECT TOP (0) * FROM sys.dm_hadr_database_replica_cluster_states
GO
--@ source: documentation sys.dm_hadr_database_replica_states
SELECT TOP (0) * FROM sys.dm_hadr_database_replica_states
GO
--@ source: documentation sys.dm_db_file_space_usage
SELECT TOP (0) * FROM sys.dm_db_file_space_usage
GO
--@ source: documentation sys.dm_db_persisted_sku_features
SELECT TOP (0) * FROM sys.dm_db_persisted_sku_features
GO
--@ source: documentation sys.dm_exec_session_wait_stats
SELECT TOP (0) * FROM sys.dm_exec_session_wait_stats
GO
--@ source: documentation sys.dm_xe_session_event_actions
SELECT TOP (0) * FROM sys.dm_xe_session_event_actions
GO
--@ source: documentation sys.dm_xe_session_object_columns
SELECT TOP (0) * FROM sys.dm_xe_session_object_columns
GO
--@ source: documentation sys.dm_database_encryption_keys
SELECT TOP (0) * FROM sys.dm_database_encryption_keys
GO
--@ source: documentation sys.dm_server_memory_dumps
SELECT TOP (0) * FROM sys.dm_server_memory_dumps
GO
--@ source: documentation sys.dm_server_services
SELECT TOP (0) * FROM sys.dm_server_services
GO
--@ source: documentation sys.dm_tran_aborted_transactions
SELECT TOP (0) * FROM sys.dm_tran_aborted_transactions
GO
--@ source: documentation sys.dm_tran_persistent_version_store
SELECT TOP (0) * FROM sys.dm_tran_persistent_version_store
GO
--@ source: documentation sys.dm_tran_top_version_generators
SELECT TOP (0) * FROM sys.dm_tran_top_version_generators
GO
--@ source: documentation sys.dm_os_cluster_nodes
SELECT TOP (0) * FROM sys.dm_os_cluster_nodes
GO
--@ source: documentation sys.dm_os_enumerate_fixed_drives
SELECT TOP (0) * FROM sys.dm_os_enumerate_fixed_drives
GO
--@ source: documentation sys.dm_os_host_info
SELECT TOP (0) * FROM sys.dm_os_host_info
GO
--@ source: documentation sys.dm_os_sys_memory
SELECT TOP (0) * FROM sys.dm_os_sys_memory
GO
--@ source: documentation sys.dm_db_mirroring_auto_page_repair
SELECT TOP (0) * FROM sys.dm_db_mirroring_auto_page_repair
GO
--@ source: documentation dbo.log_shipping_primary_databases
SELECT TOP (0) * FROM msdb.dbo.log_shipping_primary_databases
GO
--@ source: documentation dbo.log_shipping_secondary_databases
SELECT TOP (0) * FROM msdb.dbo.log_shipping_secondary_databases
GO
--@ source: documentation dbo.suspect_pages
SELECT TOP (0) * FROM msdb.dbo.suspect_pages
GO
--@ source: documentation dbo.sysalerts
SELECT TOP (0) * FROM msdb.dbo.sysalerts
GO
--@ source: documentation dbo.syscategories
SELECT TOP (0) * FROM msdb.dbo.syscategories
GO
--@ source: documentation dbo.sysjobactivity
SELECT TOP (0) * FROM msdb.dbo.sysjobactivity
GO
--@ source: documentation dbo.sysjobhistory
SELECT TOP (0) * FROM msdb.dbo.sysjobhistory
GO
--@ source: documentation dbo.sysjobs
SELECT TOP (0) * FROM msdb.dbo.sysjobs
GO
--@ source: documentation dbo.sysjobs_view
SELECT TOP (0) * FROM msdb.dbo.sysjobs_view
GO
--@ source: documentation dbo.sysjobschedules
SELECT TOP (0) * FROM msdb.dbo.sysjobschedules
GO
--@ source: documentation dbo.sysjobservers
SELECT TOP (0) * FROM msdb.dbo.sysjobservers
GO
--@ source: documentation dbo.sysjobsteps
SELECT TOP (0) * FROM msdb.dbo.sysjobsteps
GO
--@ source: documentation dbo.sysnotifications
SELECT TOP (0) * FROM msdb.dbo.sysnotifications
GO
--@ source: documentation dbo.sysoperators
SELECT TOP (0) * FROM msdb.dbo.sysoperators
GO
--@ source: documentation dbo.sysoriginatingservers_view
SELECT TOP (0) * FROM msdb.dbo.sysoriginatingservers_view
GO
--@ source: documentation dbo.sysproxies
SELECT TOP (0) * FROM msdb.dbo.sysproxies
GO
--@ source: documentation dbo.sysschedules
SELECT TOP (0) * FROM msdb.dbo.sysschedules
GO
--@ source: documentation dbo.syssessions
SELECT TOP (0) * FROM msdb.dbo.syssessions
GO
--@ source: documentation dbo.syssubsystems
SELECT TOP (0) * FROM msdb.dbo.syssubsystems
GO
--@ source: documentation sys.dm_xe_database_sessions
SELECT TOP (0) * FROM sys.dm_xe_database_sessions
GO
--@ source: documentation sys.dm_xe_database_session_targets
SELECT TOP (0) * FROM sys.dm_xe_database_session_targets
GO
--@ source: documentation sys.dm_xe_database_session_events
SELECT TOP (0) * FROM sys.dm_xe_database_session_events
GO
--@ source: documentation sys.dm_xe_database_session_event_actions
SELECT TOP (0) * FROM sys.dm_xe_database_session_event_actions
GO
--@ source: documentation sys.dm_xe_database_session_object_columns
SELECT TOP (0) * FROM sys.dm_xe_database_session_object_columns
GO
--@ source: documentation sys.dm_db_stats_properties, sys.dm_db_incremental_stats_properties
SELECT TOP (0) * FROM sys.dm_db_stats_properties(OBJECT_ID(N'sys.objects'), 1)
SELECT TOP (0) * FROM sys.dm_db_incremental_stats_properties(OBJECT_ID(N'sys.objects'), 1)
GO
--@ source: documentation sys.dm_os_file_exists
SELECT file_exists, file_is_a_directory FROM sys.dm_os_file_exists(N'nothing.bak')
GO
