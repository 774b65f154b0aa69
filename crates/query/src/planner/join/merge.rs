//! When a join is a merge join: where both inputs come in the order of its keys anyway, are large, and no row of one side has two
//! partners there; and where hints leave no other way by an equality, below which what is in no order is sorted.
//!
//! A hash join keeps its order of the left side only; a merge join gives the right side's, too.

use super::Planned;
use crate::planner::add_slots;
use crate::planner::order::{self, Lined};
use std::sync::Arc;
use taffrail_plan::expr::{Expr, Part, Pred, Slot};
use taffrail_plan::hints::{JoinMethod, JoinMethods};
use taffrail_plan::node::{JoinType, MergeJoin, MergeKey, Node, Sort, SortKey};
use taffrail_plan::slots::SlotSet;
use taffrail_types::Collation;

/// Each side has so many rows where nobody asks for a merge join.
const LARGE: f64 = 1000.0;

/// An equality: an expression of the left row, one of the right row.
pub(in crate::planner) type Key = (Expr, Expr, Collation);

/// Two inputs that are joined by equalities.
pub(in crate::planner) struct Inputs {
    pub left: Planned,
    pub right: Planned,
    pub kind: JoinType,
    pub keys: Vec<Key>,
    pub residual: Vec<Pred>,
    /// What is read of each side when its rows have been joined, or while they are.
    pub left_slots: Vec<Slot>,
    pub right_slots: Vec<Slot>,
}

/// A merge join of the inputs, where it is to be one, and whether it sorts the left one. `stay`: the left side stays the left side.
#[allow(clippy::result_large_err)]
pub(in crate::planner) fn chosen(
    mut inputs: Inputs,
    methods: JoinMethods,
    stay: bool,
) -> Result<(Node, bool), Inputs> {
    if inputs.keys.is_empty() || !methods.allows(JoinMethod::Merge) {
        return Err(inputs);
    }
    let asked_for = !methods.allows(JoinMethod::Hash);
    if !asked_for && inputs.left.1.min(inputs.right.1) < LARGE {
        return Err(inputs);
    }
    let given = (order::given(&inputs.left.0), order::given(&inputs.right.0));
    let lefts = inputs.keys.iter().map(|k| (&k.0, k.2));
    let rights = inputs.keys.iter().map(|k| (&k.1, k.2));
    let left_apart = order::tells_apart(&inputs.left.0, &order::columns(lefts.clone()));
    let right_apart = order::tells_apart(&inputs.right.0, &order::columns(rights.clone()));
    let (lined, sorts) = match order::common(&given.0, &given.1, &inputs.keys) {
        Some(lined) => (lined, (false, false)),
        None if !asked_for => return Err(inputs),
        None => {
            let left = order::lined_up(&given.0, &lefts.collect::<Vec<_>>());
            let right = order::lined_up(&given.1, &rights.collect::<Vec<_>>());
            match (left, right) {
                (Some(lined), _) => (lined, (false, true)),
                (None, Some(lined)) => (lined, (true, false)),
                (None, None) => {
                    ((0..inputs.keys.len()).map(|at| (at, false)).collect(), (true, true))
                }
            }
        }
    };
    // A semi join asks for one partner, on which the right side stays for the next left row.
    let keeps_none = matches!(inputs.kind, JoinType::Semi | JoinType::Anti);
    let keeps_none = keeps_none && inputs.residual.is_empty();
    if !asked_for && !left_apart && !right_apart && !keeps_none {
        return Err(inputs);
    }
    let swap = inputs.kind == JoinType::Inner && !stay && !left_apart && right_apart;
    if swap {
        std::mem::swap(&mut inputs.left, &mut inputs.right);
        std::mem::swap(&mut inputs.left_slots, &mut inputs.right_slots);
        inputs.keys.iter_mut().for_each(|k| std::mem::swap(&mut k.0, &mut k.1));
    }
    let sorts = if swap { (sorts.1, sorts.0) } else { sorts };
    let many_to_many = !left_apart && !swap && !keeps_none;
    Ok((merged(inputs, &lined, sorts, many_to_many), sorts.0))
}

fn merged(inputs: Inputs, lined: &Lined, sorts: (bool, bool), many_to_many: bool) -> Node {
    let Inputs { left, right, kind, keys, residual, left_slots, right_slots } = inputs;
    let keys: Vec<MergeKey> = lined
        .iter()
        .map(|(at, descending)| {
            let (left, right, collation) = keys[*at].clone();
            MergeKey { left, right, collation, descending: *descending }
        })
        .collect();
    let side = |node: Node, sort: bool, slots: &[Slot], of: fn(&MergeKey) -> &Expr| match sort {
        false => node,
        true => sorted(node, slots, keys.iter().map(|k| (of(k), k))),
    };
    let left = side(left.0, sorts.0, &left_slots, |k| &k.left);
    let right = side(right.0, sorts.1, &right_slots, |k| &k.right);
    let residual = Pred::all(residual);
    Node::Merge(Arc::new(MergeJoin {
        left,
        right,
        kind,
        keys,
        many_to_many,
        residual,
        left_slots,
        right_slots,
    }))
}

/// An input in the order of the keys, of which the slots that are read later are kept.
fn sorted<'k>(
    input: Node,
    slots: &[Slot],
    keys: impl Iterator<Item = (&'k Expr, &'k MergeKey)>,
) -> Node {
    let mut save: SlotSet = slots.iter().copied().collect();
    let key = |(e, k): (&Expr, &MergeKey)| {
        add_slots(Part::Expr(e), &mut save);
        SortKey { expr: e.clone(), descending: k.descending, collation: k.collation }
    };
    let keys = keys.map(key).collect();
    Node::Sort(Arc::new(Sort { input, keys, save: save.iter().collect(), limit: None }))
}
