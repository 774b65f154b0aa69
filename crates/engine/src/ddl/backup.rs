//! BACKUP DATABASE … TO DISK: a full backup, taken while others write.

use super::database::{checked_path, sql, unsupported};
use crate::context::StatementContext;
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
    if let Some(dir) = path.parent() {
        disk.create_dir(dir).map_err(cannot_open)?;
    }
    let cancel = cx.session.cancel.clone();
    let stopped = || cancel.load(std::sync::atomic::Ordering::Acquire);
    let report = database.storage.backup_full(&path, options.overwrite, &stopped);
    let report = report.map_err(|e| match e {
        StorageError::Io(io) => SqlError::new(3201, &[&target, &io.source.source]),
        other => sql(other),
    })?;
    if options.stats {
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

struct Options {
    overwrite: bool,
    stats: bool,
}

fn options(list: &[ast::NamedOption]) -> SqlResult<Options> {
    let mut options = Options { overwrite: false, stats: false };
    for option in list {
        match option.name.value.to_ascii_uppercase().as_str() {
            "INIT" | "FORMAT" => options.overwrite = true,
            "STATS" => options.stats = true,
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
    let refused = |_| SqlError::new(3201, &[&target, &"5(Access is denied.)"]);
    if Path::new(target).is_absolute() {
        return checked_path(cx, target).map_err(refused);
    }
    let dir = cx.instance().databases().data_dir().join("backup");
    checked_path(cx, &dir.join(target).to_string_lossy()).map_err(refused)
}
