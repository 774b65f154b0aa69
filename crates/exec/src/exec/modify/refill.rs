//! Rows that are there when a column comes to their table whose values the server makes: each is changed once, and nothing but that.

use super::{Change, Modify, Target, Verb};
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::bulk::build;
use crate::exec::ops::scan::fetch;
use crate::exec::runtime::Rt;
use crate::plan::change::{ComputedColumn, UpdatePlan};
use crate::plan::node::Node;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::ScanLocks;

/// Changes all rows of a table on which the caller holds Sch-M: computed columns get their values, and where it is `given`, the rowversion.
pub fn refill(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    computed: &[ComputedColumn],
    given: bool,
) -> SqlResult<()> {
    let (rows, set, variables, checks) = (Node::Nothing, Vec::new(), Vec::new(), Vec::new());
    let (of, table_of) = (database.clone(), table.clone());
    let mut plan = UpdatePlan::new(of, table_of, rows, 0, set, variables, checks);
    // No index has what changes.
    (plan.moves, plan.indexes) = (false, Vec::new());
    cx.session.change_in(database)?;
    let mut vars = Vec::new();
    let inner = StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
    let mut rt = Rt::new(inner, &mut vars, Vec::new(), table.columns.len(), &[]);
    let target = Target {
        verb: Verb::Update,
        database,
        table,
        outgoing: &[],
        incoming: &[],
        output: None,
        triggers: None,
        computed,
        follows: true,
    };
    let mut m = Modify::open(&mut rt, target, false)?;
    if !given {
        // The rows stay what they are to whoever asks by it.
        m.rowversion = None;
    }
    // Whatever an indexed view reads stays as it is, and what the rows say has not changed.
    (m.viewed, m.period) = (None, None);
    let change = Change::new(&plan, true);
    let changed = change_all(&mut rt, &mut m, &change);
    m.end(&mut rt, changed).map(drop)
}

/// The rows are found first: one that grows may move.
fn change_all<'a>(rt: &mut Rt<'_>, m: &mut Modify<'a>, change: &Change<'a>) -> SqlResult<()> {
    let (database, table) = (m.target.database, m.target.table);
    let hobt = table.base().hobt()?;
    let (mut set, mut row) = (Vec::new(), Vec::new());
    for locator in locators(rt, database, table, |_| Ok(true))? {
        rt.tick()?;
        let tx = rt.cx.session.part(database.id);
        let there = fetch(tx, hobt, &locator, ScanLocks::Update, &mut row);
        if there.map_err(|e| rt.cx.session.storage_error(e))? {
            // Each row was whole before: one that is read with a hole in it is not written so.
            table.refuse_nulls(&row)?;
            m.change(rt, change, &locator, &mut set, &row)?;
        }
    }
    Ok(())
}

/// The locators of the rows that are `wanted`, by their bytes. No row is locked.
pub(super) fn locators(
    rt: &mut Rt<'_>,
    database: &Database,
    table: &Table,
    wanted: impl Fn(&[u8]) -> SqlResult<bool>,
) -> SqlResult<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    let tx = rt.cx.session.part(database.id);
    build::for_each_row(tx, table, |_, locator, row| {
        if wanted(row)? {
            all.push(locator.to_vec());
        }
        Ok(())
    })?;
    Ok(all)
}
