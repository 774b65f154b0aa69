//! A running statement: its frame, its variables, its subqueries.

use crate::catalog::Table;
use crate::database::Database;
use crate::exec::keyed::Keying;
use crate::exec::ops::Op;
use crate::exec::ops::view::Partners;
use crate::memory::{self, Held};
use crate::plan::expr::Slot;
use crate::plan::subquery::SubqueryPlan;
use crate::session::context::StatementContext;
use hashbrown::HashTable;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_types::{Collation, Value};

/// A statement that runs.
pub struct Rt<'a> {
    /// Session and client.
    pub cx: StatementContext<'a>,
    /// The batch's or procedure's variables.
    pub vars: &'a mut Vec<Value>,
    /// The statement's values.
    pub frame: Vec<Value>,
    /// The raw row that a scan with a locator is on.
    pub target_row: Vec<u8>,
    /// How many locks were held before the first row of the statement's target was locked, if those of rows that are not changed go
    /// at its end, or (true) are shared ones from then on.
    pub(crate) locked_from: Option<(usize, bool)>,
    /// Tables whose rows another mention of them locks for good (UPDLOCK, XLOCK).
    pub(crate) kept: Vec<ObjectId>,
    /// Where a view that is being opened stands in a join: see [`Partners`].
    pub(crate) partners: Option<Partners<'a>>,
    /// The statement's subqueries, by number.
    pub(super) subqueries: &'a [SubqueryPlan],
    /// What they keep.
    pub(crate) subs: Vec<SubState<'a>>,
    /// What a chain of operators hands to its next step.
    pub(crate) carried: Option<Value>,
    ticks: u32,
}

/// What a subquery keeps from one evaluation to the next.
#[derive(Default)]
pub(crate) struct SubState<'a> {
    /// Its operators.
    pub op: Option<Op<'a>>,
    /// The result of an uncorrelated one.
    pub cached: Option<SubResult>,
    /// The results of a correlated one for all outer rows.
    pub keying: Keying,
}

/// The result of a subquery that is run once.
pub(crate) enum SubResult {
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
    /// A statement with a frame of so many slots and these subqueries.
    pub fn new(
        cx: StatementContext<'a>,
        vars: &'a mut Vec<Value>,
        mut frame: Vec<Value>,
        slots: usize,
        subqueries: &'a [SubqueryPlan],
    ) -> Rt<'a> {
        frame.clear();
        if slots > 0 {
            frame.resize(slots, Value::Null);
        }
        let subs = match subqueries {
            [] => Vec::new(),
            some => some.iter().map(|_| SubState::default()).collect(),
        };
        Rt {
            cx,
            vars,
            frame,
            target_row: Vec::new(),
            locked_from: None,
            kept: Vec::new(),
            partners: None,
            subqueries,
            subs,
            carried: None,
            ticks: 0,
        }
    }

    /// The operators of a subquery, not opened.
    pub(crate) fn build_subquery(&self, index: usize) -> Op<'a> {
        super::ops::build(&self.subqueries[index].node)
    }

    /// The rows of the target have been changed: those that were locked and not changed are let go.
    pub(crate) fn release_unchanged(&mut self, database: &Database, table: &Table) {
        if let Some((mark, shared)) = self.locked_from.take()
            && !self.kept.contains(&table.id())
        {
            self.cx.session.part(database.id).release_unchanged(table.id(), mark, shared);
        }
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

    #[cold]
    fn look(&self) -> SqlResult<()> {
        self.cx.session.check_cancel()?;
        memory::check()
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

    /// NULL into slots.
    pub fn clear(&mut self, slots: &[Slot]) {
        for s in slots {
            self.frame[*s as usize] = Value::Null;
        }
    }
}

/// A set of single values under a collation.
pub(crate) struct ValueSet {
    table: HashTable<Value>,
    collation: Collation,
    held: Held,
}

impl ValueSet {
    pub fn new(collation: Collation) -> ValueSet {
        ValueSet { table: HashTable::new(), collation, held: Held::default() }
    }

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

    pub fn contains(&self, v: &Value) -> bool {
        let h = taffrail_types::compare::hash(v, self.collation);
        self.table.find(h, |w| equal(w, v, self.collation)).is_some()
    }

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

    /// Counts what the last rows take.
    pub fn count(&mut self, rows: usize) {
        let from = self.values.len() - rows * self.width;
        self.held.values(&self.values[from..]);
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
