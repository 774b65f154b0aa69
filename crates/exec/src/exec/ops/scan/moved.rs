//! Rows that others have moved between the read of their entry in a nonclustered index and their own.

use crate::catalog::KeyTail;
use crate::exec::runtime::Rt;
use crate::plan::node::{Access, Scan};
use crate::rowcodec::TableLobs;
use crate::rowcodec::key::read_entry;
use taffrail_base::SqlResult;
use taffrail_storage::btree::BTreeCursor;
use taffrail_storage::{ScanLocks, StorageError, Transaction, btree};
use taffrail_types::Value;

/// How often a row is looked for where its entry says that it is, before it is taken for gone: it may have been moved away and back.
pub(super) const MOVED_TRIES: u32 = 8;

/// The row that the entry led to has gone: true if it may have been moved, and `locator` is where the entry of a unique index leads now.
#[cold]
pub(super) fn moved_on(
    tx: &mut Transaction,
    scan: &Scan,
    c: &BTreeCursor,
    (locks, tries): (ScanLocks, &mut u32),
    locator: &mut Vec<u8>,
) -> Result<bool, StorageError> {
    let Access::Nonclustered(index, _) = &scan.access else { return Ok(false) };
    if index.tail() != KeyTail::None || c.is_current(tx) {
        return Ok(false);
    }
    let locks = match locks {
        ScanLocks::None | ScanLocks::Versions => locks,
        _ => ScanLocks::ReadCommitted,
    };
    let mut value = Vec::new();
    if !btree::get(tx, index.hobt().map_err(StorageError::Sql)?, c.key(), locks, &mut value)? {
        return Ok(false);
    }
    let (now, _) = read_entry(&value).map_err(StorageError::Sql)?;
    if now == &locator[..] {
        *tries -= 1;
    }
    locator.clear();
    locator.extend_from_slice(now);
    Ok(*tries > 0)
}

/// Where in its index a row belongs that one of the entries has led to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// That entry is its own.
    Here,
    /// The seek finds it there too.
    Within,
    /// It is none of those that are sought.
    Elsewhere,
}

/// Where the row belongs that the entry led to: others may have changed or moved it, or put another in its place, after the entry
/// was read and before the row was. (What an equality of the seek asks for is not asked of the row.)
#[cold]
pub(super) fn place_of(
    rt: &mut Rt<'_>,
    scan: &Scan,
    c: &BTreeCursor,
    locator: &[u8],
    row: &[u8],
) -> SqlResult<Place> {
    let Access::Nonclustered(index, _) = &scan.access else { return Ok(Place::Here) };
    let mut values = vec![Value::Null; scan.table.columns.len()];
    let hobt = scan.table.base().hobt()?;
    let tx = rt.cx.session.part(scan.database.id);
    for k in index.key.columns() {
        values[k.column] = scan.table.layout.get(row, k.column, &mut TableLobs { tx, hobt })?;
    }
    let mut key = Vec::with_capacity(c.key().len());
    index.key.append_row(&values, &mut key);
    if index.tail() == KeyTail::Locator {
        key.extend_from_slice(locator);
    }
    Ok(match () {
        () if key == c.key() => Place::Here,
        () if c.range().contains(&key) => Place::Within,
        () => Place::Elsewhere,
    })
}
