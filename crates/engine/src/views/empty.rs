//! Views of what there is none of: columnstores, hash and spatial indexes, security policies, full text, what the query
//! store would hold, linked servers' logins, DDL triggers of the server. Each is there with SQL Server's columns and without rows.

use super::absent::none;
use super::{Declaration, Rows, ViewContext, sys};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("server_trigger_events", &["object_id int! · type int! · type_desc nvarchar(60)! · event_group_type int? · event_group_type_desc nvarchar(60)? · is_first bit? · is_last bit?"], none),
        sys("periods", &["name sysname? · period_type tinyint? · period_type_desc nvarchar(60)? · object_id int! · start_column_id int! · end_column_id int!"], none),
        sys("numbered_procedures", &["object_id int! · procedure_number smallint? · definition nvarchar(max)?"], none),
        sys("numbered_procedure_parameters", &["object_id int! · procedure_number smallint! · name sysname? · parameter_id int! · system_type_id tinyint! · user_type_id int! · max_length smallint! · precision tinyint! · scale tinyint! · is_output bit! · is_cursor_ref bit!"], none),
        sys("function_order_columns", &["object_id int! · order_column_id int! · column_id int! · is_descending bit?"], none),
        sys("column_type_usages", &["object_id int! · column_id int! · user_type_id int!"], none),
        sys("parameter_type_usages", &["object_id int! · parameter_id int! · user_type_id int!"], none),
        sys("partition_range_values", &["function_id int! · boundary_id int! · parameter_id int! · value sql_variant?"], none),
        sys("partition_parameters", &["function_id int! · parameter_id int! · system_type_id tinyint! · max_length smallint! · precision tinyint! · scale tinyint! · collation_name sysname? · user_type_id int!"], none),
        sys("spatial_index_tessellations", &["object_id int! · index_id int! · tessellation_scheme sysname? · bounding_box_xmin float? · bounding_box_ymin float? · bounding_box_xmax float? · bounding_box_ymax float? · level_1_grid smallint? · level_1_grid_desc nvarchar(60)? · level_2_grid smallint? · level_2_grid_desc nvarchar(60)? · level_3_grid smallint? · level_3_grid_desc nvarchar(60)? · level_4_grid smallint? · level_4_grid_desc nvarchar(60)? · cells_per_object int?"], none),
        sys("column_store_row_groups", &["object_id int? · index_id int? · partition_number int? · row_group_id int? · delta_store_hobt_id bigint? · state tinyint? · state_description nvarchar(60)! · total_rows bigint? · deleted_rows bigint? · size_in_bytes bigint?"], none),
        sys("column_store_segments", &["partition_id bigint? · hobt_id bigint? · column_id int? · segment_id int? · version int? · encoding_type int? · row_count int? · has_nulls int? · base_id bigint? · magnitude float? · primary_dictionary_id int? · secondary_dictionary_id int? · min_data_id bigint? · max_data_id bigint? · null_value bigint? · on_disk_size bigint? · collation_id int? · min_deep_data varbinary(18)? · max_deep_data varbinary(18)?"], none),
        sys("column_store_dictionaries", &["hobt_id bigint? · column_id int? · dictionary_id int? · version int? · type int? · last_id int? · entry_count bigint? · on_disk_size bigint? · partition_id bigint?"], none),
        sys("security_policies", &["name sysname! · object_id int! · principal_id int? · schema_id int! · parent_object_id int! · type varchar(2)? · type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_enabled bit! · is_not_for_replication bit! · uses_database_collation bit? · is_schemabinding_enabled bit!"], none),
        sys("security_predicates", &["object_id int! · security_predicate_id int! · target_object_id int! · predicate_definition nvarchar(max)? · predicate_type int? · predicate_type_desc nvarchar(60)? · operation int? · operation_desc nvarchar(60)?"], none),
        sys("hash_indexes", &["object_id int! · name sysname? · index_id int! · type tinyint! · type_desc nvarchar(60)? · is_unique bit? · data_space_id int? · ignore_dup_key bit? · is_primary_key bit? · is_unique_constraint bit? · fill_factor tinyint! · is_padded bit? · is_disabled bit? · is_hypothetical bit? · allow_row_locks bit? · allow_page_locks bit? · has_filter bit? · filter_definition nvarchar(max)? · compression_delay int? · suppress_dup_key_messages bit? · auto_created bit? · optimize_for_sequential_key bit? · bucket_count int!"], none),
        sys("spatial_indexes", &["object_id int! · name sysname? · index_id int! · type tinyint! · type_desc nvarchar(60)? · is_unique bit? · data_space_id int? · ignore_dup_key bit? · is_primary_key bit? · is_unique_constraint bit? · fill_factor tinyint! · is_padded bit? · is_disabled bit? · is_hypothetical bit? · allow_row_locks bit? · allow_page_locks bit? · has_filter bit? · filter_definition nvarchar(max)? · compression_delay int? · suppress_dup_key_messages bit? · auto_created bit? · optimize_for_sequential_key bit? · spatial_index_type tinyint! · spatial_index_type_desc nvarchar(60)? · tessellation_scheme sysname?"], none),
        sys("column_xml_schema_collection_usages", &["object_id int! · column_id int! · xml_collection_id int!"], none),
        sys("parameter_xml_schema_collection_usages", &["object_id int! · parameter_id int! · xml_collection_id int!"], none),
        sys("assembly_types", &["name sysname! · system_type_id tinyint! · user_type_id int! · schema_id int! · principal_id int? · max_length smallint! · precision tinyint! · scale tinyint! · collation_name sysname? · is_nullable bit? · is_user_defined bit! · is_assembly_type bit! · default_object_id int! · rule_object_id int! · is_table_type bit! · assembly_id int! · assembly_class sysname? · is_binary_ordered bit? · is_fixed_length bit? · prog_id nvarchar(40)? · assembly_qualified_name nvarchar(4000)?"], none),
        sys("server_sql_modules", &["object_id int! · definition nvarchar(max)? · uses_ansi_nulls bit? · uses_quoted_identifier bit? · execute_as_principal_id int?"], none),
        sys("linked_logins", &["server_id int! · local_principal_id int? · uses_self_credential bit! · remote_name sysname? · modify_date datetime!"], none),
        sys("remote_logins", &["server_id int! · remote_name sysname? · local_principal_id int? · modify_date datetime!"], none),
        sys("fulltext_catalogs", &["fulltext_catalog_id int! · name sysname! · path nvarchar(260)? · is_default bit! · is_accent_sensitivity_on bit! · data_space_id int? · file_id int? · principal_id int? · is_importing bit!"], none),
        sys("fulltext_indexes", &["object_id int! · unique_index_id int! · fulltext_catalog_id int? · is_enabled bit! · change_tracking_state char(1)? · change_tracking_state_desc nvarchar(60)? · has_crawl_completed bit! · crawl_type char(1)! · crawl_type_desc nvarchar(60)? · crawl_start_date datetime? · crawl_end_date datetime? · incremental_timestamp binary(8)? · stoplist_id int? · data_space_id int! · property_list_id int?"], none),
        sys("fulltext_index_columns", &["object_id int! · column_id int! · type_column_id int? · language_id int! · statistical_semantics int!"], none),
        sys("fulltext_index_catalog_usages", &["object_id int! · index_id int! · fulltext_catalog_id int!"], none),
        sys("fulltext_index_fragments", &["table_id int! · fragment_id int! · fragment_object_id int! · timestamp binary(8)! · status int! · data_size bigint! · row_count bigint!"], none),
        sys("fulltext_stoplists", &["stoplist_id int! · name sysname! · create_date datetime! · modify_date datetime! · principal_id int?"], none),
        sys("fulltext_stopwords", &["stoplist_id int! · stopword nvarchar(64)! · language nvarchar(128)! · language_id int!"], none),
        sys("fulltext_document_types", &["document_type nvarchar(128)! · class_id uniqueidentifier! · path nvarchar(260)? · version sysname! · manufacturer sysname?"], none),
        sys("query_store_query", &["query_id bigint! · query_text_id bigint! · context_settings_id bigint! · object_id bigint? · batch_sql_handle varbinary(64)? · query_hash binary(8)! · is_internal_query bit! · query_parameterization_type tinyint! · query_parameterization_type_desc nvarchar(60)? · initial_compile_start_time datetimeoffset(7)! · last_compile_start_time datetimeoffset(7)? · last_execution_time datetimeoffset(7)? · last_compile_batch_sql_handle varbinary(64)? · last_compile_batch_offset_start bigint? · last_compile_batch_offset_end bigint? · count_compiles bigint? · avg_compile_duration float? · last_compile_duration bigint? · avg_bind_duration float? · last_bind_duration bigint? · avg_bind_cpu_time float? · last_bind_cpu_time bigint? · avg_optimize_duration float? · last_optimize_duration bigint? · avg_optimize_cpu_time float? · last_optimize_cpu_time bigint? · avg_compile_memory_kb float? · last_compile_memory_kb bigint? · max_compile_memory_kb bigint? · is_clouddb_internal_query bit?"], none),
        sys("query_store_query_text", &["query_text_id bigint! · query_sql_text nvarchar(max)? · statement_sql_handle varbinary(64)? · is_part_of_encrypted_module bit! · has_restricted_text bit!"], none),
        sys("query_store_plan", &["plan_id bigint! · query_id bigint! · plan_group_id bigint? · engine_version nvarchar(32)? · compatibility_level smallint! · query_plan_hash binary(8)! · query_plan nvarchar(max)? · is_online_index_plan bit! · is_trivial_plan bit! · is_parallel_plan bit! · is_forced_plan bit! · is_natively_compiled bit! · force_failure_count bigint! · last_force_failure_reason int! · last_force_failure_reason_desc nvarchar(128)? · count_compiles bigint? · initial_compile_start_time datetimeoffset(7)! · last_compile_start_time datetimeoffset(7)? · last_execution_time datetimeoffset(7)? · avg_compile_duration float? · last_compile_duration bigint? · plan_forcing_type int! · plan_forcing_type_desc nvarchar(60)? · has_compile_replay_script bit? · is_optimized_plan_forcing_disabled bit? · plan_type int? · plan_type_desc nvarchar(120)?"], none),
        sys("query_store_runtime_stats", &["runtime_stats_id bigint! · plan_id bigint! · runtime_stats_interval_id bigint! · execution_type tinyint! · execution_type_desc nvarchar(128)? · first_execution_time datetimeoffset(7)! · last_execution_time datetimeoffset(7)! · count_executions bigint! · avg_duration float? · last_duration bigint! · min_duration bigint! · max_duration bigint! · stdev_duration float? · avg_cpu_time float? · last_cpu_time bigint! · min_cpu_time bigint! · max_cpu_time bigint! · stdev_cpu_time float? · avg_logical_io_reads float? · last_logical_io_reads bigint! · min_logical_io_reads bigint! · max_logical_io_reads bigint! · stdev_logical_io_reads float? · avg_logical_io_writes float? · last_logical_io_writes bigint! · min_logical_io_writes bigint! · max_logical_io_writes bigint! · stdev_logical_io_writes float? · avg_physical_io_reads float? · last_physical_io_reads bigint! · min_physical_io_reads bigint! · max_physical_io_reads bigint! · stdev_physical_io_reads float? · avg_clr_time float? · last_clr_time bigint! · min_clr_time bigint! · max_clr_time bigint! · stdev_clr_time float? · avg_dop float? · last_dop bigint! · min_dop bigint! · max_dop bigint! · stdev_dop float? · avg_query_max_used_memory float? · last_query_max_used_memory bigint! · min_query_max_used_memory bigint! · max_query_max_used_memory bigint! · stdev_query_max_used_memory float? · avg_rowcount float? · last_rowcount bigint! · min_rowcount bigint! · max_rowcount bigint! · stdev_rowcount float? · avg_num_physical_io_reads float? · last_num_physical_io_reads bigint! · min_num_physical_io_reads bigint! · max_num_physical_io_reads bigint! · stdev_num_physical_io_reads float? · avg_log_bytes_used float? · last_log_bytes_used bigint! · min_log_bytes_used bigint! · max_log_bytes_used bigint! · stdev_log_bytes_used float? · avg_tempdb_space_used float? · last_tempdb_space_used bigint! · min_tempdb_space_used bigint! · max_tempdb_space_used bigint! · stdev_tempdb_space_used float? · avg_page_server_io_reads float? · last_page_server_io_reads bigint! · min_page_server_io_reads bigint! · max_page_server_io_reads bigint! · stdev_page_server_io_reads float? · replica_group_id bigint!"], none),
        sys("query_store_runtime_stats_interval", &["runtime_stats_interval_id bigint! · start_time datetimeoffset(7)! · end_time datetimeoffset(7)! · comment nvarchar(32)?"], none),
        sys("query_store_wait_stats", &["wait_stats_id bigint! · plan_id bigint! · runtime_stats_interval_id bigint! · wait_category smallint! · wait_category_desc nvarchar(128)? · execution_type tinyint! · execution_type_desc nvarchar(128)? · total_query_wait_time_ms bigint! · avg_query_wait_time_ms float? · last_query_wait_time_ms bigint! · min_query_wait_time_ms bigint! · max_query_wait_time_ms bigint! · stdev_query_wait_time_ms float? · replica_group_id bigint!"], none),
        sys("query_context_settings", &["context_settings_id bigint! · set_options varbinary(8)? · language_id smallint! · date_format smallint! · date_first tinyint! · status varbinary(2)? · required_cursor_options int! · acceptable_cursor_options int! · merge_action_type smallint! · default_schema_id int! · is_replication_specific bit! · is_contained varbinary(1)?"], none),
        sys("query_store_query_hints", &["query_hint_id bigint! · query_id bigint! · query_hint_text nvarchar(max)? · last_query_hint_failure_reason int! · last_query_hint_failure_reason_desc nvarchar(128)? · query_hint_failure_count bigint! · source int! · source_desc nvarchar(128)? · comment nvarchar(max)? · replica_group_id bigint?"], none),
        sys("xml_schema_collections", &["xml_collection_id int! · schema_id int! · principal_id int? · name sysname! · create_date datetime! · modify_date datetime!"], |cx, _, rows| {
            let date = super::objects::system_date(cx);
            rows.push(row![1, 4, (), "sys", &date, &date]);
            Ok(())
        }),
        sys("database_query_store_options", &["desired_state smallint! · desired_state_desc nvarchar(60)? · actual_state smallint! · actual_state_desc nvarchar(60)? · readonly_reason int? · current_storage_size_mb bigint? · flush_interval_seconds bigint? · interval_length_minutes bigint? · max_storage_size_mb bigint? · stale_query_threshold_days bigint? · max_plans_per_query bigint? · query_capture_mode smallint! · query_capture_mode_desc nvarchar(60)? · capture_policy_execution_count int? · capture_policy_total_compile_cpu_time_ms bigint? · capture_policy_total_execution_cpu_time_ms bigint? · capture_policy_stale_threshold_hours int? · size_based_cleanup_mode smallint! · size_based_cleanup_mode_desc nvarchar(60)? · wait_stats_capture_mode smallint! · wait_stats_capture_mode_desc nvarchar(60)? · actual_state_additional_info nvarchar(4000)?"], |_, _, rows| {
            // It is off, and there is nothing to turn on.
            rows.push(row![0, "OFF", 0, "OFF", 0, 0, 900, 60, 1000, 30, 200, 2, "AUTO", (), (), (), (), 1, "AUTO", 1, "ON", ""]);
            Ok(())
        }),
        sys("login_token", &[TOKEN], login_token),
        sys("user_token", &[TOKEN], user_token),
    ]);
}

const TOKEN: &str = "principal_id int? · sid varbinary(85)? · name nvarchar(128)? · type nvarchar(128)? · usage nvarchar(128)?";

/// Every session is sa's.
fn login_token(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (id, name, kind) in
        [(1u8, "sa", "SQL LOGIN"), (2, "public", "SERVER ROLE"), (3, "sysadmin", "SERVER ROLE")]
    {
        rows.push(row![id, &[id][..], name, kind, "GRANT OR DENY"]);
    }
    Ok(())
}

fn user_token(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    rows.push(row![1, &[1u8][..], "dbo", "SQL USER", "GRANT OR DENY"]);
    rows.push(row![0, (), "public", "ROLE", "GRANT OR DENY"]);
    Ok(())
}
