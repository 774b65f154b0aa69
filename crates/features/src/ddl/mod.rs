//! Statements that change the catalogue: databases, tables, indexes, constraints, procedures, schemas.
//!
//! Each writes rows of the catalogue in the session's transaction under Sch-M and refreshes the cache
//! ([`crate::catalog`]); the interpreter commits or rolls back and tells the catalogue how it ended. Statements about
//! whole databases cannot run in a transaction: they are safe by their own protocol ([`crate::catalog::registry`]).

mod added;
mod alter;
mod alter_index;
mod application_role;
mod attach;
mod authorization;
mod checks;
mod clauses;
mod column_property;
mod columnstore;
pub(crate) mod contained;
mod create;
mod credential;
pub(crate) mod database;
mod disabled;
mod draft;
mod drop;
mod drop_database;
pub(crate) mod events;
mod files;
mod filter;
mod foreign;
mod function;
mod function_body;
mod grant;
mod index;
mod index_options;
mod indexable;
mod indexed_view;
mod inlineable;
mod login;
mod masked;
mod modify_file;
mod module;
mod options;
mod own_tables;
mod password;
mod policy;
mod principals;
mod refresh;
mod registered;
mod rename;
pub(crate) mod resolve;
mod role;
mod row_versions;
mod schema;
pub(crate) mod schema_binding;
pub(crate) mod scope_trigger;
mod scoped;
mod sequence;
pub(crate) mod statistics;
mod stored;
mod synonym;
mod transfer;
pub(crate) mod trigger;
mod user;
pub(crate) mod user_type;
pub(crate) mod versioning;
mod view;

use crate::features::{self, Run};
use crate::session::context::StatementContext;
use draft::TableDraft;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::StorageError;
use taffrail_syntax::ast;
use taffrail_syntax::{ParseOptions, parse_batch};

pub(crate) use database::users_of;
pub(crate) use drop::reseed as reseed_identity;
pub use password::{check as check_password, is_weak_password};
pub(crate) use refresh::refresh as refresh_module;
pub(crate) use registered::FEATURE;
pub(crate) use sequence::user_of as user_of_sequence;
pub(crate) use view::refresh as refresh_view;

/// SHUTDOWN: the order is given when this returns; the server stops as at SIGTERM, or waits for nobody.
fn shut_down(cx: &mut StatementContext<'_>, nowait: bool) -> SqlResult<()> {
    if cx.session.transaction.count > 0 || cx.session.activation.nest_level > 0 {
        return Err(SqlError::new(6007, &[]).with_severity(16));
    }
    if cx.instance().host().is_none() {
        return Err(SqlError::new(40510, &[&"SHUTDOWN without a server"]));
    }
    let how = if nowait { "NOWAIT request" } else { "request" };
    let login = cx.session.client.login.clone();
    cx.message(SqlError::new(6006, &[&how, &login]))?;
    if let Some(host) = cx.instance().host() {
        host.shut_down(&login, nowait);
    }
    Ok(())
}

/// What storage says, for the client.
fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql()
}

/// Parses and runs one statement of the catalogue that was put together here, for what is an older way to ask for it. Text that is
/// none raises what `wrong` makes.
pub(crate) fn run_text(
    cx: &mut StatementContext<'_>,
    text: &str,
    wrong: impl Fn() -> Box<SqlError>,
) -> SqlResult<()> {
    let mut parsed = parse_batch(text, ParseOptions::default()).map_err(|_| wrong())?;
    let statement = parsed.statements.pop().ok_or_else(&wrong)?;
    match features::statement(statement.kind.words()).map(|found| found.run) {
        Some(Run::Within(run)) => run(cx, &statement, text),
        _ => Err(wrong()),
    }
}

fn create_table_statement(
    cx: &mut StatementContext<'_>,
    s: &ast::CreateTable,
    text: &str,
) -> SqlResult<()> {
    if let Some(variant) = &s.variant {
        return Err(SqlError::new(40510, &[&format_args!("CREATE TABLE … AS {variant}")]));
    }
    if s.filestream_on.is_some() {
        return Err(SqlError::new(40510, &[&"A FILESTREAM table"]));
    }
    clauses::check_placement(s.on.as_ref())?;
    for place in [&s.textimage_on].into_iter().flatten() {
        clauses::check_placement(Some(&ast::Placement { name: place.clone(), column: None }))?;
    }
    for option in &s.options {
        match &*option.name.value.to_ascii_uppercase() {
            "DATA_COMPRESSION" => index_options::check_compression(option.value.as_ref())?,
            "XML_COMPRESSION" => {
                index_options::is_on(option)?;
            }
            "SYSTEM_VERSIONING" => {}
            name => {
                return Err(SqlError::new(40510, &[&format_args!("CREATE TABLE … WITH {name}")]));
            }
        }
    }
    let target = resolve::target(cx, &s.name)?;
    resolve::require_free(cx, &target, 6)?;
    let own = cx.session.database.collation();
    let mut draft = TableDraft::new(&s.name.name.value).collated(target.database.collation(), own);
    create::add_body(cx, &mut draft, &s.body, (text, &target.database))?;
    index_options::tell(cx, &s.options)?;
    let versioned = versioning::asked(&s.options)?;
    let table = create::table(cx, &target, draft)?;
    if target.temp.is_none() {
        events::of_object(cx, "CREATE", &target.database, &table.head);
    }
    match versioned {
        Some(versioning::Asked::On(wanted)) => {
            versioning::switch_on(cx, &target.database, &table, wanted)
        }
        _ => Ok(()),
    }
}
