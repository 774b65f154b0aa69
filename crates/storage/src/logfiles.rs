//! Log files of a database that is in use: adding, removing, shrinking, and putting the boot page right after a crash.
//!
//! Which log files there are, the log's own root says (see `taffrail_log`). The boot page knows their ids, names and places:
//!
//! | step                                  | a crash after it                                               |
//! |---------------------------------------|----------------------------------------------------------------|
//! | add: the boot page names the new file | restart: no file of that name in the log; the line goes        |
//! | add: the log makes the file its own   | restart: there                                                 |
//! | remove: the log lets go of the file, and deletes it | restart: what is left of the file is deleted, the line goes |
//! | remove: the boot page forgets it      | restart: gone                                                  |

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{FileId, SqlError};
use taffrail_log::{LogError, LogFileInfo, LogFileSpec, ShrinkMode, ShrinkReport};

use crate::database::{CheckpointKind, DataFileSpec, Database, FileKind};
use crate::error::{StorageError, StorageResult};
use crate::recovery::BootFile;

/// What a log without limit may have.
const LOG_MAX: u64 = 2 << 40;
/// Times that a shrink is tried: the log moves out of the way, a checkpoint lets go of what was there.
const TRIES: usize = 3;

fn sql(number: i32, args: &[&dyn std::fmt::Display]) -> StorageError {
    StorageError::Sql(SqlError::new(number, args))
}

impl Database {
    /// The log files with their ids and names, in the log's order.
    pub fn log_files(&self) -> Vec<(FileId, String, LogFileInfo)> {
        let lines = self.boot.lock().files.clone();
        let named = |path: &Path| {
            let mut logs = lines.iter().filter(|f| f.kind == FileKind::Log);
            logs.find(|f| f.path == path).map(|f| (f.id, f.name.clone()))
        };
        let files = self.log().files().into_iter();
        files
            .map(|info| {
                let unnamed = || (FileId(2 + info.file as u16), format!("log{}", info.file));
                let (id, name) = named(&info.path).unwrap_or_else(unnamed);
                (id, name, info)
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

    /// ALTER DATABASE … ADD LOG FILE. Durable on return.
    pub fn add_log_file(&self, spec: &DataFileSpec) -> StorageResult<FileId> {
        let disk = &self.instance.env.disk;
        let read = |e| crate::recovery::io_error("read", e);
        if disk.exists(&spec.path).map_err(read)? {
            return Err(sql(5170, &[&spec.path.display()]));
        }
        let mut id = FileId(2);
        self.save_boot(|boot| {
            while boot.files.iter().any(|f| f.id == id) {
                id = FileId(id.0 + 1);
            }
            boot.files.push(BootFile {
                id,
                kind: FileKind::Log,
                name: spec.name.clone(),
                path: spec.path.clone(),
                pages: 0,
                growth: spec.growth,
                max_size: spec.max_size,
            });
        })?;
        let added = self.log().add_file(&LogFileSpec {
            path: spec.path.clone(),
            size: spec.size,
            growth: spec.growth,
            max_size: spec.max_size.unwrap_or(LOG_MAX),
        });
        match added {
            Ok(_) => {
                self.name_log_files();
                Ok(id)
            }
            Err(e) => {
                let taken = matches!(&e, LogError::Io(io)
                    if io.source.kind() == std::io::ErrorKind::AlreadyExists);
                // A file that cannot be deleted now keeps its line, so that the next restart does it.
                if !self.log().is_failed() && (taken || self.log().remove_stray(&spec.path).is_ok())
                {
                    self.forget_log_file(id)?;
                }
                Err(match e {
                    LogError::Io(io) => sql(5123, &[&io.source, &spec.path.display()]),
                    LogError::Specification(_) => sql(5009, &[]),
                    e => self.store.log_error(e),
                })
            }
        }
    }

    fn forget_log_file(&self, id: FileId) -> StorageResult<()> {
        self.save_boot(|boot| {
            boot.files.retain(|f| f.id != id || f.kind != FileKind::Log);
        })
    }

    /// ALTER DATABASE … REMOVE FILE of a log file: the file is gone for good on return. False: it is in use. What only a
    /// checkpoint holds is let go first.
    pub fn remove_log_file(self: &Arc<Self>, id: FileId) -> StorageResult<bool> {
        let Some(number) = self.log_file_number(id) else {
            return Err(StorageError::Misuse("there is no log file with this id"));
        };
        self.checkpoint_if_room()?;
        if !self.log().remove_file(number).map_err(|e| self.store.log_error(e))? {
            return Ok(false);
        }
        self.forget_log_file(id)?;
        self.name_log_files();
        Ok(true)
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
        all.ok_or(StorageError::Misuse("a shrink is tried at least once"))
    }

    /// A checkpoint, unless the log is so full that none fits.
    fn checkpoint_if_room(self: &Arc<Self>) -> StorageResult<()> {
        match self.checkpoint(CheckpointKind::Manual) {
            Err(StorageError::LogFull(_)) => Ok(()),
            other => other,
        }
    }

    /// After the log was opened with `paths`, one for each of the boot page's log files: lines of files that the log does not
    /// have go, and what is left of these files; a file without a line gets one.
    pub(crate) fn settle_log_files(&self, paths: &[PathBuf]) -> StorageResult<()> {
        let live: Vec<PathBuf> = self.log().files().into_iter().map(|f| f.path).collect();
        let strays: Vec<&PathBuf> = paths.iter().filter(|p| !live.contains(p)).collect();
        for path in &strays {
            // False: it belongs to somebody else, and stays.
            self.log().remove_stray(path).map_err(|e| self.store.log_error(e))?;
        }
        let unlisted: Vec<&PathBuf> = live.iter().filter(|p| !paths.contains(p)).collect();
        let changed = !strays.is_empty() || !unlisted.is_empty();
        {
            let mut boot = self.boot.lock();
            let logs = boot.files.iter_mut().filter(|f| f.kind == FileKind::Log);
            for (line, path) in logs.zip(paths) {
                line.path.clone_from(path);
            }
        }
        if changed {
            self.save_boot(|boot| {
                boot.files.retain(|f| f.kind != FileKind::Log || live.contains(&f.path));
                for path in unlisted {
                    let id = 1 + boot.files.iter().map(|f| f.id.0).max().unwrap_or(1);
                    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("log");
                    boot.files.push(BootFile {
                        id: FileId(id),
                        kind: FileKind::Log,
                        name: stem.to_owned(),
                        path: path.clone(),
                        pages: 0,
                        growth: taffrail_log::Growth::None,
                        max_size: None,
                    });
                }
            })?;
        }
        self.name_log_files();
        Ok(())
    }
}
