//! The tables of the engine's features: statements, DBCC commands, system procedures, system views and functions.
//!
//! A feature (`ddl`, `backup`, `load`, `dbcc`, `procs`, `views`) lists what it has in a static table of its own. The list of
//! the features is handed in when an instance starts. Whoever runs statements knows none of them by name: it looks up a statement when
//! a batch is compiled, a procedure when it is called, a view when it is bound, and asks [`tables`] for the tables that statements
//! make as they go.

pub(crate) mod cell;
pub(crate) mod needs;
pub(crate) mod procedure;
mod statement;
pub(crate) mod tables;
pub(crate) mod view;

pub(crate) use statement::{RegisteredStatement, Run, Values};

use crate::catalog::registry::{Databases, Slot};
use crate::database::Database;
use crate::exec::observer::Observer;
use crate::instance::Instance;
use crate::instance_options::InstanceOptions;
use crate::session::Mark;
use crate::session::context::StatementContext;
use crate::session::entry::Sessions;
use needs::Needs;
use procedure::SystemProcedure;
use std::any::Any;
use std::sync::{Arc, LazyLock, OnceLock};
use tables::Tables;
use taffrail_base::SqlResult;
use taffrail_syntax::ast;
use taffrail_types::Value;
use view::Declaration;

/// A part of the engine that whoever runs statements need not know.
pub(crate) struct Feature {
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
    /// Makes the tables that statements make as they go.
    pub tables: Option<&'static dyn Tables>,
    /// Told of what sessions do.
    pub observer: Option<&'static dyn Observer>,
    /// A column of a database's row of sys.databases, as a natural value.
    pub database_column: Option<fn(&Databases, Slot, &str) -> Value>,
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
        tick: None,
        stop: None,
        opened: None,
        marked: None,
        damaged: None,
        tables: None,
        observer: None,
        database_column: None,
    };
}

/// The state of a feature in an instance, by its type.
pub(crate) type State = Box<dyn Any + Send + Sync>;

/// The parts of an instance that are there when the features make their states.
pub(crate) struct Beginning<'a> {
    /// The sessions, of which there is none yet.
    pub sessions: &'a Arc<Sessions>,
    /// The instance's settings.
    pub options: &'a InstanceOptions,
}

/// A DBCC command.
pub(crate) struct DbccCommand {
    /// The command's name, in capitals.
    pub name: &'static str,
    /// The permissions that the command needs.
    pub needs: Needs,
    /// The code that runs the command.
    pub run: fn(&mut StatementContext<'_>, &ast::Dbcc) -> SqlResult<()>,
}

/// The features, as they were handed in.
static HANDED_IN: OnceLock<&'static [&'static Feature]> = OnceLock::new();

/// Takes the list of features, before anything is looked up. A process has one list: the first counts.
pub(crate) fn hand_in(features: &'static [&'static Feature]) {
    let _ = HANDED_IN.set(features);
}

/// The features that were handed in.
pub(crate) fn features() -> impl Iterator<Item = &'static Feature> {
    #[cfg(test)]
    hand_in(&crate::FEATURES);
    let features = HANDED_IN.get().copied();
    features.expect("the features are handed in before an instance starts").iter().copied()
}

type ByName<T> = hashbrown::HashMap<&'static str, &'static T, foldhash::fast::RandomState>;

static STATEMENTS: LazyLock<ByName<RegisteredStatement>> =
    LazyLock::new(|| features().flat_map(|f| f.statements).map(|s| (s.words, s)).collect());

static DBCC: LazyLock<ByName<DbccCommand>> =
    LazyLock::new(|| features().flat_map(|f| f.dbcc).map(|c| (c.name, c)).collect());

/// The statement that begins with these words ([`ast::StatementKind::words`]).
pub(crate) fn statement(words: &str) -> Option<&'static RegisteredStatement> {
    STATEMENTS.get(words).copied()
}

/// The DBCC command of a name in capitals.
pub(crate) fn dbcc(name: &str) -> Option<&'static DbccCommand> {
    DBCC.get(name).copied()
}

/// Tells that marked transactions have been committed.
pub(crate) fn record_marks(instance: &Arc<Instance>, login: &str, marks: &[Mark]) -> SqlResult<()> {
    features().filter_map(|f| f.marked).try_for_each(|tell| tell(instance, login, marks))
}

/// A column of a database's row of sys.databases, which functions tell as the view shows it.
pub(crate) fn database_column(databases: &Databases, slot: Slot, column: &str) -> Value {
    let column_of = features().find_map(|f| f.database_column);
    column_of.map_or(Value::Null, |value| value(databases, slot, column))
}

/// The one who is told of what sessions do.
pub(crate) fn observer() -> &'static dyn Observer {
    features().find_map(|f| f.observer).expect("a feature observes")
}

/// Tells that a statement has met damaged pages.
pub(crate) fn pages_damaged(instance: &Arc<Instance>) {
    features().filter_map(|f| f.damaged).for_each(|tell| tell(instance));
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

#[cfg(test)]
mod tests {
    use super::*;
    use procedure::{Argument, Arguments, Body};
    use taffrail_types::names::TypeUse;
    use taffrail_types::{SqlType, Value};

    fn sorted<'n>(names: impl Iterator<Item = &'n str>) {
        let names: Vec<&str> = names.collect();
        for pair in names.windows(2) {
            assert!(pair[0] < pair[1], "{} stands before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn everything_is_registered_once_and_in_order() {
        sorted_features();
        let all: Vec<_> = features().flat_map(|f| f.statements).collect();
        assert_eq!(all.len(), STATEMENTS.len(), "two statements of one name");
        let commands = features().flat_map(|f| f.dbcc).count();
        assert_eq!(commands, DBCC.len(), "two DBCC commands of one name");
        let procedures: Vec<_> = features().flat_map(|f| f.procedures).collect();
        assert_eq!(procedures.len(), procedure::names().count());
        for p in procedures {
            assert!(procedure::find(Some("sys"), p.name).is_some(), "{}", p.name);
        }
        for c in features().flat_map(|f| f.dbcc) {
            assert_eq!(c.name, c.name.to_ascii_uppercase());
        }
    }

    /// The declared parameters are the ones that a call may give, by place and by name, and no others.
    #[test]
    fn every_procedure_takes_its_declared_parameters() {
        for p in features().flat_map(|f| f.procedures) {
            if matches!(p.body, Body::Sql(_)) {
                assert!(p.parameters.is_empty(), "{} declares them in its text", p.name);
                continue;
            }
            let argument = |name: &str| {
                let name = procedure::parameter_name(name).into();
                Argument { name, value: Some(Value::Null), ty: SqlType::Int }
            };
            let refused = |given: &[Argument]| {
                Arguments::new(p.name, p.parameters, given).err().map(|e| e.number)
            };
            let mut by_name: Vec<Argument> = Vec::new();
            for name in p.parameters {
                assert!(name.starts_with('@'), "{} {name}", p.name);
                let given = argument(name);
                let twice = by_name.iter().any(|a| a.name.eq_ignore_ascii_case(&given.name));
                assert!(!twice, "{} {name}", p.name);
                by_name.push(given);
            }
            assert_eq!(refused(&by_name), None, "{}", p.name);
            let mut by_place: Vec<Argument> = p.parameters.iter().map(|_| argument("")).collect();
            assert_eq!(refused(&by_place), None, "{}", p.name);
            by_place.push(argument(""));
            let (many, other) = if p.parameters.is_empty() { (8146, 8146) } else { (8144, 8145) };
            assert_eq!(refused(&by_place), Some(many), "{}", p.name);
            assert_eq!(refused(&[argument("@nobody_has_this")]), Some(other), "{}", p.name);
        }
    }

    /// A client can be told of every column.
    #[test]
    fn every_column_of_a_view_has_a_type_that_can_be_shown() {
        let mut all = Vec::new();
        features().flat_map(|f| f.views).for_each(|declare| declare(&mut all));
        // nodes() has no name by which it is found.
        assert_eq!(all.len(), view::all().len() + 1);
        for view in view::all() {
            for c in &view.columns {
                let shown = c.ty.to_string();
                let again = taffrail_types::names::parse(&shown, TypeUse::Declaration);
                assert_eq!(again, Some(Ok(c.ty)), "{}.{} is {shown}", view.name, c.name);
            }
        }
    }

    fn sorted_features() {
        for f in features() {
            sorted(f.procedures.iter().map(|p| p.name));
            sorted(f.statements.iter().map(|s| s.words));
            sorted(f.dbcc.iter().map(|c| c.name));
        }
    }

    /// What is registered under some words is what the parser makes of them: a statement that nobody could reach is none.
    #[test]
    fn every_statement_is_found_by_what_is_written() {
        let written = [
            ("ALTER DATABASE", "ALTER DATABASE d SET RECOVERY SIMPLE"),
            ("ALTER EVENT SESSION", "ALTER EVENT SESSION s ON SERVER STATE = START"),
            ("ALTER INDEX", "ALTER INDEX i ON t REBUILD"),
            ("ALTER LOGIN", "ALTER LOGIN sa WITH PASSWORD = 'p'"),
            ("ALTER PROCEDURE", "ALTER PROCEDURE p AS RETURN"),
            ("ALTER TABLE", "ALTER TABLE t DROP COLUMN c"),
            ("ALTER VIEW", "ALTER VIEW v AS SELECT 1 AS a"),
            ("BACKUP DATABASE", "BACKUP DATABASE d TO DISK = 'f'"),
            ("BACKUP LOG", "BACKUP LOG d TO DISK = 'f'"),
            ("BULK INSERT", "BULK INSERT t FROM 'f'"),
            ("CREATE DATABASE", "CREATE DATABASE d"),
            ("CREATE EVENT SESSION", "CREATE EVENT SESSION s ON SERVER ADD EVENT p.e"),
            ("CREATE INDEX", "CREATE INDEX i ON t (c)"),
            ("CREATE PROCEDURE", "CREATE PROCEDURE p AS RETURN"),
            ("CREATE SCHEMA", "CREATE SCHEMA s"),
            ("CREATE STATISTICS", "CREATE STATISTICS s ON t (c)"),
            ("CREATE TABLE", "CREATE TABLE t (c int)"),
            ("CREATE VIEW", "CREATE VIEW v AS SELECT 1 AS a"),
            ("DBCC", "DBCC LOGINFO"),
            ("DROP DATABASE", "DROP DATABASE d"),
            ("DROP EVENT SESSION", "DROP EVENT SESSION s ON SERVER"),
            ("DROP INDEX", "DROP INDEX i ON t"),
            ("DROP PROCEDURE", "DROP PROCEDURE p"),
            ("DROP SCHEMA", "DROP SCHEMA s"),
            ("DROP STATISTICS", "DROP STATISTICS t.s"),
            ("DROP TABLE", "DROP TABLE t"),
            ("DROP VIEW", "DROP VIEW v"),
            ("INSERT BULK", "INSERT BULK t (c int)"),
            ("RECONFIGURE", "RECONFIGURE"),
            ("RESTORE DATABASE", "RESTORE DATABASE d FROM DISK = 'f'"),
            ("RESTORE FILELISTONLY", "RESTORE FILELISTONLY FROM DISK = 'f'"),
            ("RESTORE HEADERONLY", "RESTORE HEADERONLY FROM DISK = 'f'"),
            ("RESTORE LABELONLY", "RESTORE LABELONLY FROM DISK = 'f'"),
            ("RESTORE LOG", "RESTORE LOG d FROM DISK = 'f'"),
            ("RESTORE REWINDONLY", "RESTORE REWINDONLY FROM DISK = 'f'"),
            ("RESTORE VERIFYONLY", "RESTORE VERIFYONLY FROM DISK = 'f'"),
            ("SHUTDOWN", "SHUTDOWN"),
            ("TRUNCATE TABLE", "TRUNCATE TABLE t"),
            ("UPDATE STATISTICS", "UPDATE STATISTICS t"),
        ];
        for (words, text) in written {
            let batch = taffrail_syntax::parse_batch(text, Default::default());
            let batch = batch.unwrap_or_else(|e| panic!("{text}: {}", e.errors[0].message));
            assert_eq!(batch.statements[0].kind.words(), words);
            assert!(statement(words).is_some(), "nobody runs {words}");
        }
        assert_eq!(written.len(), STATEMENTS.len(), "a statement is not among these");
    }
}
