//! A running statement: its frame, its variables, its subqueries.

use crate::catalog::Table;
use crate::context::StatementContext;
use crate::database::Database;
use crate::exec::keyed::Keying;
use crate::exec::ops::Op;
use crate::exec::ops::view::Partners;
use crate::memory::{self, Held};
use crate::plan::expr::Slot;
use crate::plan::subquery::SubqueryPlan;
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

/// A map from key values to numbers of rows or groups, kept by hash.
pub(crate) struct KeyMap {
    table: HashTable<(u64, u32)>,
    /// The keys, flat.
    pub keys: Vec<Value>,
    width: usize,
    collations: Vec<Collation>,
    held: Held,
}

impl KeyMap {
    pub fn new(collations: Vec<Collation>) -> KeyMap {
        KeyMap {
            table: HashTable::new(),
            keys: Vec::new(),
            width: collations.len(),
            collations,
            held: Held::default(),
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.keys.clear();
        self.held.clear();
    }

    pub fn len(&self) -> usize {
        self.keys.len().checked_div(self.width).unwrap_or(self.table.len())
    }

    fn hash(&self, key: &[Value]) -> u64 {
        let mut h = 0x9e37_79b9_7f4a_7c15_u64;
        for (v, c) in key.iter().zip(&self.collations) {
            let x = taffrail_types::compare::hash(v, *c);
            h = (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        }
        h
    }

    /// Whether the key of this number, whose hash is the same, is `key`.
    #[inline]
    fn same(&self, at: u32, key: &[Value]) -> bool {
        // One whole number that is not 0 (as NULL is) is told by its hash: [`KeyMap::hash`] and what it is made of can be reversed.
        if let [v] = key
            && v.as_i64().is_some_and(|n| n != 0)
        {
            debug_assert!(equal(&self.keys[at as usize], v, self.collations[0]));
            return true;
        }
        let at = at as usize * self.width;
        let mine = &self.keys[at..at + self.width];
        mine.iter().zip(key).zip(&self.collations).all(|((a, b), c)| equal(a, b, *c))
    }

    pub fn find(&self, key: &[Value]) -> Option<u32> {
        let h = self.hash(key);
        self.table.find(h, |(k, at)| *k == h && self.same(*at, key)).map(|(_, at)| *at)
    }

    /// The key's number, and whether it is new. A new key is taken out of `key`.
    pub fn insert(&mut self, key: &mut Vec<Value>) -> (u32, bool) {
        let h = self.hash(key);
        if let Some((_, at)) = self.table.find(h, |(k, at)| *k == h && self.same(*at, key)) {
            return (*at, false);
        }
        let at = self.len() as u32;
        self.table.insert_unique(h, (h, at), |(h, _)| *h);
        self.held.add(size_of::<(u64, u32)>());
        self.held.values(key);
        self.keys.append(key);
        (at, true)
    }

    pub fn key(&self, at: usize) -> &[Value] {
        &self.keys[at * self.width..(at + 1) * self.width]
    }
}
