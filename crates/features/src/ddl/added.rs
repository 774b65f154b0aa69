//! ALTER TABLE … ADD: columns that come to a table, with rows or without.

use super::alter::set_default;
use super::draft::TableDraft;
use super::index::{self, shown_name};
use super::{checks, create, foreign};
use crate::catalog::rows::{self, IdentityRow};
use crate::catalog::{Column, Generated, Table};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::exec::modify::{full_name, trim};
use crate::exec::runtime::Rt;
use crate::plan::attributes::{Attributes, Volatility};
use crate::plan::change::ComputedColumn;
use crate::plan::expr::{Cast, Expr, Part};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::{self, AssignError};
use taffrail_types::{Conversion, ConvertContext, Pages, SqlType, Value};

/// `ADD` of columns, constraints and indexes: the columns first.
pub(super) fn add(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    body: &ast::TableBody,
    check: Option<bool>,
    text: &str,
) -> SqlResult<()> {
    let own = cx.session.database.collation();
    let mut draft = TableDraft::of_table(table).collated(database.collation(), own);
    draft.table = shown_name(cx, table);
    let had_identity = draft.identity.is_some();
    create::add_body(cx, &mut draft, body, (text, database))?;
    if draft.columnstore.is_some() {
        return Err(unsupported("ALTER TABLE … ADD of a columnstore index"));
    }
    super::user_type::hold(cx, database, &draft.columns[draft.existing..])?;
    let is_empty = table.row_count() == 0;
    let name = draft.table.clone();
    let schema = table.head.schema.clone();
    let owner = create::Owner {
        database,
        table: table.head.id,
        name: &name,
        schema: (table.head.schema_id, &schema),
    };
    let mut touched = Vec::new();
    let mut changed = Vec::new(); // existing columns that get a default
    let mut own = Vec::new(); // columns of which each row gets a value of its own
    for default in std::mem::take(&mut draft.defaults) {
        let at = default.column;
        if at < draft.existing {
            changed.push(at);
        } else if !is_empty && (!draft.columns[at].nullable || default.with_values) {
            let (missing, each) = missing_value(cx, &draft.columns[at], &default)?;
            own.extend(each.map(|expr| ComputedColumn { column: at, expr, stored: true }));
            let column = &mut draft.columns[at];
            column.missing = if column.unpadded { trim(missing, column.ty) } else { missing };
        }
        touched.push(create::write_default(cx, &owner, &mut draft, default)?);
    }
    let mut new_checks = Vec::new();
    for new in std::mem::take(&mut draft.checks) {
        let column = new.column;
        let id = create::write_check(cx, &owner, &draft, new)?;
        if check == Some(false) {
            rows::write_check_state(cx.transaction(database)?, id, false, true)?;
        }
        new_checks.push((id, column));
    }
    let check_ids: Vec<_> = new_checks.iter().map(|c| c.0).collect();
    touched.extend(&check_ids);
    if !is_empty {
        for column in &draft.columns[draft.existing..] {
            let given = column.is_made() && column.generated == Generated::Never;
            let given = given || column.is_identity;
            if !column.nullable && !given && column.missing.is_null() {
                return Err(SqlError::new(4901, &[&column.name, &name]));
            }
        }
    }
    let sequence = match draft.identity {
        Some(_) if !had_identity => database.catalog.new_sequence_id()?,
        _ => 0,
    };
    for (i, column) in draft.columns.iter().enumerate() {
        if i >= draft.existing {
            let identity = draft.identity.filter(|(at, _, _)| *at == i);
            let identity =
                identity.map(|(_, seed, increment)| IdentityRow { seed, increment, sequence });
            rows::write_column(cx.transaction(database)?, table.head.id, column, identity)?;
        } else if changed.contains(&i) {
            set_default(
                cx,
                database,
                table,
                column,
                column.default.as_ref().map_or(0, |d| d.id.0),
            )?;
        }
    }
    let numbered = draft.identity.filter(|_| !had_identity && !is_empty);
    let fresh = match numbered {
        Some((at, seed, increment)) => {
            let added = &draft.columns[draft.existing..];
            let numbers = Numbers { at: at - draft.existing, seed, increment };
            number_rows(cx, database, table, (added, numbers), &touched)?
        }
        None => index::refresh(cx, database, table, &touched)?,
    };
    // The start of a period is its default's, for the rows that are there.
    let stored = |c: &Column| c.is_made() && !c.is_virtual() && c.generated == Generated::Never;
    if !own.is_empty() || !is_empty && draft.columns[draft.existing..].iter().any(stored) {
        let given = draft.columns[draft.existing..].iter().any(|c| c.ty == SqlType::RowVersion);
        super::stored::fill(cx, database, &fresh, own, given)?;
    }
    checks::bind(cx, database, (&fresh, &name), &new_checks)?;
    if check != Some(false) {
        checks::validate(cx, database, &fresh, &check_ids)?;
    }
    let keys = std::mem::take(&mut draft.foreign);
    match index::add_keys(cx, database, &fresh, draft) {
        Err(e) if e.number == 1505 => return Err(not_unique(cx, database, &fresh, e)?),
        added => added?,
    }
    let made = foreign::create(cx, &owner, keys, check != Some(false))?;
    if check != Some(false) && !is_empty {
        foreign::validate(cx, database, table.head.id, &made)?;
    }
    Ok(())
}

/// The identity column among columns that come to rows which are there.
struct Numbers {
    at: usize,
    seed: i64,
    increment: i64,
}

/// 1750, behind 1505 without a value that a mask hides from the session.
fn not_unique(
    cx: &mut StatementContext<'_>,
    database: &Database,
    table: &Table,
    reason: Box<SqlError>,
) -> SqlResult<Box<SqlError>> {
    let reason = cx.session.cover(reason, std::iter::once((database, table)));
    create::could_not_create(cx, reason)
}

/// Writes all rows anew, each with the columns that are added and the next identity value, in the order in which they are read. The
/// catalogue's rows of the columns are written.
fn number_rows(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    (added, numbers): (&[Column], Numbers),
    before: &[taffrail_base::ObjectId],
) -> SqlResult<Arc<Table>> {
    index::renew(cx, database, table, table.base())?;
    let context = cx.session.activation.options.convert_context();
    let shown = full_name(database, table);
    let given = std::cell::Cell::new(0_i128);
    let number = |n: i128| i128::from(numbers.seed) + n * i128::from(numbers.increment);
    let with_added = |mut values: Vec<Value>| -> SqlResult<Vec<Value>> {
        for (at, column) in added.iter().enumerate() {
            if at != numbers.at {
                values.push(column.missing.clone());
                continue;
            }
            let overflow = || SqlError::new(8115, &[&"IDENTITY", &column.ty.name()]);
            let next = i64::try_from(number(given.get())).map_err(|_| overflow())?;
            let value = assign(Value::BigInt(next), SqlType::BigInt, column, &shown, &context);
            values.push(value.map_err(|_| overflow())?);
            given.set(given.get() + 1);
        }
        Ok(values)
    };
    let fresh = index::rebuild(cx, database, table, before, Some(&with_added))?;
    if let (Some(identity), true) = (&fresh.identity, given.get() > 0) {
        let last = i64::try_from(number(given.get() - 1)).unwrap_or(numbers.seed);
        identity.sequence.saw(last)?;
    }
    Ok(fresh)
}

/// The value that rows get for a column that is added: the default's, computed once. Where the default is another one each time (NEWID),
/// also what each row's own value is computed by.
fn missing_value(
    cx: &mut StatementContext<'_>,
    column: &Column,
    default: &super::draft::DefaultDraft,
) -> SqlResult<(Value, Option<Expr>)> {
    let (value, from, each) = match &default.constant {
        Some(constant) => {
            let (value, from) = constant.clone();
            (value, from, None)
        }
        None if default.definition.to_ascii_uppercase().contains("NEXT VALUE FOR") => {
            let what = format!(
                "Adding a column with the default {} to a table that has rows",
                default.definition
            );
            return Err(unsupported(&what));
        }
        None => {
            let database = cx.database();
            let (expr, from) = {
                let names = SessionMetadata::new(cx.session, &database, &[]);
                let to = (column.declared(), column.collation);
                crate::binder::bind_default(&names, &database, &default.definition, to)?
            };
            let mut vars = Vec::new();
            let inner =
                StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
            let mut rt = Rt::new(inner, &mut vars, Vec::new(), 0, &[]);
            let value = rt.eval(&expr)?;
            let by_row = Attributes::of(Part::Expr(&expr)).volatility == Volatility::Row;
            (value, from, by_row.then(|| converted(expr, from, column)))
        }
    };
    let context = cx.session.activation.options.convert_context();
    let context = context.with_pages(Pages::of(column.collation.page()));
    Ok((assign(value, from, column, &default.definition, &context)?, each))
}

/// A default's expression, of a column's type.
fn converted(value: Expr, from: SqlType, column: &Column) -> Expr {
    let (to, pages) = (column.ty, Pages::of(column.collation.page()));
    let (style, conversion, lenient) = (None, Conversion::Implicit, false);
    match from == to {
        true => value,
        false => Expr::Cast(Box::new(Cast { value, from, to, style, conversion, lenient, pages })),
    }
}

/// A value for a column: 2628 and the errors of conversion.
pub(super) fn assign(
    value: Value,
    from: SqlType,
    column: &Column,
    table: &str,
    context: &ConvertContext,
) -> SqlResult<Value> {
    match convert::assign(value, from, column.ty, context) {
        Ok(value) => Ok(value),
        Err(AssignError::Truncated(text)) => {
            Err(SqlError::new(2628, &[&table, &column.name, &text]))
        }
        Err(AssignError::Sql(e)) => Err(e),
    }
}
