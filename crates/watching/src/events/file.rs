//! The target `event_file`: files of events, written by a thread of the server, rolled at a size, kept over restarts.
//!
//! Names are SQL Server's: `NAME_0_TIME.xel`, where TIME is a Windows file time. The format is our own, [`super::blocks`] with
//!
//! ```text
//! block  = events
//! event  = length (u32) · time, 100 ns since 0001-01-01 UTC (u64) · length of name (u16) · name · XML
//! ```
//! A block is synced when it is written.
//!
//! A write that fails ends the target: its events are dropped and counted, and the error log says why. The server goes on.

use super::blocks::{self, BLOCK, HEADER, Kind as Files, MAGIC, Place, Unreadable, seal};
use super::resolve::FileParameters;
use super::xml;
use crate::instance::Instance;
use crate::paths::event_path;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::{Disk, IoError, IoResult, OpenSpec};
use taffrail_observe::xe::targets::{Kind, Pending, with};
use taffrail_observe::xe::{self, Recorded, Running};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::Outlet;

/// Files of events.
pub(super) static FILES: Files =
    Files { magic: b"TFXEL\x01\0\0", next: unused, all: rolled, durable: true };
/// 1601-01-01 in 100 ns since 0001-01-01.
const FILE_TIME: u64 = 504_911_232_000_000_000;

/// A file that is written.
pub(super) struct Writer(blocks::Writer, Outlet);

/// Without `.xel`.
fn stem(path: &Path) -> PathBuf {
    match path.extension() {
        Some(e) if e.eq_ignore_ascii_case("xel") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// The files of a stem, the oldest first.
fn rolled(disk: &dyn Disk, stem: &Path) -> IoResult<Vec<PathBuf>> {
    let Some(dir) = stem.parent() else { return Ok(Vec::new()) };
    let prefix = format!("{}_0_", stem.file_name().unwrap_or_default().to_string_lossy());
    let mut all = disk.list(dir)?;
    all.retain(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        let digits = name.strip_prefix(&prefix).and_then(|n| n.strip_suffix(".xel"));
        digits.is_some_and(|d| d.len() == 18 && d.bytes().all(|b| b.is_ascii_digit()))
    });
    all.sort();
    Ok(all)
}

impl Writer {
    /// Opens a new file: 25602 when it cannot be made.
    pub fn open(instance: &Instance, parameters: FileParameters) -> SqlResult<Writer> {
        let refused = |why: &dyn std::fmt::Display| {
            SqlError::new(25602, &[&"target", &"package0.event_file", why])
        };
        let path =
            event_path(instance, &parameters.name).map_err(|r| refused(&r.system_error()))?;
        let env = &instance.options().env;
        let place = Place {
            stem: stem(&path),
            most: u64::from(parameters.max_mb) << 20,
            keep: parameters.max_files as usize,
        };
        let outlet = Outlet::of_now(&instance.storage().pipelines);
        let opened = blocks::Writer::open(&*env.disk, &FILES, place, env.clock.now_utc().0);
        opened.map(|w| Writer(w, outlet)).map_err(|e| refused(&e))
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A name that no file has.
fn unused(disk: &dyn Disk, stem: &Path, utc: u64) -> IoResult<PathBuf> {
    let mut time = utc.saturating_sub(FILE_TIME);
    loop {
        let mut name = stem.file_name().unwrap_or_default().to_owned();
        name.push(format!("_0_{time:018}.xel"));
        let path = stem.with_file_name(name);
        if !disk.exists(&path)? {
            return Ok(path);
        }
        time += 1;
    }
}

fn encode(session: &Running, event: &Recorded, out: &mut Vec<u8>) {
    let (name, text) = (event.wanted.info.name, xml::event(session, event, false));
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(session.utc(event.at).to_le_bytes());
    out.extend((name.len() as u16).to_le_bytes());
    out.extend(name.as_bytes());
    out.extend(text.as_bytes());
}

/// Writes what the session's file target has.
pub(super) fn flush(instance: &Instance, session: &Running, writer: &mut Writer) {
    let Some(pending) = pending(session) else { return };
    let events = with(pending, |p| p.take());
    if events.is_empty() {
        return;
    }
    let count = events.len() as u64;
    // They may tell of commits that are not durable: these come first. Of lost ones nothing is told.
    if writer.1.pass(&instance.storage().pipelines).is_err() {
        with(pending, |p| p.dropped += count);
        return;
    }
    let env = &instance.options().env;
    // The writes are no events of their own: they would have no end.
    let written = xe::quietly(|| {
        let mut block = vec![0; HEADER];
        for e in &events {
            encode(session, e, &mut block);
            if block.len() >= BLOCK {
                let full = std::mem::replace(&mut block, vec![0; HEADER]);
                writer.0.append(&*env.disk, env.clock.now_utc().0, &seal(full))?;
            }
        }
        match block.len() {
            HEADER => Ok(()),
            _ => writer.0.append(&*env.disk, env.clock.now_utc().0, &seal(block)),
        }
    });
    if let Err(e) = written {
        stop(session, count, &e);
    }
}

/// The session's file cannot be written: its target ends, and so many events that it had already are lost.
pub(super) fn stop(session: &Running, lost: u64, why: &dyn std::fmt::Display) {
    let Some(pending) = pending(session) else { return };
    with(pending, |p| {
        p.failed = true;
        p.dropped += lost + p.take().len() as u64;
    });
    let text = format!(
        "Event session '{}': the target package0.event_file has stopped, since its file could not be written: {why}",
        session.name
    );
    let database = Whose::new(DatabaseId(1), "master");
    EventRing::global().push(Event::BackgroundError { database, text });
}

fn pending(session: &Running) -> Option<&std::sync::Mutex<Pending>> {
    session.targets.iter().find_map(|t| match &t.kind {
        Kind::File(pending) => Some(pending),
        _ => None,
    })
}

/// Something waits for the session's file.
pub(super) fn is_waiting(session: &Running) -> bool {
    pending(session).is_some_and(|p| with(p, |p| !p.events.is_empty()))
}

/// What waits for a session's file has taken half of its room.
pub(super) fn is_half_full(session: &Running) -> bool {
    session.targets.iter().any(|t| match &t.kind {
        Kind::File(pending) => with(pending, |p| p.bytes > p.most / 2),
        _ => false,
    })
}

/// An event of a file.
pub(super) struct Stored {
    pub name: String,
    pub utc: u64,
    pub xml: String,
}

/// 25717: there is no such file.
pub(super) fn gone(path: &Path) -> Box<SqlError> {
    let why = IoError::new("open", path, std::io::ErrorKind::NotFound).system_error();
    SqlError::new(25717, &[&why, &path.display()])
}

/// Reads a file block by block.
pub(super) struct Reader(blocks::Reader);

/// What comes next in a file.
pub(super) enum Next {
    /// A block, and where it begins.
    Block(u64, VecDeque<Stored>),
    /// The end.
    End,
    /// Something else than a block, from here on.
    Damaged,
}

impl Reader {
    /// Opens a file: 25717 when it cannot be read, 25723 when it is none of ours.
    pub fn open(disk: &dyn Disk, path: &Path) -> SqlResult<Reader> {
        Reader::open_if_there(disk, path)?.ok_or_else(|| gone(path))
    }

    /// The same; none: there is no such file.
    pub(crate) fn open_if_there(disk: &dyn Disk, path: &Path) -> SqlResult<Option<Reader>> {
        match blocks::Reader::open(disk, &FILES, path) {
            Ok(reader) => Ok(Some(Reader(reader))),
            Err(Unreadable::Io(e)) if e.is_not_found() => Ok(None),
            Err(Unreadable::Io(e)) => {
                Err(SqlError::new(25717, &[&e.system_error(), &path.display()]))
            }
            Err(Unreadable::Other) => Err(SqlError::new(25723, &[&path.display()])),
        }
    }

    /// What it reads.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The next block.
    pub fn next(&mut self) -> SqlResult<Next> {
        let next = self.0.next();
        let next =
            next.map_err(|e| SqlError::new(25717, &[&e.system_error(), &self.path().display()]))?;
        Ok(match next {
            blocks::Next::Block(at, bytes) => match decode(&bytes) {
                Some(events) => Next::Block(at, events),
                None => Next::Damaged,
            },
            blocks::Next::End => Next::End,
            blocks::Next::Damaged => Next::Damaged,
        })
    }
}

/// The events of a block; `None`: it is none.
pub(super) fn decode(mut bytes: &[u8]) -> Option<VecDeque<Stored>> {
    let mut all = VecDeque::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at_checked(14)?;
        let xml = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
        let utc = u64::from_le_bytes(head[4..12].try_into().ok()?);
        let name = u16::from_le_bytes(head[12..14].try_into().ok()?) as usize;
        let (name, rest) = rest.split_at_checked(name)?;
        let (xml, rest) = rest.split_at_checked(xml)?;
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).ok();
        all.push_back(Stored { name: text(name)?, utc, xml: text(xml)? });
        bytes = rest;
    }
    Some(all)
}

/// The files that a pattern names, in the order of their names: 25718 if there are none.
pub(super) fn matching(instance: &Instance, pattern: &str) -> SqlResult<Vec<PathBuf>> {
    let none = || SqlError::new(25718, &[&pattern]);
    let path = event_path(instance, pattern).map_err(|_| none())?;
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else {
        return Err(none());
    };
    let disk = &instance.options().env.disk;
    if !name.contains('*') {
        return if disk.exists(&path).unwrap_or(false) { Ok(vec![path]) } else { Err(none()) };
    }
    let (prefix, suffix) = name.split_once('*').unwrap_or((name, ""));
    let mut all = disk.list(dir).map_err(|_| none())?;
    all.retain(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        let long = name.len() >= prefix.len() + suffix.len();
        let named = name.starts_with(prefix) && name.ends_with(suffix) && name.ends_with(".xel");
        // A crash leaves a file that was being made without what all begin with: there are no events in it.
        let begun = || match disk.open(p, OpenSpec::PLAIN.read_only()).and_then(|v| v.len()) {
            Ok(length) => length >= MAGIC as u64,
            // Told when it is read.
            Err(_) => true,
        };
        long && named && begun()
    });
    all.sort();
    if all.is_empty() { Err(none()) } else { Ok(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_a_block_or_none() {
        let mut block = vec![0; HEADER];
        block.extend(5u32.to_le_bytes());
        block.extend(77u64.to_le_bytes());
        block.extend(1u16.to_le_bytes());
        block.extend(b"e<a/>x");
        let sealed = seal(block);
        let events = decode(&sealed[HEADER..]).unwrap();
        assert_eq!((&*events[0].name, events[0].utc, &*events[0].xml), ("e", 77, "<a/>x"));
        for cut in HEADER + 1..sealed.len() {
            assert!(decode(&sealed[HEADER..cut]).is_none(), "{cut}");
        }
        let mut long = sealed[HEADER..].to_vec();
        long[..4].fill(0xff);
        assert!(decode(&long).is_none());
    }
}
