//! Conditions that are decided before a row is read: what constants say, and what then decides an AND or an OR.
//!
//! A part that is not needed any more is left out, even if it would end in an error: `1/0 = 1 AND 1 = 0` is false.

use crate::expr::{CompareOp, Expr, InList, Pred, compare_values};
use taffrail_types::Collation;

/// A condition on which rows depend, folded: unknown leaves a row out, as false does.
pub fn filter(p: &mut Pred) {
    fold(p, true);
}

/// Whether no row passes the conditions.
pub fn keep_nothing(conditions: &[Pred]) -> bool {
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
        Pred::Compare(c) if c.left.is_null() || c.right.is_null() => Some(Pred::Const(None)),
        Pred::Compare(c) => match (c.left.constant(), c.right.constant()) {
            (Some(l), Some(r)) => Some(Pred::Const(compare_values(c.op, l, r, c.collation))),
            _ => None,
        },
        Pred::NullsEqual(c, false) => match (c.left.constant(), c.right.constant()) {
            (Some(l), Some(r)) => {
                let of_values = compare_values(c.op, l, r, c.collation);
                let holds = of_values.unwrap_or(c.nulls_hold(l.is_null(), r.is_null()));
                Some(Pred::Const(Some(holds)))
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
    if l.value.is_null() || l.list.iter().all(Expr::is_null) {
        return Some(None);
    }
    if let Some(found) = among(&l.value, &l.list, l.collation) {
        return Some(found);
    }
    if filters {
        l.list.retain(|e| !e.is_null());
    }
    None
}

/// Whether a constant is one of a list of constants.
fn among(value: &Expr, list: &[Expr], collation: Collation) -> Option<Option<bool>> {
    let (value, mut found) = (value.constant()?, Some(false));
    for e in list {
        match compare_values(CompareOp::Eq, value, e.constant()?, collation) {
            Some(true) => return Some(Some(true)),
            Some(false) => {}
            None => found = None,
        }
    }
    Some(found)
}
