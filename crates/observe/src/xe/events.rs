//! The events that can be recorded, their fields, and the names of what the fields say.

use crate::wait_type::WaitType;

/// The package that an event, action or target belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Package {
    /// Targets, comparators, basic types.
    Package0,
    /// Waits.
    SqlOs,
    /// Nearly everything else.
    SqlServer,
}

impl Package {
    /// All of them.
    pub const ALL: [Package; 3] = [Package::Package0, Package::SqlOs, Package::SqlServer];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Package::Package0 => "package0",
            Package::SqlOs => "sqlos",
            Package::SqlServer => "sqlserver",
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// `boolean`.
    Bool,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `uint16`.
    UInt16,
    /// `uint32`.
    UInt32,
    /// `uint64`.
    UInt64,
    /// `unicode_string`.
    Text,
    /// `xml`.
    Xml,
    /// `binary_data`.
    Binary,
    /// `activity_id`: a GUID, and a number.
    Activity,
    /// `ptr`.
    Pointer,
    /// A number that stands for a text: a map of this name.
    Map(&'static str),
    /// The same with several at once.
    Flags(&'static str),
}

impl FieldType {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            FieldType::Bool => "boolean",
            FieldType::Int32 => "int32",
            FieldType::Int64 => "int64",
            FieldType::UInt16 => "uint16",
            FieldType::UInt32 => "uint32",
            FieldType::UInt64 => "uint64",
            FieldType::Text => "unicode_string",
            FieldType::Xml => "xml",
            FieldType::Binary => "binary_data",
            FieldType::Activity => "activity_id",
            FieldType::Pointer => "ptr",
            FieldType::Map(map) | FieldType::Flags(map) => map,
        }
    }

    /// Texts are compared as such, everything else as numbers.
    pub const fn is_text(self) -> bool {
        matches!(self, FieldType::Text | FieldType::Xml | FieldType::Activity)
    }
}

/// A field of an event: its name and type.
pub type Field = (&'static str, FieldType);

/// A customizable attribute: its name, whether it is on by itself, and the field that it fills.
pub type Attribute = (&'static str, bool, &'static str);

/// An event, as the views describe it.
#[derive(Debug)]
pub struct EventInfo {
    /// Which.
    pub event: Event,
    /// Its package.
    pub package: Package,
    /// Its name.
    pub name: &'static str,
    /// Its fields, in order.
    pub fields: &'static [Field],
    /// What can be left out of it, or added.
    pub attributes: &'static [Attribute],
    /// When it occurs.
    pub description: &'static str,
}

impl EventInfo {
    /// A field by name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.0.eq_ignore_ascii_case(name))
    }
}

macro_rules! events {
    ($($variant:ident = $package:ident $name:literal [$($field:literal $ty:expr),*]
        {$($attribute:literal $on:literal $of:literal),*} $text:literal;)+) => {
        /// An event.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Event { $(#[doc = $text] $variant,)+ }

        /// All of them, by number.
        pub static EVENTS: &[EventInfo] = &[$(EventInfo {
            event: Event::$variant,
            package: Package::$package,
            name: $name,
            fields: { use FieldType::*; &[$(($field, $ty)),*] },
            attributes: &[$(($attribute, $on, $of)),*],
            description: $text,
        },)+];

        /// How many there are.
        pub const EVENT_COUNT: usize = [$(Event::$variant,)+].len();
    };
}

events! {
    Attention = SqlServer "attention" ["duration" UInt64, "request_id" UInt32] {} "Indicates that a cancel \
        operation, client-interrupt request, or broken client connection has occurred.";
    BlockedProcessReport = SqlServer "blocked_process_report" ["duration" UInt64, "database_id" UInt32,
        "object_id" Int32, "index_id" UInt32, "lock_mode" Map("lock_mode"), "transaction_id" Int64,
        "resource_owner_type" Map("lock_owner_type"), "blocked_process" Xml, "database_name" Text] {}
        "Occurs when a task has been blocked for a specified amount of time.";
    CheckpointBegin = SqlServer "checkpoint_begin" ["database_id" UInt32] {} "Occurs when a checkpoint has begun.";
    CheckpointEnd = SqlServer "checkpoint_end" ["database_id" UInt32] {} "Occurs when a checkpoint has ended.";
    DatabaseFileSizeChange = SqlServer "database_file_size_change" ["duration" UInt64, "database_id" UInt32,
        "file_id" UInt32, "file_type" Map("database_file_type"), "is_automatic" Bool, "total_size_kb" UInt64,
        "size_change_kb" Int64, "file_name" Text, "database_name" Text]
        {"collect_database_name" false "database_name"}
        "Occurs when any of the data or log files for a database changes size.";
    ErrorReported = SqlServer "error_reported" ["error_number" Int32, "severity" Int32, "state" Int32,
        "user_defined" Bool, "category" Map("error_category"), "destination" Flags("error_destination"),
        "is_intercepted" Bool, "message" Text] {} "Occurs when an error is reported.";
    DatabasesLogFlush = SqlServer "databases_log_flush" ["count" UInt64, "database_id" UInt32] {}
        "Log was flushed.";
    DatabasesLogFlushWait = SqlServer "databases_log_flush_wait" ["count" UInt64, "database_id" UInt32] {}
        "A commit has waited for a flush of the log.";
    DatabasesLogGrowth = SqlServer "databases_log_growth" ["count" UInt64, "database_id" UInt32] {}
        "The log of a database has grown.";
    DatabasesLogShrink = SqlServer "databases_log_shrink" ["count" UInt64, "database_id" UInt32] {}
        "The log of a database has shrunk.";
    DatabasesLogTruncation = SqlServer "databases_log_truncation" ["count" UInt64, "database_id" UInt32] {}
        "The log of a database was truncated.";
    DatabaseStarted = SqlServer "database_started" ["database_id" UInt32] {} "Occurs when a database has started.";
    DatabaseStopped = SqlServer "database_stopped" ["database_id" UInt32] {} "Occurs when a database has stopped.";
    ErrorlogWritten = SqlServer "errorlog_written" ["message" Text] {} "Occurs when an entry is written to the error log.";
    ExistingConnection = SqlServer "existing_connection" ["session_id" UInt16, "is_dac" Bool,
        "database_id" UInt32, "packet_size" UInt32, "transaction_count" UInt32, "group_id" UInt32,
        "duration" UInt64, "client_pid" UInt32, "options" Binary, "options_text" Text,
        "started_event_session_name" Text, "database_name" Text, "client_app_name" Text, "client_hostname" Text,
        "nt_domain" Text, "nt_user" Text, "session_nt_domain" Text, "session_nt_user" Text,
        "server_principal_name" Text, "server_principal_sid" Binary, "session_server_principal_name" Text,
        "session_server_principal_sid" Binary]
        {"collect_options_text" false "options_text", "collect_database_name" false "database_name"}
        "Occurs when a session is started, once for each connection that there is.";
    FileRead = SqlServer "file_read" ["mode" Map("file_io_mode"), "file_handle" Pointer, "offset" UInt64,
        "database_id" UInt32, "file_id" UInt32, "file_group_id" UInt32, "size" UInt32, "path" Text]
        {"collect_path" false "path"} "Occurs when a read of a file begins.";
    FileReadCompleted = SqlServer "file_read_completed" ["mode" Map("file_io_mode"), "duration" UInt64,
        "file_handle" Pointer, "offset" UInt64, "database_id" UInt32, "file_id" UInt32, "file_group_id" UInt32,
        "size" UInt32, "path" Text] {"collect_path" false "path"} "Occurs when a read of a file has completed.";
    FileWriteCompleted = SqlServer "file_write_completed" ["mode" Map("file_io_mode"), "duration" UInt64,
        "file_handle" Pointer, "offset" UInt64, "database_id" UInt32, "file_id" UInt32, "file_group_id" UInt32,
        "size" UInt32, "path" Text] {"collect_path" false "path"} "Occurs when a write to a file has completed.";
    FileWritten = SqlServer "file_written" ["mode" Map("file_io_mode"), "file_handle" Pointer, "offset" UInt64,
        "database_id" UInt32, "file_id" UInt32, "file_group_id" UInt32, "size" UInt32, "path" Text]
        {"collect_path" false "path"} "Occurs when a write to a file begins.";
    LatchSuspendBegin = SqlServer "latch_suspend_begin" ["class" Map("latch_class"), "address" Pointer,
        "mode" Map("latch_mode"), "database_id" UInt32, "file_id" UInt32, "page_id" UInt32,
        "page_alloc_unit_id" UInt64, "has_waiters" Bool, "is_superlatch" Bool] {}
        "Occurs when the task must suspend waiting for a latch.";
    LatchSuspendEnd = SqlServer "latch_suspend_end" ["class" Map("latch_class"), "address" Pointer,
        "mode" Map("latch_mode"), "database_id" UInt32, "file_id" UInt32, "page_id" UInt32,
        "page_alloc_unit_id" UInt64, "has_waiters" Bool, "is_superlatch" Bool, "duration" UInt64] {}
        "Occurs when the task is resumed after waiting for a latch.";
    LockAcquired = SqlServer "lock_acquired" ["resource_type" Map("lock_resource_type"),
        "mode" Map("lock_mode"), "owner_type" Map("lock_owner_type"), "transaction_id" Int64,
        "database_id" UInt32, "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32,
        "lockspace_nest_id" UInt32, "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32,
        "object_id" Int32, "associated_object_id" UInt64, "duration" UInt64, "resource_description" Text,
        "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when a lock is acquired.";
    LockCancel = SqlServer "lock_cancel" ["resource_type" Map("lock_resource_type"), "mode" Map("lock_mode"),
        "owner_type" Map("lock_owner_type"), "transaction_id" Int64, "database_id" UInt32,
        "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32, "lockspace_nest_id" UInt32,
        "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32, "object_id" Int32,
        "associated_object_id" UInt64, "duration" UInt64, "resource_description" Text, "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when a lock is canceled.";
    LockDeadlock = SqlServer "lock_deadlock" ["resource_type" Map("lock_resource_type"), "mode" Map("lock_mode"),
        "owner_type" Map("lock_owner_type"), "transaction_id" Int64, "database_id" UInt32,
        "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32, "lockspace_nest_id" UInt32,
        "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32, "deadlock_id" UInt64, "object_id" Int32,
        "associated_object_id" UInt64, "duration" UInt64, "resource_description" Text, "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when an attempt to acquire a lock is canceled for the victim of a deadlock.";
    LockDeadlockChain = SqlServer "lock_deadlock_chain" ["resource_type" Map("lock_resource_type"), "mode" Map("lock_mode"),
        "owner_type" Map("lock_owner_type"), "transaction_id" Int64, "database_id" UInt32,
        "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32, "lockspace_nest_id" UInt32,
        "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32, "deadlock_id" UInt64, "object_id" Int32,
        "associated_object_id" UInt64, "session_id" Int32, "resource_description" Text, "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs for each member of a deadlock.";
    LockEscalation = SqlServer "lock_escalation" ["mode" Map("lock_mode"), "transaction_id" Int64,
        "database_id" UInt32, "resource_type" Map("lock_resource_type"), "escalated_lock_count" UInt32,
        "object_id" Int32, "database_name" Text] {"collect_database_name" false "database_name"}
        "Occurs when a lock is escalated from finer to coarser granularity.";
    LockReleased = SqlServer "lock_released" ["resource_type" Map("lock_resource_type"),
        "mode" Map("lock_mode"), "owner_type" Map("lock_owner_type"), "transaction_id" Int64,
        "database_id" UInt32, "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32,
        "lockspace_nest_id" UInt32, "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32,
        "object_id" Int32, "associated_object_id" UInt64, "duration" UInt64, "resource_description" Text,
        "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when a lock is released.";
    LockTimeout = SqlServer "lock_timeout" ["resource_type" Map("lock_resource_type"), "mode" Map("lock_mode"),
        "owner_type" Map("lock_owner_type"), "transaction_id" Int64, "database_id" UInt32,
        "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32, "lockspace_nest_id" UInt32,
        "resource_0" UInt32, "resource_1" UInt32, "resource_2" UInt32, "object_id" Int32,
        "associated_object_id" UInt64, "duration" UInt64, "resource_description" Text, "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when a lock request has timed out.";
    LockTimeoutGreaterThan0 = SqlServer "lock_timeout_greater_than_0" [
        "resource_type" Map("lock_resource_type"), "mode" Map("lock_mode"), "owner_type" Map("lock_owner_type"),
        "transaction_id" Int64, "database_id" UInt32, "lockspace_workspace_id" Pointer,
        "lockspace_sub_id" UInt32, "lockspace_nest_id" UInt32, "resource_0" UInt32, "resource_1" UInt32,
        "resource_2" UInt32, "object_id" Int32, "associated_object_id" UInt64, "duration" UInt64,
        "resource_description" Text, "database_name" Text]
        {"collect_resource_description" false "resource_description", "collect_database_name" false "database_name"}
        "Occurs when a lock request with a time-out of more than 0 has timed out.";
    LogFlushComplete = SqlServer "log_flush_complete" ["log_block_id" Int64, "database_id" UInt32, "file_id" UInt32,
        "duration" UInt64, "error" UInt32, "write_size" UInt32, "pending_writes" UInt32, "pending_bytes" UInt64,
        "rows" UInt32] {} "Log flush complete.";
    LogFlushRequested = SqlServer "log_flush_requested" ["log_block_id" Int64, "database_id" UInt32] {}
        "Log flush requested.";
    LogFlushStart = SqlServer "log_flush_start" ["log_block_id" Int64, "database_id" UInt32,
        "pending_writes" UInt32, "pending_bytes" UInt64, "write_size" UInt32, "rows" UInt32] {} "Log flush started.";
    Login = SqlServer "login" ["is_cached" Bool, "is_recovered" Bool, "is_dac" Bool, "database_id" UInt32,
        "packet_size" UInt32, "options" Binary, "options_text" Text, "database_name" Text]
        {"collect_options_text" false "options_text", "collect_database_name" false "database_name"}
        "Occurs when a successful connection is made to the Server. This event is fired for new connection or \
            when connections are reused from a connection pool.";
    Logout = SqlServer "logout" ["is_cached" Bool, "is_recovered" Bool, "is_dac" Bool, "duration" UInt64,
        "cpu_time" UInt64, "physical_reads" UInt64, "logical_reads" UInt64, "writes" UInt64] {}
        "Occurs when a user has logged out of (disconnected from) the Server.";
    ModuleEnd = SqlServer "module_end" ["object_type" Map("object_type"), "object_id" Int32,
        "source_database_id" UInt32, "duration" Int64, "row_count" UInt64, "line_number" Int32, "offset" Int32,
        "offset_end" Int32, "object_name" Text, "statement" Text] {"collect_statement" false "statement"}
        "Occurs when a module has finished executing.";
    ModuleStart = SqlServer "module_start" ["object_type" Map("object_type"), "object_id" Int32,
        "source_database_id" UInt32, "line_number" Int32, "offset" Int32, "offset_end" Int32,
        "object_name" Text, "statement" Text] {"collect_statement" false "statement"}
        "Occurs when a module starts to execute.";
    ObjectAltered = SqlServer "object_altered" ["database_id" UInt32, "object_id" Int32, "object_type" Map("object_type"),
        "index_id" UInt32, "related_object_id" Int32, "ddl_phase" Map("ddl_opcode"), "transaction_id" Int64,
        "object_name" Text, "database_name" Text] {"collect_database_name" false "database_name"}
        "Occurs when an object was altered by the ALTER statement.";
    ObjectCreated = SqlServer "object_created" ["database_id" UInt32, "object_id" Int32, "object_type" Map("object_type"),
        "index_id" UInt32, "related_object_id" Int32, "ddl_phase" Map("ddl_opcode"), "transaction_id" Int64,
        "object_name" Text, "database_name" Text] {"collect_database_name" false "database_name"}
        "Occurs when an object was created by the CREATE statement.";
    ObjectDeleted = SqlServer "object_deleted" ["database_id" UInt32, "object_id" Int32, "object_type" Map("object_type"),
        "index_id" UInt32, "related_object_id" Int32, "ddl_phase" Map("ddl_opcode"), "transaction_id" Int64,
        "object_name" Text, "database_name" Text] {"collect_database_name" false "database_name"}
        "Occurs when an object was deleted by the DROP statement.";
    PageSplit = SqlServer "page_split" ["splitOperation" Map("page_split_type"), "database_id" UInt32,
        "rowset_id" UInt64, "file_id" UInt16, "page_id" UInt32, "new_page_file_id" UInt16,
        "new_page_page_id" UInt32, "database_name" Text] {"collect_database_name" false "database_name"}
        "Occurs when a page is split.";
    PhysicalPageRead = SqlServer "physical_page_read" ["file_id" UInt16, "page_id" UInt32, "database_id" UInt32] {}
        "Physical page read.";
    PhysicalPageWrite = SqlServer "physical_page_write" ["file_id" UInt16, "page_id" UInt32, "database_id" UInt32] {}
        "Physical page write.";
    RpcCompleted = SqlServer "rpc_completed" ["cpu_time" UInt64, "duration" UInt64, "physical_reads" UInt64,
        "logical_reads" UInt64, "writes" UInt64, "result" Map("rpc_return_result"), "row_count" UInt64,
        "connection_reset_option" Map("connection_reset_option"), "object_name" Text, "statement" Text,
        "data_stream" Binary, "output_parameters" Text] {"collect_statement" true "statement"}
        "Occurs when a remote procedure call has completed.";
    RpcStarting = SqlServer "rpc_starting" ["connection_reset_option" Map("connection_reset_option"),
        "object_name" Text, "statement" Text, "data_stream" Binary] {"collect_statement" true "statement"}
        "Occurs when a remote procedure call has started.";
    SchedulerMonitorSystemHealth = SqlOs "scheduler_monitor_system_health_ring_buffer_recorded" ["id" UInt32,
        "timestamp" UInt64, "process_utilization" UInt32, "system_idle" UInt32, "user_mode_time" UInt64,
        "kernel_mode_time" UInt64, "page_faults" UInt32, "working_set_delta" Int64, "memory_utilization" UInt32,
        "call_stack" Text] {} "Scheduler monitor system health is recorded, once a minute.";
    SpStatementCompleted = SqlServer "sp_statement_completed" ["source_database_id" UInt32, "object_id" Int32,
        "object_type" Map("object_type"), "duration" Int64, "cpu_time" UInt64, "physical_reads" UInt64,
        "logical_reads" UInt64, "writes" UInt64, "row_count" UInt64, "last_row_count" UInt64, "nest_level" UInt16,
        "line_number" Int32, "offset" Int32, "offset_end" Int32, "object_name" Text, "statement" Text]
        {"collect_object_name" false "object_name", "collect_statement" true "statement"}
        "Occurs when a statement inside a stored procedure has completed.";
    SpStatementStarting = SqlServer "sp_statement_starting" ["source_database_id" UInt32, "object_id" Int32,
        "object_type" Map("object_type"), "state" Map("statement_starting_state"), "nest_level" UInt16,
        "line_number" Int32, "offset" Int32, "offset_end" Int32, "object_name" Text, "statement" Text]
        {"collect_object_name" false "object_name", "collect_statement" true "statement"}
        "Occurs when a statement inside a stored procedure has started.";
    SqlBatchCompleted = SqlServer "sql_batch_completed" ["cpu_time" UInt64, "duration" UInt64,
        "physical_reads" UInt64, "logical_reads" UInt64, "writes" UInt64, "row_count" UInt64,
        "result" Map("sql_batch_completed_result"), "batch_text" Text] {"collect_batch_text" true "batch_text"}
        "Occurs when a Transact-SQL batch has finished executing.";
    SqlBatchStarting = SqlServer "sql_batch_starting" ["batch_text" Text] {"collect_batch_text" true "batch_text"}
        "Occurs when a Transact-SQL batch has started executing.";
    SqlStatementCompleted = SqlServer "sql_statement_completed" ["duration" Int64, "cpu_time" UInt64,
        "physical_reads" UInt64, "logical_reads" UInt64, "writes" UInt64, "row_count" UInt64,
        "last_row_count" UInt64, "line_number" Int32, "offset" Int32, "offset_end" Int32, "statement" Text,
        "parameterized_plan_handle" Binary] {"collect_statement" true "statement"}
        "Occurs when a Transact-SQL statement has completed.";
    SqlStatementStarting = SqlServer "sql_statement_starting" ["state" Map("statement_starting_state"),
        "line_number" Int32, "offset" Int32, "offset_end" Int32, "statement" Text]
        {"collect_statement" true "statement"} "Occurs when a Transact-SQL statement has started.";
    SqlTransaction = SqlServer "sql_transaction" ["transaction_type" Map("sql_transaction_type"),
        "transaction_state" Map("sql_transaction_state"), "duration" UInt64, "transaction_id" Int64,
        "object_name" Text, "savepoint_name" Text] {}
        "Occurs when a SQL transaction begins, commits, is rolled back, or has a savepoint set.";
    WaitCompleted = SqlOs "wait_completed" ["wait_type" Map("wait_types"), "duration" UInt64,
        "signal_duration" UInt64, "wait_resource" Pointer] {}
        "Occurs when there is a wait completed on a SQLOS controlled resource. Use this event to track wait completion.";
    WaitInfo = SqlOs "wait_info" ["wait_type" Map("wait_types"), "opcode" Map("event_opcode"), "duration" UInt64,
        "signal_duration" UInt64, "wait_resource" Pointer] {}
        "Occurs when there is a wait on a SQLOS controlled resource.";
    WaitInfoExternal = SqlOs "wait_info_external" ["wait_type" Map("wait_types"), "opcode" Map("event_opcode"),
        "duration" UInt64] {} "Occurs when a task switches to preemptive mode execution.";
    XmlDeadlockReport = SqlServer "xml_deadlock_report" ["xml_report" Xml] {} "Produces a deadlock report in XML format.";
}

impl Event {
    /// What the views say of it.
    pub fn info(self) -> &'static EventInfo {
        &EVENTS[self as usize]
    }
}

/// An event by its package and name.
pub fn find_event(package: &str, name: &str) -> Option<&'static EventInfo> {
    EVENTS.iter().find(|e| {
        e.package.name().eq_ignore_ascii_case(package) && e.name.eq_ignore_ascii_case(name)
    })
}

/// A map's entries.
pub type MapEntries = &'static [(u32, &'static str)];

/// The maps but `wait_types`.
pub static MAPS: &[(&str, MapEntries)] = &[
    ("connection_reset_option", &[(0, "None"), (1, "KeepXact"), (2, "KeepDTCXact")]),
    ("database_file_type", &[(0, "Data file"), (1, "Log file")]),
    (
        "error_category",
        &[
            (1, "UNKNOWN"),
            (2, "SERVER"),
            (3, "DATABASE"),
            (4, "LOGON"),
            (5, "JOB"),
            (6, "REPLICATION"),
        ],
    ),
    ("error_destination", &[(1, "ERRORLOG"), (2, "USER"), (4, "EVENTLOG")]),
    ("ddl_opcode", &[(0, "Begin"), (1, "Commit"), (2, "Rollback")]),
    ("event_opcode", &[(0, "Begin"), (1, "End")]),
    ("file_io_mode", &[(0, "Contiguous"), (1, "ScatterGather")]),
    ("latch_class", &[(28, "BUFFER")]),
    ("latch_mode", &[(0, "NL"), (1, "KP"), (2, "SH"), (3, "UP"), (4, "EX"), (5, "DT")]),
    (
        "lock_mode",
        &[
            (0, "NL"),
            (1, "SCH_S"),
            (2, "SCH_M"),
            (3, "S"),
            (4, "U"),
            (5, "X"),
            (6, "IS"),
            (7, "IU"),
            (8, "IX"),
            (9, "SIU"),
            (10, "SIX"),
            (11, "UIX"),
            (12, "BU"),
            (13, "RS_S"),
            (14, "RS_U"),
            (15, "RI_NL"),
            (16, "RI_S"),
            (17, "RI_U"),
            (18, "RI_X"),
            (19, "RX_S"),
            (20, "RX_U"),
            (21, "RX_X"),
        ],
    ),
    (
        "lock_owner_type",
        &[
            (1, "Transaction"),
            (2, "Cursor"),
            (3, "Session"),
            (4, "SharedXactWorkspace"),
            (5, "ExclusiveXactWorkspace"),
            (6, "LockConflictNotificationObject"),
        ],
    ),
    (
        "lock_resource_type",
        &[
            (0, "UNKNOWN_LOCK_RESOURCE"),
            (1, "NULL_RESOURCE"),
            (2, "DATABASE"),
            (3, "FILE"),
            (4, "UNUSED1"),
            (5, "OBJECT"),
            (6, "PAGE"),
            (7, "KEY"),
            (8, "EXTENT"),
            (9, "RID"),
            (10, "APPLICATION"),
            (11, "METADATA"),
            (12, "HOBT"),
            (13, "ALLOCATION_UNIT"),
            (14, "OIB"),
            (15, "ROWGROUP"),
            (16, "XACT"),
        ],
    ),
    (
        "object_type",
        &[
            (8259, "CHECK CNST"),
            (8260, "DEFAULT"),
            (8262, "FKEY CNST"),
            (8272, "PROC"),
            (8276, "SRVTRIGGER"),
            (8277, "USRTAB"),
            (8278, "VIEW"),
            (16724, "TRIGGER"),
            (19280, "PKEY CNST"),
            (20038, "FUNCTION"),
            (20801, "ADHOC"),
            (20816, "PREPARED"),
            (20821, "UNIQUE CNST"),
            (21587, "STATISTICS"),
            (22601, "INDEX"),
        ],
    ),
    (
        "page_split_type",
        &[(0, "SPLIT_FOR_ROOT_NODE"), (1, "SPLIT_FOR_INSERT"), (2, "SPLIT_FOR_UPDATE")],
    ),
    ("rpc_return_result", &[(0, "OK"), (1, "Error"), (2, "Abort"), (3, "Skipped")]),
    ("sql_batch_completed_result", &[(0, "OK"), (1, "Error"), (2, "Abort")]),
    ("sql_transaction_state", &[(0, "Begin"), (1, "Commit"), (2, "Rollback"), (3, "Savepoint")]),
    ("sql_transaction_type", &[(0, "System"), (1, "User")]),
    ("statement_starting_state", &[(0, "Normal"), (1, "Recompiled")]),
];

/// The name of the map of all wait types.
pub const WAIT_TYPES: &str = "wait_types";

/// What a map has for a number.
pub fn map_text(map: &str, key: u32) -> Option<&'static str> {
    if map == WAIT_TYPES {
        return u16::try_from(key).ok().and_then(WaitType::from_number).map(WaitType::name);
    }
    let (_, entries) = MAPS.iter().find(|m| m.0 == map)?;
    entries.iter().find(|e| e.0 == key).map(|e| e.1)
}

/// The number that stands for a text in a map.
pub fn map_key(map: &str, text: &str) -> Option<u32> {
    if map == WAIT_TYPES {
        let found = WaitType::ALL.iter().position(|w| w.name().eq_ignore_ascii_case(text));
        return found.map(|n| n as u32);
    }
    let (_, entries) = MAPS.iter().find(|m| m.0 == map)?;
    entries.iter().find(|e| e.1.eq_ignore_ascii_case(text)).map(|e| e.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_names_and_its_attributes_fill_fields() {
        assert_eq!(EVENTS.len(), EVENT_COUNT);
        for (n, e) in EVENTS.iter().enumerate() {
            assert_eq!(e.event as usize, n);
            assert!(std::ptr::eq(find_event(e.package.name(), e.name).unwrap(), e));
            assert!(e.fields.len() <= 32);
            for (attribute, _, field) in e.attributes {
                assert!(e.field(field).is_some(), "{attribute}");
            }
            for (name, ty) in e.fields {
                if let FieldType::Map(map) | FieldType::Flags(map) = ty {
                    let there = *map == WAIT_TYPES || MAPS.iter().any(|m| m.0 == *map);
                    assert!(there, "{}.{name}", e.name);
                }
            }
        }
        for wait in WaitType::ALL {
            let key = map_key(WAIT_TYPES, wait.name()).unwrap();
            assert_eq!(map_text(WAIT_TYPES, key), Some(wait.name()));
        }
    }
}
