//! `CREATE DATABASE … AS CLONE OF` (ours): a database that begins as another one is now.
//!
//! ```text
//! row Creating ─► empty files ─► row: they are its own ─► template closed ─► files copied, durable ─► template opened again
//!   ─► clone opened, its new places durable ─► row Online ─► known
//! ```
//! Where the file system can, the copies share the template's blocks until either is written. Where it cannot, pages that memory has are
//! not read again, and what the template's log does not need any more stays behind. A crash before the row says Online leaves
//! what a CREATE DATABASE leaves (see the registry's head), and of the template a database that was closed in order, or not yet.

use super::{
    Catalog, Databases, EntryState, FLAG_READ_ONLY, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER, Slot,
    give_up, master, problem, sql,
};
use crate::database::Database;
use crate::master::DatabaseEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::{AlignedBuf, Disk, IoError, IoResult, OpenSpec as IoSpec, WriteOp};
use taffrail_storage::{ClosedPages, DatabaseState, OpenSpec};

/// The bytes that are copied at a time. All buffers together are some 3 MB: where a hypervisor
/// takes back what is idle, each page of new memory costs 60 µs, and larger pieces are no faster on
/// a device.
const PIECE: u64 = 256 << 10;
/// Pieces that are written while others are read.
const IN_FLIGHT: usize = 8;
/// Threads that read, and pieces that each reads ahead.
const READERS: usize = 2;
const AHEAD: usize = 2;

impl Databases {
    /// Makes `name` a copy of a database that is open and that nobody uses (5030). `files` makes the clone's files from the template's
    /// number of log files: the data file, then the log files. `going_on` says from time to time whether the copy is still wanted.
    pub fn clone_database(
        &self,
        name: &str,
        template: &str,
        files: &dyn Fn(usize) -> SqlResult<Vec<PathBuf>>,
        in_use: &dyn Fn(DatabaseId) -> bool,
        going_on: &dyn Fn() -> SqlResult<()>,
    ) -> SqlResult<()> {
        let _changing = self.changing.lock();
        if self.slot(name).is_some() {
            return Err(SqlError::new(1801, &[&name]).with_state(3));
        }
        let original = self.get(template)?;
        original.storage.refuse_in_emergency().map_err(sql)?;
        let slot = self.slot(template).ok_or_else(|| SqlError::new(911, &[&template]))?;
        let used = || SqlError::new(5030, &[&slot.entry.name]);
        if self.is_busy(original.id) || in_use(original.id) {
            return Err(used());
        }
        let from: Vec<PathBuf> = original.storage.files().into_iter().map(|f| f.path).collect();
        let to = files(from.len() - 1)?;
        let master = self.master_storage()?;
        let rows = master::databases(&master)?;
        let id = self.new_id(&rows).ok_or_else(|| SqlError::new(1813, &[&name]))?;
        let mut entry = DatabaseEntry {
            id,
            name: name.into(),
            files: to.clone(),
            made: Vec::new(),
            created: crate::datetime_now(&*self.storage.env.clock),
            state: EntryState::Creating,
            owner_sid: super::SA_SID.to_vec(),
            compatibility_level: slot.entry.compatibility_level,
        };
        self.require_free(&entry.files, &rows)?;
        let copied = master::put_database(&master, &entry)
            .and_then(|()| self.claim(&master, &mut entry))
            .and_then(|()| {
                // From here on nobody comes in; who came in meanwhile is found now.
                let closed = Slot::closed(slot.entry.clone());
                self.insert(closed);
                if in_use(original.id) {
                    self.insert(slot.clone());
                    return Err(used());
                }
                self.copy_closed(&original, &slot, &from, &to, going_on)
            });
        let made = copied.and_then(|()| self.open_clone(&master, &mut entry));
        // Where master is down the next start does this.
        if made.is_err() && matches!(master.state(), DatabaseState::Online) {
            self.remove_leftovers(&entry.made)?;
            master::remove_database(&master, id)?;
        }
        made
    }

    /// Closes the template, copies its files, and opens it again, whatever came of that.
    fn copy_closed(
        &self,
        original: &Arc<Database>,
        slot: &Slot,
        from: &[PathBuf],
        to: &[PathBuf],
        going_on: &dyn Fn() -> SqlResult<()>,
    ) -> SqlResult<()> {
        let settled = original.catalog.settle_sequences();
        let closed = original.storage.close_for_copy().map_err(sql);
        let disk = &*self.storage.env.disk;
        let mut pages = None;
        let copied = settled.and(closed).and_then(|closed| {
            let dead = original.storage.dead_log();
            let mut pairs = from.iter().zip(to);
            let closed = pages.insert(closed);
            pairs.try_for_each(|(from, to)| {
                let left_out = dead.iter().find(|(path, _)| path == from);
                let left_out = left_out.map_or(&[][..], |d| &d.1);
                copy(disk, closed, from, to, left_out, going_on)?
                    .map_err(|e| SqlError::new(5123, &[&e.system_error(), &e.path.display()]))
            })
        });
        let mut entry = slot.entry.clone();
        entry.files = from.to_vec();
        let name = entry.name.clone();
        let opened = problem::refused(self.open_entry_over(entry, pages), &name);
        copied.and(opened)
    }

    fn open_clone(
        &self,
        master: &Arc<taffrail_storage::Database>,
        entry: &mut DatabaseEntry,
    ) -> SqlResult<()> {
        let (primary, logs) = entry.files.split_first().expect("a database has files");
        let spec = OpenSpec { primary: primary.clone(), logs: logs.to_vec() };
        let (id, name) = (entry.id, &entry.name);
        let opened = taffrail_storage::Database::open_deferred(&self.storage, id, name, &spec);
        let (storage, _) = opened.map_err(sql)?;
        let mut make = || -> SqlResult<Slot> {
            let mut options = storage.options();
            options.engine_flags &= !(FLAG_READ_ONLY | FLAG_SINGLE_USER | FLAG_RESTRICTED_USER);
            storage.set_options(&options).map_err(sql)?;
            storage.begin_clone().map_err(sql)?;
            let catalog = Arc::new(Catalog::open(&storage)?);
            entry.state = EntryState::Online;
            entry.made.clear();
            master::put_database(master, entry)?;
            let (storage, name) = (storage.clone(), entry.name.clone());
            let database = Database::opened(Database { id, name, storage, catalog });
            Ok(Slot::open(entry.clone(), database))
        };
        let files = storage.files().into_iter().map(|f| f.path).collect();
        match make() {
            Ok(slot) => {
                self.insert(slot);
                Ok(())
            }
            Err(e) => {
                give_up(&storage, "it could not be cloned");
                entry.made = files;
                Err(e)
            }
        }
    }
}

/// Copies a file that nobody has open into an empty one, but for some parts; durable when it returns. The outer error: it is not wanted
/// any more.
fn copy(
    disk: &dyn Disk,
    pages: &ClosedPages,
    from: &Path,
    to: &Path,
    left_out: &[(u64, u64)],
    going_on: &dyn Fn() -> SqlResult<()>,
) -> SqlResult<IoResult<()>> {
    let mut stopped = None;
    let copied = copy_while(disk, pages, from, to, left_out, &mut || {
        stopped = going_on().err();
        stopped.is_none()
    });
    match stopped {
        Some(e) => Err(e),
        None => Ok(copied),
    }
}

/// The same; ends early, with what is written then, when it is not wanted any more.
fn copy_while(
    disk: &dyn Disk,
    pages: &ClosedPages,
    from: &Path,
    to: &Path,
    left_out: &[(u64, u64)],
    wanted: &mut dyn FnMut() -> bool,
) -> IoResult<()> {
    let _why = taffrail_io::IoReason::Clone.begin();
    let target = disk.open(to, IoSpec::DATA)?;
    if disk.share(from, to)? {
        return target.sync();
    }
    let source = disk.open(from, IoSpec::DATA.read_only())?;
    let len = source.len()?;
    target.allocate(0, len)?;
    // What was never written reads as zeroes, there and here.
    let mut gaps = source.unwritten(0, len).unwrap_or_default();
    gaps.extend(left_out);
    let pieces = pieces(len, gaps);
    let read_piece = |at, buf: &mut [u8]| match pages.read(from, at, buf) {
        true => Ok(()),
        false => source.read_at(at, buf),
    };
    std::thread::scope(|scope| {
        let mut readers = Vec::new();
        for n in 0..READERS.min(pieces.len()) {
            let ((out, read), (back, idle)) = (sync_channel(AHEAD), channel());
            let (own, read_one) = (pieces.iter().skip(n).step_by(READERS), &read_piece);
            std::thread::Builder::new()
                .name(format!("clone read {n}"))
                .spawn_scoped(scope, move || read_ahead(read_one, own.copied(), &idle, &out))
                .map_err(|e| IoError::new("read", from, e))?;
            readers.push((read, back));
        }
        let mut flying = 0;
        for n in 0..pieces.len() {
            let (read, back) = &readers[n % READERS];
            if !wanted() {
                break;
            }
            // Who is gone has told of an error before.
            let Ok(piece) = read.recv() else { break };
            let Some(write) = piece? else { continue };
            if flying == IN_FLIGHT {
                for done in target.reap(1)? {
                    done.result?;
                    flying -= 1;
                    // A reader that has come to its end needs none.
                    let _ = back.send(done.buf);
                }
            }
            target.start(write)?;
            flying += 1;
        }
        for done in target.reap(flying)? {
            done.result?;
        }
        target.sync()
    })
}

/// The pieces to copy of a file of so many bytes, in order: offset and length. Gaps, which are not
/// copied, are start and end, in any order.
fn pieces(len: u64, mut gaps: Vec<(u64, u64)>) -> Vec<(u64, usize)> {
    gaps.sort_unstable();
    let mut gaps = gaps.into_iter().peekable();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < len {
        while let Some((_, end)) = gaps.next_if(|(start, _)| *start <= at) {
            at = at.max(end);
        }
        let until = gaps.peek().map_or(len, |gap| gap.0.min(len));
        if at < until {
            let size = PIECE.min(until - at) as usize;
            all.push((at, size));
            at += size as u64;
        }
    }
    all
}

/// Reads pieces in their order, some of them ahead of who writes them; None is one of zeroes, which a new file has already. Ends with its
/// first error, or when nobody takes them any more.
fn read_ahead(
    read: &dyn Fn(u64, &mut [u8]) -> IoResult<()>,
    pieces: impl Iterator<Item = (u64, usize)>,
    idle: &Receiver<AlignedBuf>,
    out: &SyncSender<IoResult<Option<WriteOp>>>,
) {
    let zeros = vec![0; PIECE as usize];
    let mut spare = None;
    for (at, len) in pieces {
        let buf = spare.take().or_else(|| idle.try_recv().ok());
        let mut buf = buf.unwrap_or_else(|| AlignedBuf::zeroed(PIECE as usize));
        let read = read(at, &mut buf[..len]).map(|()| {
            if buf[..len] == zeros[..len] {
                spare = Some(buf);
                return None;
            }
            Some(WriteOp { token: at, offset: at, buf, len })
        });
        let failed = read.is_err();
        if out.send(read).is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_leave_gaps_out_and_nothing_else() {
        let mb = |n: u64| n * PIECE;
        let all = |len, gaps: &[(u64, u64)]| pieces(len, gaps.to_vec());
        let whole = PIECE as usize;
        assert_eq!(all(mb(2) + 5, &[]), [(0, whole), (mb(1), whole), (mb(2), 5)]);
        assert_eq!(all(mb(3), &[(mb(2), mb(9)), (0, 4096), (100, mb(1))]), [(mb(1), whole)]);
        assert_eq!(all(mb(1), &[(4096, 8192)]), [(0, 4096), (8192, whole - 8192)]);
        assert!(all(mb(1), &[(0, mb(1))]).is_empty() && all(0, &[]).is_empty());
    }
}
