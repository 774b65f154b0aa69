//! Databases that come and go with their files: `sp_detach_db`, `CREATE DATABASE … FOR ATTACH`.
//!
//! ```text
//! detach   row Offline ─► closed cleanly ─► row removed ─► unknown, the files stay
//! attach   opened, recovered ─► its new places durable in the boot page ─► row Online ─► known
//! ```
//! A crash in a detachment leaves a database that is OFFLINE; one in an attachment leaves its files as they were or recovered, which is the
//! same to whoever attaches them next. No step removes a file.

use super::{
    Catalog, Databases, EntryState, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER, Slot, give_up, master,
    sql,
};
use crate::database::Database;
use crate::datetime_now;
use crate::master::DatabaseEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::{DatabaseState, OpenSpec};

/// Why a database was not attached.
pub enum NotAttached {
    /// It is so before its files were looked at: 1801.
    Refused(Box<SqlError>),
    /// Its primary file is none, or cannot be opened: 1802 follows.
    Primary(Box<SqlError>),
    /// Another file cannot be opened, or it cannot be recovered: 1813 follows.
    Unopened(Box<SqlError>),
}

impl Databases {
    /// `sp_detach_db` of a database that nobody uses: 3703 while a restore works on it, 3707 when it is suspect.
    pub fn detach(&self, name: &str, in_use: &dyn Fn(DatabaseId) -> bool) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let Some(slot) = self.slot(name) else { return Err(SqlError::new(15010, &[&name])) };
        let name = slot.entry.name.clone();
        let used = || SqlError::new(3703, &[&"database", &name]).with_state(2);
        if self.is_busy(slot.entry.id) || in_use(slot.entry.id) {
            return Err(used());
        }
        match (&slot.database, slot.entry.state) {
            (Some(database), _)
                if matches!(database.storage.state(), DatabaseState::Suspect(_))
                    || database.storage.is_emergency() =>
            {
                return Err(SqlError::new(3707, &[]));
            }
            (Some(_), _) | (None, EntryState::Offline) => {}
            (None, EntryState::Restoring) => return Err(SqlError::new(927, &[&name])),
            (None, _) => return Err(SqlError::new(3707, &[])),
        }
        let master = self.master_storage()?;
        let mut entry = slot.entry.clone();
        if let Some(database) = &slot.database {
            // From here on nobody new comes in; who came in meanwhile is found now.
            self.insert(Slot::closed(entry.clone()));
            if in_use(entry.id) {
                self.insert(slot);
                return Err(used());
            }
            entry.files = database.storage.files().into_iter().map(|f| f.path).collect();
            entry.state = EntryState::Offline;
            let settled = database.catalog.settle_sequences();
            if let Err(e) = settled.and_then(|()| master::put_database(&master, &entry)) {
                self.insert(slot);
                return Err(e);
            }
            self.insert(Slot::closed(entry.clone()));
            // Not whole on disk: it stays, offline.
            database.storage.close().map_err(sql)?;
        }
        master::remove_database(&master, entry.id)?;
        self.put(entry.id, None);
        Ok(())
    }

    /// `FOR ATTACH`: makes a database known by its primary file; `logs` are those of its log files that lie where that file does not say.
    pub fn attach(
        &self,
        name: &str,
        primary: PathBuf,
        logs: Vec<PathBuf>,
    ) -> Result<Arc<Database>, NotAttached> {
        let _changing = self.changing.lock();
        self.attach_files(name, OpenSpec { primary, logs })
    }

    /// As [`Self::attach`], for a caller that holds `changing`.
    fn attach_files(&self, name: &str, spec: OpenSpec) -> Result<Arc<Database>, NotAttached> {
        use NotAttached::{Primary, Refused, Unopened};
        if self.slot(name).is_some() {
            return Err(Refused(SqlError::new(1801, &[&name]).with_state(3)));
        }
        let master = self.master_storage().map_err(Refused)?;
        let rows = master::databases(&master).map_err(Refused)?;
        let id = self.new_id(&rows).ok_or_else(|| Unopened(SqlError::new(1813, &[&name])))?;
        self.is_there(&spec.primary).map_err(Primary)?;
        let told = taffrail_storage::closed(&self.storage, name, &spec);
        let files: Vec<PathBuf> =
            told.map_err(|e| Primary(sql(e)))?.files.into_iter().map(|f| f.path).collect();
        files.iter().try_for_each(|file| self.is_there(file)).map_err(Unopened)?;
        // A file that was named and is none of the database's would be ignored; who named it expects it to count.
        let disk = &self.storage.env.disk;
        for named in &spec.logs {
            let mut found = false;
            for file in files.iter().filter(|f| **f != spec.primary) {
                found = disk.same_file(file, named).map_err(|e| Unopened(super::io(e)))?;
                if found {
                    break;
                }
            }
            if !found {
                return Err(Unopened(SqlError::new(5173, &[])));
            }
        }
        let storage = taffrail_storage::Database::open_deferred(&self.storage, id, name, &spec);
        let (storage, report) = storage.map_err(|e| Unopened(sql(e)))?;
        let make = || -> SqlResult<Slot> {
            let mut options = storage.options();
            // Who may use it was said on the server that it came from. This also writes where its files are now.
            options.engine_flags &= !(FLAG_SINGLE_USER | FLAG_RESTRICTED_USER);
            storage.set_options(&options).map_err(sql)?;
            storage.begin_fork(report.end).map_err(sql)?;
            let catalog = Arc::new(Catalog::open(&storage)?);
            let entry = DatabaseEntry {
                id,
                name: name.into(),
                files: storage.files().into_iter().map(|f| f.path).collect(),
                made: Vec::new(),
                created: datetime_now(&*self.storage.env.clock),
                state: EntryState::Online,
                owner_sid: super::SA_SID.to_vec(),
                compatibility_level: super::COMPATIBILITY_LEVEL,
            };
            master::put_database(&master, &entry)?;
            let storage = storage.clone();
            let database = Database::opened(Database { id, name: name.into(), storage, catalog });
            Ok(Slot::open(entry, database))
        };
        match make() {
            Ok(slot) => {
                let database = slot.database.clone();
                self.insert(slot);
                Ok(database.expect("it has just been opened"))
            }
            Err(e) => {
                give_up(&storage, "it could not be attached");
                Err(Unopened(e))
            }
        }
    }

    /// A file that a database is to be attached from: 5120 when it is not there, or another database's.
    fn is_there(&self, path: &Path) -> SqlResult<()> {
        let refused = |number: i32, why: &str| {
            SqlError::new(5120, &[&path.display(), &number, &why]).with_state(101)
        };
        if self.owner_of(path).is_some() {
            let why = "32(The process cannot access the file because it is being used by another process.)";
            return Err(refused(32, why));
        }
        match self.storage.env.disk.exists(path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(refused(2, "2(The system cannot find the file specified.)")),
            Err(e) => Err(super::io(e)),
        }
    }
}
