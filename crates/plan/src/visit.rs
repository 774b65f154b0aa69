//! Walks over trees of operators, and over expressions to change them.

use crate::change::InsertRows;
use crate::expr::{Expr, Pred};
use crate::node::{Node, Scan};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use std::sync::Arc;

/// A part of an expression or condition, to change it.
pub enum PartMut<'e> {
    /// A value.
    Expr(&'e mut Expr),
    /// A condition.
    Pred(&'e mut Pred),
}

impl PartMut<'_> {
    /// Calls `f` with each of its direct parts but subqueries.
    pub fn children(self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            PartMut::Expr(e) => e.children_mut(f),
            PartMut::Pred(p) => p.children_mut(f),
        }
    }
}

impl Expr {
    /// Calls `f` with each direct part but subqueries.
    pub fn children_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            Expr::Const(_)
            | Expr::Slot(_)
            | Expr::Var(_)
            | Expr::Global(_)
            | Expr::Named(_)
            | Expr::NextValue(_)
            | Expr::Subquery(_)
            | Expr::Carried => {}
            Expr::Arith(a) => {
                f(PartMut::Expr(&mut a.left));
                f(PartMut::Expr(&mut a.right));
            }
            Expr::AddInt(p) | Expr::SubInt(p) => {
                f(PartMut::Expr(&mut p.0));
                f(PartMut::Expr(&mut p.1));
            }
            Expr::Concat(c) => {
                f(PartMut::Expr(&mut c.left));
                f(PartMut::Expr(&mut c.right));
            }
            Expr::Unary(_, e) | Expr::IntToVarchar(e) => f(PartMut::Expr(e)),
            Expr::Cast(c) => {
                f(PartMut::Expr(&mut c.value));
                c.style.iter_mut().for_each(|s| f(PartMut::Expr(s)));
            }
            Expr::Case(c) => {
                for (p, e) in &mut c.whens {
                    f(PartMut::Pred(p));
                    f(PartMut::Expr(e));
                }
                c.otherwise.iter_mut().for_each(|e| f(PartMut::Expr(e)));
            }
            Expr::Call(c) => c.args.iter_mut().for_each(|e| f(PartMut::Expr(e))),
            Expr::UserCall(c) => c.args.iter_mut().for_each(|e| f(PartMut::Expr(e))),
            Expr::Coalesce(list) => list.iter_mut().for_each(|e| f(PartMut::Expr(e))),
            Expr::Collate(c) => f(PartMut::Expr(&mut c.0)),
            Expr::Chain(c) => {
                f(PartMut::Expr(&mut c.first));
                c.steps.iter_mut().for_each(|e| f(PartMut::Expr(e)));
            }
        }
    }
}

impl Pred {
    /// Calls `f` with each direct part but subqueries.
    pub fn children_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            Pred::Const(_) | Pred::Exists(_) => {}
            Pred::Compare(c) | Pred::NullsEqual(c, _) => {
                f(PartMut::Expr(&mut c.left));
                f(PartMut::Expr(&mut c.right));
            }
            Pred::And(list) | Pred::Or(list) => list.iter_mut().for_each(|p| f(PartMut::Pred(p))),
            Pred::Not(p) => f(PartMut::Pred(p)),
            Pred::IsNull(e) => f(PartMut::Expr(e)),
            Pred::Like(l) => {
                f(PartMut::Expr(&mut l.value));
                f(PartMut::Expr(&mut l.pattern));
                l.escape.iter_mut().for_each(|e| f(PartMut::Expr(e)));
            }
            Pred::InList(l) => {
                f(PartMut::Expr(&mut l.value));
                l.list.iter_mut().for_each(|e| f(PartMut::Expr(e)));
            }
            Pred::InSubquery(s) => f(PartMut::Expr(&mut s.value)),
            Pred::Quantified(q) => f(PartMut::Expr(&mut q.value)),
        }
    }
}

impl Node {
    /// The operator's own number: no other operator of a plan has it, as long as the plan is there.
    pub fn number(&self) -> usize {
        match self {
            Node::OneRow | Node::Nothing => std::ptr::from_ref(self) as usize,
            Node::Concat(list) => list.as_ptr() as usize,
            Node::Scan(n) => Arc::as_ptr(n) as usize,
            Node::View(n) => Arc::as_ptr(n) as usize,
            Node::Values(n) => Arc::as_ptr(n) as usize,
            Node::Filter(n) => Arc::as_ptr(n) as usize,
            Node::Compute(n) => Arc::as_ptr(n) as usize,
            Node::Loop(n) => Arc::as_ptr(n) as usize,
            Node::Hash(n) => Arc::as_ptr(n) as usize,
            Node::Merge(n) => Arc::as_ptr(n) as usize,
            Node::Spool(n) => Arc::as_ptr(n) as usize,
            Node::Sort(n) => Arc::as_ptr(n) as usize,
            Node::Aggregate(n) => Arc::as_ptr(n) as usize,
            Node::Window(n) => Arc::as_ptr(n) as usize,
            Node::Top(n) => Arc::as_ptr(n) as usize,
            Node::Distinct(n) => Arc::as_ptr(n) as usize,
            Node::SetOperation(n) => Arc::as_ptr(n) as usize,
            Node::Recursive(n) => Arc::as_ptr(n) as usize,
        }
    }

    /// Calls `f` with this node and every node below it (subqueries in expressions not included).
    pub fn visit<'n>(&'n self, f: &mut dyn FnMut(&'n Node)) {
        f(self);
        match self {
            Node::OneRow | Node::Nothing | Node::Scan(_) | Node::View(_) | Node::Values(_) => {}
            Node::Filter(n) => n.input.visit(f),
            Node::Compute(n) => n.input.visit(f),
            Node::Loop(n) => {
                n.left.visit(f);
                n.right.visit(f);
            }
            Node::Hash(n) => {
                n.left.visit(f);
                n.right.visit(f);
            }
            Node::Merge(n) => {
                n.left.visit(f);
                n.right.visit(f);
            }
            Node::Spool(n) => n.input.visit(f),
            Node::Sort(n) => n.input.visit(f),
            Node::Aggregate(n) => n.input.visit(f),
            Node::Window(n) => n.input.visit(f),
            Node::Top(n) => n.input.visit(f),
            Node::Distinct(n) => n.input.visit(f),
            Node::Concat(list) => list.iter().for_each(|n| n.visit(f)),
            Node::SetOperation(n) => {
                n.left.visit(f);
                n.right.visit(f);
            }
            Node::Recursive(n) => n.anchors.iter().chain(&n.parts).for_each(|n| n.visit(f)),
        }
    }

    /// Calls `f` with this node and every node below it to change them. Nodes that somebody else holds are copied.
    pub(crate) fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Node)) {
        f(self);
        match self {
            Node::OneRow | Node::Nothing | Node::Scan(_) | Node::View(_) | Node::Values(_) => {}
            Node::Filter(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Compute(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Loop(n) => {
                let n = Arc::make_mut(n);
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Hash(n) => {
                let n = Arc::make_mut(n);
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Merge(n) => {
                let n = Arc::make_mut(n);
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Spool(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Sort(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Aggregate(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Window(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Top(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Distinct(n) => Arc::make_mut(n).input.visit_mut(f),
            Node::Concat(list) => list.iter_mut().for_each(|n| n.visit_mut(f)),
            Node::SetOperation(n) => {
                let n = Arc::make_mut(n);
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Recursive(n) => {
                let n = Arc::make_mut(n);
                n.anchors.iter_mut().chain(&mut n.parts).for_each(|n| n.visit_mut(f))
            }
        }
    }
}

impl Statement {
    /// Calls `f` with each operator of a planned statement and of its subqueries.
    pub fn nodes<'n>(&'n self, subqueries: &'n [SubqueryPlan], f: &mut dyn FnMut(&'n Node)) {
        for s in subqueries {
            s.node.visit(f);
            s.keyed.iter().for_each(|keyed| keyed.node.visit(f));
        }
        match self {
            Statement::Select(s, _) => s.plan.node.visit(f),
            Statement::Insert(i) => {
                if let InsertRows::Query(q) = &i.rows {
                    q.node.visit(f);
                }
            }
            Statement::Update(u) => u.node.visit(f),
            Statement::Delete(d) => d.node.visit(f),
            Statement::Merge(m) => {
                m.node.visit(f);
                m.rest.iter().for_each(|rest| rest.node.visit(f));
            }
            Statement::Scalar(..) | Statement::Condition(_) => {}
        }
    }

    /// Calls `f` with each scan of a planned statement and of its subqueries.
    pub fn scans(&self, subqueries: &[SubqueryPlan], f: &mut dyn FnMut(&Scan)) {
        self.nodes(subqueries, &mut |n| {
            if let Node::Scan(scan) = n {
                f(scan);
            }
        });
    }
}
