//! Paths that users name: how they are read, and which are allowed.
//!
//! 1. A path as Windows writes it stands for its file name ([`local_name`]).
//! 2. A relative path lies in the data directory, that of a backup in `backup` below it.
//! 3. Whatever it was, it lies within the data directory or one of the roots that the settings allow: as it is written, without
//!    `..`, or where it really leads.

use crate::context::StatementContext;
use crate::instance::Instance;
use std::path::{Component, Path, PathBuf};
use taffrail_base::{SqlError, SqlResult};

/// What stands for a path as Windows writes it: its file name, so that `D:\SQLLogs\x.ldf` lies beside the other files.
/// Other paths are themselves.
pub(crate) fn local_name(path: &str) -> &str {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    match path.rfind(['\\', '/', ':']) {
        Some(at) if drive || path.contains('\\') => &path[at + 1..],
        _ => path,
    }
}

/// Why a path that a user named is not used.
pub(crate) enum PathRefusal {
    /// It names no file.
    Invalid(Box<SqlError>),
    /// Its directory is not there.
    NoDirectory,
    /// It lies outside of the directories that the settings allow.
    Outside,
}

impl PathRefusal {
    pub(crate) fn system_error(&self) -> &'static str {
        match self {
            PathRefusal::Outside => {
                "5(Access is denied. The setting file_roots lists the directories that are allowed.)"
            }
            _ => "3(The system cannot find the path specified.)",
        }
    }

    /// For the file of a database: 5133, 5105.
    fn file(self, path: &str) -> Box<SqlError> {
        match self {
            PathRefusal::Invalid(e) => e,
            other => SqlError::new(5133, &[&path, &other.system_error()]),
        }
    }

    /// For a backup device: 3201.
    pub(crate) fn backup(self, device: &str) -> Box<SqlError> {
        match self {
            PathRefusal::Invalid(e) => e,
            other => SqlError::new(3201, &[&device, &other.system_error()]),
        }
    }
}

/// Where the file of a database that a user named lies, in a directory that is there: 5133 otherwise.
pub(crate) fn checked_path(cx: &StatementContext<'_>, path: &str) -> SqlResult<PathBuf> {
    check_path(cx, path).map_err(|refusal| refusal.file(path))
}

/// The same, for other messages.
pub(crate) fn check_path(cx: &StatementContext<'_>, path: &str) -> Result<PathBuf, PathRefusal> {
    let full = allowed(cx.instance(), Path::new(""), path)?;
    require_directory(cx.instance(), &full)?;
    Ok(full)
}

/// Where a backup that a user named lies. Whether the directory is there is not looked at.
pub(crate) fn backup_path(instance: &Instance, path: &str) -> Result<PathBuf, PathRefusal> {
    allowed(instance, Path::new("backup"), path)
}

/// Refuses a path whose directory is not there.
pub(crate) fn require_directory(instance: &Instance, full: &Path) -> Result<(), PathRefusal> {
    match full.parent().map(|dir| instance.options().env.disk.exists(dir)) {
        Some(Ok(false)) => Err(PathRefusal::NoDirectory),
        // What cannot be told now will be told by whoever opens the file.
        _ => Ok(()),
    }
}

/// The whole path, with relative ones in `folder` of the data directory.
fn allowed(instance: &Instance, folder: &Path, path: &str) -> Result<PathBuf, PathRefusal> {
    let local = local_name(path);
    if local.is_empty() || path.contains('\n') || path.contains('\0') {
        return Err(PathRefusal::Invalid(SqlError::new(5105, &[&path])));
    }
    let data_dir = instance.databases().data_dir();
    if Path::new(local).components().any(|c| c == Component::ParentDir) {
        return Err(PathRefusal::Outside);
    }
    // An absolute path takes the place of what it is joined to.
    let full = data_dir.join(folder).join(local);
    let roots = &instance.options().file_roots;
    let within =
        |path: &Path| path.starts_with(data_dir) || roots.iter().any(|r| path.starts_with(r));
    // The directories are known without links; whoever names a file may name it through one.
    let real = || instance.options().env.disk.real_path(&full);
    if full.file_name().is_none() || !(within(&full) || real().is_ok_and(|r| within(&r))) {
        return Err(PathRefusal::Outside);
    }
    Ok(full)
}

#[cfg(test)]
mod tests {
    use super::local_name;

    #[test]
    fn windows_paths_are_their_file_names() {
        for (path, name) in [
            (r"D:\SQLLogs\x_log.ldf", "x_log.ldf"),
            (r"\\server\share\b.bak", "b.bak"),
            ("e:x.mdf", "x.mdf"),
            ("E:/data/x.mdf", "x.mdf"),
            (r"C:\data\", ""),
            ("/var/opt/x.mdf", "/var/opt/x.mdf"),
            ("sub/x.mdf", "sub/x.mdf"),
            ("x.mdf", "x.mdf"),
        ] {
            assert_eq!(local_name(path), name, "{path}");
        }
    }
}
