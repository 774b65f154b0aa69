//! DELETE.

use super::{Modify, Target, Verb};
use crate::exec::ops::{self, scan::fetch};
use crate::exec::rows::RowStore;
use crate::exec::runtime::{Rt, ValueSet};
use crate::plan::change::{DeletePlan, OutputPlan};
use taffrail_base::SqlResult;
use taffrail_storage::ScanLocks;
use taffrail_types::Value;

/// Runs a DELETE; gives the number of rows.
pub(crate) fn run(rt: &mut Rt<'_>, plan: &DeletePlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut m = open(rt, plan, false)?;
    let limit = rt.cx.session.row_limit();
    let gone = if plan.spool {
        let mut found = Found::new(plan);
        found.gather(rt, limit).and_then(|()| found.apply(rt, &mut m))
    } else {
        stream(rt, plan, &mut m, limit)
    };
    m.end(rt, gone)
}

/// Deletes the rows that are found with each of these values of the variables, all of them as one statement.
pub(super) fn follow(rt: &mut Rt<'_>, plan: &DeletePlan, all: Vec<Vec<Value>>) -> SqlResult<()> {
    rt.cx.session.change_in(&plan.database)?;
    let mut m = open(rt, plan, true)?;
    let mut found = Found::new(plan);
    for values in all {
        rt.cx.session.check_cancel()?;
        for (variable, v) in rt.vars.iter_mut().zip(values) {
            *variable = v;
        }
        found.gather(rt, u64::MAX)?;
    }
    found.apply(rt, &mut m)?;
    m.end(rt, Ok(())).map(drop)
}

/// `follows`: see [`Target::follows`].
fn open<'a>(rt: &mut Rt<'_>, plan: &'a DeletePlan, follows: bool) -> SqlResult<Modify<'a>> {
    let target = Target {
        verb: Verb::Delete,
        database: &plan.database,
        table: &plan.table,
        outgoing: &[],
        incoming: &plan.incoming,
        output: plan.output.as_ref(),
        triggers: plan.triggers.as_ref(),
        computed: &plan.computed,
        follows,
    };
    Modify::open(rt, target, false)
}

/// Rows go as they are found.
fn stream<'a>(
    rt: &mut Rt<'_>,
    plan: &'a DeletePlan,
    m: &mut Modify<'a>,
    limit: u64,
) -> SqlResult<()> {
    let mut op = ops::build(&plan.node);
    op.open(rt)?;
    let mut locator = Vec::new();
    while m.count < limit && op.next(rt)? {
        rt.tick()?;
        locator.clear();
        locator.extend_from_slice(rt.frame[plan.locator as usize].as_bytes().unwrap_or_default());
        rt.claim(&plan.database, &plan.table, &locator)?;
        let row = std::mem::take(&mut rt.target_row);
        m.leave(rt, &locator, &row)?;
        rt.target_row = row;
    }
    Ok(())
}

/// Rows that are found before the first one goes: each once, with what OUTPUT asks of the tables beside.
struct Found<'a> {
    plan: &'a DeletePlan,
    seen: ValueSet,
    rows: RowStore,
}

impl<'a> Found<'a> {
    fn new(plan: &'a DeletePlan) -> Found<'a> {
        let rows = RowStore::in_order(1 + OutputPlan::saved(&plan.output).len());
        Found { plan, seen: ValueSet::new(Default::default()), rows }
    }

    fn gather(&mut self, rt: &mut Rt<'_>, limit: u64) -> SqlResult<()> {
        let Found { plan, seen, rows } = self;
        let mut op = ops::build(&plan.node);
        let mut row = Vec::new();
        op.open(rt)?;
        while (rows.len() as u64) < limit && op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[plan.locator as usize].clone();
            if !locator.is_null() && seen.insert(locator.clone()) {
                rt.claim(&plan.database, &plan.table, locator.as_bytes().unwrap_or_default())?;
                row.push(locator);
                rt.save(OutputPlan::saved(&plan.output), &mut row);
                rows.take(rt, &mut row)?;
            }
        }
        Ok(())
    }

    fn apply(self, rt: &mut Rt<'_>, m: &mut Modify<'a>) -> SqlResult<()> {
        let Found { plan, mut rows, .. } = self;
        let base = plan.table.base().hobt()?;
        for i in 0..rows.len() {
            rt.tick()?;
            let found = rows.row(i)?;
            let locator = found[0].as_bytes().unwrap_or_default();
            rt.restore(OutputPlan::saved(&plan.output), &found[1..]);
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, base, locator, ScanLocks::Update, &mut row);
            if there.map_err(|e| rt.cx.session.storage_error(e))? {
                m.leave(rt, locator, &row)?;
            }
            rt.target_row = row;
        }
        rt.release_unchanged(&plan.database, &plan.table);
        Ok(())
    }
}
