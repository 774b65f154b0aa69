//! Files of blocks, appended to, rolled at a size, kept over restarts: what files of events and the trace are made of.
//!
//! ```text
//! file   = magic (8) · block …
//! block  = length of what follows the header (u32) · FNV-1a of it (u32) · contents
//! ```
//! A block is written whole. What a crash leaves of one has the wrong sum, and ends the file for readers.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_io::{Disk, IoError, IoResult, OpenSpec, Volume};

/// Bytes of the magic number.
pub(super) const MAGIC: usize = 8;
/// Bytes in front of a block.
pub(super) const HEADER: usize = 8;
/// A block has about so many bytes.
pub(super) const BLOCK: usize = 64 << 10;
/// No block is longer: what says so is damaged.
const LONGEST: usize = 64 << 20;

/// How files of a kind are called, and what they are worth.
pub(super) struct Kind {
    /// What all of them begin with.
    pub magic: &'static [u8; MAGIC],
    /// The path of a new file of a stem, which no file has yet, at a time in UTC.
    pub next: fn(&dyn Disk, &Path, u64) -> IoResult<PathBuf>,
    /// The files of a stem, the oldest first.
    pub all: fn(&dyn Disk, &Path) -> IoResult<Vec<PathBuf>>,
    /// A block is on the medium when it has been appended.
    pub durable: bool,
}

/// Where files lie, and how large and how many they are.
pub(super) struct Place {
    /// The path without what tells the files apart.
    pub stem: PathBuf,
    /// Bytes of a file.
    pub most: u64,
    /// So many are kept; 0: all.
    pub keep: usize,
}

/// A file that is written.
pub(super) struct Writer {
    kind: &'static Kind,
    place: Place,
    volume: Arc<dyn Volume>,
    at: u64,
}

impl Writer {
    /// Opens a new file.
    pub fn open(disk: &dyn Disk, kind: &'static Kind, place: Place, utc: u64) -> IoResult<Writer> {
        if let Some(dir) = place.stem.parent() {
            disk.create_dir(dir)?;
        }
        let volume = create(disk, kind, &place.stem, utc)?;
        Ok(Writer { kind, place, volume, at: MAGIC as u64 })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        self.volume.path()
    }

    /// Bytes of the file.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Removes what is too old to be kept.
    pub fn prune(&self, disk: &dyn Disk) -> IoResult<()> {
        let mut all = (self.kind.all)(disk, &self.place.stem)?;
        let gone = match self.place.keep {
            0 => 0,
            keep => all.len().saturating_sub(keep),
        };
        for old in all.drain(..gone).filter(|old| *old != *self.volume.path()) {
            disk.remove(&old)?;
        }
        Ok(())
    }

    /// Appends a block ([`seal`]), to a new file where this one is full.
    pub fn append(&mut self, disk: &dyn Disk, utc: u64, block: &[u8]) -> IoResult<()> {
        let _why = taffrail_io::IoReason::Events.begin();
        if self.at > MAGIC as u64 && self.at + block.len() as u64 > self.place.most {
            self.volume = create(disk, self.kind, &self.place.stem, utc)?;
            self.at = MAGIC as u64;
            self.prune(disk)?;
        }
        self.volume.write_at(self.at, block)?;
        if self.kind.durable {
            self.volume.sync()?;
        }
        self.at += block.len() as u64;
        Ok(())
    }
}

/// A new file, whose name no other has.
fn create(
    disk: &dyn Disk,
    kind: &'static Kind,
    stem: &Path,
    utc: u64,
) -> IoResult<Arc<dyn Volume>> {
    let _why = taffrail_io::IoReason::Events.begin();
    let path = (kind.next)(disk, stem, utc)?;
    let volume = disk.create(&path, OpenSpec::PLAIN)?;
    let begun = match kind.durable {
        true => volume.write_durable(0, &[IoSlice::new(kind.magic)]),
        false => volume.write_at(0, kind.magic),
    };
    if let Err(e) = begun {
        // Nobody could read it. The first error is the one to tell.
        let _ = disk.remove(&path);
        return Err(e);
    }
    if let Some(dir) = path.parent().filter(|_| kind.durable) {
        disk.sync_dir(dir)?;
    }
    Ok(volume)
}

/// FNV-1a of 32 bits.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193))
}

/// A block of these bytes, the first [`HEADER`] of which are free for its header.
pub(super) fn seal(mut block: Vec<u8>) -> Vec<u8> {
    let length = (block.len() - HEADER) as u32;
    let checked = sum(&block[HEADER..]);
    block[..4].copy_from_slice(&length.to_le_bytes());
    block[4..HEADER].copy_from_slice(&checked.to_le_bytes());
    block
}

/// Why a file cannot be read.
pub(super) enum Unreadable {
    /// The system says so.
    Io(IoError),
    /// It is none of this kind.
    Other,
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
    Block(u64, Vec<u8>),
    /// The end.
    End,
    /// Something else than a block, from here on.
    Damaged,
}

impl Reader {
    /// Opens a file.
    pub fn open(disk: &dyn Disk, kind: &Kind, path: &Path) -> Result<Reader, Unreadable> {
        let volume = disk.open(path, OpenSpec::PLAIN.read_only()).map_err(Unreadable::Io)?;
        let length = volume.len().map_err(Unreadable::Io)?;
        let mut magic = [0; MAGIC];
        if length < MAGIC as u64 {
            return Err(Unreadable::Other);
        }
        volume.read_at(0, &mut magic).map_err(Unreadable::Io)?;
        if magic != *kind.magic {
            return Err(Unreadable::Other);
        }
        Ok(Reader { volume, path: path.to_owned(), at: MAGIC as u64, length })
    }

    /// The next block.
    pub fn next(&mut self) -> IoResult<Next> {
        let at = self.at;
        if at == self.length {
            return Ok(Next::End);
        }
        let mut header = [0; HEADER];
        if self.length - at < HEADER as u64 {
            return Ok(Next::Damaged);
        }
        self.volume.read_at(at, &mut header)?;
        let word =
            |n: usize| u32::from_le_bytes([header[n], header[n + 1], header[n + 2], header[n + 3]]);
        let (length, checked) = (word(0) as usize, word(4));
        if length == 0 || length > LONGEST || length as u64 > self.length - at - HEADER as u64 {
            return Ok(Next::Damaged);
        }
        let mut block = vec![0; length];
        self.volume.read_at(at + HEADER as u64, &mut block)?;
        if sum(&block) != checked {
            return Ok(Next::Damaged);
        }
        self.at = at + (HEADER + length) as u64;
        Ok(Next::Block(at, block))
    }
}
