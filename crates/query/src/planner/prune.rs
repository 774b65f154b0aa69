//! Columns that nobody reads are taken out of a relation before it is planned: what they would be computed of is not computed, so it
//! raises no error either. A view, a derived table or a common table expression costs what is asked of it.
//!
//! A column stays where it decides which rows there are: a group's key, a column of DISTINCT, UNION, EXCEPT and INTERSECT, a sort's
//! key below TOP, every column of a recursive expression.

use super::add_slots;
use std::mem::take;
use taffrail_plan::change::{InsertRows, MergeAction, MergeClause, OutputPlan, UpdatePlan};
use taffrail_plan::expr::{Part, Slot};
use taffrail_plan::rel::{Rel, SubqueryRows};
use taffrail_plan::slots::SlotSet;
use taffrail_plan::statement::Statement;

/// Takes them out of a statement.
pub(super) fn statement(bound: &mut Statement<Rel>) {
    match bound {
        Statement::Select(s, _) => {
            let mut needed: SlotSet = s.plan.outputs.iter().copied().collect();
            s.assign.iter().for_each(|(_, e)| add_slots(Part::Expr(e), &mut needed));
            prune(&mut s.plan.node, &needed);
        }
        Statement::Insert(i) => {
            if let InsertRows::Query(q) = &mut i.rows {
                prune(&mut q.node, &q.outputs.iter().copied().collect());
            }
        }
        Statement::Update(u) => {
            let mut needed = of_output(&u.output, u.locator);
            of_update(u, &mut needed);
            prune(&mut u.node, &needed);
        }
        Statement::Delete(d) => prune(&mut d.node, &of_output(&d.output, d.locator)),
        Statement::Merge(m) => {
            let mut needed = of_output(&m.output, m.locator);
            of_clauses(&m.clauses, &mut needed);
            if let Some(i) = &m.insert {
                i.condition.iter().for_each(|p| add_slots(Part::Pred(p), &mut needed));
                i.values.iter().for_each(|e| add_slots(Part::Expr(e), &mut needed));
            }
            prune(&mut m.node, &needed);
            if let Some(r) = &mut m.rest {
                let mut needed: SlotSet = [r.locator].into_iter().collect();
                of_clauses(&r.clauses, &mut needed);
                prune(&mut r.node, &needed);
            }
        }
        Statement::Scalar(..) | Statement::Condition(_) => {}
    }
}

/// Takes them out of a subquery, of which one column is read.
pub(super) fn subquery(rows: &mut SubqueryRows) {
    prune(&mut rows.rel, &[rows.output].into_iter().collect());
}

/// The columns that OUTPUT reads, and the locator.
fn of_output(output: &Option<OutputPlan<Rel>>, locator: Slot) -> SlotSet {
    let mut needed: SlotSet = [locator].into_iter().collect();
    if let Some(o) = output {
        needed.extend(o.saved.iter().chain(&o.outputs).copied());
        o.items.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut needed));
    }
    needed
}

fn of_update(u: &UpdatePlan<Rel>, needed: &mut SlotSet) {
    u.set.iter().flat_map(|a| a.exprs()).for_each(|e| add_slots(Part::Expr(e), needed));
    u.variables.iter().for_each(|(_, e)| add_slots(Part::Expr(e), needed));
}

fn of_clauses(clauses: &[MergeClause<Rel>], needed: &mut SlotSet) {
    for c in clauses {
        c.condition.iter().for_each(|p| add_slots(Part::Pred(p), needed));
        if let MergeAction::Update(u) = &c.action {
            of_update(u, needed);
        }
    }
}

/// Leaves of what `rel` computes only what is `needed` above it, or by itself.
fn prune(rel: &mut Rel, needed: &SlotSet) {
    // What is computed for nobody, and what stands there only for that.
    while let Some(input) = without(rel, needed) {
        *rel = input;
    }
    let mut below = needed.clone();
    match rel {
        Rel::Empty | Rel::OneRow | Rel::Rowset(_) => {}
        Rel::Get(g) => g.computed.retain(|c| needed.contains(c.slot)),
        Rel::Values(v) => {
            let kept: Vec<bool> = v.slots.iter().map(|s| needed.contains(*s)).collect();
            v.rows.iter_mut().for_each(|row| keep(row, &kept));
            keep(&mut v.slots, &kept);
        }
        Rel::Project(p) => {
            p.columns.retain(|s| needed.contains(*s));
            prune(&mut p.input, &p.columns.iter().copied().collect());
        }
        Rel::Group(g) => {
            g.aggs.retain(|a| needed.contains(a.slot));
            own(rel, &mut below);
            inputs(rel, &below);
        }
        Rel::Distinct(d) => {
            below.extend(d.slots.iter().map(|s| s.0));
            prune(&mut d.input, &below);
        }
        Rel::Union(list) => list.iter_mut().for_each(|r| prune(r, needed)),
        Rel::SetOperation(s) => {
            prune(&mut s.left, &s.left_slots.iter().map(|s| s.0).collect());
            prune(&mut s.right, &s.right_slots.iter().copied().collect());
        }
        Rel::Recursive(r) => {
            let all = r.slots.iter().copied().collect();
            r.anchors.iter_mut().chain(&mut r.parts).for_each(|r| prune(r, &all));
        }
        Rel::Join(_) => {
            own(rel, &mut below);
            let Rel::Join(j) = rel else { return };
            // An APPLY reads columns of the other side.
            prune(&mut j.right, &below);
            below.add_all(&j.right.outer_slots());
            prune(&mut j.left, &below);
        }
        Rel::Select(_) | Rel::Compute(_) | Rel::Window(_) | Rel::Sort(_) | Rel::Top(_) => {
            own(rel, &mut below);
            inputs(rel, &below);
        }
    }
}

/// The input of a relation that only computed what nobody reads, or `None`; of another one what is read is left.
fn without(rel: &mut Rel, needed: &SlotSet) -> Option<Rel> {
    match rel {
        Rel::Compute(c) => {
            // An item may read those before it.
            let mut read = needed.clone();
            let mut kept = vec![false; c.items.len()];
            for (at, (e, slot)) in c.items.iter().enumerate().rev() {
                kept[at] = read.contains(*slot);
                if kept[at] {
                    add_slots(Part::Expr(e), &mut read);
                }
            }
            keep(&mut c.items, &kept);
            c.items.is_empty().then(|| take(&mut c.input))
        }
        Rel::Window(w) => {
            w.items.retain(|i| needed.contains(i.slot));
            w.items.is_empty().then(|| take(&mut w.input))
        }
        _ => None,
    }
}

/// Adds what a relation's own expressions read.
fn own(rel: &Rel, below: &mut SlotSet) {
    rel.parts(&mut |p| add_slots(p, below));
}

fn inputs(rel: &mut Rel, needed: &SlotSet) {
    let input = match rel {
        Rel::Select(r) => &mut r.input,
        Rel::Compute(r) => &mut r.input,
        Rel::Window(r) => &mut r.input,
        Rel::Sort(r) => &mut r.input,
        Rel::Top(r) => &mut r.input,
        Rel::Group(r) => &mut r.input,
        _ => return,
    };
    prune(input, needed);
}

/// Keeps those of a list that are marked.
fn keep<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut at = kept.iter();
    list.retain(|_| *at.next().unwrap_or(&true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_plan::expr::Expr;
    use taffrail_plan::rel::{Compute, Values};
    use taffrail_types::Value;

    fn constant(n: i32) -> Expr {
        Expr::Const(Value::Int(n))
    }

    #[test]
    fn what_nobody_reads_is_not_computed() {
        let rows = vec![vec![constant(1), constant(2)]];
        let values = Rel::Values(Box::new(Values { rows, slots: vec![0, 1] }));
        let items = vec![(Expr::Slot(0), 2), (Expr::Slot(2), 3), (constant(5), 4)];
        let mut rel = Rel::Compute(Box::new(Compute { input: values, items }));
        prune(&mut rel, &[3].into_iter().collect());
        let Rel::Compute(c) = &rel else { panic!("{rel:?}") };
        assert_eq!(c.items, [(Expr::Slot(0), 2), (Expr::Slot(2), 3)]);
        let Rel::Values(v) = &c.input else { panic!("{rel:?}") };
        assert_eq!((&v.slots[..], v.rows[0].len()), (&[0][..], 1));
        prune(&mut rel, &SlotSet::default());
        let Rel::Values(v) = &rel else { panic!("{rel:?}") };
        assert_eq!((v.slots.len(), v.rows.len()), (0, 1));
    }
}
