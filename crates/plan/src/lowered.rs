//! What holds of every planned statement, looked at in debug builds when its operators have been chosen:
//!
//! 1. Whatever an operator reads comes from below, from an enclosing query, or from the left of a join: what an operator
//!    that keeps rows does not save is gone above it (`handed`).
//! 2. A subquery of an expression finds the outer slots that it says it reads, and reads no others.
//! 3. What a seek begins with is there before its scan.
//! 4. Each expression has the type that its place wants, and text goes by a collation that it has ([`crate::typed`]).

use crate::change::{InsertPlan, InsertRows, OutputPlan, UpdatePlan};
use crate::expr::{Expr, Part, Pred, Slot, Subquery};
use crate::node::{Access, JoinType, Node, Scan, Seek, SeekBound, SeekValue};
use crate::slots::SlotSet;
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use crate::typed::Scope;

/// The first mistake that is found.
type Checked = Result<(), String>;

/// Panics where something is wrong with a planned statement of these columns.
pub fn assert(statement: &Statement, subqueries: &[SubqueryPlan], scope: &Scope<'_>) {
    if let Err(what) = check(statement, subqueries, scope) {
        panic!("{what}, in\n{statement:#?}\n{subqueries:#?}");
    }
}

/// Looks at a planned statement; what is wrong with it.
pub fn check(statement: &Statement, subqueries: &[SubqueryPlan], scope: &Scope<'_>) -> Checked {
    slots(statement, subqueries, scope.columns.len())?;
    types::statement(statement, subqueries, scope)
}

/// Looks for what reads a slot that nothing below it sets.
fn slots(statement: &Statement, subqueries: &[SubqueryPlan], slots: usize) -> Checked {
    let c = Checker { subqueries, slots };
    let nothing = SlotSet::default();
    match statement {
        Statement::Select(s, _) => {
            c.node(&s.plan.node, &nothing)?;
            let columns = c.handed(&s.plan.node);
            if s.assign.is_empty() {
                c.present(&s.plan.outputs, &columns, "an output")?;
            }
            s.assign.iter().try_for_each(|(_, e)| c.part(Part::Expr(e), &columns))
        }
        Statement::Insert(i) => c.insert(i),
        Statement::Update(u) => {
            c.node(&u.node, &nothing)?;
            let columns = c.handed(&u.node);
            c.present(&[u.locator], &columns, "the locator")?;
            c.update(u, &columns)?;
            c.output(&u.output, &columns)
        }
        Statement::Delete(d) => {
            c.node(&d.node, &nothing)?;
            let columns = c.handed(&d.node);
            c.present(&[d.locator], &columns, "the locator")?;
            c.output(&d.output, &columns)
        }
        Statement::Merge(m) => {
            c.node(&m.node, &nothing)?;
            c.present(&[m.locator], &c.handed(&m.node), "the locator")?;
            let Some(rest) = &m.rest else { return Ok(()) };
            c.node(&rest.node, &nothing)?;
            c.present(&[rest.locator], &c.handed(&rest.node), "the locator")
        }
        Statement::Scalar(e, _) => c.part(Part::Expr(e), &nothing),
        Statement::Condition(p) => c.part(Part::Pred(p), &nothing),
    }
}

/// The slots that are right above an operator, on each of its rows, in a frame of so many.
pub fn handed(node: &Node, slots: usize) -> Vec<Slot> {
    Checker { subqueries: &[], slots }.handed(node).iter().collect()
}

struct Checker<'a> {
    subqueries: &'a [SubqueryPlan],
    slots: usize,
}

/// A set and another one.
fn with(a: &SlotSet, b: &SlotSet) -> SlotSet {
    let mut both = a.clone();
    both.add_all(b);
    both
}

fn set(slots: impl IntoIterator<Item = Slot>) -> SlotSet {
    slots.into_iter().collect()
}

impl Checker<'_> {
    /// The slots that are right above an operator, on each of its rows.
    fn handed(&self, node: &Node) -> SlotSet {
        match node {
            Node::OneRow => SlotSet::default(),
            // There is no row on which one could be missing.
            Node::Nothing => SlotSet::all(self.slots),
            Node::Scan(s) => with(&found(s), &set(s.parts.iter().map(|p| p.slot))),
            Node::View(v) => set(v.columns.iter().map(|c| c.1)),
            Node::Values(v) => set(v.slots.iter().copied()),
            Node::Filter(f) => self.handed(&f.input),
            Node::Compute(c) => with(&self.handed(&c.input), &set(c.items.iter().map(|i| i.1))),
            Node::Loop(l) => match l.kind {
                JoinType::Left => with(&self.handed(&l.left), &set(l.right_slots.iter().copied())),
                JoinType::Inner | JoinType::Full => {
                    with(&self.handed(&l.left), &self.handed(&l.right))
                }
                one_sided => with(&self.handed(&l.left), &set(one_sided.mark())),
            },
            Node::Hash(h) => {
                let right = set(h.right_slots.iter().copied());
                match h.kind {
                    JoinType::Full => with(&set(h.left_slots.iter().copied()), &right),
                    JoinType::Inner | JoinType::Left => with(&self.handed(&h.left), &right),
                    one_sided => with(&self.handed(&h.left), &set(one_sided.mark())),
                }
            }
            Node::Merge(m) => {
                let right = set(m.right_slots.iter().copied());
                match m.kind {
                    JoinType::Full => with(&set(m.left_slots.iter().copied()), &right),
                    JoinType::Inner | JoinType::Left => with(&self.handed(&m.left), &right),
                    one_sided => with(&self.handed(&m.left), &set(one_sided.mark())),
                }
            }
            Node::Spool(s) => set(s.save.iter().copied()),
            Node::Sort(s) => set(s.save.iter().copied()),
            Node::Aggregate(a) => {
                let marks = a.marks.iter().map(|m| m.slot);
                let keys = a.groups.iter().map(|g| g.1);
                set(keys.chain(a.aggs.iter().map(|a| a.slot)).chain(marks))
            }
            Node::Window(w) if w.streamed => {
                let mut handed = self.handed(&w.input);
                handed.extend(w.items.iter().map(|i| i.slot));
                handed
            }
            Node::Window(w) => set(w.save.iter().copied().chain(w.items.iter().map(|i| i.slot))),
            Node::Top(t) if t.percent => set(t.save.iter().copied()),
            Node::Top(t) => self.handed(&t.input),
            Node::Distinct(d) => self.handed(&d.input),
            Node::Concat(list) => {
                let mut inputs = list.iter().map(|n| self.handed(n));
                let first = inputs.next().unwrap_or_default();
                inputs.fold(first, |all, n| set(all.common(&n)))
            }
            Node::SetOperation(s) => set(s.left_slots.iter().map(|c| c.0)),
            Node::Recursive(r) => set(r.slots.iter().copied()),
        }
    }

    fn present(&self, slots: &[Slot], among: &SlotSet, what: &str) -> Checked {
        match slots.iter().find(|s| !among.contains(**s)) {
            Some(s) => Err(format!("{what} (#{s}) is set by nobody below")),
            None => Ok(()),
        }
    }

    fn exprs<'e>(&self, list: impl IntoIterator<Item = &'e Expr>, seen: &SlotSet) -> Checked {
        list.into_iter().try_for_each(|e| self.part(Part::Expr(e), seen))
    }

    /// An expression or condition that may read `seen`.
    fn part(&self, part: Part<'_>, seen: &SlotSet) -> Checked {
        let mut found = Ok(());
        let mut inner = |p: Part<'_>| {
            if found.is_ok() {
                found = self.part(p, seen);
            }
        };
        match part {
            Part::Expr(Expr::Slot(s)) => return self.present(&[*s], seen, "what is read"),
            Part::Expr(e) => e.children(&mut inner),
            // Whether there is a row is all that EXISTS asks.
            Part::Pred(Pred::Exists(s)) => return self.subquery(s, seen, false),
            Part::Pred(p) => p.children(&mut inner),
            Part::Plan(s) => return self.subquery(s, seen, true),
        }
        found
    }

    fn subquery(&self, s: &Subquery, seen: &SlotSet, asks: bool) -> Checked {
        self.present(&s.outer, seen, "what a subquery reads from outside")?;
        let Some(plan) = self.subqueries.get(s.index as usize) else {
            return Err(format!("there is no subquery {}", s.index + 1));
        };
        let outer = set(s.outer.iter().copied());
        self.node(&plan.node, &outer)?;
        if asks {
            self.present(&[s.output], &self.handed(&plan.node), "a subquery's output")?;
        }
        let Some(keyed) = &plan.keyed else { return Ok(()) };
        self.node(&keyed.node, &SlotSet::default())?;
        let inside = self.handed(&keyed.node);
        self.exprs(keyed.keys.iter().map(|k| &k.0), &outer)?;
        self.exprs(keyed.keys.iter().map(|k| &k.1), &inside)
    }

    fn insert(&self, i: &InsertPlan) -> Checked {
        if let InsertRows::Query(q) = &i.rows {
            self.node(&q.node, &SlotSet::default())?;
            self.present(&q.outputs, &self.handed(&q.node), "an output")?;
        }
        Ok(())
    }

    fn update(&self, u: &UpdatePlan, columns: &SlotSet) -> Checked {
        self.exprs(u.set.iter().flat_map(|a| a.exprs()), columns)?;
        self.exprs(u.variables.iter().map(|v| &v.1), columns)
    }

    fn output(&self, output: &Option<OutputPlan>, columns: &SlotSet) -> Checked {
        let Some(o) = output else { return Ok(()) };
        self.present(&o.saved, columns, "what OUTPUT saves")?;
        let mut seen = columns.clone();
        seen.extend(o.inserted.iter().chain(&o.deleted).map(|c| c.1));
        for (e, slot) in &o.items {
            self.part(Part::Expr(e), &seen)?;
            seen.insert(*slot);
        }
        self.present(&o.outputs, &seen, "an output of OUTPUT")
    }

    fn seek(&self, seek: &Seek, seen: &SlotSet) -> Checked {
        let value = |v: &SeekValue| self.part(Part::Expr(&v.expr), seen);
        seek.equal.iter().try_for_each(value)?;
        for bound in &seek.then {
            match bound {
                SeekBound::Equal(v) => value(v)?,
                SeekBound::Null | SeekBound::NotNull => {}
                SeekBound::Beginning { pattern, escape } => {
                    value(pattern)?;
                    self.exprs(escape, seen)?;
                }
                SeekBound::Range { low, high } => {
                    low.iter().chain(high).try_for_each(|(v, _)| value(v))?;
                }
            }
        }
        Ok(())
    }

    /// An operator that may read `outer`, beside the slots that are set below it.
    fn node(&self, node: &Node, outer: &SlotSet) -> Checked {
        let below = |n: &Node| with(outer, &self.handed(n));
        match node {
            Node::OneRow | Node::Nothing => Ok(()),
            Node::Scan(s) => self.scan(s, outer),
            Node::View(v) => {
                self.exprs(&v.args, outer)?;
                let seen = with(outer, &set(v.columns.iter().map(|c| c.1)));
                v.filter.iter().try_for_each(|p| self.part(Part::Pred(p), &seen))
            }
            Node::Values(v) => self.exprs(v.rows.iter().flatten(), outer),
            Node::Filter(f) => {
                self.node(&f.input, outer)?;
                match f.startup {
                    true => self.part(Part::Pred(&f.pred), outer),
                    false => self.part(Part::Pred(&f.pred), &below(&f.input)),
                }
            }
            Node::Compute(c) => {
                self.node(&c.input, outer)?;
                let mut seen = below(&c.input);
                c.items.iter().try_for_each(|(e, slot)| {
                    self.part(Part::Expr(e), &seen)?;
                    seen.insert(*slot);
                    Ok(())
                })
            }
            Node::Loop(_) | Node::Hash(_) | Node::Merge(_) => self.join(node, outer),
            Node::Spool(_)
            | Node::Sort(_)
            | Node::Aggregate(_)
            | Node::Window(_)
            | Node::Top(_) => self.keeper(node, outer),
            Node::Distinct(d) => {
                self.node(&d.input, outer)?;
                let slots: Vec<Slot> = d.slots.iter().map(|s| s.0).collect();
                self.present(&slots, &below(&d.input), "a column of DISTINCT")
            }
            Node::Concat(list) => list.iter().try_for_each(|n| self.node(n, outer)),
            Node::SetOperation(s) => {
                self.node(&s.left, outer)?;
                self.node(&s.right, outer)?;
                let left: Vec<Slot> = s.left_slots.iter().map(|c| c.0).collect();
                self.present(&left, &below(&s.left), "a column of EXCEPT or INTERSECT")?;
                self.present(&s.right_slots, &below(&s.right), "a column of EXCEPT or INTERSECT")
            }
            Node::Recursive(r) => {
                let inside = with(outer, &set(r.work.iter().copied()));
                for (n, outer) in
                    r.anchors.iter().map(|n| (n, outer)).chain(r.parts.iter().map(|n| (n, &inside)))
                {
                    self.node(n, outer)?;
                    let seen = with(outer, &self.handed(n));
                    self.present(&r.slots, &seen, "a column of a recursive part")?;
                }
                Ok(())
            }
        }
    }

    /// A scan of a table.
    fn scan(&self, s: &Scan, outer: &SlotSet) -> Checked {
        match &s.access {
            Access::Full | Access::Marked(_) => {}
            Access::Clustered(_, seek) | Access::Nonclustered(_, seek) => self.seek(seek, outer)?,
        }
        let seen = with(outer, &found(s));
        s.filter.iter().try_for_each(|p| self.part(Part::Pred(p), &seen))?;
        // The first argument is the column, of which the frame has nothing.
        let args = s.parts.iter().flat_map(|p| p.call.args.iter().skip(1));
        self.exprs(args, &seen)
    }

    /// The inputs of a join, its keys and its conditions.
    fn join(&self, node: &Node, outer: &SlotSet) -> Checked {
        let below = |n: &Node| with(outer, &self.handed(n));
        match node {
            Node::Loop(l) => {
                self.node(&l.left, outer)?;
                let left = below(&l.left);
                self.node(&l.right, &left)?;
                let seen = with(&left, &self.handed(&l.right));
                l.on.iter().try_for_each(|p| self.part(Part::Pred(p), &seen))
            }
            Node::Hash(h) => {
                self.node(&h.left, outer)?;
                self.node(&h.right, outer)?;
                self.exprs(h.keys.iter().map(|k| &k.0), &below(&h.left))?;
                self.exprs(h.keys.iter().map(|k| &k.1), &below(&h.right))?;
                self.present(&h.left_slots, &below(&h.left), "what a join keeps")?;
                self.present(&h.right_slots, &below(&h.right), "what a join keeps")?;
                let seen = with(&below(&h.left), &set(h.right_slots.iter().copied()));
                h.residual.iter().try_for_each(|p| self.part(Part::Pred(p), &seen))
            }
            Node::Merge(m) => {
                self.node(&m.left, outer)?;
                self.node(&m.right, outer)?;
                self.exprs(m.keys.iter().map(|k| &k.left), &below(&m.left))?;
                self.exprs(m.keys.iter().map(|k| &k.right), &below(&m.right))?;
                self.present(&m.left_slots, &below(&m.left), "what a join keeps")?;
                self.present(&m.right_slots, &below(&m.right), "what a join keeps")?;
                let seen = with(&below(&m.left), &set(m.right_slots.iter().copied()));
                m.residual.iter().try_for_each(|p| self.part(Part::Pred(p), &seen))
            }
            _ => unreachable!("no join"),
        }
    }

    /// An operator that reads the rows of one input and keeps slots of them.
    fn keeper(&self, node: &Node, outer: &SlotSet) -> Checked {
        let below = |n: &Node| with(outer, &self.handed(n));
        match node {
            Node::Spool(s) => {
                self.node(&s.input, outer)?;
                self.present(&s.save, &below(&s.input), "what a spool keeps")
            }
            Node::Sort(s) => {
                self.node(&s.input, outer)?;
                self.exprs(s.keys.iter().map(|k| &k.expr), &below(&s.input))?;
                self.exprs(&s.limit, outer)?;
                self.present(&s.save, &below(&s.input), "what a sort keeps")
            }
            Node::Aggregate(a) => {
                self.node(&a.input, outer)?;
                let seen = below(&a.input);
                self.exprs(a.groups.iter().map(|g| &g.0), &seen)?;
                let mut checked = Ok(());
                let mut one = |e: &Expr| {
                    if checked.is_ok() {
                        checked = self.part(Part::Expr(e), &seen);
                    }
                };
                a.aggs.iter().for_each(|agg| agg.exprs(&mut one));
                checked
            }
            Node::Window(w) => {
                self.node(&w.input, outer)?;
                let seen = below(&w.input);
                self.exprs(w.partition.iter().map(|p| &p.0), &seen)?;
                self.exprs(w.order.iter().map(|k| &k.expr), &seen)?;
                let mut checked = Ok(());
                let mut one = |e: &Expr| {
                    if checked.is_ok() {
                        checked = self.part(Part::Expr(e), &seen);
                    }
                };
                w.items.iter().for_each(|i| i.function.exprs(&mut one));
                checked?;
                self.present(&w.save, &seen, "what a window keeps")
            }
            Node::Top(t) => {
                self.node(&t.input, outer)?;
                self.exprs(t.count.iter().chain(&t.offset), outer)?;
                let ties = t.ties.iter().flatten().map(|k| &k.0);
                self.exprs(ties, &below(&t.input))?;
                self.present(&t.save, &below(&t.input), "what TOP keeps")
            }
            _ => unreachable!("keeps no rows"),
        }
    }
}

/// The slots that a scan sets from the row itself.
fn found(s: &Scan) -> SlotSet {
    set(s.columns.iter().map(|c| c.1).chain(s.locator).chain(s.image))
}

mod types;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Column, Columns, Label};
    use crate::node::{HashJoin, MergeJoin, MergeKey, QueryPlan, Sort, SortKey, ValuesScan};
    use crate::statement::SelectPlan;
    use std::sync::Arc;
    use taffrail_types::{Collation, SqlType, Value};

    fn sorted(key: Slot, save: &[Slot]) -> Statement {
        let rows = vec![vec![Expr::Const(Value::Int(1)), Expr::Const(Value::Int(2))]];
        let input = Node::Values(Arc::new(ValuesScan { rows, slots: vec![0, 1] }));
        let key =
            SortKey { expr: Expr::Slot(key), descending: false, collation: Collation::default() };
        let sort = Sort { input, keys: vec![key], save: save.to_vec(), limit: None };
        let node = Node::Sort(Arc::new(sort));
        let plan = QueryPlan { node, outputs: vec![0], columns: Vec::new() };
        let select = SelectPlan::of(plan);
        Statement::Select(Box::new(select), None)
    }

    #[test]
    fn what_is_not_kept_is_not_there() {
        let columns: Columns = (0..3).map(|_| Column::computed(SqlType::Int)).collect();
        let check = |s: &Statement| check(s, &[], &Scope::new(&columns, &[]));
        assert_eq!(check(&sorted(1, &[0])), Ok(()));
        let lost = check(&sorted(1, &[1]));
        assert_eq!(lost, Err("an output (#0) is set by nobody below".into()));
        let unknown = check(&sorted(2, &[0]));
        assert_eq!(unknown, Err("what is read (#2) is set by nobody below".into()));
    }

    #[test]
    fn keys_of_a_sort_go_by_their_own_collation_or_by_that_of_the_join_above() {
        let [latin, polish, danish] =
            ["Latin1_General_CI_AS", "Polish_CI_AS", "Danish_Norwegian_CI_AS"]
                .map(|name| Collation::from_name(name).unwrap());
        let text =
            |collation, label| Column { collation, label, ..Column::computed(SqlType::varchar(5)) };
        let columns: Columns =
            [text(latin, Label::Implicit), text(polish, Label::Explicit)].into_iter().collect();
        let sorted = |slot: Slot, collation| {
            let rows = vec![vec![Expr::Const(Value::varchar("a"))]];
            let input = Node::Values(Arc::new(ValuesScan { rows, slots: vec![slot] }));
            let key = SortKey { expr: Expr::Slot(slot), descending: false, collation };
            Node::Sort(Arc::new(Sort { input, keys: vec![key], save: vec![slot], limit: None }))
        };
        let looked = |node: Node| {
            let plan = QueryPlan { node, outputs: vec![0], columns: Vec::new() };
            let select = SelectPlan::of(plan);
            check(&Statement::Select(Box::new(select), None), &[], &Scope::new(&columns, &[]))
        };
        let merged = |left: Collation| {
            let key = MergeKey {
                left: Expr::Slot(0),
                right: Expr::Slot(1),
                collation: polish,
                descending: false,
            };
            looked(Node::Merge(Arc::new(MergeJoin {
                left: sorted(0, left),
                right: sorted(1, polish),
                kind: JoinType::Inner,
                keys: vec![key],
                many_to_many: false,
                residual: None,
                left_slots: vec![0],
                right_slots: vec![1],
            })))
        };
        assert_eq!(looked(sorted(0, latin)), Ok(()));
        let wrong = looked(sorted(0, polish)).unwrap_err();
        assert!(wrong.contains("Latin1_General_CI_AS goes by Polish_CI_AS"), "{wrong}");
        assert_eq!(merged(polish), Ok(()), "what the join's condition says of both");
        let wrong = merged(danish).unwrap_err();
        assert!(wrong.contains("goes by Danish_Norwegian_CI_AS"), "{wrong}");
    }

    #[test]
    fn keys_of_a_join_are_of_one_kind() {
        let columns: Columns = [SqlType::Int, SqlType::Int, SqlType::varchar(5)]
            .map(Column::computed)
            .into_iter()
            .collect();
        let one = |slot, value| {
            let (rows, slots) = (vec![vec![Expr::Const(value)]], vec![slot]);
            Node::Values(Arc::new(ValuesScan { rows, slots }))
        };
        let joined = |right: Node, key: Slot| {
            let keys = vec![(Expr::Slot(0), Expr::Slot(key), Collation::default())];
            let join = HashJoin {
                left: one(0, Value::Int(1)),
                right,
                kind: JoinType::Inner,
                keys,
                residual: None,
                left_slots: Vec::new(),
                right_slots: vec![key],
            };
            let node = Node::Hash(Arc::new(join));
            let plan = QueryPlan { node, outputs: vec![0], columns: Vec::new() };
            let select = SelectPlan::of(plan);
            let select = Statement::Select(Box::new(select), None);
            check(&select, &[], &Scope::new(&columns, &[]))
        };
        assert_eq!(joined(one(1, Value::Int(1)), 1), Ok(()));
        let wrong = joined(one(2, Value::varchar("a")), 2).unwrap_err();
        assert!(wrong.contains("Int compared with VarChar"), "{wrong}");
    }
}
