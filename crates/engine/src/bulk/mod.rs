//! Rows in bulk: what BULK INSERT, the TDS bulk load, SELECT INTO and `INSERT … SELECT WITH (TABLOCK)` put into a table.
//!
//! ```text
//! BulkPlan     compiled once: which column a source column goes to, defaults, checks, options
//! BulkTarget   one batch of rows: open, push_row …, finish
//! load         a table filled by pages;  sort  entries in order of their keys, with runs on disk
//! ```
//! The caller holds the table's lock ([`BulkPlan::lock_mode`]) and runs inside a statement of the session's
//! transaction: an error leaves rows behind, which the rollback to the statement's savepoint takes away.

mod load;
pub(crate) mod sort;

pub(crate) use load::TableLoad;

use crate::context::StatementContext;
use crate::database::Database;
use crate::exec::insert::RowSink;
use crate::exec::runtime::Rt;
use crate::plan::change::InsertPlan;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::lock::LockMode;
use taffrail_types::{SqlType, Value};

/// What a bulk load asks for; the names are those of BULK INSERT and INSERT BULK.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BulkOptions {
    /// TABLOCK: the table is locked as a whole; what minimal logging asks for.
    pub tablock: bool,
    /// CHECK_CONSTRAINTS: without it CHECK constraints are not looked at.
    pub check_constraints: bool,
    /// KEEPIDENTITY / KEEP_IDENTITY: identity values come from the rows.
    pub keep_identity: bool,
    /// KEEPNULLS / KEEP_NULLS: a NULL stays one where the column has a default.
    pub keep_nulls: bool,
}

/// A bulk load, compiled.
#[derive(Debug)]
pub(crate) struct BulkPlan {
    insert: InsertPlan,
    options: BulkOptions,
}

impl BulkPlan {
    /// A load of rows whose values go, in order, to these columns (positions in the table; none: the value is skipped)
    /// and have these types. Values are converted as INSERT … SELECT converts them: 206, 8114, 2628 …
    pub fn new(
        session: &Session,
        database: &Arc<Database>,
        table: &Arc<crate::catalog::Table>,
        columns: &[Option<usize>],
        types: Vec<SqlType>,
        options: BulkOptions,
    ) -> SqlResult<BulkPlan> {
        let skipped = |c: &usize| table.columns[*c].is_identity && !options.keep_identity;
        let columns: Vec<Option<usize>> =
            columns.iter().map(|c| c.filter(|c| !skipped(c))).collect();
        let mut insert =
            crate::exec::compile::bulk_insert(session, database, table, &columns, types)?;
        if !options.check_constraints {
            insert.checks.clear();
        }
        insert.bulk_defaults = !options.keep_nulls;
        Ok(BulkPlan { insert, options })
    }

    /// The lock on the table that the caller takes before [`BulkTarget::open`]
    /// (`catalog.lock_table(tx, session, table, mode)`).
    pub fn lock_mode(&self) -> LockMode {
        if self.options.tablock { LockMode::X } else { LockMode::IX }
    }
}

/// One batch of rows on its way into a table.
pub(crate) struct BulkTarget<'a> {
    rt: Rt<'a>,
    sink: RowSink<'a>,
}

impl<'a> BulkTarget<'a> {
    /// Begins a batch. `vars` is an empty vector that lives as long.
    pub fn open(
        cx: StatementContext<'a>,
        plan: &'a BulkPlan,
        vars: &'a mut Vec<Value>,
    ) -> SqlResult<BulkTarget<'a>> {
        let slots = plan.insert.table.columns.len();
        let mut rt = Rt::new(cx, vars, Vec::new(), slots, 0);
        rt.cx.session.transaction_in(&plan.insert.database)?;
        let sink = RowSink::open(&mut rt, &plan.insert, plan.options.tablock)?;
        Ok(BulkTarget { rt, sink })
    }

    /// Adds a row: a value for each source column, of its type.
    pub fn push_row(&mut self, row: &[Value]) -> SqlResult<()> {
        self.rt.tick()?;
        self.sink.push(&mut self.rt, |_, i| Ok(row[i].clone()))
    }

    /// Ends the batch; gives the number of rows. Dropped without it, the statement must be rolled back.
    pub fn finish(mut self) -> SqlResult<u64> {
        self.sink.finish(&mut self.rt)
    }
}
