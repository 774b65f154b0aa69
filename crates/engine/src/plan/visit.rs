//! Walks over trees of operators.

use crate::plan::node::Node;

impl Node {
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

    /// Calls `f` with this node and every node below it to change them.
    pub fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Node)) {
        f(self);
        match self {
            Node::OneRow | Node::Nothing | Node::Scan(_) | Node::View(_) | Node::Values(_) => {}
            Node::Filter(n) => n.input.visit_mut(f),
            Node::Compute(n) => n.input.visit_mut(f),
            Node::Loop(n) => {
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Hash(n) => {
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Merge(n) => {
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Spool(n) => n.input.visit_mut(f),
            Node::Sort(n) => n.input.visit_mut(f),
            Node::Aggregate(n) => n.input.visit_mut(f),
            Node::Window(n) => n.input.visit_mut(f),
            Node::Top(n) => n.input.visit_mut(f),
            Node::Distinct(n) => n.input.visit_mut(f),
            Node::Concat(list) => list.iter_mut().for_each(|n| n.visit_mut(f)),
            Node::SetOperation(n) => {
                n.left.visit_mut(f);
                n.right.visit_mut(f);
            }
            Node::Recursive(n) => {
                n.anchors.iter_mut().chain(&mut n.parts).for_each(|n| n.visit_mut(f))
            }
        }
    }
}
