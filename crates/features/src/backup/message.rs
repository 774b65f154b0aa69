//! What is said of a backup or restore: errors as messages, and the lines that a successful one ends with.

use super::facts;
use crate::media::Statement;
use crate::session::context::StatementContext;
use std::time::Duration;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::FileKind;
use taffrail_storage::backup::{BackupFile, BackupKind};

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
