//! The stage of storage: a row's bytes, its place in the base, its entries in the indexes, and their errors.

use crate::catalog::{Index, IndexKind, KeyTail, Table};
use crate::database::Database;
use crate::rowcodec::NoLobs;
use crate::rowcodec::key::{MAX_CLUSTERED_KEY_BYTES, MAX_NONCLUSTERED_KEY_BYTES, write_entry};
use crate::session::Session;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::{FileFull, Rid, StorageError, btree, heap, lob};
use taffrail_types::{Value, text};

/// Buffers that statements of a session reuse, so that a row costs no allocation.
#[derive(Default)]
pub struct Scratch {
    /// A statement's frame.
    pub frame: Vec<Value>,
    /// The raw row that its scan is on.
    pub target_row: Vec<u8>,
    /// A row's values as they were.
    pub old: Vec<Value>,
    /// A row's values as they are to be.
    pub new: Vec<Value>,
    /// The bytes of `new`.
    pub row: Vec<u8>,
    /// The bytes of a row's locator.
    pub locator: Vec<u8>,
    /// The bytes of a key.
    pub key: Vec<u8>,
    /// The bytes of an index entry.
    pub entry: Vec<u8>,
    /// The bytes of an entry's included columns.
    pub covered: Vec<u8>,
}

impl Session {
    /// The buffers, new ones where another statement of the session has them. Whoever takes them puts them back.
    pub(in crate::exec) fn take_scratch(&mut self) -> Box<Scratch> {
        self.running.scratch.take().unwrap_or_default()
    }
}

/// 2627 or 2601 for a key that is there already.
#[cold]
pub fn duplicate(table: &Table, index: &Index, values: &[Value]) -> Box<SqlError> {
    let columns = index.key.columns().iter().map(|k| (&values[k.column], k.ty, k.collation));
    let key = text::key_text(columns);
    let object = format!("{}.{}", table.head.schema, table.shown());
    if index.primary_key || index.unique_constraint {
        let kind = if index.primary_key { "PRIMARY KEY" } else { "UNIQUE KEY" };
        return SqlError::new(2627, &[&kind, &index.name, &object, &key]);
    }
    SqlError::new(2601, &[&object, &index.name, &key])
}

impl Session {
    /// An error of storage as the client's.
    #[cold]
    pub(crate) fn storage_error(&self, e: StorageError) -> Box<SqlError> {
        match &e {
            StorageError::FileFull(full) => self.file_full(full).unwrap_or_else(|| e.to_sql()),
            _ => e.to_sql(),
        }
    }

    /// 1105 with names, `'dbo.t'` or `'dbo.t'.'PK_t'`: storage knows objects and indexes by their ids.
    fn file_full(&self, full: &FileFull) -> Option<Box<SqlError>> {
        let database = self.instance.databases().get(&full.database).ok()?;
        let id = taffrail_base::ObjectId(full.object.parse().ok()?);
        let object = database.catalog.object(id, crate::catalog::Sight::EVERYTHING)?;
        let index = object.as_table().and_then(|t| t.indexes.iter().find(|i| i.id == full.index));
        Some(no_room(&object.head().qualified(), index.map(|i| &**i), &full.database))
    }
}

/// 1105: no room for a table's rows, or an index's.
fn no_room(object: &str, index: Option<&Index>, database: &str) -> Box<SqlError> {
    let index = index.filter(|i| !i.name.is_empty());
    let index = index.map_or_else(String::new, |i| format!(".'{}'", i.name));
    SqlError::new(1105, &[&object, &index, &database, &"PRIMARY"]).with_state(2)
}

/// Adds the entry of a row to a nonclustered index.
pub(crate) fn add_entry(
    session: &mut Session,
    database: DatabaseId,
    table: &Table,
    index: &Index,
    values: &[Value],
    locator: &[u8],
    s: &mut Scratch,
) -> SqlResult<()> {
    if !index.holds(values) {
        return Ok(());
    }
    entry_key(index, values, locator, &mut s.key)?;
    covered_row(index, values, &mut s.covered)?;
    write_entry(locator, &s.covered, &mut s.entry);
    let hobt = index.hobt()?;
    match btree::insert(session.part(database), hobt, &s.key, &s.entry) {
        Ok(()) => Ok(()),
        Err(StorageError::DuplicateKey) => Err(duplicate(table, index, values)),
        Err(e) => Err(session.storage_error(e)),
    }
}

/// Takes the entry of a row out of a nonclustered index.
pub(crate) fn remove_entry(
    session: &mut Session,
    database: DatabaseId,
    index: &Index,
    values: &[Value],
    locator: &[u8],
    s: &mut Scratch,
) -> SqlResult<()> {
    if !index.holds(values) {
        return Ok(());
    }
    entry_key(index, values, locator, &mut s.key)?;
    let hobt = index.hobt()?;
    match btree::delete(session.part(database), hobt, &s.key) {
        Ok(_) => Ok(()),
        Err(e) => Err(session.storage_error(e)),
    }
}

/// The key of a row's entry in a nonclustered index.
pub(crate) fn entry_key(
    index: &Index,
    values: &[Value],
    locator: &[u8],
    key: &mut Vec<u8>,
) -> SqlResult<()> {
    key.clear();
    index.key.append_row(values, key);
    if index.tail() == KeyTail::Locator {
        key.extend_from_slice(locator);
    }
    check_key(index, values, key)
}

/// 1946 for the key of a row (all values of the table's columns) that is too long for its index. `key`: as it is written.
#[inline]
pub(crate) fn check_key(index: &Index, values: &[Value], key: &[u8]) -> SqlResult<()> {
    if index.key.declared_bytes() > MAX_CLUSTERED_KEY_BYTES || key.len() > btree::MAX_KEY {
        return check_long_key(index, values, key);
    }
    Ok(())
}

#[inline(never)]
fn check_long_key(index: &Index, values: &[Value], key: &[u8]) -> SqlResult<()> {
    let (most, what) = match index.kind {
        IndexKind::Clustered => (MAX_CLUSTERED_KEY_BYTES, "clustered"),
        _ => (MAX_NONCLUSTERED_KEY_BYTES, "nonclustered"),
    };
    // A tree has a limit of its own: zeroes in binary values take two bytes, and the row's locator may follow.
    let bytes = match index.key.value_bytes(values) {
        bytes if bytes > most => bytes,
        _ if key.len() > btree::MAX_KEY => key.len(),
        _ => return Ok(()),
    };
    Err(SqlError::new(1946, &[&bytes, &index.name, &most, &what]))
}

fn covered_row(index: &Index, values: &[Value], out: &mut Vec<u8>) -> SqlResult<()> {
    // Few columns: their copies cost less than a second kind of encoder.
    let covered: smallvec::SmallVec<[Value; 8]> =
        index.covered.iter().map(|c| values[*c].clone()).collect();
    index.covered_layout.encode(&covered, out, &mut NoLobs)
}

/// The key of a row in a clustered index; a new number where the columns need not be unique.
pub(crate) fn clustered_key(
    database: &Database,
    index: &Index,
    values: &[Value],
    key: &mut Vec<u8>,
) -> SqlResult<()> {
    key.clear();
    index.key.append_row(values, key);
    if index.tail() == KeyTail::RowNumber {
        key.extend_from_slice(&database.catalog.next_row_number()?.to_be_bytes());
    }
    check_key(index, values, key)
}

/// Adds a row, of bytes in `s.row` and values in `s.new`, to the base and all indexes; its place is in `s.locator` then. False where it is
/// passed over, since an index with IGNORE_DUP_KEY has its key already: only an INSERT `ignores`. Nothing of it is left then but the pages
/// of its large values.
pub(crate) fn add_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    s: &mut Scratch,
    ignores: bool,
) -> SqlResult<bool> {
    let base = table.base();
    let hobt = base.hobt()?;
    let nonclustered = table.nonclustered();
    if base.kind == IndexKind::Heap {
        let rid = heap::insert(session.part(database.id), hobt, &s.row);
        let rid = rid.map_err(|e| session.storage_error(e))?;
        s.locator.clear();
        s.locator.extend_from_slice(&rid.to_bytes());
    } else {
        clustered_key(database, base, &s.new, &mut s.key)?;
        match btree::insert(session.part(database.id), hobt, &s.key, &s.row) {
            Ok(()) => {}
            Err(StorageError::DuplicateKey) if ignores && base.ignore_dup_key => return Ok(false),
            Err(StorageError::DuplicateKey) => return Err(duplicate(table, base, &s.new)),
            Err(e) => return Err(session.storage_error(e)),
        }
        // The keys of the entries are made in the other one.
        std::mem::swap(&mut s.key, &mut s.locator);
    }
    if nonclustered.is_empty() {
        return Ok(true);
    }
    let (locator, new) = (std::mem::take(&mut s.locator), std::mem::take(&mut s.new));
    let mut passed_over = None;
    for (at, index) in nonclustered.iter().enumerate() {
        match add_entry(session, database.id, table, index, &new, &locator, s) {
            Ok(()) => {}
            Err(e) if ignores && index.ignore_dup_key && matches!(e.number, 2601 | 2627) => {
                passed_over = Some(at);
                break;
            }
            Err(e) => return Err(e),
        }
    }
    if let Some(at) = passed_over {
        for index in &nonclustered[..at] {
            remove_entry(session, database.id, index, &new, &locator, s)?;
        }
        remove_base(session, database, table, &locator)?;
    }
    (s.locator, s.new) = (locator, new);
    Ok(passed_over.is_none())
}

/// Takes a row out of the base; false when it is not there (any more).
pub(crate) fn remove_base(
    session: &mut Session,
    database: &Database,
    table: &Table,
    locator: &[u8],
) -> SqlResult<bool> {
    let base = table.base();
    let hobt = base.hobt()?;
    let tx = session.part(database.id);
    let gone = match base.kind {
        IndexKind::Heap => match locator.try_into() {
            Ok(bytes) => heap::delete(tx, hobt, Rid::from_bytes(bytes)),
            Err(_) => Ok(false),
        },
        _ => btree::delete(tx, hobt, locator),
    };
    gone.map_err(|e| session.storage_error(e))
}

/// Replaces a row's bytes in the base.
pub(crate) fn replace_base(
    session: &mut Session,
    database: &Database,
    table: &Table,
    locator: &[u8],
    row: &[u8],
) -> SqlResult<()> {
    let base = table.base();
    let hobt = base.hobt()?;
    let tx = session.part(database.id);
    let done = match base.kind {
        IndexKind::Heap => match locator.try_into() {
            Ok(bytes) => heap::update(tx, hobt, Rid::from_bytes(bytes), row),
            Err(_) => Err(StorageError::RowNotFound),
        },
        _ => btree::update(tx, hobt, locator, row),
    };
    done.map_err(|e| session.storage_error(e))
}

/// Frees the overflow pages of a row that goes away.
pub(crate) fn free_lobs(
    session: &mut Session,
    database: &Database,
    table: &Table,
    row: &[u8],
) -> SqlResult<()> {
    let lobs = table.layout.lobs(row)?;
    if lobs.is_empty() {
        return Ok(());
    }
    let hobt = table.base().hobt()?;
    for l in lobs {
        let done = lob::delete(session.part(database.id), hobt, l);
        done.map_err(|e| session.storage_error(e))?;
    }
    Ok(())
}

/// All values of a row.
pub fn decode_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    row: &[u8],
    out: &mut Vec<Value>,
) -> SqlResult<()> {
    out.clear();
    let hobt = table.base().hobt()?.clone();
    let tx = session.part(database.id);
    let mut lobs = crate::rowcodec::TableLobs { tx, hobt: &hobt };
    table.layout.decode(row, out, &mut lobs)
}

/// Writes a row's bytes from its values.
pub(crate) fn encode_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    values: &[Value],
    out: &mut Vec<u8>,
) -> SqlResult<()> {
    let hobt = table.base().hobt()?;
    let tx = session.part(database.id);
    let mut lobs = crate::rowcodec::TableLobs { tx, hobt };
    table.layout.encode(values, out, &mut lobs).map_err(|e| match e.number {
        // Who writes large values knows no names.
        1101 => no_room(&table.head.qualified(), Some(table.base()), &database.name),
        _ => e,
    })
}
