//! How statements end: DONE, errors and what they undo, the names of statements. What an error ends is decided by
//! [`super::fate`].

use super::activation::Activation;
use super::called::Failed;
use super::fate::{Caught, Ends, Fate, Place, Raised, fate};
use super::interpret::{Ended, Flow, Interpreter, Step, Unwind};
use super::module::{Module, Stmt, StmtKind};
use crate::sink::{Command, Done, DoneKind};
use taffrail_base::{Origin, SqlError};

/// So many DONEs of conditions and of SETs of variables at most follow one another: less than the smallest packet.
const CONTROLS_IN_A_ROW: u32 = 30;

impl Interpreter<'_> {
    fn done_kind(&self) -> DoneKind {
        if self.session.activation.nest_level > 0 {
            DoneKind::InProcedure
        } else {
            DoneKind::Statement
        }
    }

    /// DONE of a statement that succeeded.
    pub fn done(&mut self, ended: Ended) -> Step {
        self.controls = 0;
        self.session.running.rows_done += ended.rows.unwrap_or(0);
        self.tell_done(ended)
    }

    fn tell_done(&mut self, ended: Ended) -> Step {
        let nocount = self.session.activation.options.nocount;
        let kind = self.done_kind();
        let open = std::mem::take(&mut self.session.running.open_result);
        let query = open || ended.command == Command::SELECT;
        if nocount && kind == DoneKind::InProcedure && !query {
            return Ok(Flow::Next);
        }
        // Declarations tell nothing.
        if ended.command == Command::NONE {
            return Ok(Flow::Next);
        }
        // INSERT … EXEC takes the rows; the statements that make them tell nothing.
        if self.session.activation.taking.is_some() {
            return Ok(Flow::Next);
        }
        let rows = if nocount { None } else { ended.rows };
        let done = Done { kind, command: ended.command, rows, error: false };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        Ok(Flow::Next)
    }

    /// DONE of each time that the condition of IF or WHILE was looked at.
    pub(crate) fn done_of_control(&mut self) -> Step {
        self.done_of_computing(Ended { command: Command::OTHER, rows: None })
    }

    /// DONE of a SET of a variable, and of a DECLARE that gives it a value. Like SELECT @v, it is the end of a SELECT of one row that
    /// has no columns: clients know by this that its count is none of rows that were changed.
    pub(crate) fn done_of_assignment(&mut self) -> Step {
        self.done_of_computing(Ended { command: Command::SELECT, rows: Some(1) })
    }

    /// NOCOUNT leaves it out, and so does a loop that only computes, after [`CONTROLS_IN_A_ROW`]: what it sent would tell
    /// nobody anything, and clients that stop their timer at the first packet of an answer keep it running.
    fn done_of_computing(&mut self, ended: Ended) -> Step {
        if self.session.activation.options.nocount || self.controls >= CONTROLS_IN_A_ROW {
            return Ok(Flow::Next);
        }
        self.controls += 1;
        self.tell_done(ended)
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
        // An error of a procedure's parameters names it already: SQL Server's line 0.
        let mut e = if e.procedure.is_some() { e } else { e.with_line(s.line) };
        if let Some(unwind) = Unwind::of(&e) {
            return Err(unwind);
        }
        self.session.tell_full(&e);
        let open = std::mem::take(&mut self.session.running.open_result);
        if let Some(name) = &module.name {
            e = e.in_procedure(name);
        }
        let mut place = self.place(raised_by(&s.kind, dml));
        if e.origin == Origin::RaisError {
            place.tries = self.session.activation.errors.written_tries();
        }
        let fate = self.fate_in_triggers(&e, place);
        self.note(&e, &fate);
        if fate.caught != Caught::Nowhere {
            let in_trigger = place.xact_abort && self.session.activation.in_trigger();
            if self.session.transaction.count > 0 && (fate.undoes || in_trigger) {
                self.session.transaction.doomed = true;
            }
            // Who has called from an expression tells of the change that was ended.
            if fate.followed_by.is_some() {
                e.origin = Origin::Change;
            }
            // A change that failed, and a result that was begun, end like those of no rows: CATCH speaks after them.
            // One that has fired a trigger, and whose error nobody catches, is told of by its error.
            let waits = self.session.activation.errors.written_tries() > 0;
            if open || dml && waits && e.origin != Origin::Binding {
                self.session.running.open_result = open;
                self.done(Ended { command, rows: Some(0) })?;
            }
            return Err(match fate.caught {
                Caught::ByCaller => Unwind::Caller(e),
                _ => Unwind::Error(e),
            });
        }
        self.tell(&e, &fate, s.line, self.done_kind(), command)?;
        match fate.ends {
            Ends::Statement => Ok(Flow::Next),
            Ends::Insert => Err(Unwind::Insert),
            Ends::Module => Err(Unwind::Module),
            Ends::Batch | Ends::Connection => Err(Unwind::Batch),
        }
    }

    /// The fate of an error. A statement that has fired a trigger catches the errors of the trigger, as a TRY would. Those that end their
    /// own statement alone it leaves to the trigger where that has SET XACT_ABORT OFF: the trigger goes on.
    fn fate_in_triggers(&self, e: &SqlError, place: Place) -> Fate {
        let tries = self.session.activation.errors.written_tries();
        if !place.xact_abort && tries < place.tries {
            let alone = fate(e, Place { tries, ..place });
            if alone.caught == Caught::Nowhere && alone.ends == Ends::Statement {
                return alone;
            }
        }
        fate(e, place)
    }

    /// An error of a request that is a statement by itself, outside any module.
    pub(crate) fn fail_request(
        &mut self,
        e: Box<SqlError>,
        command: Command,
    ) -> Result<(), Unwind> {
        if let Some(unwind) = Unwind::of(&e) {
            return Err(unwind);
        }
        self.session.tell_full(&e);
        let e = e.with_line(1);
        let fate = fate(&e, self.place(Raised::Change));
        self.note(&e, &fate);
        self.tell(&e, &fate, 1, DoneKind::Statement, command)
    }

    /// Where a statement of this kind is.
    pub(super) fn place(&self, by: Raised) -> Place {
        let Activation { options: o, errors, taking, .. } = &*self.session.activation;
        Place {
            by,
            xact_abort: o.xact_abort,
            arithmetic_aborts: !o.ansi_warnings && o.arithabort,
            tries: errors.tries(),
            own_tries: errors.own_tries,
            taking: taking.is_some(),
        }
    }

    /// What the session and who watches it learn of an error.
    pub(super) fn note(&mut self, e: &SqlError, fate: &Fate) {
        self.session.note_error(e.number);
        self.session.activation.last.row_count = 0;
        self.session.instance.observer().error(self.session, e, fate.caught != Caught::Nowhere);
        if e.severity > 10 {
            self.session.activation.errors.gravest =
                self.session.activation.errors.gravest.max(e.severity);
        }
        self.session.running.fatal |= fate.ends == Ends::Connection;
    }

    /// Sends an error that nobody catches and what follows it, and rolls back what it undoes. `line`: the statement's.
    fn tell(
        &mut self,
        e: &SqlError,
        fate: &Fate,
        line: u32,
        kind: DoneKind,
        command: Command,
    ) -> Result<(), Unwind> {
        for before in &e.before {
            let mut before = Box::new(before.clone()).with_line(line);
            before.procedure = e.procedure.clone();
            self.sink.message(&before).map_err(|_| Unwind::Gone)?;
        }
        self.sink.message(e).map_err(|_| Unwind::Gone)?;
        for after in &e.after {
            let mut after = Box::new(after.clone()).with_line(line);
            after.procedure = e.procedure.clone();
            self.sink.message(&after).map_err(|_| Unwind::Gone)?;
        }
        if let Some(number) = fate.followed_by {
            let mut info = SqlError::new(number, &[]).with_severity(0).with_line(line);
            info.procedure = match e.origin {
                // The statement that has fired the trigger is that of another module.
                Origin::Trigger => {
                    self.session.activation.locals.module.name.as_deref().map(Into::into)
                }
                _ => e.procedure.clone(),
            };
            self.sink.message(&info).map_err(|_| Unwind::Gone)?;
        }
        if fate.undoes {
            self.session.rollback_all(self.sink).map_err(|_| Unwind::Gone)?;
        }
        let done = Done { kind, command, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        if matches!(e.number, 823 | 824) {
            crate::features::pages_damaged(&self.session.instance);
        }
        Ok(())
    }
}

/// What [`fate`] asks of a statement.
fn raised_by(kind: &StmtKind, changes_rows: bool) -> Raised {
    match kind {
        StmtKind::Registered(found, _) if found.ends_batch => Raised::Catalogue,
        StmtKind::Use(_) => Raised::Use,
        _ if changes_rows => Raised::Change,
        _ => Raised::Other,
    }
}

impl Interpreter<'_> {
    /// 266 where a module of the user's ends with another `@@TRANCOUNT` than the one it began with: told, or, in a TRY, the error that
    /// the call ends with.
    pub(super) fn other_count(
        &mut self,
        module: &Module,
        name: &str,
        count: u32,
        procedure: bool,
    ) -> Result<Option<Failed>, Unwind> {
        let now = self.session.transaction.count;
        // A transaction that began by itself is nobody's mistake: a client without autocommit calls procedures in which it begins, and
        // ends it later.
        let implicit = self.session.transaction.implicit;
        let own = match procedure {
            true => module.object_id > 0 && now != count + u32::from(implicit && count == 0),
            false => !implicit,
        };
        if !own || now == count || self.session.transaction.doomed {
            return Ok(None);
        }
        let e = SqlError::new(266, &[&count, &now]).with_state(2);
        // A procedure's is told at its end, which has no line.
        let e = if procedure { e.in_procedure(name) } else { e.with_line(1) };
        if self.session.activation.errors.written_tries() > 0 {
            return Ok(Some(e.into()));
        }
        self.session.note_error(266);
        self.sink.message(&e).map_err(|_| Unwind::Gone)?;
        Ok(None)
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
        StmtKind::Checkpoint(_) => C::Checkpoint,
        StmtKind::Kill(..) => C::Kill,
        StmtKind::Registered(found, _) => found.shown,
        _ => C::Assign,
    }
}
