//! One operator for whatever changes rows: INSERT, UPDATE, DELETE and MERGE, rows that are handed in (bulk loads, INSERT … EXEC,
//! SELECT … INTO), what foreign keys take along, and OUTPUT … INTO.
//!
//! A statement finds its rows, each of the target once ([`insert`], [`update`], [`delete`], [`merge`]), and gives them to its
//! [`Modify`], which takes them through the stages below. What must see all the rows waits for [`Modify::finish`].
//!
//! | | stage | of | errors | why there |
//! |---|---|---|---|---|
//! | 1 | values: source, defaults, identity, conversion (`values`) | a row | 515, 2628, 8115 … | what reads tables is computed from rows as they were found: before the first change where the plan says `spool` |
//! | 2 | the old row leaves the base and the indexes (`rows`) | a row | | before a new one comes, so that a key may pass from row to row |
//! | 3 | the new row comes to the base and the indexes (`rows`) | a row | 2627, 2601, 1946, 1105 | |
//! | 4 | CHECK constraints | a row | 547 | behind the keys, as SQL Server orders the errors of a row; they read nothing but the row |
//! | 4b | block predicates of security policies (`blocked`) | a row | 33504 | behind the checks; functions may read the row where it is |
//! | 5 | keys that the row refers to, and that went with it, are noted (`foreign`) | a row | | they count when all rows are changed |
//! | 5b | what the row was goes to the table of history (`history`) | a row | 13535 | while its old values are at hand; a row that fails before leaves nothing |
//! | 6 | what OUTPUT says of the row is computed (`output`) | a row | | while old and new values are at hand; the rows are what `inserted` and `deleted` are made of |
//! | 7 | rows that have left come back: those whose keys have changed, then MERGE's new ones; 3 to 6 for each | all | | their keys are free by now |
//! | 8 | a table that is filled by pages is closed, its indexes are built (`bulk`) | all | 2627, 2601 | |
//! | 8b | views that have indexes are changed along (`exec::indexed_view`) | all | 2601 | cascades take away what they read |
//! | 8c | those that read the history, too | all | | |
//! | 9 | keys that were referred to are sought; what refers to keys that are gone goes along, by a `Modify` of its own; then NO ACTION (`foreign`) | all | 547 | rows of one statement may refer to each other |
//! | 10 | OUTPUT is sent, or stored by a `Modify` of its own | all | | last: nothing has left the server while the statement may be begun again with more log. Where a row fails, the rows that were changed before are sent ahead of the error |
//!
//! Computed columns ([`computed`]) belong to the end of stage 1: they read the row's other columns, and keys and checks read them.
//!
//! Triggers are fired behind all stages, by whoever runs the statement ([`super::triggers`]), with the rows of stage 6; an INSTEAD OF
//! trigger takes the place of 2 to 5 and of 9.
//!
//! An INSERT passes over a row whose key an index with IGNORE_DUP_KEY has already: stages 4 to 6 do not see it, and 3604 is told at
//! the end.
//!
//! Rows go through the stages one by one: the first row that fails, in any stage, ends the statement, whatever a later one would have
//! raised. No stage takes anything back: whoever runs the statement rolls back to where it began. Identity values stay used up.
//!
//! Only rows that are copied as bytes ([`copy`]: no checks, foreign keys or OUTPUT) pass the stages by.

mod blocked;
mod computed;
pub(crate) mod copy;
pub(crate) mod delete;
pub mod foreign;
pub mod history;
pub(crate) mod insert;
pub(crate) mod merge;
mod output;
pub mod refill;
pub(crate) mod replaced;
mod rows;
mod splice;
pub(crate) mod update;
mod values;

pub use rows::{Scratch, decode_row, duplicate};
pub(crate) use rows::{check_key, clustered_key};
pub use values::{full_name, trim};

use super::runtime::Rt;
use crate::catalog::{BlockedAt, ObjectKind, Table};
use crate::database::Database;
use crate::exec::bulk::TableLoad;
use crate::exec::indexed_view::{self, Viewed, require_options};
use crate::exec::triggers::Noted;
use crate::plan::change::{ComputedColumn, OutputPlan, UpdatePlan};
use crate::plan::expr::Pred;
use crate::plan::foreign::{Incoming, Outgoing};
use crate::plan::triggers::Triggers;
use blocked::BlockPredicates;
use foreign::ForeignWork;
use output::OutputRows;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// Which statement changes rows, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Insert,
    Update,
    Delete,
    Merge,
}

impl Verb {
    fn text(self) -> &'static str {
        match self {
            Verb::Insert => "INSERT",
            Verb::Update => "UPDATE",
            Verb::Delete => "DELETE",
            Verb::Merge => "MERGE",
        }
    }
}

/// CHECK constraints: name, and condition over a frame of the table's columns.
type Checks = [(Arc<str>, Pred)];

/// What a statement changes, and what belongs to all its rows.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub verb: Verb,
    pub database: &'a Arc<Database>,
    pub table: &'a Arc<Table>,
    pub outgoing: &'a [Outgoing],
    pub incoming: &'a [Incoming],
    pub output: Option<&'a OutputPlan>,
    pub triggers: Option<&'a Arc<Triggers>>,
    pub computed: &'a [ComputedColumn],
    /// The statement is one of CASCADE or its like: without rows it fires nothing.
    pub follows: bool,
}

/// The rows of a table on their way through the stages.
pub(crate) struct Modify<'a> {
    target: Target<'a>,
    s: Box<Scratch>,
    /// The table is filled by pages.
    fill: Option<Box<TableLoad>>,
    foreign: ForeignWork<'a>,
    told: OutputRows,
    /// The rows that triggers are to see.
    noted: Option<Box<Noted>>,
    /// Position of the table's rowversion.
    rowversion: Option<usize>,
    /// The period of the rows of the table.
    period: Option<Box<history::Period>>,
    count: u64,
    /// A row was passed over: IGNORE_DUP_KEY.
    ignored: bool,
    /// The rows that indexed views are to be changed by.
    viewed: Option<Box<Viewed>>,
    /// The block predicates of the table.
    blocked: Option<Box<BlockPredicates>>,
}

/// How an UPDATE, or a clause of MERGE, changes its rows.
struct Change<'a> {
    plan: &'a UpdatePlan,
    /// Keys change that rows may pass to each other: a row [leaves](Modify::part) and [comes back](Modify::come_back).
    two_phases: bool,
    /// A row is patched in place: nothing but fixed-length columns, and parts of large values, outside all indexes.
    patch: bool,
}

impl<'a> Change<'a> {
    /// `whole`: see [`Modify::is_whole`].
    fn new(plan: &'a UpdatePlan, whole: bool) -> Change<'a> {
        let plain = plan.indexes.is_empty() && !plan.moves && plan.checks.is_empty();
        let plain = plain && !plan.table.makes_values();
        let patch = plain && !whole && splice::may_be_in_place(plan);
        Change { plan, two_phases: plan.two_phases(), patch }
    }
}

/// Old and new values of a row that has left to come back.
type Moved = (Vec<Value>, Vec<Value>);

impl<'a> Modify<'a> {
    /// Begins; the columns of an OUTPUT that goes to the client are sent. `alone`: the table is locked as a whole.
    fn open(rt: &mut Rt<'_>, target: Target<'a>, alone: bool) -> SqlResult<Modify<'a>> {
        output::begin_output(rt, target.output)?;
        let noted = target.triggers.map(|t| Box::new(Noted::new(rt.cx.session, t)));
        let replaced = noted.as_ref().is_some_and(|n| n.replaces);
        // The table of a view that has indexes is one to change.
        let of_view = target.table.head.kind == ObjectKind::View && target.table.is_unmade();
        if !replaced && of_view {
            return Err(SqlError::new(570, &[]));
        }
        if target.table.needs_options {
            require_options(rt.cx.session, target.verb.text())?;
        }
        let period = match replaced {
            true => None,
            false => history::Period::open(rt, target.database, target.table, target.verb.text())?
                .map(Box::new),
        };
        let fill = match alone && !replaced {
            true => TableLoad::open(rt.cx.session, target.database, target.table)?.map(Box::new),
            false => None,
        };
        Ok(Modify {
            target,
            s: rt.cx.session.take_scratch(),
            fill,
            foreign: ForeignWork::new(target.outgoing, target.incoming),
            told: OutputRows::default(),
            noted,
            rowversion: target.table.rowversion(),
            period,
            count: 0,
            ignored: false,
            viewed: match target.table.indexed_views.is_empty() || replaced {
                true => None,
                false => Some(Box::new(Viewed::new(target.table.columns.len()))),
            },
            blocked: match target.table.predicates.is_empty() || replaced || target.follows {
                true => None,
                false => BlockPredicates::of(target.table),
            },
        })
    }

    /// Somebody asks for the values of whole rows.
    fn is_whole(&self) -> bool {
        let noted = self.noted.is_some() || self.viewed.is_some() || self.blocked.is_some();
        let noted = noted || self.period.as_deref().is_some_and(history::Period::keeps);
        self.target.output.is_some() || noted || !self.foreign.is_idle()
    }

    /// An INSTEAD OF trigger takes the place of stages 2 to 5.
    fn is_replaced(&self) -> bool {
        self.noted.as_ref().is_some_and(|n| n.replaces)
    }

    /// Stages 3 to 6 of a new row, of the values in `s.new`.
    fn come(&mut self, rt: &mut Rt<'_>, checks: &'a Checks) -> SqlResult<()> {
        if !self.is_replaced() && !self.put(rt, checks)? {
            self.ignored = true;
            return Ok(());
        }
        self.hold(rt, BlockedAt::AfterInsert, None)?;
        self.note(rt, true, false)
    }

    /// Stages 2 to 6 of a row that changes where it is. `set`: the values of SET, which are taken.
    fn change(
        &mut self,
        rt: &mut Rt<'_>,
        c: &Change<'a>,
        locator: &[u8],
        set: &mut Vec<Value>,
        row: &[u8],
    ) -> SqlResult<()> {
        let (plan, table) = (c.plan, self.target.table);
        let database: &Database = self.target.database;
        if c.patch {
            self.s.row.clear();
            self.s.row.extend_from_slice(row);
            if splice::in_place(rt.cx.session, database, plan, set, &mut self.s.row)? {
                rows::replace_base(rt.cx.session, database, table, locator, &self.s.row)?;
                self.count += 1;
                return Ok(());
            }
        }
        self.values(rt, plan, set, row)?;
        if self.is_replaced() {
            return self.note(rt, true, true);
        }
        let (session, s) = (&mut *rt.cx.session, &mut *self.s);
        rows::encode_row(session, database, table, &s.new, &mut s.row)?;
        rows::replace_base(session, database, table, locator, &s.row)?;
        rows::free_lobs(session, database, table, row)?;
        let (old, new) = (std::mem::take(&mut s.old), std::mem::take(&mut s.new));
        for index in &plan.indexes {
            // The entry holds column values as well, so equal keys are not enough to leave it.
            rows::remove_entry(session, database.id, index, &old, locator, s)?;
            rows::add_entry(session, database.id, table, index, &new, locator, s)?;
        }
        (s.old, s.new) = (old, new);
        self.check(rt, &plan.checks)?;
        self.hold_update(rt, plan)?;
        self.note(rt, true, true)
    }

    /// Stage 2 of a row whose keys change: it leaves, and [comes back](Self::come_back) when all such rows have left.
    fn part(
        &mut self,
        rt: &mut Rt<'_>,
        c: &Change<'a>,
        locator: &[u8],
        set: &mut Vec<Value>,
        row: &[u8],
    ) -> SqlResult<Moved> {
        self.values(rt, c.plan, set, row)?;
        let (database, table): (&Database, _) = (self.target.database, self.target.table);
        let session = &mut *rt.cx.session;
        let old = std::mem::take(&mut self.s.old);
        if self.is_replaced() {
            return Ok((old, std::mem::take(&mut self.s.new)));
        }
        for index in table.nonclustered() {
            rows::remove_entry(session, database.id, index, &old, locator, &mut self.s)?;
        }
        rows::remove_base(session, database, table, locator)?;
        rows::free_lobs(session, database, table, row)?;
        Ok((old, std::mem::take(&mut self.s.new)))
    }

    /// Stages 3 to 6 of a row that has left.
    fn come_back(&mut self, rt: &mut Rt<'_>, c: &Change<'a>, row: Moved) -> SqlResult<()> {
        (self.s.old, self.s.new) = row;
        if !self.is_replaced() {
            self.put(rt, &c.plan.checks)?;
            rt.cx.session.held.cursors.note_put(&self.s.locator);
            self.hold_update(rt, c.plan)?;
        }
        self.note(rt, true, true)
    }

    /// Stages 2, 5 and 6 of a row that goes; false when it is not there (any more).
    fn leave(&mut self, rt: &mut Rt<'_>, locator: &[u8], row: &[u8]) -> SqlResult<bool> {
        let (database, table): (&Database, _) = (self.target.database, self.target.table);
        let session = &mut *rt.cx.session;
        if self.is_replaced() {
            let mut old = std::mem::take(&mut self.s.old);
            decode_row(session, database, table, row, &mut old)?;
            self.s.old = self.with_virtuals(rt, old)?;
            self.note(rt, false, true)?;
            return Ok(true);
        }
        if !rows::remove_base(session, database, table, locator)? {
            return Ok(false);
        }
        let indexed = !table.nonclustered().is_empty();
        if indexed || self.is_whole() {
            let mut old = std::mem::take(&mut self.s.old);
            decode_row(session, database, table, row, &mut old)?;
            for index in table.nonclustered() {
                rows::remove_entry(session, database.id, index, &old, locator, &mut self.s)?;
            }
            self.s.old = self.with_virtuals(rt, old)?;
        }
        rows::free_lobs(rt.cx.session, database, table, row)?;
        self.hold(rt, BlockedAt::BeforeDelete, None)?;
        self.note(rt, false, true)?;
        Ok(true)
    }

    /// `s.old` and `s.new` from the row's bytes and the values of SET.
    fn values(
        &mut self,
        rt: &mut Rt<'_>,
        plan: &'a UpdatePlan,
        set: &mut Vec<Value>,
        row: &[u8],
    ) -> SqlResult<()> {
        let (session, s) = (&mut *rt.cx.session, &mut *self.s);
        decode_row(session, self.target.database, self.target.table, row, &mut s.old)?;
        s.new.clear();
        s.new.extend_from_slice(&s.old);
        splice::assign(plan, set.drain(..), &mut s.new)?;
        if let Some(at) = self.rowversion {
            let tx = session.part(self.target.database.id);
            s.new[at] = self.target.database.catalog.next_rowversion(tx)?;
        }
        if let Some(period) = &self.period {
            period.begin(&mut self.s.new);
        }
        let old = std::mem::take(&mut self.s.old);
        self.s.old = self.with_virtuals(rt, old)?;
        self.compute_new(rt)
    }

    /// Stages 3 and 4 of the values in `s.new`; false where the row was passed over.
    fn put(&mut self, rt: &mut Rt<'_>, checks: &'a Checks) -> SqlResult<bool> {
        let (database, table): (&Database, _) = (self.target.database, self.target.table);
        let (session, s) = (&mut *rt.cx.session, &mut *self.s);
        rows::encode_row(session, database, table, &s.new, &mut s.row)?;
        match &mut self.fill {
            Some(fill) => fill.push(session, database, table, &s.new, &s.row)?,
            None => {
                let ignores = self.target.verb == Verb::Insert;
                if !rows::add_row(session, database, table, s, ignores)? {
                    rows::free_lobs(session, database, table, &s.row)?;
                    return Ok(false);
                }
            }
        }
        self.check(rt, checks)?;
        Ok(true)
    }

    /// Stage 4, whose conditions' frame is the row.
    fn check(&mut self, rt: &mut Rt<'_>, checks: &'a Checks) -> SqlResult<()> {
        if checks.is_empty() {
            return Ok(());
        }
        std::mem::swap(&mut rt.frame, &mut self.s.new);
        let failed = checks.iter().find_map(|(name, p)| match rt.test(p) {
            Ok(Some(false)) => Some(self.refused(name)),
            Ok(_) => None,
            Err(e) => Some(e),
        });
        std::mem::swap(&mut rt.frame, &mut self.s.new);
        failed.map_or(Ok(()), Err)
    }

    /// Stage 4b: the row as it was, where it goes or changes, or as it is now.
    #[inline]
    fn hold(
        &mut self,
        rt: &mut Rt<'_>,
        operation: BlockedAt,
        update: Option<&UpdatePlan>,
    ) -> SqlResult<()> {
        let Some(blocked) = &mut self.blocked else { return Ok(()) };
        let before = matches!(operation, BlockedAt::BeforeUpdate | BlockedAt::BeforeDelete);
        let row = if before { &self.s.old } else { &self.s.new };
        blocked.hold(rt, (self.target.database, self.target.table), operation, row, update)
    }

    fn hold_update(&mut self, rt: &mut Rt<'_>, plan: &UpdatePlan) -> SqlResult<()> {
        self.hold(rt, BlockedAt::BeforeUpdate, Some(plan))?;
        self.hold(rt, BlockedAt::AfterUpdate, Some(plan))
    }

    #[cold]
    fn refused(&self, name: &Arc<str>) -> Box<SqlError> {
        let Target { verb, database, table, .. } = self.target;
        let check = table.checks.iter().find(|c| c.name == *name);
        let at = check.map_or_else(String::new, |c| c.of_column(table));
        let object = match table.is_variable() {
            true => table.shown().to_string(),
            false => table.head.qualified(),
        };
        let parts: [&dyn std::fmt::Display; 6] =
            [&verb.text(), &"CHECK", name, &database.name, &object, &at];
        SqlError::new(547, &parts).with_state(0)
    }

    /// Stages 5 and 6 of a row that came, that went, or that was another before.
    #[inline]
    fn note(&mut self, rt: &mut Rt<'_>, came: bool, went: bool) -> SqlResult<()> {
        self.count += 1;
        if !self.is_whole() {
            return Ok(());
        }
        if went {
            self.leave_history(rt)?;
        }
        let new = came.then_some(&self.s.new[..]);
        let old = went.then_some(&self.s.old[..]);
        if let Some(noted) = &mut self.noted {
            noted.row(rt, old, new)?;
        }
        if !self.is_replaced() {
            self.foreign.changed(old, new);
        }
        if let Some(viewed) = &mut self.viewed {
            viewed.add(rt, old, new)?;
        }
        match self.target.output {
            Some(o) => output::output_row(rt, o, new, old, &mut self.told),
            None => Ok(()),
        }
    }

    /// Stages 8 to 10, once all rows are found, or an error has ended that; gives the number of rows.
    fn end(mut self, rt: &mut Rt<'_>, found: SqlResult<()>) -> SqlResult<u64> {
        let (output, told) = (self.target.output, std::mem::take(&mut self.told));
        if let Err(e) = found {
            if let Some(o) = output {
                output::end_output(rt, o, told, &e)?;
            }
            return Err(e);
        }
        // Foreign keys are looked at when all rows are changed: of none it is known then that it was right when its error came.
        let (noted, follows, ignored) = (self.noted.take(), self.target.follows, self.ignored);
        let mut count = self.finish(rt)?;
        if let Some(o) = output {
            count = output::finish_output(rt, o, told)?.unwrap_or(count);
        }
        if ignored {
            rt.cx.message(SqlError::new(3604, &[]))?;
        }
        if let Some(noted) = noted {
            noted.into_due(&mut rt.cx.session.running.due, follows)?;
        }
        Ok(count)
    }

    /// Stages 8 and 9; gives the number of rows.
    fn finish(self, rt: &mut Rt<'_>) -> SqlResult<u64> {
        let Target { verb, database, table, .. } = self.target;
        if let Some(fill) = self.fill {
            fill.finish(rt.cx.session, database, table)?;
        }
        rt.cx.session.running.scratch = Some(self.s);
        if let Some(period) = self.period {
            period.finish(rt, database)?;
        }
        if let Some(rows) = self.viewed {
            // Before rows of other tables go along, which the views read, too.
            indexed_view::keep(&mut rt.cx, database, table, *rows)?;
        }
        self.foreign.finish(&mut rt.cx, database, verb.text())?;
        Ok(self.count)
    }
}
