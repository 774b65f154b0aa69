//! EXISTS, IN (subquery) and their opposites as joins.
//!
//! A subquery that reads its outer row is run for each of them. Where no index leads from the outer row to its partners, that is the
//! product of both tables; a hash join reads each of them once. It reads the inner side as a whole, though, and before any outer row,
//! so only conditions that cannot raise an error are treated so, and only where the outer rows are many.

use super::access::{Choice, Question};
use super::join::Planned;
use super::join::merge::{self, Inputs};
use super::lists::is_quiet;
use super::{Planner, add_slots};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::columns::Origin;
use taffrail_plan::expr::{
    Compare, CompareOp, Expr, InSubquery, Part, Pred, Slot, Subquery, slots_of,
};
use taffrail_plan::hints::JoinMethod;
use taffrail_plan::node::{HashJoin, JoinType, Node};
use taffrail_plan::rel::{Get, Project, Rel};
use taffrail_plan::slots::SlotSet;
use taffrail_types::Collation;

/// With an index it has to be so many outer rows, or more than a third of the inner ones.
pub(super) const MANY: f64 = 1000.0;

/// A condition with a subquery that can be a join.
pub(super) struct Nested {
    pub kind: JoinType,
    /// The number of the subquery.
    pub index: u32,
    /// Its sources, under the conditions that are about them alone.
    pub inner: Rel,
    /// Equalities: an expression of the outer row, one of the inner row. The last one is that of IN where a NULL has a say in it.
    pub keys: Vec<(Expr, Expr, Collation)>,
    /// The other conditions that are about both.
    pub residual: Vec<Pred>,
    /// It is one list for all outer rows.
    pub list: bool,
}

/// Conditions of a subquery, by what they are about.
pub(super) struct Split {
    /// Equalities: an expression of the outer row, one of the inner row.
    pub keys: Vec<(Expr, Expr, Collation)>,
    /// About the inner row alone.
    pub local: Vec<Pred>,
    /// The conditions that are no keys.
    pub residual: Vec<Pred>,
}

/// The conditions of a subquery with these `columns`, which may read the `outer` row; `None` where one may raise an error.
pub(super) fn split(conditions: Vec<Pred>, outer: &SlotSet, columns: &SlotSet) -> Option<Split> {
    let reads = |part: Part<'_>, of: &SlotSet| {
        let mut found = false;
        slots_of(part, &mut |s| found |= of.contains(s));
        found
    };
    let mut out = Split { keys: Vec::new(), local: Vec::new(), residual: Vec::new() };
    for p in conditions {
        if may_raise(Part::Pred(&p)) {
            return None;
        }
        if !reads(Part::Pred(&p), outer) {
            out.local.push(p);
            continue;
        }
        match p {
            Pred::Compare(c) if c.op == CompareOp::Eq => {
                let inner =
                    |e: &Expr| reads(Part::Expr(e), columns) && !reads(Part::Expr(e), outer);
                let is_outer = |e: &Expr| !reads(Part::Expr(e), columns);
                match *c {
                    c if is_outer(&c.left) && inner(&c.right) => {
                        out.keys.push((c.left, c.right, c.collation));
                    }
                    c if is_outer(&c.right) && inner(&c.left) => {
                        out.keys.push((c.right, c.left, c.collation));
                    }
                    c => out.residual.push(Pred::Compare(Box::new(c))),
                }
            }
            p => out.residual.push(p),
        }
    }
    Some(out)
}

impl Planner<'_> {
    /// A condition as a join with what has the rows of `outer`; `None` where it cannot be one.
    pub(super) fn nested(&self, p: &Pred, outer: &Rel, columns: &SlotSet) -> Option<Nested> {
        let (kind, subquery, asked) = match p {
            Pred::Exists(s) => (JoinType::Semi, &**s, None),
            Pred::InSubquery(s) => (JoinType::Semi, &s.plan, Some(&**s)),
            Pred::Not(p) => match &**p {
                Pred::Exists(s) => (JoinType::Anti, &**s, None),
                Pred::InSubquery(s) => (JoinType::NullAwareAnti, &s.plan, Some(&**s)),
                _ => return None,
            },
            _ => return None,
        };
        // What is the same for all outer rows is found once as it is. But who asks NOT IN of all of them is a join.
        if subquery.outer.is_empty() && (kind != JoinType::NullAwareAnti || self.many_times.get()) {
            return None;
        }
        if kind != JoinType::NullAwareAnti {
            return self.as_join(kind, subquery, asked, columns);
        }
        if !self.is_once() {
            return None;
        }
        let nested = self.as_join(kind, subquery, asked, columns)?;
        let (value, inside, _) = nested.keys.last().expect("the value is one");
        match self.is_never_null(value, outer) && self.is_never_null(inside, &nested.inner) {
            true => Some(Nested { kind: JoinType::Anti, ..nested }),
            false => Some(nested),
        }
    }

    /// Whether an expression of a relation's rows is NULL on none of them.
    fn is_never_null(&self, e: &Expr, rel: &Rel) -> bool {
        match e {
            Expr::Const(v) => !v.is_null(),
            Expr::Slot(s) => self.is_present(*s, rel),
            Expr::Cast(c) => !c.lenient && self.is_never_null(&c.value, rel),
            Expr::Collate(c) => self.is_never_null(&c.0, rel),
            _ => false,
        }
    }

    /// Whether a table's column that allows no NULL has a value in each row of a relation. Options may make NULL of a computed one.
    fn is_present(&self, slot: Slot, rel: &Rel) -> bool {
        let columns = self.columns.borrow();
        let of_table = matches!(columns[slot].origin, Some(Origin::Table { .. }));
        of_table && rel.columns().contains(slot) && !columns.nulls(rel).contains(slot)
    }

    /// A subquery that is asked EXISTS, or IN, as a join with what has these columns.
    pub(super) fn as_join(
        &self,
        kind: JoinType,
        subquery: &Subquery,
        asked: Option<&InSubquery>,
        outer: &SlotSet,
    ) -> Option<Nested> {
        let subqueries = self.subqueries.borrow();
        let rows = subqueries[subquery.index as usize].as_ref()?;
        let mut rel = rows.rel.clone();
        let mut output = Expr::Slot(rows.output);
        while let Rel::Compute(c) = rel {
            if let Expr::Slot(slot) = output
                && let Some(item) = c.items.iter().find(|i| i.1 == slot)
            {
                output = item.0.clone();
            }
            rel = c.input;
        }
        let mut conditions = Vec::new();
        while let Rel::Select(s) = rel {
            conditions.extend(s.conditions);
            rel = s.input;
        }
        if !matches!(rel, Rel::Get(_) | Rel::Join(_) | Rel::Project(_)) {
            return None;
        }
        let columns = rel.columns();
        let mut value = None;
        if let Some(InSubquery { value: left, collation, .. }) = asked {
            let collation = *collation;
            if !reads_only(&output, &columns) {
                return None;
            }
            match kind.is_null_aware() {
                true if may_raise(Part::Expr(left)) || may_raise(Part::Expr(&output)) => {
                    return None;
                }
                true => value = Some((left.clone(), output, collation)),
                false => conditions.push(equal(left.clone(), output, collation)),
            }
        }
        // What a hint wants to be sought by the outer row cannot be read without it.
        let mut sought = false;
        rel.visit(&mut |r| sought |= matches!(r, Rel::Get(g) if g.hints.access.seek.is_some()));
        // The sources themselves see nothing of the outer row.
        if sought || rel.outer_slots().iter().any(|s| outer.contains(s)) {
            return None;
        }
        let Split { mut keys, local, residual } = split(conditions, outer, &columns)?;
        let answers = kind.is_null_aware() || kind.mark().is_some();
        if answers && (!residual.is_empty() || !is_quiet(&rel)) {
            return None;
        }
        keys.extend(value);
        if keys.is_empty() {
            return None;
        }
        let inner = Rel::select(rel, local);
        Some(Nested { kind, index: subquery.index, inner, keys, residual, list: false })
    }

    /// Whether a join is less work than the subquery for each of so many outer rows.
    pub(super) fn pays(&self, nested: &Nested, outer_rows: f64) -> bool {
        let methods = self.methods();
        let joins = match nested.kind.is_null_aware() || nested.kind.mark().is_some() {
            true => methods.allows(JoinMethod::Hash),
            false => methods.allow_keyed(),
        };
        if !joins || !methods.allows(JoinMethod::Loop) {
            return joins;
        }
        match self.leads_to_partners(nested) {
            Some(rows) => outer_rows >= MANY && outer_rows * 3.0 > rows as f64,
            None => outer_rows > 1.5,
        }
    }

    /// Whether an index leads from an outer row to its partners: how many rows the table has.
    pub(super) fn leads_to_partners(&self, nested: &Nested) -> Option<u64> {
        let mut conditions: Vec<Pred> = Vec::new();
        let mut inner = &nested.inner;
        loop {
            inner = match inner {
                Rel::Select(s) => {
                    conditions.extend(s.conditions.iter().cloned());
                    &s.input
                }
                Rel::Project(p) => {
                    let Project { input, .. } = &**p;
                    input
                }
                _ => break,
            };
        }
        let Rel::Get(get) = inner else { return None };
        // The value that IN looks for leads nowhere: one NULL of the others is an answer, too.
        let leading = nested.keys.len() - usize::from(nested.kind.is_null_aware());
        let keys = nested.keys[..leading].iter();
        conditions.extend(keys.map(|(outer, inner, c)| equal(inner.clone(), outer.clone(), *c)));
        let (rows, choice) = self.choice(get, &conditions)?;
        choice.is_led().then_some(rows)
    }

    /// How many rows a table has, and how they are read under conditions on it and on what is known before; `None` where no hint can be
    /// followed.
    pub(super) fn choice(&self, get: &Get, conditions: &[Pred]) -> Option<(u64, Choice)> {
        let own = |s: Slot| get.has(s);
        let outside = |e: &Expr| {
            let mut outside = true;
            slots_of(Part::Expr(e), &mut |s| outside &= !own(s));
            outside
        };
        let reads_slots = |e: &Expr| {
            let mut found = false;
            slots_of(Part::Expr(e), &mut |_| found = true);
            found
        };
        let rows = self.meta.row_estimate(&get.table.database, &get.table.table);
        let question = Question {
            table: &get.table.table,
            columns: &get.columns,
            conditions,
            rows,
            available: &outside,
            correlated: &reads_slots,
            order: None,
            hint: get.hints.access,
        };
        Some((rows, question.choose().ok()?))
    }

    /// The join, and whether it sorts the outer rows, of whose columns those that are read above are `kept`.
    pub(super) fn joined(
        &self,
        left: Planned,
        nested: Nested,
        kept: &[Slot],
    ) -> SqlResult<(Planned, bool)> {
        let Nested { kind, index, inner, keys, residual, .. } = nested;
        let mut needed = SlotSet::default();
        residual.iter().for_each(|p| add_slots(Part::Pred(p), &mut needed));
        let right_slots = inner.columns().common(&needed);
        keys.iter().for_each(|k| add_slots(Part::Expr(&k.1), &mut needed));
        let rows = self.rows_of(&inner);
        let right = (self.lower(inner, &needed)?, rows);
        self.subqueries.borrow_mut()[index as usize] = None;
        let answers = kind.is_null_aware() || kind.mark().is_some();
        let rows = if kind.mark().is_some() { left.1 } else { (left.1 * 0.5).max(0.5) };
        let left_slots = kept.to_vec();
        let mut inputs = Inputs { left, right, kind, keys, residual, left_slots, right_slots };
        if !answers {
            inputs = match merge::chosen(inputs, self.methods(), true) {
                Ok((node, sorted)) => return Ok(((node, rows), sorted)),
                Err(inputs) => inputs,
            };
        }
        let Inputs { left, right, keys, residual, right_slots, .. } = inputs;
        let join = HashJoin {
            left: left.0,
            right: right.0,
            kind,
            keys,
            residual: Pred::all(residual),
            left_slots: Vec::new(),
            right_slots,
        };
        Ok(((Node::Hash(Arc::new(join)), rows), false))
    }

    /// The rows of a table behind a subquery; 0 where it is more than that.
    fn rows_of(&self, mut rel: &Rel) -> f64 {
        loop {
            rel = match rel {
                Rel::Select(s) => &s.input,
                Rel::Get(g) => {
                    return self.meta.row_estimate(&g.table.database, &g.table.table) as f64;
                }
                _ => return 0.0,
            };
        }
    }
}

/// An equality of two values.
pub(super) fn equal(left: Expr, right: Expr, collation: Collation) -> Pred {
    Pred::Compare(Box::new(Compare { op: CompareOp::Eq, left, right, collation }))
}

/// Whether an expression reads no other slots.
fn reads_only(e: &Expr, of: &SlotSet) -> bool {
    let mut only = true;
    slots_of(Part::Expr(e), &mut |s| only &= of.contains(s));
    only
}
