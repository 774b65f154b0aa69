//! What the operators of a running statement do, counted where SET STATISTICS XML or PROFILE asks for it.
//!
//! A statement runs on its session's thread, and so do the operators that it makes: whether they are counted is the thread's. Where it is,
//! each operator stands in one that counts, under the number that it has in its plan ([`Node::number`]).

use super::module::{Module, Plan};
use super::ops::{Op, Operator};
use super::runtime::Rt;
use crate::plan::node::Node;
use crate::plan::showplan::Counter;
use crate::plan::showplan::document::Actual;
use crate::session::Session;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taffrail_base::SqlResult;
use taffrail_observe::Moment;
use taffrail_observe::session::pages_touched;
use taffrail_types::Value;

thread_local! {
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    static RUN: RefCell<Option<PlanRun>> = const { RefCell::new(None) };
}

/// The work of one operator so far.
#[derive(Default)]
struct Counts {
    rows: AtomicU64,
    read: AtomicU64,
    executions: AtomicU64,
    ends: AtomicU64,
    elapsed_ns: AtomicU64,
    pages: AtomicU64,
    /// It reads a table.
    scans: bool,
}

/// The run of a statement whose operators are counted.
#[derive(Default)]
pub(super) struct PlanRun {
    /// The plan that has run, once it has begun.
    pub plan: Option<Arc<Plan>>,
    /// The values of the module's parameters when it began.
    pub parameters: Vec<Value>,
    counts: HashMap<usize, Arc<Counts>>,
}

/// Whether this thread's operators are counted.
#[inline]
pub(super) fn is_on() -> bool {
    COUNTING.get()
}

/// A statement begins whose operators are counted; what is given back is for [`end`].
pub(super) fn begin() -> Option<PlanRun> {
    COUNTING.set(true);
    RUN.replace(Some(PlanRun::default()))
}

/// The statement has ended: its run. `outer`: the run of the statement around it, if that one is counted.
pub(super) fn end(outer: Option<PlanRun>) -> PlanRun {
    COUNTING.set(outer.is_some());
    RUN.replace(outer).unwrap_or_default()
}

impl Session {
    /// A statement of a module runs this plan; the first one is the statement's own.
    #[cold]
    pub(super) fn notes_plan(&self, module: &Module, plan: &Arc<Plan>) {
        RUN.with_borrow_mut(|run| {
            if let Some(run) = run.as_mut().filter(|run| run.plan.is_none()) {
                run.plan = Some(plan.clone());
                let vars = &self.activation.locals.vars;
                run.parameters = vars.iter().take(module.parameters.len()).cloned().collect();
            }
        });
    }
}

impl PlanRun {
    /// The counts for a line of its plan; `rows`: those of the statement.
    pub fn of(&self, counter: Counter, rows: u64) -> Actual {
        let (number, part) = match counter {
            Counter::Statement => {
                return Actual { rows, executions: 1, ends: 1, ..Actual::default() };
            }
            Counter::Node(n) | Counter::Entries(n) | Counter::Lookups(n) => (n, counter),
        };
        let Some(c) = self.counts.get(&number) else { return Actual::default() };
        let read = c.read.load(Relaxed);
        let actual = Actual {
            rows: c.rows.load(Relaxed),
            read: c.scans.then_some(read),
            executions: c.executions.load(Relaxed),
            ends: c.ends.load(Relaxed),
            elapsed_ms: c.elapsed_ns.load(Relaxed) / 1_000_000,
            logical_reads: c.scans.then(|| c.pages.load(Relaxed)),
        };
        match part {
            // One operator of ours does the work of three: pages are told of the first alone.
            Counter::Entries(_) => Actual { rows: read, ..actual },
            Counter::Lookups(_) => {
                Actual { executions: read, ends: read, logical_reads: None, ..actual }
            }
            _ => actual,
        }
    }
}

/// The operator of a node, counted.
#[cold]
pub(super) fn counted(node: &Node, inner: Op) -> Op {
    let scans = matches!(node, Node::Scan(_));
    let new = || Arc::new(Counts { scans, ..Counts::default() });
    let counts = RUN.with_borrow_mut(|run| {
        run.as_mut().map(|run| run.counts.entry(node.number()).or_insert_with(new).clone())
    });
    match counts {
        Some(counts) => Box::new(CountedOp { inner, counts }),
        None => inner,
    }
}

/// An operator that counts what another one does.
struct CountedOp {
    inner: Op,
    counts: Arc<Counts>,
}

impl CountedOp {
    fn around<R>(&mut self, rt: &mut Rt<'_>, f: impl FnOnce(&mut Op, &mut Rt<'_>) -> R) -> R {
        let (began, pages) = (Moment::now(), pages_touched());
        let result = f(&mut self.inner, rt);
        let counts = &self.counts;
        counts.elapsed_ns.fetch_add(Moment::now().since(began), Relaxed);
        if counts.scans {
            counts.pages.fetch_add(pages_touched().since(pages).looked_up, Relaxed);
        }
        result
    }
}

impl Operator for CountedOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.counts.executions.fetch_add(1, Relaxed);
        self.around(rt, |op, rt| op.open(rt))
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let ticks = rt.ticks();
        let there = self.around(rt, |op, rt| op.next(rt))?;
        let counts = &self.counts;
        let count = if there { &counts.rows } else { &counts.ends };
        count.fetch_add(1, Relaxed);
        if counts.scans {
            // A scan looks for each row that it reads whether it is to end, and once more at its end.
            let rows = rt.ticks().wrapping_sub(ticks).saturating_sub(u32::from(!there));
            counts.read.fetch_add(u64::from(rows), Relaxed);
        }
        Ok(there)
    }
}
