//! The planner: from relations to operators.
//!
//! [`Planner::lower`] takes a tree from its root down. What FROM and WHERE say of one block, [`join`] plans as a whole: which source
//! comes first, by which way each is read ([`access`]), and how they are joined. Every other relation becomes the one operator that
//! there is for it. [`change`] decides whether a change may go on while its rows are still being found.
//!
//! An operator keeps only the slots that something above it reads: these come down as `needed`.

pub mod access;
mod change;
mod ends;
mod join;
mod keyed;
mod lists;
mod marks;
mod order;
mod parts;
mod prune;
mod simplify;
mod unnest;
mod window;

pub use change::copies_rows;

use crate::binder::Metadata;
use access::{Goal, Order};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::columns::{Column, Columns};
use taffrail_plan::expr::{Expr, Part, Pred, Slot, slots_of};
use taffrail_plan::hints::{JoinMethods, QueryHints};
use taffrail_plan::node::{
    self, Aggregate, Compute, Distinct, Filter, Node, QueryPlan, Recursive, SetOperation, Sort,
    ValuesScan, ViewScan,
};
use taffrail_plan::rel::{self, Rel, Subqueries, SubqueryRows};
use taffrail_plan::slots::SlotSet;
use taffrail_plan::statement::{SelectPlan, Statement};
use taffrail_plan::subquery::SubqueryPlan;
use taffrail_types::{Collation, SqlType};
use window::behind;

/// The planner of one statement.
pub struct Planner<'m> {
    /// Rows of tables, and whether somebody wants the statement to end.
    meta: &'m dyn Metadata,
    /// The hints of the statement.
    hints: QueryHints,
    /// The statement's columns, those included that the planner makes.
    columns: RefCell<Columns>,
    /// The types of the variables that it sees.
    variables: Vec<Option<SqlType>>,
    /// The statement's subqueries, by number; those that have become joins are gone.
    subqueries: RefCell<Vec<Option<SubqueryRows>>>,
    /// The statement sets variables row by row, which its subqueries may read.
    assigns: Cell<bool>,
    /// The part that is planned runs many times: for each outer row, each left row, each step of a recursion. A result that is found once
    /// for a statement would be found as often as a join of it.
    many_times: Cell<bool>,
    /// Few of its rows are asked for: below TOP.
    few: Cell<bool>,
}

fn add_slots(part: Part<'_>, out: &mut SlotSet) {
    slots_of(part, &mut |s| out.insert(s));
}

impl<'m> Planner<'m> {
    /// A planner for a statement of these columns, variables and subqueries.
    pub fn new(
        meta: &'m dyn Metadata,
        hints: QueryHints,
        columns: Columns,
        variables: Vec<Option<SqlType>>,
        subqueries: Subqueries,
    ) -> Planner<'m> {
        let subqueries = RefCell::new(subqueries.into_iter().map(Some).collect());
        let (assigns, many_times, few) = Default::default();
        let columns = RefCell::new(columns);
        Planner { meta, hints, columns, variables, subqueries, assigns, many_times, few }
    }

    /// Whether what is planned runs once in a statement that sets no variables.
    fn is_once(&self) -> bool {
        !self.assigns.get() && !self.many_times.get()
    }

    /// Plans what runs many times, if it does.
    fn repeated<R>(&self, many: bool, plan: impl FnOnce(&Self) -> R) -> R {
        let before = self.many_times.replace(many || self.many_times.get());
        let planned = plan(self);
        self.many_times.set(before);
        planned
    }

    /// A slot for what the planner itself computes.
    fn new_slot(&self, column: Column) -> Slot {
        self.columns.borrow_mut().push(column)
    }

    /// A slot for an expression's value.
    fn slot_for(&self, e: &Expr) -> Slot {
        let typed = e.typed(&self.columns.borrow(), &self.variables);
        let (collation, label) = typed.coerced();
        let column = Column::computed(typed.ty.unwrap_or(SqlType::Int));
        self.new_slot(Column { nullable: typed.nullable, collation, label, ..column })
    }

    /// The methods that a join may take.
    fn methods(&self) -> JoinMethods {
        self.hints.methods.unwrap_or(JoinMethods::ALL)
    }

    /// A statement, its subqueries by number (those that have become joins give no row), and its columns.
    pub fn plan(self, bound: Statement<Rel>) -> SqlResult<(Statement, Vec<SubqueryPlan>, Columns)> {
        let mut bound = bound;
        prune::statement(&mut bound);
        self.subqueries.borrow_mut().iter_mut().flatten().for_each(prune::subquery);
        let assigns = keyed::assigns(&bound);
        self.assigns.set(assigns);
        let statement = self.statement(bound)?;
        let count = self.subqueries.borrow().len();
        let mut plans: Vec<SubqueryPlan> = (0..count).map(|_| SubqueryPlan::default()).collect();
        // What stands in a subquery has a lower number: whether it becomes a join is known when the outer one is planned.
        for at in (0..count).rev() {
            let rows = self.subqueries.borrow()[at].clone();
            if let Some(rows) = rows {
                if !assigns {
                    plans[at].keyed = self.keyed(&rows)?;
                }
                let needed = [rows.output].into_iter().collect();
                let correlated = rows.rel.outer_slots().iter().next().is_some();
                plans[at].node = self.repeated(correlated, |p| p.lower(rows.rel, &needed))?;
            }
        }
        Ok((statement, plans, self.columns.into_inner()))
    }

    fn statement(&self, bound: Statement<Rel>) -> SqlResult<Statement> {
        Ok(match bound {
            Statement::Select(s, into) => Statement::Select(Box::new(self.select(*s)?), into),
            Statement::Insert(i) => Statement::Insert(Box::new(self.insert(*i)?)),
            Statement::Update(u) => Statement::Update(Box::new(self.update(*u)?)),
            Statement::Delete(d) => Statement::Delete(Box::new(self.delete(*d)?)),
            Statement::Merge(m) => Statement::Merge(Box::new(self.merge(*m)?)),
            Statement::Scalar(e, to) => Statement::Scalar(e, to),
            Statement::Condition(p) => Statement::Condition(p),
        })
    }

    fn select(&self, select: SelectPlan<Rel>) -> SqlResult<SelectPlan> {
        let SelectPlan { plan, mut assign, order, identity, inherited, replaces, json, updatable } =
            select;
        let QueryPlan { node, outputs, columns } = plan;
        let mut needed: SlotSet = outputs.iter().copied().collect();
        assign.iter().for_each(|(_, e)| add_slots(Part::Expr(e), &mut needed));
        let mut node = match (node, self.hints.fast) {
            (Rel::Sort(sort), Some(rows)) => {
                self.sort(*sort, None, Some(Goal::Rows(rows as f64)), &needed)?
            }
            (rel, _) => self.lower(rel, &needed)?,
        };
        self.parts_of_variables(&mut node, &mut assign, &outputs);
        let plan = QueryPlan { node, outputs, columns };
        Ok(SelectPlan { plan, assign, order, identity, inherited, replaces, json, updatable })
    }

    /// The operators of a relation of whose columns `needed` are read.
    fn lower(&self, rel: Rel, needed: &SlotSet) -> SqlResult<Node> {
        Ok(match rel {
            Rel::Empty => Node::Nothing,
            Rel::OneRow => Node::OneRow,
            Rel::Get(_) | Rel::Select(_) | Rel::Join(_) | Rel::Rowset(_) | Rel::Project(_) => {
                self.block(rel, needed, None)?.0
            }
            Rel::Values(r) => {
                let rel::Values { rows, slots } = *r;
                Node::Values(Arc::new(ValuesScan { rows, slots }))
            }
            Rel::Compute(r) => self.compute(*r, needed)?,
            Rel::Group(r) => match self.ends(&r)? {
                Some(node) => node,
                None => self.group(*r)?,
            },
            Rel::Window(r) => self.window(*r, needed)?,
            Rel::Distinct(r) => {
                let rel::Distinct { input, slots } = *r;
                let mut below = needed.clone();
                below.extend(slots.iter().map(|s| s.0));
                let input = self.lower(input, &below)?;
                let columns: Vec<Expr> = slots.iter().map(|s| Expr::Slot(s.0)).collect();
                let ordered =
                    order::gathers(&input, columns.iter().zip(&slots).map(|(e, s)| (e, s.1)));
                Node::Distinct(Arc::new(Distinct { input, slots, ordered }))
            }
            Rel::Sort(r) => self.sort(*r, None, None, needed)?,
            Rel::Top(r) => self.top(*r, needed)?,
            Rel::Union(list) => {
                let nodes = list.into_iter().map(|r| self.lower(r, needed));
                Node::Concat(nodes.collect::<SqlResult<_>>()?)
            }
            Rel::SetOperation(r) => {
                let rel::SetOperation { left, right, except, left_slots, right_slots } = *r;
                let on_left: SlotSet = left_slots.iter().map(|s| s.0).collect();
                let left = self.lower(left, &on_left)?;
                let right = self.lower(right, &right_slots.iter().copied().collect())?;
                Node::SetOperation(Arc::new(SetOperation {
                    left,
                    right,
                    except,
                    left_slots,
                    right_slots,
                }))
            }
            Rel::Recursive(r) => {
                let rel::Recursive { anchors, parts, slots, work, limit } = *r;
                let needed = slots.iter().copied().collect();
                let lower = |list: Vec<Rel>| -> SqlResult<Vec<Node>> {
                    list.into_iter().map(|r| self.lower(r, &needed)).collect()
                };
                let anchors = lower(anchors)?;
                let parts = self.repeated(true, |_| lower(parts))?;
                Node::Recursive(Arc::new(Recursive { anchors, parts, slots, work, limit }))
            }
        })
    }

    fn compute(&self, r: rel::Compute, needed: &SlotSet) -> SqlResult<Node> {
        let mut below = needed.clone();
        r.items.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut below));
        let (mut input, mut items, _) = self.computed(r, &below, None)?;
        self.parts_of_items(&mut input, &mut items, needed);
        Ok(compute(input, items))
    }

    /// The items that are computed above a relation's operators, these operators, and whether they give the rows in the order that is asked
    /// for.
    fn computed(
        &self,
        r: rel::Compute,
        below: &SlotSet,
        order: Option<&Order<'_>>,
    ) -> SqlResult<(Node, Vec<(Expr, Slot)>, bool)> {
        let rel::Compute { input, items } = r;
        if is_block(&input) && self.is_once() && !self.few.get() && items.iter().any(|i| asks(&i.0))
        {
            let columns = input.columns();
            let (planned, ordered) = self.counted(input, Vec::new(), below, order)?;
            let (planned, items) = self.with_marks(planned, &columns, items)?;
            return Ok((planned.0, items, ordered));
        }
        match order {
            None => Ok((self.lower(input, below)?, items, false)),
            Some(order) => {
                let (input, ordered) = self.in_order(input, below, order)?;
                Ok((input, items, ordered))
            }
        }
    }

    fn group(&self, r: rel::Group) -> SqlResult<Node> {
        let mut below = SlotSet::default();
        r.keys.iter().for_each(|(e, ..)| add_slots(Part::Expr(e), &mut below));
        r.aggs.iter().for_each(|a| a.exprs(&mut |e| add_slots(Part::Expr(e), &mut below)));
        let rel::Group { input, keys: groups, aggs, scalar, sets, marks } = r;
        let input = self.lower(input, &below)?;
        let plain = sets.is_empty() && marks.is_empty() && !groups.is_empty();
        let ordered = plain && order::gathers(&input, groups.iter().map(|(e, _, c)| (e, *c)));
        let all = Aggregate { input, groups, aggs, scalar, sets, marks, ordered };
        Ok(Node::Aggregate(Arc::new(all)))
    }

    /// The operators of a relation, and whether they give its rows in this order: then it is not sorted.
    fn in_order(&self, rel: Rel, needed: &SlotSet, order: &Order<'_>) -> SqlResult<(Node, bool)> {
        match rel {
            rel if is_block(&rel) => self.block(rel, needed, Some(order)),
            Rel::Compute(r) => {
                let mut below = needed.clone();
                r.items.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut below));
                // What repeats a column has its order.
                let own = |k: &(Slot, bool, Collation)| (behind(&r.items, k.0), k.1, k.2);
                let keys: Vec<_> = order.keys.iter().map(own).collect();
                let order = Order { keys: &keys, ..*order };
                let (input, items, ordered) = self.computed(*r, &below, Some(&order))?;
                Ok((compute(input, items), ordered))
            }
            rel => {
                let node = self.lower(rel, needed)?;
                let ordered = order::serves(&node, order.keys);
                Ok((node, ordered))
            }
        }
    }

    /// `limit`: so many of the first rows will be asked for; `goal`: the same as far as it is known.
    fn sort(
        &self,
        r: rel::Sort,
        limit: Option<Expr>,
        goal: Option<Goal>,
        needed: &SlotSet,
    ) -> SqlResult<Node> {
        let rel::Sort { input, mut keys } = r;
        // One value for all rows orders none of them.
        keys.retain(|k| !self.is_one_value(Part::Expr(&k.expr)));
        if keys.is_empty() {
            return self.lower(input, needed);
        }
        let save = input.columns().common(needed);
        let mut below = needed.clone();
        keys.iter().for_each(|k| add_slots(Part::Expr(&k.expr), &mut below));
        let columns = keys.iter().map(|k| match &k.expr {
            Expr::Slot(s) => Some((*s, k.descending, k.collation)),
            _ => None,
        });
        let input = match columns.collect::<Option<Vec<_>>>() {
            None => self.lower(input, &below)?,
            Some(columns) => {
                match self.in_order(input, &below, &Order { keys: &columns, goal })? {
                    (input, true) => return Ok(input),
                    (input, false) => input,
                }
            }
        };
        Ok(Node::Sort(Arc::new(Sort { input, keys, save, limit })))
    }

    fn top(&self, r: rel::Top, needed: &SlotSet) -> SqlResult<Node> {
        let rel::Top { input, count, percent, ties, offset } = r;
        let mut below = needed.clone();
        ties.iter().flatten().for_each(|(e, _)| add_slots(Part::Expr(e), &mut below));
        let save = input.columns().common(&below);
        let few = self.few.replace(self.few.get() || count.is_some() && !percent);
        let input = match input {
            Rel::Sort(s) => {
                let whole = !percent && ties.is_none() && offset.is_none();
                let limit = count.clone().filter(|c| whole && is_simple(c));
                let goal = if percent { None } else { goal(count.as_ref(), offset.as_ref()) };
                self.sort(*s, limit, goal, &below)?
            }
            other => self.lower(other, &below)?,
        };
        self.few.set(few);
        Ok(Node::Top(Arc::new(node::Top { input, count, percent, ties, offset, save })))
    }
}

/// Whether it is what FROM and WHERE say, or the beginning of that.
fn is_block(rel: &Rel) -> bool {
    matches!(rel, Rel::Get(_) | Rel::Select(_) | Rel::Join(_) | Rel::Rowset(_) | Rel::Project(_))
}

/// Whether an expression holds a condition that asks a subquery.
fn asks(e: &Expr) -> bool {
    fn holds(part: Part<'_>) -> bool {
        let mut found = false;
        match part {
            Part::Pred(Pred::Exists(_) | Pred::InSubquery(_)) => return true,
            Part::Expr(e) => e.children(&mut |p| found |= holds(p)),
            Part::Pred(p) => p.children(&mut |p| found |= holds(p)),
            Part::Plan(_) => {}
        }
        found
    }
    holds(Part::Expr(e))
}

/// How many rows a TOP, or OFFSET and FETCH, will ask for.
fn goal(count: Option<&Expr>, offset: Option<&Expr>) -> Option<Goal> {
    let rows = |e: &Expr| e.constant().and_then(|v| v.as_i64()).map(|n| n.max(0) as f64);
    Some(match (rows(count?), offset.map(rows)) {
        (Some(n), None) => Goal::Rows(n),
        (Some(n), Some(Some(first))) => Goal::Rows(first + n),
        _ => Goal::Unknown,
    })
}

/// A constant or variable: computed twice it is the same.
fn is_simple(e: &Expr) -> bool {
    matches!(e, Expr::Var(_)) || e.constant().is_some()
}

fn compute(input: Node, items: Vec<(Expr, Slot)>) -> Node {
    Node::Compute(Arc::new(Compute { input, items }))
}

/// The rows of `input` that fulfil conditions.
fn filter(input: Node, conditions: Vec<Pred>) -> Node {
    match Pred::all(conditions) {
        None => input,
        Some(pred) => Node::Filter(Arc::new(Filter { input, pred, startup: false })),
    }
}

fn view_scan(r: rel::Rowset, filter: Option<Pred>) -> Node {
    let rel::Rowset { of, alias, args, columns, dirty } = r;
    let (database, source) = (of.database, of.source);
    Node::View(Arc::new(ViewScan { source, alias, database, dirty, args, columns, filter }))
}
