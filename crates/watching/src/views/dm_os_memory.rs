//! sys.dm_os_memory_clerks, dm_os_ring_buffers, dm_os_latch_stats, dm_os_spinlock_stats.

use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_observe::latches;
use taffrail_types::Value;

const CLERKS: &[&str] = &[
    "memory_clerk_address varbinary(8)!",
    "type nvarchar(60)!",
    "name nvarchar(256)!",
    "memory_node_id smallint!",
    "pages_kb bigint!",
    "virtual_memory_reserved_kb bigint!",
    "virtual_memory_committed_kb bigint!",
    "awe_allocated_kb bigint!",
    "shared_memory_reserved_kb bigint!",
    "shared_memory_committed_kb bigint!",
    "page_size_in_bytes bigint!",
    "page_allocator_address varbinary(8)!",
    "host_address varbinary(8)!",
    "parent_memory_broker_type nvarchar(60)?",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_os_memory_clerks", needs::SERVER_PERFORMANCE, CLERKS, clerks),
        sys(
            "dm_os_ring_buffers",
            needs::SERVER_PERFORMANCE,
            &[
                "ring_buffer_address varbinary(8)!",
                "ring_buffer_type nvarchar(60)!",
                "timestamp bigint!",
                "record nvarchar(3072)?",
            ],
            ring_buffers,
        ),
        sys(
            "dm_os_latch_stats",
            needs::SERVER_PERFORMANCE,
            &[
                "latch_class nvarchar(60)!",
                "waiting_requests_count bigint?",
                "wait_time_ms bigint?",
                "max_wait_time_ms bigint?",
            ],
            latch_stats,
        ),
        sys(
            "dm_os_spinlock_stats",
            needs::SERVER_PERFORMANCE,
            &[
                "name nvarchar(256)!",
                "collisions bigint?",
                "spins bigint?",
                "spins_per_collision real?",
                "sleep_time bigint?",
                "backoffs int?",
            ],
            spinlock_stats,
        ),
    ]);
}

fn address(of: u64, number: usize) -> [u8; 8] {
    (of << 40 | number as u64).to_be_bytes()
}

/// What of the process's memory is known by its use, and the rest: type, name, KB.
pub(super) fn clerk_sizes(cx: &ViewContext<'_>) -> Vec<(&'static str, &'static str, u64)> {
    let instance = &cx.session.instance;
    let databases = instance.databases();
    let pool = &instance.storage().pool;
    let plans = instance.plans().figures();
    let log: u64 = databases.open().iter().map(|d| d.storage.log().cache_bytes()).sum();
    let resident = crate::process::proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0);
    let mut all = vec![
        (
            "MEMORYCLERK_SQLBUFFERPOOL",
            "Default",
            u64::from(pool.used_pages() + pool.free_pages()) * 8,
        ),
        ("MEMORYCLERK_SQLLOGPOOL", "Default", log / 1024),
        ("CACHESTORE_SQLCP", "SQL Plans", (plans.text_bytes / 1024) as u64),
    ];
    let known: u64 = all.iter().map(|c| c.2).sum();
    all.push(("MEMORYCLERK_SQLGENERAL", "Default", resident.saturating_sub(known)));
    all
}

fn clerks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (n, (kind, name, kb)) in clerk_sizes(cx).into_iter().enumerate() {
        let at = address(0x7f60, n);
        let size = if kind == "MEMORYCLERK_SQLBUFFERPOOL" { 8192 } else { 4096 };
        let none = [0u8; 8];
        rows.push(row![&at[..], kind, name, 0, kb, 0, 0, 0, 0, 0, size, &none[..], &none[..], ()]);
    }
    Ok(())
}

/// Each minute's look at the processors, the last errors, connections that ended badly.
fn ring_buffers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let rings = cx.session.instance.rings();
    let monitor = "RING_BUFFER_SCHEDULER_MONITOR";
    for (id, h) in rings.health.newest_first() {
        let record = format!(
            "<Record id=\"{id}\" type=\"{monitor}\" time=\"{}\"><SchedulerMonitorEvent><SystemHealth>\
             <ProcessUtilization>{}</ProcessUtilization><SystemIdle>{}</SystemIdle>\
             <UserModeTime>{}</UserModeTime><KernelModeTime>{}</KernelModeTime><PageFaults>{}</PageFaults>\
             <WorkingSetDelta>{}</WorkingSetDelta><MemoryUtilization>{}</MemoryUtilization>\
             </SystemHealth></SchedulerMonitorEvent></Record>",
            h.ms,
            h.process,
            h.idle,
            h.user * 10_000,
            h.kernel * 10_000,
            h.faults,
            h.grown,
            h.memory
        );
        rows.push(row![&address(0x7f70, 0)[..], monitor, h.ms, record]);
    }
    let exception = "RING_BUFFER_EXCEPTION";
    for (id, f) in rings.failures.newest_first() {
        let record = format!(
            "<Record id=\"{id}\" type=\"{exception}\" time=\"{}\"><Exception><Task address=\"0x{:016X}\"/>\
             <Error>{}</Error><Severity>{}</Severity><State>{}</State><UserDefined>{}</UserDefined>\
             <Origin>0</Origin></Exception></Record>",
            f.ms,
            f.session,
            f.number,
            f.severity,
            f.state,
            u8::from(f.number >= 50_000)
        );
        rows.push(row![&address(0x7f70, 1)[..], exception, f.ms, record]);
    }
    for (id, (ms, utc, c)) in rings.connections.newest_first() {
        let record = c.record(id, ms, &record_time(taffrail_io::zone::to_local(utc)));
        rows.push(row![&address(0x7f70, 2)[..], "RING_BUFFER_CONNECTIVITY", ms, record]);
    }
    Ok(())
}

/// A time as records have it: month and day without zeroes in front.
fn record_time(ticks: u64) -> String {
    const DAY: u64 = 864_000_000_000;
    let date = taffrail_types::datetime::civil_from_days((ticks / DAY) as i32);
    let ms = ticks % DAY / 10_000;
    let (s, ms) = (ms / 1000, ms % 1000);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    format!("{}/{}/{} {h}:{m:02}:{s:02}.{ms:03}", date.month, date.day, date.year)
}

/// SQL Server's classes. Latches here are those of pages, which it calls BUFFER; what else is held for moments is locked otherwise
/// and not counted.
const LATCHES: &str = "ALLOC_CREATE_RINGBUF ALLOC_CREATE_FREESPACE_CACHE ALLOC_CACHE_MANAGER ALLOC_FREESPACE_CACHE \
    ALLOC_EXTENT_CACHE ACCESS_METHODS_DATASET_PARENT ACCESS_METHODS_HOBT_FACTORY ACCESS_METHODS_HOBT \
    ACCESS_METHODS_HOBT_COUNT ACCESS_METHODS_HOBT_VIRTUAL_ROOT ACCESS_METHODS_CACHE_ONLY_HOBT_ALLOC \
    ACCESS_METHODS_BULK_ALLOC ACCESS_METHODS_SCAN_RANGE_GENERATOR ACCESS_METHODS_KEY_RANGE_GENERATOR \
    APPEND_ONLY_STORAGE_INSERT_POINT APPEND_ONLY_STORAGE_FIRST_ALLOC APPEND_ONLY_STORAGE_UNIT_MANAGER \
    APPEND_ONLY_STORAGE_MANAGER BACKUP_RESULT_SET BACKUP_TAPE_POOL BACKUP_LOG_REDO BACKUP_INSTANCE_ID BACKUP_MANAGER \
    BACKUP_MANAGER_DIFFERENTIAL BACKUP_OPERATION BACKUP_FILE_HANDLE BUFFER BUFFER_POOL_GROW DATABASE_CHECKPOINT \
    DBCC_CHECK_AGGREGATE DBCC_CHECK_RESULTSET DBCC_CHECK_TABLE DBCC_CHECK_TABLE_INIT DBCC_CHECK_TRACE_LIST \
    DBCC_FILE_CHECK_OBJECT DBCC_PERF DBCC_PFS_STATUS DBCC_OBJECT_METADATA DBCC_HASH_DLL EVENTING_CACHE FCB \
    FCB_REPLICA FGCB_ALLOC FGCB_ADD_REMOVE FILEGROUP_MANAGER FILE_MANAGER LOG_MANAGER QUERY_OPTIMIZER_VD_MANAGER \
    QUERY_OPTIMIZER_ID_MANAGER QUERY_OPTIMIZER_VIEW_REP RECOVERY_BAD_PAGE_TABLE RECOVERY_MANAGER \
    SECURITY_OPERATION_RULE_TABLE SECURITY_OBJPERM_CACHE SECURITY_CRYPTO SECURITY_KEY_RING SECURITY_KEY_LIST TRACE_ID \
    TRACE_AUDIT_ID TRACE TRACE_CONTROLLER TRACE_EVENT_QUEUE TRANSACTION_DISTRIBUTED_MARK TRANSACTION_OUTCOME \
    NESTING_TRANSACTION_READONLY NESTING_TRANSACTION_FULL MSQL_TRANSACTION_MANAGER DATABASE_AUTONAME_MANAGER \
    VERSIONING_TRANSACTION VERSIONING_TRANSACTION_LIST VERSIONING_TRANSACTION_CHAIN VERSIONING_STATE \
    VERSIONING_STATE_CHANGE KTM_VIRTUAL_CLOCK";

fn latch_stats(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for class in LATCHES.split_ascii_whitespace() {
        let (count, ms, longest) =
            if class == "BUFFER" { latches::LATCHES.row() } else { (0, 0, 0) };
        rows.push(row![class, count, ms, longest]);
    }
    Ok(())
}

/// Names that scripts look for. Nobody spins here: who finds something held yields or sleeps.
const SPINLOCKS: &str = "LOGCACHE_ACCESS LOGFLUSHQ LOGLC LOGLFM LOGPOOL_HASHBUCKET LOGPOOL_SHAREDCACHEBUFFER LOG_CONSOLIDATION \
    BUF_HASH BUF_WRITE_LOG LOCK_HASH LOCK_FREE_LIST SOS_SCHEDULER SOS_TASK SOS_SUSPEND_QUEUE SOS_CACHESTORE MUTEX XDES \
    XDESMGR XDES_HASH XCB_HASH DBT_HASH DBT_IO_LIST SECURITY_CACHE SQL_MGR GHOST_HASH HOBT_HASH FCB_REPLICA_SYNC \
    OPT_IDX_STATS QUERY_EXEC_STATS SPL_XE_BUFFER_MGR";

fn spinlock_stats(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for name in SPINLOCKS.split_ascii_whitespace() {
        rows.push(row![name, 0, 0, 0.0, 0, 0]);
    }
    Ok(())
}
