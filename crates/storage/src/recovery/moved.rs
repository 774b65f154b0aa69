//! Where a database's log files are, when the database may lie elsewhere than it did.
//!
//! The boot page knows where the primary file and the first of the log were, and the log's header there where the others were. What lay
//! in the data directory goes along with it: the primary's old path, without what is the same below the data directory of now, is where
//! that directory was, and the log files below it are looked for in the new one.
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
use taffrail_log::{Growth, LOG_FILE_BYTES_MAX, LogError, LogFileInfo, named_files};

use super::boot::{Boot, BootFile, LISTED_VERSION};
use super::create::io_error;
use crate::database::OpenSpec;
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;

/// A file that cannot be opened: 5120 when another process has it or it is none, 823 otherwise.
pub(super) fn open_error(e: IoError) -> StorageError {
    match (e.is_in_use(), e.is_link()) {
        (true, _) => refused(&e.path, 32, SHARING),
        (_, true) => refused(&e.path, 5, &e.system_error()),
        _ => io_error("read", e),
    }
}

const SHARING: &str =
    "The process cannot access the file because it is being used by another process.";

fn refused(path: &Path, number: i32, why: &str) -> StorageError {
    StorageError::Sql(SqlError::new(5120, &[&path.display(), &number, &why]))
}

/// A log file of a database that nobody has open.
#[derive(Clone, Debug)]
pub(crate) struct LogFile {
    pub id: FileId,
    /// Logical name, where the boot page tells it; else empty.
    pub name: String,
    /// Where it was when the database was opened last.
    pub was: PathBuf,
    /// The path of the file now.
    pub path: PathBuf,
    pub growth: Growth,
    pub max_size: Option<u64>,
}

/// The log files, the first one first: where whoever opens it says, else where they were, or, of those that went along with the
/// primary, where it is now. The header of the first one names them all; the boot page, those that come or go.
pub(crate) fn log_files_at(
    instance: &StorageInstance,
    boot: &Boot,
    spec: &OpenSpec,
) -> StorageResult<Vec<LogFile>> {
    let places = Places::of(instance, boot, spec)?;
    let of_line = |f: &BootFile| LogFile {
        id: f.id,
        name: f.name.clone(),
        was: f.path.clone(),
        path: f.path.clone(),
        growth: f.growth,
        max_size: f.max_size,
    };
    let lines: Vec<LogFile> = boot.logs().map(of_line).collect();
    let named = match lines.first().filter(|_| boot.version >= LISTED_VERSION) {
        Some(first) => places.header(&first.was)?,
        None => None,
    };
    let mut files = match named {
        Some(named) => together(named, lines),
        // Of an older version; or whoever opens the log will say what is wrong with its header.
        None => lines,
    };
    // As many as there are, under other names: in their order.
    let in_order =
        spec.logs.len() == files.len() && files.iter().all(|f| places.given(&f.was).is_none());
    for (n, f) in files.iter_mut().enumerate() {
        f.path = match spec.logs.get(n).filter(|_| in_order) {
            Some(path) => path.clone(),
            None => places.place(&f.was)?,
        };
    }
    Ok(files)
}

/// Joins the log's header and the boot page's lines, which describe the same files. The first line
/// is the first file's.
fn together(named: Vec<LogFileInfo>, mut lines: Vec<LogFile>) -> Vec<LogFile> {
    let mut files = Vec::new();
    for (i, info) in named.into_iter().enumerate() {
        let known = |l: &LogFile| l.was == info.path || (info.id != 0 && l.id.0 == info.id);
        let line = if i == 0 { Some(0) } else { lines.iter().position(known) };
        let line = line.map(|at| lines.remove(at));
        let (line_id, name, line_was) = match line {
            Some(line) => (line.id, line.name, Some(line.was)),
            None => (FileId(0), String::new(), None),
        };
        // Where the first one was is told together with where the primary was.
        let was = line_was.filter(|_| i == 0).unwrap_or(info.path);
        let id = if info.id == 0 { line_id } else { FileId(info.id) };
        let max_size = Some(info.max_size).filter(|&m| m < LOG_FILE_BYTES_MAX);
        let path = was.clone();
        files.push(LogFile { id, name, was, path, growth: info.growth, max_size });
    }
    files.extend(lines);
    files
}

/// The way from the path where a file was to the one where it is.
struct Places<'a> {
    instance: &'a StorageInstance,
    spec: &'a OpenSpec,
    moved: Option<(&'a Path, &'a Path)>,
    /// The primary is still where it was, too.
    copied: bool,
}

impl<'a> Places<'a> {
    fn of(
        instance: &'a StorageInstance,
        boot: &'a Boot,
        spec: &'a OpenSpec,
    ) -> StorageResult<Places<'a>> {
        let primary = spec.primary.as_path();
        let recorded = boot.files.iter().find(|f| f.id == FileId(1)).map(|f| f.path.as_path());
        let moved = recorded.and_then(|was| roots(was, primary, &instance.options.data_dir));
        let mut places = Places { instance, spec, moved, copied: false };
        // The same file by another name is no copy.
        if let Some(was) = recorded.filter(|_| moved.is_some()) {
            let disk = &instance.env.disk;
            let same = disk.same_file(was, primary).map_err(|e| io_error("read", e))?;
            places.copied = !same && places.exists(was)?;
        }
        Ok(places)
    }

    fn exists(&self, path: &Path) -> StorageResult<bool> {
        self.instance.env.disk.exists(path).map_err(|e| io_error("read", e))
    }

    /// The path of the same file name among those that whoever opens it says.
    fn given(&self, was: &Path) -> Option<&'a PathBuf> {
        self.spec.logs.iter().find(|g| g.file_name() == was.file_name())
    }

    fn place(&self, was: &Path) -> StorageResult<PathBuf> {
        if let Some(path) = self.given(was) {
            return Ok(path.clone());
        }
        let there = self.exists(was)?;
        let along = self.moved.and_then(|(old, new)| below(was, old, new));
        match along {
            // A file may be named before it is made, and after it has gone: then it is nowhere.
            Some(path) if !there || self.exists(&path)? => Ok(path),
            Some(path) => Err(refused(&path, 2, "The system cannot find the file specified.")),
            None if there && self.copied => Err(refused(was, 32, SHARING)),
            None if there => Ok(was.to_owned()),
            None => {
                let beside = self.spec.primary.parent().zip(was.file_name());
                Ok(beside.map_or_else(|| was.to_owned(), |(dir, name)| dir.join(name)))
            }
        }
    }

    /// The files that the log's header names, in its first file. None: there is no such file, or no header can be read in it.
    fn header(&self, was: &Path) -> StorageResult<Option<Vec<LogFileInfo>>> {
        let at = |path: &Path| match self.exists(path)? {
            true => named_files(&self.instance.env, path).or_else(|e| match e {
                LogError::Io(e) => Err(open_error(e)),
                _ => Ok(None),
            }),
            false => Ok(None),
        };
        if self.given(was).is_none() {
            for path in &self.spec.logs {
                if let Some(named) = at(path)? {
                    return Ok(Some(named));
                }
            }
        }
        at(&self.place(was)?)
    }
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
