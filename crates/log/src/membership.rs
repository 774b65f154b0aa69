//! Log files come and go while the log is in use.
//!
//! The root of the first file says which files there are; a file exists for the log from the moment in which a root that
//! names it is durable, to the moment in which one that does not is.
//!
//! | adding a file                                   | a crash leaves                       |
//! |-------------------------------------------------|--------------------------------------|
//! | the file, its extents and zeroes, its own header| a file that no root names: a stray   |
//! | its directory page, the root                    | the file as part of the log          |
//!
//! | removing a file                                 | a crash leaves                       |
//! |-------------------------------------------------|--------------------------------------|
//! | its VLFs leave the table (none is active)       | the log as it was                    |
//! | the directory without them, the root, twice     | a stray                              |
//! | the file is deleted, its directory synced       | a stray, or nothing                  |
//!
//! A file that the system does not let go of is a stray from then on: the log has no use for it, and goes on.
//!
//! Whoever keeps the list of paths (the boot page) writes a path down before a file is added, and strikes it out after it
//! was removed. So every stray is known at the next opening: [`Log::strays`] names them, [`Log::remove_stray`] deletes
//! those that are this log's and nobody else's.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_io::{AlignedBuf, Disk, IoReason, IoResult, OpenSpec, Volume};

use crate::directory::{FILE_HEADER_BYTES, HALF, Root, RootFile, entries};
use crate::error::LogError;
use crate::files::{LogFiles, NoVolume, check_sector, corrupt, initialize_new, write_bytes};
use crate::growth::vlf_sizes;
use crate::log::Log;
use crate::options::{LOG_FILE_BYTES_MAX, LogFileSpec, MIN_SIZE};
use crate::retried::read_retried;

impl Log {
    /// Adds a file. Returns its number. After an error, and if the log did not fail, a file that was made is a stray: call
    /// [`Log::remove_stray`].
    pub fn add_file(&self, spec: &LogFileSpec) -> Result<usize, LogError> {
        let size = spec.size.next_multiple_of(8192);
        if !(MIN_SIZE..=LOG_FILE_BYTES_MAX).contains(&size) || spec.path.as_os_str().is_empty() {
            let why = format!("a log file has 512 KB to 2 TB, not {} bytes", spec.size);
            return Err(LogError::Specification(why));
        }
        let mut files = self.files.lock();
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        let gone = files.root.files.iter().position(RootFile::is_gone);
        let number = gone.unwrap_or(files.root.files.len());
        let line = RootFile {
            path: spec.path.clone(),
            size,
            growth: spec.growth,
            max_size: spec.max_size.clamp(size, LOG_FILE_BYTES_MAX),
            min_size: size,
            born: files.root.generation + 1,
            id: spec.id,
        };
        let place_line = |root: &mut Root| match root.files.get_mut(number) {
            Some(place) => *place = line.clone(),
            None => root.files.push(line.clone()),
        };
        let mut next = Root { this_file: number as u16, ..files.root.clone() };
        place_line(&mut next);
        if !Root::fits(&next.files, next.copied) {
            let why = "the names of the log's files do not fit its header".to_owned();
            return Err(LogError::Specification(why));
        }
        let disk = &*self.env.disk;
        let _why = IoReason::LogGrowth.begin();
        let volume = disk.create(&spec.path, OpenSpec::LOG)?;
        let made = self.prepare(&*volume, size, &next);
        made.and_then(|()| sync_name(disk, &spec.path))?;
        let sizes = vlf_sizes(self.vlf_algorithm(), size - FILE_HEADER_BYTES, size, None);
        let new = entries(number as u16, FILE_HEADER_BYTES, &sizes, self.growth_lsn());
        set_volume(&mut files.volumes, number, Arc::clone(&volume));
        let result = files.add_vlfs(&new, None, place_line);
        if let Err(e) = result {
            // On which side of the change the medium is, only a restart can tell.
            return Err(self.lost_in_change(e));
        }
        set_volume(&mut self.volumes.write(), number, volume);
        self.membership.fetch_add(1, Ordering::AcqRel);
        self.add_unwritten(&new);
        {
            let mut state = self.lock();
            state.table.add(&new);
            state.table.note_pages(&files.chain);
            state.space_changes += 1;
        }
        files.strays.retain(|s| *s != spec.path);
        self.note_files(&files);
        self.tell_others(&files, number)?;
        Ok(number)
    }

    /// Extents, zeroes, header; durable on return.
    fn prepare(&self, volume: &dyn Volume, size: u64, root: &Root) -> Result<(), LogError> {
        check_sector(volume, Some(self.sector as u32))?;
        initialize_new(&*self.env.disk, volume, size, self.initialization())?;
        write_bytes(volume, 0, &Root { generation: 0, ..root.clone() }.to_bytes())?;
        Ok(volume.sync()?)
    }

    /// True when a file can be removed now: it is not the first, and none of its VLFs is active. Lets go first of log that
    /// nobody needs.
    pub fn is_removable(&self, file: usize) -> Result<bool, LogError> {
        let files = self.files.lock();
        self.file_of(&files, file)?;
        self.truncate_now();
        let (_, _, active) = self.lock().table.of_file(file as u16);
        Ok(file != 0 && !active)
    }

    /// Removes a file for good. False: one of its VLFs is active, or the rest of the log would be too small (message 5042). A file
    /// that cannot be deleted now is among [`Log::strays`] afterwards.
    pub fn remove_file(&self, file: usize) -> Result<bool, LogError> {
        let mut files = self.files.lock();
        self.file_of(&files, file)?;
        if file == 0 {
            return Err(LogError::Specification("the first log file stays".into()));
        }
        self.read_vlf_headers();
        self.truncate_now();
        let number = file as u16;
        let (removed, all, slots, head) = {
            let mut state = self.lock();
            let (_, _, active) = state.table.of_file(number);
            let gone = state.table.bytes_of_file(number);
            let rest = state.free().saturating_sub(gone);
            if active || rest < self.kept_back(&state) {
                return Ok(false);
            }
            let (removed, _) = state.table.remove_from(number, 0, |_, _| true);
            if state.table.of_file(number).0 > 0 {
                state.table.add(&removed);
                return Ok(false);
            }
            let (all, slots) = state.directory();
            (removed, all, slots, state.table.head().seqno)
        };
        let path = files.root.files[file].path.clone();
        let written = files.rewrite(&all, slots, head, |r| {
            r.files[file] = RootFile::gone();
            while r.files.last().is_some_and(RootFile::is_gone) {
                r.files.pop();
            }
        });
        match written {
            Ok(true) => self.lock().table.note_pages(&files.chain),
            Ok(false) => {
                self.put_back(&removed, &files);
                return Ok(false);
            }
            Err(e) => return Err(self.lost_in_change(e)),
        }
        self.forget_fresh(number, 0);
        let left = files.root.files.len();
        for volumes in [&mut files.volumes, &mut *self.volumes.write()] {
            set_volume(volumes, file, Arc::new(NoVolume));
            volumes.truncate(left);
        }
        self.membership.fetch_add(1, Ordering::AcqRel);
        self.note_files(&files);
        self.tell_others(&files, file)?;
        let disk = &*self.env.disk;
        let deleted = disk.remove(&path).map_err(LogError::from);
        if deleted.and_then(|()| sync_name(disk, &path)).is_err() {
            files.strays.push(path);
        }
        Ok(true)
    }

    /// The headers of the other files name all files too, for those who look at one of them alone. Written to the half that
    /// is not the newest of that file, so that a torn write leaves the other.
    fn tell_others(&self, files: &LogFiles, except: usize) -> Result<(), LogError> {
        for (i, f) in files.root.files.iter().enumerate().skip(1) {
            if i == except || f.is_gone() {
                continue;
            }
            let volume = &*files.volumes[i];
            let generation = crate::files::read_root(volume)?.generation + 1;
            let copy = Root { this_file: i as u16, generation, ..files.root.clone() };
            let written = write_bytes(volume, generation % 2 * HALF as u64, &copy.to_bytes());
            written.map_err(|e| self.lost_in_change(e))?;
        }
        Ok(())
    }

    /// Paths that were given at opening and that the log's root does not name.
    pub fn strays(&self) -> Vec<PathBuf> {
        self.files.lock().strays.clone()
    }

    /// Deletes a stray, durably. A file that is not this log's, nor the beginning of one, is left alone (false).
    pub fn remove_stray(&self, path: &Path) -> Result<bool, LogError> {
        let mut files = self.files.lock();
        if files.root.files.iter().any(|f| f.path == path) {
            return Err(corrupt(path, 0, "a file of the log is no stray".into()));
        }
        let disk = &*self.env.disk;
        if disk.exists(path)? {
            let ours = is_ours(&*disk.open(path, OpenSpec::LOG)?, &files.root)?;
            if !ours {
                return Ok(false);
            }
            disk.remove(path)?;
        }
        sync_name(disk, path)?;
        files.strays.retain(|s| s != path);
        Ok(true)
    }
}

/// A file that this log has made: its header carries the log's GUID; or nothing was written to it yet.
fn is_ours(volume: &dyn Volume, root: &Root) -> IoResult<bool> {
    let len = volume.len()?.min(FILE_HEADER_BYTES) as usize;
    let mut buf = AlignedBuf::zeroed(2 * HALF);
    read_retried(volume, 0, &mut buf[..len])?;
    let mut halves = buf.chunks(HALF);
    // Both GUIDs lie in the first sector: a torn header has them, or nothing at all.
    Ok(halves.all(|h| Root::names_log(h, root.log) || h[..512].iter().all(|&b| b == 0)))
}

fn sync_name(disk: &dyn Disk, path: &Path) -> Result<(), LogError> {
    match path.parent() {
        Some(dir) => Ok(disk.sync_dir(dir)?),
        None => Ok(()),
    }
}

fn set_volume(volumes: &mut Vec<Arc<dyn Volume>>, number: usize, volume: Arc<dyn Volume>) {
    match volumes.get_mut(number) {
        Some(place) => *place = volume,
        None => volumes.push(volume),
    }
}
