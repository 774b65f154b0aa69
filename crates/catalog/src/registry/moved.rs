//! A data directory that lies elsewhere than it did: moved, copied, or named by a relative path before.
//!
//! Master remembers where the files of each database were. What lay in the directory went with it: the row of master itself
//! says where that was. Of a copy, the places that are recorded are those of the original, which a server may be using.
//!
//! 1. What lay in the old directory is never looked for there. A database whose files did not come along cannot be opened.
//! 2. Of a database that was half-made or half-dropped, only files in the directory are removed: those outside of it may
//!    have a whole database of the original in them by now.

use super::{Databases, EntryState, master};
use crate::master::DatabaseEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlResult};

impl Databases {
    /// All rows of master, with the files of the data directory where they are now.
    pub(super) fn rebased(
        &self,
        master: &Arc<taffrail_storage::Database>,
    ) -> SqlResult<Vec<DatabaseEntry>> {
        let mut rows = master::databases(master)?;
        let own = rows.iter().find(|r| r.id == DatabaseId(1)).and_then(|r| r.files.first());
        let Some(was) = own.and_then(|f| f.parent()).map(Path::to_path_buf) else {
            return Ok(rows);
        };
        if was == self.data_dir {
            return Ok(rows);
        }
        // Master's own row last: until it is written, the next start does this again.
        rows.sort_by_key(|r| r.id == DatabaseId(1));
        for row in &mut rows {
            let mut files: Vec<PathBuf> =
                row.files.iter().map(|f| self.rebased_path(&was, f)).collect();
            if matches!(row.state, EntryState::Creating | EntryState::Dropping) {
                files.retain(|f| f.starts_with(&self.data_dir));
            }
            if files != row.files {
                row.made = row.made.iter().map(|f| self.rebased_path(&was, f)).collect();
                row.files = files;
                master::put_database(master, row)?;
            }
        }
        rows.sort_by_key(|r| r.id);
        if let (Some(row), Some(slot)) = (rows.first(), self.slots.write().first_mut()) {
            slot.entry.files.clone_from(&row.files);
        }
        Ok(rows)
    }

    fn rebased_path(&self, was: &Path, file: &Path) -> PathBuf {
        match file.strip_prefix(was) {
            Ok(rest) => self.data_dir.join(rest),
            Err(_) => file.to_path_buf(),
        }
    }
}
