//! sys.dm_os_performance_counters: SQL Server's objects and counters, with what is counted here.
//!
//! The names, their spelling and the counter types are a contract with every monitoring tool. What is counted here is counted where it
//! happens; what cannot happen here, or is not counted, stands at 0 and in `zero.txt` with the reason.

mod measured;
mod zero;

use super::{Declaration, Reach, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_observe::{DatabaseCounters, SessionCell, WaitClass, WaitStats};
use taffrail_storage::lock::ResourceKind;
use taffrail_types::Value;

/// PERF_COUNTER_LARGE_RAWCOUNT: the value as it is.
const GAUGE: i32 = 65792;
/// PERF_COUNTER_BULK_COUNT: a running total that readers turn into a rate.
const RATE: i32 = 272_696_576;
/// PERF_LARGE_RAW_FRACTION.
const FRACTION: i32 = 537_003_264;
/// PERF_LARGE_RAW_BASE.
const BASE: i32 = 1_073_939_712;
/// PERF_AVERAGE_BULK.
const AVERAGE: i32 = 1_073_874_176;

const COLUMNS: &str = "\
    object_name nchar(128)! · counter_name nchar(128)! · instance_name nchar(128)? · cntr_value bigint! · \
    cntr_type int!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_os_performance_counters", needs::SERVER_PERFORMANCE, &[COLUMNS], counters),
        sys("sysperfinfo", needs::SERVER_PERFORMANCE, &[COLUMNS], counters).reached(Reach::Bare),
    ]);
}

/// A counter of SQLServer:Databases: name, type, value. `Percent Log Used` is not a sum in `_Total`.
type DatabaseCounter = (&'static str, i32, fn(&DatabaseCounters) -> i64);

const DATABASE: &[DatabaseCounter] = &[
    ("Data File(s) Size (KB)", GAUGE, |c| c.data_files_size_kb.get()),
    ("Log File(s) Size (KB)", GAUGE, |c| c.log_files_size_kb.get()),
    ("Log File(s) Used Size (KB)", GAUGE, |c| c.log_files_used_size_kb.get()),
    ("Percent Log Used", GAUGE, |c| c.percent_log_used()),
    ("Active Transactions", GAUGE, |c| c.active_transactions.get()),
    ("Transactions/sec", RATE, |c| c.transactions.get() as i64),
    ("Write Transactions/sec", RATE, |c| c.write_transactions.get() as i64),
    ("Log Cache Reads/sec", RATE, |c| c.log_cache_reads.get() as i64),
    ("Log Cache Hit Ratio", FRACTION, |c| c.log_cache_hits.get() as i64),
    ("Log Cache Hit Ratio Base", BASE, |c| c.log_cache_reads.get() as i64),
    ("Bulk Copy Rows/sec", RATE, |c| c.bulk_copy_rows.get() as i64),
    ("Bulk Copy Throughput/sec", RATE, |c| c.bulk_copy_bytes.get() as i64 / 1024),
    ("Backup/Restore Throughput/sec", RATE, |c| c.backup_bytes.get() as i64),
    ("Log Flushes/sec", RATE, |c| c.log_flushes.get() as i64),
    ("Log Bytes Flushed/sec", RATE, |c| c.log_bytes_flushed.get() as i64),
    ("Log Flush Waits/sec", RATE, |c| c.log_flush_waits.get() as i64),
    ("Log Flush Wait Time", GAUGE, |c| c.log_flush_wait_time.total_ms() as i64),
    ("Log Flush Write Time (ms)", GAUGE, |c| c.log_flush_write_time.last_second_ms() as i64),
    ("Group Commit Time/sec", RATE, |c| c.group_commit_time_us.get() as i64),
    ("Log Truncations", GAUGE, |c| c.log_truncations.get() as i64),
    ("Log Growths", GAUGE, |c| c.log_growths.get() as i64),
    ("Log Shrinks", GAUGE, |c| c.log_shrinks.get() as i64),
    ("Log Pool Requests/sec", RATE, |c| c.log_pool_requests.get() as i64),
    ("Log Pool Cache Misses/sec", RATE, |c| c.log_pool_cache_misses.get() as i64),
    ("Log Pool Disk Reads/sec", RATE, |c| c.log_pool_disk_reads.get() as i64),
];

struct Out<'r, 'c> {
    rows: &'r mut Rows<'c>,
}

impl Out<'_, '_> {
    fn put(&mut self, object: &str, counter: &str, instance: &str, value: i64, ty: i32) {
        let object = format!("SQLServer:{object}");
        self.rows.push(row![object, counter, instance, value, ty]);
    }

    fn rates(&mut self, object: &str, list: &[(&str, u64)]) {
        for (counter, value) in list {
            self.put(object, counter, "", *value as i64, RATE);
        }
    }

    fn gauges(&mut self, object: &str, list: &[(&str, i64)]) {
        for (counter, value) in list {
            self.put(object, counter, "", *value, GAUGE);
        }
    }
}

fn counters(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut out = Out { rows };
    let instance = &cx.session.instance;
    let open: Vec<_> = instance.databases().open();
    let names: Vec<&str> = open.iter().map(|d| &*d.name).collect();
    databases(cx, &mut out);
    buffer_manager(cx, &mut out);
    access_methods(cx, &mut out);
    general(cx, &mut out);
    locks(cx, &mut out);
    wait_statistics(&mut out);
    measured::memory(cx, &mut out);
    measured::errors(instance.counters(), &mut out);
    measured::latches(&mut out);
    measured::groups(cx, &open, &mut out);
    measured::responses(instance.counters(), &mut out);
    measured::user_settable(instance.counters(), &mut out);
    measured::catalog(&open, &mut out);
    zero::put(&mut out, &names);
    Ok(())
}

fn databases(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let open: Vec<_> = cx.session.instance.databases().open();
    // The engine refreshes the size gauges where files change; what is used of a log moves all the time.
    for d in &open {
        d.storage.log().set_size_counters();
        let files = d.storage.files();
        let data = files.iter().filter(|f| f.kind == taffrail_storage::FileKind::Rows);
        let bytes: u64 = data.map(|f| f.size).sum();
        d.storage.counters().data_files_size_kb.set((bytes / 1024) as i64);
    }
    for (name, ty, value) in DATABASE {
        let mut total = 0;
        for d in &open {
            let v = value(d.storage.counters());
            total += v;
            out.put("Databases", name, &d.name, v, *ty);
        }
        if *name == "Percent Log Used" {
            let sum = |f: fn(&DatabaseCounters) -> i64| -> i64 {
                open.iter().map(|d| f(d.storage.counters())).sum()
            };
            let size = sum(|c| c.log_files_size_kb.get());
            let used = sum(|c| c.log_files_used_size_kb.get());
            total = if size > 0 { used * 100 / size } else { 0 };
        }
        out.put("Databases", name, "_Total", total, *ty);
    }
}

fn buffer_manager(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let c = &cx.database.storage.instance().pool.counters;
    let (lookups, reads) = (c.page_lookups.get(), c.page_reads.get());
    let object = "Buffer Manager";
    out.put(object, "Buffer cache hit ratio", "", lookups.saturating_sub(reads) as i64, FRACTION);
    out.put(object, "Buffer cache hit ratio base", "", lookups as i64, BASE);
    out.rates(
        object,
        &[
            ("Page lookups/sec", lookups),
            ("Free list stalls/sec", c.free_list_stalls.get()),
            ("Lazy writes/sec", c.lazy_writes.get()),
            ("Readahead pages/sec", c.readahead_pages.get()),
            ("Readahead time/sec", c.readahead_time_us.get()),
            ("Page reads/sec", reads),
            ("Page writes/sec", c.page_writes.get()),
            ("Checkpoint pages/sec", c.checkpoint_pages.get()),
            ("Background writer pages/sec", c.background_writer_pages.get()),
        ],
    );
    out.gauges(
        object,
        &[
            ("Database pages", i64::from(cx.database.storage.instance().pool.used_pages())),
            ("Target pages", c.target_pages.get()),
            ("Page life expectancy", c.page_life_expectancy_s.get()),
        ],
    );
    let life = c.page_life_expectancy_s.get();
    out.put("Buffer Node", "Page life expectancy", "000", life, GAUGE);
}

fn access_methods(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let open: Vec<_> = cx.session.instance.databases().open();
    let sum = |f: fn(&DatabaseCounters) -> u64| -> u64 {
        open.iter().map(|d| f(d.storage.counters())).sum()
    };
    out.rates(
        "Access Methods",
        &[
            ("Full Scans/sec", sum(|c| c.full_scans.get())),
            ("Range Scans/sec", sum(|c| c.range_scans.get())),
            ("Index Searches/sec", sum(|c| c.index_searches.get())),
            ("Page Splits/sec", sum(|c| c.page_splits.get())),
            ("Forwarded Records/sec", sum(|c| c.forwarded_records.get())),
            ("Skipped Ghosted Records/sec", sum(|c| c.skipped_ghosts.get())),
            ("Extents Allocated/sec", sum(|c| c.extents_allocated.get())),
            ("Extent Deallocations/sec", sum(|c| c.extents_deallocated.get())),
            ("Pages Allocated/sec", sum(|c| c.pages_allocated.get())),
            ("Page Deallocations/sec", sum(|c| c.pages_deallocated.get())),
            ("Table Lock Escalations/sec", cx.session.instance.storage().locks.escalations.get()),
        ],
    );
}

fn general(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let sessions = cx.session.instance.sessions();
    let blocked = |c: &SessionCell| c.blocking_session() != 0;
    let transactions: i64 = cx
        .session
        .instance
        .databases()
        .list()
        .iter()
        .filter_map(|s| s.database.as_ref())
        .map(|d| d.storage.counters().active_transactions.get())
        .sum();
    out.gauges(
        "General Statistics",
        &[
            ("User Connections", sessions.len() as i64),
            ("Logical Connections", sessions.len() as i64),
            ("Processes blocked", sessions.iter().filter(|s| blocked(&s.cell)).count() as i64),
            ("Active Temp Tables", measured::temp_tables(cx)),
        ],
    );
    let c = cx.session.instance.counters();
    out.rates(
        "General Statistics",
        &[
            ("Logins/sec", c.logins.get()),
            ("Logouts/sec", c.logouts.get()),
            ("Connection Reset/sec", c.resets.get()),
            ("Temp Tables Creation Rate", c.temp_tables.get()),
        ],
    );
    out.rates(
        "SQL Statistics",
        &[
            ("Batch Requests/sec", c.batch_requests.get()),
            ("SQL Compilations/sec", c.compilations.get()),
            ("SQL Re-Compilations/sec", c.recompilations.get()),
            ("SQL Attention rate", c.attentions.get()),
        ],
    );
    let versions = super::row_versions::version_counters(cx);
    out.gauges(
        "Transactions",
        &[
            ("Transactions", transactions),
            ("Free Space in tempdb (KB)", measured::tempdb_free_kb(cx)),
            ("Snapshot Transactions", versions.snapshots),
            ("Update Snapshot Transactions", versions.updating),
            ("NonSnapshot Version Transactions", versions.plain),
            ("Longest Transaction Running Time", versions.longest_s),
            ("Version Store Size (KB)", versions.size_kb),
        ],
    );
    out.rates(
        "Transactions",
        &[
            ("Version Generation rate (KB/s)", versions.generated_kb),
            ("Version Cleanup rate (KB/s)", versions.cleaned_kb),
        ],
    );
}

fn locks(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let manager = &cx.database.storage.instance().locks;
    let names = [
        "Lock Requests/sec",
        "Lock Waits/sec",
        "Lock Wait Time (ms)",
        "Average Wait Time (ms)",
        "Average Wait Time Base",
        "Lock Timeouts/sec",
        "Lock Timeouts (timeout > 0)/sec",
        "Number of Deadlocks/sec",
    ];
    let types = [RATE, RATE, RATE, AVERAGE, BASE, RATE, RATE, RATE];
    let mut totals = [0i64; 8];
    for kind in ResourceKind::ALL {
        let c = manager.counters(kind);
        let waits = c.waits.get() as i64;
        let wait_ms = c.wait_time.total_ms() as i64;
        let values = [
            c.requests.get() as i64,
            waits,
            wait_ms,
            wait_ms,
            waits,
            c.timeouts.get() as i64,
            c.timeouts_positive.get() as i64,
            c.deadlocks.get() as i64,
        ];
        for (i, value) in values.into_iter().enumerate() {
            totals[i] += value;
            out.put("Locks", names[i], kind.counter_instance(), value, types[i]);
        }
    }
    for (i, total) in totals.into_iter().enumerate() {
        out.put("Locks", names[i], "_Total", total, types[i]);
    }
}

/// `SQLServer:Wait Statistics`: the counter is a class of waits, the instance is what is told of it.
fn wait_statistics(out: &mut Out<'_, '_>) {
    let all = WaitStats::global().snapshot();
    for (class, name) in WaitClass::ALL {
        let of_class = || all.iter().filter(|w| w.wait_type.class() == Some(class));
        let started: u64 = of_class().map(|w| w.waiting_tasks_count).sum();
        let time: u64 = of_class().map(|w| w.wait_time_ms()).sum();
        let now: u64 = of_class().map(|w| w.waits_in_progress).sum();
        let ended = started.saturating_sub(now);
        let average = time.checked_div(ended).unwrap_or(0);
        for (instance, value) in [
            ("Average wait time (ms)", average),
            ("Cumulative wait time (ms) per second", time),
            ("Waits in progress", now),
            ("Waits started per second", started),
        ] {
            out.put("Wait Statistics", name, instance, value as i64, GAUGE);
        }
    }
}
