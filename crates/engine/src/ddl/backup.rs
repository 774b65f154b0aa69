//! BACKUP DATABASE … TO DISK: a full backup, taken while others write.

use super::database::{PathRefusal, allowed_path, check_path, sql, unsupported};
use crate::context::StatementContext;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{FileKind, StorageError};
use taffrail_syntax::ast;

/// `BACKUP`: what goes wrong is followed by 3013.
pub(crate) fn backup(cx: &mut StatementContext<'_>, s: &ast::Backup) -> SqlResult<()> {
    let statement = match s.kind {
        ast::BackupKind::Database => "BACKUP DATABASE",
        ast::BackupKind::Log => "BACKUP LOG",
    };
    cx.refuse_in_transaction(statement)?;
    match run(cx, s, statement) {
        Err(e) if e.number > 0 => {
            cx.message(e)?;
            Err(SqlError::new(3013, &[&statement]))
        }
        other => other,
    }
}

fn run(cx: &mut StatementContext<'_>, s: &ast::Backup, statement: &str) -> SqlResult<()> {
    let name = match &s.database {
        ast::NameOrVariable::Name(name) => name.value.to_string(),
        ast::NameOrVariable::Variable(_) => return Err(unsupported("BACKUP with a variable")),
    };
    let database = cx.instance().databases().get(&name)?;
    if database.id.0 == 2 {
        return Err(SqlError::new(3147, &[]));
    }
    if s.kind == ast::BackupKind::Log {
        if database.storage.options().recovery_model == taffrail_storage::RecoveryModel::Simple {
            return Err(SqlError::new(4208, &[&statement]));
        }
        return Err(unsupported("BACKUP LOG"));
    }
    if !s.parts.is_empty() || !s.mirrors.is_empty() || s.to.len() != 1 {
        return Err(unsupported("A backup of parts, to several devices or with mirrors"));
    }
    let device = &s.to[0];
    let (ast::DeviceKind::Disk, ast::OptionValue::Text(target)) = (device.kind, &device.target)
    else {
        return Err(unsupported("A backup device other than DISK = 'path'"));
    };
    let options = options(&s.options)?;
    let path = backup_path(cx, target)?;
    let disk = cx.instance().options().env.disk.clone();
    let cannot_open = |e: taffrail_io::IoError| SqlError::new(3201, &[&target, &e.source]);
    let default_dir = cx.instance().databases().data_dir().join("backup");
    if path.parent() == Some(&default_dir) {
        disk.create_dir(&default_dir).map_err(cannot_open)?;
    }
    let cancel = cx.session.cancel.clone();
    let progress = RefCell::new(Progress::new(cx, &database.storage, options.stats));
    // Asked once per extent.
    let stopped = || {
        let told = progress.borrow_mut().extent();
        told.is_err() || cancel.load(std::sync::atomic::Ordering::Acquire)
    };
    let report = database.storage.backup_full(&path, options.overwrite, &stopped);
    let report = report.map_err(|e| match e {
        StorageError::Io(io) => SqlError::new(3201, &[&target, &io.source.source]),
        other => sql(other),
    })?;
    if options.stats.is_some() {
        cx.message(SqlError::new(3211, &[&100]))?;
    }
    let files = database.storage.files();
    let logical = |kind| {
        let file = files.iter().find(|f| f.kind == kind);
        file.map_or_else(String::new, |f| f.name.clone())
    };
    let log_pages = report.bytes.div_ceil(8192).saturating_sub(report.pages);
    let (rows, log) = (logical(FileKind::Rows), logical(FileKind::Log));
    cx.message(SqlError::new(4035, &[&report.pages, &database.name, &rows, &1]))?;
    cx.message(SqlError::new(4035, &[&log_pages, &database.name, &log, &1]))?;
    let pages = report.pages + log_pages;
    let ms = report.duration.as_millis().max(1) as u64;
    let kb_per_second = pages * 8 * 1000 / ms;
    let (seconds, rest) = (ms / 1000, format!("{:03}", ms % 1000));
    let (mb, fraction) =
        (kb_per_second / 1024, format!("{:03}", kb_per_second % 1024 * 1000 / 1024));
    cx.message(SqlError::new(3014, &[&statement, &pages, &seconds, &rest, &mb, &fraction]))
}

/// Tells how far a backup has come, every so many percent.
struct Progress<'c, 's> {
    cx: &'c mut StatementContext<'s>,
    done: u64,
    extents: u64,
    every: Option<u64>,
    next: u64,
}

impl<'c, 's> Progress<'c, 's> {
    fn new(
        cx: &'c mut StatementContext<'s>,
        storage: &taffrail_storage::Database,
        every: Option<u64>,
    ) -> Progress<'c, 's> {
        let files = storage.files();
        let used = files.iter().filter(|f| f.kind == FileKind::Rows).map(|f| f.used);
        let extents = (used.sum::<u64>() / EXTENT_BYTES).max(1);
        Progress { cx, done: 0, extents, every, next: every.unwrap_or(100) }
    }

    fn extent(&mut self) -> SqlResult<()> {
        let Some(every) = self.every else { return Ok(()) };
        let percent = self.done * 100 / self.extents;
        self.done += 1;
        // The whole is told at the end, when it is.
        if percent < self.next || percent >= 100 {
            return Ok(());
        }
        self.next = percent - percent % every + every;
        self.cx.message(SqlError::new(3211, &[&percent]))
    }
}

const EXTENT_BYTES: u64 = 64 << 10;
/// `STATS` without a number.
const DEFAULT_STATS: u64 = 10;

struct Options {
    overwrite: bool,
    /// Percent between two messages of progress.
    stats: Option<u64>,
}

fn options(list: &[ast::NamedOption]) -> SqlResult<Options> {
    let mut options = Options { overwrite: false, stats: None };
    for option in list {
        match option.name.value.to_ascii_uppercase().as_str() {
            "INIT" | "FORMAT" => options.overwrite = true,
            "STATS" => {
                let every = match &option.value {
                    Some(ast::OptionValue::Number(n)) => n.parse().ok(),
                    _ => None,
                };
                options.stats = Some(every.unwrap_or(DEFAULT_STATS).clamp(1, 100));
            }
            "NOINIT" | "NOFORMAT" | "SKIP" | "NOSKIP" | "REWIND" | "NOREWIND" | "UNLOAD"
            | "NOUNLOAD" | "NO_COMPRESSION" | "CHECKSUM" | "STOP_ON_ERROR" | "NAME"
            | "DESCRIPTION" | "MEDIANAME" | "MEDIADESCRIPTION" | "BUFFERCOUNT"
            | "MAXTRANSFERSIZE" | "BLOCKSIZE" => {}
            other => return Err(unsupported(&format!("BACKUP DATABASE … WITH {other}"))),
        }
    }
    Ok(options)
}

/// Relative paths lie in `backup` under the data directory.
fn backup_path(cx: &StatementContext<'_>, target: &str) -> SqlResult<PathBuf> {
    let refused = |refusal: PathRefusal| refusal.backup(target);
    if Path::new(target).is_absolute() {
        return check_path(cx, target).map_err(refused);
    }
    let dir = cx.instance().databases().data_dir().join("backup");
    let path = dir.join(target);
    if path.parent() == Some(&dir) {
        // Made when it is needed.
        return allowed_path(cx, &path.to_string_lossy()).map_err(refused);
    }
    check_path(cx, &path.to_string_lossy()).map_err(refused)
}
