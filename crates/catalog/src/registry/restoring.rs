//! Databases in the middle of a restore.
//!
//! ```text
//! online ──take──▶ taken ──┬─ put_back ──────────────▶ online       nothing was done to it
//! none ────take──▶ taken   ├─ settle_restoring ──────▶ RESTORING    NORECOVERY, or a step that failed half-way
//! RESTORING ─take─▶ taken  ├─ settle_online ─────────▶ online       RECOVERY
//!                          └─ settle_failed ─────────▶ as the files say: none, online, RESTORING
//! ```
//! Whether a database is being restored is told by its primary file, which storage writes; the row in master only saves a start from
//! having to guess about files that a crash has left half-made. At start: the primary file says it is being restored,
//! or the row says so and
//! the file is no database (yet) ▸ RESTORING; else it is opened.
//!
//! 1. A taken database is in `slots` without an open database and cannot be named to any purpose but another restore; it is in `busy`,
//!    which refuses that one, and DROP DATABASE.
//! 2. The row of a RESTORING database names all files that may be there, so that DROP DATABASE leaves none behind.

use super::{Catalog, Databases, Slot, master};
use crate::database::Database;
use crate::datetime_now;
use crate::master::{DatabaseEntry, EntryState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::backup::{Restoring, restoring};
use taffrail_storage::{DatabaseState, OpenSpec};

/// A database that nobody can use until it is settled.
pub struct Taken<'a> {
    databases: &'a Databases,
    /// Its row, as it will be put back.
    pub entry: DatabaseEntry,
    /// The database, if it was open.
    pub database: Option<Arc<Database>>,
    /// Why it was not, though it should have been.
    problem: Option<super::Problem>,
    /// There was no database of this name.
    fresh: bool,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.databases.busy.lock().retain(|id| *id != self.entry.id);
    }
}

impl Databases {
    /// Takes a database out of use for a restore or the backup of its tail: 3101 when `in_use` says that somebody uses it, or another
    /// restore runs. A name that is new becomes a database of these files.
    pub fn take(
        &self,
        name: &str,
        files: Vec<PathBuf>,
        in_use: &dyn Fn(DatabaseId) -> bool,
    ) -> SqlResult<Taken<'_>> {
        self.take_as(name, files, &super::SA_SID, in_use)
    }

    /// As [`Databases::take`]: a name that is new becomes a database of the login with this security identifier, and one that is there
    /// keeps its owner.
    pub fn take_as(
        &self,
        name: &str,
        files: Vec<PathBuf>,
        owner: &[u8],
        in_use: &dyn Fn(DatabaseId) -> bool,
    ) -> SqlResult<Taken<'_>> {
        let _changing = self.changing.lock();
        let master = self.master_storage()?;
        let Some(slot) = self.slot(name) else {
            let rows = master::databases(&master)?;
            let id = self.new_id(&rows).ok_or_else(|| SqlError::new(1813, &[&name]))?;
            let entry = DatabaseEntry {
                id,
                name: name.into(),
                files,
                made: Vec::new(),
                created: datetime_now(&*self.storage.env.clock),
                state: EntryState::Restoring,
                owner_sid: owner.to_vec(),
                compatibility_level: super::COMPATIBILITY_LEVEL,
            };
            master::put_database(&master, &entry)?;
            self.insert(Slot::closed(entry.clone()));
            self.busy.lock().push(id);
            let database = None;
            return Ok(Taken { databases: self, entry, database, problem: None, fresh: true });
        };
        let id = slot.entry.id;
        if self.is_busy(id) {
            return Err(SqlError::new(3101, &[]));
        }
        let mut closed = slot.clone();
        closed.database = None;
        closed.entry.state = EntryState::Restoring;
        self.insert(closed);
        // Only now: nobody can have come in since.
        if in_use(id) {
            self.insert(slot);
            return Err(SqlError::new(3101, &[]));
        }
        self.busy.lock().push(id);
        let Slot { entry, database, problem, .. } = self.leave_emergency(slot);
        Ok(Taken { databases: self, entry, database, problem, fresh: false })
    }

    /// A restore of it runs, or it is on its way to be offline.
    pub(super) fn is_busy(&self, id: DatabaseId) -> bool {
        self.busy.lock().contains(&id)
    }

    /// The open database that a file belongs to, or the name of the closed one; however the path is written.
    pub fn owner_of(&self, path: &Path) -> Option<String> {
        let disk = &self.storage.env.disk;
        // Where it cannot be told, what is written counts.
        let same = |f: &Path| f == path || disk.same_file(f, path).unwrap_or(false);
        let owns = |slot: &Slot| match &slot.database {
            Some(d) => d.storage.files().iter().any(|f| same(&f.path)),
            None => slot.entry.files.iter().any(|f| same(f)),
        };
        self.list().iter().find(|s| owns(s)).map(|s| s.entry.name.clone())
    }

    /// The state of a RESTORING database, as its primary file keeps it.
    pub fn restoring(&self, entry: &DatabaseEntry) -> Option<Restoring> {
        let primary = entry.files.first()?;
        restoring(&self.storage, &entry.name, primary).ok().flatten()
    }

    /// The facts about a closed database that its primary file keeps. None: the file cannot be
    /// read.
    pub fn closed(&self, entry: &DatabaseEntry) -> Option<taffrail_storage::Closed> {
        let spec = OpenSpec::of(entry.files.first()?.clone());
        taffrail_storage::closed(&self.storage, &entry.name, &spec).ok()
    }

    /// At start: whether it is in the middle of a restore. The row follows the file.
    pub(super) fn starts_restoring(&self, entry: &mut DatabaseEntry) -> SqlResult<bool> {
        let Some(primary) = entry.files.first() else { return Ok(false) };
        let told = restoring(&self.storage, &entry.name, primary);
        let is = match told {
            Ok(found) => found.is_some(),
            Err(_) => entry.state == EntryState::Restoring,
        };
        let state = if is { EntryState::Restoring } else { EntryState::Online };
        if state != entry.state {
            entry.state = state;
            master::put_database(&self.master_storage()?, entry)?;
        }
        Ok(is)
    }
}

impl Taken<'_> {
    fn row(&self, state: EntryState, files: &[PathBuf]) -> SqlResult<DatabaseEntry> {
        let mut entry = self.entry.clone();
        entry.state = state;
        entry.files = files.to_vec();
        master::put_database(&self.databases.master_storage()?, &entry)?;
        Ok(entry)
    }

    /// Closes it for good and notes that these files, beside its own, may be half-made from now on.
    pub fn close(&mut self, files: &[PathBuf]) -> SqlResult<()> {
        let mut all = files.to_vec();
        all.extend(self.files().into_iter().filter(|f| !files.contains(f)));
        self.row(EntryState::Restoring, &all)?;
        if let Some(database) = self.database.take() {
            self.entry.files = database.storage.files().into_iter().map(|f| f.path).collect();
            // A suspect database has nothing to settle and cannot be closed cleanly; it is replaced all the same.
            if matches!(database.storage.state(), DatabaseState::Online) {
                database.catalog.settle_sequences()?;
            }
            let _ = database.storage.close();
        }
        Ok(())
    }

    /// Its files as they are.
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.database {
            Some(d) => d.storage.files().into_iter().map(|f| f.path).collect(),
            None if self.fresh => Vec::new(),
            None => self.entry.files.clone(),
        }
    }

    /// Nothing was done to it.
    pub fn put_back(self) {
        let (entry, database) = (self.entry.clone(), self.database.clone());
        let problem = self.problem.clone();
        self.databases.insert(Slot { entry, database, problem, recovering: false });
    }

    /// It is RESTORING, with these files.
    pub fn settle_restoring(self, files: &[PathBuf]) -> SqlResult<()> {
        let entry = self.row(EntryState::Restoring, files)?;
        self.databases.insert(Slot::closed(entry));
        Ok(())
    }

    /// Puts the database online, over this storage.
    pub fn settle_online(
        self,
        storage: Arc<taffrail_storage::Database>,
    ) -> SqlResult<Arc<Database>> {
        let files: Vec<PathBuf> = storage.files().into_iter().map(|f| f.path).collect();
        let open = || -> SqlResult<Arc<Database>> {
            let catalog = Arc::new(Catalog::open(&storage)?);
            let (id, name) = (self.entry.id, self.entry.name.clone());
            Ok(Database::opened(Database { id, name, storage: storage.clone(), catalog }))
        };
        let database = match open() {
            Ok(database) => database,
            Err(e) => {
                super::give_up(&storage, "its catalogue could not be read after a restore");
                let entry = self.row(EntryState::Online, &files)?;
                let problem = super::Problem::of_catalogue(&e);
                self.databases.insert(Slot::failed(entry, problem));
                return Err(e);
            }
        };
        let entry = self.row(EntryState::Online, &files)?;
        let slot = Slot::open(entry, database.clone());
        self.databases.insert(slot);
        Ok(database)
    }

    /// The restore failed: the files tell what is left. `files` are those that it would have made.
    pub fn settle_failed(self, files: &[PathBuf]) -> SqlResult<()> {
        let databases = self.databases;
        let disk = &databases.storage.env.disk;
        let there = |path: &PathBuf| disk.exists(path).unwrap_or(true);
        if self.database.is_some() {
            self.put_back();
            return Ok(());
        }
        if self.fresh && !files.iter().any(there) {
            master::remove_database(&databases.master_storage()?, self.entry.id)?;
            databases.put(self.entry.id, None);
            return Ok(());
        }
        // What was there before the restore is still whole, or what it made is.
        let old = self.entry.files.first().filter(|_| !self.fresh);
        for primary in old.into_iter().chain(files.first()) {
            match restoring(&databases.storage, &self.entry.name, primary) {
                Ok(Some(r)) => {
                    let files: Vec<PathBuf> = r.files.into_iter().map(|f| f.path).collect();
                    return self.settle_restoring(&files);
                }
                Ok(None) if Some(primary) == old => {
                    let entry = self.row(self.entry.state, &self.entry.files)?;
                    if entry.state == EntryState::Online {
                        // What keeps it from opening stands in its slot; the caller has an error already.
                        let _ = databases.open_entry(entry);
                    } else {
                        databases.insert(Slot::closed(entry));
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        let mut all = files.to_vec();
        let old = if self.fresh { &[][..] } else { &self.entry.files[..] };
        all.extend(old.iter().filter(|f| !files.contains(f)).cloned());
        self.settle_restoring(&all)
    }
}
