//! The indexes that a plan uses, counted once for each execution: sys.dm_db_index_usage_stats; and those that it would use if they were
//! there: sys.dm_db_missing_index_details.
//!
//! Temporary tables and table variables are not counted: a plan is put to others of the same shape without a look at its scans.

use super::module::Plan;
use crate::catalog::missing::MissingIndexUse;
use crate::catalog::usage::{IndexUsage, IndexUse};
use crate::catalog::{Index, Table};
use crate::database::Database;
use crate::plan::change::{MergeAction, UpdatePlan};
use crate::plan::locking::RowMode;
use crate::plan::node::{Access, Scan};
use crate::plan::showplan::{cost_of_scan, missing};
use crate::plan::statement::Statement;
use std::sync::{Arc, OnceLock};
use taffrail_base::IndexId;
use taffrail_observe::Moment;

/// The indexes of a plan, those that are there with the way of their use.
struct Uses {
    there: Box<[(Arc<IndexUsage>, IndexUse)]>,
    missing: Box<[Arc<MissingIndexUse>]>,
}

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
        let uses = self.used.0.get_or_init(|| found(self));
        for (usage, way) in &uses.there {
            usage.count(*way, at);
        }
        uses.missing.iter().for_each(|m| m.count(at));
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
    let mut missed_by_scans: Vec<Arc<MissingIndexUse>> = Vec::new();
    plan.kind.scans(&plan.subqueries, &mut |scan| {
        read(scan, &mut |index, way| found.add(&scan.database, &scan.table, index, way));
        // Scans that ask for the same one use it once.
        if let Some(index) = missed(plan, scan)
            && !missed_by_scans.iter().any(|m| Arc::ptr_eq(m, &index))
        {
            missed_by_scans.push(index);
        }
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
    Uses { there: found.0.into(), missing: missed_by_scans.into() }
}

/// The index that a scan of a plan would use, if one is missing.
fn missed(plan: &Plan, scan: &Scan) -> Option<Arc<MissingIndexUse>> {
    let (columns, impact) = missing(scan)?;
    let cost = cost_of_scan(scan, &plan.columns);
    scan.database.catalog.missing().planned(&scan.table, columns, (cost, impact))
}

/// The indexes that a scan reads, and how.
fn read(scan: &Scan, add: &mut dyn FnMut(&Index, IndexUse)) {
    let way = |whole: bool| if whole { IndexUse::Scan } else { IndexUse::Seek };
    match &scan.access {
        Access::Full => add(scan.table.base(), IndexUse::Scan),
        Access::Marked(_) => add(scan.table.base(), IndexUse::Lookup),
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
