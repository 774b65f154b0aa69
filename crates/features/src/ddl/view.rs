//! CREATE and ALTER VIEW, `sp_refreshview`.
//!
//! The catalogue keeps the batch's text and the columns' names and types as they are then (see [`crate::binder`]'s `view` for
//! what becomes of them where a view is used).

use super::{module, resolve, schema_binding};
use crate::binder::{Binder, Variables};
use crate::catalog::{Column, FunctionFacts, Module, Object, ObjectHead, ObjectKind, rows};
use crate::database::Database;
use crate::exec::function_facts::of_view;
use crate::exec::metadata::SessionMetadata;
use crate::plan::facts::Need;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Collation;

/// `CREATE | ALTER VIEW`. `text` is the whole batch: what the catalogue keeps.
pub(crate) fn view(
    cx: &mut StatementContext<'_>,
    s: &ast::ViewDefinition,
    text: &str,
) -> SqlResult<()> {
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE/ALTER VIEW"]));
    }
    if s.name.name.value.starts_with('#') {
        return Err(SqlError::new(4103, &[&s.name.name.value]));
    }
    let written =
        module::written_options(cx, &s.options, "VIEW", &["SCHEMABINDING", "VIEW_METADATA"])?;
    let claimed = module::claim(cx, ObjectKind::View, &s.name, s.verb)?;
    let database = claimed.target.database.clone();
    let mut held = Vec::new();
    let (columns, facts) = loop {
        let version = database.catalog.version(cx.session.id);
        let columns = columns(cx, &database, &claimed.head, s, text)?;
        if !written.schema_bound {
            break (columns, None);
        }
        let (facts, needs) = bound_facts(cx, &database, &claimed.head, s, text)?;
        if schema_binding::hold(cx, &database, &needs, version, &mut held)? {
            break (columns, Some(facts));
        }
    };
    if s.verb != ast::ModuleVerb::Create {
        schema_binding::require_unbound(cx, &database, claimed.head.id, "ALTER", &s.name)?;
    }
    let id = claimed.head.id;
    if let Some(table) = database.catalog.table(id, cx.session.id) {
        // What it shows may be something else now.
        super::indexed_view::remove_all(cx, &database, &table)?;
    }
    module::keep(cx, &claimed, s.verb, text, |tx| {
        rows::write_module_options(tx, id, &written.options)?;
        if let Some(facts) = &facts {
            rows::write_bound_view(tx, id, facts)?;
        }
        rows::write_view_columns(tx, id, &columns)
    })?;
    database.catalog.bind_to(cx.session.id, &held);
    Ok(())
}

/// The facts of a schema-bound view and the objects beneath it; refuses what one may not stand on.
fn bound_facts(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    head: &ObjectHead,
    s: &ast::ViewDefinition,
    text: &str,
) -> SqlResult<(FunctionFacts, Vec<Need>)> {
    let beneath = of_view(cx.session, database, (head.id, &head.schema), s, text)?;
    let checked = schema_binding::check(cx, "view", &s.name, &beneath);
    checked.map_err(|e| e.in_procedure(&head.name).with_line(1))?;
    let facts = FunctionFacts { schema_bound: true, inlineable: false, ..beneath.facts };
    Ok((facts, beneath.needs))
}

/// `sp_refreshview`: the columns as they are now. A schema-bound view is left as it is: 2023.
pub(crate) fn refresh(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Arc<Module>,
) -> SqlResult<()> {
    let missing = || SqlError::new(15165, &[&view.head.name]);
    let locked = resolve::lock_object(cx, database, &view.head)?;
    let Some(Object::View(view)) = locked else { return Err(missing()) };
    if view.facts.schema_bound {
        return cx.message(SqlError::new(2023, &[&view.head.name]));
    }
    let definition = crate::exec::user_views::definition(&view)?;
    let mut head = view.head.clone();
    let columns = columns(cx, database, &head, &definition, &view.definition)?;
    head.modified = database.catalog.now();
    let session = cx.session.id;
    let tx = cx.transaction(database)?;
    rows::write_object(tx, &head, 0)?;
    rows::write_view_columns(tx, head.id, &columns)?;
    database.catalog.refresh(tx, session, &[head.id])
}

/// The columns of a view: 4506, 4511, 8158, 8159, and what its query raises.
fn columns(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    head: &ObjectHead,
    s: &ast::ViewDefinition,
    text: &str,
) -> SqlResult<Vec<Column>> {
    let lines = ast::LineIndex::new(text);
    let none = Variables::default();
    let bound = cx.settled(|cx| {
        cx.session.lookups.failed_views.take();
        let metadata = SessionMetadata::new(cx.session, database, &[]);
        metadata.as_view(database, &head.schema);
        let mut binder = Binder::new(&metadata, &none, &lines);
        let bound = binder.bind_view((database.id, head.id), s)?;
        let updatable = bound.rel.shows_rows();
        Ok((bound.columns, updatable))
    });
    let bound = match bound {
        Ok(bound) => bound,
        Err(e) => {
            let e = e.in_procedure(&head.name).with_line(1);
            return Err(cx.binding_failed(e)?);
        }
    };
    let fail = |e: Box<SqlError>| Err(e.in_procedure(&head.name).with_line(1));
    let (bound, updatable) = bound;
    if s.check_option && !updatable {
        return fail(SqlError::new(4510, &[&"CHECK OPTION"]));
    }
    if !s.columns.is_empty() && s.columns.len() != bound.len() {
        let number = if s.columns.len() < bound.len() { 8158 } else { 8159 };
        return fail(SqlError::new(number, &[&head.name]));
    }
    let mut columns: Vec<Column> = Vec::with_capacity(bound.len());
    for (i, c) in bound.iter().enumerate() {
        let name = s.columns.get(i).map_or(&*c.name, |n| &*n.value);
        if name.is_empty() {
            return fail(SqlError::new(4511, &[&(i + 1)]));
        }
        if columns.iter().any(|k| Collation::default().eq_str(&k.name, name)) {
            return fail(SqlError::new(4506, &[&name, &head.name]));
        }
        let collation = c.collation.unwrap_or_default();
        let id = i as i32 + 1;
        let mut column = rows::view_column(id, name.into(), c.ty, c.nullable, collation);
        column.user_type = c.user_type;
        // Shown as such, though the view gives no values out.
        column.is_identity = c.identity;
        column.set_large(c.large);
        columns.push(column);
    }
    Ok(columns)
}
