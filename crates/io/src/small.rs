//! Small files of the server's own, written so that a loss of power leaves the old one or the new one, never half of one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::{IoError, IoResult};

/// Writes a small file (a certificate, a key, a password, a note) durably: into a temporary name of the same directory, which is
/// synced, renamed over `path`, and the directory synced. On return the file is on disk with these bytes and exactly this mode;
/// after an error, or a loss of power before the return, it is the old one, none, or the new one, whole.
///
/// The temporary name ([`small_file_temporary`]) is taken over from an attempt that was cut off. Two writers of one path at once
/// are the caller's to prevent. A link at `path` is replaced, not followed.
pub fn write_small_file(path: &Path, bytes: &[u8], mode: u32) -> IoResult<()> {
    let temporary = small_file_temporary(path);
    let written = write_new(&temporary, bytes, mode).and_then(|()| {
        fs::rename(&temporary, path).map_err(|e| IoError::new("rename", &temporary, e))
    });
    if let Err(e) = written {
        // What is left of it, if anything, the next attempt takes over: its error would hide the one that matters.
        let _ = fs::remove_file(&temporary);
        return Err(e);
    }
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(|e| IoError::new("sync_dir", dir, e))
}

/// The name beside `path` that [`write_small_file`] writes to first: `.NAME.new`. One that is found at a start was cut off and
/// means nothing.
pub fn small_file_temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> IoResult<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(IoError::new("remove", path, e));
        }
        _ => {}
    }
    // Never readable by more than `mode` says, not even before the mode is set past the umask.
    let created = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let mut file = created.map_err(|e| IoError::new("create", path, e))?;
    let written = file
        .set_permissions(fs::Permissions::from_mode(mode))
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| file.sync_all());
    written.map_err(|e| IoError::new("write", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("taffrail-small-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let dir = scratch("whole");
        let path = dir.join("server.key");
        write_small_file(&path, b"one", 0o600).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // Cut off before the rename: the old one is whole, what was begun is taken over.
        fs::write(small_file_temporary(&path), "half").unwrap();
        write_small_file(&path, b"two", 0o666).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        assert_eq!(names(&dir), ["server.key"]);
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_link_is_replaced_and_what_it_names_stays() {
        let dir = scratch("link");
        let (target, path) = (dir.join("target"), dir.join("f"));
        fs::write(&target, "theirs").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        std::os::unix::fs::symlink(&target, small_file_temporary(&path)).unwrap();
        write_small_file(&path, b"ours", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "theirs");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_fails_leaves_the_old_one_and_no_temporary_file() {
        let dir = scratch("fails");
        let path = dir.join("f");
        fs::create_dir(&path).unwrap();
        assert_eq!(write_small_file(&path, b"x", 0o600).unwrap_err().op, "rename");
        assert_eq!(names(&dir), ["f"]);
        let nowhere = dir.join("none/f");
        assert_eq!(write_small_file(&nowhere, b"x", 0o600).unwrap_err().op, "create");
        fs::remove_dir_all(&dir).unwrap();
    }
}
