//! A cursor whose query runs as it is fetched from: OPEN begins it, each FETCH asks it for one row.
//!
//! Between two statements the query holds no lock and no place in a transaction, so COMMIT leaves it where it is. Each FETCH is a statement
//! of its own: it locks the tables, and goes on behind the row that was given last, over the rows as they are now. An operator that has
//! read its input to the end (a sort, the build side of a hash join) gives what it has read then.
//!
//! 1. The tables are those of OPEN: where one has been changed or dropped since, FETCH is refused (16943), and the cursor stays open.
//! 2. An error of the query closes the cursor: an operator that has failed in the middle of a row is not asked for the next one.
//! 3. SET options that give expressions their meaning are those of OPEN, and so are the isolation level and the current database.

use super::{CursorText, Interpreter, Statement};
use crate::database::Database;
use crate::exec::module::Plan;
use crate::exec::ops::{self, Op, scan::lock_tables};
use crate::exec::runtime::{Rt, StatementState};
use crate::memory;
use crate::plan::node::{Node, QueryPlan};
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
    /// An error has ended it.
    pub failed: bool,
}

/// Whether the rows of a cursor are read as they are fetched. Views of the catalogue show what was there at OPEN: whoever walks over tables
/// drops some.
pub(super) fn streams(text: &CursorText, plan: &Plan) -> bool {
    if text.counted || text.scroll {
        return false;
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

pub(super) fn query_of(plan: &Plan) -> &QueryPlan {
    match &plan.kind {
        Statement::Select(q, _) => &q.plan,
        _ => unreachable!("a cursor's plan is made from a SELECT"),
    }
}

/// Locks the tables of a query that has begun before: 16943 where one is another since, or its database has been closed.
fn lock_again(session: &mut Session, plan: &Plan) -> SqlResult<()> {
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

    /// The options that it runs under: its own, but for those that say how long it waits.
    fn options(&self, now: &SetOptions) -> SetOptions {
        let (lock_timeout, deadlock_priority) = (now.lock_timeout, now.deadlock_priority);
        SetOptions { lock_timeout, deadlock_priority, ..self.options }
    }
}

impl Interpreter<'_> {
    /// Begins a query whose tables are locked; what its first row waits for is read.
    pub(super) fn begin_streaming(&mut self, plan: &Arc<Plan>, line: u32) -> SqlResult<Streaming> {
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
        Ok(Streaming { plan, op, state, options, database, ended: false, failed: false })
    }

    /// The next row of an open cursor's query, which works on the cursor's own variables.
    pub(super) fn next_streamed(
        &mut self,
        s: &mut Streaming,
        vars: &mut Vec<Value>,
        line: u32,
    ) -> SqlResult<Option<Vec<Value>>> {
        if s.ended {
            return Ok(None);
        }
        if s.database.catalog.is_retired() {
            return Err(SqlError::new(16943, &[]));
        }
        let now = self.session.activation.options;
        self.session.activation.options = s.options(&now);
        let here = std::mem::replace(&mut self.session.database, s.database.clone());
        let row = self.in_statement(|it| {
            let plan = s.plan.clone();
            lock_again(it.session, &plan)?;
            let state = std::mem::replace(&mut s.state, StatementState::new(Vec::new(), 0, 0));
            let mut rt = Rt::resume(it.context(line), vars, &plan.subqueries, state);
            let found = s.op.next(&mut rt).and_then(|there| memory::check().map(|()| there));
            let outputs = query_of(&plan).outputs.iter();
            let row = outputs.map(|o| rt.frame[*o as usize].clone()).collect();
            s.state = rt.pause();
            s.failed = found.is_err();
            s.ended = !found.map_err(|e| it.session.cover(e, plan.tables()))?;
            Ok((!s.ended).then_some(row))
        });
        self.session.activation.options = now;
        self.session.database = here;
        row
    }
}
