//! Which views may have a clustered index: what their text must not hold, each with the message that refuses it.

use super::indexed_view::text_of;
use super::resolve;
use crate::binder::{Binder, Variables};
use crate::catalog::{Module, Object, ObjectKind};
use crate::database::Database;
use crate::exec::indexed_view::{Role, roles};
use crate::exec::metadata::SessionMetadata;
use crate::session::context::StatementContext;
use std::fmt::Display;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{
    self, Expr, ExprKind, FunctionCall, GroupItem, JoinKind, SelectBlock, SelectItem, TableRef,
};
use taffrail_types::SqlType;

/// Aggregates that no indexed view keeps.
const OTHER_AGGREGATES: &[&str] = &[
    "APPROX_COUNT_DISTINCT",
    "AVG",
    "CHECKSUM_AGG",
    "MAX",
    "MIN",
    "STDEV",
    "STDEVP",
    "STRING_AGG",
    "VAR",
    "VARP",
];

/// A view that is looked at.
struct Looked<'a> {
    view: &'a Module,
    index: &'a str,
}

impl Looked<'_> {
    /// `Cannot create index on view 'v' …`.
    fn wrong(&self, number: i32) -> Box<SqlError> {
        SqlError::new(number, &[&"index", &self.view.head.name])
    }

    /// A refusal of the view with one more name.
    fn wrong_of(&self, number: i32, what: &dyn Display) -> Box<SqlError> {
        SqlError::new(number, &[&"index", &self.view.head.name, what])
    }

    /// `Cannot create the clustered index 'i' on view 'v' …`.
    fn wrong_index(&self, number: i32) -> Box<SqlError> {
        SqlError::new(number, &[&self.index, &self.view.head.name])
    }

    /// Columns of one name are one, but where the text says that they are of two tables. Other expressions are one where they are written
    /// alike.
    fn is_same(&self, a: &Expr, b: &Expr) -> bool {
        if let (ExprKind::Column(a), ExprKind::Column(b)) = (&a.kind, &b.kind) {
            let of = |c: &ast::ColumnRef| c.qualifier.as_ref().map(|q| q.name.value.to_lowercase());
            let apart = matches!((of(a), of(b)), (Some(a), Some(b)) if a != b);
            return !apart && a.name.value.to_lowercase() == b.name.value.to_lowercase();
        }
        let written = |e: &Expr| -> String {
            let text = self.view.definition.get(e.span.start as usize..e.span.end as usize);
            let text = text.unwrap_or_default().to_lowercase();
            text.chars().filter(|c| !c.is_whitespace()).collect()
        };
        written(a) == written(b)
    }
}

/// Refuses a view that cannot have the clustered index that `s` asks for; gives the tables beneath.
pub(super) fn check(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    view: &Arc<Module>,
    s: &ast::CreateIndex,
) -> SqlResult<Vec<ObjectId>> {
    let looked = Looked { view, index: &s.name.value };
    if !view.facts.schema_bound {
        return Err(looked.wrong(1939));
    }
    let (text, beneath) = text_of(cx, database, view)?;
    if let Some(with) = &text.with {
        let name = with.tables.first().map_or("", |t| &*t.name.value);
        return Err(looked.wrong_of(10137, &name));
    }
    let ast::QueryBody::Select(block) = &text.query.body else {
        return Err(looked.wrong(10116));
    };
    if block.top.is_some() || text.query.offset.is_some() || text.query.fetch.is_some() {
        return Err(looked.wrong(10101));
    }
    if block.distinct {
        return Err(looked.wrong(10100));
    }
    let mut tables = Vec::new();
    for source in &block.from {
        from(cx, &looked, source, &mut tables)?;
    }
    if tables.is_empty() {
        return Err(unsupported("An index on a view without FROM"));
    }
    groups(&looked, block)?;
    let mut all: Vec<&Expr> = block.filter.iter().collect();
    all.extend(block.items.iter().filter_map(|item| match item {
        SelectItem::Expr { expr, .. } => Some(expr),
        _ => None,
    }));
    let joins = block.from.iter().flat_map(conditions);
    all.extend(joins);
    for e in &all {
        expression(&looked, e)?;
    }
    if !beneath.facts.deterministic {
        let mut name = String::new();
        for e in &all {
            e.holds(&mut |e| {
                let ExprKind::Function(f) = &e.kind else { return false };
                name = f.name.name.value.to_lowercase();
                !is_aggregate(f)
            });
        }
        return Err(looked.wrong_of(1949, &name));
    }
    types(&looked)?;
    grouped(cx, database, &looked, &text, s)?;
    Ok(tables)
}

/// The sources of FROM: tables, each once, and inner joins of them.
fn from(
    cx: &mut StatementContext<'_>,
    looked: &Looked<'_>,
    source: &TableRef,
    tables: &mut Vec<ObjectId>,
) -> SqlResult<()> {
    match source {
        TableRef::Named(n) => {
            if n.sample.is_some() {
                return Err(looked.wrong(10102));
            }
            if !n.hints.is_empty() {
                return Err(looked.wrong(10140));
            }
            if n.system_time.is_some() {
                return Err(SqlError::new(40510, &[&"An index on a view FOR SYSTEM_TIME"]));
            }
            let found =
                resolve::find(cx, &n.name)?.ok_or_else(|| SqlError::new(208, &[&n.name]))?;
            match found.1 {
                Object::Table(t) if tables.contains(&t.head.id) => {
                    Err(looked.wrong_of(1947, &n.name))
                }
                Object::Table(t) => {
                    debug_assert_eq!(t.head.kind, ObjectKind::Table);
                    tables.push(t.head.id);
                    Ok(())
                }
                Object::View(_) => Err(looked.wrong_of(1937, &n.name)),
                _ => Err(looked.wrong_of(10129, &n.name)),
            }
        }
        TableRef::Join(j) => {
            match j.kind {
                JoinKind::Inner if j.hint.is_some() => return Err(looked.wrong(10112)),
                JoinKind::Inner | JoinKind::Cross => {}
                JoinKind::Left | JoinKind::Right | JoinKind::Full => {
                    return Err(looked.wrong(10113));
                }
                JoinKind::CrossApply => return Err(looked.wrong(10142)),
                JoinKind::OuterApply => return Err(looked.wrong(10110)),
            }
            from(cx, looked, &j.left, tables)?;
            from(cx, looked, &j.right, tables)
        }
        TableRef::Derived(d) => Err(looked.wrong_of(10109, &d.alias.value)),
        TableRef::Values(v) => Err(looked.wrong_of(10109, &v.alias.value)),
        TableRef::Pivot(_) => Err(looked.wrong(10114)),
        TableRef::Unpivot(_) => Err(looked.wrong(10115)),
        TableRef::Function(f) => Err(looked.wrong_of(10129, &f.call.name)),
        TableRef::Variable(_) | TableRef::OpenRowset(_) | TableRef::Changes(_) => {
            Err(unsupported("An index on a view of such rows"))
        }
    }
}

/// The conditions of joins.
fn conditions(source: &TableRef) -> Vec<&Expr> {
    match source {
        TableRef::Join(j) => {
            let sides = conditions(&j.left).into_iter().chain(conditions(&j.right));
            sides.chain(&j.on).collect()
        }
        _ => Vec::new(),
    }
}

/// GROUP BY and HAVING.
fn groups(looked: &Looked<'_>, block: &SelectBlock) -> SqlResult<()> {
    if block.having.is_some() {
        return Err(looked.wrong(10121));
    }
    let Some(group) = &block.group_by else { return Ok(()) };
    if group.all {
        return Err(looked.wrong(10118));
    }
    match group.items.iter().all(|item| matches!(item, GroupItem::Expr(_))) {
        true => Ok(()),
        false => Err(looked.wrong(10119)),
    }
}

fn is_aggregate(f: &FunctionCall) -> bool {
    let name = &f.name.name;
    let kept = name.is("SUM") || name.is("COUNT_BIG") || name.is("COUNT");
    f.over.is_none() && (kept || OTHER_AGGREGATES.iter().any(|other| name.is(other)))
}

/// An expression of the query: no subqueries, no windows, no aggregates but SUM and COUNT_BIG.
fn expression(looked: &Looked<'_>, e: &Expr) -> SqlResult<()> {
    let mut wrong = None;
    e.holds(&mut |e| {
        wrong = match &e.kind {
            ExprKind::Subquery(_)
            | ExprKind::Exists(_)
            | ExprKind::InQuery(_)
            | ExprKind::Quantified(_) => Some(looked.wrong(10127)),
            ExprKind::Function(f) if f.over.is_some() => Some(looked.wrong(10143)),
            ExprKind::Function(f) if is_aggregate(f) => {
                let name = f.name.name.value.to_uppercase();
                match () {
                    () if f.distinct => Some(looked.wrong_of(10126, &name)),
                    () if f.name.name.is("COUNT") => Some(looked.wrong(10136)),
                    () if OTHER_AGGREGATES.iter().any(|other| f.name.name.is(other)) => {
                        Some(looked.wrong_of(10125, &name))
                    }
                    () => None,
                }
            }
            _ => None,
        };
        wrong.is_some()
    });
    wrong.map_or(Ok(()), Err)
}

/// The types of the view's columns.
fn types(looked: &Looked<'_>) -> SqlResult<()> {
    for c in &looked.view.columns {
        if c.xml || c.old_large {
            return Err(looked.wrong(1942));
        }
        if c.ty == SqlType::RowVersion {
            return Err(unsupported("An index on a view with a rowversion"));
        }
    }
    Ok(())
}

/// A view of groups counts them; its other columns are what they are grouped by, and so is its key. Without GROUP BY it has no aggregate.
fn grouped(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    looked: &Looked<'_>,
    text: &ast::ViewDefinition,
    s: &ast::CreateIndex,
) -> SqlResult<()> {
    let block = text.query.body.first_block();
    let roles = roles(looked.view)?;
    let items: Vec<&Expr> = block
        .items
        .iter()
        .filter_map(|item| match item {
            SelectItem::Expr { expr, .. } => Some(expr),
            _ => None,
        })
        .collect();
    let aggregate = |e: &Expr| matches!(&e.kind, ExprKind::Function(f) if is_aggregate(f));
    for (e, role) in items.iter().zip(&roles) {
        if *role == Role::Plain && e.holds(&mut |e| aggregate(e)) {
            return Err(looked.wrong_index(8668));
        }
    }
    let Some(group) = &block.group_by else {
        return match roles.iter().all(|r| *r == Role::Plain) {
            true => Ok(()),
            false => Err(looked.wrong_index(8661)),
        };
    };
    if !roles.contains(&Role::Count) {
        return Err(looked.wrong(10138));
    }
    let by: Vec<&Expr> = group
        .items
        .iter()
        .filter_map(|item| match item {
            GroupItem::Expr(e) => Some(e),
            _ => None,
        })
        .collect();
    let plain: Vec<&Expr> = items
        .iter()
        .zip(&roles)
        .filter(|(_, role)| **role == Role::Plain)
        .map(|(e, _)| *e)
        .collect();
    if plain.iter().any(|item| !by.iter().any(|e| looked.is_same(e, item))) {
        return Err(looked.wrong_index(8668));
    }
    if by.iter().any(|item| !plain.iter().any(|e| looked.is_same(e, item))) {
        return Err(looked.wrong_index(8660));
    }
    for key in &s.columns {
        let at = looked.view.columns.iter().position(|c| key.name.is(&c.name));
        if at.is_some_and(|at| roles.get(at) != Some(&Role::Plain)) {
            return Err(looked.wrong_index(8661));
        }
    }
    sums(cx, database, looked, text, &items)
}

/// 8662 where what is summed may be NULL: the sum could not be taken back.
fn sums(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    looked: &Looked<'_>,
    text: &ast::ViewDefinition,
    items: &[&Expr],
) -> SqlResult<()> {
    let summed: Vec<Expr> = items
        .iter()
        .filter_map(|e| match &e.kind {
            ExprKind::Function(f) if f.name.name.is("SUM") => f.arguments.first().cloned(),
            _ => None,
        })
        .collect();
    if summed.is_empty() {
        return Ok(());
    }
    let mut rows = text.clone();
    rows.columns.clear();
    if let ast::QueryBody::Select(block) = &mut rows.query.body {
        block.group_by = None;
        block.items =
            summed.into_iter().map(|expr| SelectItem::Expr { expr, alias: None }).collect();
    }
    let lines = ast::LineIndex::new(&looked.view.definition);
    let none = Variables::default();
    let metadata = SessionMetadata::new(cx.session, database, &[]);
    metadata.as_view(database, &looked.view.head.schema);
    let mut binder = Binder::new(&metadata, &none, &lines);
    let bound = binder.bind_view((database.id, looked.view.head.id), &rows)?;
    match bound.columns.iter().any(|c| c.nullable) {
        true => Err(looked.wrong_index(8662)),
        false => Ok(()),
    }
}
