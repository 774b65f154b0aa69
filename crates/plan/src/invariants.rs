//! What holds of every bound statement, looked at in debug builds before it is lowered:
//!
//! 1. Whatever an expression reads comes from below, from an enclosing query, or from the left side of an APPLY.
//! 2. No slot is set in two places that one row could pass.
//! 3. What is read above a union all its inputs set; the inputs of EXCEPT and INTERSECT have their columns.
//! 4. A subquery is read at one place, by the number, output and outer slots that the statement knows it by.
//! 5. Outputs, locators and sort keys exist where they are read.
//! 6. Each expression has the type that its place wants, and text goes by a collation that it has ([`crate::typed`]).
//! 7. NULL is told of each column of a result that may be NULL.

use crate::change::{
    ColumnSource, InsertPlan, InsertRows, MergeAction, MergeClause, OutputPlan, UpdatePlan,
};
use crate::expr::{Part, Slot, Subquery};
use crate::names::Names;
use crate::rel::{Rel, Subqueries, SubqueryRows};
use crate::slots::SlotSet;
use crate::statement::Statement;
use crate::typed::Scope;

/// Looks at a bound statement of these columns; what is wrong with it.
pub fn check(
    statement: &Statement<Rel>,
    subqueries: &Subqueries,
    scope: &Scope<'_>,
) -> Result<(), String> {
    let read = vec![false; subqueries.len()];
    Checker { subqueries, read, scope }.statement(statement)?;
    types::statement(statement, subqueries, scope)
}

/// Panics, with the tree, where [`check`] finds something.
pub fn assert(
    statement: &Statement<Rel>,
    subqueries: &Subqueries,
    scope: &Scope<'_>,
    names: impl FnOnce() -> Names,
) {
    if let Err(what) = check(statement, subqueries, scope) {
        let tree = crate::display::statement(statement, subqueries, Some(&names()));
        let bare = crate::display::statement(statement, subqueries, None);
        panic!("{what}, in\n{tree}\n\n{bare}");
    }
}

struct Checker<'a> {
    subqueries: &'a [SubqueryRows],
    /// Which of them have been met.
    read: Vec<bool>,
    scope: &'a Scope<'a>,
}

/// What is wrong.
type Checked = Result<(), String>;

/// A set and another one.
fn with(a: &SlotSet, b: &SlotSet) -> SlotSet {
    let mut both = a.clone();
    both.add_all(b);
    both
}

/// The columns that a relation sets itself, but for those that it only hands on.
fn sets(rel: &Rel) -> Vec<Slot> {
    match rel {
        Rel::Get(r) => r.slots().chain(r.locator).chain(r.image).collect(),
        Rel::Rowset(r) => r.columns.iter().map(|c| c.1).collect(),
        Rel::Values(r) => r.slots.clone(),
        Rel::Compute(r) => r.items.iter().map(|i| i.1).collect(),
        Rel::Group(r) => {
            use crate::expr::Expr;
            // A key that is a column stays where it is.
            let keys = r.keys.iter().filter(|k| k.0 != Expr::Slot(k.1)).map(|k| k.1);
            let marks = r.marks.iter().map(|m| m.slot);
            keys.chain(r.aggs.iter().map(|a| a.slot)).chain(marks).collect()
        }
        Rel::Window(r) => r.items.iter().map(|i| i.slot).collect(),
        Rel::Recursive(r) => r.work.clone(),
        _ => Vec::new(),
    }
}

/// The columns that a relation hands up on each of its rows: of a union those that all its inputs set.
fn handed(rel: &Rel) -> SlotSet {
    let mut out = SlotSet::default();
    match rel {
        Rel::Project(r) => out.extend(r.columns.iter().copied()),
        Rel::Group(r) => {
            out.extend(r.keys.iter().map(|k| k.1));
            out.extend(r.aggs.iter().map(|a| a.slot));
            out.extend(r.marks.iter().map(|m| m.slot));
        }
        Rel::SetOperation(r) => out.extend(r.left_slots.iter().map(|s| s.0)),
        Rel::Recursive(r) => out.extend(r.slots.iter().copied()),
        Rel::Union(list) => {
            let mut inputs = list.iter().map(handed);
            out = inputs.next().unwrap_or_default();
            for input in inputs {
                out = out.common(&input).into_iter().collect();
            }
        }
        Rel::Join(r) if r.kind.is_one_sided() => {
            out = handed(&r.left);
            out.extend(r.kind.mark());
        }
        other => {
            other.inputs().into_iter().for_each(|r| out.add_all(&handed(r)));
            out.extend(sets(other));
        }
    }
    out
}

impl Checker<'_> {
    fn statement(&mut self, statement: &Statement<Rel>) -> Checked {
        let nothing = SlotSet::default();
        match statement {
            Statement::Select(s, _) => {
                self.rel(&s.plan.node, &nothing)?;
                let columns = handed(&s.plan.node);
                if s.assign.is_empty() {
                    self.present(s.plan.outputs.iter(), &columns, "an output")?;
                }
                s.assign.iter().try_for_each(|(_, e)| self.part(Part::Expr(e), &columns))
            }
            Statement::Insert(i) => self.insert(i, &nothing),
            Statement::Update(u) => {
                self.rel(&u.node, &nothing)?;
                let columns = handed(&u.node);
                self.present([&u.locator], &columns, "the locator")?;
                self.update(u, &columns)?;
                self.output(&u.output, &columns)
            }
            Statement::Delete(d) => {
                self.rel(&d.node, &nothing)?;
                let columns = handed(&d.node);
                self.present([&d.locator], &columns, "the locator")?;
                self.output(&d.output, &columns)
            }
            Statement::Merge(m) => {
                self.rel(&m.node, &nothing)?;
                let columns = handed(&m.node);
                self.present([&m.locator], &columns, "the locator")?;
                m.top.iter().try_for_each(|e| self.part(Part::Expr(e), &nothing))?;
                self.clauses(&m.clauses, &columns)?;
                if let Some(i) = &m.insert {
                    i.condition.iter().try_for_each(|p| self.part(Part::Pred(p), &columns))?;
                    i.values.iter().try_for_each(|e| self.part(Part::Expr(e), &columns))?;
                    self.insert(&i.plan, &columns)?;
                }
                if let Some(r) = &m.rest {
                    self.rel(&r.node, &nothing)?;
                    let columns = handed(&r.node);
                    self.present([&r.locator], &columns, "the locator")?;
                    self.clauses(&r.clauses, &columns)?;
                }
                let mut seen = columns;
                seen.extend(m.action);
                self.output(&m.output, &seen)
            }
            Statement::Scalar(e, _) => self.part(Part::Expr(e), &nothing),
            Statement::Condition(p) => self.part(Part::Pred(p), &nothing),
        }
    }

    fn insert(&mut self, i: &InsertPlan<Rel>, outer: &SlotSet) -> Checked {
        let width = match &i.rows {
            InsertRows::Values(rows) => {
                let all = rows.iter().flatten().flatten();
                all.into_iter().try_for_each(|e| self.part(Part::Expr(e), outer))?;
                rows.first().map(Vec::len)
            }
            InsertRows::Query(q) => {
                self.rel(&q.node, outer)?;
                self.present(q.outputs.iter(), &handed(&q.node), "an output")?;
                Some(q.outputs.len())
            }
            InsertRows::External => None,
        };
        for c in &i.columns {
            match (c, width) {
                (ColumnSource::Source(n), Some(width)) if *n >= width => {
                    return Err(format!("a column takes value {n} of {width}"));
                }
                (ColumnSource::Expr(e, _), _) => {
                    self.part(Part::Expr(e), &SlotSet::default())?;
                }
                _ => {}
            }
        }
        i.top.iter().try_for_each(|e| self.part(Part::Expr(e), &SlotSet::default()))?;
        self.output(&i.output, outer)
    }

    fn update(&mut self, u: &UpdatePlan<Rel>, columns: &SlotSet) -> Checked {
        u.set.iter().flat_map(|a| a.exprs()).try_for_each(|e| self.part(Part::Expr(e), columns))?;
        u.variables.iter().try_for_each(|(_, e)| self.part(Part::Expr(e), columns))
    }

    fn clauses(&mut self, clauses: &[MergeClause<Rel>], columns: &SlotSet) -> Checked {
        for c in clauses {
            c.condition.iter().try_for_each(|p| self.part(Part::Pred(p), columns))?;
            if let MergeAction::Update(u) = &c.action {
                self.update(u, columns)?;
            }
        }
        Ok(())
    }

    fn output(&mut self, output: &Option<OutputPlan<Rel>>, columns: &SlotSet) -> Checked {
        let Some(o) = output else { return Ok(()) };
        let mut seen = columns.clone();
        seen.extend(o.inserted.iter().chain(&o.deleted).map(|c| c.1));
        for (e, slot) in &o.items {
            self.part(Part::Expr(e), &seen)?;
            seen.insert(*slot);
        }
        self.present(o.outputs.iter(), &seen, "an output of OUTPUT")?;
        match &o.into {
            Some(into) => self.insert(into, &seen),
            None => Ok(()),
        }
    }

    fn present<'s>(
        &self,
        slots: impl IntoIterator<Item = &'s Slot>,
        among: &SlotSet,
        what: &str,
    ) -> Checked {
        for s in slots {
            if !among.contains(*s) {
                return Err(format!("{what} (#{s}) is set by nobody"));
            }
        }
        Ok(())
    }

    /// An expression or condition that may read `seen`.
    fn part(&mut self, part: Part<'_>, seen: &SlotSet) -> Checked {
        use crate::expr::Expr;
        let mut found = Ok(());
        let mut inner = |this: &mut Self, p: Part<'_>| {
            if found.is_ok() {
                found = this.part(p, seen);
            }
        };
        match part {
            Part::Expr(Expr::Slot(s)) => return self.present([s], seen, "what is read"),
            Part::Expr(e) => e.children(&mut |p| inner(self, p)),
            Part::Pred(p) => p.children(&mut |p| inner(self, p)),
            Part::Plan(s) => return self.subquery(s, seen),
        }
        found
    }

    fn subquery(&mut self, s: &Subquery, seen: &SlotSet) -> Checked {
        let n = s.index as usize;
        let Some(rows) = self.subqueries.get(n) else {
            return Err(format!("there is no subquery {}", n + 1));
        };
        if std::mem::replace(&mut self.read[n], true) {
            return Err(format!("subquery {} is read twice", n + 1));
        }
        if rows.output != s.output {
            let (known, read) = (rows.output, s.output);
            return Err(format!("subquery {} puts out #{known}, not #{read}", n + 1));
        }
        self.present(&s.outer, seen, "what a subquery reads from outside")?;
        self.rel(&rows.rel, &s.outer.iter().copied().collect())
    }

    /// A relation that may read `outer`, beside what stands below it.
    fn rel(&mut self, rel: &Rel, outer: &SlotSet) -> Checked {
        self.below(rel, outer).map(|_| ())
    }

    /// The same; all slots that it and what stands below it set, those that are hidden by a projection or a group too.
    fn below(&mut self, rel: &Rel, outer: &SlotSet) -> Result<SlotSet, String> {
        let mut set = SlotSet::default();
        match rel {
            Rel::Join(r) => {
                let left = self.below(&r.left, outer)?;
                let right = self.below(&r.right, &with(outer, &handed(&r.left)))?;
                self.apart(&left, &right)?;
                set = with(&left, &right);
            }
            Rel::SetOperation(r) => {
                let left = self.below(&r.left, outer)?;
                let right = self.below(&r.right, outer)?;
                self.apart(&left, &right)?;
                let slots: Vec<Slot> = r.left_slots.iter().map(|s| s.0).collect();
                self.present(&slots, &handed(&r.left), "a column of EXCEPT or INTERSECT")?;
                self.present(&r.right_slots, &handed(&r.right), "a column of EXCEPT or INTERSECT")?;
                if slots.len() != r.right_slots.len() {
                    return Err("EXCEPT or INTERSECT of different widths".into());
                }
                set = with(&left, &right);
            }
            Rel::Recursive(r) => {
                let work: SlotSet = r.work.iter().copied().collect();
                let inside = with(outer, &work);
                for (input, outer) in
                    r.anchors.iter().map(|a| (a, outer)).chain(r.parts.iter().map(|p| (p, &inside)))
                {
                    set.add_all(&self.below(input, outer)?);
                    self.present(&r.slots, &handed(input), "a column of a recursive part")?;
                }
                if r.work.len() != r.slots.len() || r.parts.is_empty() || r.anchors.is_empty() {
                    return Err("a recursive expression without a part, or of two widths".into());
                }
            }
            other => {
                for input in other.inputs() {
                    set.add_all(&self.below(input, outer)?);
                }
            }
        }
        // What its own expressions see: a Compute's items do not see each other.
        let mut seen = outer.clone();
        rel.inputs().iter().for_each(|r| seen.add_all(&handed(r)));
        // A table's columns that rows do not have are computed of those that they have.
        if let Rel::Get(get) = rel {
            seen.extend(get.columns.iter().map(|c| c.1));
        }
        let mut found = Ok(());
        rel.parts(&mut |p| {
            if found.is_ok() {
                found = self.part(p, &seen);
            }
        });
        found?;
        match rel {
            Rel::Project(r) => self.present(&r.columns, &seen, "a column that goes on")?,
            Rel::Distinct(r) => {
                let slots: Vec<Slot> = r.slots.iter().map(|s| s.0).collect();
                self.present(&slots, &seen, "a column of DISTINCT")?;
            }
            Rel::Values(r) if r.rows.iter().any(|row| row.len() != r.slots.len()) => {
                return Err("a row of VALUES has another width".into());
            }
            _ => {}
        }
        for slot in sets(rel) {
            if slot as usize >= self.scope.columns.len() {
                return Err(format!("#{slot} of {} slots", self.scope.columns.len()));
            }
            if set.contains(slot) || outer.contains(slot) {
                return Err(format!("#{slot} is set twice"));
            }
            set.insert(slot);
        }
        Ok(set)
    }

    fn apart(&self, left: &SlotSet, right: &SlotSet) -> Checked {
        match left.common(right).first() {
            Some(s) => Err(format!("#{s} is set on both sides")),
            None => Ok(()),
        }
    }
}

mod types;

#[cfg(test)]
mod tests;
