//! CREATE INDEX, DROP INDEX, and what a change of the base does to all indexes. ALTER INDEX: [`super::alter_index`].

use super::clauses::check_placement;
use super::draft::{KeyDraft, TableDraft};
use super::index_options::IndexOptions;
use super::{create, events, resolve, sql};
use crate::catalog::rows::{self, IndexRow};
use crate::catalog::{Index, IndexKind, Object, ObjectKind, Table};
use crate::database::Database;
use crate::exec::indexed_view::require_options;
use crate::session::TempTable;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{IndexId, ObjectId, SqlError, SqlResult};
use taffrail_storage::HobtKind;
use taffrail_syntax::ast;
use taffrail_types::Value;

/// `CREATE INDEX`.
pub(crate) fn create_index(cx: &mut StatementContext<'_>, s: &ast::CreateIndex) -> SqlResult<()> {
    if s.columnstore && !s.clustered {
        return Err(unsupported("A nonclustered columnstore index"));
    }
    check_placement(s.on.as_ref())?;
    let missing = || SqlError::new(1088, &[&s.table]).with_severity(16).with_state(12);
    if let Some((database, Object::View(view))) = resolve::find(cx, &s.table)? {
        return super::indexed_view::create(cx, &database, &view, s);
    }
    let (database, table) = resolve::table(cx, &s.table, missing)?;
    if s.columnstore {
        let table = resolve::lock_for_change(cx, &database, &table, missing)?;
        return super::columnstore::create(cx, &database, &table, s);
    }
    let replaces = drops_existing(&s.options)?;
    // A computed column that is to be stored is written to all rows.
    let names = s.columns.iter().map(|c| &c.name).chain(&s.include);
    let mut columns = names.filter_map(|n| table.column(&n.value));
    let written = columns.any(|at| table.columns[at].is_virtual());
    if !replaces {
        super::disabled::refuse_table(&table)?;
    }
    let table = match s.clustered || replaces || written {
        true => resolve::lock_for_change(cx, &database, &table, missing)?,
        false => resolve::lock_for_index(cx, &database, &table, missing)?,
    };
    super::versioning::may_be_unique(&database, &table, s.unique)?;
    let options = super::index_options::index_options(&s.options)?;
    let mut draft = TableDraft::of_table(&table);
    draft.table = shown_name(cx, &table);
    let replaced = replaced(&table, s, replaces)?;
    let stays = |i: &&Arc<Index>| replaced.as_ref().is_none_or(|old| old.id != i.id);
    let mut clustered = table.indexes.iter().filter(|i| i.kind == IndexKind::Clustered);
    let clustered = clustered.find(stays);
    draft.has_clustered = clustered.is_some();
    if let Some((_, existing)) = table.columnstore.as_ref().filter(|_| s.clustered) {
        return Err(SqlError::new(1902, &[&"table", &s.table, existing]).with_state(3));
    }
    if let Some(existing) = clustered.filter(|_| s.clustered) {
        return Err(SqlError::new(1902, &[&"table", &s.table, &existing.name]).with_state(3));
    }
    let filter = s.filter.as_ref().map(|f| draft.filter(&s.name.value, s.clustered, f));
    let key = KeyDraft {
        name: Some(s.name.value.to_string()),
        primary: false,
        constraint: false,
        unique: s.unique,
        clustered: s.clustered,
        columns: draft.key_columns(&s.columns)?,
        included: draft.included(&s.include)?,
        fill_factor: options.fill_factor.unwrap_or(0),
        padded: options.padded.unwrap_or(false),
        no_page_locks: options.page_locks == Some(false),
        no_row_locks: options.row_locks == Some(false),
        ignore_dup_key: options.ignore_dup_key == Some(true),
        filter: filter.transpose()?,
    };
    let mut held = key.columns.iter().map(|c| c.0).chain(key.included.iter().copied());
    if key.filter.is_some() || held.any(|at| table.columns[at].computed.is_some()) {
        require_options(cx.session, "CREATE INDEX")?;
    }
    draft.add_key(key)?;
    super::index_options::tell(cx, &s.options)?;
    if let Some(old) = replaced
        && give_way(cx, &database, &table, (s, &draft, options), &old)?
    {
        return modified(cx, &database, table.head.id);
    }
    add_keys(cx, &database, &table, draft)
}

/// DROP_EXISTING: the index of the name goes, or (true) is built anew, where the new one is the same: 1907, 1930.
fn give_way(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    (s, draft, options): (&ast::CreateIndex, &TableDraft, IndexOptions),
    old: &Arc<Index>,
) -> SqlResult<bool> {
    if !(s.clustered && old.kind == IndexKind::Clustered) {
        super::disabled::refuse_table(table)?;
    }
    let same = draft.keys.first().is_some_and(|key| is_same(old, key));
    if old.constraint.0 != 0 && !same {
        return Err(SqlError::new(1907, &[&old.name]));
    }
    if same {
        let options = IndexOptions {
            fill_factor: Some(options.fill_factor.unwrap_or(0)),
            padded: Some(options.padded.unwrap_or(false)),
            page_locks: Some(options.page_locks.unwrap_or(true)),
            row_locks: Some(options.row_locks.unwrap_or(true)),
            ignore_dup_key: Some(options.ignore_dup_key.unwrap_or(false)),
        };
        super::alter_index::rebuild_indexes(
            cx,
            database,
            table,
            std::slice::from_ref(old),
            options,
        )?;
        return Ok(true);
    }
    if s.clustered && old.kind != IndexKind::Clustered {
        let all = database.catalog.references_to(table.id(), cx.session.id)?;
        if all.iter().any(|k| k.index == old.id) {
            return Err(SqlError::new(1930, &[]));
        }
    }
    super::foreign::refuse_key(cx, database, table, old)?;
    remove(cx, database, table, old, &[])?;
    Ok(false)
}

/// The index that takes the place of another one has its definition.
fn is_same(old: &Index, new: &KeyDraft) -> bool {
    let columns = old.key.columns().iter().map(|c| (c.column, c.descending));
    let filter = |f: &Option<crate::catalog::IndexFilter>| f.as_ref().map(|f| f.definition.clone());
    (old.kind == IndexKind::Clustered) == new.clustered
        && old.unique == new.unique
        && columns.eq(new.columns.iter().copied())
        && *old.included == *new.included
        && filter(&old.filter) == filter(&new.filter)
}

/// DROP_EXISTING = ON among the options of CREATE INDEX.
pub(super) fn drops_existing(options: &[ast::NamedOption]) -> SqlResult<bool> {
    for option in options.iter().filter(|o| o.name.is("DROP_EXISTING")) {
        if super::index_options::is_on(option)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The index whose place CREATE INDEX takes, with DROP_EXISTING: 7999 if there is none, 1925 where a clustered one would
/// become another kind. Without it the name must be free: 1913.
fn replaced(
    table: &Table,
    s: &ast::CreateIndex,
    drop_existing: bool,
) -> SqlResult<Option<Arc<Index>>> {
    let name = &s.name.value;
    match table.index(name) {
        None if drop_existing => Err(SqlError::new(7999, &[name, &s.table])),
        None => Ok(None),
        Some(_) if !drop_existing => Err(SqlError::new(1913, &[name, &"table", &s.table])),
        Some(index) if index.kind == IndexKind::Clustered && !s.clustered => {
            Err(SqlError::new(1925, &[]))
        }
        Some(index) => Ok(Some(index.clone())),
    }
}

/// The name of a table in messages: a temp table's as the user wrote it.
pub(crate) fn shown_name(cx: &StatementContext<'_>, table: &Table) -> String {
    // Object ids are a database's own: a table of another one may have the number of a temp table.
    let temp = |t: &&TempTable| t.object_id == table.head.id && table.name().starts_with('#');
    let temp = cx.session.temp_tables().find(temp);
    temp.map_or_else(|| table.name().to_string(), |t| t.name.clone())
}

/// Makes the keys and indexes of a draft on a table that exists. The table is locked.
pub(crate) fn add_keys(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    mut draft: TableDraft,
) -> SqlResult<()> {
    let name = draft.table.clone();
    let mut made = Vec::new();
    let wanted = |k: &KeyDraft| -> Vec<usize> {
        k.columns.iter().map(|c| c.0).chain(k.included.iter().copied()).collect()
    };
    let wanted: Vec<usize> = draft.keys.iter().flat_map(wanted).collect();
    // Each step sees the table as the one before has left it: the index that this one replaces is gone.
    let current = |cx: &StatementContext<'_>| {
        let current = database.catalog.table(table.head.id, cx.session.id);
        current.ok_or_else(|| SqlError::new(208, &[&name]))
    };
    let before = current(cx)?;
    super::stored::store(cx, database, &before, &wanted)?;
    for key in std::mem::take(&mut draft.keys) {
        let old = current(cx)?;
        let schema = old.head.schema.clone();
        let owner = create::Owner {
            database,
            table: old.head.id,
            name: &name,
            schema: (old.head.schema_id, &schema),
        };
        let clustered = key.clustered;
        let id = match clustered {
            true => IndexId(1),
            false => old.next_index_id(),
        };
        let (row, constraint) = create::write_key(cx, &owner, &draft, key, id)?;
        made.push(row.id);
        let touched: Vec<ObjectId> = constraint.into_iter().collect();
        if clustered {
            let tx = cx.transaction(database)?;
            rows::remove_index(tx, old.head.id, IndexId(0))?;
            rebuild(cx, database, &old, &touched, None)?;
        } else {
            let session = cx.session.id;
            let tx = cx.transaction(database)?;
            let new = database.catalog.read_changed_table(tx, session, old.head.id)?;
            let index = new.indexes.iter().find(|i| i.id == row.id).cloned();
            let index = index.ok_or_else(|| SqlError::new(5243, &[]))?;
            let twice =
                |i: &Index, v: &[Value]| crate::exec::bulk::build::duplicate_key(&new, i, v);
            crate::exec::bulk::build::nonclustered(tx, &new, &index, &twice)?;
            // While the index was made, others could read the table as it was (see `resolve::lock_for_index`).
            resolve::lock(cx, database, old.head.id)?;
            refresh(cx, database, &old, &touched)?;
        }
    }
    modified(cx, database, table.head.id)?;
    if let Some(table) = database.catalog.table(table.head.id, cx.session.id) {
        create::warn_about_keys(cx, table.indexes.iter().filter(|i| made.contains(&i.id)))?;
    }
    Ok(())
}

/// `modify_date` of a table is now.
pub(crate) fn modified(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
) -> SqlResult<()> {
    let Some(current) = database.catalog.table(table, cx.session.id) else { return Ok(()) };
    let mut head = current.head.clone();
    head.modified = database.catalog.now();
    rows::write_object(cx.transaction(database)?, &head, 0)?;
    refresh(cx, database, &current, &[]).map(drop)
}

/// Takes the rows of a table (and of constraints before it) into the cache.
pub(crate) fn refresh(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    before: &[ObjectId],
) -> SqlResult<Arc<Table>> {
    let mut touched = before.to_vec();
    touched.push(table.head.id);
    let session = cx.session.id;
    database.catalog.refresh(cx.transaction(database)?, session, &touched)?;
    let new = database.catalog.table(table.head.id, cx.session.id);
    new.ok_or_else(|| SqlError::new(208, &[&table.head.name]))
}

/// The catalogue's row of an index.
pub(crate) fn row_of(table: &Table, index: &Index) -> IndexRow {
    let id_of = |at: usize| table.columns[at].id;
    IndexRow {
        id: index.id,
        name: index.name.to_string(),
        kind: index.kind,
        hobt: index.hobt_id,
        unique: index.unique,
        primary_key: index.primary_key,
        unique_constraint: index.unique_constraint,
        ignore_dup_key: index.ignore_dup_key,
        constraint: index.constraint,
        fill_factor: index.fill_factor,
        padded: index.padded,
        no_page_locks: index.no_page_locks,
        no_row_locks: index.no_row_locks,
        disabled: index.disabled,
        key: index.key.columns().iter().map(|c| (id_of(c.column), c.descending)).collect(),
        included: index.included.iter().map(|at| id_of(*at)).collect(),
        filter: index.filter.as_ref().map(|f| {
            let terms = f.to_bytes(&table.columns).expect("read from the same bytes");
            (f.definition.to_string(), terms)
        }),
    }
}

/// Gives a table a new base (whose row the caller has written; or its old one anew, in a new tree) and fills it and
/// all nonclustered indexes, since the locators of all rows change. The old heap and trees go away.
pub(crate) fn rebuild(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    old: &Arc<Table>,
    before: &[ObjectId],
    change: Option<&dyn Fn(Vec<Value>) -> SqlResult<Vec<Value>>>,
) -> SqlResult<Arc<Table>> {
    for index in old.nonclustered() {
        renew(cx, database, old, index)?;
    }
    let new = refresh(cx, database, old, before)?;
    create::refill(cx, database, old, &new, change)?;
    let tx = cx.transaction(database)?;
    for index in &old.indexes {
        database.storage.drop_hobt(tx, index.hobt_id).map_err(sql)?;
    }
    Ok(new)
}

/// A new, empty heap or tree for an index, in the catalogue in place of the old one (which stays for now). It is enabled by that.
pub(crate) fn renew(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    index: &Index,
) -> SqlResult<()> {
    let kind = match index.kind {
        IndexKind::Heap => HobtKind::Heap,
        _ => HobtKind::BTree,
    };
    let tx = cx.transaction(database)?;
    let hobt = database.storage.create_hobt(tx, kind, table.head.id, index.id).map_err(sql)?;
    let row = IndexRow { hobt, disabled: false, ..row_of(table, index) };
    rows::write_index(tx, table.head.id, &row)
}

/// `DROP INDEX`.
pub(crate) fn drop_index(cx: &mut StatementContext<'_>, s: &ast::DropIndex) -> SqlResult<()> {
    super::clauses::check_placement(s.move_to.as_ref())?;
    super::index_options::drop_options(cx, &s.options, "DROP INDEX")?;
    for (name, table_name) in &s.indexes {
        let full = format!("{table_name}.{name}");
        let missing = || SqlError::new(3701, &[&"drop", &"index", &full]).with_state(7);
        let found = match resolve::indexed(cx, table_name, missing) {
            Ok(found) => found,
            Err(e) if s.if_exists && super::drop::absent(&e) => continue,
            Err(e) => return Err(e),
        };
        let (database, table) = found;
        let table = resolve::lock_for_change(cx, &database, &table, missing)?;
        let Some(index) = table.index(&name.value).cloned() else {
            if super::columnstore::drop(cx, &database, &table, &name.value)? {
                events::of_part(cx, DROPPED, &database, &table, &name.value);
                continue;
            }
            if s.if_exists {
                continue;
            }
            return Err(missing());
        };
        if index.constraint.0 != 0 {
            let what = if index.primary_key { "PRIMARY KEY" } else { "UNIQUE KEY" };
            return Err(SqlError::new(3723, &[&full, &what]));
        }
        if table.head.kind == ObjectKind::View {
            super::indexed_view::remove(cx, &database, &table, &index)?;
            events::of_part(cx, DROPPED, &database, &table, &index.name);
            continue;
        }
        super::versioning::may_drop_index(cx, &database, &table, &index)?;
        super::foreign::refuse_key(cx, &database, &table, &index)?;
        remove(cx, &database, &table, &index, &[])?;
        modified(cx, &database, table.head.id)?;
        events::of_part(cx, DROPPED, &database, &table, &index.name);
    }
    Ok(())
}

/// The event of DROP INDEX.
const DROPPED: (&str, &str) = ("DROP", "INDEX");

/// Removes an index; the rows of a clustered one become a heap.
pub(crate) fn remove(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    index: &Index,
    before: &[ObjectId],
) -> SqlResult<()> {
    let tx = cx.transaction(database)?;
    rows::remove_index(tx, table.head.id, index.id)?;
    database.catalog.usage().forget(table.head.id, index.id);
    if index.kind == IndexKind::Clustered {
        create::write_heap(cx, database, table.head.id)?;
        rebuild(cx, database, table, before, None)?;
    } else {
        refresh(cx, database, table, before)?;
        if !index.disabled {
            let tx = cx.transaction(database)?;
            database.storage.drop_hobt(tx, index.hobt_id).map_err(sql)?;
        }
    }
    Ok(())
}
