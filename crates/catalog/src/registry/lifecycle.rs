//! CREATE DATABASE and DROP DATABASE, in the steps that the registry's head tells: a crash between any two of them leaves what the
//! next start finishes or takes back.

use super::{Databases, Slot, give_up, io, sql};
use crate::Catalog;
use crate::database::Database;
use crate::master::{self, DatabaseEntry, EntryState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_io::{IoError, OpenSpec as IoSpec};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::{CheckpointKind, CreateSpec, DatabaseState, StorageError};

/// The error of a new database that the operating system refuses: it belongs to the file, 5123
/// rather than 823.
fn create_error(e: StorageError) -> Box<SqlError> {
    match e {
        StorageError::Io(e) => {
            SqlError::new(5123, &[&e.source.system_error(), &e.source.path.display()])
        }
        e => sql(e),
    }
}

impl Databases {
    /// Creates a database: 1801 when the name is taken.
    pub fn create(&self, name: &str, spec: &CreateSpec) -> SqlResult<Arc<Database>> {
        let _changing = self.changing.lock();
        if self.slot(name).is_some() {
            return Err(SqlError::new(1801, &[&name]).with_state(3));
        }
        let master = self.master_storage()?;
        let rows = master::databases(&master)?;
        let id = self.new_id(&rows).ok_or_else(|| SqlError::new(1813, &[&name]))?;
        let _why = taffrail_io::IoReason::Creation.begin();
        let mut entry = self.entry(id, name, spec, EntryState::Creating);
        // From here on a crash removes these files: they must not be somebody's.
        self.require_free(&entry.files, &rows)?;
        master::put_database(&master, &entry)?;
        if let Err(e) = self.claim(&master, &mut entry) {
            // Where master is down the next start does this.
            if matches!(master.state(), DatabaseState::Online) {
                self.remove_leftovers(&entry.made)?;
                master::remove_database(&master, id)?;
            }
            return Err(e);
        }
        // After a crash before the row says Online the files go: until then nothing of them has to be durable.
        let made = taffrail_storage::Database::create_unsettled(&self.storage, id, name, spec);
        let (storage, disk) = match made {
            Ok(made) => made,
            Err(e) => {
                // Storage has removed the files.
                master::remove_database(&master, id)?;
                return Err(create_error(e));
            }
        };
        let mut make = || -> SqlResult<Arc<Database>> {
            Catalog::bootstrap(&storage)?;
            storage.checkpoint(CheckpointKind::Creation).map_err(create_error)?;
            let catalog = Arc::new(Catalog::open(&storage)?);
            let storage = storage.clone();
            disk.settle()
                .map_err(|e| SqlError::new(5123, &[&e.system_error(), &e.path.display()]))?;
            entry.state = EntryState::Online;
            entry.made.clear();
            master::put_database(&master, &entry)?;
            Ok(Database::opened(Database { id, name: name.into(), storage, catalog }))
        };
        match make() {
            Ok(database) => {
                self.insert(Slot::open(entry, database.clone()));
                Ok(database)
            }
            Err(e) => {
                give_up(&storage, "it could not be created");
                // If master is down its log decides what the row says, and the next start does the rest. Otherwise the row goes only
                // after the files.
                if matches!(master.state(), DatabaseState::Online) && storage.delete_files().is_ok()
                {
                    master::remove_database(&master, id)?;
                }
                Err(e)
            }
        }
    }

    /// 5170 for a file that is there, or that a row of master names.
    pub(super) fn require_free(&self, files: &[PathBuf], rows: &[DatabaseEntry]) -> SqlResult<()> {
        for file in files {
            let named = rows.iter().any(|r| r.files.contains(file));
            if named || self.storage.env.disk.exists(file).map_err(io)? {
                return Err(SqlError::new(5170, &[&file.display()]));
            }
        }
        Ok(())
    }

    /// An id that no row has, and that this process has not given out while there are such: a session may hold on to a database that
    /// was dropped.
    pub(super) fn new_id(&self, rows: &[DatabaseEntry]) -> Option<DatabaseId> {
        let free = |id: &u16| {
            let taken = rows.iter().any(|r| r.id.0 == *id);
            !taken && self.slots.read().iter().all(|s| s.entry.id.0 != *id)
        };
        let last = self.last_id.load(Ordering::Relaxed);
        let id = (last.max(4) + 1..u16::MAX).find(free).or_else(|| (5..u16::MAX).find(free))?;
        self.last_id.fetch_max(id, Ordering::Relaxed);
        Some(DatabaseId(id))
    }

    /// Drops a database that nobody uses.
    pub fn drop_database(&self, name: &str) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let Some(slot) = self.slot(name) else {
            return Err(SqlError::new(3701, &[&"drop", &"database", &name]));
        };
        if self.is_busy(slot.entry.id) {
            return Err(SqlError::new(3702, &[&slot.entry.name]).with_state(3));
        }
        let master = self.master_storage()?;
        let slot = self.leave_emergency(slot);
        let mut entry = slot.entry;
        if let Some(database) = &slot.database {
            entry.files = database.storage.files().into_iter().map(|f| f.path).collect();
        }
        entry.state = EntryState::Dropping;
        master::put_database(&master, &entry)?;
        // It keeps its name and its id until its files are gone: after an error DROP DATABASE can be tried again.
        self.insert(Slot::closed(entry.clone()));
        match &slot.database {
            // Why it could not be opened may be that its files are those of another server, which is not running now.
            None if slot.problem.is_some() => {
                let mut own = entry.files.clone();
                own.retain(|f| f.starts_with(&self.data_dir));
                self.remove_files(&own)?;
            }
            Some(database) => {
                // A suspect database cannot be closed cleanly; its files go all the same.
                let _ = database.storage.close();
                database.storage.delete_files().map_err(sql)?;
            }
            None => self.remove_files(&entry.files)?,
        }
        master::remove_database(&master, entry.id)?;
        self.put(entry.id, None);
        Ok(())
    }

    /// Makes the files of a new database, empty, and notes that they are its own: durable when it returns.
    pub(super) fn claim(
        &self,
        master: &Arc<taffrail_storage::Database>,
        entry: &mut DatabaseEntry,
    ) -> SqlResult<()> {
        let disk = &self.storage.env.disk;
        let refused = |e: IoError| SqlError::new(5123, &[&e.system_error(), &e.path.display()]);
        for file in entry.files.clone() {
            drop(disk.create(&file, IoSpec::PLAIN).map_err(refused)?);
            entry.made.push(file);
        }
        let mut dirs: Vec<&Path> = entry.made.iter().filter_map(|f| f.parent()).collect();
        dirs.dedup();
        dirs.into_iter().try_for_each(|dir| disk.sync_dir(dir).map_err(refused))?;
        master::put_database(master, entry)
    }

    /// The files of a half-made database that CREATE DATABASE has made: those that the row calls its own, and empty ones, which were
    /// made before the row could say so. Whatever else is there somebody has put there since.
    pub(super) fn half_made(&self, entry: &DatabaseEntry) -> SqlResult<Vec<PathBuf>> {
        let disk = &self.storage.env.disk;
        let mut own = Vec::new();
        for file in &entry.files {
            if !disk.exists(file).map_err(io)? {
                continue;
            }
            let made = entry.made.contains(file)
                || disk
                    .open(file, IoSpec::PLAIN.read_only())
                    .and_then(|v| v.is_empty())
                    .map_err(io)?;
            if made {
                own.push(file.clone());
                continue;
            }
            let text = format!(
                "'{}' was not made by the CREATE DATABASE that did not come to its end, and stays.",
                file.display()
            );
            let database = Whose::new(entry.id, &entry.name);
            EventRing::global().push(Event::BackgroundError { database, text });
        }
        Ok(own)
    }

    /// Removes what is left of a database that was half-made or half-dropped. A file that another process has open is none of ours.
    pub(super) fn remove_leftovers(&self, files: &[PathBuf]) -> SqlResult<()> {
        let disk = &self.storage.env.disk;
        for file in files {
            if !disk.exists(file).map_err(io)? {
                continue;
            }
            match disk.remove(file) {
                Err(e) if e.is_in_use() => continue,
                removed => removed.map_err(io)?,
            }
            if let Some(dir) = file.parent() {
                disk.sync_dir(dir).map_err(io)?;
            }
        }
        Ok(())
    }
}
