//! Names that SQL Server has and this server does not: they are refused as not built (40510), all others as unknown (25623).

fn listed(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|n| n.eq_ignore_ascii_case(name))
}

const SQLSERVER: &str = "database_xml_deadlock_report \
    log_block_pushed_to_logpool \
    databases_log_file_used_size_changed \
    plan_guide_successful plan_guide_unsuccessful \
    query_post_execution_showplan query_pre_execution_showplan \
    sql_exit_invoked \
    job_object_ring_buffer_stats nonyield_copiedstack_ring_buffer_recorded auto_stats sql_statement_recompile \
    query_post_compilation_showplan degree_of_parallelism missing_column_statistics missing_join_predicate \
    cursor_open cursor_close cursor_execute cursor_prepare \
    prepare_sql exec_prepared_sql unprepare_sql scan_started scan_stopped deprecation_announcement \
    deprecation_final_support user_event exchange_spill plan_affecting_convert unmatched_filtered_indexes \
    recovery_unit_harden_log_timestamps hadr_capture_log_block hadr_db_commit_mgr_harden server_memory_change \
    background_job_error backup_restore_progress_trace";

const SQLOS: &str = "memory_broker_ring_buffer_recorded memory_node_oom_ring_buffer_recorded \
    process_killed scheduler_monitor_deadlock_ring_buffer_recorded \
    scheduler_monitor_non_yielding_iocp_ring_buffer_recorded scheduler_monitor_non_yielding_ring_buffer_recorded \
    scheduler_monitor_non_yielding_rm_ring_buffer_recorded \
    scheduler_monitor_stalled_dispatcher_ring_buffer_recorded \
    spinlock_backoff page_allocated page_freed";

/// An event.
pub(super) fn event(package: &str, name: &str) -> bool {
    match () {
        () if package.eq_ignore_ascii_case("sqlserver") => listed(SQLSERVER, name),
        () if package.eq_ignore_ascii_case("sqlos") => listed(SQLOS, name),
        () => package.eq_ignore_ascii_case("sqlclr") && name.to_lowercase().starts_with("clr_"),
    }
}

const ACTIONS: [(&str, &str); 3] = [
    (
        "package0",
        "attach_activity_id_xfer collect_cpu_cycle_time \
         callstack callstack_rva last_error debug_break",
    ),
    (
        "sqlos",
        "scheduler_address task_address task_elapsed_quantum \
         task_resource_group_id task_resource_pool_id task_time worker_address",
    ),
    (
        "sqlserver",
        "context_info plan_handle query_hash query_hash_signed query_plan_hash \
         query_plan_hash_signed server_principal_sid \
         transaction_sequence compile_plan_guid execution_plan_guid \
         create_dump_all_threads create_dump_single_thread",
    ),
];

/// An action.
pub(super) fn action(package: &str, name: &str) -> bool {
    ACTIONS.iter().any(|(p, list)| package.eq_ignore_ascii_case(p) && listed(list, name))
}

/// Something that predicates look at.
pub(super) fn source(package: &str, name: &str) -> bool {
    const MORE: &str = "partitioned_counter nt_user nt_domain session_nt_user session_nt_domain \
        session_server_principal_name";
    action(package, name) || listed(MORE, name)
}
