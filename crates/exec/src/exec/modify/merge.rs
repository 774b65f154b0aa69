//! MERGE.
//!
//! First the join is read to its end and each row's action is noted with the values that it needs; then rows are deleted and
//! changed, then those come back whose keys have changed, then the new ones come. So the statement never meets its own
//! changes, and a key may pass from a row that goes to one that comes. OUTPUT tells the new rows first, as SQL Server does where it
//! sorts the join by the target's key: clients give the first rows' identities to their new objects.

use super::insert::NewRows;
use super::{Change, Modify, Moved, Target, Verb, splice};
use crate::exec::ops::{self, scan::fetch};
use crate::exec::runtime::Rt;
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
}

/// Runs a MERGE; gives the number of rows.
pub(crate) fn run(rt: &mut Rt<'_>, plan: &MergePlan) -> SqlResult<u64> {
    rt.claims |= rt.cx.session.running.maintained.is_some_and(|m| m.claims);
    rt.cx.session.change_in(&plan.database)?;
    let limit = match &plan.top {
        None => rt.cx.session.row_limit(),
        Some(e) => ops::top_count(&rt.eval(e)?)?.min(rt.cx.session.row_limit()),
    };
    let target = Target {
        verb: Verb::Merge,
        database: &plan.database,
        table: &plan.table,
        outgoing: &plan.outgoing,
        incoming: &plan.incoming,
        output: plan.output.as_ref(),
        triggers: plan.triggers.as_ref(),
        computed: &plan.computed,
        follows: false,
    };
    let mut m = Modify::open(rt, target, false)?;
    let merger = Merger {
        plan,
        acts: Vec::new(),
        held: Held::default(),
        acted: HashSet::new(),
        matched: HashSet::new(),
        limit,
    };
    let changed = merger.run(rt, &mut m);
    if changed.is_ok() {
        rt.release_unchanged(&plan.database, &plan.table);
    }
    m.end(rt, changed)
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

    fn run(mut self, rt: &mut Rt<'_>, m: &mut Modify<'a>) -> SqlResult<()> {
        self.join(rt)?;
        self.rest(rt)?;
        self.change(rt, m)
    }

    fn full(&self) -> bool {
        self.acts.len() as u64 >= self.limit
    }

    fn join(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
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
    fn missing(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
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

    fn saved(&self, rt: &Rt<'_>) -> Vec<Value> {
        if self.plan.output.is_none() {
            return Vec::new();
        }
        self.plan.saved.iter().map(|s| rt.frame[*s as usize].clone()).collect()
    }

    /// The first clause whose condition holds: 8672 for a row that has its action already.
    fn choose(
        &mut self,
        rt: &mut Rt<'_>,
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
            rt.claim(&self.plan.database, &self.plan.table, &locator)?;
            let set = match &c.action {
                MergeAction::Delete => Vec::new(),
                MergeAction::Update(u) => self.new_values(rt, u)?,
            };
            let saved = self.saved(rt);
            self.note(Act::Change { action: &c.action, locator, set }, saved);
            return Ok(());
        }
        Ok(())
    }

    fn new_values(&self, rt: &mut Rt<'_>, u: &'a UpdatePlan) -> SqlResult<Vec<Value>> {
        let context = rt.cx.session.activation.options.convert_context();
        let mut set = Vec::with_capacity(splice::width(u));
        splice::compute(rt, u, &context, &mut set)?;
        Ok(set)
    }

    /// Rows of the target that nothing has matched.
    fn rest(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
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

    fn change(self, rt: &mut Rt<'_>, m: &mut Modify<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let base = plan.table.base().hobt()?;
        let rest = plan.rest.iter().flat_map(|r| &r.clauses);
        let changes: Vec<Change<'a>> = plan
            .clauses
            .iter()
            .chain(rest)
            .filter_map(|c| match &c.action {
                MergeAction::Update(u) => Some(Change::new(u, m.is_whole())),
                MergeAction::Delete => None,
            })
            .collect();
        let mut held = Held::default();
        let mut moved: Vec<(&Change<'a>, Moved, Vec<Value>)> = Vec::new();
        let mut new: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
        for (act, saved) in self.acts {
            rt.tick()?;
            let (action, locator, mut set) = match act {
                Act::Insert(values) => {
                    new.push((values, saved));
                    continue;
                }
                Act::Change { action, locator, set } => (action, locator, set),
            };
            let mut row = std::mem::take(&mut rt.target_row);
            let tx = rt.cx.session.part(plan.database.id);
            let there = fetch(tx, base, &locator, ScanLocks::Update, &mut row);
            if there.map_err(|e| rt.cx.session.storage_error(e))? {
                let update = match action {
                    MergeAction::Update(u) => changes.iter().find(|c| std::ptr::eq(c.plan, &**u)),
                    MergeAction::Delete => None,
                };
                match update {
                    None => {
                        tell(rt, plan, "DELETE", saved);
                        m.leave(rt, &locator, &row)?;
                    }
                    Some(change) if change.two_phases => {
                        let values = m.part(rt, change, &locator, &mut set, &row)?;
                        held.values(&values.0);
                        held.values(&values.1);
                        moved.push((change, values, saved));
                    }
                    Some(change) => {
                        tell(rt, plan, "UPDATE", saved);
                        m.change(rt, change, &locator, &mut set, &row)?;
                    }
                }
            }
            rt.target_row = row;
        }
        for (change, values, saved) in moved {
            rt.tick()?;
            tell(rt, plan, "UPDATE", saved);
            m.come_back(rt, change, values)?;
        }
        let Some(insert) = &plan.insert else { return Ok(()) };
        let changed = std::mem::take(&mut m.told);
        let rows = NewRows::new(rt, &insert.plan, m.is_replaced());
        let come = new.into_iter().try_for_each(|(values, saved)| {
            rt.tick()?;
            tell(rt, plan, "INSERT", saved);
            rows.push(rt, m, |_, i| Ok(values[i].clone()))
        });
        m.told.append(rt, changed)?;
        come
    }
}

/// Puts the action and the source's values where OUTPUT finds them.
fn tell(rt: &mut Rt<'_>, plan: &MergePlan, action: &str, saved: Vec<Value>) {
    if let Some(slot) = plan.action {
        rt.frame[slot as usize] = Value::nvarchar(action);
    }
    for (slot, v) in plan.saved.iter().zip(saved) {
        rt.frame[*slot as usize] = v;
    }
}
