//! MIN and MAX by the ends of an index: the first row in one direction or the other has the value.

use super::Planner;
use super::access::{Goal, Order};
use super::join::loop_join;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::expr::{Expr, Pred, has_subquery};
use taffrail_plan::node::{Agg, AggFunction, Aggregate, JoinType, Node, Top};
use taffrail_plan::rel::{Group, Rel};
use taffrail_plan::slots::SlotSet;
use taffrail_types::Value;

/// More of them would read the table more often than a scan does.
const MOST: usize = 4;

impl Planner<'_> {
    /// The operators of an aggregation without groups that asks for nothing but least and greatest values, where an index gives each
    /// of them first. One row comes of each, and these are joined.
    pub(super) fn ends(&self, group: &Group) -> SqlResult<Option<Node>> {
        // The input is planned once for each of them: a subquery can become one join only, and what is nested deep must not be planned
        // twice at each level. A join gives no order anyway.
        let mut subqueries = false;
        let mut one_table = true;
        group.input.visit(&mut |r| {
            r.parts(&mut |p| subqueries |= has_subquery(p));
            one_table &=
                matches!(r, Rel::Get(_) | Rel::Select(_) | Rel::Project(_) | Rel::Compute(_));
        });
        if !group.scalar
            || !group.marks.is_empty()
            || group.aggs.len() > MOST
            || subqueries
            || !one_table
        {
            return Ok(None);
        }
        let mut all: Option<Node> = None;
        for agg in &group.aggs {
            let Some(node) = self.end(&group.input, agg)? else { return Ok(None) };
            all = Some(match all {
                None => node,
                Some(left) => loop_join(left, node, JoinType::Inner, Vec::new(), Vec::new()),
            });
        }
        Ok(all)
    }

    fn end(&self, input: &Rel, agg: &Agg) -> SqlResult<Option<Node>> {
        let descending = match agg.function {
            AggFunction::Min => false,
            AggFunction::Max => true,
            _ => return Ok(None),
        };
        let Some(Expr::Slot(slot)) = agg.arg else { return Ok(None) };
        // NULL comes first, and is no value.
        let present = Pred::Not(Box::new(Pred::IsNull(Box::new(Expr::Slot(slot)))));
        let rel = Rel::select(input.clone(), vec![present]);
        let needed: SlotSet = [slot].into_iter().collect();
        let keys = [(slot, descending, agg.collation)];
        let order = Order { keys: &keys, goal: Some(Goal::Rows(1.0)) };
        let (input, true) = self.in_order(rel, &needed, &order)? else { return Ok(None) };
        let count = Some(Expr::Const(Value::BigInt(1)));
        let save = vec![slot];
        let first = Top { input, count, percent: false, ties: None, offset: None, save };
        Ok(Some(Node::Aggregate(Arc::new(Aggregate {
            input: Node::Top(Arc::new(first)),
            groups: Vec::new(),
            aggs: vec![agg.clone()],
            scalar: true,
            sets: Vec::new(),
            marks: Vec::new(),
            ordered: false,
        }))))
    }
}
