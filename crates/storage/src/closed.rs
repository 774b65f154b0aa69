//! What can be told of a database that is not open: from its primary file, and from the header of its log about the log's files. What files
//! are called is told as of the last checkpoint.

use std::path::{Path, PathBuf};

use taffrail_io::UtcTime;
use taffrail_log::VlfStatus;

use crate::database::{Database, DatabaseOptions, FileInfo, OpenSpec};
use crate::error::StorageResult;
use crate::filelist::files_of;
use crate::instance::StorageInstance;
use crate::page::HEADER_BYTES;
use crate::recovery::{FILE_MAGIC, log_files_at, read_primary};

/// The kinds of files that nobody has open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A data file of a database.
    Data,
    /// A family of a backup media.
    Backup,
}

/// Tells from a file's first 8192 bytes (or all that it has) whether it is a data file or a backup. None: it is neither, as far
/// as they tell. Only their marks count, not their checksums: a damaged data file is one, too.
pub fn content_of(first: &[u8]) -> Option<Content> {
    if first.get(HEADER_BYTES..).is_some_and(|b| b.starts_with(FILE_MAGIC)) {
        return Some(Content::Data);
    }
    crate::backup::is_media(first).then_some(Content::Backup)
}

/// The facts about a database that its files tell while it is closed.
#[derive(Clone, Debug)]
pub struct Closed {
    /// When it was made.
    pub created: UtcTime,
    /// The options of the database.
    pub options: DatabaseOptions,
    /// Its files, as large as they are now; 0 for one that is missing.
    pub files: Vec<FileInfo>,
}

impl Database {
    /// Parts of the log files that nobody reads any more, of a database that has been closed: start and end, in order; VLFs that are not
    /// active, and what lies behind the end of the log. A copy that has zeroes there is as good, once it has forgotten its log chain.
    pub fn dead_log(&self) -> Vec<(PathBuf, Vec<(u64, u64)>)> {
        // The directory's.
        const KEPT: u64 = 4096;
        let log = self.log();
        let vlfs = log.vlfs();
        let (last, end, vlf_end) = log.behind_end();
        let files = log.files().into_iter().map(|file| {
            let own = vlfs.iter().filter(|v| v.file == file.file && v.status != VlfStatus::Active);
            let mut parts: Vec<_> = own.map(|v| (v.offset + KEPT, v.offset + v.size)).collect();
            parts.extend((file.file == last).then(|| (end.next_multiple_of(KEPT), vlf_end)));
            parts.sort_unstable();
            (file.path, parts)
        });
        files.collect()
    }
}

/// When the database of a primary file was made. `name` is for messages.
pub fn created(instance: &StorageInstance, name: &str, primary: &Path) -> StorageResult<UtcTime> {
    Ok(read_primary(instance, name, primary)?.1.created)
}

/// Reads the boot page of a database that nobody has open. `name` is for messages.
pub fn closed(instance: &StorageInstance, name: &str, spec: &OpenSpec) -> StorageResult<Closed> {
    let primary = spec.primary.as_path();
    let (volume, boot) = read_primary(instance, name, primary)?;
    // Where opening it would find its files: they may have moved since they were noted.
    let logs = log_files_at(instance, &boot, spec)?;
    let files = files_of(instance, &*volume, &boot, primary, &logs)?;
    Ok(Closed { created: boot.created, options: boot.options.clone(), files })
}
