//! Statements that change the catalogue: databases, tables, indexes, constraints, procedures, schemas.
//!
//! Each writes rows of the catalogue in the session's transaction under Sch-M and refreshes the cache
//! ([`crate::catalog`]); the interpreter commits or rolls back and tells the catalogue how it ended. Statements about
//! whole databases cannot run in a transaction: they are safe by their own protocol ([`crate::catalog::registry`]).

mod alter;
mod alter_index;
mod attach;
pub(crate) mod build;
mod checks;
mod clauses;
mod create;
pub(crate) mod database;
mod draft;
mod drop;
mod files;
mod filter;
mod foreign;
mod index;
mod index_options;
mod login;
mod modify_file;
mod module;
mod normal;
mod options;
mod paths;
mod registered;
mod rename;
pub(crate) mod resolve;
pub(crate) mod scoped;
pub(crate) mod statistics;
mod view;

use crate::catalog::{Object, Table};
use crate::context::StatementContext;
use crate::database::Database;
use crate::features::{self, Run};
use crate::session::Session;
use draft::TableDraft;
use resolve::Target;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::StorageError;
use taffrail_syntax::ast;
use taffrail_syntax::{ParseOptions, parse_batch};
use taffrail_types::convert::Large;
use taffrail_types::{Collation, SqlType};

pub(crate) use checks::{mentions, of_column};
pub(crate) use database::users_of;
pub(crate) use drop::reseed as reseed_identity;
pub use login::is_weak_password;
pub(crate) use paths::{
    PathRefusal, backup_path, check_path, checked_path, event_path, local_path, require_directory,
};
pub(crate) use registered::FEATURE;
pub(crate) use view::refresh as refresh_view;

/// SHUTDOWN: the order is given when this returns; the server stops as at SIGTERM, or waits for nobody.
fn shut_down(cx: &mut StatementContext<'_>, nowait: bool) -> SqlResult<()> {
    if cx.session.transaction.count > 0 || cx.session.running.nest_level > 0 {
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

/// A column of a table that a statement makes as it goes: SELECT INTO, table variables.
#[derive(Clone, Debug)]
pub struct NewColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// Which of the large types it is declared as.
    pub large: Large,
    /// NULL is allowed.
    pub nullable: bool,
    /// For character types.
    pub collation: Collation,
    /// IDENTITY(seed, increment).
    pub identity: Option<(i64, i64)>,
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
    if s.period.is_some() || s.filestream_on.is_some() {
        return Err(SqlError::new(40510, &[&"A temporal or FILESTREAM table"]));
    }
    clauses::check_placement(s.on.as_ref())?;
    for option in &s.options {
        match (&*option.name.value.to_ascii_uppercase(), &option.value) {
            ("DATA_COMPRESSION", Some(ast::OptionValue::Word(w))) if w.is("NONE") => {}
            (name, _) => {
                return Err(SqlError::new(40510, &[&format_args!("CREATE TABLE … WITH {name}")]));
            }
        }
    }
    let target = resolve::target(cx, &s.name)?;
    resolve::require_free(cx, &target, 6)?;
    let own = cx.session.database.collation();
    let mut draft = TableDraft::new(&s.name.name.value).collated(target.database.collation(), own);
    create::add_body(cx, &mut draft, &s.body, text)?;
    create::table(cx, &target, draft).map(drop)
}

/// Creates the table of a SELECT INTO, `#temp` or not: 2714 when it exists.
pub fn create_table_of(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
    columns: &[NewColumn],
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    let target = resolve::target(cx, name)?;
    resolve::require_free(cx, &target, 6)?;
    let draft =
        TableDraft::of_columns(&name.name.value, columns, !cx.session.options.ansi_padding)?;
    let table = create::table(cx, &target, draft)?;
    Ok((target.database, table))
}

/// Creates the table behind a table variable in `database`, their home. It has no name that anybody could use.
pub fn create_table_variable(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    variable: &str,
    body: &ast::TableBody,
    text: &str,
) -> SqlResult<ObjectId> {
    let own = cx.session.database.collation();
    let mut draft = TableDraft::new(variable).collated(own, own);
    create::add_body(cx, &mut draft, body, text)?;
    let schema = database
        .catalog
        .schema("dbo", cx.session.id)
        .ok_or_else(|| SqlError::new(2760, &[&"dbo"]))?;
    let name = resolve::temp_name(&format!("#{variable}"));
    let target = Target { database: database.clone(), schema, name, temp: None };
    Ok(create::table(cx, &target, draft)?.head.id)
}

/// What a table variable of a module with this collation would be, for statements that are only looked at.
pub(crate) fn unmade_table_variable(
    session: &Session,
    own: Collation,
    variable: &str,
    body: &ast::TableBody,
    text: &str,
) -> SqlResult<Table> {
    let mut draft = TableDraft::new(variable).collated(own, own);
    draft.add_body(body, text, session.options.ansi_null_dflt_on)?;
    let home = session.home_of_table_variables()?;
    Ok(Table::unmade(&home, variable, draft.columns, draft.identity))
}

/// Drops a temp table of the session.
pub fn drop_temp_table(cx: &mut StatementContext<'_>, id: ObjectId) -> SqlResult<()> {
    let database = cx.instance().databases().tempdb()?;
    drop_table_of(cx, &database, id)
}

/// Drops a temp table or table variable of the session.
pub fn drop_table_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    id: ObjectId,
) -> SqlResult<()> {
    resolve::lock(cx, database, id)?;
    match database.catalog.object(id, cx.session.id) {
        Some(Object::Table(table)) => drop::drop_table(cx, database, &table, &table.name()),
        _ => Ok(()),
    }
}
