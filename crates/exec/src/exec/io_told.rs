//! SET STATISTICS IO: the pages that a statement has touched, a message 3615 for each table.
//!
//! Statements of triggers, procedures and texts tell their own; what a function reads is told by nobody. Pages are counted by the heap or
//! tree that they say they belong to ([`taffrail_observe::pages`]), so that indexes, foreign keys and large values count for their table.
//! `Workfile` tells of rows that were hashed, `Worktable` of rows that were kept to be read again, and of those that had no room in memory:
//! its pages are those of the statement's own file.

use super::interpret::{Interpreter, Step, Unwind, source_of};
use super::module::{Module, Stmt, StmtKind};
use crate::catalog::{Sight, Table};
use crate::plan::node::Node;
use crate::plan::statement::Statement;
use std::sync::Arc;
use taffrail_base::SqlError;
use taffrail_observe::pages::{self, HobtPages, PageWatch};

/// The message that tells of one table.
const TOLD: i32 = 3615;

/// A table with its pages, as a line tells them.
struct TablePages {
    name: Arc<str>,
    pages: HobtPages,
}

impl Interpreter<'_> {
    /// Runs a statement and tells what it has touched.
    #[cold]
    pub(super) fn statement_with_io(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        let watch = PageWatch::begin();
        let spilled = self.session.cell.internal_allocated.get();
        let flow = self.statement_now(module, s)?;
        let plain = matches!(
            s.kind,
            StmtKind::Block(_)
                | StmtKind::If(..)
                | StmtKind::While(..)
                | StmtKind::TryCatch(..)
                | StmtKind::Execute(_)
                | StmtKind::Begin(..)
                | StmtKind::Commit(_)
                | StmtKind::Rollback(_)
                | StmtKind::Save(_)
        );
        if !plain {
            self.tell_io(module, source_of(s).map(|_| s.plan), spilled)?;
        }
        drop(watch);
        Ok(flow)
    }

    /// Tells the pages that were touched since the statement began or was asked last. `plan`: the number of its plan; `spilled`: pages of
    /// rows without room until then.
    #[cold]
    pub(super) fn tell_io(
        &mut self,
        module: &Module,
        plan: Option<u32>,
        spilled: u64,
    ) -> Result<(), Unwind> {
        let touched = pages::taken();
        let activation = &self.session.activation;
        if !activation.options.statistics_io
            || activation.in_function
            || activation.taking.is_some()
        {
            return Ok(());
        }
        let mut lines = self.by_table(&touched);
        let spilled = self.session.cell.internal_allocated.get().saturating_sub(spilled);
        let (hashes, keeps) = plan.map_or((false, false), |n| self.works(module, n));
        let own = |name: &str, logical| TablePages {
            name: name.into(),
            pages: HobtPages { logical, ..HobtPages::default() },
        };
        if keeps || spilled > 0 {
            lines.push(own("Worktable", spilled));
        }
        if hashes {
            lines.push(own("Workfile", 0));
        }
        for TablePages { name, pages: p } in lines {
            let e = SqlError::new(
                TOLD,
                &[
                    &name,
                    &p.scans,
                    &p.logical,
                    &p.physical,
                    &0,
                    &p.ahead,
                    &0,
                    &p.lob_logical,
                    &p.lob_physical,
                    &0,
                    &0,
                    &0,
                ],
            );
            self.sink.message(&e.with_line(1)).map_err(|_| Unwind::Gone)?;
        }
        Ok(())
    }

    /// The pages by their tables, the one that was touched last first; those of the catalogue left out.
    fn by_table(&self, touched: &[HobtPages]) -> Vec<TablePages> {
        let mut lines: Vec<(u16, i32, TablePages)> = Vec::new();
        for p in touched {
            let Some(table) = self.table_of(p) else { continue };
            let key = (p.database, table.id().0);
            let at = lines.iter().position(|(db, id, _)| (*db, *id) == key);
            let at = at.unwrap_or_else(|| {
                let pages = HobtPages::default();
                lines.push((key.0, key.1, TablePages { name: table.name().into(), pages }));
                lines.len() - 1
            });
            let sum = &mut lines[at].2.pages;
            sum.scans += p.scans;
            sum.logical += p.logical;
            sum.physical += p.physical;
            sum.ahead += p.ahead;
            sum.lob_logical += p.lob_logical;
            sum.lob_physical += p.lob_physical;
        }
        lines.into_iter().rev().map(|(_, _, line)| line).collect()
    }

    /// The table of a heap or tree.
    fn table_of(&self, p: &HobtPages) -> Option<Arc<Table>> {
        let id = taffrail_base::DatabaseId(p.database);
        let database = self.session.instance.databases().by_id(id)?;
        let sight = Sight { session: self.session.id, dirty: true };
        let own = |t: &Arc<Table>| t.indexes.iter().any(|i| i.hobt_id.0 == p.hobt);
        database.catalog.tables(sight).into_iter().find(own)
    }

    /// Whether the plan of a number hashes rows, and whether it keeps rows to read them again.
    fn works(&self, module: &Module, number: u32) -> (bool, bool) {
        let (mut hashes, mut keeps) = (false, false);
        let mut look = |node: &Node| match node {
            Node::Hash(_) => hashes = true,
            Node::Aggregate(a) => hashes |= !a.groups.is_empty() && !a.ordered,
            Node::Distinct(d) => hashes |= !d.ordered,
            Node::Spool(_) | Node::Recursive(_) => keeps = true,
            _ => {}
        };
        let kept = module.shared.get(number as usize).map(|v| v.kept().plans);
        let Some(plan) = kept.and_then(|plans| plans.into_iter().next()) else {
            return (false, false);
        };
        for s in &plan.subqueries {
            s.node.visit(&mut look);
        }
        match &plan.kind {
            Statement::Select(s, _) => s.plan.node.visit(&mut look),
            Statement::Update(u) => u.node.visit(&mut look),
            Statement::Delete(d) => d.node.visit(&mut look),
            Statement::Merge(m) => m.node.visit(&mut look),
            Statement::Insert(i) => {
                if let crate::plan::change::InsertRows::Query(q) = &i.rows {
                    q.node.visit(&mut look);
                }
            }
            Statement::Scalar(..) | Statement::Condition(_) => {}
        }
        (hashes, keeps)
    }
}
