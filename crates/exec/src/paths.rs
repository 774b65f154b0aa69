//! Paths that users name: how they are read, and which are allowed.
//!
//! 1. A path as Windows writes it stands for its file name ([`local_name`]); so does one below the directory of SQL Server on
//!    Linux, unless its directory is there and allowed ([`local_path`]).
//! 2. A relative path lies in the directory for data files, that of a backup in the one for backups.
//! 3. Whatever it was, it lies within the data directory or one of the roots that the settings allow: as it is written, without
//!    `..`, or where it really leads, and then that is used. Links below those directories are not followed by whoever opens it
//!    (`taffrail_io::os::RootedDisk`): what is looked at here is only what is written.
//! 4. It is none of the server's own files: see [`is_private`].
//! 5. The name of a database or of a file is never a path: see [`default_file`].

use crate::instance::Instance;
use crate::session::context::StatementContext;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
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

/// Where SQL Server on Linux, and everybody's image of it, has its files.
const LINUX_HOME: &str = "/var/opt/mssql/";

/// What a path stands for on this server: itself, or its file name where it is written for another one.
pub fn local_path<'p>(instance: &Instance, path: &'p str) -> &'p str {
    let name = local_name(path);
    let Some(at) = name.starts_with(LINUX_HOME).then(|| name.rfind('/')).flatten() else {
        return name;
    };
    let disk = &instance.options().env.disk;
    let directory = Path::new(&name[..at]);
    let there = || disk.exists(directory).unwrap_or(true);
    let plain = !Path::new(name).components().any(|c| c == Component::ParentDir);
    match plain && is_within(instance, directory) && there() {
        true => name,
        false => &name[at + 1..],
    }
}

/// A path lies in the data directory or in one of the roots.
fn is_within(instance: &Instance, path: &Path) -> bool {
    let roots = &instance.options().file_roots;
    path.starts_with(instance.databases().data_dir()) || roots.iter().any(|r| path.starts_with(r))
}

/// Why a path that a user named is not used.
pub enum PathRefusal {
    /// It names no file.
    Invalid(Box<SqlError>),
    /// Its directory is not there.
    NoDirectory,
    /// It lies outside of the directories that the settings allow.
    Outside,
    /// It is one of the server's own.
    Private,
    /// It leads through a link.
    Link(String),
}

impl PathRefusal {
    /// The error of the operating system that tells of the refusal.
    pub fn system_error(&self) -> &str {
        match self {
            PathRefusal::Outside => {
                "5(Access is denied. The setting file_roots lists the directories that are allowed.)"
            }
            PathRefusal::Private => "5(Access is denied.)",
            PathRefusal::Link(why) => why,
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
    pub fn backup(self, device: &str) -> Box<SqlError> {
        match self {
            PathRefusal::Invalid(e) => e,
            other => SqlError::new(3201, &[&device, &other.system_error()]),
        }
    }
}

/// Where the file of a database that a user named lies, in a directory that is there: 5133 otherwise.
pub fn checked_path(cx: &StatementContext<'_>, path: &str) -> SqlResult<PathBuf> {
    check_path(cx, path).map_err(|refusal| refusal.file(path))
}

/// The same, for other messages.
pub fn check_path(cx: &StatementContext<'_>, path: &str) -> Result<PathBuf, PathRefusal> {
    file_path(cx.instance(), path)
}

/// Where a file lies that a user named, of whatever kind.
pub fn file_path(instance: &Instance, path: &str) -> Result<PathBuf, PathRefusal> {
    let full = allowed(instance, instance.default_data_dir(), path)?;
    require_directory(instance, &full)?;
    Ok(full)
}

/// Where a backup that a user named lies. Whether the directory is there is not looked at.
pub fn backup_path(instance: &Instance, path: &str) -> Result<PathBuf, PathRefusal> {
    allowed(instance, &instance.backup_dir(), path)
}

/// Where a file of events that a user named lies: relative ones in `events` of the data directory.
pub fn event_path(instance: &Instance, path: &str) -> Result<PathBuf, PathRefusal> {
    allowed(instance, &instance.databases().data_dir().join("events"), path)
}

/// Refuses a path whose directory is not there.
pub fn require_directory(instance: &Instance, full: &Path) -> Result<(), PathRefusal> {
    match full.parent().map(|dir| instance.options().env.disk.exists(dir)) {
        Some(Ok(false)) => Err(PathRefusal::NoDirectory),
        // What cannot be told now will be told by whoever opens the file.
        _ => Ok(()),
    }
}

/// The whole path, with relative ones in `folder`.
fn allowed(instance: &Instance, folder: &Path, path: &str) -> Result<PathBuf, PathRefusal> {
    let local = local_path(instance, path);
    if local.is_empty() || path.contains(char::is_control) {
        return Err(PathRefusal::Invalid(SqlError::new(5105, &[&path])));
    }
    if Path::new(local).components().any(|c| c == Component::ParentDir) {
        return Err(PathRefusal::Outside);
    }
    // An absolute path takes the place of what it is joined to.
    let full = folder.join(local);
    let within = |path: &Path| is_within(instance, path);
    if full.file_name().is_none() {
        return Err(PathRefusal::Outside);
    }
    // The directories are known without links; whoever names a file may name them through one.
    let real = || instance.options().env.disk.real_path(&full);
    let full = match within(&full) {
        true => full,
        false => real().ok().filter(|r| within(r)).ok_or(PathRefusal::Outside)?,
    };
    if is_private(instance, &full) {
        return Err(PathRefusal::Private);
    }
    // Whoever opens it would meet the link, too, and may have less to say.
    match instance.options().env.disk.exists(&full) {
        Err(e) if e.is_link() => Err(PathRefusal::Link(e.system_error())),
        _ => Ok(full),
    }
}

/// The server's own files, which no statement names: keys, passwords, the lock, the error log, by whatever name, and in the data
/// directory whatever begins with a full stop. (Files of databases are known by their owners: `Databases::owner_of`.)
fn is_private(instance: &Instance, full: &Path) -> bool {
    let options = instance.options();
    // Where it cannot be told, what is written counts.
    let same = |own: &Path| {
        full.starts_with(own) || options.env.disk.same_file(own, full).unwrap_or(false)
    };
    let rest = full.strip_prefix(instance.databases().data_dir());
    let first = rest.ok().and_then(|r| r.iter().next());
    let own_name = |name: &OsStr| {
        name == crate::catalog::registry::MARKER || name == "log" || name.as_bytes()[0] == b'.'
    };
    first.is_some_and(own_name) || options.private_files.iter().any(|own| same(own))
}

/// Where a file lies that is named after a database, or after its own logical name: in the data directory. A name that
/// makes no file name is legal as a name; it needs a FILENAME (5105).
pub fn default_file(data_dir: &Path, name: &str, extension: &str) -> SqlResult<PathBuf> {
    let file = format!("{name}.{extension}");
    let separates = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    match name.contains(separates) {
        true => Err(SqlError::new(5105, &[&file])),
        false => Ok(data_dir.join(file)),
    }
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
