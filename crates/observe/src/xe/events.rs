//! The events that can be recorded, their fields, and the names of what the fields say.

pub use super::maps::{MAPS, MapEntries, WAIT_TYPES, map_key, map_text};

/// The package that an event, action or target belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Package {
    /// Targets, comparators, basic types.
    Package0,
    /// The package of waits.
    SqlOs,
    /// The package of nearly everything else.
    SqlServer,
}

impl Package {
    /// The packages, in the order of the views.
    pub const ALL: [Package; 3] = [Package::Package0, Package::SqlOs, Package::SqlServer];

    /// The package's name in the views.
    pub const fn name(self) -> &'static str {
        match self {
            Package::Package0 => "package0",
            Package::SqlOs => "sqlos",
            Package::SqlServer => "sqlserver",
        }
    }
}

/// The types of an event's fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// The type `boolean`: true or false.
    Bool,
    /// The type `int32`, a signed number.
    Int32,
    /// The type `int64`, a signed number.
    Int64,
    /// The type `uint16`, an unsigned number.
    UInt16,
    /// The type `uint32`, an unsigned number.
    UInt32,
    /// The type `uint64`, an unsigned number.
    UInt64,
    /// The type `unicode_string`, a text.
    Text,
    /// The type `xml`, a document as text.
    Xml,
    /// The type `binary_data`, any bytes.
    Binary,
    /// `activity_id`: a GUID, and a number.
    Activity,
    /// The type `ptr`, an address.
    Pointer,
    /// The type `guid`, 16 bytes.
    Guid,
    /// `filetime`: 100 ns since 0001-01-01, UTC.
    Time,
    /// A number that stands for a text: a map of this name.
    Map(&'static str),
    /// A number that is a sum of keys of the map of this name.
    Flags(&'static str),
}

impl FieldType {
    /// The type's name in the views, for a map the map's.
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
            FieldType::Guid => "guid",
            FieldType::Time => "filetime",
            FieldType::Map(map) | FieldType::Flags(map) => map,
        }
    }

    /// Texts are compared as such, everything else as numbers.
    pub const fn is_text(self) -> bool {
        matches!(self, FieldType::Text | FieldType::Xml | FieldType::Activity | FieldType::Guid)
    }
}

/// A field of an event: its name and type.
pub type Field = (&'static str, FieldType);

/// A customizable attribute: its name, whether it is on by itself, and the field that it fills.
pub type Attribute = (&'static str, bool, &'static str);

/// An event, as the views describe it.
#[derive(Debug)]
pub struct EventInfo {
    /// The number of the event.
    pub event: Event,
    /// The package of the event.
    pub package: Package,
    /// The event's name in its package.
    pub name: &'static str,
    /// Its fields, in order.
    pub fields: &'static [Field],
    /// The fields that a session can leave out or add.
    pub attributes: &'static [Attribute],
    /// A sentence that says when the event occurs.
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
        /// The events that sessions can have.
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
    BeginTranCompleted = SqlServer "begin_tran_completed" ["isolation_level" Map("isolation_level"),
        "transaction_id" Int64, "success" Bool] {}
        "Occurs when a begin transaction request received from the client transaction management interface completes.";
    BeginTranStarting = SqlServer "begin_tran_starting" ["isolation_level" Map("isolation_level")] {}
        "Occurs when a begin transaction request is received from the client transaction management interface.";
    CheckpointBegin = SqlServer "checkpoint_begin" ["database_id" UInt32] {} "Occurs when a checkpoint has begun.";
    CheckpointEnd = SqlServer "checkpoint_end" ["database_id" UInt32] {} "Occurs when a checkpoint has ended.";
    CommitTranCompleted = SqlServer "commit_tran_completed" ["transaction_id" Int64, "success" Bool] {}
        "Occurs when a commit transaction request received from the client transaction management interface completes.";
    CommitTranStarting = SqlServer "commit_tran_starting" ["transaction_id" Int64] {}
        "Occurs when a commit transaction request is received from the client transaction management interface.";
    ConnectivityRingBufferRecorded = SqlServer "connectivity_ring_buffer_recorded" ["id" UInt32,
        "timestamp" UInt64, "type" Map("connectivity_record_type"), "source" Map("connectivity_record_source"),
        "session_id" UInt16, "os_error" UInt32, "sni_error" UInt32, "sni_consumer_error" UInt32, "state" UInt16,
        "port" UInt16, "remote_port" UInt16, "local_host" Text, "remote_host" Text,
        "tds_input_buffer_error" UInt32, "tds_output_buffer_error" UInt32, "tds_input_buffer_bytes" UInt32,
        "tds_flags" Flags("connectivity_record_tds_flag"), "total_login_time_ms" UInt32,
        "login_task_enqueued_ms" UInt32, "network_writes_ms" UInt32, "network_reads_ms" UInt32,
        "ssl_processing_ms" UInt32, "sspi_processing_ms" UInt32,
        "login_trigger_and_resource_governor_processing_ms" UInt32, "connection_id" Text,
        "connection_peer_id" Text, "call_stack" Text] {"collect_call_stack" false "call_stack"}
        "Occurs when a server-initiated connection closure is recorded.";
    DatabaseFileSizeChange = SqlServer "database_file_size_change" ["duration" UInt64, "database_id" UInt32,
        "file_id" UInt32, "file_type" Map("database_file_type"), "is_automatic" Bool, "total_size_kb" UInt64,
        "size_change_kb" Int64, "file_name" Text, "database_name" Text]
        {"collect_database_name" false "database_name"}
        "Occurs when any of the data or log files for a database changes size.";
    ErrorReported = SqlServer "error_reported" ["error_number" Int32, "severity" Int32, "state" Int32,
        "user_defined" Bool, "category" Map("error_category"), "destination" Flags("error_destination"),
        "is_intercepted" Bool, "message" Text] {} "Occurs when an error is reported.";
    DatabasesDataFileSizeChanged = SqlServer "databases_data_file_size_changed" ["count" UInt64,
        "database_id" UInt32] {} "A data file of a database has another size.";
    DatabasesLogFileSizeChanged = SqlServer "databases_log_file_size_changed" ["count" UInt64,
        "database_id" UInt32] {} "A log file of a database has another size.";
    DatabasesLogCacheHit = SqlServer "databases_log_cache_hit" ["count" UInt64, "database_id" UInt32] {}
        "A record of the log was read, and the cache had it.";
    DatabasesLogCacheRead = SqlServer "databases_log_cache_read" ["count" UInt64, "database_id" UInt32] {}
        "A record of the log was read.";
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
    DatabaseTransactionBegin = SqlServer "database_transaction_begin" ["database_id" UInt32,
        "transaction_id" Int64] {} "Occurs when a database transaction begins.";
    DatabaseTransactionEnd = SqlServer "database_transaction_end" ["database_id" UInt32, "transaction_id" Int64] {}
        "Occurs when a database transaction ends.";
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
    HashWarning = SqlServer "hash_warning" ["hash_warning_type" Map("hash_warning_type"), "recursion_level" UInt32,
        "query_operation_node_id" Int32, "thread_id" UInt32, "dop" UInt32, "granted_memory_kb" UInt64,
        "used_memory_kb" UInt64, "worktable_physical_reads" UInt64, "worktable_physical_writes" UInt64,
        "actual_row_count" UInt64] {} "Occurs when there is insufficient memory to process the build input of a hash join.";
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
        "database_id" UInt32, "lockspace_workspace_id" Pointer, "lockspace_sub_id" UInt32,
        "lockspace_nest_id" UInt32, "resource_type" Map("lock_resource_type"), "owner_type" Map("lock_owner_type"),
        "escalation_cause" Map("lock_escalation_cause"), "escalated_lock_count" UInt32, "hobt_lock_count" UInt32,
        "object_id" Int32, "hobt_id" UInt64, "statement" Text, "database_name" Text]
        {"collect_statement" false "statement", "collect_database_name" false "database_name"}
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
    RollbackTranCompleted = SqlServer "rollback_tran_completed" ["transaction_id" Int64, "savepoint_name" Text,
        "success" Bool] {}
        "Occurs when a rollback transaction request received from the client transaction management interface completes.";
    RollbackTranStarting = SqlServer "rollback_tran_starting" ["transaction_id" Int64, "savepoint_name" Text] {}
        "Occurs when a rollback transaction request is received from the client transaction management interface.";
    RpcCompleted = SqlServer "rpc_completed" ["cpu_time" UInt64, "duration" UInt64, "physical_reads" UInt64,
        "logical_reads" UInt64, "writes" UInt64, "result" Map("rpc_return_result"), "row_count" UInt64,
        "connection_reset_option" Map("connection_reset_option"), "object_name" Text, "statement" Text,
        "data_stream" Binary, "output_parameters" Text] {"collect_statement" true "statement"}
        "Occurs when a remote procedure call has completed.";
    RpcStarting = SqlServer "rpc_starting" ["connection_reset_option" Map("connection_reset_option"),
        "object_name" Text, "statement" Text, "data_stream" Binary] {"collect_statement" true "statement"}
        "Occurs when a remote procedure call has started.";
    SaveTranCompleted = SqlServer "save_tran_completed" ["transaction_id" Int64, "savepoint_name" Text,
        "success" Bool] {}
        "Occurs when a savepoint transaction request received from the client transaction management interface completes.";
    SaveTranStarting = SqlServer "save_tran_starting" ["transaction_id" Int64, "savepoint_name" Text] {}
        "Occurs when a savepoint transaction request is received from the client transaction management interface.";
    SchedulerMonitorSystemHealth = SqlOs "scheduler_monitor_system_health_ring_buffer_recorded" ["id" UInt32,
        "timestamp" UInt64, "process_utilization" UInt32, "system_idle" UInt32, "user_mode_time" UInt64,
        "kernel_mode_time" UInt64, "page_faults" UInt32, "working_set_delta" Int64, "memory_utilization" UInt32,
        "call_stack" Text] {} "Scheduler monitor system health is recorded, once a minute.";
    SecurityErrorRingBufferRecorded = SqlServer "security_error_ring_buffer_recorded" ["id" UInt32,
        "timestamp" UInt64, "session_id" UInt16, "error_code" UInt32, "api_name" Text, "calling_api_name" Text,
        "call_stack" Text] {"collect_call_stack" false "call_stack"} "Occurs when a security error is recorded.";
    SortWarning = SqlServer "sort_warning" ["sort_warning_type" Map("sort_warning_type"),
        "query_operation_node_id" Int32, "thread_id" UInt32, "dop" UInt32, "granted_memory_kb" UInt64,
        "used_memory_kb" UInt64, "worktable_physical_reads" UInt64, "worktable_physical_writes" UInt64,
        "actual_row_count" UInt64] {}
        "Occurs when the sort operation for an executing query does not fit into memory.";
    SpServerDiagnosticsComponentResult = SqlServer "sp_server_diagnostics_component_result"
        ["component" Map("sp_server_diagnostics_component"), "state" Map("sp_server_diagnostics_state"), "data" Xml]
        {"collect_data" false "data"} "Information about diagnostic results of one component.";
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
    TransactionLog = SqlServer "transaction_log" ["operation" Map("log_op"), "context" Map("log_context"),
        "transaction_id" Int64, "database_id" UInt32, "transaction_start_time" Time, "log_record_size" UInt32,
        "alloc_unit_id" UInt64, "partition_id" UInt64, "object_id" Int32, "index_id" UInt32,
        "replication_command" UInt32] {} "Occurs when a record is added to the transaction log.";
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

/// Events that sessions may ask for and that never occur here, and why.
pub static NEVER: &[(Event, &str)] = &[(
    Event::SecurityErrorRingBufferRecorded,
    "no function of the operating system is asked about security: logins are the server's own",
)];

impl Event {
    /// The description of the event for the views.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait_type::WaitType;

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
