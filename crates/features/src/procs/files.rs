//! Files of backups as maintenance scripts look after them: xp_create_subdir, xp_delete_file, xp_dirtree.
//!
//! Paths are read as those of backups ([`backup_path`]): relative ones lie in `backup`, and a directory as Windows writes it
//! stands for `backup` itself, where the files go that are named in it; nothing is removed by such a name. Nothing
//! outside of the directories that the settings
//! allow is listed, made or removed.

use super::Arguments;
use crate::instance::Instance;
use crate::paths::{backup_path, local_path};
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use taffrail_base::{SqlError, SqlResult};
use taffrail_io::{Entry, UtcTime};
use taffrail_storage::backup::Device;
use taffrail_types::{Conversion, MaxLen, SqlType, Value, convert};

/// The message of an extended procedure that could not do what it was asked.
fn failed(procedure: &str, why: impl std::fmt::Display) -> Box<SqlError> {
    SqlError::of_text(22048, 16, format!("{procedure}() returned error {why}"))
}

/// Whether a directory is written as another machine has it.
fn is_windows(instance: &Instance, path: &str) -> bool {
    local_path(instance, path) != path || path.ends_with(':')
}

/// Where a directory is.
fn directory(cx: &StatementContext<'_>, procedure: &str, path: &str) -> SqlResult<PathBuf> {
    let trimmed = match path.trim_end_matches(['/', '\\']) {
        "" => path,
        trimmed => trimmed,
    };
    if is_windows(cx.instance(), trimmed) {
        return Ok(cx.instance().backup_dir());
    }
    backup_path(cx.instance(), trimmed).map_err(|refusal| failed(procedure, refusal.system_error()))
}

/// `xp_create_subdir`: the directory, and those above it.
pub(super) fn create_subdir(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = "xp_create_subdir";
    let Some(path) = args.text(0) else { return Err(SqlError::new(15600, &[&name])) };
    let path = directory(cx, name, &path)?;
    let disk = &cx.instance().options().env.disk;
    disk.create_dir(&path).map_err(|e| failed(name, e))?;
    if let Some(above) = path.parent() {
        disk.sync_dir(above).map_err(|e| failed(name, e))?;
    }
    Ok(0)
}

/// `xp_delete_file type, directory, extension, before, subdirectories`: removes backups (0) or reports (1) that were last
/// written before then. A file of the first kind is looked into: what is no backup stays.
pub(super) fn delete_file(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = "xp_delete_file";
    let (kind, Some(path)) = (args.number(0).unwrap_or(0), args.text(1)) else {
        return Err(SqlError::new(15600, &[&name]));
    };
    if kind != 0 {
        return Err(SqlError::new(40510, &[&"xp_delete_file of reports"]));
    }
    // All of them stand for one directory: what is old for one script is another's only backup.
    if is_windows(cx.instance(), path.trim_end_matches(['/', '\\'])) {
        let what = match path.starts_with('/') {
            true => "xp_delete_file of a directory that is not there",
            false => "xp_delete_file of a path with a drive letter or a backslash",
        };
        return Err(SqlError::new(40510, &[&what]));
    }
    let extension = args.text(2).unwrap_or_default().trim_start_matches('.').to_lowercase();
    let before = match args.typed(3) {
        None | Some((Value::Null, _)) => None,
        Some((value, ty)) => Some(moment(value, ty)?),
    };
    let path = directory(cx, name, &path)?;
    let mut directories = vec![path.clone()];
    if args.flag(4) {
        directories.extend(below(cx, &path));
    }
    let env = cx.instance().options().env.clone();
    let aged = |entry: &Entry| {
        let kind = Path::new(&entry.name).extension();
        let of_kind = kind.is_some_and(|e| e.to_string_lossy().to_lowercase() == extension);
        entry.is_file && of_kind && before.is_none_or(|b| entry.modified < b)
    };
    let mut files = Vec::new();
    if extension.is_empty() {
        // The path of one file.
        let path = args.text(1).unwrap_or_default();
        files.extend(backup_path(cx.instance(), &path));
    } else {
        for directory in directories {
            let missing = "3(The system cannot find the path specified.)";
            let found = env.disk.entries(&directory).map_err(|_| failed(name, missing))?;
            let found = found.iter().filter(|e| aged(e)).map(|e| directory.join(&e.name));
            files.extend(found);
        }
    }
    for file in files {
        if taffrail_storage::backup::read_label(&env, &Device::Disk(file.clone())).is_ok() {
            env.disk.remove(&file).map_err(|e| failed(name, e))?;
        }
    }
    Ok(0)
}

/// A moment of the server's time zone.
fn moment(value: &Value, ty: SqlType) -> SqlResult<SystemTime> {
    const DAY: u64 = 86_400 * UtcTime::PER_SECOND;
    let at = convert::cast(value, ty, SqlType::DateTime2(7), None, Conversion::Explicit)?;
    let Value::DateTime2 { days, ticks } = at else { return Err(SqlError::new(241, &[])) };
    let utc = taffrail_io::zone::from_local(u64::from(days) * DAY + ticks);
    Ok(SystemTime::UNIX_EPOCH + utc.since(UtcTime::UNIX_EPOCH))
}

/// What a directory has, and nothing where it cannot be read.
fn entries(cx: &StatementContext<'_>, path: &Path) -> Vec<Entry> {
    cx.instance().options().env.disk.entries(path).unwrap_or_default()
}

/// The directories below one.
fn below(cx: &StatementContext<'_>, path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for directory in entries(cx, path).iter().filter(|e| e.is_directory) {
        let directory = path.join(&directory.name);
        let deeper = below(cx, &directory);
        out.push(directory);
        out.extend(deeper);
    }
    out
}

/// `xp_dirtree directory, depth, files`.
pub(super) fn dirtree(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let Some(path) = args.text(0) else { return Err(SqlError::new(15600, &[&"xp_dirtree"])) };
    let (depth, files) = (args.number(1).unwrap_or(0), args.flag(2));
    let mut rows = Vec::new();
    // A directory that is not there, or not for us, is an empty one.
    if let Ok(path) = directory(cx, "xp_dirtree", &path) {
        tree(cx, &path, 1, if depth > 0 { depth } else { i64::MAX }, files, &mut rows);
    }
    let mut columns = vec![
        ("subdirectory", SqlType::NVarChar(MaxLen::N(512)), true),
        ("depth", SqlType::Int, true),
    ];
    if files {
        columns.push(("file", SqlType::Int, true));
    }
    send(cx, &columns, rows)?;
    Ok(0)
}

fn tree(
    cx: &StatementContext<'_>,
    path: &Path,
    level: i64,
    most: i64,
    files: bool,
    rows: &mut Vec<Vec<Value>>,
) {
    for entry in entries(cx, path) {
        if !(entry.is_directory || files && entry.is_file) {
            continue;
        }
        let mut cells = row![entry.name.to_string_lossy().into_owned(), level];
        if files {
            cells.extend(row![i32::from(entry.is_file)]);
        }
        rows.push(cells);
        if entry.is_directory && level < most {
            tree(cx, &path.join(&entry.name), level + 1, most, files, rows);
        }
    }
}
