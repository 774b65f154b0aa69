//! The log's files: open volumes, their sizes and growth settings, and the root that ties them together.
//!
//! They are made in one way ([`LogFiles::create`]), for a new log as for a restored one: each file gets its full size and is
//! initialised, then roots and directory are written, then every file is synced, with or without a block in it (its length is
//! part of the log), and at last the directories that name them.

use std::collections::BTreeSet;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::Lsn;
use taffrail_io::{
    AlignedBuf, Disk, Env, IoError, IoReason, IoResult, OpenSpec, Volume, VolumeKind, WriteDone,
    WriteOp,
};
use taffrail_observe::WaitType;

use crate::directory::{
    DirectoryPage, ENTRIES_PER_PAGE, Entry, FILE_HEADER_BYTES, HALF, Root, RootFile, Unreadable,
    entries,
};
use crate::error::LogError;
use crate::options::{Growth, Initialization};
use crate::retried::read_retried;

/// A log file as views show it.
#[derive(Clone, Debug)]
pub struct LogFileInfo {
    /// Its number among the log's files: what [`crate::VlfInfo::file`] means. Stays when other files are removed.
    pub file: usize,
    /// The owner's number for the file; 0: none yet.
    pub id: u16,
    /// The path of the file.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The amount by which it grows.
    pub growth: Growth,
    /// How large it may become.
    pub max_size: u64,
    /// The size it was created with, or shrunk to since, bytes.
    pub min_size: u64,
    /// The kind of volume that its writes go through.
    pub kind: VolumeKind,
}

/// The files, and the last durable root.
pub(crate) struct LogFiles {
    /// By the files' numbers; removed ones have a [`NoVolume`].
    pub volumes: Vec<Arc<dyn Volume>>,
    pub root: Root,
    /// Entries of the newest directory page.
    pub newest_entries: Vec<Entry>,
    /// The VLFs that hold the directory's pages, oldest first; the root names the last.
    pub chain: Vec<(u16, u64)>,
    /// Where the version of the newest page before the present one lies: written extents, and no root reaches it.
    pub spare: Option<(u16, u64)>,
    /// Paths given at opening that the root does not name: additions that were not finished, removals that were.
    pub strays: Vec<PathBuf>,
}

/// The volume of a file that the log does not have any more: nothing can be read or written.
pub(crate) struct NoVolume;

impl NoVolume {
    fn gone(op: &'static str) -> IoError {
        IoError::new(op, Path::new(""), std::io::ErrorKind::NotFound)
    }
}

impl Volume for NoVolume {
    fn path(&self) -> &Path {
        Path::new("")
    }
    fn kind(&self) -> VolumeKind {
        VolumeKind::Simulated
    }
    fn sector_bytes(&self) -> u32 {
        512
    }
    fn len(&self) -> IoResult<u64> {
        Err(NoVolume::gone("len"))
    }
    fn read_at(&self, _: u64, _: &mut [u8]) -> IoResult<()> {
        Err(NoVolume::gone("read"))
    }
    fn write_at(&self, _: u64, _: &[u8]) -> IoResult<()> {
        Err(NoVolume::gone("write"))
    }
    fn write_durable(&self, _: u64, _: &[IoSlice<'_>]) -> IoResult<()> {
        Err(NoVolume::gone("write"))
    }
    fn submit(&self, _: Vec<WriteOp>) -> IoResult<()> {
        Err(NoVolume::gone("write"))
    }
    fn reap(&self, _: usize) -> IoResult<Vec<WriteDone>> {
        Err(NoVolume::gone("write"))
    }
    fn allocate(&self, _: u64, _: u64) -> IoResult<()> {
        Err(NoVolume::gone("allocate"))
    }
    fn sync(&self) -> IoResult<()> {
        Ok(())
    }
    fn truncate(&self, _: u64) -> IoResult<()> {
        Err(NoVolume::gone("truncate"))
    }
}

fn infos(root: &Root, kind: impl Fn(usize) -> VolumeKind) -> Vec<LogFileInfo> {
    let files = root.files.iter().enumerate().filter(|(_, f)| !f.is_gone());
    let info = |(i, f): (usize, &RootFile)| LogFileInfo {
        file: i,
        id: f.id,
        path: f.path.clone(),
        size: f.size,
        growth: f.growth,
        max_size: f.max_size,
        min_size: f.min_size,
        kind: kind(i),
    };
    files.map(info).collect()
}

/// The files of a log that nobody need have open, as its first file names them: where they were when it was opened last. None: the file
/// is another one of a log.
pub fn named_files(env: &Env, first: &Path) -> Result<Option<Vec<LogFileInfo>>, LogError> {
    let volume = env.disk.open(first, OpenSpec::LOG.read_only())?;
    let root = read_root(&*volume)?;
    Ok((root.this_file == 0).then(|| infos(&root, |_| volume.kind())))
}

/// A durable write of bytes that need not be aligned.
pub(crate) fn write_bytes(volume: &dyn Volume, offset: u64, bytes: &[u8]) -> Result<(), LogError> {
    let buf = AlignedBuf::from_slice(bytes);
    let _why = IoReason::LogDirectory.begin();
    Ok(volume.write_durable(offset, &[IoSlice::new(&buf)])?)
}

impl LogFiles {
    /// Files whose directory has not been read or made yet: no VLF.
    fn new(volumes: Vec<Arc<dyn Volume>>, root: Root) -> LogFiles {
        let (newest_entries, chain, spare, strays) = Default::default();
        LogFiles { volumes, root, newest_entries, chain, spare, strays }
    }

    /// Makes the files of a log that is called `fork` in its blocks, each with VLFs of these sizes, none in use: durable when it
    /// returns. Without a sector size the largest of the files' devices is the log's.
    pub fn create(
        env: &Env,
        made: Vec<(RootFile, Vec<u64>)>,
        sector: Option<u32>,
        fork: [u8; 16],
        mode: Initialization,
    ) -> Result<(LogFiles, Vec<Entry>), LogError> {
        let (files, sizes): (Vec<RootFile>, Vec<Vec<u64>>) = made.into_iter().unzip();
        if files.is_empty() || !Root::fits(&files, [0; 16]) {
            let why = "a log has at least one file, and their names fit its header".to_owned();
            return Err(LogError::Specification(why));
        }
        let (mut volumes, mut largest) = (Vec::new(), sector);
        for file in &files {
            let volume = taffrail_io::create_or_take_empty(&*env.disk, &file.path, OpenSpec::LOG)?;
            largest = largest.max(Some(check_sector(&*volume, sector)?));
            volumes.push(volume);
        }
        let mut all = Vec::new();
        for (i, (volume, file)) in volumes.iter().zip(&files).enumerate() {
            initialize_new(&*env.disk, &**volume, file.size, mode)?;
            all.extend(entries(i as u16, FILE_HEADER_BYTES, &sizes[i], Lsn::ZERO));
        }
        let root = Root {
            this_file: 0,
            generation: 0,
            log: env.entropy.guid(),
            fork,
            sector: largest.unwrap_or(4096),
            incarnation: 1,
            vlfs: 0,
            newest: (0, 0),
            noted: 0,
            files,
            first: taffrail_base::Lsn::ZERO,
            reached: taffrail_base::LogPos::ZERO,
            closed: false,
            copied: [0; 16],
        };
        for (i, volume) in volumes.iter().enumerate().skip(1) {
            // The other files' headers name the log; only the first file's counts for the rest.
            let other = Root { this_file: i as u16, ..root.clone() };
            write_bytes(&**volume, 0, &other.to_bytes())?;
        }
        let mut files = LogFiles::new(volumes, root);
        for group in all.chunks(ENTRIES_PER_PAGE) {
            files.add_vlfs(group, None, |_| {})?;
        }
        for volume in &files.volumes {
            volume.sync()?;
        }
        for file in &files.root.files {
            if let Some(dir) = file.path.parent() {
                env.disk.sync_dir(dir)?;
            }
        }
        Ok((files, all))
    }

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

    /// Writes the newest root once more, byte by byte as it was read: a process whose write of it failed may have left it in the
    /// system's cache alone, and the next root goes over the other half.
    pub fn write_root_again(&self) -> Result<(), LogError> {
        let volume = &*self.volumes[0];
        let half = self.root.generation % 2 * HALF as u64;
        let mut bytes = AlignedBuf::zeroed(HALF);
        read_retried(volume, half, &mut bytes)?;
        Ok(volume.write_durable(half, &[IoSlice::new(&bytes)])?)
    }

    /// As [`LogFiles::write_root`], into both halves: afterwards not even damage to one of them
    /// brings the state before back. The VLFs and files that only the old root names may be
    /// destroyed from then on.
    pub fn write_root_for_good(&mut self, change: impl FnOnce(&mut Root)) -> Result<(), LogError> {
        self.write_root(change)?;
        self.write_root(|_| {})
    }

    /// Adds VLFs to the directory: one new page, then a new root. A page that takes the place of the newest goes to
    /// `spare`, if the caller has reserved that; else it goes into the first of the new VLFs.
    pub fn add_vlfs(
        &mut self,
        new: &[Entry],
        spare: Option<(u16, u64)>,
        change: impl FnOnce(&mut Root),
    ) -> Result<(), LogError> {
        let room = self.newest_entries.len() + new.len() <= ENTRIES_PER_PAGE;
        let replaces = room && !self.chain.is_empty();
        let older = &self.chain[..self.chain.len() - usize::from(replaces)];
        let next = older.last().copied();
        let mut entries = if replaces { self.newest_entries.clone() } else { Vec::new() };
        entries.extend_from_slice(new);
        let first = new.first().expect("a growth makes at least one VLF");
        let page = DirectoryPage { log: self.root.log, entries, next };
        let place = spare.filter(|_| replaces).unwrap_or((first.file, first.offset));
        let volume = &*self.volumes[usize::from(place.0)];
        write_bytes(volume, place.1, &page.to_bytes())?;
        self.write_root(|r| {
            r.newest = place;
            r.vlfs += new.len() as u32;
            change(r);
        })?;
        self.spare = if replaces { self.chain.pop() } else { None };
        self.chain.push(place);
        self.newest_entries = page.entries;
        Ok(())
    }

    /// Pages of a directory of so many VLFs.
    pub fn pages(vlfs: usize) -> usize {
        vlfs.div_ceil(ENTRIES_PER_PAGE)
    }

    /// Writes the whole directory anew, with exactly these VLFs: pages in `slots`, VLFs that the caller has reserved and that
    /// the present chain does not use; then the root, in both halves. `noted` is the sequence number up to which `all`
    /// knows the last uses. False: there are too few slots.
    pub fn rewrite(
        &mut self,
        all: &[Entry],
        slots: Vec<(u16, u64)>,
        noted: u32,
        change: impl FnOnce(&mut Root),
    ) -> Result<bool, LogError> {
        let count = LogFiles::pages(all.len());
        if slots.len() < count || count == 0 {
            return Ok(false);
        }
        let _why = IoReason::LogDirectory.begin();
        debug_assert!(slots.iter().all(|s| !self.chain.contains(s)), "a page is not written over");
        let mut next = None;
        for (&(file, offset), entries) in slots.iter().zip(all.chunks(ENTRIES_PER_PAGE)) {
            let page = DirectoryPage { log: self.root.log, entries: entries.to_vec(), next };
            let buf = AlignedBuf::from_slice(&page.to_bytes());
            self.volumes[usize::from(file)].write_at(offset, &buf)?;
            next = Some((file, offset));
        }
        let touched: BTreeSet<u16> = slots.iter().map(|s| s.0).collect();
        for file in touched {
            self.volumes[usize::from(file)].sync()?;
        }
        let newest = slots[count - 1];
        self.write_root_for_good(|r| {
            r.newest = newest;
            r.vlfs = all.len() as u32;
            r.noted = noted;
            change(r);
        })?;
        self.chain = slots;
        self.spare = None;
        self.newest_entries = all[(count - 1) * ENTRIES_PER_PAGE..].to_vec();
        Ok(true)
    }

    /// The files as views show them.
    pub fn infos(&self) -> Vec<LogFileInfo> {
        infos(&self.root, |i| self.volumes[i].kind())
    }

    /// Sum of the files' sizes.
    pub fn total(&self) -> u64 {
        self.root.files.iter().map(|f| f.size).sum()
    }

    /// Opens the files and reads the directory. The first of `paths` is the first file; its root says which others there
    /// are. They are found among `paths` in any order, else where the root says, else beside the first file.
    pub fn open(env: &Env, paths: &[PathBuf]) -> Result<(LogFiles, Vec<Entry>), LogError> {
        LogFiles::open_as(env, paths, OpenSpec::LOG)
    }

    /// Opens the files for looking only.
    pub fn open_read_only(
        env: &Env,
        paths: &[PathBuf],
    ) -> Result<(LogFiles, Vec<Entry>), LogError> {
        LogFiles::open_as(env, paths, OpenSpec::LOG.read_only())
    }

    /// Opens the files for looking only, through the page cache: a reading from end to end is served best by the kernel's read-ahead.
    pub fn open_offline(env: &Env, paths: &[PathBuf]) -> Result<(LogFiles, Vec<Entry>), LogError> {
        LogFiles::open_as(env, paths, OpenSpec::PLAIN.read_only())
    }

    fn open_as(
        env: &Env,
        paths: &[PathBuf],
        spec: OpenSpec,
    ) -> Result<(LogFiles, Vec<Entry>), LogError> {
        let first = paths
            .first()
            .ok_or_else(|| LogError::Specification("a log has at least one file".into()))?;
        let volume = env.disk.open(first, spec)?;
        let mut root = read_root(&*volume)?;
        if root.this_file != 0 {
            return Err(corrupt(first, 0, "it is not the first file of its log".into()));
        }
        let was = root.files[0].path.clone();
        let mut found: Vec<Option<Arc<dyn Volume>>> = vec![None; root.files.len()];
        found[0] = Some(volume);
        let mut strays = Vec::new();
        for path in &paths[1..] {
            match open_other(env, path, spec, &root)? {
                Some((file, volume)) if found[file].is_none() => found[file] = Some(volume),
                _ => strays.push(path.clone()),
            }
        }
        let mut volumes: Vec<Arc<dyn Volume>> = Vec::with_capacity(found.len());
        for (i, volume) in found.into_iter().enumerate() {
            let named = root.files[i].path.clone();
            let volume = match volume {
                _ if root.files[i].is_gone() => Arc::new(NoVolume),
                Some(volume) => volume,
                None => find_other(env, i, &named, spec, &root, (&was, first))?,
            };
            if !root.files[i].is_gone() {
                root.files[i].path = volume.path().to_owned();
                let (len, size) = (volume.len()?, root.files[i].size);
                if len < size {
                    let why = format!("it has {len} bytes instead of {size}");
                    return Err(corrupt(volume.path(), len, why));
                }
            }
            volumes.push(volume);
        }
        let mut files = LogFiles { strays, ..LogFiles::new(volumes, root) };
        let entries = files.read_directory()?;
        Ok((files, entries))
    }

    /// Follows the chain of directory pages, newest first.
    fn read_directory(&mut self) -> Result<Vec<Entry>, LogError> {
        let mut pages = Vec::new();
        let mut at = Some(self.root.newest);
        let mut count = 0;
        let mut buf = AlignedBuf::zeroed(HALF);
        while let Some((file, offset)) = at {
            let path = self.file(file, offset)?.path.clone();
            read_retried(&*self.volumes[usize::from(file)], offset, &mut buf)?;
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
            if page.entries.is_empty() {
                return Err(corrupt(&path, offset, "an empty directory page".into()));
            }
            self.chain.push((file, offset));
            at = page.next;
            pages.push(page);
        }
        if count != self.root.vlfs as usize {
            let why = format!("{count} VLFs in the directory, {} in the root", self.root.vlfs);
            return Err(corrupt(&self.root.files[0].path, 0, why));
        }
        if let Some(newest) = pages.first() {
            self.newest_entries.clone_from(&newest.entries);
        }
        self.chain.reverse();
        let entries: Vec<Entry> = pages.into_iter().rev().flat_map(|p| p.entries).collect();
        let places: BTreeSet<(u16, u64)> = entries.iter().map(|e| (e.file, e.offset)).collect();
        if places.len() != entries.len() {
            let why = "the directory names a VLF twice".to_owned();
            return Err(corrupt(&self.root.files[0].path, 0, why));
        }
        Ok(entries)
    }

    fn file(&self, file: u16, offset: u64) -> Result<&RootFile, LogError> {
        let known = self.root.files.get(usize::from(file)).filter(|f| !f.is_gone());
        known.ok_or_else(|| {
            let why = format!("a VLF at {offset:#x} of file {file}, which the log does not have");
            corrupt(&self.root.files[0].path, 0, why)
        })
    }
}

/// Opens a file that may be one of the log's further files; which one. `None`: it is not there, or it is something else.
fn open_other(
    env: &Env,
    path: &Path,
    spec: OpenSpec,
    root: &Root,
) -> Result<Option<(usize, Arc<dyn Volume>)>, LogError> {
    if path.as_os_str().is_empty() || !env.disk.exists(path)? {
        return Ok(None);
    }
    let volume = env.disk.open(path, spec)?;
    if volume.len()? < FILE_HEADER_BYTES {
        return Ok(None);
    }
    let other = match read_root(&*volume) {
        Ok(other) => other,
        Err(LogError::Corrupt { .. }) => return Ok(None),
        Err(e) => return Err(e),
    };
    let i = usize::from(other.this_file);
    let same = match (root.files.get(i), other.files.get(i)) {
        (Some(ours), Some(its)) => i > 0 && !ours.is_gone() && ours.born == its.born,
        _ => false,
    };
    Ok((same && other.log == root.log).then_some((i, volume)))
}

/// A further file that was not among the paths given: where the root says, or beside the first file.
fn find_other(
    env: &Env,
    i: usize,
    named: &Path,
    spec: OpenSpec,
    root: &Root,
    (was, first): (&Path, &Path),
) -> Result<Arc<dyn Volume>, LogError> {
    let beside = first.parent().zip(named.file_name()).map(|(dir, name)| dir.join(name));
    // What lay beside the first file, or below, has come along with it. As long as the first one is still where it was too, this
    // is a copy, and what is named is the original's.
    let rest = was.parent().and_then(|dir| named.strip_prefix(dir).ok()).filter(|_| was != first);
    let along = rest.zip(first.parent()).map(|(rest, dir)| dir.join(rest));
    let copied = along.is_some() && env.disk.exists(was)? && !env.disk.same_file(was, first)?;
    let named_here = (!copied).then(|| named.to_owned());
    for path in along.into_iter().chain(named_here).chain(beside) {
        match open_other(env, &path, spec, root)? {
            Some((found, volume)) if found == i => return Ok(volume),
            _ => {}
        }
    }
    let why = format!("the log's file '{}' is missing, or is another file", named.display());
    Err(corrupt(first, 0, why))
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
pub(crate) fn read_root(volume: &dyn Volume) -> Result<Root, LogError> {
    let mut buf = AlignedBuf::zeroed(2 * HALF);
    read_retried(volume, 0, &mut buf)?;
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

/// The sector size of a log that is made on a volume, or is there already: it must be one that the volume can write.
pub(crate) fn check_sector(volume: &dyn Volume, log: Option<u32>) -> Result<u32, LogError> {
    let device = volume.sector_bytes();
    let refuse = |log| LogError::Sector { path: volume.path().to_owned(), device, log };
    if !(512..=4096).contains(&device) || !device.is_power_of_two() {
        return Err(refuse(None));
    }
    match log {
        None => Ok(device),
        Some(log) if log >= device && log <= 4096 && log.is_power_of_two() => Ok(log),
        Some(log) => Err(refuse(Some(log))),
    }
}

/// Writes zeroes over a range, through the write path that the log itself uses.
fn zero(volume: &dyn Volume, offset: u64, end: u64) -> IoResult<()> {
    zero_while(volume, offset, end, || true).map(drop)
}

/// As [`zero`], for as long as `go_on` says so; false: stopped before the end.
pub(crate) fn zero_while(
    volume: &dyn Volume,
    mut offset: u64,
    end: u64,
    go_on: impl Fn() -> bool,
) -> IoResult<bool> {
    const PIECE: u64 = 1 << 20;
    let _why = IoReason::LogInitialization.begin();
    let buf = AlignedBuf::zeroed(PIECE as usize);
    while offset < end {
        if !go_on() {
            return Ok(false);
        }
        let n = PIECE.min(end - offset);
        volume.write_at(offset, &buf[..n as usize])?;
        offset += n;
    }
    Ok(true)
}

/// With `ahead`, so much of a new file is zeroed at once; the rest while the log is used.
const ZEROED_AT_CREATION: u64 = 2 << 20;

/// Extents and zeroes of a new file; durable after a sync.
pub(crate) fn initialize_new(
    disk: &dyn Disk,
    volume: &dyn Volume,
    size: u64,
    mode: Initialization,
) -> IoResult<()> {
    let _stamped = taffrail_observe::wait(WaitType::PreemptiveOsWriteFileGather);
    taffrail_io::reserve(disk, volume, 0, size)?;
    let at_once = match mode {
        Initialization::Ahead if volume.reserves() => ZEROED_AT_CREATION.min(size),
        _ => size,
    };
    zero(volume, 0, at_once)
}
