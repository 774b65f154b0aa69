//! Conditions that are decided before a row is read: what constants say, and what then decides an AND or an OR.
//!
//! A part that is not needed any more is left out, even if it would end in an error: `1/0 = 1 AND 1 = 0` is false.

use crate::plan::expr::{Expr, InList, Pred};
use taffrail_types::{Collation, Value, compare};

/// A condition on which rows depend, folded: unknown leaves a row out, as false does.
pub(crate) fn filter(p: &mut Pred) {
    fold(p, true);
}

/// Whether no row passes the conditions.
pub(crate) fn keep_nothing(conditions: &[Pred]) -> bool {
    conditions.iter().any(|p| *p == Pred::Const(Some(false)))
}

/// `filters`: unknown is as good as false.
fn fold(p: &mut Pred, filters: bool) {
    let known = match p {
        Pred::And(list) => junction(list, false, filters),
        Pred::Or(list) => junction(list, true, filters),
        Pred::Not(inner) => {
            fold(inner, false);
            match **inner {
                Pred::Const(known) => Some(Pred::Const(known.map(|b| !b))),
                _ => None,
            }
        }
        Pred::Compare(c) => match (&c.left, &c.right) {
            (Expr::Const(Value::Null), _) | (_, Expr::Const(Value::Null)) => {
                Some(Pred::Const(None))
            }
            (Expr::Const(l), Expr::Const(r)) => {
                let order = compare::compare(l, r, c.collation);
                Some(Pred::Const(Some(c.op.holds(order))))
            }
            _ => None,
        },
        Pred::IsNull(e) => e.constant().map(|v| Pred::Const(Some(v.is_null()))),
        Pred::InList(l) => in_list(l, filters).map(Pred::Const),
        _ => None,
    };
    if let Some(known) = known {
        *p = known;
    }
    if filters && *p == Pred::Const(None) {
        *p = Pred::Const(Some(false));
    }
}

/// An AND, which false decides, or an OR, which true decides.
fn junction(list: &mut Vec<Pred>, decides: bool, filters: bool) -> Option<Pred> {
    list.iter_mut().for_each(|p| fold(p, filters));
    if list.contains(&Pred::Const(Some(decides))) {
        return Some(Pred::Const(Some(decides)));
    }
    list.retain(|p| *p != Pred::Const(Some(!decides)));
    match list.len() {
        0 => Some(Pred::Const(Some(!decides))),
        1 => list.pop(),
        _ => list.iter().all(|p| *p == Pred::Const(None)).then_some(Pred::Const(None)),
    }
}

/// What an IN says whatever the row is; its NULLs go where they decide nothing.
fn in_list(l: &mut InList, filters: bool) -> Option<Option<bool>> {
    let is_null = |e: &Expr| *e == Expr::NULL;
    if is_null(&l.value) || l.list.iter().all(is_null) {
        return Some(None);
    }
    if let Some(found) = among(&l.value, &l.list, l.collation) {
        return Some(found);
    }
    if filters {
        l.list.retain(|e| !is_null(e));
    }
    None
}

/// Whether a constant is one of a list of constants.
fn among(value: &Expr, list: &[Expr], collation: Collation) -> Option<Option<bool>> {
    let (value, mut found) = (value.constant()?, Some(false));
    for e in list {
        match e.constant()? {
            Value::Null => found = None,
            v if compare::compare(value, v, collation).is_eq() => return Some(Some(true)),
            _ => {}
        }
    }
    Some(found)
}
