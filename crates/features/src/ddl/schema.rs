//! CREATE SCHEMA, with the tables, views and permissions that it may begin with.
//!
//! ```text
//! the schema ─▶ its tables, without foreign keys ─▶ their foreign keys ─▶ its views ─▶ GRANT, DENY, REVOKE, as they are written
//! ```
//! So tables may refer to later ones, and views and grants stand before what they are about. The statement makes all of it or nothing.

use super::principals::{self, On};
use super::{alter, create_table_statement, events, grant, view};
use crate::catalog::systab::{self, SystemTables};
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{self, ConstraintKind, Ident, ObjectName, StatementKind, TableBody};
use taffrail_syntax::{ParseOptions, parse_batch};
use taffrail_types::Value;

/// `CREATE SCHEMA`. `text` is the whole batch.
pub(super) fn create(
    cx: &mut StatementContext<'_>,
    s: &ast::CreateSchema,
    text: &str,
) -> SqlResult<()> {
    let made = match &s.name {
        Some(name) => make(cx, name, s.owner.as_ref()),
        // AUTHORIZATION alone makes no schema.
        None => owner_of(cx, s.owner.as_ref()).map(drop),
    };
    let made = made.and_then(|()| elements(cx, s, text));
    let Err(reason) = made else { return Ok(()) };
    cx.reason(reason)?;
    Err(SqlError::new(2759, &[]).with_state(0))
}

/// The principal to whom the schema is to belong: 15151 for one whom the session may make no owner.
fn owner_of(cx: &StatementContext<'_>, owner: Option<&Ident>) -> SqlResult<i32> {
    let Some(owner) = owner else { return principals::own_id(cx, &On::database(cx)) };
    let unknown = || SqlError::new(15151, &[&"find", &"user", &owner.value]);
    let here = cx.session.principals_of(&cx.database());
    let found = here.find(&owner.value).ok_or_else(unknown)?;
    cx.session.may_give_to(found)?.then_some(found.id).ok_or_else(unknown)
}

fn make(cx: &mut StatementContext<'_>, name: &Ident, owner: Option<&Ident>) -> SqlResult<()> {
    let (database, session) = (cx.database(), cx.session.id);
    let owner = owner_of(cx, owner)?;
    let resource = database.catalog.schemas_resource();
    database.catalog.lock(cx.transaction(&database)?, session, resource, LockMode::X)?;
    if database.catalog.schema(&name.value, session).is_some() {
        return Err(SqlError::new(2714, &[&name.value]).with_state(6));
    }
    let user = |id: &i32| *id < 16384;
    let last = database.catalog.schemas(session).iter().map(|s| s.id.0).filter(user).max();
    let id = last.unwrap_or(4) + 1;
    let tx = cx.transaction(&database)?;
    let row = [Value::nvarchar(&name.value), Value::Int(owner)];
    systab::put(tx, &SystemTables::SCHEMAS, &[id as i64], &row)?;
    database.catalog.refresh_schemas(tx, session, None)?;
    events::of_schema(cx, "CREATE", &database, &name.value);
    Ok(())
}

/// Makes what the schema begins with.
fn elements(cx: &mut StatementContext<'_>, s: &ast::CreateSchema, text: &str) -> SqlResult<()> {
    let mut keys = Vec::new();
    for element in &s.elements {
        if let StatementKind::CreateTable(table) = &element.kind {
            let mut table = (**table).clone();
            place(&mut table.name, s.name.as_ref());
            let body = foreign_keys(&mut table.body);
            create_table_statement(cx, &table, text)?;
            if !body.constraints.is_empty() {
                let action = ast::AlterTableAction::Add { check: None, body };
                keys.push(ast::AlterTable { table: table.name, action });
            }
        }
    }
    let tables: Vec<&ObjectName> = s.elements.iter().filter_map(table_of).collect();
    for mut added in keys {
        if let ast::AlterTableAction::Add { body, .. } = &mut added.action {
            for key in &mut body.constraints {
                refer(key, &tables, s.name.as_ref());
            }
        }
        alter::alter_table(cx, &added, text)?;
    }
    for element in &s.elements {
        if let StatementKind::View(_) = &element.kind {
            let own = text.get(element.span.start as usize..element.span.end as usize);
            make_view(cx, own.unwrap_or_default(), s.name.as_ref())?;
        }
    }
    for element in &s.elements {
        if let StatementKind::Permission(permission) = &element.kind {
            let mut permission = (**permission).clone();
            if let Some((class, on)) = &mut permission.on
                && class.as_deref().is_none_or(|class| class == "OBJECT")
                && is_in(cx, on, s.name.as_ref())
            {
                place(on, s.name.as_ref());
            }
            grant::run(cx, &permission)?;
        }
    }
    Ok(())
}

fn table_of(element: &ast::Statement) -> Option<&ObjectName> {
    match &element.kind {
        StatementKind::CreateTable(table) => Some(&table.name),
        _ => None,
    }
}

/// Gives a name of one part the schema that is made.
fn place(name: &mut ObjectName, schema: Option<&Ident>) {
    let bare = name.schema.is_none() && name.database.is_none();
    if bare && !name.name.value.starts_with('#') {
        name.schema = schema.cloned();
    }
}

/// Whether a name without a schema is that of an object of the schema.
fn is_in(cx: &StatementContext<'_>, name: &ObjectName, schema: Option<&Ident>) -> bool {
    let catalog = &cx.database().catalog;
    let find = |s: &Ident| catalog.find_named(Some(&s.value), &name.name.value, cx.session.id);
    name.schema.is_none() && schema.is_some_and(|s| find(s).is_some())
}

/// Takes the foreign keys out of a new table, as constraints of the table.
fn foreign_keys(body: &mut TableBody) -> TableBody {
    let is_foreign = |c: &ast::TableConstraint| matches!(c.kind, ConstraintKind::ForeignKey(_));
    let mut taken = Vec::new();
    for column in &mut body.columns {
        for mut constraint in column.constraints.extract_if(.., |c| is_foreign(c)) {
            if let ConstraintKind::ForeignKey(key) = &mut constraint.kind {
                key.columns = vec![column.name.clone()];
            }
            taken.push(constraint);
        }
    }
    taken.extend(body.constraints.extract_if(.., |c| is_foreign(c)));
    TableBody { columns: Vec::new(), constraints: taken, indexes: Vec::new(), period: None }
}

/// A foreign key to a table without a schema refers to one that is made beside it, if one has that name.
fn refer(constraint: &mut ast::TableConstraint, made: &[&ObjectName], schema: Option<&Ident>) {
    if let ConstraintKind::ForeignKey(key) = &mut constraint.kind
        && made.iter().any(|t| t.schema.is_none() && t.name.is(&key.table.name.value))
    {
        place(&mut key.table, schema);
    }
}

/// Makes a view by its own part of the text, which is what the catalogue keeps.
fn make_view(cx: &mut StatementContext<'_>, text: &str, schema: Option<&Ident>) -> SqlResult<()> {
    let quoted_identifier = cx.session.activation.options.quoted_identifier;
    let options = ParseOptions { quoted_identifier };
    let wrong = || SqlError::new(102, &[&"VIEW"]);
    let statement = parse_batch(text, options).map_err(|_| wrong())?.statements.pop();
    match statement.map(|s| s.kind) {
        Some(StatementKind::View(mut definition)) => {
            place(&mut definition.name, schema);
            view::view(cx, &definition, text)
        }
        _ => Err(wrong()),
    }
}
