//! UPDATE.
//!
//! Rows are changed as they are found where that is safe: one scan of the table whose order and choice of rows the
//! change does not touch. Else all rows are found first (Halloween protection). When keys of the clustered index or
//! of a unique one change, old rows leave before new ones come, so that keys may pass from row to row.

use crate::catalog::Table;
use crate::exec::change::{
    OutputRows, Scratch, Verb, add_entry, add_row, begin_output, check_row, decode_row, encode_row,
    entry_key, finish_output, free_lobs, output_row, remove_base, remove_entry, replace_base,
};
use crate::exec::foreign::ForeignWork;
use crate::exec::ops::{self, scan::fetch};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::exec::splice;
use crate::plan::change::{OutputPlan, UpdatePlan};
use taffrail_base::SqlResult;
use taffrail_storage::ScanLocks;
use taffrail_types::{ConvertContext, Value};

/// Changes rows as a plan says.
pub(super) struct Updater<'a> {
    plan: &'a UpdatePlan,
    scratch: Box<Scratch>,
    context: ConvertContext,
    /// New values of the SET columns.
    set: Vec<Value>,
    old: Vec<Value>,
    new: Vec<Value>,
    new_row: Vec<u8>,
    locator: Vec<u8>,
    output: OutputRows,
    count: u64,
    work: ForeignWork<'a>,
    /// A row is patched in place: nothing but fixed-length columns, and parts of large values, outside all indexes.
    patch: bool,
}

/// Runs an UPDATE; gives the number of rows.
pub(crate) fn run<'a>(rt: &mut Rt<'a>, plan: &'a UpdatePlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    begin_output(rt, plan.output.as_ref())?;
    let mut u = Updater::new(rt, plan, plan.output.is_some());
    let two_phases = plan.two_phases();
    if two_phases || plan.spool {
        u.spooled(rt, two_phases)?;
        rt.release_unchanged(&plan.database, &plan.table);
    } else {
        u.streamed(rt)?;
    }
    let (count, output) = (u.count, std::mem::take(&mut u.output));
    let work = std::mem::replace(&mut u.work, ForeignWork::new(&[], &[]));
    u.close(rt);
    work.finish(&mut rt.cx, &plan.database, "UPDATE")?;
    if let Some(o) = &plan.output {
        finish_output(rt, o, output)?;
    }
    Ok(count)
}

fn locator_of<'v>(rt: &'v Rt<'_>, slot: u32) -> Option<&'v [u8]> {
    rt.frame[slot as usize].as_bytes()
}

impl<'a> Updater<'a> {
    /// `whole`: the rows' values are asked for.
    pub fn new(rt: &mut Rt<'a>, plan: &'a UpdatePlan, whole: bool) -> Updater<'a> {
        Updater {
            plan,
            scratch: rt.cx.session.take_scratch(),
            context: rt.cx.session.options.convert_context(),
            set: Vec::new(),
            old: Vec::new(),
            new: Vec::new(),
            new_row: Vec::new(),
            locator: Vec::new(),
            output: OutputRows::default(),
            count: 0,
            work: ForeignWork::new(&plan.outgoing, &plan.incoming),
            patch: plan.indexes.is_empty()
                && !plan.moves
                && plan.checks.is_empty()
                && plan.outgoing.is_empty()
                && plan.incoming.is_empty()
                && !whole
                && splice::may_be_in_place(plan),
        }
    }

    /// Gives back what it has borrowed.
    pub fn close(self, rt: &mut Rt<'a>) {
        rt.cx.session.running.scratch = Some(self.scratch);
    }

    /// Changes one row to these values; false when it has left its place, to be [put back](Self::put_back) later.
    pub fn one(
        &mut self,
        rt: &mut Rt<'a>,
        locator: Vec<u8>,
        set: Vec<Value>,
        row: &[u8],
    ) -> SqlResult<bool> {
        self.locator = locator;
        self.set = set;
        if self.plan.two_phases() {
            self.take_out(rt, row)?;
            return Ok(false);
        }
        self.change(rt, row)?;
        Ok(true)
    }

    /// The values of a row that has left its place, old and new.
    pub fn take_values(&mut self) -> (Vec<Value>, Vec<Value>) {
        (std::mem::take(&mut self.old), std::mem::take(&mut self.new))
    }

    /// New and old values of the row that was changed last.
    pub fn values_of(&self) -> (&[Value], &[Value]) {
        (&self.new, &self.old)
    }

    /// Puts a row back that has left its place.
    pub fn put_back(&mut self, rt: &mut Rt<'a>, old: Vec<Value>, new: Vec<Value>) -> SqlResult<()> {
        self.old = old;
        self.new = new;
        self.put_in(rt)
    }

    /// Computes the new values for the row in the frame.
    fn compute(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        self.set.clear();
        splice::compute(rt, self.plan, &self.context, &mut self.set)
    }

    fn streamed(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let limit = rt.cx.session.row_limit();
        let mut op = ops::build(&plan.node);
        op.open(rt)?;
        while self.count < limit && op.next(rt)? {
            rt.tick()?;
            self.compute(rt)?;
            self.locator.clear();
            let Some(locator) = locator_of(rt, plan.locator) else { continue };
            self.locator.extend_from_slice(locator);
            let row = std::mem::take(&mut rt.target_row);
            let done = self.change(rt, &row);
            rt.target_row = row;
            done?;
        }
        Ok(())
    }

    fn spooled(&mut self, rt: &mut Rt<'a>, two_phases: bool) -> SqlResult<()> {
        let plan = self.plan;
        let mut op = ops::build(&plan.node);
        let saved = OutputPlan::saved(&plan.output);
        let set = 1..splice::width(plan) + 1;
        let mut rows = RowBuffer::new(set.end + saved.len());
        // A join may find a row more than once: the first time counts.
        let mut seen = crate::exec::runtime::ValueSet::new(Default::default());
        op.open(rt)?;
        let limit = rt.cx.session.row_limit();
        while (rows.rows as u64) < limit && op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[plan.locator as usize].clone();
            if locator.is_null() || !seen.insert(locator.clone()) {
                continue;
            }
            self.compute(rt)?;
            rows.values.push(locator);
            rows.values.append(&mut self.set);
            rt.save(saved, &mut rows.values);
            rows.rows += 1;
            rows.count(1);
        }
        drop(op);
        let mut moving: Vec<(usize, Vec<Value>, Vec<Value>)> = Vec::new();
        for i in 0..rows.rows {
            rt.tick()?;
            self.locator.clear();
            self.locator.extend_from_slice(rows.row(i)[0].as_bytes().unwrap_or_default());
            self.set.clear();
            self.set.extend_from_slice(&rows.row(i)[set.clone()]);
            rt.restore(saved, &rows.row(i)[set.end..]);
            let base = plan.table.base().hobt()?.clone();
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, &base, &self.locator, ScanLocks::Update, &mut row);
            let there = there.map_err(|e| rt.cx.session.storage_error(e))?;
            if there && two_phases {
                self.take_out(rt, &row)?;
                moving.push((i, std::mem::take(&mut self.old), std::mem::take(&mut self.new)));
            } else if there {
                self.change(rt, &row)?;
            }
            rt.target_row = row;
        }
        for (i, old, new) in moving {
            rt.tick()?;
            rt.restore(saved, &rows.row(i)[set.end..]);
            self.old = old;
            self.new = new;
            self.put_in(rt)?;
        }
        Ok(())
    }

    /// `old` and `new` from the row's bytes and the SET values.
    fn values(&mut self, rt: &mut Rt<'a>, row: &[u8]) -> SqlResult<()> {
        let plan = self.plan;
        decode_row(rt.cx.session, &plan.database, &plan.table, row, &mut self.old)?;
        self.new.clear();
        self.new.extend_from_slice(&self.old);
        splice::assign(plan, self.set.drain(..), &mut self.new)?;
        check_row(rt, &plan.checks, &plan.database, &plan.table, &mut self.new, Verb::Update)
    }

    /// Changes a row where it is.
    fn change(&mut self, rt: &mut Rt<'a>, row: &[u8]) -> SqlResult<()> {
        let plan = self.plan;
        let (database, table): (_, &Table) = (&*plan.database, &plan.table);
        if self.patch {
            self.new_row.clear();
            self.new_row.extend_from_slice(row);
            let (session, row) = (&mut *rt.cx.session, &mut self.new_row);
            if splice::in_place(session, database, plan, &self.set, row)? {
                replace_base(rt.cx.session, database, table, &self.locator, &self.new_row)?;
                self.count += 1;
                return Ok(());
            }
        }
        self.values(rt, row)?;
        encode_row(rt.cx.session, database, table, &self.new, &mut self.new_row)?;
        replace_base(rt.cx.session, database, table, &self.locator, &self.new_row)?;
        free_lobs(rt.cx.session, database, table, row)?;
        for index in &plan.indexes {
            entry_key(index, &self.old, &self.locator, &mut self.scratch.entry)?;
            entry_key(index, &self.new, &self.locator, &mut self.scratch.key)?;
            // The entry holds column values as well, so equal keys are not enough to leave it.
            let session = &mut *rt.cx.session;
            remove_entry(session, database.id, index, &self.old, &self.locator, &mut self.scratch)?;
            add_entry(
                session,
                database.id,
                table,
                index,
                &self.new,
                &self.locator,
                &mut self.scratch,
            )?;
        }
        self.done(rt)
    }

    fn done(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        self.count += 1;
        self.work.came(&self.new);
        self.work.went(&self.old, Some(&self.new));
        if let Some(o) = &self.plan.output {
            output_row(rt, o, Some(&self.new), Some(&self.old), &mut self.output)?;
        }
        Ok(())
    }

    /// First phase: the old row and its entries leave.
    fn take_out(&mut self, rt: &mut Rt<'a>, row: &[u8]) -> SqlResult<()> {
        self.values(rt, row)?;
        let plan = self.plan;
        let (database, table): (_, &Table) = (&*plan.database, &plan.table);
        for index in table.nonclustered() {
            remove_entry(
                rt.cx.session,
                database.id,
                index,
                &self.old,
                &self.locator,
                &mut self.scratch,
            )?;
        }
        remove_base(rt.cx.session, database, table, &self.locator)?;
        free_lobs(rt.cx.session, database, table, row)
    }

    /// Second phase: the new row and its entries come.
    fn put_in(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let (database, table): (_, &Table) = (&*plan.database, &plan.table);
        let mut row = std::mem::take(&mut self.scratch.row);
        encode_row(rt.cx.session, database, table, &self.new, &mut row)?;
        self.scratch.row = row;
        add_row(rt.cx.session, database, table, &self.new, &mut self.scratch)?;
        self.done(rt)
    }
}
