//! `CREATE DATABASE … AS CLONE OF` (ours): a database that begins as another one is now.
//!
//! ```text
//! row Creating ─► empty files ─► row: they are its own ─► template closed ─► files copied, durable ─► template opened again
//!   ─► clone opened, its new places durable ─► row Online ─► known
//! ```
//! Where the file system can, the copies share the template's blocks until either is written. Where it cannot, what the template's log
//! does not need any more stays behind. A crash before the row says Online leaves
//! what a CREATE DATABASE leaves (see the registry's head), and of the template a database that was closed in order, or not yet.

use super::{
    Catalog, Databases, EntryState, FLAG_READ_ONLY, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER, Slot,
    give_up, master, problem, sql,
};
use crate::catalog::master::DatabaseEntry;
use crate::database::Database;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::{AlignedBuf, Disk, IoResult, OpenSpec as IoSpec, WriteOp};
use taffrail_storage::{DatabaseState, OpenSpec};

/// What is copied at a time.
const PIECE: u64 = 1 << 20;
/// Pieces that are written while the next is read.
const IN_FLIGHT: usize = 8;

impl Databases {
    /// Makes `name` a copy of a database that is open and that nobody uses (5030). `files` makes the clone's files from the template's
    /// number of log files: the data file, then the log files. `going_on` says from time to time whether the copy is still wanted.
    pub(crate) fn clone_database(
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
            created: crate::catalog::datetime_now(&*self.storage.env.clock),
            state: EntryState::Creating,
            owner_sid: super::SA_SID.to_vec(),
            compatibility_level: slot.entry.compatibility_level,
        };
        self.require_free(&entry.files, &rows)?;
        let copied = master::put_database(&master, &entry)
            .and_then(|()| self.claim(&master, &mut entry))
            .and_then(|()| {
                // From here on nobody comes in; who came in meanwhile is found now.
                let closed = Slot { entry: slot.entry.clone(), database: None, problem: None };
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
        let closed = original.storage.close().map_err(sql);
        let disk = &*self.storage.env.disk;
        let copied = settled.and(closed).and_then(|()| {
            let dead = original.storage.dead_log();
            let mut pairs = from.iter().zip(to);
            pairs.try_for_each(|(from, to)| {
                let left_out = dead.iter().find(|(path, _)| path == from);
                copy(disk, from, to, left_out.map_or(&[], |d| &d.1), going_on)?
                    .map_err(|e| SqlError::new(5123, &[&e.system_error(), &e.path.display()]))
            })
        });
        let mut entry = slot.entry.clone();
        entry.files = from.to_vec();
        let name = entry.name.clone();
        let opened = problem::refused(self.open_entry(entry), &name);
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
            let database = Arc::new(Database { id, name, storage, catalog });
            Ok(Slot { entry: entry.clone(), database: Some(database), problem: None })
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
    from: &Path,
    to: &Path,
    left_out: &[(u64, u64)],
    going_on: &dyn Fn() -> SqlResult<()>,
) -> SqlResult<IoResult<()>> {
    let mut stopped = None;
    let copied = copy_while(disk, from, to, left_out, &mut || {
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
    from: &Path,
    to: &Path,
    left_out: &[(u64, u64)],
    wanted: &mut dyn FnMut() -> bool,
) -> IoResult<()> {
    let target = disk.open(to, IoSpec::DATA)?;
    if disk.share(from, to)? {
        return target.sync();
    }
    let source = disk.open(from, IoSpec::DATA.read_only())?;
    let len = source.len()?;
    target.allocate(0, len)?;
    let zeros = vec![0; PIECE as usize];
    let mut idle: Vec<AlignedBuf> = Vec::new();
    let mut flying = 0;
    let mut at = 0;
    // What was never written reads as zeroes, there and here.
    let mut gaps = source.unwritten(0, len).unwrap_or_default();
    gaps.extend(left_out);
    gaps.sort_unstable();
    let mut gaps = gaps.into_iter().peekable();
    while at < len && wanted() {
        while let Some((_, end)) = gaps.next_if(|(start, _)| *start <= at) {
            at = at.max(end);
        }
        let until = gaps.peek().map_or(len, |gap| gap.0.min(len));
        if at >= until {
            continue;
        }
        if flying == IN_FLIGHT {
            for done in target.reap(1)? {
                done.result?;
                flying -= 1;
                idle.push(done.buf);
            }
        }
        let mut buf = idle.pop().unwrap_or_else(|| AlignedBuf::zeroed(PIECE as usize));
        let size = PIECE.min(until - at) as usize;
        source.read_at(at, &mut buf[..size])?;
        if buf[..size] == zeros[..size] {
            // It reads so already.
            idle.push(buf);
        } else {
            target.start(WriteOp { token: at, offset: at, buf, len: size })?;
            flying += 1;
        }
        at += size as u64;
    }
    for done in target.reap(flying)? {
        done.result?;
    }
    target.sync()
}
