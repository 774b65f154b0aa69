//! A cursor whose query runs as it is fetched from: OPEN begins it, each FETCH asks it for one row.
//!
//! Between two statements the query holds no lock and no place in a transaction, so COMMIT leaves it where it is. Each FETCH is a statement
//! of its own: it locks the tables, and goes on behind the row that was given last, over the rows as they are now. An operator that has
//! read its input to the end (a sort, the build side of a hash join) gives what it has read then.
//!
//! 1. The tables are those of OPEN: where one has been changed or dropped since, FETCH is refused (16943), and the cursor stays open.
//! 2. An error of the query closes the cursor where an operator may have been left in the middle of a row: it is not asked for the next
//!    one. A scan alone, with what is computed of its rows, goes on.
//! 3. A cursor that scrolls goes along one index. Its place is the key of the entry that it is on, and where that has gone, the place where
//!    it was: the next row is the next one from there, in either direction.
//! 4. SET options that give expressions their meaning are those of OPEN, and so are the isolation level and the current database.

use super::keyset::{self, Fetched};
use super::model::{self, CursorModel, Made, query_of};
use super::positioned::{RowMark, ScanStart};
use super::{Direction, Interpreter};
use crate::database::Database;
use crate::exec::module::Plan;
use crate::exec::ops::{self, Op, scan::lock_tables};
use crate::exec::runtime::{Rt, StatementState};
use crate::memory;
use crate::plan::node::Node;
use crate::session::{Session, SetOptions};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// The query of an open cursor.
pub(super) struct Streaming {
    plan: Arc<Plan>,
    op: Op,
    state: StatementState,
    /// SET options as they were at OPEN.
    options: SetOptions,
    /// The current database at OPEN.
    database: Arc<Database>,
    /// Its last row has been given.
    ended: bool,
    /// An error has left an operator in the middle of a row: it is not asked for the next one.
    pub failed: bool,
    /// Nothing but a scan, what is computed of its rows and conditions on them: behind an error it goes on with the next row.
    is_simple: bool,
    /// Tables of which rows bring marks.
    tables: usize,
    /// It goes along an index in both directions.
    scrolls: bool,
    /// That is the table's clustered index.
    is_clustered: bool,
    /// The place in that index.
    place: ScrollPlace,
    /// The way in which the operators stand right beside the place: back or not; none where they stand elsewhere.
    turned: Option<bool>,
}

/// The place of a cursor that scrolls along an index.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) enum ScrollPlace {
    /// Before the first row.
    #[default]
    Before,
    /// On the entry of a key, or where it was.
    On(Vec<u8>),
    /// Behind the last row.
    Behind,
}

/// Whether the rows of a cursor are read as they are fetched. Views of the catalogue show what was there at OPEN: whoever walks over tables
/// drops some.
pub(super) fn streams(made: &Made, plan: &Plan) -> bool {
    match made.model {
        CursorModel::Static | CursorModel::Keyset => return false,
        CursorModel::Dynamic => return true,
        CursorModel::FastForward => {}
    }
    // DISTINCT, groups, windows, unions and recursion make a copy of what SQL Server would not keep in step with changes either: a loop
    // that changes the table of its cursor comes to an end.
    let mut copied = false;
    query_of(plan).node.visit(&mut |n| {
        copied |= matches!(
            n,
            Node::Distinct(_)
                | Node::Aggregate(_)
                | Node::Window(_)
                | Node::Concat(_)
                | Node::SetOperation(_)
                | Node::Recursive(_)
        );
    });
    if copied {
        return false;
    }
    let mut views = false;
    let mut look = |node: &Node| node.visit(&mut |n| views |= matches!(n, Node::View(_)));
    look(&query_of(plan).node);
    for s in &plan.subqueries {
        look(&s.node);
        s.keyed.iter().for_each(|k| look(&k.node));
    }
    !views
}

/// Locks the tables of a query that has begun before: 16943 where one is another since, or its database has been closed.
pub(super) fn lock_again(session: &mut Session, plan: &Plan) -> SqlResult<()> {
    let changed = || SqlError::new(16943, &[]);
    if plan.is_of_the_past() {
        return Err(changed());
    }
    lock_tables(session, &plan.uses)?;
    let current = plan.uses.iter().all(|u| {
        let owner = session.ddl_owner(&u.database);
        u.database.catalog.is_current(&u.table, owner)
    });
    if current { Ok(()) } else { Err(changed()) }
}

impl Streaming {
    /// Bytes that the query keeps between two statements.
    pub fn held(&self) -> usize {
        self.state.held
    }

    /// The plan that OPEN has made or found.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The place in the index that it goes along.
    pub fn place(&self) -> &ScrollPlace {
        &self.place
    }

    /// Goes to a place, from which the next FETCH counts.
    pub(super) fn go_to(&mut self, place: ScrollPlace) {
        if self.place != place {
            (self.place, self.turned) = (place, None);
        }
    }

    /// The options that it runs under: its own, but for those that say how long it waits.
    fn options(&self, now: &SetOptions) -> SetOptions {
        let (lock_timeout, deadlock_priority) = (now.lock_timeout, now.deadlock_priority);
        SetOptions { lock_timeout, deadlock_priority, ..self.options }
    }
}

impl Interpreter<'_> {
    /// Begins a query whose tables are locked; what its first row waits for is read.
    pub(super) fn begin_streaming(
        &mut self,
        plan: &Arc<Plan>,
        scrolls: bool,
        line: u32,
    ) -> SqlResult<Streaming> {
        let node = &query_of(plan).node;
        let mut op = ops::build(node);
        let state = StatementState::new(Vec::new(), plan.columns.len(), plan.subqueries.len());
        let options = self.session.activation.options;
        let (opened, state) = self.resume_on_variables(&plan.subqueries, state, line, |rt| {
            ops::refuse_counts(rt, node).and_then(|()| op.open(rt))
        });
        opened?;
        memory::check()?;
        let database = self.session.database.clone();
        let plan = plan.clone();
        Ok(Streaming {
            is_simple: model::is_simple(&plan),
            tables: keyset::tables(&plan),
            is_clustered: model::is_clustered(&plan),
            plan,
            op,
            state,
            options,
            database,
            ended: false,
            failed: false,
            scrolls,
            place: ScrollPlace::Before,
            turned: scrolls.then_some(false),
        })
    }

    /// The row to which FETCH goes, of an open cursor whose query works on the cursor's own variables; `by` of RELATIVE.
    pub(super) fn next_streamed(
        &mut self,
        s: &mut Streaming,
        vars: &mut Vec<Value>,
        (direction, by): (&Direction, i64),
        (line, locking): (u32, Option<i32>),
    ) -> SqlResult<Fetched> {
        if s.ended {
            return Ok(Fetched::Nothing);
        }
        if s.database.catalog.is_retired() {
            return Err(SqlError::new(16943, &[]));
        }
        let now = self.session.activation.options;
        self.session.activation.options = s.options(&now);
        let here = std::mem::replace(&mut self.session.database, s.database.clone());
        let fetched = self.in_statement(|it| {
            let plan = s.plan.clone();
            lock_again(it.session, &plan)?;
            let state = std::mem::replace(&mut s.state, StatementState::new(Vec::new(), 0, 0));
            let mut rt = Rt::resume(it.context(line), vars, &plan.subqueries, state);
            let fetched = match s.scrolls {
                true => s.scroll(&mut rt, direction, by),
                false => s.forward(&mut rt),
            };
            s.state = rt.pause();
            s.failed = fetched.is_err() && !s.is_simple;
            if let (Some(cursor), Ok(Fetched::Row(_, marks))) = (locking, &fetched) {
                it.session.lock_rows_of(cursor, marks)?;
            }
            fetched.map_err(|e| it.session.cover(e, plan.tables()))
        });
        self.session.activation.options = now;
        self.session.database = here;
        fetched
    }
}

impl Streaming {
    /// The values of the row that the operators are on, and its marks.
    fn row(&self, rt: &Rt<'_>) -> Fetched {
        let q = query_of(&self.plan);
        let mut row: Vec<Value> = q.outputs.iter().map(|o| rt.frame[*o as usize].clone()).collect();
        let shown = q.columns.len();
        let marks = RowMark::read(&row[shown..shown + 2 * self.tables]);
        row.truncate(shown);
        Fetched::Row(row, marks)
    }

    /// The next row of the query.
    fn forward(&mut self, rt: &mut Rt<'_>) -> SqlResult<Fetched> {
        let there = self.op.next(rt)?;
        memory::check()?;
        self.ended = !there;
        Ok(if there { self.row(rt) } else { Fetched::Nothing })
    }

    /// Goes along the index.
    fn scroll(&mut self, rt: &mut Rt<'_>, direction: &Direction, by: i64) -> SqlResult<Fetched> {
        match direction {
            Direction::Next => self.step(rt, false),
            Direction::Prior => self.step(rt, true),
            Direction::First => {
                self.place = ScrollPlace::Before;
                self.turned = None;
                self.step(rt, false)
            }
            Direction::Last => {
                self.place = ScrollPlace::Behind;
                self.turned = None;
                self.step(rt, true)
            }
            Direction::Again => self.again(rt),
            Direction::Relative(_) if by == 0 => self.again(rt),
            Direction::Relative(_) | Direction::Absolute(_) => {
                let mut fetched = Fetched::Nothing;
                for _ in 0..by.unsigned_abs() {
                    rt.tick()?;
                    fetched = self.step(rt, by < 0)?;
                    if matches!(fetched, Fetched::Nothing) {
                        break;
                    }
                }
                Ok(fetched)
            }
        }
    }

    /// The next row, or (`back`) the one before.
    fn step(&mut self, rt: &mut Rt<'_>, back: bool) -> SqlResult<Fetched> {
        if self.turned != Some(back) {
            let from = match (&self.place, back) {
                (ScrollPlace::Before, true) | (ScrollPlace::Behind, false) => {
                    return Ok(Fetched::Nothing);
                }
                (ScrollPlace::On(key), _) => Some(key.clone()),
                _ => None,
            };
            self.begin_at(rt, ScanStart { from, inclusive: false, turned: back })?;
        }
        let there = self.op.next(rt)?;
        memory::check()?;
        if !there {
            self.place = if back { ScrollPlace::Before } else { ScrollPlace::Behind };
            self.turned = None;
            return Ok(Fetched::Nothing);
        }
        self.place = ScrollPlace::On(self.key(rt));
        Ok(self.row(rt))
    }

    /// The row that it is on, as it is now.
    fn again(&mut self, rt: &mut Rt<'_>) -> SqlResult<Fetched> {
        let ScrollPlace::On(key) = &self.place else { return Ok(Fetched::Nothing) };
        let key = key.clone();
        let start = ScanStart { from: Some(key.clone()), inclusive: true, turned: false };
        self.begin_at(rt, start)?;
        // What is read may be another row, or one that is not to be had: the next FETCH counts from the place.
        self.turned = None;
        let there = self.op.next(rt)? && self.key(rt) == key;
        memory::check()?;
        Ok(if there { self.row(rt) } else { Fetched::Hole })
    }

    /// The operators begin anew at a place of the index.
    fn begin_at(&mut self, rt: &mut Rt<'_>, start: ScanStart) -> SqlResult<()> {
        let turned = start.turned;
        self.turned = None;
        rt.cx.session.held.cursors.reading.start = Some(start);
        let opened = self.op.open(rt);
        rt.cx.session.held.cursors.reading.start = None;
        opened?;
        self.turned = Some(turned);
        Ok(())
    }

    /// The key of the entry that the scan is on.
    fn key(&self, rt: &Rt<'_>) -> Vec<u8> {
        if !self.is_clustered {
            return rt.cx.session.held.cursors.reading.entry.clone();
        }
        let q = query_of(&self.plan);
        let locator = q.outputs.get(q.columns.len()).map(|slot| &rt.frame[*slot as usize]);
        locator.and_then(Value::as_bytes).unwrap_or_default().to_vec()
    }
}
