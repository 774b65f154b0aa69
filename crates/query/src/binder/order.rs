//! ORDER BY, TOP, OFFSET and FETCH.

use super::query::{BoundQuery, Item};
use super::{Binder, Bound, Mention, eq, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::columns::{Column, Label};
use taffrail_plan::expr::{Expr, Part, Slot};
use taffrail_plan::node::SortKey;
use taffrail_plan::rel::{Rel, Sort, Top};
use taffrail_syntax::ast::{self, ExprKind, Literal};
use taffrail_types::{Collation, SqlType};

/// A key by which a query is ordered.
pub(super) struct OrderKey {
    /// `Ok`: the n-th output; `Err`: a value of its own.
    pub value: Result<usize, Bound>,
    pub descending: bool,
    /// COLLATE beside an output.
    pub collation: Option<Collation>,
}

/// A count that TOP, OFFSET and FETCH take.
fn is_whole(b: &Bound) -> bool {
    let whole = matches!(
        b.ty,
        SqlType::BigInt | SqlType::Int | SqlType::SmallInt | SqlType::TinyInt | SqlType::Bit
    );
    // A literal beyond int.
    let large = b.literal && matches!(b.ty, SqlType::Numeric { scale: 0, .. });
    whole || large || b.untyped
}

/// A constant count that cannot be is told before anything runs, wherever in the statement it stands.
fn refuse_negative(count: &Expr, percent: bool) -> SqlResult<()> {
    match count {
        Expr::Const(v) if !percent && v.as_i64().is_some_and(|n| n < 0) => {
            Err(SqlError::new(127, &[]))
        }
        _ => Ok(()),
    }
}

/// 104 behind the reason why ORDER BY names nothing of a set operation's list.
#[allow(clippy::boxed_local)] // errors travel boxed
fn not_listed(reason: Box<SqlError>) -> Box<SqlError> {
    let mut e = SqlError::new(104, &[]);
    e.before.push(*reason);
    e
}

impl OrderKey {
    /// It sorts by what another sorts by.
    fn repeats(&self, other: &OrderKey) -> bool {
        match (&self.value, &other.value) {
            (Ok(a), Ok(b)) => a == b && self.collation == other.collation,
            (Err(Bound { expr: Expr::Slot(a), .. }), Err(Bound { expr: Expr::Slot(b), .. })) => {
                a == b
            }
            _ => false,
        }
    }
}

/// The name of a column, if it is nothing but one.
fn column(item: &ast::OrderItem) -> Option<&ast::ColumnRef> {
    match &item.expr.kind {
        ExprKind::Column(c) => Some(c),
        _ => None,
    }
}

/// Nothing but variables and constants, put together: it says nothing of a row.
fn only_variables(e: &Expr) -> bool {
    match e {
        Expr::Var(_) | Expr::Const(_) => true,
        Expr::Arith(_)
        | Expr::AddInt(_)
        | Expr::SubInt(_)
        | Expr::Concat(_)
        | Expr::Chain(_)
        | Expr::Unary(..)
        | Expr::IntToVarchar(_)
        | Expr::Cast(_)
        | Expr::Collate(_) => {
            let mut only = true;
            e.children(&mut |part| only &= matches!(part, Part::Expr(e) if only_variables(e)));
            only
        }
        _ => false,
    }
}

impl<'a> Binder<'a> {
    /// The keys of a SELECT's ORDER BY.
    pub(super) fn order_keys(
        &mut self,
        list: &'a [ast::OrderItem],
        items: &[Item],
        distinct: bool,
    ) -> SqlResult<Vec<OrderKey>> {
        let mut keys: Vec<OrderKey> = Vec::new();
        let mut written = Vec::new();
        for (at, item) in list.iter().enumerate() {
            let key = self.order_item(at + 1, item, items, distinct)?;
            match keys.iter().position(|k| k.repeats(&key)) {
                None => {
                    keys.push(key);
                    written.push(item);
                }
                // A query in FROM may show one value as two columns: the second orders nothing.
                Some(first) if self.two_columns(written[first], item, items)? => {}
                Some(_) => return Err(SqlError::new(169, &[])),
            }
        }
        Ok(keys)
    }

    /// Two columns of FROM, by what they are called.
    fn two_columns(
        &self,
        a: &ast::OrderItem,
        b: &ast::OrderItem,
        items: &[Item],
    ) -> SqlResult<bool> {
        let (Some(a), Some(b)) = (column(a), column(b)) else { return Ok(false) };
        let in_from = |c: &ast::ColumnRef| {
            let sources = self.blocks.last().map_or(&[][..], |b| &b.sources);
            sources.iter().flat_map(|s| &s.columns).any(|k| eq(&k.name, &c.name.value))
        };
        for c in [a, b] {
            if self.alias(c, items)?.is_some() && !in_from(c) {
                return Ok(false);
            }
        }
        let other_table = match (&a.qualifier, &b.qualifier) {
            (Some(a), Some(b)) => !eq(&a.name.value, &b.name.value),
            _ => false,
        };
        Ok(other_table || !eq(&a.name.value, &b.name.value))
    }

    /// Notes where the first query of a set operation lists what its ORDER BY names. What cannot be bound here is not listed.
    pub(super) fn note_order(&mut self, order: &'a [ast::OrderItem], items: &[Item]) {
        if order.is_empty() {
            return;
        }
        let (aggs, windows) = (self.block().aggs.len(), self.block().windows_allowed);
        let missing = self.missing.take();
        let scalars = std::mem::replace(&mut self.scalars_only, true);
        self.block().windows_allowed = false;
        let place = |item: &'a ast::OrderItem| {
            let e = match &item.expr.kind {
                ExprKind::Literal(_) => return None,
                ExprKind::Column(c) if c.qualifier.is_none() => return None,
                _ => self.expr(&item.expr).ok()?.expr,
            };
            items.iter().position(|i| i.assign.is_none() && i.bound.expr == e)
        };
        let listed = order.iter().map(place).collect();
        self.listed = listed;
        self.scalars_only = scalars;
        self.missing = missing;
        self.block().windows_allowed = windows;
        self.block().aggs.truncate(aggs);
    }

    /// ORDER BY and OFFSET of a set operation: only by output columns. `listed`: the places of those items that its first query lists.
    pub(super) fn order_outputs(
        &mut self,
        bound: &mut BoundQuery,
        q: &'a ast::Query,
        listed: &[Option<usize>],
    ) -> SqlResult<()> {
        let mut keys = Vec::new();
        for (n, item) in q.order_by.iter().enumerate() {
            let at = match &item.expr.kind {
                ExprKind::Literal(Literal::Int(n)) => {
                    self.position(*n, bound.columns.len()).map_err(not_listed)?
                }
                ExprKind::Literal(Literal::String(s) | Literal::NString(s)) => bound
                    .columns
                    .iter()
                    .position(|k| eq(&k.name, s))
                    .ok_or_else(|| SqlError::new(104, &[]))?,
                ExprKind::Column(c) if c.qualifier.is_none() => bound
                    .columns
                    .iter()
                    .position(|k| eq(&k.name, &c.name.value))
                    .ok_or_else(|| not_listed(SqlError::new(207, &[&c.name.value])))?,
                _ => {
                    let place = listed.get(n).copied().flatten();
                    place.ok_or_else(|| SqlError::new(104, &[]))?
                }
            };
            super::large::sorted(bound.columns[at].large)?;
            let label = self.columns[bound.outputs[at]].label;
            super::coercion::settled(label, keys.len() + 1)?;
            if bound.order.contains(&(at as u16 + 1)) {
                return Err(SqlError::new(169, &[]));
            }
            bound.order.push(at as u16 + 1);
            keys.push(SortKey {
                expr: Expr::Slot(bound.outputs[at]),
                descending: item.order == ast::SortOrder::Descending,
                collation: bound.columns[at].collation.unwrap_or_default(),
            });
        }
        if !keys.is_empty() {
            let input = std::mem::take(&mut bound.rel);
            bound.rel = Rel::Sort(Box::new(Sort { input, keys }));
        }
        let (offset, count) = self.offset_fetch(q)?;
        if offset.is_some() || count.is_some() {
            let input = std::mem::take(&mut bound.rel);
            let top = Top { input, count, percent: false, ties: None, offset };
            bound.rel = Rel::Top(Box::new(top));
        }
        Ok(())
    }

    pub(super) fn offset_fetch(
        &mut self,
        q: &'a ast::Query,
    ) -> SqlResult<(Option<Expr>, Option<Expr>)> {
        let mut one = |e: &'a Option<ast::Expr>, refused: i32| -> SqlResult<Option<Expr>> {
            let Some(e) = e else { return Ok(None) };
            let b = self.expr(e)?;
            if !is_whole(&b) {
                return Err(SqlError::new(refused, &[]));
            }
            Ok(Some(self.cast_to(b, SqlType::BigInt)?))
        };
        Ok((one(&q.offset, 10743)?, one(&q.fetch, 1060)?))
    }

    fn position(&self, n: i32, columns: usize) -> SqlResult<usize> {
        match usize::try_from(n) {
            Ok(n) if (1..=columns).contains(&n) => Ok(n - 1),
            _ => Err(SqlError::new(108, &[&n])),
        }
    }

    /// `place` is the item's, from 1, in ORDER BY.
    fn order_item(
        &mut self,
        place: usize,
        item: &'a ast::OrderItem,
        items: &[Item],
        distinct: bool,
    ) -> SqlResult<OrderKey> {
        let key = self.order_key(place, item, items, distinct)?;
        let key_value = match &key.value {
            Ok(at) => &items[*at].bound,
            Err(b) => b,
        };
        super::large::sorted(key_value.large)?;
        if key.collation.is_none() {
            super::coercion::settled(key_value.label, place)?;
        }
        Ok(key)
    }

    fn order_key(
        &mut self,
        place: usize,
        item: &'a ast::OrderItem,
        items: &[Item],
        distinct: bool,
    ) -> SqlResult<OrderKey> {
        let descending = item.order == ast::SortOrder::Descending;
        let output = |at: usize| OrderKey { value: Ok(at), descending, collation: None };
        let e = &item.expr;
        match &e.kind {
            ExprKind::Literal(Literal::Int(n)) => {
                return self.position(*n, items.len()).map(output);
            }
            // A string in place of the alias that it spells, as in `AS 'VLF Count' … ORDER BY 'VLF Count'`.
            ExprKind::Literal(Literal::String(s) | Literal::NString(s)) => {
                let mut hits = items.iter().enumerate().filter(|(_, i)| eq(&i.name, s));
                return match (hits.next(), hits.next()) {
                    (Some((at, _)), None) => Ok(output(at)),
                    _ => Err(SqlError::new(408, &[&place])),
                };
            }
            ExprKind::Literal(_) => return Err(SqlError::new(408, &[&place])),
            ExprKind::Column(c) => {
                if let Some(at) = self.alias(c, items)? {
                    return Ok(output(at));
                }
            }
            // `ORDER BY alias COLLATE name`: COLLATE belongs to ORDER BY.
            ExprKind::Collate(operand, name) => {
                if let ExprKind::Column(c) = &operand.kind
                    && let Some(at) = self.alias(c, items)?
                {
                    let bound = &items[at].bound;
                    let collation = self.written_collation(bound.declared(), name)?;
                    if collation == bound.collation {
                        return Ok(output(at));
                    }
                    if distinct {
                        return Err(SqlError::new(145, &[]));
                    }
                    return Ok(OrderKey { collation: Some(collation), ..output(at) });
                }
            }
            _ => {}
        }
        let b = self.expr(e)?;
        if b.expr.constant().is_some() {
            return Err(SqlError::new(408, &[&place]));
        }
        if only_variables(&b.expr) {
            return Err(SqlError::new(1008, &[&place]));
        }
        let same = |i: &Item| i.assign.is_none() && i.bound.expr == b.expr;
        if let Some(at) = items.iter().position(same) {
            return Ok(output(at));
        }
        if distinct {
            return Err(SqlError::new(145, &[]));
        }
        Ok(OrderKey { value: Err(b), descending, collation: None })
    }

    /// The output of that name (209), where a bare name stands.
    fn alias(&self, c: &ast::ColumnRef, items: &[Item]) -> SqlResult<Option<usize>> {
        if c.qualifier.is_some() {
            return Ok(None);
        }
        // What is assigned to a variable has no name.
        let named = |i: &Item| i.assign.is_none() && eq(&i.name, &c.name.value);
        let mut hits = items.iter().enumerate().filter(|(_, i)| named(i));
        let Some((at, first)) = hits.next() else { return Ok(None) };
        if hits.any(|(_, i)| i.bound.expr != first.bound.expr) {
            return Err(self.at(SqlError::new(209, &[&c.name.value]), c.name.span));
        }
        Ok(Some(at))
    }

    pub(super) fn top(&mut self, s: &'a ast::SelectBlock) -> SqlResult<Option<(Expr, bool, bool)>> {
        let Some(top) = &s.top else { return Ok(None) };
        Ok(Some((self.top_count(top)?, top.percent, top.with_ties)))
    }

    /// The count of a TOP, in a query or a change: 1060 for one that is no integer, 127.
    pub(super) fn top_count(&mut self, top: &'a ast::Top) -> SqlResult<Expr> {
        let b = self.expr(&top.count)?;
        let ty = if top.percent { SqlType::Float } else { SqlType::BigInt };
        if !top.percent && !is_whole(&b) {
            return Err(SqlError::new(1060, &[]));
        }
        let count = self.cast_to(b, ty)?;
        refuse_negative(&count, top.percent)?;
        Ok(count)
    }

    /// An output as a key of ORDER BY, by the collation that COLLATE says beside it, or by its own.
    fn output_key(&self, slot: Slot, written: Option<Collation>) -> Bound {
        let column = &self.columns[slot];
        let own = Bound::of(Expr::Slot(slot), column.ty).with_collation(column.coerced());
        match written {
            Some(collation) => {
                let expr = Expr::Collate(Box::new((own.expr, collation)));
                Bound {
                    expr,
                    collation,
                    label: Label::Explicit,
                    ..Bound::of(Expr::NULL, column.ty)
                }
            }
            None => {
                let coerced = own.coerced();
                own.with_collation(coerced)
            }
        }
    }

    /// Puts columns into slots where they outlive a sort, since TOP WITH TIES compares them; the relation, and the keys of ties.
    fn kept_keys(
        &mut self,
        rel: Rel,
        keys: &mut [SortKey],
        columns: Vec<Column>,
    ) -> (Rel, Vec<(Expr, Collation)>) {
        let (mut list, mut items) = (Vec::new(), Vec::new());
        for (k, column) in keys.iter_mut().zip(columns) {
            let slot = match &k.expr {
                Expr::Slot(s) => *s,
                _ => {
                    let block = self.block().id;
                    let slot = self.new_slot(column, Mention::computed(block, ""));
                    items.push((std::mem::replace(&mut k.expr, Expr::Slot(slot)), slot));
                    slot
                }
            };
            list.push((Expr::Slot(slot), k.collation));
        }
        (Rel::compute(rel, items), list)
    }

    pub(super) fn sort_and_top(
        &mut self,
        mut rel: Rel,
        keys: Vec<OrderKey>,
        top: Option<(Expr, bool, bool)>,
        (offset, fetch): (Option<Expr>, Option<Expr>),
        out: &mut BoundQuery,
    ) -> SqlResult<()> {
        let mut ties: Option<Vec<(Expr, Collation)>> = None;
        let sorted = !keys.is_empty();
        if sorted {
            let mut sort_keys = Vec::with_capacity(keys.len());
            let mut columns = Vec::with_capacity(keys.len());
            let mut by_output = true;
            for OrderKey { value, descending, collation } in keys {
                let key = match value {
                    Ok(at) if !out.outputs.is_empty() => {
                        by_output &= collation.is_none();
                        if by_output {
                            out.order.push(at as u16 + 1);
                        }
                        self.output_key(out.outputs[at], collation)
                    }
                    Ok(_) => return Err(unsupported("ORDER BY a position in an assignment")),
                    Err(b) => {
                        by_output = false;
                        b
                    }
                };
                columns.push(key.column());
                let (expr, collation) = (key.expr, key.collation);
                sort_keys.push(SortKey { expr, descending, collation });
            }
            if !by_output {
                out.order.clear();
            }
            if let Some((_, _, true)) = &top {
                let kept;
                (rel, kept) = self.kept_keys(rel, &mut sort_keys, columns);
                ties = Some(kept);
            }
            rel = Rel::Sort(Box::new(Sort { input: rel, keys: sort_keys }));
        }
        if let Some((count, percent, with_ties)) = top {
            if with_ties && !sorted {
                return Err(SqlError::new(1062, &[]));
            }
            let top = Top { input: rel, count: Some(count), percent, ties, offset: None };
            rel = Rel::Top(Box::new(top));
        }
        if offset.is_some() || fetch.is_some() {
            let top = Top { input: rel, count: fetch, percent: false, ties: None, offset };
            rel = Rel::Top(Box::new(top));
        }
        out.rel = rel;
        Ok(())
    }
}
