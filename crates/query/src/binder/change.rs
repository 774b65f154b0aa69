//! UPDATE and DELETE: the target among the sources of FROM, and SET. Whether rows may be changed as they are found, the planner says.

use super::dml::{NamedTarget, Target};
use super::from::FromTree;
use super::next_value::DrawPlace;
use super::query::arith_op;
use super::temporal::{full_name, not_history};
use super::xml::changes_xml;
use super::{Binder, Bound, Hints, SourceKind, computed_columns, eq, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{BlockedAt, Column, Generated, Table, TriggerEvent};
use taffrail_plan::change::{Assignment, ColumnSource, DeletePlan, UpdatePlan, changed_with};
use taffrail_plan::columns::{Changed, Label};
use taffrail_plan::expr::{Expr, Pred};
use taffrail_plan::facts::Action;
use taffrail_plan::rel::{Rel, RowsetSource, Top};
use taffrail_syntax::ast::{self, ExprKind, TableRef};
use taffrail_types::convert::Declared;
use taffrail_types::{Collation, SqlType};

/// The first column of SET.
pub(super) fn first_set(set: &[ast::SetClause]) -> Option<&str> {
    set.iter().find_map(|s| match s {
        ast::SetClause::Assign { column: Some(c), .. }
        | ast::SetClause::Write { column: c, .. } => Some(&*c.name.value),
        _ => None,
    })
}

impl<'a> Binder<'a> {
    /// The target of an UPDATE or DELETE: its block is open, its source id is returned.
    fn change_target(
        &mut self,
        target: &'a TableRef,
        from: &'a [TableRef],
        column: Option<&'a str>,
    ) -> SqlResult<(Target, u32, Vec<FromTree>)> {
        let (name, hints) = match target {
            TableRef::Named(n) if from.is_empty() => {
                (Some(&n.name), super::hints::hints(self.table_hints(n)?, true)?)
            }
            TableRef::Named(n) => (Some(&n.name), super::hints::hints(&n.hints, true)?),
            TableRef::Variable(v) => (None, super::hints::hints(&v.hints, true)?),
            TableRef::Function(f) => (Some(&f.call.name), super::hints::hints(&[], true)?),
            _ => return Err(unsupported("This target")),
        };
        self.look_through(name, column);
        let place = self.target_in_from(target, from)?;
        if let Some(TableRef::Variable(v)) = place {
            self.variables.changed(&v.name.value)?;
        }
        self.place_target(place);
        let mut trees = self.sources_of_list(from)?;
        let at = match self.placed() {
            Some(id) => self.source_at(id),
            // Its place is in FROM, and not one of its sources.
            None if place.is_some() => return Err(unsupported("This target")),
            None => {
                trees.push(self.target_beside(target, name, hints)?);
                self.block().sources.len() - 1
            }
        };
        let id = self.block().sources[at].id;
        if let Some(f) = self.found(id) {
            let (database, table) = (f.database.clone(), f.table.clone());
            return Ok((Target { database, table, table_lock: f.table_lock }, id, trees));
        }
        let source = &mut self.blocks.last_mut().expect("open").sources[at];
        let SourceKind::Table { database, table, hints: own, .. } = &mut source.kind else {
            return Err(match &source.kind {
                SourceKind::Rowset { source: RowsetSource::View(_), .. } => SqlError::new(259, &[]),
                SourceKind::Rowset { source: RowsetSource::Changed(_), .. } => {
                    SqlError::new(286, &[])
                }
                SourceKind::Rowset { source: function, .. } => {
                    SqlError::new(270, &[&function.name()])
                }
                _ => SqlError::new(4421, &[&source.alias]),
            });
        };
        own.locks = own.locks.as_target(hints.locks);
        let target = Target {
            database: database.clone(),
            table: table.clone(),
            table_lock: own.locks.table,
        };
        let own = *own;
        self.use_table(&target.database, &target.table, own);
        let slot = self.locator_slot(id);
        self.blocks.last_mut().expect("open").sources[at].locator = Some(slot);
        Ok((target, id, trees))
    }

    /// A target that does not stand in FROM, as one more source of the block.
    fn target_beside(
        &mut self,
        target: &'a TableRef,
        name: Option<&'a ast::ObjectName>,
        hints: Hints,
    ) -> SqlResult<FromTree> {
        let called = name.map_or("", |n| &n.name.value);
        match self.named_target(target)? {
            NamedTarget::Expression(at) => {
                self.armed = true;
                self.cte(at, called)
            }
            NamedTarget::View(database, view, own) => {
                self.armed = true;
                let schema = Some(view.head.schema.clone());
                self.user_view(database, &view, (called, schema, false), own, None)
            }
            NamedTarget::Function(f) => {
                self.armed = true;
                self.source_function(f, false)
            }
            NamedTarget::Table(t, _) => {
                let (alias, schema) = match target {
                    TableRef::Variable(v) => (v.name.value.to_string(), None),
                    _ => (t.table.shown().to_string(), Some(t.table.head.schema.clone())),
                };
                let source = self.table_source(t.database, t.table, &alias, schema, hints)?;
                let id = source.id;
                self.block().sources.push(source);
                Ok(FromTree::Source(id))
            }
        }
    }

    pub(super) fn filter(&mut self, filter: &'a Option<ast::DmlFilter>) -> SqlResult<Vec<Pred>> {
        let mut out = Vec::new();
        match filter {
            None => {}
            Some(ast::DmlFilter::Condition(e)) => {
                self.for_rows(true, |b| b.in_place(DrawPlace::Clause, |b| b.pred(e)))?
                    .into_conjuncts(&mut out);
            }
            // The target's row is found by the cursor's mark: see `super::cursor`.
            Some(ast::DmlFilter::CurrentOf(_)) => {}
        }
        Ok(out)
    }

    pub(super) fn change_top(&mut self, rel: Rel, top: &'a Option<ast::Top>) -> SqlResult<Rel> {
        let Some(top) = top else { return Ok(rel) };
        self.push_block();
        let count = self.top_count(top);
        self.blocks.pop();
        Ok(Rel::Top(Box::new(Top {
            input: rel,
            count: Some(count?),
            percent: top.percent,
            ties: None,
            offset: None,
        })))
    }

    /// UPDATE.
    pub fn bind_update(&mut self, u: &'a ast::Update) -> SqlResult<UpdatePlan<Rel>> {
        self.with(&u.with)?;
        self.query_hints(&u.options)?;
        self.drawing.limited = u.top.is_some();
        self.push_block();
        let r = self.update_in_block(u);
        self.blocks.pop();
        r
    }

    fn update_in_block(&mut self, u: &'a ast::Update) -> SqlResult<UpdatePlan<Rel>> {
        let (target, id, trees) = self.change_target(&u.target, &u.from, first_set(&u.set))?;
        if let Some(found) = self.found(id) {
            self.output_through(found, &u.output)?;
        }
        let table = target.table.clone();
        not_history(&target.database, &table, 13561)?;
        self.keeps_history(&target.database, &table)?;
        let mut set: Vec<Assignment> = Vec::new();
        let mut variables = Vec::new();
        let by_row = !u.set.iter().any(ast::SetClause::sets_variable);
        self.for_rows(by_row, |b| {
            u.set.iter().try_for_each(|clause| {
                b.set_clause(&target.database, &table, id, clause, &mut set, &mut variables)
            })
        })?;
        let conjuncts = self.filter(&u.filter)?;
        let checks = self.checks(&target.database, &table, Some(&set))?;
        let changed: Vec<usize> = set.iter().map(|a| a.column).collect();
        self.needs_of_target(id, &target, Action::Update, &changed);
        let at = self.source_at(id);
        let locator = self.block().sources[at].locator.unwrap_or_default();
        let mut output = self.output_beside(at, &u.output, &target, true)?;
        let mut node = self.take_from(trees, conjuncts)?;
        not_beside(&u.filter, &u.from)?;
        if matches!(u.filter, Some(ast::DmlFilter::CurrentOf(_))) {
            super::cursor::at_mark(&mut node, locator);
        }
        let node = self.change_top(node, &u.top)?;
        self.tell_output(&mut output, Changed::Found(&node));
        let database = target.database;
        let along = changed_with(&table, &set);
        let outgoing = self.outgoing(&database, &table, Some(&along))?;
        let incoming = self.incoming(&database, &table, Some(&along))?;
        let events = [(TriggerEvent::Update, Some(changed))];
        let triggers = self.triggers_of((&database, &table), &u.target, &u.output, &events)?;
        let mut computed = computed_columns(self.meta, &database, &table)?;
        computed.retain(|c| !c.stored || along.contains(&c.column));
        let plan = UpdatePlan::new(database, table, node, locator, set, variables, checks);
        Ok(UpdatePlan { output, computed, outgoing, incoming, triggers, ..plan })
    }

    /// One item of SET, for the source `id` of the block.
    pub(super) fn set_clause(
        &mut self,
        database: &Database,
        table: &Table,
        id: u32,
        clause: &'a ast::SetClause,
        set: &mut Vec<Assignment>,
        variables: &mut Vec<(u32, Expr)>,
    ) -> SqlResult<()> {
        let (variable, column, op, value) = match clause {
            ast::SetClause::Assign { variable, column, op, value } => (variable, column, op, value),
            ast::SetClause::Write { column, arguments } => {
                let write = self.write_clause((database, table), id, column, arguments, set)?;
                set.push(write);
                return Ok(());
            }
        };
        let column = match column {
            None => None,
            Some(c) => Some(self.set_column((database, table), id, c, set)?),
        };
        let bound = match (&value.kind, column) {
            (ExprKind::Method(m), Some(at)) if changes_xml(m) => self.xml_of_target(id, at, m)?,
            (ExprKind::Default, Some(at)) => match self.default_source(database, table, at)? {
                ColumnSource::Expr(e, ty) => Bound::new(e, ty),
                _ => Bound { untyped: true, ..Bound::new(Expr::NULL, SqlType::Int) },
            },
            _ => self
                .in_place(DrawPlace::Update, |b| b.expr(value))
                .map_err(super::aggregate::refused_as(157))?,
        };
        let bound = match (op.operator(), column, variable) {
            (None, ..) => bound,
            (Some(op), Some(at), _) => {
                let left = self.target_column(id, at);
                self.binary(arith_op(op)?, left, bound)?
            }
            (Some(op), None, Some(v)) => {
                let (at, _) = self.variables.scalar(&v.value)?;
                let left = Bound::of(Expr::Var(at), self.variables.declared(at));
                self.binary(arith_op(op)?, left, bound)?
            }
            (Some(_), None, None) => return Err(SqlError::new(102, &[&"="])),
        };
        if let Some(v) = variable {
            let (at, _) = self.variables.assigned(&v.value)?;
            self.assigns_variables = true;
            let expr = match column {
                None => self.cast_to_declared(bound, self.variables.declared(at))?,
                Some(column) => {
                    let from = bound.ty;
                    let (to, collation) = declared(&table.columns[column]);
                    let (untyped, large) = (bound.untyped, bound.large);
                    if !bound.expr.is_repeatable() {
                        return Err(unsupported("SET @variable = column = subquery"));
                    }
                    let stored = Bound { untyped, large, ..Bound::new(bound.expr.clone(), from) };
                    let stored = stored.with_collation(bound.coerced());
                    let stored = self.cast_to_declared_as(stored, to, collation)?;
                    set.push(self.assignment(table, column, bound)?);
                    let stored = Bound::of(stored, to).with_collation((collation, Label::Implicit));
                    self.cast_to_declared(stored, self.variables.declared(at))?
                }
            };
            variables.push((at, expr));
        } else if let Some(column) = column {
            set.push(self.assignment(table, column, bound)?);
        }
        Ok(())
    }

    /// The value that a column of the target has before the change.
    pub(super) fn target_column(&mut self, id: u32, at: usize) -> Bound {
        let depth = self.blocks.len() - 1;
        let source = self.source_at(id);
        let shown = match self.found(id) {
            Some(f) => f.columns.iter().position(|c| *c == Some(at)).unwrap_or_default(),
            None => at,
        };
        self.source_column(depth, source, shown)
    }

    /// `column.WRITE(value, offset, length)`.
    fn write_clause(
        &mut self,
        (database, table): (&Database, &Table),
        id: u32,
        column: &ast::ColumnRef,
        arguments: &'a [ast::Expr],
        set: &[Assignment],
    ) -> SqlResult<Assignment> {
        let at = self.set_column((database, table), id, column, set)?;
        let target = &table.columns[at];
        if !target.ty.is_max() || target.old_large || target.xml {
            return Err(SqlError::new(258, &[&target.type_name()]));
        }
        let [value, offset, length] = arguments else {
            return Err(SqlError::new(174, &[&"WRITE", &3]));
        };
        let bound = |this: &mut Self, e| this.expr(e).map_err(super::aggregate::refused_as(157));
        let value = bound(self, value)?;
        let (offset, length) = (bound(self, offset)?, bound(self, length)?);
        let offset = self.cast_to(offset, SqlType::BigInt)?;
        let length = self.cast_to(length, SqlType::BigInt)?;
        let write = Some(Box::new((offset, length)));
        Ok(Assignment { write, ..self.assignment(table, at, value)? })
    }

    /// The statement changes columns of its target, the source `id` of the block.
    pub(super) fn needs_of_target(
        &mut self,
        id: u32,
        target: &Target,
        action: Action,
        columns: &[usize],
    ) {
        let blocks: &[BlockedAt] = match action {
            Action::Update => &[BlockedAt::BeforeUpdate, BlockedAt::AfterUpdate],
            Action::Delete => &[BlockedAt::BeforeDelete],
            _ => &[],
        };
        self.needs_of_blocks(&target.database, &target.table, blocks);
        let shown = self.found(id).map(|f| f.columns.clone());
        let through = shown.as_deref().map(|shown| (id, shown));
        self.needs_change((&target.database, &target.table), action, columns, through);
    }

    fn source_at(&self, id: u32) -> usize {
        let sources = &self.blocks.last().expect("open").sources;
        sources.iter().position(|s| s.id == id).expect("the target is a source")
    }

    fn set_column(
        &self,
        (database, table): (&Database, &Table),
        id: u32,
        c: &ast::ColumnRef,
        set: &[Assignment],
    ) -> SqlResult<usize> {
        let name = &*c.name.value;
        if let Some(q) = &c.qualifier {
            let source = &self.blocks.last().expect("open").sources[self.source_at(id)];
            let schema = q.schema.as_ref().is_none_or(|s| eq(&s.value, &table.head.schema));
            let own = schema && q.database.is_none() && eq(&q.name.value, table.name());
            if !source.is_called(q) && !own {
                let text = format!("{q}.{name}");
                return Err(self.at(SqlError::new(4104, &[&text]), c.name.span));
            }
        }
        let at = match self.found(id) {
            Some(found) => self.column_through(found, name),
            None => table.column(name).ok_or_else(|| SqlError::new(207, &[&name])),
        };
        let at = at.map_err(|e| self.at(e, c.name.span))?;
        if table.columns[at].generated != Generated::Never {
            return Err(SqlError::new(13537, &[&full_name(database, table)]));
        }
        if table.columns[at].is_identity {
            return Err(SqlError::new(8102, &[&name]));
        }
        if table.columns[at].computed.is_some() {
            return Err(SqlError::new(271, &[&table.columns[at].name]));
        }
        if table.columns[at].ty == SqlType::RowVersion {
            return Err(SqlError::new(272, &[]));
        }
        if set.iter().any(|a| a.column == at) {
            return Err(SqlError::new(264, &[&name]));
        }
        Ok(at)
    }

    fn assignment(&mut self, table: &Table, column: usize, b: Bound) -> SqlResult<Assignment> {
        let (expr, from) =
            self.stored(b, table.columns[column].declared(), table.columns[column].collation)?;
        Ok(Assignment { column, expr, from, write: None })
    }

    /// DELETE.
    pub fn bind_delete(&mut self, d: &'a ast::Delete) -> SqlResult<DeletePlan<Rel>> {
        self.with(&d.with)?;
        self.query_hints(&d.options)?;
        self.push_block();
        let r = self.delete_in_block(d);
        self.blocks.pop();
        r
    }

    fn delete_in_block(&mut self, d: &'a ast::Delete) -> SqlResult<DeletePlan<Rel>> {
        let (target, id, trees) = self.change_target(&d.target, &d.from, None)?;
        if let Some(found) = self.found(id) {
            self.output_through(found, &d.output)?;
        }
        not_history(&target.database, &target.table, 13560)?;
        self.keeps_history(&target.database, &target.table)?;
        let conjuncts = self.filter(&d.filter)?;
        self.needs_of_target(id, &target, Action::Delete, &[]);
        let at = self.source_at(id);
        let locator = self.block().sources[at].locator.unwrap_or_default();
        let mut output = self.output_beside(at, &d.output, &target, false)?;
        let mut node = self.take_from(trees, conjuncts)?;
        not_beside(&d.filter, &d.from)?;
        if matches!(d.filter, Some(ast::DmlFilter::CurrentOf(_))) {
            super::cursor::at_mark(&mut node, locator);
        }
        let node = self.change_top(node, &d.top)?;
        self.tell_output(&mut output, Changed::Found(&node));
        let Target { database, table, .. } = target;
        let incoming = self.incoming(&database, &table, None)?;
        let events = [(TriggerEvent::Delete, None)];
        let triggers = self.triggers_of((&database, &table), &d.target, &d.output, &events)?;
        let spool = false;
        let mut computed = computed_columns(self.meta, &database, &table)?;
        computed.retain(|c| !c.stored);
        Ok(DeletePlan {
            database,
            table,
            node,
            locator,
            spool,
            computed,
            incoming,
            output,
            triggers,
        })
    }
}

/// A positioned change reads no other tables.
fn not_beside(filter: &Option<ast::DmlFilter>, from: &[TableRef]) -> SqlResult<()> {
    match filter {
        Some(ast::DmlFilter::CurrentOf(_)) if !from.is_empty() => {
            Err(unsupported("FROM beside WHERE CURRENT OF"))
        }
        _ => Ok(()),
    }
}

/// A column's type and collation.
fn declared(column: &Column) -> (Declared, Collation) {
    (column.declared(), column.collation)
}
