//! From batches to changes, one by one, in the order of the log.

use super::Ticks;
use super::ahead::{Ahead, Images};
use super::batch::{Batch, Event, Range, RowKey, What, row_key};
use super::ends::{Ended, Xact, Xacts};
use super::history::{History, Owner, Schema};
use super::source::{Cursor, Source, no_such};
use super::splice::replace;
use std::collections::HashMap;
use std::sync::Arc;
use taffrail_base::{LogPos, Lsn, SqlResult, TransactionId};
use taffrail_storage::access::record::changes::{Stored, is_ghost};
use taffrail_storage::access::record::facts::Begin;

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Insert,
    Update,
    Delete,
    Truncate,
    Drop,
    Load,
}

impl Kind {
    /// As `operation` shows it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Insert => "INSERT",
            Kind::Update => "UPDATE",
            Kind::Delete => "DELETE",
            Kind::Truncate => "TRUNCATE TABLE",
            Kind::Drop => "DROP TABLE",
            Kind::Load => "BULK LOAD",
        }
    }
}

/// A committed change of a row, or of all rows of a table. Rows are bytes of the table's layout.
pub(crate) struct Change {
    pub lsn: Lsn,
    pub pos: LogPos,
    pub txn: TransactionId,
    pub kind: Kind,
    pub owner: Arc<Owner>,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// What is not told, and why.
    pub note: Option<String>,
    /// The note says only that the table's columns have changed since.
    pub reshaped: bool,
    pub begin: Option<Arc<Begin>>,
    /// The commit record's LSN and time.
    pub commit: (Lsn, u64),
}

/// Images of rows up to so many bytes are kept from one batch to the next.
const KEPT: usize = 8 << 20;

/// Reads the changes of a range.
pub(crate) struct Scan {
    pub source: Arc<Source>,
    history: Arc<History>,
    range: Range,
    cursor: Cursor,
    end: LogPos,
    xacts: Xacts,
    batch: Batch,
    next: usize,
    over: bool,
    images: Images,
    /// Rows of heaps on their way to another page, by the key of their stub.
    moved: HashMap<RowKey, Vec<u8>>,
    ticks: Ticks,
}

impl Scan {
    /// Of all that the source has.
    pub fn open(source: Arc<Source>, range: Range) -> SqlResult<Scan> {
        let mut ticks = Ticks::default();
        let history = Arc::new(History::read(&source, &mut ticks)?);
        let first = source.first();
        Scan::within(source, history, range, first)
    }

    /// Of what comes behind a position, where its history is known.
    fn within(
        source: Arc<Source>,
        history: Arc<History>,
        range: Range,
        from: LogPos,
    ) -> SqlResult<Scan> {
        let (cursor, end) = (source.cursor(from)?, source.end());
        let mut scan = Scan {
            source,
            history,
            range,
            cursor,
            end,
            xacts: Xacts::default(),
            batch: Batch::default(),
            next: 0,
            over: false,
            images: Images::new(),
            moved: HashMap::new(),
            ticks: Ticks::default(),
        };
        scan.begin()?;
        Ok(scan)
    }

    /// Of a stretch of a transaction that is known.
    pub(crate) fn of_transaction(
        source: Arc<Source>,
        history: Arc<History>,
        range: Range,
        (from, end): (LogPos, LogPos),
        (txn, xact): (TransactionId, Xact),
    ) -> SqlResult<Scan> {
        let mut scan = Scan::within(source, history, range, from)?;
        (scan.end, scan.xacts) = (end, Xacts::of(txn, xact));
        Ok(scan)
    }

    /// Goes to the first LSN that is asked for, which must be there; transactions that are open there are known then.
    fn begin(&mut self) -> SqlResult<()> {
        let Some(first) = self.range.first else { return Ok(()) };
        let source = self.source.clone();
        while self.cursor.position() < self.end {
            self.ticks.tick()?;
            let xacts = &mut self.xacts;
            let found = self.cursor.step(&source, |e| {
                if e.lsn >= first {
                    return Some((e.lsn == first, e.record.pos));
                }
                if xacts.see(e) {
                    xacts.drop(e.record.header.txn);
                }
                None
            })?;
            match found {
                Some(Some((true, pos))) => {
                    self.cursor = source.cursor(pos)?;
                    return Ok(());
                }
                Some(None) => {}
                Some(Some((false, _))) | None => break,
            }
        }
        Err(no_such(&first, &source.database().name))
    }

    /// The next change.
    pub fn next(&mut self) -> SqlResult<Option<Change>> {
        loop {
            while self.next < self.batch.events.len() {
                self.ticks.tick()?;
                self.next += 1;
                if let Some(change) = self.event(self.next - 1)? {
                    return Ok(Some(change));
                }
            }
            if self.over || !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next batch; false: there is none.
    fn fill(&mut self) -> SqlResult<bool> {
        self.xacts.forget(self.cursor.position());
        if self.images.values().map(Vec::len).sum::<usize>() > KEPT {
            self.images.clear();
        }
        let from = (&*self.source, &*self.history);
        let (range, end, ticks) = (self.range, self.end, &mut self.ticks);
        self.over = self.batch.read(&mut self.cursor, from, &mut self.xacts, &range, end, ticks)?;
        self.next = 0;
        if self.batch.events.is_empty() {
            return Ok(!self.over);
        }
        let emptied = |e: &Event| matches!(e.what, What::Emptied);
        if !self.batch.formatted.is_empty() || self.batch.events.iter().any(emptied) {
            self.images.clear();
        }
        let mut ahead = Ahead {
            source: &self.source,
            history: &self.history,
            batch: &self.batch,
            ticks: &mut self.ticks,
        };
        let at = self.batch.end(&self.cursor);
        ahead.resolve(at, &mut self.xacts, &mut self.images)?;
        Ok(true)
    }

    /// What an event changed; none: nothing that was committed, or the change is told with another record.
    fn event(&mut self, at: usize) -> SqlResult<Option<Change>> {
        let e = &mut self.batch.events[at];
        let Some(x) = self.xacts.get(e.txn) else { return Ok(None) };
        if x.took_back(e.pos) {
            return Ok(None);
        }
        let told = Told::of(e, &self.batch.chains, &mut self.images, &mut self.moved);
        let (Some(Ended::Committed { lsn, time }), Some(told)) = (x.ended, told) else {
            return Ok(None);
        };
        let owner = match e.what {
            What::Dropped(object) => self.history.of_object(object),
            _ => self.history.owner(e.hobt),
        };
        let Some(owner) = owner.cloned() else { return Ok(None) };
        let mut change = Change {
            lsn: e.lsn,
            pos: e.pos,
            txn: e.txn,
            kind: told.kind,
            owner,
            before: told.before,
            after: told.after,
            note: None,
            reshaped: false,
            begin: x.begin.clone(),
            commit: (lsn, time),
        };
        change.note = self.note(&mut change, &told.unlogged);
        Ok(Some(change))
    }

    /// What is not told of a change; what the table of today cannot tell of is taken out.
    fn note(&self, c: &mut Change, unlogged: &Option<i64>) -> Option<String> {
        match c.kind {
            Kind::Truncate => return Some("the rows are not in the log".into()),
            Kind::Drop => return Some("the rows are not in the log".into()),
            Kind::Load => {
                let rows = unlogged.unwrap_or(0);
                return Some(format!("minimally logged: {rows} rows are not in the log"));
            }
            _ => {}
        }
        let lost = match c.kind {
            Kind::Insert => c.after.is_none(),
            Kind::Delete => c.before.is_none(),
            _ => c.before.is_none() || c.after.is_none(),
        };
        let (object, pos) = (c.owner.object, c.pos);
        let after = |what| self.history.changed_after(object, pos, what);
        if c.owner.table.is_none() {
            (c.before, c.after) = (None, None);
            return Some(match after(Schema::Dropped) {
                Some(lsn) => format!("the table was dropped at {lsn}: its columns are not known"),
                None => "the table is not in the database: its columns are not known".into(),
            });
        }
        if let (Some(altered), false) = (after(Schema::Altered), c.owner.live) {
            (c.before, c.after) = (None, None);
            return Some(format!(
                "the table's columns were changed at {altered}, and its rows written anew"
            ));
        }
        if lost {
            return Some(match after(Schema::Rebuilt) {
                Some(lsn) => format!(
                    "the row's other columns are not in the log: the table was rebuilt at {lsn}"
                ),
                None => "the row's other columns are not in the log".into(),
            });
        }
        let altered = self.history.reshaped_after(object, pos)?;
        c.reshaped = true;
        Some(format!(
            "the table was altered at {altered}: columns that it has lost since are not shown"
        ))
    }
}

/// What an event tells.
struct Told {
    kind: Kind,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    unlogged: Option<i64>,
}

fn told(kind: Kind, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Told> {
    let own = |b: Option<&[u8]>| b.map(<[u8]>::to_vec);
    Some(Told { kind, before: own(before), after: own(after), unlogged: None })
}

impl Told {
    /// Carries the event out on the images of rows.
    fn of(
        e: &Event,
        chains: &HashMap<RowKey, Vec<u32>>,
        images: &mut Images,
        moved: &mut HashMap<RowKey, Vec<u8>>,
    ) -> Option<Told> {
        let mut key = Vec::new();
        let mut keep = |images: &mut Images, row: Option<&[u8]>| {
            if chains.is_empty() && images.is_empty() {
                return;
            }
            e.key(&mut key);
            match row {
                Some(row) if chains.contains_key(&key[..]) => {
                    drop(images.insert(key.as_slice().into(), row.to_vec()));
                }
                _ => drop(images.remove(&key[..])),
            }
        };
        match &e.what {
            What::Insert(bytes) => {
                keep(images, Some(bytes));
                match Stored::of(e.heap, bytes)? {
                    Stored::Entry(_, row) | Stored::Row(row) => told(Kind::Insert, None, Some(row)),
                    Stored::Stub(_) => None,
                    Stored::Moved(home, row) => {
                        let mut stub = Vec::new();
                        row_key(&mut stub, e.hobt, true, (home.page, home.slot), &[]);
                        moved.insert(stub.into(), row.to_vec());
                        None
                    }
                }
            }
            What::Delete(bytes) => {
                // It stays as a ghost, into which the same key may come again.
                let mut ghost = bytes.to_vec();
                if let Some(flags) = ghost.first_mut() {
                    *flags |= 1;
                }
                keep(images, Some(&ghost));
                match Stored::of(e.heap, bytes)? {
                    Stored::Entry(_, row) | Stored::Row(row) => told(Kind::Delete, Some(row), None),
                    Stored::Stub(_) => None,
                    Stored::Moved(home, row) => {
                        let mut stub = Vec::new();
                        row_key(&mut stub, e.hobt, true, (home.page, home.slot), &[]);
                        match moved.remove(&stub[..]) {
                            Some(now) => told(Kind::Update, Some(row), Some(&now)),
                            None => told(Kind::Delete, Some(row), None),
                        }
                    }
                }
            }
            What::DeleteUnseen => {
                keep(images, None);
                told(Kind::Delete, None, None)
            }
            What::Modify { at, before, after, row } => {
                Told::modified(e, (*at, before, after), row, images, moved)
            }
            What::Emptied => told(Kind::Truncate, None, None),
            What::Dropped(_) => told(Kind::Drop, None, None),
            What::Unlogged(rows) => {
                let mut load = told(Kind::Load, None, None)?;
                load.unlogged = Some(*rows);
                Some(load)
            }
        }
    }

    fn modified(
        e: &Event,
        (at, before, after): (usize, &[u8], &[u8]),
        row: &RowKey,
        images: &mut Images,
        moved: &mut HashMap<RowKey, Vec<u8>>,
    ) -> Option<Told> {
        let old = images.get(row).cloned();
        let fits = images.get_mut(row).is_some_and(|now| {
            now.get(at..at + before.len()) == Some(before) && replace(now, at, before.len(), after)
        });
        if !fits {
            images.remove(row);
            let revived = at == 0 && !e.heap && is_ghost(before) && !is_ghost(after);
            let stub =
                e.heap && at == 0 && matches!(Stored::of(true, after), Some(Stored::Stub(_)));
            return match (revived, stub) {
                (true, _) => told(Kind::Insert, None, None),
                (_, true) => told(Kind::Update, None, moved.remove(row).as_deref()),
                _ => told(Kind::Update, None, None),
            };
        }
        let (old, new) = (old?, images.get(row)?);
        match (Stored::of(e.heap, &old)?, Stored::of(e.heap, new)?) {
            (Stored::Entry(..), Stored::Entry(_, b)) if is_ghost(&old) => {
                told(Kind::Insert, None, Some(b))
            }
            (Stored::Entry(_, a), Stored::Entry(_, b)) | (Stored::Row(a), Stored::Row(b)) => {
                told(Kind::Update, Some(a), Some(b))
            }
            (Stored::Moved(_, a), Stored::Moved(_, b)) => told(Kind::Update, Some(a), Some(b)),
            (Stored::Row(a), Stored::Stub(_)) => {
                told(Kind::Update, Some(a), moved.remove(row).as_deref())
            }
            _ => None,
        }
    }
}
