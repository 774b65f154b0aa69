//! A statement's file of blocks.

use super::{BLOCK, CHECKSUM, ROOM};
use crate::pieces::look;
use parking_lot::Mutex;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::{Disk, IoError, IoReason, OpenSpec, Volume};
use taffrail_observe::session::with_current;

const PREFIX: &str = "taffrail-spill-";
/// Pages of an extent.
const PAGES: u64 = 8;

/// Held while a file has a name: each other file of such a name was left by a server that has been killed.
static NAMED: Mutex<u64> = Mutex::new(0);

/// The place of such files.
#[derive(Clone)]
pub(crate) struct SpillSpace {
    pub disk: Arc<dyn Disk>,
    pub dir: PathBuf,
}

impl SpillSpace {
    /// Beside a database's first file.
    pub fn beside(database: &taffrail_storage::Database) -> SpillSpace {
        let primary = database.files().into_iter().next().map(|f| f.path).unwrap_or_default();
        let dir = primary.parent().unwrap_or(Path::new(".")).to_owned();
        SpillSpace { disk: database.instance().env.disk.clone(), dir }
    }

    /// Makes a file, which has its name for a moment only.
    pub fn create(&self) -> SqlResult<Arc<SpillFile>> {
        let fail = |e: IoError| io_error(&e);
        let mut named = NAMED.lock();
        for path in self.disk.list(&self.dir).map_err(fail)? {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if name.starts_with(PREFIX) {
                self.disk.remove(&path).map_err(fail)?;
            }
        }
        *named += 1;
        let path = self.dir.join(format!("{PREFIX}{named}.tmp"));
        let volume = self.disk.create(&path, OpenSpec::PLAIN).map_err(fail)?;
        self.disk.remove(&path).map_err(fail)?;
        Ok(Arc::new(SpillFile {
            volume,
            room: Mutex::new(Room { free: Vec::new(), end: 0, stamp: 0 }),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }))
    }
}

/// A statement's file.
pub(crate) struct SpillFile {
    volume: Arc<dyn Volume>,
    room: Mutex<Room>,
    read: AtomicU64,
    written: AtomicU64,
}

struct Room {
    free: Vec<u32>,
    /// The number of the first block that has never been used.
    end: u32,
    /// The number of the last write.
    stamp: u64,
}

/// A block that holds something: its number in the file, and the number of the write that filled it.
#[derive(Clone, Copy)]
pub(super) struct SpillBlock {
    pub(super) at: u32,
    stamp: u64,
}

#[cold]
fn io_error(e: &IoError) -> Box<SqlError> {
    match e.is_full() {
        true => {
            let object = "<temporary system object>";
            SqlError::new(1105, &[&object, &"", &"tempdb", &"PRIMARY"]).with_state(2)
        }
        false => {
            SqlError::new(823, &[&e.source, &e.op, &format_args!("{:#018x}", 0), &e.path.display()])
        }
    }
}

fn checksum(stamp: u64, content: &[u8]) -> [u8; CHECKSUM] {
    foldhash::quality::FixedState::with_seed(stamp).hash_one(content).to_le_bytes()
}

impl SpillFile {
    /// Writes a block: `block` has room for the checksum at its beginning, and may be shorter than a whole one.
    pub(super) fn write(&self, block: &mut [u8]) -> SqlResult<SpillBlock> {
        debug_assert!((CHECKSUM..=BLOCK).contains(&block.len()));
        look()?;
        let taken = {
            let mut room = self.room.lock();
            room.stamp += 1;
            let at = room.free.pop().unwrap_or_else(|| {
                room.end += 1;
                room.end - 1
            });
            SpillBlock { at, stamp: room.stamp }
        };
        with_current(|s| s.internal_allocated.add(PAGES));
        let (sum, content) = block.split_at_mut(CHECKSUM);
        sum.copy_from_slice(&checksum(taken.stamp, content));
        let _why = IoReason::Spill.begin();
        let written = self.volume.write_at(u64::from(taken.at) * BLOCK as u64, block);
        if let Err(e) = written {
            self.free(&[taken]);
            return Err(io_error(&e));
        }
        self.written.fetch_add(1, Relaxed);
        Ok(taken)
    }

    /// Reads so many bytes of rows of a block.
    pub(super) fn read(&self, block: SpillBlock, bytes: usize, to: &mut Vec<u8>) -> SqlResult<()> {
        debug_assert!(bytes <= ROOM);
        look()?;
        to.resize(CHECKSUM + bytes, 0);
        let _why = IoReason::Spill.begin();
        self.volume.read_at(u64::from(block.at) * BLOCK as u64, to).map_err(|e| io_error(&e))?;
        let (sum, content) = to.split_at(CHECKSUM);
        if sum != checksum(block.stamp, content) {
            return Err(crate::rowcodec::damaged("a block of a temporary file"));
        }
        self.read.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Gives blocks back.
    pub(super) fn free(&self, blocks: &[SpillBlock]) {
        self.room.lock().free.extend(blocks.iter().map(|b| b.at));
        with_current(|s| s.internal_freed.add(PAGES * blocks.len() as u64));
    }

    /// Pages that were read and written so far.
    pub fn pages(&self) -> [u64; 2] {
        [self.read.load(Relaxed) * PAGES, self.written.load(Relaxed) * PAGES]
    }
}
