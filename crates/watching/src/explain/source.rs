//! The log as one run of positions: log backups, and what the files have.

use super::Ticks;
use crate::database::Database;
use crate::media::{Devices, Statement, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{LogPos, Lsn, SqlError, SqlResult};
use taffrail_io::Env;
use taffrail_log::{Entry, LogError, Reader};
use taffrail_storage::backup::{BackupError, BackupKind, Device, SetHeader, SetRecords, read_sets};

/// A set with log.
struct LogSet {
    /// Its media.
    devices: Devices,
    /// From 1.
    position: u32,
    /// The LSNs that it holds: from the first one, up to the last one, which is not in it.
    first: Lsn,
    last: Lsn,
    path: RecoveryPath,
}

impl LogSet {
    fn new(devices: Devices, set: &SetHeader) -> LogSet {
        let path = RecoveryPath {
            first: set.first_fork,
            fork_point: Some(set.fork_point).filter(|at| *at != Lsn::ZERO),
            last: set.last_fork,
        };
        let (first, last) = (set.first_lsn, set.last_lsn);
        LogSet { devices, position: set.position, first, last, path }
    }

    /// RESTORE's 4330, and of which set.
    fn wrong_path(&self) -> Box<SqlError> {
        let mut e = SqlError::new(4330, &[]);
        e.message =
            format!("{} ('{}', position {})", e.message, self.devices.first(), self.position);
        e
    }
}

/// The recovery forks that a stretch of log lies on: up to the fork point on the first, from there on the last.
struct RecoveryPath {
    first: [u8; 16],
    /// None: the first and the last are the same.
    fork_point: Option<Lsn>,
    last: [u8; 16],
}

impl RecoveryPath {
    /// Log of a fork that reaches up to here has this path before it, or goes on along it.
    fn has(&self, fork: [u8; 16], reached: Lsn) -> bool {
        (fork == self.first && self.fork_point.is_none_or(|at| reached <= at))
            || (fork == self.last && self.fork_point.is_none_or(|at| reached >= at))
    }
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
    pub(crate) fn of_files(database: &Arc<Database>, env: &Env) -> SqlResult<Source> {
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
    pub(crate) fn of_backups(
        database: &Arc<Database>,
        env: &Env,
        files: Vec<(String, PathBuf)>,
    ) -> SqlResult<Source> {
        let mut sets = Vec::new();
        for (name, path) in files {
            sets.extend(log_sets(database, env, &name, &path)?);
        }
        sets.sort_by_key(|s| (s.first, s.last));
        in_one_run(&sets)?;
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
        let source = Source { database, env, sets, live, first, _hold: hold };
        source.check_path()?;
        Ok(source)
    }

    /// The backups are of this database's own past. 4330: they are of a recovery path that it left, or that left it (a clone's template).
    ///
    /// Records tell for certain: the backups' are those of the files, as far as both have them. Where the files have none of them any
    /// more, the recovery forks tell, of which the database knows those since its last log backup.
    fn check_path(&self) -> SqlResult<()> {
        let Some(furthest) = self.sets.iter().max_by_key(|s| s.last) else { return Ok(()) };
        let same = match self.compare_with_files()? {
            Some(same) => same,
            None => {
                let own = self.database.storage.recovery_status();
                let path = RecoveryPath {
                    first: own.first_recovery_fork.unwrap_or(own.recovery_fork),
                    fork_point: own.fork_point,
                    last: own.recovery_fork,
                };
                // All that is in a backup of the database's own fork was there when it was taken.
                furthest.path.last == path.last || path.has(furthest.path.last, furthest.last)
            }
        };
        if same { Ok(()) } else { Err(furthest.wrong_path()) }
    }

    /// Whether the backups' records are those that the files have in their places. None: no record is in both.
    fn compare_with_files(&self) -> SqlResult<Option<bool>> {
        let name = &self.database.name;
        let log = self.database.storage.log();
        if self.first >= log.durable() {
            return Ok(None);
        }
        // From where both may have the log.
        let mut files = match log.reader(log.oldest().max(self.first)) {
            Ok(files) => files,
            Err(_) => {
                let needed = log.needed_from().max(self.first);
                log.reader(needed).map_err(|e| failed(name, &e))?
            }
        };
        let from = files.position();
        let past = |set: &LogSet| log.lsn(from).is_some_and(|from| set.last <= from);
        let Some(at) = self.sets.iter().position(|set| !past(set)) else { return Ok(None) };
        let records = self.open(at)?;
        let mut backups = SetCursor { records, at, from, position: from };
        let (mut compared, mut ticks) = (false, Ticks::default());
        loop {
            ticks.tick()?;
            let files = files.next_entry().map_err(|e| failed(name, &e))?.map(|e| e.record);
            let same = backups.step(self, |e| {
                let (a, b) = (&e.record, files.as_ref());
                b.is_some_and(|b| (a.pos, a.header, a.payload) == (b.pos, b.header, b.payload))
            })?;
            match same {
                None => return Ok(compared.then_some(true)),
                Some(false) => return Ok(Some(false)),
                Some(true) => compared = true,
            }
        }
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
    pub(crate) fn reaches_now(&self) -> bool {
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

/// The log sets of a file. 40510: it has none. 3154: one is of another database. 3189, 3256: it is damaged, or a backup was interrupted.
fn log_sets(
    database: &Arc<Database>,
    env: &Env,
    name: &str,
    path: &Path,
) -> SqlResult<Vec<LogSet>> {
    let devices = || Devices {
        list: vec![Device::Disk(path.to_owned())],
        names: vec![name.to_owned()],
        logical: Vec::new(),
    };
    let guid = database.storage.guid();
    let found = read_sets(env, &devices().list).map_err(|e| told(e, &devices()))?;
    if found.is_empty() {
        let mut e = SqlError::new(3189, &[]);
        e.message = format!("{} (No backup set can be read from '{name}'.)", e.message);
        return Err(e);
    }
    if !found.iter().any(|s| s.kind == BackupKind::Log) {
        return Err(unsupported(format_args!("The log of '{name}', which has no log backup,")));
    }
    let mut sets = Vec::new();
    for set in found.into_iter().filter(|s| s.kind == BackupKind::Log) {
        if set.family_guid != guid && set.database_guid != guid {
            return Err(SqlError::new(3154, &[&database.name]));
        }
        if !set.complete {
            let position = set.position;
            let mut e =
                told(BackupError::Incomplete { position, path: path.to_owned() }, &devices());
            e.message.push_str(" Or it is damaged: its end cannot be read.");
            return Err(e);
        }
        sets.push(LogSet::new(devices(), &set));
    }
    Ok(sets)
}

/// Each set goes on where those before it end. 4305: log is missing between them. 4330: it is on another recovery path than they.
fn in_one_run(sets: &[LogSet]) -> SqlResult<()> {
    let mut furthest: Option<&LogSet> = None;
    for set in sets {
        if let Some(before) = furthest {
            if set.first > before.last {
                return Err(SqlError::new(4305, &[&set.first, &before.last]));
            }
            if !set.path.has(before.path.last, before.last) {
                return Err(set.wrong_path());
            }
        }
        furthest = furthest.filter(|f| f.last >= set.last).or(Some(set));
    }
    Ok(())
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

impl SetCursor {
    /// Shows the next record of the backups; none: they have no more.
    fn step<R>(
        &mut self,
        source: &Source,
        show: impl FnOnce(&Entry<'_>) -> R,
    ) -> SqlResult<Option<R>> {
        loop {
            let devices = &source.sets[self.at].devices;
            while self.records.advance().map_err(|e| told(e, devices))? {
                if let Some(entry) = self.records.entry()
                    && entry.record.pos >= self.from
                {
                    // A record that the next set has as well is read once.
                    self.from = LogPos(entry.record.pos.0 + 1);
                    self.position = self.from;
                    return Ok(Some(show(&entry)));
                }
            }
            if self.at + 1 >= source.sets.len() {
                return Ok(None);
            }
            self.at += 1;
            self.records = source.open(self.at)?;
        }
    }
}

impl Cursor {
    /// Shows the next record; none: there is no more.
    pub fn step<R>(
        &mut self,
        source: &Source,
        show: impl FnOnce(&Entry<'_>) -> R,
    ) -> SqlResult<Option<R>> {
        let mut show = Some(show);
        if let Cursor::Set(set) = self {
            let found = set.step(source, |e| show.take().map(|show| show(e)))?;
            match (found, source.live) {
                (Some(shown), _) => return Ok(shown),
                (None, None) => return Ok(None),
                (None, Some(live)) => *self = source.files(live.max(set.from))?,
            }
        }
        let (Cursor::Files(reader), Some(show)) = (self, show) else { return Ok(None) };
        let entry = reader.next_entry().map_err(|e| failed(&source.database.name, &e))?;
        Ok(entry.map(|e| show(&e)))
    }

    /// The position up to which everything was read.
    pub fn position(&self) -> LogPos {
        match self {
            Cursor::Files(reader) => reader.position(),
            Cursor::Set(set) => set.position,
        }
    }
}
