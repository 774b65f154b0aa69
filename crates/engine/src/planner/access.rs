//! How a table's rows are found: which index serves which conditions.
//!
//! A condition is *sargable* when it compares a column with something known before the scan opens. An index serves
//! equalities on its first key columns and then a range on the next one.

use crate::catalog::{Index, IndexKind, Table, Term, Test};
use crate::plan::expr::{Cast, Compare, CompareOp, Expr, Pred, Slot};
use crate::plan::node::{Access, Seek, SeekValue};
use std::sync::Arc;
use taffrail_types::compare::compare;
use taffrail_types::{Conversion, SqlType, Value};

/// A condition that an index may serve.
struct Sarg {
    /// Which of the conditions.
    at: usize,
    column: usize,
    op: CompareOp,
    /// The column stands on the left.
    left: bool,
    /// The seek gives exactly the rows of the condition.
    exact: bool,
    from: SqlType,
}

/// A way to a table's rows.
pub(crate) struct Choice {
    pub access: Access,
    /// Conditions that need not be checked again, ascending.
    pub served: Vec<usize>,
    /// Rows expected.
    pub rows: f64,
    /// Reads sources placed before it.
    pub correlated: bool,
}

fn is_integer(ty: SqlType) -> bool {
    matches!(ty, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt)
}

/// The column behind one side of a comparison; whether it is compared as it is.
fn column_of(e: &Expr, columns: &[(usize, Slot)]) -> Option<(usize, bool)> {
    let slot = |s: &Slot| columns.iter().find(|(_, k)| k == s).map(|(c, _)| *c);
    match e {
        Expr::Slot(s) => slot(s).map(|c| (c, true)),
        Expr::Cast(c) => {
            match &**c {
                Cast {
                    value: Expr::Slot(s), from, to, conversion: Conversion::Implicit, ..
                } if is_integer(*from) && is_integer(*to) => slot(s).map(|c| (c, false)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn sarg(
    at: usize,
    c: &Compare,
    table: &Table,
    columns: &[(usize, Slot)],
    available: &dyn Fn(&Expr) -> bool,
) -> Option<Sarg> {
    if c.op == CompareOp::Ne {
        return None;
    }
    for left in [true, false] {
        let (mine, other) = if left { (&c.left, &c.right) } else { (&c.right, &c.left) };
        let Some((column, exact)) = column_of(mine, columns) else { continue };
        if !available(other) || !other.is_repeatable() {
            continue;
        }
        let ty = table.columns[column].ty;
        // The other side has the type that the comparison settled on.
        let from = match mine {
            Expr::Cast(k) => k.to,
            _ => ty,
        };
        if crate::binder::is_text_type(ty) && table.columns[column].collation != c.collation {
            continue;
        }
        let op = if left { c.op } else { c.op.flip() };
        return Some(Sarg { at, column, op, left, exact, from });
    }
    None
}

/// Chooses among the indexes. `available` tells whether an expression can be computed before the scan opens;
/// `correlated` whether it reads sources placed before.
pub(crate) fn choose(
    table: &Table,
    columns: &[(usize, Slot)],
    conditions: &[Pred],
    rows: u64,
    available: &dyn Fn(&Expr) -> bool,
    correlated: &dyn Fn(&Expr) -> bool,
) -> Choice {
    let rows = (rows as f64).max(1.0);
    let sargs: Vec<Sarg> = conditions
        .iter()
        .enumerate()
        .filter_map(|(at, p)| match p {
            Pred::Compare(c) => sarg(at, c, table, columns, available),
            _ => None,
        })
        .collect();
    let mut best = Choice { access: Access::Full, served: Vec::new(), rows, correlated: false };
    let mut best_cost = rows;
    for index in &table.indexes {
        if index.kind == IndexKind::Heap {
            continue;
        }
        // A filtered index has all rows that are asked for only if the conditions say what its filter says.
        if let Some(filter) = &index.filter
            && !filter.terms.iter().all(|t| implied(t, conditions, &sargs, columns))
        {
            continue;
        }
        if let Some((choice, cost)) =
            try_index(index, table, columns, conditions, &sargs, rows, correlated)
            && cost < best_cost
        {
            best = choice;
            best_cost = cost;
        }
    }
    let left: i32 = conditions.len() as i32 - best.served.len() as i32;
    best.rows = (best.rows * 0.4f64.powi(left.max(0))).max(0.5);
    best
}

/// Whether the conditions let only rows through that a term of a filter lets through.
fn implied(t: &Term, conditions: &[Pred], sargs: &[Sarg], columns: &[(usize, Slot)]) -> bool {
    let is_column = |e: &Expr| column_of(e, columns).is_some_and(|(c, _)| c == t.column);
    match &t.test {
        Test::Null => conditions.iter().any(|p| matches!(p, Pred::IsNull(e) if is_column(e))),
        // What is compared with something, and passes, is not NULL.
        Test::NotNull => {
            sargs.iter().any(|s| s.column == t.column)
                || conditions.iter().any(|p| {
                    let Pred::Not(p) = p else { return false };
                    matches!(&**p, Pred::IsNull(e) if is_column(e))
                })
        }
        Test::Compare(op, value) => sargs.iter().any(|s| {
            let Pred::Compare(c) = &conditions[s.at] else { return false };
            let other = if s.left { &c.right } else { &c.left };
            let same = |v: &Value| compare(v, value, t.collation).is_eq();
            s.column == t.column
                && s.exact
                && s.op == *op
                && matches!(other, Expr::Const(v) if !v.is_null() && same(v))
        }),
        Test::In(_) => false,
    }
}

fn try_index(
    index: &Arc<Index>,
    table: &Table,
    columns: &[(usize, Slot)],
    conditions: &[Pred],
    sargs: &[Sarg],
    rows: f64,
    correlated: &dyn Fn(&Expr) -> bool,
) -> Option<(Choice, f64)> {
    let mut seek = Seek::default();
    let mut served = Vec::new();
    let mut reads_others = false;
    let mut take = |s: &Sarg| {
        let Pred::Compare(c) = &conditions[s.at] else { unreachable!("sargs are comparisons") };
        let other = if s.left { &c.right } else { &c.left };
        reads_others |= correlated(other);
        SeekValue { expr: other.clone(), from: s.from, to: table.columns[s.column].ty }
    };
    let mut selectivity = 1.0;
    let keys = index.key.columns();
    for (n, key) in keys.iter().enumerate() {
        let on_key = || sargs.iter().filter(|s| s.column == key.column);
        if let Some(s) = on_key().find(|s| s.op == CompareOp::Eq) {
            seek.equal.push(take(s));
            if s.exact {
                served.push(s.at);
            }
            selectivity *= if n == 0 { 0.05 } else { 0.1 };
            continue;
        }
        for s in on_key() {
            let bound = match s.op {
                CompareOp::Gt | CompareOp::Ge if seek.low.is_none() => &mut seek.low,
                CompareOp::Lt | CompareOp::Le if seek.high.is_none() => &mut seek.high,
                _ => continue,
            };
            *bound = Some((take(s), matches!(s.op, CompareOp::Ge | CompareOp::Le)));
            selectivity *= 0.3;
        }
        // A range is only a coarse filter where casts are in the way; the conditions stay.
        break;
    }
    if seek.equal.is_empty() && seek.low.is_none() && seek.high.is_none() {
        return None;
    }
    let whole_key = seek.equal.len() == keys.len();
    let expected = if index.unique && whole_key { 1.0 } else { (rows * selectivity).max(1.0) };
    let covering = columns.iter().all(|(c, _)| index.covers(*c).is_some());
    let (access, cost) = match index.kind {
        IndexKind::Clustered => (Access::Clustered(index.clone(), seek), expected * 0.9),
        _ if covering => (Access::Nonclustered(index.clone(), seek), expected),
        // A look-up for every row.
        _ => (Access::Nonclustered(index.clone(), seek), expected * 3.0),
    };
    served.sort_unstable();
    Some((Choice { access, served, rows: expected, correlated: reads_others }, cost))
}
