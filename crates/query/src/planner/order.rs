//! The order in which operators give their rows, and the columns that tell these apart: read off the operators themselves.
//!
//! An order by a column is one under the column's own collation, or that of the sort: it serves a comparison under the same one only.

use crate::binder::has_collation;
use taffrail_catalog::{Index, IndexKind};
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::locking::RowMode;
use taffrail_plan::node::{Access, HashJoin, JoinType, MergeJoin, Node, Scan, Seek};
use taffrail_types::Collation;

/// A key by which the rows are ordered, where they are equal in the keys before it.
pub(super) struct Given {
    /// Columns of which each is equal to each.
    slots: Vec<Slot>,
    /// The order is descending.
    descending: bool,
    /// That of the order; `None` where there is only one.
    collation: Option<Collation>,
    /// The column has one value: what comes behind it orders as if it were not there.
    fixed: bool,
}

impl Given {
    fn is(&self, slot: Slot, collation: Collation) -> bool {
        self.slots.contains(&slot) && self.collation.is_none_or(|own| own == collation)
    }

    fn is_expr(&self, e: &Expr, collation: Collation) -> bool {
        matches!(e, Expr::Slot(s) if self.is(*s, collation))
    }
}

/// The order of an operator's rows, as far as it is known.
pub(super) fn given(node: &Node) -> Vec<Given> {
    match node {
        Node::Scan(s) => of_scan(s),
        Node::Filter(f) => given(&f.input),
        Node::Compute(c) => {
            let mut all = given(&c.input);
            for (e, slot) in &c.items {
                let Expr::Slot(from) = e else { continue };
                let same = all.iter_mut().filter(|g| g.slots.contains(from));
                same.for_each(|g| g.slots.push(*slot));
            }
            all
        }
        Node::Loop(l) if l.kind != JoinType::Full => given(&l.left),
        Node::Hash(h) if h.kind != JoinType::Full => given(&h.left),
        Node::Merge(m) if m.kind != JoinType::Full => of_merge(m),
        Node::Spool(s) => given(&s.input),
        Node::Top(t) => given(&t.input),
        Node::Window(w) if w.streamed => given(&w.input),
        Node::Distinct(d) => given(&d.input),
        Node::Aggregate(a) if a.ordered => {
            let group = |g: Given| {
                let of = |(e, slot, c): &(Expr, Slot, Collation)| g.is_expr(e, *c).then_some(*slot);
                let slots: Vec<Slot> = a.groups.iter().filter_map(of).collect();
                (g.fixed || !slots.is_empty()).then_some(Given { slots, ..g })
            };
            given(&a.input).into_iter().map_while(group).collect()
        }
        Node::Sort(s) => {
            let known = s.keys.iter().map_while(|k| match k.expr {
                Expr::Slot(slot) => Some(Given {
                    slots: vec![slot],
                    descending: k.descending,
                    collation: Some(k.collation),
                    fixed: false,
                }),
                _ => None,
            });
            known.collect()
        }
        _ => Vec::new(),
    }
}

/// A join's left order, or, where no right row has two partners, the right one; what is equal to its columns has it, too.
fn of_merge(m: &MergeJoin) -> Vec<Given> {
    let pairs = m.kind == JoinType::Inner;
    let by_right = pairs && !m.many_to_many;
    let mut all = given(if by_right { &m.right } else { &m.left });
    for k in m.keys.iter().filter(|_| pairs) {
        let (there, other) = if by_right { (&k.right, &k.left) } else { (&k.left, &k.right) };
        let Expr::Slot(other) = other else { continue };
        let same = all.iter_mut().filter(|g| g.is_expr(there, k.collation));
        same.for_each(|g| g.slots.push(*other));
    }
    all
}

/// The index whose order a scan's rows have, and what is sought in it. A row that is looked up from its entry may have been changed
/// since the entry was read, so its columns need not be in the order of the index.
fn index_of(s: &Scan) -> Option<(&Index, Option<&Seek>)> {
    match &s.access {
        Access::Full => {
            let base = s.table.base();
            (base.kind != IndexKind::Heap).then_some((base, None))
        }
        Access::Marked(_) => None,
        Access::Clustered(index, seek) => Some((index, Some(seek))),
        Access::Nonclustered(index, seek) => {
            let covers = s.columns.iter().all(|(c, _)| index.covers(*c).is_some());
            let plain = s.locator.is_none() && s.locks.mode == RowMode::Shared;
            (covers && plain).then_some((index, Some(seek)))
        }
    }
}

/// How many of the first columns of an index have one value.
fn fixed(seek: Option<&Seek>) -> usize {
    let values = seek.map_or(&[][..], |s| &s.equal[..]);
    values.iter().take_while(|v| v.from == v.to).count()
}

fn slot_of(s: &Scan, column: usize) -> Option<Slot> {
    s.columns.iter().find(|(c, _)| *c == column).map(|(_, slot)| *slot)
}

fn of_scan(s: &Scan) -> Vec<Given> {
    let Some((index, seek)) = index_of(s) else { return Vec::new() };
    let fixed = fixed(seek);
    let mut out = Vec::new();
    for (at, key) in index.key.columns().iter().enumerate() {
        let slot = slot_of(s, key.column);
        if slot.is_none() && at >= fixed {
            break;
        }
        out.push(Given {
            slots: slot.into_iter().collect(),
            descending: key.descending != s.backward,
            collation: has_collation(key.ty).then_some(key.collation),
            fixed: at < fixed,
        });
    }
    out
}

/// Whether the rows are in this order.
pub(super) fn serves(node: &Node, order: &[(Slot, bool, Collation)]) -> bool {
    // No two rows have one number, so nothing behind it orders them.
    if let Some((slot, false, _)) = order.first()
        && super::window::numbers(node, *slot)
    {
        return true;
    }
    let given = given(node);
    let mut rest = given.iter().filter(|g| !g.fixed);
    order.iter().all(|(slot, descending, collation)| {
        given.iter().any(|g| g.fixed && g.is(*slot, *collation))
            || rest.next().is_some_and(|g| g.is(*slot, *collation) && g.descending == *descending)
    })
}

/// Whether rows that are equal in these columns follow each other.
pub(super) fn gathers<'e>(
    node: &Node,
    columns: impl Iterator<Item = (&'e Expr, Collation)>,
) -> bool {
    lined_up(&given(node), &columns.collect::<Vec<_>>()).is_some()
}

/// Equalities in an order that one side has, all of them: their places, and whether it is a descending one.
pub(super) type Lined = Vec<(usize, bool)>;

/// The order in which a side gives these columns.
pub(super) fn lined_up(given: &[Given], columns: &[(&Expr, Collation)]) -> Option<Lined> {
    let mut out = Lined::new();
    for g in given {
        let at = (0..columns.len())
            .find(|at| g.is_expr(columns[*at].0, columns[*at].1) && !has(&out, *at));
        match at {
            Some(at) => out.push((at, g.descending)),
            None if g.fixed => {}
            None => break,
        }
    }
    (out.len() == columns.len()).then_some(out)
}

fn has(lined: &Lined, at: usize) -> bool {
    lined.iter().any(|l| l.0 == at)
}

/// The order of the equalities of two sides that both have.
pub(super) fn common(
    left: &[Given],
    right: &[Given],
    keys: &[(Expr, Expr, Collation)],
) -> Option<Lined> {
    let mut out = Lined::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(l), Some(r)) = (left.get(i), right.get(j)) {
        let meets = |k: &(Expr, Expr, Collation)| l.is_expr(&k.0, k.2) && r.is_expr(&k.1, k.2);
        let at = (0..keys.len()).find(|at| meets(&keys[*at]) && !has(&out, *at));
        match at {
            Some(at) if l.descending == r.descending => {
                out.push((at, l.descending));
                (i, j) = (i + 1, j + 1);
            }
            _ if l.fixed => i += 1,
            _ if r.fixed => j += 1,
            _ => break,
        }
    }
    (out.len() == keys.len()).then_some(out)
}

/// Whether no two rows have the same values in these columns, NULL being one.
pub(super) fn tells_apart(node: &Node, by: &[(Slot, Collation)]) -> bool {
    match node {
        Node::OneRow | Node::Nothing => true,
        Node::Scan(s) => {
            let fixed_by = |index: &Index, at: usize| {
                index_of(s).is_some_and(|(i, seek)| i.id == index.id && at < fixed(seek))
            };
            let whole = s.table.indexes.iter().filter(|i| i.unique && i.filter.is_none());
            whole.filter(|i| i.kind != IndexKind::Heap).any(|i| {
                i.key.columns().iter().enumerate().all(|(at, k)| {
                    let text = has_collation(k.ty);
                    let named = |(slot, c): &(Slot, Collation)| {
                        slot_of(s, k.column) == Some(*slot) && (!text || *c == k.collation)
                    };
                    fixed_by(i, at) || by.iter().any(named)
                })
            })
        }
        Node::Filter(f) => tells_apart(&f.input, by),
        Node::Compute(c) => tells_apart(&c.input, by),
        Node::Spool(s) => tells_apart(&s.input, by),
        Node::Sort(s) => tells_apart(&s.input, by),
        Node::Top(t) => tells_apart(&t.input, by),
        Node::Distinct(d) => d.slots.iter().all(|s| by.contains(s)) || tells_apart(&d.input, by),
        Node::Aggregate(a) => {
            a.sets.is_empty() && a.groups.iter().all(|(_, slot, c)| by.contains(&(*slot, *c)))
        }
        Node::Hash(h) => {
            let HashJoin { left, right, kind, keys, .. } = &**h;
            let keys = keys.iter().map(|(_, e, c)| (e, *c));
            tells_apart(left, by) && one_partner(*kind, right, keys)
        }
        Node::Merge(m) => {
            let keys = m.keys.iter().map(|k| (&k.right, k.collation));
            tells_apart(&m.left, by) && one_partner(m.kind, &m.right, keys)
        }
        Node::Loop(l) => {
            tells_apart(&l.left, by) && one_partner(l.kind, &l.right, std::iter::empty())
        }
        _ => false,
    }
}

/// Whether a row of the left side stands in the result once at most.
fn one_partner<'e>(
    kind: JoinType,
    right: &Node,
    keys: impl Iterator<Item = (&'e Expr, Collation)>,
) -> bool {
    match kind {
        JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti | JoinType::Mark(_) => true,
        JoinType::Full => false,
        JoinType::Inner | JoinType::Left => tells_apart(right, &columns(keys)),
    }
}

/// Those of some expressions that are columns.
pub(super) fn columns<'e>(
    keys: impl Iterator<Item = (&'e Expr, Collation)>,
) -> Vec<(Slot, Collation)> {
    let slots = keys.filter_map(|(e, c)| match e {
        Expr::Slot(s) => Some((*s, c)),
        _ => None,
    });
    slots.collect()
}
