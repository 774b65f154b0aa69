//! Which columns a join has to keep of its sides: those that are read above the block, or by a condition that has not been checked
//! yet. What only a scan's own filter reads, or a join's key, is not carried on.

use super::Block;
use crate::planner::add_slots;
use taffrail_plan::expr::{Part, Pred, Slot, slots_of};
use taffrail_plan::slots::SlotSet;

impl Block<'_, '_> {
    /// A condition that is to be checked reads its slots.
    pub(super) fn reads(&mut self, p: &Pred) {
        add_slots(Part::Pred(p), &mut self.needed);
        slots_of(Part::Pred(p), &mut |s| self.used(s));
    }

    pub(super) fn used(&mut self, slot: Slot) {
        if let Some(uses) = self.uses.get_mut(slot as usize) {
            *uses += 1;
        }
    }

    /// A condition is checked where it is now, and reads its slots no more.
    pub(super) fn checked(&mut self, p: &Pred) {
        slots_of(Part::Pred(p), &mut |s| self.unused(s));
    }

    pub(super) fn unused(&mut self, slot: Slot) {
        if let Some(uses) = self.uses.get_mut(slot as usize) {
            debug_assert!(*uses > 0, "a condition is checked that nobody knew of");
            *uses = uses.saturating_sub(1);
        }
    }

    /// Slots of these sources that are read later: what a join has to keep of its side.
    pub(super) fn slots_of_sources(&self, ids: &[u32]) -> Vec<Slot> {
        let mut all = SlotSet::default();
        ids.iter().for_each(|id| all.add_all(&self.source(*id).columns));
        let mut slots = all.common(&self.needed);
        slots.retain(|s| self.uses.get(*s as usize).is_none_or(|uses| *uses > 0));
        slots
    }
}
