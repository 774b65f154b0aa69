//! The statements behind the console's figures. The pages show them, so that anybody can ask the same.

use serde_json::{Value, json};

/// Batches, transactions, log flushes, pages written since the start.
pub(super) const COUNTERS: &str = "SELECT RTRIM(counter_name), cntr_value
FROM sys.dm_os_performance_counters
WHERE object_name = 'SQLServer:SQL Statistics' AND counter_name = 'Batch Requests/sec'
   OR object_name = 'SQLServer:Buffer Manager'
  AND counter_name IN ('Checkpoint pages/sec', 'Background writer pages/sec', 'Lazy writes/sec', 'Page writes/sec')
   OR object_name = 'SQLServer:Databases' AND instance_name = '_Total'
  AND counter_name IN ('Transactions/sec', 'Log Flushes/sec', 'Log Bytes Flushed/sec', 'Log Flush Waits/sec')";

/// Processor time.
pub(super) const PROCESSOR: &str =
    "SELECT process_kernel_time_ms + process_user_time_ms, cpu_count, ms_ticks
FROM sys.dm_os_sys_info";

/// Waits by class.
pub(super) const WAITS: &str = "SELECT RTRIM(counter_name), cntr_value
FROM sys.dm_os_performance_counters
WHERE object_name = 'SQLServer:Wait Statistics'
  AND instance_name = 'Cumulative wait time (ms) per second'";

/// Waits by type: those that have occurred.
pub(super) const WAIT_TYPES: &str =
    "SELECT wait_type, waiting_tasks_count, wait_time_ms, signal_wait_time_ms, max_wait_time_ms
FROM sys.dm_os_wait_stats
WHERE waiting_tasks_count > 0";

/// Reads and writes of files.
pub(super) const FILES: &str = "SELECT SUM(num_of_bytes_read), SUM(num_of_bytes_written),
       SUM(num_of_reads), SUM(num_of_writes), SUM(io_stall)
FROM sys.dm_io_virtual_file_stats(NULL, NULL)";

/// Sessions of users, what they do, and for whom they wait.
pub(super) const SESSIONS: &str = "SELECT TOP (500) s.session_id, s.login_name, s.host_name, s.program_name,
       ISNULL(r.status, s.status), DB_NAME(s.database_id), r.command, r.wait_type, r.wait_time, r.wait_resource,
       ISNULL(r.blocking_session_id, 0), s.open_transaction_count, s.cpu_time,
       DATEDIFF(second, s.last_request_start_time, GETDATE()), LEFT(t.text, 400)
FROM sys.dm_exec_sessions s
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id
OUTER APPLY sys.dm_exec_sql_text(ISNULL(r.sql_handle, c.most_recent_sql_handle)) t
WHERE s.is_user_process = 1 AND s.session_id <> @@SPID
ORDER BY s.session_id";

/// Databases and their logs.
pub(super) const DATABASES: &str = "SELECT d.database_id, d.name, d.state_desc, d.log_reuse_wait_desc,
       MAX(CASE p.counter_name WHEN 'Log File(s) Size (KB)' THEN p.cntr_value END),
       MAX(CASE p.counter_name WHEN 'Log File(s) Used Size (KB)' THEN p.cntr_value END)
FROM sys.databases d
LEFT JOIN sys.dm_os_performance_counters p ON p.instance_name = d.name AND p.object_name = 'SQLServer:Databases'
  AND p.counter_name IN ('Log File(s) Size (KB)', 'Log File(s) Used Size (KB)')
GROUP BY d.database_id, d.name, d.state_desc, d.log_reuse_wait_desc
ORDER BY d.database_id";

/// What a flush in a frame is; frames take the same entries from the ring itself.
const FLUSHES: &str = "SELECT TOP (500) sequence_number, database_id, start_time, duration_us, bytes, commits, records, cause
FROM taffrail.flush_history
WHERE operation = 'WRITE'
ORDER BY sequence_number DESC";

/// What the page of file operations shows; it takes the same entries from the ring itself.
const IO: &str = "SELECT TOP (1000) sequence_number, start_time, duration_us, session_id, operation, physical_name,
       offset, length, is_durable, result
FROM taffrail.io_trace
ORDER BY sequence_number DESC";

/// The clock by which counters are totals.
const CLOCK: &str = "SELECT ms_ticks FROM sys.dm_os_sys_info";

/// All counters: totals, levels, and the bases of ratios.
const COUNTER_VALUES: &str =
    "SELECT RTRIM(object_name), RTRIM(counter_name), RTRIM(instance_name), cntr_value, cntr_type
FROM sys.dm_os_performance_counters";

/// Checkpoints of all databases, the newest first.
const CHECKPOINTS: &str = "SELECT TOP (200) CONVERT(varchar(23), start_time, 121), database_name, is_automatic, begin_lsn, pages, bytes,
       duration_us
FROM taffrail.checkpoint_history
ORDER BY start_time DESC";

/// What a restart would have to do.
const RECOVERY: &str = "SELECT d.database_id, d.name, d.recovery_model_desc, d.target_recovery_time_in_seconds,
       s.log_since_last_checkpoint_mb, s.log_recovery_size_mb, s.recovery_vlf_count, s.log_checkpoint_lsn
FROM sys.databases d CROSS APPLY sys.dm_db_log_stats(d.database_id) s
WHERE d.state = 0
ORDER BY d.database_id";

/// Pages that are changed in memory, and how long a restart would take.
const ESTIMATE: &str = "SELECT database_id, database_name, dirty_pages, redo_bytes, estimated_seconds, target_seconds, is_measured
FROM taffrail.recovery_estimate
ORDER BY database_id";

/// Event sessions, and what they have counted since they run.
const EVENT_SESSIONS: &str = "SELECT e.name, CASE WHEN s.address IS NULL THEN 0 ELSE 1 END,
       CONVERT(varchar(19), s.create_time, 121), e.startup_state,
       (SELECT SUM(t.execution_count) FROM sys.dm_xe_session_targets t WHERE t.event_session_address = s.address),
       s.dropped_event_count,
       CASE WHEN EXISTS (SELECT * FROM sys.server_event_session_targets r
                         WHERE r.event_session_id = e.event_session_id AND r.name = 'ring_buffer') THEN 1 ELSE 0 END
FROM sys.server_event_sessions e
LEFT JOIN sys.dm_xe_sessions s ON s.name = e.name
ORDER BY e.name";

/// Growths of all files, the newest first.
const ALL_GROWTHS: &str =
    "SELECT TOP (50) CONVERT(varchar(23), start_time, 121), database_name, file_name, file_type, from_bytes, to_bytes,
       is_automatic, is_zeroed, duration_us
FROM taffrail.growth_history
ORDER BY start_time DESC";

/// Checkpoints that took a second or longer.
const LONG_CHECKPOINTS: &str =
    "SELECT TOP (50) CONVERT(varchar(23), start_time, 121), database_name, is_automatic, pages, bytes, duration_us
FROM taffrail.checkpoint_history
WHERE duration_us >= 1000000
ORDER BY start_time DESC";

/// Errors of severity 17 and more, each with its text, which is the entry behind it; the page takes the same rows from [`super::tail`].
pub(super) const ERRORS: &str =
    "DECLARE @log TABLE (n int IDENTITY PRIMARY KEY, LogDate datetime, ProcessInfo nvarchar(50), Text nvarchar(max))
INSERT @log EXEC sp_readerrorlog 0, 1
SELECT TOP (50) CONVERT(varchar(23), e.LogDate, 121), e.ProcessInfo, e.Text, t.Text
FROM @log e
LEFT JOIN @log t ON t.n = e.n + 1
WHERE e.Text LIKE 'Error: %, Severity: 1[7-9],%' OR e.Text LIKE 'Error: %, Severity: 2[0-9],%'
ORDER BY e.n DESC";

/// The newest entries of the error log, the newest first; the page takes the same rows from [`super::tail`].
pub(super) const ERROR_LOG: &str =
    "DECLARE @log TABLE (n int IDENTITY PRIMARY KEY, LogDate datetime, ProcessInfo nvarchar(50), Text nvarchar(max))
INSERT @log EXEC sp_readerrorlog 0, 1
SELECT TOP (1000) CONVERT(varchar(23), LogDate, 121), ProcessInfo, Text
FROM @log
ORDER BY n DESC";

/// How old each database's backups are: whole ones, and not those of another that had its name.
const BACKUP_AGES: &str = "SELECT d.name, d.recovery_model_desc,
       DATEDIFF(second, MAX(CASE WHEN b.type = 'D' AND b.is_copy_only = 0 THEN b.backup_finish_date END), GETDATE()),
       DATEDIFF(second, MAX(CASE b.type WHEN 'I' THEN b.backup_finish_date END), GETDATE()),
       DATEDIFF(second, MAX(CASE b.type WHEN 'L' THEN b.backup_finish_date END), GETDATE())
FROM sys.databases d
LEFT JOIN sys.database_recovery_status r ON r.database_id = d.database_id
LEFT JOIN msdb.dbo.backupset b ON b.database_name = d.name AND b.is_damaged = 0
  AND (b.family_guid = r.family_guid OR r.family_guid IS NULL)
WHERE d.name <> 'tempdb'
GROUP BY d.name, d.recovery_model_desc
ORDER BY d.name";

/// The newest backups, and where each lies.
const BACKUPS: &str = "SELECT TOP (500) b.backup_set_id, b.database_name, b.type, CONVERT(varchar(19), b.backup_start_date, 121),
       DATEDIFF(second, b.backup_finish_date, GETDATE()), DATEDIFF(second, b.backup_start_date, b.backup_finish_date),
       b.backup_size, b.first_lsn, b.last_lsn, b.database_backup_lsn, b.is_copy_only, b.is_damaged,
       f.physical_device_name
FROM msdb.dbo.backupset b
LEFT JOIN msdb.dbo.backupmediafamily f ON f.media_set_id = b.media_set_id AND f.family_sequence_number = 1
ORDER BY b.backup_set_id DESC";

/// Statements, each by the name under which their rows go to the page.
type Statements = &'static [(&'static str, &'static str)];

/// Pages that ask for rows of their own.
const PAGES: [(&str, Statements); 5] = [
    ("counters", &[("clock", CLOCK), ("counterValues", COUNTER_VALUES)]),
    (
        "checkpoints",
        &[("checkpoints", CHECKPOINTS), ("recovery", RECOVERY), ("estimate", ESTIMATE)],
    ),
    (
        "events",
        &[
            ("eventSessions", EVENT_SESSIONS),
            ("allGrowths", ALL_GROWTHS),
            ("longCheckpoints", LONG_CHECKPOINTS),
            ("errors", ERRORS),
        ],
    ),
    ("errorlog", &[("errorLog", ERROR_LOG)]),
    ("backups", &[("backupAges", BACKUP_AGES), ("backups", BACKUPS)]),
];

/// What a page asks.
pub(super) fn page(name: &str) -> Option<(&'static str, Statements)> {
    PAGES.iter().find(|page| page.0 == name).copied()
}

/// What the ring of an event session has: XML, as the target shows it.
pub(super) fn ring(session: &str) -> String {
    format!(
        "SELECT t.target_data
FROM sys.dm_xe_sessions s
JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address
WHERE t.target_name = 'ring_buffer' AND s.name = N'{}'",
        session.replace('\'', "''")
    )
}

/// Starts an event session, or stops it.
pub(super) fn event_session(session: &str, starts: bool) -> String {
    let state = if starts { "START" } else { "STOP" };
    format!("ALTER EVENT SESSION [{}] ON SERVER STATE = {state}", session.replace(']', "]]"))
}

/// VLFs of a database.
pub(super) fn vlfs(db: u16) -> String {
    format!(
        "SELECT TOP (4096) file_id, vlf_begin_offset, vlf_size_mb, vlf_sequence_number, vlf_status
FROM sys.dm_db_log_info({db})
ORDER BY file_id, vlf_begin_offset"
    )
}

/// The state of a database's log.
pub(super) fn log_state(db: u16) -> String {
    format!(
        "SELECT total_vlf_count, active_vlf_count, total_log_size_mb, active_log_size_mb, log_truncation_holdup_reason,
       log_min_lsn, log_end_lsn, current_vlf_sequence_number, log_since_last_checkpoint_mb, recovery_model
FROM sys.dm_db_log_stats({db})"
    )
}

/// Growths of a database's files.
pub(super) fn growths(db: u16) -> String {
    format!(
        "SELECT TOP (50) CONVERT(varchar(23), start_time, 121), file_name, file_type, from_bytes, to_bytes, vlfs,
       is_automatic, is_zeroed, duration_us
FROM taffrail.growth_history
WHERE database_id = {db}
ORDER BY start_time DESC"
    )
}

/// All of them by the name under which a page shows them.
pub(super) fn all() -> Value {
    let mut all = json!({
        "counters": COUNTERS,
        "processor": PROCESSOR,
        "waits": WAITS,
        "waitTypes": WAIT_TYPES,
        "files": FILES,
        "sessions": SESSIONS,
        "databases": DATABASES,
        "flushes": FLUSHES,
        "io": IO,
        "vlfs": vlfs(5),
        "log": log_state(5),
        "growths": growths(5),
        "ring": ring("system_health"),
    });
    for (name, sql) in PAGES.iter().flat_map(|page| page.1) {
        all[*name] = (*sql).into();
    }
    all
}
