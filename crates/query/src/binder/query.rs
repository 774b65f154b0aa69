//! Queries: SELECT blocks, set operations, ORDER BY, TOP.

use super::grouping::Groups;
use super::next_value::DrawPlace;
use super::order::OrderKey;
use super::scope::Mark;
use super::{Binder, Block, Bound, Cte, WindowGroup, eq, unsupported};
use std::mem::take;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Expr, Part, Pred, Slot, slots_of};
use taffrail_plan::facts::Action;
use taffrail_plan::node::QueryPlan;
use taffrail_plan::rel::{Distinct, Group as Grouping, Rel, Window};
use taffrail_plan::sink::ColumnDesc;
use taffrail_plan::statement::SelectPlan;
use taffrail_syntax::ast::{self, ExprKind, SelectItem};
use taffrail_types::SqlType;
use taffrail_types::arith::BinaryOp;

/// A query that is bound.
#[derive(Default)]
pub struct BoundQuery {
    pub rel: Rel,
    pub outputs: Vec<Slot>,
    pub columns: Vec<ColumnDesc>,
    /// `SELECT @v = …`: evaluated for each row, in place of outputs.
    pub assign: Vec<(u32, Expr)>,
    /// Columns by which the rows are ordered (1-based), for the client.
    pub order: Vec<u16>,
    /// The sequences that the rows have taken values of.
    pub drawn: Vec<super::next_value::Drawn>,
    /// Of FOR JSON AUTO: the source of each column.
    pub(super) sources: Vec<super::json::ItemSource>,
    /// The rows are texts that become JSON where they are sent.
    pub json: Option<std::sync::Arc<taffrail_functions::json::Form>>,
}

/// An item of the select list.
pub(super) struct Item {
    pub name: String,
    pub bound: Bound,
    pub assign: Option<u32>,
    /// The item is a column as it is, by its name or a star.
    pub plain: bool,
}

impl Item {
    /// One that no client sees.
    pub fn hidden(expr: Expr, ty: SqlType) -> Item {
        let bound = Bound::new(expr, ty);
        Item { name: String::new(), bound, assign: None, plain: true }
    }
}

pub(super) fn add_slots(part: Part<'_>, out: &mut Vec<Slot>) {
    slots_of(part, &mut |s| {
        if !out.contains(&s) {
            out.push(s);
        }
    });
}

/// 6819, 13602: what FOR XML and FOR JSON give is a result.
pub(super) fn not_for_xml(query: &ast::Query, statement: &str) -> SqlResult<()> {
    query.for_clause.as_ref().map_or(Ok(()), |f| super::json::not_into(f, statement))
}

impl<'a> Binder<'a> {
    /// A SELECT statement.
    pub fn bind_select(&mut self, s: &'a ast::SelectStatement) -> SqlResult<SelectPlan<Rel>> {
        self.with(&s.with)?;
        self.query_hints(&s.options)?;
        self.into_alone =
            matches!(&s.query.body, ast::QueryBody::Select(block) if block.into.is_some());
        if s.query.body.first_block().into.is_some() {
            not_for_xml(&s.query, "SELECT INTO")?;
        }
        let q = self.query(&s.query, false)?;
        for (at, slot) in q.outputs.iter().enumerate() {
            super::coercion::settled(self.columns[*slot].label, at + 1)?;
        }
        let plan = QueryPlan { node: q.rel, outputs: q.outputs, columns: q.columns };
        let identity = self.into_identity.take();
        let inherited = if self.into_alone { super::identity::inherited(&plan) } else { None };
        let (assign, order, json) = (q.assign, q.order, q.json);
        let (replaces, updatable) = (None, Vec::new());
        Ok(SelectPlan { plan, assign, order, identity, inherited, replaces, json, updatable })
    }

    /// Brings common table expressions into scope.
    pub fn with(&mut self, with: &'a Option<ast::With>) -> SqlResult<()> {
        let Some(with) = with else { return Ok(()) };
        self.declare_namespaces(&with.xml_namespaces)?;
        for (i, table) in with.tables.iter().enumerate() {
            if with.tables[..i].iter().any(|t| eq(&t.name.value, &table.name.value)) {
                return Err(SqlError::new(239, &[&table.name.value]));
            }
            let sees = self.ctes.len();
            self.ctes.push(Cte { table, sees });
        }
        Ok(())
    }

    /// A query expression. `nested`: not the statement's own.
    pub fn query(&mut self, q: &'a ast::Query, nested: bool) -> SqlResult<BoundQuery> {
        let line = self.line(q.span);
        self.deeper(|b| b.query_inner(q, nested)).map_err(|e| e.with_line(line))
    }

    fn query_inner(&mut self, q: &'a ast::Query, nested: bool) -> SqlResult<BoundQuery> {
        if let Some(f) = &q.for_clause
            && !f.format.is("BROWSE")
        {
            self.existence = false;
            self.json.listing = true;
            let rows = self.query_rows(q, false)?;
            return match f.format.is("JSON") {
                true => self.for_json(f, q, rows, nested),
                false => self.for_xml(f, q, rows, nested),
            };
        }
        self.query_rows(q, nested)
    }

    fn query_rows(&mut self, q: &'a ast::Query, nested: bool) -> SqlResult<BoundQuery> {
        if nested
            && !q.order_by.is_empty()
            && q.offset.is_none()
            && q.body.first_block().top.is_none()
        {
            return Err(SqlError::new(1033, &[]));
        }
        if q.offset.is_some() {
            self.not_in_recursion(461);
        }
        let asked = self.asked();
        let listing = take(&mut self.json.listing);
        match &q.body {
            ast::QueryBody::Select(block) => {
                (self.locate, self.existence) = asked;
                self.json.listing = listing;
                self.select_block(block, Some(q), nested)
            }
            ast::QueryBody::Set(chain) => {
                if asked.0
                    && let Some(through) = &mut self.through
                {
                    through.refuse(chain);
                }
                self.order_above = &q.order_by;
                let bound = self.in_set(nested, |b| b.set_chain(chain));
                let listed = take(&mut self.listed);
                let mut bound = bound?;
                self.order_outputs(&mut bound, q, &listed)?;
                Ok(bound)
            }
            ast::QueryBody::Ordered(query) => {
                let mut bound = self.query(query, true)?;
                self.order_outputs(&mut bound, q, &[])?;
                Ok(bound)
            }
        }
    }

    pub(super) fn select_block(
        &mut self,
        s: &'a ast::SelectBlock,
        q: Option<&'a ast::Query>,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        let asked = self.asked();
        let above = take(&mut self.order_above);
        let drawing = self.begin_drawing(s, q, nested);
        let by_row = std::mem::replace(&mut self.by_row, false);
        let windows = std::mem::replace(&mut self.named_windows, &s.windows);
        self.push_block();
        let r = self.select_in_block(s, q, nested, asked, above);
        self.blocks.pop();
        self.named_windows = windows;
        self.by_row = by_row;
        self.drawing = drawing;
        r
    }

    /// Binds what is computed for each row of the block, where a subquery may stand in place of a function's call if `may`.
    pub(super) fn for_rows<R>(
        &mut self,
        may: bool,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let before = std::mem::replace(&mut self.by_row, may);
        let r = f(self);
        self.by_row = before;
        r
    }

    /// What is asked of the next query: `locate` and `existence`. They are its own, not of those inside.
    fn asked(&mut self) -> (bool, bool) {
        (take(&mut self.locate), take(&mut self.existence))
    }

    fn select_in_block(
        &mut self,
        s: &'a ast::SelectBlock,
        q: Option<&'a ast::Query>,
        nested: bool,
        (locate, existence): (bool, bool),
        above: &'a [ast::OrderItem],
    ) -> SqlResult<BoundQuery> {
        let listing = take(&mut self.json.listing);
        let listed_for_update = self.for_update.take();
        self.block_in_recursion(s);
        self.check_windows()?;
        let trees = self.sources_of_list(&s.from)?;
        let mut conjuncts = Vec::new();
        if let Some(f) = &s.filter {
            self.for_rows(true, |b| b.pred(f))?.into_conjuncts(&mut conjuncts);
        }
        self.block().groups = self.group_by(&s.group_by)?;
        // Select list, HAVING, ORDER BY.
        self.block().aggregates_allowed = true;
        self.block().windows_allowed = true;
        let before = self.missed();
        let assigned = |item: &SelectItem| matches!(item, SelectItem::Assign { .. });
        let ordered = s.distinct && q.is_some_and(|q| !q.order_by.is_empty());
        let by_row = !ordered && !s.items.iter().any(assigned);
        let mut items =
            self.for_rows(by_row, |b| b.in_place(DrawPlace::List, |b| b.items(s, existence)))?;
        self.note_order(above, &items);
        let item_sources = if listing { self.item_sources(&items) } else { Vec::new() };
        let listed = self.missed();
        if locate {
            self.locate(s, &mut items);
        }
        if nested && items.iter().any(|i| i.assign.is_some()) {
            // What is part of a set is bound without the query around it.
            return Err(match q {
                Some(_) => SqlError::new(102, &[&"="]),
                None => SqlError::new(10734, &[]),
            });
        }
        self.block().windows_allowed = false;
        let mut having = Vec::new();
        if let Some(h) = &s.having {
            self.pred(h)?.into_conjuncts(&mut having);
        }
        // HAVING's mistakes are told before the list's.
        self.tell_later(before..listed);
        self.block().windows_allowed = true;
        let order_by = q.map_or(&[][..], |q| &q.order_by);
        let mut keys = self.order_keys(order_by, &items, s.distinct)?;
        self.block().aggregates_allowed = false;
        self.block().windows_allowed = false;
        let mut block = std::mem::take(self.block());
        self.block().id = block.id;
        self.block().sources = Vec::new();
        let groups = take(&mut block.groups);
        let grouped = groups.written || !block.aggs.is_empty() || !having.is_empty();
        if existence {
            // Only whether there is a row counts: names have been looked up, nothing more is made of the list.
            items.clear();
            keys.clear();
            block.windows.clear();
            block.draws.clear();
            if having.is_empty() {
                block.aggs.clear();
            }
        }
        if grouped {
            self.check_block(&mut items, &mut having, &mut keys, &mut block, &groups)?;
        }
        // TOP.
        let sources = take(&mut block.sources);
        self.blocks.push(Block { counts: true, sources, ..Block::default() });
        let top = self.top(s);
        let offset = match q {
            Some(q) => self.offset_fetch(q),
            None => Ok((None, None)),
        };
        block.sources = self.blocks.pop().map(|b| b.sources).unwrap_or_default();
        let (top, (offset, fetch)) = (top?, offset?);
        let top = top.map(|(count, percent, ties)| (count, percent, ties && !existence));

        // The relation.
        self.block().sources = take(&mut block.sources);
        self.updatable_columns(listed_for_update)?;
        // Without WHERE, ALL says nothing.
        let all = s.group_by.as_ref().is_some_and(|g| g.all) && !conjuncts.is_empty();
        let filter = if all { take(&mut conjuncts) } else { Vec::new() };
        let mut rel = self.take_from(trees, conjuncts)?;
        if grouped {
            let mut aggs = take(&mut block.aggs);
            if all {
                rel = self.all_groups(rel, filter, &mut aggs);
            }
            let scalar = groups.is_scalar();
            let Groups { keys, sets, marks, .. } = groups;
            let group = Grouping { input: rel, keys, aggs, scalar, sets, marks };
            rel = Rel::select(Rel::Group(Box::new(group)), having);
        }
        for WindowGroup { partition, order, items } in take(&mut block.windows) {
            rel = Rel::Window(Box::new(Window { input: rel, partition, order, items }));
        }
        let mut out = BoundQuery { sources: item_sources, ..BoundQuery::default() };
        (rel, out.drawn) = self.with_draws(rel, take(&mut block.draws));
        let assigning = items.iter().any(|i| i.assign.is_some());
        if assigning && !items.iter().all(|i| i.assign.is_some()) {
            return Err(SqlError::new(141, &[]));
        }
        if assigning {
            let assigned = items.into_iter();
            out.assign = assigned.map(|i| (i.assign.unwrap_or_default(), i.bound.expr)).collect();
        } else {
            rel = self.project(rel, items, &mut out);
        }
        if s.distinct && !existence {
            out.columns.iter().try_for_each(|c| super::large::distinct(c.declared()))?;
            let slots = out.outputs.iter().zip(&out.columns);
            let slots = slots.map(|(s, c)| (*s, c.collation.unwrap_or_default())).collect();
            rel = Rel::Distinct(Box::new(Distinct { input: rel, slots }));
        }
        self.sort_and_top(rel, keys, top, (offset, fetch), &mut out)?;
        Ok(out)
    }

    /// Every column outside aggregates must be a group's.
    fn check_block(
        &mut self,
        items: &mut [Item],
        having: &mut [Pred],
        keys: &mut [OrderKey],
        block: &mut Block,
        by: &Groups,
    ) -> SqlResult<()> {
        let groups = &by.keys[..];
        let grouped: Vec<Slot> = groups.iter().map(|g| g.1).collect();
        for i in items {
            self.use_groups(&mut i.bound.expr, groups);
            i.bound.nullable |= by.makes_null(&i.bound.expr);
            let part = Part::Expr(&i.bound.expr);
            self.check_grouped(part, block.id, &grouped, 8120)?;
        }
        for p in having {
            self.use_groups_pred(p, groups);
            self.check_grouped(Part::Pred(p), block.id, &grouped, 8121)?;
        }
        for k in keys {
            if let Err(b) = &mut k.value {
                self.use_groups(&mut b.expr, groups);
                self.check_grouped(Part::Expr(&b.expr), block.id, &grouped, 8127)?;
            }
        }
        for k in block.draws.iter_mut().flat_map(|d| &mut d.order) {
            self.use_groups(&mut k.expr, groups);
            self.check_grouped(Part::Expr(&k.expr), block.id, &grouped, 8120)?;
        }
        for w in &mut block.windows {
            for (e, _) in &mut w.partition {
                self.use_groups(e, groups);
                self.check_grouped(Part::Expr(e), block.id, &grouped, 8120)?;
            }
            for k in &mut w.order {
                self.use_groups(&mut k.expr, groups);
                self.check_grouped(Part::Expr(&k.expr), block.id, &grouped, 8120)?;
            }
            for item in &mut w.items {
                let mut bad = Ok(());
                item.function.exprs_mut(&mut |e| {
                    self.use_groups(e, groups);
                    if bad.is_ok() {
                        bad = self.check_grouped(Part::Expr(e), block.id, &grouped, 8120);
                    }
                });
                bad?;
            }
        }
        Ok(())
    }

    /// The select list. `existence`: whether there is a row is all that counts, so a star may stand for no column.
    pub(super) fn items(
        &mut self,
        s: &'a ast::SelectBlock,
        existence: bool,
    ) -> SqlResult<Vec<Item>> {
        let mut items = Vec::new();
        for item in &s.items {
            match item {
                SelectItem::Star(span) => {
                    if self.block().sources.is_empty() && !existence {
                        return Err(self.at(SqlError::new(263, &[]), *span));
                    }
                    self.facts.all_columns = true;
                    let depth = self.blocks.len() - 1;
                    for at in 0..self.block().sources.len() {
                        self.star(depth, at, &mut items)?;
                    }
                }
                SelectItem::QualifiedStar(q) => {
                    let Some((depth, at)) = self.called(q) else {
                        return Err(self.at(SqlError::new(107, &[q]), q.span));
                    };
                    self.facts.all_columns = true;
                    self.star(depth, at, &mut items)?;
                }
                SelectItem::Expr { expr, alias } => {
                    let bound = match &expr.kind {
                        ExprKind::IdentityFunction(i) if self.into_alone && s.into.is_some() => {
                            self.identity_column(i, items.len(), s)?
                        }
                        _ => self.expr(expr)?,
                    };
                    let plain = matches!(&expr.kind, ExprKind::Column(_) | ExprKind::Pseudo(_));
                    let name = match (alias, &expr.kind) {
                        (Some(a), _) => a.value.to_string(),
                        (None, ExprKind::Column(c)) if Mark::of(&c.name).is_none() => {
                            c.name.value.to_string()
                        }
                        (None, ExprKind::Column(_) | ExprKind::Pseudo(_)) => self.own_name(&bound),
                        _ => String::new(),
                    };
                    items.push(Item { name, bound, assign: None, plain });
                }
                SelectItem::Assign { variable, op, value } => {
                    let (at, ty) = self.variables.assigned(&variable.value)?;
                    let mut bound = self.expr(value)?;
                    if let Some(op) = op.operator() {
                        let left = Bound::of(Expr::Var(at), self.variables.declared(at));
                        bound = self.binary(arith_op(op)?, left, bound)?;
                    }
                    let expr = self.cast_to_declared(bound, self.variables.declared(at))?;
                    self.assigns_variables = true;
                    items.push(Item {
                        name: String::new(),
                        bound: Bound::new(expr, ty),
                        assign: Some(at),
                        plain: false,
                    });
                }
            }
        }
        Ok(items)
    }

    /// The block and the source that a qualifier names: the innermost block that has one of the name, as with columns.
    fn called(&self, q: &ast::ObjectName) -> Option<(usize, usize)> {
        (0..self.blocks.len()).rev().filter(|d| !self.blocks[*d].hidden).find_map(|d| {
            let block = &self.blocks[d];
            let mut seen = block.sources.iter().enumerate().skip(block.seen_from);
            seen.find(|(_, s)| s.is_called(q)).map(|(at, _)| (d, at))
        })
    }

    /// All columns of a source, but the hidden ones.
    pub(super) fn star(
        &mut self,
        depth: usize,
        source: usize,
        items: &mut Vec<Item>,
    ) -> SqlResult<()> {
        if let Some(object) = self.blocks[depth].sources[source].object.clone() {
            let need = self.needs(object, Action::Select);
            self.facts.needs[need].all = true;
        }
        for c in 0..self.blocks[depth].sources[source].columns.len() {
            let column = &self.blocks[depth].sources[source].columns[c];
            if column.hidden {
                continue;
            }
            let name = column.name.to_string();
            self.readable(depth, source, c)?;
            let bound = self.source_column(depth, source, c);
            let bound = self.used_directly(bound)?;
            items.push(Item { name, bound, assign: None, plain: true });
        }
        Ok(())
    }

    /// Puts computed items into slots, and columns of the rows outside: what an APPLY hands up must not be taken for what it is given.
    fn project(&mut self, rel: Rel, items: Vec<Item>, out: &mut BoundQuery) -> Rel {
        let mut compute = Vec::new();
        let own = (self.blocks.len() > 1).then(|| rel.columns());
        let is_own = |s: Slot| own.as_ref().is_none_or(|own| own.contains(s));
        let mut names = Vec::with_capacity(items.len());
        for Item { name, bound, plain, .. } in items {
            let slot = match bound.expr {
                Expr::Slot(s) if is_own(s) && (plain || self.is_computed(s)) => s,
                Expr::Slot(s) if plain => {
                    let slot = self.computed_slot(&bound, &name);
                    self.columns[slot].origin = self.columns[s].origin;
                    compute.push((bound.expr, slot));
                    slot
                }
                _ => {
                    let slot = self.computed_slot(&bound, &name);
                    compute.push((bound.expr, slot));
                    slot
                }
            };
            out.outputs.push(slot);
            names.push(name);
        }
        let rel = Rel::compute(rel, compute);
        out.columns = self.described(&rel, &out.outputs, &names);
        rel
    }

    /// Whether a slot is that of no source's column.
    fn is_computed(&self, slot: Slot) -> bool {
        self.mentions[slot as usize].source == u32::MAX
    }

    /// The columns of a result that shows these slots of a relation under these names.
    pub(super) fn described(
        &self,
        rel: &Rel,
        outputs: &[Slot],
        names: impl IntoIterator<Item: AsRef<str>>,
    ) -> Vec<ColumnDesc> {
        let nulls = self.columns.nulls(rel);
        let mut out = Vec::with_capacity(outputs.len());
        for (slot, name) in outputs.iter().zip(names) {
            out.push(self.columns[*slot].described(name.as_ref(), nulls.contains(*slot)));
        }
        out
    }
}

pub(crate) fn arith_op(op: ast::BinaryOp) -> SqlResult<BinaryOp> {
    Ok(match op {
        ast::BinaryOp::Add | ast::BinaryOp::Concat => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Subtract,
        ast::BinaryOp::Multiply => BinaryOp::Multiply,
        ast::BinaryOp::Divide => BinaryOp::Divide,
        ast::BinaryOp::Modulo => BinaryOp::Modulo,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        // Functions: see `Binder::operator`.
        ast::BinaryOp::ShiftLeft | ast::BinaryOp::ShiftRight => {
            return Err(unsupported("The shift operator here"));
        }
    })
}
