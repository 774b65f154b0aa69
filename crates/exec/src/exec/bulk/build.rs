//! Fills heaps and indexes from rows that exist: index creation, a new clustered index, a changed row layout.
//!
//! Entries are made in one pass over the table, sorted by their keys (in memory or, if they are many, in runs on disk) and
//! made into a tree page by page. The caller holds Sch-M on the table, or X and it alone has put rows there, so nobody
//! changes rows meanwhile.

use super::sort::{MEMORY, SortSpace, Sorter};
use crate::catalog::{Catalog, Index, KeyTail, Table};
use crate::exec::modify::check_key;
use crate::rowcodec::{Lobs, TableLobs, key};
use std::sync::Arc;
use taffrail_base::message::cancelled;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::pages;
use taffrail_storage::{
    BeginSpec, Direction, Durability, KeyRange, Rid, ScanLocks, StorageError, Transaction, btree,
    heap,
};
use taffrail_types::{Value, text};

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql()
}

/// Rows between two looks at the flag of a cancelled batch: some milliseconds of work.
const ROWS_PER_LOOK: u32 = 256;

/// Counts rows, and ends the statement when its batch was cancelled.
#[derive(Default)]
struct Ticks(u32);

impl Ticks {
    fn tick(&mut self, tx: &Transaction) -> SqlResult<()> {
        self.0 = self.0.wrapping_add(1);
        match self.0.is_multiple_of(ROWS_PER_LOOK) && tx.is_cancelled() {
            true => Err(cancelled()),
            false => Ok(()),
        }
    }
}

/// Calls `each` with the locator and bytes of every row of a table, in order of its base. Ends when `tx` is cancelled.
pub fn for_each_row(
    tx: &mut Transaction,
    table: &Table,
    mut each: impl FnMut(&mut Transaction, &[u8], &[u8]) -> SqlResult<()>,
) -> SqlResult<()> {
    let hobt = table.base().hobt()?;
    if pages::are_watched() {
        pages::touched(tx.database().id().0, hobt.id().0, |p| p.scans += 1);
    }
    let (mut locator, mut row) = (Vec::new(), Vec::new());
    let mut ticks = Ticks::default();
    if table.is_heap() {
        let mut cursor = heap::scan(hobt, ScanLocks::None);
        loop {
            ticks.tick(tx)?;
            match cursor.next(tx).map_err(sql)? {
                None => return Ok(()),
                Some((rid, bytes)) => {
                    locator.clear();
                    locator.extend_from_slice(&rid.to_bytes());
                    row.clear();
                    row.extend_from_slice(bytes);
                }
            }
            each(tx, &locator, &row)?;
        }
    }
    let mut cursor = btree::seek(hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
    loop {
        ticks.tick(tx)?;
        match cursor.next(tx).map_err(sql)? {
            None => return Ok(()),
            Some((k, bytes)) => {
                locator.clear();
                locator.extend_from_slice(k);
                row.clear();
                row.extend_from_slice(bytes);
            }
        }
        each(tx, &locator, &row)?;
    }
}

fn fetch(tx: &mut Transaction, table: &Table, locator: &[u8]) -> SqlResult<Vec<u8>> {
    let hobt = table.base().hobt()?;
    let mut row = Vec::new();
    let found = if table.is_heap() {
        let rid = locator.try_into().map_err(|_| crate::rowcodec::damaged("a row's locator"))?;
        heap::fetch(tx, hobt, Rid::from_bytes(rid), ScanLocks::None, &mut row).map_err(sql)?
    } else {
        btree::get(tx, hobt, locator, ScanLocks::None, &mut row).map_err(sql)?
    };
    match found {
        true => Ok(row),
        false => Err(crate::rowcodec::damaged("a row that went away")),
    }
}

/// What a key that is there twice is told with: the index, and a row's values.
pub(crate) type Duplicate<'a> = &'a dyn Fn(&Index, &[Value]) -> Box<SqlError>;

/// What puts an entry, key and value, into an index.
pub(crate) type Put<'a> =
    &'a mut dyn FnMut(&mut Transaction, &[u8], &[u8]) -> Result<(), StorageError>;

/// Fills an empty nonclustered index from the rows of its table.
pub fn nonclustered(
    tx: &mut Transaction,
    table: &Table,
    index: &Arc<Index>,
    twice: Duplicate<'_>,
) -> SqlResult<()> {
    let mut load = btree::TreeLoad::open(tx, index.hobt()?, index.fill_factor).map_err(sql)?;
    load.pad(index.padded);
    let mut entries = Entries::new(tx, table, index);
    for_each_row(tx, table, |tx, locator, row| entries.add(tx, table, locator, row))?;
    entries.each(tx, table, twice, &mut |tx, k, value| load.push(tx, k, value))?;
    load.finish(tx).map(drop).map_err(sql)
}

/// The entries of a nonclustered index for some rows of its table, to be sorted.
pub(crate) struct Entries {
    index: Arc<Index>,
    sorter: Sorter,
    key: Vec<u8>,
    covered: Vec<u8>,
    value: Vec<u8>,
    values: Vec<Value>,
    own: Vec<Value>,
}

impl Entries {
    /// None yet.
    pub fn new(tx: &Transaction, table: &Table, index: &Arc<Index>) -> Entries {
        Entries {
            index: index.clone(),
            sorter: Sorter::new(SortSpace::beside(tx.database(), MEMORY)),
            key: Vec::new(),
            covered: Vec::new(),
            value: Vec::new(),
            values: vec![Value::Null; table.columns.len()],
            own: Vec::with_capacity(index.covered.len()),
        }
    }

    /// Adds that of a row.
    pub fn add(
        &mut self,
        tx: &mut Transaction,
        table: &Table,
        locator: &[u8],
        row: &[u8],
    ) -> SqlResult<()> {
        let (index, hobt) = (&*self.index, table.base().hobt()?);
        // Only what the index has: a table's other columns may be many, and on pages of their own.
        for c in &index.covered {
            self.values[*c] = table.layout.get(row, *c, &mut TableLobs { tx, hobt })?;
        }
        if !index.holds(&self.values) {
            return Ok(());
        }
        self.key.clear();
        index.key.append_row(&self.values, &mut self.key);
        if index.tail() == KeyTail::Locator {
            self.key.extend_from_slice(locator);
        }
        check_key(index, &self.values, &self.key)?;
        self.own.clear();
        self.own.extend(index.covered.iter().map(|c| self.values[*c].clone()));
        let lobs = &mut crate::rowcodec::NoLobs;
        index.covered_layout.encode(&self.own, &mut self.covered, lobs)?;
        key::write_entry(locator, &self.covered, &mut self.value);
        self.sorter.push(&self.key, &self.value)
    }

    /// Gives them to `put` in order of their keys.
    pub fn each(
        self,
        tx: &mut Transaction,
        table: &Table,
        twice: Duplicate<'_>,
        put: Put<'_>,
    ) -> SqlResult<()> {
        let mut sorted = self.sorter.sorted()?;
        let mut ticks = Ticks::default();
        while let Some((k, value)) = sorted.next()? {
            ticks.tick(tx)?;
            match put(tx, k, value) {
                Ok(()) => {}
                Err(StorageError::DuplicateKey) => {
                    let locator = key::read_entry(value)?.0.to_vec();
                    let values = values_at(tx, table, &locator)?;
                    return Err(twice(&self.index, &values));
                }
                Err(e) => return Err(e.to_sql()),
            }
        }
        Ok(())
    }
}

/// Message 1505.
pub fn duplicate_key(table: &Table, index: &Index, values: &[Value]) -> Box<SqlError> {
    let columns = index.key.columns().iter().map(|c| (&values[c.column], c.ty, c.collation));
    let text = text::key_text(columns);
    SqlError::new(1505, &[&table.head.qualified(), &index.name, &text])
}

/// The values of a row.
fn values_at(tx: &mut Transaction, table: &Table, locator: &[u8]) -> SqlResult<Vec<Value>> {
    let row = fetch(tx, table, locator)?;
    let mut values = Vec::new();
    let hobt = table.base().hobt()?;
    table.layout.decode(&row, &mut values, &mut TableLobs { tx, hobt })?;
    Ok(values)
}

/// Copies all rows of `source` into the empty base of `target` (its new heap or clustered index), with `change` applied
/// to each row's values. Without a change rows are copied as they are where both tables have them alike, long values aside.
pub fn base(
    tx: &mut Transaction,
    catalog: &Catalog,
    source: &Table,
    target: &Table,
    change: Option<&dyn Fn(Vec<Value>) -> SqlResult<Vec<Value>>>,
) -> SqlResult<()> {
    let index = target.base();
    let (from, to) = (source.base().hobt()?.clone(), index.hobt()?.clone());
    // A second transaction reads while the first one writes.
    let session = tx.database().clone();
    let mut reader = session.begin(BeginSpec {
        name: "IndexBuild",
        lock_timeout_ms: -1,
        ..BeginSpec::default()
    });
    let mut ticks = Ticks::default();
    let alike = change.is_none() && source.layout.columns() == target.layout.columns();
    let convert =
        |tx: &mut Transaction, reader: &mut Transaction, row: Vec<u8>| -> SqlResult<Vec<u8>> {
            if alike && source.layout.lobs(&row)?.is_empty() {
                return Ok(row);
            }
            let mut values = Vec::new();
            source.layout.decode(&row, &mut values, &mut TableLobs { tx: reader, hobt: &from })?;
            if let Some(change) = change {
                values = change(values)?;
            }
            let mut out = Vec::new();
            let lobs: &mut dyn Lobs = &mut TableLobs { tx, hobt: &to };
            target.layout.encode(&values, &mut out, lobs)?;
            target.refuse_nulls(&out)?;
            Ok(out)
        };
    if target.is_heap() {
        let mut load = heap::HeapLoad::open(&to);
        for_each_row(&mut reader, source, |reader, _, row| {
            ticks.tick(tx)?;
            let row = convert(tx, reader, row.to_vec())?;
            load.push(tx, &row).map_err(sql)
        })?;
        load.finish(tx).map_err(sql)?;
        return reader.commit(Durability::Delayed).map_err(sql);
    }
    let mut load = btree::TreeLoad::open(tx, &to, index.fill_factor).map_err(sql)?;
    load.pad(index.padded);
    let mut sorter = Sorter::new(SortSpace::beside(tx.database(), MEMORY));
    let mut k = Vec::new();
    let mut values = vec![Value::Null; target.columns.len()];
    for_each_row(&mut reader, source, |reader, _, row| {
        ticks.tick(tx)?;
        let row = convert(tx, reader, row.to_vec())?;
        for c in index.key.columns() {
            values[c.column] =
                target.layout.get(&row, c.column, &mut TableLobs { tx, hobt: &to })?;
        }
        k.clear();
        index.key.append_row(&values, &mut k);
        if index.tail() == KeyTail::RowNumber {
            k.extend_from_slice(&catalog.next_row_number()?.to_be_bytes());
        }
        check_key(index, &values, &k)?;
        sorter.push(&k, &row)
    })?;
    let mut sorted = sorter.sorted()?;
    while let Some((k, row)) = sorted.next()? {
        ticks.tick(tx)?;
        match load.push(tx, k, row) {
            Ok(()) => {}
            Err(StorageError::DuplicateKey) => {
                let mut values = Vec::new();
                let row = row.to_vec();
                target.layout.decode(&row, &mut values, &mut TableLobs { tx, hobt: &to })?;
                return Err(duplicate_key(target, index, &values));
            }
            Err(e) => return Err(sql(e)),
        }
    }
    load.finish(tx).map_err(sql)?;
    reader.commit(Durability::Delayed).map_err(sql)
}
