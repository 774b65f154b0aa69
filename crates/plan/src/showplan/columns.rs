//! The columns that operators set and read.

use crate::expr::{Expr, Part, Slot, slots_of};
use crate::node::{Access, JoinType, Node, Scan, Seek, SeekBound, SeekValue, Window};
use crate::slots::SlotSet;
use taffrail_catalog::Index;

/// The physical and the logical name of a window's operator: of one that keeps no rows, or of one that keeps all.
pub(super) fn of_window(w: &Window) -> (&'static str, &'static str) {
    match w.streamed {
        true => ("Sequence Project", "Compute Scalar"),
        false => ("Window Aggregate", "Window Aggregate"),
    }
}

/// The slots that an operator puts out.
pub(super) fn outputs(node: &Node) -> Vec<Slot> {
    let mut out = match node {
        Node::OneRow | Node::Nothing => Vec::new(),
        Node::Scan(s) => s.columns.iter().map(|c| c.1).chain(s.locator).chain(s.image).collect(),
        Node::View(v) => v.columns.iter().map(|c| c.1).collect(),
        Node::Values(v) => v.slots.clone(),
        Node::Filter(f) => outputs(&f.input),
        Node::Compute(c) => {
            let mut out = outputs(&c.input);
            out.extend(c.items.iter().map(|i| i.1));
            out
        }
        Node::Loop(l) => of_join(l.kind, &l.left, &l.right),
        Node::Hash(h) => of_join(h.kind, &h.left, &h.right),
        Node::Merge(m) => of_join(m.kind, &m.left, &m.right),
        Node::Spool(s) => s.save.clone(),
        Node::Sort(s) => s.save.clone(),
        Node::Aggregate(a) => {
            let groups = a.groups.iter().map(|g| g.1);
            groups
                .chain(a.aggs.iter().map(|a| a.slot))
                .chain(a.marks.iter().map(|m| m.slot))
                .collect()
        }
        Node::Window(w) => {
            let mut out = if w.streamed { outputs(&w.input) } else { w.save.clone() };
            out.extend(w.items.iter().map(|i| i.slot));
            out
        }
        Node::Top(t) => outputs(&t.input),
        Node::Distinct(d) => d.slots.iter().map(|s| s.0).collect(),
        Node::Concat(list) => list.first().map(outputs).unwrap_or_default(),
        Node::SetOperation(s) => s.left_slots.iter().map(|s| s.0).collect(),
        Node::Recursive(r) => r.slots.clone(),
    };
    let mut seen = SlotSet::default();
    out.retain(|s| {
        let new = !seen.contains(*s);
        seen.insert(*s);
        new
    });
    out
}

fn of_join(kind: JoinType, left: &Node, right: &Node) -> Vec<Slot> {
    let mut out = outputs(left);
    match kind.is_one_sided() {
        true => out.extend(kind.mark()),
        false => out.extend(outputs(right)),
    }
    out
}

/// The slots that a node and those below it set.
pub(super) fn set_by(node: &Node) -> SlotSet {
    let mut out = SlotSet::default();
    node.visit(&mut |n| match n {
        Node::Scan(s) => out.extend(s.columns.iter().map(|c| c.1).chain(s.locator).chain(s.image)),
        Node::View(v) => out.extend(v.columns.iter().map(|c| c.1)),
        Node::Values(v) => out.extend(v.slots.iter().copied()),
        Node::Compute(c) => out.extend(c.items.iter().map(|i| i.1)),
        Node::Aggregate(a) => {
            out.extend(a.groups.iter().map(|g| g.1).chain(a.aggs.iter().map(|a| a.slot)));
            out.extend(a.marks.iter().map(|m| m.slot));
        }
        Node::Window(w) => out.extend(w.items.iter().map(|i| i.slot)),
        Node::Recursive(r) => out.extend(r.slots.iter().chain(&r.work).copied()),
        _ => {}
    });
    out
}

/// The slots that a node and those below it read.
pub(super) fn read_by(node: &Node) -> SlotSet {
    let mut out = SlotSet::default();
    node.visit(&mut |n| {
        let mut expr = |e: &Expr| slots_of(Part::Expr(e), &mut |s| out.insert(s));
        match n {
            Node::Scan(s) => seek_of(s).into_iter().for_each(|(_, seek)| {
                let bounds = seek.then.iter().flat_map(values_of);
                seek.equal.iter().chain(bounds).for_each(|v| expr(&v.expr));
            }),
            Node::View(v) => v.args.iter().for_each(expr),
            Node::Values(v) => v.rows.iter().flatten().for_each(expr),
            Node::Compute(c) => c.items.iter().for_each(|i| expr(&i.0)),
            Node::Hash(h) => h.keys.iter().for_each(|(l, r, _)| {
                expr(l);
                expr(r);
            }),
            Node::Merge(m) => m.keys.iter().for_each(|k| {
                expr(&k.left);
                expr(&k.right);
            }),
            Node::Sort(s) => s.keys.iter().map(|k| &k.expr).chain(&s.limit).for_each(expr),
            Node::Aggregate(a) => {
                a.groups.iter().for_each(|g| expr(&g.0));
                a.aggs.iter().for_each(|a| a.exprs(&mut expr));
            }
            Node::Window(w) => {
                w.partition.iter().for_each(|p| expr(&p.0));
                w.order.iter().for_each(|k| expr(&k.expr));
                w.items.iter().for_each(|i| i.function.exprs(&mut expr));
            }
            Node::Top(t) => {
                let ties = t.ties.iter().flatten().map(|t| &t.0);
                t.count.iter().chain(&t.offset).chain(ties).for_each(expr);
            }
            _ => {}
        }
        let pred = match n {
            Node::Scan(s) => s.filter.as_ref(),
            Node::View(v) => v.filter.as_ref(),
            Node::Filter(f) => Some(&f.pred),
            Node::Loop(l) => l.on.as_ref(),
            Node::Hash(h) => h.residual.as_ref(),
            Node::Merge(m) => m.residual.as_ref(),
            _ => None,
        };
        pred.into_iter().for_each(|p| slots_of(Part::Pred(p), &mut |s| out.insert(s)));
    });
    out
}

/// The values that a bound compares with.
pub(super) fn values_of(bound: &SeekBound) -> Vec<&SeekValue> {
    match bound {
        SeekBound::Equal(v) | SeekBound::Beginning { pattern: v, .. } => vec![v],
        SeekBound::Null | SeekBound::NotNull => Vec::new(),
        SeekBound::Range { low, high } => [low, high].into_iter().flatten().map(|e| &e.0).collect(),
    }
}

/// The index that a scan seeks in, and what it seeks.
pub(super) fn seek_of(s: &Scan) -> Option<(&Index, &Seek)> {
    match &s.access {
        Access::Full | Access::Marked(_) => None,
        Access::Clustered(i, seek) | Access::Nonclustered(i, seek) => Some((i, seek)),
    }
}
