//! Tables from drafts: rows of the catalogue, heaps and trees.

use super::clauses::{Body, types_of};
use super::draft::{DefaultDraft, KeyDraft, TableDraft};
use super::resolve::{self, Target};
use super::sql;
use crate::catalog::rows::{self, IdentityRow, IndexRow};
use crate::catalog::{Catalog, Index, IndexKind, ObjectHead, ObjectKind, Table, fold};
use crate::database::Database;
use crate::exec::bulk::build;
use crate::exec::metadata::SessionMetadata;
use crate::rowcodec::key::{MAX_CLUSTERED_KEY_BYTES, MAX_NONCLUSTERED_KEY_BYTES};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, Origin, SchemaId, SqlError, SqlResult};
use taffrail_storage::HobtKind;
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// The head of a new object.
pub(crate) fn head(
    catalog: &Catalog,
    kind: ObjectKind,
    schema: (SchemaId, &Arc<str>),
    name: &str,
    parent: ObjectId,
) -> SqlResult<ObjectHead> {
    let now = catalog.now();
    Ok(ObjectHead {
        id: catalog.new_object_id()?,
        schema_id: schema.0,
        schema: schema.1.clone(),
        name: name.into(),
        kind,
        parent,
        created: now.clone(),
        modified: now,
        system_named: false,
        escalation: Default::default(),
        temporal: Default::default(),
    })
}

/// Who the constraints of a draft belong to.
pub(crate) struct Owner<'a> {
    /// The database.
    pub database: &'a Arc<Database>,
    /// The table.
    pub table: ObjectId,
    /// Its name as it appears in names that are made up.
    pub name: &'a str,
    /// Its schema.
    pub schema: (SchemaId, &'a Arc<str>),
}

fn cut(s: &str, n: usize) -> String {
    s.chars().take(n).collect()
}

/// A name as SQL Server makes them up: `PK__Customer__3214EC07A1B2C3D4`, `DF__Customer__Since__24927208`.
fn made_up(owner: &Owner<'_>, prefix: &str, column: Option<&str>, id: ObjectId) -> String {
    let hex = id.0 as u32;
    match column {
        Some(column) => format!("{prefix}__{}__{}__{hex:08X}", cut(owner.name, 9), cut(column, 5)),
        None => {
            let mix = (owner.table.0 as u32).wrapping_mul(0x9E37_79B1) ^ hex.rotate_left(16);
            format!("{prefix}__{}__{hex:08X}{mix:08X}", cut(owner.name, 8))
        }
    }
}

fn prefix(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::PrimaryKey => "PK",
        ObjectKind::Unique => "UQ",
        ObjectKind::Check => "CK",
        ObjectKind::ForeignKey => "FK",
        _ => "DF",
    }
}

/// Writes the object of a constraint; its name must be free (2714, then 1750).
pub(crate) fn constraint(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    kind: ObjectKind,
    name: Option<&str>,
    column: Option<&str>,
    detail: i32,
) -> SqlResult<ObjectHead> {
    let catalog = &owner.database.catalog;
    let mut head = head(catalog, kind, owner.schema, "", owner.table)?;
    head.name = match name {
        Some(name) => name.into(),
        None => {
            head.system_named = true;
            made_up(owner, prefix(kind), column, head.id).into()
        }
    };
    if !head.system_named {
        let session = cx.session.id;
        let tx = cx.transaction(owner.database)?;
        catalog.lock_name(tx, session, head.schema_id, &head.name)?;
    }
    if catalog.find(head.schema_id, &head.name, cx.session.id).is_some() {
        return Err(could_not_create(cx, SqlError::new(2714, &[&head.name]).with_state(5))?);
    }
    rows::write_object(cx.transaction(owner.database)?, &head, detail)?;
    Ok(head)
}

/// Sends the reason and gives 1750, with which the statement ends.
pub(crate) fn could_not_create(
    cx: &mut StatementContext<'_>,
    reason: Box<SqlError>,
) -> SqlResult<Box<SqlError>> {
    // An index that was begun has found rows that are not unique.
    let origin = if reason.number == 1505 { Origin::Change } else { Origin::Run };
    let state = matches!(reason.number, 1767 | 1785 | 2714) as u8;
    let stateless = matches!(reason.number, 1752 | 1757 | 1767 | 1773 | 1776 | 1778 | 1779 | 1785);
    cx.reason(if stateless { reason.with_state(0) } else { reason })?;
    Ok(SqlError::new(1750, &[]).with_severity(16).with_state(state).with_origin(origin))
}

/// Adds a body in parentheses to a draft; its defaults are bound, and no two of its constraints have one name. A primary
/// key that cannot be says why, then 1750.
pub(crate) fn add_body(
    cx: &mut StatementContext<'_>,
    draft: &mut TableDraft,
    body: &ast::TableBody,
    (text, types): (&str, &Arc<Database>),
) -> SqlResult<()> {
    draft.unpadded = !cx.session.activation.options.ansi_padding;
    let database = cx.database();
    let names = SessionMetadata::new(cx.session, &database, &[]).defining();
    let types = types_of(cx.session, types);
    let within = Body { text, database: &database, types, names: &names };
    let added = draft.add_body(body, &within, cx.session.activation.options.ansi_null_dflt_on);
    names.denied()?;
    match added {
        Err(e)
            if matches!(
                e.number,
                1711 | 1752 | 1764 | 1769 | 1779 | 1909 | 1911 | 1919 | 8111 | 8112
            ) =>
        {
            return Err(could_not_create(cx, e)?);
        }
        other => other?,
    }
    super::index_options::tell(cx, options_of(body))?;
    super::checks::bind_defaults(cx, &draft.defaults)?;
    match draft.name_twice() {
        Some(name) => Err(could_not_create(cx, SqlError::new(2714, &[&name]).with_state(5))?),
        None => Ok(()),
    }
}

/// The options of all constraints and indexes of a table's body.
fn options_of(body: &ast::TableBody) -> impl Iterator<Item = &ast::NamedOption> {
    let of_columns = body.columns.iter().flat_map(|c| &c.constraints);
    let keys = body.constraints.iter().chain(of_columns).filter_map(|c| match &c.kind {
        ast::ConstraintKind::Key(key) => Some(&key.options),
        _ => None,
    });
    let of_columns = body.columns.iter().filter_map(|c| c.index.as_ref());
    let indexes = body.indexes.iter().chain(of_columns).map(|i| &i.options);
    keys.chain(indexes).flatten()
}

/// Creates a table that nobody else knows yet.
pub(crate) fn table(
    cx: &mut StatementContext<'_>,
    target: &Target,
    draft: TableDraft,
) -> SqlResult<Arc<Table>> {
    table_of(cx, target, draft, ObjectKind::Table)
}

/// Creates a table, or the table beside a table type, whose name is made of the type's.
pub(super) fn table_of(
    cx: &mut StatementContext<'_>,
    target: &Target,
    mut draft: TableDraft,
    kind: ObjectKind,
) -> SqlResult<Arc<Table>> {
    let database = &target.database;
    let catalog = &database.catalog;
    let schema = (target.schema.id, &target.schema.name);
    let mut head = head(catalog, kind, schema, &target.name, ObjectId(0))?;
    let id = head.id;
    let mut written = target.temp.as_deref().unwrap_or(&target.name).to_string();
    if kind == ObjectKind::TableType {
        written = format!("TT_{}_{:08X}", cut(&target.name, 116), id.0);
        head.name = written.as_str().into();
    }
    resolve::lock(cx, database, id)?;
    super::user_type::hold(cx, database, &draft.columns)?;
    let owner = Owner {
        database,
        table: id,
        name: &written,
        schema: (target.schema.id, &target.schema.name),
    };
    let mut touched = Vec::new();
    for default in std::mem::take(&mut draft.defaults) {
        touched.push(write_default(cx, &owner, &mut draft, default)?);
    }
    let mut checks = Vec::new();
    for check in std::mem::take(&mut draft.checks) {
        let column = check.column;
        checks.push((write_check(cx, &owner, &draft, check)?, column));
    }
    touched.extend(checks.iter().map(|c| c.0));
    rows::write_object(cx.transaction(database)?, &head, 0)?;
    let sequence = match draft.identity {
        Some(_) => catalog.new_sequence_id()?,
        None => 0,
    };
    for (i, column) in draft.columns.iter().enumerate() {
        let identity = draft.identity.filter(|(at, _, _)| *at == i);
        let identity =
            identity.map(|(_, seed, increment)| IdentityRow { seed, increment, sequence });
        rows::write_column(cx.transaction(database)?, id, column, identity)?;
    }
    // The clustered index is the base; without one, a heap.
    let keys = std::mem::take(&mut draft.keys);
    if !keys.iter().any(|k| k.clustered) {
        write_heap(cx, database, id)?;
    }
    let mut next = 2;
    let mut names: Vec<String> = Vec::new();
    for key in keys {
        let index_id = if key.clustered { 1 } else { next };
        next += !key.clustered as i32;
        let (row, constraint) = write_key(cx, &owner, &draft, key, IndexId(index_id))?;
        if names.contains(&fold(&row.name)) {
            return Err(SqlError::new(1913, &[&row.name, &"table", &written]));
        }
        names.push(fold(&row.name));
        touched.extend(constraint);
    }
    if let Some(name) = draft.columnstore.take() {
        super::columnstore::write(cx, database, (id, &written), IndexId(next), &name)?;
    }
    touched.push(id);
    let session = cx.session.id;
    catalog.refresh(cx.transaction(database)?, session, &touched)?;
    let table = catalog.table(id, session).ok_or_else(|| SqlError::new(208, &[&written]))?;
    super::checks::bind(cx, database, (&table, &written), &checks)?;
    warn_about_keys(cx, table.indexes.iter())?;
    let foreign = super::foreign::create(cx, &owner, std::mem::take(&mut draft.foreign), true)?;
    let table = match foreign.is_empty() {
        true => table,
        false => catalog.table(id, session).ok_or_else(|| SqlError::new(208, &[&written]))?,
    };
    if table.is_temporary() {
        cx.instance().counters().temp_tables.inc();
    }
    if let Some(temp) = &target.temp {
        cx.session.add_temp_table(temp, id);
    } else if crate::catalog::is_global_temp(&target.name) {
        cx.session.temps.global.push(id);
    }
    Ok(table)
}

/// The base of a table without clustered index.
pub(crate) fn write_heap(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
) -> SqlResult<()> {
    let tx = cx.transaction(database)?;
    let created = database.storage.create_hobt(tx, HobtKind::Heap, table, IndexId(0));
    let row = IndexRow {
        id: IndexId(0),
        name: String::new(),
        kind: IndexKind::Heap,
        hobt: created.map_err(sql)?,
        unique: false,
        primary_key: false,
        unique_constraint: false,
        ignore_dup_key: false,
        constraint: ObjectId(0),
        fill_factor: 0,
        padded: false,
        no_page_locks: false,
        no_row_locks: false,
        disabled: false,
        key: Vec::new(),
        included: Vec::new(),
        filter: None,
    };
    rows::write_index(tx, table, &row)
}

/// Writes a default's rows and puts it into its column.
pub(crate) fn write_default(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    draft: &mut TableDraft,
    default: DefaultDraft,
) -> SqlResult<ObjectId> {
    let column = &draft.columns[default.column];
    let (column_id, column_name) = (column.id, column.name.clone());
    if column.default.is_some() {
        return Err(could_not_create(cx, SqlError::new(1781, &[]))?);
    }
    let head = constraint(
        cx,
        owner,
        ObjectKind::Default,
        default.name.as_deref(),
        Some(&column_name),
        column_id,
    )?;
    let tx = cx.transaction(owner.database)?;
    rows::write_module(tx, head.id, &default.definition, true, true)?;
    draft.columns[default.column].default = Some(crate::catalog::Default {
        id: head.id,
        name: head.name.clone(),
        definition: default.definition.into(),
    });
    Ok(head.id)
}

/// Writes a check's rows.
pub(crate) fn write_check(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    draft: &TableDraft,
    check: super::draft::CheckDraft,
) -> SqlResult<ObjectId> {
    let written_with = check.column.map(|at| &draft.columns[at]);
    let only = super::checks::only_column(&check.definition, &draft.columns);
    let column = written_with.or(only.map(|at| &draft.columns[at]));
    // A table's check has no column in the name that is made up for it.
    let column_name = written_with.map_or_else(|| "".into(), |c| c.name.clone());
    let column_id = column.map_or(0, |c| c.id);
    let name = check.name.as_deref();
    let head = constraint(cx, owner, ObjectKind::Check, name, Some(&column_name), column_id)?;
    let tx = cx.transaction(owner.database)?;
    rows::write_module(tx, head.id, &check.definition, true, true)?;
    Ok(head.id)
}

/// Makes the tree of a key or index and writes its rows. Gives its constraint's id, if it has one.
pub(crate) fn write_key(
    cx: &mut StatementContext<'_>,
    owner: &Owner<'_>,
    draft: &TableDraft,
    key: KeyDraft,
    id: IndexId,
) -> SqlResult<(IndexRow, Option<ObjectId>)> {
    let mut constraint_id = ObjectId(0);
    let mut name = key.name.clone().unwrap_or_default();
    if key.constraint {
        let kind = if key.primary { ObjectKind::PrimaryKey } else { ObjectKind::Unique };
        let head = constraint(cx, owner, kind, key.name.as_deref(), None, id.0)?;
        constraint_id = head.id;
        name = head.name.to_string();
    }
    let database = owner.database;
    let tx = cx.transaction(database)?;
    let hobt = database.storage.create_hobt(tx, HobtKind::BTree, owner.table, id).map_err(sql)?;
    let row = IndexRow {
        id,
        name,
        kind: if key.clustered { IndexKind::Clustered } else { IndexKind::Nonclustered },
        hobt,
        unique: key.unique,
        primary_key: key.primary,
        unique_constraint: key.constraint && !key.primary,
        ignore_dup_key: key.ignore_dup_key,
        constraint: constraint_id,
        fill_factor: key.fill_factor,
        padded: key.padded,
        no_page_locks: key.no_page_locks,
        no_row_locks: key.no_row_locks,
        disabled: false,
        key: key.columns.iter().map(|(at, desc)| (draft.columns[*at].id, *desc)).collect(),
        included: key.included.iter().map(|at| draft.columns[*at].id).collect(),
        filter: match &key.filter {
            None => None,
            Some(f) => Some((f.definition.to_string(), f.to_bytes(&draft.columns)?)),
        },
    };
    rows::write_index(tx, owner.table, &row)?;
    Ok((row, key.constraint.then_some(constraint_id)))
}

/// 1945 for indexes just made that may refuse long values.
pub(crate) fn warn_about_keys<'a>(
    cx: &mut StatementContext<'_>,
    made: impl Iterator<Item = &'a Arc<Index>>,
) -> SqlResult<()> {
    for index in made {
        let (max, what) = match index.kind {
            IndexKind::Heap => continue,
            IndexKind::Clustered => (MAX_CLUSTERED_KEY_BYTES, "clustered"),
            IndexKind::Nonclustered => (MAX_NONCLUSTERED_KEY_BYTES, "nonclustered"),
        };
        let variable = |ty: SqlType| crate::rowcodec::fixed::size(ty).is_none();
        let bytes = index.key.declared_bytes();
        if bytes > max && index.key.columns().iter().any(|c| variable(c.ty)) {
            cx.message(SqlError::new(1945, &[&what, &max, &index.name, &bytes]))?;
        }
    }
    Ok(())
}

/// Copies the rows of `old` into the new base of `new` and fills all nonclustered indexes of `new` again.
pub(crate) fn refill(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    old: &Table,
    new: &Table,
    change: Option<&dyn Fn(Vec<taffrail_types::Value>) -> SqlResult<Vec<taffrail_types::Value>>>,
) -> SqlResult<()> {
    let tx = cx.transaction(database)?;
    build::base(tx, &database.catalog, old, new, change)?;
    for index in new.nonclustered() {
        build::nonclustered(tx, new, index, &|i, v| build::duplicate_key(new, i, v))?;
    }
    Ok(())
}
