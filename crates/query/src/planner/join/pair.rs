//! Two inputs that do not read each other: by which method they are joined.

use super::merge::{self, Inputs, Key};
use super::{Block, Planned};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{CompareOp, Part, Pred, Slot, has_subquery, slots_of};
use taffrail_plan::hints::{JoinMethod, JoinMethods};
use taffrail_plan::node::{HashJoin, JoinType, LoopJoin, Node, Spool};
use taffrail_plan::rel::RowsetSource;

impl Block<'_, '_> {
    /// Joins two inputs that do not read each other.
    pub(super) fn join(
        &mut self,
        left: Planned,
        left_sources: &[u32],
        right: Planned,
        right_sources: &[u32],
        (kind, methods): (JoinType, JoinMethods),
        on: Vec<Pred>,
    ) -> SqlResult<Planned> {
        let mut keys = Vec::new();
        let mut residual = Vec::new();
        for p in on {
            match methods.allow_keyed() {
                true => match self.equality(p, left_sources, right_sources) {
                    Ok(key) => keys.push(key),
                    Err(p) => residual.push(p),
                },
                false => residual.push(p),
            }
        }
        // Neither a hash nor an order is of use without an equality.
        if keys.is_empty() && !methods.allows(JoinMethod::Loop) {
            return Err(SqlError::new(8622, &[]));
        }
        // The keys are computed of what each side gives, before its rows are kept.
        for e in keys.iter().flat_map(|(l, r, _)| [l, r]) {
            slots_of(Part::Expr(e), &mut |s| self.unused(s));
        }
        let right_slots = self.slots_of_sources(right_sources);
        // Only what keeps the right side, as a hash does, can tell which of its rows found nothing: FULL is one of no keys.
        if keys.is_empty() && kind != JoinType::Full {
            let rows = left.1 * right.1;
            let right = match right.0 {
                // A function keeps its rows while its arguments are the same.
                called if is_function(&called) => called,
                input => Node::Spool(Arc::new(Spool { input, save: right_slots.clone() })),
            };
            return Ok((loop_join(left.0, right, kind, residual, right_slots), rows));
        }
        let left_slots = self.slots_of_sources(left_sources);
        residual.iter().for_each(|p| self.checked(p));
        let rows = left.1.max(right.1);
        let inputs = Inputs { left, right, kind, keys, residual, left_slots, right_slots };
        match merge::chosen(inputs, methods, self.leads()) {
            Ok((node, sorted)) => {
                self.ordered &= !sorted;
                Ok((node, rows))
            }
            Err(inputs) => Ok((self.hashed(inputs), rows)),
        }
    }

    fn hashed(&self, inputs: Inputs) -> Node {
        let Inputs { left, right, kind, keys, residual, left_slots, right_slots } = inputs;
        // The smaller side is hashed.
        let swap = kind == JoinType::Inner && right.1 > left.1 && !self.leads();
        let join = if swap {
            HashJoin {
                left: right.0,
                right: left.0,
                kind,
                keys: keys.into_iter().map(|(l, r, c)| (r, l, c)).collect(),
                residual: Pred::all(residual),
                left_slots: right_slots,
                right_slots: left_slots,
            }
        } else {
            HashJoin {
                left: left.0,
                right: right.0,
                kind,
                keys,
                residual: Pred::all(residual),
                left_slots,
                right_slots,
            }
        };
        Node::Hash(Arc::new(join))
    }

    /// The two sides of an equality between the inputs.
    #[allow(clippy::result_large_err)]
    fn equality(&self, p: Pred, left: &[u32], right: &[u32]) -> Result<Key, Pred> {
        let Pred::Compare(c) = p else { return Err(p) };
        if c.op != CompareOp::Eq
            || has_subquery(Part::Expr(&c.left))
            || has_subquery(Part::Expr(&c.right))
        {
            return Err(Pred::Compare(c));
        }
        let l = self.sources_of(Part::Expr(&c.left));
        let r = self.sources_of(Part::Expr(&c.right));
        let within =
            |list: &[u32], of: &[u32]| !list.is_empty() && list.iter().all(|s| of.contains(s));
        if within(&l, left) && within(&r, right) {
            return Ok((c.left, c.right, c.collation));
        }
        if within(&l, right) && within(&r, left) {
            return Ok((c.right, c.left, c.collation));
        }
        Err(Pred::Compare(c))
    }
}

/// Whether it reads the rows of a user's function.
fn is_function(node: &Node) -> bool {
    matches!(node, Node::View(v) if matches!(v.source, RowsetSource::Function(_)))
}

/// For each row of `left` those of `right`.
pub(in crate::planner) fn loop_join(
    left: Node,
    right: Node,
    kind: JoinType,
    on: Vec<Pred>,
    right_slots: Vec<Slot>,
) -> Node {
    Node::Loop(Arc::new(LoopJoin { left, right, kind, on: Pred::all(on), right_slots }))
}
