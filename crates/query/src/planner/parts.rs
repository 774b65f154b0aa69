//! SUBSTRING, LEFT, RIGHT, LEN and DATALENGTH of a large column that nothing else reads: the scan computes them itself, of no more of
//! the value than they need.

use super::Planner;
use std::sync::Arc;
use taffrail_plan::columns::Column;
use taffrail_plan::expr::{Call, Expr, Part, Slot, has_subquery, slots_of};
use taffrail_plan::node::{Access, LargePart, Node, Scan};
use taffrail_plan::slots::SlotSet;

impl Planner<'_> {
    /// A slot for a part of a large column.
    fn slot_of_part(&self, call: &Call, slot: Slot) -> Slot {
        let ty = call.function.result.into();
        let whole = self.columns.borrow()[slot].clone();
        self.new_slot(Column { ty, nullable: true, origin: None, ..whole })
    }

    /// Takes them out of what is computed of the rows of `input`. `needed`: what is read above.
    pub(super) fn parts_of_items(
        &self,
        input: &mut Node,
        items: &mut Vec<(Expr, Slot)>,
        needed: &SlotSet,
    ) {
        let Node::Scan(scan) = input else { return };
        // UPDATE and DELETE look at the row itself.
        if scan.locator.is_some() {
            return;
        }
        let scan = Arc::make_mut(scan);
        for (column, slot) in large(scan) {
            let mut read = 0;
            for (e, _) in items.iter() {
                slots_of(Part::Expr(e), &mut |s| read += usize::from(s == slot));
            }
            let parts = items.iter_mut().filter_map(|(e, _)| part(e, slot)).count();
            if needed.contains(slot) || read == 0 || parts != read {
                continue;
            }
            for (e, out) in items.iter_mut() {
                let whole = matches!(e, Expr::Call(_));
                let Some(e) = part(e, slot) else { continue };
                let Expr::Call(call) = &*e else { continue };
                // What is converted after it is no value of the item's column yet.
                let to = if whole { *out } else { self.slot_of_part(call, slot) };
                let Expr::Call(call) = std::mem::replace(e, Expr::Slot(to)) else { continue };
                scan.parts.push(LargePart { column, call, slot: to });
            }
            scan.columns.retain(|c| c.1 != slot);
        }
        items.retain(|(e, out)| *e != Expr::Slot(*out));
    }

    /// Takes such functions out of the values of variables, a column to one. What the function is asked for is a constant or a variable
    /// that the statement leaves alone: the scan computes it before the row's first assignment.
    pub(super) fn parts_of_variables(
        &self,
        input: &mut Node,
        assign: &mut [(u32, Expr)],
        outputs: &[Slot],
    ) {
        let Node::Scan(scan) = input else { return };
        if scan.locator.is_some() {
            return;
        }
        let scan = Arc::make_mut(scan);
        let assigned: Vec<u32> = assign.iter().map(|a| a.0).collect();
        let stands = |e: &Expr| match e {
            Expr::Var(v) => !assigned.contains(v),
            e => e.constant().is_some(),
        };
        for (column, slot) in large(scan) {
            let mut read = 0;
            for (_, e) in assign.iter() {
                slots_of(Part::Expr(e), &mut |s| read += usize::from(s == slot));
            }
            let Some(e) = assign.iter_mut().find_map(|(_, e)| part(e, slot)) else { continue };
            let Expr::Call(call) = &*e else { continue };
            if read != 1 || outputs.contains(&slot) || !call.args[1..].iter().all(stands) {
                continue;
            }
            let to = self.slot_of_part(call, slot);
            if let Expr::Call(call) = std::mem::replace(e, Expr::Slot(to)) {
                scan.parts.push(LargePart { column, call, slot: to });
                scan.columns.retain(|c| c.1 != slot);
            }
        }
    }
}

/// The large columns that the scan's own filter does not read.
fn large(scan: &Scan) -> Vec<(usize, Slot)> {
    let mut filtered = SlotSet::default();
    scan.filter.iter().for_each(|p| slots_of(Part::Pred(p), &mut |s| filtered.insert(s)));
    let columns = &scan.table.columns;
    let covered = |c| match &scan.access {
        Access::Nonclustered(index, _) => index.covers(c).is_some(),
        _ => false,
    };
    let large = |c: usize| columns[c].ty.is_max() && !columns[c].xml && !covered(c);
    let all = scan.columns.iter().copied();
    all.filter(|(c, s)| large(*c) && !filtered.contains(*s)).collect()
}

/// The function of the column in an expression that is that, or a conversion of that.
fn part(e: &mut Expr, slot: Slot) -> Option<&mut Expr> {
    let found = match e {
        Expr::Call(c) => {
            let known = ["SUBSTRING", "LEFT", "RIGHT", "LEN", "DATALENGTH"];
            let fixed = |e: &Expr| {
                let mut slots = 0;
                slots_of(Part::Expr(e), &mut |_| slots += 1);
                slots == 0 && !has_subquery(Part::Expr(e)) && e.is_repeatable()
            };
            // What counts surrogate pairs as one does not know where a character lies.
            let counts_units = !c.function.collations.iter().any(|c| c.is_supplementary());
            known.contains(&c.function.name())
                && counts_units
                && c.args[0] == Expr::Slot(slot)
                && c.args[1..].iter().all(fixed)
        }
        Expr::Cast(_) => false,
        _ => return None,
    };
    match e {
        _ if found => Some(e),
        Expr::Cast(c) => part(&mut c.value, slot),
        _ => None,
    }
}
