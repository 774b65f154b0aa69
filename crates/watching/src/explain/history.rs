//! What DDL did in a stretch of log: whose each heap and tree is, and what changed of the tables since. The log is read once
//! for it; what is kept depends on how much DDL there was.

use super::Ticks;
use super::source::Source;
use crate::catalog::systab::{SystemTables, key_parts};
use crate::catalog::{Sight, Table};
use crate::rowcodec::{Cell, RowLayout};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use taffrail_base::{HobtId, LogPos, Lsn, ObjectId, SqlResult, TransactionId};
use taffrail_log::{Entry, Lop, Record};
use taffrail_storage::access::record::changes::{
    HobtChange, RowChange, Stored, hobt_change, row_change,
};

/// Whose a heap or tree is.
pub(crate) struct Owner {
    /// `object_id`.
    pub object: ObjectId,
    /// Schema and name, as they are now or were when the table was dropped.
    pub name: Option<(Arc<str>, Arc<str>)>,
    /// The table as it is now.
    pub table: Option<Arc<Table>>,
    /// It is what the table's rows lie in now.
    pub live: bool,
    /// It is a heap.
    pub heap: bool,
}

/// A change of a table's columns, or of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Schema {
    /// It has more columns.
    Added,
    /// ALTER TABLE of another kind, or the like.
    Altered,
    /// Its rows were written anew, into another heap or tree.
    Rebuilt,
    /// DROP TABLE.
    Dropped,
}

struct SchemaChange {
    pos: LogPos,
    lsn: Lsn,
    txn: TransactionId,
    what: Schema,
}

/// How rows were put elsewhere.
struct Copying {
    /// From here on the transaction's changes are its own.
    end: LogPos,
    /// The tree that this is a copy of.
    of: Option<HobtId>,
}

/// What DDL did.
#[derive(Default)]
pub(crate) struct History {
    owners: HashMap<HobtId, Arc<Owner>>,
    /// By object, in order.
    changes: HashMap<ObjectId, Vec<SchemaChange>>,
    /// Heaps and trees that DDL filled with rows that were there before, and by which transaction.
    rebuilt: HashMap<(TransactionId, HobtId), Copying>,
    /// Trees of which others are a copy: the same rows under the same keys.
    copies: HashMap<HobtId, HobtId>,
    /// When rows went by TRUNCATE TABLE, in order.
    emptied: HashMap<HobtId, Vec<LogPos>>,
    /// Transactions that changed definitions of tables.
    defining: HashSet<TransactionId>,
}

/// What is gathered while the log is read.
#[derive(Default)]
struct Gathered {
    hobts: HashMap<HobtId, (ObjectId, bool)>,
    created: HashSet<(TransactionId, ObjectId)>,
    made: Vec<(TransactionId, HobtId, ObjectId, LogPos, Lsn)>,
    /// Heaps and clustered indexes that went, in order.
    gone: HashMap<(TransactionId, ObjectId), Vec<(LogPos, HobtId)>>,
    keys: Keys,
    names: HashMap<ObjectId, (i64, String)>,
    changes: Vec<(ObjectId, SchemaChange)>,
    emptied: Vec<(TransactionId, HobtId, LogPos)>,
    /// Transactions with DDL that were rolled back.
    involved: HashSet<TransactionId>,
    undone: HashSet<TransactionId>,
}

/// Whether the columns of clustered indexes stay what they are: rows of the catalogue are removed and written again.
#[derive(Default)]
struct Keys {
    /// Removed and not written again so far.
    removed: HashMap<(TransactionId, Vec<u8>), Vec<u8>>,
    changed: HashSet<(TransactionId, ObjectId)>,
}

impl Keys {
    fn see(&mut self, r: &Record<'_>) -> SqlResult<()> {
        let txn = r.header.txn;
        let Some((_, change)) = row_change(r) else { return Ok(()) };
        let key = match change {
            RowChange::Inserted(b) | RowChange::Deleted(b) => match Stored::of(false, b) {
                Some(Stored::Entry(key, _)) => key,
                _ => return Ok(()),
            },
            RowChange::Modified { key, .. } | RowChange::DeletedUnseen(key) => key,
        };
        let parts = key_parts(key)?;
        let [object, 1, ..] = parts[..] else { return Ok(()) };
        let before = self.removed.remove(&(txn, key.to_vec()));
        let same = match change {
            RowChange::Deleted(b) => {
                self.removed.insert((txn, key.to_vec()), b.to_vec());
                return Ok(());
            }
            RowChange::Inserted(b) => before.is_some_and(|was| was == b),
            // Of a ghost only that it is one.
            RowChange::Modified { at, before: old, .. } => {
                before.is_some() && at == 0 && old.len() == 1
            }
            RowChange::DeletedUnseen(_) => false,
        };
        if !same {
            self.changed.insert((txn, ObjectId(object as i32)));
        }
        Ok(())
    }

    /// What was not written again is no column of a key any more.
    fn end(&mut self) -> SqlResult<()> {
        for (txn, key) in self.removed.keys() {
            let object = key_parts(key)?.first().copied().unwrap_or(0);
            self.changed.insert((*txn, ObjectId(object as i32)));
        }
        Ok(())
    }
}

impl Gathered {
    fn see(&mut self, e: &Entry<'_>) -> SqlResult<()> {
        let (r, h) = (&e.record, &e.record.header);
        if h.op == Lop::AbortXact && self.involved.contains(&h.txn) {
            self.undone.insert(h.txn);
        }
        if h.hobt.0 == 0 || h.is_compensation() {
            return Ok(());
        }
        if let Some((change, facts)) = hobt_change(r) {
            self.involved.insert(h.txn);
            // Of nonclustered indexes nothing is told.
            if facts.index <= 1 {
                self.hobts.insert(facts.hobt, (facts.object, facts.heap));
                match change {
                    HobtChange::Created => {
                        self.made.push((h.txn, facts.hobt, facts.object, r.pos, e.lsn));
                    }
                    HobtChange::Emptied => self.emptied.push((h.txn, facts.hobt, r.pos)),
                    HobtChange::Dropped => {
                        let gone = self.gone.entry((h.txn, facts.object)).or_default();
                        gone.push((r.pos, facts.hobt));
                    }
                }
            }
            return Ok(());
        }
        if h.hobt == SystemTables::INDEX_COLUMNS.hobt {
            return self.keys.see(r);
        }
        let (objects, columns) = (SystemTables::OBJECTS, SystemTables::COLUMNS);
        if h.hobt != objects.hobt && h.hobt != columns.hobt {
            return Ok(());
        }
        let Some((_, change)) = row_change(r) else { return Ok(()) };
        let (key, row, dropped) = match change {
            RowChange::Inserted(b) | RowChange::Deleted(b) => match Stored::of(false, b) {
                Some(Stored::Entry(key, row)) => {
                    (key, row, matches!(change, RowChange::Deleted(_)))
                }
                _ => return Ok(()),
            },
            RowChange::Modified { before, after, key, .. } if before != after => {
                (key, &[][..], false)
            }
            _ => return Ok(()),
        };
        self.involved.insert(h.txn);
        let parts = key_parts(key)?;
        let object = ObjectId(parts.first().copied().unwrap_or(0) as i32);
        let change = |what| SchemaChange { pos: r.pos, lsn: e.lsn, txn: h.txn, what };
        if h.hobt == columns.hobt {
            let what = if row.is_empty() { Schema::Altered } else { Schema::Added };
            if !dropped {
                self.changes.push((object, change(what)));
            }
            return Ok(());
        }
        if row.is_empty() {
            return Ok(());
        }
        let layout = objects.layout();
        let text = |column| text_of(&layout, row, column);
        if text(2)?.trim_end() != "U" {
            return Ok(());
        }
        let schema = match layout.cell(row, 0)? {
            Cell::Value(v) => v.as_i64().unwrap_or(0),
            Cell::Lob(_) => 0,
        };
        self.names.insert(object, (schema, text(1)?));
        match dropped {
            true => self.changes.push((object, change(Schema::Dropped))),
            false => drop(self.created.insert((h.txn, object))),
        }
        Ok(())
    }
}

fn text_of(layout: &RowLayout, row: &[u8], column: usize) -> SqlResult<String> {
    Ok(match layout.cell(row, column)? {
        Cell::Value(v) => v.as_text().unwrap_or_default(),
        Cell::Lob(_) => String::new(),
    })
}

impl History {
    /// Reads the log.
    pub fn read(source: &Source, ticks: &mut Ticks) -> SqlResult<History> {
        let mut cursor = source.cursor(source.first())?;
        let (mut g, end) = (Gathered::default(), source.end());
        while cursor.position() < end {
            ticks.tick()?;
            match cursor.step(source, |e| g.see(e))? {
                Some(seen) => seen?,
                None => break,
            }
        }
        g.keys.end()?;
        Ok(History::of(source, g))
    }

    fn of(source: &Source, g: Gathered) -> History {
        let catalog = &source.database().catalog;
        let mut history = History::default();
        history.defining.extend(g.created.iter().map(|(txn, _)| *txn));
        history.defining.extend(g.changes.iter().map(|(_, change)| change.txn));
        history.defining.extend(g.made.iter().map(|(txn, ..)| *txn));
        let mut tables: HashMap<ObjectId, Arc<Table>> = HashMap::new();
        for table in catalog.tables(Sight::EVERYTHING) {
            tables.insert(table.id(), table);
        }
        let mut hobts = g.hobts;
        for table in tables.values() {
            hobts.insert(table.base().hobt_id, (table.id(), table.is_heap()));
        }
        for (hobt, (object, heap)) in hobts {
            let table = tables.get(&object).cloned();
            let name = match (&table, g.names.get(&object)) {
                (Some(t), _) => Some((t.head.schema.clone(), t.head.name.clone())),
                (None, Some((schema, name))) => {
                    let id = taffrail_base::SchemaId(*schema as i32);
                    let schema = catalog.schema_name(id, Sight::EVERYTHING);
                    Some((schema.unwrap_or_else(|| "?".into()), name.as_str().into()))
                }
                (None, None) => None,
            };
            let live = table.as_ref().is_some_and(|t| t.base().hobt_id == hobt);
            history.owners.insert(hobt, Arc::new(Owner { object, name, table, live, heap }));
        }
        for (object, change) in g.changes {
            let own = g.created.contains(&(change.txn, object)) && change.what == Schema::Added;
            if !own && !g.undone.contains(&change.txn) {
                history.changes.entry(object).or_default().push(change);
            }
        }
        // What a table begins with is no rebuild.
        let mut begun = HashSet::new();
        for (txn, hobt, object, pos, lsn) in g.made {
            let first = g.created.contains(&(txn, object)) && begun.insert(object);
            if !first && !g.undone.contains(&txn) {
                // When all rows are there, what they were in before goes.
                let gone = g.gone.get(&(txn, object));
                let gone = gone.and_then(|all| all.iter().find(|(at, _)| *at > pos)).copied();
                let end = gone.map_or(LogPos::MAX, |(at, _)| at);
                let is_tree = |hobt| history.owners.get(&hobt).is_some_and(|o| !o.heap);
                let reshaped = history.changes.get(&object).is_some_and(|list| {
                    let columns = |c: &SchemaChange| c.pos < end && c.what != Schema::Rebuilt;
                    list.iter().any(columns)
                });
                let of = gone.map(|(_, old)| old).filter(|old| {
                    let same = !reshaped && !g.keys.changed.contains(&(txn, object));
                    same && is_tree(*old) && is_tree(hobt)
                });
                if let Some(of) = of {
                    history.copies.insert(of, hobt);
                }
                history.rebuilt.insert((txn, hobt), Copying { end, of });
                let change = SchemaChange { pos, lsn, txn, what: Schema::Rebuilt };
                history.changes.entry(object).or_default().push(change);
            }
        }
        history.changes.values_mut().for_each(|list| list.sort_by_key(|c| c.pos));
        for (txn, hobt, pos) in g.emptied {
            if !g.undone.contains(&txn) {
                history.emptied.entry(hobt).or_default().push(pos);
            }
        }
        history
    }

    /// Whose it is; none: not a table's rows.
    pub fn owner(&self, hobt: HobtId) -> Option<&Arc<Owner>> {
        self.owners.get(&hobt)
    }

    /// A dropped table by its id: its heap or tree.
    pub fn of_object(&self, object: ObjectId) -> Option<&Arc<Owner>> {
        self.owners.values().find(|o| o.object == object)
    }

    /// The record puts a row there that had been elsewhere: no change of the table.
    pub(crate) fn is_rebuild(&self, txn: TransactionId, hobt: HobtId, pos: LogPos) -> bool {
        self.rebuilt.get(&(txn, hobt)).is_some_and(|copying| pos < copying.end)
    }

    /// The same, where the row is under its key what it was in another tree: in which.
    pub fn copied_from(&self, txn: TransactionId, hobt: HobtId, pos: LogPos) -> Option<HobtId> {
        self.rebuilt.get(&(txn, hobt)).filter(|copying| pos < copying.end)?.of
    }

    /// The tree into which all rows of this one were put as they were.
    pub(crate) fn copy_of(&self, hobt: HobtId) -> Option<HobtId> {
        self.copies.get(&hobt).copied()
    }

    /// The transaction made, changed, rebuilt or dropped a table.
    pub(crate) fn is_defining(&self, txn: TransactionId) -> bool {
        self.defining.contains(&txn)
    }

    /// When all of its rows went for the first time after `pos`.
    pub(crate) fn emptied_after(&self, hobt: HobtId, pos: LogPos) -> Option<LogPos> {
        self.emptied.get(&hobt)?.iter().copied().find(|at| *at > pos)
    }

    /// The first change of a kind that a table went through after `pos`, in another transaction.
    pub(crate) fn changed_after(&self, object: ObjectId, pos: LogPos, what: Schema) -> Option<Lsn> {
        let list = self.changes.get(&object)?;
        list.iter().find(|c| c.pos > pos && c.what == what).map(|c| c.lsn)
    }

    /// The first change of the columns of a table after `pos`.
    pub(crate) fn reshaped_after(&self, object: ObjectId, pos: LogPos) -> Option<Lsn> {
        let list = self.changes.get(&object)?;
        let columns = |c: &&SchemaChange| matches!(c.what, Schema::Added | Schema::Altered);
        list.iter().filter(columns).find(|c| c.pos > pos).map(|c| c.lsn)
    }
}

/// How many columns a row of a table knows, those dropped since included.
pub(crate) fn columns_known(row: &[u8]) -> usize {
    let u16_at = |at: usize| match row.get(at..at + 2) {
        Some(&[a, b]) => usize::from(u16::from_le_bytes([a, b])),
        _ => 0,
    };
    u16_at(u16_at(2))
}
