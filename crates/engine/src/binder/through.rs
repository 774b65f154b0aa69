//! UPDATE and DELETE of a common table expression or of a derived table of FROM: its rows are those of one table, which is
//! what is changed.
//!
//! The query is bound as any other in FROM, with one more output column at its end: the locator of the rows of that table,
//! which goes through whatever the query does with them (windows, TOP, ORDER BY, joins). Columns of SET are those of the
//! table that the query's columns show.
//!
//! Invariants:
//! 1. [`Through::alias`] is looked for only among the sources of the change's own block, `depth` blocks deep.
//! 2. What is [`Found`] is in the first `SELECT` of the query; one with groups or of several parts has none.

use super::from::FromTree;
use super::query::{BoundQuery, Item};
use super::{Binder, Block, SlotInfo, SourceKind, eq, unsupported};
use crate::catalog::Table;
use crate::database::Database;
use crate::plan::expr::{Expr, Slot};
use crate::plan::locking::{Locking, TableLock};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, SelectItem};
use taffrail_types::{MaxLen, SqlType};

/// What an UPDATE or DELETE looks for in FROM.
pub(super) struct Through<'a> {
    /// The name of its target.
    pub alias: &'a str,
    depth: usize,
    /// The first column of SET; a DELETE has none.
    column: Option<&'a str>,
    /// Names that the expression gives its columns.
    names: &'a [ast::Ident],
    pub found: Option<Found>,
}

/// The table behind the target.
pub(super) struct Found {
    pub database: Arc<Database>,
    pub table: Arc<Table>,
    pub table_lock: TableLock,
    pub locator: Slot,
    /// For each column of the query the table's column that it shows.
    pub columns: Vec<Option<usize>>,
    /// The source in the change's block.
    pub source: u32,
}

/// The locator's type.
pub(super) const LOCATOR: SqlType = SqlType::VarBinary(MaxLen::N(1800));

impl<'a> Binder<'a> {
    /// Begins to look for the target among the queries of FROM.
    pub(super) fn look_through(&mut self, alias: Option<&'a ast::Ident>, column: Option<&'a str>) {
        let depth = self.blocks.len();
        self.through = alias.map(|alias| Through {
            alias: &alias.value,
            depth,
            column,
            names: &[],
            found: None,
        });
    }

    /// Whether the query that is bound next, as a source of this name, is the target.
    pub(super) fn arm(&mut self, alias: &str, names: &'a [ast::Ident]) -> bool {
        let depth = self.blocks.len();
        let wanted = self.through.as_mut().filter(|t| t.depth == depth && eq(t.alias, alias));
        let Some(t) = wanted else { return false };
        t.names = names;
        self.locate = true;
        true
    }

    /// The target's query in a block whose list is bound: the locator becomes the list's last item.
    pub(super) fn locate(&mut self, s: &ast::SelectBlock, items: &mut Vec<Item>) -> SqlResult<()> {
        let Some(Through { alias, column, names, .. }) = &self.through else { return Ok(()) };
        let block = self.blocks.last().expect("open");
        if s.distinct || s.group_by.is_some() || s.having.is_some() || !block.aggs.is_empty() {
            return Err(SqlError::new(4403, &[alias]));
        }
        // The source and the column that an item shows.
        let shown = |i: &Item| -> Option<(usize, usize)> {
            let Expr::Slot(slot) = i.bound.expr else { return None };
            let tables = block.sources.iter().enumerate();
            tables.filter(|(_, s)| matches!(s.kind, SourceKind::Table { .. })).find_map(|(n, s)| {
                s.columns.iter().position(|c| c.slot == Some(slot)).map(|c| (n, c))
            })
        };
        let at = match (column, block.sources.as_slice()) {
            (None, [s]) if matches!(s.kind, SourceKind::Table { .. }) => 0,
            (None, [_]) => return Err(nested()),
            (None, _) => return Err(SqlError::new(4405, &[alias])),
            (Some(column), sources) => {
                let item = match names {
                    [] => items.iter().position(|i| eq(&i.name, column)),
                    names => names.iter().position(|n| eq(&n.value, column)),
                };
                let item = item.and_then(|n| items.get(n));
                let item = item.ok_or_else(|| SqlError::new(207, &[column]))?;
                match shown(item) {
                    Some((at, _)) => at,
                    None if sources.iter().all(|s| matches!(s.kind, SourceKind::Table { .. })) => {
                        return Err(SqlError::new(4406, &[alias]));
                    }
                    None => return Err(nested()),
                }
            }
        };
        let columns = items.iter().map(|i| shown(i).filter(|s| s.0 == at).map(|s| s.1)).collect();
        let Block { id, sources, .. } = self.blocks.last_mut().expect("open");
        let (block, source) = (*id, &mut sources[at]);
        let SourceKind::Table { database, table, hints } = &mut source.kind else {
            unreachable!("a table was looked for")
        };
        hints.locks = hints.locks.as_target(Locking::of_target());
        let (database, table, hints, id) = (database.clone(), table.clone(), *hints, source.id);
        self.use_table(&database, &table, hints);
        let locator = self.new_slot(SlotInfo {
            ty: LOCATOR,
            collation: Default::default(),
            coercion: Default::default(),
            block,
            source: id,
            identity: false,
            schema: None,
            table: "".into(),
            column: "".into(),
        });
        self.blocks.last_mut().expect("open").sources[at].locator = Some(locator);
        items.push(Item::hidden(Expr::Slot(locator), LOCATOR));
        let table_lock = hints.locks.table;
        let found = Found { database, table, table_lock, locator, columns, source: u32::MAX };
        if let Some(t) = &mut self.through {
            t.found = Some(found);
        }
        Ok(())
    }

    /// Takes the locator off the target's query, once it is bound.
    pub(super) fn take_locator(&mut self, bound: &mut BoundQuery) -> SqlResult<()> {
        let found = self.through.as_ref().is_some_and(|t| t.found.is_some());
        if std::mem::take(&mut self.locate) || !found {
            return Err(nested());
        }
        bound.outputs.pop();
        bound.columns.pop();
        Ok(())
    }

    /// The target's query has become a source of the change's block.
    pub(super) fn settle(&mut self, tree: &FromTree) {
        let FromTree::Source(id) = tree else { return };
        let block = self.block().id;
        let Some(Found { source, locator, .. }) =
            self.through.as_mut().and_then(|t| t.found.as_mut())
        else {
            return;
        };
        *source = *id;
        let locator = *locator;
        let info = &mut self.slots[locator as usize];
        (info.block, info.source) = (block, *id);
        let sources = &mut self.blocks.last_mut().expect("open").sources;
        if let Some(s) = sources.iter_mut().find(|s| s.id == *id) {
            s.locator = Some(locator);
        }
    }

    /// What the source `id` is changed through, if it is a query.
    pub(super) fn found(&self, id: u32) -> Option<&Found> {
        self.through.as_ref()?.found.as_ref().filter(|f| f.source == id)
    }

    /// The table's column behind a column of the query: 207, 4406.
    pub(super) fn column_through(&self, found: &Found, name: &str) -> SqlResult<usize> {
        let sources = &self.blocks.last().expect("open").sources;
        let source = sources.iter().find(|s| s.id == found.source).expect("it was settled");
        let at = source.columns.iter().position(|c| eq(&c.name, name));
        let at = at.ok_or_else(|| SqlError::new(207, &[&name]))?;
        found.columns[at].ok_or_else(|| SqlError::new(4406, &[&source.alias]))
    }

    /// OUTPUT names the table's columns, so the query has to call them as the table does, and show all of them for a star.
    pub(super) fn output_through(&self, found: &Found, list: &[ast::Output]) -> SqlResult<()> {
        let star = |o: &ast::Output| {
            o.items.iter().any(|i| matches!(i, SelectItem::QualifiedStar(_) | SelectItem::Star(_)))
        };
        let sources = &self.blocks.last().expect("open").sources;
        let source = sources.iter().find(|s| s.id == found.source).expect("it was settled");
        let table = &found.table.columns;
        let same = source.columns.iter().zip(&found.columns).all(|(c, shown)| {
            shown.is_some_and(|at| eq(&c.name, &table[at].name)) || shown.is_none()
        });
        let whole = found.columns.iter().copied().eq((0..table.len()).map(Some));
        match list.iter().any(star) {
            _ if list.is_empty() => Ok(()),
            star if same && (whole || !star) => Ok(()),
            _ => Err(unsupported("OUTPUT of a change through a query with columns of its own")),
        }
    }
}

fn nested() -> Box<SqlError> {
    unsupported("A change through a query that does not read the table itself")
}
