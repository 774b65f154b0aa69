//! The last stage: OUTPUT. What it says of a row is computed when the row is changed, and is sent or stored when all are.

use crate::exec::rows::RowStore;
use crate::exec::runtime::Rt;
use crate::memory;
use crate::plan::change::OutputPlan;
use crate::plan::expr::Slot;
use taffrail_base::message::{CANCELLED, CLIENT_GONE};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// Rows of OUTPUT, until the statement's rows are changed.
#[derive(Default)]
pub(crate) struct OutputRows(Option<Box<RowStore>>);

impl OutputRows {
    fn push(&mut self, rt: &mut Rt<'_>, slots: &[Slot]) -> SqlResult<()> {
        self.0.get_or_insert_with(|| Box::new(RowStore::in_order(slots.len()))).push(rt, slots)
    }

    /// Puts the rows of `later` behind these.
    pub(super) fn append(&mut self, rt: &mut Rt<'_>, later: OutputRows) -> SqlResult<()> {
        let Some(mut rows) = later.0 else { return Ok(()) };
        match &mut self.0 {
            None => self.0 = Some(rows),
            Some(told) => {
                for n in 0..rows.len() {
                    told.add(rt, rows.row(n)?)?;
                }
            }
        }
        Ok(())
    }

    /// Sends the rows to the client.
    fn send(self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let Some(mut rows) = self.0 else { return Ok(()) };
        (0..rows.len()).try_for_each(|n| rt.cx.row(rows.row(n)?))
    }
}

/// Gives one changed row to OUTPUT: as it is, and as it was.
pub(crate) fn output_row(
    rt: &mut Rt<'_>,
    o: &OutputPlan,
    new: Option<&[Value]>,
    old: Option<&[Value]>,
    out: &mut OutputRows,
) -> SqlResult<()> {
    for (list, row) in [(&o.inserted, new), (&o.deleted, old)] {
        // An action of MERGE has one of them.
        for (c, s) in list {
            rt.frame[*s as usize] = row.map_or(Value::Null, |row| row[*c].clone());
        }
    }
    for (n, (e, s)) in o.items.iter().enumerate() {
        let v = rt.eval(e)?;
        if o.condition == Some(n) && v != Value::Int(1) {
            return Ok(());
        }
        rt.frame[*s as usize] = v;
    }
    out.push(rt, &o.outputs)
}

/// Sends the columns of an OUTPUT that goes to the client, before the first row is changed: an error comes after them.
pub(crate) fn begin_output(rt: &mut Rt<'_>, o: Option<&OutputPlan>) -> SqlResult<()> {
    match o {
        Some(o) if o.into.is_none() => rt.cx.columns(&o.columns),
        _ => Ok(()),
    }
}

/// Sends the rows of an OUTPUT to the client that were changed before an error. They are undone with the statement.
pub(crate) fn end_output(
    rt: &mut Rt<'_>,
    o: &OutputPlan,
    output: OutputRows,
    e: &SqlError,
) -> SqlResult<()> {
    // A statement that waits for log is begun again, and nobody hears of an attention or from who has gone.
    if o.into.is_some() || matches!(e.number, 9002 | CANCELLED | CLIENT_GONE) {
        return Ok(());
    }
    output.send(rt)
}

/// Sends or stores what OUTPUT has gathered; of an INSERT that takes the rows of the change, how many it has inserted.
pub(crate) fn finish_output(
    rt: &mut Rt<'_>,
    o: &OutputPlan,
    output: OutputRows,
) -> SqlResult<Option<u64>> {
    memory::check()?;
    match &o.into {
        None => output.send(rt).map(|()| None),
        Some(plan) => {
            let mut rows =
                output.0.unwrap_or_else(|| Box::new(RowStore::in_order(o.outputs.len())));
            let all = rows.len();
            let inserted = super::insert::insert_stored(rt, plan, (&mut rows, all), |_| Ok(None))?;
            Ok(o.condition.map(|_| inserted))
        }
    }
}
