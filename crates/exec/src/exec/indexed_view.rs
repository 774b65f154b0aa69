//! Views that have indexes: their rows are a table, which a change of a table beneath them changes along.
//!
//! ```text
//! CREATE UNIQUE CLUSTERED INDEX   the rows of the view's query ──▶ the table (Filling)
//! a statement changes t           rows as they were ──▶ the query, with them in place of t ──▶ leave the table, or their groups
//!                                 rows as they are  ──▶ the query, with them in place of t ──▶ come to it, or to their groups
//! ```
//! The statements are made of the view's text. While they are bound, names in them mean what [`Maintained`] says: the view its table, `t`
//! the changed rows. No table stands twice in such a view, so what comes of the other tables is what is there.

use super::modify::foreign::Ready;
use super::rows::RowStore;
use super::runtime::Rt;
use super::triggers::{Fired, FiredRows};
use super::user_views::definition;
use crate::binder::Resolved;
use crate::catalog::{Module, Object, Table};
use crate::database::Database;
use crate::plan::locking::Isolation;
use crate::plan::names::bracketed;
use crate::plan::triggers::ChangedRows;
use crate::session::Session;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{ExprKind, GroupItem, SelectItem};
use taffrail_types::Value;

/// The names that mean something else while a statement is bound that changes the rows of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maintained {
    /// The database of the view.
    pub database: DatabaseId,
    /// The view, whose name is that of its table.
    pub view: ObjectId,
    /// The table whose changed rows take its place: those as they are (true), or as they were.
    pub rows: Option<(ObjectId, bool)>,
    /// Rows of the view that change are to be as the transaction's snapshot has them: 3960.
    pub claims: bool,
}

impl Maintained {
    /// The meaning of a name that was looked up.
    pub fn meaning(&self, found: Resolved) -> Resolved {
        match (found, self.rows) {
            (Resolved::UserView(database, view), _)
                if (database.id, view.head.id) == (self.database, self.view) =>
            {
                match &view.indexed {
                    Some(table) => Resolved::Table(database, table.clone()),
                    None => Resolved::UserView(database, view),
                }
            }
            (Resolved::Table(database, table), Some((id, inserted)))
                if (database.id, table.id()) == (self.database, id) =>
            {
                Resolved::Changed(database, ChangedRows { table, inserted, instead_of: true })
            }
            (found, _) => found,
        }
    }
}

/// A column of an indexed view, as a change of rows beneath it changes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A value of the row or group.
    Plain,
    /// SUM, or COUNT_BIG of a column: the values of rows are added.
    Sum,
    /// COUNT_BIG(*): a group of none is gone.
    Count,
}

/// The roles of a view's columns, in order. Without groups all are plain.
pub fn roles(view: &Module) -> SqlResult<Vec<Role>> {
    let text = definition(view)?;
    let role =
        |item: &SelectItem| match item {
            SelectItem::Expr { expr, .. } => match &expr.kind {
                ExprKind::Function(f) if f.over.is_none() && f.name.name.is("COUNT_BIG") => {
                    if f.star { Role::Count } else { Role::Sum }
                }
                ExprKind::Function(f) if f.over.is_none() && f.name.name.is("SUM") => Role::Sum,
                _ => Role::Plain,
            },
            _ => Role::Plain,
        };
    Ok(text.query.body.first_block().items.iter().map(role).collect())
}

/// Whether the view groups its rows.
fn is_grouped(view: &Module) -> SqlResult<bool> {
    let text = definition(view)?;
    let group = &text.query.body.first_block().group_by;
    Ok(group.as_ref().is_some_and(|g| g.items.iter().any(|i| matches!(i, GroupItem::Expr(_)))))
}

/// The query of a view as a derived table `d` with the view's columns.
fn source(view: &Module, columns: &str) -> SqlResult<String> {
    let text = definition(view)?;
    let span = text.query.span;
    let query = view.definition.get(span.start as usize..span.end as usize);
    let query = query.ok_or_else(|| SqlError::new(15197, &[&view.head.name]))?;
    // A comment at the end of the text ends with its line.
    Ok(format!("({query}\n) AS d ({columns})"))
}

fn names(table: &Table) -> Vec<String> {
    table.columns.iter().map(|c| bracketed(&c.name)).collect()
}

fn target(view: &Module) -> String {
    format!("{}.{}", bracketed(&view.head.schema), bracketed(&view.head.name))
}

/// Puts the rows of the view's query into its table, which has none.
pub fn fill(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Module,
) -> SqlResult<()> {
    let table = view.indexed.as_ref().ok_or_else(|| SqlError::new(5243, &[]))?;
    let columns = names(table).join(", ");
    let text = format!(
        "INSERT {} ({columns}) SELECT {columns} FROM {}",
        target(view),
        source(view, &columns)?
    );
    let maintained =
        Maintained { database: database.id, view: view.head.id, rows: None, claims: false };
    run(cx, database, maintained, &text)
}

/// The statements that change the table of a view where rows of a table have left (`inserted` is false) or come.
fn change(view: &Module, table: &Table, inserted: bool) -> SqlResult<String> {
    let columns = names(table);
    let all = columns.join(", ");
    let (roles, grouped) = (roles(view)?, is_grouped(view)?);
    // Rows are found by the key, groups by what they are grouped by.
    let keys: Vec<usize> = match grouped {
        true => (0..columns.len()).filter(|at| roles[*at] == Role::Plain).collect(),
        false => table.base().key.columns().iter().map(|k| k.column).collect(),
    };
    let same = |at: &usize| match table.columns[*at].nullable {
        true => format!("v.{0} IS NOT DISTINCT FROM d.{0}", columns[*at]),
        false => format!("v.{0} = d.{0}", columns[*at]),
    };
    let on = keys.iter().map(same).collect::<Vec<_>>().join(" AND ");
    let source = source(view, &all)?;
    let view_name = target(view);
    if !grouped {
        return Ok(match inserted {
            true => format!("INSERT {view_name} ({all}) SELECT {all} FROM {source}"),
            false => {
                format!("MERGE {view_name} AS v USING {source} ON {on} WHEN MATCHED THEN DELETE;")
            }
        });
    }
    let sign = if inserted { '+' } else { '-' };
    let sums: Vec<String> = (0..columns.len())
        .filter(|at| roles[*at] != Role::Plain)
        .map(|at| format!("{0} = v.{0} {sign} d.{0}", columns[at]))
        .collect();
    let sums = sums.join(", ");
    let count = roles.iter().position(|r| *r == Role::Count);
    let count = &columns[count.ok_or_else(|| SqlError::new(5243, &[]))?];
    // The range is locked: no two sessions begin one group.
    let head = format!("MERGE {view_name} WITH (HOLDLOCK) AS v USING {source} ON {on}");
    Ok(match inserted {
        true => {
            let values: Vec<String> = columns.iter().map(|c| format!("d.{c}")).collect();
            let values = values.join(", ");
            format!(
                "{head} WHEN MATCHED THEN UPDATE SET {sums} WHEN NOT MATCHED THEN INSERT ({all}) VALUES ({values});"
            )
        }
        false => format!(
            "{head} WHEN MATCHED AND v.{count} = d.{count} THEN DELETE WHEN MATCHED THEN UPDATE SET {sums};"
        ),
    })
}

/// The rows by which the indexed views of a table are to be changed: as they are now, and as they were.
pub(crate) struct Viewed {
    inserted: RowStore,
    deleted: RowStore,
}

impl Viewed {
    /// None yet, of so many columns.
    pub fn new(width: usize) -> Viewed {
        Viewed { inserted: RowStore::in_order(width), deleted: RowStore::in_order(width) }
    }

    /// A row that has come, has gone, or was another before. One that stays what it was changes no view.
    pub fn add(
        &mut self,
        rt: &mut Rt<'_>,
        old: Option<&[Value]>,
        new: Option<&[Value]>,
    ) -> SqlResult<()> {
        if old == new {
            return Ok(());
        }
        new.into_iter().try_for_each(|row| self.inserted.add(rt, row))?;
        old.into_iter().try_for_each(|row| self.deleted.add(rt, row))
    }
}

/// Changes the indexed views of a table along with its rows.
pub(crate) fn keep(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    rows: Viewed,
) -> SqlResult<()> {
    let (left, came) = (rows.deleted.len() > 0, rows.inserted.len() > 0);
    if !left && !came {
        return Ok(());
    }
    let (inserted, deleted) = (vec![rows.inserted.finish()?], vec![rows.deleted.finish()?]);
    let fired = Arc::new(Fired {
        database: database.id,
        trigger: ObjectId(0),
        table: table.clone(),
        instead_of: false,
        columns: Vec::new(),
        rows: Arc::new(FiredRows { inserted, deleted }),
    });
    let before = cx.session.activation.show_changed(Some(fired));
    let kept = keep_all(cx, database, table, (left, came));
    cx.session.activation.show_changed(before);
    kept
}

fn keep_all(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    (left, came): (bool, bool),
) -> SqlResult<()> {
    for id in &table.indexed_views {
        let view = match database.catalog.object(*id, cx.session.id) {
            Some(Object::View(view)) => view,
            _ => return Err(SqlError::new(5243, &[])),
        };
        let rows = view.indexed.clone().ok_or_else(|| SqlError::new(5243, &[]))?;
        for inserted in [false, true] {
            if if inserted { came } else { left } {
                let text = change(&view, &rows, inserted)?;
                let maintained = Maintained {
                    database: database.id,
                    view: *id,
                    rows: Some((table.id(), inserted)),
                    claims: cx.session.changes_by_snapshot(),
                };
                run(cx, database, maintained, &text)?;
            }
        }
    }
    Ok(())
}

/// Runs one statement in which names mean what is said. No SET ROWCOUNT ends it. Rows of other tables that it reads stay locked, whatever
/// the session's isolation level: of two sessions that change rows which meet in the view, one waits for the other.
fn run(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    maintained: Maintained,
    text: &str,
) -> SqlResult<()> {
    let before = cx.session.running.maintained.replace(maintained);
    let options = &mut cx.session.activation.options;
    let (rows, isolation) = (std::mem::take(&mut options.row_count), options.isolation);
    if isolation != Isolation::Serializable {
        options.isolation = Isolation::RepeatableRead;
    }
    let read_otherwise = cx.session.transaction.read_otherwise;
    // The statement's own warnings are the client's; those of what goes along with it are nobody's.
    let warnings = std::mem::take(&mut cx.session.activation.warnings);
    let ran = Ready::new(cx, database, text, &[]).and_then(|ready| ready.run(cx));
    let options = &mut cx.session.activation.options;
    (options.row_count, options.isolation) = (rows, isolation);
    cx.session.transaction.read_otherwise = read_otherwise;
    cx.session.activation.warnings = warnings;
    cx.session.running.maintained = before;
    ran
}

/// 1934 for a statement on a table with something whose values depend on SET options, where one of these is not as it has to be.
pub fn require_options(session: &Session, verb: &str) -> SqlResult<()> {
    let o = &session.activation.options;
    let options = [
        ("ANSI_NULLS", o.ansi_nulls),
        ("QUOTED_IDENTIFIER", o.quoted_identifier),
        ("CONCAT_NULL_YIELDS_NULL", o.concat_null_yields_null),
        ("ANSI_WARNINGS", o.ansi_warnings),
        ("ANSI_PADDING", o.ansi_padding),
        // It counts as on while ANSI_WARNINGS is.
        ("ARITHABORT", o.arithabort || o.ansi_warnings),
        ("NUMERIC_ROUNDABORT", !o.numeric_roundabort),
    ];
    let wrong: Vec<&str> = options.iter().filter(|(_, right)| !right).map(|(n, _)| *n).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(SqlError::new(1934, &[&verb, &wrong.join(", "), &WITH_OPTIONS])),
    }
}

/// The features that SET options are needed for, as 1934 tells them.
const WITH_OPTIONS: &str = "indexed views and/or indexes on computed columns and/or filtered indexes and/or query notifications \
    and/or XML data type methods and/or spatial index operations";
