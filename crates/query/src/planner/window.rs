//! Window functions: by what their rows are told apart and ordered, and whether they need be kept.
//!
//! A constant, a variable or a subquery that reads no row is one value for all rows: it orders and parts nothing, so `ORDER BY
//! (SELECT NULL)` sorts nothing and its subquery is never run.
//!
//! A function that looks back only (ROW_NUMBER, RANK, DENSE_RANK, an aggregate from the first row to the current one) is computed as its
//! rows come, where they come in its order. Whoever asks for few rows reads few then.

use super::access::{Goal, Order};
use super::{Planner, add_slots, order};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_functions::Determinism;
use taffrail_plan::expr::{CompareOp, Expr, Part, Pred, Slot, slots_of};
use taffrail_plan::node::{Node, SortKey, Window, WindowFrame, WindowFunction, WindowItem};
use taffrail_plan::rel;
use taffrail_plan::slots::SlotSet;
use taffrail_types::Collation;

/// Columns of an order: slot, DESC, collation.
type Keys = Vec<(Slot, bool, Collation)>;

impl Planner<'_> {
    /// The operator of a window.
    pub(super) fn window(&self, r: rel::Window, needed: &SlotSet) -> SqlResult<Node> {
        let rel::Window { input, mut partition, mut order, items } = r;
        partition.retain(|(e, _)| !self.is_one_value(Part::Expr(e)));
        order.retain(|k| !self.is_one_value(Part::Expr(&k.expr)));
        let mut below = needed.clone();
        partition.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut below));
        order.iter().for_each(|k| add_slots(Part::Expr(&k.expr), &mut below));
        for i in &items {
            i.function.exprs(&mut |e| add_slots(Part::Expr(e), &mut below));
        }
        let save = input.columns().common(&below);
        let keys = keys(&partition, &order);
        let may_stream = items.iter().all(|i| streams(i, true));
        let goal = self.few.get().then_some(Goal::Unknown);
        let (input, ordered) = match &keys {
            Some(keys) if !keys.is_empty() && may_stream => {
                self.in_order(input, &below, &Order { keys, goal })?
            }
            keys => (self.lower(input, &below)?, keys.as_ref().is_some_and(Keys::is_empty)),
        };
        let by: Vec<(Slot, Collation)> = keys.iter().flatten().map(|k| (k.0, k.2)).collect();
        let apart = order::tells_apart(&input, &by);
        let streamed = ordered && items.iter().all(|i| streams(i, apart));
        let window = Window { input, partition, order, items, save, streamed, until: None };
        Ok(Node::Window(Arc::new(window)))
    }

    /// Whether it is one value for all rows of a statement.
    pub(super) fn is_one_value(&self, part: Part<'_>) -> bool {
        let mut one = true;
        match part {
            Part::Plan(s) => return s.outer.is_empty(),
            Part::Expr(Expr::Slot(_) | Expr::Carried | Expr::UserCall(_)) => return false,
            Part::Expr(Expr::Var(_)) => return !self.assigns.get(),
            Part::Expr(Expr::Call(c)) if c.function.determinism() == Determinism::PerCall => {
                return false;
            }
            Part::Expr(e) => e.children(&mut |p| one &= self.is_one_value(p)),
            Part::Pred(p) => p.children(&mut |p| one &= self.is_one_value(p)),
        }
        one
    }
}

/// The columns of a window's order; `None` where a key is no column.
fn keys(partition: &[(Expr, Collation)], order: &[SortKey]) -> Option<Keys> {
    let parts = partition.iter().map(|(e, c)| (e, false, *c));
    let sorted = order.iter().map(|k| (&k.expr, k.descending, k.collation));
    let column = |(e, descending, collation): (&Expr, bool, Collation)| match e {
        Expr::Slot(s) => Some((*s, descending, collation)),
        _ => None,
    };
    parts.chain(sorted).map(column).collect()
}

/// Whether a function is known as soon as its row has come. `apart`: no two rows of a partition are equal in the order.
fn streams(item: &WindowItem, apart: bool) -> bool {
    match &item.function {
        WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => true,
        WindowFunction::Aggregate(a) if !a.function.keeps_rows() => match item.frame {
            WindowFrame::Rows(None, Some(0)) => true,
            WindowFrame::RangeToCurrent => apart,
            _ => false,
        },
        _ => false,
    }
}

/// Whether rows come in the order of a column because it numbers them.
pub(super) fn numbers(node: &Node, slot: Slot) -> bool {
    match node {
        Node::Window(w) => {
            let numbers = |i: &WindowItem| {
                i.slot == slot && i.function == WindowFunction::RowNumber && w.partition.is_empty()
            };
            w.items.iter().any(numbers)
        }
        Node::Filter(f) => numbers(&f.input, slot),
        Node::Top(t) => numbers(&t.input, slot),
        Node::Compute(c) => numbers(&c.input, behind(&c.items, slot)),
        _ => false,
    }
}

/// The column that a computed one repeats, or that column itself.
pub(super) fn behind(items: &[(Expr, Slot)], slot: Slot) -> Slot {
    match items.iter().find(|i| i.1 == slot) {
        Some((Expr::Slot(from), _)) => *from,
        _ => slot,
    }
}

/// Ends the numbering of rows where no later one can pass these conditions, which are checked above it.
pub(super) fn stop(node: &mut Node, conditions: &[Pred]) {
    let bounds = conditions.iter().filter_map(|p| match p {
        Pred::Compare(c) => {
            let (column, value) = match (&c.left, c.op, &c.right) {
                (Expr::Slot(s), CompareOp::Le | CompareOp::Lt | CompareOp::Eq, value) => (s, value),
                (value, CompareOp::Ge | CompareOp::Gt | CompareOp::Eq, Expr::Slot(s)) => (s, value),
                _ => return None,
            };
            Some((*column, value))
        }
        _ => None,
    });
    let known = |e: &Expr| {
        let mut slots = 0;
        slots_of(Part::Expr(e), &mut |_| slots += 1);
        slots == 0 && e.is_repeatable()
    };
    for (slot, value) in bounds {
        if known(value) && set_end(node, slot, value) {
            return;
        }
    }
}

fn set_end(node: &mut Node, slot: Slot, value: &Expr) -> bool {
    match node {
        Node::Window(w) if w.streamed => {
            let numbers = |i: &WindowItem| {
                i.slot == slot && i.function == WindowFunction::RowNumber && w.partition.is_empty()
            };
            let found = w.items.iter().any(numbers);
            if found {
                Arc::make_mut(w).until = Some(value.clone());
            }
            found
        }
        Node::Filter(f) => set_end(&mut Arc::make_mut(f).input, slot, value),
        Node::Compute(c) => {
            let slot = behind(&c.items, slot);
            set_end(&mut Arc::make_mut(c).input, slot, value)
        }
        _ => false,
    }
}
