//! A running statement: its frame, its variables, its subqueries.

use crate::catalog::Table;
use crate::database::Database;
use crate::exec::keyed::Keying;
use crate::exec::ops::Op;
use crate::exec::ops::scan::claim;
use crate::exec::ops::view::Partners;
use crate::exec::rows::{SpillFile, SpillSpace};
use crate::memory::{self, Held};
use crate::plan::expr::Slot;
use crate::plan::locking::{Patience, Rejected};
use crate::plan::subquery::SubqueryPlan;
use crate::session::context::StatementContext;
use hashbrown::HashTable;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_types::{Collation, Value};

/// A statement that runs, for the time of a call: what it owns ([`StatementState`]), and the session, the client and the variables that
/// it works with.
pub struct Rt<'a> {
    /// Session and client.
    pub cx: StatementContext<'a>,
    /// The batch's or procedure's variables.
    pub vars: &'a mut Vec<Value>,
    /// The statement's subqueries, by number.
    pub(super) subqueries: &'a [SubqueryPlan],
    /// From here on the statement's state: see [`StatementState`].
    pub frame: Vec<Value>,
    /// The raw row that a scan with a locator is on.
    pub target_row: Vec<u8>,
    pub(crate) locked_from: Option<(usize, bool)>,
    pub(crate) kept: Vec<(ObjectId, Rejected)>,
    /// Rows that are changed were found by the transaction's snapshot: see [`Rt::claim`].
    pub(crate) claims: bool,
    pub(crate) partners: Option<Box<Partners>>,
    pub(crate) subs: Vec<SubState>,
    pub(crate) carried: Option<Value>,
    /// The file of rows that have no room in memory.
    spill: Option<Arc<SpillFile>>,
    /// Sequences that the statement has locked, for as long as its transaction lasts.
    pub(super) drawn: Vec<super::next_value::Drawn>,
    ticks: u32,
    /// How often a scan came to the end of a part of what it seeks, in this call.
    parts: u32,
    /// Bytes that it had kept when it was left last, and that the thread's request kept when it was taken up.
    held: usize,
    entered: usize,
    pub(crate) turn: u32,
}

/// State of a statement that runs, beside its operators: enough to go on with it in a later batch, or on another thread.
pub struct StatementState {
    /// The statement's values, by slot.
    pub frame: Vec<Value>,
    /// The raw row that a scan with a locator is on.
    pub target_row: Vec<u8>,
    /// How many locks were held before the first row of the statement's target was locked, if those of rows that are not changed go
    /// at its end, or (true) are shared ones from then on.
    pub locked_from: Option<(usize, bool)>,
    /// Tables whose rows another mention of them locks for good: by UPDLOCK or XLOCK ([`Rejected::Kept`]), or as rows that were read and
    /// are to stay as they are ([`Rejected::Shared`]).
    pub kept: Vec<(ObjectId, Rejected)>,
    /// Where a view that is being opened stands in a join: see [`Partners`]. In a box, since each statement makes this state.
    pub partners: Option<Box<Partners>>,
    /// State of the statement's subqueries, by number.
    pub subs: Vec<SubState>,
    /// A value that a chain of operators hands to its next step.
    pub carried: Option<Value>,
    /// The file of rows that have no room in memory.
    pub(crate) spill: Option<Arc<SpillFile>>,
    /// Bytes that the operators and this state keep: they count as memory of whichever request goes on with it, from that request's
    /// beginning.
    pub held: usize,
    /// How often it was left: scans see by it that locks and transactions may be others than before.
    pub turn: u32,
    ticks: u32,
}

const _: () = {
    const fn is_owned<T: Send + 'static>() {}
    is_owned::<StatementState>();
};

impl StatementState {
    /// Of a statement that begins: `slots` values in `frame`, and so many subqueries.
    #[inline]
    pub fn new(mut frame: Vec<Value>, slots: usize, subqueries: usize) -> StatementState {
        frame.clear();
        if slots > 0 {
            frame.resize(slots, Value::Null);
        }
        let mut subs = Vec::new();
        if subqueries > 0 {
            subs.resize_with(subqueries, SubState::default);
        }
        StatementState {
            frame,
            target_row: Vec::new(),
            locked_from: None,
            kept: Vec::new(),
            partners: None,
            subs,
            carried: None,
            spill: None,
            held: 0,
            turn: 0,
            ticks: 0,
        }
    }
}

/// What a subquery keeps from one evaluation to the next.
#[derive(Default)]
pub struct SubState {
    /// Its operators.
    pub op: Option<Op>,
    /// The result of an uncorrelated one.
    pub cached: Option<SubResult>,
    /// The results of a correlated one for all outer rows.
    pub keying: Keying,
}

/// The result of a subquery that is run once.
pub enum SubResult {
    /// A scalar's.
    Value(Value),
    /// EXISTS.
    Exists(bool),
    /// IN: the values, and whether a NULL was among them.
    Set(ValueSet, bool),
}

/// How many rows pass between two looks at the cancel flag.
const ROWS_PER_CHECK: u32 = 256;

impl<'a> Rt<'a> {
    /// A statement that begins, with a frame of so many slots and these subqueries.
    // Each statement of a loop comes by here: without it the whole of `Rt` is copied twice.
    #[inline(always)]
    pub fn new(
        cx: StatementContext<'a>,
        vars: &'a mut Vec<Value>,
        frame: Vec<Value>,
        slots: usize,
        subqueries: &'a [SubqueryPlan],
    ) -> Rt<'a> {
        Rt::resume(cx, vars, subqueries, StatementState::new(frame, slots, subqueries.len()))
    }

    /// A statement that goes on from where it was.
    #[inline(always)]
    pub fn resume(
        cx: StatementContext<'a>,
        vars: &'a mut Vec<Value>,
        subqueries: &'a [SubqueryPlan],
        state: StatementState,
    ) -> Rt<'a> {
        debug_assert_eq!(state.subs.len(), subqueries.len(), "the state of another statement");
        let StatementState {
            frame,
            target_row,
            locked_from,
            kept,
            partners,
            subs,
            carried,
            spill,
            held,
            turn,
            ticks,
        } = state;
        Rt {
            cx,
            vars,
            subqueries,
            frame,
            target_row,
            locked_from,
            kept,
            claims: false,
            partners,
            subs,
            carried,
            spill,
            drawn: Vec::new(),
            ticks,
            parts: 0,
            held,
            entered: memory::used(),
            turn,
        }
    }

    /// Ends the statement: session, variables, frame and raw row are the caller's again.
    // A statement of a loop owns nothing else, and the dropping of seven empty fields is a tenth of its instructions.
    #[inline(always)]
    pub fn end(self) -> (StatementContext<'a>, &'a mut Vec<Value>, Vec<Value>, Vec<u8>) {
        let room = self.kept.capacity() | self.subs.capacity() | self.drawn.capacity();
        let owns =
            room != 0 || self.partners.is_some() | self.carried.is_some() | self.spill.is_some();
        let Rt { cx, vars, frame, target_row, kept, partners, subs, carried, spill, drawn, .. } =
            self;
        match owns {
            true => drop((kept, partners, subs, carried, spill, drawn)),
            false => std::mem::forget((kept, partners, subs, carried, spill, drawn)),
        }
        (cx, vars, frame, target_row)
    }

    /// Leaves the statement, to go on with it later. Nothing of the transaction is in its state: it may have ended by then.
    pub fn pause(self) -> StatementState {
        let held = (self.held + memory::used()).saturating_sub(self.entered);
        StatementState {
            frame: self.frame,
            target_row: self.target_row,
            locked_from: None,
            kept: self.kept,
            partners: self.partners,
            subs: self.subs,
            carried: self.carried,
            spill: self.spill,
            held,
            turn: self.turn.wrapping_add(1),
            ticks: self.ticks,
        }
    }

    /// The operators of a subquery, not opened.
    pub(crate) fn build_subquery(&self, index: usize) -> Op {
        super::ops::build(&self.subqueries[index].node)
    }

    /// Notes that rows of a table stay locked as a mention of it asks for, if it does.
    pub(crate) fn keep(&mut self, table: ObjectId, rows: Option<Rejected>) {
        if let Some(kept) = rows.map(|rows| (table, rows))
            && !self.kept.contains(&kept)
        {
            self.kept.push(kept);
        }
    }

    /// The rows of the target have been changed: those that were locked and not changed are let go.
    pub(crate) fn release_unchanged(&mut self, database: &Database, table: &Table) {
        let Some((mark, shared)) = self.locked_from.take() else { return };
        let kept = |rows| self.kept.contains(&(table.id(), rows));
        if kept(Rejected::Kept) {
            return;
        }
        let shared = shared || kept(Rejected::Shared);
        self.cx.session.part(database.id).release_unchanged(table.id(), mark, shared);
    }

    /// A row is about to be changed. Under SNAPSHOT it is locked, and is to be as the snapshot has it: 3960.
    #[inline]
    pub(crate) fn claim(
        &mut self,
        database: &Database,
        table: &Table,
        locator: &[u8],
    ) -> SqlResult<()> {
        if !self.claims {
            return Ok(());
        }
        let how = (LockMode::X, Patience::Waits);
        claim(self.cx.session, database, table, locator, how)
    }

    /// To be called for every row: ends the statement when the client wants it to.
    #[inline]
    pub fn tick(&mut self) -> SqlResult<()> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(ROWS_PER_CHECK) || memory::is_over() {
            self.look()
        } else {
            Ok(())
        }
    }

    /// How often [`Rt::tick`] was called for a row, or for the end of all. A scan does so for each row that it reads.
    pub(super) fn ticks(&self) -> u32 {
        self.ticks.wrapping_sub(self.parts)
    }

    /// The last call was for no row: a scan has come to the end of a part of what it seeks.
    pub(super) fn ends_part(&mut self) {
        self.parts = self.parts.wrapping_add(1);
    }

    #[cold]
    fn look(&self) -> SqlResult<()> {
        self.cx.session.check_cancel()?;
        memory::check()
    }

    /// The statement's file of rows that have no room in memory.
    #[cold]
    pub(crate) fn spill_file(&mut self) -> SqlResult<Arc<SpillFile>> {
        if let Some(file) = &self.spill {
            return Ok(file.clone());
        }
        let tempdb = self.cx.session.instance.databases().tempdb()?;
        let file = SpillSpace::beside(&tempdb.storage).create()?;
        Ok(self.spill.insert(file).clone())
    }

    /// The values of slots.
    pub fn save(&self, slots: &[Slot], out: &mut Vec<Value>) {
        out.extend(slots.iter().map(|s| self.frame[*s as usize].clone()));
    }

    /// Puts values into slots.
    #[inline]
    pub fn restore(&mut self, slots: &[Slot], values: &[Value]) {
        for (s, v) in slots.iter().zip(values) {
            self.frame[*s as usize].clone_from(v);
        }
    }

    /// Moves values into slots, as many as there are slots.
    pub fn put(&mut self, slots: &[Slot], values: &mut [Value]) {
        for (s, v) in slots.iter().zip(values) {
            self.frame[*s as usize] = std::mem::take(v);
        }
    }

    /// NULL into slots.
    pub fn clear(&mut self, slots: &[Slot]) {
        for s in slots {
            self.frame[*s as usize] = Value::Null;
        }
    }
}

/// A set of single values under a collation.
pub struct ValueSet {
    table: HashTable<Value>,
    collation: Collation,
    held: Held,
}

impl ValueSet {
    /// A set without values, under a collation.
    pub fn new(collation: Collation) -> ValueSet {
        ValueSet { table: HashTable::new(), collation, held: Held::default() }
    }

    /// Adds a value: false where it was there.
    pub fn insert(&mut self, v: Value) -> bool {
        let collation = self.collation;
        let h = taffrail_types::compare::hash(&v, collation);
        if self.table.find(h, |w| equal(w, &v, collation)).is_some() {
            return false;
        }
        self.held.values(std::slice::from_ref(&v));
        self.table.insert_unique(h, v, |v| taffrail_types::compare::hash(v, collation));
        true
    }

    /// Whether a value is there.
    pub fn contains(&self, v: &Value) -> bool {
        let h = taffrail_types::compare::hash(v, self.collation);
        self.table.find(h, |w| equal(w, v, self.collation)).is_some()
    }

    /// A set without values, under the same collation.
    pub fn emptied(&self) -> ValueSet {
        ValueSet::new(self.collation)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}

fn equal(a: &Value, b: &Value, collation: Collation) -> bool {
    taffrail_types::compare::compare(a, b, collation).is_eq()
}

/// Rows of equal width, flat.
#[derive(Default)]
pub(crate) struct RowBuffer {
    pub width: usize,
    pub values: Vec<Value>,
    pub rows: usize,
    held: Held,
}

impl RowBuffer {
    pub fn new(width: usize) -> RowBuffer {
        RowBuffer { width, values: Vec::new(), rows: 0, held: Held::default() }
    }

    pub fn push(&mut self, rt: &Rt<'_>, slots: &[Slot]) {
        debug_assert_eq!(slots.len(), self.width);
        rt.save(slots, &mut self.values);
        self.rows += 1;
        self.count(1);
    }

    /// Adds a row of these values.
    pub fn add(&mut self, row: &[Value]) {
        debug_assert_eq!(row.len(), self.width);
        self.values.extend_from_slice(row);
        self.rows += 1;
        self.count(1);
    }

    /// Adds a row of these values, which are taken out of `row`.
    pub fn take(&mut self, row: &mut Vec<Value>) {
        debug_assert_eq!(row.len(), self.width);
        self.values.append(row);
        self.rows += 1;
        self.count(1);
    }

    /// Counts what the last rows take.
    pub fn count(&mut self, rows: usize) {
        let from = self.values.len() - rows * self.width;
        self.held.values(&self.values[from..]);
    }

    /// The bytes that the rows take.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.held.bytes()
    }

    pub fn row(&self, i: usize) -> &[Value] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.rows = 0;
        self.held.clear();
    }
}
