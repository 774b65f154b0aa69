//! Conditions put so that more can be done with them: they stay equal to what was written, row by row.

use crate::plan::attributes::may_raise;
use crate::plan::expr::{Compare, CompareOp, Expr, Part, Pred, Slot, has_subquery};
use taffrail_types::Collation;

/// Conditions that all must hold, from those of the text: what all branches of an OR have in common stands beside it too.
pub(super) fn conjuncts(conditions: Vec<Pred>) -> Vec<Pred> {
    let mut out = Vec::with_capacity(conditions.len());
    for p in conditions {
        if let Pred::Or(branches) = &p {
            common(branches, &mut out);
        }
        out.push(p);
    }
    out
}

/// What holds in each branch, if computing it for every row can do no harm.
fn common(branches: &[Pred], out: &mut Vec<Pred>) {
    let parts = |p: &Pred| match p {
        Pred::And(list) => list.clone(),
        p => vec![p.clone()],
    };
    let Some((first, rest)) = branches.split_first() else { return };
    if !matches!(first, Pred::And(_)) {
        return;
    }
    let rest: Vec<Vec<Pred>> = rest.iter().map(parts).collect();
    for p in parts(first) {
        let everywhere = rest.iter().all(|list| list.contains(&p));
        if everywhere && !may_raise(Part::Pred(&p)) && !out.contains(&p) {
            out.push(p);
        }
    }
}

/// Adds what follows from `a = b` and `a = value`: `b = value`. Only columns of one type and collation, which are equal as they are.
pub(super) fn transitive(conditions: &mut Vec<Pred>) {
    let mut pairs: Vec<(Slot, Slot, Collation)> = Vec::new();
    let mut known: Vec<(Slot, Expr, Collation)> = Vec::new();
    for p in conditions.iter() {
        let Pred::Compare(c) = p else { continue };
        if c.op != CompareOp::Eq {
            continue;
        }
        match (&c.left, &c.right) {
            (Expr::Slot(a), Expr::Slot(b)) => pairs.push((*a, *b, c.collation)),
            (Expr::Slot(a), e @ (Expr::Const(_) | Expr::Var(_)))
            | (e @ (Expr::Const(_) | Expr::Var(_)), Expr::Slot(a)) => {
                known.push((*a, e.clone(), c.collation));
            }
            _ => {}
        }
    }
    let mut at = 0;
    while let Some((slot, value, collation)) = known.get(at).cloned() {
        at += 1;
        for (a, b, by) in &pairs {
            let other = match (*a == slot, *b == slot) {
                (true, false) => *b,
                (false, true) => *a,
                _ => continue,
            };
            if *by != collation || known.iter().any(|k| k.0 == other) {
                continue;
            }
            known.push((other, value.clone(), collation));
            let (left, right) = (Expr::Slot(other), value.clone());
            let op = CompareOp::Eq;
            conditions.push(Pred::Compare(Box::new(Compare { op, left, right, collation })));
        }
    }
    debug_assert!(known.iter().all(|k| !has_subquery(Part::Expr(&k.1))));
}
