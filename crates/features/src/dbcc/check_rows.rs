//! What rows mean, for a check: columns that can be read, keys that are those of their rows, indexes that have what the table has.
//!
//! An index and its table are compared without looking anything up: of the entries that the table's rows ask for, and of those that
//! are in the index, the number and the sum of their hashes are taken while the pages are walked. If these are equal so are the
//! entries. If not, a second pass looks for each entry's row, and for each row's entry, and names those that have none.

use crate::catalog::systab::SystemTable;
use crate::catalog::{Index, IndexKind, KeyTail, Table};
use crate::exec::bulk::build::for_each_row;
use crate::rowcodec::{Cell, NoLobs};
use crate::rowcodec::{RowLayout, TableLobs, key};
use std::hash::Hasher;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::check::{RowFault, Rows};
use taffrail_storage::{
    Direction, Hobt, KeyRange, LobRef, Rid, ScanLocks, Transaction, btree, heap,
};
use taffrail_types::{Value, text};

/// How many entries, and which.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Digest {
    entries: u64,
    sum: u64,
}

impl Digest {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write_usize(key.len());
        hasher.write(key);
        hasher.write(value);
        self.entries += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

/// Makes the entry of a row.
#[derive(Default)]
struct Maker {
    values: Vec<Value>,
    key: Vec<u8>,
    covered: Vec<u8>,
    value: Vec<u8>,
}

impl Maker {
    /// The values of these columns; of the others NULL.
    fn read(
        &mut self,
        tx: &mut Transaction,
        hobt: &Hobt,
        table: &Table,
        row: &[u8],
        columns: impl Iterator<Item = usize>,
    ) -> SqlResult<()> {
        self.values.clear();
        self.values.resize(table.columns.len(), Value::Null);
        for c in columns {
            self.values[c] = table.layout.get(row, c, &mut TableLobs { tx, hobt })?;
        }
        Ok(())
    }

    /// Key and value, from what was read.
    fn entry(&mut self, index: &Index, locator: &[u8]) -> SqlResult<()> {
        self.key.clear();
        index.key.append_row(&self.values, &mut self.key);
        if index.tail() == KeyTail::Locator {
            self.key.extend_from_slice(locator);
        }
        let own: Vec<Value> = index.covered.iter().map(|c| self.values[*c].clone()).collect();
        index.covered_layout.encode(&own, &mut self.covered, &mut NoLobs)?;
        key::write_entry(locator, &self.covered, &mut self.value);
        Ok(())
    }
}

/// Rows of a table's base.
pub(super) struct BaseRows<'a> {
    tx: &'a mut Transaction,
    table: &'a Table,
    hobt: Arc<Hobt>,
    indexes: &'a [Arc<Index>],
    digests: Vec<Digest>,
    maker: Maker,
    /// Columns that keys and indexes ask for, each once.
    needed: Vec<usize>,
    values: bool,
}

impl<'a> BaseRows<'a> {
    /// To be compared with these indexes; `values`: rows' columns are looked at.
    pub fn new(
        tx: &'a mut Transaction,
        table: &'a Table,
        indexes: &'a [Arc<Index>],
        values: bool,
    ) -> SqlResult<BaseRows<'a>> {
        let base = table.base();
        let mut needed: Vec<usize> =
            indexes.iter().flat_map(|i| i.covered.iter().copied()).collect();
        needed.extend(base.key.columns().iter().map(|c| c.column));
        needed.sort_unstable();
        needed.dedup();
        Ok(BaseRows {
            tx,
            table,
            hobt: base.hobt()?.clone(),
            indexes,
            digests: vec![Digest::default(); indexes.len()],
            maker: Maker::default(),
            needed,
            values,
        })
    }

    /// What each index must have.
    pub(crate) fn into_digests(self) -> Vec<Digest> {
        self.digests
    }

    fn look(&mut self, locator: &[u8], row: &[u8]) -> SqlResult<()> {
        let stored = |c: &usize| !self.table.columns[*c].is_virtual();
        for c in (0..self.table.columns.len()).filter(stored) {
            // Large values are looked at as chains of pages.
            match self.table.layout.cell(row, c)? {
                Cell::Value(v) if v.is_null() && !self.table.columns[c].nullable => {
                    let name = &self.table.columns[c].name;
                    return Err(crate::rowcodec::damaged(&format!("NULL in column {name}")));
                }
                _ => {}
            }
        }
        let columns = self.needed.iter().copied();
        self.maker.read(self.tx, &self.hobt, self.table, row, columns)?;
        let base = self.table.base();
        if base.kind == IndexKind::Clustered {
            self.maker.key.clear();
            base.key.append_row(&self.maker.values, &mut self.maker.key);
            if !locator.starts_with(&self.maker.key) {
                return Err(crate::rowcodec::damaged("its key is not that of its columns"));
            }
        }
        for (index, digest) in self.indexes.iter().zip(&mut self.digests) {
            if !index.holds(&self.maker.values) {
                continue;
            }
            self.maker.entry(index, locator)?;
            digest.add(&self.maker.key, &self.maker.value);
        }
        Ok(())
    }
}

// As `map_err` hands it over.
#[allow(clippy::boxed_local)]
fn bad(e: Box<SqlError>) -> RowFault {
    RowFault::Bad(e.message.to_string())
}

impl Rows for BaseRows<'_> {
    fn begin(&mut self) {
        self.digests.fill(Digest::default());
    }

    fn row(
        &mut self,
        _: Rid,
        locator: &[u8],
        row: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        lobs.extend(self.table.layout.lobs(row).map_err(bad)?);
        if self.values { self.look(locator, row).map_err(bad) } else { Ok(()) }
    }
}

/// Entries of a nonclustered index.
#[derive(Default)]
pub(super) struct EntryRows {
    digest: Digest,
    /// An entry whose row has a version tag, without it.
    plain: Vec<u8>,
}

impl EntryRows {
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl Rows for EntryRows {
    fn begin(&mut self) {
        self.digest = Digest::default();
    }

    fn row(&mut self, _: Rid, k: &[u8], v: &[u8], _: &mut Vec<LobRef>) -> Result<(), RowFault> {
        self.digest.add(k, key::unversioned(v, &mut self.plain).map_err(bad)?);
        Ok(())
    }
}

/// Rows of a table of the catalogue.
pub(super) struct SystemRows {
    layout: RowLayout,
}

impl SystemRows {
    pub fn new(table: &SystemTable) -> SystemRows {
        SystemRows { layout: table.layout() }
    }
}

impl Rows for SystemRows {
    fn row(&mut self, _: Rid, _: &[u8], v: &[u8], lobs: &mut Vec<LobRef>) -> Result<(), RowFault> {
        lobs.extend(self.layout.lobs(v).map_err(bad)?);
        (0..self.layout.columns().len())
            .try_for_each(|c| self.layout.cell(v, c).map(drop).map_err(bad))
    }
}

/// Reads a row by its locator; none: it is not there.
fn fetch(tx: &mut Transaction, table: &Table, locator: &[u8]) -> SqlResult<Option<Vec<u8>>> {
    let hobt = table.base().hobt()?;
    let mut row = Vec::new();
    let found = match (table.is_heap(), locator.try_into()) {
        (true, Err(_)) => return Ok(None),
        (true, Ok(rid)) => heap::fetch(tx, hobt, Rid::from_bytes(rid), ScanLocks::None, &mut row),
        (false, _) => btree::get(tx, hobt, locator, ScanLocks::None, &mut row),
    };
    match found {
        Ok(true) => Ok(Some(row)),
        Ok(false) => Ok(None),
        // A locator may be anything: of a heap, a page that the file does not have.
        Err(e) if e.is_fatal_to_database() => Ok(None),
        Err(e) => Err(e.to_sql()),
    }
}

/// How a message names a row.
fn identified(table: &Table, locator: &[u8]) -> String {
    match locator.try_into() {
        Ok(rid) if table.is_heap() => {
            let rid = Rid::from_bytes(rid);
            format!("HEAP RID = ({}:{}:{})", rid.page.file.0, rid.page.page, rid.slot)
        }
        _ => format!("clustered key = 0x{}", hex(locator)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Which entries have no row (8952), and which rows no entry (8951); so many at most.
// Errors come boxed.
#[allow(clippy::vec_box)]
pub(super) fn differences(
    tx: &mut Transaction,
    table: &Table,
    index: &Arc<Index>,
    most: usize,
    out: &mut Vec<Box<SqlError>>,
) -> SqlResult<()> {
    let before = out.len();
    let (name, id) = (table.head.name.to_string(), table.head.id.0);
    let (base, tree) = (table.base().hobt()?.clone(), index.hobt()?.clone());
    let mut maker = Maker::default();
    let covered = || index.covered.iter().copied();
    let mut plain = Vec::new();
    let told = |out: &mut Vec<Box<SqlError>>, number: i32, detail: i32, by: &str, values: &str| {
        let mut e = SqlError::new(number, &[&name, &id, &index.name, &index.id.0]);
        // The row's own message, without the place that only a page would tell.
        let row = SqlError::new(detail, &[&0, &0, &0, &by, &values]).message;
        let row = row.replacen("(0:0:0) ", "", 1);
        e.message.push_str(&format!(" {row}"));
        out.push(e);
    };
    let mut cursor = btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::None);
    loop {
        let entry = cursor.next(tx).map_err(|e| e.to_sql())?;
        let Some((k, v)) = entry.map(|(k, v)| (k.to_vec(), v.to_vec())) else { break };
        if out.len() - before >= most {
            return Ok(());
        }
        if tx.is_cancelled() {
            return Err(taffrail_base::message::cancelled());
        }
        let Ok((locator, _)) = key::read_entry(&v) else { continue };
        let Ok(value) = key::unversioned(&v, &mut plain) else { continue };
        let same = match fetch(tx, table, locator)? {
            None => false,
            Some(row) => {
                let made = maker.read(tx, &base, table, &row, covered());
                // A row that cannot be read has been told of.
                made.and_then(|()| maker.entry(index, locator)).is_err()
                    || (maker.key == k && maker.value == value && index.holds(&maker.values))
            }
        };
        if !same {
            told(out, 8952, 8956, &identified(table, locator), &format!("key = 0x{}", hex(&k)));
        }
    }
    let half = out.len();
    for_each_row(tx, table, |tx, locator, row| {
        if out.len() - half >= most {
            return Ok(());
        }
        let made = maker.read(tx, &base, table, row, covered());
        if made.and_then(|()| maker.entry(index, locator)).is_err() || !index.holds(&maker.values) {
            return Ok(());
        }
        let mut value = Vec::new();
        let found = btree::get(tx, &tree, &maker.key, ScanLocks::None, &mut value);
        let found = found.map_err(|e| e.to_sql())?;
        if !found || !key::unversioned(&value, &mut plain).is_ok_and(|v| v == maker.value) {
            let columns =
                index.key.columns().iter().map(|c| (&maker.values[c.column], c.ty, c.collation));
            told(out, 8951, 8955, &identified(table, locator), &text::key_text(columns));
        }
        Ok(())
    })
}
