//! Changes of a view, of a common table expression or of a derived table of FROM: its rows are those of one table, which is what is
//! changed.
//!
//! The query is bound as any other in FROM, with one more output column at its end: the locator of the rows of that table,
//! which goes through whatever the query does with them (windows, TOP, ORDER BY, joins). Columns of SET are those of the
//! table that the query's columns show.
//!
//! Invariant: what is [`Found`] is in the first `SELECT` of the query; one with groups or of several parts has none.

use super::dml::{NamedTarget, Target};
use super::from::FromTree;
use super::query::{BoundQuery, Item};
use super::{Binder, SourceKind, eq, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::facts::Action;
use taffrail_plan::locking::{Locking, TableLock};
use taffrail_syntax::ast::{self, SelectItem, TableRef};
use taffrail_types::{MaxLen, SqlType};

/// The columns that a query shows, in order, and the table's behind each.
pub(super) type Shown = [(Arc<str>, Option<usize>)];

/// A target that may be a query: the table behind it is looked for while it is bound.
pub(super) struct Through<'a> {
    /// The target as the statement names it.
    name: &'a ast::ObjectName,
    /// The first column that is changed; a DELETE has none.
    column: Option<&'a str>,
    /// Rows get new values: no DELETE.
    pub puts: bool,
    /// Names that the expression or view gives its columns.
    names: Vec<Box<str>>,
    pub found: Option<Found>,
    /// The query's columns that show those of its other tables.
    elsewhere: Vec<usize>,
    /// Why its query cannot be changed.
    refused: Option<Box<SqlError>>,
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
    /// Begins to look for the table behind a target of this name.
    pub(super) fn look_through(
        &mut self,
        name: Option<&'a ast::ObjectName>,
        column: Option<&'a str>,
    ) {
        self.through = name.map(|name| Through {
            name,
            column,
            puts: column.is_some(),
            names: Vec::new(),
            found: None,
            elsewhere: Vec::new(),
            refused: None,
        });
    }

    /// The same for the query that is bound next, into which rows are put.
    fn look_through_to_put(&mut self, name: &'a ast::ObjectName, column: Option<&'a str>) {
        self.look_through(Some(name), column);
        if let Some(t) = &mut self.through {
            t.puts = true;
        }
        self.armed = true;
    }

    /// Whether the query that is bound next is the target. `names`: those that its columns get.
    pub(super) fn arm(&mut self, names: impl FnOnce() -> Vec<Box<str>>) -> bool {
        let armed = std::mem::take(&mut self.armed);
        let Some(through) = self.through.as_mut().filter(|_| armed) else { return false };
        through.names = names();
        self.locate = true;
        true
    }

    /// The target's query in a block whose list is bound: the locator becomes the list's last item. Why it cannot be changed is told
    /// once the query is bound.
    pub(super) fn locate(&mut self, s: &ast::SelectBlock, items: &mut Vec<Item>) {
        if let Err(e) = self.locate_in(s, items) {
            let through = self.through.as_mut().expect("a target is looked for");
            through.refused = Some(e);
        }
    }

    fn locate_in(&mut self, s: &ast::SelectBlock, items: &mut Vec<Item>) -> SqlResult<()> {
        let Some(Through { name, column, names, .. }) = &self.through else { return Ok(()) };
        let block = self.blocks.last().expect("open");
        if s.distinct || s.group_by.is_some() || s.having.is_some() || !block.aggs.is_empty() {
            return Err(SqlError::new(4403, &[name]));
        }
        // The source and the column that an item shows.
        let shown = |i: &Item| -> Option<(usize, usize)> {
            let Expr::Slot(slot) = i.bound.expr else { return None };
            if !i.plain {
                return None;
            }
            let tables = block.sources.iter().enumerate();
            tables.filter(|(_, s)| matches!(s.kind, SourceKind::Table { .. })).find_map(|(n, s)| {
                s.columns.iter().position(|c| c.slot == Some(slot)).map(|c| (n, c))
            })
        };
        let at = match (column, block.sources.as_slice()) {
            (None, [s]) if matches!(s.kind, SourceKind::Table { .. }) => 0,
            (None, [_]) => return Err(nested()),
            (None, _) => return Err(SqlError::new(4405, &[name])),
            (Some(column), sources) => {
                let item = match &names[..] {
                    [] => items.iter().position(|i| eq(&i.name, column)),
                    names => names.iter().position(|n| eq(n, column)),
                };
                let item = item.and_then(|n| items.get(n));
                let item = item.ok_or_else(|| SqlError::new(207, &[column]))?;
                match shown(item) {
                    Some((at, _)) => at,
                    None if sources.iter().all(|s| matches!(s.kind, SourceKind::Table { .. })) => {
                        return Err(SqlError::new(4406, &[name]));
                    }
                    None => return Err(nested()),
                }
            }
        };
        let places: Vec<_> = items.iter().map(shown).collect();
        let columns = places.iter().map(|s| s.filter(|s| s.0 == at).map(|s| s.1)).collect();
        let other = |n: &usize| places[*n].is_some_and(|s| s.0 != at);
        let elsewhere = (0..places.len()).filter(other).collect();
        let source = &mut self.block().sources[at];
        let SourceKind::Table { database, table, hints, .. } = &mut source.kind else {
            unreachable!("a table was looked for")
        };
        hints.locks = hints.locks.as_target(Locking::of_target());
        let (database, table, hints, id) = (database.clone(), table.clone(), *hints, source.id);
        self.use_table(&database, &table, hints);
        let locator = self.locator_slot(id);
        self.blocks.last_mut().expect("open").sources[at].locator = Some(locator);
        items.push(Item::hidden(Expr::Slot(locator), LOCATOR));
        let table_lock = hints.locks.table;
        let found = Found { database, table, table_lock, locator, columns, source: u32::MAX };
        if let Some(t) = &mut self.through {
            t.found = Some(found);
            t.elsewhere = elsewhere;
        }
        Ok(())
    }

    /// Takes the locator off the target's query, once it is bound.
    pub(super) fn take_locator(&mut self, bound: &mut BoundQuery) -> SqlResult<()> {
        let through = self.through.as_mut();
        if let Some(e) = through.and_then(|t| t.refused.take()) {
            return Err(e);
        }
        let found = self.through.as_ref().is_some_and(|t| t.found.is_some());
        if std::mem::take(&mut self.locate) || !found {
            return Err(nested());
        }
        bound.outputs.pop();
        bound.columns.pop();
        Ok(())
    }

    /// What the query shows that an INSERT or a MERGE changes.
    pub(super) fn shown(&self, found: &Found) -> Vec<(Arc<str>, Option<usize>)> {
        let sources = &self.blocks.last().expect("open").sources;
        let source = sources.iter().find(|s| s.id == found.source).expect("it was settled");
        let names = source.columns.iter().map(|c| c.name.clone());
        names.zip(found.columns.iter().copied()).collect()
    }

    /// The target of an INSERT, where it is a view or a common table expression: the table behind it and the columns that get values.
    /// Nothing of its rows is read.
    pub(super) fn insert_through(
        &mut self,
        i: &'a ast::Insert,
        named: NamedTarget<'a>,
    ) -> SqlResult<(Target, Vec<usize>)> {
        let name = match &i.target {
            TableRef::Named(n) => &n.name,
            TableRef::Function(f) => &f.call.name,
            _ => return Err(unsupported("This target")),
        };
        let subqueries = self.subqueries.len();
        self.push_block();
        let r = self.insert_in_block(i, name, named);
        self.blocks.pop();
        self.through = None;
        self.subqueries.truncate(subqueries);
        r
    }

    /// Rows that get new values must be such as a view WITH CHECK OPTION shows; nobody looks.
    pub(super) fn unchecked(&self, text: &super::ViewText) -> SqlResult<()> {
        match text.check_option && self.through.as_ref().is_some_and(|t| t.puts) {
            true => Err(unsupported("New values through a view WITH CHECK OPTION")),
            false => Ok(()),
        }
    }

    fn insert_in_block(
        &mut self,
        i: &'a ast::Insert,
        name: &'a ast::ObjectName,
        named: NamedTarget<'a>,
    ) -> SqlResult<(Target, Vec<usize>)> {
        let column = i.columns.first().map(|c| &*c.value);
        match named {
            NamedTarget::Expression(at) => {
                self.look_through(Some(name), column);
                self.armed = true;
                self.cte(at, &name.name.value)?;
            }
            NamedTarget::View(database, view, hints) => {
                self.look_through_to_put(name, column);
                self.user_view(database, &view, (&name.name.value, None, false), hints, None)?;
            }
            NamedTarget::Function(f) => {
                self.look_through_to_put(name, column);
                self.source_function(f, false)?;
            }
            NamedTarget::Table(..) => unreachable!("a table is its own target"),
        }
        let found = self.through.as_mut().and_then(|t| t.found.take());
        let Some(found) = found else { return Err(nested()) };
        self.output_through(&found, &i.output)?;
        let columns = self.insert_columns_through(&found.table, &self.shown(&found), &i.columns)?;
        let through = Some((found.source, &found.columns[..]));
        self.needs_change((&found.database, &found.table), Action::Insert, &columns, through);
        let Found { database, table, table_lock, .. } = found;
        Ok((Target { database, table, table_lock }, columns))
    }

    /// A column of the query is none of its table's: 4405 where it is another table's, 4406 where it is computed.
    fn not_of_target(&self, at: usize) -> Box<SqlError> {
        let through = self.through.as_ref().expect("a target was found");
        let number = if through.elsewhere.contains(&at) { 4405 } else { 4406 };
        SqlError::new(number, &[through.name])
    }

    /// Positions in the table of the columns that an INSERT through a query gives values for: 207, 264, 4405, 4406.
    pub(super) fn insert_columns_through(
        &self,
        table: &Table,
        shown: &Shown,
        named: &[ast::Ident],
    ) -> SqlResult<Vec<usize>> {
        let mut out = Vec::with_capacity(shown.len());
        if named.is_empty() {
            for (n, (_, column)) in shown.iter().enumerate() {
                let at = column.ok_or_else(|| self.not_of_target(n))?;
                let c = &table.columns[at];
                if !super::dml::is_left_out(c) {
                    out.push(at);
                }
            }
            return Ok(out);
        }
        for n in named {
            let hit = shown.iter().position(|(name, _)| eq(name, &n.value));
            let hit = hit.ok_or_else(|| self.at(SqlError::new(207, &[&n.value]), n.span))?;
            let at = shown[hit].1.ok_or_else(|| self.not_of_target(hit))?;
            if out.contains(&at) {
                return Err(SqlError::new(264, &[&n.value]));
            }
            super::dml::not_computed(&table.columns[at])?;
            out.push(at);
        }
        Ok(out)
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
        let mention = &mut self.mentions[locator as usize];
        (mention.block, mention.source) = (block, *id);
        let sources = &mut self.blocks.last_mut().expect("open").sources;
        if let Some(s) = sources.iter_mut().find(|s| s.id == *id) {
            s.locator = Some(locator);
        }
    }

    /// What the source `id` is changed through, if it is a query.
    pub(super) fn found(&self, id: u32) -> Option<&Found> {
        self.through.as_ref()?.found.as_ref().filter(|f| f.source == id)
    }

    /// The table's column behind a column of the query: 207, 4405, 4406.
    pub(super) fn column_through(&self, found: &Found, name: &str) -> SqlResult<usize> {
        let sources = &self.blocks.last().expect("open").sources;
        let source = sources.iter().find(|s| s.id == found.source).expect("it was settled");
        let at = source.columns.iter().position(|c| eq(&c.name, name));
        let at = at.ok_or_else(|| SqlError::new(207, &[&name]))?;
        found.columns[at].ok_or_else(|| self.not_of_target(at))
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

impl Through<'_> {
    /// The query that is the target is a set of several: 4426 where it is a UNION.
    pub fn refuse(&mut self, chain: &ast::SetChain) {
        let union = chain.rest.iter().any(|(o, _)| *o == ast::SetOperator::Union);
        self.refused = union.then(|| SqlError::new(4426, &[&self.name]));
    }
}

fn nested() -> Box<SqlError> {
    unsupported("A change through a query that does not read the table itself")
}
