//! Log files of a database that is in use: adding, removing, shrinking.
//!
//! Which log files there are, the log's own root says (see `taffrail_log`); what they are called, the list of files. What is written
//! in which order, and what a crash leaves: [`crate::filelist`]. A log that is full can be given a file: of the list of files nothing is
//! logged before the log has the new one's room.
//!
//! A file that cannot be deleted keeps its line in the boot page, which nobody sees, until a restart can. While a backup is taken files
//! neither come, go nor shrink (message 3023): a set's header and its layout of the log are of one moment.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::sync::MutexGuard;
use taffrail_base::{FileId, SqlError};
use taffrail_log::{
    Growth, LOG_FILE_BYTES_MAX, LogError, LogFileInfo, LogFileSpec, ShrinkMode, ShrinkReport,
};

use crate::database::{CheckpointKind, DataFileSpec, Database, FileKind};
use crate::error::{StorageError, StorageResult};
use crate::filelist::name_of;
use crate::recovery::BootFile;
use crate::txn::work::Work;

/// Times that a shrink is tried: the log moves out of the way, a checkpoint lets go of what was there.
const TRIES: usize = 3;

fn sql(number: i32, args: &[&dyn std::fmt::Display]) -> StorageError {
    StorageError::Sql(SqlError::new(number, args))
}

impl Database {
    /// The log files with their ids and names, in the log's order.
    pub fn log_files(&self) -> Vec<(FileId, String, LogFileInfo)> {
        let listed = self.listed.lock();
        let files = self.log().files().into_iter();
        files
            .map(|info| {
                let id = FileId(info.id);
                let name = listed.get(&id).map(|row| row.name.clone());
                (id, name.unwrap_or_else(|| name_of(&info.path)), info)
            })
            .collect()
    }

    /// The number of a log file among the log's files.
    pub fn log_file_number(&self, id: FileId) -> Option<usize> {
        self.log_files().into_iter().find(|f| f.0 == id).map(|f| f.2.file)
    }

    /// Tells the log what its files are called, for events.
    pub(crate) fn name_log_files(&self) {
        let mut names = Vec::new();
        for (id, name, info) in self.log_files() {
            names.resize(info.file + 1, (FileId(0), String::new()));
            names[info.file] = (id, name);
        }
        self.log().set_file_names(names);
    }

    /// Keeps backups and other changes of the files away.
    fn change_files(&self) -> StorageResult<(MutexGuard<'_, ()>, MutexGuard<'_, ()>)> {
        let log = self.backing_up_log.try_lock();
        match (self.backing_up.try_lock(), log) {
            (Some(data), Some(log)) => Ok((data, log)),
            _ => Err(sql(3023, &[])),
        }
    }

    /// ALTER DATABASE … ADD LOG FILE. Durable on return.
    pub fn add_log_file(self: &Arc<Self>, spec: &DataFileSpec) -> StorageResult<FileId> {
        let _alone = self.change_files()?;
        self.settle_files()?;
        let disk = &self.instance.env.disk;
        let read = |e| crate::recovery::io_error("read", e);
        let in_use = self.log().files().iter().any(|f| f.path == spec.path);
        if in_use || disk.exists(&spec.path).map_err(read)? {
            return Err(sql(5170, &[&spec.path.display()]));
        }
        let lines = self.boot.lock().files.clone();
        let id = {
            let listed = self.listed.lock();
            let free = |id: &FileId| !listed.contains_key(id) && lines.iter().all(|l| l.id != *id);
            (2..=u16::MAX).map(FileId).find(free)
        };
        let id = id.ok_or(StorageError::Misuse("there are too many files"))?;
        self.put_line(id, &spec.name, &spec.path)?;
        let added = self.log().add_file(&LogFileSpec {
            id: id.0,
            path: spec.path.clone(),
            size: spec.size,
            growth: spec.growth,
            max_size: spec.max_size.unwrap_or(LOG_FILE_BYTES_MAX),
        });
        match added {
            Ok(_) => self.settle_files().map(|()| id),
            Err(e) => {
                let taken = matches!(&e, LogError::Io(io)
                    if io.source.kind() == std::io::ErrorKind::AlreadyExists);
                // A file that cannot be deleted now keeps its line, so that the next restart does it.
                if !self.log().is_failed() && (taken || self.log().remove_stray(&spec.path).is_ok())
                {
                    self.take_line_back(&spec.path)?;
                }
                Err(match e {
                    LogError::Io(io) => sql(5123, &[&io.system_error(), &spec.path.display()]),
                    // Where a file was made, 5178 would speak of a file that was not there before.
                    LogError::Sector { device, log: Some(log), .. } => {
                        let why = format!(
                            "ADD LOG FILE to a log with sectors of {log} bytes on a volume with sectors of {device} bytes"
                        );
                        sql(40510, &[&why])
                    }
                    LogError::Specification(_) => sql(5009, &[]),
                    e => self.store.log_error(e),
                })
            }
        }
    }

    /// ALTER DATABASE … MODIFY FILE (SIZE) of a log file. A transaction of its own says that it has grown: the LSN that the new
    /// VLFs are said to be made at is that of its first record, and no other growth's.
    pub fn grow_log_file(self: &Arc<Self>, number: usize, to_bytes: u64) -> Result<(), LogError> {
        self.log().grow_file(number, to_bytes)?;
        let mut work = Work::system(self, "GrowFile");
        match work.note() {
            Ok(()) => match work.commit_system() {
                Ok(()) => Ok(()),
                Err(_) => Err(LogError::Unavailable),
            },
            // Others have taken what there was: nothing but this note is missing.
            Err(StorageError::LogFull(_)) => Ok(()),
            Err(_) => Err(LogError::Unavailable),
        }
    }

    /// The boot page tells of a log file that comes or goes, in place of what it had to tell of one that was in the same place.
    fn put_line(&self, id: FileId, name: &str, path: &Path) -> StorageResult<()> {
        self.save_boot(|boot| {
            boot.files.retain(|f| f.kind != FileKind::Log || !f.is_named() || f.path != path);
            boot.files.push(BootFile {
                id,
                kind: FileKind::Log,
                name: name.to_owned(),
                path: path.to_owned(),
                pages: 0,
                growth: Growth::None,
                max_size: None,
            });
        })
    }

    /// Nothing has come of an addition: what is in its place now, if anything, is somebody else's.
    fn take_line_back(&self, path: &Path) -> StorageResult<()> {
        self.save_boot(|boot| {
            boot.files.retain(|f| f.kind != FileKind::Log || !f.is_named() || f.path != path);
        })
    }

    /// ALTER DATABASE … REMOVE FILE of a log file: the file is gone for good on return. False: it is in use. What only a
    /// checkpoint holds is let go first.
    pub fn remove_log_file(self: &Arc<Self>, id: FileId) -> StorageResult<bool> {
        let _alone = self.change_files()?;
        let Some((_, name, file)) = self.log_files().into_iter().find(|f| f.0 == id) else {
            // Somebody else has removed it.
            return Err(sql(5009, &[]));
        };
        self.checkpoint_if_room()?;
        self.settle_files()?;
        if file.file != 0 {
            self.put_line(id, &name, &file.path)?;
        }
        let remove = || self.log().remove_file(file.file).map_err(|e| self.store.log_error(e));
        if !remove()? {
            // Active log is never touched; but if only the rest of the log is too small (two VLFs, and what rollback and a
            // checkpoint may need), the rest grows: a log that was shrunk to the utmost could never lose a file.
            let free = self.log().is_removable(file.file).map_err(|e| self.store.log_error(e))?;
            if !free || !self.grow_instead_of(file.file) || !remove()? {
                return self.settle_files().map(|()| false);
            }
        }
        self.settle_files().map(|()| true)
    }

    /// Makes the rest of the log larger by one growth of a file, at least by what a small log has. False: no other file may
    /// grow so far.
    fn grow_instead_of(&self, number: usize) -> bool {
        const LEAST: u64 = 1 << 20;
        self.log_files().into_iter().any(|(_, _, f)| {
            let by = match f.growth {
                Growth::None => return false,
                Growth::Bytes(by) => by,
                Growth::Percent(n) => f.size / 100 * u64::from(n),
            };
            let to = f.size + by.max(LEAST);
            f.file != number && self.log().grow_file(f.file, to).is_ok()
        })
    }

    /// DBCC SHRINKFILE of a log file. The sizes in the report are from before all tries and from after them.
    pub fn shrink_log_file(
        self: &Arc<Self>,
        id: FileId,
        mode: ShrinkMode,
    ) -> StorageResult<ShrinkReport> {
        let Some(number) = self.log_file_number(id) else {
            return Err(StorageError::Misuse("there is no log file with this id"));
        };
        // Not while a full or differential backup is taken; a log backup neither minds nor waits.
        let Some(_alone) = self.backing_up.try_lock() else { return Err(sql(3023, &[])) };
        let mut all: Option<ShrinkReport> = None;
        for _ in 0..TRIES {
            self.checkpoint_if_room()?;
            let now = self.log().shrink_file(number, mode).map_err(|e| self.store.log_error(e))?;
            let report = all.map_or(now, |before| ShrinkReport {
                from: before.from,
                vlfs: before.vlfs + now.vlfs,
                moved: before.moved || now.moved,
                ..now
            });
            all = Some(report);
            if !now.moved {
                break;
            }
        }
        let report = all.ok_or(StorageError::Misuse("a shrink is tried at least once"))?;
        // One shrink, in however many steps.
        if report.to < report.from {
            self.store.counters.log_shrinks.inc();
        }
        Ok(report)
    }

    /// A checkpoint, unless the log is so full that none fits.
    fn checkpoint_if_room(self: &Arc<Self>) -> StorageResult<()> {
        match self.checkpoint(CheckpointKind::Shrink) {
            Err(StorageError::LogFull(_)) => Ok(()),
            other => other,
        }
    }
}
