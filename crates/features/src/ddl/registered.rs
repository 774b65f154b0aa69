//! The statements of the catalogue, and the other ones of `ddl`, as they are registered.

use super::{
    alter, alter_index, application_role, attach, authorization, credential, database, drop,
    drop_database, events, function, grant, index, login, masked, module, policy, role, schema,
    sequence, statistics, synonym, transfer, trigger, user, user_type, view,
};
use crate::catalog::principals::Scope;
use crate::features::needs::{
    ALTERS, ALTERS_TRIGGERS, CREATES_DATABASES, Case, DB_OWNER, DROPS, DatabaseRole, Needs,
    OnDatabase, OnObject, OnSchema, OnServer, Owned,
};
use crate::features::pipelining::Pipelining::{self, Session, Waits};
use crate::features::procedure::{SystemProcedure, native};
use crate::features::{self, Feature, RegisteredStatement, Run};
use crate::session::context::StatementContext;
use crate::sink::Command;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_syntax::ast::{AlterDatabaseAction, DropKind, Statement, StatementKind as K};

/// The tables of the feature `ddl`.
pub(crate) static FEATURE: Feature = Feature {
    statements: STATEMENTS,
    procedures: PROCEDURES,
    tables: Some(&super::own_tables::OwnTables),
    ..Feature::NOTHING
};

static PROCEDURES: &[SystemProcedure] = &[
    native(
        "sp_addtype",
        MAKES_TYPES,
        Waits,
        &["@typename", "@phystype", "@nulltype", "@owner"],
        user_type::add,
    ),
    native(
        "sp_detach_db",
        DB_OWNER,
        Waits,
        &["@dbname", "@skipchecks", "@keepfulltextindexfile"],
        attach::detach,
    ),
    native("sp_droptype", MAKES_TYPES, Waits, &["@typename"], user_type::remove),
    native(
        "sp_updatestats",
        Needs::Owner(Owned::Database),
        Waits,
        &["@resample"],
        statistics::update_all,
    ),
];

/// How one of these is run.
type Within = fn(&mut StatementContext<'_>, &Statement, &str) -> SqlResult<()>;

const fn new(
    words: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    run: Within,
) -> RegisteredStatement {
    RegisteredStatement::new(words, needs, pipelining, Run::Within(run))
}

const fn of_objects(
    words: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    run: Within,
) -> RegisteredStatement {
    RegisteredStatement::of_objects(words, needs, pipelining, Run::Within(run))
}

/// A statement that is registered under the words of another one.
#[cold]
fn other(s: &Statement) -> SqlResult<()> {
    unreachable!("{} is registered elsewhere", s.kind.words())
}

fn alter_database(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::AlterDatabase(s) = &s.kind else { return other(s) };
    let name = s.name.as_ref().map_or(cx.database().name.clone(), |n| n.value.to_string());
    database::alter_database(cx, s)?;
    let event = match s.action {
        AlterDatabaseAction::ScopedConfiguration { .. } => None,
        _ => events::of_database(cx, "ALTER", &name),
    };
    cx.note_event(event);
    Ok(())
}

fn alter_index(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::AlterIndex(s) = &s.kind else { return other(s) };
    alter_index::alter_index(cx, s).map_err(|e| masked::covered(cx, &s.table, e))?;
    let name = s.name.as_ref().map_or("ALL", |n| &n.value);
    events::of_named_part(cx, ("ALTER", "INDEX"), &s.table, name)
}

fn alter_authorization(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::AlterAuthorization(s) = &s.kind else { return other(s) };
    authorization::alter(cx, s)?;
    events::of_authorization(cx, s.class.as_deref().unwrap_or("OBJECT"), s);
    Ok(())
}

fn login(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Login(s) = &s.kind { login::login(cx, s) } else { other(s) }
}

fn credential(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    match &s.kind {
        K::Credential(c) => credential::credential(cx, c, (text, s.span)),
        _ => other(s),
    }
}

fn user(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::User(s) = &s.kind { user::user(cx, s) } else { other(s) }
}

fn role(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Role(s) = &s.kind { role::role(cx, s) } else { other(s) }
}

fn application_role(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    match &s.kind {
        K::ApplicationRole(s) => application_role::application_role(cx, s),
        _ => other(s),
    }
}

fn drop_principals(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    let K::Drop(d) = &s.kind else { return other(s) };
    match d.kind {
        DropKind::Login => login::drop(cx, &d.names),
        DropKind::User => user::drop(cx, &d.names, d.if_exists),
        DropKind::Role => role::drop(cx, &d.names, Scope::Database, d.if_exists),
        DropKind::ServerRole => role::drop(cx, &d.names, Scope::Server, false),
        DropKind::ApplicationRole => application_role::drop(cx, &d.names),
        DropKind::Credential => credential::drop(cx, &d.names, (text, s.span)),
        _ => other(s),
    }
}

fn alter_schema(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::AlterSchema(s) = &s.kind { transfer::transfer(cx, s) } else { other(s) }
}

fn alter_table(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    let K::AlterTable(s) = &s.kind else { return other(s) };
    alter::alter_table(cx, s, text).map_err(|e| masked::covered(cx, &s.table, e))?;
    events::of_altered(cx, s)
}

fn create_database(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::CreateDatabase(s) = &s.kind else { return other(s) };
    database::create_database(cx, s)?;
    let attached = s.variant.as_ref().is_some_and(|v| v.is("ATTACH"));
    let undo = match attached {
        true => drop_database::undo_attach,
        false => drop_database::undo_creation,
    };
    let event = events::of_database(cx, "CREATE", &s.name.value);
    cx.note_event(event.map(|e| e.undone_by(undo, &s.name.value)));
    Ok(())
}

fn create_index(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::CreateIndex(s) = &s.kind else { return other(s) };
    index::create_index(cx, s).map_err(|e| masked::covered(cx, &s.table, e))?;
    events::of_named_part(cx, ("CREATE", "INDEX"), &s.table, &s.name.value)
}

fn create_schema(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    if let K::CreateSchema(s) = &s.kind { schema::create(cx, s, text) } else { other(s) }
}

fn create_statistics(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::CreateStatistics(s) = &s.kind { statistics::create(cx, s) } else { other(s) }
}

fn sequence(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Sequence(s) = &s.kind { sequence::sequence(cx, s) } else { other(s) }
}

fn security_policy(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::SecurityPolicy(s) = &s.kind { policy::policy(cx, s) } else { other(s) }
}

fn create_synonym(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::CreateSynonym(s) = &s.kind { synonym::create(cx, s) } else { other(s) }
}

fn create_table(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    match &s.kind {
        K::CreateTable(s) => super::create_table_statement(cx, s, text),
        _ => other(s),
    }
}

fn create_type(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    match &s.kind {
        K::CreateType(t) => user_type::create(cx, t, (text, s.span)),
        _ => other(s),
    }
}

fn drop_databases(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    match &s.kind {
        K::Drop(d) => drop_database::drop_databases(cx, d, (text, s.span)),
        _ => other(s),
    }
}

fn drop_index(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::DropIndex(s) = &s.kind { index::drop_index(cx, s) } else { other(s) }
}

fn drop_objects(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Drop(s) = &s.kind { drop::drop_objects(cx, s) } else { other(s) }
}

fn drop_statistics(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Drop(s) = &s.kind { statistics::drop(cx, s) } else { other(s) }
}

fn drop_types(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Drop(s) = &s.kind { user_type::drop_types(cx, s) } else { other(s) }
}

fn function(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    if let K::Function(s) = &s.kind { function::function(cx, s, text) } else { other(s) }
}

fn procedure(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    if let K::Procedure(s) = &s.kind { module::procedure(cx, s, text) } else { other(s) }
}

fn permission(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Permission(s) = &s.kind { grant::run(cx, s) } else { other(s) }
}

fn reconfigure(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let with_override = matches!(&s.kind, K::Reconfigure { with_override: true });
    match cx.refuse_in_transaction("RECONFIGURE") {
        Ok(()) => {
            let disrupts = cx.instance().check_contained(with_override)?;
            cx.instance().databases().reconfigure()?;
            if let Some(told) = disrupts {
                cx.instance().end_contained_sessions(None);
                cx.message(told.with_severity(10))?;
            }
            features::configured(cx.instance());
            cx.instance().checkpoints_configured();
            Ok(())
        }
        // The name that SQL Server has for it.
        Err(_) => Err(SqlError::new(574, &[&"CONFIG"])),
    }
}

fn shutdown(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::Shutdown { nowait } = &s.kind { super::shut_down(cx, *nowait) } else { other(s) }
}

fn switch_trigger(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    if let K::SwitchTrigger(s) = &s.kind { trigger::switch(cx, s) } else { other(s) }
}

fn trigger(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    if let K::Trigger(s) = &s.kind { trigger::trigger(cx, s, text) } else { other(s) }
}

fn truncate(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    match &s.kind {
        K::Truncate(s) if s.partitions => {
            Err(SqlError::new(40510, &[&"TRUNCATE TABLE … WITH (PARTITIONS)"]))
        }
        K::Truncate(s) => drop::truncate(cx, s),
        _ => other(s),
    }
}

fn update_statistics(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let K::UpdateStatistics(s) = &s.kind else { return other(s) };
    statistics::update(cx, s)?;
    let name = s.names.first().map_or("", |n| &n.value);
    events::of_named_part(cx, ("UPDATE", "STATISTICS"), &s.table, name)
}

fn view(cx: &mut StatementContext<'_>, s: &Statement, text: &str) -> SqlResult<()> {
    if let K::View(s) = &s.kind { view::view(cx, s, text) } else { other(s) }
}

/// Ends the batch with most of its errors, like those that make objects.
const fn ending(of: RegisteredStatement) -> RegisteredStatement {
    RegisteredStatement { ends_batch: true, ..of }
}

/// One that changes rows of permissions.
const fn granting(words: &'static str) -> RegisteredStatement {
    let new = new(words, Needs::Grants, Waits, permission);
    RegisteredStatement { begins_transaction: true, ..new }
}

/// One that is not run again after the log was full.
const fn once(of: RegisteredStatement) -> RegisteredStatement {
    RegisteredStatement { again: false, ..of }
}

const ALTERS_DATABASE: Needs = Needs::All(&[
    Needs::When(Case::Settings, &Needs::Database(OnDatabase::Alter)),
    Needs::When(
        Case::ScopedConfiguration,
        &Needs::Database(OnDatabase::AlterAnyScopedConfiguration),
    ),
]);

/// The password and the defaults of one's own login are one's own.
const ALTERS_LOGIN: Needs = Needs::All(&[
    Needs::When(Case::OtherLogins, &Needs::Server(OnServer::AlterAnyLogin)),
    Needs::When(Case::PrivilegedLogins, &Needs::Server(OnServer::ControlServer)),
]);

/// The defaults of oneself are one's own, and so is the password with the old one.
const ALTERS_USER: Needs =
    Needs::When(Case::OtherUsers, &Needs::Database(OnDatabase::AlterAnyUser));

const ALTERS_TABLE: Needs = Needs::All(&[
    ALTERS,
    Needs::When(Case::Masks, &Needs::Database(OnDatabase::AlterAnyMask)),
    Needs::When(Case::RowsChange, &Needs::Object(OnObject::Update)),
]);

const CREDENTIALS: Needs = Needs::Server(OnServer::AlterAnyCredential);

const APPLICATION_ROLES: Needs = Needs::Database(OnDatabase::AlterAnyApplicationRole);

const CREATES_FUNCTION: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateFunction), Needs::Schema(OnSchema::Alter)]);

const CREATES_PROCEDURE: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateProcedure), Needs::Schema(OnSchema::Alter)]);

const CREATES_SCHEMA: Needs = Needs::All(&[
    Needs::Database(OnDatabase::CreateSchema),
    Needs::When(Case::Authorization, &Needs::Impersonate),
]);

const CREATES_SEQUENCE: Needs = Needs::Any(&[
    Needs::Schema(OnSchema::CreateSequence),
    Needs::Schema(OnSchema::Alter),
    Needs::Schema(OnSchema::Control),
]);

/// The new owner is asked for by the statement itself, which knows that principal.
const TAKES_OWNERSHIP: Needs =
    Needs::All(&[Needs::Object(OnObject::TakeOwnership), Needs::Impersonate]);

const TRANSFERS: Needs =
    Needs::All(&[Needs::Object(OnObject::Control), Needs::Schema(OnSchema::Alter)]);

const ALTERS_POLICY: Needs = Needs::Database(OnDatabase::AlterAnySecurityPolicy);

/// The functions and tables of its predicates are asked for by the statement itself.
const MAKES_POLICY: Needs = Needs::All(&[ALTERS_POLICY, Needs::Schema(OnSchema::Alter)]);

const ALTERS_SEQUENCE: Needs = Needs::Any(&[ALTERS, Needs::Schema(OnSchema::Alter)]);

const DROPS_SEQUENCE: Needs =
    Needs::Any(&[Needs::Schema(OnSchema::Alter), Needs::Schema(OnSchema::Control)]);

const CREATES_SYNONYM: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateSynonym), Needs::Schema(OnSchema::Alter)]);

/// Temporary tables are everybody's to make.
const CREATES_TABLE: Needs = Needs::When(
    Case::Permanent,
    &Needs::All(&[Needs::Database(OnDatabase::CreateTable), Needs::Schema(OnSchema::Alter)]),
);

/// The types are those of dbo.
const MAKES_TYPES: Needs = Needs::Any(&[DB_OWNER, Needs::InDatabaseRole(DatabaseRole::Ddladmin)]);

const CREATES_TYPE: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateType), Needs::Schema(OnSchema::Alter)]);

const DROPS_TYPE: Needs =
    Needs::Any(&[Needs::Object(OnObject::Control), Needs::Schema(OnSchema::Alter)]);

const CREATES_VIEW: Needs =
    Needs::All(&[Needs::Database(OnDatabase::CreateView), Needs::Schema(OnSchema::Alter)]);

const DROPS_DATABASE: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::Control),
    Needs::Server(OnServer::AlterAnyDatabase),
    DB_OWNER,
]);

const DROPS_SCHEMA: Needs =
    Needs::Any(&[Needs::Schema(OnSchema::Control), Needs::Database(OnDatabase::AlterAnySchema)]);

static STATEMENTS: &[RegisteredStatement] = &[
    new("ALTER APPLICATION ROLE", APPLICATION_ROLES, Waits, application_role),
    new("ALTER AUTHORIZATION", TAKES_OWNERSHIP, Waits, alter_authorization),
    new("ALTER CREDENTIAL", CREDENTIALS, Waits, credential),
    new("ALTER DATABASE", ALTERS_DATABASE, Waits, alter_database).shown(Shown::AlterDatabase),
    of_objects("ALTER FUNCTION", ALTERS, Waits, function).shown(Shown::CreateFunction),
    ending(new("ALTER INDEX", ALTERS, Waits, alter_index)),
    new("ALTER LOGIN", ALTERS_LOGIN, Waits, login),
    of_objects("ALTER PROCEDURE", ALTERS, Waits, procedure)
        .done(Command::CREATE_PROCEDURE)
        .shown(Shown::CreateProcedure),
    new("ALTER ROLE", Needs::Database(OnDatabase::AlterAnyRole), Waits, role),
    ending(of_objects("ALTER SCHEMA", TRANSFERS, Waits, alter_schema)),
    of_objects("ALTER SECURITY POLICY", ALTERS_POLICY, Waits, security_policy),
    of_objects("ALTER SEQUENCE", ALTERS_SEQUENCE, Waits, sequence),
    new("ALTER SERVER ROLE", Needs::Server(OnServer::AlterAnyServerRole), Waits, role),
    of_objects("ALTER TABLE", ALTERS_TABLE, Waits, alter_table)
        .done(Command::ALTER_TABLE)
        .shown(Shown::AlterTable),
    of_objects("ALTER TRIGGER", ALTERS_TRIGGERS, Waits, trigger),
    new("ALTER USER", ALTERS_USER, Waits, user),
    of_objects("ALTER VIEW", ALTERS, Waits, view).done(Command::CREATE_VIEW),
    new("CREATE APPLICATION ROLE", APPLICATION_ROLES, Waits, application_role),
    new("CREATE CREDENTIAL", CREDENTIALS, Waits, credential),
    new("CREATE DATABASE", CREATES_DATABASES, Waits, create_database)
        .done(Command::CREATE_DATABASE)
        .shown(Shown::CreateDatabase),
    of_objects("CREATE FUNCTION", CREATES_FUNCTION, Waits, function).shown(Shown::CreateFunction),
    of_objects("CREATE INDEX", ALTERS, Waits, create_index)
        .done(Command::CREATE_INDEX)
        .shown(Shown::CreateIndex),
    new("CREATE LOGIN", Needs::Server(OnServer::CreateLogin), Waits, login),
    of_objects("CREATE PROCEDURE", CREATES_PROCEDURE, Waits, procedure)
        .done(Command::CREATE_PROCEDURE)
        .shown(Shown::CreateProcedure),
    new("CREATE ROLE", Needs::Database(OnDatabase::CreateRole), Waits, role),
    ending(new("CREATE SCHEMA", CREATES_SCHEMA, Waits, create_schema)),
    of_objects("CREATE SECURITY POLICY", MAKES_POLICY, Waits, security_policy),
    of_objects("CREATE SEQUENCE", CREATES_SEQUENCE, Waits, sequence),
    new("CREATE SERVER ROLE", Needs::Server(OnServer::CreateServerRole), Waits, role),
    new("CREATE STATISTICS", ALTERS, Waits, create_statistics),
    of_objects("CREATE SYNONYM", CREATES_SYNONYM, Waits, create_synonym),
    of_objects("CREATE TABLE", CREATES_TABLE, Waits, create_table)
        .done(Command::CREATE_TABLE)
        .shown(Shown::CreateTable),
    of_objects("CREATE TRIGGER", ALTERS_TRIGGERS, Waits, trigger),
    of_objects("CREATE TYPE", CREATES_TYPE, Waits, create_type),
    new("CREATE USER", Needs::Database(OnDatabase::CreateUser), Waits, user),
    of_objects("CREATE VIEW", CREATES_VIEW, Waits, view).done(Command::CREATE_VIEW),
    granting("DENY"),
    of_objects("DISABLE TRIGGER", ALTERS_TRIGGERS, Waits, switch_trigger),
    new("DROP APPLICATION ROLE", APPLICATION_ROLES, Waits, drop_principals),
    new("DROP CREDENTIAL", CREDENTIALS, Waits, drop_principals),
    new("DROP DATABASE", DROPS_DATABASE, Waits, drop_databases).done(Command::DROP_DATABASE),
    of_objects("DROP FUNCTION", DROPS, Waits, drop_objects),
    of_objects("DROP INDEX", ALTERS, Waits, drop_index).done(Command::DROP_INDEX),
    new("DROP LOGIN", Needs::Server(OnServer::AlterAnyLogin), Waits, drop_principals),
    of_objects("DROP PROCEDURE", DROPS, Waits, drop_objects).done(Command::DROP_PROCEDURE),
    new("DROP ROLE", Needs::Database(OnDatabase::AlterAnyRole), Waits, drop_principals),
    once(of_objects("DROP SCHEMA", DROPS_SCHEMA, Waits, drop_objects)),
    of_objects("DROP SECURITY POLICY", MAKES_POLICY, Waits, drop_objects),
    of_objects("DROP SEQUENCE", DROPS_SEQUENCE, Waits, drop_objects),
    new("DROP SERVER ROLE", Needs::Server(OnServer::AlterAnyServerRole), Waits, drop_principals),
    once(of_objects("DROP STATISTICS", ALTERS, Waits, drop_statistics)),
    of_objects("DROP SYNONYM", DROPS, Waits, drop_objects),
    of_objects("DROP TABLE", DROPS, Waits, drop_objects).done(Command::DROP_TABLE),
    of_objects("DROP TRIGGER", ALTERS_TRIGGERS, Waits, drop_objects),
    of_objects("DROP TYPE", DROPS_TYPE, Waits, drop_types),
    new("DROP USER", Needs::Database(OnDatabase::AlterAnyUser), Waits, drop_principals),
    of_objects("DROP VIEW", DROPS, Waits, drop_objects).done(Command::DROP_VIEW),
    of_objects("ENABLE TRIGGER", ALTERS_TRIGGERS, Waits, switch_trigger),
    RegisteredStatement::new(
        "EXECUTE AS",
        Needs::Impersonate,
        Session,
        Run::Itself(|it, s, line| it.execute_as(s, line)),
    ),
    granting("GRANT"),
    new("RECONFIGURE", Needs::Server(OnServer::AlterSettings), Waits, reconfigure),
    RegisteredStatement::new(
        "REVERT",
        Needs::Public,
        Session,
        Run::Itself(|it, s, line| it.revert(s, line)),
    ),
    granting("REVOKE"),
    new("SHUTDOWN", Needs::Server(OnServer::Shutdown), Waits, shutdown),
    of_objects("TRUNCATE TABLE", ALTERS, Waits, truncate).shown(Shown::Truncate),
    new("UPDATE STATISTICS", ALTERS, Waits, update_statistics),
];
