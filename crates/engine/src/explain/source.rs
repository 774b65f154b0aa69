//! The log as one run of positions: log backups, and what the files have.

use crate::backup::{Devices, Statement, say};
use crate::database::Database;
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{LogPos, Lsn, SqlError, SqlResult};
use taffrail_io::Env;
use taffrail_log::{Entry, LogError, Reader};
use taffrail_storage::backup::{BackupError, BackupKind, Device, SetRecords, read_sets};

/// A set with log.
struct LogSet {
    /// Its media.
    devices: Devices,
    /// From 1.
    position: u32,
    /// The LSNs that it holds: from the first one, up to the last one, which is not in it.
    first: Lsn,
    last: Lsn,
}

/// Where records come from.
pub(crate) struct Source {
    database: Arc<Database>,
    env: Env,
    /// In order; each goes on where the one before ends.
    sets: Vec<LogSet>,
    /// From here on the files have it; none: they are not asked, or do not go on where the backups end.
    live: Option<LogPos>,
    /// Where it begins.
    first: LogPos,
    /// Keeps the log of the files from being reused, from there on.
    _hold: Option<Reader>,
}

/// Reads records forward.
pub(crate) enum Cursor {
    Files(Box<Reader>),
    Set(Box<SetCursor>),
}

/// The same of backups, and of the files behind them.
pub(crate) struct SetCursor {
    records: SetRecords,
    at: usize,
    from: LogPos,
    position: LogPos,
}

/// The caller's mistake: an error of the statement, where recovery's 9003 ends a connection.
pub(crate) fn no_such(lsn: &dyn std::fmt::Display, database: &str) -> Box<SqlError> {
    let mut e = SqlError::new(9003, &[lsn, &database]);
    e.severity = 16;
    e
}

impl Source {
    /// The log of a database's files, from where it is needed on.
    pub fn of_files(database: &Arc<Database>, env: &Env) -> SqlResult<Source> {
        database.storage.flush_log().map_err(|e| e.to_sql())?;
        let log = database.storage.log();
        let oldest = log.oldest();
        // What nobody needs any more is there as long as its VLF is not taken into use again.
        let (first, hold) = match log.reader(oldest) {
            Ok(hold) => (oldest, hold),
            Err(_) => {
                let needed = log.needed_from();
                (needed, log.reader(needed).map_err(|e| failed(&database.name, &e))?)
            }
        };
        let (database, env) = (database.clone(), env.clone());
        let (sets, live, hold) = (Vec::new(), Some(first), Some(hold));
        Ok(Source { database, env, sets, live, first, _hold: hold })
    }

    /// The log of all log backups in these files, in order, and that of the files where it goes on behind them.
    pub fn of_backups(
        database: &Arc<Database>,
        env: &Env,
        files: Vec<(String, PathBuf)>,
    ) -> SqlResult<Source> {
        let guid = database.storage.guid();
        let mut sets = Vec::new();
        for (name, path) in files {
            let devices =
                || Devices { list: vec![Device::Disk(path.clone())], names: vec![name.clone()] };
            let found = read_sets(env, &devices().list).map_err(|e| told(e, &devices()))?;
            if !found.iter().any(|s| s.kind == BackupKind::Log) {
                return Err(unsupported(format_args!(
                    "The log of '{name}', which has no log backup,"
                )));
            }
            for set in found.into_iter().filter(|s| s.kind == BackupKind::Log) {
                if set.family_guid != guid && set.database_guid != guid {
                    return Err(SqlError::new(3154, &[&database.name]));
                }
                let (first, last) = (set.first_lsn, set.last_lsn);
                sets.push(LogSet { devices: devices(), position: set.position, first, last });
            }
        }
        sets.sort_by_key(|s| (s.first, s.last));
        for pair in sets.windows(2) {
            if pair[1].first > pair[0].last {
                return Err(SqlError::new(4305, &[&pair[1].first, &pair[0].last]));
            }
        }
        let Some(set) = sets.first() else { return Source::of_files(database, env) };
        let opened = SetRecords::open(env, &set.devices.list, set.position);
        let mut records = opened.map_err(|e| told(e, &set.devices))?;
        let found = records.advance().map_err(|e| told(e, &set.devices))?;
        let first = records.entry().filter(|_| found).map_or(LogPos::MAX, |e| e.record.pos);
        database.storage.flush_log().map_err(|e| e.to_sql())?;
        let log = database.storage.log();
        let end = sets.last().map(|s| s.last);
        let live = end.and_then(|end| log.pos_of(end));
        let hold = live.and_then(|live| log.reader(live).ok());
        let live = live.filter(|_| hold.is_some());
        let (database, env) = (database.clone(), env.clone());
        Ok(Source { database, env, sets, live, first, _hold: hold })
    }

    /// Where it begins.
    pub fn first(&self) -> LogPos {
        self.first
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// It goes on to what is on the pages now.
    pub fn reaches_now(&self) -> bool {
        self.live.is_some()
    }

    /// What has been written by now may be read: a session sees its own work.
    pub fn flush(&self) -> SqlResult<()> {
        self.database.storage.flush_log().map_err(|e| e.to_sql())
    }

    /// The end of what there is at this moment.
    pub fn end(&self) -> LogPos {
        match self.live {
            Some(_) => self.database.storage.log().durable(),
            None => LogPos::MAX,
        }
    }

    /// Reads from a record's position on.
    pub fn cursor(&self, from: LogPos) -> SqlResult<Cursor> {
        if self.sets.is_empty() || self.live.is_some_and(|live| from >= live) {
            return self.files(from);
        }
        let records = self.open(0)?;
        Ok(Cursor::Set(Box::new(SetCursor { records, at: 0, from, position: from })))
    }

    fn files(&self, from: LogPos) -> SqlResult<Cursor> {
        let reader = self
            .database
            .storage
            .log()
            .reader(from)
            .map_err(|e| failed(&self.database.name, &e))?;
        Ok(Cursor::Files(Box::new(reader)))
    }

    fn open(&self, set: usize) -> SqlResult<SetRecords> {
        let s = &self.sets[set];
        let records = SetRecords::open(&self.env, &s.devices.list, s.position);
        records.map_err(|e| told(e, &s.devices))
    }
}

fn failed(database: &str, e: &LogError) -> Box<SqlError> {
    match e {
        LogError::NotFound(pos) => no_such(&format!("{:#x}", pos.0), database),
        _ => damaged(database),
    }
}

/// The statement's error, where that of recovery ends a connection.
pub(super) fn damaged(database: &str) -> Box<SqlError> {
    let mut e = SqlError::new(9004, &[&database]);
    e.severity = 16;
    e
}

/// As RESTORE would say it of the same files.
fn told(e: BackupError, devices: &Devices) -> Box<SqlError> {
    say(e, &Statement { name: "log_changes", database: "" }, devices)
}

impl Cursor {
    /// Shows the next record; none: there is no more.
    pub fn step<R>(
        &mut self,
        source: &Source,
        show: impl FnOnce(&Entry<'_>) -> R,
    ) -> SqlResult<Option<R>> {
        loop {
            let set = match self {
                Cursor::Files(reader) => {
                    let entry =
                        reader.next_entry().map_err(|e| failed(&source.database.name, &e))?;
                    return Ok(entry.map(|e| show(&e)));
                }
                Cursor::Set(set) => set,
            };
            let devices = &source.sets[set.at].devices;
            while set.records.advance().map_err(|e| told(e, devices))? {
                if let Some(entry) = set.records.entry()
                    && entry.record.pos >= set.from
                {
                    // A record that the next set has as well is read once.
                    set.from = LogPos(entry.record.pos.0 + 1);
                    set.position = set.from;
                    return Ok(Some(show(&entry)));
                }
            }
            if set.at + 1 < source.sets.len() {
                set.at += 1;
                set.records = source.open(set.at)?;
            } else if let Some(live) = source.live {
                let from = live.max(set.from);
                *self = source.files(from)?;
            } else {
                return Ok(None);
            }
        }
    }

    /// The position up to which everything was read.
    pub fn position(&self) -> LogPos {
        match self {
            Cursor::Files(reader) => reader.position(),
            Cursor::Set(set) => set.position,
        }
    }
}
