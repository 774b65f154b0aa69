//! SET STATISTICS XML and PROFILE: what the operators of a statement have done, sent behind its own result.
//!
//! Each statement of a procedure, text or trigger tells its own plan, and so do the conditions and values that are queries; what a function
//! runs is told by nobody. Whoever may not see plans (SHOWPLAN) does not run the statement. One that fails tells nothing.

use super::interpret::{Interpreter, Step, Unwind, source_of};
use super::module::{Module, Stmt, StmtKind};
use super::profile::{self, PlanRun};
use crate::sink::Command;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_observe::Moment;

const MS: u64 = 1_000_000;

impl Interpreter<'_> {
    /// Runs a statement, and tells what it has touched (STATISTICS IO) and what its operators have done.
    #[cold]
    pub(super) fn statement_told(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        // The settings before the statement count: SET … OFF tells nothing any more, SET … ON nothing yet.
        let options = self.session.activation.options;
        let plain = source_of(s).is_none() || matches!(s.kind, StmtKind::DeclareCursor(_));
        if !options.profiling.is_on() || plain || !self.tells_plans(module) {
            return match options.statistics_io {
                true => self.statement_with_io(module, s),
                false => self.statement_now(module, s),
            };
        }
        let begun = match self.begin_profile() {
            Ok(begun) => begun,
            Err(e) => return self.fail(module, s, e, true, Command::NONE),
        };
        let step = match options.statistics_io {
            true => self.statement_with_io(module, s),
            false => self.statement_now(module, s),
        };
        let succeeded = step.is_ok() && self.session.activation.last.error == 0;
        let told = self.end_profile(begun, (module, s), succeeded);
        told.map_err(|e| Unwind::of(&e).unwrap_or(Unwind::Gone))?;
        step
    }

    /// Whether the plan of what runs now is told: rows that go to a table or a function's are no place for it, and nobody is shown what an
    /// encrypted module does.
    fn tells_plans(&self, module: &Module) -> bool {
        let activation = &self.session.activation;
        let shown = !module.encrypted && !activation.options.fmtonly;
        shown && !activation.in_function && activation.taking.is_none()
    }

    /// Runs `f` with its operators counted, and tells their work once it has succeeded.
    #[cold]
    pub(super) fn profiled<R>(
        &mut self,
        place: (&Arc<Module>, &Stmt),
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        if !self.tells_plans(place.0) {
            return f(self);
        }
        let begun = self.begin_profile()?;
        let result = f(self);
        self.end_profile(begun, place, result.is_ok())?;
        result
    }

    fn begin_profile(&self) -> SqlResult<Begun> {
        self.session.allow_showing_plans()?;
        let (at, cpu) = (Moment::now(), self.session.entry.cpu_ns());
        Ok(Begun { outer: profile::begin(), at, cpu })
    }

    fn end_profile(
        &mut self,
        Begun { outer, at, cpu }: Begun,
        (module, s): (&Arc<Module>, &Stmt),
        succeeded: bool,
    ) -> SqlResult<()> {
        let mut run = profile::end(outer);
        let Some(plan) = run.plan.take().filter(|_| succeeded) else { return Ok(()) };
        let elapsed = Moment::now().since(at);
        let cpu = self.session.entry.cpu_ns().saturating_sub(cpu).min(elapsed);
        let last = (self.session.activation.last.row_count, self.session.activation.last.error);
        let rows = if source_of(s).is_some() { last.0.max(0) as u64 } else { 1 };
        let told = module.told_plan(&plan, std::mem::take(&mut run.parameters));
        let counted = |counter| Some(run.of(counter, rows));
        self.show_profile(module, s, told, (&counted, rows, (cpu / MS, elapsed / MS)))?;
        // The rows of the plan are none of the statement's.
        (self.session.activation.last.row_count, self.session.activation.last.error) = last;
        Ok(())
    }
}

/// A statement whose operators are counted, at its beginning.
struct Begun {
    outer: Option<PlanRun>,
    at: Moment,
    cpu: u64,
}
