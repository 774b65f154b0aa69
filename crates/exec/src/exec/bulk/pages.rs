//! A table filled by pages instead of rows.
//!
//! | table | rows | nonclustered indexes |
//! |---|---|---|
//! | heap without indexes | pages of their own, behind those that there are | |
//! | heap with indexes, empty | the same | built when all rows are there |
//! | heap with indexes, not empty | the same | entries one by one, in order of their keys, when all rows are there: fully logged |
//! | clustered, empty | in order of the key, sorted if they do not come so | the same |
//! | anything else, and where versions of rows are kept, unless the transaction has the table for itself (Sch-M) | one by one | one by one |
//!
//! What of it is logged is storage's affair: page images under FULL, the extents under the other models.
//!
//! Rows of a clustered table that come in order stream into the tree once they are too many to keep; one that comes too late then is
//! inserted at the end, like any other.

use super::sort::{MEMORY, SortSpace, Sorted, Sorter};
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::bulk::build::Entries;
use crate::exec::modify::{clustered_key, duplicate};
use crate::session::Session;
use std::sync::atomic::Ordering;
use taffrail_base::SqlResult;
use taffrail_base::message::cancelled;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Direction, HobtKind, KeyRange, Rid, ScanLocks, StorageError, Transaction, btree, heap,
};
use taffrail_types::Value;

/// From so many bytes on rows that come in order are not kept any more.
const STREAM_FROM: usize = 4 << 20;

/// After so many entries an attention is asked for.
const CHECK_EVERY: u32 = 1024;

/// A table that is being filled.
pub(crate) struct TableLoad {
    base: Base,
    key: Vec<u8>,
}

enum Base {
    /// A heap, and the entries of its indexes where these have some already.
    Heap(heap::HeapLoad, Vec<Entries>),
    Clustered {
        load: Box<btree::TreeLoad>,
        sorter: Sorter,
        last: Option<Vec<u8>>,
    },
}

impl TableLoad {
    /// A load of a table that the session has locked as a whole; none where rows must go one by one.
    pub fn open(
        session: &mut Session,
        database: &Database,
        table: &Table,
    ) -> SqlResult<Option<TableLoad>> {
        let base = table.base();
        let indexed = !table.nonclustered().is_empty();
        if table.indexes.iter().any(|i| i.ignore_dup_key) {
            return Ok(None);
        }
        let fail = |e: StorageError| e.to_sql();
        let tx = session.part(database.id);
        // Pages that are filled have no versions: rows would be seen before their commit, unless nobody else can look.
        if database.storage.versions_on() && !tx.has_locked(table.id(), LockMode::SchM) {
            return Ok(None);
        }
        let filled = (indexed || !table.is_heap()) && !is_empty(tx, table).map_err(fail)?;
        if filled && table.is_heap() {
            let entries = table.nonclustered().iter().map(|i| Entries::new(tx, table, i)).collect();
            let base = Base::Heap(heap::HeapLoad::open(base.hobt()?), entries);
            return Ok(Some(TableLoad { base, key: Vec::new() }));
        }
        if filled {
            return Ok(None);
        }
        // The pages of a tree that was filled before are replaced: not under the eyes of those who read without locks.
        let used = |i: &crate::catalog::Index| -> SqlResult<bool> {
            Ok(i.hobt()?.kind() == HobtKind::BTree && i.hobt()?.has_pages())
        };
        let mut replaced = false;
        for index in &table.indexes {
            replaced |= used(index)?;
        }
        if replaced {
            tx.lock_object(table.id(), LockMode::SchM).map_err(fail)?;
        }
        let hobt = base.hobt()?;
        let base = match table.is_heap() {
            true => Base::Heap(heap::HeapLoad::open(hobt), Vec::new()),
            false => Base::Clustered {
                load: Box::new(btree::TreeLoad::open(tx, hobt, 0).map_err(fail)?),
                sorter: Sorter::new(SortSpace::beside(&database.storage, MEMORY)),
                last: None,
            },
        };
        Ok(Some(TableLoad { base, key: Vec::new() }))
    }

    /// True if [`TableLoad::push`] looks at the values of the key's columns.
    pub(crate) fn needs_key(&self) -> bool {
        matches!(self.base, Base::Clustered { .. })
    }

    /// Adds a row: its bytes, and the values of the key's columns at least.
    pub fn push(
        &mut self,
        session: &mut Session,
        database: &Database,
        table: &Table,
        values: &[Value],
        row: &[u8],
    ) -> SqlResult<()> {
        match &mut self.base {
            Base::Heap(load, entries) => {
                let tx = session.part(database.id);
                let pushed = load.push_each(tx, row, &mut |tx, rid, row| {
                    add_entries(entries, tx, table, rid, row)
                });
                pushed.map_err(|e| session.storage_error(e))
            }
            Base::Clustered { load, sorter, last } => {
                clustered_key(database, table.base(), values, &mut self.key)?;
                match last {
                    Some(last) if self.key > *last => {
                        last.clone_from(&self.key);
                        let pushed = load.push(session.part(database.id), &self.key, row);
                        pushed.map_err(|e| session.storage_error(e))
                    }
                    Some(_) => sorter.push(&self.key, row),
                    None => {
                        sorter.push(&self.key, row)?;
                        if sorter.cost() < STREAM_FROM || !sorter.is_ascending() {
                            return Ok(());
                        }
                        let space = SortSpace::beside(&database.storage, MEMORY);
                        let kept = std::mem::replace(sorter, Sorter::new(space));
                        *last = Some(self.key.clone());
                        stream(session, database, table, load, &mut kept.sorted()?)
                    }
                }
            }
        }
    }

    /// Ends the load: rows and indexes are there.
    pub fn finish(
        self,
        session: &mut Session,
        database: &Database,
        table: &Table,
    ) -> SqlResult<()> {
        match self.base {
            Base::Heap(load, mut entries) => {
                let tx = session.part(database.id);
                let done = load.finish_each(tx, &mut |tx, rid, row| {
                    add_entries(&mut entries, tx, table, rid, row)
                });
                done.map_err(|e| session.storage_error(e))?;
                if !entries.is_empty() {
                    return insert_entries(session, database, table, entries);
                }
            }
            Base::Clustered { mut load, sorter, last } => {
                let mut rest = sorter.sorted()?;
                if last.is_none() {
                    stream(session, database, table, &mut load, &mut rest)?;
                }
                let done = load.finish(session.part(database.id));
                done.map_err(|e| session.storage_error(e))?;
                let hobt = table.base().hobt()?;
                while let Some((key, row)) = rest.next()? {
                    match btree::insert(session.part(database.id), hobt, key, row) {
                        Ok(()) => {}
                        Err(StorageError::DuplicateKey) => {
                            return Err(duplicate_row(session, database, table, row));
                        }
                        Err(e) => return Err(session.storage_error(e)),
                    }
                }
            }
        }
        for index in table.nonclustered() {
            let tx = session.part(database.id);
            crate::exec::bulk::build::nonclustered(tx, table, index, &|index, values| {
                duplicate(table, index, values)
            })?;
        }
        Ok(())
    }
}

/// A row has got its place: what the indexes will have of it.
fn add_entries(
    entries: &mut [Entries],
    tx: &mut Transaction,
    table: &Table,
    rid: Rid,
    row: &[u8],
) -> Result<(), StorageError> {
    let locator = rid.to_bytes();
    for e in entries {
        e.add(tx, table, &locator, row).map_err(StorageError::Sql)?;
    }
    Ok(())
}

/// Puts the new rows' entries into indexes that have some.
fn insert_entries(
    session: &mut Session,
    database: &Database,
    table: &Table,
    entries: Vec<Entries>,
) -> SqlResult<()> {
    for (index, entries) in table.nonclustered().iter().zip(entries) {
        session.check_cancel()?;
        let hobt = index.hobt()?;
        let twice =
            |index: &crate::catalog::Index, values: &[Value]| duplicate(table, index, values);
        let cancel = session.running.cancel.clone();
        let mut n = 0_u32;
        entries.each(session.part(database.id), table, &twice, &mut |tx, key, value| {
            n = n.wrapping_add(1);
            if n.is_multiple_of(CHECK_EVERY) && cancel.load(Ordering::Relaxed) {
                return Err(StorageError::Sql(cancelled()));
            }
            btree::insert(tx, hobt, key, value)
        })?;
    }
    Ok(())
}

fn stream(
    session: &mut Session,
    database: &Database,
    table: &Table,
    load: &mut btree::TreeLoad,
    rows: &mut Sorted,
) -> SqlResult<()> {
    let mut n = 0_u32;
    while let Some((key, row)) = rows.next()? {
        n = n.wrapping_add(1);
        if n.is_multiple_of(CHECK_EVERY) {
            session.check_cancel()?;
        }
        match load.push(session.part(database.id), key, row) {
            Ok(()) => {}
            Err(StorageError::DuplicateKey) => {
                return Err(duplicate_row(session, database, table, row));
            }
            Err(e) => return Err(session.storage_error(e)),
        }
    }
    Ok(())
}

/// 2627 or 2601 for a row whose key is there twice.
fn duplicate_row(
    session: &mut Session,
    database: &Database,
    table: &Table,
    row: &[u8],
) -> Box<taffrail_base::SqlError> {
    let mut values = Vec::new();
    match crate::exec::modify::decode_row(session, database, table, row, &mut values) {
        Ok(()) => duplicate(table, table.base(), &values),
        Err(e) => e,
    }
}

/// True if a table has no rows, whoever may have written them; it is locked.
fn is_empty(tx: &mut Transaction, table: &Table) -> Result<bool, StorageError> {
    let Ok(hobt) = table.base().hobt() else { return Ok(false) };
    if hobt.row_count() > 0 {
        return Ok(false);
    }
    Ok(match hobt.kind() {
        HobtKind::Heap => heap::scan(hobt, ScanLocks::None).next(tx)?.is_none(),
        HobtKind::BTree => {
            let all = KeyRange::default();
            let mut cursor = btree::seek(hobt, all, Direction::Forward, ScanLocks::None);
            cursor.next(tx)?.is_none()
        }
    })
}
