//! Which files a database has.
//!
//! | who says | what | why there |
//! |---|---|---|
//! | the boot page | the primary file's place and size, the place of the log's first file | a restart must know it before it can read the log |
//! | the log's own header, in its first file | every log file: id, place, size, growth | it is durable before the first VLF of a file is used, so the log from MinLSN on is always found |
//! | rows of the directory ([`crate::access::filelist`]) | every file: id, kind, name; growth of data files | there is room for any number, and they are logged like all else |
//!
//! Nothing is said twice, so nothing can disagree; ids join the three.
//!
//! 1. After redo and undo the rows are the whole list: the primary file, and the files that the log's header names, no more and no less.
//!    [`Database::settle_files`] asserts it.
//! 2. The exception to (1) has a *line* in the boot page, with its name: a file that is being added or removed, one that could not be
//!    deleted, all files of a database of format version 4 and before until its rows are durable, and those for whose rows a full log
//!    has no room. A line with a name goes when rows and files agree, durably.
//! 3. A file is deleted only because a line names it, never because a row does: a row may have come with the log of another database
//!    which this one is a copy of.
//!
//! | step | a crash after it |
//! |---|---|
//! | add: the line | no file: the line goes |
//! | add: the file is made | its name is in no header of the log: the file is deleted, the line goes |
//! | add: the log's header names it; its VLFs may be used | the log is read; the file gets a row from its line |
//! | add: the row is durable | there; the line goes |
//! | add: the line goes | there |
//! | remove: the line | the file is there as before; the line goes |
//! | remove: the log's header does not name it any more | the row goes, what is left of the file is deleted, the line goes |
//! | remove: the file is deleted; the row goes, durably; the line goes | the same, as far as it was not done |
//! | rename, growth of a data file | a row changes: before or after |
//! | growth or shrinking of a log file | the log's header alone changes (see `taffrail_log`) |
//! | upgrade from version 4: the boot page says 5, all its lines have names | as if all files were being added |
//! | upgrade: the rows are durable; names and all other lines go | done |
//!
//! A database that is restored has the files that its log was made with. Its rows come with pages and log of the set: a row of a file
//! that was added behind the set's first page goes, and a file whose row has gone meanwhile gets one again, when the
//! restore ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::FileId;
use taffrail_io::{OpenSpec as IoSpec, Volume};
use taffrail_log::{LogError, LogFileInfo};

use crate::access::filelist::{self, FileRow, FileRows};
use crate::database::{Database, FileInfo, FileKind};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::recovery::{Boot, BootFile, LogFile, io_error};
use crate::txn::work::Work;

/// The name of a file that nobody has given one: its file name without the extension.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_stem().and_then(|s| s.to_str()).unwrap_or("file").to_owned()
}

/// The line with a name that tells of a log file.
fn line_of<'l>(lines: &'l [BootFile], path: &Path) -> Option<&'l BootFile> {
    lines.iter().find(|l| l.kind == FileKind::Log && l.is_named() && l.path == path)
}

impl Database {
    /// After redo: the data file gets its name and settings, which undo may need already.
    pub(crate) fn read_file_list(&self) -> StorageResult<()> {
        let rows = filelist::rows(self)?;
        for file in self.store.files() {
            if let Some(row) = rows.get(&file.id) {
                let mut settings = file.settings.lock();
                settings.name.clone_from(&row.name);
                (settings.growth, settings.max_size) = (row.growth, row.max_size);
            }
        }
        *self.listed.lock() = rows;
        Ok(())
    }

    /// Makes the list of files what the files are, durably, and deletes what additions and removals have left: at the end of each, and
    /// of each restart. A log that has no room for it leaves the lines in the boot page as they are, and the rest to the next.
    pub(crate) fn settle_files(self: &Arc<Self>) -> StorageResult<()> {
        let lines = self.boot.lock().files.clone();
        let live = self.log_files_with_ids(&lines)?;
        {
            let mut listed = self.listed.lock();
            let rows = filelist::rows(self)?;
            let wanted = self.wanted_rows(&lines, &live, &rows);
            listed.clone_from(&wanted);
            match self.log_rows(&rows, &wanted) {
                Ok(()) => assert_eq!(filelist::rows(self)?, wanted, "the list of files"),
                Err(e) if e.is_want_of_room() => {
                    drop(listed);
                    self.name_log_files();
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
        self.name_log_files();
        let gone = |l: &&BootFile| {
            l.kind == FileKind::Log && l.is_named() && !live.iter().any(|f| f.path == l.path)
        };
        let mut stuck: BTreeSet<PathBuf> = BTreeSet::new();
        for line in lines.iter().filter(gone) {
            match self.log().remove_stray(&line.path) {
                // False: it belongs to somebody else, and stays.
                Ok(_) => {}
                // The database does without it; its line stays for the next restart.
                Err(LogError::Io(_)) if !self.log().is_failed() => {
                    stuck.insert(line.path.clone());
                }
                Err(e) => return Err(self.store.log_error(e)),
            }
        }
        match lines.iter().any(|l| l.is_named() && !stuck.contains(&l.path)) {
            true => self.save_boot(|boot| boot.forget_names(|l| stuck.contains(&l.path))),
            false => Ok(()),
        }
    }

    /// The log's files. Those that the log does not know by an id get one: that of their line, or one that is free.
    fn log_files_with_ids(&self, lines: &[BootFile]) -> StorageResult<Vec<LogFileInfo>> {
        let live = self.log().files();
        let mut taken: BTreeSet<u16> = live.iter().map(|f| f.id).collect();
        taken.extend(lines.iter().map(|l| l.id.0));
        let mut ids = Vec::new();
        for file in live.iter().filter(|f| f.id == 0) {
            // The log's first file has a line, with a name or without.
            let line = lines.iter().find(|l| l.kind == FileKind::Log && l.path == file.path);
            let id = match line {
                Some(line) => Some(line.id.0),
                None => (2..=u16::MAX).find(|id| !taken.contains(id)),
            };
            let id = id.ok_or(StorageError::Misuse("there are too many files"))?;
            taken.insert(id);
            ids.push((file.file, id));
        }
        if ids.is_empty() {
            return Ok(live);
        }
        self.log().set_file_ids(&ids).map_err(|e| self.store.log_error(e))?;
        Ok(self.log().files())
    }

    /// The list of a new database's files, whose boot page has not been written yet. They are there but for those that the directory's
    /// first page had no room for.
    pub(crate) fn list_new_files(self: &Arc<Self>) -> StorageResult<()> {
        let lines = self.boot.lock().files.clone();
        {
            let mut listed = self.listed.lock();
            let rows = filelist::rows(self)?;
            let wanted = self.wanted_rows(&lines, &self.log().files(), &rows);
            self.log_rows(&rows, &wanted)?;
            *listed = wanted;
        }
        self.boot.lock().forget_names(|_| false);
        self.name_log_files();
        Ok(())
    }

    /// The rows that there should be: a row that is there stays; else a line names the file, or its path does.
    fn wanted_rows(&self, lines: &[BootFile], live: &[LogFileInfo], rows: &FileRows) -> FileRows {
        let there = |id: FileId, kind| rows.get(&id).filter(|r| r.kind == kind).cloned();
        let mut wanted = FileRows::new();
        for file in self.store.files() {
            let settings = file.settings.lock();
            let name = match settings.name.is_empty() {
                true => name_of(&settings.path),
                false => settings.name.clone(),
            };
            let (growth, max_size) = (settings.growth, settings.max_size);
            let own = FileRow { kind: FileKind::Rows, name, growth, max_size };
            wanted.insert(file.id, there(file.id, FileKind::Rows).unwrap_or(own));
        }
        for file in live {
            let id = FileId(file.id);
            let named = || {
                let line = line_of(lines, &file.path).map(BootFile::row);
                line.unwrap_or_else(|| FileRow::log(name_of(&file.path)))
            };
            wanted.insert(id, there(id, FileKind::Log).unwrap_or_else(named));
        }
        wanted
    }

    /// Logs what differs, durably.
    fn log_rows(self: &Arc<Self>, rows: &FileRows, wanted: &FileRows) -> StorageResult<()> {
        let mut work = Work::system(self, "FileList");
        let done = (|| {
            for id in rows.keys().filter(|id| !wanted.contains_key(id)) {
                filelist::remove(self, &mut work, *id)?;
            }
            for (id, row) in wanted.iter().filter(|(id, row)| rows.get(id) != Some(row)) {
                filelist::put(self, &mut work, *id, row)?;
            }
            Ok(())
        })();
        match done {
            Ok(()) if !work.has_begun() => Ok(()),
            Ok(()) => {
                work.commit_system()?;
                if self.store.temporary { Ok(()) } else { self.flush_log() }
            }
            Err(e) => {
                self.abort_system(work, Vec::new());
                Err(e)
            }
        }
    }

    /// Changes what the list says of a file. Durable on return.
    pub(crate) fn change_file_row(
        self: &Arc<Self>,
        id: FileId,
        change: impl FnOnce(&mut FileRow),
    ) -> StorageResult<()> {
        let mut listed = self.listed.lock();
        let mut wanted = listed.clone();
        let Some(row) = wanted.get_mut(&id) else {
            return Err(StorageError::Misuse("there is no file with this id"));
        };
        change(row);
        self.log_rows(&listed, &wanted)?;
        *listed = wanted;
        Ok(())
    }
}

/// The files of a database that nobody has open, as large as they are now.
pub(crate) fn files_of(
    instance: &StorageInstance,
    volume: &dyn Volume,
    boot: &Boot,
    primary: &Path,
    logs: &[LogFile],
) -> StorageResult<Vec<FileInfo>> {
    let disk = &instance.env.disk;
    let size = |path: &Path| {
        let volume = disk.open(path, IoSpec { direct: false, read_only: true });
        // A file that is missing is no reason to say nothing of the others.
        volume.and_then(|v| v.len()).unwrap_or(0)
    };
    let rows = filelist::rows_on_disk(volume).map_err(|e| io_error("read", e))?;
    let mut files = Vec::new();
    for line in boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
        let row = rows.get(&line.id).filter(|r| r.kind == FileKind::Rows).cloned();
        let mut row = row.unwrap_or_else(|| line.row());
        if row.name.is_empty() {
            row.name = name_of(primary);
        }
        files.push(FileInfo {
            id: line.id,
            kind: FileKind::Rows,
            name: row.name,
            path: primary.to_owned(),
            size: size(primary),
            used: 0,
            growth: row.growth,
            max_size: row.max_size,
        });
    }
    for log in logs {
        let row = rows.get(&log.id).filter(|r| r.kind == FileKind::Log);
        let name = row.map_or(&log.name, |r| &r.name);
        files.push(FileInfo {
            id: log.id,
            kind: FileKind::Log,
            name: if name.is_empty() { name_of(&log.path) } else { name.clone() },
            path: log.path.clone(),
            size: size(&log.path),
            used: 0,
            growth: log.growth,
            max_size: log.max_size,
        });
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
