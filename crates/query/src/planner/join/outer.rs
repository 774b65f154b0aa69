//! Outer joins: each side is planned by itself.

use super::pair::loop_join;
use super::{Block, Item, Planned, Tree, tree_sources};
use crate::planner::filter;
use taffrail_base::SqlResult;
use taffrail_plan::expr::{Part, Pred};
use taffrail_plan::fold;
use taffrail_plan::node::{JoinType, Node};

impl Block<'_, '_> {
    /// An outer join: `conditions` are those of WHERE, checked above, except where they concern the preserved side only.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn outer(
        &mut self,
        kind: JoinType,
        left: Tree,
        right: Tree,
        on: Vec<Pred>,
        conditions: Vec<Pred>,
        placed: &[u32],
    ) -> SqlResult<Planned> {
        let (mut left_sources, mut right_sources) = (Vec::new(), Vec::new());
        tree_sources(&left, &mut left_sources);
        tree_sources(&right, &mut right_sources);
        let only = |this: &Self, p: &Pred, side: &[u32]| {
            this.sources_of(Part::Pred(p)).iter().all(|s| side.contains(s) || placed.contains(s))
        };
        let (mut below, above): (Vec<Pred>, Vec<Pred>) = match kind {
            JoinType::Full => (Vec::new(), conditions),
            _ => conditions.into_iter().partition(|p| only(self, p, &left_sources)),
        };
        let mut items = Vec::new();
        self.flatten(left, &mut items, &mut below);
        let left_node = self.place(items, below, placed)?;
        // The right side, with those conditions of ON that concern it alone.
        let mut items = Vec::new();
        let mut inner = Vec::new();
        self.flatten(right, &mut items, &mut inner);
        let lateral = items.iter().any(|i| !self.needs(i).is_empty());
        let methods = self.methods_to(&right_sources);
        let single = match items[..] {
            [Item::Source(id)] => Some(id),
            _ => None,
        };
        // A side none of whose rows has a partner is read only where it is kept itself.
        let alone = kind != JoinType::Full && fold::keep_nothing(&on);
        if kind == JoinType::Left
            && !alone
            && let Some(id) = single
            && (lateral || self.would_seek(id, &on, left_node.1, methods))
        {
            let mut conditions = on;
            conditions.extend(inner);
            let (right, rows) = self.read(id, conditions)?;
            let slots = self.slots_of_sources(&right_sources);
            let rows = left_node.1 * rows.max(1.0);
            let node = loop_join(left_node.0, right, kind, Vec::new(), slots);
            return Ok((filter(node, above), rows));
        }
        let on = match kind {
            JoinType::Full => on,
            _ => {
                let (local, on) = on.into_iter().partition(|p| {
                    let s = self.sources_of(Part::Pred(p));
                    !s.is_empty() && s.iter().all(|s| right_sources.contains(s))
                });
                inner.extend::<Vec<Pred>>(local);
                on
            }
        };
        let right_node = match alone {
            true => (Node::Nothing, 0.0),
            false => self.place(items, inner, &[])?,
        };
        let (node, rows) =
            self.join(left_node, &left_sources, right_node, &right_sources, (kind, methods), on)?;
        Ok((filter(node, above), rows))
    }
}
