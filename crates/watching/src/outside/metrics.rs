//! An instance's figures as families of metrics, for whoever shows them to a monitoring system.
//!
//! They are read from the cells that the views read, without a session, and without a lock that is held while something is
//! written: who looks holds nobody up, and a device that stalls does not hold him up. Names are those of the exporters that people
//! use for SQL Server (`mssql_…`) where they mean the same, `taffrail_…` else; base units.

use std::sync::Arc;

use taffrail_observe::trace::{self, flush_histograms};
use taffrail_observe::{DatabaseCounters, EventRing, Histogram, History, WaitStats};
use taffrail_storage::FileKind;
use taffrail_storage::lock::ResourceKind;

use crate::database::Database;
use crate::features::{self, BackupAge};
use crate::instance::Instance;
use crate::process::{proc_kb, proc_stat};
use crate::views::dm_io::totals;

/// What kind of metric a family is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A running total since the start.
    Counter,
    /// A level.
    Gauge,
    /// How values are distributed since the start.
    Histogram,
}

/// One value, or the distribution of many.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A value.
    Value(f64),
    /// Upper bounds, each with how many values are not above it; how many there are in all; their sum.
    Distribution(Vec<(f64, u64)>, u64, f64),
}

/// A figure and its labels.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Names and values.
    pub labels: Vec<(&'static str, String)>,
    /// What.
    pub figure: Figure,
}

/// Figures of one name.
#[derive(Clone, PartialEq, Debug)]
pub struct Family {
    /// The name, without the suffix that a format may want.
    pub name: &'static str,
    /// The kind.
    pub kind: Kind,
    /// What it is, in a sentence.
    pub help: &'static str,
    /// The figures.
    pub samples: Vec<Sample>,
}

struct Families(Vec<Family>);

impl Families {
    fn put(&mut self, kind: Kind, name: &'static str, help: &'static str, samples: Vec<Sample>) {
        self.0.push(Family { name, kind, help, samples });
    }

    fn counter(&mut self, name: &'static str, help: &'static str, value: f64) {
        self.put(Kind::Counter, name, help, vec![sample([], value)]);
    }

    fn gauge(&mut self, name: &'static str, help: &'static str, value: f64) {
        self.put(Kind::Gauge, name, help, vec![sample([], value)]);
    }

    /// `unit`: how many of the histogram's units are one of the metric's.
    fn histogram(
        &mut self,
        name: &'static str,
        help: &'static str,
        of: &Histogram,
        (first, last): (u32, u32),
        unit: f64,
    ) {
        let figure = distribution(of, first..=last, unit);
        self.put(Kind::Histogram, name, help, vec![Sample { labels: Vec::new(), figure }]);
    }
}

fn sample<const N: usize>(labels: [(&'static str, &str); N], value: f64) -> Sample {
    let labels = labels.map(|(name, value)| (name, value.to_owned())).to_vec();
    Sample { labels, figure: Figure::Value(value) }
}

/// The buckets of a histogram end exactly below powers of two: so the bounds are 2^n - 1 of its units.
fn distribution(of: &Histogram, powers: std::ops::RangeInclusive<u32>, unit: f64) -> Figure {
    let (buckets, sum) = (of.snapshot(), of.sum());
    let upto = |bound: u64| buckets.iter().filter(|(from, _)| *from < bound).map(|b| b.1).sum();
    let bounds = powers.map(|p| (((1u64 << p) - 1) as f64 / unit, upto(1 << p))).collect();
    // Values may have come meanwhile: all of these are among those in the buckets.
    let count = buckets.iter().map(|b| b.1).sum();
    Figure::Distribution(bounds, count, sum as f64 / unit)
}

const NS: f64 = 1e9;
/// From 8 µs to 17 s.
const TIMES: (u32, u32) = (13, 34);

/// All families, in the order in which they are shown.
pub fn families(instance: &Instance) -> Vec<Family> {
    let mut out = Families(Vec::with_capacity(80));
    let open: Vec<Arc<Database>> = instance.databases().open();
    server(instance, &mut out);
    sessions(instance, &open, &mut out);
    databases(instance, &open, &mut out);
    counters(&open, &mut out);
    scheduled_backups(instance, &mut out);
    files(instance, &open, &mut out);
    buffers(instance, &mut out);
    locks(instance, &mut out);
    waits(&mut out);
    histograms(&mut out);
    memory(instance, &mut out);
    out.0
}

fn server(instance: &Instance, out: &mut Families) {
    let version = env!("CARGO_PKG_VERSION");
    let info = vec![sample([("version", version)], 1.0)];
    out.put(Kind::Gauge, "taffrail_build_info", "The version that runs; always 1.", info);
    let utc = instance.options().env.clock.now_utc();
    let epoch = taffrail_io::UtcTime::UNIX_EPOCH;
    let seconds = utc.since(epoch).as_secs_f64();
    out.gauge("mssql_local_time_seconds", "Unix time of the server's clock.", seconds);
    let up = instance.up_time().as_secs_f64();
    out.gauge("taffrail_uptime_seconds", "Time since the start.", up);
    let (user, kernel, _) = proc_stat().unwrap_or_default();
    let cpu = [("user", user), ("system", kernel)];
    let cpu = cpu.map(|(mode, ms)| sample([("mode", mode)], ms as f64 / 1000.0)).to_vec();
    out.put(Kind::Counter, "taffrail_process_cpu_seconds", "Processor time of the server.", cpu);
    let window = instance.options().delayed_durability_window.as_secs_f64();
    let help = "The longest time that a delayed durable commit stays in memory.";
    out.gauge("taffrail_delayed_durability_window_seconds", help, window);
}

fn sessions(instance: &Instance, open: &[Arc<Database>], out: &mut Families) {
    let sessions = instance.sessions();
    let current = |s: &crate::session::entry::SessionEntry| {
        s.cell.database_id.load(std::sync::atomic::Ordering::Relaxed)
    };
    let of = |id: u16| sessions.iter().filter(|s| current(s) == id).count();
    let connections = open.iter().map(|d| sample([("db", &*d.name)], of(d.id.0) as f64)).collect();
    let help = "Sessions of users by their current database.";
    out.put(Kind::Gauge, "mssql_connections", help, connections);
    let blocked = sessions.iter().filter(|s| s.cell.blocking_session() != 0).count();
    out.gauge("taffrail_blocked_sessions", "Sessions that wait for another.", blocked as f64);
    let c = instance.counters();
    let help = "Batches and remote calls received.";
    out.counter("mssql_batch_requests", help, c.batch_requests.get() as f64);
    let help = "Errors of severity 11 to 19 that clients heard of.";
    out.counter("mssql_user_errors", help, c.user_errors.get() as f64);
    let help = "Errors that ended their connection.";
    let killed = c.kill_connection_errors.get();
    out.counter("mssql_kill_connection_errors", help, killed as f64);
    out.counter("taffrail_logins", "Logins.", c.logins.get() as f64);
    out.counter("taffrail_logouts", "Sessions that ended.", c.logouts.get() as f64);
    let help = "Texts of statements that were compiled.";
    out.counter("taffrail_compilations", help, c.compilations.get() as f64);
    out.counter("taffrail_attentions", "Requests that were cancelled.", c.attentions.get() as f64);
}

fn databases(instance: &Instance, open: &[Arc<Database>], out: &mut Families) {
    let states = instance.databases().list();
    let states = states.iter().map(|slot| {
        let (state, name) = slot.state();
        sample([("db", slot.entry.name.as_str()), ("state", name)], f64::from(state))
    });
    let help = "state of sys.databases: 0 ONLINE, 1 RESTORING, 2 RECOVERING, 3 RECOVERY_PENDING, 4 SUSPECT, 6 OFFLINE.";
    out.put(Kind::Gauge, "mssql_database_state", help, states.collect());
    let now = instance.options().env.clock.now_utc();
    let ages = open.iter().filter_map(|d| {
        let at = d.storage.log_backup_time()?;
        Some(sample([("db", &d.name)], now.since(at).as_secs_f64()))
    });
    let help = "Time since the last log backup ended; none for a database without one.";
    out.put(Kind::Gauge, "taffrail_log_backup_age_seconds", help, ages.collect());
}

/// A figure of each database: kind, name, help, value.
type DatabaseFigure = (Kind, &'static str, &'static str, fn(&DatabaseCounters) -> f64);

const DATABASE: &[DatabaseFigure] = &[
    (Kind::Counter, "mssql_log_growths", "Growths of the log.", |c| c.log_growths.get() as f64),
    (Kind::Counter, "taffrail_log_shrinks", "Shrinks of the log.", |c| c.log_shrinks.get() as f64),
    (Kind::Counter, "taffrail_log_truncations", "Times that VLFs were let go.", |c| {
        c.log_truncations.get() as f64
    }),
    (Kind::Counter, "taffrail_log_flushes", "Writes of log blocks.", |c| {
        c.log_flushes.get() as f64
    }),
    (Kind::Counter, "taffrail_log_flushed_bytes", "Bytes of log written.", |c| {
        c.log_bytes_flushed.get() as f64
    }),
    (Kind::Counter, "taffrail_log_records", "Log records written.", |c| c.log_records.get() as f64),
    (Kind::Counter, "taffrail_log_flush_waits", "Commits that waited for a flush.", |c| {
        c.log_flush_waits.get() as f64
    }),
    (Kind::Counter, "taffrail_log_flush_wait_seconds", "How long they waited.", |c| {
        c.log_flush_wait_time.total_ns() as f64 / NS
    }),
    (Kind::Counter, "taffrail_log_flush_write_seconds", "How long flushes took.", |c| {
        c.log_flush_write_time.total_ns() as f64 / NS
    }),
    (Kind::Counter, "taffrail_transactions", "Transactions begun.", |c| {
        c.transactions.get() as f64
    }),
    (Kind::Counter, "taffrail_write_transactions", "Transactions that wrote and committed.", |c| {
        c.write_transactions.get() as f64
    }),
    (Kind::Gauge, "taffrail_active_transactions", "Transactions that are open.", |c| {
        c.active_transactions.get() as f64
    }),
    (Kind::Gauge, "taffrail_log_size_bytes", "Room in the log's files.", |c| {
        c.log_files_size_kb.get() as f64 * 1024.0
    }),
    (Kind::Gauge, "taffrail_log_used_bytes", "Log that cannot be reused yet.", |c| {
        c.log_files_used_size_kb.get() as f64 * 1024.0
    }),
    (Kind::Counter, "taffrail_checkpoints", "Checkpoints.", |c| c.checkpoints.get() as f64),
    (Kind::Counter, "taffrail_page_splits", "Page splits.", |c| c.page_splits.get() as f64),
    (Kind::Counter, "taffrail_full_scans", "Scans of whole tables.", |c| c.full_scans.get() as f64),
    (Kind::Counter, "taffrail_range_scans", "Scans of parts of indexes.", |c| {
        c.range_scans.get() as f64
    }),
    (Kind::Counter, "taffrail_index_searches", "Searches in indexes.", |c| {
        c.index_searches.get() as f64
    }),
    (Kind::Counter, "taffrail_bulk_copy_rows", "Rows loaded in bulk.", |c| {
        c.bulk_copy_rows.get() as f64
    }),
    (Kind::Counter, "taffrail_backup_bytes", "Bytes of backups and restores.", |c| {
        c.backup_bytes.get() as f64
    }),
];

fn counters(open: &[Arc<Database>], out: &mut Families) {
    for (kind, name, help, value) in DATABASE {
        let of = |d: &Arc<Database>| sample([("db", &*d.name)], value(d.storage.counters()));
        out.put(*kind, name, help, open.iter().map(of).collect());
    }
}

fn scheduled_backups(instance: &Instance, out: &mut Families) {
    let Some(scheduled) = features::scheduled_backups(instance) else { return };
    let now = instance.options().env.clock.now_utc();
    let age = |a: &BackupAge| now.since(a.began).as_secs_f64();
    let sample = |a: &BackupAge| sample([("db", &a.database), ("type", a.kind)], age(a));
    let help = "Time since the newest scheduled backup (full, differential, log) or drill began that did not fail.";
    let samples = scheduled.ages.iter().map(sample).collect();
    out.put(Kind::Gauge, "taffrail_scheduled_backup_age_seconds", help, samples);
    let failures = scheduled.failures as f64;
    let help = "Scheduled backups and drills that have failed.";
    out.counter("taffrail_scheduled_backup_failures", help, failures);
}

/// What [`totals`] tells of, in its order.
const OPERATIONS: [&str; 2] = ["read", "write"];

fn files(instance: &Instance, open: &[Arc<Database>], out: &mut Families) {
    let mut sizes = Vec::new();
    let (mut operations, mut bytes, mut stalls) = (Vec::new(), Vec::new(), Vec::new());
    for d in open {
        let mut stall = [0.0; 2];
        for f in d.storage.file_sizes() {
            let kind = if f.kind == FileKind::Log { "LOG" } else { "ROWS" };
            let labels = [("db", &*d.name), ("logicalname", &*f.name), ("type", kind)];
            sizes.push(sample(labels, f.size as f64));
            for (i, io) in totals(instance, &f).into_iter().enumerate() {
                let labels =
                    [("db", &*d.name), ("logicalname", &*f.name), ("operation", OPERATIONS[i])];
                operations.push(sample(labels, io.count as f64));
                bytes.push(sample(labels, io.bytes as f64));
                stall[i] += io.stall.as_secs_f64();
            }
        }
        for (operation, seconds) in OPERATIONS.into_iter().zip(stall) {
            stalls.push(sample([("db", &*d.name), ("operation", operation)], seconds));
        }
    }
    out.put(Kind::Gauge, "taffrail_file_size_bytes", "Size of a database's file.", sizes);
    out.put(Kind::Counter, "taffrail_file_operations", "Reads and writes of a file.", operations);
    out.put(Kind::Counter, "taffrail_file_bytes", "Bytes of them.", bytes);
    let help = "How long reads and writes of a database's files took.";
    out.put(Kind::Counter, "mssql_io_stall_seconds", help, stalls);
}

fn buffers(instance: &Instance, out: &mut Families) {
    let c = &instance.storage().pool.counters;
    let (lookups, reads) = (c.page_lookups.get(), c.page_reads.get());
    let hits = lookups.saturating_sub(reads) as f64;
    let percent = if lookups == 0 { 100.0 } else { hits * 100.0 / lookups as f64 };
    let help = "Percentage of pages that were found in memory since the start.";
    out.gauge("mssql_buffer_cache_hit_ratio", help, percent);
    let help = "How long a page stays in memory without being used.";
    let life = c.page_life_expectancy_s.get() as f64;
    out.gauge("mssql_page_life_expectancy_seconds", help, life);
    let totals = [
        ("taffrail_page_lookups", "Pages looked up.", lookups),
        ("taffrail_page_reads", "Pages read.", reads),
        ("taffrail_page_writes", "Pages written.", c.page_writes.get()),
        ("taffrail_checkpoint_pages", "Pages that checkpoints wrote.", c.checkpoint_pages.get()),
        ("taffrail_lazy_writes", "Pages written to make room.", c.lazy_writes.get()),
    ];
    for (name, help, total) in totals {
        out.counter(name, help, total as f64);
    }
}

fn locks(instance: &Instance, out: &mut Families) {
    let manager = &instance.storage().locks;
    let deadlocks: u64 =
        ResourceKind::ALL.iter().map(|k| manager.counters(*k).deadlocks.get()).sum();
    let help = "Lock requests that ended in a deadlock.";
    out.counter("mssql_deadlocks", help, deadlocks as f64);
    let (mut waits, mut times, mut timeouts) = (Vec::new(), Vec::new(), Vec::new());
    for kind in ResourceKind::ALL {
        let (c, label) = (manager.counters(kind), [("resource", kind.counter_instance())]);
        waits.push(sample(label, c.waits.get() as f64));
        times.push(sample(label, c.wait_time.total_ns() as f64 / NS));
        timeouts.push(sample(label, c.timeouts.get() as f64));
    }
    out.put(Kind::Counter, "taffrail_lock_waits", "Lock requests that had to wait.", waits);
    out.put(Kind::Counter, "taffrail_lock_wait_seconds", "How long they waited.", times);
    out.put(Kind::Counter, "taffrail_lock_timeouts", "Those that gave up.", timeouts);
}

/// Only types that somebody has waited for: there are hundreds.
fn waits(out: &mut Families) {
    let mut all = WaitStats::global().snapshot();
    all.retain(|w| w.waiting_tasks_count > 0);
    let each = |value: fn(&taffrail_observe::WaitRow) -> f64| -> Vec<Sample> {
        all.iter().map(|w| sample([("wait_type", w.wait_type.name())], value(w))).collect()
    };
    let tasks = each(|w| w.waiting_tasks_count as f64);
    out.put(Kind::Counter, "taffrail_waits", "waiting_tasks_count of sys.dm_os_wait_stats.", tasks);
    let times = each(|w| w.wait_time_ns as f64 / NS);
    let help = "wait_time_ms of sys.dm_os_wait_stats: signal time is part of it.";
    out.put(Kind::Counter, "taffrail_wait_seconds", help, times);
    let signals = each(|w| w.signal_wait_time_ns as f64 / NS);
    let help = "signal_wait_time_ms of sys.dm_os_wait_stats.";
    out.put(Kind::Counter, "taffrail_wait_signal_seconds", help, signals);
}

fn histograms(out: &mut Families) {
    let log = flush_histograms();
    let help = "How long writes and syncs of logs took.";
    out.histogram("taffrail_log_flush_duration_seconds", help, &log.duration_ns, TIMES, NS);
    let help = "How many commits a write of a log that had any made durable.";
    out.histogram("taffrail_log_flush_commits", help, &log.commits, (1, 9), 1.0);
    let help = "How long commits waited for a flush.";
    out.histogram("taffrail_commit_wait_seconds", help, &log.commit_wait_ns, TIMES, NS);
    let events = EventRing::global();
    let help = "How long growths of files took.";
    let growths = events.durations(History::Growths);
    out.histogram("taffrail_growth_duration_seconds", help, &growths, (17, 36), NS);
    let help = "How long checkpoints took.";
    let checkpoints = events.durations(History::Checkpoints);
    out.histogram("taffrail_checkpoint_duration_seconds", help, &checkpoints, (17, 38), NS);
    let rings =
        [("io_trace", trace::file_io().state()), ("flush_history", trace::flushes().state())];
    let missed = rings.map(|(ring, s)| sample([("ring", ring)], s.missed as f64)).to_vec();
    let help = "Entries of a ring that were not written since two threads met.";
    out.put(Kind::Counter, "taffrail_trace_missed", help, missed);
}

fn memory(instance: &Instance, out: &mut Families) {
    let kb = |file, name| proc_kb(file, name).unwrap_or(0) as f64 * 1024.0;
    let own = |name| kb("/proc/self/status", name);
    let resident = own("VmRSS:");
    out.gauge("mssql_resident_memory_bytes", "Memory of the server.", resident);
    let help = "Memory of the server, with what is swapped out.";
    out.gauge("mssql_virtual_memory_bytes", help, resident + own("VmSwap:"));
    out.gauge("mssql_server_total_memory_bytes", "Memory of the server.", resident);
    let target = instance.databases().memory_mb() as f64 * 1_048_576.0;
    let help = "max server memory, or what stands for it.";
    out.gauge("mssql_server_target_memory_bytes", help, target);
    let faults = proc_stat().map_or(0, |s| s.2) as f64;
    out.counter("mssql_page_fault_count", "Page faults of the server.", faults);
    let system = |name| kb("/proc/meminfo", name);
    let (total, available) = (system("MemTotal:"), system("MemAvailable:"));
    let states = [("used", total - available), ("available", available)];
    let states = states.map(|(state, bytes)| sample([("state", state)], bytes)).to_vec();
    out.put(Kind::Gauge, "mssql_os_memory", "Memory of the machine.", states);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_add_up() {
        let h = Histogram::default();
        [1, 1, 2, 3, 4, 8, 15, 16, 600].into_iter().for_each(|n| h.add(n));
        let Figure::Distribution(bounds, count, sum) = distribution(&h, 1..=5, 1.0) else {
            panic!("a distribution")
        };
        assert_eq!(bounds, [(1.0, 2), (3.0, 4), (7.0, 5), (15.0, 7), (31.0, 8)]);
        assert_eq!((count, sum), (9, 650.0));
    }
}
