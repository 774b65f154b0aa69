//! Joins, and operators on sets.

use super::Showplan;
use super::columns::{read_by, set_by};
use super::form::{Form, Rows, around};
use super::xml::Xml;
use crate::expr::{Expr, Pred};
use crate::node::{HashJoin, JoinType, LoopJoin, MergeJoin, Node, SetOperation};
use crate::text::list;

/// A join whose left side stands first.
fn of_left(kind: JoinType) -> &'static str {
    match kind {
        JoinType::Inner => "Inner Join",
        JoinType::Left => "Left Outer Join",
        JoinType::Full => "Full Outer Join",
        JoinType::Semi => "Left Semi Join",
        JoinType::Anti | JoinType::NullAwareAnti => "Left Anti Semi Join",
        JoinType::Mark(_) => "Left Semi Join",
    }
}

/// The rows of a join: those of its first or second input where it gives no pairs.
fn rows_of(kind: JoinType, own: usize) -> Rows {
    match kind {
        JoinType::Semi | JoinType::Mark(_) => Rows::Of(own),
        JoinType::Anti | JoinType::NullAwareAnti => Rows::Of(own),
        JoinType::Inner | JoinType::Left | JoinType::Full => Rows::Most,
    }
}

impl Showplan<'_> {
    /// An element around a condition.
    fn conditional(&self, name: &'static str, p: Option<&Pred>) -> Option<Xml> {
        p.map(|p| Xml::new(name).with(self.long.condition(p)))
    }

    /// An element around the columns of keys.
    fn keys<'e>(&self, name: &'static str, keys: impl Iterator<Item = &'e Expr>) -> Option<Xml> {
        around(name, keys.map(|e| self.column(e)).collect())
    }

    pub(super) fn nested_loops(&mut self, l: &LoopJoin, parent: Option<usize>) {
        let logical = of_left(l.kind);
        let references = read_by(&l.right).common(&set_by(&l.left));
        let mut argument = match references.is_empty() {
            true => String::new(),
            false => format!("OUTER REFERENCES:({})", self.slots(references.iter().copied())),
        };
        if let Some(p) = &l.on {
            let comma = if argument.is_empty() { "" } else { ", " };
            argument += &format!("{comma}WHERE:({})", self.long.pred(p));
        }
        let outer = around("OuterReferences", self.references(references.iter().copied()));
        let at = self.add(parent, "Nested Loops", logical, argument);
        self.lines[at].form = Form::new("NestedLoops")
            .attr("Optimized", 0)
            .before(self.conditional("Predicate", l.on.as_ref()))
            .before(outer);
        self.lines[at].rows = match l.kind {
            // Nothing is compared: a product, or what a seek has found for each row.
            JoinType::Inner if l.on.is_none() => Rows::Product,
            JoinType::Inner | JoinType::Left if matches!(l.right, Node::Scan(_)) => Rows::Product,
            kind => rows_of(kind, 0),
        };
        self.node(&l.left, Some(at));
        self.node(&l.right, Some(at));
    }

    /// The side that is hashed stands first, as SQL Server has it: rows of the left side are those of the second input.
    pub(super) fn hash(&mut self, h: &HashJoin, parent: Option<usize>) {
        // Each row is compared with each.
        if h.keys.is_empty() {
            let p = h.residual.as_ref();
            let argument = p.map_or(String::new(), |p| format!("WHERE:({})", self.long.pred(p)));
            let at = self.add(parent, "Nested Loops", "Full Outer Join", argument);
            let predicate = self.conditional("Predicate", p);
            self.lines[at].form = Form::new("NestedLoops").attr("Optimized", 0).before(predicate);
            self.lines[at].rows = Rows::Product;
            self.node(&h.left, Some(at));
            self.node(&h.right, Some(at));
            return;
        }
        let logical = match h.kind {
            JoinType::Inner => "Inner Join",
            JoinType::Left => "Right Outer Join",
            JoinType::Full => "Full Outer Join",
            JoinType::Semi => "Right Semi Join",
            JoinType::Anti | JoinType::NullAwareAnti => "Right Anti Semi Join",
            JoinType::Mark(_) => "Right Semi Join",
        };
        let build = list(&h.keys, |(_, r, _)| self.short.expr(r));
        let probe = list(&h.keys, |(l, ..)| self.short.expr(l));
        let mut argument = format!("HASH:({build})=({probe})");
        if let JoinType::Mark(m) = h.kind {
            argument += &format!(", DEFINE:({} = [PROBE VALUE])", self.slots([m.slot]));
        }
        if let (JoinType::NullAwareAnti, Some((l, r, _))) = (h.kind, h.keys.last()) {
            let (l, r) = (self.long.expr(l), self.long.expr(r));
            argument += &format!(", RESIDUAL:({l} IS NULL OR {r} IS NULL OR {l}={r})");
        }
        if let Some(p) = &h.residual {
            argument += &format!(", RESIDUAL:({})", self.long.pred(p));
        }
        let at = self.add(parent, "Hash Match", logical, argument);
        let mark = h.kind.mark().map(|slot| self.defines(slot, None));
        self.lines[at].form = Form::new("Hash")
            .defines(mark)
            .before(self.keys("HashKeysBuild", h.keys.iter().map(|k| &k.1)))
            .before(self.keys("HashKeysProbe", h.keys.iter().map(|k| &k.0)))
            .before(self.conditional("ProbeResidual", h.residual.as_ref()));
        self.lines[at].rows = rows_of(h.kind, 1);
        self.node(&h.right, Some(at));
        self.node(&h.left, Some(at));
    }

    pub(super) fn merge_join(&mut self, m: &MergeJoin, parent: Option<usize>) {
        let many = if m.many_to_many { "MANY-TO-MANY " } else { "" };
        let left = list(&m.keys, |k| self.short.expr(&k.left));
        let right = list(&m.keys, |k| self.short.expr(&k.right));
        let mut argument = format!("{many}MERGE:({left})=({right})");
        if let Some(p) = &m.residual {
            argument += &format!(", RESIDUAL:({})", self.long.pred(p));
        }
        let at = self.add(parent, "Merge Join", of_left(m.kind), argument);
        self.lines[at].form = Form::new("Merge")
            .attr("ManyToMany", u8::from(m.many_to_many))
            .before(self.keys("InnerSideJoinColumns", m.keys.iter().map(|k| &k.right)))
            .before(self.keys("OuterSideJoinColumns", m.keys.iter().map(|k| &k.left)))
            .before(self.conditional("Residual", m.residual.as_ref()));
        self.lines[at].rows = rows_of(m.kind, 0);
        self.node(&m.left, Some(at));
        self.node(&m.right, Some(at));
    }

    pub(super) fn set_operation(&mut self, s: &SetOperation, parent: Option<usize>) {
        let logical = if s.except { "Except" } else { "Intersect" };
        let right = self.slots(s.right_slots.iter().copied());
        let left = self.slots(s.left_slots.iter().map(|s| s.0));
        let argument = format!("HASH:({right})=({left})");
        let at = self.add(parent, "Hash Match", logical, argument);
        let build = self.references(s.right_slots.iter().copied());
        let probe = self.references(s.left_slots.iter().map(|s| s.0));
        self.lines[at].form = Form::new("Hash")
            .before(around("HashKeysBuild", build))
            .before(around("HashKeysProbe", probe));
        self.lines[at].rows = Rows::Of(1);
        self.node(&s.right, Some(at));
        self.node(&s.left, Some(at));
    }
}
