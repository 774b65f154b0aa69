//! What rows were when a batch began: from what they are now, back through the log behind the batch.
//!
//! A row's page says up to which record it is what the log made of it. So the log is read from the batch's end to the last such record, and
//! what it says of the rows looked for is taken back, but for records that a rollback had taken back already: those whose compensation
//! is in the page, too. A compensation names the record before the one that it takes back. A transaction that changes a row holds it
//! until its end, so what is not decided yet of a row is of one transaction.

use super::Ticks;
use super::batch::{Batch, RowKey, What, key_of, row_key};
use super::ends::Xacts;
use super::history::History;
use super::source::{Cursor, Source};
use super::splice::{Splice, replace};
use std::collections::{HashMap, HashSet};
use taffrail_base::{HobtId, LogPos, PageId, SqlResult, TransactionId};
use taffrail_log::{Entry, Lop};
use taffrail_storage::access::now;
use taffrail_storage::access::record::changes::{
    RowChange, Stored, formatted, is_loaded_page, loaded_rows, row_change,
};
use taffrail_storage::{Rid, StorageError};

/// More changes of one row by one transaction than this are not kept: what the row was before is not found then.
const MOST: usize = 200_000;

/// A later change of a row.
enum Later {
    Modify(usize, Box<[u8]>, usize),
    Delete(Box<[u8]>),
    Insert,
}

/// A change of a transaction that has not ended yet.
struct Undecided {
    pos: LogPos,
    change: Later,
}

/// A row that is looked for.
struct Look {
    hobt: HobtId,
    /// What it is now; none: it is not there, or there is nothing to look at.
    base: Option<Vec<u8>>,
    /// The last record that is in that; at the most the record from which on it is another row's place.
    upto: LogPos,
    back: Splice,
    /// Of a transaction that has not ended yet: what no rollback has taken back so far.
    open: (TransactionId, Vec<Undecided>),
    /// There is nothing more to be learned of it.
    done: bool,
    lost: bool,
}

impl Look {
    fn lose(&mut self) {
        (self.done, self.lost) = (true, true);
        self.open.1 = Vec::new();
    }

    /// The open transaction takes nothing back any more that is in the row.
    fn settle(&mut self) {
        for Undecided { change, .. } in std::mem::take(&mut self.open.1) {
            if self.done {
                return;
            }
            match change {
                Later::Modify(at, before, after) => self.back.then(at, &before, after),
                Later::Delete(row) => {
                    self.base = Some(row.into_vec());
                    self.done = true;
                }
                // The row that is there now is another one.
                Later::Insert => self.lose(),
            }
        }
    }

    fn row(&self) -> Option<Vec<u8>> {
        if self.lost { None } else { self.back.apply(self.base.as_ref()?) }
    }
}

/// The rows that are looked for.
#[derive(Default)]
struct Looks {
    ids: HashMap<RowKey, usize>,
    list: Vec<Look>,
}

impl Looks {
    fn get(&self, key: &[u8]) -> Option<&Look> {
        self.ids.get(key).map(|id| &self.list[*id])
    }
}

/// A record that may be taken back yet.
#[derive(Clone, Copy)]
enum Done {
    /// An event of the batch, and its row.
    Event(u32, usize),
    /// Behind the batch: where, and its row.
    Later(LogPos, usize),
}

/// Where things are looked up.
pub(super) struct Ahead<'a> {
    pub source: &'a Source,
    pub history: &'a History,
    pub batch: &'a Batch,
    pub ticks: &'a mut Ticks,
}

/// Rows as they were when the batch began, by their keys.
pub(super) type Images = HashMap<RowKey, Vec<u8>>;

impl Ahead<'_> {
    /// Finds out how the batch's transactions ended, and adds to `images` the rows that its modifications need and that are not in it
    /// yet. `at`: everything before was read. What cannot be found stays out.
    pub fn resolve(&mut self, at: LogPos, xacts: &mut Xacts, images: &mut Images) -> SqlResult<()> {
        let mut looks = self.looks(images)?;
        let mut late = HashSet::new();
        let finite = looks.list.iter().filter(|l| l.upto < LogPos::MAX).map(|l| l.upto).max();
        let endless = looks.list.iter().filter(|l| !l.done && l.upto == LogPos::MAX).count();
        let unknown = xacts.unknown();
        if unknown > 0 || endless > 0 || finite.is_some_and(|f| f >= at) {
            self.source.flush()?;
            let mut cursor = self.source.cursor(at)?;
            let need = Need { unknown, endless, finite: finite.unwrap_or(LogPos::ZERO) };
            late = self.read(&mut cursor, need, &mut looks, xacts)?;
        }
        for (key, chain) in &self.batch.chains {
            if images.contains_key(key) {
                continue;
            }
            let now = looks.get(key).and_then(Look::row);
            if let Some(row) = self.first(chain, now, xacts, &late) {
                images.insert(key.clone(), row);
            }
        }
        Ok(())
    }

    /// The rows to be looked for.
    fn looks(&mut self, images: &Images) -> SqlResult<Looks> {
        let mut looks = Looks::default();
        for (key, chain) in &self.batch.chains {
            let Some(&first) = chain.first() else { continue };
            let event = &self.batch.events[first as usize];
            let What::Modify { row, .. } = &event.what else { continue };
            if images.contains_key(key) {
                continue;
            }
            self.ticks.tick()?;
            let mut look = Look {
                hobt: event.hobt,
                base: None,
                upto: LogPos::MAX,
                back: Splice::default(),
                open: (TransactionId::NONE, Vec::new()),
                done: false,
                lost: false,
            };
            // When the place or the whole tree was emptied: what is there now is no descendant.
            let emptied = self.history.emptied_after(event.hobt, event.pos);
            let page = self.batch.formatted.get(&event.at.0).copied();
            let page = page.filter(|at| event.heap && *at > event.pos);
            let barrier = emptied.into_iter().chain(page).min();
            let live = self.history.owner(event.hobt).is_some_and(|o| o.live);
            if let Some(barrier) = barrier {
                look.upto = barrier;
            } else if live && self.source.reaches_now() {
                let key = if event.heap { &[][..] } else { row.get(8..).unwrap_or(&[]) };
                if let Some((base, upto)) = self.now(event.hobt, event.heap, event.at, key)? {
                    (look.base, look.upto) = (Some(base), upto);
                }
            }
            looks.ids.insert(key.clone(), looks.list.len());
            looks.list.push(look);
        }
        Ok(looks)
    }

    fn now(
        &self,
        hobt: HobtId,
        heap: bool,
        at: (PageId, u16),
        key: &[u8],
    ) -> SqlResult<Option<(Vec<u8>, LogPos)>> {
        let storage = &self.source.database().storage;
        let hobt = match storage.hobt(hobt) {
            Ok(hobt) => hobt,
            Err(StorageError::NoSuchHobt(_)) => return Ok(None),
            Err(e) => return Err(e.to_sql()),
        };
        let mut row = Vec::new();
        let found = match heap {
            true => now::heap_slot(storage, &hobt, Rid { page: at.0, slot: at.1 }, &mut row),
            false => now::leaf_entry(storage, &hobt, key, &mut row),
        };
        Ok(found.map_err(|e| e.to_sql())?.map(|upto| (row, upto)))
    }

    /// Reads the log behind the batch. Events of it that were taken back, but are in the rows that were looked at.
    fn read(
        &mut self,
        cursor: &mut Cursor,
        mut need: Need,
        looks: &mut Looks,
        xacts: &mut Xacts,
    ) -> SqlResult<HashSet<u32>> {
        let hobts: HashSet<HobtId> = looks.list.iter().map(|l| l.hobt).collect();
        let mut pages: HashMap<PageId, Vec<usize>> = HashMap::new();
        let mut open: HashMap<TransactionId, HashMap<LogPos, Done>> = HashMap::new();
        for (key, chain) in &self.batch.chains {
            let Some(&look) = looks.ids.get(key) else { continue };
            let event = &self.batch.events[chain[0] as usize];
            if event.heap {
                pages.entry(event.at.0).or_default().push(look);
            }
            for i in chain {
                let e = &self.batch.events[*i as usize];
                if xacts.may_take_back(e.txn, cursor.position()) {
                    open.entry(e.txn).or_default().insert(e.prev, Done::Event(*i, look));
                }
            }
        }
        let (key, late, history) = (Vec::new(), HashSet::new(), self.history);
        let copies = hobts.iter().filter_map(|hobt| history.copy_of(*hobt)).collect();
        let mut reading = Reading { hobts, copies, pages, looks, open, late, key, xacts, history };
        while need.more(cursor.position()) {
            self.ticks.tick()?;
            let seen = cursor.step(self.source, |e| reading.see(e, &mut need))?;
            if seen.is_none() {
                reading.xacts.give_up();
                break;
            }
        }
        reading.looks.list.iter_mut().for_each(Look::settle);
        Ok(reading.late)
    }

    /// What a row was when the batch began. `now`: what it was when the batch ended.
    fn first(
        &self,
        chain: &[u32],
        now: Option<Vec<u8>>,
        xacts: &Xacts,
        late: &HashSet<u32>,
    ) -> Option<Vec<u8>> {
        let mut changes = Vec::new();
        let mut row = None;
        let mut ended = false;
        for i in chain {
            let e = &self.batch.events[*i as usize];
            if xacts.get(e.txn).is_some_and(|x| x.took_back(e.pos)) && !late.contains(i) {
                continue;
            }
            match &e.what {
                What::Modify { at, before, after, .. } => changes.push((*at, before, after)),
                What::Delete(bytes) => {
                    (row, ended) = (Some(bytes.to_vec()), true);
                    break;
                }
                _ => {
                    ended = true;
                    break;
                }
            }
        }
        let mut row = if ended { row } else { now }?;
        for (at, before, after) in changes.into_iter().rev() {
            // Else it is another row, or was put together differently.
            let there = row.get(at..at + after.len()) == Some(&after[..]);
            if !there || !replace(&mut row, at, after.len(), before) {
                return None;
            }
        }
        Some(row)
    }
}

/// How far is to be read.
struct Need {
    /// Transactions whose end is not known.
    unknown: usize,
    /// Rows that may be found anywhere.
    endless: usize,
    /// Where all others are found.
    finite: LogPos,
}

impl Need {
    fn more(&self, at: LogPos) -> bool {
        self.unknown > 0 || self.endless > 0 || at <= self.finite
    }
}

struct Reading<'a> {
    hobts: HashSet<HobtId>,
    /// What those were copied into.
    copies: HashSet<HobtId>,
    /// Heap pages with rows that are looked for.
    pages: HashMap<PageId, Vec<usize>>,
    looks: &'a mut Looks,
    /// What transactions that are open have done to rows that are looked for, by the record before it.
    open: HashMap<TransactionId, HashMap<LogPos, Done>>,
    late: HashSet<u32>,
    key: Vec<u8>,
    xacts: &'a mut Xacts,
    history: &'a History,
}

impl Reading<'_> {
    fn see(&mut self, e: &Entry<'_>, need: &mut Need) {
        let (r, h) = (&e.record, &e.record.header);
        let known = self.xacts.get(h.txn);
        let waited = known.is_some_and(|x| x.used && x.ended.is_none());
        let ended = match known {
            Some(_) => self.xacts.see(e),
            None => matches!(h.op, Lop::CommitXact | Lop::AbortXact),
        };
        if ended {
            need.unknown -= usize::from(waited);
            for done in self.open.remove(&h.txn).unwrap_or_default().into_values() {
                let Done::Later(_, look) = done else { continue };
                let look = &mut self.looks.list[look];
                if look.open.0 == h.txn {
                    let was = look.done;
                    look.settle();
                    need.learned(look, was);
                }
            }
            return;
        }
        if h.is_compensation() {
            self.take_back(r.pos, h.txn, h.undo_next);
            return;
        }
        if let Some(page) = formatted(r)
            && let Some(looks) = self.pages.get(&page)
        {
            for look in looks {
                let look = &mut self.looks.list[*look];
                if !look.done && r.pos <= look.upto {
                    look.lose();
                    need.learned(look, false);
                }
            }
        }
        if self.copies.contains(&h.hobt)
            && let Some(from) = self.history.copied_from(h.txn, h.hobt, r.pos)
        {
            match row_change(r) {
                Some((_, RowChange::Inserted(entry))) => self.copied(r.pos, from, entry, need),
                _ if is_loaded_page(r) => {
                    // A damaged page is found by who reads it for its changes.
                    loaded_rows(r, |_, entry| self.copied(r.pos, from, entry, need));
                }
                _ => {}
            }
            return;
        }
        if !self.hobts.contains(&h.hobt) || !key_of(r, &mut self.key) {
            return;
        }
        let Some(&id) = self.looks.ids.get(&self.key[..]) else { return };
        let look = &mut self.looks.list[id];
        let Some((_, change)) = row_change(r) else { return };
        if look.done || r.pos > look.upto {
            return;
        }
        let change = match change {
            RowChange::Modified { at, before, after, .. } => {
                Later::Modify(at, before.into(), after.len())
            }
            RowChange::Deleted(row) => Later::Delete(row.into()),
            RowChange::Inserted(_) => Later::Insert,
            RowChange::DeletedUnseen(_) => {
                look.lose();
                need.learned(look, false);
                return;
            }
        };
        if look.open.0 != h.txn {
            look.settle();
            need.learned(look, false);
            look.open.0 = h.txn;
            if look.done {
                return;
            }
        }
        look.open.1.push(Undecided { pos: r.pos, change });
        self.open.entry(h.txn).or_default().insert(h.prev, Done::Later(r.pos, id));
        if look.open.1.len() > MOST {
            look.lose();
            need.learned(look, false);
        }
    }

    /// A row of a tree was put into another one as it was.
    fn copied(&mut self, pos: LogPos, from: HobtId, entry: &[u8], need: &mut Need) {
        let Some(Stored::Entry(key, _)) = Stored::of(false, entry) else { return };
        row_key(&mut self.key, from, false, (PageId::NONE, 0), key);
        let Some(&id) = self.looks.ids.get(&self.key[..]) else { return };
        let look = &mut self.looks.list[id];
        if look.done || pos > look.upto {
            return;
        }
        look.settle();
        if !look.done {
            (look.base, look.done) = (Some(entry.to_vec()), true);
        }
        need.learned(look, false);
    }

    /// A compensation takes back the record of its transaction that comes behind `prev`.
    fn take_back(&mut self, pos: LogPos, txn: TransactionId, prev: LogPos) {
        match self.open.get_mut(&txn).and_then(|open| open.remove(&prev)) {
            Some(Done::Event(i, look)) if pos > self.looks.list[look].upto => {
                self.late.insert(i);
            }
            Some(Done::Later(at, look)) => {
                let look = &mut self.looks.list[look];
                let found = look.open.1.iter().rposition(|c| c.pos == at);
                if let Some(i) = found.filter(|_| pos <= look.upto && look.open.0 == txn) {
                    look.open.1.remove(i);
                }
            }
            _ => {}
        }
    }
}

impl Need {
    fn learned(&mut self, look: &Look, was_done: bool) {
        if look.done && !was_done && look.upto == LogPos::MAX {
            self.endless -= 1;
        }
    }
}
