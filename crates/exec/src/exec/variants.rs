//! The plans of one statement that sessions share.
//!
//! A plan over temp tables is kept for all tables of the same shape and class of size: whoever runs the statement puts its
//! own tables in their places ([`crate::plan::rebind`]), and nothing is planned. A statement has a few such plans at most;
//! those over lasting tables are one.
//!
//! 1. A table comes in place of another one only if nothing differs that a plan may have been made from
//!    ([`Table::has_shape_of`]) and it is in the class of size that the plan was made for, if the planner asked.
//! 2. Names of temp tables mean what they mean where the plan is to run: they are looked up each time.
//! 3. A plan that somebody runs is not changed: it is copied.

use super::figures::Tally;
use super::module::Plan;
use crate::binder::TableUse;
use crate::catalog::Table;
use crate::database::Database;
use crate::plan::rebind::Rebinding;
use crate::session::Session;
use parking_lot::Mutex;
use std::sync::Arc;
use taffrail_base::ObjectId;
use taffrail_observe::Moment;
use taffrail_types::Collation;

/// Plans of one statement for different temp tables.
const MOST: usize = 4;

/// A temp table or table variable that a plan names.
#[derive(Clone)]
pub struct TempUse {
    /// The name, `#` or `@` and all.
    name: Box<str>,
    database: Arc<Database>,
    table: Arc<Table>,
    /// How many rows it had when the planner asked; it did not ask.
    rows: Option<u64>,
}

impl TempUse {
    pub fn new(name: &str, database: &Arc<Database>, table: &Arc<Table>) -> TempUse {
        let (database, table) = (database.clone(), table.clone());
        TempUse { name: name.into(), database, table, rows: None }
    }

    /// The table as the catalogue has it now.
    fn now(&self, session: &Session) -> Option<Arc<Table>> {
        self.database.catalog.table(self.table.id(), session.ddl_owner(&self.database))
    }

    /// What its name means where `tables` are the table variables.
    fn found(&self, session: &Session, tables: &[(String, ObjectId)]) -> Option<Arc<Table>> {
        let id = match self.database.holds_table_variables() {
            true => {
                let collation = Collation::default();
                tables.iter().find(|(n, _)| collation.eq_str(n, &self.name))?.1
            }
            false => session.find_temp_table(&self.name)?.object_id,
        };
        self.database.catalog.table(id, session.ddl_owner(&self.database))
    }
}

/// The temp tables that a plan names.
#[derive(Clone)]
pub struct Temps {
    /// Of the session's list of temp tables ([`crate::session::TempTables`]).
    names: u64,
    /// Of tempdb's catalogue.
    catalog: u64,
    tables: Vec<TempUse>,
}

impl Temps {
    /// None, at these versions of the session's list and of tempdb's catalogue.
    pub fn new(names: u64, catalog: u64) -> Temps {
        Temps { names, catalog, tables: Vec::new() }
    }

    /// One more, unless it is known.
    pub fn add(&mut self, named: TempUse) {
        let known = |t: &TempUse| t.name == named.name && Arc::ptr_eq(&t.table, &named.table);
        if !self.tables.iter().any(known) {
            self.tables.push(named);
        }
    }

    /// The planner has asked for its rows.
    pub fn counted(&mut self, table: &Table, rows: u64) {
        let asked = self.tables.iter_mut().filter(|t| std::ptr::eq(&*t.table, table));
        asked.for_each(|t| t.rows = Some(rows));
    }

    /// Whether the names still mean these very tables, as they are.
    #[inline]
    pub(crate) fn are_current(&self, session: &Session) -> bool {
        self.names == session.temps.version
            && self.tables.iter().all(|t| {
                self.catalog == t.database.catalog.version(session.id)
                    || t.now(session).is_some_and(|now| Arc::ptr_eq(&now, &t.table))
            })
    }

    /// The tables that the names mean now, if a plan for these is one for those.
    fn like(&self, session: &Session, tables: &[(String, ObjectId)]) -> Option<Vec<Arc<Table>>> {
        let one = |t: &TempUse| {
            let now = t.found(session, tables)?;
            let class = |rows| size_class(rows) == size_class(now.row_count());
            (now.has_shape_of(&t.table) && t.rows.is_none_or(class)).then_some(now)
        };
        self.tables.iter().map(one).collect()
    }
}

/// Tables of one class are planned for alike: below 6 rows, below 500, then by powers of ten.
fn size_class(rows: u64) -> u32 {
    match rows {
        0..=5 => 0,
        6..=499 => 1,
        _ => 2 + (rows / 500).ilog10(),
    }
}

impl Plan {
    /// Puts `new` in place of its temp tables, one for each in order; says whether all of the plan names them now.
    fn rebind(&mut self, session: &Session, new: Vec<Arc<Table>>, versions: (u64, u64)) -> bool {
        let Some(temps) = &mut self.temps else { return new.is_empty() };
        (temps.names, temps.catalog) = versions;
        let changes = temps.tables.iter().zip(&new).any(|(t, new)| !Arc::ptr_eq(&t.table, new));
        if !changes {
            return true;
        }
        let mut pairs = Vec::with_capacity(new.len());
        for (t, new) in temps.tables.iter_mut().zip(new) {
            let old = std::mem::replace(&mut t.table, new.clone());
            if let Some((db, table, on)) = &mut self.identity_insert
                && (*db, *table) == (t.database.id, old.id())
            {
                (*table, *on) =
                    (new.id(), session.activation.identity_insert == Some((*db, new.id())));
            }
            pairs.push((old, new));
        }
        let columns = Arc::make_mut(&mut self.columns);
        pairs.iter().for_each(|(old, new)| columns.rebind(old.id(), new.id()));
        let mut rebinding = Rebinding::new(pairs);
        rebinding.statement(&mut self.kind, &mut self.subqueries);
        for u in &mut self.uses {
            rebinding.table(&mut u.table, [], &mut []);
        }
        self.uses.sort_by_key(TableUse::key);
        debug_assert!(rebinding.is_whole(), "a plan names a temp table that it does not list");
        rebinding.is_whole()
    }

    /// What inserts into this table with or without values for its identity column.
    fn identity_insert_is(&self, session: &Session, new: &[Arc<Table>]) -> bool {
        self.identity_insert.is_none_or(|(db, table, on)| {
            let temps = self.temps.iter().flat_map(|t| &t.tables).zip(new);
            let mut now = temps.filter(|(t, _)| (t.database.id, t.table.id()) == (db, table));
            let table = now.next().map_or(table, |(_, new)| new.id());
            (session.activation.identity_insert == Some((db, table))) == on
        })
    }
}

#[derive(Default)]
struct Kept {
    /// The one that was used last comes first.
    plans: Vec<Arc<Plan>>,
    /// The number of times that it has been planned.
    generation: u64,
    /// When it was planned last.
    planned: Moment,
}

/// The plans of one statement that sessions share.
#[derive(Default)]
pub struct Variants {
    kept: Mutex<Kept>,
    /// The executions of the statement since it was planned last.
    pub tally: Tally,
}

/// The plans of a statement as views show them.
pub struct KeptPlans {
    /// The plan that was used last comes first.
    pub plans: Vec<Arc<Plan>>,
    /// The number of times that the statement has been planned.
    pub generation: u64,
    /// When it was planned last.
    pub planned: Moment,
}

impl Variants {
    /// A plan for what the statement means in this session, put to its temp tables.
    pub fn find(&self, session: &Session) -> Option<Arc<Plan>> {
        let tables = &session.activation.locals.tables;
        let mut kept = self.kept.lock();
        for at in 0..kept.plans.len() {
            let plan = &kept.plans[at];
            let Some(temps) = &plan.temps else {
                if plan.is_current(session) {
                    return Some(plan.clone());
                }
                continue;
            };
            if !plan.fits_but_for_temps(session) {
                continue;
            }
            // From before the look-ups.
            let catalog = temps.tables.first().map(|t| &t.database.catalog);
            let catalog = catalog.map_or(0, |c| c.version(session.id));
            let Some(new) = temps.like(session, tables) else { continue };
            if !plan.identity_insert_is(session, &new) {
                continue;
            }
            let mut plan = kept.plans.remove(at);
            let versions = (session.temps.version, catalog);
            if !Arc::make_mut(&mut plan).rebind(session, new, versions) {
                return None;
            }
            kept.plans.insert(0, plan.clone());
            return Some(plan);
        }
        None
    }

    /// Whether a plan is kept that is right but for temp tables: the statement needs no look before it is reached.
    pub(crate) fn waits_for_temps(&self, session: &Session) -> bool {
        let kept = self.kept.lock();
        kept.plans.iter().any(|p| p.temps.is_some() && p.fits_but_for_temps(session))
    }

    /// It is planned, and its figures begin anew; says whether it was planned before.
    pub(crate) fn note_planned(&self) -> bool {
        let mut kept = self.kept.lock();
        kept.generation += 1;
        kept.planned = Moment::now();
        let again = kept.generation > 1;
        if again {
            self.tally.clear();
        }
        again
    }

    /// The plans that are kept, and when they were made.
    pub fn kept(&self) -> KeptPlans {
        let kept = self.kept.lock();
        let plans = kept.plans.clone();
        KeptPlans { plans, generation: kept.generation, planned: kept.planned }
    }

    /// Keeps a plan. Those that are not right any more go.
    pub fn add(&self, session: &Session, plan: Arc<Plan>) {
        let mut kept = self.kept.lock();
        let several = plan.temps.is_some();
        kept.plans.retain(|p| several && p.temps.is_some() && p.fits_but_for_temps(session));
        kept.plans.insert(0, plan);
        kept.plans.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn sizes_are_in_classes() {
        let of = [0, 5, 6, 499, 500, 4_999, 5_000, 49_999, 50_000, u64::MAX].map(size_class);
        assert_eq!(of, [0, 0, 1, 1, 2, 2, 3, 3, 4, 2 + (u64::MAX / 500).ilog10()]);
    }
}
