//! FROM: sources and joins.

use super::hints::{access_hint, hints};
use super::next_value::DrawPlace;
use super::sample::only_tables;
use super::{Binder, Cte, Hints, Mention, Resolved, Source, SourceColumn, SourceKind, eq, facts};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{SYSNAME_ID, Table};
use taffrail_plan::columns::Origin;
use taffrail_plan::expr::{Expr, Pred};
use taffrail_plan::facts::Action;
use taffrail_plan::hints::JoinMethod;
use taffrail_plan::locking::{LevelHint, TableLock};
use taffrail_plan::node::JoinType;
use taffrail_plan::rel::{self, Rel, RowsetSource, Values};
use taffrail_plan::system_view::SystemView;
use taffrail_syntax::ast::{self, TableRef};
use taffrail_types::Collation;

/// A query names at most so many tables once its common table expressions are put in place of their names.
const MAX_TABLES: u32 = 256;
/// And all queries of a statement together so many.
const MAX_TABLES_IN_ALL: u32 = 16_384;

/// What stands in FROM, with its conditions bound.
pub(crate) enum FromTree {
    /// A source of the block by its id.
    Source(u32),
    /// A join.
    Join {
        kind: JoinType,
        method: Option<JoinMethod>,
        left: Box<FromTree>,
        right: Box<FromTree>,
        on: Vec<Pred>,
    },
}

pub(crate) fn table_columns(database: DatabaseId, table: &Table) -> Vec<SourceColumn> {
    let (id, columns) = (table.id(), table.columns.iter().enumerate());
    let column = |(column, c): (usize, &taffrail_catalog::Column)| SourceColumn {
        name: c.name.clone(),
        ty: c.ty,
        nullable: c.nullable,
        collation: c.collation,
        origin: Some(Origin::Table {
            database,
            table: id,
            column,
            identity: c.is_identity,
            computed: c.computed.is_some(),
        }),
        large: c.large(),
        user_type: c.user_type,
        hidden: c.is_hidden,
        slot: None,
    };
    columns.map(column).collect()
}

impl Binder<'_> {
    /// The columns of an object of a database: types of users are known in the session's own database alone.
    pub(super) fn own_types(
        &self,
        database: &Database,
        mut columns: Vec<SourceColumn>,
    ) -> Vec<SourceColumn> {
        let own = || self.meta.current_database().is_ok_and(|d| d.id == database.id);
        if columns.iter().any(|c| c.user_type > SYSNAME_ID) && !own() {
            let others = columns.iter_mut().filter(|c| c.user_type > SYSNAME_ID);
            others.for_each(|c| c.user_type = 0);
        }
        columns
    }
}

/// The columns of a system view, whose text has the collation of the database that is asked.
pub(super) fn view_columns(view: &'static SystemView, collation: Collation) -> Vec<SourceColumn> {
    let column = |(at, c): (usize, &taffrail_plan::system_view::ViewColumn)| SourceColumn {
        name: c.name.into(),
        ty: c.ty,
        nullable: c.nullable,
        collation,
        origin: Some(Origin::View(view, at)),
        large: c.large,
        user_type: 0,
        hidden: false,
        slot: None,
    };
    view.columns.iter().enumerate().map(column).collect()
}

/// Whether two sources are in one database, as far as that is known.
fn same_database(a: &Source, b: &Source) -> bool {
    match (a.database(), b.database()) {
        (Some(a), Some(b)) => a.id == b.id,
        _ => true,
    }
}

/// Two sources of a FROM that nothing tells apart.
fn same_name(a: &Source, b: &Source) -> Box<SqlError> {
    let shown = |s: &Source| match &s.schema {
        Some(schema) if s.qualified => format!("{schema}.{}", s.alias),
        _ => s.alias.to_string(),
    };
    match (&a.schema, &b.schema) {
        (None, None) => SqlError::new(1011, &[&b.alias]),
        (None, Some(_)) => SqlError::new(1012, &[&a.alias, &shown(b)]),
        (Some(_), None) => SqlError::new(1012, &[&b.alias, &shown(a)]),
        (Some(_), Some(_)) => SqlError::new(1013, &[&shown(a), &shown(b)]),
    }
}

/// The relation behind a source whose columns all have been mentioned.
fn source_rel(source: Source, filters: &mut Filters) -> Rel {
    let own = filters.iter().position(|f| f.0 == source.id);
    let rel = source.rel();
    match own {
        Some(at) => Rel::select(rel, filters.swap_remove(at).1),
        None => rel,
    }
}

/// The conditions of security policies, by source.
type Filters = Vec<(u32, Vec<Pred>)>;

/// The relation of a part of FROM.
fn tree_rel(tree: FromTree, sources: &mut Vec<Source>, filters: &mut Filters) -> Rel {
    match tree {
        FromTree::Source(id) => {
            let at = sources.iter().position(|s| s.id == id).expect("a source stands once in FROM");
            source_rel(sources.swap_remove(at), filters)
        }
        FromTree::Join { kind, method, left, right, on } => {
            let left = tree_rel(*left, sources, filters);
            let right = tree_rel(*right, sources, filters);
            Rel::Join(Box::new(rel::Join { kind, method, left, right, on }))
        }
    }
}

impl<'a> Binder<'a> {
    /// Counts a table: 106, 8623 when there are too many. Names of common table expressions are replaced by what they stand
    /// for, so a chain of them that each name the one before twice doubles with every link.
    pub(super) fn count_table(&mut self) -> SqlResult<()> {
        self.named_tables += 1;
        self.all_tables += 1;
        if self.all_tables > MAX_TABLES_IN_ALL {
            return Err(SqlError::new(8623, &[]));
        }
        if self.named_tables > MAX_TABLES {
            return Err(SqlError::new(106, &[&MAX_TABLES]).with_severity(15));
        }
        Ok(())
    }

    /// FROM and WHERE of the block, all of whose columns have been mentioned: its sources are taken out of it.
    pub(super) fn take_from(
        &mut self,
        trees: Vec<FromTree>,
        conditions: Vec<Pred>,
    ) -> SqlResult<Rel> {
        let mut filters = self.filters()?;
        let mut sources = std::mem::take(&mut self.block().sources);
        let mut parts = trees.into_iter().map(|t| tree_rel(t, &mut sources, &mut filters));
        let first = parts.next().unwrap_or(Rel::OneRow);
        let from = parts.fold(first, |l, r| Rel::join(JoinType::Inner, l, r, Vec::new()));
        Ok(Rel::select(from, conditions))
    }

    /// The comma-separated parts of FROM: all are joined.
    pub(crate) fn sources_of_list(&mut self, list: &'a [TableRef]) -> SqlResult<Vec<FromTree>> {
        self.in_place(DrawPlace::Clause, |b| list.iter().map(|t| b.source_item(t, false)).collect())
    }

    pub(super) fn add_source(&mut self, source: Source) -> SqlResult<FromTree> {
        let id = source.id;
        let clash = |s: &Source| {
            eq(&s.alias, &source.alias)
                && match (&s.schema, &source.schema) {
                    (Some(a), Some(b)) => eq(a, b) && same_database(s, &source),
                    _ => true,
                }
        };
        if let Some(other) = self.block().sources.iter().find(|s| clash(s)) {
            return Err(same_name(other, &source));
        }
        self.block().sources.push(source);
        Ok(FromTree::Source(id))
    }

    /// `lateral`: earlier sources of this FROM may be mentioned (APPLY).
    pub(super) fn source_item(&mut self, t: &'a TableRef, lateral: bool) -> SqlResult<FromTree> {
        let target = self.begin_place(t);
        let tree = self.deeper(|b| b.source_item_kind(t, lateral))?;
        if target {
            self.end_place(&tree);
        }
        Ok(tree)
    }

    fn source_item_kind(&mut self, t: &'a TableRef, lateral: bool) -> SqlResult<FromTree> {
        match t {
            TableRef::Named(n) => {
                let line = self.line(n.name.span);
                self.named(n, false).map_err(|e| e.with_line(line))
            }
            TableRef::Variable(v) => {
                let (database, table) = self.table_named(&v.name.value)?;
                let alias = v.alias.as_ref().unwrap_or(&v.name);
                let mut hints = hints(&v.hints, false)?;
                hints.access = access_hint(&v.hints, &table, &v.name.value)?;
                let source = self.table_source(database, table, &alias.value, None, hints)?;
                self.add_source(source)
            }
            TableRef::Function(f) => self.source_function(f, lateral),
            TableRef::Derived(d) => {
                self.armed &= !lateral;
                let target = self.arm(|| d.columns.iter().map(|n| n.value.clone()).collect());
                let mut bound = match lateral {
                    true => self.query(&d.query, true)?,
                    false => self.hiding_siblings(|b| b.query(&d.query, true))?,
                };
                if target {
                    self.take_locator(&mut bound)?;
                }
                let tree = self.derived(bound, &d.alias.value, &d.columns)?;
                if target {
                    self.settle(&tree);
                }
                Ok(tree)
            }
            TableRef::Values(v) => self.values(v),
            TableRef::Join(j) => self.join(j),
            TableRef::Pivot(p) => self.pivot(p, lateral),
            TableRef::Unpivot(u) => self.unpivot(u, lateral),
            TableRef::Changes(_) => Err(SqlError::new(10729, &[])),
            TableRef::OpenRowset(o) => self.file(o),
        }
    }

    fn join(&mut self, j: &'a ast::Join) -> SqlResult<FromTree> {
        use ast::JoinKind::*;
        if [&j.left, &j.right].iter().any(|t| matches!(t, TableRef::Changes(_))) {
            return Err(SqlError::new(10727, &[]));
        }
        let recursed = self.recursion_used();
        let before = self.block().sources.len();
        let method = self.join_method(j)?;
        let left = self.source_item(&j.left, false)?;
        let between = self.block().sources.len();
        let lateral = matches!(j.kind, CrossApply | OuterApply);
        let applying = std::mem::replace(&mut self.block().applying, lateral);
        let right = self.source_item(&j.right, lateral);
        self.block().applying = applying;
        let right = right?;
        if matches!(j.kind, Left | Right | Full) {
            self.outer_join_allowed(recursed)?;
        }
        let mut on = Vec::new();
        if let Some(e) = &j.on {
            let seen = std::mem::replace(&mut self.block().seen_from, before);
            let bound = self.pred(e).map_err(super::aggregate::refused_as(1015));
            self.block().seen_from = seen;
            bound?.into_conjuncts(&mut on);
        }
        // The columns of the side that need not be there are NULL then.
        let all = self.block().sources.len();
        let missing = match j.kind {
            Inner | Cross | CrossApply => all..all,
            Left | OuterApply => between..all,
            Right => before..between,
            Full => before..all,
        };
        self.block().sources[missing].iter_mut().for_each(|s| s.left_out = true);
        let (kind, left, right) = match j.kind {
            Inner | Cross | CrossApply => (JoinType::Inner, left, right),
            Left | OuterApply => (JoinType::Left, left, right),
            Right => (JoinType::Left, right, left),
            Full => (JoinType::Full, left, right),
        };
        Ok(FromTree::Join { kind, method, left: Box::new(left), right: Box::new(right), on })
    }

    /// Runs `f` while the sources of the current block cannot be seen.
    pub(super) fn hiding_siblings<R>(
        &mut self,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let at = self.blocks.len() - 1;
        let was = std::mem::replace(&mut self.blocks[at].hidden, true);
        let r = f(self);
        self.blocks[at].hidden = was;
        r
    }

    /// Runs `f` while no enclosing block can be seen: a common table expression.
    pub(super) fn hiding_all<R>(
        &mut self,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let was: Vec<bool> = self.blocks.iter().map(|b| b.hidden).collect();
        self.blocks.iter_mut().for_each(|b| b.hidden = true);
        let r = f(self);
        self.blocks.iter_mut().zip(was).for_each(|(b, w)| b.hidden = w);
        r
    }

    fn named(&mut self, n: &'a ast::NamedTable, target: bool) -> SqlResult<FromTree> {
        let sample = self.table_sample(n)?;
        if let Some(name) = n.name.as_bare()
            && let Some(at) = self.expression(name)
        {
            only_tables(sample)?;
            self.has_versions(n)?;
            let alias = n.alias.as_ref().unwrap_or(name);
            return self.cte(at, &alias.value);
        }
        if let Some(name) = n.name.as_bare()
            && self.expanding.last().is_some_and(|e| eq(e, &name.value))
        {
            only_tables(sample)?;
            self.has_versions(n)?;
            let alias = n.alias.as_ref().unwrap_or(name);
            return self.recursive_reference(&name.value, &alias.value);
        }
        self.count_table()?;
        let (alias, schema) = match &n.alias {
            Some(a) => (&a.value, None),
            None => (&n.name.name.value, n.name.schema.as_ref().map(|s| Arc::from(&*s.value))),
        };
        self.names(&n.name);
        let times = self.times(n)?;
        let resolved = self.meta.table(&n.name)?;
        if !matches!(resolved, Resolved::Table(..)) {
            only_tables(sample)?;
        }
        let list = self.table_hints(n)?;
        let mut hints = self.view_hints(hints(list, target)?);
        let qualified = n.alias.is_none() && schema.is_some();
        let mut source = match resolved {
            Resolved::Table(database, table) => {
                let schema = match &n.alias {
                    Some(_) => None,
                    None => schema.or_else(|| Some(table.head.schema.clone())),
                };
                let own = access_hint(list, &table, &n.name)?;
                hints.access.scan |= own.scan;
                (hints.access.index, hints.access.seek) = (own.index, own.seek);
                hints.access.sample = sample;
                self.table_or_versions((database, table), (alias, schema), hints, times)?
            }
            Resolved::UserView(database, view) => {
                let kept = list.iter().any(|h| h.kind == ast::TableHintKind::NoExpand);
                match view.indexed.clone().filter(|_| kept) {
                    None if kept => {
                        return Err(SqlError::new(8171, &[&"noexpand", &n.name]));
                    }
                    None => {
                        let called = (&**alias, schema, qualified);
                        return self.user_view(database, &view, called, hints, times);
                    }
                    Some(table) => {
                        self.has_versions(n)?;
                        let schema = match &n.alias {
                            Some(_) => None,
                            None => schema.or_else(|| Some(table.head.schema.clone())),
                        };
                        let own = access_hint(list, &table, &n.name)?;
                        hints.access.scan |= own.scan;
                        (hints.access.index, hints.access.seek) = (own.index, own.seek);
                        let object = Some(super::facts::of_view(&database, &view));
                        let source = self.table_source(database, table, alias, schema, hints)?;
                        Source { object, ..source }
                    }
                }
            }
            Resolved::Changed(database, rows) => {
                self.has_versions(n)?;
                let source = self.changed_source(database, rows, alias);
                Source { schema, ..source }
            }
            Resolved::View(database, view) => {
                self.has_versions(n)?;
                let dirty = hints.locks.level == LevelHint::ReadUncommitted;
                let schema = match &n.alias {
                    Some(_) => None,
                    None => schema.or_else(|| Some("sys".into())),
                };
                Source {
                    id: self.source_id(),
                    alias: (&**alias).into(),
                    schema,
                    qualified,
                    columns: view_columns(view, database.collation()),
                    object: Some(facts::of_system_view(&database, view)),
                    kind: SourceKind::Rowset {
                        database,
                        source: RowsetSource::View(view),
                        args: Vec::new(),
                        dirty,
                    },
                    locator: None,
                    left_out: false,
                }
            }
        };
        source.qualified = qualified;
        if let Some(object) = source.object.clone() {
            self.needs(object, Action::Select);
        }
        self.add_source(source)
    }

    /// Notes a table that the statement has to lock.
    pub(crate) fn use_table(
        &mut self,
        database: &Arc<taffrail_catalog::database::Database>,
        table: &Arc<Table>,
        hints: Hints,
    ) {
        let (database, table) = (database.clone(), table.clone());
        let mut locks = hints.locks;
        if locks.table == TableLock::Intent && table.indexes.iter().any(|i| i.no_row_locks) {
            // There are no locks of pages, so the table is what is left.
            locks.table = TableLock::ForRows;
        }
        self.uses.push(super::TableUse { database, table, locks, heap: false });
    }

    pub(crate) fn table_source(
        &mut self,
        database: Arc<taffrail_catalog::database::Database>,
        table: Arc<Table>,
        alias: &str,
        schema: Option<Arc<str>>,
        hints: Hints,
    ) -> SqlResult<Source> {
        self.use_table(&database, &table, hints);
        let virtuals = self.virtual_columns(&database, &table)?;
        Ok(Source {
            id: self.source_id(),
            alias: alias.into(),
            schema,
            qualified: false,
            columns: self.own_types(&database, table_columns(database.id, &table)),
            object: facts::of_table(&database, &table),
            kind: SourceKind::Table { database, table, hints, virtuals },
            locator: None,
            left_out: false,
        })
    }

    pub(super) fn cte(&mut self, at: usize, alias: &str) -> SqlResult<FromTree> {
        let Cte { table, sees } = self.ctes[at].clone();
        // What it sees: the expressions before it.
        let all = self.ctes.clone();
        self.ctes.truncate(sees);
        self.expanding.push(&table.name.value);
        let before = self.named_tables;
        let target = self.arm(|| table.columns.iter().map(|n| n.value.clone()).collect());
        let recursion = std::mem::take(&mut self.recursion);
        let bound = self.hiding_all(|b| b.cte_query(table));
        self.recursion = recursion;
        self.expanding.pop();
        self.ctes = all;
        let mut bound = bound?;
        // Constants count as a table, or a chain over them would grow without end.
        if self.named_tables == before {
            self.count_table()?;
        }
        if target {
            self.take_locator(&mut bound)?;
        }
        let tree = self.derived(bound, alias, &table.columns)?;
        if target {
            self.settle(&tree);
        }
        Ok(tree)
    }

    /// A query as a source; its output slots become this block's columns.
    pub(crate) fn derived(
        &mut self,
        bound: super::query::BoundQuery,
        alias: &str,
        names: &'a [ast::Ident],
    ) -> SqlResult<FromTree> {
        let source = self.derived_source(bound, alias, names)?;
        self.add_source(source)
    }

    /// The same, not yet among the block's sources.
    pub(super) fn derived_source(
        &mut self,
        bound: super::query::BoundQuery,
        alias: &str,
        names: &[ast::Ident],
    ) -> SqlResult<Source> {
        if !names.is_empty() && names.len() != bound.columns.len() {
            let number = if names.len() < bound.columns.len() { 8158 } else { 8159 };
            return Err(SqlError::new(number, &[&alias]));
        }
        let id = self.source_id();
        let block = self.block().id;
        let alias: Arc<str> = alias.into();
        let mut columns: Vec<SourceColumn> = Vec::with_capacity(bound.columns.len());
        for (i, (c, slot)) in bound.columns.iter().zip(&bound.outputs).enumerate() {
            let name: Arc<str> = match names.get(i) {
                Some(n) => (&*n.value).into(),
                None if c.name.is_empty() => {
                    return Err(SqlError::new(8155, &[&(i + 1), &alias]));
                }
                None => c.name.as_str().into(),
            };
            if columns.iter().any(|k| eq(&k.name, &name)) {
                return Err(SqlError::new(8156, &[&name, &alias]));
            }
            let schema = None;
            let (table, column) = (alias.clone(), name.clone());
            self.mentions[*slot as usize] = Mention { block, source: id, schema, table, column };
            columns.push(SourceColumn {
                name,
                ty: c.ty,
                nullable: c.nullable,
                collation: c.collation.unwrap_or_default(),
                origin: self.columns[*slot].origin,
                large: c.large,
                user_type: c.user_type,
                hidden: false,
                slot: Some(*slot),
            });
        }
        Ok(Source {
            id,
            alias,
            schema: None,
            qualified: false,
            columns,
            kind: SourceKind::Derived(Some(bound.rel)),
            locator: None,
            left_out: false,
            object: None,
        })
    }

    fn values(&mut self, v: &'a ast::ValuesTable) -> SqlResult<FromTree> {
        let (rel, outputs, columns) = self.refusing_draws(|b| b.values_rows(&v.rows))?;
        let bound = super::query::BoundQuery { rel, outputs, columns, ..Default::default() };
        self.derived(bound, &v.alias.value, &v.columns)
    }

    /// Constant rows brought to common types.
    #[allow(clippy::type_complexity)]
    pub(crate) fn values_rows(
        &mut self,
        rows: &'a [Vec<ast::Expr>],
    ) -> SqlResult<(Rel, Vec<u32>, Vec<taffrail_plan::sink::ColumnDesc>)> {
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            bound.push(row.iter().map(|e| self.expr(e)).collect::<SqlResult<Vec<_>>>()?);
        }
        let width = bound.first().map_or(0, Vec::len);
        if bound.iter().any(|r| r.len() != width) {
            return Err(SqlError::new(10709, &[]));
        }
        let (mut slots, mut columns, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..width {
            let all: Vec<_> = bound.iter().map(|r| &r[i]).collect();
            let to = self.common(&all)?;
            let coerced = self.coerce_to(&all, to.ty, "UNION ALL")?;
            let nullable = all.iter().any(|b| b.nullable);
            let b = super::Bound::of(Expr::NULL, to).with_collation(coerced);
            let b = super::Bound { nullable, ..b };
            slots.push(self.computed_slot(&b, ""));
            types.push((to, coerced.0));
            columns.push(b.column().described("", nullable));
        }
        let mut out = Vec::with_capacity(bound.len());
        for row in bound {
            let row = row.into_iter().zip(&types);
            let row = row.map(|(b, (to, collation))| self.cast_to_declared_as(b, *to, *collation));
            out.push(row.collect::<SqlResult<Vec<_>>>()?);
        }
        Ok((Rel::Values(Box::new(Values { rows: out, slots: slots.clone() })), slots, columns))
    }
}
