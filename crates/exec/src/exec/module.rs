//! A batch, procedure or dynamic text, ready to run: statements with their scalar expressions compiled. Statements that
//! need tables are planned when they first run, and again when the schema has changed.

use super::figures::Tally;
use super::result_sets::DeclaredResult;
use super::used::UsedIndexes;
use super::variants::{Temps, Variants};
use crate::binder::{TableUse, Variables};
use crate::catalog::{Table, TriggerScope};
use crate::database::Database;
use crate::features::RegisteredStatement;
use crate::plan::columns::Columns;
use crate::plan::expr::{Expr, Pred};
use crate::plan::facts::{Facts, Need};
use crate::plan::statement::Statement;
use crate::plan::subquery::SubqueryPlan;
use crate::session::{Session, SetOptions};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use taffrail_base::{DatabaseId, ObjectId, SessionId};
use taffrail_observe::Moment;
use taffrail_syntax::ast;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Collation, SqlType, Value};

/// A batch, procedure or dynamic text.
#[derive(Default)]
pub struct Module {
    /// Its text.
    pub text: Arc<str>,
    /// Bytes that it takes, plans apart.
    pub bytes: usize,
    /// The declarations of its parameters as written (sp_executesql and its relatives).
    pub declarations: Box<str>,
    /// Where its lines begin.
    pub lines: ast::LineIndex,
    /// Its statements.
    pub statements: Vec<Stmt>,
    /// Its variables, parameters first.
    pub variables: Variables,
    /// Its table variables, in the order of their declarations.
    pub table_variables: Vec<TableVariable>,
    /// The temp tables that it makes, `#` and all.
    pub temp_tables: Vec<Box<str>>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// A procedure's name, for messages.
    pub name: Option<Arc<str>>,
    /// Whether it is a function's.
    pub is_function: bool,
    /// WITH ENCRYPTION: nobody is shown the text.
    pub encrypted: bool,
    /// A procedure's id.
    pub object_id: i32,
    /// The principal of the module's EXECUTE AS clause: see [`crate::catalog::Module::execute_as`].
    pub execute_as: Option<i32>,
    /// Of a trigger: its table or view, and whether it is an INSTEAD OF one.
    pub trigger: Option<(ObjectId, bool)>,
    /// Of a trigger of a database or of the server: its scope.
    pub ddl: Option<TriggerScope>,
    /// A procedure's database: names without one are looked up there.
    pub database: Option<Arc<Database>>,
    /// A batch's: what it sets QUOTED_IDENTIFIER to, in the end. A procedure's: what it was created under.
    pub quoted_identifier: Option<bool>,
    /// A procedure's: ANSI_NULLS when it was created.
    pub ansi_nulls: Option<bool>,
    /// What a batch sets PARSEONLY to, in the end.
    pub parse_only: Option<bool>,
    /// A procedure's schema, if it is not dbo: names without one are looked up there first.
    pub schema: Option<Arc<str>>,
    /// A statement of it changes the session's database, or that one's collation: its plans hold for one of these.
    pub moves: bool,
    /// It names types of users: their database, and the version of its types that it was compiled for.
    pub types: Option<(Arc<Database>, u64)>,
    /// Plans that sessions share, by number.
    pub shared: Vec<Variants>,
    /// Where, when and under which options it was compiled.
    pub compiled: CompiledUnder,
    /// Its runs, where it is a procedure, trigger or function.
    pub ran: Tally,
    /// The number of times that the plan cache has given it away.
    pub uses: AtomicU64,
    /// The handle of its text, once somebody has asked: [`Module::sql_handle`].
    pub(super) handle: OnceLock<[u8; 20]>,
    /// Errors that keep the module from running at all.
    pub errors: Vec<taffrail_base::SqlError>,
}

/// The circumstances in which a module was compiled.
#[derive(Clone, Copy, Default)]
pub struct CompiledUnder {
    /// No other module of the process has it; 0: it was never compiled.
    pub number: u64,
    /// When it was compiled.
    pub at: Moment,
    /// The database: a module's own, or that in which a batch was sent.
    pub database: DatabaseId,
    /// The SET options of the session.
    pub options: SetOptions,
}

impl CompiledUnder {
    /// Now, by a session, for a database.
    pub(super) fn now(session: &Session, database: DatabaseId) -> CompiledUnder {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let options = session.activation.options;
        CompiledUnder { number, at: Moment::now(), database, options }
    }
}

impl Module {
    /// The text for those who watch; empty for an encrypted module.
    pub fn shown(&self) -> &str {
        if self.encrypted { "" } else { &self.text }
    }
}

impl Module {
    /// Whether the types of users that it names are still what they were.
    pub(crate) fn knows_its_types(&self, session: SessionId) -> bool {
        let types = self.types.as_ref();
        types.is_none_or(|(db, version)| db.catalog.types_version(session) == *version)
    }
}

/// A parameter of a procedure or parameterised text.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name with its `@`.
    pub name: Arc<str>,
    /// The declared type, in which values come.
    pub ty: SqlType,
    /// Declared as xml, text, ntext or image.
    pub large: Large,
    /// The table type of a table-valued parameter.
    pub table: Option<OfTableType>,
    /// OUTPUT stands in the declaration.
    pub output: bool,
    /// The value of an argument that is not given.
    pub default: Option<Default>,
    /// A cursor, CURSOR VARYING OUTPUT, which has no value.
    pub cursor: bool,
}

/// A table type, as variables and arguments know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfTableType {
    /// The database whose type it is.
    pub database: DatabaseId,
    /// The number `user_type_id`.
    pub id: i32,
    /// The name of the type, without its schema.
    pub name: Arc<str>,
}

/// What a parameter is that is not given.
#[derive(Clone, Debug)]
pub enum Default {
    /// A constant.
    Value(Value),
    /// An `@@variable`: what it is when the procedure is called.
    Global(Arc<Expr>),
}

/// A table variable: there from the beginning of the module, whether the declaration runs or not, for the statements below it.
pub struct TableVariable {
    /// Its number among the variables.
    pub var: u32,
    /// Columns and constraints as they are declared.
    pub body: ast::TableBody,
    /// The declaration's line.
    pub line: u32,
    /// The table type that it is declared with, and the text in which the type's columns stand.
    pub of: Option<(OfTableType, Arc<str>)>,
}

/// A statement.
pub struct Stmt {
    /// Its line in the module.
    pub line: u32,
    /// Where it stands in the module's text, in bytes.
    pub span: ast::Span,
    /// How many variables it sees.
    pub visible: u32,
    /// The number of its plan, where it has one.
    pub plan: u32,
    /// What it is.
    pub kind: StmtKind,
}

/// An expression outside any query.
pub enum Code {
    /// Without subqueries.
    Ready(Expr, Declared),
    /// With: planned when it runs. What it is to be converted to, if anything.
    Lazy(Box<ast::Expr>, u32, Option<Declared>),
}

/// A condition outside any query.
pub enum Cond {
    /// Without subqueries.
    Ready(Pred),
    /// With.
    Lazy(Box<ast::Expr>, u32),
}

/// A name of a transaction or savepoint.
pub enum NameCode {
    /// The name itself, in the text.
    Name(Box<str>),
    /// The variable that holds the name.
    Var(u32),
}

/// An argument of EXEC.
pub struct Argument {
    /// The parameter's name, where the argument is given by name.
    pub name: Option<Box<str>>,
    /// `None`: DEFAULT.
    pub value: Option<Code>,
    /// The variable that takes the output.
    pub output: Option<u32>,
    /// The table variable of a table type that is passed, by its number among the module's.
    pub table: Option<u32>,
    /// The cursor variable that takes the cursor of a CURSOR OUTPUT parameter.
    pub cursor: Option<Box<str>>,
}

/// What EXEC runs.
pub enum ExecTarget {
    /// A procedure by its name.
    Procedure(ast::ObjectName),
    /// A variable that holds a procedure's name.
    Variable(u32),
    /// EXEC (…): the text of a batch.
    Text(Code),
}

/// EXEC.
pub struct Execute {
    /// The variable that takes the return status.
    pub status: Option<u32>,
    /// The procedure or text that runs.
    pub target: ExecTarget,
    /// The arguments in their order.
    pub arguments: Vec<Argument>,
    /// WITH RECOMPILE.
    pub recompile: bool,
    /// WITH RESULT SETS.
    pub results: Option<Vec<DeclaredResult>>,
}

/// What DECLARE does for one of its variables.
pub enum DeclaredVariable {
    /// Gives it its first value.
    Value(u32, Code),
    /// Has a table, by its number among the module's table variables.
    Table(u32),
}

impl DeclaredVariable {
    /// The first value.
    pub fn value(&self) -> Option<&Code> {
        match self {
            DeclaredVariable::Value(_, code) => Some(code),
            DeclaredVariable::Table(_) => None,
        }
    }
}

/// All kinds of statements as they are run.
pub enum StmtKind {
    /// DECLARE of variables, each with its first value.
    Declare(Vec<DeclaredVariable>),
    /// SET of a variable, by its number.
    Set(u32, Code),
    /// What is done if it holds, and what else: see [`ast::If::otherwise`].
    If(Cond, Box<Stmt>, Vec<Stmt>),
    /// WHILE: condition and body.
    While(Cond, Box<Stmt>),
    /// BEGIN … END: the statements inside.
    Block(Vec<Stmt>),
    /// BREAK out of a WHILE.
    Break,
    /// CONTINUE of a WHILE.
    Continue,
    /// RETURN, with a procedure's status.
    Return(Option<Code>),
    /// RETURN of a scalar function.
    Result(Code),
    /// GOTO a label of the module.
    Goto(Box<str>),
    /// A label that GOTO names.
    Label(Box<str>),
    /// TRY and CATCH: the statements of both.
    TryCatch(Vec<Stmt>, Vec<Stmt>),
    /// WAITFOR DELAY and WAITFOR TIME.
    WaitFor {
        /// TIME: the wait ends at a time of the day.
        until: bool,
        /// The delay or the time.
        value: Code,
    },
    /// PRINT of a message.
    Print(Code),
    /// RAISERROR with its arguments and options.
    RaisError {
        /// The text or number of the message.
        message: Code,
        /// The severity of the error.
        severity: Code,
        /// The state of the error.
        state: Code,
        /// The values for the placeholders of the text.
        arguments: Vec<Code>,
        /// WITH LOG was said.
        log: bool,
        /// WITH NOWAIT was said.
        nowait: bool,
        /// WITH SETERROR was said.
        set_error: bool,
    },
    /// THROW: number, message and state, or none for the caught error.
    Throw(Option<Box<(Code, Code, Code)>>),
    /// EXEC of a procedure or a text.
    Execute(Box<Execute>),
    /// SELECT, also of variables.
    Select(Box<ast::SelectStatement>),
    /// INSERT of values or of a query.
    Insert(Box<ast::Insert>),
    /// INSERT … EXEC: the target, and the procedure that gives rows.
    InsertExec(Box<ast::Insert>, Box<Execute>),
    /// UPDATE of a table or view.
    Update(Box<ast::Update>),
    /// DELETE from a table or view.
    Delete(Box<ast::Delete>),
    /// MERGE into a table or view.
    Merge(Box<crate::binder::MergeStatement>),
    /// Name; WITH MARK, its description.
    Begin(Option<NameCode>, Option<Option<Code>>),
    /// COMMIT, with DELAYED_DURABILITY where it is said.
    Commit(Option<bool>),
    /// ROLLBACK, also to a savepoint.
    Rollback(Option<NameCode>),
    /// SAVE TRANSACTION under a name.
    Save(NameCode),
    /// SET of options that are ON or OFF.
    SetSwitches(Vec<ast::SwitchOption>, bool),
    /// SET TRANSACTION ISOLATION LEVEL, by its level.
    SetIsolation(ast::IsolationLevel),
    /// SET IDENTITY_INSERT of a table.
    SetIdentityInsert(ast::ObjectName, bool),
    /// SET of an option that has a value.
    SetValue(ast::ValueOption, Code),
    /// USE: another current database.
    Use(Box<str>),
    /// `CHECKPOINT [seconds]`.
    Checkpoint(Option<Code>),
    /// WITH STATUSONLY.
    Kill(Code, bool),
    /// A statement that a feature has registered.
    Registered(&'static RegisteredStatement, Box<ast::Statement>),
    /// DECLARE CURSOR, with its query.
    DeclareCursor(Arc<super::cursor::CursorText>),
    /// SET of a cursor variable to a cursor that is there.
    SetCursor(Box<str>, super::cursor::CursorRef),
    /// OPEN of a cursor.
    OpenCursor(super::cursor::CursorRef),
    /// FETCH from a cursor.
    Fetch(Box<super::cursor::FetchCode>),
    /// CLOSE of a cursor.
    CloseCursor(super::cursor::CursorRef),
    /// DEALLOCATE of a cursor.
    DeallocateCursor(super::cursor::CursorRef),
    /// A statement that is not built: 40510 names it when it runs.
    Unsupported(Box<str>),
}

/// A planned statement.
#[derive(Clone)]
pub struct Plan {
    /// What runs.
    pub kind: Statement,
    /// The columns of its frame, by slot.
    pub columns: Arc<Columns>,
    /// The objects that it needs and the names that it holds, as the binder left them. Temporary tables are none of these, so the facts
    /// of a plan that is put to others stay as they are.
    pub facts: Arc<Facts>,
    /// The rights by which everything that it needs was held.
    pub allowed: Allowed,
    /// The indexes that it uses.
    pub(crate) used: UsedIndexes,
    /// `query_plan_hash`, once somebody has asked.
    pub(super) hash: OnceLock<u64>,
    /// Its subqueries, by number.
    pub subqueries: Vec<SubqueryPlan>,
    /// What it locks first.
    pub uses: Vec<TableUse>,
    /// Databases whose schema it depends on, with the version it was made for.
    pub depends: Vec<(Arc<Database>, u64)>,
    /// The temp tables and table variables that it names: another run puts its own in their places.
    pub temps: Option<Temps>,
    /// 8625 is told once it is made: [`QueryHints::order_enforced`].
    ///
    /// [`QueryHints::order_enforced`]: crate::plan::hints::QueryHints::order_enforced
    pub order_enforced: bool,
    /// Options were folded in ([`SetOptions::plan_key`]): it is run under no others.
    ///
    /// [`SetOptions::plan_key`]: crate::session::SetOptions::plan_key
    pub options: Option<u32>,
    /// The session's database and its collation, where the module changes one of these.
    pub made_in: Option<(DatabaseId, Collation)>,
    /// It inserts into a table with an identity column: the table, and whether IDENTITY_INSERT was on for it.
    pub identity_insert: Option<(DatabaseId, taffrail_base::ObjectId, bool)>,
}

impl Plan {
    /// The tables that it names, with their databases.
    pub fn tables(&self) -> impl Iterator<Item = (&Database, &Table)> {
        self.uses.iter().map(|u| (&*u.database, &*u.table))
    }
}

/// The number of rights that hold everything a plan needs in its session's database; 0: none is known.
#[derive(Default)]
pub struct Allowed(AtomicU64);

impl Allowed {
    /// The number of the rights.
    #[inline]
    pub(super) fn by(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes rights that hold everything.
    pub(super) fn note(&self, stamp: u64) {
        self.0.store(stamp, Ordering::Relaxed);
    }
}

impl Clone for Allowed {
    /// Another plan is asked about anew.
    fn clone(&self) -> Allowed {
        Allowed::default()
    }
}

/// See [`Plan::made_in`].
pub(super) fn place_of(session: &Session) -> (DatabaseId, Collation) {
    (session.database.id, session.database.collation())
}

impl Plan {
    /// It was made from DDL of this session that is not committed: no other session may run it.
    pub fn is_private(&self, session: SessionId) -> bool {
        self.depends.iter().any(|(db, _)| db.catalog.has_pending(session))
    }

    /// It names a database that has been closed since the look-up: it runs once, for what that comes to, and is not kept.
    pub(crate) fn is_of_the_past(&self) -> bool {
        self.depends.iter().any(|(db, _)| db.catalog.is_retired())
    }

    /// Whether it may still be run.
    #[inline]
    pub fn is_current(&self, session: &Session) -> bool {
        self.fits_but_for_temps(session)
            && self.temps.as_ref().is_none_or(|t| t.are_current(session))
            && self.identity_insert.is_none_or(|(db, table, on)| {
                (session.activation.identity_insert == Some((db, table))) == on
            })
    }

    /// Whether the facts hold of the catalogue, or the plan is current no more: each object that it needs is there, by the name that
    /// the binder found. A permission is asked for these objects, so a plan of other ones must not be run.
    pub fn needs_are_there(&self, session: &Session) -> bool {
        // No catalogue has system views; their ids are negative.
        let mut own = self.facts.needs.iter().filter(|n| n.object.object.0 > 0);
        let is_there = |need: &Need| {
            let object = &need.object;
            let Some((db, _)) = self.depends.iter().find(|(db, _)| db.id == object.database) else {
                return false;
            };
            let found = db.catalog.object(object.object, session.id);
            found.is_some_and(|found| {
                let head = found.head();
                (&head.schema, &head.name) == (&object.schema, &object.name)
            })
        };
        // The version is read after the objects: another session may have changed them since.
        own.all(is_there) || !self.is_current(session)
    }

    /// The same without a look at temp tables.
    #[inline]
    pub(crate) fn fits_but_for_temps(&self, session: &Session) -> bool {
        self.depends.iter().all(|(db, version)| db.catalog.version(session.id) == *version)
            && self.options.is_none_or(|o| o == session.activation.options.plan_key())
            && self.made_in.is_none_or(|m| m == place_of(session))
    }
}
