//! A plan that was made for one temporary table, put to another one of the same shape.
//!
//! 1. All places of a plan that name a table or an index are visited here, in one pass: what takes the place of a table
//!    is never replaced in turn.
//! 2. A temporary table that is nobody's replacement is a mistake of ours; the plan is not run.

use crate::change::{
    DeletePlan, InsertPlan, InsertRows, MergeAction, MergeClause, MergePlan, OutputPlan, UpdatePlan,
};
use crate::expr::Pred;
use crate::node::{Access, Node, Scan};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use std::sync::Arc;
use taffrail_catalog::{Index, Table, is_temp};

/// Tables, and what takes their places.
pub struct Rebinding {
    tables: Vec<(Arc<Table>, Arc<Table>)>,
    /// A table was met that is not among them, or an index that is not its table's.
    missed: bool,
}

type Checks = [(Arc<str>, Pred)];

impl Rebinding {
    /// Each first table becomes the second one, which has its shape.
    pub fn new(tables: Vec<(Arc<Table>, Arc<Table>)>) -> Rebinding {
        debug_assert!(tables.iter().all(|(old, new)| new.has_shape_of(old)));
        Rebinding { tables, missed: false }
    }

    /// Whether all that was met is replaced.
    pub fn is_whole(&self) -> bool {
        !self.missed
    }

    /// A table's place, with those of its indexes and of the names of its checks.
    pub fn table<'i>(
        &mut self,
        table: &mut Arc<Table>,
        indexes: impl IntoIterator<Item = &'i mut Arc<Index>>,
        checks: &mut Checks,
    ) {
        if !is_temp(table.name()) {
            return;
        }
        let Some((old, new)) = self.tables.iter().find(|(old, _)| Arc::ptr_eq(old, table)) else {
            self.missed = true;
            return;
        };
        for index in indexes {
            match old.indexes.iter().position(|i| Arc::ptr_eq(i, index)) {
                Some(at) => *index = new.indexes[at].clone(),
                None => self.missed = true,
            }
        }
        for (name, _) in checks {
            match old.checks.iter().position(|c| c.name == *name) {
                Some(at) => *name = new.checks[at].name.clone(),
                None => self.missed = true,
            }
        }
        *table = new.clone();
    }

    /// A statement and its subqueries.
    pub fn statement(&mut self, statement: &mut Statement, subqueries: &mut [SubqueryPlan]) {
        for s in subqueries {
            self.node(&mut s.node);
            if let Some(keyed) = &mut s.keyed {
                self.node(&mut keyed.node);
            }
        }
        match statement {
            Statement::Select(s, _) => self.node(&mut s.plan.node),
            Statement::Insert(i) => self.insert(i),
            Statement::Update(u) => self.update(u),
            Statement::Delete(d) => self.delete(d),
            Statement::Merge(m) => self.merge(m),
            Statement::Scalar(..) | Statement::Condition(_) => {}
        }
    }

    fn scan(&mut self, scan: &mut Scan) {
        let index = match &mut scan.access {
            Access::Full | Access::Marked(_) => None,
            Access::Clustered(index, _) | Access::Nonclustered(index, _) => Some(index),
        };
        self.table(&mut scan.table, index, &mut []);
    }

    fn node(&mut self, node: &mut Node) {
        node.visit_mut(&mut |n| {
            if let Node::Scan(scan) = n {
                self.scan(Arc::make_mut(scan));
            }
        });
    }

    fn insert(&mut self, i: &mut InsertPlan) {
        self.table(&mut i.table, [], &mut i.checks);
        if let InsertRows::Query(q) = &mut i.rows {
            self.node(&mut q.node);
        }
        self.output(&mut i.output);
    }

    fn output(&mut self, output: &mut Option<OutputPlan>) {
        if let Some(into) = output.as_mut().and_then(|o| o.into.as_mut()) {
            self.insert(into);
        }
    }

    fn update(&mut self, u: &mut UpdatePlan) {
        self.table(&mut u.table, &mut u.indexes, &mut u.checks);
        self.node(&mut u.node);
        self.output(&mut u.output);
    }

    fn delete(&mut self, d: &mut DeletePlan) {
        self.table(&mut d.table, [], &mut []);
        self.node(&mut d.node);
        self.output(&mut d.output);
    }

    fn clauses(&mut self, clauses: &mut [MergeClause]) {
        for c in clauses {
            match &mut c.action {
                MergeAction::Update(u) => self.update(u),
                MergeAction::Delete => {}
            }
        }
    }

    fn merge(&mut self, m: &mut MergePlan) {
        self.table(&mut m.table, [], &mut []);
        self.node(&mut m.node);
        self.clauses(&mut m.clauses);
        if let Some(i) = &mut m.insert {
            self.insert(&mut i.plan);
        }
        if let Some(r) = &mut m.rest {
            self.node(&mut r.node);
            self.clauses(&mut r.clauses);
        }
        self.output(&mut m.output);
    }
}
