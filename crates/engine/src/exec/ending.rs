//! How statements end: DONE, errors and what they undo, the names of statements.
//!
//! An error goes one of these ways ([`Interpreter::fail`]); which numbers do what is in [`super::consequence`]:
//!
//! | where | what happens |
//! |---|---|
//! | inside TRY (of this or a calling module) | the transaction is doomed if it would have been rolled back; CATCH runs |
//! | found while a name is bound, in a TRY of this module only | as without TRY |
//! | the same, in a TRY of a calling module | the CATCH of that module runs |
//! | ends the statement | message, DONE with the error bit, on with the next statement |
//! | a result of other columns than the INSERT … EXEC around it has (213) | the INSERT ends |
//! | ends the module (208 …) | the module ends, its caller goes on |
//! | THROW | the batch ends |
//! | ends the batch; anything under XACT_ABORT | rollback, the batch ends |
//! | severity 20 and more | the connection ends |

use super::consequence::{self, Action};
use super::insert_exec::ends_insert;
use super::interpret::{Ended, Flow, Interpreter, Step, Unwind};
use super::module::{Module, Stmt, StmtKind};
use crate::events::tell;
use crate::sink::{Command, Done, DoneKind};
use taffrail_base::SqlError;

/// So many DONEs of conditions and of SETs of variables at most follow one another: less than the smallest packet.
const CONTROLS_IN_A_ROW: u32 = 30;

impl Interpreter<'_> {
    fn done_kind(&self) -> DoneKind {
        if self.session.nest_level > 0 { DoneKind::InProcedure } else { DoneKind::Statement }
    }

    /// DONE of a statement that succeeded.
    pub fn done(&mut self, ended: Ended) -> Step {
        let nocount = self.session.options.nocount;
        let kind = self.done_kind();
        self.controls = 0;
        self.session.rows_done += ended.rows.unwrap_or(0);
        let open = std::mem::take(&mut self.session.open_result);
        let query = open || ended.command == Command::SELECT;
        if nocount && kind == DoneKind::InProcedure && !query {
            return Ok(Flow::Next);
        }
        // Declarations tell nothing.
        if ended.command == Command::NONE {
            return Ok(Flow::Next);
        }
        // INSERT … EXEC takes the rows; the statements that make them tell nothing.
        if self.capturing.is_some() {
            return Ok(Flow::Next);
        }
        let rows = if nocount { None } else { ended.rows };
        let done = Done { kind, command: ended.command, rows, error: false };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        Ok(Flow::Next)
    }

    /// DONE of a SET of a variable, and of each time that the condition of IF or WHILE was looked at.
    ///
    /// NOCOUNT leaves it out, and so does a loop that only computes, after [`CONTROLS_IN_A_ROW`]: what it sent would tell
    /// nobody anything, and clients that stop their timer at the first packet of an answer keep it running.
    pub fn done_of_control(&mut self) -> Step {
        let before = self.controls;
        if self.session.options.nocount || before >= CONTROLS_IN_A_ROW {
            return Ok(Flow::Next);
        }
        let step = self.done(Ended { command: Command::OTHER, rows: None });
        self.controls = before + 1;
        step
    }

    /// Decides what an error does.
    pub fn fail(
        &mut self,
        module: &Module,
        s: &Stmt,
        e: Box<SqlError>,
        dml: bool,
        command: Command,
    ) -> Step {
        // Where a procedure is named already, arguments could not be put into its parameters: SQL Server's line 0.
        let of_parameters = e.procedure.is_some();
        let mut e = if of_parameters { e } else { e.with_line(s.line) };
        if let Some(unwind) = Unwind::of(&e) {
            return Err(unwind);
        }
        self.session.tell_full(&e);
        let thrown = std::mem::take(&mut self.session.throwing);
        let raised = std::mem::take(&mut self.session.raising);
        let terminated = std::mem::take(&mut self.session.terminated) || e.number == 1505;
        let binding = std::mem::take(&mut self.session.binding);
        let open = std::mem::take(&mut self.session.open_result);
        if let Some(name) = &module.name {
            e = e.in_procedure(name);
        }
        self.session.note_error(e.number);
        self.session.row_count = 0;
        tell::error(&e, self.session.tries > 0 && (11..20).contains(&e.severity));
        if e.severity > 10 {
            self.session.gravest = self.session.gravest.max(e.severity);
        }
        let action = match &s.kind {
            _ if thrown || raised => Action::Statement,
            _ if binding => consequence::binding_action(&e),
            StmtKind::Registered(found, _) if found.ends_batch => consequence::ddl_action(&e),
            StmtKind::Use(_) if e.number == 911 => Action::Batch,
            _ => consequence::action(&e, of_parameters),
        };
        let abort = self.session.options.xact_abort
            && e.severity > 10
            && !raised
            && consequence::is_promoted(e.number);
        let undo = action == Action::Batch
            || self.arithmetic_aborts(&e)
            || abort && action != Action::Module;
        if e.severity < 20 && self.session.tries > 0 && e.severity > 10 {
            // What ends the module is no matter of its own TRY.
            let here = action == Action::Module && self.session.own_tries > 0;
            if !here || self.session.tries > self.session.own_tries {
                if self.session.transaction.count > 0 && (undo || abort) {
                    self.session.transaction.doomed = true;
                }
                // A change that failed, and a result that was begun, end like those of no rows: CATCH speaks after them.
                if open || dml && !binding {
                    self.session.open_result = open;
                    self.done(Ended { command, rows: Some(0) })?;
                }
                return Err(if here { Unwind::Caller(e) } else { Unwind::Error(e) });
            }
        }
        let fatal = e.severity >= 20;
        let kind = self.done_kind();
        self.sink.message(&e).map_err(|_| Unwind::Gone)?;
        let batch = undo || fatal || thrown;
        if terminated || !batch && dml && consequence::terminates(&e) {
            let info = SqlError::new(consequence::ends_with(&e), &[]);
            let info = info.with_severity(0).with_line(s.line);
            let info = match &module.name {
                Some(name) => info.in_procedure(name),
                None => info,
            };
            self.sink.message(&info).map_err(|_| Unwind::Gone)?;
        }
        if undo || fatal {
            self.session.rollback_all(self.sink).map_err(|_| Unwind::Gone)?;
        }
        let done = Done { kind, command, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        if fatal {
            self.session.fatal = true;
        }
        if matches!(e.number, 823 | 824) {
            crate::backup::record_suspects(&self.session.instance);
        }
        if batch {
            return Err(Unwind::Batch);
        }
        if self.session.taking.is_some() && ends_insert(&e) {
            return Err(Unwind::Insert);
        }
        if action == Action::Module {
            return Err(Unwind::Module);
        }
        Ok(Flow::Next)
    }

    /// ANSI_WARNINGS OFF and ARITHABORT ON: errors of arithmetic end the batch.
    fn arithmetic_aborts(&self, e: &SqlError) -> bool {
        let o = &self.session.options;
        !o.ansi_warnings && o.arithabort && matches!(e.number, 220 | 232 | 8115 | 8134)
    }

    /// An error of a request that is a statement by itself, outside any module.
    pub fn fail_request(&mut self, e: Box<SqlError>, command: Command) -> Result<(), Unwind> {
        if let Some(unwind) = Unwind::of(&e) {
            return Err(unwind);
        }
        self.session.tell_full(&e);
        let e = e.with_line(1);
        self.session.note_error(e.number);
        tell::error(&e, false);
        self.session.row_count = 0;
        let undo = consequence::action(&e, false) == Action::Batch
            || self.arithmetic_aborts(&e)
            || self.session.options.xact_abort;
        self.sink.message(&e).map_err(|_| Unwind::Gone)?;
        if e.severity >= 20 || undo {
            self.session.rollback_all(self.sink).map_err(|_| Unwind::Gone)?;
        } else if consequence::terminates(&e) {
            let info = SqlError::new(consequence::ends_with(&e), &[]);
            let info = info.with_severity(0).with_line(1);
            self.sink.message(&info).map_err(|_| Unwind::Gone)?;
        }
        self.session.fatal |= e.severity >= 20;
        let done = Done { kind: DoneKind::Statement, command, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }
}

/// `CurCmd` of a statement, and whether it changes rows.
pub(super) fn command_of(kind: &StmtKind) -> (Command, bool) {
    match kind {
        StmtKind::Select(s) => match s.query.body.first_block().into {
            Some(_) => (Command::SELECT_INTO, true),
            None => (Command::SELECT, false),
        },
        StmtKind::Insert(_) | StmtKind::InsertExec(..) => (Command::INSERT, true),
        StmtKind::Update(_) => (Command::UPDATE, true),
        StmtKind::Delete(_) => (Command::DELETE, true),
        StmtKind::Merge(_) => (Command::MERGE, true),
        StmtKind::Begin(..) => (Command::BEGIN_TRAN, false),
        StmtKind::Commit(_) => (Command::COMMIT, false),
        StmtKind::Rollback(_) => (Command::ROLLBACK, false),
        StmtKind::Save(_) => (Command::SAVE_TRAN, false),
        StmtKind::Registered(found, _) => (found.done, found.changes_rows),
        StmtKind::SetSwitches(..)
        | StmtKind::SetIsolation(_)
        | StmtKind::SetIdentityInsert(..)
        | StmtKind::SetValue(..) => (Command::SET, false),
        _ => (Command::OTHER, false),
    }
}

/// `sys.dm_exec_requests.command` while a statement runs.
pub(super) fn shown_command(kind: &StmtKind) -> taffrail_observe::session::Command {
    use taffrail_observe::session::Command as C;
    match kind {
        StmtKind::Select(s) if s.query.body.first_block().into.is_some() => C::SelectInto,
        StmtKind::Select(_) => C::Select,
        StmtKind::Insert(_) | StmtKind::InsertExec(..) => C::Insert,
        StmtKind::Update(_) => C::Update,
        StmtKind::Delete(_) => C::Delete,
        StmtKind::Merge(_) => C::Merge,
        StmtKind::Declare(_) => C::Declare,
        StmtKind::Print(_) => C::Print,
        StmtKind::WaitFor { .. } => C::Waitfor,
        StmtKind::Begin(..) => C::Begin,
        StmtKind::Commit(_) => C::Commit,
        StmtKind::Rollback(_) => C::Rollback,
        StmtKind::Save(_) => C::Save,
        StmtKind::Use(_) => C::Use,
        StmtKind::Checkpoint => C::Checkpoint,
        StmtKind::Kill(..) => C::Kill,
        StmtKind::Registered(found, _) => found.shown,
        _ => C::Assign,
    }
}
