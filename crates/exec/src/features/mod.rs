//! The tables of the engine's features: statements, DBCC commands, system procedures, system views and functions.
//!
//! A feature (`ddl`, `backup`, `load`, `dbcc`, `procs`, `views`) lists what it has in a static table of its own. The list of
//! the features is handed in when an instance starts. Whoever runs statements knows none of them by name: it looks up a statement when
//! a batch is compiled, a procedure when it is called, a view when it is bound, and asks [`tables`] for the tables that statements
//! make as they go.

pub mod cell;
pub mod needs;
pub mod pipelining;
pub mod procedure;
pub mod server_observer;
mod statement;
pub mod tables;
pub mod view;

pub use statement::{RegisteredStatement, Run, Values};

use crate::catalog::registry::{Databases, Slot};
use crate::database::Database;
use crate::exec::observer::Observer;
use crate::instance::Instance;
use crate::instance_options::InstanceOptions;
use crate::session::Mark;
use crate::session::context::StatementContext;
use crate::session::entry::Sessions;
use needs::Needs;
use pipelining::Pipelining;
use procedure::SystemProcedure;
use server_observer::ServerObserver;
use std::any::Any;
use std::sync::{Arc, LazyLock, OnceLock};
use tables::Tables;
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_io::UtcTime;
use taffrail_syntax::ast;
use taffrail_types::Value;
use view::Declaration;

/// A part of the engine that whoever runs statements need not know.
pub struct Feature {
    /// Statements, by their words.
    pub statements: &'static [RegisteredStatement],
    /// DBCC commands, by their names.
    pub dbcc: &'static [DbccCommand],
    /// System procedures, by their names.
    pub procedures: &'static [SystemProcedure],
    /// Views and functions in FROM: each declares those of its module.
    pub views: &'static [fn(&mut Vec<Declaration>)],
    /// Makes the state that the feature keeps in an instance.
    pub state: Option<fn(&Beginning<'_>) -> State>,
    /// An instance has its databases: what the feature does before statements run. An error ends the start.
    pub start: Option<fn(&Arc<Instance>) -> SqlResult<()>>,
    /// RECONFIGURE has put the configuration in force.
    pub configured: Option<fn(&Arc<Instance>)>,
    /// Looks whether anything is due; called by the recovery writer, every half second at least.
    pub tick: Option<fn(&Arc<Instance>)>,
    /// The instance ends: nothing more is told, and what was told is kept.
    pub stop: Option<fn(&Instance)>,
    /// A database of the instance is open.
    pub opened: Option<fn(&Instance, &Database)>,
    /// Marked transactions of a login have been committed.
    pub marked: Option<fn(&Arc<Instance>, &str, &[Mark]) -> SqlResult<()>>,
    /// A statement has met pages that are not what was written.
    pub damaged: Option<fn(&Arc<Instance>)>,
    /// A number of databases is another database's from now on, or nobody's: whatever is kept under it goes.
    pub forget_database: Option<fn(&Arc<Instance>, DatabaseId)>,
    /// Makes the tables that statements make as they go.
    pub tables: Option<&'static dyn Tables>,
    /// Told of what sessions do.
    pub observer: Option<&'static dyn Observer>,
    /// Told of what is done to the server.
    pub server_observer: Option<&'static dyn ServerObserver>,
    /// A column of a database's row of sys.databases, as a natural value.
    pub database_column: Option<fn(&Databases, Slot, &str) -> Value>,
    /// The scheduled backups as /metrics shows them.
    pub scheduled_backups: Option<fn(&Instance) -> ScheduledBackups>,
}

/// The scheduled backups and drills of an instance.
pub struct ScheduledBackups {
    /// The newest ones, by database and kind.
    pub ages: Vec<BackupAge>,
    /// Backups and drills that have failed since the start.
    pub failures: u64,
}

/// The newest scheduled backup or drill of a database that did not fail.
#[derive(Clone, Debug)]
pub struct BackupAge {
    /// The database that was backed up.
    pub database: String,
    /// The kind of backup: `full`, `differential`, `log` or `drill`.
    pub kind: &'static str,
    /// When the backup or drill began.
    pub began: UtcTime,
}

impl Feature {
    /// A feature that brings nothing.
    pub const NOTHING: Feature = Feature {
        statements: &[],
        dbcc: &[],
        procedures: &[],
        views: &[],
        state: None,
        start: None,
        configured: None,
        tick: None,
        stop: None,
        opened: None,
        marked: None,
        damaged: None,
        forget_database: None,
        tables: None,
        observer: None,
        server_observer: None,
        database_column: None,
        scheduled_backups: None,
    };
}

/// The state of a feature in an instance, by its type.
pub type State = Box<dyn Any + Send + Sync>;

/// The parts of an instance that are there when the features make their states.
pub struct Beginning<'a> {
    /// The sessions, of which there is none yet.
    pub sessions: &'a Arc<Sessions>,
    /// The instance's settings.
    pub options: &'a InstanceOptions,
}

/// A DBCC command.
pub struct DbccCommand {
    /// The command's name, in capitals.
    pub name: &'static str,
    /// The permissions that the command needs.
    pub needs: Needs,
    /// Its word on commits that are not durable yet.
    pub pipelining: Pipelining,
    /// The code that runs the command.
    pub run: fn(&mut StatementContext<'_>, &ast::Dbcc) -> SqlResult<()>,
}

/// The features of an engine, in a list for each crate that has any.
pub type Lists = &'static [&'static [&'static Feature]];

/// The features, as they were handed in.
static HANDED_IN: OnceLock<Lists> = OnceLock::new();

/// Takes the features, before anything is looked up. A process has them once: the first ones count.
pub fn hand_in(features: Lists) {
    let _ = HANDED_IN.set(features);
}

/// The features that were handed in.
pub fn features() -> impl Iterator<Item = &'static Feature> {
    let lists = HANDED_IN.get().copied();
    let lists = lists.expect("the features are handed in before an instance starts");
    lists.iter().flat_map(|list| list.iter()).copied()
}

type ByName<T> = hashbrown::HashMap<&'static str, &'static T, foldhash::fast::RandomState>;

static STATEMENTS: LazyLock<ByName<RegisteredStatement>> =
    LazyLock::new(|| features().flat_map(|f| f.statements).map(|s| (s.words, s)).collect());

static DBCC: LazyLock<ByName<DbccCommand>> =
    LazyLock::new(|| features().flat_map(|f| f.dbcc).map(|c| (c.name, c)).collect());

/// The statement that begins with these words ([`ast::StatementKind::words`]).
pub fn statement(words: &str) -> Option<&'static RegisteredStatement> {
    STATEMENTS.get(words).copied()
}

/// The DBCC command of a name in capitals.
pub fn dbcc(name: &str) -> Option<&'static DbccCommand> {
    DBCC.get(name).copied()
}

/// Tells that marked transactions have been committed.
pub fn record_marks(instance: &Arc<Instance>, login: &str, marks: &[Mark]) -> SqlResult<()> {
    features().filter_map(|f| f.marked).try_for_each(|tell| tell(instance, login, marks))
}

/// A column of a database's row of sys.databases, which functions tell as the view shows it.
pub fn database_column(databases: &Databases, slot: Slot, column: &str) -> Value {
    let column_of = features().find_map(|f| f.database_column);
    column_of.map_or(Value::Null, |value| value(databases, slot, column))
}

/// Tells that RECONFIGURE has put the configuration in force.
pub fn configured(instance: &Arc<Instance>) {
    features().filter_map(|f| f.configured).for_each(|tell| tell(instance));
}

/// The scheduled backups of an instance, if a feature takes any.
pub fn scheduled_backups(instance: &Instance) -> Option<ScheduledBackups> {
    features().find_map(|f| f.scheduled_backups).map(|of| of(instance))
}

/// The one who is told of what sessions do.
pub fn observer() -> &'static dyn Observer {
    features().find_map(|f| f.observer).expect("a feature observes")
}

/// The one who is told of what is done to a server.
pub fn server_observer() -> &'static dyn ServerObserver {
    features().find_map(|f| f.server_observer).expect("a feature observes the server")
}

/// Tells that a statement has met damaged pages.
pub fn pages_damaged(instance: &Arc<Instance>) {
    features().filter_map(|f| f.damaged).for_each(|tell| tell(instance));
}

/// Tells that whatever is kept under a database's number goes.
pub fn forget_database(instance: &Arc<Instance>, id: DatabaseId) {
    features().filter_map(|f| f.forget_database).for_each(|forget| forget(instance, id));
}

/// Everything that is registered, with the permissions that it needs: a line each, `statement ALTER VIEW: ALTER on the object`.
pub fn listed_needs() -> Vec<String> {
    let mut views = Vec::new();
    features().flat_map(|f| f.views).for_each(|declare| declare(&mut views));
    let statements = features().flat_map(|f| f.statements);
    let commands = features().flat_map(|f| f.dbcc);
    let procedures = features().flat_map(|f| f.procedures);
    let mut lines: Vec<String> =
        statements.map(|s| format!("statement {}: {}", s.words, s.needs)).collect();
    lines.extend(commands.map(|c| format!("command DBCC {}: {}", c.name, c.needs)));
    lines.extend(procedures.map(|p| format!("procedure {}: {}", p.name, p.needs)));
    let kind = |v: &Declaration| if v.arguments.is_some() { "function" } else { "view" };
    lines.extend(views.iter().map(|v| format!("{} {}.{}: {}", kind(v), v.schema, v.name, v.needs)));
    lines.sort();
    lines
}

/// Every statement, command and procedure with its word on commits that are not durable yet: a line each, `procedure sp_help: reads`. The
/// functions of live state read, too; others ask for nothing that commits change.
pub fn listed_pipelining() -> Vec<String> {
    let statements = features().flat_map(|f| f.statements);
    let commands = features().flat_map(|f| f.dbcc);
    let procedures = features().flat_map(|f| f.procedures);
    let mut lines: Vec<String> =
        statements.map(|s| format!("statement {}: {}", s.words, s.pipelining)).collect();
    lines.extend(commands.map(|c| format!("command DBCC {}: {}", c.name, c.pipelining)));
    lines.extend(procedures.map(|p| format!("procedure {}: {}", p.name, p.pipelining)));
    let live = crate::functions::names_of_live();
    lines.extend(live.map(|name| format!("function {name}: {}", Pipelining::Reads)));
    lines.sort();
    lines
}
