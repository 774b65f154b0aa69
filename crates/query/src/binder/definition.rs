//! Expressions of the catalogue, each bound alone: DEFAULTs, and the conditions of CHECKs over the columns of their table.

use super::written::Forms;
use super::{Binder, Bound, Metadata, Source, SourceKind, Variables};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;
use taffrail_plan::expr::{Expr, Pred};
use taffrail_syntax::ast::{self, SelectItem};
use taffrail_types::convert::{Declared, Kind};
use taffrail_types::{Collation, SqlType};

/// An error of an expression of the catalogue: the statement that uses it has a line, its text has none.
pub(super) fn without_line(mut e: Box<SqlError>) -> Box<SqlError> {
    e.line = 0;
    e
}

/// An expression of a database's catalogue (a default), bound alone: 1046 for a subquery, 128 for a column.
pub fn bind_text(
    meta: &dyn Metadata,
    database: &Database,
    text: &str,
) -> SqlResult<(Expr, SqlType)> {
    default_bound(meta, database, text, None).map(|bound| (bound.expr, bound.ty))
}

/// As [`bind_text`], of a column that is declared so: text is of the code page of its collation.
pub fn bind_default(
    meta: &dyn Metadata,
    database: &Database,
    text: &str,
    column: (Declared, Collation),
) -> SqlResult<(Expr, SqlType)> {
    default_bound(meta, database, text, Some(column)).map(|bound| (bound.expr, bound.ty))
}

/// A default's expression as it is bound, for the column if one is given: its NULL is one of every type.
pub(super) fn default_bound(
    meta: &dyn Metadata,
    database: &Database,
    text: &str,
    column: Option<(Declared, Collation)>,
) -> SqlResult<Bound> {
    text_bound(meta, database, text, column).map_err(without_line).map_err(|e| match e.number {
        157 => SqlError::new(147, &[]),
        _ => e,
    })
}

fn text_bound(
    meta: &dyn Metadata,
    database: &Database,
    text: &str,
    column: Option<(Declared, Collation)>,
) -> SqlResult<Bound> {
    let batch = format!("SELECT {text}");
    let parsed = taffrail_syntax::parse_batch(&batch, Default::default())
        .map_err(|mut e| Box::new(e.errors.remove(0)))?;
    let wrong = || SqlError::new(102, &[&text]);
    let [ast::Statement { kind: ast::StatementKind::Select(s), .. }] = &parsed.statements[..]
    else {
        return Err(wrong());
    };
    let [SelectItem::Expr { expr, .. }] = &s.query.body.first_block().items[..] else {
        return Err(wrong());
    };
    let variables = Variables::default();
    let mut binder = alone(meta, database, &variables, &parsed.lines);
    binder.whole_default = Some(expr);
    let bound = binder.bind_scalar(expr)?;
    match column {
        Some((declared, collation)) if declared.kind != Kind::Xml && !bound.untyped => {
            let (expr, ty) = binder.stored(bound, declared, collation)?;
            Ok(Bound::new(expr, ty))
        }
        _ => Ok(bound),
    }
}

/// A binder of an expression that stands alone. The expression means the same to sessions of other databases.
pub(super) fn alone<'a>(
    meta: &'a dyn Metadata,
    database: &Database,
    variables: &'a Variables,
    lines: &'a ast::LineIndex,
) -> Binder<'a> {
    let mut binder = Binder::new(meta, variables, lines);
    binder.scalars_only = true;
    binder.collation = database.collation();
    binder.of_database = (!database.is_temporary()).then(|| database.name.to_string());
    binder
}

/// A CHECK's condition: slot `n` is column `n` of the table. It is evaluated with nothing but those slots, so there can
/// be no subquery (1046), aggregate (175) or window function (4108) in it.
pub fn bind_check(
    meta: &dyn Metadata,
    database: &Database,
    table: &Arc<Table>,
    text: &str,
) -> SqlResult<Pred> {
    check_bound(meta, database, table, text).map_err(without_line)
}

fn check_bound(
    meta: &dyn Metadata,
    database: &Database,
    table: &Arc<Table>,
    text: &str,
) -> SqlResult<Pred> {
    let batch = format!("SELECT 1 WHERE {text}");
    let parsed = taffrail_syntax::parse_batch(&batch, Default::default())
        .map_err(|mut e| Box::new(e.errors.remove(0)))?;
    let [ast::Statement { kind: ast::StatementKind::Select(s), .. }] = &parsed.statements[..]
    else {
        return Err(SqlError::new(102, &[&text]));
    };
    let Some(filter) = &s.query.body.first_block().filter else {
        return Err(SqlError::new(102, &[&text]));
    };
    let variables = Variables::default();
    let mut binder = alone(meta, database, &variables, &parsed.lines);
    binder.over_columns(database, table);
    let condition = binder.pred(filter).map_err(|e| match e.number {
        147 => SqlError::new(175, &[]),
        _ => e,
    })?;
    debug_assert_eq!(binder.frame_size(), table.columns.len());
    Ok(condition)
}

/// The text by which the catalogue keeps a DEFAULT that a statement holds. None where the expression has no such form (a query, an
/// aggregate) or cannot be bound.
pub fn default_text(meta: &dyn Metadata, database: &Database, e: &ast::Expr) -> Option<String> {
    let (variables, lines) = Default::default();
    let mut binder = alone(meta, database, &variables, &lines);
    binder.whole_default = Some(e);
    binder.forms = Some(Forms::default());
    binder.bind_scalar(e).ok()?;
    Some(binder.forms.take()?.take(e)?.definition(&[]))
}

/// The text by which the catalogue keeps a CHECK's condition: see [`default_text`].
pub fn check_text(
    meta: &dyn Metadata,
    database: &Database,
    table: &Table,
    e: &ast::Expr,
) -> Option<String> {
    let (variables, lines) = Default::default();
    let mut binder = alone(meta, database, &variables, &lines);
    binder.over_columns(database, table);
    binder.forms = Some(Forms::default());
    binder.bind_condition(e).ok()?;
    binder.kept_text(table, e)
}

impl Binder<'_> {
    /// The text by which the catalogue keeps an expression over the columns of a table that has been bound along with its form.
    pub(super) fn kept_text(&mut self, table: &Table, e: &ast::Expr) -> Option<String> {
        let columns: Vec<&str> = table.columns.iter().map(|c| &*c.name).collect();
        Some(self.forms.take()?.take(e)?.definition(&columns))
    }

    /// The columns of a table are all that can be named: slot `n` is column `n`.
    pub(super) fn over_columns(&mut self, database: &Database, table: &Table) {
        self.push_block();
        let source = Source {
            id: self.source_id(),
            alias: table.name().into(),
            schema: None,
            qualified: false,
            columns: super::from::table_columns(database.id, table),
            kind: SourceKind::Derived(None),
            locator: None,
            left_out: false,
            object: None,
        };
        self.block().sources.push(source);
        for c in 0..table.columns.len() {
            self.source_column(0, 0, c);
        }
    }
}
