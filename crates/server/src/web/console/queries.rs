//! The statements behind the console's figures. The pages show them, so that anybody can ask the same.

use super::workload;
use serde_json::{Value, json};

/// Batches, transactions, log flushes, pages written since the start.
const COUNTERS: &str = "SELECT RTRIM(counter_name), cntr_value
FROM sys.dm_os_performance_counters
WHERE object_name = 'SQLServer:SQL Statistics' AND counter_name = 'Batch Requests/sec'
   OR object_name = 'SQLServer:Buffer Manager'
  AND counter_name IN ('Checkpoint pages/sec', 'Background writer pages/sec', 'Lazy writes/sec', 'Page writes/sec')
   OR object_name = 'SQLServer:Databases' AND instance_name = '_Total'
  AND counter_name IN ('Transactions/sec', 'Log Flushes/sec', 'Log Bytes Flushed/sec', 'Log Flush Waits/sec',
                       'Log Flush Wait Time', 'Log Flush Write Time (ms)')";

/// Processor time.
const PROCESSOR: &str = "SELECT process_kernel_time_ms + process_user_time_ms, cpu_count, ms_ticks
FROM sys.dm_os_sys_info";

/// Waits by class; frames have both together, from [`super::waits`].
const WAITS: &str = "-- of those that have ended
SELECT RTRIM(counter_name), cntr_value
FROM sys.dm_os_performance_counters
WHERE object_name = 'SQLServer:Wait Statistics'
  AND instance_name = 'Cumulative wait time (ms) per second'
-- and of those that go on
SELECT wait_type, COUNT(*), SUM(wait_duration_ms)
FROM sys.dm_os_waiting_tasks
GROUP BY wait_type";

/// Waits by type, those that go on among them: the types that have occurred; frames have them from [`super::waits`].
const WAIT_TYPES: &str =
    "SELECT s.wait_type, s.waiting_tasks_count, s.wait_time_ms + ISNULL(t.ms, 0), s.signal_wait_time_ms, s.max_wait_time_ms
FROM sys.dm_os_wait_stats s
LEFT JOIN (SELECT wait_type, SUM(wait_duration_ms) ms FROM sys.dm_os_waiting_tasks GROUP BY wait_type) t
  ON t.wait_type = s.wait_type
WHERE s.waiting_tasks_count > 0";

/// Reads and writes of files, by ROWS and LOG; of files whose definition is not shown, without a kind.
const FILES: &str = "SELECT f.type_desc, SUM(v.num_of_bytes_read), SUM(v.num_of_bytes_written),
       SUM(v.num_of_reads), SUM(v.num_of_writes), SUM(v.io_stall)
FROM sys.dm_io_virtual_file_stats(NULL, NULL) v
LEFT JOIN sys.master_files f ON f.database_id = v.database_id AND f.file_id = v.file_id
GROUP BY f.type_desc";

/// Reads and writes of each file.
const FILE_IO: &str =
    "SELECT TOP (200) DB_NAME(v.database_id), ISNULL(f.name, CONCAT('file ', v.file_id)), f.type_desc, v.size_on_disk_bytes,
       v.num_of_reads, v.num_of_bytes_read, v.io_stall_read_ms,
       v.num_of_writes, v.num_of_bytes_written, v.io_stall_write_ms, v.sample_ms
FROM sys.dm_io_virtual_file_stats(NULL, NULL) v
LEFT JOIN sys.master_files f ON f.database_id = v.database_id AND f.file_id = v.file_id
ORDER BY v.database_id, v.file_id";

/// All databases: state, sizes, who is in them.
const DATABASE_LIST: &str = "SELECT d.database_id, d.name, d.state_desc, d.recovery_model_desc,
       CONVERT(varchar(19), d.create_date, 120), d.collation_name, d.log_reuse_wait_desc,
       (SELECT SUM(CONVERT(bigint, f.size)) * 8 FROM sys.master_files f WHERE f.database_id = d.database_id AND f.type = 0),
       (SELECT SUM(CONVERT(bigint, f.size)) * 8 FROM sys.master_files f WHERE f.database_id = d.database_id AND f.type = 1),
       -- without the permission one's own would be counted alone
       CASE WHEN HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
            THEN (SELECT COUNT(*) FROM sys.dm_exec_sessions s WHERE s.is_user_process = 1 AND s.database_id = d.database_id) END
FROM sys.databases d
ORDER BY CASE WHEN d.database_id > 4 THEN 0 ELSE 1 END, d.name";

/// Tables and views of a database, by rows and room; a page runs it in that database.
const TABLES: &str = "SELECT TOP (2000) o.object_id, s.name, o.name, RTRIM(o.type),
       (SELECT SUM(p.row_count) FROM sys.dm_db_partition_stats p WHERE p.object_id = o.object_id AND p.index_id <= 1),
       (SELECT SUM(p.reserved_page_count) * 8 FROM sys.dm_db_partition_stats p WHERE p.object_id = o.object_id),
       (SELECT COUNT(*) FROM sys.indexes i WHERE i.object_id = o.object_id AND i.index_id > 0),
       CONVERT(varchar(19), o.modify_date, 120)
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V', 'P', 'FN', 'IF', 'TF', 'TR') AND o.is_ms_shipped = 0
ORDER BY 5 DESC, s.name, o.name";

/// Tables and views without rows and room, for a login that may not see those.
const TABLES_UNSIZED: &str =
    "SELECT TOP (2000) o.object_id, s.name, o.name, RTRIM(o.type), NULL, NULL,
       (SELECT COUNT(*) FROM sys.indexes i WHERE i.object_id = o.object_id AND i.index_id > 0),
       CONVERT(varchar(19), o.modify_date, 120)
FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V', 'P', 'FN', 'IF', 'TF', 'TR') AND o.is_ms_shipped = 0
ORDER BY s.name, o.name";

/// Columns of an object; a page puts its number into the place of @object.
const COLUMNS: &str =
    "SELECT c.column_id, c.name, TYPE_NAME(c.user_type_id), c.max_length, c.precision, c.scale,
       c.is_nullable, c.is_identity, c.is_computed, OBJECT_DEFINITION(c.default_object_id)
FROM sys.columns c
WHERE c.object_id = @object
ORDER BY c.column_id";

/// Indexes of an object, a row for each key or included column; a page puts its number into the place of @object.
const INDEXES: &str = "SELECT i.index_id, ISNULL(i.name, 'heap'), i.type_desc, i.is_primary_key, i.is_unique,
       (SELECT SUM(p.row_count) FROM sys.dm_db_partition_stats p WHERE p.object_id = i.object_id AND p.index_id = i.index_id),
       (SELECT SUM(p.reserved_page_count) * 8 FROM sys.dm_db_partition_stats p
        WHERE p.object_id = i.object_id AND p.index_id = i.index_id),
       COL_NAME(k.object_id, k.column_id), k.is_included_column, k.is_descending_key
FROM sys.indexes i
LEFT JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id
WHERE i.object_id = @object
ORDER BY i.index_id, k.is_included_column, k.key_ordinal, k.index_column_id";

/// Indexes without rows and room, for a login that may not see those.
const INDEXES_UNSIZED: &str = "SELECT i.index_id, ISNULL(i.name, 'heap'), i.type_desc, i.is_primary_key, i.is_unique, NULL, NULL,
       COL_NAME(k.object_id, k.column_id), k.is_included_column, k.is_descending_key
FROM sys.indexes i
LEFT JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id
WHERE i.object_id = @object
ORDER BY i.index_id, k.is_included_column, k.key_ordinal, k.index_column_id";

/// Databases and sessions that need attention, of those that the login may see.
const ALERTS: &str = "SELECT 'state', d.name, NULL, d.state_desc
FROM sys.databases d
WHERE d.state <> 0
UNION ALL
SELECT 'blocked', CONVERT(nvarchar(10), r.session_id), r.wait_time / 1000, CONVERT(nvarchar(10), r.blocking_session_id)
FROM sys.dm_exec_requests r
WHERE r.blocking_session_id <> 0 AND r.wait_time >= 10000
UNION ALL
-- a transaction that nobody works at
SELECT 'idle', CONVERT(nvarchar(10), s.session_id), DATEDIFF(second, s.last_request_end_time, GETDATE()), s.login_name
FROM sys.dm_exec_sessions s
WHERE s.is_user_process = 1 AND s.status = 'sleeping' AND s.open_transaction_count > 0
  AND s.last_request_end_time < DATEADD(minute, -10, GETDATE())";

/// Logs that are nearly full and cannot grow. Whoever sees no files hears that he does not.
const FULL_LOGS: &str = "SELECT 'log', d.name, c.cntr_value, d.log_reuse_wait_desc
FROM sys.dm_os_performance_counters c
JOIN sys.databases d ON d.name = RTRIM(c.instance_name)
WHERE c.object_name = 'SQLServer:Databases' AND c.counter_name = 'Percent Log Used' AND c.cntr_value >= 80
  AND EXISTS (SELECT 1 FROM sys.master_files f WHERE f.database_id = d.database_id AND f.type = 1)
  AND NOT EXISTS (SELECT 1 FROM sys.master_files f
                  WHERE f.database_id = d.database_id AND f.type = 1 AND f.growth <> 0
                    AND (f.max_size <= 0 OR f.max_size > f.size))
UNION ALL
SELECT 'unseen', 'sys.master_files', NULL, NULL
WHERE NOT EXISTS (SELECT 1 FROM sys.master_files)";

/// Damage that reading has found.
const DAMAGED: &str = "SELECT 'damage', ISNULL(DB_NAME(p.database_id), CONVERT(nvarchar(10), p.database_id)), COUNT(*), NULL
FROM msdb.dbo.suspect_pages p
WHERE p.event_type IN (1, 2, 3)
GROUP BY p.database_id";

/// Runs of the schedule that failed, if none of their kind has come well since.
const FAILED_BACKUPS: &str = "SELECT 'backup', r.database_name, r.error_number, r.error_message
FROM msdb.taffrail.backup_run r
WHERE r.error_number IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM msdb.taffrail.backup_run l
                  WHERE l.database_name = r.database_name AND l.type = r.type AND l.run_id > r.run_id)";

/// The schedule of backups in msdb, and what each kind is due after.
const SCHEDULE: &str = "SELECT database_name, full_minutes, differential_minutes, log_minutes, keep_chains, drill_minutes,
       directory, is_enabled
FROM msdb.taffrail.backup_schedule
ORDER BY database_name";

/// Runs of the schedule, the newest first: backups, drills (R), files that could not be removed (X).
const BACKUP_RUNS: &str = "SELECT TOP (200) run_id, database_name, type, CONVERT(varchar(19), started_utc, 120),
       DATEDIFF(second, started_utc, finished_utc), path, CONVERT(varchar(19), deleted_utc, 120), error_number, error_message
FROM msdb.taffrail.backup_run
ORDER BY run_id DESC";

/// Sessions of users, what they do, and for whom they wait.
const SESSIONS: &str = "SELECT TOP (500) s.session_id, s.login_name, s.host_name, s.program_name,
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
const DATABASES: &str = "SELECT d.database_id, d.name, d.state_desc, d.log_reuse_wait_desc,
       MAX(CASE p.counter_name WHEN 'Log File(s) Size (KB)' THEN p.cntr_value END),
       MAX(CASE p.counter_name WHEN 'Log File(s) Used Size (KB)' THEN p.cntr_value END)
FROM sys.databases d
LEFT JOIN sys.dm_os_performance_counters p ON p.instance_name = d.name AND p.object_name = 'SQLServer:Databases'
  AND p.counter_name IN ('Log File(s) Size (KB)', 'Log File(s) Used Size (KB)')
GROUP BY d.database_id, d.name, d.state_desc, d.log_reuse_wait_desc
ORDER BY d.database_id";

/// Databases, for a login that may not see the counters of their logs.
const DATABASE_NAMES: &str =
    "SELECT d.database_id, d.name, d.state_desc, d.log_reuse_wait_desc, NULL, NULL
FROM sys.databases d
ORDER BY d.database_id";

/// The sessions of a login that may not see those of others, without what the server keeps of connections and texts.
const OWN_SESSIONS: &str = "SELECT TOP (500) s.session_id, s.login_name, s.host_name, s.program_name,
       ISNULL(r.status, s.status), DB_NAME(s.database_id), r.command, r.wait_type, r.wait_time, r.wait_resource,
       ISNULL(r.blocking_session_id, 0), s.open_transaction_count, s.cpu_time,
       DATEDIFF(second, s.last_request_start_time, GETDATE()), NULL
FROM sys.dm_exec_sessions s
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
WHERE s.is_user_process = 1 AND s.session_id <> @@SPID
ORDER BY s.session_id";

/// Whether a login may read what a frame takes from the cells behind these views, and not by a statement.
const MAY_READ_WAITS: &str = "SELECT s.wait_type FROM sys.dm_os_wait_stats s CROSS JOIN sys.dm_os_waiting_tasks t WHERE 1 = 0";
const MAY_READ_FLUSHES: &str = "SELECT cause FROM taffrail.flush_history WHERE 1 = 0";

/// A statement that only asks for the permission to read the trace of file operations.
pub(super) const MAY_READ_IO: &str = "SELECT reason FROM taffrail.io_trace WHERE 1 = 0";

/// A statement that only asks for the permission to read the hour that is kept of frames, and metrics.
pub(super) const MAY_READ_HISTORY: &str =
    "SELECT 1 FROM sys.dm_os_performance_counters c, sys.dm_os_wait_stats w,
     sys.dm_io_virtual_file_stats(NULL, NULL) f, sys.dm_os_sys_info i
WHERE 1 = 0";

/// A statement that only asks for the permission to read the error log: the log that it names is not there.
pub(super) const MAY_READ_ERROR_LOG: &str = "BEGIN TRY EXEC sp_readerrorlog 1000000, 1 END TRY
BEGIN CATCH IF ERROR_NUMBER() <> 22004 THROW END CATCH";

/// The parts of a frame, by name. Those that only ask for a permission have no rows.
pub(super) const FRAME: [(&str, &str); 7] = [
    ("counters", COUNTERS),
    ("processor", PROCESSOR),
    ("files", FILES),
    ("sessions", SESSIONS),
    ("databases", DATABASES),
    ("waitTypes", MAY_READ_WAITS),
    ("flushes", MAY_READ_FLUSHES),
];

/// The statement for a part of the frame that a login may not see whole.
pub(super) fn less(part: &str) -> Option<&'static str> {
    match part {
        "sessions" => Some(OWN_SESSIONS),
        "databases" => Some(DATABASE_NAMES),
        _ => None,
    }
}

/// What a flush in a frame is; frames take the same entries from the ring itself.
const FLUSHES: &str = "SELECT TOP (500) sequence_number, database_id, start_time, duration_us, bytes, commits, records, cause
FROM taffrail.flush_history
WHERE operation = 'WRITE'
ORDER BY sequence_number DESC";

/// What the page of file operations shows; it takes the same entries from the ring itself.
const IO: &str = "SELECT TOP (1000) sequence_number, start_time, duration_us, session_id, operation, physical_name,
       offset, length, is_durable, result, reason
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
const PAGES: [(&str, Statements); 9] = [
    (
        "alerts",
        &[
            ("alerts", ALERTS),
            ("fullLogs", FULL_LOGS),
            ("damaged", DAMAGED),
            ("failedBackups", FAILED_BACKUPS),
        ],
    ),
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
    (
        "backups",
        &[
            ("backupAges", BACKUP_AGES),
            ("backups", BACKUPS),
            ("schedule", SCHEDULE),
            ("backupRuns", BACKUP_RUNS),
        ],
    ),
    ("files", &[("fileIo", FILE_IO)]),
    ("databases", &[("databaseList", DATABASE_LIST)]),
    ("missing", &[("missingIndexes", workload::MISSING_INDEXES)]),
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

/// Transactions that have written to a database's log, the one that began first on top: nothing behind its beginning can be reused.
pub(super) fn log_holders(db: u16) -> String {
    format!(
        "SELECT TOP (20) s.session_id, e.login_name, e.program_name, e.status,
       DATEDIFF(second, t.database_transaction_begin_time, GETDATE()), t.database_transaction_log_record_count,
       t.database_transaction_log_bytes_used, CONVERT(varchar(25), t.database_transaction_begin_lsn), LEFT(x.text, 400)
FROM sys.dm_tran_database_transactions t
JOIN sys.dm_tran_session_transactions s ON s.transaction_id = t.transaction_id
JOIN sys.dm_exec_sessions e ON e.session_id = s.session_id
LEFT JOIN sys.dm_exec_requests r ON r.session_id = e.session_id
LEFT JOIN sys.dm_exec_connections c ON c.session_id = e.session_id
OUTER APPLY sys.dm_exec_sql_text(ISNULL(r.sql_handle, c.most_recent_sql_handle)) x
WHERE t.database_id = {db} AND t.database_transaction_begin_lsn IS NOT NULL
ORDER BY t.database_transaction_begin_lsn"
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
        "logHolders": log_holders(5),
        "tables": TABLES,
        "tablesUnsized": TABLES_UNSIZED,
        "columns": COLUMNS,
        "indexes": INDEXES,
        "indexesUnsized": INDEXES_UNSIZED,
        "ring": ring("system_health"),
        "topQueries": workload::TOP_QUERIES,
        "queryPlan": workload::QUERY_PLAN,
        "indexUse": workload::INDEX_USE,
        "indexUseUnsized": workload::INDEX_USE_UNSIZED,
    });
    for (name, sql) in PAGES.iter().flat_map(|page| page.1) {
        all[*name] = (*sql).into();
    }
    all
}
