//! Changes of rows as the log has them, some thousand at a time.

use super::Ticks;
use super::ends::Xacts;
use super::history::History;
use super::source::{Cursor, Source, damaged};
use crate::catalog::systab::{SystemTables, key_parts};
use std::collections::{HashMap, HashSet};
use taffrail_base::{HobtId, LogPos, Lsn, ObjectId, PageId, SqlResult, TransactionId};
use taffrail_log::{Entry, Lop, Record};
use taffrail_storage::access::record::changes::{
    HobtChange, RowChange, Stored, formatted, hobt_change, is_loaded_page, loaded_rows,
    minimally_logged, row_change,
};

/// A batch ends with so many changes, or so many bytes of rows.
const EVENTS: usize = 32 << 10;
const BYTES: usize = 16 << 20;

/// What tells a row from all others: its heap or tree, and its key or its place.
pub(super) type RowKey = Box<[u8]>;

/// Writes it.
pub(super) fn row_key(to: &mut Vec<u8>, hobt: HobtId, heap: bool, at: (PageId, u16), key: &[u8]) {
    to.clear();
    to.extend_from_slice(&hobt.0.to_le_bytes());
    match heap {
        true => {
            to.extend_from_slice(&at.0.to_u64().to_le_bytes());
            to.extend_from_slice(&at.1.to_le_bytes());
        }
        false => to.extend_from_slice(key),
    }
}

/// What a record did. Rows are as they lie in their slots.
pub(super) enum What {
    Insert(Box<[u8]>),
    Delete(Box<[u8]>),
    /// In log of format version 2 and before: the row is not in it.
    DeleteUnseen,
    Modify {
        at: usize,
        before: Box<[u8]>,
        after: Box<[u8]>,
        /// Its key or place.
        row: RowKey,
    },
    /// TRUNCATE TABLE.
    Emptied,
    /// DROP TABLE.
    Dropped(ObjectId),
    /// A load whose pages are not logged: so many rows.
    Unlogged(i64),
}

/// A change.
pub(super) struct Event {
    pub lsn: Lsn,
    pub pos: LogPos,
    /// The record of its transaction before it.
    pub prev: LogPos,
    pub txn: TransactionId,
    pub hobt: HobtId,
    pub heap: bool,
    pub at: (PageId, u16),
    pub what: What,
}

impl Event {
    /// Its row.
    pub fn key(&self, to: &mut Vec<u8>) {
        match &self.what {
            What::Insert(b) | What::Delete(b) => {
                let key = match Stored::of(self.heap, b) {
                    Some(Stored::Entry(key, _)) => key,
                    _ => &[],
                };
                row_key(to, self.hobt, self.heap, self.at, key);
            }
            What::Modify { row, .. } => {
                to.clear();
                to.extend_from_slice(row);
            }
            _ => to.clear(),
        }
    }
}

/// Which changes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Range {
    /// From here on.
    pub first: Option<Lsn>,
    /// Up to here.
    pub last: Option<Lsn>,
    /// Only of this table.
    pub object: Option<ObjectId>,
    /// Only of this transaction; the end of the range is not behind its end.
    pub txn: Option<TransactionId>,
}

/// Changes in the order of the log.
#[derive(Default)]
pub(super) struct Batch {
    pub events: Vec<Event>,
    /// Of each row of which some were modified: all that happened to it, in order.
    pub chains: HashMap<RowKey, Vec<u32>>,
    /// Heap pages that were made anew, and when.
    pub formatted: HashMap<PageId, LogPos>,
    /// The record that was read and is none of its own: behind the range, or the first of a copy of a tree.
    beyond: Option<LogPos>,
    /// Copies of trees that have begun.
    begun: HashSet<HobtId>,
    bytes: usize,
}

/// What becomes of a record's row for somebody who looks for certain ones.
pub(super) fn key_of(r: &Record<'_>, to: &mut Vec<u8>) -> bool {
    let h = &r.header;
    let Some((heap, change)) = row_change(r) else { return false };
    let key = match change {
        RowChange::Inserted(b) | RowChange::Deleted(b) => match Stored::of(heap, b) {
            Some(Stored::Entry(key, _)) => key,
            _ => &[],
        },
        RowChange::DeletedUnseen(key) | RowChange::Modified { key, .. } => key,
    };
    row_key(to, h.hobt, heap, (h.page, h.slot), key);
    true
}

impl Batch {
    /// Reads the next one. True: there is no more behind it.
    pub fn read(
        &mut self,
        cursor: &mut Cursor,
        from: (&Source, &History),
        xacts: &mut Xacts,
        range: &Range,
        end: LogPos,
        ticks: &mut Ticks,
    ) -> SqlResult<bool> {
        (self.events, self.bytes) = (Vec::new(), 0);
        self.chains.clear();
        self.formatted.clear();
        self.beyond = None;
        let (source, history) = from;
        while self.events.len() < EVENTS && self.bytes < BYTES {
            ticks.tick()?;
            if cursor.position() >= end {
                return self.all(true);
            }
            let mut copying = false;
            let done = cursor.step(source, |e| -> SqlResult<bool> {
                if range.last.is_some_and(|last| e.lsn > last) || e.record.pos >= end {
                    self.beyond = Some(e.record.pos);
                    return Ok(true);
                }
                let (op, txn) = (e.record.header.op, e.record.header.txn);
                if xacts.see(e) {
                    xacts.drop_unused(txn);
                }
                if let Some(only) = range.txn {
                    let ends = matches!(op, Lop::CommitXact | Lop::AbortXact);
                    if only != txn || ends {
                        return Ok(only == txn);
                    }
                }
                // What rows were is found in the copy, which is read for the batch before it.
                let (h, pos) = (&e.record.header, e.record.pos);
                if history.copied_from(txn, h.hobt, pos).is_some() {
                    copying = self.begun.insert(h.hobt) && !self.events.is_empty();
                    self.beyond = copying.then_some(pos);
                    return Ok(false);
                }
                let before = self.events.len();
                self.note(e, source, history, range)?;
                if self.events.len() > before {
                    xacts.use_for(txn);
                }
                Ok(false)
            })?;
            match done {
                Some(Ok(false)) if copying => break,
                Some(Ok(false)) => {}
                Some(Ok(true)) | None => return self.all(true),
                Some(Err(e)) => return Err(e),
            }
        }
        self.all(false)
    }

    /// Everything before this was read for it.
    pub fn end(&self, cursor: &Cursor) -> LogPos {
        self.beyond.unwrap_or_else(|| cursor.position())
    }

    /// Which changes are about the same rows.
    fn all(&mut self, last: bool) -> SqlResult<bool> {
        for e in &self.events {
            if let What::Modify { row, .. } = &e.what
                && !self.chains.contains_key(row)
            {
                self.chains.insert(row.clone(), Vec::new());
            }
        }
        if !self.chains.is_empty() {
            let mut key = Vec::new();
            for (i, e) in self.events.iter().enumerate() {
                e.key(&mut key);
                if let Some(chain) = self.chains.get_mut(&key[..]) {
                    chain.push(i as u32);
                }
            }
        }
        Ok(last)
    }

    fn push(&mut self, e: &Entry<'_>, heap: bool, slot: u16, what: What) {
        let h = &e.record.header;
        self.bytes += match &what {
            What::Insert(b) | What::Delete(b) => b.len(),
            What::Modify { before, after, row, .. } => before.len() + after.len() + 2 * row.len(),
            _ => 0,
        };
        let at = (h.page, slot);
        let (lsn, pos, prev) = (e.lsn, e.record.pos, h.prev);
        self.events.push(Event { lsn, pos, prev, txn: h.txn, hobt: h.hobt, heap, at, what });
    }

    fn note(
        &mut self,
        e: &Entry<'_>,
        source: &Source,
        history: &History,
        range: &Range,
    ) -> SqlResult<()> {
        let (r, h) = (&e.record, &e.record.header);
        if h.hobt == HobtId::NONE || h.is_compensation() {
            return Ok(());
        }
        if let Some((change, facts)) = hobt_change(r) {
            if change == HobtChange::Emptied && facts.index <= 1 && wanted(facts.object, range) {
                self.push(e, facts.heap, 0, What::Emptied);
                self.events.last_mut().expect("just pushed").hobt = facts.hobt;
            }
            return Ok(());
        }
        if h.hobt == SystemTables::OBJECTS.hobt {
            return self.dropped(e, history, range);
        }
        let Some(owner) = history.owner(h.hobt).filter(|o| wanted(o.object, range)) else {
            return Ok(());
        };
        if history.is_rebuild(h.txn, h.hobt, r.pos) {
            return Ok(());
        }
        let heap = owner.heap;
        if heap && let Some(page) = formatted(r) {
            self.formatted.insert(page, r.pos);
        }
        if is_loaded_page(r) {
            let whole = loaded_rows(r, |slot, row| {
                self.push(e, heap, slot, What::Insert(row.into()));
            });
            return match whole {
                true => Ok(()),
                false => Err(damaged(&source.database().name)),
            };
        }
        if let Some(rows) = minimally_logged(r) {
            self.push(e, heap, 0, What::Unlogged(rows));
            return Ok(());
        }
        let Some((_, change)) = row_change(r) else { return Ok(()) };
        let what = match change {
            RowChange::Inserted(row) => What::Insert(row.into()),
            RowChange::Deleted(row) => What::Delete(row.into()),
            RowChange::DeletedUnseen(_) => What::DeleteUnseen,
            RowChange::Modified { before, after, .. } if before == after => return Ok(()),
            RowChange::Modified { at, before, after, key } => {
                let mut row = Vec::new();
                row_key(&mut row, h.hobt, heap, (h.page, h.slot), key);
                let (before, after, row) = (before.into(), after.into(), row.into());
                What::Modify { at, before, after, row }
            }
        };
        self.push(e, heap, h.slot, what);
        Ok(())
    }

    /// A row of sys.sysobjects that goes is a table dropped, if it is one's.
    fn dropped(&mut self, e: &Entry<'_>, history: &History, range: &Range) -> SqlResult<()> {
        let Some((_, RowChange::Deleted(entry))) = row_change(&e.record) else { return Ok(()) };
        let Some(Stored::Entry(key, _)) = Stored::of(false, entry) else { return Ok(()) };
        let object = ObjectId(key_parts(key)?.first().copied().unwrap_or(0) as i32);
        if wanted(object, range) && history.of_object(object).is_some() {
            self.push(e, false, 0, What::Dropped(object));
        }
        Ok(())
    }
}

fn wanted(object: ObjectId, range: &Range) -> bool {
    object.0 > 0 && range.object.is_none_or(|only| only == object)
}
