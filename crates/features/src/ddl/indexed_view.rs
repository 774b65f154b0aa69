//! Indexes of views: CREATE INDEX and DROP INDEX of one, and what ends them all.
//!
//! The first index gives the view rows of its own, beside its text: a heap of its columns that its query fills, of which the clustered
//! index is made ([`crate::exec::indexed_view`] keeps them from then on). Each table beneath notes the view.

use super::draft::{KeyDraft, TableDraft};
use super::index::{self, add_keys};
use super::index_options::IndexOptions;
use super::{create, indexable, resolve, sql};
use crate::catalog::{Index, IndexKind, Module, Object, Table, rows};
use crate::database::Database;
use crate::exec::function_facts::of_view;
use crate::exec::indexed_view::{fill, require_options};
use crate::exec::user_views::definition;
use crate::rowcodec::PlaceAllocator;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// `CREATE INDEX` on a view.
pub(super) fn create(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Arc<Module>,
    s: &ast::CreateIndex,
) -> SqlResult<()> {
    if s.columnstore {
        return Err(unsupported("A columnstore index on a view"));
    }
    require_options(cx.session, "CREATE INDEX")?;
    let missing = || SqlError::new(1088, &[&s.table]).with_severity(16).with_state(12);
    let Some(Object::View(view)) = resolve::lock_object(cx, database, &view.head)? else {
        return Err(missing());
    };
    let options = super::index_options::index_options(&s.options)?;
    let name = &view.head.name;
    match (&view.indexed, s.clustered) {
        (None, false) => return Err(SqlError::new(1940, &[&"index", name])),
        (None, true) if !s.unique => return Err(SqlError::new(1941, &[name])),
        (Some(table), true) => {
            let existing = &table.base().name;
            return Err(SqlError::new(1902, &[&"view", &s.table, existing]).with_state(3));
        }
        _ => {}
    }
    let wrong = made_with(&view);
    match () {
        () if options.ignore_dup_key == Some(true) => return Err(SqlError::new(1990, &[])),
        () if wrong.is_empty() => {}
        () => return Err(SqlError::new(1935, &[name, &wrong.join(", ")])),
    }
    let table = match &view.indexed {
        Some(table) => {
            if table.index(&s.name.value).is_some() {
                return Err(SqlError::new(1913, &[&s.name.value, &"view", &s.table]));
            }
            table.clone()
        }
        None => {
            let beneath = indexable::check(cx, database, &view, s)?;
            materialize(cx, database, &view, &beneath)?
        }
    };
    let draft = drafted(&table, view.indexed.is_some(), (s, options), name)?;
    super::index_options::tell(cx, &s.options)?;
    add_keys(cx, database, &table, draft)
}

/// The index as a draft, on the table that has the view's rows: 1901 for an imprecise key.
fn drafted(
    table: &Table,
    has_clustered: bool,
    (s, options): (&ast::CreateIndex, IndexOptions),
    view: &str,
) -> SqlResult<TableDraft> {
    let mut draft = TableDraft::of_table(table);
    draft.has_clustered = has_clustered;
    let columns = draft.key_columns(&s.columns)?;
    let float = |at: &usize| matches!(table.columns[*at].ty, SqlType::Float | SqlType::Real);
    if let Some((at, _)) = columns.iter().find(|(at, _)| float(at)) {
        return Err(SqlError::new(1901, &[&s.name.value, &view, &table.columns[*at].name]));
    }
    let included = draft.included(&s.include)?;
    let filter = match &s.filter {
        None => None,
        Some(f) => Some(draft.filter(&s.name.value, s.clustered, f)?),
    };
    draft.add_key(KeyDraft {
        name: Some(s.name.value.to_string()),
        primary: false,
        constraint: false,
        unique: s.unique,
        clustered: s.clustered,
        columns,
        included,
        fill_factor: options.fill_factor.unwrap_or(0),
        padded: options.padded.unwrap_or(false),
        no_page_locks: options.page_locks == Some(false),
        no_row_locks: options.row_locks == Some(false),
        ignore_dup_key: false,
        filter,
    })?;
    Ok(draft)
}

/// The SET options that were off when a view was made, and have to be on.
fn made_with(view: &Module) -> Vec<&'static str> {
    let options = [("ANSI_NULLS", view.ansi_nulls), ("QUOTED_IDENTIFIER", view.quoted_identifier)];
    options.iter().filter(|(_, on)| !on).map(|(name, _)| *name).collect()
}

/// Gives a view a heap of its columns, with the rows of its query; the tables beneath are locked, and note the view.
fn materialize(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Arc<Module>,
    beneath: &[ObjectId],
) -> SqlResult<Arc<Table>> {
    let id = view.head.id;
    let mut touched = vec![id];
    for table in beneath {
        resolve::lock(cx, database, *table)?;
        touched.push(*table);
        let table = database.catalog.table(*table, cx.session.id);
        let Some(table) = table else { continue };
        if !table.predicates.is_empty() {
            return Err(SqlError::new(33266, &[&view.head.name, &table.head.name]));
        }
        if table.is_masked() {
            return Err(SqlError::new(16015, &[&view.head.name, &table.head.name]));
        }
    }
    let mut places = PlaceAllocator::default();
    let mut columns = view.columns.clone();
    for column in &mut columns {
        super::stored::place(&mut places, column, &view.head.name)?;
    }
    let tx = cx.transaction(database)?;
    rows::write_view_columns(tx, id, &columns)?;
    for table in beneath {
        rows::write_indexed_view(tx, *table, id)?;
    }
    create::write_heap(cx, database, id)?;
    let session = cx.session.id;
    database.catalog.refresh(cx.transaction(database)?, session, &touched)?;
    let fresh = match database.catalog.object(id, session) {
        Some(Object::View(fresh)) => fresh,
        _ => return Err(SqlError::new(5243, &[])),
    };
    fill(cx, database, &fresh)?;
    fresh.indexed.clone().ok_or_else(|| SqlError::new(5243, &[]))
}

/// Removes an index of a view that is locked; with the clustered one all of them, and the rows.
pub(super) fn remove(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    index: &Index,
) -> SqlResult<()> {
    match index.kind {
        IndexKind::Nonclustered => index::remove(cx, database, table, index, &[]),
        _ => remove_all(cx, database, table),
    }
}

/// Takes the rows of a view away, with all its indexes.
pub(super) fn remove_all(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    rows_of: &Arc<Table>,
) -> SqlResult<()> {
    let (id, session) = (rows_of.head.id, cx.session.id);
    let mut touched = vec![id];
    for table in database.catalog.tables(session) {
        if table.indexed_views.contains(&id) {
            resolve::lock(cx, database, table.head.id)?;
            rows::remove_indexed_view(cx.transaction(database)?, table.head.id, id)?;
            touched.push(table.head.id);
        }
    }
    let tx = cx.transaction(database)?;
    for index in rows_of.defined() {
        rows::remove_index(tx, id, index.id)?;
    }
    database.catalog.refresh(tx, session, &touched)?;
    for index in &rows_of.indexes {
        database.storage.drop_hobt(tx, index.hobt_id).map_err(sql)?;
    }
    Ok(())
}

/// The statement's facts of a view's text: what [`indexable`] looks at.
pub(super) fn text_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Module,
) -> SqlResult<(Box<ast::ViewDefinition>, crate::exec::function_facts::Beneath)> {
    let text = definition(view)?;
    let head = (view.head.id, &*view.head.schema);
    let beneath = of_view(cx.session, database, head, &text, &view.definition)?;
    Ok((text, beneath))
}
