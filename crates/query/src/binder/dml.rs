//! INSERT, and what all changes share: the target, defaults, checks, foreign keys.

use super::query::BoundQuery;
use super::temporal::{not_generated, not_history};
use super::{Binder, Bound, Hints, Resolved, computed_columns, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{BlockedAt, Column, Generated, Module, Table, TriggerEvent};
use taffrail_plan::change::{Assignment, ColumnSource, InsertPlan, InsertRows, changed_with};
use taffrail_plan::columns::{Changed, Label};
use taffrail_plan::expr::{Expr, Part, Pred, slots_of};
use taffrail_plan::facts::Action;
use taffrail_plan::foreign::{Incoming, Outgoing};
use taffrail_plan::locking::{LevelHint, Locking, TableLock};
use taffrail_plan::node::QueryPlan;
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast::{self, ExprKind, InsertSource, TableRef};
use taffrail_types::convert::{self, Kind};
use taffrail_types::{Conversion, SqlType};

/// A table that is changed.
pub(super) struct Target {
    pub database: Arc<Database>,
    pub table: Arc<Table>,
    pub table_lock: TableLock,
}

/// What is named as the target of a change.
pub(super) enum NamedTarget<'a> {
    /// A table or a table variable, with the hints that stand beside it.
    Table(Target, Hints),
    /// A view.
    View(Arc<Database>, Arc<Module>, Hints),
    /// A function by its call.
    Function(&'a ast::TableFunction),
    /// A common table expression, by its place.
    Expression(usize),
}

/// 273 where a value is given for a rowversion, 13536 for a column of the period.
pub(super) fn not_given(database: &Database, table: &Table, columns: &[usize]) -> SqlResult<()> {
    not_generated(database, table, columns)?;
    match columns.iter().any(|c| table.rowversion() == Some(*c)) {
        true => Err(SqlError::new(273, &[])),
        false => Ok(()),
    }
}

/// An INSERT without a list of columns gives no value for it.
pub(super) fn is_left_out(c: &Column) -> bool {
    c.is_identity || c.computed.is_some() || c.is_hidden
}

/// 271 for a computed column, whatever is given for it.
pub(super) fn not_computed(c: &Column) -> SqlResult<()> {
    match c.computed {
        Some(_) => Err(SqlError::new(271, &[&c.name])),
        None => Ok(()),
    }
}

impl<'a> Binder<'a> {
    /// The target of an INSERT, to be locked.
    pub(super) fn insert_target(&mut self, t: &'a TableRef) -> SqlResult<Target> {
        match self.named_target(t)? {
            NamedTarget::Table(target, hints) => self.table_of_insert(target, hints),
            NamedTarget::View(..) => Err(unsupported("A change through a view")),
            NamedTarget::Function(_) => Err(unsupported("A change through a function")),
            NamedTarget::Expression(_) => {
                Err(unsupported("A change through a common table expression"))
            }
        }
    }

    fn table_of_insert(&mut self, target: Target, mut hints: Hints) -> SqlResult<Target> {
        if hints.locks.read_past {
            return Err(unsupported("READPAST for the target of an INSERT"));
        }
        if hints.locks.level == LevelHint::ReadCommittedLock {
            return Err(SqlError::new(4140, &[]));
        }
        // New rows are locked to the transaction's end at every level, and nothing is read.
        hints.locks.level = LevelHint::ReadCommitted;
        self.use_table(&target.database, &target.table, hints);
        Ok(target)
    }

    /// What a name stands for that is to be changed.
    pub(super) fn named_target(&mut self, t: &'a TableRef) -> SqlResult<NamedTarget<'a>> {
        match t {
            TableRef::Named(n) => {
                if let Some(name) = n.name.as_bare()
                    && let Some(at) = self.expression(name)
                {
                    return Ok(NamedTarget::Expression(at));
                }
                let line = self.line(n.name.span);
                let hints = super::hints::hints(&n.hints, true)?;
                self.names(&n.name);
                match self.meta.table(&n.name).map_err(|e| e.with_line(line))? {
                    Resolved::Table(database, table) => {
                        let table_lock = hints.locks.table;
                        Ok(NamedTarget::Table(Target { database, table, table_lock }, hints))
                    }
                    Resolved::View(..) => Err(SqlError::new(259, &[])),
                    Resolved::Changed(..) => Err(SqlError::new(286, &[])),
                    Resolved::UserView(database, view) => {
                        Ok(NamedTarget::View(database, view, hints))
                    }
                }
            }
            TableRef::Variable(v) => {
                let (database, table) = self.meta.table_variable(&v.name.value)?;
                self.variables.changed(&v.name.value)?;
                let hints = super::hints::hints(&[], true)?;
                let table_lock = TableLock::Intent;
                Ok(NamedTarget::Table(Target { database, table, table_lock }, hints))
            }
            TableRef::Function(f) => Ok(NamedTarget::Function(f)),
            _ => Err(unsupported("This target")),
        }
    }

    /// INSERT.
    pub fn bind_insert(&mut self, i: &'a ast::Insert) -> SqlResult<InsertPlan<Rel>> {
        self.with(&i.with)?;
        self.query_hints(&i.options)?;
        let named = self.named_target(&i.target)?;
        let replaced = self.replaced_insert(&named);
        let (target, columns) = match (named, replaced) {
            (_, Some(target)) => {
                let columns = self.insert_columns(&target.table, &i.columns)?;
                let changed = (&*target.database, &*target.table);
                self.needs_change(changed, Action::Insert, &columns, None);
                (target, columns)
            }
            (NamedTarget::Table(target, hints), None) => {
                let target = self.table_of_insert(target, hints)?;
                let columns = self.insert_columns(&target.table, &i.columns)?;
                let changed = (&*target.database, &*target.table);
                self.needs_change(changed, Action::Insert, &columns, None);
                if let Some(need) = self.facts.needs.last_mut() {
                    need.all |= i.columns.is_empty() && need.action == Action::Insert;
                }
                (target, columns)
            }
            (query, None) => self.insert_through(i, query)?,
        };
        let table = target.table.clone();
        let explicit_identity = self.check_identity(&target, &columns, !i.columns.is_empty())?;
        self.drawing.limited = i.top.is_some();
        let top = match &i.top {
            None => None,
            Some(t) if t.percent => return Err(unsupported("INSERT with TOP PERCENT")),
            Some(t) => Some(self.top_count(t)?),
        };
        let mut drawn = Vec::new();
        let (rows, source_types, columns) = match &i.source {
            InsertSource::DefaultValues => {
                (InsertRows::Values(vec![Vec::new()]), Vec::new(), Vec::new())
            }
            InsertSource::Values(rows) => {
                let (rows, types) = self.insert_values(rows, &target, &columns, &i.columns)?;
                (InsertRows::Values(rows), types, columns)
            }
            InsertSource::Query(q) => {
                not_given(&target.database, &table, &columns)?;
                super::query::not_for_xml(q, "INSERT")?;
                let mut query = self.query(q, false)?;
                if !query.assign.is_empty() {
                    return Err(SqlError::new(199, &[]));
                }
                drawn = std::mem::take(&mut query.drawn);
                self.check_width(&table, query.columns.len(), columns.len(), &i.columns, true)?;
                let types = self.fit_query(&mut query, &table, &columns)?;
                let BoundQuery { rel, outputs, columns: descs, .. } = query;
                (
                    InsertRows::Query(QueryPlan { node: rel, outputs, columns: descs }),
                    types,
                    columns,
                )
            }
            InsertSource::Execute(_) => {
                not_given(&target.database, &table, &columns)?;
                if !i.output.is_empty() {
                    return Err(SqlError::new(483, &[]));
                }
                let types = columns.iter().map(|c| table.columns[*c].ty).collect();
                (InsertRows::External, types, columns)
            }
        };
        let mut output = self.output(&i.output, &target, true, false)?;
        self.tell_output(&mut output, Changed::New);
        let mut plan = self.insert_plan(target, rows, source_types, &columns, explicit_identity)?;
        plan.top = top;
        plan.output = output;
        self.settle_draws(i, &mut plan, drawn)?;
        let (target, events) = ((&plan.database, &plan.table), [(TriggerEvent::Insert, None)]);
        plan.triggers = self.triggers_of(target, &i.target, &i.output, &events)?;
        Ok(plan)
    }

    pub(super) fn insert_plan(
        &mut self,
        target: Target,
        rows: InsertRows<Rel>,
        source_types: Vec<SqlType>,
        columns: &[usize],
        explicit_identity: bool,
    ) -> SqlResult<InsertPlan<Rel>> {
        let Target { database, table, table_lock } = target;
        not_history(&database, &table, 13559)?;
        self.needs_of_blocks(&database, &table, &[BlockedAt::AfterInsert]);
        let mut sources = Vec::with_capacity(table.columns.len());
        let mut defaults = Vec::with_capacity(table.columns.len());
        for at in 0..table.columns.len() {
            let given = columns.iter().position(|c| *c == at);
            let generated = table.columns[at].generated != Generated::Never;
            sources.push(match given.filter(|_| !generated) {
                Some(n) => ColumnSource::Source(n),
                None => {
                    let default = self.default_source(&database, &table, at)?;
                    if let ColumnSource::Expr(_, ty) = &default {
                        let column = table.columns[at].declared();
                        // A default of xml has been read.
                        let xml = column.kind == Kind::Xml;
                        let from = if xml { column } else { (*ty).into() };
                        convert::check_declared(from, column, Conversion::Implicit)?;
                    }
                    default
                }
            });
            defaults.push(self.default_source(&database, &table, at)?);
        }
        Ok(InsertPlan {
            same_layout: false,
            checks: self.checks(&database, &table, None)?,
            computed: computed_columns(self.meta, &database, &table)?,
            outgoing: self.outgoing(&database, &table, None)?,
            database,
            table,
            rows,
            source_types,
            columns: sources,
            drawn: Vec::new(),
            defaults,
            bulk_defaults: false,
            from_outside: false,
            explicit_identity,
            spool: false,
            top: None,
            table_lock,
            output: None,
            triggers: None,
        })
    }

    /// A plan that puts rows which are handed in into a table.
    pub fn bind_external_insert(
        &mut self,
        database: Arc<Database>,
        table: Arc<Table>,
        types: Vec<SqlType>,
    ) -> SqlResult<InsertPlan<Rel>> {
        let columns: Vec<usize> =
            (0..table.columns.len()).filter(|c| !is_left_out(&table.columns[*c])).collect();
        let columns = match columns.len() == types.len() {
            true => columns,
            false => {
                let given = |c: &usize| table.columns[*c].computed.is_none();
                (0..table.columns.len()).filter(given).take(types.len()).collect()
            }
        };
        let explicit = columns.iter().any(|c| table.columns[*c].is_identity);
        let target = Target { database, table, table_lock: TableLock::Intent };
        self.insert_plan(target, InsertRows::External, types, &columns, explicit)
    }

    /// A plan for a bulk load: source column n goes to `columns[n]`, if anywhere.
    pub fn bind_bulk_insert(
        &mut self,
        database: Arc<Database>,
        table: Arc<Table>,
        columns: &[Option<usize>],
        types: Vec<SqlType>,
    ) -> SqlResult<InsertPlan<Rel>> {
        // No column has this position: the value goes nowhere.
        let columns: Vec<usize> = columns.iter().map(|c| c.unwrap_or(usize::MAX)).collect();
        let explicit = columns.iter().any(|c| table.columns.get(*c).is_some_and(|c| c.is_identity));
        let target = Target { database, table, table_lock: TableLock::Intent };
        let plan = self.insert_plan(target, InsertRows::External, types, &columns, explicit)?;
        let events = [(TriggerEvent::Insert, None)];
        let triggers = super::triggers::fired(self.meta, &plan.database, &plan.table, &events);
        Ok(InsertPlan { from_outside: true, triggers, ..plan })
    }

    pub(super) fn default_source(
        &mut self,
        database: &Database,
        table: &Table,
        at: usize,
    ) -> SqlResult<ColumnSource> {
        let c = &table.columns[at];
        if c.is_identity {
            return Ok(ColumnSource::Identity);
        }
        if c.computed.is_some() {
            return Ok(ColumnSource::Computed);
        }
        if c.ty == SqlType::RowVersion {
            return Ok(ColumnSource::RowVersion);
        }
        if c.generated != Generated::Never {
            return Ok(ColumnSource::Period(c.generated));
        }
        match &c.default {
            None => Ok(ColumnSource::Null),
            Some(d) => {
                let to = (c.declared(), c.collation);
                let bound =
                    super::definition::default_bound(self.meta, database, &d.definition, Some(to))?;
                if bound.untyped {
                    return Ok(ColumnSource::Null);
                }
                if !c.xml {
                    return Ok(ColumnSource::Expr(bound.expr, bound.ty));
                }
                let bound = Bound::new(bound.expr, bound.ty);
                let (expr, ty) = self.stored(bound, c.declared(), c.collation)?;
                Ok(ColumnSource::Expr(expr, ty))
            }
        }
    }

    pub(super) fn check_width(
        &self,
        table: &Table,
        have: usize,
        want: usize,
        named: &[ast::Ident],
        query: bool,
    ) -> SqlResult<()> {
        if have == want {
            return Ok(());
        }
        // One value more than there are columns without the identity is taken for its value.
        if named.is_empty() && table.identity.is_some() && have == want + 1 {
            return Err(SqlError::new(8101, &[&table.shown()]));
        }
        let number = match (named.is_empty(), query, have < want) {
            (true, _, _) => 213,
            (false, true, true) => 120,
            (false, true, false) => 121,
            (false, false, true) => 109,
            (false, false, false) => 110,
        };
        Err(SqlError::new(number, &[]))
    }

    /// Positions of the columns that an INSERT gives values for, in its order.
    pub(super) fn insert_columns(
        &self,
        table: &Table,
        named: &[ast::Ident],
    ) -> SqlResult<Vec<usize>> {
        if named.is_empty() {
            let all = 0..table.columns.len();
            return Ok(all.filter(|c| !is_left_out(&table.columns[*c])).collect());
        }
        let mut out = Vec::with_capacity(named.len());
        for n in named {
            let at = table
                .column(&n.value)
                .ok_or_else(|| self.at(SqlError::new(207, &[&n.value]), n.span))?;
            if out.contains(&at) {
                return Err(SqlError::new(264, &[&n.value]));
            }
            not_computed(&table.columns[at])?;
            out.push(at);
        }
        Ok(out)
    }

    pub(super) fn check_identity(
        &self,
        target: &Target,
        columns: &[usize],
        named: bool,
    ) -> SqlResult<bool> {
        let table = &target.table;
        let given = columns.iter().any(|c| table.columns[*c].is_identity);
        let allowed = self.meta.identity_insert(&target.database, table);
        match (given, allowed) {
            (true, _) if target.database.holds_table_variables() => Err(SqlError::new(1077, &[])),
            (true, false) => Err(SqlError::new(544, &[&table.name()])),
            (false, true) if table.identity.is_some() && !named => {
                Err(SqlError::new(8101, &[&table.shown()]))
            }
            (false, true) if table.identity.is_some() => Err(SqlError::new(545, &[&table.name()])),
            _ => Ok(given),
        }
    }

    #[allow(clippy::type_complexity)]
    fn insert_values(
        &mut self,
        rows: &'a [Vec<ast::Expr>],
        target: &Target,
        columns: &[usize],
        named: &[ast::Ident],
    ) -> SqlResult<(Vec<Vec<Option<Expr>>>, Vec<SqlType>)> {
        let table = &*target.table;
        let width = columns.len();
        let mut bound: Vec<Vec<Option<Bound>>> = Vec::with_capacity(rows.len());
        for row in rows {
            if rows.len() > 1 && row.len() != rows[0].len() {
                return Err(SqlError::new(10709, &[]));
            }
            self.check_width(table, row.len(), width, named, false)?;
            let mut out = Vec::with_capacity(row.len());
            for (e, column) in row.iter().zip(columns) {
                out.push(match e.kind {
                    ExprKind::Default => None,
                    _ => {
                        not_given(&target.database, table, &[*column])?;
                        Some(self.expr(e)?)
                    }
                });
            }
            bound.push(out);
        }
        // Rows have common types first, as those of a UNION; these go into the columns.
        let mut types = Vec::with_capacity(width);
        for (i, column) in columns.iter().enumerate() {
            let all: Vec<&Bound> = bound.iter().filter_map(|r| r[i].as_ref()).collect();
            let to = table.columns[*column].declared();
            let wide = to.ty.is_unicode() || to.ty.is_date();
            types.push(match all.iter().all(|b| b.untyped) {
                true => to,
                false if wide && all.iter().any(|b| self.is_foreign(b)) => {
                    SqlType::NVARCHAR_MAX.into()
                }
                false => self.common(&all)?,
            });
        }
        let mut out = Vec::with_capacity(bound.len());
        for row in bound {
            let mut values = Vec::with_capacity(width);
            for (i, b) in row.into_iter().enumerate() {
                let Some(b) = b else {
                    values.push(None);
                    continue;
                };
                let column = &table.columns[columns[i]];
                let untyped = b.untyped;
                let expr = self.cast_to_declared_as(b, types[i], column.collation)?;
                let label = Label::Implicit;
                let b = Bound { untyped, ..Bound::of(expr, types[i]) };
                let b = b.with_collation((column.collation, label));
                values.push(Some(self.stored(b, column.declared(), column.collation)?.0));
            }
            out.push(values);
        }
        let fitted = types.iter().zip(columns).map(|(ty, column)| match &table.columns[*column] {
            c if c.xml => c.ty,
            _ => ty.ty,
        });
        let types = fitted.collect();
        Ok((out, types))
    }

    /// The types of a query's columns, which are to go into columns of a table: 206, 257. What becomes xml is read.
    fn fit_query(
        &mut self,
        query: &mut BoundQuery,
        table: &Table,
        columns: &[usize],
    ) -> SqlResult<Vec<SqlType>> {
        let mut types = Vec::with_capacity(columns.len());
        let mut items = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let (slot, desc) = (query.outputs[at], &query.columns[at]);
            let bound = Bound {
                untyped: self.columns[slot].untyped,
                ..Bound::of(Expr::Slot(slot), desc.declared())
            };
            let untyped = bound.untyped;
            let column = &table.columns[*column];
            let (expr, ty) = self.stored(bound, column.declared(), column.collation)?;
            if !untyped && !matches!(expr, Expr::Slot(_)) {
                let computed = self.computed_slot(&Bound::new(Expr::NULL, ty), &desc.name);
                items.push((expr, computed));
                query.outputs[at] = computed;
            }
            types.push(ty);
        }
        query.rel = Rel::compute(std::mem::take(&mut query.rel), items);
        Ok(types)
    }

    /// Foreign keys that rows must keep, of an UPDATE those whose columns change. What they refer to is locked as a table
    /// that is read.
    pub(super) fn outgoing(
        &mut self,
        database: &Arc<Database>,
        table: &Arc<Table>,
        changed: Option<&[usize]>,
    ) -> SqlResult<Vec<Outgoing>> {
        let mut all = self.meta.outgoing(database, table)?;
        if let Some(changed) = changed {
            all.retain(|o| o.columns.iter().any(|c| changed.contains(&c.0)));
        }
        let hints = Hints {
            locks: Locking { level: LevelHint::ReadCommittedLock, ..Locking::default() },
            access: Default::default(),
        };
        for o in &all {
            self.use_table(database, &o.parent, hints);
        }
        Ok(all)
    }

    /// Foreign keys that refer to the table, of an UPDATE those to columns that change.
    pub(super) fn incoming(
        &self,
        database: &Arc<Database>,
        table: &Arc<Table>,
        changed: Option<&[usize]>,
    ) -> SqlResult<Vec<Incoming>> {
        let mut all = self.meta.incoming(database, table)?;
        if let Some(changed) = changed {
            all.retain(|i| i.columns.iter().any(|c| changed.contains(&c.1)));
        }
        Ok(all)
    }

    /// CHECK constraints over the table's columns, of an UPDATE those that read a column that it sets, changed or not: slot `n` of the
    /// check's own frame is column `n`.
    pub(super) fn checks(
        &self,
        database: &Database,
        table: &Arc<Table>,
        set: Option<&[Assignment]>,
    ) -> SqlResult<Vec<(Arc<str>, Pred)>> {
        let mut out = Vec::new();
        for c in table.checks.iter().filter(|c| !c.disabled) {
            let check = super::bind_check(self.meta, database, table, &c.definition)?;
            let mut asked = set.is_none();
            slots_of(Part::Pred(&check), &mut |slot| {
                asked |= set.is_some_and(|s| changed_with(table, s).contains(&(slot as usize)));
            });
            if asked {
                out.push((c.name.clone(), check));
            }
        }
        Ok(out)
    }
}
