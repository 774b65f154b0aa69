//! What runs: the module and what belongs to its run, on a stack of those that have called each other.
//!
//! ```text
//!  session.activation ──▶ caller ──▶ … ──▶ the session's own
//!  the one that runs                       nest level 0: batches; its options and temporary tables last from batch to batch
//! ```
//!
//! EXEC, EXEC ('…'), sp_executesql and its relatives, remote calls and what INSERT … EXEC runs all enter by [`Interpreter::within`], and
//! by nothing else. What an activation owns ends with it:
//!
//! | | on entering | on leaving |
//! |---|---|---|
//! | SET options, IDENTITY_INSERT | the caller's | end; open transactions have the caller's again |
//! | TRY blocks | the caller's count as outer ones | end |
//! | errors that CATCH handles, the gravest error | none; ERROR_NUMBER() and its like look at the callers' too | end |
//! | XACT_ABORT | the caller's; in a trigger ON | end |
//! | `SCOPE_IDENTITY()`, warnings, the statement's moment | none | end |
//! | temporary tables | none; names find the callers' too | dropped |
//! | security contexts | none; the caller's holds | end |
//! | `@@PROCID`, the columns that an INSERT … EXEC takes | the caller's, unless the callee brings its own | end |
//! | the current database | the caller's, or that of the procedure | the caller's; the client hears of it where a text has moved on |
//! | `@@ROWCOUNT`, `@@ERROR` | the caller's | go up: they tell of the last statement, whichever module it stood in; not to an expression |
//!
//! 1. The activation that is entered is left, however what it runs has ended.
//! 2. A request begins and ends on the session's own activation.
//! 3. Procedures, texts and procedures of our own nest [`MAX_NEST_LEVEL`] levels deep at most.

use super::called::Called;
use super::ddl_events::FiredByEvent;
use super::figures::ModuleRun;
use super::interpret::{Interpreter, Unwind};
use super::module::{Execute, Module, Plan};
use super::triggers::Fired;
use crate::database::Database;
use crate::functions::Moment;
use crate::memory::Held;
use crate::session::entry::CallerWaits;
use crate::session::identity::SecurityContext;
use crate::session::{Session, SetOptions, TempTable};
use crate::sink::ResultSink;
use std::cell::Cell;
use std::sync::{Arc, LazyLock};
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};
use taffrail_observe::session::Command;
use taffrail_types::Value;

/// Procedures nest so deep at most.
pub const MAX_NEST_LEVEL: u32 = 32;

/// A module that runs, or the session's own activation, on which batches run.
pub struct Activation {
    /// The SET options in force.
    pub options: SetOptions,
    /// The module, its variables, its plans and its table variables.
    pub locals: Locals,
    /// The last statement's outcome.
    pub last: Last,
    /// TRY blocks and errors.
    pub errors: ErrorState,
    /// Warnings that the running statement owes.
    pub warnings: Warnings,
    /// The moment of the running statement, once it was asked for.
    pub moment: Cell<Option<Moment>>,
    /// The temporary tables that the module has made, oldest first.
    pub temps: Vec<TempTable>,
    /// No other activation of the session has it.
    pub number: u64,
    /// The contexts that EXECUTE AS has put on top of the caller's; at the bottom of the session's own activation its login's.
    pub(super) security: Vec<Frame>,
    /// `SET IDENTITY_INSERT … ON`: database and table.
    pub identity_insert: Option<(DatabaseId, ObjectId)>,
    /// `@@NESTLEVEL`: modules called and not ended.
    pub nest_level: u32,
    /// `@@PROCID`.
    pub procedure_id: i32,
    /// An INSERT … EXEC takes the rows of what runs.
    pub taking: Option<Taking>,
    /// A function runs, or what a function has called: nothing but functions may be called.
    pub in_function: bool,
    /// The trigger that runs.
    pub(crate) fired: Option<Arc<Fired>>,
    /// The trigger of a database or of the server that runs.
    pub(crate) event: Option<Arc<FiredByEvent>>,
    /// Others are shown the module that runs: see [`SessionEntry::calls`].
    ///
    /// [`SessionEntry::calls`]: crate::session::entry::SessionEntry::calls
    shown: bool,
    /// The run of the module, once it has begun, where it is an object.
    run: Option<ModuleRun>,
    /// `None` for the session's own.
    caller: Option<Caller>,
}

/// The last statement's outcome, as functions tell of it.
#[derive(Clone, Copy, Default)]
pub struct Last {
    /// `@@ROWCOUNT`.
    pub row_count: i64,
    /// `@@ERROR`.
    pub error: i32,
    /// RAISERROR … WITH SETERROR: `@@ERROR` after the statement.
    pub set_error: Option<i32>,
    /// `SCOPE_IDENTITY()`.
    pub scope_identity: Option<i64>,
}

/// TRY blocks and errors of an activation.
#[derive(Default)]
pub struct ErrorState {
    /// TRY blocks of the callers that enclose the call. A statement whose expression has called, or that has fired a trigger, counts as
    /// one.
    outer_tries: u32,
    /// Those of them that are statements which have fired triggers.
    firing: u32,
    /// TRY blocks of the module that enclose the running statement.
    pub own_tries: u32,
    /// Errors that CATCH blocks of the module handle, the innermost last.
    pub caught: Vec<SqlError>,
    /// The severity of the gravest error of the module, caught or not.
    pub gravest: u8,
}

impl ErrorState {
    /// TRY blocks that enclose the running statement, in all modules.
    #[inline]
    pub fn tries(&self) -> u32 {
        self.outer_tries + self.own_tries
    }

    /// The same without the statements that have fired triggers: RAISERROR passes them by.
    pub(crate) fn written_tries(&self) -> u32 {
        self.tries() - self.firing
    }
}

/// Warnings that a statement owes at its end.
#[derive(Default)]
pub struct Warnings {
    /// An aggregate left out NULLs: message 8153.
    pub null_eliminated: bool,
    /// Arithmetic that overflowed has become NULL: message 3606.
    pub overflowed: bool,
    /// A division by zero has become NULL: message 3607.
    pub divided_by_zero: bool,
}

/// An INSERT … EXEC that takes rows.
#[derive(Clone, Copy)]
pub struct Taking {
    /// Columns of each row.
    pub columns: usize,
    /// `@@TRANCOUNT` when the statements that make the rows began: they end none of these transactions.
    pub transactions: u32,
}

/// A context on the stack, and how REVERT takes it away.
pub struct Frame {
    /// The security context of the frame.
    pub context: SecurityContext,
    /// WITH COOKIE: REVERT has to bring it.
    pub(super) cookie: Option<Vec<u8>>,
    /// WITH NO REVERT: nothing takes it away.
    pub(super) no_revert: bool,
    /// The database in which the context was taken.
    pub(super) database: DatabaseId,
}

/// The activation that has called, and where it goes on.
struct Caller {
    activation: Box<Activation>,
    /// Its current database.
    database: Arc<Database>,
    /// The callee runs in another one: the caller's stays in use.
    waits: Option<CallerWaits>,
    /// The database that the callee began in.
    began_in: Arc<Database>,
    /// The callee is a text: its client hears of the way back to `began_in`.
    told: bool,
    /// An expression has called.
    expression: bool,
    /// The statement whose expression has called had begun a result, which is not the callee's to end.
    open_result: bool,
    /// The command of the statement that has called, as others are shown it.
    command: Command,
}

/// How a callee is entered.
#[derive(Default)]
pub(crate) struct Way {
    /// The database that it runs in, if not the caller's.
    pub place: Option<Arc<Database>>,
    /// It is a text, which may change its database.
    pub text: bool,
    /// An INSERT … EXEC takes its rows; `None`: whoever takes the caller's.
    pub taking: Option<Taking>,
    /// It is a function: nothing but functions runs within it.
    pub function: bool,
    /// An expression calls it: an error ends the statement that computes the expression, and `@@ROWCOUNT` and `@@ERROR` stay its own.
    pub expression: bool,
    /// It is a trigger, fired by a statement: as if an expression had called it.
    pub trigger: Option<Arc<Fired>>,
    /// It is a trigger of a database or of the server: likewise.
    pub event: Option<Arc<FiredByEvent>>,
    /// WITH RECOMPILE: the procedure is compiled for this call.
    pub recompile: bool,
}

impl Way {
    /// That of what an EXEC calls.
    pub(super) fn of_execute(e: &Execute) -> Way {
        Way { recompile: e.recompile, ..Way::default() }
    }

    /// That of a text in the caller's database.
    pub fn of_text() -> Way {
        Way { text: true, ..Way::default() }
    }
}

impl Activation {
    /// A session's own, under the options and in the context of its login.
    pub(crate) fn of_session(options: SetOptions, security: SecurityContext) -> Activation {
        let frame =
            Frame { context: security, cookie: None, no_revert: false, database: DatabaseId(0) };
        Activation { security: vec![frame], ..Activation::with_options(options) }
    }

    fn with_options(options: SetOptions) -> Activation {
        Activation {
            options,
            locals: Locals::default(),
            last: Last::default(),
            errors: ErrorState::default(),
            warnings: Warnings::default(),
            moment: Cell::default(),
            temps: Vec::new(),
            number: 0,
            security: Vec::new(),
            identity_insert: None,
            nest_level: 0,
            procedure_id: 0,
            taking: None,
            in_function: false,
            fired: None,
            event: None,
            shown: false,
            run: None,
            caller: None,
        }
    }

    /// One that inherits from its caller; the level is the caller's until its module begins.
    fn called_by(caller: &Activation, number: u64, way: &Way) -> Activation {
        let Last { row_count, error, .. } = caller.last;
        let outer_tries = caller.errors.tries() + u32::from(way.expression);
        let firing = caller.errors.firing + u32::from(way.trigger.is_some() || way.event.is_some());
        Activation {
            last: Last { row_count, error, ..Last::default() },
            errors: ErrorState { outer_tries, firing, ..ErrorState::default() },
            identity_insert: caller.identity_insert,
            nest_level: caller.nest_level,
            procedure_id: caller.procedure_id,
            taking: way.taking.or(caller.taking.filter(|_| !way.expression)),
            number,
            in_function: caller.in_function || way.function,
            fired: way.trigger.clone(),
            event: way.event.clone(),
            ..Activation::with_options(caller.options)
        }
    }

    /// Whether it is the session's own.
    pub(super) fn is_sessions_own(&self) -> bool {
        self.caller.is_none()
    }

    /// The session's own: this one, or the outermost of those that have called it.
    pub(crate) fn sessions_own_mut(&mut self) -> &mut Activation {
        match self.caller {
            Some(ref mut caller) => caller.activation.sessions_own_mut(),
            None => self,
        }
    }

    /// Whether it is the session's own, and nothing runs on it.
    pub fn is_at_rest(&self) -> bool {
        let idle =
            self.nest_level == 0 && self.errors.tries() == 0 && self.errors.caught.is_empty();
        self.is_sessions_own() && idle
    }

    /// This one and its callers, the innermost first.
    pub fn stack(&self) -> impl Iterator<Item = &Activation> {
        std::iter::successors(Some(self), |a| a.caller.as_ref().map(|c| &*c.activation))
    }

    /// Shows rows as those that are changed; gives what was shown before.
    pub(crate) fn show_changed(&mut self, rows: Option<Arc<Fired>>) -> Option<Arc<Fired>> {
        std::mem::replace(&mut self.fired, rows)
    }

    /// The innermost trigger that runs: what runs, or what has called it.
    pub(crate) fn fired(&self) -> Option<&Arc<Fired>> {
        self.stack().find_map(|a| a.fired.as_ref())
    }

    /// Whether a trigger of whatever kind runs, or has called what runs.
    pub(crate) fn in_trigger(&self) -> bool {
        self.stack().any(|a| a.fired.is_some() || a.event.is_some())
    }

    /// Whether a trigger of this table or view runs.
    pub fn is_fired_on(&self, database: DatabaseId, table: ObjectId) -> bool {
        let fired = |f: &Arc<Fired>| (f.database, f.table.id()) == (database, table);
        self.stack().filter_map(|a| a.fired.as_ref()).any(fired)
    }

    /// Does `f` to this one and its callers, the innermost first.
    pub(crate) fn each_mut(&mut self, mut f: impl FnMut(&mut Activation)) {
        let mut next = Some(self);
        while let Some(a) = next {
            f(a);
            next = a.caller.as_mut().map(|c| &mut *c.activation);
        }
    }

    /// The context that holds: the module's own, or that of those that have called it.
    pub fn security(&self) -> &SecurityContext {
        let own = self.stack().find_map(|a| a.security.last());
        &own.expect("the session's own activation has its login's").context
    }

    /// The error that the innermost CATCH handles, in the module or in those that have called it.
    pub fn caught(&self) -> Option<&SqlError> {
        self.stack().find_map(|a| a.errors.caught.last())
    }
}

impl Session {
    /// Puts a new activation on top of the one that runs.
    fn enter(&mut self, way: Way) {
        self.kept.calls += 1;
        let callee = Activation::called_by(&self.activation, self.kept.calls, &way);
        let Way { text: told, expression, .. } = way;
        let command = self.cell.command();
        let database = self.database.clone();
        let mut waits = None;
        if let Some(place) = way.place.filter(|d| !Arc::ptr_eq(d, &self.database)) {
            self.instance.ensure_writer(&place);
            waits = Some(self.entry.waits_in(database.id));
            self.database = place;
            self.publish();
        }
        let activation = std::mem::replace(&mut self.activation, Box::new(callee));
        let began_in = self.database.clone();
        let open = self.running.open_result && expression;
        self.running.open_result &= !expression;
        self.activation.caller = Some(Caller {
            activation,
            database,
            waits,
            began_in,
            told,
            expression,
            open_result: open,
            command,
        });
    }

    /// A module of the activation that was entered begins to run, one level below the caller's.
    pub(super) fn begins(&mut self, module: Option<&Arc<Module>>) {
        debug_assert!(!self.activation.is_sessions_own(), "batches are called by nobody");
        self.activation.nest_level += 1;
        let Some(module) = module else { return };
        if module.object_id != 0 {
            self.activation.procedure_id = module.object_id;
        }
        self.entry.calls(module.clone());
        self.activation.shown = true;
        self.activation.run = self.module_starts(module);
    }

    /// Takes the activation that runs off the stack: its caller goes on. The error is the client's, who has gone.
    fn leave(&mut self, sink: &mut dyn ResultSink) -> SqlResult<()> {
        let Some(caller) = self.activation.caller.take() else {
            unreachable!("the session's own activation is never left");
        };
        let open_result = caller.open_result;
        let Caller { activation, database, waits, began_in, told, expression, command, .. } =
            caller;
        let mut ended = std::mem::replace(&mut self.activation, activation);
        if ended.shown {
            self.entry.returns();
        }
        self.cell.set_command(command);
        if expression {
            self.running.open_result = open_result;
        } else {
            let Last { row_count, error, .. } = ended.last;
            self.activation.last = Last { row_count, error, ..self.activation.last };
        }
        self.options_follow(&ended.options);
        // A doomed transaction drops nothing.
        self.temps.version += u64::from(!ended.temps.is_empty());
        self.temps.orphans.append(&mut ended.temps);
        let mut result = Ok(());
        if told && self.database.id != began_in.id {
            result = self.enter_database(began_in, 1, sink);
        }
        if !Arc::ptr_eq(&self.database, &database) {
            self.database = database;
            // The callee may have closed it and opened it anew.
            self.follow_databases();
            self.publish();
        }
        drop(waits);
        result
    }
}

impl Interpreter<'_> {
    /// Runs `f` as the callee of what runs, and leaves it in the end: 217 where it would be nested too deep.
    pub(super) fn within(
        &mut self,
        way: Way,
        f: impl FnOnce(&mut Self) -> Result<Called, Unwind>,
    ) -> Result<Called, Unwind> {
        if self.session.activation.nest_level >= MAX_NEST_LEVEL {
            return Ok(Err(SqlError::new(217, &[&MAX_NEST_LEVEL]).into()));
        }
        // The triggers that a statement has to fire are fired by that statement, and not by one of a function that it calls.
        let due = std::mem::take(&mut self.session.running.due);
        // Likewise the marks that its scans go by, and what they have told its cursor.
        let reading = std::mem::take(&mut self.session.held.cursors.reading);
        self.session.enter(way);
        let called = f(self);
        if let Some(run) = self.session.activation.run.take()
            && !matches!(called, Err(Unwind::Cancelled | Unwind::Gone))
        {
            self.session.module_ran(&run);
        }
        let cleaned = self.drop_own_objects();
        let left = self.session.leave(self.sink);
        self.session.running.due = due;
        self.session.held.cursors.reading = reading;
        match (called?, cleaned.and(left)) {
            (Ok(_), Err(e)) => Ok(Err(e.into())),
            (called, _) => Ok(called),
        }
    }

    /// Runs `f` on these variables in place of the running module's, which are in their place again afterwards.
    pub(crate) fn with_locals<R>(
        &mut self,
        locals: &mut Locals,
        f: impl FnOnce(&mut Self) -> R,
    ) -> R {
        std::mem::swap(&mut self.session.activation.locals, locals);
        let result = f(self);
        std::mem::swap(&mut self.session.activation.locals, locals);
        result
    }

    /// Drops the table variables, temporary tables and local cursors of the activation that ends.
    fn drop_own_objects(&mut self) -> SqlResult<()> {
        let dropped = self.drop_table_variables();
        dropped.and(self.drop_own_tables())
    }

    fn drop_own_tables(&mut self) -> SqlResult<()> {
        let Some(caller) = &self.session.activation.caller else { return Ok(()) };
        let level = caller.activation.nest_level + 1;
        self.session.held.cursors.leave(level);
        let left = self.session.activation.temps.iter().chain(&self.session.temps.orphans);
        let gone: Vec<ObjectId> = left.map(|t| t.object_id).collect();
        if gone.is_empty() || self.session.transaction.doomed {
            return Ok(());
        }
        self.in_statement(|it| {
            for id in gone {
                crate::features::tables::drop_temp_table(&mut it.context(0), id)?;
            }
            Ok(())
        })
    }
}

/// The variables of a module that runs, its plans and its table variables.
pub struct Locals {
    /// The module that runs.
    pub module: Arc<Module>,
    /// Variables by number, parameters first. An expression that is computed has them meanwhile.
    pub vars: Vec<Value>,
    /// Plans by number, as this run uses them.
    pub plans: Vec<Option<Arc<Plan>>>,
    /// Table variables.
    pub tables: Vec<(String, ObjectId)>,
    /// Tables that the caller has handed in, for the first of the table variables; none: the variable has one of its own.
    pub handed: Vec<Option<ObjectId>>,
    /// What RETURN has said.
    pub status: Option<i32>,
    /// The value of a scalar function, once RETURN has given it.
    pub result: Value,
    /// The module and its plans as memory of the request. None: what goes by it outlasts the request.
    pub counted: Option<Counted>,
}

/// What a module and its plans take while it runs.
#[derive(Default)]
pub struct Counted {
    held: Held,
    /// Bytes of the plans, by number.
    plans: Vec<usize>,
}

impl Counted {
    /// A plan of this number was made in place of the one before.
    pub(super) fn plan(&mut self, number: usize, bytes: usize) {
        if self.plans.len() <= number {
            self.plans.resize(number + 1, 0);
        }
        self.held.less(self.plans[number]);
        self.held.add(bytes);
        self.plans[number] = bytes;
    }
}

/// A module without statements.
static NOTHING: LazyLock<Arc<Module>> = LazyLock::new(Default::default);

impl Default for Locals {
    /// Those of no module.
    fn default() -> Locals {
        Locals::new(NOTHING.clone())
    }
}

impl Locals {
    /// Those of a run that begins: every variable is NULL, no statement has a plan.
    pub fn new(module: Arc<Module>) -> Locals {
        let vars = vec![Value::Null; module.variables.list.len()];
        let plans = vec![None; module.shared.len()];
        let (tables, status, result) = (Vec::new(), None, Value::Null);
        let handed = Vec::new();
        Locals { module, vars, plans, tables, handed, status, result, counted: None }
    }

    /// One whose module counts as memory of the request.
    pub fn counting(module: Arc<Module>) -> Locals {
        let mut counted = Counted::default();
        counted.held.add(module.bytes);
        Locals { counted: Some(counted), ..Locals::new(module) }
    }
}
