//! Rows that come from outside: INSERT BULK with the data that follows it, and BULK INSERT from a file.
//!
//! ```text
//! INSERT BULK t (…) WITH (…)   checked and remembered in the session (PendingLoad); the client then sends rows:
//! Connection::bulk_load        pulls them from a BulkSource, one statement, one transaction      connection::bulk
//! BULK INSERT t FROM 'file'    reads and splits the file                                         statement, file
//!                              └──▶ crate::exec::bulk puts the rows into the table
//! ```
//!
//! `whole`: OPENROWSET(BULK), a file as one value.

pub(crate) mod file;
mod statement;
mod whole;

use crate::catalog::{Object, Table};
use crate::connection::bulk::check_transaction;
use crate::database::Database;
use crate::ddl::resolve;
use crate::exec::bulk::{BulkOptions, PendingLoad};
use crate::features::needs::{Case, Needs, OnObject, OnServer};
use crate::features::pipelining::Pipelining;
use crate::features::{Feature, RegisteredStatement, Run};
use crate::session::context::StatementContext;
use crate::sink::Command;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_syntax::ast::{self, OptionValue, StatementKind};
use taffrail_types::names::TypeUse;

/// The table that rows are loaded into: 208, 4832's place for views.
fn target(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    let id = cx.session.id;
    // The columns are chosen before the table is locked.
    let found = loop {
        let found = resolve::find(cx, name)?;
        let object = found.as_ref();
        match object.and_then(|(db, o)| db.catalog.blocked_object(o.head().id, id)) {
            Some(blocked) => cx.session.wait_for_ddl(blocked)?,
            None => break found,
        }
    };
    match found {
        Some((database, Object::Table(table))) => Ok((database, table)),
        Some((_, Object::View(_))) => {
            Err(taffrail_base::message::unsupported("A bulk load of a view"))
        }
        _ => Err(SqlError::new(208, &[name])),
    }
}

/// The tables of the feature `load`.
pub(crate) static FEATURE: Feature =
    Feature { statements: STATEMENTS, views: &[whole::declare], ..Feature::NOTHING };

/// Rows of a file of the server's machine: INSERT alone does not read files.
const FROM_FILE: Needs = Needs::All(&[
    Needs::Server(OnServer::AdministerBulkOperations),
    Needs::Object(OnObject::Insert),
    Needs::When(Case::Constraints, &Needs::Object(OnObject::Alter)),
]);

/// Rows that a client sends.
const FROM_CLIENT: Needs = Needs::All(&[
    Needs::Object(OnObject::Insert),
    Needs::When(Case::Constraints, &Needs::Object(OnObject::Alter)),
]);

static STATEMENTS: &[RegisteredStatement] = &[
    RegisteredStatement {
        changes_rows: true,
        ..RegisteredStatement::new(
            "BULK INSERT",
            FROM_FILE,
            Pipelining::Waits,
            Run::Itself(|it, s, line| {
                let StatementKind::BulkInsert(b) = &s.kind else {
                    unreachable!("registered for BULK INSERT")
                };
                let rows = statement::bulk_insert(it, b, line)?;
                it.session.activation.last.row_count = rows as i64;
                Ok(Some(rows))
            }),
        )
    }
    .done(Command::BULK_INSERT)
    .shown(Shown::BulkInsert),
    RegisteredStatement::new(
        "INSERT BULK",
        FROM_CLIENT,
        Pipelining::Waits,
        Run::Itself(|it, s, line| {
            let StatementKind::InsertBulk(b) = &s.kind else {
                unreachable!("registered for INSERT BULK")
            };
            insert_bulk(&mut it.context(line), b).map(|()| None)
        }),
    )
    .done(Command::BULK_INSERT)
    .shown(Shown::BulkInsert),
];

/// `INSERT BULK`: checks what it names, and remembers it for the rows that follow.
fn insert_bulk(cx: &mut StatementContext<'_>, s: &ast::InsertBulk) -> SqlResult<()> {
    let (database, table) = target(cx, &s.table)?;
    check_transaction(cx, &database)?;
    let mut options = BulkOptions::default();
    for option in &s.options {
        match &*option.name.value.to_ascii_uppercase() {
            "TABLOCK" => options.tablock = true,
            "CHECK_CONSTRAINTS" => options.check_constraints = true,
            "KEEP_NULLS" => options.keep_nulls = true,
            "FIRE_TRIGGERS" => options.fire_triggers = true,
            // Hints about what will come: rows are taken as they are.
            "ROWS_PER_BATCH"
            | "KILOBYTES_PER_BATCH"
            | "ORDER"
            | "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS" => {}
            _ => return Err(SqlError::new(155, &[&option.name.value, &"INSERT BULK"])),
        }
    }
    let mut columns = Vec::new();
    for c in &s.columns {
        let at = table.column(&c.name.value).ok_or_else(|| SqlError::new(207, &[&c.name.value]))?;
        if columns.contains(&Some(at)) {
            return Err(SqlError::new(264, &[&c.name.value]));
        }
        if let Some(ty) = &c.ty {
            crate::binder::resolve_type(ty, TypeUse::Declaration)?;
        }
        let stored = !table.columns[at].is_made();
        // An identity column among the others is there to be kept.
        options.keep_identity |= table.columns[at].is_identity;
        columns.push(stored.then_some(at));
    }
    if s.columns.is_empty() {
        let all = (0..table.columns.len()).filter(|c| !table.columns[*c].is_hidden);
        columns = all.map(|c| (!table.columns[c].is_made()).then_some(c)).collect();
        options.keep_identity = table.identity.is_some();
    }
    cx.session.held.load = Some(PendingLoad { database, table, columns, options });
    Ok(())
}

/// The number of an option such as `BATCHSIZE = 1000`: 102 for anything else.
fn number(option: &ast::NamedOption) -> SqlResult<u64> {
    match &option.value {
        Some(OptionValue::Number(n)) => n.parse().map_err(|_| SqlError::new(102, &[n])),
        _ => Err(SqlError::new(102, &[&option.name.value])),
    }
}

/// The text of an option such as `FIELDTERMINATOR = ','`: 102 for anything else.
fn text(option: &ast::NamedOption) -> SqlResult<&str> {
    match &option.value {
        Some(OptionValue::Text(t)) => Ok(t),
        _ => Err(SqlError::new(102, &[&option.name.value])),
    }
}
