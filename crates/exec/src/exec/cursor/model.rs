//! Kinds of cursors: the model and the concurrency that were asked for, and those that its query allows.
//!
//! | the query | a cursor becomes |
//! |---|---|
//! | has groups, DISTINCT, sets, windows, called functions, no table | STATIC, read only |
//! | has TOP, or an order that no index gives | KEYSET where it would be DYNAMIC |
//! | reads a heap without a unique index | STATIC where it would be KEYSET |
//! | reads several tables, or a heap, and the cursor scrolls | KEYSET where it would be DYNAMIC |
//!
//! The last one is our own: SQL Server scrolls over joins.

use super::CursorText;
use crate::catalog::{IndexKind, Table};
use crate::database::Database;
use crate::exec::module::Plan;
use crate::plan::locking::LevelHint;
use crate::plan::node::{Access, Node, QueryPlan, Scan};
use crate::plan::statement::Statement;
use crate::sink::CursorTables;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// The way in which a cursor has its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorModel {
    /// A copy of the rows, made at OPEN.
    Static,
    /// Keys of the rows, gathered at OPEN; the rows are read when they are fetched.
    Keyset,
    /// The query runs as it is fetched from.
    Dynamic,
    /// DYNAMIC, forward only and read only.
    FastForward,
}

impl CursorModel {
    /// Its number in `model` of sp_describe_cursor.
    pub fn number(self) -> i32 {
        match self {
            CursorModel::Static => 1,
            CursorModel::Keyset => 2,
            CursorModel::Dynamic => 3,
            CursorModel::FastForward => 4,
        }
    }

    /// Its word in `properties` of sys.dm_exec_cursors.
    pub fn word(self) -> &'static str {
        match self {
            CursorModel::Static => "Snapshot",
            CursorModel::Keyset => "Keyset",
            CursorModel::Dynamic => "Dynamic",
            CursorModel::FastForward => "Fast_Forward",
        }
    }

    /// The rows, or their keys, are those of OPEN: their number is known.
    pub(super) fn is_fixed(self) -> bool {
        matches!(self, CursorModel::Static | CursorModel::Keyset)
    }
}

/// How changes through a cursor get along with those of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorConcurrency {
    /// Nothing is changed through it.
    ReadOnly,
    /// The row that was fetched last is locked.
    ScrollLocks,
    /// A row that others have changed since it was fetched is not changed.
    Optimistic,
}

impl CursorConcurrency {
    /// Its number in `concurrency` of sp_describe_cursor.
    pub fn number(self) -> i32 {
        match self {
            CursorConcurrency::ReadOnly => 1,
            CursorConcurrency::ScrollLocks => 2,
            CursorConcurrency::Optimistic => 3,
        }
    }

    /// Its words in `properties` of sys.dm_exec_cursors.
    pub fn words(self) -> &'static str {
        match self {
            CursorConcurrency::ReadOnly => "Read Only",
            CursorConcurrency::ScrollLocks => "Scroll Locks",
            CursorConcurrency::Optimistic => "Optimistic",
        }
    }
}

/// A table of a cursor's query, of which each row brings a mark.
#[derive(Clone, Debug)]
pub(super) struct MarkedTable {
    pub database: Arc<Database>,
    pub table: Arc<Table>,
    /// NOLOCK: no row is changed through it.
    pub dirty: bool,
}

/// A cursor as it is made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub model: CursorModel,
    pub concurrency: CursorConcurrency,
    pub scroll: bool,
    /// It is not what was asked for.
    pub converted: bool,
    /// The tables of its query, where its rows are found again.
    pub tables: Vec<MarkedTable>,
    /// The facts that clients are told of the tables behind the columns, where they change through it.
    pub told: Arc<CursorTables>,
    /// The columns of FOR UPDATE OF: the place of the table among these, and the column's in it. None: all columns.
    pub only: Option<Vec<(usize, usize)>>,
}

/// The query of a plan.
pub(super) fn query_of(plan: &Plan) -> &QueryPlan {
    match &plan.kind {
        Statement::Select(q, _) => &q.plan,
        _ => unreachable!("a cursor's plan is made from a SELECT"),
    }
}

/// The tables of whose rows a query's rows bring marks, in the order of the marks; none where it has no marks.
fn marked_tables(plan: &Plan) -> Vec<MarkedTable> {
    let q = query_of(plan);
    let marks = q.outputs.get(q.columns.len()..).unwrap_or_default();
    let mut found = Vec::new();
    q.node.visit(&mut |n| {
        let Node::Scan(s) = n else { return };
        let at = marks.iter().position(|m| s.image.is_some() && s.locator == Some(*m));
        found.extend(at.map(|at| {
            let dirty = s.locks.level == LevelHint::ReadUncommitted;
            (at, MarkedTable { database: s.database.clone(), table: s.table.clone(), dirty })
        }));
    });
    found.sort_by_key(|f| f.0);
    // What constants decide leaves nothing to be found again.
    let whole = found.iter().enumerate().all(|(n, (at, _))| *at == 2 * n);
    if whole { found.into_iter().map(|f| f.1).collect() } else { Vec::new() }
}

/// Whether the rows of a table are found again by a key: it has a clustered index, or a unique one of all its rows.
fn has_keys(table: &Table) -> bool {
    table.base().kind != IndexKind::Heap
        || table.indexes.iter().any(|i| i.unique && i.filter.is_none())
}

/// The one scan of an index that a query is, with what is computed of its rows and conditions on them.
fn only_scan(node: &Node) -> Option<&Scan> {
    match node {
        Node::Filter(f) => only_scan(&f.input),
        Node::Compute(c) => only_scan(&c.input),
        Node::Scan(s) if s.reads_heap() => None,
        Node::Scan(s) => Some(s),
        _ => None,
    }
}

/// Whether the rows of a query are put in an order, or cut off, by themselves.
fn is_sorted(node: &Node) -> bool {
    let mut sorted = false;
    node.visit(&mut |n| sorted |= matches!(n, Node::Sort(_) | Node::Top(_)));
    sorted
}

impl Made {
    /// A cursor as it is asked for, of a query that nothing is known of.
    pub fn plain(model: CursorModel, scroll: bool, concurrency: CursorConcurrency) -> Made {
        let fixed = matches!(model, CursorModel::Static | CursorModel::FastForward);
        let concurrency = if fixed { CursorConcurrency::ReadOnly } else { concurrency };
        let (converted, tables, told, only) = Default::default();
        Made { model, concurrency, scroll, converted, tables, told, only }
    }

    /// A cursor of a text and of the plan of its query: 16957.
    pub fn of(text: &CursorText, plan: &Plan) -> SqlResult<Made> {
        let tables = if text.finds_again() { marked_tables(plan) } else { Vec::new() };
        let mut model = text.model;
        let node = &query_of(plan).node;
        if text.finds_again() {
            if model == CursorModel::Dynamic && is_sorted(node) {
                model = CursorModel::Keyset;
            }
            if model == CursorModel::Dynamic && text.scroll && only_scan(node).is_none() {
                model = CursorModel::Keyset;
            }
            let keyed = || text.is_api || tables.iter().all(|t| has_keys(&t.table));
            if tables.is_empty() || model == CursorModel::Keyset && !keyed() {
                model = CursorModel::Static;
            }
        }
        let fixed = matches!(model, CursorModel::Static | CursorModel::FastForward);
        let concurrency = if fixed { CursorConcurrency::ReadOnly } else { text.concurrency };
        if text.for_update.is_some() && concurrency == CursorConcurrency::ReadOnly {
            return Err(SqlError::new(16957, &[]));
        }
        let only = match text.for_update.as_deref() {
            None | Some([]) => None,
            Some(_) => Some(updatable(plan)),
        };
        let converted = model != text.model;
        let told = match text.is_api && concurrency != CursorConcurrency::ReadOnly {
            true => Arc::new(told_tables(plan, &tables)),
            false => Arc::default(),
        };
        Ok(Made { model, concurrency, scroll: text.scroll, converted, tables, told, only })
    }

    /// Whether FOR UPDATE OF, if there is one, lists a column of the table at a place.
    pub fn lists(&self, at: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|(table, _)| *table == at))
    }

    /// Whether these columns of the table at a place may be changed through the cursor.
    pub fn allows(&self, at: usize, columns: &[usize]) -> bool {
        self.only.as_ref().is_none_or(|only| columns.iter().all(|c| only.contains(&(at, *c))))
    }
}

/// The tables of a query as clients are told of them, and which column of which each of its columns is.
fn told_tables(plan: &Plan, tables: &[MarkedTable]) -> CursorTables {
    let q = query_of(plan);
    let mut columns = vec![(0, None); q.columns.len()];
    let marks = &q.outputs[q.columns.len()..];
    q.node.visit(&mut |n| {
        let Node::Scan(s) = n else { return };
        let at = marks.iter().position(|m| s.image.is_some() && s.locator == Some(*m));
        let Some(number) = at.and_then(|at| u8::try_from(at / 2 + 1).ok()) else { return };
        for (to, (slot, c)) in columns.iter_mut().zip(q.outputs.iter().zip(&q.columns)) {
            let base = s.columns.iter().find(|(_, of)| of == slot).filter(|_| !c.computed);
            if let Some((base, _)) = base {
                let name = &*s.table.columns[*base].name;
                *to = (number, (name != c.name).then(|| name.to_string()));
            }
        }
    });
    let parts = |t: &MarkedTable| match t.database.is_temporary() {
        true => vec![t.table.shown().to_string()],
        false => vec![t.table.head.schema.to_string(), t.table.shown().to_string()],
    };
    CursorTables { tables: tables.iter().map(parts).collect(), columns }
}

/// The columns of FOR UPDATE OF, as the plan has them.
fn updatable(plan: &Plan) -> Vec<(usize, usize)> {
    match &plan.kind {
        Statement::Select(q, _) => q.updatable.clone(),
        _ => Vec::new(),
    }
}

/// Whether a query is nothing but a scan, with what is computed of its rows and conditions on them.
pub(super) fn is_simple(plan: &Plan) -> bool {
    fn simple(node: &Node) -> bool {
        match node {
            Node::Filter(f) => simple(&f.input),
            Node::Compute(c) => simple(&c.input),
            Node::Scan(_) => true,
            _ => false,
        }
    }
    plan.subqueries.is_empty() && simple(&query_of(plan).node)
}

/// Whether a scan is the one that a cursor goes along in both directions.
pub(super) fn is_clustered(plan: &Plan) -> bool {
    let scan = only_scan(&query_of(plan).node);
    scan.is_some_and(|s| !matches!(s.access, Access::Nonclustered(..)))
}
