//! sys.fn_xe_file_target_read_file: the events of files, block by block.

use super::file::{Next, Reader, Stored, gone, matching};
use super::flush_files;
use super::views::{MODULE, guid};
use crate::features::needs;
use crate::views::{Declaration, RowStream, ViewContext, streamed};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taffrail_base::message::cancelled;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::Disk;
use taffrail_observe::xe::events::{EVENTS, Package};
use taffrail_types::Value;
use taffrail_types::convert::parse_guid;

const COLUMNS: &str = "\
    module_guid uniqueidentifier! · package_guid uniqueidentifier! · object_name nvarchar(256)! · \
    event_data nvarchar(max)! · file_name nvarchar(260)! · file_offset bigint! · timestamp_utc datetime2(7)!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(streamed(
        "fn_xe_file_target_read_file",
        needs::SERVER_STATE,
        (4, 4),
        &[COLUMNS],
        open,
    ));
}

/// What is being read.
struct Events {
    disk: Arc<dyn Disk>,
    files: VecDeque<PathBuf>,
    /// They are those of a pattern: one that has gone meanwhile, since the session rolled on or somebody removed it, is left out.
    of_pattern: bool,
    reader: Option<Reader>,
    /// Rows up to this block of the first file are left out.
    after: Option<u64>,
    at: u64,
    block: VecDeque<Stored>,
    wanted: Vec<usize>,
    cancelled: Arc<AtomicBool>,
}

fn open(cx: &ViewContext<'_>, args: &[Value], wanted: &[usize]) -> SqlResult<Box<dyn RowStream>> {
    let instance = &cx.session.instance;
    let text = |n: usize| args.get(n).and_then(Value::as_text);
    let Some(pattern) = text(0) else { return Err(SqlError::new(25718, &[&""])) };
    let (first, offset) = (text(2), args.get(3).and_then(Value::as_i64));
    if first.is_some() != offset.is_some() {
        return Err(SqlError::new(25719, &[]));
    }
    // What has happened can be read.
    flush_files(instance);
    let mut files: VecDeque<PathBuf> = matching(instance, &pattern)?.into();
    if let Some(first) = &first {
        let one = matching(instance, first)?;
        while files.front().is_some_and(|f| *f != one[0]) {
            files.pop_front();
        }
        if files.is_empty() {
            return Err(SqlError::new(25718, &[first]));
        }
    }
    let after = offset.map(|o| u64::try_from(o).unwrap_or(u64::MAX));
    if let (Some(after), Some(file)) = (after, files.front()) {
        let mut reader = Reader::open(&*instance.options().env.disk, file)?;
        loop {
            match reader.next()? {
                Next::Block(at, _) if at == after => break,
                Next::Block(..) => cx.session.check_cancel()?,
                _ => return Err(SqlError::new(25722, &[&after, &file.display()])),
            }
        }
    }
    Ok(Box::new(Events {
        disk: instance.options().env.disk.clone(),
        files,
        of_pattern: pattern.contains('*'),
        reader: None,
        after,
        at: 0,
        block: VecDeque::new(),
        wanted: wanted.to_vec(),
        cancelled: cx.session.running.cancel.clone(),
    }))
}

impl Events {
    fn next_event(&mut self) -> SqlResult<Option<Stored>> {
        loop {
            if let Some(event) = self.block.pop_front() {
                return Ok(Some(event));
            }
            if self.cancelled.load(Relaxed) {
                return Err(cancelled());
            }
            let Some(reader) = &mut self.reader else {
                let Some(file) = self.files.pop_front() else { return Ok(None) };
                match Reader::open_if_there(&*self.disk, &file)? {
                    None if self.of_pattern => self.after = None,
                    None => return Err(gone(&file)),
                    found => self.reader = found,
                }
                continue;
            };
            match reader.next()? {
                Next::Block(at, _) if self.after.is_some_and(|after| at <= after) => {}
                Next::Block(at, events) => (self.at, self.block) = (at, events),
                // What was being written when the machine failed: later events are in the next file. Nor can anything be found
                // behind what is damaged otherwise.
                Next::Damaged | Next::End => {
                    self.reader = None;
                    self.after = None;
                }
            }
        }
    }
}

/// The package of an event by its name: no two packages have one of the same.
fn package(event: &str) -> Option<Package> {
    EVENTS.iter().find(|e| e.name == event).map(|e| e.package)
}

impl RowStream for Events {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let name = |e: &Events| {
            let shown = e.reader.as_ref().map(|r| r.path().display().to_string());
            Value::nvarchar(&shown.unwrap_or_default())
        };
        let Some(event) = self.next_event()? else { return Ok(false) };
        const DAY: u64 = 864_000_000_000;
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            *cell = match column {
                0 => parse_guid(MODULE.as_bytes()).map_or(Value::Null, Value::Guid),
                1 => package(&event.name).map_or(Value::Null, guid),
                2 => Value::nvarchar(&event.name),
                3 => Value::nvarchar(&event.xml),
                4 => name(self),
                5 => Value::BigInt(self.at as i64),
                _ => Value::DateTime2 { days: (event.utc / DAY) as u32, ticks: event.utc % DAY },
            };
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_io::Env;

    #[test]
    fn a_file_of_a_pattern_that_is_gone_is_left_out() {
        let mut events = Events {
            disk: Env::os().disk,
            files: [PathBuf::from("/nowhere/a.xel"), PathBuf::from("/nowhere/b.xel")].into(),
            of_pattern: true,
            reader: None,
            after: Some(0),
            at: 0,
            block: VecDeque::new(),
            wanted: Vec::new(),
            cancelled: Arc::default(),
        };
        assert!(events.next_event().unwrap().is_none() && events.after.is_none());
        events.files = [PathBuf::from("/nowhere/a.xel")].into();
        events.of_pattern = false;
        assert_eq!(events.next_event().err().map(|e| e.number), Some(25717));
    }

    #[test]
    fn an_event_is_of_its_package_and_names_are_of_one() {
        assert_eq!(package("wait_info"), Some(Package::SqlOs));
        assert_eq!(package("error_reported"), Some(Package::SqlServer));
        assert_eq!(package("none"), None);
        for e in EVENTS {
            assert!(EVENTS.iter().filter(|other| other.name == e.name).count() == 1, "{}", e.name);
        }
    }
}
