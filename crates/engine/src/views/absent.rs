//! Views of what there is none of: partition schemes, XML indexes, plan guides, assemblies, mirroring, keys and certificates,
//! sequences, triggers, traces, memory grants, row versions; endpoints but the one.
//! Scripts join them to indexes and databases, so they are there, and say so without rows or with NULLs.

use super::{Declaration, Rows, ViewContext, function, sys};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) fn none(_: &ViewContext<'_>, _: &[Value], _: &mut Rows) -> SqlResult<()> {
    Ok(())
}

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("partition_schemes", &["name sysname! · data_space_id int! · type char(2)! · type_desc nvarchar(60)? · is_default bit? · is_system bit? · function_id int!"], none),
        sys("partition_functions", &["name sysname! · function_id int! · type char(2)! · type_desc nvarchar(60)? · fanout int! · boundary_value_on_right bit! · is_system bit? · create_date datetime! · modify_date datetime!"], none),
        sys("database_mirroring", &["database_id int! · mirroring_guid uniqueidentifier? · mirroring_state tinyint? · mirroring_state_desc nvarchar(60)? · mirroring_role tinyint? · mirroring_role_desc nvarchar(60)? · mirroring_role_sequence int? · mirroring_safety_level tinyint? · mirroring_safety_level_desc nvarchar(60)? · mirroring_safety_sequence int? · mirroring_partner_name nvarchar(128)? · mirroring_partner_instance nvarchar(128)? · mirroring_witness_name nvarchar(128)? · mirroring_witness_state tinyint? · mirroring_witness_state_desc nvarchar(60)? · mirroring_failover_lsn numeric(25,0)? · mirroring_connection_timeout int? · mirroring_redo_queue int? · mirroring_redo_queue_type nvarchar(60)? · mirroring_end_of_log_lsn numeric(25,0)? · mirroring_replication_lsn numeric(25,0)?"], mirroring),
        sys("xml_indexes", &["object_id int! · name sysname? · index_id int! · type tinyint! · type_desc nvarchar(60)? · is_unique bit? · data_space_id int? · ignore_dup_key bit? · is_primary_key bit? · is_unique_constraint bit? · fill_factor tinyint! · is_padded bit? · is_disabled bit? · is_hypothetical bit? · is_ignored_in_optimization bit? · allow_row_locks bit? · allow_page_locks bit? · using_xml_index_id int? · secondary_type char(1)? · secondary_type_desc nvarchar(60)? · has_filter bit! · filter_definition nvarchar(max)? · xml_index_type tinyint? · xml_index_type_desc nvarchar(60)? · path_id int?"], none),
        sys("plan_guides", &["plan_guide_id int! · name sysname! · create_date datetime! · modify_date datetime! · is_disabled bit! · query_text nvarchar(max)? · scope_type tinyint! · scope_type_desc nvarchar(60)? · scope_object_id int? · scope_batch nvarchar(max)? · parameters nvarchar(max)? · hints nvarchar(max)?"], none),
        sys("assemblies", &["name sysname! · principal_id int? · assembly_id int! · clr_name nvarchar(4000)? · permission_set tinyint? · permission_set_desc nvarchar(60)? · is_visible bit! · create_date datetime! · modify_date datetime! · is_user_defined bit?"], none),
        sys("certificates", &["name sysname! · certificate_id int! · principal_id int? · pvt_key_encryption_type char(2)! · pvt_key_encryption_type_desc nvarchar(60)? · is_active_for_begin_dialog bit? · issuer_name nvarchar(442)? · cert_serial_number nvarchar(64)? · sid varbinary(85)? · string_sid nvarchar(128)? · subject nvarchar(4000)? · expiry_date datetime? · start_date datetime? · thumbprint varbinary(32)! · attested_by nvarchar(260)? · pvt_key_last_backup_date datetime? · key_length int?"], none),
        sys("asymmetric_keys", &["name sysname! · principal_id int? · asymmetric_key_id int! · pvt_key_encryption_type char(2)! · pvt_key_encryption_type_desc nvarchar(60)? · thumbprint varbinary(32)! · algorithm char(2)! · algorithm_desc nvarchar(60)? · key_length int! · sid varbinary(85)? · string_sid nvarchar(128)? · public_key varbinary(max)! · attested_by nvarchar(260)? · provider_type nvarchar(120)? · cryptographic_provider_guid uniqueidentifier? · cryptographic_provider_algid sql_variant?"], none),
        sys("symmetric_keys", &["name sysname! · principal_id int? · symmetric_key_id int! · key_length int! · key_algorithm char(2)! · algorithm_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · key_guid uniqueidentifier? · key_thumbprint sql_variant? · provider_type nvarchar(120)? · cryptographic_provider_guid uniqueidentifier? · cryptographic_provider_algid sql_variant?"], none),
        sys("credentials", &["credential_id int! · name sysname! · credential_identity nvarchar(4000)? · create_date datetime! · modify_date datetime! · target_type nvarchar(100)? · target_id int?"], none),
        sys("dm_database_encryption_keys", &["database_id int! · encryption_state int! · create_date datetime! · regenerate_date datetime! · modify_date datetime! · set_date datetime! · opened_date datetime! · key_algorithm nvarchar(32)! · key_length int! · encryptor_thumbprint varbinary(20)! · encryptor_type nvarchar(32)! · percent_complete real! · encryption_state_desc nvarchar(32)! · encryption_scan_state int! · encryption_scan_state_desc nvarchar(32)! · encryption_scan_modify_date datetime!"], none),
        sys("dm_db_persisted_sku_features", &["feature_name sysname? · feature_id int?"], none),
        sys("backup_devices", &["name sysname! · type tinyint? · type_desc nvarchar(60)? · physical_name nvarchar(260)?"], none),
        sys("sequences", &["name sysname! · object_id int! · principal_id int? · schema_id int! · parent_object_id int! · type char(2)? · type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_published bit! · is_schema_published bit! · start_value sql_variant! · increment sql_variant! · minimum_value sql_variant! · maximum_value sql_variant! · is_cycling bit? · is_cached bit? · cache_size int? · system_type_id tinyint! · user_type_id int! · precision tinyint! · scale tinyint! · current_value sql_variant! · is_exhausted bit! · last_used_value sql_variant?"], none),
        sys("table_types", &["name sysname! · system_type_id tinyint! · user_type_id int! · schema_id int! · principal_id int? · max_length smallint! · precision tinyint! · scale tinyint! · collation_name sysname? · is_nullable bit? · is_user_defined bit! · is_assembly_type bit! · default_object_id int! · rule_object_id int! · is_table_type bit! · type_table_object_id int! · is_memory_optimized bit?"], none),
        sys("trigger_events", &["object_id int! · type int! · type_desc nvarchar(60)! · is_first bit? · is_last bit? · event_group_type int? · event_group_type_desc nvarchar(60)? · is_trigger_event bit?"], none),
        sys("server_triggers", &["name sysname! · object_id int! · parent_class tinyint! · parent_class_desc nvarchar(60)? · parent_id int! · type char(2)! · type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_disabled bit!"], none),
        sys("destination_data_spaces", &["partition_scheme_id int! · destination_id int! · data_space_id int!"], none),
        sys("internal_tables", &["name sysname! · object_id int! · principal_id int? · schema_id int! · parent_object_id int! · type char(2)? · type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_published bit! · is_schema_published bit! · internal_type tinyint? · internal_type_desc nvarchar(60)? · parent_id int! · parent_minor_id int! · lob_data_space_id int! · filestream_data_space_id int?"], none),
        sys("assembly_modules", &["object_id int! · assembly_id int! · assembly_class nvarchar(128)? · assembly_method nvarchar(128)? · null_on_null_input bit? · execute_as_principal_id int?"], none),
        sys("change_tracking_databases", &["database_id int! · is_auto_cleanup_on tinyint? · retention_period int? · retention_period_units tinyint? · retention_period_units_desc nvarchar(60)? · max_cleanup_version bigint?"], none),
        sys("change_tracking_tables", &["object_id int! · is_track_columns_updated_on bit! · min_valid_version bigint? · begin_version bigint? · cleanup_version bigint?"], none),
        sys("traces", &["id int! · status int! · path nvarchar(260)? · max_size bigint? · stop_time datetime? · max_files int? · is_rowset bit? · is_rollover bit? · is_shutdown bit? · is_default bit? · buffer_count int? · buffer_size int? · file_position bigint? · reader_spid int? · start_time datetime? · last_event_time datetime? · event_count bigint? · dropped_event_count int?"], none),
        sys("dm_exec_query_memory_grants", &["session_id smallint? · request_id int? · scheduler_id int? · dop smallint? · request_time datetime? · grant_time datetime? · requested_memory_kb bigint? · granted_memory_kb bigint? · required_memory_kb bigint? · used_memory_kb bigint? · max_used_memory_kb bigint? · query_cost float? · timeout_sec int? · resource_semaphore_id smallint? · queue_id smallint? · wait_order int? · is_next_candidate bit? · wait_time_ms bigint? · plan_handle varbinary(64)? · sql_handle varbinary(64)? · group_id int? · pool_id int? · is_small bit? · ideal_memory_kb bigint? · reserved_worker_count int? · used_worker_count int? · max_used_worker_count int? · reserved_node_bitmap bigint?"], none),
        sys("dm_tran_active_snapshot_database_transactions", &["transaction_id bigint? · transaction_sequence_num bigint? · commit_sequence_num bigint? · is_snapshot int? · session_id int? · first_snapshot_sequence_num bigint? · max_version_chain_traversed int? · average_version_chain_traversed float? · elapsed_time_seconds bigint?"], none),
        sys("dm_tran_top_version_generators", &["database_id smallint? · rowset_id bigint? · aggregated_record_length_in_bytes int?"], none),
        sys("dm_server_memory_dumps", &["filename nvarchar(256)! · creation_time datetimeoffset(7)? · size_in_bytes bigint?"], none),
        function("dm_db_incremental_stats_properties", 2, &["object_id int! · stats_id int! · partition_number int! · last_updated datetime2(7)? · rows bigint? · rows_sampled bigint? · steps int? · unfiltered_rows bigint? · modification_counter bigint?"], none),
        sys("dm_tran_version_store_space_usage", &["database_id int! · reserved_page_count bigint! · reserved_space_kb bigint!"], |cx, _, rows| {
            // Nothing keeps old versions of rows.
            for slot in cx.session.instance.databases().list() {
                rows.push(row![slot.entry.id.0, 0, 0]);
            }
            Ok(())
        }),
        sys("endpoints", &["name sysname! · endpoint_id int! · principal_id int? · protocol tinyint! · protocol_desc nvarchar(60)? · type tinyint! · type_desc nvarchar(60)? · state tinyint? · state_desc nvarchar(60)? · is_admin_endpoint bit!"], |_, _, rows| {
            // What every session comes by.
            rows.push(row!["TSQL Default TCP", 4, 1, 2, "TCP", 2, "TSQL", 0, "STARTED", false]);
            Ok(())
        }),
    ]);
}

/// A row for each database, as in SQL Server: none is mirrored.
fn mirroring(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let mut cells = vec![Value::Null; 21];
        cells[0] = Value::BigInt(slot.entry.id.0 as i64);
        rows.push(cells);
    }
    Ok(())
}
