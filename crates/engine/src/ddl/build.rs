//! Fills heaps and indexes from rows that exist: index creation, a new clustered index, a changed row layout.
//!
//! Entries are made in one pass over the table, sorted by their keys in memory (keys and, for a nonclustered index, the
//! covered row; rows of a new clustered index are fetched in the order of the keys), and written by the tree's bulk
//! build. The caller holds Sch-M on the table, so nobody changes rows meanwhile.

use crate::catalog::{Catalog, Index, IndexKind, KeyTail, Table};
use crate::rowcodec::{Lobs, TableLobs, key};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{
    BeginSpec, Direction, Durability, KeyRange, Rid, ScanLocks, StorageError, Transaction, btree,
    heap,
};
use taffrail_types::{Value, text};

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql(0)
}

/// For the iterator that a bulk build takes.
struct BuildError(Box<SqlError>);

impl From<StorageError> for BuildError {
    fn from(e: StorageError) -> BuildError {
        BuildError(sql(e))
    }
}

/// Calls `each` with the locator and bytes of every row of a table, in order of its base.
pub(crate) fn for_each_row(
    tx: &mut Transaction,
    table: &Table,
    mut each: impl FnMut(&mut Transaction, &[u8], &[u8]) -> SqlResult<()>,
) -> SqlResult<()> {
    let hobt = table.base().hobt()?;
    let (mut locator, mut row) = (Vec::new(), Vec::new());
    if table.is_heap() {
        let mut cursor = heap::scan(hobt, ScanLocks::None);
        loop {
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

/// Keys and what belongs to them, in one piece of memory.
#[derive(Default)]
struct Entries {
    bytes: Vec<u8>,
    /// Start, end of the key, end of the value.
    places: Vec<(usize, usize, usize)>,
}

impl Entries {
    fn push(&mut self, key: &[u8], value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.places.push((start, middle, self.bytes.len()));
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.places.sort_unstable_by(|a, b| bytes[a.0..a.1].cmp(&bytes[b.0..b.1]));
    }

    fn key(&self, n: usize) -> &[u8] {
        &self.bytes[self.places[n].0..self.places[n].1]
    }

    fn value(&self, n: usize) -> &[u8] {
        &self.bytes[self.places[n].1..self.places[n].2]
    }

    /// The first of two neighbours with one key.
    fn duplicate(&self) -> Option<usize> {
        (1..self.places.len()).find(|n| self.key(*n) == self.key(n - 1))
    }
}

/// Message 1505 for the row at `locator`.
fn duplicate_key(
    tx: &mut Transaction,
    table: &Table,
    source: &Table,
    index: &Index,
    locator: &[u8],
) -> Box<SqlError> {
    let mut values = Vec::new();
    let read = (|| -> SqlResult<()> {
        let row = fetch(tx, source, locator)?;
        let hobt = source.base().hobt()?;
        source.layout.decode(&row, &mut values, &mut TableLobs { tx, hobt })
    })();
    if let Err(e) = read {
        return e;
    }
    let columns = index.key.columns().iter().map(|c| (&values[c.column], c.ty));
    let text = text::key_text(columns);
    SqlError::new(1505, &[&table.head.qualified(), &index.name, &text])
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

/// Fills an empty nonclustered index from the rows of its table.
pub(crate) fn nonclustered(tx: &mut Transaction, table: &Table, index: &Index) -> SqlResult<()> {
    let mut entries = Entries::default();
    let (mut k, mut covered, mut value) = (Vec::new(), Vec::new(), Vec::new());
    let mut values = Vec::new();
    for_each_row(tx, table, |tx, locator, row| {
        values.clear();
        let hobt = table.base().hobt()?;
        table.layout.decode(row, &mut values, &mut TableLobs { tx, hobt })?;
        k.clear();
        index.key.append_row(&values, &mut k);
        if index.tail() == KeyTail::Locator {
            k.extend_from_slice(locator);
        }
        check_key(&k, index)?;
        let row: Vec<Value> = index.covered.iter().map(|c| values[*c].clone()).collect();
        index.covered_layout.encode(&row, &mut covered, &mut crate::rowcodec::NoLobs)?;
        key::write_entry(locator, &covered, &mut value);
        entries.push(&k, &value);
        Ok(())
    })?;
    entries.sort();
    if let Some(n) = entries.duplicate() {
        let locator = key::read_entry(entries.value(n))?.0.to_vec();
        return Err(duplicate_key(tx, table, table, index, &locator));
    }
    let all = (0..entries.places.len())
        .map(|n| Ok::<_, BuildError>((entries.key(n).to_vec(), entries.value(n).to_vec())));
    btree::build(tx, index.hobt()?, all).map_err(|e| e.0)?;
    Ok(())
}

/// 1946 when a key is too long for its index.
fn check_key(k: &[u8], index: &Index) -> SqlResult<()> {
    let (max, what) = match index.kind {
        IndexKind::Nonclustered => (btree::MAX_KEY, "nonclustered"),
        _ => (btree::MAX_KEY, "clustered"),
    };
    if k.len() > max {
        return Err(SqlError::new(1946, &[&k.len(), &index.name, &max, &what]));
    }
    Ok(())
}

/// Copies all rows of `source` into the empty base of `target` (its new heap or clustered index), with `change` applied
/// to each row's values. Without a change rows are copied as they are, long values aside.
pub(crate) fn base(
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
    let convert =
        |tx: &mut Transaction, reader: &mut Transaction, row: Vec<u8>| -> SqlResult<Vec<u8>> {
            if change.is_none() && source.layout.lobs(&row)?.is_empty() {
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
            Ok(out)
        };
    if target.is_heap() {
        for_each_row(&mut reader, source, |reader, _, row| {
            let row = convert(tx, reader, row.to_vec())?;
            heap::insert(tx, &to, &row).map_err(sql)?;
            Ok(())
        })?;
        return reader.commit(Durability::Delayed).map_err(sql);
    }
    let mut entries = Entries::default();
    let mut k = Vec::new();
    for_each_row(&mut reader, source, |reader, locator, row| {
        let mut values = Vec::new();
        source.layout.decode(row, &mut values, &mut TableLobs { tx: reader, hobt: &from })?;
        if let Some(change) = change {
            values = change(values)?;
        }
        k.clear();
        index.key.append_row(&values, &mut k);
        if index.tail() == KeyTail::RowNumber {
            k.extend_from_slice(&catalog.next_row_number()?.to_be_bytes());
        }
        check_key(&k, index)?;
        entries.push(&k, locator);
        Ok(())
    })?;
    entries.sort();
    if let Some(n) = entries.duplicate() {
        let locator = entries.value(n).to_vec();
        return Err(duplicate_key(tx, target, source, index, &locator));
    }
    // Long values are written one by one; other rows go in bulk.
    let plain = change.is_none();
    let mut has_long = false;
    if plain {
        for_each_row(&mut reader, source, |_, _, row| {
            has_long |= !source.layout.lobs(row)?.is_empty();
            Ok(())
        })?;
    }
    if plain && !has_long {
        let all = (0..entries.places.len()).map(|n| {
            let row = fetch(&mut reader, source, entries.value(n)).map_err(BuildError)?;
            Ok::<_, BuildError>((entries.key(n).to_vec(), row))
        });
        btree::build(tx, &to, all).map_err(|e| e.0)?;
    } else {
        for n in 0..entries.places.len() {
            let row = fetch(&mut reader, source, entries.value(n))?;
            let row = convert(tx, &mut reader, row)?;
            btree::insert(tx, &to, entries.key(n), &row).map_err(sql)?;
        }
    }
    reader.commit(Durability::Delayed).map_err(sql)
}
