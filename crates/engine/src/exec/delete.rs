//! DELETE.

use crate::exec::change::{
    OutputRows, begin_output, decode_row, finish_output, free_lobs, output_row, remove_base,
    remove_entry,
};
use crate::exec::foreign::ForeignWork;
use crate::exec::ops::{self, scan::fetch};
use crate::exec::runtime::{RowBuffer, Rt, ValueSet};
use crate::plan::change::{DeletePlan, OutputPlan};
use taffrail_base::SqlResult;
use taffrail_storage::ScanLocks;

/// Runs a DELETE; gives the number of rows.
pub(crate) fn run<'a>(rt: &mut Rt<'a>, plan: &'a DeletePlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut op = ops::build(&plan.node);
    let mut output = OutputRows::default();
    let mut work = ForeignWork::new(&[], &plan.incoming);
    begin_output(rt, plan.output.as_ref())?;
    let mut count = 0;
    let limit = rt.cx.session.row_limit();
    op.open(rt)?;
    if plan.spool {
        let saved = OutputPlan::saved(&plan.output);
        let mut seen = ValueSet::new(Default::default());
        let mut rows = RowBuffer::new(1 + saved.len());
        while (rows.rows as u64) < limit && op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[plan.locator as usize].clone();
            if !locator.is_null() && seen.insert(locator.clone()) {
                rows.values.push(locator);
                rt.save(saved, &mut rows.values);
                rows.rows += 1;
            }
        }
        drop(op);
        let base = plan.table.base().hobt()?.clone();
        for i in 0..rows.rows {
            rt.tick()?;
            let locator = rows.row(i)[0].as_bytes().unwrap_or_default();
            rt.restore(saved, &rows.row(i)[1..]);
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, &base, locator, ScanLocks::Update, &mut row);
            if there.map_err(|e| rt.cx.session.storage_error(e))? {
                count += delete(rt, plan, locator, &row, &mut output, &mut work)? as u64;
            }
            rt.target_row = row;
        }
        rt.release_unchanged(&plan.database, &plan.table);
    } else {
        let mut locator = Vec::new();
        while count < limit && op.next(rt)? {
            rt.tick()?;
            locator.clear();
            locator
                .extend_from_slice(rt.frame[plan.locator as usize].as_bytes().unwrap_or_default());
            let row = std::mem::take(&mut rt.target_row);
            count += delete(rt, plan, &locator, &row, &mut output, &mut work)? as u64;
            rt.target_row = row;
        }
    }
    work.finish(&mut rt.cx, &plan.database, "DELETE")?;
    if let Some(o) = &plan.output {
        finish_output(rt, o, output)?;
    }
    Ok(count)
}

/// Takes one row out; false when it is not there (any more).
pub(super) fn delete<'a>(
    rt: &mut Rt<'a>,
    plan: &'a DeletePlan,
    locator: &[u8],
    row: &[u8],
    output: &mut OutputRows,
    work: &mut ForeignWork<'_>,
) -> SqlResult<bool> {
    let (database, table) = (&*plan.database, &*plan.table);
    if !remove_base(rt.cx.session, database, table, locator)? {
        return Ok(false);
    }
    let indexed = !table.nonclustered().is_empty();
    if indexed || plan.output.is_some() || !work.is_idle() {
        let mut values = Vec::new();
        decode_row(rt.cx.session, database, table, row, &mut values)?;
        let mut s = rt.cx.session.take_scratch();
        for index in table.nonclustered() {
            remove_entry(rt.cx.session, database.id, index, &values, locator, &mut s)?;
        }
        rt.cx.session.running.scratch = Some(s);
        work.went(&values, None);
        if let Some(o) = &plan.output {
            output_row(rt, o, None, Some(&values), output)?;
        }
    }
    free_lobs(rt.cx.session, database, table, row)?;
    Ok(true)
}
