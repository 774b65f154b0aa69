//! Rows that are there when a column comes to their table whose values the server makes: each is changed once, and nothing but that.

use super::{Change, Modify, Target, Verb};
use crate::catalog::{IndexKind, Table};
use crate::database::Database;
use crate::exec::ops::scan::fetch;
use crate::exec::runtime::Rt;
use crate::plan::change::{ComputedColumn, UpdatePlan};
use crate::plan::node::Node;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::{Direction, KeyRange, ScanLocks, btree, heap};

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
    // Whatever an indexed view reads stays as it is.
    m.viewed = None;
    let change = Change::new(&plan, true);
    let changed = change_all(&mut rt, &mut m, &change);
    m.end(&mut rt, changed).map(drop)
}

/// The rows are found first: one that grows may move.
fn change_all<'a>(rt: &mut Rt<'_>, m: &mut Modify<'a>, change: &Change<'a>) -> SqlResult<()> {
    let (database, table) = (m.target.database, m.target.table);
    let hobt = table.base().hobt()?;
    let (mut set, mut row) = (Vec::new(), Vec::new());
    for locator in locators(rt, database, table)? {
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

fn locators(rt: &mut Rt<'_>, database: &Database, table: &Table) -> SqlResult<Vec<Vec<u8>>> {
    let hobt = table.base().hobt()?;
    let session = &mut *rt.cx.session;
    let mut all = Vec::new();
    if table.base().kind == IndexKind::Heap {
        let mut rows = heap::scan(hobt, ScanLocks::None);
        loop {
            let next = rows.next(session.part(database.id)).map(|r| r.map(|(rid, _)| rid));
            match next.map_err(|e| session.storage_error(e))? {
                Some(rid) => all.push(rid.to_bytes().to_vec()),
                None => return Ok(all),
            }
        }
    }
    let mut rows = btree::seek(hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
    loop {
        let next = rows.next(session.part(database.id)).map(|r| r.map(|(key, _)| key.to_vec()));
        match next.map_err(|e| session.storage_error(e))? {
            Some(key) => all.push(key),
            None => return Ok(all),
        }
    }
}
