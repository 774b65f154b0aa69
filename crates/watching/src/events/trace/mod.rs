//! The default trace: what happens to files, objects, logins, backups, and the lines of the error log, in files `log_1.trc` … beside
//! it, five of 20 MB, each start in a new one. They are read by sys.fn_trace_gettable.
//!
//! | module | what |
//! |---|---|
//! | [`row`] | a row, and how files hold it |
//! | [`note`] | what becomes a row |
//! | [`table`] | sys.fn_trace_gettable |
//! | [`catalog`] | sys.traces, sys.trace_events and their kind |
//!
//! Rows wait in memory for the thread that writes them, for a second at most; what finds no room there is dropped and counted. A block
//! is not synced: what the process has told outlives it, and a machine that fails may cost the last rows. A write that
//! fails stops the trace, with 19099 in the error log; the server goes on.

mod catalog;
mod note;
mod row;
mod table;

pub(super) use note::{
    audited, database_dropped, error_log, failed_login, server_starts, statement_ran,
};

use super::blocks::{HEADER, Kind, Place, Writer, seal};
use super::{dispatch_events, event_sessions};
use crate::instance::Instance;
use crate::views::Declaration;
use parking_lot::Mutex;
use row::{Column, Row};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_base::{SessionId, SqlError};
use taffrail_io::{Disk, IoError, IoResult};
use taffrail_observe::xe;
use taffrail_observe::{Event, EventRing, listen};
use taffrail_storage::Outlet;

/// Files of traces.
pub(super) static FILES: Kind = Kind { magic: b"TFTRC\x01\0\0", next, all: rolled, durable: false };
/// The configuration option.
pub(crate) const ENABLED: i32 = 1568;
/// MB of a file, and how many there are.
const MAX_MB: u64 = 20;
const MAX_FILES: usize = 5;
/// Bytes that wait to be written.
const WAITING: usize = 4 << 20;
/// Rows are written when they have waited for so long.
const LATENCY: Duration = Duration::from_secs(1);

/// How many rows a block has; `None`: it has something else.
pub(super) fn count(mut block: &[u8]) -> Option<usize> {
    let mut rows = 0;
    while !block.is_empty() {
        block = row::decode(block)?.1;
        rows += 1;
    }
    Some(rows)
}

pub(super) fn declare(views: &mut Vec<Declaration>) {
    table::declare(views);
    catalog::declare(views);
}

/// The name of a file without its number.
const STEM: &str = "log";

/// The number in the name of a file.
fn number_of(stem: &Path, path: &Path) -> Option<u64> {
    let prefix = format!("{}_", stem.file_name()?.to_str()?);
    let name = path.file_name()?.to_str()?;
    let digits = name.strip_prefix(&prefix)?.strip_suffix(".trc")?;
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| all)
}

/// The files of a stem, the oldest first.
fn rolled(disk: &dyn Disk, stem: &Path) -> IoResult<Vec<PathBuf>> {
    let Some(dir) = stem.parent() else { return Ok(Vec::new()) };
    let mut all = disk.list(dir)?;
    all.retain(|p| number_of(stem, p).is_some());
    all.sort_by_key(|p| number_of(stem, p));
    Ok(all)
}

/// The path behind the newest one's.
fn next(disk: &dyn Disk, stem: &Path, _: u64) -> IoResult<PathBuf> {
    let newest = rolled(disk, stem)?.last().and_then(|p| number_of(stem, p)).unwrap_or(0);
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(format!("_{}.trc", newest.saturating_add(1)));
    Ok(stem.with_file_name(name))
}

/// Rows that wait to be written, and what there was of them.
struct Waiting {
    /// A block, its header's place first.
    block: Vec<u8>,
    rows: u64,
    since: Duration,
    sequence: u64,
    recorded: u64,
    dropped: u64,
    /// 100 ns since 0001-01-01 UTC.
    last: u64,
    started: u64,
}

/// The default trace of an instance.
pub(crate) struct Trace {
    /// Rows are taken.
    on: AtomicBool,
    /// Writing has failed; it is on again after the next RECONFIGURE that turns it on, or the next start.
    failed: AtomicBool,
    /// The instance has begun to tell it.
    listens: AtomicBool,
    waiting: Mutex<Waiting>,
    /// Locked before `waiting`.
    writer: Mutex<Option<Writer>>,
    /// The gate of its rows: commits that they may tell of come first.
    outlet: Outlet,
}

/// What sys.traces shows.
struct Shown {
    path: Option<String>,
    running: bool,
    position: u64,
    started: u64,
    last: u64,
    recorded: u64,
    dropped: u64,
}

impl Default for Trace {
    fn default() -> Trace {
        let waiting = Waiting {
            block: vec![0; HEADER],
            rows: 0,
            since: Duration::ZERO,
            sequence: 0,
            recorded: 0,
            dropped: 0,
            last: 0,
            started: 0,
        };
        Trace {
            on: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            listens: AtomicBool::new(false),
            waiting: Mutex::new(waiting),
            writer: Mutex::new(None),
            outlet: Outlet::default(),
        }
    }
}

impl Trace {
    /// Rows are taken.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Takes a row; the clocks: since the start of the machine, and UTC.
    fn take(&self, mut row: Row, monotonic: Duration, utc: u64) {
        let mut waiting = self.waiting.lock();
        if !self.is_on() {
            return;
        }
        waiting.sequence += 1;
        row.number(Column::EventSequence, waiting.sequence);
        let bytes = row.finish();
        if waiting.block.len() + bytes.len() > WAITING {
            waiting.dropped += 1;
            return;
        }
        if waiting.rows == 0 {
            waiting.since = monotonic;
        }
        waiting.block.extend(bytes);
        waiting.rows += 1;
        waiting.recorded += 1;
        waiting.last = utc;
    }
}

fn trace_of(instance: &Instance) -> &Trace {
    &event_sessions(instance).trace
}

/// Path and stem of its files; none: this instance has no trace.
fn trace_stem(instance: &Instance) -> Option<PathBuf> {
    Some(instance.options().trace_dir.as_ref()?.join(STEM))
}

/// Whether there is to be a trace, by the configuration.
fn wants_trace(instance: &Instance) -> bool {
    let running = instance.databases().running_configurations();
    let off = running.iter().any(|(id, value)| *id == ENABLED && *value == 0);
    instance.options().trace_dir.is_some() && !off
}

/// The configuration has changed, or the instance starts: the trace begins or ends as is wanted.
pub(super) fn trace_configured(instance: &Arc<Instance>) {
    let trace = trace_of(instance);
    match (wants_trace(instance), trace.is_on()) {
        (true, false) => {
            if !trace.listens.swap(true, Ordering::AcqRel) {
                listen::begin(event_sessions(instance).owner, note::listener(instance));
            }
            let now = instance.options().env.clock.now_utc().0;
            trace.waiting.lock().started = now;
            trace.failed.store(false, Ordering::Release);
            trace.on.store(true, Ordering::Release);
            dispatch_events(instance);
            note::trace_started(instance, true);
        }
        (false, true) => {
            note::trace_started(instance, false);
            trace.on.store(false, Ordering::Release);
            flush_trace(instance);
            *trace.writer.lock() = None;
        }
        _ => {}
    }
}

/// Writes what has waited for long enough.
pub(super) fn tick_trace(instance: &Instance) {
    let due = {
        let waiting = trace_of(instance).waiting.lock();
        let now = instance.options().env.clock.monotonic();
        waiting.rows > 0
            && (waiting.block.len() > super::blocks::BLOCK
                || now.saturating_sub(waiting.since) >= LATENCY)
    };
    if due {
        flush_trace(instance);
    }
}

/// Writes what waits.
pub(super) fn flush_trace(instance: &Instance) {
    let trace = trace_of(instance);
    let mut writer = trace.writer.lock();
    let (block, rows) = {
        let mut waiting = trace.waiting.lock();
        let block = std::mem::replace(&mut waiting.block, vec![0; HEADER]);
        (block, std::mem::take(&mut waiting.rows))
    };
    if rows == 0 || trace.failed.load(Ordering::Acquire) {
        return;
    }
    if trace.outlet.pass(&instance.storage().pipelines).is_err() {
        trace.waiting.lock().dropped += rows;
        return;
    }
    // Its own writes are no events.
    if let Err(e) = xe::quietly(|| append(instance, &mut writer, &seal(block))) {
        trace.failed.store(true, Ordering::Release);
        trace.on.store(false, Ordering::Release);
        trace.waiting.lock().dropped += rows;
        *writer = None;
        drop(writer);
        let e = SqlError::new(19099, &[&1, &e.system_error()]);
        EventRing::global().push(Event::Raised {
            session: SessionId(0),
            number: e.number,
            severity: e.severity,
            state: e.state,
            text: e.message,
        });
    }
}

fn append(instance: &Instance, writer: &mut Option<Writer>, block: &[u8]) -> Result<(), IoError> {
    let env = &instance.options().env;
    let utc = env.clock.now_utc().0;
    if writer.is_none()
        && let Some(stem) = trace_stem(instance)
    {
        let place = Place { stem, most: MAX_MB << 20, keep: MAX_FILES };
        let opened = Writer::open(&*env.disk, &FILES, place, utc)?;
        opened.prune(&*env.disk)?;
        *writer = Some(opened);
    }
    match writer {
        Some(writer) => writer.append(&*env.disk, utc, block),
        None => Ok(()),
    }
}

/// The server stops.
pub(super) fn end_trace(instance: &Instance) {
    note::server_stops(instance);
    listen::end(event_sessions(instance).owner);
    trace_of(instance).on.store(false, Ordering::Release);
    flush_trace(instance);
}

/// The trace as sys.traces shows it; none: there is none.
fn shown_trace(instance: &Instance) -> Option<Shown> {
    let trace = trace_of(instance);
    let (running, failed) = (trace.is_on(), trace.failed.load(Ordering::Acquire));
    if !running && !failed {
        return None;
    }
    let writer = trace.writer.lock();
    let waiting = trace.waiting.lock();
    Some(Shown {
        path: writer.as_ref().map(|w| w.path().display().to_string()),
        running,
        position: writer.as_ref().map_or(0, Writer::at),
        started: waiting.started,
        last: waiting.last,
        recorded: waiting.recorded,
        dropped: waiting.dropped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_numbers() {
        let stem = Path::new("/d/log/log");
        for (name, number) in [
            ("log_1.trc", Some(1)),
            ("log_12.trc", Some(12)),
            ("log.trc", None),
            ("log_.trc", None),
            ("log_1.trc.old", None),
            ("log_+1.trc", None),
            ("errorlog_1.trc", None),
        ] {
            assert_eq!(number_of(stem, &Path::new("/d/log").join(name)), number, "{name}");
        }
    }
}
