//! The list of a database's files, as rows of the directory.
//!
//! ```text
//! key 6, u64 file id (big-endian)   what a file is: the row is drawn in docs/engineering/format.md
//! ```
//! A row is an entry of the directory like any other: it is logged, undone and redone with the page that it lies on. What each of its
//! readers may count on is told in [`crate::filelist`].
//!
//! A row says nothing that has to be known before the log can be read: where the files are is said by the boot page and by the log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use taffrail_base::FileId;
use taffrail_io::{IoResult, Volume};

use super::btree;
use super::node::{child_at, is_ghost, slot_for, split_entry};
use crate::buffer::read_whole;
use crate::codec::{Put, Take, put_growth, take_growth, take_max_size};
use crate::database::{Database, FileKind, Growth};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DIRECTORY, DIRECTORY_ROOT};
use crate::page::{Page, PageType};
use crate::txn::work::Work;

const FILE: u8 = 6;

/// The facts about a file in the list of files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileRow {
    pub kind: FileKind,
    /// The logical name of the file.
    pub name: String,
    /// Of a data file. A log file's growth and limit are in the header of the log.
    pub growth: Growth,
    pub max_size: Option<u64>,
}

/// The list of a database's files, by number.
pub(crate) type FileRows = BTreeMap<FileId, FileRow>;

impl FileRow {
    /// The row of a log file.
    pub fn log(name: String) -> FileRow {
        FileRow { kind: FileKind::Log, name, growth: Growth::None, max_size: None }
    }

    fn encode(&self) -> Vec<u8> {
        let mut b = Vec::with_capacity(20 + self.name.len());
        b.u8(u8::from(self.kind == FileKind::Log));
        put_growth(&mut b, self.growth, self.max_size);
        b.text(&self.name);
        b
    }

    pub fn decode(bytes: &[u8]) -> Option<FileRow> {
        let mut t = Take(bytes);
        let kind = match t.u8()? {
            0 => FileKind::Rows,
            1 => FileKind::Log,
            _ => return None,
        };
        let growth = take_growth(&mut t)?;
        let max_size = take_max_size(&mut t)?;
        let name = t.text()?;
        t.is_empty().then_some(FileRow { kind, name, growth, max_size })
    }
}

fn key(id: FileId) -> [u8; 9] {
    let mut k = [FILE; 9];
    k[1..].copy_from_slice(&u64::from(id.0).to_be_bytes());
    k
}

fn id_of(k: &[u8]) -> Option<FileId> {
    let (&kind, id) = k.split_first()?;
    let id = u64::from_be_bytes(id.try_into().ok()?);
    if kind == FILE { id.try_into().ok().map(FileId) } else { None }
}

/// A row's key and value.
pub(crate) fn entry(id: FileId, row: &FileRow) -> ([u8; 9], Vec<u8>) {
    (key(id), row.encode())
}

/// Reads the list of files.
pub(crate) fn rows(db: &Database) -> StorageResult<FileRows> {
    let (mut out, mut malformed) = (FileRows::new(), None);
    btree::for_each_entry(db, &db.directory(), &[FILE], &mut |k, v| {
        let Some(id) = id_of(k) else { return false };
        match FileRow::decode(v) {
            Some(row) => drop(out.insert(id, row)),
            None => malformed = Some(id),
        }
        true
    })?;
    match malformed {
        Some(id) => Err(db.store.corrupt(DIRECTORY_ROOT, format!("malformed row of file {id}"))),
        None => Ok(out),
    }
}

/// Adds a row, or replaces the one that there is.
pub(crate) fn put(
    db: &Arc<Database>,
    work: &mut Work,
    id: FileId,
    row: &FileRow,
) -> StorageResult<()> {
    let directory = db.directory();
    btree::ghost_entry(work, &directory, &key(id), 0)?;
    btree::insert_entry(work, &directory, &key(id), &row.encode(), 0, true)
}

/// Removes the row of a file.
pub(crate) fn remove(db: &Arc<Database>, work: &mut Work, id: FileId) -> StorageResult<()> {
    match btree::ghost_entry(work, &db.directory(), &key(id), 0)? {
        true => Ok(()),
        false => Err(StorageError::RowNotFound),
    }
}

/// The rows of a database that nobody has open, as far as its data file has them: as of its last checkpoint, where it was not closed.
/// Whoever shows them says no more than what they are called: a page that is not whole is left out.
pub(crate) fn rows_on_disk(volume: &dyn Volume) -> IoResult<FileRows> {
    let (mut out, mut seen) = (FileRows::new(), BTreeSet::new());
    let mut todo = vec![DIRECTORY_ROOT];
    let end = volume.len()?;
    while let Some(id) = todo.pop() {
        let there = id.file == DIRECTORY_ROOT.file && id.file_offset() < end && seen.insert(id);
        if !there {
            continue;
        }
        let mut page = Page::zeroed();
        let whole = read_whole(volume, id.file_offset(), &mut page, |p| p.validate(id))?;
        if whole.is_err() || page.hobt() != DIRECTORY || page.kind() != Some(PageType::Index) {
            continue;
        }
        let slots = usize::from(page.slots());
        if page.is_leaf() {
            for slot in (0..slots).filter(|&slot| !is_ghost(&page, slot)) {
                let (k, v) = split_entry(page.row(slot));
                if let Some((id, row)) = id_of(k).zip(FileRow::decode(v)) {
                    out.insert(id, row);
                }
            }
        } else {
            todo.extend((slot_for(&page, &[FILE])..slots).filter_map(|slot| child_at(&page, slot)));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_what_is_drawn() {
        let name = "Sales".to_owned();
        let row =
            FileRow { kind: FileKind::Rows, name, growth: Growth::Percent(10), max_size: None };
        let mut name = Vec::new();
        name.text("Sales");
        let fields: [(&str, &[u8]); 5] = [
            ("kind", &[0]),
            ("kind of growth", &[2]),
            ("growth", &10u64.to_le_bytes()),
            ("maximum size", &[0xff; 8]),
            ("name", &name),
        ];
        let bytes = row.encode();
        crate::drawn::check("file-row", &bytes, &fields);
        assert_eq!(FileRow::decode(&bytes), Some(row));
        for cut in 0..bytes.len() {
            assert_eq!(FileRow::decode(&bytes[..cut]), None);
        }
        let log = FileRow::log("Sales_log".into());
        assert_eq!(FileRow::decode(&log.encode()), Some(log));
    }

    #[test]
    fn keys_stand_in_the_order_of_the_files() {
        assert!([FILE][..] < key(FileId(1))[..] && key(FileId(255)) < key(FileId(256)));
        assert_eq!(id_of(&key(FileId(65_535))), Some(FileId(65_535)));
        assert_eq!(id_of(&[1, 0, 0, 0, 0, 0, 0, 0, 2]), None);
        assert_eq!(id_of(&[5, 0, 0, 0, 0, 0, 1, 0, 2]), None);
    }
}
