//! The indexes that a plan uses, counted once for each execution: sys.dm_db_index_usage_stats.
//!
//! Temporary tables and table variables are not counted: a plan is put to others of the same shape without a look at its scans.

use super::module::Plan;
use crate::catalog::usage::{IndexUsage, IndexUse};
use crate::catalog::{Index, Table};
use crate::database::Database;
use crate::plan::change::{MergeAction, UpdatePlan};
use crate::plan::locking::RowMode;
use crate::plan::node::{Access, Scan};
use crate::plan::statement::Statement;
use std::sync::{Arc, OnceLock};
use taffrail_base::IndexId;
use taffrail_observe::Moment;

type Uses = Box<[(Arc<IndexUsage>, IndexUse)]>;

/// The uses of a plan, found at its first execution.
#[derive(Default)]
pub(crate) struct UsedIndexes(OnceLock<Uses>);

impl Clone for UsedIndexes {
    /// Another plan finds its own.
    fn clone(&self) -> UsedIndexes {
        UsedIndexes::default()
    }
}

impl Plan {
    /// An execution uses its indexes; the moment of its beginning, where it is timed.
    #[inline]
    pub(super) fn count_uses(&self, at: Option<Moment>) {
        for (usage, way) in self.used.0.get_or_init(|| found(self)) {
            usage.count(*way, at);
        }
    }
}

/// The uses that have been found.
#[derive(Default)]
struct Found(Vec<(Arc<IndexUsage>, IndexUse)>);

impl Found {
    fn add(&mut self, database: &Database, table: &Table, index: &Index, way: IndexUse) {
        // Tables that the server keeps for itself have indexes of nobody's.
        if !database.is_temporary() && table.id().0 > 0 {
            self.0.push((database.catalog.usage().of(table.id(), index.id), way));
        }
    }

    /// Rows come or go: every index changes.
    fn all(&mut self, database: &Database, table: &Table) {
        table.indexes.iter().for_each(|i| self.add(database, table, i, IndexUse::Update));
    }

    /// Rows change: the table, and the indexes of columns that change.
    fn some(&mut self, u: &UpdatePlan, seen: &mut Vec<IndexId>) {
        for index in std::iter::once(u.table.base()).chain(&u.indexes) {
            if !seen.contains(&index.id) {
                seen.push(index.id);
                self.add(&u.database, &u.table, index, IndexUse::Update);
            }
        }
    }
}

#[cold]
fn found(plan: &Plan) -> Uses {
    let mut found = Found::default();
    plan.kind.scans(&plan.subqueries, &mut |scan| {
        read(scan, &mut |index, way| found.add(&scan.database, &scan.table, index, way));
    });
    match &plan.kind {
        Statement::Insert(i) => found.all(&i.database, &i.table),
        Statement::Delete(d) => found.all(&d.database, &d.table),
        Statement::Update(u) => found.some(u, &mut Vec::new()),
        Statement::Merge(m) => {
            let rest = m.rest.iter().flat_map(|r| &r.clauses);
            let actions: Vec<_> = m.clauses.iter().chain(rest).map(|c| &c.action).collect();
            if m.insert.is_some() || actions.iter().any(|a| matches!(a, MergeAction::Delete)) {
                found.all(&m.database, &m.table);
            } else {
                let mut seen = Vec::new();
                for action in actions {
                    if let MergeAction::Update(u) = action {
                        found.some(u, &mut seen);
                    }
                }
            }
        }
        Statement::Select(..) | Statement::Scalar(..) | Statement::Condition(_) => {}
    }
    found.0.into()
}

/// The indexes that a scan reads, and how.
fn read(scan: &Scan, add: &mut dyn FnMut(&Index, IndexUse)) {
    let way = |whole: bool| if whole { IndexUse::Scan } else { IndexUse::Seek };
    match &scan.access {
        Access::Full => add(scan.table.base(), IndexUse::Scan),
        Access::Clustered(index, seek) => add(index, way(seek.is_whole())),
        Access::Nonclustered(index, seek) => {
            add(index, way(seek.is_whole()));
            let held = scan.locator.is_none()
                && scan.parts.is_empty()
                && scan.locks.mode == RowMode::Shared
                && scan.columns.iter().all(|(c, _)| index.covers(*c).is_some());
            if !held {
                add(scan.table.base(), IndexUse::Lookup);
            }
        }
    }
}
