//! UNION, EXCEPT, INTERSECT.

use super::query::BoundQuery;
use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::rel::{Distinct, Rel, SetOperation};
use taffrail_plan::sink::ColumnDesc;
use taffrail_syntax::ast::{self, SetOperator};
use taffrail_types::Collation;

impl<'a> Binder<'a> {
    pub(super) fn body(&mut self, body: &'a ast::QueryBody) -> SqlResult<BoundQuery> {
        self.deeper(|b| match body {
            ast::QueryBody::Select(block) => b.select_block(block, None, true),
            ast::QueryBody::Set(chain) => b.set_chain(chain),
            ast::QueryBody::Ordered(query) => b.query(query, true),
        })
    }

    pub(super) fn set_chain(&mut self, chain: &'a ast::SetChain) -> SqlResult<BoundQuery> {
        self.within_set(|b| b.set_parts(chain))
    }

    fn set_parts(&mut self, chain: &'a ast::SetChain) -> SqlResult<BoundQuery> {
        let before = self.named_tables;
        let mut most = before;
        let mut part = |b: &mut Self, body: &'a ast::QueryBody| {
            b.named_tables = before;
            let bound = b.body(body);
            most = most.max(b.named_tables);
            b.named_tables = most;
            bound
        };
        let mut left = part(self, &chain.first)?;
        let mut rest = chain.rest.iter().peekable();
        while let Some((op, body)) = rest.next() {
            let mut parts = vec![left, part(self, body)?];
            // A run of one operator becomes one list.
            while matches!(op, SetOperator::Union | SetOperator::UnionAll)
                && rest.peek().is_some_and(|(o, _)| o == op)
                && let Some((_, body)) = rest.next()
            {
                parts.push(part(self, body)?);
            }
            left = self.set_operation(*op, parts)?;
        }
        Ok(left)
    }

    /// The same of parts that are bound.
    pub(super) fn combined(
        &mut self,
        first: BoundQuery,
        rest: Vec<(SetOperator, BoundQuery)>,
    ) -> SqlResult<BoundQuery> {
        let mut left = first;
        let mut rest = rest.into_iter().peekable();
        while let Some((op, part)) = rest.next() {
            let mut parts = vec![left, part];
            let union = matches!(op, SetOperator::Union | SetOperator::UnionAll);
            while let Some((_, part)) = rest.next_if(|(o, _)| union && *o == op) {
                parts.push(part);
            }
            left = self.set_operation(op, parts)?;
        }
        Ok(left)
    }

    fn set_operation(&mut self, op: SetOperator, parts: Vec<BoundQuery>) -> SqlResult<BoundQuery> {
        let width = parts[0].outputs.len();
        if parts.iter().any(|p| p.outputs.len() != width) {
            return Err(SqlError::new(205, &[]));
        }
        if parts.iter().any(|p| !p.assign.is_empty()) {
            return Err(SqlError::new(10734, &[]));
        }
        if op != SetOperator::UnionAll {
            let mut columns = parts.iter().flat_map(|p| &p.columns);
            columns.try_for_each(|c| super::large::in_set_operation(c.declared()))?;
        }
        let bounds: Vec<Vec<Bound>> = parts
            .iter()
            .map(|p| {
                let one = |(s, c): (&Slot, &ColumnDesc)| Bound {
                    nullable: c.nullable,
                    collation: c.collation.unwrap_or_default(),
                    label: self.columns[*s].label,
                    untyped: self.columns[*s].untyped,
                    ..Bound::of(Expr::Slot(*s), c.declared())
                };
                p.outputs.iter().zip(&p.columns).map(one).collect()
            })
            .collect();
        let operation = match op {
            SetOperator::UnionAll => "UNION ALL",
            SetOperator::Union => "UNION",
            SetOperator::Except => "EXCEPT",
            SetOperator::Intersect => "INTERSECT",
        };
        let mut types = Vec::with_capacity(width);
        for i in 0..width {
            let all: Vec<&Bound> = bounds.iter().map(|b| &b[i]).collect();
            let to = self.common(&all)?;
            let coerced = match operation {
                "UNION ALL" => self.coerce_to(&all, to.ty, operation)?,
                _ => self.compared_in_set(&all, operation)?,
            };
            types.push((to, coerced));
        }
        // Each operand puts its columns, converted, into slots of its own (EXCEPT, INTERSECT) or shared ones (UNION).
        let union = matches!(op, SetOperator::Union | SetOperator::UnionAll);
        let names: Vec<String> = parts[0].columns.iter().map(|c| c.name.clone()).collect();
        let in_any: Vec<bool> = (0..width).map(|i| bounds.iter().any(|b| b[i].nullable)).collect();
        let mut rels = Vec::new();
        let mut slot_lists: Vec<Vec<Slot>> = Vec::new();
        for (p, bound) in parts.into_iter().zip(bounds) {
            let slots: Vec<Slot> = match (union, slot_lists.first()) {
                (true, Some(first)) => first.clone(),
                _ => {
                    let mut slots = Vec::with_capacity(width);
                    for (i, (ty, coerced)) in types.iter().enumerate() {
                        let nullable = if union { in_any[i] } else { bound[i].nullable };
                        let b = Bound::of(Expr::NULL, *ty).with_collation(*coerced);
                        slots.push(self.computed_slot(&Bound { nullable, ..b }, &names[i]));
                    }
                    slots
                }
            };
            let mut items = Vec::with_capacity(width);
            for ((b, (ty, coerced)), slot) in bound.into_iter().zip(&types).zip(&slots) {
                items.push((self.cast_to_declared_as(b, *ty, coerced.0)?, *slot));
            }
            rels.push(Rel::compute(p.rel, items));
            slot_lists.push(slots);
        }
        let keyed: Vec<(Slot, Collation)> =
            slot_lists[0].iter().zip(&types).map(|(s, (_, c))| (*s, c.0)).collect();
        let outputs = slot_lists[0].clone();
        let rel = match op {
            SetOperator::UnionAll => Rel::Union(rels),
            SetOperator::Union => {
                Rel::Distinct(Box::new(Distinct { input: Rel::Union(rels), slots: keyed }))
            }
            SetOperator::Except | SetOperator::Intersect => {
                let right = rels.pop().expect("two operands");
                let left = rels.pop().expect("two operands");
                Rel::SetOperation(Box::new(SetOperation {
                    left,
                    right,
                    except: op == SetOperator::Except,
                    left_slots: keyed,
                    right_slots: slot_lists[1].clone(),
                }))
            }
        };
        // The slots are new and say themselves whether they are NULL: the tree is not walked at each step of a chain.
        let mut columns = Vec::with_capacity(width);
        for (slot, name) in outputs.iter().zip(&names) {
            let column = &self.columns[*slot];
            columns.push(column.described(name, column.nullable));
        }
        debug_assert_eq!(columns, self.described(&rel, &outputs, &names));
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }
}
