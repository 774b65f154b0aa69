//! The log's files: open volumes, their sizes and growth settings, and the root that ties them together.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_io::{AlignedBuf, Env, OpenSpec, Volume, VolumeKind};

use crate::directory::{DirectoryPage, Entry, HALF, Root, RootFile, Unreadable};
use crate::error::LogError;
use crate::options::Growth;

/// A log file as views show it.
#[derive(Clone, Debug)]
pub struct LogFileInfo {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    /// How it grows.
    pub growth: Growth,
    /// How large it may become.
    pub max_size: u64,
    /// What its writes go through.
    pub kind: VolumeKind,
}

/// The files, and the last durable root.
pub(crate) struct LogFiles {
    pub volumes: Vec<Arc<dyn Volume>>,
    pub root: Root,
    /// Entries of the newest directory page.
    pub newest_entries: Vec<Entry>,
    /// The page that the newest one names.
    pub newest_next: Option<(u16, u64)>,
}

/// A durable write of bytes that need not be aligned.
pub(crate) fn write_bytes(volume: &dyn Volume, offset: u64, bytes: &[u8]) -> Result<(), LogError> {
    let buf = AlignedBuf::from_slice(bytes);
    Ok(volume.write_durable(offset, &[IoSlice::new(&buf)])?)
}

impl LogFiles {
    /// Makes a changed root durable; the root in memory changes only if that worked.
    pub fn write_root(&mut self, change: impl FnOnce(&mut Root)) -> Result<(), LogError> {
        let mut root = self.root.clone();
        change(&mut root);
        root.generation += 1;
        let half = root.generation % 2 * HALF as u64;
        write_bytes(&*self.volumes[0], half, &root.to_bytes())?;
        self.root = root;
        Ok(())
    }

    /// Adds VLFs to the directory: one new page in the first of them, then a new root.
    pub fn add_vlfs(
        &mut self,
        new: &[Entry],
        change: impl FnOnce(&mut Root),
    ) -> Result<(), LogError> {
        let newest = self.root.newest;
        let (mut entries, mut next) = if self.newest_entries.is_empty() {
            (Vec::new(), None)
        } else if self.newest_entries.len() + new.len() <= crate::directory::ENTRIES_PER_PAGE {
            (self.newest_entries.clone(), self.newest_next)
        } else {
            (Vec::new(), Some(newest))
        };
        entries.extend_from_slice(new);
        let first = new.first().expect("a growth makes at least one VLF");
        let page = DirectoryPage { log: self.root.log, entries, next };
        let volume = &*self.volumes[usize::from(first.file)];
        write_bytes(volume, first.offset, &page.to_bytes())?;
        let place = (first.file, first.offset);
        self.write_root(|r| {
            r.newest = place;
            r.vlfs += new.len() as u32;
            change(r);
        })?;
        next = page.next;
        self.newest_entries = page.entries;
        self.newest_next = next;
        Ok(())
    }

    /// What views show of the files.
    pub fn infos(&self) -> Vec<LogFileInfo> {
        let infos = self.root.files.iter().zip(&self.volumes).map(|(f, v)| LogFileInfo {
            path: f.path.clone(),
            size: f.size,
            growth: f.growth,
            max_size: f.max_size,
            kind: v.kind(),
        });
        infos.collect()
    }

    /// Sum of the files' sizes.
    pub fn total(&self) -> u64 {
        self.root.files.iter().map(|f| f.size).sum()
    }

    /// Opens the files and reads the directory. `paths` says where they are now; the root says how many there must be.
    pub fn open(env: &Env, paths: &[PathBuf]) -> Result<(LogFiles, Vec<Entry>), LogError> {
        LogFiles::open_as(env, paths, OpenSpec::LOG)
    }

    /// The same, for looking only.
    pub fn open_read_only(
        env: &Env,
        paths: &[PathBuf],
    ) -> Result<(LogFiles, Vec<Entry>), LogError> {
        LogFiles::open_as(env, paths, OpenSpec::LOG.read_only())
    }

    fn open_as(
        env: &Env,
        paths: &[PathBuf],
        spec: OpenSpec,
    ) -> Result<(LogFiles, Vec<Entry>), LogError> {
        let first = paths
            .first()
            .ok_or_else(|| LogError::Specification("a log has at least one file".into()))?;
        let mut volumes = vec![env.disk.open(first, spec)?];
        let mut root = read_root(&*volumes[0])?;
        if paths.len() != root.files.len() {
            let why = format!("it names {} log files, not {}", root.files.len(), paths.len());
            return Err(corrupt(first, 0, why));
        }
        for (i, path) in paths.iter().enumerate().skip(1) {
            let volume = env.disk.open(path, spec)?;
            let other = read_root(&*volume)?;
            if other.log != root.log || usize::from(other.this_file) != i {
                return Err(corrupt(path, 0, "it is not this file of this log".into()));
            }
            volumes.push(volume);
        }
        for ((file, path), volume) in root.files.iter_mut().zip(paths).zip(&volumes) {
            file.path.clone_from(path);
            let len = volume.len()?;
            if len < file.size {
                let why = format!("it has {len} bytes instead of {}", file.size);
                return Err(corrupt(path, len, why));
            }
        }
        let mut files = LogFiles { volumes, root, newest_entries: Vec::new(), newest_next: None };
        let entries = files.read_directory()?;
        Ok((files, entries))
    }

    /// Follows the chain of directory pages, newest first.
    fn read_directory(&mut self) -> Result<Vec<Entry>, LogError> {
        let mut pages = Vec::new();
        let mut at = Some(self.root.newest);
        let mut count = 0;
        while let Some((file, offset)) = at {
            let path = self.file(file, offset)?.path.clone();
            let mut buf = AlignedBuf::zeroed(HALF);
            self.volumes[usize::from(file)].read_at(offset, &mut buf)?;
            let page = DirectoryPage::from_bytes(&buf)
                .map_err(|e| unreadable(&path, offset, e, "directory page"))?;
            count += page.entries.len();
            if page.log != self.root.log || count > self.root.vlfs as usize {
                return Err(corrupt(&path, offset, "a directory page of another log".into()));
            }
            for e in &page.entries {
                let size = self.file(e.file, e.offset)?.size;
                let end = e.offset.checked_add(e.size);
                if end.is_none_or(|end| end > size) || !(e.offset | e.size).is_multiple_of(8192) {
                    let why = format!("VLF at {:#x} lies outside of its file", e.offset);
                    return Err(corrupt(&path, offset, why));
                }
            }
            at = page.next;
            pages.push(page);
        }
        if count != self.root.vlfs as usize {
            let why = format!("{count} VLFs in the directory, {} in the root", self.root.vlfs);
            return Err(corrupt(&self.root.files[0].path, 0, why));
        }
        if let Some(newest) = pages.first() {
            self.newest_entries.clone_from(&newest.entries);
            self.newest_next = newest.next;
        }
        Ok(pages.into_iter().rev().flat_map(|p| p.entries).collect())
    }

    fn file(&self, file: u16, offset: u64) -> Result<&RootFile, LogError> {
        self.root.files.get(usize::from(file)).ok_or_else(|| {
            let why = format!("a VLF at {offset:#x} of file {file}, which the log does not have");
            corrupt(&self.root.files[0].path, 0, why)
        })
    }
}

/// An error about damaged bytes.
pub(crate) fn corrupt(path: &Path, offset: u64, why: String) -> LogError {
    LogError::Corrupt { path: path.to_owned(), offset, why }
}

fn unreadable(path: &Path, offset: u64, e: Unreadable, what: &str) -> LogError {
    match e {
        Unreadable::Damaged => corrupt(path, offset, format!("the {what} is damaged")),
        Unreadable::Version(found) => LogError::Version { path: path.to_owned(), found },
    }
}

/// The valid root with the higher generation.
fn read_root(volume: &dyn Volume) -> Result<Root, LogError> {
    let mut buf = AlignedBuf::zeroed(2 * HALF);
    volume.read_at(0, &mut buf)?;
    let halves = [Root::from_bytes(&buf[..HALF]), Root::from_bytes(&buf[HALF..])];
    let version = halves.iter().find_map(|h| match h {
        Err(e @ Unreadable::Version(_)) => Some(*e),
        _ => None,
    });
    if let Some(e) = version {
        return Err(unreadable(volume.path(), 0, e, "header"));
    }
    let newest = halves.into_iter().flatten().max_by_key(|r| r.generation);
    let root = newest.filter(|r| {
        !r.files.is_empty() && (512..=4096).contains(&r.sector) && r.sector.is_power_of_two()
    });
    root.ok_or_else(|| corrupt(volume.path(), 0, "both copies of the header are damaged".into()))
}
