//! The target `event_file`: files of events, written by a thread of the server, rolled at a size, kept over restarts.
//!
//! Names are SQL Server's: `NAME_0_TIME.xel`, where TIME is a Windows file time. The format is our own:
//!
//! ```text
//! file   = magic (8) · block …
//! block  = length of what follows the header (u32) · FNV-1a of it (u32) · events
//! event  = length (u32) · time, 100 ns since 0001-01-01 UTC (u64) · length of name (u16) · name · XML
//! ```
//! A block is written whole and synced. What a crash leaves of one has the wrong sum, and ends the file for readers.
//!
//! A write that fails ends the target: its events are dropped and counted, and the error log says why. The server goes on.

use super::resolve::FileParameters;
use super::xml;
use crate::ddl::event_path;
use crate::instance::Instance;
use std::collections::VecDeque;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::{Disk, IoResult, OpenSpec, Volume};
use taffrail_observe::xe::targets::{Kind, with};
use taffrail_observe::xe::{self, Recorded, Running};
use taffrail_observe::{Event, EventRing, Whose};

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"TFXEL\x01\0\0";
const HEADER: usize = 8;
/// A block has about so many bytes.
const BLOCK: usize = 64 << 10;
/// No block is longer: what says so is damaged.
const LONGEST: usize = 64 << 20;
/// 1601-01-01 in 100 ns since 0001-01-01.
const FILE_TIME: u64 = 504_911_232_000_000_000;

/// A file that is written.
pub(super) struct Writer {
    parameters: FileParameters,
    /// Without what follows the given name.
    stem: PathBuf,
    volume: Arc<dyn Volume>,
    at: u64,
}

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
        let disk = &*instance.options().env.disk;
        let stem = stem(&path);
        let made = match stem.parent() {
            Some(dir) => disk.create_dir(dir),
            None => Ok(()),
        };
        let utc = instance.options().env.clock.now_utc().0;
        let volume = made.and_then(|()| create(disk, &stem, utc)).map_err(|e| refused(&e))?;
        Ok(Writer { parameters, stem, volume, at: MAGIC.len() as u64 })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        self.volume.path()
    }

    fn append(&mut self, disk: &dyn Disk, utc: u64, block: &[u8]) -> IoResult<()> {
        let most = u64::from(self.parameters.max_mb) << 20;
        if self.at > MAGIC.len() as u64 && self.at + block.len() as u64 > most {
            self.volume = create(disk, &self.stem, utc)?;
            self.at = MAGIC.len() as u64;
            let mut all = rolled(disk, &self.stem)?;
            let keep = self.parameters.max_files as usize;
            // 0 keeps all.
            let gone = if keep == 0 { 0 } else { all.len().saturating_sub(keep) };
            for old in all.drain(..gone).filter(|old| *old != *self.volume.path()) {
                disk.remove(&old)?;
            }
        }
        self.volume.write_at(self.at, block)?;
        self.volume.sync()?;
        self.at += block.len() as u64;
        Ok(())
    }
}

/// A new file, whose name no other has.
fn create(disk: &dyn Disk, stem: &Path, utc: u64) -> IoResult<Arc<dyn Volume>> {
    let mut time = utc.saturating_sub(FILE_TIME);
    loop {
        let mut name = stem.file_name().unwrap_or_default().to_owned();
        name.push(format!("_0_{time:018}.xel"));
        let path = stem.with_file_name(name);
        if disk.exists(&path)? {
            time += 1;
            continue;
        }
        let volume = disk.create(&path, OpenSpec::PLAIN)?;
        if let Err(e) = volume.write_durable(0, &[IoSlice::new(MAGIC)]) {
            // Nobody could read it. The first error is the one to tell.
            let _ = disk.remove(&path);
            return Err(e);
        }
        if let Some(dir) = path.parent() {
            disk.sync_dir(dir)?;
        }
        return Ok(volume);
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

/// FNV-1a of 32 bits.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193))
}

fn seal(mut block: Vec<u8>) -> Vec<u8> {
    let length = (block.len() - HEADER) as u32;
    let checked = sum(&block[HEADER..]);
    block[..4].copy_from_slice(&length.to_le_bytes());
    block[4..HEADER].copy_from_slice(&checked.to_le_bytes());
    block
}

/// Writes what the session's file target has.
pub(super) fn flush(instance: &Instance, session: &Running, writer: &mut Writer) {
    let pending = session.targets.iter().find_map(|t| match &t.kind {
        Kind::File(pending) => Some(pending),
        _ => None,
    });
    let Some(pending) = pending else { return };
    let events = with(pending, |p| p.take());
    if events.is_empty() {
        return;
    }
    let count = events.len() as u64;
    let env = &instance.options().env;
    // The writes are no events of their own: they would have no end.
    let written = xe::quietly(|| {
        let mut block = vec![0; HEADER];
        for e in &events {
            encode(session, e, &mut block);
            if block.len() >= BLOCK {
                let full = std::mem::replace(&mut block, vec![0; HEADER]);
                writer.append(&*env.disk, env.clock.now_utc().0, &seal(full))?;
            }
        }
        match block.len() {
            HEADER => Ok(()),
            _ => writer.append(&*env.disk, env.clock.now_utc().0, &seal(block)),
        }
    });
    if let Err(e) = written {
        with(pending, |p| {
            p.failed = true;
            p.dropped += count + p.take().len() as u64;
        });
        let text = format!(
            "Event session '{}': the target package0.event_file has stopped, since its file could not be written: {e}",
            session.name
        );
        let database = Whose::new(DatabaseId(1), "master");
        EventRing::global().push(Event::BackgroundError { database, text });
    }
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

/// Reads a file block by block.
pub(super) struct Reader {
    volume: Arc<dyn Volume>,
    pub path: PathBuf,
    at: u64,
    length: u64,
}

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
        let shown = path.display();
        let failed = |e: taffrail_io::IoError| SqlError::new(25717, &[&e.system_error(), &shown]);
        let volume = disk.open(path, OpenSpec::PLAIN.read_only()).map_err(failed)?;
        let length = volume.len().map_err(failed)?;
        let mut magic = [0; MAGIC.len()];
        if length < magic.len() as u64 {
            return Err(SqlError::new(25723, &[&shown]));
        }
        volume.read_at(0, &mut magic).map_err(failed)?;
        if magic != *MAGIC {
            return Err(SqlError::new(25723, &[&shown]));
        }
        Ok(Reader { volume, path: path.to_owned(), at: MAGIC.len() as u64, length })
    }

    /// The next block.
    pub fn next(&mut self) -> SqlResult<Next> {
        let at = self.at;
        if at == self.length {
            return Ok(Next::End);
        }
        let failed = |e: taffrail_io::IoError| {
            SqlError::new(25717, &[&e.system_error(), &self.path.display()])
        };
        let mut header = [0; HEADER];
        if self.length - at < HEADER as u64 {
            return Ok(Next::Damaged);
        }
        self.volume.read_at(at, &mut header).map_err(failed)?;
        let word =
            |n: usize| u32::from_le_bytes([header[n], header[n + 1], header[n + 2], header[n + 3]]);
        let (length, checked) = (word(0) as usize, word(4));
        if length == 0 || length > LONGEST || length as u64 > self.length - at - HEADER as u64 {
            return Ok(Next::Damaged);
        }
        let mut block = vec![0; length];
        self.volume.read_at(at + HEADER as u64, &mut block).map_err(failed)?;
        if sum(&block) != checked {
            return Ok(Next::Damaged);
        }
        let Some(events) = decode(&block) else { return Ok(Next::Damaged) };
        self.at = at + (HEADER + length) as u64;
        Ok(Next::Block(at, events))
    }
}

/// The events of a block; `None`: it is none.
fn decode(mut bytes: &[u8]) -> Option<VecDeque<Stored>> {
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
            Ok(length) => length >= MAGIC.len() as u64,
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
