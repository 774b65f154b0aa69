//! Scalar functions whose statements become a subquery of one row in place of their calls.
//!
//! ```text
//! SET @x = e              x1 = e                                  each assignment is an item, computed once for a call
//! IF p SET @x = f         c  = CASE WHEN p THEN 1 ELSE 0          what stands under a condition is computed where that holds
//!                         x2 = CASE WHEN c = 1 THEN f ELSE x1
//! SELECT @x = g FROM t    x3 = the last row of (x2 UNION ALL SELECT g FROM t)
//! RETURN r                the value of the subquery
//! ```
//! 1. The items are computed in the order of the statements, from the first to the last, each at most once for a row: as the call would.
//! 2. A value that may raise an error and that nobody reads would be left out of the plan: then the function is called.
//! 3. A body that comes to one item is that item, without a subquery around it.

use super::inlined::{BodyIf, BodyStep, CallArguments, ScalarBody, is_leaf};
use super::query::BoundQuery;
use super::table_function::Argument;
use super::{Binder, Bound};
use std::mem::take;
use taffrail_base::SqlResult;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::columns::Label;
use taffrail_plan::expr::{Case, Cast, Compare, CompareOp, Expr, Part, Pred, Slot, slots_of};
use taffrail_plan::rel::Rel;
use taffrail_plan::slots::SlotSet;
use taffrail_plan::user_call::UserFunction;
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;
use taffrail_types::{SqlType, Value};

/// The items of a body's subquery, in the order in which they are computed.
#[derive(Default)]
struct Items(Vec<(Expr, Slot)>);

/// `CASE WHEN p THEN value ELSE otherwise END`.
fn case(p: Pred, value: Expr, otherwise: Expr) -> Expr {
    Expr::Case(Box::new(Case { whens: vec![(p, value)], otherwise: Some(otherwise) }))
}

fn number(n: i32) -> Expr {
    Expr::Const(Value::Int(n))
}

impl<'a> Binder<'a> {
    /// Whether a subquery may stand here in place of a call: not in an aggregate, a window, GROUP BY and its list, OUTPUT, and where common
    /// table expressions are in sight.
    pub(super) fn rows_may_stand(&self) -> bool {
        let Some(block) = self.blocks.last() else { return false };
        let grouped = block.groups.written || !block.aggs.is_empty();
        let apart = block.in_aggregate || block.in_window || grouped;
        self.by_row && !apart && !self.in_output && self.ctes.is_empty() && self.one_side.is_none()
    }

    /// The value of a body as a subquery; none where the function is called.
    pub(super) fn as_rows(
        &mut self,
        function: &UserFunction,
        body: &'a ScalarBody,
        args: CallArguments<'_>,
    ) -> SqlResult<Option<Bound>> {
        let computes = |e: &Expr| !matches!(e, Expr::NextValue(_));
        if !args.0.iter().all(computes) {
            return Ok(None);
        }
        let (uses, subqueries) = (self.uses.len(), self.subqueries.len());
        let (facts, all_tables) = (self.facts.clone(), self.all_tables);
        let tables = take(&mut self.named_tables);
        let assigns = self.assigns_variables;
        self.subquery_depth += 1;
        let bound = self.collecting_outer(|b| {
            b.push_block();
            let bound = b.items_of_body(function, body, args);
            b.blocks.pop();
            bound
        });
        self.subquery_depth -= 1;
        self.assigns_variables = assigns;
        self.named_tables = tables;
        if let Ok((Some((Bound { expr, .. }, items)), outer)) = bound {
            let expr = self.in_place_of_call(expr, items, function, outer);
            if let Some(expr) = expr {
                let coerced = (function.collation(), Label::CoercibleDefault);
                return Ok(Some(Bound::of(expr, function.result()).with_collation(coerced)));
            }
        }
        // The function is called: nothing of its text is the statement's.
        self.uses.truncate(uses);
        self.subqueries.truncate(subqueries);
        (self.facts, self.all_tables) = (facts, all_tables);
        Ok(None)
    }

    /// The expression in place of a call whose value and items these are.
    fn in_place_of_call(
        &mut self,
        value: Expr,
        Items(mut items): Items,
        function: &UserFunction,
        outer: Vec<Slot>,
    ) -> Option<Expr> {
        if let [(item, slot)] = &items[..]
            && let Some(value) = instead(&value, *slot, item)
        {
            return Some(value);
        }
        let mut read = SlotSet::default();
        slots_of(Part::Expr(&value), &mut |s| read.insert(s));
        for (e, slot) in items.iter().rev() {
            match read.contains(*slot) {
                true => slots_of(Part::Expr(e), &mut |s| read.insert(s)),
                false if may_raise(Part::Expr(e)) => return None,
                false => {}
            }
        }
        if items.is_empty() {
            return Some(value);
        }
        let coerced = (function.collation(), Label::CoercibleDefault);
        let bound = Bound::of(Expr::NULL, function.result()).with_collation(coerced);
        let output = self.computed_slot(&bound, &function.module.head.name);
        items.push((value, output));
        let rel = one_row(items);
        Some(Expr::Subquery(Box::new(self.add_subquery(rel, output, outer))))
    }

    /// The value that a body returns, and the items of which it is made.
    fn items_of_body(
        &mut self,
        function: &UserFunction,
        body: &'a ScalarBody,
        (args, defaulted, settled): CallArguments<'_>,
    ) -> SqlResult<Option<(Bound, Items)>> {
        let mut items = Items::default();
        let mut arguments = Vec::with_capacity(args.len() + body.steps.len());
        for ((p, value), settled) in function.module.parameters.iter().zip(args).zip(settled) {
            self.read_outside(value);
            let as_it_is = is_leaf(value) && !may_raise(Part::Expr(value)) && *settled;
            let value = match as_it_is {
                true => value.clone(),
                false => self.item(&mut items, value.clone(), (&p.name, p.declared())),
            };
            arguments.push(Argument::new(p.name.clone(), value, p.declared()));
        }
        let values: Vec<Expr> = arguments.iter().map(|a| a.value().clone()).collect();
        let passed = || values.iter().zip(defaulted).filter(|(_, d)| !**d).map(|(e, _)| e);
        let mut under = None;
        if function.module.facts.null_on_null_input {
            // For a NULL that was passed the body does not run.
            let nulls: Vec<Pred> = passed().map(|e| Pred::IsNull(Box::new(e.clone()))).collect();
            if !nulls.is_empty() {
                let runs = case(Pred::Or(nulls), number(0), number(1));
                under = Some(self.flag(&mut items, runs));
            }
        }
        self.enter_body(function, arguments)?;
        let bound = match self.body_steps(&mut items, &body.steps, under) {
            Ok(true) => self.expr(&body.value).map(Some),
            Ok(false) => Ok(None),
            Err(e) => Err(e),
        };
        self.views.pop();
        let Some(bound) = bound? else { return Ok(None) };
        let bound = self.returned(bound, function, passed())?;
        Ok(bound.map(|bound| (bound, items)))
    }

    /// One more item, and how it is read.
    fn item(&mut self, items: &mut Items, value: Expr, (name, ty): (&str, Declared)) -> Expr {
        let coerced = (self.collation, Label::CoercibleDefault);
        let bound = Bound::of(Expr::NULL, ty).with_collation(coerced);
        let slot = self.computed_slot(&bound, name);
        items.0.push((value, slot));
        Expr::Slot(slot)
    }

    /// An item that is 1 where something holds, else 0.
    fn flag(&mut self, items: &mut Items, value: Expr) -> Expr {
        self.item(items, value, ("", SqlType::Int.into()))
    }

    /// The condition that a flag is 1.
    fn holds(&self, flag: &Expr) -> Pred {
        let (left, right) = (flag.clone(), number(1));
        let collation = self.collation;
        Pred::Compare(Box::new(Compare { op: CompareOp::Eq, left, right, collation }))
    }

    /// A value where a flag is 1, and another one where it is not.
    fn where_holds(&self, under: Option<&Expr>, value: Expr, otherwise: Expr) -> Expr {
        match under {
            Some(flag) => case(self.holds(flag), value, otherwise),
            None => value,
        }
    }

    /// Adds the items of statements, which are carried out where the flag `under` is 1; false: they have no such form.
    fn body_steps(
        &mut self,
        items: &mut Items,
        steps: &'a [BodyStep],
        under: Option<Expr>,
    ) -> SqlResult<bool> {
        let under = under.as_ref();
        for step in steps {
            match step {
                BodyStep::Assign(a) => {
                    let Some((at, declared)) = self.declared_here(&a.name, a.declared) else {
                        return Ok(false);
                    };
                    let Some(e) = &a.value else { continue };
                    let bound = self.expr(e)?;
                    let value = self.cast_to_declared(bound, declared)?;
                    self.assign(items, (at, declared), value, under);
                }
                BodyStep::Query(name, s) => {
                    let Some((at, declared)) = self.declared_here(name, None) else {
                        return Ok(false);
                    };
                    let Some(value) = self.last_row(s, (at, declared))? else { return Ok(false) };
                    self.assign(items, (at, declared), value, under);
                }
                BodyStep::If(i) => match only_variable(i) {
                    Some(name) => {
                        let Some((at, declared)) = self.declared_here(name, None) else {
                            return Ok(false);
                        };
                        let value = self.chosen(i, (at, declared))?;
                        self.assign(items, (at, declared), value, under);
                    }
                    None if !self.branches(items, i, under.cloned())? => return Ok(false),
                    None => {}
                },
            }
        }
        Ok(true)
    }

    /// Gives a variable a value that is computed under a flag.
    fn assign(
        &mut self,
        items: &mut Items,
        (at, declared): (usize, Declared),
        value: Expr,
        under: Option<&Expr>,
    ) {
        let old = self.value_of(at);
        let leaf = under.is_none() && is_leaf(&value) && !may_raise(Part::Expr(&value));
        let value = match leaf {
            true => value,
            false => {
                let value = self.where_holds(under, value, old);
                self.item(items, value, ("", declared))
            }
        };
        self.give(at, value);
    }

    /// The value of a variable of the body.
    fn value_of(&self, at: usize) -> Expr {
        let argument = self.views.last().and_then(|v| v.arguments.get(at));
        argument.map_or(Expr::NULL, |a| a.value().clone())
    }

    /// The items of the branches of an IF, each under a flag of its own.
    fn branches(
        &mut self,
        items: &mut Items,
        i: &'a BodyIf,
        under: Option<Expr>,
    ) -> SqlResult<bool> {
        let mut under = under;
        for (condition, steps) in &i.branches {
            let p = self.pred(condition)?;
            let flag = self.where_holds(under.as_ref(), case(p, number(1), number(0)), number(0));
            let flag = self.flag(items, flag);
            if !self.body_steps(items, steps, Some(flag.clone()))? {
                return Ok(false);
            }
            let others = case(self.holds(&flag), number(0), number(1));
            let others = self.where_holds(under.as_ref(), others, number(0));
            under = Some(self.flag(items, others));
        }
        match i.otherwise.is_empty() {
            true => Ok(true),
            false => self.body_steps(items, &i.otherwise, under),
        }
    }

    /// The value of the one variable that all branches of an IF assign.
    fn chosen(&mut self, i: &'a BodyIf, variable: (usize, Declared)) -> SqlResult<Expr> {
        let old = self.value_of(variable.0);
        self.read_outside(&old);
        let mut whens = Vec::with_capacity(i.branches.len());
        for (condition, steps) in &i.branches {
            let p = self.pred(condition)?;
            whens.push((p, self.chosen_of(steps, variable)?));
        }
        let otherwise = match i.otherwise.is_empty() {
            true => old,
            false => self.chosen_of(&i.otherwise, variable)?,
        };
        Ok(Expr::Case(Box::new(Case { whens, otherwise: Some(otherwise) })))
    }

    fn chosen_of(&mut self, steps: &'a [BodyStep], variable: (usize, Declared)) -> SqlResult<Expr> {
        self.deeper(|b| match steps {
            [BodyStep::Assign(a)] if a.value.is_some() => match &a.value {
                Some(e) => {
                    let bound = b.expr(e)?;
                    b.cast_to_declared(bound, variable.1)
                }
                None => Ok(b.value_of(variable.0)),
            },
            [BodyStep::If(i)] => b.chosen(i, variable),
            _ => Ok(b.value_of(variable.0)),
        })
    }

    /// The value that `SELECT @v = …` of a query gives the variable: that of its last row, and the old one without any row.
    fn last_row(
        &mut self,
        s: &'a ast::SelectStatement,
        (at, declared): (usize, Declared),
    ) -> SqlResult<Option<Expr>> {
        let old = self.value_of(at);
        let tables = take(&mut self.named_tables);
        self.subquery_depth += 1;
        let bound = self.collecting_outer(|b| {
            b.read_outside(&old);
            b.query(&s.query, false)
        });
        self.subquery_depth -= 1;
        self.named_tables = tables;
        let (BoundQuery { rel, assign, .. }, outer) = bound?;
        let Ok([(_, value)]) = <[_; 1]>::try_from(assign) else { return Ok(None) };
        let one = gives_one_row(&rel);
        let coerced = (self.collation, Label::CoercibleDefault);
        let slot = self.computed_slot(&Bound::of(Expr::NULL, declared).with_collation(coerced), "");
        let mut rel = Rel::compute(rel, vec![(value, slot)]);
        if !one && !old.is_null() {
            let old = Rel::compute(Rel::OneRow, vec![(old, slot)]);
            rel = Rel::Union(vec![old, Rel::project(rel, vec![slot])]);
        }
        let mut subquery = self.add_subquery(rel, slot, outer);
        subquery.last = !one;
        Ok(Some(Expr::Subquery(Box::new(subquery))))
    }
}

/// The row of the items, of which each may read those before it. Items that are computed at once do not read each other.
fn one_row(items: Vec<(Expr, Slot)>) -> Rel {
    let (mut rel, mut layer) = (Rel::OneRow, Vec::new());
    let mut own = SlotSet::default();
    for (e, slot) in items {
        let mut reads = false;
        slots_of(Part::Expr(&e), &mut |s| reads |= own.contains(s));
        if reads {
            rel = Rel::compute(rel, take(&mut layer));
            own = SlotSet::default();
        }
        own.insert(slot);
        layer.push((e, slot));
    }
    Rel::compute(rel, layer)
}

/// Whether a relation has one row, whatever its input has.
fn gives_one_row(rel: &Rel) -> bool {
    match rel {
        Rel::OneRow => true,
        Rel::Group(g) => g.scalar && g.sets.is_empty(),
        Rel::Compute(c) => gives_one_row(&c.input),
        _ => false,
    }
}

/// The variable, if each branch of an IF assigns one, the same, and nothing more.
fn only_variable(i: &BodyIf) -> Option<&str> {
    let mut name = None;
    let mut all = i.branches.iter().map(|b| &b.1).chain(Some(&i.otherwise));
    all.all(|steps| {
        let assigned = match &steps[..] {
            [] => return std::ptr::eq(steps, &i.otherwise),
            [BodyStep::Assign(a)] if a.value.is_some() && a.declared.is_none() => Some(&*a.name),
            [BodyStep::If(i)] => only_variable(i),
            _ => None,
        };
        let same = assigned.is_some_and(|a| name.is_none_or(|n| super::eq(n, a)));
        name = assigned;
        same
    })
    .then_some(name)
    .flatten()
}

/// `value` with an item in place of its slot, where it is nothing but that slot, converted or not.
fn instead(value: &Expr, slot: Slot, item: &Expr) -> Option<Expr> {
    match value {
        Expr::Slot(s) if *s == slot => Some(item.clone()),
        Expr::Cast(c) if c.style.is_none() => {
            let value = instead(&c.value, slot, item)?;
            Some(Expr::Cast(Box::new(Cast { value, ..(**c).clone() })))
        }
        _ => None,
    }
}
