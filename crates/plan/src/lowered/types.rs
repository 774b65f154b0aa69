//! Types of a planned statement.

use crate::change::{InsertPlan, InsertRows, MergeAction, MergeClause};
use crate::expr::{Expr, Slot};
use crate::node::{
    Access, MergeJoin, MergeKey, Node, Scan, Seek, SeekBound, SeekValue, Sort, SortKey,
};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use crate::typed::{Scope, alike};
use std::sync::Arc;
use taffrail_catalog::Index;
use taffrail_types::SqlType;

/// The first place whose expression has a wrong type.
pub(super) fn statement(
    statement: &Statement,
    subqueries: &[SubqueryPlan],
    scope: &Scope<'_>,
) -> Result<(), String> {
    for s in subqueries {
        nodes(scope, &s.node);
        if let Some(keyed) = &s.keyed {
            nodes(scope, &keyed.node);
            scope.pairs(keyed.keys.iter().map(|(l, r, by)| (l, r, *by)));
        }
    }
    match statement {
        Statement::Select(s, _) => {
            nodes(scope, &s.plan.node);
            scope.variables(&s.assign);
        }
        Statement::Insert(i) => insert(scope, i),
        Statement::Update(u) => {
            nodes(scope, &u.node);
            scope.update(u);
        }
        Statement::Delete(d) => nodes(scope, &d.node),
        Statement::Merge(m) => {
            nodes(scope, &m.node);
            clauses(scope, &m.clauses);
            m.insert.iter().for_each(|i| insert(scope, &i.plan));
            if let Some(r) = &m.rest {
                nodes(scope, &r.node);
                clauses(scope, &r.clauses);
            }
        }
        Statement::Scalar(e, to) => scope.wanted(e, to.ty),
        Statement::Condition(p) => scope.condition(p),
    }
    scope.mistake()
}

fn insert(scope: &Scope<'_>, i: &InsertPlan) {
    if let InsertRows::Query(q) = &i.rows {
        nodes(scope, &q.node);
    }
    scope.insert(i);
}

fn clauses(scope: &Scope<'_>, clauses: &[MergeClause]) {
    for c in clauses {
        c.condition.iter().for_each(|p| scope.condition(p));
        if let MergeAction::Update(u) = &c.action {
            scope.update(u);
        }
    }
}

/// An operator and those below it.
fn nodes(scope: &Scope<'_>, node: &Node) {
    // Sorts that stand right below a merge join, each with the keys that the join has of its side.
    let mut merged: Vec<(*const Sort, Vec<SortKey>)> = Vec::new();
    node.visit(&mut |n| {
        match n {
            Node::Merge(m) => merged.extend(sorts_of(m)),
            Node::Sort(s) => {
                let of_join = merged.iter().find(|m| m.0 == Arc::as_ptr(s));
                sort(scope, s, of_join.map_or(&[], |m| &m.1));
            }
            _ => {}
        }
        operator(scope, n);
    });
}

/// The sorts right below a merge join.
fn sorts_of(m: &MergeJoin) -> Vec<(*const Sort, Vec<SortKey>)> {
    let key = |k: &MergeKey, expr: &Expr| SortKey {
        expr: expr.clone(),
        descending: k.descending,
        collation: k.collation,
    };
    let mut sorts = Vec::new();
    if let Node::Sort(s) = &m.left {
        sorts.push((Arc::as_ptr(s), m.keys.iter().map(|k| key(k, &k.left)).collect()));
    }
    if let Node::Sort(s) = &m.right {
        sorts.push((Arc::as_ptr(s), m.keys.iter().map(|k| key(k, &k.right)).collect()));
    }
    sorts
}

/// A sort, each key of which goes by its own collation, or is a key of the merge join above: then by that of the join's condition.
fn sort(scope: &Scope<'_>, s: &Sort, of_join: &[SortKey]) {
    for (at, key) in s.keys.iter().enumerate() {
        match of_join.get(at) == Some(key) {
            true => scope.look(&key.expr),
            false => scope.keys(std::slice::from_ref(key)),
        }
    }
    s.limit.iter().for_each(|e| scope.wanted(e, SqlType::BigInt));
}

fn operator(scope: &Scope<'_>, node: &Node) {
    match node {
        Node::OneRow | Node::Nothing | Node::Spool(_) | Node::Concat(_) | Node::Sort(_) => {}
        Node::Scan(s) => scan(scope, s),
        Node::View(v) => {
            v.args.iter().for_each(|e| scope.look(e));
            v.filter.iter().for_each(|p| scope.condition(p));
        }
        Node::Values(v) => {
            for row in &v.rows {
                for (e, slot) in row.iter().zip(&v.slots) {
                    scope.assigned(e, *slot);
                }
            }
        }
        Node::Filter(f) => scope.condition(&f.pred),
        Node::Compute(c) => scope.items(&c.items, None),
        Node::Loop(l) => l.on.iter().for_each(|p| scope.condition(p)),
        Node::Hash(h) => {
            scope.pairs(h.keys.iter().map(|(l, r, by)| (l, r, *by)));
            h.residual.iter().for_each(|p| scope.condition(p));
        }
        Node::Merge(m) => {
            scope.pairs(m.keys.iter().map(|k: &MergeKey| (&k.left, &k.right, k.collation)));
            m.residual.iter().for_each(|p| scope.condition(p));
        }
        Node::Aggregate(a) => scope.grouped(&a.groups, &a.aggs, &a.marks),
        Node::Window(w) => {
            scope.window(&w.partition, &w.order, &w.items);
            w.until.iter().for_each(|e| scope.look(e));
        }
        Node::Top(t) => {
            scope.top(t.count.as_ref(), t.percent, t.offset.as_ref(), t.ties.as_deref());
        }
        Node::Distinct(d) => scope.distinct(&d.slots),
        Node::SetOperation(s) => {
            let left: Vec<Slot> = s.left_slots.iter().map(|s| s.0).collect();
            scope.side_by_side(&left, &s.right_slots);
            scope.distinct(&s.left_slots);
        }
        Node::Recursive(r) => scope.side_by_side(&r.slots, &r.work),
    }
}

fn scan(scope: &Scope<'_>, s: &Scan) {
    scope.table_columns(&s.table, &s.columns);
    s.filter.iter().for_each(|p| scope.condition(p));
    for part in &s.parts {
        // The first argument is the column, of which the frame has nothing.
        let rest = part.call.args.iter().zip(&part.call.function.params).skip(1);
        rest.for_each(|(e, ty)| scope.wanted(e, *ty));
        scope.filled(part.slot, part.call.function.result);
    }
    match &s.access {
        Access::Full | Access::Marked(_) => {}
        Access::Clustered(index, seek) | Access::Nonclustered(index, seek) => {
            sought(scope, s, index, seek);
        }
    }
}

/// The values that are sought are of their own types, and brought to those of the key's columns.
fn sought(scope: &Scope<'_>, s: &Scan, index: &Index, seek: &Seek) {
    let key = |at: usize| index.key.columns().get(at).map(|k| s.table.columns[k.column].ty);
    let value = |v: &SeekValue, at: usize| {
        scope.wanted(&v.expr, v.from);
        let to = key(at);
        scope.expect(to.is_none_or(|ty| alike(ty, v.to)), || {
            format!("{:?} is sought in a key of {to:?}", v.to)
        });
    };
    seek.equal.iter().enumerate().for_each(|(at, v)| value(v, at));
    let at = seek.equal.len();
    for bound in &seek.then {
        match bound {
            SeekBound::Equal(v) => value(v, at),
            SeekBound::Null | SeekBound::NotNull => {}
            SeekBound::Beginning { pattern, escape } => {
                scope.wanted(&pattern.expr, pattern.from);
                escape.iter().for_each(|e: &Expr| scope.look(e));
            }
            SeekBound::Range { low, high } => {
                low.iter().chain(high).for_each(|(v, _)| value(v, at));
            }
        }
    }
}
