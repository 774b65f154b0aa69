//! ALTER TABLE.

use super::clauses::{column_type, types_of};
use super::index::{self, shown_name};
use super::{checks, foreign, resolve, trigger, versioning};
use crate::catalog::rows::{self, IdentityRow};
use crate::catalog::systab::{self, SystemTables};
use crate::catalog::{Action, Column, Escalation, ObjectKind, Table, fold};
use crate::database::Database;
use crate::exec::function_facts::bound_to;
use crate::exec::modify::full_name;
use crate::names::mentions;
use crate::rowcodec::PlaceAllocator;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::{Family, Pages, SqlType, Value, convert};

/// `ALTER TABLE`.
pub(crate) fn alter_table(
    cx: &mut StatementContext<'_>,
    s: &ast::AlterTable,
    text: &str,
) -> SqlResult<()> {
    let missing = || SqlError::new(4902, &[&s.table]);
    let (database, table) = resolve::table(cx, &s.table, missing)?;
    let table = resolve::lock_for_change(cx, &database, &table, missing)?;
    versioning::may_alter(&database, &table, &s.action)?;
    let history = match s.action {
        ast::AlterTableAction::Set(_) => None,
        _ => versioning::lock_history(cx, &database, &table)?,
    };
    change(cx, (&database, &table), s, text)?;
    match history {
        Some(history) => versioning::follow(cx, &database, &history, &s.action, text),
        None => Ok(()),
    }
}

/// The change of a table that is locked.
fn change(
    cx: &mut StatementContext<'_>,
    (database, table): (&Arc<Database>, &Arc<Table>),
    s: &ast::AlterTable,
    text: &str,
) -> SqlResult<()> {
    let missing = || SqlError::new(4902, &[&s.table]);
    if !matches!(s.action, ast::AlterTableAction::Trigger { .. }) {
        trigger::not_fired_on(cx, database, &table.head, "ALTER TABLE")?;
    }
    let of_constraints = match &s.action {
        ast::AlterTableAction::Drop(items) => items.iter().all(|item| !item.column),
        ast::AlterTableAction::Rebuild(_) | ast::AlterTableAction::Trigger { .. } => true,
        _ => false,
    };
    if !of_constraints {
        super::disabled::refuse_table(table)?;
    }
    match &s.action {
        ast::AlterTableAction::Add { check, body } => {
            super::added::add(cx, database, table, body, *check, text)?;
            versioning::add_period(cx, database, table.id(), body.period.as_ref())
        }
        ast::AlterTableAction::Drop(items) => {
            for item in items {
                let current = database.catalog.table(table.head.id, cx.session.id);
                let table = current.ok_or_else(missing)?;
                match item.column {
                    true => drop_column(cx, database, &table, item)?,
                    false => drop_constraint(cx, database, &table, item)?,
                }
            }
            index::modified(cx, database, table.head.id)
        }
        ast::AlterTableAction::AlterColumn(change) => {
            // It is an update of all rows.
            let of_rows = |e: &SqlError| matches!(e.number, 220 | 515 | 2628 | 8115 | 8152);
            alter_column(cx, database, table, change).map_err(|e| match of_rows(&e) {
                true => e.with_origin(Origin::Change),
                false => e,
            })?;
            index::modified(cx, database, table.head.id)
        }
        ast::AlterTableAction::Rebuild(options) => {
            super::alter_index::rebuild_table(cx, database, table, options)
        }
        ast::AlterTableAction::CheckConstraint { with_check, enable, names } => {
            let with = *with_check;
            let (rest, more) = foreign::switch(cx, database, table, with, *enable, names)?;
            match more {
                true => checks::switch(cx, database, table, with, *enable, &rest),
                false => Ok(()),
            }
        }
        ast::AlterTableAction::Trigger { enable, names } => {
            let names: Vec<&ast::Ident> = names.iter().collect();
            trigger::switch_of(cx, database, &table.head, *enable, &names)
        }
        ast::AlterTableAction::DropPeriod => versioning::drop_period(cx, database, table),
        ast::AlterTableAction::Set(options) => match versioning::asked(options)? {
            Some(asked) if options.len() == 1 => versioning::set(cx, database, table, asked),
            _ => set(cx, database, table, options),
        },
        ast::AlterTableAction::Switch { .. } => Err(unsupported("ALTER TABLE … SWITCH")),
        ast::AlterTableAction::ChangeTracking(_) => Err(unsupported("Change tracking")),
        ast::AlterTableAction::Other(action) => Err(unsupported(format!("ALTER TABLE … {action}"))),
    }
}

/// `ALTER TABLE … SET (LOCK_ESCALATION = TABLE | AUTO | DISABLE)`.
fn set(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    options: &[ast::NamedOption],
) -> SqlResult<()> {
    let mut head = table.head.clone();
    for o in options {
        let word = match &o.value {
            Some(ast::OptionValue::Word(w)) if o.name.is("LOCK_ESCALATION") => w,
            _ => return Err(unsupported(format!("ALTER TABLE … SET ({})", o.name.value))),
        };
        head.escalation = match () {
            () if word.is("AUTO") => Escalation::Auto,
            () if word.is("TABLE") => Escalation::Table,
            () if word.is("DISABLE") => Escalation::Disable,
            () => return Err(SqlError::new(102, &[&word.value])),
        };
    }
    head.modified = database.catalog.now();
    rows::write_object(cx.transaction(database)?, &head, 0)?;
    index::refresh(cx, database, table, &[]).map(drop)
}

/// Puts the default's id into the row of a column that exists.
pub(super) fn set_default(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    column: &Column,
    id: i32,
) -> SqlResult<()> {
    let tx = cx.transaction(database)?;
    let key = [table.head.id.0 as i64, column.id as i64];
    let row = systab::get(tx, &SystemTables::COLUMNS, &key)?;
    let mut row = row.ok_or_else(|| SqlError::new(5243, &[]))?;
    row[6] = Value::Int(id);
    systab::put(tx, &SystemTables::COLUMNS, &key, &row)
}

pub(super) fn drop_column(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    item: &ast::DropTableItem,
) -> SqlResult<()> {
    let Some(at) = table.column(&item.name.value) else {
        if item.if_exists {
            return Ok(());
        }
        let what = "ALTER TABLE DROP COLUMN";
        return Err(SqlError::new(4924, &[&what, &item.name.value, &shown_name(cx, table)]));
    };
    refuse_if_used(cx, database, table, at, None)?;
    if table.columns.len() == 1 {
        return Err(SqlError::new(4923, &[&item.name.value, &shown_name(cx, table)]));
    }
    super::grant::forget_column(cx, database, table.head.id.0, table.columns[at].id)?;
    rows::drop_column(cx.transaction(database)?, table.head.id, &table.columns[at])?;
    index::refresh(cx, database, table, &[]).map(drop)
}

/// What a statement does to a column that others may use.
pub(super) struct ColumnChange {
    /// A default stands in its way.
    of_type: bool,
    /// Checks do: it is another type, or a text of another collation.
    of_checks: bool,
    /// Indexes and statistics do: values are stored otherwise, or NULL is refused.
    of_values: bool,
    /// A primary key does: NULL is let in.
    to_null: bool,
    /// A foreign key that sets the column to NULL does: NULL is refused.
    from_null: bool,
    /// Foreign keys do, on either side.
    of_length: bool,
}

impl ColumnChange {
    fn between(old: &Column, new: &Column) -> ColumnChange {
        let same_type = std::mem::discriminant(&old.ty) == std::mem::discriminant(&new.ty);
        let collated = new.collation != old.collation;
        let of_type = !same_type || (old.xml, old.old_large) != (new.xml, new.old_large);
        let of_varying = old.ty == new.ty || has_varying_length(old.ty);
        ColumnChange {
            of_type,
            of_checks: of_type || collated || !of_varying,
            of_values: !widens(old.ty, new.ty) || collated || old.nullable && !new.nullable,
            to_null: !old.nullable && new.nullable,
            from_null: old.nullable && !new.nullable,
            of_length: old.ty != new.ty || collated,
        }
    }
}

/// 5074 for everything that uses the column and does not let it change so (none: let it go), then 4922.
pub(super) fn refuse_if_used(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    at: usize,
    change: Option<ColumnChange>,
) -> SqlResult<()> {
    let column = &table.columns[at];
    let verb = if change.is_some() { "ALTER" } else { "DROP" };
    let all = ColumnChange {
        of_type: true,
        of_checks: true,
        of_values: true,
        to_null: true,
        from_null: true,
        of_length: true,
    };
    let change = change.unwrap_or(all);
    let mut users: Vec<(&str, Arc<str>)> = Vec::new();
    let reads = |c: &&Column| c.computed.as_ref().is_some_and(|c| c.reads(&column.name));
    users.extend(table.columns.iter().filter(reads).map(|c| ("column", c.name.clone())));
    if change.of_type
        && let Some(default) = &column.default
    {
        users.push(("object", default.name.clone()));
    }
    for check in table.checks.iter().filter(|_| change.of_checks) {
        if check.column_id == column.id || mentions(&check.definition, &column.name) {
            users.push(("object", check.name.clone()));
        }
    }
    if change.from_null || change.of_length {
        let session = cx.session.id;
        for key in database.catalog.foreign_keys_of(table.head.id, session)? {
            let sets = |action| match action {
                Action::SetNull => true,
                Action::SetDefault => column.default.is_none(),
                Action::NoAction | Action::Cascade => false,
            };
            let refuses = change.of_length || sets(key.on_delete) || sets(key.on_update);
            if refuses && key.columns.iter().any(|c| c.0 == column.id) {
                users.push(("object", key.name.clone()));
            }
        }
    }
    if change.of_length {
        let session = cx.session.id;
        for key in database.catalog.foreign_keys(session)? {
            let here = key.referenced == table.head.id && key.table != table.head.id;
            if here && key.columns.iter().any(|c| c.1 == column.id) {
                users.push(("object", key.name.clone()));
            }
        }
    }
    for index in table.defined() {
        let refuses = change.of_values || change.to_null && index.primary_key;
        if refuses && index.covers(at).is_some() {
            let what = if index.constraint.0 != 0 { "object" } else { "index" };
            users.push((what, index.name.clone()));
        }
    }
    for s in table.statistics.iter().filter(|s| change.of_values && s.names(at)) {
        users.push(("statistics", s.name.clone()));
    }
    if let Some(function) = bound_to(cx.session, database, table.head.id, Some(at))? {
        users.push(("object", function));
    }
    if users.is_empty() {
        return Ok(());
    }
    for (what, name) in users {
        cx.reason(SqlError::new(5074, &[&what, &name, &"column", &column.name]))?;
    }
    let what = format!("ALTER TABLE {verb} COLUMN");
    Err(SqlError::new(4922, &[&what, &column.name, &"column"]))
}

pub(super) fn drop_constraint(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    item: &ast::DropTableItem,
) -> SqlResult<()> {
    super::clauses::check_placement(item.move_to.as_ref())?;
    super::index_options::drop_options(cx, &item.options, "ALTER TABLE")?;
    let key = fold(&item.name.value);
    let all = database.catalog.constraints_of(table.head.id, cx.session.id);
    let Some(constraint) = all.into_iter().find(|c| fold(&c.head.name) == key) else {
        if item.if_exists {
            return Ok(());
        }
        cx.reason(SqlError::new(3728, &[&item.name.value]))?;
        return Err(SqlError::new(3727, &[]).with_severity(16).with_state(0));
    };
    let id = constraint.head.id;
    if let Some(index) = table.defined().find(|i| i.constraint == id) {
        foreign::refuse_key(cx, database, table, index)?;
    }
    rows::remove_object(cx.transaction(database)?, id)?;
    match constraint.head.kind {
        ObjectKind::PrimaryKey | ObjectKind::Unique => {
            let index = table.defined().find(|i| i.constraint == id).cloned();
            let index = index.ok_or_else(|| SqlError::new(5243, &[]))?;
            index::remove(cx, database, table, &index, &[id])
        }
        ObjectKind::Default => {
            let column = table.columns.iter().find(|c| c.id == constraint.detail);
            let column = column.ok_or_else(|| SqlError::new(5243, &[]))?;
            set_default(cx, database, table, column, 0)?;
            index::refresh(cx, database, table, &[id]).map(drop)
        }
        _ => index::refresh(cx, database, table, &[id]).map(drop),
    }
}

pub(super) fn alter_column(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    change: &ast::AlterColumn,
) -> SqlResult<()> {
    let (name, ty, collation, nullable, options) = match change {
        ast::AlterColumn::Property { name, add, property } => {
            return super::column_property::alter(cx, database, table, name, *add, property);
        }
        ast::AlterColumn::Mask { name, function } => {
            return super::masked::alter(cx, database, table, name, function.as_deref());
        }
        ast::AlterColumn::Type { name, ty, collation, nullable, options, .. } => {
            (name, ty, collation, nullable, options)
        }
    };
    let sparse = matches!(change, ast::AlterColumn::Type { sparse: true, .. });
    super::index_options::column_options(cx, options)?;
    let shown = shown_name(cx, table);
    let Some(at) = table.column(&name.value) else {
        return Err(SqlError::new(4924, &[&"ALTER TABLE ALTER COLUMN", &name.value, &shown]));
    };
    let old = table.columns[at].clone();
    let named = column_type(&types_of(cx.session, database), ty, at + 1, &name.value)?;
    let (ty, large) = (named.declared.ty, named.declared.large());
    let given = |ty| ty == SqlType::RowVersion;
    if old.computed.is_some() {
        return Err(SqlError::new(4928, &[&old.name, &"COMPUTED"]));
    } else if given(old.ty) {
        return Err(SqlError::new(4928, &[&old.name, &"timestamp"]));
    } else if given(ty) {
        return Err(SqlError::new(4927, &[&old.name, &"timestamp"]));
    }
    // A changed column is as under ANSI_PADDING ON.
    let mut new = Column { ty, unpadded: false, ..old.clone() };
    new.set_large(large);
    new.user_type = named.user_type;
    super::user_type::hold(cx, database, std::slice::from_ref(&new))?;
    new.nullable = nullable.or(named.nullable).unwrap_or(true) && !old.is_identity;
    if let ast::AlterColumn::Type { mask: Some(text), .. } = change {
        super::masked::refuse_users(cx, database, table, at)?;
        new.mask = Some(super::masked::function(text, &new)?);
    } else if let Some(mask) = &old.mask {
        // What was hidden stays so.
        super::masked::fits(mask, &new)?;
    }
    // As its type says now, and not as it was.
    new.is_sparse = sparse;
    if sparse {
        super::column_property::may_be_sparse(table, &new)?;
    }
    if let Some(collation) = collation {
        let own = cx.session.database.collation();
        new.collation = crate::binder::declared::collation(collation, ty, own)?;
    } else {
        // A change without COLLATE asks for the database's, whatever the column had.
        new.collation = database.collation();
    }
    // A wider text of the same kind leaves the rows and the keys of indexes as they are.
    let wider = widens(old.ty, ty) && new.collation == old.collation;
    refuse_if_used(cx, database, table, at, Some(ColumnChange::between(&old, &new)))?;
    let whole = match ty {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => true,
        SqlType::Decimal { scale, .. } | SqlType::Numeric { scale, .. } => scale == 0,
        _ => false,
    };
    if old.is_identity && !whole {
        return Err(SqlError::new(2749, &[&old.name]).with_state(2));
    }
    if old.nullable && !new.nullable {
        let layout = table.layout.clone();
        let tx = cx.transaction(database)?;
        // As the update of all rows tells it.
        let (shown, statement) = (full_name(database, table), "UPDATE");
        crate::exec::bulk::build::for_each_row(tx, table, |_, _, row| {
            match layout.cell(row, at)? {
                crate::rowcodec::Cell::Value(Value::Null) => {
                    Err(SqlError::new(515, &[&old.name, &shown, &statement]).with_state(2))
                }
                _ => Ok(()),
            }
        })?;
    }
    if wider {
        let identity = identity_row(table, at);
        rows::write_column(cx.transaction(database)?, table.head.id, &new, identity)?;
        return index::refresh(cx, database, table, &[]).map(drop);
    }
    convert::check(old.ty, ty, convert::Conversion::Implicit)?;
    let mut identities: Vec<_> = (0..table.columns.len()).map(|i| identity_row(table, i)).collect();
    if let (Some(row), Some(identity)) = (&mut identities[at], &table.identity) {
        // A sequence gives out values of one type.
        let (base, distance) = identity.sequence.place();
        let base = (base != identity.seed).then_some(base);
        row.sequence = database.catalog.new_sequence_at(base, distance, identity.increment)?;
    }
    // All rows are written anew, so every column gets a fresh place.
    let mut places = PlaceAllocator::default();
    let mut columns = table.columns.clone();
    columns[at] = new.clone();
    let tx = cx.transaction(database)?;
    systab::remove_all(tx, &SystemTables::COLUMNS, &[table.head.id.0 as i64])?;
    for (i, column) in columns.iter_mut().enumerate() {
        if !column.is_virtual() {
            super::stored::place(&mut places, column, &shown)?;
        }
        rows::write_column(tx, table.head.id, column, identities[i])?;
    }
    index::renew(cx, database, table, table.base())?;
    let (from, to) = (old.collation.page(), new.collation.page());
    let narrow = ty.family() == Family::Char;
    let pages = Pages { from: if narrow { to } else { from }, to };
    let context = cx.session.activation.options.convert_context().with_pages(pages);
    let shown = full_name(database, table);
    let convert_row = |mut values: Vec<Value>| -> SqlResult<Vec<Value>> {
        let value = match std::mem::take(&mut values[at]) {
            // Text goes from page to page before it is held against its length.
            Value::VarChar(b) if narrow && from != to => Value::VarChar(to.recode(from, &b)),
            value => value,
        };
        values[at] = super::added::assign(value, old.ty, &new, &shown, &context)?;
        Ok(values)
    };
    index::rebuild(cx, database, table, &[], Some(&convert_row)).map(drop)
}

pub(super) fn identity_row(table: &Table, column: usize) -> Option<IdentityRow> {
    let identity = table.identity.as_ref().filter(|i| i.column == column)?;
    Some(IdentityRow {
        seed: identity.seed,
        increment: identity.increment,
        sequence: identity.sequence.id(),
    })
}

/// Whether the values of a type are as long as they need be: a check does not mind another length.
fn has_varying_length(ty: SqlType) -> bool {
    matches!(ty, SqlType::NVarChar(_) | SqlType::VarBinary(_) | SqlType::VarChar(_))
}

/// Whether values of `from` are stored alike as values of `to`.
fn widens(from: SqlType, to: SqlType) -> bool {
    use SqlType::{NVarChar, VarBinary, VarChar};
    match (from, to) {
        (VarChar(a), VarChar(b)) | (NVarChar(a), NVarChar(b)) | (VarBinary(a), VarBinary(b)) => {
            a <= b
        }
        _ => from == to,
    }
}
