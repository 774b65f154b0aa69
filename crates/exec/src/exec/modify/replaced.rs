//! UPDATE and DELETE of a view whose INSTEAD OF trigger replaces them: the rows are read, and handed to the trigger.

use super::Verb;
use super::values::store;
use crate::catalog::TriggerEvent;
use crate::exec::ops;
use crate::exec::runtime::Rt;
use crate::exec::triggers::Noted;
use crate::plan::statement::SelectPlan;
use crate::sink::Command;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// Notes the rows for the trigger; 570 where it runs already and a module that it calls changes the view again.
pub(crate) fn run(rt: &mut Rt<'_>, q: &SelectPlan, fmtonly: bool) -> SqlResult<(Command, u64)> {
    let Some(change) = &q.replaces else { unreachable!("asked for by who calls") };
    let (verb, command) = match change.event {
        TriggerEvent::Delete => (Verb::Delete, Command::DELETE),
        _ => (Verb::Update, Command::UPDATE),
    };
    if fmtonly {
        return Ok((command, 0));
    }
    let mut noted = Noted::new(rt.cx.session, &change.triggers);
    if !noted.replaces {
        return Err(SqlError::new(570, &[]));
    }
    let (database, table) = (&change.triggers.database, &change.triggers.table);
    let context = rt.cx.session.activation.options.convert_context();
    let width = table.columns.len();
    let mut op = ops::build(&q.plan.node);
    ops::refuse_counts(rt, &q.plan.node)?;
    op.open(rt)?;
    let limit = rt.cx.session.row_limit();
    let mut count = 0;
    let (mut old, mut new): (Vec<Value>, Vec<Value>) = Default::default();
    while count < limit && op.next(rt)? {
        rt.tick()?;
        let values = |rt: &Rt<'_>, at: usize| rt.frame[q.plan.outputs[at] as usize].clone();
        old.clear();
        old.extend((0..width).map(|at| values(rt, at)));
        new.clear();
        for at in width..q.plan.outputs.len() {
            let (v, from) = (values(rt, at), q.plan.columns[at].ty);
            new.push(store(v, from, table, at - width, database, verb, &context)?);
        }
        noted.row(rt, Some(&old), (!new.is_empty()).then_some(&new[..]))?;
        count += 1;
    }
    noted.into_due(&mut rt.cx.session.running.due, false)?;
    Ok((command, count))
}
