//! Conditions put so that more can be done with them: they stay equal to what was written, row by row.

use crate::binder::Metadata;
use taffrail_functions::Determinism;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::expr::{Compare, CompareOp, Expr, Part, Pred, Slot, has_subquery};
use taffrail_plan::fold;
use taffrail_types::{Collation, Family, SqlType, Value};

/// Conditions that all must hold, from those of the text: what all branches of an OR have in common stands beside it too, what a
/// function comes to whose arguments are constants is computed now, and where no row can pass they are one that is false.
pub(super) fn conjuncts(conditions: Vec<Pred>, meta: &dyn Metadata) -> Vec<Pred> {
    let mut all = Vec::with_capacity(conditions.len());
    for mut p in conditions {
        compute(&mut p, meta);
        fold::filter(&mut p);
        p.into_conjuncts(&mut all);
    }
    if fold::keep_nothing(&all) {
        return vec![Pred::Const(Some(false))];
    }
    let mut out = Vec::with_capacity(all.len());
    for p in all {
        if let Pred::Or(branches) = &p {
            common(branches, &mut out);
        }
        out.push(p);
    }
    out
}

/// Puts the result in the place of a function of constants. One that fails stays: it may be that nobody asks for it.
fn compute(p: &mut Pred, meta: &dyn Metadata) {
    match p {
        Pred::Compare(c) => {
            for side in [&mut c.left, &mut c.right] {
                if let Expr::Call(_) = side
                    && let Some(v) = value(side, meta)
                {
                    *side = Expr::Const(v);
                }
            }
        }
        Pred::And(list) | Pred::Or(list) => list.iter_mut().for_each(|p| compute(p, meta)),
        Pred::Not(p) => compute(p, meta),
        _ => {}
    }
}

/// The value of a function of dates and whole numbers; these go by no option of the session.
fn value(e: &Expr, meta: &dyn Metadata) -> Option<Value> {
    let plain =
        |ty: &SqlType| matches!(ty.family(), Family::NewDate | Family::OldDate | Family::Integer);
    match e {
        Expr::Const(v) => Some(v.clone()),
        Expr::Call(c)
            if c.function.determinism() == Determinism::Deterministic
                && c.function.params.iter().chain([&c.function.result]).all(plain) =>
        {
            let args: Option<Vec<Value>> = c.args.iter().map(|e| value(e, meta)).collect();
            meta.computed(c, &args?).filter(|v| !v.is_null())
        }
        _ => None,
    }
}

/// The conditions that hold in each branch, if computing them for every row can do no harm.
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

/// Adds what an OR over several sources says of each of them alone: of `a = 1 AND b = 2 OR a = 3 AND b = 4` that `a = 1 OR a = 3`, and
/// the same of `b`. `owner`: the source of a condition, if it is about one.
pub(super) fn apart(conditions: &mut Vec<Pred>, owner: &dyn Fn(&Pred) -> Option<u32>) {
    let mut out: Vec<Pred> = Vec::new();
    for p in conditions.iter() {
        let Pred::Or(branches) = p else { continue };
        if owner(p).is_some() || !matches!(branches.first(), Some(Pred::And(_))) {
            continue;
        }
        // Of each branch what is about one source, and can be computed for any row of it.
        let mut parts: Vec<Vec<(u32, Pred)>> = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut all = Vec::new();
            branch.clone().into_conjuncts(&mut all);
            let about_one = all.into_iter().filter_map(|p| {
                let fits = !may_raise(Part::Pred(&p)) && p.is_repeatable();
                let source = if fits && !conditions.contains(&p) { owner(&p) } else { None };
                source.map(|s| (s, p))
            });
            parts.push(about_one.collect());
        }
        let mut sources: Vec<u32> = parts[0].iter().map(|p| p.0).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let of_source = |list: &Vec<(u32, Pred)>| {
                let own = list.iter().filter(|p| p.0 == source).map(|p| p.1.clone());
                Pred::all(own.collect())
            };
            let either: Option<Vec<Pred>> = parts.iter().map(of_source).collect();
            out.extend(either.map(Pred::Or));
        }
    }
    conditions.extend(out);
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
            (Expr::Slot(a), e) | (e, Expr::Slot(a)) if super::is_simple(e) => {
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
