//! The Agent's tables in msdb. There is no Agent, so there are no jobs, schedules, operators and alerts; the categories are those
//! that SQL Server brings along.

use super::absent::none;
use super::{Declaration, Rows, ViewContext, msdb};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        msdb("sysjobs", &["job_id uniqueidentifier! · originating_server_id int! · name sysname! · enabled tinyint! · description nvarchar(512)? · start_step_id int! · category_id int! · owner_sid varbinary(85)! · notify_level_eventlog int! · notify_level_email int! · notify_level_netsend int! · notify_level_page int! · notify_email_operator_id int! · notify_netsend_operator_id int! · notify_page_operator_id int! · delete_level int! · date_created datetime! · date_modified datetime! · version_number int!"], none),
        msdb("sysjobsteps", &["job_id uniqueidentifier! · step_id int! · step_name sysname! · subsystem nvarchar(40)! · command nvarchar(max)? · flags int! · additional_parameters nvarchar(max)? · cmdexec_success_code int! · on_success_action tinyint! · on_success_step_id int! · on_fail_action tinyint! · on_fail_step_id int! · server sysname? · database_name sysname? · database_user_name sysname? · retry_attempts int! · retry_interval int! · os_run_priority int! · output_file_name nvarchar(200)? · last_run_outcome int! · last_run_duration int! · last_run_retries int! · last_run_date int! · last_run_time int! · proxy_id int? · step_uid uniqueidentifier?"], none),
        msdb("sysjobhistory", &["instance_id int! · job_id uniqueidentifier! · step_id int! · step_name sysname! · sql_message_id int! · sql_severity int! · message nvarchar(4000)? · run_status int! · run_date int! · run_time int! · run_duration int! · operator_id_emailed int! · operator_id_netsent int! · operator_id_paged int! · retries_attempted int! · server sysname!"], none),
        msdb("sysjobservers", &["job_id uniqueidentifier! · server_id int! · last_run_outcome tinyint! · last_outcome_message nvarchar(4000)? · last_run_date int! · last_run_time int! · last_run_duration int!"], none),
        msdb("sysjobschedules", &["schedule_id int? · job_id uniqueidentifier? · next_run_date int! · next_run_time int!"], none),
        msdb("sysschedules", &["schedule_id int! · schedule_uid uniqueidentifier! · originating_server_id int! · name sysname! · owner_sid varbinary(85)! · enabled int! · freq_type int! · freq_interval int! · freq_subday_type int! · freq_subday_interval int! · freq_relative_interval int! · freq_recurrence_factor int! · active_start_date int! · active_end_date int! · active_start_time int! · active_end_time int! · date_created datetime! · date_modified datetime! · version_number int!"], none),
        msdb("sysjobactivity", &["session_id int! · job_id uniqueidentifier! · run_requested_date datetime? · run_requested_source sysname? · queued_date datetime? · start_execution_date datetime? · last_executed_step_id int? · last_executed_step_date datetime? · stop_execution_date datetime? · job_history_id int? · next_scheduled_run_date datetime?"], none),
        msdb("syssessions", &["session_id int! · agent_start_date datetime!"], none),
        msdb("sysoperators", &["id int! · name sysname! · enabled tinyint! · email_address nvarchar(100)? · last_email_date int! · last_email_time int! · pager_address nvarchar(100)? · last_pager_date int! · last_pager_time int! · weekday_pager_start_time int! · weekday_pager_end_time int! · saturday_pager_start_time int! · saturday_pager_end_time int! · sunday_pager_start_time int! · sunday_pager_end_time int! · pager_days tinyint! · netsend_address nvarchar(100)? · last_netsend_date int! · last_netsend_time int! · category_id int!"], none),
        msdb("sysalerts", &["id int · name sysname · event_source nvarchar(100) · event_category_id int · event_id int · message_id int · severity int · enabled tinyint · delay_between_responses int · last_occurrence_date int · last_occurrence_time int · last_response_date int · last_response_time int · notification_message nvarchar(512) · include_event_description tinyint · database_name nvarchar(512) · event_description_keyword nvarchar(100) · occurrence_count int · count_reset_date int · count_reset_time int · job_id uniqueidentifier · has_notification int · flags int · performance_condition nvarchar(512) · category_id int"], none),
        msdb("sysnotifications", &["alert_id int · operator_id int · notification_method tinyint"], none),
        msdb("sysproxies", &["proxy_id int · name sysname · credential_id int · enabled tinyint · description nvarchar(512) · user_sid varbinary(85) · credential_date_created datetime"], none),
        msdb("syssubsystems", &["subsystem_id int · subsystem nvarchar(40) · description_id int · subsystem_dll nvarchar(255) · agent_exe nvarchar(255) · start_entry_point nvarchar(30) · event_entry_point nvarchar(30) · stop_entry_point nvarchar(30) · max_worker_threads int"], none),
        msdb("sysjobs_view", &["job_id uniqueidentifier! · originating_server nvarchar(128)? · name sysname! · enabled tinyint! · description nvarchar(512)? · start_step_id int! · category_id int! · owner_sid varbinary(85)! · notify_level_eventlog int! · notify_level_email int! · notify_level_netsend int! · notify_level_page int! · notify_email_operator_id int! · notify_netsend_operator_id int! · notify_page_operator_id int! · delete_level int! · date_created datetime! · date_modified datetime! · version_number int! · originating_server_id int! · master_server bit?"], none),
        msdb("sysoriginatingservers_view", &["originating_server_id int? · originating_server nvarchar(128)? · master_server bit?"], |cx, _, rows| {
            rows.push(row![0, &cx.session.instance.options().server_name, false]);
            Ok(())
        }),
        msdb("syscategories", &["category_id int! · category_class int! · category_type tinyint! · name sysname!"], categories),
    ]);
}

fn categories(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    const LOCAL: [(i32, &str); 17] = [
        (0, "[Uncategorized (Local)]"),
        (1, "Jobs from MSX"),
        (3, "Database Maintenance"),
        (5, "Full-Text"),
        (6, "Log Shipping"),
        (7, "Database Engine Tuning Advisor"),
        (8, "Data Collector"),
        (10, "REPL-Distribution"),
        (11, "REPL-Distribution Cleanup"),
        (12, "REPL-History Cleanup"),
        (13, "REPL-LogReader"),
        (14, "REPL-Merge"),
        (15, "REPL-Snapshot"),
        (16, "REPL-Checkup"),
        (17, "REPL-Subscription Cleanup"),
        (18, "REPL-Alert Response"),
        (19, "REPL-QueueReader"),
    ];
    let mut all: Vec<(i32, i32, i32, &str)> =
        LOCAL.iter().map(|(id, name)| (*id, 1, 1, *name)).collect();
    all.extend([
        (2, 1, 2, "[Uncategorized (Multi-Server)]"),
        (20, 2, 3, "Replication"),
        (98, 2, 3, "[Uncategorized]"),
        (99, 3, 3, "[Uncategorized]"),
    ]);
    all.sort_unstable();
    for (id, class, kind, name) in all {
        rows.push(row![id, class, kind, name]);
    }
    Ok(())
}
