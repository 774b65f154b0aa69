//! OUTPUT: items over `inserted` and `deleted`.

use super::dml::Target;
use super::next_value::DrawPlace;
use super::scope::Mark;
use super::{Binder, Bound, Resolved, Source, SourceKind, eq, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::change::{InsertPlan, InsertRows, OutputPlan};
use taffrail_plan::columns::Changed;
use taffrail_plan::expr::{Expr, Part, Slot};
use taffrail_plan::facts::Action;
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast::{self, ExprKind, SelectItem};

impl<'a> Binder<'a> {
    /// OUTPUT over `inserted` and `deleted`.
    pub(super) fn output(
        &mut self,
        list: &'a [ast::Output],
        target: &Target,
        inserted: bool,
        deleted: bool,
    ) -> SqlResult<Option<OutputPlan<Rel>>> {
        let [o] = list else {
            return match list {
                [] => Ok(None),
                _ => Err(unsupported("Two OUTPUT clauses")),
            };
        };
        self.push_block();
        self.block().qualified_only = true;
        let hints = super::hints::hints(&[], false)?;
        for (name, there) in [("inserted", inserted), ("deleted", deleted)] {
            if there {
                let (db, t) = (target.database.clone(), target.table.clone());
                let mut source = self.table_source(db, t, name, None, hints)?;
                // The rows are whole: they have what is computed.
                if let SourceKind::Table { virtuals, .. } = &mut source.kind {
                    virtuals.clear();
                }
                if self.merge_action.is_some() {
                    // A row that came has no old values, one that went no new ones.
                    source.left_out = true;
                }
                self.block().sources.push(source);
            }
        }
        let r = self.in_place(DrawPlace::Clause, |b| b.output_items(o, inserted));
        self.blocks.pop();
        r.map(Some)
    }

    /// OUTPUT of a change of the block's source `at`, which it may name by `inserted` and `deleted` only.
    pub(super) fn output_beside(
        &mut self,
        at: usize,
        list: &'a [ast::Output],
        target: &Target,
        inserted: bool,
    ) -> SqlResult<Option<OutputPlan<Rel>>> {
        let source = &mut self.block().sources[at];
        let alias = std::mem::replace(&mut source.alias, "".into());
        let columns = std::mem::take(&mut source.columns);
        let bound = self.output(list, target, inserted, true);
        let source = &mut self.block().sources[at];
        (source.alias, source.columns) = (alias, columns);
        bound
    }

    /// Tells the columns of OUTPUT as those of their slots, where the rows of the statement are known.
    pub(super) fn tell_output(&self, output: &mut Option<OutputPlan<Rel>>, change: Changed<'_>) {
        let Some(o) = output else { return };
        let nulls = self.columns.nulls_of_output(o, change);
        for (slot, told) in o.outputs.iter().zip(&mut o.columns) {
            *told = self.columns[*slot].described(&told.name, nulls.contains(*slot));
        }
    }

    /// The table that INTO names: no view (330), no triggers (331), no foreign keys (332), no checks that are on (333). The target of an
    /// INSERT whose rows are those of a change: 354, 355, 356.
    fn output_target(&mut self, t: &'a ast::TableRef, nested: bool) -> SqlResult<Target> {
        let ast::TableRef::Named(n) = t else { return self.insert_target(t) };
        self.names(&n.name);
        let bare = n.name.as_bare();
        let cte = |n: &ast::Ident| self.ctes.iter().any(|c| eq(&c.table.name.value, &n.value));
        let view = || {
            let found = self.meta.table(&n.name);
            matches!(found, Ok(Resolved::View(..) | Resolved::UserView(..)))
        };
        if bare.is_some_and(cte) || view() {
            return Err(SqlError::new(if nested { 354 } else { 330 }, &[&n.name]));
        }
        let target = self.insert_target(t)?;
        self.output_fires_nothing(&target, &n.name).map_err(|e| match nested {
            true => SqlError::new(355, &[&n.name]),
            false => e,
        })?;
        let (database, table) = (&target.database, &target.table);
        let outgoing = self.meta.outgoing(database, table)?;
        let incoming = self.meta.incoming(database, table)?;
        let mut keys = outgoing.iter().map(|o| &o.key).chain(incoming.iter().map(|i| &i.key));
        if let Some(key) = keys.next() {
            let number = if nested { 356 } else { 332 };
            return Err(SqlError::new(number, &[&n.name, &key.name]));
        }
        match table.checks.iter().find(|c| !c.disabled && !nested) {
            Some(check) => Err(SqlError::new(333, &[&n.name, &check.name])),
            None => Ok(target),
        }
    }

    fn output_items(&mut self, o: &'a ast::Output, inserted: bool) -> SqlResult<OutputPlan<Rel>> {
        let mut bound = Vec::new();
        let depth = self.blocks.len() - 1;
        for item in &o.items {
            self.output_item(item, depth, &mut bound)?;
        }
        let (mut items, mut outputs, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for (name, b) in bound {
            let slot = match b.expr {
                Expr::Slot(s) => s,
                _ => {
                    let slot = self.computed_slot(&b, &name);
                    items.push((b.expr, slot));
                    slot
                }
            };
            outputs.push(slot);
            // Whether NULL may be there is known with the statement's rows.
            columns.push(self.columns[slot].described(&name, true));
        }
        let taken = |s: &Source| -> Vec<(usize, Slot)> {
            let columns = s.columns.iter().enumerate();
            columns.filter_map(|(i, c)| c.slot.map(|slot| (i, slot))).collect()
        };
        let sources = &self.blocks[depth].sources;
        let first = taken(&sources[0]);
        let (inserted, deleted) = match (inserted, sources.get(1)) {
            (true, Some(d)) => (first, taken(d)),
            (true, None) => (first, Vec::new()),
            (false, _) => (Vec::new(), first),
        };
        let (into, saved, condition) = (None, Vec::new(), None);
        let mut plan =
            OutputPlan { inserted, deleted, items, condition, outputs, columns, into, saved };
        if let Some(t) = &o.into {
            let into = Into { target: t, columns: &o.columns, nested: false };
            plan.into = Some(Box::new(self.output_into(into, &mut plan)?));
        }
        plan.saved = beside(&plan);
        Ok(plan)
    }

    /// An item of the list with its name; for `inserted.*` all columns.
    fn output_item(
        &mut self,
        item: &'a SelectItem,
        depth: usize,
        bound: &mut Vec<(String, Bound)>,
    ) -> SqlResult<()> {
        match item {
            SelectItem::QualifiedStar(q) => {
                // `inserted`, `deleted`, or a table beside the one that is changed.
                let found = (0..=depth).rev().filter(|d| !self.blocks[*d].hidden).find_map(|d| {
                    let at = self.blocks[d].sources.iter().position(|s| s.is_called(q))?;
                    Some((d, at))
                });
                let (depth, at) = found.ok_or_else(|| SqlError::new(107, &[q]))?;
                for c in 0..self.blocks[depth].sources[at].columns.len() {
                    if self.blocks[depth].sources[at].columns[c].hidden {
                        continue;
                    }
                    let name = self.blocks[depth].sources[at].columns[c].name.to_string();
                    bound.push((name, self.source_column(depth, at, c)));
                }
            }
            SelectItem::Expr { expr, alias } => {
                let within = std::mem::replace(&mut self.in_output, true);
                let b = self.expr(expr).map_err(super::aggregate::refused_as(158));
                self.in_output = within;
                let b = b?;
                let name = match (alias, &expr.kind) {
                    (Some(a), _) => a.value.to_string(),
                    (None, ExprKind::Column(c)) if Mark::of(&c.name).is_some() => self.own_name(&b),
                    (None, ExprKind::Column(c)) => c.name.value.to_string(),
                    (None, ExprKind::Pseudo(p)) => p.value.to_string(),
                    _ => String::new(),
                };
                bound.push((name, b));
            }
            SelectItem::Star(_) | SelectItem::Assign { .. } => {
                return Err(SqlError::new(102, &[&"*"]));
            }
        }
        Ok(())
    }

    /// The insertion of the items into the table that INTO names. An item that has to be read as the column's type gets a slot of its own.
    pub(super) fn output_into(
        &mut self,
        into: Into<'a>,
        plan: &mut OutputPlan<Rel>,
    ) -> SqlResult<InsertPlan<Rel>> {
        let target = self.output_target(into.target, into.nested)?;
        let cols = self.insert_columns(&target.table, into.columns)?;
        let changed = (&*target.database, &*target.table);
        self.needs_change(changed, Action::Insert, &cols, None);
        self.check_width(&target.table, plan.outputs.len(), cols.len(), into.columns, true)?;
        let mut types = Vec::with_capacity(cols.len());
        for (output, column) in plan.outputs.iter_mut().zip(&cols) {
            let column = &target.table.columns[*column];
            let own = &self.columns[*output];
            let b = Bound { untyped: own.untyped, ..Bound::of(Expr::Slot(*output), own.ty) };
            let (expr, ty) = self.stored(b, column.declared(), column.collation)?;
            if !matches!(expr, Expr::Slot(_)) {
                let slot = self.computed_slot(&Bound::new(Expr::NULL, ty), "");
                plan.items.push((expr, slot));
                *output = slot;
            }
            types.push(ty);
        }
        let explicit = self.check_identity(&target, &cols, true)?;
        if explicit && into.nested {
            let named = cols.iter().map(|c| &target.table.columns[*c]).find(|c| c.is_identity);
            let name = named.map(|c| c.name.to_string()).unwrap_or_default();
            return Err(SqlError::new(5328, &[&name, &target.table.name()]));
        }
        self.insert_plan(target, InsertRows::External, types, &cols, explicit)
    }
}

/// The table that takes what OUTPUT tells, and its columns.
pub(super) struct Into<'a> {
    pub target: &'a ast::TableRef,
    pub columns: &'a [ast::Ident],
    /// The table is the target of an INSERT around the change.
    pub nested: bool,
}

/// The slots that OUTPUT reads of the tables beside the one that is changed.
fn beside(plan: &OutputPlan<Rel>) -> Vec<Slot> {
    let mut read = Vec::new();
    let outputs = plan.outputs.iter().map(|s| Expr::Slot(*s));
    outputs.for_each(|e| super::query::add_slots(Part::Expr(&e), &mut read));
    plan.items.iter().for_each(|(e, _)| super::query::add_slots(Part::Expr(e), &mut read));
    let sides = plan.inserted.iter().chain(&plan.deleted).map(|c| c.1);
    let own: Vec<Slot> = sides.chain(plan.items.iter().map(|i| i.1)).collect();
    read.retain(|s| !own.contains(s));
    read
}
