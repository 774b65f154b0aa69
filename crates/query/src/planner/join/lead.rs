//! The first rows of a join in an order: its first source gives it, and the joins keep it.
//!
//! All rows of a join are made and sorted for a TOP that asks for ten of them. Where an index gives one source in the order, that
//! source may come first instead: then as many of its rows are read as make ten. It pays by the row goal alone.

use super::arrange::Step;
use super::{Block, Item, Tree};
use crate::planner::access::{Goal, Order, guess};
use taffrail_base::SqlResult;
use taffrail_catalog::IndexKind;
use taffrail_plan::expr::{Part, Pred};
use taffrail_plan::node::JoinType;
use taffrail_plan::rel::Rel;

impl Block<'_, '_> {
    /// The source that may give the order: the only one, or that which has all columns of it, if only so many rows are asked for.
    pub(super) fn leader(&self, tree: &Tree) -> Option<u32> {
        if let Tree::Source(id) = tree {
            return Some(*id);
        }
        let Order { keys, goal } = self.order?;
        goal.as_ref()?;
        let id = self.owner[keys.first()?.0 as usize];
        let all = keys.iter().all(|k| self.owner[k.0 as usize] == id);
        (all && may_lead(tree, id)).then_some(id)
    }

    /// A source of several gives the order: joins keep it.
    pub(super) fn leads(&self) -> bool {
        self.leading.is_some() && self.sources.len() > 1
    }

    /// The order that a source is asked for.
    pub(super) fn wanted_order(&self, id: u32) -> Option<Order<'_>> {
        let Order { keys, goal } = self.order.filter(|_| self.leading == Some(id))?;
        let goal = goal.map(|g| Goal::Rows(g.rows() / self.led_share.max(1e-9)));
        Some(Order { keys, goal })
    }

    /// FORCE ORDER: only the first one may lead.
    pub(super) fn follow(&mut self, items: &[Item]) {
        let place = |id: u32| items.iter().position(|i| self.item_sources(i).contains(&id));
        if self.leading.and_then(place).is_some_and(|at| at > 0) {
            self.leading = None;
        }
    }

    /// The best order of the items; that which begins with the leading source where rows that are not read pay for it.
    pub(super) fn led_or_arranged(
        &mut self,
        items: &[Item],
        conditions: &[Pred],
        before: &[u32],
    ) -> SqlResult<Option<Vec<Step>>> {
        let best = self.arranged(items, conditions, before, None);
        let at = |id: u32| items.iter().position(|i| self.item_sources(i).contains(&id));
        let (Some(id), true) = (self.leading, items.len() > 1) else {
            return Ok(best.map(|b| b.order));
        };
        let Some(at) = at(id) else { return Ok(best.map(|b| b.order)) };
        self.leading = None;
        let Some(best) = best else { return Ok(None) };
        let Some(goal) = self.order.and_then(|o| o.goal) else { return Ok(Some(best.order)) };
        let rows = best.order.last().map_or(1.0, |o| o.rows).max(1.0);
        let scale = (goal.rows() / rows).min(1.0);
        let led = self.arranged(items, conditions, before, Some((at, scale)));
        let Some(led) = led else { return Ok(Some(best.order)) };
        if led.cost >= best.cost + rows * (rows + 1.0).log2() * guess::SORTED {
            return Ok(Some(best.order));
        }
        // Whether an index gives the order under the conditions that are checked there.
        let own: Vec<Pred> = conditions
            .iter()
            .filter(|p| matches!(self.sources_of(Part::Pred(p))[..], [only] if only == id))
            .cloned()
            .collect();
        let first = led.order.first().map_or(1.0, |o| o.rows).max(1.0);
        (self.leading, self.led_share) = (Some(id), (rows / first).min(1.0));
        if self.gives_order(items, at, id, &own)? {
            let scaled = led.order.into_iter().map(|s| Step { rows: s.rows * scale, ..s });
            return Ok(Some(scaled.collect()));
        }
        (self.leading, self.led_share) = (None, 1.0);
        Ok(Some(best.order))
    }

    fn gives_order(
        &self,
        items: &[Item],
        at: usize,
        id: u32,
        conditions: &[Pred],
    ) -> SqlResult<bool> {
        let (Item::Source(_), Some(Rel::Get(get))) = (&items[at], &self.source(id).rel) else {
            return Ok(false);
        };
        let ordered = get.table.table.indexes.iter().any(|i| i.kind != IndexKind::Heap);
        if !ordered {
            return Ok(false);
        }
        let choice = self.choose(id, get, conditions, self.estimate(id))?;
        Ok(choice.ordered.is_some() && !choice.correlated)
    }
}

/// Whether joins keep the order of this source, wherever it is placed.
fn may_lead(tree: &Tree, id: u32) -> bool {
    match tree {
        Tree::Source(s) => *s == id,
        Tree::Join { kind: JoinType::Inner, left, right, .. } => {
            may_lead(left, id) || may_lead(right, id)
        }
        Tree::Join { kind: JoinType::Left, left, .. } => may_lead(left, id),
        Tree::Join { .. } => false,
    }
}
