//! Indexes that a plan would use if they were there: those of columns that a scan compares and no index leads to.

use crate::expr::{CompareOp, Expr, Pred, Slot};
use crate::guess;
use crate::node::{Access, Scan};
use taffrail_catalog::is_temp;
use taffrail_catalog::missing::MissingColumns;

/// The column of the scan that an expression is.
fn column(scan: &Scan, e: &Expr) -> Option<usize> {
    let Expr::Slot(slot) = e else { return None };
    scan.columns.iter().find(|(_, s)| s == slot).map(|c| c.0)
}

/// Whether an expression reads nothing of the scan's row.
fn is_outside(scan: &Scan, e: &Expr) -> bool {
    let mut own = false;
    let of_scan = |slot: Slot| scan.columns.iter().any(|c| c.1 == slot);
    crate::expr::slots_of(crate::expr::Part::Expr(e), &mut |s| own |= of_scan(s));
    !own
}

/// The column that a condition compares with something known, and whether it is for equality.
fn compared(scan: &Scan, p: &Pred) -> Option<(usize, bool)> {
    match p {
        Pred::Compare(c) | Pred::NullsEqual(c, _) => {
            let pair = [(&c.left, &c.right), (&c.right, &c.left)];
            let found = pair
                .into_iter()
                .find_map(|(own, other)| column(scan, own).filter(|_| is_outside(scan, other)));
            found.map(|at| (at, c.op == CompareOp::Eq))
        }
        Pred::IsNull(e) => column(scan, e).map(|at| (at, true)),
        Pred::InList(l) => {
            let known = l.list.iter().all(|e| is_outside(scan, e));
            column(scan, &l.value).filter(|_| known).map(|at| (at, true))
        }
        Pred::Not(p) => match &**p {
            Pred::IsNull(e) => column(scan, e).map(|at| (at, false)),
            _ => None,
        },
        _ => None,
    }
}

/// The index that a scan would use, and by how much of a hundred its cost would fall. None where an index is used, where nothing is
/// compared, and for temporary tables.
pub fn missing(scan: &Scan) -> Option<(MissingColumns, f64)> {
    let table = &scan.table;
    let whole = match &scan.access {
        Access::Full => true,
        Access::Marked(_) => false,
        Access::Clustered(_, seek) | Access::Nonclustered(_, seek) => seek.is_whole(),
    };
    if !whole || scan.filter.is_none() || table.id().0 <= 0 || is_temp(table.name()) {
        return None;
    }
    if scan.database.is_temporary() || scan.database.holds_table_variables() {
        return None;
    }
    let (mut equality, mut inequality, mut share) = (Vec::new(), Vec::new(), 1.0);
    let mut look = |p: &Pred| {
        let Some((at, equal)) = compared(scan, p) else { return };
        // No key has them.
        let ty = table.columns[at].ty;
        if ty.is_max() || table.columns[at].is_virtual() {
            return;
        }
        let list = if equal { &mut equality } else { &mut inequality };
        if !list.contains(&at) {
            list.push(at);
            share *= if equal { guess::EQUAL } else { guess::RANGE };
        }
    };
    match scan.filter.as_ref() {
        Some(Pred::And(all)) => all.iter().for_each(&mut look),
        Some(p) => look(p),
        None => {}
    }
    inequality.retain(|at| !equality.contains(at));
    if equality.is_empty() && inequality.is_empty() {
        return None;
    }
    // One that leads by these columns is there, and was not worth it.
    let keyed = |at: usize| equality.contains(&at) || inequality.contains(&at);
    let leads = |i: &taffrail_catalog::Index| {
        i.filter.is_none() && i.key.columns().first().is_some_and(|k| keyed(k.column))
    };
    if table.indexes.iter().any(|i| leads(i)) {
        return None;
    }
    let mut included: Vec<usize> =
        scan.columns.iter().map(|c| c.0).filter(|c| !keyed(*c)).collect();
    included.retain(|at| !table.columns[*at].is_virtual());
    for list in [&mut equality, &mut inequality, &mut included] {
        list.sort_unstable();
    }
    let rows = scan.expected.table.max(1.0);
    let sought = guess::SEEK + rows * share;
    let impact = 100.0 * (1.0 - sought / rows);
    (impact > 0.0).then_some((MissingColumns { equality, inequality, included }, impact))
}
