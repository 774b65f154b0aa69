//! What is said of a backup or restore: errors as messages, and the lines that a successful one ends with.

use super::device::Devices;
use super::facts;
use crate::session::context::StatementContext;
use std::time::Duration;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::{BackupError, BackupFile, BackupKind};
use taffrail_storage::{FileKind, StorageError};

/// What runs.
pub(crate) struct Statement<'a> {
    /// As messages name it.
    pub name: &'static str,
    /// The database.
    pub database: &'a str,
}

impl Statement<'_> {
    fn is_backup(&self) -> bool {
        self.name.starts_with("BACKUP")
    }
}

/// The message for what storage says.
pub(crate) fn say(e: BackupError, statement: &Statement<'_>, devices: &Devices) -> Box<SqlError> {
    let database = statement.database;
    match e {
        BackupError::Open(io) => {
            SqlError::new(3201, &[&devices.name_of(&io.path), &io.system_error()])
        }
        BackupError::Device { operation, source } => {
            let number = if operation == "read" { 3203 } else { 3202 };
            SqlError::new(number, &[&devices.name_of(&source.path), &source.system_error()])
        }
        BackupError::NotMedia(path) => SqlError::new(3241, &[&devices.name_of(&path)]),
        BackupError::Empty(path) => SqlError::new(3254, &[&devices.name_of(&path)]),
        BackupError::FamiliesMissing { families, given, missing } => {
            let mut e = SqlError::new(3132, &[&families, &given]);
            let list: Vec<String> = missing.iter().map(u16::to_string).collect();
            e.message = format!("{} (Missing: {}.)", e.message, list.join(", "));
            e
        }
        BackupError::NotOneMedia(path) => SqlError::new(3258, &[&devices.name_of(&path)]),
        BackupError::NoSuchSet { position, path } => {
            SqlError::new(4038, &[&position, &devices.name_of(&path)])
        }
        BackupError::Incomplete { path, .. } => SqlError::new(3256, &[&devices.name_of(&path)]),
        BackupError::TooNew { version, known } => SqlError::new(3169, &[&version, &known]),
        BackupError::Damaged { path, offset, why } => {
            let mut e = SqlError::new(3189, &[]);
            e.message = format!(
                "{} ({why}, at offset {offset} of '{}')",
                e.message,
                devices.name_of(&path)
            );
            e
        }
        BackupError::DamagedPage(StorageError::Corrupt(c)) if statement.is_backup() => {
            SqlError::new(3043, &[&database, &c.page.file, &c.page.page, &c.file])
        }
        BackupError::DamagedInSet(page) => {
            SqlError::new(3183, &[&page.file, &page.page, &database])
        }
        BackupError::DamagedPage(e) | BackupError::Storage(e) => e.to_sql(),
        BackupError::DamagedLog(_) => SqlError::new(26019, &[]),
        BackupError::SimpleModel => SqlError::new(4208, &[&statement.name]),
        BackupError::NoLogChain => SqlError::new(4214, &[]),
        BackupError::NoDifferentialBase => SqlError::new(3035, &[&database]),
        BackupError::Busy => SqlError::new(3023, &[]),
        BackupError::BulkUnavailable => SqlError::new(4216, &[]),
        BackupError::NotBackedUp => SqlError::new(3147, &[]),
        BackupError::FileExists(path) => SqlError::new(3142, &[&path.display(), &path.display()]),
        BackupError::NoSuchFile(name) => SqlError::new(3234, &[&name, &database]),
        BackupError::NotRestoring => SqlError::new(3117, &[]),
        BackupError::WrongKind => SqlError::new(3135, &[&devices.first(), &"another statement"]),
        BackupError::WrongBase => SqlError::new(3136, &[]),
        BackupError::LogTooRecent { first, needed } => {
            SqlError::new(4305, &[&first.to_numeric(), &needed.to_numeric()])
        }
        BackupError::LogTooEarly { last, needed } => {
            SqlError::new(4326, &[&last.to_numeric(), &needed.to_numeric()])
        }
        BackupError::WrongFork => SqlError::new(4330, &[]),
        BackupError::WrongDatabase => SqlError::new(3154, &[&database]),
        BackupError::NotConsistent { reached, needed } => {
            SqlError::new(4318, &[&database, &reached.to_numeric(), &needed.to_numeric()])
        }
        BackupError::StopTooEarly => SqlError::new(4335, &[]),
        BackupError::StopInBulk => SqlError::new(4341, &[]),
        BackupError::NoSuchLsn => SqlError::new(4334, &[]),
        BackupError::Stopped => {
            unsupported("Log of a database whose restore has stopped before that log's end")
        }
        // The client asked for it and hears of nothing else.
        BackupError::Cancelled => SqlError::new(3204, &[]),
    }
}

/// What a backup or restore did.
pub(super) struct Outcome<'a> {
    /// The set's files, with the pages of each.
    pub files: &'a [BackupFile],
    pub kind: BackupKind,
    pub position: u32,
    pub pages: u64,
    pub log_pages: u64,
    pub duration: Duration,
    /// The set has damaged pages.
    pub damaged: bool,
}

/// `Processed n pages for …`, a line for each file that was in the set, what is to be said of damaged pages, then message 3014.
pub(super) fn summary(
    cx: &mut StatementContext<'_>,
    statement: &Statement<'_>,
    outcome: &Outcome<'_>,
) -> SqlResult<()> {
    let log_backup = statement.is_backup() && outcome.kind == BackupKind::Log;
    let mut log_told = false;
    for file in outcome.files {
        let count = match file.kind {
            // A log backup has pages only where bulk work was not logged.
            FileKind::Rows if log_backup && file.pages == 0 => continue,
            FileKind::Rows => file.pages,
            FileKind::Log if std::mem::replace(&mut log_told, true) => continue,
            FileKind::Log => outcome.log_pages,
        };
        let args: [&dyn std::fmt::Display; 4] =
            [&count, &statement.database, &file.name, &outcome.position];
        cx.message(SqlError::new(4035, &args))?;
    }
    let notes: &[i32] = match (outcome.damaged, statement.is_backup()) {
        (false, _) => &[],
        (true, true) => &[3042],
        (true, false) => &[3188, 3184],
    };
    for note in notes {
        cx.message(SqlError::new(*note, &[]))?;
    }
    done(cx, statement.name, outcome.pages + outcome.log_pages, outcome.duration)
}

/// Message 3014.
pub(super) fn done(
    cx: &mut StatementContext<'_>,
    name: &str,
    pages: u64,
    duration: Duration,
) -> SqlResult<()> {
    let ms = duration.as_millis().max(1) as u64;
    let kb_per_second = pages * 8 * 1000 / ms;
    let (seconds, rest) = (ms / 1000, format!("{:03}", ms % 1000));
    let mb = kb_per_second / 1024;
    let fraction = format!("{:03}", kb_per_second % 1024 * 1000 / 1024);
    cx.message(SqlError::new(3014, &[&name, &pages, &seconds, &rest, &mb, &fraction]))
}

/// How `3014` and `3013` name a backup.
pub(super) fn backup_name(kind: BackupKind) -> &'static str {
    facts::maker(kind)
}
