//! Rows in bulk: what BULK INSERT, the TDS bulk load, SELECT INTO and `INSERT … SELECT WITH (TABLOCK)` put into a table.
//!
//! ```text
//! BulkPlan     the table locked, what the load passes by no longer trusted; compiled once: which column a source column
//!              goes to, defaults, checks, options
//! BulkTarget   one batch of rows: open, push_row …, finish
//! pages        a table filled by pages;  build  indexes of rows that are there;  sort  entries in order of their keys, with runs on disk
//! ```
//! The caller runs inside a statement of the session's transaction: an error leaves rows behind, which the rollback to the
//! statement's savepoint takes away.

pub mod build;
mod pages;
pub(crate) mod sort;

pub(crate) use pages::TableLoad;

use crate::catalog::{Check, Column, Table, rows};
use crate::database::Database;
use crate::exec::interpret::Interpreter;
use crate::exec::modify::insert::Insert;
use crate::exec::runtime::Rt;
use crate::plan::change::InsertPlan;
use crate::session::Session;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_types::{MaxLen, SqlType, Value};

/// What a bulk load asks for; the names are those of BULK INSERT and INSERT BULK.
#[derive(Clone, Copy, Debug, Default)]
pub struct BulkOptions {
    /// TABLOCK: the table is locked as a whole; what minimal logging asks for.
    pub tablock: bool,
    /// CHECK_CONSTRAINTS: without it CHECK constraints are not looked at, and not trusted any more.
    pub check_constraints: bool,
    /// KEEPIDENTITY / KEEP_IDENTITY: identity values come from the rows.
    pub keep_identity: bool,
    /// KEEPNULLS / KEEP_NULLS: a NULL stays one where the column has a default.
    pub keep_nulls: bool,
    /// FIRE_TRIGGERS: the INSERT triggers of the table are fired, once for a batch.
    pub fire_triggers: bool,
}

/// A bulk load, compiled. Its table is locked to the transaction's end.
#[derive(Debug)]
pub struct BulkPlan {
    insert: InsertPlan,
    options: BulkOptions,
}

impl BulkPlan {
    /// A load of rows whose values go, in order, to these columns (positions in the table; none: the value is skipped)
    /// and have these types. Values are converted as INSERT … SELECT converts them: 206, 8114, 2628 …
    ///
    /// Locks the table in the session's transaction, and takes the trust from the checks that the load passes by. `table`
    /// is what the columns were chosen from: 4891 when it has others by now.
    pub fn open(
        session: &mut Session,
        database: &Arc<Database>,
        table: &Table,
        columns: &[Option<usize>],
        types: Vec<SqlType>,
        options: BulkOptions,
    ) -> SqlResult<BulkPlan> {
        let table = lock(session, database, table, options)?;
        let skipped = |c: &usize| table.columns[*c].is_identity && !options.keep_identity;
        let columns: Vec<Option<usize>> =
            columns.iter().map(|c| c.filter(|c| !skipped(c))).collect();
        let mut insert =
            crate::exec::compile::bulk_insert(session, database, &table, &columns, types)?;
        if !options.fire_triggers {
            insert.triggers = None;
        }
        if !options.check_constraints {
            insert.checks.clear();
        }
        insert.bulk_defaults = !options.keep_nulls;
        Ok(BulkPlan { insert, options })
    }

    /// The table as it is now.
    pub fn table(&self) -> &Arc<Table> {
        &self.insert.table
    }
}

/// What a value of this type is when it is stored: a client sends fixed-length strings without their padding.
pub(crate) fn as_sent(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(n) => SqlType::VarChar(MaxLen::N(n)),
        SqlType::NChar(n) => SqlType::NVarChar(MaxLen::N(n)),
        SqlType::Binary(n) => SqlType::VarBinary(MaxLen::N(n)),
        other => other,
    }
}

/// The checks that a load without CHECK_CONSTRAINTS makes doubtful: those that are on, and trusted so far.
fn trusted(table: &Table) -> impl Iterator<Item = &Check> {
    table.checks.iter().filter(|c| !c.disabled && !c.not_trusted)
}

/// Whether values for the columns of one are values for those of the other.
fn same_columns(a: &Table, b: &Table) -> bool {
    let same =
        |(a, b): (&Column, &Column)| a.id == b.id && a.ty == b.ty && a.is_identity == b.is_identity;
    a.columns.len() == b.columns.len() && a.columns.iter().zip(&b.columns).all(same)
}

/// Locks a table for a load, and gives it as it is then.
///
/// To say that a check is not trusted is a change of the catalogue in the load's transaction: a rollback brings the trust
/// back. Its lock, Sch-M, is asked for before that of the rows: two loads that had IX already would wait for each other.
/// From then on, until somebody has the rows checked again, loads go side by side.
fn lock(
    session: &mut Session,
    database: &Arc<Database>,
    chosen: &Table,
    options: BulkOptions,
) -> SqlResult<Arc<Table>> {
    let (catalog, table, who) = (&database.catalog, chosen.id(), session.id);
    let changed = || SqlError::new(4891, &[]);
    let current = || {
        let now = catalog.table(table, who).filter(|now| same_columns(now, chosen));
        now.ok_or_else(changed)
    };
    let doubts = |table: &Table| !options.check_constraints && trusted(table).next().is_some();
    let tx = session.change_in(database)?;
    if doubts(chosen) {
        catalog.lock_for_change(tx, who, table)?;
        // Another load may have been first.
        let now = current()?;
        let mut touched: Vec<ObjectId> = trusted(&now).map(|c| c.id).collect();
        if !touched.is_empty() {
            for check in &touched {
                rows::write_check_state(tx, *check, false, true)?;
            }
            touched.push(table);
            catalog.refresh(tx, who, &touched)?;
        }
    }
    let mode = if options.tablock { LockMode::X } else { LockMode::IX };
    catalog.lock_table(tx, who, table, mode)?;
    let now = current()?;
    // Trusted since it was looked at.
    if doubts(&now) { Err(changed()) } else { Ok(now) }
}

/// A load that INSERT BULK has announced.
pub struct PendingLoad {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that takes the rows.
    pub table: Arc<Table>,
    /// Where the columns go; `None` for one that is not stored (rowversion).
    pub columns: Vec<Option<usize>>,
    /// The hints and options of the statement.
    pub options: BulkOptions,
}

/// One batch of rows on its way into a table.
pub struct BulkTarget<'a> {
    rt: Rt<'a>,
    sink: Insert<'a>,
}

impl<'a> BulkTarget<'a> {
    /// Begins a batch. `vars` is an empty vector that lives as long.
    pub fn open(
        cx: StatementContext<'a>,
        plan: &'a BulkPlan,
        vars: &'a mut Vec<Value>,
    ) -> SqlResult<BulkTarget<'a>> {
        let slots = plan.insert.table.columns.len();
        let mut rt = Rt::new(cx, vars, Vec::new(), slots, &[]);
        rt.cx.session.change_in(&plan.insert.database)?;
        let sink = Insert::open(&mut rt, &plan.insert, plan.options.tablock)?;
        Ok(BulkTarget { rt, sink })
    }

    /// Adds a row: a value for each source column, of its type.
    pub fn push_row(&mut self, row: &[Value]) -> SqlResult<()> {
        self.rt.tick()?;
        self.sink.push(&mut self.rt, |_, i| Ok(row[i].clone()))
    }

    /// Ends the batch; gives the number of rows. Dropped without it, the statement must be rolled back.
    pub fn finish(mut self) -> SqlResult<u64> {
        let count = self.sink.finish(&mut self.rt);
        let Rt { cx, .. } = self.rt;
        let mut it = Interpreter::new(cx.session, cx.sink);
        if count.is_err() {
            it.session.running.due.clear();
        }
        let count = count?;
        it.fire_due(count)?;
        Ok(count)
    }
}
