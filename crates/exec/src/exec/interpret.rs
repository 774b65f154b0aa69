//! The interpreter: statements and the flow of control. How they end is in [`super::ending`].

use super::ending::{command_of, shown_command};
use super::left_out::{is_left_out_under_fmtonly, is_set_showplan, runs_under_noexec};
use super::module::{Code, Cond, Module, Plan, Stmt, StmtKind};
use super::planning::{self, Source};
use super::runtime::{Rt, StatementState};
use super::showplan::Shown as ShownPlans;
use super::timing::{EXECUTED, is_told};
use crate::catalog::Blocked;
use crate::exec::ops::scan::lock_tables;
use crate::memory::{self, Measured};
use crate::plan::expr::Expr;
use crate::plan::statement::Statement;
use crate::plan::subquery::SubqueryPlan;
use crate::session::Session;
use crate::session::context::StatementContext;
use crate::sink::{Command, ResultSink};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::message::{CANCELLED, CLIENT_GONE};
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_observe::xe::{self, statements_wanted};
use taffrail_types::convert::Declared;
use taffrail_types::{SqlType, Value};

/// How a statement went on.
pub enum Flow {
    /// The next statement follows.
    Next,
    /// BREAK: the innermost WHILE ends.
    Break,
    /// CONTINUE: the innermost WHILE looks at its condition.
    Continue,
    /// RETURN: the module ends.
    Return,
    /// GOTO: the label that is gone to.
    Goto(Box<str>),
}

/// Why a module does not go on.
pub enum Unwind {
    /// On its way to a CATCH.
    Error(Box<SqlError>),
    /// On its way to a CATCH outside the module, which it ends.
    Caller(Box<SqlError>),
    /// The module ends (the error has been sent); its caller goes on.
    Module,
    /// The batch ends (the error has been sent).
    Batch,
    /// The INSERT … EXEC or EXEC … WITH RESULT SETS that takes the rows ends (the error has been sent).
    Insert,
    /// The client sent an attention.
    Cancelled,
    /// The client has gone.
    Gone,
}

impl Unwind {
    /// How an error ends everything that is not an error of the statement: the client wanted it, or has gone. It is not
    /// told, undone by no CATCH, and counts as no error.
    pub fn of(e: &SqlError) -> Option<Unwind> {
        match e.number {
            CANCELLED => Some(Unwind::Cancelled),
            CLIENT_GONE => Some(Unwind::Gone),
            _ => None,
        }
    }
}

pub(crate) type Step = Result<Flow, Unwind>;

/// Runs modules for a session.
pub struct Interpreter<'s> {
    /// The session whose modules run.
    pub session: &'s mut Session,
    /// The client that hears of results.
    pub sink: &'s mut dyn ResultSink,
    /// DONEs of conditions and of SETs of variables since one of another statement.
    pub controls: u32,
    /// What SET SHOWPLAN has shown.
    pub shown: ShownPlans,
    /// The variables of the running module while an expression has them; else they are in its activation.
    lent: Vec<Value>,
}

/// What a statement tells at its end.
pub struct Ended {
    /// The command as DONE tells it.
    pub command: Command,
    /// The rows that the statement has counted, if any are told.
    pub rows: Option<u64>,
}

impl<'s> Interpreter<'s> {
    /// An interpreter that runs modules of a session for a client.
    pub fn new(session: &'s mut Session, sink: &'s mut dyn ResultSink) -> Interpreter<'s> {
        Interpreter { session, sink, controls: 0, shown: ShownPlans::default(), lent: Vec::new() }
    }

    /// Session and client for a statement of this line.
    pub fn context(&mut self, line: u32) -> StatementContext<'_> {
        StatementContext { session: self.session, sink: self.sink, line }
    }

    /// The plan of a number, made when there is none that is current. Waits for other sessions' DDL on what it names.
    pub fn plan(
        &mut self,
        module: &Arc<Module>,
        number: u32,
        visible: u32,
        source: &Source<'_>,
    ) -> SqlResult<Arc<Plan>> {
        loop {
            match self.plan_now(module, number, visible, source, false) {
                Ok(Err(e)) => {
                    let e = self.context(0).binding_failed(e)?;
                    return Err(e.with_origin(Origin::Binding));
                }
                Ok(planned) => {
                    let plan = planned?;
                    self.allow(module, &plan)?;
                    return Ok(plan);
                }
                Err(blocked) => self.session.wait_for_ddl(blocked)?,
            }
        }
    }

    /// The same without waiting. `early`: before anything has run.
    pub(super) fn plan_now(
        &mut self,
        module: &Arc<Module>,
        number: u32,
        visible: u32,
        source: &Source<'_>,
        early: bool,
    ) -> Result<SqlResult<Arc<Plan>>, Blocked> {
        let at = number as usize;
        if let Some(p) = &self.session.activation.locals.plans[at]
            && p.is_current(self.session)
        {
            return Ok(Ok(p.clone()));
        }
        // Whoever runs it no more leaves it to be put to other tables.
        self.session.activation.locals.plans[at] = None;
        let shared = &module.shared[at];
        if let Some(p) = shared.find(self.session) {
            self.session.activation.locals.plans[at] = Some(p.clone());
            return Ok(Ok(p));
        }
        let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
        let measured = Measured::begin();
        self.session.take_blocked();
        self.session.lookups.failed_views.take();
        let tables = &self.session.activation.locals.tables;
        let place =
            planning::Place { home: &home, module, visible, tables, early, unguarded: false };
        let plan = planning::plan(self.session, &place, source);
        if let Some(blocked) = self.session.take_blocked() {
            return Err(blocked);
        }
        let plan = match plan {
            Ok(plan) => Arc::new(plan),
            Err(e) => return Ok(Err(e)),
        };
        if let Some(counted) = &mut self.session.activation.locals.counted {
            counted.plan(at, measured.taken());
            if let Err(e) = memory::check() {
                return Ok(Err(e));
            }
        }
        if shared.note_planned() {
            self.session.instance.counters().recompilations.inc();
        }
        if !plan.is_private(self.session.id) && !plan.is_of_the_past() {
            shared.add(self.session, plan.clone());
        }
        // What reads temp tables is planned for the rows that they have when it is reached.
        if !early || plan.temps.is_none() {
            self.session.activation.locals.plans[at] = Some(plan.clone());
            if plan.order_enforced
                && let Err(e) = self.context(0).message(SqlError::new(8625, &[]))
            {
                return Ok(Err(e));
            }
        }
        Ok(Ok(plan))
    }

    /// A plan whose tables are locked and are still what it was made for.
    pub(crate) fn locked_plan(
        &mut self,
        module: &Arc<Module>,
        number: u32,
        visible: u32,
        source: &Source<'_>,
    ) -> SqlResult<Arc<Plan>> {
        loop {
            let plan = self.plan(module, number, visible, source)?;
            debug_assert!(plan.needs_are_there(self.session), "{}", plan.facts);
            if !lock_tables(self.session, &plan.uses)? {
                return Ok(plan);
            }
            let id = self.session.id;
            // The version says it all; what was made beside open DDL of this session is asked for table by table too.
            if plan.is_current(self.session)
                && (!plan.is_private(id)
                    || plan.uses.iter().all(|u| u.database.catalog.is_current(&u.table, id)))
            {
                return Ok(plan);
            }
            self.session.activation.locals.plans[number as usize] = None;
            self.session.check_cancel()?;
        }
    }

    /// Runs a list of statements.
    pub fn list(&mut self, module: &Arc<Module>, list: &[Stmt]) -> Step {
        let mut at = 0;
        while let Some(s) = list.get(at) {
            at += 1;
            // Lists are where jumps land: no loop goes round without coming by.
            if let Err(e) = self.session.check_cancel() {
                return self.fail(module, s, e, false, Command::NONE);
            }
            match self.statement(module, s)? {
                Flow::Next => {}
                Flow::Goto(label) => match position(list, &label) {
                    Some(there) => at = there,
                    None => return Ok(Flow::Goto(label)),
                },
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// Runs a statement.
    pub fn statement(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        self.session.cell.statement_start.store(s.span.start as i32, Relaxed);
        self.session.cell.statement_end.store(s.span.end as i32, Relaxed);
        let o = &self.session.activation.options;
        // One question for all that want to hear of statements: each statement of a loop comes by here.
        let figures = o.statistics_time | o.statistics_io | o.profiling.is_on();
        if xe::targets::full() | statements_wanted() | figures {
            return self.told_statement(module, s);
        }
        self.statement_now(module, s)
    }

    /// Runs a statement of which sessions of events or the client are told.
    #[cold]
    fn told_statement(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        let began = if is_told(&s.kind) { self.session.time() } else { None };
        let observer = self.session.instance.observer();
        if xe::targets::full() {
            observer.make_room(self.session);
        }
        let before = match statements_wanted() {
            true => observer.statement_begins(self.session, module, s),
            false => None,
        };
        let o = &self.session.activation.options;
        let step = match o.statistics_io | o.profiling.is_on() {
            false => self.statement_now(module, s),
            true => self.statement_told(module, s),
        };
        if let Some(before) = before {
            observer.statement_ended(self.session, module, s, &before);
        }
        let flow = step?;
        self.tell_time(EXECUTED, began)?;
        Ok(flow)
    }

    /// IF … ELSE IF … ELSE.
    fn if_else(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        let StmtKind::If(_, _, others) = &s.kind else { return Ok(Flow::Next) };
        for part in std::iter::once(s).chain(others) {
            let StmtKind::If(condition, then, _) = &part.kind else {
                return self.statement(module, part);
            };
            self.session.cell.set_command(Shown::If);
            match self.condition(module, part, condition) {
                Err(e) => return self.fail(module, part, e, false, Command::NONE),
                Ok(holds) => {
                    self.done_of_control()?;
                    if holds {
                        return self.statement(module, then);
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn statement_now(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        let o = &self.session.activation.options;
        if o.noexec | o.fmtonly | o.showing.is_on() {
            if o.noexec && !runs_under_noexec(&s.kind)
                || o.fmtonly && is_left_out_under_fmtonly(&s.kind)
            {
                return Ok(Flow::Next);
            }
            if o.showing.is_on() && !is_set_showplan(&s.kind) {
                return self.show(module, s);
            }
        }
        if self.session.running.assessed.is_some()
            && let Some(step) = self.leave_out(module, s)
        {
            return step;
        }
        match &s.kind {
            StmtKind::Block(list) => return self.list(module, list),
            StmtKind::If(..) => return self.if_else(module, s),
            StmtKind::While(cond, body) => {
                self.session.cell.set_command(Shown::While);
                return self.repeat(module, s, cond, body);
            }
            StmtKind::Set(var, code) => {
                // No moment of its own to begin or end: this is the body of loops.
                let assigned = self.assign(module, s, *var as usize, code);
                return match assigned.and_then(|()| self.warn_if_due(s.line)) {
                    Ok(()) => {
                        self.session.activation.last.row_count = 1;
                        self.session.activation.last.error = 0;
                        self.done_of_assignment()
                    }
                    Err(e) => self.fail(module, s, e, false, Command::SET),
                };
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Goto(label) => return Ok(Flow::Goto(label.clone())),
            StmtKind::Label(_) => return Ok(Flow::Next),
            StmtKind::TryCatch(body, catch) => return self.try_catch(module, body, catch),
            StmtKind::Return(code) => {
                if let Some(code) = code {
                    match self.value(module, s, code) {
                        Ok(Value::Int(v)) => self.session.activation.locals.status = Some(v),
                        Ok(_) => {
                            self.session.activation.locals.status = Some(0);
                            self.null_status(module, s)?;
                        }
                        Err(e) => return self.fail(module, s, e, false, Command::NONE),
                    }
                }
                return Ok(Flow::Return);
            }
            StmtKind::Result(code) => {
                return match self.value(module, s, code) {
                    Ok(v) => {
                        self.session.activation.locals.result = v;
                        Ok(Flow::Return)
                    }
                    Err(e) => self.fail(module, s, e, false, Command::NONE),
                };
            }
            StmtKind::Execute(e) => {
                if let Err(e) = self.session.check_cancel() {
                    return self.fail(module, s, e, false, Command::EXECUTE);
                }
                self.session.cell.set_command(Shown::Execute);
                return self.execute(module, s, e);
            }
            StmtKind::InsertExec(i, e) => {
                if let Err(e) = self.session.check_cancel() {
                    return self.fail(module, s, e, false, Command::INSERT);
                }
                self.session.activation.moment.set(None);
                self.session.cell.set_command(Shown::Insert);
                return self.insert_exec(module, s, i, e);
            }
            _ => {}
        }
        if let Err(e) = self.session.check_cancel() {
            return self.fail(module, s, e, false, Command::NONE);
        }
        self.session.activation.moment.set(None);
        self.session.cell.set_command(shown_command(&s.kind));
        match self.run_with_room(module, s) {
            Ok(ended) => {
                self.session.activation.last.error =
                    self.session.activation.last.set_error.take().unwrap_or(0);
                self.session.publish_work();
                match &s.kind {
                    StmtKind::Declare(list) if list.iter().any(|d| d.value().is_some()) => {
                        self.done_of_assignment()
                    }
                    _ => self.done(ended),
                }
            }
            Err(e) => {
                let (command, dml) = command_of(&s.kind);
                self.fail(module, s, e, dml, command)
            }
        }
    }

    fn repeat(&mut self, module: &Arc<Module>, s: &Stmt, cond: &Cond, body: &Stmt) -> Step {
        loop {
            let go = match self.session.check_cancel() {
                Ok(()) => self.condition(module, s, cond),
                Err(e) => Err(e),
            };
            let go = match go {
                Err(e) => return self.fail(module, s, e, false, Command::NONE),
                Ok(go) => self.done_of_control().map(|_| go)?,
            };
            if !go {
                return Ok(Flow::Next);
            }
            match self.statement(module, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                other => return Ok(other),
            }
        }
    }

    fn try_catch(&mut self, module: &Arc<Module>, body: &[Stmt], catch: &[Stmt]) -> Step {
        self.session.activation.errors.own_tries += 1;
        let level = self.session.activation.nest_level;
        let tried = self.list(module, body);
        self.session.activation.errors.own_tries -= 1;
        match tried {
            Err(Unwind::Error(e)) => {
                debug_assert_eq!(
                    self.session.activation.nest_level, level,
                    "callees restore the level"
                );
                self.session.activation.last.error = e.number;
                self.session.activation.errors.caught.push(*e);
                let r = self.list(module, catch);
                self.session.activation.errors.caught.pop();
                r
            }
            other => other,
        }
    }

    /// SET of a variable.
    fn assign(&mut self, module: &Arc<Module>, s: &Stmt, var: usize, code: &Code) -> SqlResult<()> {
        if let Code::Ready(e, _) = code {
            return self.on_variables(s.line, |rt| rt.assign(var, e));
        }
        let v = self.value(module, s, code)?;
        let vars = &mut self.session.activation.locals.vars;
        memory::variables(vars, var, &v)?;
        vars[var] = v;
        Ok(())
    }

    /// Evaluates an expression outside queries.
    pub fn value(&mut self, module: &Arc<Module>, s: &Stmt, code: &Code) -> SqlResult<Value> {
        match code {
            Code::Ready(e, _) => self.on_variables(s.line, |rt| rt.eval(e)),
            Code::Lazy(e, number, to) => {
                let source = Source::Scalar(e, *to);
                self.counted((module, s), *number, &source, |it, plan| {
                    let Statement::Scalar(e, _) = &plan.kind else {
                        unreachable!("planned from an expression");
                    };
                    it.with_runtime(plan, s.line, |rt| rt.eval(e))
                })
            }
        }
    }

    /// What has become NULL is told.
    #[inline]
    pub(super) fn warn_if_due(&mut self, line: u32) -> SqlResult<()> {
        let due = &self.session.activation.warnings;
        match due.null_eliminated | due.overflowed | due.divided_by_zero {
            true => self.warn(line),
            false => Ok(()),
        }
    }

    /// Evaluates an expression that names nothing but `@@variables`.
    pub(super) fn eval_alone(&mut self, e: &Expr) -> SqlResult<Value> {
        let cx = StatementContext { session: self.session, sink: self.sink, line: 0 };
        Rt::new(cx, &mut Vec::new(), Vec::new(), 0, &[]).eval(e)
    }

    /// The type of what [`Interpreter::value`] gave.
    pub fn type_of(&self, code: &Code) -> Declared {
        match code {
            Code::Ready(_, ty) => *ty,
            Code::Lazy(_, number, _) => {
                match &self.session.activation.locals.plans[*number as usize] {
                    Some(p) => match &p.kind {
                        Statement::Scalar(_, ty) => *ty,
                        _ => SqlType::Int.into(),
                    },
                    None => SqlType::Int.into(),
                }
            }
        }
    }

    fn condition(&mut self, module: &Arc<Module>, s: &Stmt, cond: &Cond) -> SqlResult<bool> {
        match cond {
            Cond::Ready(p) => {
                let held = self.on_variables(s.line, |rt| rt.test(p))?;
                Ok(held == Some(true))
            }
            Cond::Lazy(e, number) => {
                let source = Source::Condition(e);
                self.counted((module, s), *number, &source, |it, plan| {
                    let Statement::Condition(p) = &plan.kind else {
                        unreachable!("planned from a condition");
                    };
                    let held = it.with_runtime(plan, s.line, |rt| rt.test(p))?;
                    Ok(held == Some(true))
                })
            }
        }
    }

    /// Runs `f`, which needs no frame, on the variables of the module.
    #[inline]
    fn on_variables<R>(
        &mut self,
        line: u32,
        f: impl FnOnce(&mut Rt<'_>) -> SqlResult<R>,
    ) -> SqlResult<R> {
        std::mem::swap(&mut self.lent, &mut self.session.activation.locals.vars);
        let cx = StatementContext { session: self.session, sink: self.sink, line };
        let mut rt = Rt::new(cx, &mut self.lent, Vec::new(), 0, &[]);
        let r = f(&mut rt);
        let (cx, vars, frame, target_row) = rt.end();
        if frame.capacity() | target_row.capacity() == 0 {
            std::mem::forget((frame, target_row));
        }
        std::mem::swap(vars, &mut cx.session.activation.locals.vars);
        r
    }

    /// Runs `f` on the state of a statement that is gone on with later, and on the variables of the module.
    pub(crate) fn resume_on_variables<R>(
        &mut self,
        subqueries: &[SubqueryPlan],
        state: StatementState,
        line: u32,
        f: impl FnOnce(&mut Rt<'_>) -> R,
    ) -> (R, StatementState) {
        std::mem::swap(&mut self.lent, &mut self.session.activation.locals.vars);
        let cx = StatementContext { session: self.session, sink: self.sink, line };
        let mut rt = Rt::resume(cx, &mut self.lent, subqueries, state);
        let r = f(&mut rt);
        let state = rt.pause();
        std::mem::swap(&mut self.lent, &mut self.session.activation.locals.vars);
        (r, state)
    }

    /// Runs `f` on a frame for the plan.
    pub(crate) fn with_runtime<R>(
        &mut self,
        plan: &Plan,
        line: u32,
        f: impl FnOnce(&mut Rt<'_>) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let (frame, target_row) = match &mut self.session.running.scratch {
            Some(s) => (std::mem::take(&mut s.frame), std::mem::take(&mut s.target_row)),
            None => (Vec::new(), Vec::new()),
        };
        std::mem::swap(&mut self.lent, &mut self.session.activation.locals.vars);
        let cx = StatementContext { session: self.session, sink: self.sink, line };
        let mut rt = Rt::new(cx, &mut self.lent, frame, plan.columns.len(), &plan.subqueries);
        rt.target_row = target_row;
        let r = f(&mut rt);
        let (cx, vars, frame, target_row) = rt.end();
        std::mem::swap(vars, &mut cx.session.activation.locals.vars);
        let scratch = cx.session.running.scratch.get_or_insert_default();
        (scratch.frame, scratch.target_row) = (frame, target_row);
        r.map_err(|e| self.session.cover(e, plan.tables()))
    }
}

fn position(list: &[Stmt], label: &str) -> Option<usize> {
    let same = |s: &Stmt| matches!(&s.kind, StmtKind::Label(l) if l.eq_ignore_ascii_case(label));
    list.iter().position(same)
}

/// What a statement is planned from, where it needs tables.
pub fn source_of(s: &Stmt) -> Option<Source<'_>> {
    Some(match &s.kind {
        StmtKind::Select(q) => Source::Select(q),
        StmtKind::Insert(i) | StmtKind::InsertExec(i, _) => Source::Insert(i),
        StmtKind::Update(u) => Source::Update(u),
        StmtKind::Delete(d) => Source::Delete(d),
        StmtKind::Merge(m) => Source::Merge(m),
        StmtKind::DeclareCursor(c) => c.shared_source(),
        _ => return None,
    })
}
