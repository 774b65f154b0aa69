//! Memory, plans, errors, latches, groups and pools, requests by their duration.

use super::{AVERAGE, BASE, FRACTION, GAUGE, Out, RATE};
use crate::catalog::Sight;
use crate::database::Database;
use crate::process::proc_kb;
use crate::session::entry::{BATCH_BOUNDS_MS, InstanceCounters};
use crate::views::ViewContext;
use crate::views::dm_io::totals;
use std::sync::Arc;
use taffrail_storage::FileKind;

/// KB of a page.
const PAGE_KB: i64 = 8;

/// Memory Manager, Memory Node, Memory Broker Clerks. What the process has is what the system says; what is neither in the buffer pool
/// nor free in it is stolen from it, as SQL Server calls that.
pub(super) fn memory(cx: &ViewContext<'_>, out: &mut Out<'_, '_>) {
    let instance = &cx.session.instance;
    let pool = &instance.storage().pool;
    let total = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0) as i64;
    let target = (instance.databases().memory_mb() * 1024) as i64;
    let pages = i64::from(pool.used_pages());
    let cache = pages * PAGE_KB;
    let free = i64::from(pool.free_pages()) * PAGE_KB;
    let stolen = (total - cache - free).max(0);
    let plans = instance.plans().figures();
    let log: u64 = instance.databases().open().iter().map(|d| d.storage.log().cache_bytes()).sum();
    out.gauges(
        "Memory Manager",
        &[
            ("Database Cache Memory (KB)", cache),
            ("Free Memory (KB)", free),
            ("Log Pool Memory (KB)", (log / 1024) as i64),
            ("SQL Cache Memory (KB)", (plans.text_bytes / 1024) as i64),
            ("Stolen Server Memory (KB)", stolen),
            ("Target Server Memory (KB)", target),
            ("Total Server Memory (KB)", total),
        ],
    );
    for (counter, value) in [
        ("Database Node Memory (KB)", cache),
        ("Free Node Memory (KB)", free),
        ("Stolen Node Memory (KB)", stolen),
        ("Target Node Memory (KB)", target),
        ("Total Node Memory (KB)", total),
    ] {
        out.put("Memory Node", counter, "000", value, GAUGE);
    }
    out.put("Memory Broker Clerks", "Memory broker clerk size", "Buffer Pool", pages, GAUGE);
    let object = "Plan Cache";
    let (mut hits, mut lookups, mut count, mut kb) = (0, 0, 0, 0);
    for (name, of) in [("SQL Plans", &plans.texts), ("Object Plans", &plans.procedures)] {
        out.put(object, "Cache Hit Ratio", name, of.hits as i64, FRACTION);
        out.put(object, "Cache Hit Ratio Base", name, of.lookups as i64, BASE);
        out.put(object, "Cache Object Counts", name, of.plans as i64, GAUGE);
        let bytes = if name == "SQL Plans" { plans.text_bytes } else { 0 };
        out.put(object, "Cache Pages", name, bytes.div_ceil(8192) as i64, GAUGE);
        (hits, lookups, count) = (hits + of.hits, lookups + of.lookups, count + of.plans);
        kb += bytes.div_ceil(8192);
    }
    out.put(object, "Cache Hit Ratio", "_Total", hits as i64, FRACTION);
    out.put(object, "Cache Hit Ratio Base", "_Total", lookups as i64, BASE);
    out.put(object, "Cache Object Counts", "_Total", count as i64, GAUGE);
    out.put(object, "Cache Pages", "_Total", kb as i64, GAUGE);
}

/// SQL Errors.
pub(super) fn errors(c: &InstanceCounters, out: &mut Out<'_, '_>) {
    let all = [
        ("User Errors", c.user_errors.get()),
        ("Info Errors", c.info_errors.get()),
        ("Kill Connection Errors", c.kill_connection_errors.get()),
    ];
    for (instance, value) in all {
        out.put("SQL Errors", "Errors/sec", instance, value as i64, RATE);
    }
    let total: u64 = all.iter().map(|e| e.1).sum();
    out.put("SQL Errors", "Errors/sec", "_Total", total as i64, RATE);
}

/// The catalogue of each database is in memory as a whole.
pub(super) fn catalog(open: &[Arc<Database>], out: &mut Out<'_, '_>) {
    let mut all = 0;
    for d in open {
        let count = d.catalog.objects(Sight::COMMITTED).len() as i64;
        all += count;
        out.put("Catalog Metadata", "Cache Entries Count", &d.name, count, GAUGE);
    }
    out.put("Catalog Metadata", "Cache Entries Count", "_Total", all, GAUGE);
}

/// Temporary tables that are there, and table variables.
pub(super) fn temp_tables(cx: &ViewContext<'_>) -> i64 {
    let Ok(tempdb) = cx.session.instance.databases().tempdb() else { return 0 };
    let tables = tempdb.catalog.tables(Sight::EVERYTHING);
    tables.iter().filter(|t| t.is_temporary()).count() as i64
}

/// What is free in the data file of tempdb.
pub(super) fn tempdb_free_kb(cx: &ViewContext<'_>) -> i64 {
    let Ok(tempdb) = cx.session.instance.databases().tempdb() else { return 0 };
    let files = tempdb.storage.files();
    let rows = files.iter().filter(|f| f.kind == FileKind::Rows);
    rows.map(|f| (f.size.saturating_sub(f.used) / 1024) as i64).sum()
}

/// Latches: those of pages.
pub(super) fn latches(out: &mut Out<'_, '_>) {
    let (waits, ms, _) = taffrail_observe::latches::LATCHES_IN_ALL.row();
    out.rates("Latches", &[("Latch Waits/sec", waits), ("Total Latch Wait Time (ms)", ms)]);
    out.put("Latches", "Average Latch Wait Time (ms)", "", ms as i64, AVERAGE);
    out.put("Latches", "Average Latch Wait Time Base", "", waits as i64, BASE);
}

/// The one group and the one pool that everything belongs to.
pub(super) fn groups(cx: &ViewContext<'_>, open: &[Arc<Database>], out: &mut Out<'_, '_>) {
    let instance = &cx.session.instance;
    let sessions = instance.sessions();
    let running = sessions.iter().filter(|s| s.is_running()).count();
    let blocked = sessions.iter().filter(|s| s.cell.blocking_session() != 0).count();
    let c = instance.counters();
    let group = "Workload Group Stats";
    out.put(group, "Active requests", "default", running as i64, GAUGE);
    out.put(group, "Blocked requests", "default", blocked as i64, GAUGE);
    let completed = c.batch_requests.get().saturating_sub(running as u64);
    out.put(group, "Requests completed/sec", "default", completed as i64, RATE);
    out.put(group, "Query optimizations/sec", "default", c.optimizations.get() as i64, RATE);
    let pool = "Resource Pool Stats";
    let target = (instance.databases().memory_mb() * 1024) as i64;
    let used = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0) as i64;
    out.put(pool, "Used memory (KB)", "default", used, GAUGE);
    out.put(pool, "Target memory (KB)", "default", target, GAUGE);
    out.put(pool, "Max memory (KB)", "default", target, GAUGE);
    let mut all = [(0u64, 0u64, 0u64); 2];
    for file in open.iter().flat_map(|d| d.storage.file_sizes()) {
        for (sum, io) in all.iter_mut().zip(totals(instance, &file)) {
            sum.0 += io.count;
            sum.1 += io.bytes;
            sum.2 += io.stall.as_millis() as u64;
        }
    }
    for ((count, bytes, ms), what) in all.into_iter().zip(["Read", "Write"]) {
        let name = |n: &str| n.replace("{}", what);
        out.put(pool, &name("Disk {} IO/sec"), "default", count as i64, RATE);
        out.put(pool, &name("Disk {} Bytes/sec"), "default", bytes as i64, RATE);
        out.put(pool, &name("Avg Disk {} IO (ms)"), "default", ms as i64, AVERAGE);
        out.put(pool, &name("Avg Disk {} IO (ms) Base"), "default", count as i64, BASE);
    }
}

/// Requests by how long they lasted, and how long those of each duration lasted together.
pub(super) fn responses(c: &InstanceCounters, out: &mut Out<'_, '_>) {
    let object = "Batch Resp Statistics";
    let mut from = 0;
    for (n, cell) in c.batches.iter().enumerate() {
        let counter = match BATCH_BOUNDS_MS.get(n) {
            Some(to) => format!("Batches >={from:06}ms & <{to:06}ms"),
            None => format!("Batches >={from:06}ms"),
        };
        from = BATCH_BOUNDS_MS.get(n).copied().unwrap_or(from);
        out.put(object, &counter, "Elapsed Time:Requests", cell.0.get() as i64, GAUGE);
        let ms = cell.1.get() / 1_000_000;
        out.put(object, &counter, "Elapsed Time:Total(ms)", ms as i64, GAUGE);
    }
}

/// What `sp_user_counter1` … have set.
pub(super) fn user_settable(c: &InstanceCounters, out: &mut Out<'_, '_>) {
    for (n, value) in c.user_settable.iter().enumerate() {
        let instance = format!("User counter {}", n + 1);
        out.put("User Settable", "Query", &instance, value.get(), GAUGE);
    }
}
