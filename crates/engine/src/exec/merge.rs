//! MERGE.
//!
//! First the join is read to its end and each row's action is noted with the values that it needs; then rows are deleted and
//! changed, then those put back whose keys have changed, then the new ones come. So the statement never meets its own
//! changes, and a key may pass from a row that goes to one that comes.

use super::change::{OutputRows, begin_output, decode_row, finish_output, output_row};
use super::foreign::ForeignWork;
use super::insert::RowSink;
use super::ops::{self, scan::fetch};
use super::runtime::Rt;
use super::splice;
use super::update::Updater;
use crate::memory::Held;
use crate::plan::change::{MergeAction, MergeClause, MergePlan, UpdatePlan};
use std::collections::HashSet;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::ScanLocks;
use taffrail_types::Value;

/// What happens to a row of the join.
enum Act<'a> {
    /// A row of the target, by its locator; for an UPDATE the new values of its columns.
    Change { action: &'a MergeAction, locator: Vec<u8>, set: Vec<Value> },
    /// The values of a new row.
    Insert(Vec<Value>),
}

struct Merger<'a> {
    plan: &'a MergePlan,
    /// Actions, and what OUTPUT needs of the source.
    acts: Vec<(Act<'a>, Vec<Value>)>,
    /// What they take.
    held: Held,
    /// Rows of the target that have an action.
    acted: HashSet<Vec<u8>>,
    /// Rows of the target that the source matches.
    matched: HashSet<Vec<u8>>,
    limit: u64,
    work: ForeignWork<'a>,
    output: OutputRows,
    count: u64,
}

/// Runs a MERGE; gives the number of rows.
pub(crate) fn run<'a>(rt: &mut Rt<'a>, plan: &'a MergePlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let limit = match &plan.top {
        None => rt.cx.session.row_limit(),
        Some(e) => ops::top_count(&rt.eval(e)?)?.min(rt.cx.session.row_limit()),
    };
    begin_output(rt, plan.output.as_ref())?;
    let mut m = Merger {
        plan,
        acts: Vec::new(),
        held: Held::default(),
        acted: HashSet::new(),
        matched: HashSet::new(),
        limit,
        work: ForeignWork::new(&plan.outgoing, &plan.incoming),
        output: OutputRows::default(),
        count: 0,
    };
    m.join(rt)?;
    m.rest(rt)?;
    m.change(rt)?;
    rt.release_unchanged(&plan.database, &plan.table);
    let work = std::mem::replace(&mut m.work, ForeignWork::new(&[], &[]));
    work.finish(&mut rt.cx, &plan.database, "MERGE")?;
    if let Some(o) = &plan.output {
        finish_output(rt, o, std::mem::take(&mut m.output))?;
    }
    Ok(m.count)
}

impl<'a> Merger<'a> {
    fn note(&mut self, act: Act<'a>, saved: Vec<Value>) {
        let values = match &act {
            Act::Change { set, .. } => set,
            Act::Insert(values) => values,
        };
        self.held.values(values);
        self.held.values(&saved);
        self.held.add(size_of::<(Act<'_>, Vec<Value>)>());
        self.acts.push((act, saved));
    }

    fn full(&self) -> bool {
        self.acts.len() as u64 >= self.limit
    }

    fn join(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let mut op = ops::build(&plan.node);
        op.open(rt)?;
        while op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[plan.locator as usize].as_bytes().map(<[u8]>::to_vec);
            match locator {
                Some(locator) => {
                    if plan.rest.is_some() {
                        self.matched.insert(locator.clone());
                    }
                    if !self.full() {
                        self.choose(rt, &plan.clauses, locator)?;
                    }
                }
                None => self.missing(rt)?,
            }
            if self.full() && plan.rest.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// A row of the source without a row of the target.
    fn missing(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let Some(insert) = &self.plan.insert else { return Ok(()) };
        if self.full() {
            return Ok(());
        }
        if let Some(p) = &insert.condition
            && rt.test(p)? != Some(true)
        {
            return Ok(());
        }
        let values = insert.values.iter().map(|e| rt.eval(e)).collect::<SqlResult<_>>()?;
        let saved = self.saved(rt);
        self.note(Act::Insert(values), saved);
        Ok(())
    }

    fn saved(&self, rt: &Rt<'a>) -> Vec<Value> {
        if self.plan.output.is_none() {
            return Vec::new();
        }
        self.plan.saved.iter().map(|s| rt.frame[*s as usize].clone()).collect()
    }

    /// The first clause whose condition holds: 8672 for a row that has its action already.
    fn choose(
        &mut self,
        rt: &mut Rt<'a>,
        clauses: &'a [MergeClause],
        locator: Vec<u8>,
    ) -> SqlResult<()> {
        for c in clauses {
            if let Some(p) = &c.condition
                && rt.test(p)? != Some(true)
            {
                continue;
            }
            if !self.acted.insert(locator.clone()) {
                return Err(SqlError::new(8672, &[]));
            }
            let set = match &c.action {
                MergeAction::Delete(_) => Vec::new(),
                MergeAction::Update(u) => self.new_values(rt, u)?,
            };
            let saved = self.saved(rt);
            self.note(Act::Change { action: &c.action, locator, set }, saved);
            return Ok(());
        }
        Ok(())
    }

    fn new_values(&self, rt: &mut Rt<'a>, u: &'a UpdatePlan) -> SqlResult<Vec<Value>> {
        let context = rt.cx.session.options.convert_context();
        let mut set = Vec::with_capacity(splice::width(u));
        splice::compute(rt, u, &context, &mut set)?;
        Ok(set)
    }

    /// Rows of the target that nothing has matched.
    fn rest(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let Some(rest) = &self.plan.rest else { return Ok(()) };
        rt.clear(&self.plan.saved);
        let mut op = ops::build(&rest.node);
        op.open(rt)?;
        while !self.full() && op.next(rt)? {
            rt.tick()?;
            let locator = rt.frame[rest.locator as usize].as_bytes().map(<[u8]>::to_vec);
            if let Some(locator) = locator
                && !self.matched.contains(&locator)
            {
                self.choose(rt, &rest.clauses, locator)?;
            }
        }
        Ok(())
    }

    fn change(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let base = plan.table.base().hobt()?.clone();
        let whole = plan.output.is_some() || !self.work.is_idle();
        let (mut moving, mut inserts) = (Vec::new(), Vec::new());
        for (act, saved) in std::mem::take(&mut self.acts) {
            rt.tick()?;
            let (action, locator, set) = match act {
                Act::Insert(values) => {
                    inserts.push((values, saved));
                    continue;
                }
                Act::Change { action, locator, set } => (action, locator, set),
            };
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, &base, &locator, ScanLocks::Update, &mut row);
            if there.map_err(|e| rt.cx.session.storage_error(e))? {
                match action {
                    MergeAction::Delete(d) => {
                        let mut old = Vec::new();
                        if plan.output.is_some() || !self.work.is_idle() {
                            decode_row(rt.cx.session, &d.database, &d.table, &row, &mut old)?;
                        }
                        let mut none = ForeignWork::new(&[], &[]);
                        let output = &mut OutputRows::default();
                        if super::delete::delete(rt, d, &locator, &row, output, &mut none)? {
                            if !self.work.is_idle() {
                                self.work.went(&old, None);
                            }
                            self.count += 1;
                            self.tell(rt, "DELETE", None, Some(&old), saved)?;
                        }
                    }
                    MergeAction::Update(u) => {
                        let mut updater = Updater::new(rt, u, whole);
                        if updater.one(rt, locator, set, &row)? {
                            self.count += 1;
                            let (new, old) = updater.values_of();
                            if whole {
                                self.work.came(new);
                                self.work.went(old, Some(new));
                            }
                            self.tell(rt, "UPDATE", Some(new), Some(old), saved)?;
                        } else {
                            moving.push((u, updater.take_values(), saved));
                        }
                        updater.close(rt);
                    }
                }
            }
            rt.target_row = row;
        }
        for (u, (old, new), saved) in moving {
            rt.tick()?;
            let mut updater = Updater::new(rt, u, true);
            updater.put_back(rt, old, new)?;
            self.count += 1;
            let (new, old) = updater.values_of();
            self.work.came(new);
            self.work.went(old, Some(new));
            self.tell(rt, "UPDATE", Some(new), Some(old), saved)?;
            updater.close(rt);
        }
        self.insert(rt, inserts)
    }

    fn insert(&mut self, rt: &mut Rt<'a>, rows: Vec<(Vec<Value>, Vec<Value>)>) -> SqlResult<()> {
        let Some(insert) = &self.plan.insert else { return Ok(()) };
        if rows.is_empty() {
            return Ok(());
        }
        let mut sink = RowSink::open(rt, &insert.plan, false)?;
        for (row, saved) in rows {
            rt.tick()?;
            sink.push(rt, |_, i| Ok(row[i].clone()))?;
            self.work.came(sink.last());
            if self.plan.output.is_some() {
                let new = sink.last().to_vec();
                self.tell(rt, "INSERT", Some(&new), None, saved)?;
            }
        }
        self.count += sink.finish(rt)?;
        Ok(())
    }

    /// Gives a changed row to OUTPUT.
    fn tell(
        &mut self,
        rt: &mut Rt<'a>,
        action: &str,
        new: Option<&[Value]>,
        old: Option<&[Value]>,
        saved: Vec<Value>,
    ) -> SqlResult<()> {
        let Some(o) = &self.plan.output else { return Ok(()) };
        if let Some(slot) = self.plan.action {
            rt.frame[slot as usize] = Value::nvarchar(action);
        }
        for (slot, v) in self.plan.saved.iter().zip(saved) {
            rt.frame[*slot as usize] = v;
        }
        for (list, row) in [(&o.inserted, new), (&o.deleted, old)] {
            if row.is_none() {
                list.iter().for_each(|(_, slot)| rt.frame[*slot as usize] = Value::Null);
            }
        }
        output_row(rt, o, new, old, &mut self.output)
    }
}
