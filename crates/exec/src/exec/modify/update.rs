//! UPDATE.
//!
//! Rows are changed as they are found where that is safe: one scan of the table whose order and choice of rows the
//! change does not touch. Else all rows are found first (Halloween protection). When keys of the clustered index or
//! of a unique one change, old rows leave before new ones come, so that keys may pass from row to row.

use super::{Change, Modify, Target, Verb, splice};
use crate::exec::ops::{self, scan::fetch};
use crate::exec::rows::RowStore;
use crate::exec::runtime::{Rt, ValueSet};
use crate::plan::change::{OutputPlan, UpdatePlan};
use taffrail_base::SqlResult;
use taffrail_storage::ScanLocks;
use taffrail_types::{ConvertContext, Value};

/// Runs an UPDATE; gives the number of rows.
pub(crate) fn run(rt: &mut Rt<'_>, plan: &UpdatePlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut m = open(rt, plan, false)?;
    let change = Change::new(plan, m.is_whole());
    let limit = rt.cx.session.row_limit();
    let changed = if plan.spool || change.two_phases {
        let mut found = Found::new(rt, plan);
        found.gather(rt, limit).and_then(|()| found.apply(rt, &change, &mut m))
    } else {
        stream(rt, &change, &mut m, limit)
    };
    m.end(rt, changed)
}

/// Changes the rows that are found with each of these values of the variables, all of them as one statement.
pub(super) fn follow(rt: &mut Rt<'_>, plan: &UpdatePlan, all: Vec<Vec<Value>>) -> SqlResult<()> {
    rt.cx.session.change_in(&plan.database)?;
    let mut m = open(rt, plan, true)?;
    let change = Change::new(plan, m.is_whole());
    let mut found = Found::new(rt, plan);
    for values in all {
        rt.cx.session.check_cancel()?;
        for (variable, v) in rt.vars.iter_mut().zip(values) {
            *variable = v;
        }
        found.gather(rt, u64::MAX)?;
    }
    found.apply(rt, &change, &mut m)?;
    m.end(rt, Ok(())).map(drop)
}

/// `follows`: see [`Target::follows`].
fn open<'a>(rt: &mut Rt<'_>, plan: &'a UpdatePlan, follows: bool) -> SqlResult<Modify<'a>> {
    let target = Target {
        verb: Verb::Update,
        database: &plan.database,
        table: &plan.table,
        outgoing: &plan.outgoing,
        incoming: &plan.incoming,
        output: plan.output.as_ref(),
        triggers: plan.triggers.as_ref(),
        computed: &plan.computed,
        follows,
    };
    Modify::open(rt, target, false)
}

/// Rows are changed as they are found.
fn stream<'a>(
    rt: &mut Rt<'_>,
    change: &Change<'a>,
    m: &mut Modify<'a>,
    limit: u64,
) -> SqlResult<()> {
    let plan = change.plan;
    let context = rt.cx.session.activation.options.convert_context();
    let (mut set, mut locator) = (Vec::new(), Vec::new());
    let mut op = ops::build(&plan.node);
    op.open(rt)?;
    while m.count < limit && op.next(rt)? {
        rt.tick()?;
        set.clear();
        splice::compute(rt, plan, &context, &mut set)?;
        let Some(at) = rt.frame[plan.locator as usize].as_bytes() else { continue };
        locator.clear();
        locator.extend_from_slice(at);
        rt.claim(&plan.database, &plan.table, &locator)?;
        let row = std::mem::take(&mut rt.target_row);
        let done = m.change(rt, change, &locator, &mut set, &row);
        rt.target_row = row;
        done?;
    }
    Ok(())
}

/// Rows that are found before the first one is changed: each once, with the values of SET, and what OUTPUT asks of the tables beside.
struct Found<'a> {
    plan: &'a UpdatePlan,
    context: ConvertContext,
    seen: ValueSet,
    rows: RowStore,
}

impl<'a> Found<'a> {
    fn new(rt: &Rt<'_>, plan: &'a UpdatePlan) -> Found<'a> {
        let width = 1 + splice::width(plan) + OutputPlan::saved(&plan.output).len();
        Found {
            plan,
            context: rt.cx.session.activation.options.convert_context(),
            seen: ValueSet::new(Default::default()),
            rows: RowStore::in_order(width),
        }
    }

    fn gather(&mut self, rt: &mut Rt<'_>, limit: u64) -> SqlResult<()> {
        let Found { plan, context, seen, rows } = self;
        let mut op = ops::build(&plan.node);
        let (mut set, mut row) = (Vec::new(), Vec::new());
        op.open(rt)?;
        while (rows.len() as u64) < limit && op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[plan.locator as usize].clone();
            // A join may find a row more than once: the first time counts.
            if locator.is_null() || !seen.insert(locator.clone()) {
                continue;
            }
            rt.claim(&plan.database, &plan.table, locator.as_bytes().unwrap_or_default())?;
            splice::compute(rt, plan, context, &mut set)?;
            row.push(locator);
            row.append(&mut set);
            rt.save(OutputPlan::saved(&plan.output), &mut row);
            rows.take(rt, &mut row)?;
        }
        Ok(())
    }

    fn apply(self, rt: &mut Rt<'_>, change: &Change<'a>, m: &mut Modify<'a>) -> SqlResult<()> {
        let Found { plan, mut rows, .. } = self;
        let saved = OutputPlan::saved(&plan.output);
        let values_at = 1..1 + splice::width(plan);
        let base = plan.table.base().hobt()?;
        let mut set = Vec::new();
        // Rows that have left: the old and the new values, behind what OUTPUT asks.
        let mut moved: Option<RowStore> = None;
        let mut leaves = Vec::new();
        for i in 0..rows.len() {
            rt.tick()?;
            let found = rows.row(i)?;
            let locator = found[0].as_bytes().unwrap_or_default();
            set.clear();
            set.extend_from_slice(&found[values_at.clone()]);
            rt.restore(saved, &found[values_at.end..]);
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, base, locator, ScanLocks::Update, &mut row);
            let there = there.map_err(|e| rt.cx.session.storage_error(e))?;
            if there && change.two_phases {
                let (mut old, mut new) = m.part(rt, change, locator, &mut set, &row)?;
                leaves.extend_from_slice(&found[values_at.end..]);
                leaves.append(&mut old);
                leaves.append(&mut new);
                let width = leaves.len();
                moved.get_or_insert_with(|| RowStore::in_order(width)).take(rt, &mut leaves)?;
            } else if there {
                m.change(rt, change, locator, &mut set, &row)?;
            }
            rt.target_row = row;
        }
        drop(rows);
        let mut moved = moved.unwrap_or_else(|| RowStore::in_order(0));
        for i in 0..moved.len() {
            rt.tick()?;
            let (kept, values) = moved.row(i)?.split_at(saved.len());
            rt.restore(saved, kept);
            let (old, new) = values.split_at(values.len() / 2);
            m.come_back(rt, change, (old.to_vec(), new.to_vec()))?;
        }
        rt.release_unchanged(&plan.database, &plan.table);
        Ok(())
    }
}
