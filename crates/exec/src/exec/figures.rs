//! The cost of executions: of every statement that has a plan, and of every module that is an object, beside its plans.
//!
//! An execution is counted once it has ended, whether it has failed or not; one that the client has cancelled is not. A statement's
//! begins when its plan is there, so that what planning takes is left out, and ends when what it changed is committed, where it commits
//! by itself. What triggers and functions do within it is part of it.
//!
//! The clock is dear beside a statement of a microsecond. So one that has turned out to be short is timed at each [`EVERY`]th execution,
//! which stands for those before it as well; everything else, waits too, is counted at each.

use super::interpret::{Interpreter, Unwind};
use super::module::{Module, Plan, Stmt};
use super::planning::Source;
use crate::session::Session;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::Moment;
use taffrail_observe::session::{PagesTouched, pages_touched};

/// So many executions are timed before a statement may count as short.
const FIRST: u64 = 32;
/// Of short ones every so manieth is timed.
const EVERY: u32 = 16;
/// A short execution takes less on the average, ns.
const SHORT: u64 = 20_000;

/// The beginning of an execution.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    /// None for one that is not timed.
    at: Option<Moment>,
    waited: u64,
    spilled: u64,
    pages: PagesTouched,
}

/// A figure over all executions: their sum, the last one's, the least and the greatest.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Spread {
    pub total: u64,
    pub last: u64,
    pub min: u64,
    pub max: u64,
}

impl Spread {
    #[inline]
    fn add(&mut self, n: u64, first: bool) {
        // Most statements read and write nothing of the disk.
        if n == 0 && self.max == 0 {
            return;
        }
        self.total += n;
        self.seen(n, first);
    }

    #[inline]
    fn seen(&mut self, n: u64, first: bool) {
        self.last = n;
        self.min = if first { n } else { self.min.min(n) };
        self.max = self.max.max(n);
    }
}

/// The figures of a statement or module since its plan was made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Executions that have ended.
    pub executions: u64,
    /// When the last of these began that was timed.
    pub began: Moment,
    /// Executions since then.
    untimed: u32,
    /// Time on the worker, which is all that is no wait, ns.
    pub worker: Spread,
    /// Time from the beginning to the end, ns.
    pub elapsed: Spread,
    /// Pages looked up in the buffer pool.
    pub logical_reads: Spread,
    /// Pages read from disk.
    pub physical_reads: Spread,
    /// Pages that were clean before.
    pub logical_writes: Spread,
    /// Rows that were sent or changed.
    pub rows: Spread,
    /// Pages of rows that had no room in memory.
    pub spills: Spread,
}

/// Counts the executions of one statement or module.
#[derive(Default, Debug)]
pub struct Tally {
    figures: Mutex<Figures>,
    /// So many executions go untimed before the next one that is timed.
    skips: AtomicU32,
}

impl Tally {
    /// The figures so far.
    pub fn figures(&self) -> Figures {
        *self.figures.lock()
    }

    /// A new plan begins anew.
    pub(super) fn clear(&self) {
        *self.figures.lock() = Figures::default();
        self.skips.store(0, Relaxed);
    }

    /// Whether the execution that begins is to be timed.
    #[inline]
    fn times(&self) -> bool {
        self.skips.load(Relaxed) == 0
    }

    /// An execution has ended.
    fn add(&self, session: &Session, began: &Started, rows: u64) {
        let pages = pages_touched().since(began.pages);
        let waited = session.cell.waited_ns.get().saturating_sub(began.waited);
        let spilled = session.cell.internal_allocated.get().saturating_sub(began.spilled);
        let mut figures = self.figures.lock();
        let first = figures.executions == 0;
        figures.executions += 1;
        figures.logical_reads.add(pages.looked_up, first);
        figures.physical_reads.add(pages.read, first);
        figures.logical_writes.add(pages.dirtied, first);
        figures.rows.add(rows, first);
        figures.spills.add(spilled, first);
        figures.elapsed.total += waited;
        match began.at {
            None => {
                figures.untimed += 1;
                self.skips.store((EVERY - 1).saturating_sub(figures.untimed), Relaxed);
            }
            Some(at) => self.timed(&mut figures, at, waited, first),
        }
    }

    fn timed(&self, figures: &mut Figures, at: Moment, waited: u64, first: bool) {
        let elapsed = Moment::now().since(at);
        let worker = elapsed.saturating_sub(waited);
        // It stands for those that were not timed, whose waits are known.
        let all = worker * u64::from(1 + figures.untimed);
        figures.worker.total += all;
        figures.elapsed.total += all;
        figures.worker.seen(worker, first);
        figures.elapsed.seen(elapsed, first);
        (figures.began, figures.untimed) = (at, 0);
        let n = figures.executions;
        let short = n >= FIRST && figures.worker.total / n < SHORT;
        self.skips.store(if short { EVERY - 1 } else { 0 }, Relaxed);
    }
}

impl Session {
    /// The execution of a plan begins, with the number that it has in its module: it uses its indexes.
    #[inline]
    pub(crate) fn starts_plan(&self, module: &Module, number: u32, plan: &Arc<Plan>) -> Started {
        let began = self.starts(&module.shared[number as usize].tally);
        plan.count_uses(began.at);
        if self.activation.options.profiling.is_on() {
            self.notes_plan(module, plan);
        }
        began
    }

    /// The moment and the counters with which an execution begins.
    #[inline]
    pub(crate) fn starts(&self, tally: &Tally) -> Started {
        let waited = self.cell.waited_ns.get();
        let spilled = self.cell.internal_allocated.get();
        let at = tally.times().then(Moment::now);
        Started { at, waited, spilled, pages: pages_touched() }
    }
}

impl Interpreter<'_> {
    /// The execution of a module's statement, by the number of its plan, has ended. `began`: none, where it had no plan yet.
    #[inline]
    pub(crate) fn executed(
        &self,
        module: &Module,
        number: u32,
        began: Option<Started>,
        ended: Result<u64, &SqlError>,
    ) {
        let Some(began) = began else { return };
        let rows = match ended {
            Ok(rows) => rows,
            Err(e) if Unwind::of(e).is_some() => return,
            Err(_) => 0,
        };
        if let Some(variants) = module.shared.get(number as usize) {
            variants.tally.add(self.session, &began, rows);
        }
    }
}

impl Interpreter<'_> {
    /// Runs `f` as a statement on the plan of a number, which gives one value: an expression or condition outside of queries.
    pub(super) fn counted<R>(
        &mut self,
        (module, s): (&Arc<Module>, &Stmt),
        number: u32,
        source: &Source<'_>,
        f: impl FnOnce(&mut Self, &Plan) -> SqlResult<R>,
    ) -> SqlResult<R> {
        match self.session.activation.options.profiling.is_on() {
            false => self.counted_plan((module, s), number, source, f),
            true => {
                self.profiled((module, s), |it| it.counted_plan((module, s), number, source, f))
            }
        }
    }

    fn counted_plan<R>(
        &mut self,
        (module, s): (&Arc<Module>, &Stmt),
        number: u32,
        source: &Source<'_>,
        f: impl FnOnce(&mut Self, &Plan) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let mut began = None;
        let spilled = self.session.cell.internal_allocated.get();
        let ended = self.in_statement(|it| {
            let plan = it.locked_plan(module, number, s.visible, source)?;
            began = Some(it.session.starts_plan(module, number, &plan));
            f(it, &plan)
        });
        self.executed(module, number, began, ended.as_ref().map(|_| 1).map_err(|e| &**e));
        if self.session.activation.options.statistics_io && ended.is_ok() {
            self.tell_io(module, Some(number), spilled).map_err(|_| client_gone())?;
        }
        ended
    }
}

/// A module that runs, with the beginning of its run.
pub(crate) struct ModuleRun {
    module: Arc<Module>,
    began: Started,
}

impl Session {
    /// The run of a module begins; none of a text, of which only the statements are shown.
    #[inline]
    pub(super) fn module_starts(&self, module: &Arc<Module>) -> Option<ModuleRun> {
        module.object()?;
        Some(ModuleRun { module: module.clone(), began: self.starts(&module.ran) })
    }

    /// The run of a module has ended.
    pub(super) fn module_ran(&self, run: &ModuleRun) {
        run.module.ran.add(self, &run.began, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_execution_stands_for_those_before_it() {
        let (tally, mut figures) = (Tally::default(), Figures::default());
        figures.executions = FIRST;
        figures.untimed = 3;
        tally.timed(&mut figures, Moment::now(), 0, false);
        assert_eq!(figures.worker.total, 4 * figures.worker.last);
        assert_eq!(figures.elapsed.total, figures.worker.total);
        assert!(!tally.times(), "an execution of next to nothing is short");
        tally.clear();
        assert!(tally.times());
    }
}
