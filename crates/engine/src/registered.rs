//! The tables of all features together: each name once, found by what is written, and told in the documents.

use super::FEATURES;
use taffrail_catalog::fold;
use taffrail_exec::features::procedure::{self, Argument, Arguments, Body};
use taffrail_exec::features::{self, Feature, view};
use taffrail_types::names::TypeUse;
use taffrail_types::{SqlType, Value};

/// The features, handed in.
fn features() -> impl Iterator<Item = &'static Feature> {
    features::hand_in(&FEATURES);
    features::features()
}

fn unique<N: Ord + std::fmt::Debug>(names: impl Iterator<Item = N>) {
    let mut names: Vec<N> = names.collect();
    names.sort();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two of one name");
    }
}

fn sorted<'n>(names: impl Iterator<Item = &'n str>) {
    let names: Vec<&str> = names.collect();
    for pair in names.windows(2) {
        assert!(pair[0] < pair[1], "{} stands before {}", pair[0], pair[1]);
    }
}

#[test]
fn everything_is_registered_once_and_in_order() {
    sorted_features();
    unique(features().flat_map(|f| f.statements).map(|s| s.words));
    unique(features().flat_map(|f| f.dbcc).map(|c| c.name));
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
    // nodes() and the three of OPENROWSET(BULK) have no names by which they are found.
    assert_eq!(all.len(), view::all().len() + 4);
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

/// The words under which statements are registered, and one of each.
const WRITTEN: &[(&str, &str)] = &[
    ("ALTER APPLICATION ROLE", "ALTER APPLICATION ROLE r WITH NAME = s"),
    ("ALTER AUTHORIZATION", "ALTER AUTHORIZATION ON SCHEMA::s TO u"),
    ("ALTER CREDENTIAL", "ALTER CREDENTIAL c WITH IDENTITY = 'S3 Access Key', SECRET = 'k:s'"),
    ("ALTER DATABASE", "ALTER DATABASE d SET RECOVERY SIMPLE"),
    ("ALTER EVENT SESSION", "ALTER EVENT SESSION s ON SERVER STATE = START"),
    ("ALTER FUNCTION", "ALTER FUNCTION f () RETURNS int AS BEGIN RETURN 1 END"),
    ("ALTER INDEX", "ALTER INDEX i ON t REBUILD"),
    ("ALTER LOGIN", "ALTER LOGIN sa WITH PASSWORD = 'p'"),
    ("ALTER PROCEDURE", "ALTER PROCEDURE p AS RETURN"),
    ("ALTER ROLE", "ALTER ROLE r ADD MEMBER u"),
    ("ALTER SCHEMA", "ALTER SCHEMA s TRANSFER t"),
    ("ALTER SECURITY POLICY", "ALTER SECURITY POLICY p WITH (STATE = ON)"),
    ("ALTER SEQUENCE", "ALTER SEQUENCE s RESTART"),
    ("ALTER SERVER ROLE", "ALTER SERVER ROLE r ADD MEMBER l"),
    ("ALTER TABLE", "ALTER TABLE t DROP COLUMN c"),
    ("ALTER TRIGGER", "ALTER TRIGGER r ON t AFTER INSERT AS RETURN"),
    ("ALTER USER", "ALTER USER u WITH NAME = v"),
    ("ALTER VIEW", "ALTER VIEW v AS SELECT 1 AS a"),
    ("BACKUP DATABASE", "BACKUP DATABASE d TO DISK = 'f'"),
    ("BACKUP LOG", "BACKUP LOG d TO DISK = 'f'"),
    ("BULK INSERT", "BULK INSERT t FROM 'f'"),
    ("CREATE APPLICATION ROLE", "CREATE APPLICATION ROLE r WITH PASSWORD = 'p'"),
    ("CREATE CREDENTIAL", "CREATE CREDENTIAL c WITH IDENTITY = 'S3 Access Key', SECRET = 'k:s'"),
    ("CREATE DATABASE", "CREATE DATABASE d"),
    ("CREATE EVENT SESSION", "CREATE EVENT SESSION s ON SERVER ADD EVENT p.e"),
    ("CREATE FUNCTION", "CREATE FUNCTION f () RETURNS int AS BEGIN RETURN 1 END"),
    ("CREATE INDEX", "CREATE INDEX i ON t (c)"),
    ("CREATE LOGIN", "CREATE LOGIN l WITH PASSWORD = 'p'"),
    ("CREATE PROCEDURE", "CREATE PROCEDURE p AS RETURN"),
    ("CREATE ROLE", "CREATE ROLE r"),
    ("CREATE SCHEMA", "CREATE SCHEMA s"),
    ("CREATE SECURITY POLICY", "CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.f(a) ON dbo.t"),
    ("CREATE SEQUENCE", "CREATE SEQUENCE s"),
    ("CREATE SERVER ROLE", "CREATE SERVER ROLE r"),
    ("CREATE STATISTICS", "CREATE STATISTICS s ON t (c)"),
    ("CREATE SYNONYM", "CREATE SYNONYM s FOR t"),
    ("CREATE TABLE", "CREATE TABLE t (c int)"),
    ("CREATE TRIGGER", "CREATE TRIGGER r ON t AFTER INSERT AS RETURN"),
    ("CREATE TYPE", "CREATE TYPE a FROM int"),
    ("CREATE USER", "CREATE USER u"),
    ("CREATE VIEW", "CREATE VIEW v AS SELECT 1 AS a"),
    ("DBCC", "DBCC LOGINFO"),
    ("DENY", "DENY SELECT ON t TO u"),
    ("DISABLE TRIGGER", "DISABLE TRIGGER r ON t"),
    ("DROP APPLICATION ROLE", "DROP APPLICATION ROLE r"),
    ("DROP CREDENTIAL", "DROP CREDENTIAL c"),
    ("DROP DATABASE", "DROP DATABASE d"),
    ("DROP EVENT SESSION", "DROP EVENT SESSION s ON SERVER"),
    ("DROP FUNCTION", "DROP FUNCTION f"),
    ("DROP INDEX", "DROP INDEX i ON t"),
    ("DROP LOGIN", "DROP LOGIN l"),
    ("DROP PROCEDURE", "DROP PROCEDURE p"),
    ("DROP ROLE", "DROP ROLE r"),
    ("DROP SCHEMA", "DROP SCHEMA s"),
    ("DROP SECURITY POLICY", "DROP SECURITY POLICY p"),
    ("DROP SEQUENCE", "DROP SEQUENCE s"),
    ("DROP SERVER ROLE", "DROP SERVER ROLE r"),
    ("DROP STATISTICS", "DROP STATISTICS t.s"),
    ("DROP SYNONYM", "DROP SYNONYM s"),
    ("DROP TABLE", "DROP TABLE t"),
    ("DROP TRIGGER", "DROP TRIGGER r"),
    ("DROP TYPE", "DROP TYPE a"),
    ("DROP USER", "DROP USER u"),
    ("DROP VIEW", "DROP VIEW v"),
    ("ENABLE TRIGGER", "ENABLE TRIGGER r ON t"),
    ("EXECUTE AS", "EXECUTE AS USER = 'u'"),
    ("GRANT", "GRANT SELECT ON t TO u"),
    ("INSERT BULK", "INSERT BULK t (c int)"),
    ("RECONFIGURE", "RECONFIGURE"),
    ("RESTORE DATABASE", "RESTORE DATABASE d FROM DISK = 'f'"),
    ("RESTORE FILELISTONLY", "RESTORE FILELISTONLY FROM DISK = 'f'"),
    ("RESTORE HEADERONLY", "RESTORE HEADERONLY FROM DISK = 'f'"),
    ("RESTORE LABELONLY", "RESTORE LABELONLY FROM DISK = 'f'"),
    ("RESTORE LOG", "RESTORE LOG d FROM DISK = 'f'"),
    ("RESTORE REWINDONLY", "RESTORE REWINDONLY FROM DISK = 'f'"),
    ("RESTORE VERIFYONLY", "RESTORE VERIFYONLY FROM DISK = 'f'"),
    ("REVERT", "REVERT"),
    ("REVOKE", "REVOKE SELECT ON t FROM u"),
    ("SHUTDOWN", "SHUTDOWN"),
    ("TRUNCATE TABLE", "TRUNCATE TABLE t"),
    ("UPDATE STATISTICS", "UPDATE STATISTICS t"),
];

/// What is registered under some words is what the parser makes of them: a statement that nobody could reach is none.
#[test]
fn every_statement_is_found_by_what_is_written() {
    features::hand_in(&FEATURES);
    for &(words, text) in WRITTEN {
        let batch = taffrail_syntax::parse_batch(text, Default::default());
        let batch = batch.unwrap_or_else(|e| panic!("{text}: {}", e.errors[0].message));
        assert_eq!(batch.statements[0].kind.words(), words);
        assert!(features::statement(words).is_some(), "nobody runs {words}");
    }
    let all = features().flat_map(|f| f.statements).count();
    assert_eq!(WRITTEN.len(), all, "a statement is not among these");
}

#[test]
fn every_view_is_declared_once_and_readable() {
    features::hand_in(&FEATURES);
    unique(view::all().iter().map(|v| (fold(v.schema), fold(v.name))));
    for view in view::all() {
        assert!(!view.columns.is_empty(), "{}", view.name);
        let mut names: Vec<_> = view.columns.iter().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), view.columns.len(), "a column twice in {}", view.name);
    }
    assert!(view::find(Some("SYS"), "Databases").is_some());
    assert!(view::find(None, "databases").is_none());
    assert!(view::find(None, "sysdatabases").is_some());
}

#[test]
fn procedures_are_found_from_everywhere() {
    features::hand_in(&FEATURES);
    for schema in [None, Some("sys"), Some("DBO")] {
        assert!(procedure::find(schema, "SP_MSFOREACHDB").is_some());
    }
    assert!(procedure::find(Some("other"), "sp_who").is_none());
    unique(features().flat_map(|f| f.procedures).map(|p| p.name.to_ascii_lowercase()));
}

/// The documents name everything that runs.
#[test]
fn every_view_and_procedure_is_documented() {
    let text = include_str!("../../../docs/reference/t-sql.md");
    // Code spans, and the names in them; built-in functions stand among the statements in plain capitals.
    let spans = text.split('`').skip(1).step_by(2);
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let mut known: Vec<String> = spans.flat_map(|s| s.split(word)).map(fold).collect();
    known.extend(
        ["STRING_SPLIT", "GENERATE_SERIES"].iter().filter(|n| text.contains(**n)).map(|n| fold(n)),
    );
    features::hand_in(&FEATURES);
    let views = view::all().iter().map(|v| v.name);
    let procedures = procedure::names().map(|(name, _)| name);
    let missing: Vec<&str> =
        views.chain(procedures).filter(|name| !known.contains(&fold(name))).collect();
    assert!(missing.is_empty(), "not in docs/reference/t-sql.md: {missing:?}");
}
