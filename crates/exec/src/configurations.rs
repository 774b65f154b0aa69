//! Options of the server (`sp_configure`, `sys.configurations`) and of a database (`sys.database_scoped_configurations`): which there are,
//! and what is in force.

use crate::catalog::registry::{
    CONTAINED_AUTHENTICATION, MAX_SERVER_MEMORY, NESTED_TRIGGERS, PIPELINED_COMMITS,
};
use crate::instance::Instance;

/// `configuration_id`, name and value of what SQL Server has and is fixed here.
pub const FIXED: &[(i32, &str, i32)] = &[
    (1, "MAXDOP", 0),
    (2, "LEGACY_CARDINALITY_ESTIMATION", 0),
    (3, "PARAMETER_SNIFFING", 1),
    (4, "QUERY_OPTIMIZER_HOTFIXES", 0),
    (6, "IDENTITY_CACHE", 1),
    (13, "OPTIMIZE_FOR_AD_HOC_WORKLOADS", 0),
];
/// Whether the texts of scalar functions may stand in place of their calls.
pub const FUNCTION_INLINING: (i32, &str) = (10, "TSQL_SCALAR_UDF_INLINING");
/// How new parts of the log's files are initialised.
pub const LOG_INITIALIZATION: (i32, &str) = (10_001, "LOG_INITIALIZATION");
/// How many VLFs a growth of a log file makes.
pub const LOG_VLF_ALGORITHM: (i32, &str) = (10_002, "LOG_VLF_ALGORITHM");

/// Whether commits release their locks before they are durable.
pub const PIPELINED_COMMIT: (i32, &str) = (10_003, "PIPELINED_COMMIT");

/// A configuration option: id, name, default, minimum, maximum, description, dynamic, advanced.
pub type Option_ = (i32, &'static str, i64, i64, i64, &'static str, bool, bool);

/// The options that clients look up. All but [`settable`] ones always have their default.
#[rustfmt::skip]
pub const CONFIGURATIONS: &[Option_] = &[
    (
        101,
        "recovery interval (min)",
        0,
        0,
        32767,
        "Maximum recovery interval in minutes",
        true,
        true,
    ),
    (102, "allow updates", 0, 0, 1, "Allow updates to system tables", true, false),
    (103, "user connections", 0, 0, 32767, "Number of user connections allowed", false, true),
    (106, "locks", 0, 5000, 2147483647, "Number of locks for all users", false, true),
    (109, "fill factor (%)", 0, 0, 100, "Default fill factor percentage", false, true),
    (115, "nested triggers", 1, 0, 1, "Allow triggers to be invoked within triggers", true, false),
    (116, "server trigger recursion", 1, 0, 1, "Allow recursion for server level triggers", true, false),
    (117, "remote access", 0, 0, 1, "Allow remote access", false, false),
    (124, "default language", 0, 0, 9999, "default language", true, false),
    (503, "max worker threads", 0, 128, 65535, "Maximum worker threads", true, true),
    (505, "network packet size (B)", 4096, 512, 32767, "Network packet size", true, true),
    (518, "show advanced options", 0, 0, 1, "show advanced options", true, false),
    (1127, "two digit year cutoff", 2049, 1753, 9999, "two digit year cutoff", true, true),
    (1517, "priority boost", 0, 0, 1, "Priority boost", false, true),
    (1519, "remote login timeout (s)", 10, 0, 2147483647, "remote login timeout", true, false),
    (1520, "remote query timeout (s)", 600, 0, 2147483647, "remote query timeout", true, false),
    (
        1536,
        "max text repl size (B)",
        65536,
        -1,
        2147483647,
        "Maximum size of a text field in replication.",
        true,
        false,
    ),
    (
        1538,
        "cost threshold for parallelism",
        5,
        0,
        32767,
        "cost threshold for parallelism",
        true,
        true,
    ),
    (1539, "max degree of parallelism", 1, 0, 32767, "maximum degree of parallelism", true, true),
    (
        1540,
        "min memory per query (KB)",
        1024,
        512,
        2147483647,
        "minimum memory per query (kBytes)",
        true,
        true,
    ),
    (
        1541,
        "query wait (s)",
        -1,
        -1,
        2147483647,
        "maximum time to wait for query memory (s)",
        true,
        true,
    ),
    (
        1543,
        "min server memory (MB)",
        0,
        0,
        2147483647,
        "Minimum size of server memory (MB)",
        true,
        true,
    ),
    (
        1544,
        "max server memory (MB)",
        2147483647,
        128,
        2147483647,
        "Maximum size of server memory (MB)",
        true,
        true,
    ),
    (1562, "clr enabled", 0, 0, 1, "CLR user code execution enabled in the server", true, false),
    (1568, "default trace enabled", 1, 0, 1, "Enable or disable the default trace", true, true),
    (
        1569,
        "blocked process threshold (s)",
        0,
        0,
        86400,
        "Blocked process reporting threshold",
        true,
        true,
    ),
    (
        1576,
        "remote admin connections",
        0,
        0,
        1,
        "Dedicated Admin Connections are allowed from remote clients",
        true,
        false,
    ),
    (
        1579,
        "backup compression default",
        0,
        0,
        1,
        "Enable compression of backups by default",
        true,
        false,
    ),
    (
        1581,
        "optimize for ad hoc workloads",
        0,
        0,
        1,
        "When this option is set, plan cache size is further reduced for single-use adhoc OLTP workload.",
        true,
        true,
    ),
    (
        1584,
        "backup checksum default",
        0,
        0,
        1,
        "Enable checksum of backups by default",
        true,
        false,
    ),
    (16384, "Agent XPs", 0, 0, 1, "Enable or disable Agent XPs", true, true),
    (16386, "Database Mail XPs", 0, 0, 1, "Enable or disable Database Mail XPs", true, true),
    (
        16388,
        "Ole Automation Procedures",
        0,
        0,
        1,
        "Enable or disable Ole Automation Procedures",
        true,
        true,
    ),
    (16390, "xp_cmdshell", 0, 0, 1, "Enable or disable command shell", true, true),
    (
        16391,
        "Ad Hoc Distributed Queries",
        0,
        0,
        1,
        "Enable or disable Ad Hoc Distributed Queries",
        true,
        true,
    ),
    (
        16393,
        "contained database authentication",
        0,
        0,
        1,
        "Enables contained databases and contained authentication",
        true,
        false,
    ),
    (400, "cross db ownership chaining", 0, 0, 1, "Allow cross db ownership chaining", true, false),
    (1126, "default full-text language", 1033, 0, 2147483647, "default full-text language", true, true),
    (1505, "index create memory (KB)", 0, 704, 2147483647, "Memory for index create sorts (kBytes)", true, true),
    (1531, "cursor threshold", -1, -1, 2147483647, "cursor threshold", true, true),
    (1534, "user options", 0, 0, 32767, "user options", true, false),
    (1535, "affinity mask", 0, -2147483648, 2147483647, "affinity mask", true, true),
    (1537, "media retention", 0, 0, 365, "Tape retention period in days", true, true),
    (1542, "query governor cost limit", 0, 0, 2147483647, "Maximum estimated cost allowed by query governor", true, true),
    (1546, "lightweight pooling", 0, 0, 1, "User mode scheduler uses lightweight pooling", false, true),
    (1547, "scan for startup procs", 0, 0, 1, "scan for startup stored procedures", false, true),
    (1549, "affinity64 mask", 0, -2147483648, 2147483647, "affinity64 mask", true, true),
    (1550, "affinity I/O mask", 0, -2147483648, 2147483647, "affinity I/O mask", false, true),
    (1551, "affinity64 I/O mask", 0, -2147483648, 2147483647, "affinity64 I/O mask", false, true),
    (1557, "PH timeout (s)", 60, 1, 3600, "DB connection timeout for full-text protocol handler (s)", true, true),
    (1570, "in-doubt xact resolution", 0, 0, 2, "Recovery policy for DTC transactions with unknown outcome", true, true),
    (1577, "common criteria compliance enabled", 0, 0, 1, "Common Criteria compliance mode enabled", false, true),
    (1578, "EKM provider enabled", 0, 0, 1, "Enable or disable EKM provider", true, true),
    (1580, "filestream access level", 0, 0, 2, "Sets the FILESTREAM access level", true, false),
    (1582, "access check cache bucket count", 0, 0, 65536,
        "Default hash bucket count for the access check result security cache", true, true),
    (1583, "access check cache quota", 0, 0, 2147483647, "Default quota for the access check result security cache", true, true),
    (1585, "automatic soft-NUMA disabled", 0, 0, 1, "Automatic soft-NUMA is enabled by default", false, true),
    (1586, "external scripts enabled", 0, 0, 1, "Allows execution of external scripts", true, false),
    (1587, "clr strict security", 1, 0, 1, "CLR strict security enabled in the server", true, true),
    (1588, "column encryption enclave type", 0, 0, 2, "Type of enclave used for computations on encrypted columns", false, false),
    (1589, "tempdb metadata memory-optimized", 0, 0, 1, "Tempdb metadata memory-optimized is disabled by default.", false, true),
    (1591, "ADR cleaner retry timeout (min)", 15, 0, 32767, "ADR cleaner retry timeout.", true, true),
    (1592, "ADR Preallocation Factor", 4, 0, 32767, "ADR Preallocation Factor.", true, true),
    (16387, "SMO and DMO XPs", 1, 0, 1, "Enable or disable SMO and DMO XPs", true, true),
    (16392, "Replication XPs", 0, 0, 1, "Enable or disable Replication XPs", true, true),
    (16397, "allow polybase export", 0, 0, 1, "Allow INSERT into a Hadoop external table", true, false),
    (16399, "polybase enabled", 0, 0, 1, "Configure SQL Server to connect to external data sources through PolyBase", false, false),
    (PIPELINED_COMMITS, "pipelined commit", 0, 0, 1, "Commits of user databases release locks before they are durable", true, true),
];

/// Options that do something when they are set.
pub fn settable(id: i32) -> bool {
    matches!(id, 101 | NESTED_TRIGGERS | 518 | MAX_SERVER_MEMORY | 1547 | 1568 | 1569 | 1579 | 1584)
        || matches!(id, CONTAINED_AUTHENTICATION | PIPELINED_COMMITS)
}

/// Options that set-up scripts set and that change nothing here: they are kept and shown. (An option that would switch something on
/// that is not there is refused.)
pub fn kept(id: i32) -> bool {
    matches!(id, 103 | 106 | 109 | 117 | 503 | 505 | 1505 | 1517 | 1519 | 1520 | 1531)
        || matches!(id, 1535 | 1536 | 1538..=1541 | 1543 | 1546 | 1549..=1551 | 1557 | 1570)
        || matches!(id, 1576 | 1581..=1583 | 1585 | 1587 | 1589 | 1591 | 1592 | 16387)
}

/// The value of an option in a list of those that differ from their default.
pub fn configured(instance: &Instance, option: &Option_, set: &[(i32, i64)]) -> i64 {
    let found = set.iter().find(|s| s.0 == option.0).map(|s| s.1);
    found.unwrap_or_else(|| in_force(instance, option, &[]))
}

/// The value of an option that is in force, with a list of those that differ from their default.
pub fn in_force(instance: &Instance, option: &Option_, running: &[(i32, i64)]) -> i64 {
    match option.0 {
        MAX_SERVER_MEMORY => instance.databases().memory_mb() as i64,
        id => running.iter().find(|s| s.0 == id).map_or(option.2, |s| s.1),
    }
}
