//! Where a database's log files are, when the database may lie elsewhere than it did.
//!
//! The boot page knows where all files were. What lay in the data directory goes along with it: the primary's old path, without what is
//! the same below the data directory of now, is where that directory was, and the log files below it are looked for in the new one.
//!
//! ```text
//! was   /srv/data/shop/d.mdf   /srv/data/logs/d.ldf   /fast/e.ldf
//! is    /mnt/data/shop/d.mdf   /mnt/data/logs/d.ldf   /fast/e.ldf      in data directory /mnt/data
//! ```
//! Outside of a data directory, what lay beside the primary goes along with it.
//!
//! 1. A file that goes along is never opened where it was: of a copy, that is the file of the original.
//! 2. Nor is one that does not, as long as the primary is still where it was: it belongs to that one.

use std::path::{Path, PathBuf};

use taffrail_base::{FileId, SqlError};
use taffrail_io::IoError;

use super::boot::{Boot, BootFile};
use super::create::io_error;
use crate::database::{FileKind, OpenSpec};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;

/// A file that cannot be opened: 5120 when another process has it, 823 otherwise.
pub(super) fn open_error(e: IoError) -> StorageError {
    match e.is_in_use() {
        true => refused(&e.path, 32, SHARING),
        false => io_error("read", e),
    }
}

const SHARING: &str =
    "The process cannot access the file because it is being used by another process.";

fn refused(path: &Path, number: i32, why: &str) -> StorageError {
    StorageError::Sql(SqlError::new(5120, &[&path.display(), &number, &why]))
}

/// The log files: where whoever opens it says, else where the boot page says, or, of those that went along with the primary, where it
/// is now.
pub(super) fn log_paths(
    instance: &StorageInstance,
    boot: &Boot,
    spec: &OpenSpec,
) -> StorageResult<Vec<PathBuf>> {
    let primary = spec.primary.as_path();
    let disk = &instance.env.disk;
    let exists = |path: &Path| disk.exists(path).map_err(|e| io_error("read", e));
    let recorded = boot.files.iter().find(|f| f.id == FileId(1)).map(|f| f.path.as_path());
    let moved = recorded.and_then(|was| roots(was, primary, &instance.options.data_dir));
    // The same file by another name is no copy.
    let copied = match recorded.filter(|_| moved.is_some()) {
        Some(was) => {
            let same = disk.same_file(was, primary).map_err(|e| io_error("read", e))?;
            !same && exists(was)?
        }
        None => false,
    };
    let logs = || boot.files.iter().filter(|f| f.kind == FileKind::Log);
    let same_name = |f: &BootFile| spec.logs.iter().find(|g| g.file_name() == f.path.file_name());
    // As many as there are, under other names: in their order.
    let in_order = spec.logs.len() == logs().count() && logs().all(|f| same_name(f).is_none());
    let given = |n: usize, f: &BootFile| match in_order {
        true => spec.logs.get(n),
        false => same_name(f),
    };
    logs()
        .enumerate()
        .map(|(n, f)| {
            if let Some(path) = given(n, f) {
                return Ok(path.clone());
            }
            let there = exists(&f.path)?;
            let along = moved.and_then(|(was, is)| below(&f.path, was, is));
            match along {
                // The boot page names a file before it is made: then it is nowhere.
                Some(path) if !there || exists(&path)? => Ok(path),
                Some(path) => Err(refused(&path, 2, "The system cannot find the file specified.")),
                None if there && copied => Err(refused(&f.path, 32, SHARING)),
                None if there => Ok(f.path.clone()),
                None => {
                    let beside = primary.parent().zip(f.path.file_name());
                    Ok(beside.map_or_else(|| f.path.clone(), |(dir, name)| dir.join(name)))
                }
            }
        })
        .collect()
}

/// Where a file is that lay below the directory that has moved. One that is below the new directory was noted there; of two directories
/// one of which is in the other, the inner one counts.
fn below(path: &Path, was: &Path, is: &Path) -> Option<PathBuf> {
    let inner = is.components().count() > was.components().count();
    match path.strip_prefix(was) {
        Ok(_) if inner && path.starts_with(is) => Some(path.to_owned()),
        Ok(rest) => Some(is.join(rest)),
        Err(_) => path.starts_with(is).then(|| path.to_owned()),
    }
}

/// The directory that has moved with the primary file: where it was, where it is. None: it has not.
fn roots<'a>(was: &'a Path, is: &'a Path, data_dir: &'a Path) -> Option<(&'a Path, &'a Path)> {
    if was == is {
        return None;
    }
    let below = is.strip_prefix(data_dir).ok().filter(|_| !data_dir.as_os_str().is_empty());
    if let Some(rest) = below
        && was.ends_with(rest)
    {
        let old = was.ancestors().nth(rest.components().count())?;
        return Some((old, data_dir));
    }
    Some((was.parent()?, is.parent()?))
}

#[cfg(test)]
mod tests {
    use super::{below, roots};
    use std::path::Path;

    #[test]
    fn what_goes_along() {
        let along = |path, was, is| {
            let found = below(Path::new(path), Path::new(was), Path::new(is));
            found.map_or_else(String::new, |p| p.to_str().unwrap().to_owned())
        };
        assert_eq!(along("/a/x/l.ldf", "/a", "/b"), "/b/x/l.ldf");
        assert_eq!(along("/b/l.ldf", "/a", "/b"), "/b/l.ldf");
        assert_eq!(along("/c/l.ldf", "/a", "/b"), "");
        assert_eq!(along("/a/old/l.ldf", "/a/old", "/a"), "/a/l.ldf");
        assert_eq!(along("/a/new/l.ldf", "/a", "/a/new"), "/a/new/l.ldf");
        assert_eq!(along("/a/l.ldf", "/a", "/a/new"), "/a/new/l.ldf");
    }

    #[test]
    fn what_has_moved() {
        let moved = |was, is, dir| {
            let found = roots(Path::new(was), Path::new(is), Path::new(dir));
            found.map(|(a, b)| (a.to_str().unwrap().to_owned(), b.to_str().unwrap().to_owned()))
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(moved("/a/d.mdf", "/a/d.mdf", "/a"), None);
        assert_eq!(moved("/a/d.mdf", "/b/d.mdf", "/b"), pair("/a", "/b"));
        assert_eq!(moved("/a/x/d.mdf", "/b/x/d.mdf", "/b"), pair("/a", "/b"));
        // The log outside of the data directory does not go along, though the name of the directory above has changed too.
        assert_eq!(moved("/s/a/d.mdf", "/s/b/d.mdf", "/s/b"), pair("/s/a", "/s/b"));
        assert_eq!(moved("/a/d.mdf", "/c/e.mdf", "/b"), pair("/a", "/c"));
        assert_eq!(moved("/a/d.mdf", "/c/d.mdf", ""), pair("/a", "/c"));
    }
}
